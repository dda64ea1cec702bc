/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer target: any text is parsed or refused; what was parsed is written so that it reads back the same; and
 * small formulas get an automaton that agrees with the evaluator on a few words.
 */
#include "ltl/automaton.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void check_text(struct ltl *ltl, uint32_t formula)
{
    char *text[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        size_t length;
        FILE *out = open_memstream(&text[i], &length);
        require(out);
        ltl_write(ltl, formula, out);
        fclose(out);
        if (i == 0 && ltl_parse(ltl, NULL, "again", text[0], &formula, NULL) != PORTOLAN_OK) {
            require(strstr(text[0], "(((((")); /* parentheses that were not written count as nesting too */
            free(text[0]);
            return;
        }
    }
    require(strcmp(text[0], text[1]) == 0);
    free(text[0]);
    free(text[1]);
}

static void check_automaton(struct ltl *ltl, uint32_t formula)
{
    static const uint64_t words[][3] = {{0, 1, 2}, {3, 3, 0}, {1, 0, ~UINT64_C(0)}};
    struct automaton *automaton;
    if (automaton_of_formula(ltl, formula, &(struct automaton_options){0}, &automaton, NULL) != PORTOLAN_OK)
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t loop = 0; loop < 3; loop++) {
            bool holds, accepted;
            require(ltl_holds_on_lasso(ltl, formula, words[i], 3, loop, &holds));
            require(automaton_accepts_lasso(automaton, words[i], 3, loop, &accepted));
            require(holds == accepted);
        }
    automaton_free(automaton);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ltl ltl;
    uint32_t formula;
    struct portolan_error error = {0};
    char *text = malloc(size + 1);
    require(text && ltl_init(&ltl));
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    if (ltl_parse(&ltl, NULL, "fuzz", text, &formula, &error) == PORTOLAN_OK) {
        if (ltl.nodes.count < 14)
            check_automaton(&ltl, formula);
        check_text(&ltl, formula);
    } else {
        require(error.status == PORTOLAN_BAD_INPUT && error.message[0] && error.line && error.column);
    }
    ltl_clear(&ltl);
    free(text);
    return 0;
}
