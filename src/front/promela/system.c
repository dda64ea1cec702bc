/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a Promela model: preprocess, read, find the flow, lower. */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/random.h"
#include "emit/foreign.h"
#include "front/promela/promela.h"
#include "front/promela/stating.h"
#include "front/promela/trace.h"
#include "front/promela/variables.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------- checking */

/* P[e]@label and P[e]:x where process e is always of another type: Spin would look into that one all the same. */
static enum portolan_status check_type(struct parser *parser, const struct proctype *p, const struct node *n)
{
    const struct syntax *s = parser->syntax;
    int64_t slot, first = 0;
    if (!n->a || !promela_fold(n->a, &slot) || (slot > 0 && promela_is_run(s, p))) /* process 0 is there to the end */
        return PORTOLAN_OK;
    for (size_t i = 0; i < s->proctypes.count; i++) {
        const struct proctype *other = s->proctypes.item[i];
        if (other != p && slot >= first && slot < first + other->active) {
            parser_fail(parser, &n->at, "process %d is of type '%s', not '%s'", (int)slot, promela_type_name(other),
                        promela_type_name(p));
            return hint(parser->error, "write '%s', or the number of a process of type '%s'", promela_type_name(other),
                        promela_type_name(p)),
                   parser->status;
        }
        first += other->active;
    }
    return PORTOLAN_OK;
}

enum portolan_status promela_check(struct parser *parser, const struct node *n)
{
    if (!n || parser->status)
        return parser->status;
    if (n->kind == NODE_RUN) {
        struct proctype *p = promela_proctype(parser->syntax, n->name);
        uint32_t wanted = 0, given = 0;
        if (!p || p->is_claim || p->is_init)
            return parser_fail(parser, &n->at, "there is no proctype '%s'", n->name);
        for (size_t i = 0; i < p->variables.count; i++)
            wanted += p->variables.item[i]->is_parameter;
        for (const struct node *value = n->b; value; value = value->next)
            given++;
        if (given != wanted)
            return parser_fail(parser, &n->at, "'%s' has %u parameter%s, not %u", p->name, wanted,
                               wanted == 1 ? "" : "s", given);
        if (wanted > MOST_FIELDS)
            return parser_fail(parser, &n->at, "a proctype has at most %d parameters", MOST_FIELDS);
    }
    if (n->kind == NODE_AT_LABEL || n->kind == NODE_REMOTE) {
        struct proctype *p = promela_proctype(parser->syntax, n->name);
        if (!p || p->is_claim)
            return parser_fail(parser, &n->at, "there is no proctype '%s'", n->name);
        if (n->kind == NODE_AT_LABEL && flow_label(p->flow, n->owner) == NO_ELEMENT)
            return parser_fail(parser, &n->at, "'%s' has no label '%s'", n->name, n->owner);
        if (check_type(parser, p, n))
            return parser->status;
    }
    promela_check(parser, n->a);
    for (const struct node *b = n->b; b; b = b->next)
        promela_check(parser, b);
    return promela_check(parser, n->c);
}

static bool has_special(const struct node *n, unsigned kind)
{
    return n && (n->kind == kind || has_special(n->a, kind) || has_special(n->b, kind) || has_special(n->c, kind) ||
                 has_special(n->next, kind));
}

static enum portolan_status check_statement(struct parser *parser, const struct proctype *p, const struct statement *s)
{
    promela_check(parser, s->a);
    for (const struct node *n = s->b; n; n = n->next)
        promela_check(parser, n);
    if (p->is_claim || parser->status)
        return parser->status;
    if (has_special(s->a, NODE_NO_PROGRESS) || has_special(s->b, NODE_NO_PROGRESS))
        return parser_fail(parser, &s->at, "np_ is for claims and formulas only");
    if (has_special(s->a, NODE_ENABLED) || has_special(s->b, NODE_ENABLED))
        return parser_fail(parser, &s->at, "enabled() is for claims and formulas only");
    return parser->status;
}

/* What could only be known once everything was read. */
static enum portolan_status check_all(struct parser *parser)
{
    struct syntax *s = parser->syntax;
    for (size_t i = 0; i < s->proctypes.count && !parser->status; i++)
        promela_flow(parser, s->proctypes.item[i]);
    for (size_t i = 0; i < s->proctypes.count && !parser->status; i++) {
        const struct proctype *p = s->proctypes.item[i];
        for (size_t e = 0; e < p->flow->elements.count && !parser->status; e++)
            if (p->flow->elements.item[e].kind == ELEMENT_PLAIN)
                check_statement(parser, p, p->flow->elements.item[e].statement);
        if (p->provided && !parser->status)
            promela_check(parser, p->provided);
    }
    promela_check_trace(parser);
    return parser->status;
}

/* ---------------------------------------------------------------------------- lowering */

void promela_lowering_clear(struct lowering *l)
{
    for (uint32_t s = 0; l->slot && s <= l->slots; s++)
        free(l->slot[s].hosts);
    for (size_t p = 0; l->states && p < l->syntax->proctypes.count; p++) {
        free(l->states[p].number);
        free(l->states[p].element);
    }
    free(l->slot);
    free(l->states);
    free(l->runs_in);
    free(l->channels.item);
    free(l->arrays.item);
    names_clear(&l->action_names);
    free(l->holds.item);
    free(l->c_blocks.item);
    free(l->c_cells.item);
    *l = (struct lowering){.syntax = l->syntax, .language = l->language};
}

static bool lower(struct lowering *l, uint32_t bound)
{
    return promela_find_slots(l, bound) && promela_make_cells(l) && promela_find_channels(l) &&
           (promela_declare_c(l), promela_make_starts(l), promela_lower_actions(l));
}

void promela_language_free(void *language)
{
    struct promela_language *d = language;
    free(d->shown.item);
    free(d->cells.item);
    free(d->actions.item);
    free(d->cell_variable);
    free(d->process_variable);
    free(d->seen.item);
    promela_lowering_clear(&d->lowering);
    for (size_t i = 0; i < d->syntax.proctypes.count; i++)
        promela_flow_clear(d->syntax.proctypes.item[i]->flow);
    if (d->syntax.trace)
        promela_flow_clear(d->syntax.trace->flow);
    promela_syntax_clear(&d->syntax);
    free(d);
}

/* Errors are in lines of the preprocessed text until here. */
static enum portolan_status place_error(const struct syntax *s, const char *file, enum portolan_status status,
                                        struct portolan_error *error)
{
    if (status == PORTOLAN_BAD_INPUT && error && strcmp(error->file, file) == 0 && error->line > 0 &&
        error->line <= s->lines.count && s->text) {
        const struct source_line *line = &s->lines.item[error->line - 1];
        snprintf(error->file, sizeof error->file, "%s", line->file);
        error->line = line->line;
    }
    return status;
}

static enum portolan_status read_model(struct syntax *s, const char *file, const char *text, size_t length,
                                       const char *const *definitions, size_t count, struct parser *parser)
{
    enum portolan_status status = promela_preprocess(s, file, text, length, definitions, count, parser->error);
    if (status)
        return parser->status = status;
    lexer_init(&s->lexer, &promela_rules, file, s->text, strlen(s->text));
    parser->status = lexer_next(&s->lexer, parser->error);
    if (!parser->status)
        promela_parse(parser);
    if (!parser->status)
        check_all(parser);
    if (!parser->status)
        parser->status = promela_size_c(parser, file);
    return place_error(s, file, parser->status, parser->error);
}

/* ------------------------------------------------------------------- how many processes */

enum { LOOKED_AT = 8192, TABLE = 4 * LOOKED_AT, WALKS = 40, STEPS = 400 };

/* A look at the model before the search: random walks, and a depth-first search of a few thousand states. */
struct look {
    const struct portolan_system *system;
    struct promela_language *language;
    char *states; /* of the search; the last two places are for walks */
    uint32_t count, *table, *enabled;
    uint32_t most; /* processes at once */
    bool outgrown; /* there was no room for a process */
};

static void *state_at(const struct look *k, uint32_t number)
{
    return k->states + number * k->system->state_bytes;
}

/* False when there was no room for what the action runs. */
static bool step_to(struct look *k, const void *from, uint32_t action, void *to)
{
    struct promela_language *d = k->language;
    uint32_t there = (uint32_t)model_cell_value(k->system->model, from, d->lowering.processes);
    if (k->system->fire(k->system->model, from, action, to) == PORTOLAN_FIRED) {
        there = (uint32_t)model_cell_value(k->system->model, to, d->lowering.processes);
        k->most = there > k->most ? there : k->most;
        return true;
    }
    k->outgrown = true;
    const struct noted_action *a = &d->actions.item[action];
    bool fine = !d->lowering.guesses || promela_note_runs(&d->seen, &d->syntax, a->actor.type, a->state, there);
    if (d->lowering.guesses && a->partner.type && fine) /* in an atomic sequence it goes on */
        fine = promela_note_runs(&d->seen, &d->syntax, a->partner.type, a->partner_state, there);
    if (!fine)
        d->seen.count = 0; /* no memory: that will be missed elsewhere, too */
    return false;
}

static void walk(struct look *k, uint64_t *random)
{
    char *at = state_at(k, LOOKED_AT), *next = state_at(k, LOOKED_AT + 1);
    k->system->initial(k->system->model, at);
    for (unsigned step = 0; step < STEPS && !limits_reached(); step++) {
        uint32_t count = k->system->enabled(k->system->model, at, k->enabled);
        if (count == 0 || !step_to(k, at, k->enabled[random_below(random, count)], next))
            return;
        char *swap = at;
        at = next;
        next = swap;
    }
}

/* Keeps the state in the next place, unless it is known. */
static bool keep(struct look *k)
{
    uint64_t hash = 0, word;
    const char *state = state_at(k, k->count);
    for (size_t i = 0; i < k->system->state_bytes; i += sizeof word) {
        memcpy(&word, state + i, sizeof word);
        hash = random_mix(hash ^ word);
    }
    uint32_t at = (uint32_t)(hash % TABLE);
    for (; k->table[at]; at = (at + 1) % TABLE)
        if (memcmp(state_at(k, k->table[at] - 1), state, k->system->state_bytes) == 0)
            return false;
    k->table[at] = ++k->count;
    return true;
}

static void search_deep(struct look *k)
{
    VECTOR(uint32_t) open = {0};
    bool fine = true;
    k->system->initial(k->system->model, state_at(k, 0));
    if (keep(k))
        fine = vector_push(&open, 0);
    while (open.count && fine && k->count + 1 < LOOKED_AT && !limits_reached()) {
        uint32_t from = open.item[--open.count];
        uint32_t count = k->system->enabled(k->system->model, state_at(k, from), k->enabled);
        for (uint32_t i = 0; i < count && fine && k->count + 1 < LOOKED_AT; i++)
            if (step_to(k, state_at(k, from), k->enabled[i], state_at(k, k->count)) && keep(k))
                fine = vector_push(&open, k->count - 1);
    }
    free(open.item);
}

/* The most processes that there were, or UINT32_MAX when there were more than there is room for.  That is a guess: a
 * search that needs more says so. */
static uint32_t slots_used(const struct portolan_system *system, struct promela_language *d)
{
    uint64_t random = 1;
    struct look k = {.system = system, .language = d};
    k.states = calloc(LOOKED_AT + 2, system->state_bytes);
    k.table = calloc(TABLE, sizeof *k.table);
    k.enabled = calloc((size_t)system->actions + 1, sizeof *k.enabled);
    for (unsigned i = 0; i < WALKS && k.states && k.table && k.enabled; i++)
        walk(&k, &random);
    if (k.states && k.table && k.enabled && !k.outgrown)
        search_deep(&k);
    free(k.states);
    free(k.table);
    free(k.enabled);
    return k.outgrown ? UINT32_MAX : k.most;
}

static enum portolan_status compile_c(const struct promela_language *d, struct model *m, const char *file,
                                      struct portolan_error *error)
{
    enum portolan_status status = foreign_compile(m, d->syntax.allows_c, error);
    if (status == PORTOLAN_BAD_INPUT)
        snprintf(error->file, sizeof error->file, "%s", file);
    return place_error(&d->syntax, file, status, error);
}

static bool has_rendezvous(const struct lowering *l)
{
    for (size_t i = 0; i < l->channels.count; i++)
        if (l->channels.item[i].shape->capacity == 0)
            return true;
    return false;
}

/* How a model is lowered; tried again with less where that was too much, which then holds for other bounds, too. */
struct attempt {
    uint32_t bound;               /* of processes */
    uint32_t rounds;              /* that are unrolled */
    bool exclusive;               /* a process may rest in an atomic sequence and alone move on */
    const struct proctype *claim; /* that is a process */
    bool is_last;                 /* the bound is known to do, or there can be no larger one */
};

static enum portolan_status try_lowering(struct promela_language *d, const char *file, struct attempt *a,
                                         struct parser *parser, struct portolan_system **system)
{
    struct model *m = model_new("promela");
    struct portolan_error *error = parser->error;
    if (!m)
        return fail_memory(error);
    promela_lowering_clear(&d->lowering);
    d->shown.count = d->cells.count = d->actions.count = 0;
    parser->status = PORTOLAN_OK;
    struct lowering *l = &d->lowering;
    l->m = m;
    l->error = error;
    l->claim = a->claim;
    l->wants_exclusive = a->exclusive || a->claim;
    l->rounds = a->rounds;
    l->seen = &d->seen;
    m->extras.language = d;
    model_name_after(m, file, NULL);
    m->in_columns = true;
    m->lacks_relations = d->syntax.lacks_relations;
    enum portolan_status status = PORTOLAN_OK;
    bool is_lowered = lower(l, a->bound),
         is_too_much = l->too_many_ways || m->actions.count >= MOST_ACTIONS || m->code.count >= MOST_CODE;
    m->rests_within_steps = l->needs_exclusive;
    if (!is_lowered) {
        status = l->too_many_channels
                     ? fail(error, PORTOLAN_BAD_INPUT, "%.200s: there are more than %d channels", file, MOST_CHANNELS)
                     : fail_memory(error);
    } else if ((is_too_much && a->rounds) || (l->needs_exclusive && !l->wants_exclusive)) {
        m->extras.language = NULL;
        model_free(m);
        a->rounds = is_too_much ? a->rounds / 2 : a->rounds;
        a->exclusive |= l->needs_exclusive;
        return try_lowering(d, file, a, parser, system);
    } else if (l->priorities != MODEL_NONE && has_rendezvous(l)) {
        status = fail(error, PORTOLAN_BAD_INPUT,
                      "%.200s: priorities cannot be combined with rendezvous channels, as in Spin", file);
    } else if (l->m->actions.count >= MOST_ACTIONS) {
        status = fail(error, PORTOLAN_BAD_INPUT,
                      "%.200s: too many processes may exchange messages over too many channels: more than %d steps",
                      file, MOST_ACTIONS);
    } else if (l->too_many_ways) {
        status = fail(error, PORTOLAN_BAD_INPUT, "%.200s: there are too many ways through an atomic sequence", file);
    } else if (!promela_lower_variables(l)) {
        status = fail_memory(error);
    } else {
        status = promela_properties(parser, l);
        if (status == PORTOLAN_OK && l->beyond) {
            const struct proctype *claim = l->beyond;
            status = promela_check_beside(parser, l, claim);
            if (status == PORTOLAN_OK) {
                m->extras.language = NULL;
                model_free(m);
                a->claim = claim;
                return try_lowering(d, file, a, parser, system);
            }
        }
        if (status)
            place_error(&d->syntax, file, status, error);
    }
    for (size_t i = 0; i < m->processes.count; i++)
        m->processes.item[i].most_registers = l->most;
    m->too_large = "the model runs more processes at once than expected";
    m->is_bounded = true;
    m->never_ends = l->claim != NULL;
    if (status) {
        m->extras.language = NULL;
        model_free(m);
        return status;
    }
    status = compile_c(d, m, file, error);
    if (status) {
        m->extras.language = NULL;
        model_free(m);
        return status;
    }
    m->extras.free = NULL; /* the language is kept until a bound is large enough */
    m->is_tried = !a->is_last && (l->grows || l->guesses);
    return model_system(m, system, error);
}

/* With more and more slots, until the model seems to need no more. */
static enum portolan_status open_growing(struct promela_language *d, const char *file, struct parser *parser,
                                         struct portolan_system **system)
{
    enum { MOST_ROUNDS = 100 };
    uint32_t active = 0;
    for (size_t i = 0; i < d->syntax.proctypes.count; i++)
        active += d->syntax.proctypes.item[i]->active;
    if (active > MOST_SLOTS)
        return fail(parser->error, PORTOLAN_BAD_INPUT, "%.200s: there are more than %d processes", file, MOST_SLOTS);
    struct attempt a = {.bound = active + 16, .rounds = d->syntax.unrolls_nothing ? 0 : MOST_CHOICES};
    size_t known = SIZE_MAX;
    for (unsigned rounds = 0;; rounds++) {
        bool is_stuck = d->lowering.guesses && d->seen.count == known; /* a search may need more, and says so */
        a.is_last = a.bound == MOST_SLOTS || rounds == MOST_ROUNDS || is_stuck;
        known = d->seen.count;
        enum portolan_status status = try_lowering(d, file, &a, parser, system);
        if (status || !(d->lowering.grows || d->lowering.guesses) || a.is_last)
            return status;
        bool guesses = d->lowering.guesses;
        uint32_t used = slots_used(*system, d);
        if (guesses && used <= a.bound && (status = model_finish(*system, parser->error)) == PORTOLAN_OK)
            return PORTOLAN_OK;
        portolan_system_free(*system);
        *system = NULL;
        if (status)
            return status;
        if (used <= a.bound) {
            a.bound = used > active ? used : active + 1;
            a.is_last = true;
            return try_lowering(d, file, &a, parser, system);
        }
        if (!guesses)
            a.bound = a.bound * 2 < MOST_SLOTS ? a.bound * 2 : MOST_SLOTS;
    }
}

enum portolan_status promela_open_text(const char *file, const char *text, size_t length,
                                       const char *const *definitions, size_t count, struct portolan_system **system,
                                       struct portolan_error *error)
{
    struct promela_language *d = calloc(1, sizeof *d);
    struct portolan_error unwanted = {0};
    error = error ? error : &unwanted; /* the reader of formulas looks at it */
    *system = NULL;
    if (!d)
        return fail_memory(error);
    d->lowering.syntax = &d->syntax;
    d->lowering.language = d;
    struct parser parser = {.language = &promela_language,
                            .syntax = &d->syntax,
                            .lexer = &d->syntax.lexer,
                            .arena = &d->syntax.arena,
                            .error = error};
    const char **others = calloc(count + 1, sizeof *others);
    size_t kept = 0;
    for (size_t i = 0; others && i < count; i++) {
        bool allows_c = strncmp(definitions[i], "allow-c=", strlen("allow-c=")) == 0;
        bool leaves_out = strncmp(definitions[i], "unread=", strlen("unread=")) == 0;
        bool rests = strncmp(definitions[i], "unroll=0", strlen("unroll=0")) == 0;
        bool lacks = strncmp(definitions[i], "relations=0", strlen("relations=0")) == 0;
        d->syntax.allows_c |= allows_c;
        d->syntax.leaves_out_unread |= leaves_out;
        d->syntax.unrolls_nothing |= rests;
        d->syntax.lacks_relations |= lacks;
        if (!allows_c && !leaves_out && !rests && !lacks)
            others[kept++] = definitions[i];
    }
    enum portolan_status status =
        others ? read_model(&d->syntax, file, text, length, others, kept, &parser) : fail_memory(error);
    free(others);
    if (status == PORTOLAN_OK)
        status = open_growing(d, file, &parser, system);
    if (status) {
        promela_language_free(d);
        return status;
    }
    ((struct model *)model_of((*system)->model))->extras.free = promela_language_free;
    return PORTOLAN_OK;
}
