/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer target: any text is read as an automaton or refused; what was read is written and reads back. */
#include "ltl/automaton.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct automaton *automaton, *again;
    struct portolan_error error = {0};
    char *text = NULL;
    size_t length;
    if (automaton_read_hoa("fuzz", (const char *)data, size, &automaton, &error) != PORTOLAN_OK) {
        require(error.status == PORTOLAN_BAD_INPUT && error.message[0] && error.line && error.column);
        return 0;
    }
    if (automaton->states < 1000) {
        FILE *out = open_memstream(&text, &length);
        require(out);
        automaton_write_hoa(automaton, NULL, out);
        fclose(out);
        require(automaton_read_hoa("again", text, length, &again, &error) == PORTOLAN_OK);
        require(again->states == automaton->states && again->strength == automaton->strength &&
                again->first[again->states] == automaton->first[automaton->states]);
        automaton_free(again);
        free(text);
    }
    automaton_free(automaton);
    return 0;
}
