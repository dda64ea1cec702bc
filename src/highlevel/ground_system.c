/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of a grounded net.  Its variables are its places, which are tokens of the high-level net; behind them
 * stand, unlisted, the tokens of a place of the high-level net all together, its propositions, whether the capacities
 * hold, and a 0 for tokens that never appear.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/lists.h"
#include "front/petri/exclusion.h"
#include "front/petri/system.h"
#include "highlevel/ground.h"
#include "highlevel/tokens.h"
#include "highlevel/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct capacity { /* of a place of the grounded net */
    uint32_t place, most;
};

struct words {
    struct grounding_result *g;
    const struct net *net;
    uint32_t places;               /* of the grounded net */
    uint32_t totals, propositions; /* where these variables begin */
    uint32_t capacities, never;    /* these two */
    struct portolan_lists changers;
    VECTOR(struct capacity) limited; /* tokens that may exceed the capacity of their place, as far as is known */
    VECTOR(struct portolan_stated_property) stated;
    struct portolan_rules rules;
    /* as the net has them */
    const char *(*variable_name)(const void *model, uint32_t variable);
    bool (*find_variable)(const void *model, const char *name, uint32_t *variable);
    bool (*change)(const void *model, uint32_t action, uint32_t variable, int64_t *by);
};

static const struct words *words_of(const void *model)
{
    return net_attached(model);
}

static void words_free(void *attached)
{
    struct words *w = attached;
    lists_clear(&w->changers);
    free(w->limited.item);
    free(w->stated.item);
    grounding_free(w->g);
    free(w);
}

/* ------------------------------------------------------------------ propositions */

/* A marking as propositions ask for it: the marked tokens of a place are listed when it is first asked for. */
struct ground_marking {
    const struct words *words;
    const void *model, *state;
    uint32_t *marked; /* those of a place from its first one on */
    uint32_t *count;  /* UINT32_MAX: not listed yet */
};

static void list_marked(const struct ground_marking *m, uint32_t place)
{
    const uint32_t *first = m->words->g->first;
    m->count[place] = 0;
    for (uint32_t p = first[place]; p < first[place + 1]; p++)
        if (net_tokens(m->model, m->state, p))
            m->marked[first[place] + m->count[place]++] = p;
}

static uint32_t distinct(const void *user, uint32_t place)
{
    const struct ground_marking *m = user;
    if (m->count[place] == UINT32_MAX)
        list_marked(m, place);
    return m->count[place];
}

static const int64_t *marked_token(const void *user, uint32_t place, uint32_t i, uint32_t *count)
{
    const struct ground_marking *m = user;
    const struct grounding_result *g = m->words->g;
    uint32_t p = m->marked[g->first[place] + i];
    *count = net_tokens(m->model, m->state, p);
    return token_cells(g->tokens, g->token[p]);
}

/* The value, or why there is none. */
static int64_t evaluate_proposition(const void *model, const void *state, uint32_t number, const char **why)
{
    const struct words *w = words_of(model);
    const struct colour_proposition *proposition = &w->g->net->propositions.item[number];
    size_t places = w->g->net->places.count;
    uint32_t *lists = malloc((w->places + places + 1) * sizeof *lists);
    struct ground_marking marking = {w, model, state, lists, lists ? lists + w->places : NULL};
    struct colour_marking asked = {&marking, distinct, marked_token};
    struct colour_evaluation evaluation = {.frame = calloc(proposition->frame + 1, sizeof(int64_t)), .marking = &asked};
    int64_t value = PORTOLAN_NO_VALUE;
    *why = "out of memory";
    if (lists && evaluation.frame) {
        memset(marking.count, 0xff, places * sizeof *lists);
        value = colour_scalar(proposition->value, &evaluation);
        *why = evaluation.failure;
    }
    if (!lists || !evaluation.frame || evaluation.is_out_of_memory)
        limits_run_out();
    colour_evaluation_clear(&evaluation);
    free(evaluation.frame);
    free(lists);
    return *why ? PORTOLAN_NO_VALUE : value != 0;
}

static void why_no_value(const void *model, const void *state, uint32_t variable, char *text, size_t size)
{
    const char *why;
    evaluate_proposition(model, state, variable - words_of(model)->propositions, &why);
    snprintf(text, size, "%s", why ? why : "");
}

/* ------------------------------------------------------------------ variables */

static int64_t total(const struct words *w, const void *model, const void *state, uint32_t place)
{
    int64_t sum = 0;
    for (uint32_t p = w->g->first[place]; p < w->g->first[place + 1]; p++)
        sum += net_tokens(model, state, p);
    return sum;
}

static bool capacities_hold(const struct words *w, const void *model, const void *state)
{
    for (size_t i = 0; i < w->limited.count; i++)
        if (net_tokens(model, state, w->limited.item[i].place) > w->limited.item[i].most)
            return false;
    return true;
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    const struct words *w = words_of(model);
    const char *why;
    if (variable < w->places)
        return net_tokens(model, state, variable);
    if (variable < w->propositions)
        return total(w, model, state, variable - w->totals);
    if (variable < w->capacities)
        return evaluate_proposition(model, state, variable - w->propositions, &why);
    return variable == w->capacities && capacities_hold(w, model, state);
}

static const struct portolan_type *variable_type(const void *model, uint32_t variable)
{
    static const struct portolan_type truth = {.kind = PORTOLAN_BOOLEAN},
                                      proposition = {.kind = PORTOLAN_BOOLEAN, .is_partial = true};
    const struct words *w = words_of(model);
    return variable < w->propositions || variable == w->never ? NULL : variable < w->capacities ? &proposition : &truth;
}

static const char *variable_name(const void *model, uint32_t variable)
{
    const struct words *w = words_of(model);
    const struct colour_net *net = w->g->net;
    if (variable < w->places)
        return w->variable_name(model, variable);
    if (variable < w->propositions)
        return net->places.item[variable - w->totals].name;
    if (variable < w->capacities)
        return net->propositions.item[variable - w->propositions].name;
    return variable == w->capacities ? CAPACITIES_HOLD : "no such token";
}

static bool is_called(const char *name, const char *own, const char *id)
{
    return strcmp(name, own) == 0 || (id && strcmp(name, id) == 0);
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    const struct words *w = words_of(model);
    const struct colour_net *net = w->g->net;
    if (w->find_variable(model, name, variable))
        return true;
    for (uint32_t p = 0; p < net->places.count; p++)
        if (is_called(name, net->places.item[p].name, net->places.item[p].id)) {
            *variable = w->totals + p;
            return true;
        }
    for (uint32_t i = 0; i < net->propositions.count; i++)
        if (strcmp(name, net->propositions.item[i].name) == 0) {
            *variable = w->propositions + i;
            return true;
        }
    *variable = strcmp(name, CAPACITIES_HOLD) == 0 ? w->capacities : w->never;
    return *variable == w->capacities || token_is_possible(net, name);
}

/* ------------------------------------------------------------------ who changes them */

/* The tokens of a place of the high-level net change by as many as those of its places in the grounded one together. */
static bool change(const void *model, uint32_t action, uint32_t variable, int64_t *by)
{
    const struct words *w = words_of(model);
    if (variable < w->places)
        return w->change(model, action, variable, by);
    if (variable >= w->propositions)
        return false;
    const uint32_t *first = &w->g->first[variable - w->totals];
    *by = 0;
    for_arcs (arc, w->net, action) {
        if (arc->place >= first[0] && arc->place < first[1])
            *by += (int64_t)arc->produce - arc->consume;
    }
    return true;
}

struct changing {
    const struct words *words;
    struct portolan_lists by_place; /* the transitions that change a place of the grounded net */
    struct lists_builder changers;
};

static void add_changers_of(struct changing *c, uint32_t variable, uint32_t first, uint32_t end)
{
    for (uint32_t p = first; p < end; p++)
        for_list (t, c->by_place, p)
            lists_add(&c->changers, variable, *t);
}

static void add_proposition(struct changing *c, uint32_t variable, const struct node *node)
{
    const uint32_t *first = c->words->g->first;
    if (!node)
        return;
    if (node->kind == (unsigned)NODE_ATTRIBUTE && !node->a)
        add_changers_of(c, variable, first[node->value], first[node->value + 1]);
    for (const struct iterator *i = node->iterators; i; i = i->next) {
        if (i->place != NO_PLACE)
            add_changers_of(c, variable, first[i->place], first[i->place + 1]);
        add_proposition(c, variable, i->low);
        add_proposition(c, variable, i->high);
        add_proposition(c, variable, i->container);
    }
    for (const struct node *child = node->a; child; child = child->next)
        add_proposition(c, variable, child);
    for (const struct node *child = node->b; child; child = child->next)
        add_proposition(c, variable, child);
    for (const struct node *child = node->c; child; child = child->next)
        add_proposition(c, variable, child);
}

static bool list_changers(struct words *w, const struct portolan_system *system)
{
    struct changing c = {.words = w, .by_place = system->changers};
    const struct colour_net *net = w->g->net;
    for (uint32_t p = 0; p < w->places; p++)
        add_changers_of(&c, p, p, p + 1);
    for (uint32_t p = 0; p < net->places.count; p++)
        add_changers_of(&c, w->totals + p, w->g->first[p], w->g->first[p + 1]);
    for (uint32_t i = 0; i < net->propositions.count; i++)
        add_proposition(&c, w->propositions + i, net->propositions.item[i].value);
    for (size_t i = 0; i < w->limited.count; i++)
        add_changers_of(&c, w->capacities, w->limited.item[i].place, w->limited.item[i].place + 1);
    return lists_finish(&c.changers, w->never + 1, &w->changers);
}

/* ------------------------------------------------------------------ capacities */

/* Tokens of a place with a capacity that are not known to keep it. */
static bool limit_place(struct words *w, const struct net *net, const struct place_matrix *together, uint32_t place,
                        int64_t most)
{
    for (uint32_t p = w->g->first[place]; p < w->g->first[place + 1]; p++) {
        struct capacity capacity = {p, most > INT32_MAX ? INT32_MAX : (uint32_t)most};
        bool is_kept = most >= 1 && together && net->initial[p] <= 1 && !place_meets(together, p, p);
        if (!is_kept && !vector_push(&w->limited, capacity))
            return false;
    }
    return true;
}

static bool limit_places(struct words *w, const struct net *net, struct portolan_error *error)
{
    const struct colour_net *high = w->g->net;
    struct place_matrix *together = NULL;
    bool fine = true;
    for (uint32_t p = 0; fine && p < high->places.count; p++) {
        const struct colour_place *place = &high->places.item[p];
        int64_t most;
        if (!place->capacity)
            continue;
        if (!together)
            together = places_together(net);
        fine = place_capacity(w->g->binder, p, &most, error) &&
               (limit_place(w, net, together, p, most) || fail_memory(error) == PORTOLAN_OK);
    }
    place_matrix_free(together);
    return fine;
}

/* ------------------------------------------------------------------ the system */

static uint32_t rule_of(const void *model, uint32_t action)
{
    const struct grounding_result *g = words_of(model)->g;
    return g->bindings.item[g->binding[action]].transition;
}

static bool rule_text(const void *model, uint32_t rule, char *text, size_t size)
{
    const struct colour_net *net = words_of(model)->g->net;
    if (rule < net->transitions.count)
        snprintf(text, size, "%s", net->transitions.item[rule].name);
    return rule < net->transitions.count;
}

static bool action_text(const void *model, uint32_t action, char *text, size_t size)
{
    const struct grounding_result *g = words_of(model)->g;
    const struct ground_binding *b = &g->bindings.item[g->binding[action]];
    return binding_description(g->net, b->transition, g->frames.item + b->frame, text, size);
}

/* The tokens of a place of the high-level net together; the last part is the place that errors mark. */
static bool state_part(const void *model, const int64_t *values, uint32_t part, const char **name, char *text,
                       size_t size)
{
    const struct grounding_result *g = words_of(model)->g;
    uint32_t places = (uint32_t)g->net->places.count, count = 0;
    if (part == places && g->error_place != UINT32_MAX) {
        *name = error_name(g->net);
        snprintf(text, size, "%" PRId64, values[g->error_place]);
        return true;
    }
    if (part >= places)
        return false;
    *name = g->net->places.item[part].name;
    struct shown_token *shown = calloc(g->first[part + 1] - g->first[part] + 1, sizeof *shown);
    for (uint32_t p = g->first[part]; shown && p < g->first[part + 1]; p++)
        if (values[p])
            shown[count++] = (struct shown_token){token_cells(g->tokens, g->token[p]), (uint32_t)values[p]};
    if (!shown) {
        limits_run_out();
        return false;
    }
    marking_text(&g->net->places.item[part], shown, count, text, size);
    free(shown);
    return true;
}

static bool state_properties(struct words *w)
{
    const struct colour_net *net = w->g->net;
    struct portolan_stated_property fails = {.kind = PORTOLAN_INVARIANT,
                                             .text = error_is_absent(net),
                                             .name = "everything can be evaluated",
                                             .lasting = true};
    struct portolan_stated_property exceeds = {
        .kind = PORTOLAN_INVARIANT, .text = "\"" CAPACITIES_HOLD "\"", .name = CAPACITIES_HOLD};
    for (size_t i = 0; i < net->stated.count; i++)
        if (!vector_push(&w->stated, net->stated.item[i]))
            return false;
    return (w->g->error_place == UINT32_MAX || vector_push(&w->stated, fails)) &&
           (!w->limited.count || vector_push(&w->stated, exceeds));
}

static bool find_rule(const void *model, const char *name, uint32_t *rule)
{
    return colour_find_transition(words_of(model)->g->net, name, rule);
}

static void number_variables(struct words *w, const struct net *net)
{
    const struct colour_net *high = w->g->net;
    w->net = net;
    w->places = net->places;
    w->totals = net->places;
    w->propositions = w->totals + (uint32_t)high->places.count;
    w->capacities = w->propositions + (uint32_t)high->propositions.count;
    w->never = w->capacities + 1;
    w->rules = (struct portolan_rules){.size = sizeof w->rules,
                                       .noun = "transition",
                                       .count = (uint32_t)high->transitions.count,
                                       .rule_of = rule_of,
                                       .text = rule_text,
                                       .find = find_rule};
}

static void put_words(struct words *w, struct portolan_system *system)
{
    w->variable_name = system->variable_name;
    w->find_variable = system->find_variable;
    w->change = system->change;
    system->change = change;
    system->format = w->g->net->format;
    system->action_text = action_text;
    system->state_part = state_part;
    system->unlisted = w->never + 1 - w->places;
    system->variable_name = variable_name;
    system->find_variable = find_variable;
    system->variable_type = variable_type;
    system->value = value;
    system->why_no_value = why_no_value;
    system->changers = w->changers;
    system->rules = &w->rules;
    system->stated = w->stated.item;
    system->stated_count = w->stated.count;
}

/* One number per transition, unless all are equal. */
static bool take_priorities(const struct grounding_result *g, struct net *net)
{
    bool differ = false;
    int64_t *priority = calloc((size_t)net->transitions + 1, sizeof *priority);
    for (uint32_t t = 0; priority && t < net->transitions; t++) {
        priority[t] = g->bindings.item[g->binding[t]].priority;
        differ = differ || priority[t] != priority[0];
    }
    if (differ)
        net->priority = priority;
    else
        free(priority);
    return priority != NULL;
}

enum portolan_status grounded_system(struct grounding_result *g, struct net *net, struct portolan_system **result,
                                     struct portolan_error *error)
{
    struct words *w = calloc(1, sizeof *w);
    if (!w || !take_priorities(g, net)) {
        free(w);
        net_free(net);
        grounding_free(g);
        return fail_memory(error);
    }
    w->g = g;
    number_variables(w, net);
    struct portolan_system *system;
    struct portolan_error own = {0}, *problem = error ? error : &own;
    enum portolan_status status = net_system_new_with(net, w, words_free, &system, error);
    if (status)
        return status;
    if (!limit_places(w, net, problem))
        status = problem->status;
    else if (!state_properties(w) || !list_changers(w, system))
        status = fail_memory(error);
    if (status) {
        portolan_system_free(system);
        return status;
    }
    put_words(w, system);
    *result = system;
    return PORTOLAN_OK;
}
