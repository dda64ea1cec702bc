/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stranger's program: a model file, and a system of its own with relations.  It has names that the library uses
 * inside, is C and C++, and is compiled against headers that know fewer fields, too: what follows its structs is not
 * zero.  Prints what is the same for all of them.
 */
#include <portolan/lpor.h>
#include <portolan/portolan.h>

#include <stdio.h>
#include <string.h>

int fail(void), emit(void), hint(void), result_clear(void), limits_reached(void);

int fail(void)
{
    return 1;
}

int emit(void)
{
    return 2;
}

int hint(void)
{
    return 3;
}

int result_clear(void)
{
    return 4;
}

int limits_reached(void)
{
    return 5;
}

static void initial(const void *model, void *state)
{
    (void)model;
    memset(state, 0, 8);
}

/* Two counters that go to three, one action each. */
static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    const unsigned char *at = (const unsigned char *)state;
    uint32_t count = 0;
    (void)model;
    for (uint32_t i = 0; i < 2; i++)
        if (at[i] < 3)
            out[count++] = i;
    return count;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    (void)model;
    memcpy(successor, state, 8);
    ++((unsigned char *)successor)[action];
    return PORTOLAN_FIRED;
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    (void)model;
    return ((const unsigned char *)state)[guard] < 3;
}

static const uint32_t own_offset[] = {0, 1, 2}, own_item[] = {0, 1}, nothing[] = {0, 0, 0};

static int say(const char *what, const struct portolan_error *error)
{
    printf("%s: %s\n", what, error->message);
    return 2;
}

static int search(struct portolan_system *system, const char *reduction)
{
    struct portolan_error error;
    struct portolan_property *property;
    struct portolan_result *result;
    if (portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, &error) != PORTOLAN_OK)
        return say("property", &error);
    const struct portolan_property *properties[] = {property};
    struct {
        struct portolan_options options;
        unsigned char behind[400];
    } room;
    memset(&room, 0xa5, sizeof room);
    room.options = PORTOLAN_OPTIONS();
    room.options.reduction = reduction;
    room.options.properties = properties;
    room.options.property_count = 1;
    if (portolan_search(system, &room.options, &result, &error) != PORTOLAN_OK)
        return say("search", &error);
    printf("%s, %lu states: %s\n", portolan_property_text(property), (unsigned long)result->statistics.states,
           result->answers[0].verdict == PORTOLAN_VIOLATED ? "violated" : "not violated");
    portolan_result_free(result);
    portolan_property_free(property);
    portolan_system_free(system);
    return 0;
}

static int own_system(void)
{
    struct portolan_error error;
    struct portolan_system *system;
    struct {
        struct portolan_relations relations;
        unsigned char behind[400];
    } view;
    struct {
        struct portolan_system system;
        unsigned char behind[400];
    } room;
    memset(&view, 0xa5, sizeof view);
    memset(&room, 0xa5, sizeof room);
    view.relations = PORTOLAN_RELATIONS();
    view.relations.transitions = view.relations.guards = 2;
    view.relations.guards_of.offset = view.relations.disablers.offset = own_offset;
    view.relations.guards_of.item = view.relations.disablers.item = own_item;
    view.relations.enablers.offset = view.relations.not_commuting.offset = nothing;
    view.relations.holds = holds;
    room.system = PORTOLAN_SYSTEM();
    room.system.state_bytes = 8;
    room.system.actions = 2;
    room.system.initial = initial;
    room.system.enabled = enabled;
    room.system.fire = fire;
    room.system.relations = &view.relations;
    if (portolan_system_new(&room.system, &system, &error) != PORTOLAN_OK)
        return say("system", &error);
    return search(system, "stubborn");
}

static int lpor(void)
{
    struct portolan_error error;
    struct portolan_lpor *lpor;
    uint32_t set[] = {0, 1};
    struct {
        struct portolan_lpor_options options;
        unsigned char behind[400];
    } room;
    struct portolan_lpor_relations relations = PORTOLAN_LPOR_RELATIONS();
    memset(&room, 0xa5, sizeof room);
    room.options = PORTOLAN_LPOR_OPTIONS();
    relations.transitions = 2;
    relations.depends_on.offset = relations.can_enable.offset = nothing;
    if (portolan_lpor_new(&relations, &room.options, &lpor, &error) != PORTOLAN_OK)
        return say("lpor", &error);
    printf("%u of 2 transitions\n", (unsigned)portolan_lpor_set(lpor, NULL, set, 2, PORTOLAN_LPOR_BEST, set));
    portolan_lpor_free(lpor);
    return 0;
}

int main(int count, char **arguments)
{
    struct portolan_error error;
    struct portolan_system *system;
    if (count > 1 && strcmp(arguments[1], "--sizes") == 0) {
        printf("%lu %lu %lu\n", (unsigned long)sizeof(struct portolan_system),
               (unsigned long)sizeof(struct portolan_options), (unsigned long)sizeof(struct portolan_lpor_options));
        return 0;
    }
    if (count != 2 || strcmp(portolan_version(), PORTOLAN_VERSION) != 0)
        return 2;
    if (portolan_open(arguments[1], &system, &error) != PORTOLAN_OK)
        return say("model", &error);
    if (search(system, "none") || own_system() || lpor())
        return 2;
    return fail() + emit() + hint() + result_clear() + limits_reached() == 15 ? 0 : 2;
}
