/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "cli/left_out.h"
#include "property/property.h"
#include "report/step.h"
#include "search/chooser.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 1000 };

struct met {
    uint32_t state;
    bool fully;
};

struct taken {
    uint32_t state, action;
};

struct explaining {
    struct job *job;
    struct chooser *chooser;
    struct portolan_callbacks others; /* that want to hear of the search, too */
    VECTOR(struct met) states;        /* as they were expanded */
    VECTOR(unsigned char) bytes;      /* of these states */
    VECTOR(struct taken) edges;
    size_t more; /* states */
    bool failed;
    uint32_t *enabled, *chosen;
    size_t capacity;
    uint32_t enabled_count, count;
};

static void on_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct explaining *e = user;
    const unsigned char *from = bytes;
    if (e->others.expanded)
        e->others.expanded(e->others.user, state, bytes, enabled, fully);
    for (size_t i = 0; i < e->states.count; i++)
        if (e->states.item[i].state == state) { /* it was expanded further */
            e->states.item[i].fully |= fully;
            return;
        }
    if (e->states.count == MOST_STATES) {
        e->more++;
        return;
    }
    for (size_t i = 0; i < e->job->system->state_bytes; i++)
        e->failed |= !vector_push(&e->bytes, from[i]);
    e->failed |= !vector_push(&e->states, ((struct met){state, fully}));
}

static void on_edge(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    struct explaining *e = user;
    if (e->others.edge)
        e->others.edge(e->others.user, from, action, to);
    if (!e->more)
        e->failed |= !vector_push(&e->edges, ((struct taken){from, action}));
}

static void on_deadlock(void *user, uint32_t state, const void *bytes)
{
    struct explaining *e = user;
    if (e->others.deadlock)
        e->others.deadlock(e->others.user, state, bytes);
}

static bool has_several_searches(const struct job *job)
{
    bool is_temporal = false;
    for (size_t i = 0; i < job->property_count; i++)
        is_temporal |= property_is_temporal(job->properties[i]);
    return is_temporal && job->property_count > 1;
}

struct explaining *explaining_begin(struct job *job, struct portolan_error *error)
{
    struct explaining *e = NULL;
    if (has_several_searches(job)) {
        fail(error, PORTOLAN_BAD_OPTION, "--explain follows one search, and each LTL property has one of its own");
        hint(error, "ask for one property: -P '%s'", portolan_property_text(job->properties[0]));
        return NULL;
    }
    e = calloc(1, sizeof *e);
    if (!e) {
        fail_memory(error);
        return NULL;
    }
    e->job = job;
    if (chooser_new(job->system, &job->options, &e->chooser, error) != PORTOLAN_OK) {
        free(e);
        return NULL;
    }
    struct portolan_callbacks *callbacks = &job->options.callbacks;
    e->others = *callbacks;
    callbacks->user = e;
    callbacks->expanded = on_expanded;
    callbacks->edge = on_edge;
    callbacks->deadlock = on_deadlock;
    return e;
}

/* ------------------------------------------------------------------ printing */

static const char *name_of(const struct explaining *e, uint32_t action, char buffer[16])
{
    return step_name(e->job->system, action, buffer);
}

static bool was_taken(const struct explaining *e, uint32_t state, uint32_t action)
{
    for (size_t i = 0; i < e->edges.count; i++)
        if (e->edges.item[i].state == state && e->edges.item[i].action == action)
            return true;
    return false;
}

/* The enabled actions of a state, and which of them the search has taken. */
static bool find_taken(struct explaining *e, const struct met *met, const void *bytes)
{
    e->count = 0;
    if (!enabled_list(e->job->system, bytes, &e->enabled, &e->capacity, &e->enabled_count))
        return false;
    uint32_t *chosen = realloc(e->chosen, (e->enabled_count + 1) * sizeof *chosen);
    if (!chosen)
        return false;
    e->chosen = chosen;
    for (uint32_t i = 0; i < e->enabled_count; i++)
        if (met->fully || was_taken(e, met->state, e->enabled[i]))
            e->chosen[e->count++] = i;
    return true;
}

static void print_reasons(const struct explaining *e, const struct set_explanation *why, FILE *out)
{
    for (size_t i = 0; i < why->members.count; i++) {
        char text[LONGEST_TEXT];
        set_member_text(e->job->system, why, i, text, sizeof text);
        fprintf(out, "  %s  %s\n", why->members.item[i].is_enabled ? "explored" : "disabled", text);
    }
}

static void print_left_out(const struct explaining *e, const void *bytes, FILE *out)
{
    struct explored_set set = {e->job->system, bytes, e->enabled, e->chosen, e->count};
    for (uint32_t i = 0, next = 0; i < e->enabled_count; i++) {
        char text[LONGEST_TEXT], buffer[16];
        if (next < e->count && e->chosen[next] == i) {
            next++;
            continue;
        }
        left_out_text(&set, e->enabled[i], text, sizeof text);
        fprintf(out, "  left out  %s: %s\n", name_of(e, e->enabled[i], buffer), text);
    }
}

/* Why all of several: the set is no smaller, or something has asked for more. */
static enum portolan_status print_full(struct explaining *e, const void *bytes, FILE *out, struct portolan_error *error)
{
    uint32_t count;
    bool has_proviso = strcmp(chooser_proviso(e->chooser), "none") != 0;
    enum portolan_status status =
        chooser_choose(e->chooser, bytes, e->enabled, e->enabled_count, e->chosen, &count, error);
    if (status != PORTOLAN_OK)
        return status;
    if (count == e->enabled_count)
        fprintf(out, "  the smallest set that was found has all of them\n");
    else if (has_proviso)
        fprintf(out, "  a set of %" PRIu32 " would do, but proviso %s asks for all\n", count,
                chooser_proviso(e->chooser));
    else
        fprintf(out, "  a set of %" PRIu32 " would do; sets are not computed while they do not pay\n", count);
    return PORTOLAN_OK;
}

static enum portolan_status print_state(struct explaining *e, size_t number, FILE *out, struct portolan_error *error)
{
    const struct met *met = &e->states.item[number];
    const void *bytes = e->bytes.item + number * e->job->system->state_bytes;
    struct set_explanation why = {0};
    if (!find_taken(e, met, bytes))
        return fail_memory(error);
    fprintf(out, "state %-4" PRIu32 " %" PRIu32 " of %" PRIu32 " enabled action%s explored\n", met->state, e->count,
            e->enabled_count, e->enabled_count == 1 ? "" : "s");
    if (e->count == e->enabled_count)
        return e->count > 1 ? print_full(e, bytes, out, error) : PORTOLAN_OK;
    enum portolan_status status =
        chooser_justify(e->chooser, bytes, e->enabled, e->enabled_count, e->chosen, e->count, &why, error);
    if (status == PORTOLAN_OK) {
        print_reasons(e, &why, out);
        print_left_out(e, bytes, out);
    }
    explanation_clear(&why);
    return status;
}

static enum portolan_status print_states(struct explaining *e, FILE *out, struct portolan_error *error)
{
    if (e->failed || !enabled_make(e->job->system, &e->enabled, &e->capacity))
        return fail_memory(error);
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < e->states.count && status == PORTOLAN_OK; i++)
        status = print_state(e, i, out, error);
    if (e->more)
        fprintf(out, "and %zu more states\n", e->more);
    return status;
}

enum portolan_status explaining_end(struct explaining *e, FILE *out, struct portolan_error *error)
{
    if (!e)
        return PORTOLAN_OK;
    enum portolan_status status = out ? print_states(e, out, error) : PORTOLAN_OK;
    e->job->options.callbacks = e->others;
    chooser_free(e->chooser);
    free(e->states.item);
    free(e->bytes.item);
    free(e->edges.item);
    free(e->enabled);
    free(e->chosen);
    free(e);
    return status;
}
