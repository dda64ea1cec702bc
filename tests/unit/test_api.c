/* SPDX-License-Identifier: Apache-2.0 */
/* NULL and nonsense where the public functions take something: an error, never a crash. */
#include "portolan/lpor.h"
#include "portolan/portolan.h"

#include "library/open.h"
#include "support.h"

#include <math.h>
#include <string.h>

static void initial(const void *model, void *state)
{
    (void)model;
    memset(state, 0, 8);
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    (void)model;
    out[0] = 0;
    return *(const uint64_t *)state < 3;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    (void)model;
    (void)action;
    *(uint64_t *)successor = *(const uint64_t *)state + 1;
    return PORTOLAN_FIRED;
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    (void)model;
    (void)guard;
    return *(const uint64_t *)state < 3;
}

static const uint32_t one_each[] = {0, 1}, none[] = {0, 0}, number_0[] = {0}, number_9[] = {9}, falling[] = {1, 0};

static struct portolan_relations good_relations(void)
{
    return (struct portolan_relations){.transitions = 1,
                                       .guards = 1,
                                       .guards_of = {one_each, number_0},
                                       .enablers = {none, NULL},
                                       .disablers = {one_each, number_0},
                                       .not_commuting = {none, NULL},
                                       .holds = holds};
}

static struct portolan_system good_system(void)
{
    return (struct portolan_system){.name = "three steps",
                                    .format = "test",
                                    .state_bytes = 8,
                                    .key_bytes = 8,
                                    .actions = 1,
                                    .initial = initial,
                                    .enabled = enabled,
                                    .fire = fire};
}

static unsigned asked_at_once;

/* Every second time. */
static uint32_t successors(const void *model, const void *state, uint32_t *out, void *reached)
{
    if (asked_at_once++ % 2)
        return PORTOLAN_NO_SUCCESSORS;
    uint32_t count = enabled(model, state, out);
    for (uint32_t i = 0; i < count; i++)
        fire(model, state, out[i], (unsigned char *)reached + (size_t)i * good_system().state_bytes);
    return count;
}

static void refused(enum portolan_status status, const struct portolan_error *error, const char *text)
{
    assert_int_not_equal(status, PORTOLAN_OK);
    assert_int_equal(error->status, status);
    if (!strstr(error->message, text))
        fail_msg("'%s' is not in '%s'", text, error->message);
}

static void models(void **unused)
{
    (void)unused;
    struct portolan_error error;
    struct portolan_system *system = (void *)&error;
    const char *const definitions[] = {NULL};
    refused(portolan_open(NULL, &system, &error), &error, "the path is NULL");
    refused(portolan_open("x.pnml", NULL, &error), &error, "is NULL");
    refused(portolan_open_with("x.mp", NULL, 1, &system, &error), &error, "the list of definitions is NULL");
    refused(portolan_open_with("x.mp", definitions, 1, &system, &error), &error, "a definition is NULL");
    assert_null(system);
    assert_int_not_equal(portolan_open(NULL, NULL, NULL), PORTOLAN_OK);
    assert_int_not_equal(portolan_open("", &system, NULL), PORTOLAN_OK);
    assert_null(system);
    portolan_system_free(NULL);
    for (int status = -1; status < 20; status++)
        assert_true(strlen(portolan_status_text((enum portolan_status)status)) > 0);
}

/* The table of languages says which views there are. */
static void views(void **unused)
{
    (void)unused;
    static const char *const examples[][2] = {
        {"pnml", "philosophers.pnml"},        {"dl", "threads/peterson.dl"},    {"ent", "entities/door.ent"},
        {"mp", "protocols/ring-election.mp"}, {"gg", "graphs/philosophers.gg"}, {"gps", "graphs/philosophers.gps"},
        {"lna", "lna/philosophers.lna"},      {"dve", "dve/mutex.dve"},         {"promela", "promela/peterson.pml"}};
    static const char *const ground[] = {"ground=1"};
    for (const struct language *l = languages; l->name; l++) {
        struct portolan_system *system = NULL;
        for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
            char path[500];
            size_t definitions = strstr(l->views, "with --ground") != NULL;
            snprintf(path, sizeof path, "%s/examples/%s", SOURCE_DIR, examples[i][1]);
            if (strcmp(examples[i][0], l->name) == 0)
                assert_int_equal(portolan_open_with(path, ground, definitions, &system, NULL), PORTOLAN_OK);
        }
        assert_non_null(system); /* each language has an example here */
        assert_string_equal(system->format, l->name);
        assert_int_equal(strstr(l->views, "relations") != NULL, system->relations != NULL);
        assert_int_equal(strstr(l->views, "footprint") != NULL, system->footprint != NULL);
        assert_int_equal(strstr(l->views, "entities") != NULL, system->entities != NULL);
        portolan_system_free(system);
    }
}

static void properties(void **unused)
{
    (void)unused;
    struct portolan_error error;
    struct portolan_system system = good_system();
    struct portolan_property *property = (void *)&error;
    refused(portolan_property_new(NULL, PORTOLAN_NO_DEADLOCK, NULL, &property, &error), &error, "the system is NULL");
    assert_null(property);
    refused(portolan_property_new(&system, PORTOLAN_NO_DEADLOCK, NULL, NULL, &error), &error, "is NULL");
    refused(portolan_property_new(&system, PORTOLAN_INVARIANT, NULL, &property, &error), &error, "needs an expression");
    refused(portolan_property_new(&system, PORTOLAN_LTL, NULL, &property, &error), &error, "needs an expression");
    refused(portolan_property_new(&system, (enum portolan_kind)77, "x", &property, &error), &error, "unknown kind");
    refused(portolan_property_new(&system, (enum portolan_kind) - 1, "x", &property, &error), &error, "unknown kind");
    refused(portolan_property_new(&system, PORTOLAN_INVARIANT, "x = 1", &property, &error), &error, "unknown variable");
    assert_null(property);
    portolan_property_free(NULL);
    assert_string_equal(portolan_property_text(NULL), "");
}

static void search_refused(struct portolan_system *system, const struct portolan_options *options, const char *text)
{
    struct portolan_error error;
    struct portolan_result *result = NULL;
    refused(portolan_search(system, options, &result, &error), &error, text);
    assert_null(result);
    assert_int_not_equal(portolan_search(system, options, &result, NULL), PORTOLAN_OK);
}

static void systems(void **unused)
{
    (void)unused;
    struct portolan_system system = good_system();
    struct portolan_options options = PORTOLAN_OPTIONS();
    struct portolan_result *result = NULL;
    struct portolan_error error;
    assert_int_equal(portolan_search(&system, &options, &result, &error), PORTOLAN_OK);
    assert_int_equal(result->statistics.states, 4);
    portolan_result_free(result);
    portolan_result_free(NULL);
    search_refused(NULL, &options, "the system is NULL");
    search_refused(&system, NULL, "the struct of options is NULL");
    refused(portolan_search(&system, &options, NULL, &error), &error, "is NULL");
    system.fire = NULL;
    search_refused(&system, &options, "needs the functions");
    system = good_system();
    system.enabled = NULL;
    search_refused(&system, &options, "needs the functions");
    system = good_system();
    system.initial = NULL;
    search_refused(&system, &options, "needs the functions");
    system = good_system();
    system.state_bytes = 7;
    search_refused(&system, &options, "not a multiple of 8");
    system = good_system();
    system.key_bytes = 9;
    search_refused(&system, &options, "more than state_bytes");
    system = good_system();
    system.actions = PORTOLAN_ACTIONS_ON_THE_FLY;
    search_refused(&system, &options, "'find_enabled'");
    system = good_system();
    system.stated_count = 1;
    search_refused(&system, &options, "stated properties");
    system = good_system();
    system.footprint = &(struct portolan_footprint){0};
    search_refused(&system, &options, "needs the function 'next'");
    system = good_system();
    system.successors = successors;
    system.most_enabled = system.actions + 1;
    search_refused(&system, &options, "most_enabled");
}

/* A system that finds successors at once; what it does not say is listed and fired. */
static void successors_at_once(void **unused)
{
    (void)unused;
    struct portolan_system system = good_system();
    struct portolan_options options = PORTOLAN_OPTIONS(.reduction = "none");
    struct portolan_result *result = NULL;
    system.successors = successors;
    system.most_enabled = system.actions;
    assert_int_equal(portolan_search(&system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result->statistics.states, 4);
    assert_true(asked_at_once > 0);
    portolan_result_free(result);
}

static void options_of_searches(void **unused)
{
    (void)unused;
    struct portolan_system system = good_system();
    const struct portolan_property *const no_property[] = {NULL};
    search_refused(&system, &PORTOLAN_OPTIONS(.property_count = 1), "is NULL");
    search_refused(&system, &PORTOLAN_OPTIONS(.property_count = 1, .properties = no_property), "is NULL");
    search_refused(&system, &PORTOLAN_OPTIONS(.time_limit = NAN), "time limit");
    search_refused(&system, &PORTOLAN_OPTIONS(.time_limit = -1), "time limit");
    search_refused(&system, &PORTOLAN_OPTIONS(.time_limit = INFINITY), "time limit");
    search_refused(&system, &PORTOLAN_OPTIONS(.engine = (enum portolan_engine)9), "engine");
    search_refused(&system, &PORTOLAN_OPTIONS(.fairness = (enum portolan_fairness)9), "fairness");
    search_refused(&system, &PORTOLAN_OPTIONS(.reduction = "nonsense"), "no reduction");
    search_refused(&system, &PORTOLAN_OPTIONS(.reduction = ""), "no reduction");
    search_refused(&system, &PORTOLAN_OPTIONS(.reduction = "stubborn"), "relations view");
    search_refused(&system, &PORTOLAN_OPTIONS(.reduction = "optimal"), "footprint view");
    search_refused(&system, &PORTOLAN_OPTIONS(.reduction = "probe"), "entities view");
    search_refused(&system, &PORTOLAN_OPTIONS(.proviso = "nonsense"), "no proviso");
    search_refused(&system, &PORTOLAN_OPTIONS(.search = "nonsense"), "no search");
    search_refused(&system, &PORTOLAN_OPTIONS(.bound = 3), "footprint view");
    search_refused(&system, &PORTOLAN_OPTIONS(.random_runs = 3), "footprint view");
}

static void relations(void **unused)
{
    (void)unused;
    struct portolan_system system = good_system();
    struct portolan_options options = PORTOLAN_OPTIONS(.reduction = "stubborn");
    struct portolan_result *result = NULL;
    struct portolan_relations view = good_relations();
    system.relations = &view;
    assert_int_equal(portolan_search(&system, &options, &result, NULL), PORTOLAN_OK);
    portolan_result_free(result);
    view.transitions = 2;
    search_refused(&system, &options, "2 transitions");
    view = good_relations();
    view.holds = NULL;
    search_refused(&system, &options, "lacks a list, or the function");
    view = good_relations();
    view.enablers.offset = NULL;
    search_refused(&system, &options, "lacks a list");
    view = good_relations();
    view.guards_of.item = number_9;
    search_refused(&system, &options, "guards_of has a number that is out of range");
    view = good_relations();
    view.disablers.item = NULL;
    search_refused(&system, &options, "disablers");
    view = good_relations();
    view.not_commuting.offset = falling;
    search_refused(&system, &options, "not_commuting");
}

static void traces(void **unused)
{
    (void)unused;
    struct portolan_system system = good_system();
    struct portolan_error error;
    struct portolan_property *property;
    const uint32_t trace[] = {0, 0, 0, 7};
    assert_int_equal(portolan_property_new(&system, PORTOLAN_NO_DEADLOCK, NULL, &property, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_replay(&system, trace, 3, property, &error), PORTOLAN_OK);
    assert_int_equal(portolan_replay(&system, NULL, 0, NULL, &error), PORTOLAN_OK);
    refused(portolan_replay(&system, trace, 2, property, &error), &error, "does not decide");
    refused(portolan_replay(&system, trace, 4, NULL, &error), &error, "not enabled");
    refused(portolan_replay(&system, NULL, 4, NULL, &error), &error, "the trace is NULL");
    refused(portolan_replay(NULL, trace, 4, NULL, &error), &error, "the system is NULL");
    refused(portolan_replay_run(NULL, trace, 1, 0, PORTOLAN_UNFAIR, NULL, &error), &error, "the system is NULL");
    refused(portolan_replay_run(&system, NULL, 1, 0, PORTOLAN_UNFAIR, NULL, &error), &error, "the trace is NULL");
    refused(portolan_replay_run(&system, trace, 1, 2, PORTOLAN_UNFAIR, NULL, &error), &error, "after the end");
    refused(portolan_replay_run(&system, trace, 1, 0, PORTOLAN_UNFAIR, property, &error), &error, "property of states");
    refused(portolan_replay_run(&system, trace, 1, 0, PORTOLAN_FAIR_AGENTS, NULL, &error), &error, "fairness");
    portolan_property_free(property);
}

static void reductions_alone(void **unused)
{
    (void)unused;
    struct portolan_system system = good_system();
    struct portolan_relations view = good_relations();
    struct portolan_error error;
    struct portolan_stubborn *stubborn = (void *)&error;
    struct portolan_lpor *lpor = (void *)&error;
    struct portolan_lpor_relations own = PORTOLAN_LPOR_RELATIONS(.transitions = 1);
    uint64_t state = 0;
    uint32_t out[2];
    refused(portolan_stubborn_new(NULL, NULL, &stubborn, &error), &error, "the system is NULL");
    refused(portolan_stubborn_new(&system, NULL, NULL, &error), &error, "is NULL");
    refused(portolan_stubborn_new(&system, NULL, &stubborn, &error), &error, "relations");
    system.relations = &view;
    refused(portolan_stubborn_new(&system, "nonsense", &stubborn, &error), &error, "has no option 'nonsense'");
    assert_null(stubborn);
    assert_int_equal(portolan_stubborn_new(&system, NULL, &stubborn, &error), PORTOLAN_OK);
    assert_int_equal(portolan_stubborn_set(stubborn, &state, out), 1);
    assert_int_equal(portolan_stubborn_set(NULL, &state, out), 0);
    assert_int_equal(portolan_stubborn_set(stubborn, NULL, out), 0);
    portolan_stubborn_free(stubborn);
    portolan_stubborn_free(NULL);
    refused(portolan_lpor_new(NULL, NULL, &lpor, &error), &error, "the struct of relations is NULL");
    refused(portolan_lpor_new(&own, NULL, NULL, &error), &error, "is NULL");
    refused(portolan_lpor_new(&own, NULL, &lpor, &error), &error, "depends_on");
    assert_null(lpor);
    refused(portolan_lpor_of_system(NULL, NULL, NULL, &lpor, &error), &error, "the system is NULL");
    assert_int_equal(portolan_lpor_of_system(&system, NULL, NULL, &lpor, &error), PORTOLAN_OK);
    assert_int_equal(portolan_lpor_set(lpor, &state, number_0, 1, PORTOLAN_LPOR_BEST, out), 1);
    assert_int_equal(portolan_lpor_set(lpor, &state, NULL, 1, PORTOLAN_LPOR_BEST, out), 0);
    assert_int_equal(portolan_lpor_set(NULL, &state, number_0, 1, 0, out), 0);
    assert_false(portolan_lpor_leads_to(lpor, 5, 0));
    assert_false(portolan_lpor_leads_to(NULL, 0, 0));
    portolan_lpor_free(lpor);
    portolan_lpor_free(NULL);
    refused(portolan_lpor_check(NULL, NULL, &state, &error), &error, "the struct of relations is NULL");
    refused(portolan_lists_new(1, 1, NULL, NULL, NULL, &error), &error, "is NULL");
    portolan_lists_clear(NULL);
}

/* --- structs of callers that were built with another version of the header */

/* The first bytes of a struct, as an older header knows it, in front of what is no part of it. */
static void *older(const void *filled, size_t known, void *room, size_t room_size)
{
    memset(room, 0xa5, room_size);
    memcpy(room, filled, known);
    memcpy(room, &known, sizeof known);
    return room;
}

#define OLDER(filled, last) older(&(filled), offsetof(typeof(filled), last), room, sizeof room)

static void system_refused(const struct portolan_system *yours, const char *text)
{
    struct portolan_error error;
    struct portolan_system *system = (void *)&error;
    refused(portolan_system_new(yours, &system, &error), &error, text);
    assert_null(system);
}

static struct portolan_system filled_system(void)
{
    return PORTOLAN_SYSTEM(.state_bytes = 8, .actions = 1, .initial = initial, .enabled = enabled, .fire = fire);
}

static void assert_four_states(const struct portolan_system *yours, const struct portolan_options *options)
{
    struct portolan_system *system;
    struct portolan_result *result;
    assert_int_equal(portolan_system_new(yours, &system, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_search(system, options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result->stop, PORTOLAN_COMPLETE);
    assert_int_equal(result->statistics.states, 4);
    portolan_result_free(result);
    portolan_system_free(system);
}

static void own_systems(void **unused)
{
    (void)unused;
    struct portolan_error error;
    struct portolan_system mine = filled_system();
    struct portolan_options options = PORTOLAN_OPTIONS();
    assert_four_states(&mine, &options);
    search_refused(&mine, &options, "not made by portolan_system_new");
    system_refused(NULL, "the struct of the system is NULL");
    refused(portolan_system_new(&mine, NULL, &error), &error, "is NULL");
    mine.fire = NULL;
    system_refused(&mine, "needs the functions");
    mine = filled_system();
    mine.size = 0;
    system_refused(&mine, "the field 'size' of a struct is 0");
    mine = filled_system();
    mine.relations = &(struct portolan_relations){.holds = holds};
    system_refused(&mine, "the field 'size' of a struct is 0");
    struct portolan_relations view = good_relations();
    view.size = sizeof view;
    mine.relations = &view;
    assert_four_states(&mine, &PORTOLAN_OPTIONS(.reduction = "stubborn", .check_relations = true));
    view.guards_of.item = number_9;
    system_refused(&mine, "guards_of has a number that is out of range");
    mine = filled_system();
    mine.footprint = &PORTOLAN_FOOTPRINT(.agents = 1);
    system_refused(&mine, "needs the function 'next'");
    mine = filled_system();
    mine.entities = (const struct portolan_entities *const[]){&PORTOLAN_ENTITIES(.name = "mine"), NULL};
    system_refused(&mine, "the entities view lacks a function");
}

static void older_headers(void **unused)
{
    (void)unused;
    max_align_t room[100], other_room[100];
    struct portolan_system mine = filled_system();
    struct portolan_options options = PORTOLAN_OPTIONS();
    assert_four_states(OLDER(mine, restore), &options);
    assert_four_states(&mine, OLDER(options, reduction));
    struct portolan_relations view = good_relations();
    mine.relations = older(&view, sizeof view, other_room, sizeof other_room);
    assert_four_states(OLDER(mine, footprint), &PORTOLAN_OPTIONS(.reduction = "stubborn", .check_relations = true));
    system_refused(older(&mine, 3, room, sizeof room), "the field 'size' of a struct is");
}

static void newer_headers(void **unused)
{
    (void)unused;
    struct {
        struct portolan_options known;
        uint64_t later;
    } newer = {.known = {.size = sizeof newer}};
    struct portolan_system mine = filled_system(), *system;
    assert_four_states(&mine, &newer.known); /* what we do not know is not asked for */
    newer.later = 1;
    assert_int_equal(portolan_system_new(&mine, &system, NULL), PORTOLAN_OK);
    search_refused(system, &newer.known, "PORTOLAN_OPTIONS has a field that is unknown to this version of the library");
    newer.known.size = SIZE_MAX;
    search_refused(system, &newer.known, "the field 'size' of a struct is");
    portolan_system_free(system);
}

static void older_headers_of_lpor(void **unused)
{
    (void)unused;
    max_align_t room[100];
    uint32_t out[1];
    struct portolan_lpor *lpor;
    struct portolan_lpor_relations own =
        PORTOLAN_LPOR_RELATIONS(.transitions = 1, .depends_on = {none, NULL}, .can_enable = {none, NULL});
    struct portolan_lpor_options options = PORTOLAN_LPOR_OPTIONS(.plain = true);
    assert_int_equal(portolan_lpor_new(OLDER(own, conditions), &options, &lpor, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_lpor_set(lpor, &options, number_0, 1, PORTOLAN_LPOR_BEST, out), 1);
    portolan_lpor_free(lpor);
    assert_int_equal(portolan_lpor_new(&own, OLDER(options, online), &lpor, NULL), PORTOLAN_OK);
    portolan_lpor_free(lpor);
    options.size = 0;
    assert_int_equal(portolan_lpor_new(&own, &options, &lpor, NULL), PORTOLAN_BAD_OPTION);
    assert_null(lpor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models),
                                       cmocka_unit_test(views),
                                       cmocka_unit_test(properties),
                                       cmocka_unit_test(systems),
                                       cmocka_unit_test(successors_at_once),
                                       cmocka_unit_test(options_of_searches),
                                       cmocka_unit_test(relations),
                                       cmocka_unit_test(traces),
                                       cmocka_unit_test(reductions_alone),
                                       cmocka_unit_test(own_systems),
                                       cmocka_unit_test(older_headers),
                                       cmocka_unit_test(newer_headers),
                                       cmocka_unit_test(older_headers_of_lpor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
