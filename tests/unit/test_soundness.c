/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rules, and the table of variants that is made from it. */
#include "support.h"

#include "search/variants.h"
#include "soundness/soundness.h"
#include "stateless/worker.h"

/* The lowest trait of each set, one set at a time moved on to its next: every rule speaks for some combination. */
static unsigned nth_trait(unsigned set, unsigned n)
{
    while (n-- && set)
        set &= set - 1;
    return set & -set;
}

static bool speaks(const struct rule *rule)
{
    enum { MOST = 6 };
    for (unsigned i = 0; i < MOST * MOST * MOST; i++) {
        const struct traits *all = &rule->traits;
        struct traits one = {.reduction = nth_trait(all->reduction, i % MOST),
                             .demand = nth_trait(all->demand, i / MOST % MOST),
                             .proviso = nth_trait(all->proviso, i / MOST / MOST),
                             .search = nth_trait(all->search, 0),
                             .option = nth_trait(all->option, 0),
                             .model = nth_trait(all->model, 0)};
        struct part_names names = {.reduction = "R", .proviso = "P", .search = "S"};
        struct portolan_options options = {0};
        struct portolan_error error = {0};
        enum portolan_status status = check_soundness(&one, &names, &options, &error);
        if (status == (rule->status ? rule->status : PORTOLAN_REFUSED) &&
            strncmp(error.message, rule->reason, strcspn(rule->reason, "{")) == 0)
            return true;
    }
    return false;
}

static void test_every_rule_speaks(void **state)
{
    (void)state;
    for (const struct rule *rule = rules; rule->reason; rule++)
        if (!speaks(rule))
            fail_msg("no combination is refused because '%s'", rule->reason);
}

static void test_sentences_are_filled_in(void **state)
{
    (void)state;
    struct traits traits = {.reduction = EXPLORES_VECTORS, .proviso = PROVISO_OF_STATES};
    struct part_names names = {.reduction = "probe", .proviso = "queue"};
    struct portolan_options options = {0};
    struct portolan_error error = {0};
    assert_int_equal(check_soundness(&traits, &names, &options, &error), PORTOLAN_REFUSED);
    assert_string_equal(error.message, "proviso 'queue' cannot be combined with reduction 'probe'");
    assert_string_equal(error.hint, "use --proviso nodup or --proviso age");
    traits.proviso = PROVISO_OF_VECTORS;
    assert_true(is_sound(&traits));
    assert_int_equal(check_soundness(&traits, &names, &options, &error), PORTOLAN_OK);
}

/* What the table says of a variant is what the search does; weak sets are known when they are made. */
static void check_variants(struct portolan_system *system, const struct portolan_property *property, bool temporal)
{
    /* only whether it begins matters: executions of this net have no end */
    struct portolan_options options = {
        .properties = &property, .property_count = property != NULL, .state_limit = 100, .time_limit = 0.02};
    struct variant_cursor cursor = {0};
    struct variant v;
    uint32_t sound = 0, refused = 0;
    while (variant_next(&cursor, temporal, &v)) {
        struct portolan_result result;
        struct portolan_error error = {0};
        if (strstr(v.reduction, "weak") || (v.method && !v.method->preserves_traces))
            continue;
        bool expected = variant_is_sound(&v, system, &options);
        struct portolan_options run = options;
        run.reduction = v.reduction;
        run.proviso = v.proviso;
        run.search = v.search;
        enum portolan_status status = search_system(system, &run, &result, &error);
        if (status == PORTOLAN_OK)
            result_clear(&result);
        bool renamed = temporal && strcmp(v.proviso, "scc") == 0; /* stands for scc:liveness there */
        if (!renamed && (status == PORTOLAN_OK) != expected)
            fail_msg("%s %s %s: %s, but the table says otherwise", v.reduction, v.proviso, v.search,
                     status == PORTOLAN_OK ? "allowed" : error.message);
        sound += expected;
        refused += !expected;
    }
    assert_true(sound > 10);
    assert_true(!property || property->kind == PORTOLAN_NO_DEADLOCK || refused > 10);
}

static void test_variants_are_allowed_as_the_table_says(void **state)
{
    (void)state;
    static const struct {
        enum portolan_kind kind;
        const char *text;
    } asked[] = {{PORTOLAN_NO_DEADLOCK, NULL},
                 {PORTOLAN_INVARIANT, "eats_1 <= 1"},
                 {PORTOLAN_LTL, "G F eats_1 > 0"},
                 {PORTOLAN_LTL, "G eats_1 <= 1"}};
    struct portolan_system *system = system_of_family("philosophers", 2);
    check_variants(system, NULL, false);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct portolan_property *property;
        assert_int_equal(portolan_property_new(system, asked[i].kind, asked[i].text, &property, NULL), PORTOLAN_OK);
        check_variants(system, property, asked[i].kind == PORTOLAN_LTL);
        portolan_property_free(property);
    }
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_rule_speaks),
        cmocka_unit_test(test_sentences_are_filled_in),
        cmocka_unit_test(test_variants_are_allowed_as_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
