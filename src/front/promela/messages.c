/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What steps tell: statements, messages, and what printf prints.  A buffered channel is somebody to whom messages are
 * sent and from whom they are received.  Of an atomic sequence the first step is told.
 */
#include "front/promela/variables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct words {
    char *text;
    size_t used, size;
};

static __attribute__((format(printf, 2, 3))) void add(struct words *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int written = vsnprintf(w->text + w->used, w->size - w->used, format, list);
    va_end(list);
    if (written > 0)
        w->used = w->used + (size_t)written < w->size ? w->used + (size_t)written : w->size - 1;
}

static void add_value(struct words *w, const struct syntax *s, bool is_mtype, int64_t value)
{
    for (size_t i = 0; i < s->mtypes.count && is_mtype; i++)
        if (s->mtypes.item[i].value == value) {
            add(w, "%s", s->mtypes.item[i].name);
            return;
        }
    add(w, "%" PRId64, value);
}

/* What printf prints, on one line. */
static void add_printed(struct words *w, const struct view *v, struct actor actor, const struct statement *s)
{
    const struct node *argument = s->b;
    for (const char *c = s->name; *c; c++) {
        int64_t value = 0;
        if (*c != '%' || c[1] == '\0') {
            add(w, "%c", *c == '\n' || *c == '\t' ? ' ' : *c);
            continue;
        }
        c++;
        if (*c == '%') {
            add(w, "%%");
            continue;
        }
        bool known = argument && promela_evaluate_as(v, actor, argument, &value);
        argument = argument ? argument->next : NULL;
        if (!known)
            add(w, "?");
        else if (*c == 'x')
            add(w, "%x", (unsigned)value);
        else if (*c == 'c')
            add(w, "%c", value >= ' ' && value < 127 ? (int)value : '?');
        else
            add_value(w, &v->language->syntax, *c == 'e', value);
    }
}

static void add_sent(struct words *w, const struct view *v, const struct noted_action *a)
{
    const struct node *value = a->statement->b;
    for (uint32_t k = 0; k < a->channel->shape->fields; k++) {
        int64_t number = 0;
        if (value)
            promela_evaluate_as(v, a->actor, value, &number);
        value = value ? value->next : NULL;
        add(w, "%s", k ? "," : "");
        add_value(w, &v->language->syntax, a->channel->shape->types[k].kind == TYPE_MTYPE, number);
    }
}

static void add_head(struct words *w, const struct view *v, const struct channel *c)
{
    for (uint32_t k = 0; k < c->shape->fields; k++) {
        int64_t number = model_cell_value(v->model, v->state, c->first_cells[k]);
        add(w, "%s", k ? "," : "");
        add_value(w, &v->language->syntax, c->shape->types[k].kind == TYPE_MTYPE, number > 0 ? number - 1 : number);
    }
}

static const char *process_name(const void *model, uint32_t process)
{
    const struct promela_language *d = model_of(model)->extras.language;
    const struct model *m = model_of(model);
    if (process < d->lowering.slots)
        return m->processes.item[d->lowering.slot[process].process].name;
    return d->lowering.channels.item[process - d->lowering.slots].name;
}

static bool prints(const void *model, const void *state, uint32_t action, char *text, size_t size)
{
    struct view v = {model_of(model)->extras.language, model, state};
    const struct noted_action *a = &v.language->actions.item[action];
    struct words words = {text, 0, size};
    if (!a->statement || a->statement->kind != STATEMENT_PRINT)
        return false;
    *text = '\0';
    add_printed(&words, &v, a->actor, a->statement);
    while (words.used && text[words.used - 1] == ' ')
        text[--words.used] = '\0';
    return true;
}

static void tell(const void *model, const void *state, uint32_t action,
                 const struct portolan_message_receiver *receiver)
{
    struct view v = {model_of(model)->extras.language, model, state};
    const struct noted_action *a = &v.language->actions.item[action];
    char text[300] = "", printed[200];
    struct words words = {text, 0, sizeof text};
    if (is_claims(&v.language->lowering, a->actor))
        return;
    const char *name = model_of(model)->actions.item[action].name, *space = strchr(name, ' ');
    add(&words, "%s", space ? space + 1 : name);
    if (prints(model, state, action, printed, sizeof printed))
        add(&words, ": %s", printed);
    receiver->acts(receiver->user, a->actor.slot, text, false);
    if (!a->channel)
        return;
    words.used = 0;
    uint32_t channel = v.language->lowering.slots + (uint32_t)(a->channel - v.language->lowering.channels.item);
    if (a->statement->kind == STATEMENT_SEND)
        add_sent(&words, &v, a);
    else
        add_head(&words, &v, a->channel);
    if (a->partner.type) {
        receiver->message(receiver->user, PORTOLAN_SENT, a->actor.slot, a->partner.slot, text);
        receiver->message(receiver->user, PORTOLAN_RECEIVED, a->actor.slot, a->partner.slot, text);
    } else if (a->statement->kind == STATEMENT_SEND) {
        receiver->message(receiver->user, PORTOLAN_SENT, a->actor.slot, channel, text);
    } else {
        receiver->message(receiver->user, PORTOLAN_RECEIVED, channel, a->actor.slot, text);
    }
}

/* Messages only where there are channels: else a trace is shown as that of threads. */
void promela_messages(struct lowering *l)
{
    struct promela_language *d = l->language;
    l->m->extras.prints = prints;
    if (l->channels.count == 0)
        return;
    d->messages = (struct portolan_messages){.size = sizeof d->messages,
                                             .processes = l->slots + (uint32_t)l->channels.count,
                                             .process_name = process_name,
                                             .tell = tell};
    l->m->extras.messages = &d->messages;
}
