/* SPDX-License-Identifier: Apache-2.0 */
/* The rules view of languages that have lines: a rule is a line, reached when an action of it was fired. */
#include "model/derived.h"

#include <stdio.h>
#include <string.h>

static uint32_t rule_of(const void *model, uint32_t action)
{
    return model_of(model)->actions.item[action].line;
}

/* The text is that of the first action there, without the number of its process: "worker:6 read sum". */
static bool rule_text(const void *model, uint32_t line, char *text, size_t size)
{
    const struct model *m = model_of(model);
    size_t i = 0;
    while (i < m->actions.count && m->actions.item[i].line != line)
        i++;
    if (i == m->actions.count)
        return false;
    const char *name = m->actions.item[i].name, *colon = strchr(name, ':');
    snprintf(text, size, "%.*s%s", (int)strcspn(name, "[:"), name, colon ? colon : "");
    return true;
}

void derive_rules(struct derived *d)
{
    uint32_t last = 0;
    for (size_t i = 0; i < d->model->actions.count; i++)
        last = d->model->actions.item[i].line > last ? d->model->actions.item[i].line : last;
    d->rules = (struct portolan_rules){
        .noun = "line", .done = "reached", .count = last + 1, .rule_of = rule_of, .text = rule_text};
}
