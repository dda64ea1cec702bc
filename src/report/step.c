/* SPDX-License-Identifier: Apache-2.0 */
#include "report/step.h"

#include "base/lists.h"
#include "report/msc.h"
#include "report/words.h"
#include "system/deadlock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *step_name(const struct portolan_system *system, uint32_t action, char buffer[16])
{
    if (system->action_name)
        return system->action_name(system->model, action);
    snprintf(buffer, 16, "%" PRIu32, action);
    return buffer;
}

bool values_make(struct values *values, const struct portolan_system *system)
{
    values->variables = system->value ? system->variables : 0;
    values->before = calloc((size_t)system->variables + 1, sizeof *values->before);
    values->after = calloc((size_t)system->variables + 1, sizeof *values->after);
    values->first = calloc((size_t)system->variables + 1, sizeof *values->first);
    values->all = calloc((size_t)system->variables + 1, sizeof *values->all);
    if (!values->before || !values->after || !values->first || !values->all)
        return false;
    for (uint32_t v = 0; v < system->variables; v++)
        values->all[v] = v;
    return !values->variables || !system->changers.offset ||
           lists_transpose(&system->changers, system->variables, system->actions, &values->changed_by);
}

void values_clear(struct values *values)
{
    free(values->before);
    free(values->after);
    free(values->first);
    free(values->all);
    lists_clear(&values->changed_by);
}

void values_take_all(struct values *values, const struct stepper *stepper)
{
    const struct portolan_system *system = stepper->system;
    for (uint32_t v = 0; v < values->variables; v++)
        values->first[v] = values->after[v] = system->value(system->model, stepper->state, v);
}

const uint32_t *changed_variables(const struct values *values, uint32_t action, uint32_t *count)
{
    bool known = values->changed_by.offset;
    *count = known ? list_length(&values->changed_by, action) : values->variables;
    return known ? values->changed_by.item + values->changed_by.offset[action] : values->all;
}

void values_take(struct values *values, const struct stepper *stepper, uint32_t action)
{
    const struct portolan_system *system = stepper->system;
    uint32_t count;
    const uint32_t *changed = changed_variables(values, action, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = changed[i];
        values->before[v] = values->after[v];
        values->after[v] = system->value(system->model, stepper->state, v);
    }
}

void step_print(const struct stepper *stepper, const struct values *values, uint32_t action, int step_width,
                int name_width, FILE *out)
{
    const struct portolan_system *system = stepper->system;
    char buffer[16];
    bool new_line = system->messages; /* before the first change */
    if (system->messages) {
        fprintf(out, "  %*zu  ", step_width, stepper->steps);
        messages_print(system, stepper->before, action, step_width + 6, out);
    } else {
        fprintf(out, "  %*zu  %-*s", step_width, stepper->steps, name_width, step_name(system, action, buffer));
    }
    char text[LONGEST_TEXT];
    if (system->action_text && system->action_text(system->model, action, text, sizeof text))
        fprintf(out, "  \"%s\"", text);
    if (!system->messages && system->prints &&
        system->prints(system->model, stepper->before, action, text, sizeof text))
        fprintf(out, "  prints: %s", text);
    uint32_t count;
    const uint32_t *changed = changed_variables(values, action, &count);
    for (uint32_t i = 0; i < count && system->variable_name; i++) {
        uint32_t v = changed[i];
        if (values->before[v] == values->after[v])
            continue;
        if (new_line)
            fprintf(out, "\n%*s", step_width + 4, "");
        new_line = false;
        struct value_text before, after;
        fprintf(out, "  %s %s->%s", system->variable_name(system->model, v),
                value_word(system, v, values->before[v], &before), value_word(system, v, values->after[v], &after));
    }
    fputc('\n', out);
}

/* What the last state has that is worth telling, up to a number of variables or parts. */
struct last_state {
    uint32_t shown, left;
    FILE *out;
};

static void print_part(struct last_state *last, const char *name, const char *text)
{
    enum { MOST_SHOWN = 60 };
    if (last->shown++ < MOST_SHOWN)
        fprintf(last->out, " %s=%s", name, text);
    else
        last->left++;
}

/* Texts that were cut may differ behind the cut. */
static bool may_differ(const struct value_text *a, const struct value_text *b)
{
    return strcmp(a->text, b->text) != 0 || strlen(a->text) + 1 == sizeof a->text;
}

static void print_parts(const struct portolan_system *system, const struct values *values, struct last_state *last)
{
    struct value_text at_first, value;
    const char *name;
    for (uint32_t i = 0; system->state_part(system->model, values->after, i, &name, value.text, sizeof value.text); i++)
        if (!system->state_part(system->model, values->first, i, &name, at_first.text, sizeof at_first.text) ||
            may_differ(&at_first, &value))
            print_part(last, name, value.text);
}

static void print_variables(const struct portolan_system *system, const struct values *values, struct last_state *last)
{
    struct value_text value;
    for (uint32_t v = 0; v < system->variables; v++)
        if (values->after[v] != (system->value_text ? values->first[v] : 0))
            print_part(last, system->variable_name(system->model, v), value_word(system, v, values->after[v], &value));
}

void state_print(const struct stepper *stepper, const struct values *values, FILE *out)
{
    const struct portolan_system *system = stepper->system;
    struct last_state last = {.out = out};
    char why[300];
    if (system->variables && system->variable_name) {
        fprintf(out, "  then");
        if (system->state_part)
            print_parts(system, values, &last);
        else
            print_variables(system, values, &last);
        if (last.left)
            fprintf(out, " and %" PRIu32 " more", last.left);
        if (system->value_text || system->state_part)
            fprintf(out, last.shown ? ", everything else unchanged\n" : " nothing has changed\n");
        else
            fprintf(out, last.shown ? ", all else 0\n" : " every variable is 0\n");
    }
    if (system->messages)
        messages_on_way_print(system, stepper->state, 2, out);
    if (system->failure && system->failure(system->model, stepper->state, why, sizeof why))
        fprintf(out, "  %s\n", why);
    if (is_deadlock(system, stepper->state, stepper->enabled_count))
        fprintf(out, "  and nothing is enabled: a deadlock\n");
}
