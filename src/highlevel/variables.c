/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What properties can ask of a net that runs as it is: how many tokens a place has, propositions, whether a transition
 * can fire, whether the capacities hold, and how many there are of one token, which is numbered when somebody asks for
 * it.  What is listed are the places once more: their markings, written as the language does.
 */
#include "base/limits.h"
#include "highlevel/binder.h"
#include "highlevel/engine.h"
#include "highlevel/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FAILED = 2 }; /* of a proposition, beside 0 and 1 */

/* Where each kind of variable begins; markings come first. */
static uint32_t first_total(const struct fly_engine *e)
{
    return e->places;
}

static uint32_t first_proposition(const struct fly_engine *e)
{
    return first_total(e) + e->places;
}

static uint32_t first_fireable(const struct fly_engine *e)
{
    return first_proposition(e) + (uint32_t)e->net->propositions.count;
}

static uint32_t capacities_hold(const struct fly_engine *e)
{
    return first_fireable(e) + (uint32_t)e->net->transitions.count;
}

static uint32_t first_token(const struct fly_engine *e)
{
    return capacities_hold(e) + 1;
}

/* -------------------------------------------------------------- propositions */

static uint32_t distinct(const void *user, uint32_t place)
{
    const struct fly_engine *e = user;
    uint32_t count;
    marking_tokens(&e->markings, place, e->present[place], &count);
    return count;
}

static const int64_t *token(const void *user, uint32_t place, uint32_t i, uint32_t *count)
{
    const struct fly_engine *e = user;
    uint32_t kinds;
    const uint32_t *tokens = marking_tokens(&e->markings, place, e->present[place], &kinds);
    *count = tokens[kinds + i];
    return token_cells(e->tokens, tokens[i]);
}

static int64_t evaluate(struct fly_engine *e, const struct node *node)
{
    const struct colour_marking marking = {e, distinct, token};
    e->evaluation.marking = &marking;
    e->evaluation.failure = NULL;
    e->evaluation.is_out_of_memory = false;
    int64_t value = colour_scalar(node, &e->evaluation);
    e->evaluation.marking = NULL;
    return value;
}

/* NO_VALUE where it cannot be evaluated. */
static int64_t proposition_value(struct fly_engine *e, uint32_t number)
{
    struct fly_proposition *p = &e->propositions[number];
    e->row.count = 0;
    for (uint32_t i = 0; i < p->reads; i++)
        if (!vector_push(&e->row, e->present[p->read[i]])) {
            limits_run_out();
            return PORTOLAN_NO_VALUE;
        }
    const uint32_t *known = memo_find(&p->values, e->row.item);
    if (known)
        return *known == FAILED ? PORTOLAN_NO_VALUE : *known;
    bool holds = evaluate(e, e->net->propositions.item[number].value) != 0;
    uint32_t value = e->evaluation.failure ? FAILED : holds;
    if (e->evaluation.is_out_of_memory)
        limits_run_out();
    else
        memo_add(&p->values, e->row.item, &value, 1); /* or it is evaluated again */
    return value == FAILED ? PORTOLAN_NO_VALUE : value;
}

const char *fly_why_no_value(struct fly_engine *e, uint32_t variable)
{
    evaluate(e, e->net->propositions.item[variable - first_proposition(e)].value);
    return e->evaluation.failure ? e->evaluation.failure : "out of memory";
}

static bool add_place(struct fly_engine *e, uint32_t *read, uint32_t *count, uint32_t place)
{
    for (uint32_t i = 0; i < *count; i++)
        if (read[i] == place)
            return true;
    if (place < e->places)
        read[(*count)++] = place;
    return true;
}

typedef VECTOR(const struct node *) node_list;

static bool push_iterators(struct fly_engine *e, const struct iterator *iterator, node_list *open, uint32_t *read,
                           uint32_t *count)
{
    bool fine = true;
    for (; iterator && fine; iterator = iterator->next)
        fine = add_place(e, read, count, iterator->place) && vector_push(open, iterator->low) &&
               vector_push(open, iterator->high) && vector_push(open, iterator->container);
    return fine;
}

/* The places that a proposition asks about; its functions cannot. */
static bool find_places(struct fly_engine *e, const struct node *root, uint32_t *read, uint32_t *count)
{
    node_list open = {0};
    bool fine = vector_push(&open, root);
    while (open.count > 0 && fine) {
        const struct node *node = open.item[--open.count];
        if (!node)
            continue;
        if (node->kind == NODE_ATTRIBUTE && !node->a)
            add_place(e, read, count, (uint32_t)node->value);
        if (node->kind == NODE_ITERATION)
            fine = push_iterators(e, node->iterators, &open, read, count);
        fine = fine && vector_push(&open, node->a) && vector_push(&open, node->b) && vector_push(&open, node->c) &&
               vector_push(&open, node->next);
    }
    free(open.item);
    return fine;
}

static bool make_propositions(struct fly_engine *e)
{
    uint32_t frame = initial_frame(e->net);
    e->propositions = calloc(e->net->propositions.count + 1, sizeof *e->propositions);
    for (uint32_t i = 0; e->propositions && i < e->net->propositions.count; i++) {
        struct fly_proposition *p = &e->propositions[i];
        uint32_t *read = arena_get(e->net->arena, e->places * sizeof *read);
        if (!read || !find_places(e, e->net->propositions.item[i].value, read, &p->reads))
            return false;
        p->read = read;
        p->values.key = p->reads;
        if (e->net->propositions.item[i].frame > frame)
            frame = e->net->propositions.item[i].frame;
    }
    e->evaluation.frame = calloc(frame + 1, sizeof *e->evaluation.frame);
    return e->propositions && e->evaluation.frame;
}

/* ---------------------------------------------------------------- capacities */

static bool evaluate_capacities(struct fly_engine *e, struct portolan_error *error)
{
    e->capacity = calloc(e->places, sizeof *e->capacity);
    for (uint32_t i = 0; e->capacity && i < e->places; i++) {
        e->capacity[i] = INT64_MAX;
        if (!e->net->places.item[i].capacity)
            continue;
        if (!place_capacity(e->binder, i, &e->capacity[i], error))
            return false;
        e->has_capacities = true;
    }
    return e->capacity;
}

static bool exceeds(const struct fly_engine *e, uint32_t place)
{
    uint32_t count;
    const uint32_t *tokens = marking_tokens(&e->markings, place, e->present[place], &count);
    for (uint32_t i = 0; i < count; i++)
        if (tokens[count + i] > e->capacity[place])
            return true;
    return false;
}

static bool all_keep_within(const struct fly_engine *e)
{
    for (uint32_t i = 0; i < e->places; i++)
        if (e->capacity[i] != INT64_MAX && exceeds(e, i))
            return false;
    return true;
}

/* -------------------------------------------------------------------- values */

static bool can_fire(struct fly_engine *e, uint32_t transition)
{
    bool fine = fly_enabled(e), found = false;
    for (size_t i = 0; i < e->enabled.count && fine && !found; i++)
        found = e->actions.item[e->enabled.item[i]].transition == transition;
    if (!fine)
        limits_run_out();
    return found;
}

int64_t fly_value(struct fly_engine *e, uint32_t variable)
{
    if (variable < first_total(e))
        return e->present[variable];
    if (variable < first_proposition(e))
        return marking_total(&e->markings, variable - first_total(e), e->present[variable - first_total(e)]);
    if (variable < first_fireable(e))
        return proposition_value(e, variable - first_proposition(e));
    if (variable < capacities_hold(e))
        return can_fire(e, variable - first_fireable(e));
    if (variable < first_token(e))
        return all_keep_within(e);
    uint32_t asked = e->asked.item[variable - first_token(e)], place = token_place(e->tokens, asked);
    return marking_count(&e->markings, place, e->present[place], asked);
}

const struct portolan_type *fly_variable_type(const struct fly_engine *e, uint32_t variable)
{
    static const struct portolan_type truth = {.kind = PORTOLAN_BOOLEAN},
                                      partial = {.kind = PORTOLAN_BOOLEAN, .is_partial = true};
    bool is_proposition = variable >= first_proposition(e) && variable < first_fireable(e);
    bool is_truth = variable >= first_fireable(e) && variable < first_token(e);
    return is_proposition ? &partial : is_truth ? &truth : NULL;
}

static void write_marking(const struct fly_engine *e, uint32_t place, uint32_t marking, char *text, size_t size)
{
    uint32_t count;
    const uint32_t *tokens = marking_tokens(&e->markings, place, marking, &count);
    struct shown_token *shown = calloc(count + 1, sizeof *shown);
    for (uint32_t i = 0; shown && i < count; i++)
        shown[i] = (struct shown_token){token_cells(e->tokens, tokens[i]), tokens[count + i]};
    if (shown)
        marking_text(&e->net->places.item[place], shown, count, text, size);
    else
        limits_run_out();
    free(shown);
}

void fly_value_text(const struct fly_engine *e, uint32_t variable, int64_t value, char *text, size_t size)
{
    const struct portolan_type *type = fly_variable_type(e, variable);
    if (variable < first_total(e))
        write_marking(e, variable, (uint32_t)value, text, size);
    else if (type)
        snprintf(text, size, "%s", value == PORTOLAN_NO_VALUE ? "no value" : value ? "true" : "false");
    else
        snprintf(text, size, "%" PRId64, value);
}

/* --------------------------------------------------------------------- names */

/* A name that is taken gets a number behind it. */
static bool add_name(struct fly_engine *e, const char *before, const char *name, const char *after)
{
    uint32_t number = 0, count = names_count(&e->variable_names);
    size_t room = strlen(before) + strlen(name) + strlen(after) + 16;
    char *text = malloc(room);
    bool fine = text != NULL;
    for (unsigned i = 1; fine && (i == 1 || number < count); i++) {
        snprintf(text, room, i == 1 ? "%s%s%s" : "%s%s%s#%u", before, name, after, i);
        fine = names_add(&e->variable_names, text, &number);
    }
    const char *shown = fine ? arena_copy(e->net->arena, text, strlen(text)) : NULL;
    free(text);
    return shown && vector_push(&e->shown_names, shown);
}

/* "place<(1, red)>": the token, numbered when it is new. */
static bool read_token(struct fly_engine *e, const char *name, uint32_t *number)
{
    const char *text = strstr(name, "<(");
    for (uint32_t i = 0; text && i < e->places; i++) {
        const struct colour_place *place = &e->net->places.item[i];
        size_t length = strlen(place->name);
        if (length != (size_t)(text - name) || strncmp(place->name, name, length) != 0)
            continue;
        int64_t *cells = calloc((size_t)place->tuple->cells + 1, sizeof *cells);
        const char *at = text + 2;
        bool fine = cells != NULL;
        for (size_t k = 0; k < place->domain.count && fine; k++) {
            fine = colour_parse(place->domain.item[k], &at, cells + place->tuple->fields.item[k].offset);
            at += strspn(at, " ");
            fine = fine && (k + 1 == place->domain.count || *at++ == ',');
        }
        *number = fine && strcmp(at, ")>") == 0 ? token_number(e->tokens, i, cells) : UINT32_MAX;
        free(cells);
        return *number != UINT32_MAX;
    }
    return false;
}

/* Names are those of what is not listed: a place is how many tokens it has. */
bool fly_find_variable(struct fly_engine *e, const char *name, uint32_t *variable)
{
    uint32_t asked;
    for (uint32_t i = 0; i < e->places; i++)
        if (e->net->places.item[i].id && strcmp(e->net->places.item[i].id, name) == 0) {
            *variable = first_total(e) + i;
            return true;
        }
    if (!names_find(&e->variable_names, name, variable) &&
        !(e->asked.count < MOST_ASKED && read_token(e, name, &asked) && add_name(e, "", name, "") &&
          vector_push(&e->asked, asked) && names_find(&e->variable_names, name, variable)))
        return false;
    *variable += first_total(e);
    return true;
}

const char *fly_variable_name(const struct fly_engine *e, uint32_t variable)
{
    if (variable < first_total(e))
        return e->net->places.item[variable].name;
    variable -= first_total(e);
    return variable < e->shown_names.count ? e->shown_names.item[variable] : NULL;
}

static bool state_properties(struct fly_engine *e)
{
    bool fine = true;
    for (size_t i = 0; i < e->net->stated.count && fine; i++)
        fine = vector_push(&e->stated, e->net->stated.item[i]);
    struct portolan_stated_property evaluates = {
        .kind = PORTOLAN_INVARIANT, .text = e->error_is_absent, .name = "everything can be evaluated", .lasting = true};
    struct portolan_stated_property keeps = {
        .kind = PORTOLAN_INVARIANT, .text = "\"" CAPACITIES_HOLD "\"", .name = CAPACITIES_HOLD};
    return fine && vector_push(&e->stated, evaluates) && (!e->has_capacities || vector_push(&e->stated, keeps));
}

bool fly_name_variables(struct fly_engine *e, struct portolan_error *error)
{
    bool fine = true;
    for (uint32_t i = 0; i < e->places && fine; i++)
        fine = add_name(e, "", e->net->places.item[i].name, "");
    for (size_t i = 0; i < e->net->propositions.count && fine; i++)
        fine = add_name(e, "", e->net->propositions.item[i].name, "");
    for (size_t i = 0; i < e->net->transitions.count && fine; i++)
        fine = add_name(e, "fireable(", e->net->transitions.item[i].name, ")");
    fine = fine && add_name(e, "", CAPACITIES_HOLD, "");
    e->unlisted = names_count(&e->variable_names) + MOST_ASKED;
    return fine && make_propositions(e) && evaluate_capacities(e, error) && state_properties(e);
}

void fly_clear_variables(struct fly_engine *e)
{
    for (size_t i = 0; e->propositions && i < e->net->propositions.count; i++)
        memo_clear(&e->propositions[i].values);
    colour_evaluation_clear(&e->evaluation);
    free(e->evaluation.frame);
    free(e->propositions);
    free(e->capacity);
    free(e->asked.item);
    free(e->shown_names.item);
    free(e->stated.item);
    names_clear(&e->variable_names);
}
