/* SPDX-License-Identifier: Apache-2.0 */
/* portolan ltl FORMULA: the automaton of a formula, and what is known of it. */
#include "cli/command.h"

#include "ltl/automaton.h"

#include <string.h>

static const char *answer_word(enum ltl_answer answer)
{
    return answer == LTL_YES ? "yes" : answer == LTL_NO ? "no" : "unknown";
}

static void print_summary(const struct automaton *automaton, enum ltl_answer stutter, enum ltl_answer safety)
{
    static const char *const strength[] = {
        [AUTOMATON_TERMINAL] = "terminal", [AUTOMATON_WEAK] = "weak", [AUTOMATON_STRONG] = "strong"};
    printf("states     %u\nedges      %u\nsets       %u\nkind       %s, %s\n", automaton->states,
           automaton->first[automaton->states], automaton->sets, strength[automaton->strength],
           automaton_is_deterministic(automaton) ? "deterministic" : "nondeterministic");
    printf("stuttering %s\nsafety     %s\n",
           stutter == LTL_YES  ? "makes no difference"
           : stutter == LTL_NO ? "makes a difference"
                               : "unknown",
           answer_word(safety));
}

static int show(struct ltl *ltl, const struct settings *settings, struct portolan_error *error)
{
    struct automaton *automaton = NULL;
    struct automaton_options options = {.negated = settings->negate, .degeneralise = settings->degeneralise};
    enum ltl_answer stutter, safety;
    uint32_t formula;
    const char *text = settings->words.item[0];
    if (ltl_parse(ltl, NULL, "<formula>", text, &formula, error) ||
        automaton_of_formula(ltl, formula, &options, &automaton, error))
        return wrong(error);
    bool plain = !settings->dot && !settings->hoa;
    bool fine =
        !plain || !(ltl_stutter_invariant(ltl, formula, &stutter, error) || ltl_safety(ltl, formula, &safety, error));
    if (!fine) {
        automaton_free(automaton);
        return wrong(error);
    }
    if (plain)
        print_summary(automaton, stutter, safety);
    if (settings->dot)
        automaton_write_dot(automaton, stdout);
    else
        automaton_write_hoa(automaton, text, stdout);
    automaton_free(automaton);
    return EXIT_HOLDS;
}

int command_ltl(struct settings *settings)
{
    struct portolan_error error = {0};
    struct ltl ltl;
    if (settings->words.count != 1)
        return wrong_usage("ltl");
    if (!ltl_init(&ltl))
        return wrong(&(struct portolan_error){.status = PORTOLAN_NO_MEMORY});
    int status = show(&ltl, settings, &error);
    ltl_clear(&ltl);
    return status;
}
