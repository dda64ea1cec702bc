/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/lists.h"
#include "highlevel/ground.h"
#include "highlevel/tokens.h"

#include <string.h>

/* Where a net is to be grounded only if that is cheap: above these it is run as it is. */
enum { MOST_BINDINGS = 100000, MOST_TOKENS = 10000, MOST_CELLS = 32000000, MOST_STEPS = 20000000 };

struct saturation {
    struct grounding_result *g;
    bool limited, passed;
    VECTOR(uint32_t) appeared;   /* the tokens, in the order in which they did */
    VECTOR(bool) has_appeared;   /* per token */
    VECTOR(bool) is_taken;       /* per token: the bindings with it and those before it are found */
    struct token_list *of_place; /* the tokens that are taken */
    struct portolan_lists users; /* per place: the transitions that take from it */
};

static bool mark(struct saturation *s, uint32_t token)
{
    bool no = false;
    while (s->has_appeared.count <= token)
        if (!vector_push(&s->has_appeared, no) || !vector_push(&s->is_taken, no))
            return false;
    if (s->has_appeared.item[token])
        return true;
    s->has_appeared.item[token] = true;
    return vector_push(&s->appeared, token);
}

static const uint32_t *taken_tokens(const void *user, uint32_t place, uint32_t *count)
{
    const struct saturation *s = user;
    *count = (uint32_t)s->of_place[place].count;
    return s->of_place[place].item;
}

static uint32_t most_of(const void *user, uint32_t token)
{
    const struct saturation *s = user;
    return token < s->is_taken.count && s->is_taken.item[token] ? UINT32_MAX : 0;
}

static bool add_arcs(struct grounding_result *g, const struct token_count *arcs, uint32_t count)
{
    if (!vector_reserve(&g->arcs, count + 1)) /* an array even for none */
        return false;
    if (count)
        memcpy(g->arcs.item + g->arcs.count, arcs, count * sizeof *arcs);
    g->arcs.count += count;
    return true;
}

static bool add_frame(struct grounding_result *g, const int64_t *frame, uint32_t cells)
{
    if (!vector_reserve(&g->frames, cells + 1))
        return false;
    if (cells)
        memcpy(g->frames.item + g->frames.count, frame, cells * sizeof *frame);
    g->frames.count += cells;
    return true;
}

static bool is_too_much(const struct saturation *s)
{
    const struct grounding_result *g = s->g;
    return s->limited && (g->bindings.count > MOST_BINDINGS || s->appeared.count > MOST_TOKENS ||
                          g->frames.count + g->arcs.count > MOST_CELLS);
}

static bool keep_binding(void *user, const struct binding *binding)
{
    struct saturation *s = user;
    struct grounding_result *g = s->g;
    uint32_t cells = g->net->transitions.item[binding->transition].frame;
    struct ground_binding kept = {.transition = binding->transition,
                                  .in_count = binding->in_count,
                                  .out_count = binding->out_count,
                                  .inhibit_count = binding->inhibit_count,
                                  .frame = g->frames.count,
                                  .arcs = g->arcs.count,
                                  .priority = binding->priority,
                                  .failure = binding->failure,
                                  .failed_at = binding->failed_at};
    bool fine = add_frame(g, binding->frame, cells) && add_arcs(g, binding->in, binding->in_count) &&
                add_arcs(g, binding->out, binding->out_count) &&
                add_arcs(g, binding->inhibit, binding->inhibit_count) && vector_push(&g->bindings, kept);
    for (uint32_t i = 0; fine && i < binding->out_count; i++)
        fine = mark(s, binding->out[i].token);
    s->passed = fine && is_too_much(s);
    return fine && !s->passed;
}

/* A binding is found when the last of its tokens is taken, so once. */
static bool take_token(struct saturation *s, uint32_t token)
{
    struct grounding_result *g = s->g;
    uint32_t place = token_place(g->tokens, token);
    const struct token_source source = {s, taken_tokens, most_of};
    if (!vector_push(&s->of_place[place], token))
        return false;
    s->is_taken.item[token] = true;
    for_list (transition, s->users, place)
        if (!find_bindings(g->binder, *transition, &source, token, keep_binding, s))
            return false;
    return true;
}

/* What takes nothing is found among no tokens. */
static bool find_sources(struct saturation *s)
{
    const struct token_source source = {s, taken_tokens, most_of};
    for (uint32_t t = 0; t < s->g->net->transitions.count; t++)
        if (!find_bindings(s->g->binder, t, &source, UINT32_MAX, keep_binding, s))
            return false;
    return true;
}

static bool list_users(struct saturation *s)
{
    const struct colour_net *net = s->g->net;
    struct lists_builder users = {0};
    for (uint32_t t = 0; t < net->transitions.count; t++)
        for (const struct colour_arc *arc = net->transitions.item[t].in; arc; arc = arc->next)
            lists_add(&users, arc->place, t);
    return lists_finish(&users, (uint32_t)net->places.count, &s->users);
}

static bool take_initial(struct saturation *s, struct portolan_error *error)
{
    const struct token_count *initial;
    uint32_t count;
    if (!initial_tokens(s->g->binder, &initial, &count, error))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!vector_push(&s->g->initial, initial[i]) || !mark(s, initial[i].token)) {
            fail_memory(error);
            return false;
        }
    return true;
}

/* Per token: how many there are initially, and (for now) 0 as its place where it can appear. */
static bool keep_tokens(struct saturation *s)
{
    struct grounding_result *g = s->g;
    g->numbered = tokens_count(g->tokens);
    g->count = calloc((size_t)g->numbered + 1, sizeof *g->count);
    g->place = malloc(((size_t)g->numbered + 1) * sizeof *g->place);
    if (!g->count || !g->place)
        return false;
    memset(g->place, 0xff, ((size_t)g->numbered + 1) * sizeof *g->place);
    for (size_t i = 0; i < s->appeared.count; i++)
        g->place[s->appeared.item[i]] = 0;
    for (size_t i = 0; i < g->initial.count; i++)
        g->count[g->initial.item[i].token] = g->initial.item[i].count;
    return true;
}

static bool run(struct saturation *s)
{
    bool fine = list_users(s) && find_sources(s);
    for (size_t i = 0; fine && i < s->appeared.count; i++)
        fine = take_token(s, s->appeared.item[i]);
    return fine && keep_tokens(s);
}

bool saturate_tokens(struct grounding_result *g, bool limited, bool *passed, struct portolan_error *error)
{
    struct saturation s = {.g = g, .limited = limited};
    if (limited)
        binder_limit(g->binder, MOST_STEPS);
    size_t places = g->net->places.count;
    s.of_place = calloc(places + 1, sizeof *s.of_place);
    bool fine = s.of_place != NULL;
    if (!fine)
        fail_memory(error);
    fine = fine && take_initial(&s, error);
    if (fine && !(fine = run(&s))) {
        s.passed = s.passed || (limited && binder_is_spent(g->binder) && !limits_stop());
        fail_memory(s.passed ? NULL : error);
    }
    for (size_t p = 0; s.of_place && p < places; p++)
        free(s.of_place[p].item);
    free(s.of_place);
    free(s.appeared.item);
    free(s.has_appeared.item);
    free(s.is_taken.item);
    lists_clear(&s.users);
    *passed = s.passed;
    return fine;
}
