/* SPDX-License-Identifier: Apache-2.0 */
/* LTL on random thread programs with a thread that never ends: every reduction gives the answer of full exploration. */
#include "support.h"

#include "random_program.h"

#include <stdio.h>

enum { PROGRAMS = 40, FORMULAS = 4 };

static const char endless[] = "\nint turning;\nthread looper { while (turning < 2) { turning = 1 - turning; } }\n";

static char *draw_program(uint64_t seed)
{
    char *text = random_program(seed);
    assert_non_null(text);
    char *longer = malloc(strlen(text) + sizeof endless);
    assert_non_null(longer);
    sprintf(longer, "%s%s", text, endless);
    free(text);
    return longer;
}

static void draw_formula(const struct portolan_system *system, uint64_t *seed, char *text, size_t size)
{
    static const char *const shapes[] = {"F (%s > %u && F %s == %u)",  "G(%s > %u -> F %s == %u)",
                                         "G F %s > %u || F G %s > %u", "F G %s > %u && G F %s == %u",
                                         "(%s <= %u) U (%s > %u)",     "G %s <= %u || F %s > %u",
                                         "!(%s <= %u W %s > %u)"};
    const char *one = system->variable_name(system->model, random_below(seed, system->variables));
    const char *other = system->variable_name(system->model, random_below(seed, system->variables));
    char quoted[2][128];
    snprintf(quoted[0], sizeof quoted[0], "\"%s\"", one);
    snprintf(quoted[1], sizeof quoted[1], "\"%s\"", other);
    snprintf(text, size, shapes[random_below(seed, 7)], quoted[0], random_below(seed, 2), quoted[1],
             random_below(seed, 2));
}

static enum portolan_verdict verdict(struct portolan_system *system, const struct portolan_property *property,
                                     const char *reduction, const char *proviso, const char *search)
{
    struct portolan_options options = {
        .reduction = reduction, .proviso = proviso, .search = search, .properties = &property, .property_count = 1};
    struct portolan_result result;
    struct portolan_error error = {0};
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", portolan_property_text(property), error.message);
    enum portolan_verdict answer = result.answers[0].verdict;
    result_clear(&result);
    return answer;
}

static void test_reductions_agree(void **state)
{
    static const char *const provisos_tried[] = {"scc", "color-star", "color", "stack", "queue"};
    unsigned violated = 0, reduced = 0;
    (void)state;
    for (uint64_t number = 1; number <= PROGRAMS; number++) {
        char *program = draw_program(number), text[512];
        struct portolan_system *system = open_program(program);
        uint64_t seed = number;
        assert_non_null(system);
        for (unsigned f = 0; f < FORMULAS; f++) {
            struct portolan_property *property = NULL;
            draw_formula(system, &seed, text, sizeof text);
            assert_int_equal(portolan_property_new(system, PORTOLAN_LTL, text, &property, NULL), PORTOLAN_OK);
            enum portolan_verdict truth = verdict(system, property, "none", NULL, "scc");
            violated += truth == PORTOLAN_VIOLATED;
            for (unsigned p = 0; p < 5; p++) {
                const char *reduction = (number + f + p) % 2 ? "stubborn" : "lpor";
                if (verdict(system, property, reduction, provisos_tried[p], p % 2 ? "ndfs" : NULL) != truth)
                    fail_msg("%s with %s and %s differs on\n%s", text, reduction, provisos_tried[p], program);
                reduced++;
            }
            portolan_property_free(property);
        }
        portolan_system_free(system);
        free(program);
    }
    print_message("%u of %u violated, %u reduced searches\n", violated, PROGRAMS * FORMULAS, reduced);
    assert_in_range(violated, PROGRAMS * FORMULAS / 10, PROGRAMS * FORMULAS * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reductions_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
