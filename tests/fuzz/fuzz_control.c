/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all: the reader of control programs leaves a program without loose ends, or an error that says where. */
#include "graph/control.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void check(const struct control_program *program)
{
    require(program->start < program->locations.count);
    for (size_t i = 0; i < program->locations.count; i++) {
        const struct control_location *at = &program->locations.item[i];
        require(at->call_count == 0 || (!at->is_final && at->first_call + at->call_count <= program->calls.count));
        require(at->on_success < program->locations.count && at->on_failure < program->locations.count);
    }
    for (size_t i = 0; i < program->calls.count; i++)
        require(program->calls.item[i].to < program->locations.count);
}

/* a(int), b(out int), c */
static struct grammar *rules(void)
{
    static const struct rule_node node = {.sort = SORT_INT, .value = NO_NUMBER};
    struct grammar *grammar = grammar_new("fuzz", "gps");
    for (unsigned i = 0; grammar && i < 3; i++) {
        static const char *const names[] = {"a", "b", "c"};
        struct rule *rule = grammar_rule(grammar, names[i]);
        struct rule_parameter parameter = {.direction = i ? PARAMETER_OUT : PARAMETER_IN};
        if (!rule || !vector_push(&rule->nodes, node) || (i < 2 && !vector_push(&rule->parameters, parameter)))
            abort();
    }
    return grammar;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct portolan_error error = {0};
    struct control_text text = {"fuzz.gcp", (const char *)data, size};
    struct grammar *grammar = rules();
    if (grammar && control_read(grammar, &text, 1, &error) != PORTOLAN_OK)
        require(!grammar->control && error.status == PORTOLAN_BAD_INPUT && error.message[0] && error.line);
    else if (grammar && grammar->control)
        check(grammar->control);
    grammar_free(grammar);
    return 0;
}
