/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a certificate: the explored graph in an order in which each state is
 * reached before it is described, and for each state that is not fully expanded
 * a stubborn set and its place in the order that proves the cycle condition.
 * Sets recur, so each is written once.
 */
#include "certify/certify.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "certify/claims.h"
#include "certify/justify.h"
#include "certify/rank.h"
#include "certify/write_vectors.h"
#include "system/compact.h"

#include <inttypes.h>
#include <string.h>

struct writer {
    struct portolan_system *system;
    const struct certificate_prelude *prelude; /* NULL: nothing was simplified */
    struct claims claims;
    struct explored graph;
    bool directed; /* sets may be goal-directed */
    struct view view;
    struct states states;
    struct justifier justifier;
    /* the sets written so far, by content: their number, whether the set is directed,
     * enabled members with the key first, then pairs */
    VECTOR(uint32_t) content;
    VECTOR(size_t) set;
    uint32_t *slot; /* open addressing; number + 1 */
    size_t slots;
    FILE *out;
    struct certificate_size *size;
    struct portolan_error *error;
};

/* ---------------------------------------------------------------- the graph */

/* By source, then action, each once: a state that was expanded further was told of again. */
static int by_source(const void *left, const void *right)
{
    const struct record_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->action < b->action ? -1 : a->action > b->action;
}

static void sort_edges(struct record *record)
{
    size_t kept = 0;
    struct record_edge *edge = record->edges.item;
    if (record->edges.count)
        qsort(edge, record->edges.count, sizeof *edge, by_source);
    for (size_t i = 0; i < record->edges.count; i++)
        if (i == 0 || by_source(&edge[i], &edge[i - 1]) != 0)
            edge[kept++] = edge[i];
    record->edges.count = kept;
}

/* Numbers the states in the order in which they are first named, and lays the edges out in that order. */
static bool lay_out(struct writer *w, const struct record *record)
{
    struct explored *g = &w->graph;
    const struct record_edge *edge = record->edges.item;
    size_t edges = record->edges.count, next = 0;
    uint32_t most = 0;
    for (size_t i = 0; i < edges; i++)
        most = edge[i].from > most ? edge[i].from : edge[i].to > most ? edge[i].to : most;
    size_t states = (size_t)most + 1;
    size_t *first = calloc(states + 2, sizeof *first); /* by the numbers of the search */
    uint32_t *number = malloc(states * sizeof *number), *order = calloc(states, sizeof *order);
    g->offset = calloc(states + 1, sizeof *g->offset);
    g->action = calloc(edges + 1, sizeof *g->action);
    g->target = calloc(edges + 1, sizeof *g->target);
    g->leads = calloc(edges + 1, sizeof *g->leads);
    g->fully = calloc(states, sizeof *g->fully);
    g->directed = calloc(states, sizeof *g->directed);
    g->rank = calloc(states, sizeof *g->rank);
    bool fine = first && number && order && g->offset && g->action && g->target && g->leads && g->fully &&
                g->directed && g->rank;
    if (fine) {
        for (size_t i = 0; i < edges; i++)
            first[edge[i].from + 1]++;
        for (size_t s = 0; s < states; s++)
            first[s + 1] += first[s];
        memset(number, 0xff, states * sizeof *number);
        number[0] = 0;
        g->states = 1;
        for (uint32_t s = 0; s < g->states; s++) {
            for (size_t i = first[order[s]]; i < first[order[s] + 1]; i++) {
                if (number[edge[i].to] == UINT32_MAX) {
                    order[g->states] = edge[i].to;
                    number[edge[i].to] = g->states++;
                }
                g->action[next] = edge[i].action;
                g->target[next++] = number[edge[i].to];
            }
            g->offset[s + 1] = next;
        }
    }
    free(first);
    free(number);
    free(order);
    return fine;
}

static uint32_t explored_count(const struct writer *w, uint32_t state)
{
    return (uint32_t)(w->graph.offset[state + 1] - w->graph.offset[state]);
}

/* ----------------------------------------------------------------- the sets */

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Appends the justifier's small set to the contents; false when memory ran out. */
static bool append_set(struct writer *w)
{
    struct justifier *j = &w->justifier;
    size_t start = w->content.count;
    if (!vector_reserve(&w->content, 2 * (size_t)j->size + 2))
        return false;
    uint32_t key = j->directed ? 0 : 1;
    qsort(j->list + key, j->size - key, sizeof *j->list, by_number); /* the same set in the same words */
    w->content.count += 2;
    for (uint32_t i = 0; i < j->size; i++)
        if (states_is_enabled(&w->states, j->list[i]))
            w->content.item[w->content.count++] = j->list[i];
    w->content.item[start] = (uint32_t)(w->content.count - start - 2);
    w->content.item[start + 1] = j->directed;
    for (uint32_t i = 0; i < j->size; i++)
        if (!states_is_enabled(&w->states, j->list[i])) {
            w->content.item[w->content.count++] = j->list[i];
            w->content.item[w->content.count++] = j->guard[j->list[i]];
        }
    return true;
}

static size_t end_of_set(const struct writer *w, size_t set)
{
    return set + 1 < w->set.count ? w->set.item[set + 1] : w->content.count;
}

static uint64_t hash_of(const uint32_t *content, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ content[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    return hash;
}

/* The slot of the set, or the free one where it belongs. */
static size_t find_slot(const struct writer *w, size_t set)
{
    const uint32_t *content = w->content.item + w->set.item[set];
    size_t length = end_of_set(w, set) - w->set.item[set];
    size_t at = hash_of(content, length) & (w->slots - 1);
    for (; w->slot[at]; at = (at + 1) & (w->slots - 1)) {
        size_t other = w->slot[at] - 1, start = w->set.item[other];
        if (end_of_set(w, other) - start == length &&
            memcmp(w->content.item + start, content, length * sizeof *content) == 0)
            break;
    }
    return at;
}

static bool grow_slots(struct writer *w)
{
    if (w->slots > 2 * w->set.count)
        return true;
    size_t slots = w->slots ? 2 * w->slots : 1024;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(w->slot);
    w->slot = slot;
    w->slots = slots;
    for (size_t i = 0; i + 1 < w->set.count; i++) /* the last one is being looked for */
        w->slot[find_slot(w, i)] = (uint32_t)i + 1;
    return true;
}

static char letter_of(const struct writer *w)
{
    return w->justifier.directed ? 'g' : 't';
}

static void write_set(const struct writer *w, uint32_t set)
{
    const uint32_t *content = w->content.item + w->set.item[set], *end = w->content.item + end_of_set(w, set);
    uint32_t enabled = *content++;
    content++;
    fprintf(w->out, "%c%" PRIu32, letter_of(w), set);
    for (; enabled > 0; enabled--)
        fprintf(w->out, " %" PRIu32, *content++);
    for (; content < end; content += 2)
        fprintf(w->out, " %" PRIu32 "/%" PRIu32, content[0], content[1]);
    fputc('\n', w->out);
}

/* The number of the justifier's small set, written when it is new; UINT32_MAX when memory ran out. */
static uint32_t name_set(struct writer *w)
{
    size_t start = w->content.count;
    if (!append_set(w) || !vector_push(&w->set, start) || !grow_slots(w))
        return UINT32_MAX;
    size_t at = find_slot(w, w->set.count - 1);
    if (w->slot[at]) {
        w->set.count--;
        w->content.count = start;
    } else {
        w->slot[at] = (uint32_t)w->set.count;
        write_set(w, w->slot[at] - 1);
        w->size->sets++;
    }
    return w->slot[at] - 1;
}

/* --------------------------------------------------------------- the states */

static enum portolan_status no_reason(struct writer *w, uint32_t state, const char *what)
{
    fail(w->error, PORTOLAN_REFUSED, "state %" PRIu32 " of the exploration cannot be certified: %s", state, what);
    hint(w->error, "this is an error of the reduction, or the relations of the model");
    return PORTOLAN_REFUSED;
}

/* Makes a state the present one; unless it is fully expanded, prepares to justify it. */
static bool look_at(struct writer *w, uint32_t state)
{
    states_load(&w->states, state);
    bool fully = w->states.enabled_count == explored_count(w, state);
    if (!fully && w->view.relations)
        justify(&w->justifier, w->graph.action + w->graph.offset[state], explored_count(w, state));
    return fully;
}

/* Has the state a goal-directed set?  Then the justifier has it. */
static bool aims(struct writer *w, uint32_t state)
{
    return w->directed && justify_by_goal(&w->justifier, &w->claims, w->graph.action + w->graph.offset[state],
                                          explored_count(w, state));
}

/* Finds the successors of a state, which ones are keys, whether it is fully expanded. */
static enum portolan_status follow(struct writer *w, uint32_t state)
{
    struct explored *g = &w->graph;
    g->fully[state] = look_at(w, state);
    g->directed[state] = !g->fully[state] && aims(w, state);
    if (w->directed && !g->fully[state] && !g->directed[state])
        look_at(w, state);
    for (size_t i = g->offset[state]; i < g->offset[state + 1]; i++) {
        g->leads[i] =
            !g->fully[state] && !g->directed[state] && w->view.relations && justify_is_key(&w->justifier, g->action[i]);
        if (g->target[i] < w->states.count)
            continue;
        enum portolan_status status = states_fire(&w->states, g->action[i], w->error);
        if (status != PORTOLAN_OK)
            return status;
        if (!states_add_next(&w->states))
            return fail_memory(w->error);
    }
    return PORTOLAN_OK;
}

/* The key to begin with: invisible if that can be, and the nearest to full expansion.  SIZE_MAX: there is none. */
static size_t pick_key(const struct writer *w, uint32_t state)
{
    const struct explored *g = &w->graph;
    size_t best = SIZE_MAX;
    bool best_visible = true;
    for (size_t i = g->offset[state]; i < g->offset[state + 1]; i++) {
        bool visible = w->claims.visible && w->claims.visible[g->action[i]];
        if (!g->leads[i] || (w->claims.needs == CYCLES_SAFETY && g->rank[g->target[i]] >= g->rank[state]) ||
            (w->claims.needs == CYCLES_LIVENESS && visible))
            continue;
        if (best == SIZE_MAX || (best_visible && !visible) ||
            (best_visible == visible && g->rank[g->target[i]] < g->rank[g->target[best]])) {
            best = i;
            best_visible = visible;
        }
    }
    return best;
}

static enum portolan_status write_state(struct writer *w, uint32_t state)
{
    const struct explored *g = &w->graph;
    uint32_t set = UINT32_MAX;
    if (g->rank[state] == RANK_NONE)
        return no_reason(w, state, "an action could be ignored forever");
    if (g->directed[state]) {
        aims(w, state);
    } else if (!g->fully[state]) {
        size_t key = pick_key(w, state);
        if (key == SIZE_MAX)
            return no_reason(w, state, "what was explored is not a stubborn set");
        justify_from(&w->justifier, g->action[key]);
    }
    if (!g->fully[state] && (set = name_set(w)) == UINT32_MAX)
        return fail_memory(w->error);
    w->size->fully += g->fully[state];
    fprintf(w->out, "s%" PRIu32, state);
    if (w->claims.needs != CYCLES_FREE)
        fprintf(w->out, " r%" PRIu32, g->rank[state]);
    if (g->fully[state])
        fprintf(w->out, " *");
    else
        fprintf(w->out, " %c%" PRIu32, letter_of(w), set);
    for (size_t i = g->offset[state]; i < g->offset[state + 1]; i++)
        fprintf(w->out, " %" PRIu32 ">%" PRIu32, g->action[i], g->target[i]);
    fputc('\n', w->out);
    return PORTOLAN_OK;
}

/* ---------------------------------------------------------------- the whole */

/* The rest of a line: what would end it is escaped. */
static void write_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '\\')
            fputs("\\\\", out);
        else
            fputc(*text, out);
    }
    fputc('\n', out);
}

/* The lines up to "net", and those that begin with "decided". */
static void count_steps(const char *text, struct certificate_size *size)
{
    bool simplifies = true;
    for (const char *line = strchr(text, '\n'); line && *++line; line = strchr(line, '\n')) {
        simplifies = simplifies && strncmp(line, "net ", 4) != 0;
        size->steps += simplifies;
        size->decided += strncmp(line, "decided ", 8) == 0;
    }
}

static void write_head(const struct writer *w)
{
    const struct portolan_system *system = w->system;
    const struct certificate_prelude *prelude = w->prelude;
    const char *model = prelude ? prelude->model : system->name;
    fprintf(w->out, "portolan certificate 1\nmodel ");
    write_text(w->out, model ? model : "");
    for (size_t i = 0; i < (prelude ? prelude->claim_count : w->claims.list.count); i++) {
        fprintf(w->out, "claim ");
        write_text(w->out, prelude ? prelude->claims[i] : w->claims.list.item[i].text);
    }
    if (prelude)
        fputs(prelude->text, w->out);
    if (w->claims.list.count == 0)
        return;
    fprintf(w->out, "cycles %s\nactions %" PRIu32 "\n", cycles_word[w->claims.needs], system->actions);
    for (uint32_t a = 0; a < system->actions; a++) {
        fprintf(w->out, "a%" PRIu32 " ", a);
        write_text(w->out, system->action_name ? system->action_name(system->model, a) : "");
    }
}

static enum portolan_status write_all(struct writer *w)
{
    enum portolan_status status = PORTOLAN_OK;
    bool ranked = w->claims.needs != CYCLES_FREE;
    write_head(w);
    for (uint32_t s = 0; status == PORTOLAN_OK && s < w->graph.states; s++) {
        status = follow(w, s);
        if (status == PORTOLAN_OK && !ranked)
            status = write_state(w, s);
    }
    if (status == PORTOLAN_OK && ranked && !rank_states(&w->graph, w->claims.needs))
        status = fail_memory(w->error);
    for (uint32_t s = 0; status == PORTOLAN_OK && ranked && s < w->graph.states; s++) {
        look_at(w, s);
        status = limits_reached() ? fail_memory(w->error) : write_state(w, s);
    }
    w->size->states = w->graph.states;
    w->size->edges = w->graph.offset[w->graph.states];
    fprintf(w->out, "end %" PRIu64 " %" PRIu64 "\n", w->size->states, w->size->edges);
    return status;
}

static void writer_clear(struct writer *w)
{
    claims_clear(&w->claims);
    view_clear(&w->view);
    states_clear(&w->states);
    justifier_clear(&w->justifier);
    free(w->graph.offset);
    free(w->graph.action);
    free(w->graph.target);
    free(w->graph.leads);
    free(w->graph.fully);
    free(w->graph.directed);
    free(w->graph.rank);
    free(w->content.item);
    free(w->set.item);
    free(w->slot);
}

static enum portolan_status write_for(struct portolan_system *opened, struct portolan_system *system,
                                      struct record *record, const struct certificate_prelude *prelude,
                                      const char *const *claims, size_t claim_count, FILE *out,
                                      struct certificate_size *size, struct portolan_error *error)
{
    struct writer w = {
        .system = system, .prelude = prelude, .directed = record->directed, .out = out, .size = size, .error = error};
    enum portolan_status status = record->failed ? fail_memory(error) : PORTOLAN_OK;
    memset(size, 0, sizeof *size);
    if (prelude)
        count_steps(prelude->text, size);
    for (size_t i = 0; status == PORTOLAN_OK && i < claim_count; i++)
        status = claims_add(&w.claims, system, claims[i], error);
    if (status == PORTOLAN_OK && claim_count == 0) {
        write_head(&w);
        fputs("end 0 0\n", out);
        record_clear(record);
        return status;
    }
    if (status == PORTOLAN_OK && record->vectors.count) {
        write_head(&w);
        status = write_vectors(opened, record, w.claims.visible, out, size, error);
        record_clear(record);
        claims_clear(&w.claims);
        return status;
    }
    if (status == PORTOLAN_OK) {
        sort_edges(record);
        if (!lay_out(&w, record))
            status = fail_memory(error);
    }
    record_clear(record);
    w.directed = w.directed && claims_are_of_states(&w.claims);
    if (status == PORTOLAN_OK && w.directed && !claims_seek(&w.claims, system))
        status = fail_memory(error);
    if (status == PORTOLAN_OK && (!view_make(&w.view, system) || !states_make(&w.states, system) ||
                                  !justifier_make(&w.justifier, &w.view, &w.states, w.claims.visible)))
        status = fail_memory(error);
    if (status == PORTOLAN_OK)
        status = write_all(&w);
    writer_clear(&w);
    return status;
}

enum portolan_status certificate_write(struct portolan_system *system, struct record *record,
                                       const struct certificate_prelude *prelude, const char *const *claims,
                                       size_t claim_count, FILE *out, struct certificate_size *size,
                                       struct portolan_error *error)
{
    struct portolan_system *own = compact_begin(system);
    if (!own) {
        record_clear(record);
        return fail_memory(error);
    }
    enum portolan_status status = write_for(system, own, record, prelude, claims, claim_count, out, size, error);
    compact_end(own, system);
    return status;
}
