/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table that explains a search by probe sets, after figure 4 of Kastenberg
 * & Rensink and table 2.2 of Burgman's thesis: for each vector that is
 * explored and each action of its probe set what is discharged, the vector that
 * it leads to, the actions missed there with their prefix, and the states that are new.
 */
#include "search/probe/probe.h"

#include <inttypes.h>
#include <stdio.h>

/* The columns. */
enum { ITERATION = 0, CONTINUATION = 4, PROBED = 34, NEXT = 60, MISSED = 86, STATES = 116 };

static bool listening(const struct prober *p)
{
    return p->explorer->search->options->callbacks.explain != NULL;
}

static void add_text(struct prober *p, const char *text)
{
    for (; *text; text++)
        if (!vector_push(&p->line, *text))
            return; /* a line that is cut */
}

/* Fills with spaces up to a column, at least one. */
static void go_to(struct prober *p, size_t column)
{
    size_t width = 0;
    for (size_t i = 0; i < p->line.count; i++)
        width += ((unsigned char)p->line.item[i] & 0xc0) != 0x80;
    if (width && width >= column)
        add_text(p, " ");
    for (; width < column; width++)
        add_text(p, " ");
}

static void add_state(struct prober *p, uint32_t state)
{
    char text[16];
    snprintf(text, sizeof text, "s%" PRIu32, state);
    add_text(p, text);
}

static void add_action(struct prober *p, uint32_t action)
{
    const struct portolan_system *system = p->explorer->search->system;
    char text[256];
    uint32_t number = p->entities->action(p->view, action);
    bool is_named = !p->entities->action_text && system->action_name;
    if (p->entities->action_text)
        p->entities->action_text(p->view, action, text, sizeof text);
    else
        snprintf(text, sizeof text, "%" PRIu32, number);
    add_text(p, is_named ? system->action_name(system->model, number) : text);
}

/* The first events of the trace that are in the set; NULL: all of them. */
static void add_events(struct prober *p, uint32_t events, const uint64_t *set)
{
    bool any = false;
    for (uint32_t i = 0; i < events; i++) {
        if (set && !bit_get(set, i))
            continue;
        add_text(p, any ? "·" : "");
        add_action(p, p->trace.action[i]);
        any = true;
    }
    add_text(p, any ? "" : "ε");
}

static void end_line(struct prober *p)
{
    const struct portolan_callbacks *callbacks = &p->explorer->search->options->callbacks;
    if (p->line.count && vector_push(&p->line, '\0'))
        callbacks->explain(callbacks->explain_user, p->line.item);
    p->line.count = 0;
}

void explain_start(struct prober *p)
{
    static const struct {
        size_t column;
        const char *text;
    } heads[] = {{ITERATION, ""},    {CONTINUATION, "vector"}, {PROBED, "probe set"},
                 {NEXT, "leads to"}, {MISSED, "missed"},       {STATES, "new states"}};
    if (!listening(p))
        return;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        go_to(p, heads[i].column);
        add_text(p, heads[i].text);
    }
    end_line(p);
}

/* The vector, whose trace is the first events of the loaded one. */
static void add_vector(struct prober *p, uint32_t events)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, p->iteration);
    add_text(p, text);
    go_to(p, CONTINUATION);
    add_text(p, "(");
    add_state(p, p->trace.start);
    add_text(p, ", ");
    add_events(p, events, NULL);
    add_text(p, ")");
}

void explain_vector(struct prober *p)
{
    p->iteration++;
    if (!listening(p) || p->chosen.count)
        return;
    add_vector(p, p->trace.events);
    go_to(p, PROBED);
    add_text(p, p->enabled_idle ? "nothing changes" : "deadlock");
    end_line(p);
}

void explain_opened(struct prober *p)
{
    p->iteration++;
    if (!listening(p))
        return;
    add_vector(p, p->trace.events);
    go_to(p, PROBED);
    add_text(p, "all of ");
    add_state(p, p->trace.start);
}

/* States get their numbers in the order in which they are found, but vectors name them as they are stored. */
void explain_state(struct prober *p, uint32_t state)
{
    if (listening(p) && !vector_push(&p->new_states, state))
        return; /* a line that is cut */
}

void explain_step(struct prober *p, const struct probed *probed, uint32_t vector, bool is_new)
{
    size_t length;
    if (!listening(p))
        return;
    if (probed == p->chosen.item)
        add_vector(p, p->trace.events - 1);
    go_to(p, PROBED);
    add_action(p, probed->action);
    add_text(p, " ↦ ");
    add_events(p, p->trace.events, probed->discharged);
    go_to(p, NEXT);
    const uint32_t *item = sequence_get(&p->vectors, vector, &length);
    add_text(p, is_new ? "(" : "known: (");
    add_state(p, item[0]);
    add_text(p, ", ");
    for (size_t i = 1; i < length; i++) {
        add_text(p, i > 1 ? "·" : "");
        add_action(p, item[i]);
    }
    add_text(p, ")");
}

void explain_missing(struct prober *p, const uint64_t *prefix, uint32_t action, uint32_t start, bool is_new)
{
    if (!listening(p))
        return;
    go_to(p, MISSED);
    add_events(p, p->trace.events, prefix);
    add_text(p, "·");
    add_action(p, action);
    add_text(p, is_new ? " to (" : " to known (");
    add_state(p, start);
    add_text(p, ", ε)");
}

void explain_flush(struct prober *p)
{
    if (!listening(p))
        return;
    for (size_t i = 0; i < p->new_states.count; i++) {
        go_to(p, STATES);
        add_state(p, p->new_states.item[i]);
    }
    p->new_states.count = 0;
    end_line(p);
}
