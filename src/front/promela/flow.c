/* SPDX-License-Identifier: Apache-2.0 */
#include "front/promela/flow.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <string.h>

struct making {
    struct parser *parser;
    struct flow *flow;
    uint32_t break_target;
    uint32_t numbered; /* elements that have a number */
    bool is_claim;
    bool failed;
};

static struct node one = {.kind = NODE_NUMBER, .value = 1};
static const struct statement nothing = {.kind = STATEMENT_EXPRESSION, .a = &one};

struct chain { /* of elements linked by next */
    uint32_t first, last;
};

static const struct chain empty = {NO_ELEMENT, NO_ELEMENT};

static uint32_t new_element(struct making *m, enum element_kind kind, const struct statement *s)
{
    struct element e = {.kind = kind, .statement = s, .next = NO_ELEMENT, .target = NO_ELEMENT};
    m->failed |= limits_reached() || !vector_push(&m->flow->elements, e);
    return m->failed ? 0 : (uint32_t)m->flow->elements.count - 1;
}

static struct element *at(const struct making *m, uint32_t e)
{
    return &m->flow->elements.item[e];
}

static void link(struct making *m, struct chain *chain, uint32_t e)
{
    if (m->failed)
        return;
    if (chain->first == NO_ELEMENT)
        chain->first = e;
    else if (chain->last != e)
        at(m, chain->last)->next = e;
    chain->last = e;
}

/* The elements of a statement get their numbers when what is within it has them. */
static void number_elements(struct making *m, const struct statement *s, uint32_t e)
{
    uint32_t count = s->kind == STATEMENT_DO ? 3 : s->kind == STATEMENT_IF || s->kind == STATEMENT_UNLESS ? 2 : 1;
    for (uint32_t i = e; i < e + count && !m->failed; i++)
        at(m, i)->number = ++m->numbered;
}

static void add_labels(struct making *m, const struct statement *s, uint32_t e)
{
    for (const struct label *l = s->labels; l && !m->failed; l = l->next) {
        struct flow_label label = {l->name, l->instance, e, l->at};
        for (size_t i = 0; i < m->flow->labels.count; i++)
            if (strcmp(m->flow->labels.item[i].name, l->name) == 0 && m->flow->labels.item[i].instance == l->instance) {
                parser_fail(m->parser, &l->at, "the label '%s' is defined twice", l->name);
                m->failed = true;
                return;
            }
        m->failed |= !vector_push(&m->flow->labels, label);
        at(m, e)->is_end |= strncmp(l->name, "end", 3) == 0;
        at(m, e)->is_progress |= strncmp(l->name, "progress", 8) == 0;
        at(m, e)->is_accepting |= strncmp(l->name, "accept", 6) == 0;
    }
}

static struct chain make_sequence(struct making *m, const struct sequence *sequence);
static struct chain make_option(struct making *m, const struct sequence *sequence);

struct starts {
    VECTOR(uint32_t) item;
};

static void set_subs(struct making *m, uint32_t e, struct starts *starts)
{
    if (!m->failed) {
        at(m, e)->first_sub = (uint32_t)m->flow->subs.count;
        at(m, e)->subs = (uint32_t)starts->item.count;
    }
    for (size_t i = 0; i < starts->item.count && !m->failed; i++)
        m->failed |= !vector_push(&m->flow->subs, starts->item.item[i]);
    free(starts->item.item);
}

/* Each option, else last, ends at `end`. */
static void make_options(struct making *m, const struct statement *s, uint32_t e, uint32_t end)
{
    struct starts starts = {0};
    for (int others = 1; others >= 0; others--)
        for (const struct sequence *option = s->options; option && !m->failed; option = option->next) {
            if ((option->first->kind != STATEMENT_ELSE) != others)
                continue;
            struct chain chain = make_option(m, option);
            link(m, &chain, end);
            if (!m->failed)
                m->failed |= !vector_push(&starts.item, chain.first);
        }
    set_subs(m, e, &starts);
}

static uint32_t make_choice(struct making *m, const struct statement *s, struct chain *out)
{
    uint32_t e = new_element(m, ELEMENT_CHOICE, s), end = new_element(m, ELEMENT_PASSED, s), outer = m->break_target;
    if (!m->failed)
        at(m, e)->target = end;
    if (s->kind == STATEMENT_IF) {
        make_options(m, s, e, end);
        link(m, out, e);
        link(m, out, end);
        return e;
    }
    uint32_t behind = new_element(m, ELEMENT_PASSED, s);
    m->break_target = behind;
    make_options(m, s, e, end);
    m->break_target = outer;
    link(m, out, end);
    link(m, out, e);
    link(m, out, behind);
    return e;
}

/* The last element of what is within goes on where the block does: see finish_blocks. */
static uint32_t make_block(struct making *m, const struct statement *s, struct chain *out)
{
    uint32_t e = new_element(m, s->kind == STATEMENT_D_STEP ? ELEMENT_D_STEP : ELEMENT_BLOCK, s);
    struct starts starts = {0};
    struct chain chain = make_sequence(m, s->options);
    if (!m->failed)
        m->failed |= !vector_push(&starts.item, chain.first) || !vector_push(&starts.item, chain.last);
    set_subs(m, e, &starts);
    link(m, out, e);
    return e;
}

static uint32_t make_statement(struct making *m, const struct statement *s, struct chain *out);

/* What is left for an escape is numbered behind it, unless it stands in braces. */
static uint32_t make_unless(struct making *m, const struct statement *s, struct chain *out)
{
    uint32_t e = new_element(m, ELEMENT_UNLESS, s), end = new_element(m, ELEMENT_PASSED, s), bare = NO_ELEMENT;
    struct starts starts = {0};
    for (const struct sequence *part = s->options; part && !m->failed; part = part->next) {
        struct chain chain = empty;
        if (part->next && part->is_bare && part->first == part->last)
            bare = make_statement(m, part->first, &chain);
        else
            chain = make_sequence(m, part);
        m->failed |= !vector_push(&starts.item, chain.first) || !vector_push(&starts.item, chain.last);
        link(m, &chain, end);
    }
    if (bare != NO_ELEMENT)
        number_elements(m, s->options->first, bare);
    set_subs(m, e, &starts);
    link(m, out, e);
    link(m, out, end);
    return e;
}

static uint32_t make_break(struct making *m, const struct statement *s)
{
    uint32_t e = new_element(m, ELEMENT_GOTO, s);
    if (m->break_target == NO_ELEMENT && !m->failed) {
        parser_fail(m->parser, &s->at, "there is no loop that 'break' could leave");
        m->failed = true;
    }
    if (!m->failed)
        at(m, e)->target = m->break_target;
    return e;
}

static bool has_special_label(const struct statement *s)
{
    for (const struct label *l = s->labels; l; l = l->next)
        if (strncmp(l->name, "end", 3) == 0 || strncmp(l->name, "progress", 8) == 0 ||
            strncmp(l->name, "accept", 6) == 0)
            return true;
    return false;
}

/* The element that stands for it; its elements have no numbers yet. */
static uint32_t make_statement(struct making *m, const struct statement *s, struct chain *out)
{
    bool jumps = s->kind == STATEMENT_GOTO || s->kind == STATEMENT_BREAK;
    uint32_t e, labelled = NO_ELEMENT;
    if (jumps && has_special_label(s)) /* the label is that of a step before the jump */
        link(m, out, labelled = new_element(m, ELEMENT_PLAIN, &nothing));
    switch (s->kind) {
    case STATEMENT_IF:
    case STATEMENT_DO: e = make_choice(m, s, out); break;
    case STATEMENT_ATOMIC:
    case STATEMENT_D_STEP:
    case STATEMENT_BLOCK: e = make_block(m, s, out); break;
    case STATEMENT_UNLESS: e = make_unless(m, s, out); break;
    case STATEMENT_BREAK: link(m, out, e = make_break(m, s)); break;
    case STATEMENT_GOTO: link(m, out, e = new_element(m, ELEMENT_GOTO, s)); break;
    default: link(m, out, e = new_element(m, ELEMENT_PLAIN, s)); break;
    }
    if (!m->failed)
        add_labels(m, s, labelled == NO_ELEMENT ? e : labelled);
    if (labelled != NO_ELEMENT && !m->failed)
        at(m, labelled)->number = ++m->numbered;
    return e;
}

static void make_numbered(struct making *m, const struct statement *s, struct chain *out)
{
    uint32_t e = make_statement(m, s, out);
    if (!m->failed)
        number_elements(m, s, e);
}

static struct chain make_sequence(struct making *m, const struct sequence *sequence)
{
    struct chain out = empty;
    for (const struct statement *s = sequence->first; s && !m->failed; s = s->next)
        make_numbered(m, s, &out);
    return out;
}

static bool is_skip(const struct statement *s)
{
    return !s->labels && (s->kind == STATEMENT_PRINT ||
                          (s->kind == STATEMENT_EXPRESSION && s->a->kind == NODE_NUMBER && s->a->value == 1));
}

/* In an option of the system, of steps in a row that do nothing only the first is there; the last of all stays.  So
 * Spin has it, but not in for loops. */
static struct chain make_option(struct making *m, const struct sequence *sequence)
{
    struct chain out = empty;
    unsigned skips = 0;
    for (const struct statement *s = sequence->first; s && !m->failed; s = s->next) {
        skips = is_skip(s) ? skips + 1 : 0;
        if (skips <= 1 || s->kind == STATEMENT_PRINT || !s->next || m->is_claim || sequence->is_round)
            make_numbered(m, s, &out);
    }
    return out;
}

/* ------------------------------------------------------------------------ afterwards */

static uint32_t sub(const struct flow *f, uint32_t e, uint32_t k)
{
    return f->subs.item[f->elements.item[e].first_sub + k];
}

/* The last element of a block goes on behind the block; outer blocks come first, since they were made first. */
static void finish_blocks(struct making *m)
{
    for (uint32_t e = 0; e < m->flow->elements.count && !m->failed; e++)
        if (at(m, e)->kind == ELEMENT_BLOCK || at(m, e)->kind == ELEMENT_D_STEP)
            at(m, sub(m->flow, e, 1))->next = at(m, e)->next;
}

typedef void visitor(struct making *m, uint32_t e, uint32_t data);

/* Every element from the first to the last, and what is within them. */
static void walk(struct making *m, uint32_t first, uint32_t last, visitor *visit, uint32_t data)
{
    for (uint32_t e = first; e != NO_ELEMENT && !m->failed; e = at(m, e)->next) {
        visit(m, e, data);
        if (e == last)
            break;
    }
}

/* What is within an element: options, a block, main and escape. */
static void walk_within(struct making *m, uint32_t e, bool with_escape, visitor *visit, uint32_t data)
{
    const struct element element = *at(m, e);
    if (element.kind == ELEMENT_CHOICE)
        for (uint32_t k = 0; k < element.subs; k++)
            walk(m, sub(m->flow, e, k), element.target, visit, data);
    else
        for (uint32_t k = 0; k < element.subs && (k == 0 || with_escape); k += 2)
            walk(m, sub(m->flow, e, k), sub(m->flow, e, k + 1), visit, data);
}

static void mark_atomic(struct making *m, uint32_t e, uint32_t data)
{
    at(m, e)->in_atomic = true;
    if (at(m, e)->kind != ELEMENT_D_STEP)
        walk_within(m, e, true, mark_atomic, data);
}

static void mark_d_step(struct making *m, uint32_t e, uint32_t data)
{
    at(m, e)->in_d_step = true;
    walk_within(m, e, true, mark_d_step, data);
}

/* What ends an atomic sequence is no longer in it: from there on others may move. */
static void end_atomic(struct making *m, uint32_t e)
{
    uint32_t last = sub(m->flow, e, 1);
    while (at(m, last)->kind == ELEMENT_BLOCK || at(m, last)->kind == ELEMENT_UNLESS)
        last = sub(m->flow, last, 1);
    at(m, last)->in_atomic = false;
    at(m, last)->is_last_in_atomic = true;
}

static void mark_sequences(struct making *m)
{
    for (uint32_t e = (uint32_t)m->flow->elements.count; e-- > 0 && !m->failed;) { /* inner ones first */
        const struct element *element = at(m, e);
        if (element->kind == ELEMENT_BLOCK && element->statement->kind == STATEMENT_ATOMIC) {
            walk(m, sub(m->flow, e, 0), sub(m->flow, e, 1), mark_atomic, 0);
            end_atomic(m, e);
        }
        if (element->kind == ELEMENT_D_STEP)
            walk(m, sub(m->flow, e, 0), sub(m->flow, e, 1), mark_d_step, 0);
    }
}

/* ---------------------------------------------------------------------------- labels */

static uint32_t find_label(const struct flow *f, const char *name, unsigned instance)
{
    uint32_t outside = NO_ELEMENT;
    for (size_t i = 0; i < f->labels.count; i++)
        if (strcmp(f->labels.item[i].name, name) == 0) {
            if (f->labels.item[i].instance == instance)
                return f->labels.item[i].element;
            if (f->labels.item[i].instance == 0 || outside == NO_ELEMENT)
                outside = f->labels.item[i].element;
        }
    return outside;
}

uint32_t flow_label(const struct flow *flow, const char *name)
{
    return find_label(flow, name, 0);
}

static void find_targets(struct making *m)
{
    for (uint32_t e = 0; e < m->flow->elements.count && !m->failed; e++) {
        struct element *element = at(m, e);
        if (element->kind != ELEMENT_GOTO || element->statement->kind != STATEMENT_GOTO)
            continue;
        element->target = find_label(m->flow, element->statement->name, element->statement->instance);
        if (element->target == NO_ELEMENT) {
            parser_fail(m->parser, &element->statement->at, "there is no label '%s'", element->statement->name);
            m->failed = true;
        }
    }
}

/* --------------------------------------------------------------------------- escapes */

static void add_escape(struct making *m, uint32_t e, uint32_t escape)
{
    struct flow *f = m->flow;
    for (size_t i = 0; i < f->element_escapes[e].count; i++)
        if (f->element_escapes[e].item[i] == escape)
            return;
    /* the escapes of this element can be left for this one, too */
    for (size_t i = 0; i < f->element_escapes[e].count; i++)
        for (size_t k = 0; k < f->escape_spans.count; k++)
            if (f->escape_spans.item[k].first == f->element_escapes[e].item[i])
                walk(m, f->escape_spans.item[k].first, f->escape_spans.item[k].last, add_escape, escape);
    m->failed |= !vector_push(&f->element_escapes[e], escape);
    if (at(m, e)->kind == ELEMENT_D_STEP)
        add_escape(m, sub(f, e, 0), escape);
    else
        walk_within(m, e, false, add_escape, escape);
}

/* Inner ones first: they were made last. */
static void attach_escapes(struct making *m)
{
    struct flow *f = m->flow;
    f->element_escapes = calloc(f->elements.count + 1, sizeof *f->element_escapes);
    m->failed |= !f->element_escapes;
    for (uint32_t e = (uint32_t)f->elements.count; e-- > 0 && !m->failed;) {
        if (at(m, e)->kind != ELEMENT_UNLESS)
            continue;
        struct span span = {sub(f, e, 2), sub(f, e, 3)};
        m->failed |= !vector_push(&f->escape_spans, span);
        walk(m, sub(f, e, 0), sub(f, e, 1), add_escape, span.first);
    }
    for (uint32_t e = 0; e < f->elements.count && f->element_escapes; e++) {
        at(m, e)->first_escape = (uint32_t)f->escapes.count;
        for (size_t i = f->element_escapes[e].count; i-- > 0 && !m->failed;) {
            m->failed |= !vector_push(&f->escapes, f->element_escapes[e].item[i]);
            at(m, e)->escapes++;
        }
        free(f->element_escapes[e].item);
    }
    free(f->element_escapes);
    f->element_escapes = NULL;
}

/* ------------------------------------------------------------------------ transitions */

/* The element at which a process is that comes here. */
static uint32_t arrive(const struct flow *f, uint32_t e, bool in_atomic)
{
    for (unsigned rounds = 0; e != NO_ELEMENT && rounds < 500; rounds++) {
        const struct element *element = &f->elements.item[e];
        uint32_t next;
        if (element->kind == ELEMENT_GOTO)
            next = element->target;
        else if (element->kind == ELEMENT_PASSED)
            next = element->next;
        else if (element->kind == ELEMENT_UNLESS)
            next = arrive(f, f->subs.item[element->first_sub], in_atomic);
        else
            return e;
        if (in_atomic && (next == NO_ELEMENT || !f->elements.item[next].in_atomic))
            return e;
        e = next;
    }
    return e;
}

/* What begins with a loop begins behind the place where its options end. */
static uint32_t begin(const struct flow *f, uint32_t e)
{
    while (f->elements.item[e].kind == ELEMENT_PASSED)
        e = f->elements.item[e].next;
    return e;
}

/* The transitions of an element, without those that escape. */
static bool collect(const struct flow *f, uint32_t e, struct transitions *out)
{
    const struct element *element = &f->elements.item[e];
    struct transition t = {.element = e, .target = NO_ELEMENT, .escape = NO_ELEMENT};
    switch (element->kind) {
    case ELEMENT_CHOICE:
        for (uint32_t k = 0; k < element->subs; k++)
            if (!collect(f, begin(f, sub(f, e, k)), out))
                return false;
        return true;
    case ELEMENT_BLOCK:
    case ELEMENT_UNLESS: return collect(f, begin(f, sub(f, e, 0)), out);
    case ELEMENT_GOTO: t.target = arrive(f, element->target, element->in_atomic); break;
    case ELEMENT_END: break;
    default: t.target = arrive(f, element->next, element->in_atomic); break;
    }
    if (t.target != NO_ELEMENT) {
        const struct element *target = &f->elements.item[t.target];
        t.goes_on = element->in_atomic && (target->in_atomic || target->is_last_in_atomic);
    }
    return vector_push(out, t);
}

static bool is_among(const struct transitions *t, uint32_t element)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->item[i].element == element)
            return true;
    return false;
}

/* In front of the others, so that the last comes first. */
static bool put_first(struct transitions *t, struct transition added)
{
    if (!vector_push(t, added))
        return false;
    memmove(t->item + 1, t->item, (t->count - 1) * sizeof *t->item);
    t->item[0] = added;
    return true;
}

static bool add_escapes(const struct flow *f, uint32_t state, uint32_t escape, struct transitions *out)
{
    struct transitions theirs = {0};
    uint32_t first = begin(f, escape);
    bool has_its_own = f->elements.item[escape].number < f->elements.item[state].number;
    bool fine = has_its_own ? flow_transitions(f, first, &theirs) : collect(f, first, &theirs);
    for (size_t i = 0; i < theirs.count && fine; i++) {
        theirs.item[i].escape = escape;
        fine = is_among(out, theirs.item[i].element) || put_first(out, theirs.item[i]);
    }
    free(theirs.item);
    return fine;
}

/* As Spin's verifier arranges them: whatever escapes comes before everything else, even where an option of a choice is
 * what it escapes from.  The escapes of an escape are found where that has the lower number. */
static bool find_transitions(const struct flow *f, uint32_t state, struct transitions *out)
{
    struct transitions plain = {0};
    out->count = 0;
    bool fine = collect(f, state, &plain);
    for (size_t i = 0; i < plain.count && fine; i++)
        fine = vector_push(out, plain.item[i]);
    for (size_t i = 0; i < plain.count && fine; i++) {
        const struct element *element = &f->elements.item[plain.item[i].element];
        for (uint32_t k = element->escapes; k-- > 0 && fine;)
            fine = add_escapes(f, state, f->escapes.item[element->first_escape + k], out);
    }
    free(plain.item);
    return fine;
}

bool flow_transitions(const struct flow *f, uint32_t state, struct transitions *out)
{
    if (!f->first_transition || !f->elements.item[state].is_state)
        return find_transitions(f, state, out);
    uint32_t first = f->first_transition[state], count = f->first_transition[state + 1] - first;
    out->count = 0;
    if (!vector_reserve(out, count))
        return false;
    if (count)
        memcpy(out->item, f->transitions.item + first, count * sizeof *out->item);
    out->count = count;
    return true;
}

/* They are asked for again and again: for each slot, and by whoever sends what a state may receive. */
static void keep_transitions(struct making *m)
{
    struct flow *f = m->flow;
    struct transitions t = {0};
    uint32_t *first = calloc(f->elements.count + 1, sizeof *first);
    m->failed |= !first;
    for (uint32_t e = 0; e < f->elements.count && !m->failed; e++) {
        m->failed |= limits_reached() || (f->elements.item[e].is_state && !find_transitions(f, e, &t));
        for (size_t i = 0; i < t.count && !m->failed && f->elements.item[e].is_state; i++)
            m->failed |= !vector_push(&f->transitions, t.item[i]);
        if (first)
            first[e + 1] = (uint32_t)f->transitions.count;
    }
    f->first_transition = first;
    free(t.item);
}

/* Marks where a process may be. */
static void find_states(struct making *m)
{
    VECTOR(uint32_t) open = {0};
    struct transitions t = {0};
    struct flow *f = m->flow;
    f->elements.item[f->start].is_state = true;
    m->failed |= !vector_push(&open, f->start);
    while (open.count && !m->failed) {
        uint32_t e = open.item[--open.count];
        m->failed |= limits_reached() || !flow_transitions(f, e, &t);
        for (size_t i = 0; i < t.count && !m->failed; i++) {
            uint32_t target = t.item[i].target;
            if (target == NO_ELEMENT || f->elements.item[target].is_state)
                continue;
            f->elements.item[target].is_state = true;
            m->failed |= !vector_push(&open, target);
        }
    }
    free(open.item);
    free(t.item);
}

void promela_flow_clear(struct flow *f)
{
    if (!f)
        return;
    free(f->elements.item);
    free(f->subs.item);
    free(f->escape_spans.item);
    free(f->labels.item);
    free(f->escapes.item);
    free(f->transitions.item);
    free(f->first_transition);
}

bool promela_flow(struct parser *parser, struct proctype *p)
{
    if (parser_get(parser, sizeof *p->flow, &p->flow))
        return false;
    struct making m = {.parser = parser, .flow = p->flow, .break_target = NO_ELEMENT, .is_claim = p->is_claim};
    struct chain body = make_sequence(&m, p->body);
    uint32_t end = new_element(&m, ELEMENT_END, NULL);
    link(&m, &body, end);
    if (!m.failed)
        at(&m, end)->is_end = true;
    finish_blocks(&m);
    if (!m.failed)
        find_targets(&m);
    if (!m.failed)
        mark_sequences(&m);
    if (!m.failed)
        attach_escapes(&m);
    if (!m.failed) {
        m.flow->start = arrive(m.flow, body.first, false);
        find_states(&m);
    }
    if (!m.failed)
        keep_transitions(&m);
    if (m.failed && !parser->status)
        parser->status = fail_memory(parser->error);
    return !m.failed;
}
