/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the HOA format, version 1 (http://adl.github.io/hoaf/): T. Babiak et
 * al., "The Hanoi omega-automata format", CAV 2015.
 *
 * Büchi and generalised Büchi automata, acceptance on states or on edges,
 * labels explicit or implicit, on edges or on states, aliases, several initial
 * states.  What is marked on a state is marked on all its edges.
 * Alternation and other acceptance conditions are refused.
 */
#include "ltl/automaton.h"

#include "base/diagnostic.h"
#include "ltl/hoa_label.h"

#include <string.h>

enum { MAX_STATES = 1 << 22, MAX_IMPLICIT_ATOMS = 12 };

struct automaton_text {
    struct hoa_reader reader;
    uint32_t states;  /* declared; without a declaration MAX_STATES */
    uint32_t largest; /* the largest state mentioned, + 1 */
    uint32_t sets;
    uint64_t used_sets;
    bool has_acceptance, has_states, has_atoms;
    VECTOR(uint32_t) starts;
    VECTOR(char *) atoms;
    VECTOR(bool) defined; /* by state */
    struct automaton_edges edges;
};

static struct token *current(struct automaton_text *text)
{
    return &text->reader.lexer.token;
}

static enum portolan_status complain(struct automaton_text *text, const struct position *at, const char *message)
{
    return lexer_fail(&text->reader.lexer, at, text->reader.error, "%s", message);
}

static bool at_symbol(struct automaton_text *text, const char *symbol)
{
    return token_is(current(text), symbol);
}

/* ------------------------------------------------------------------ headers */

static enum portolan_status read_state_number(struct automaton_text *text, uint32_t *state)
{
    struct position at = current(text)->at;
    enum portolan_status status = hoa_integer(&text->reader, text->states, "a state", state);
    if (!status && at_symbol(text, "&")) {
        status = complain(text, &at, "alternating automata are not read");
        hint(text->reader.error, "a conjunction of states, as in 1&2, makes an automaton alternating");
    }
    if (!status && *state >= text->largest)
        text->largest = *state + 1;
    return status;
}

static enum portolan_status read_start(struct automaton_text *text)
{
    uint32_t state;
    enum portolan_status status = read_state_number(text, &state);
    if (!status && !vector_push(&text->starts, state))
        status = fail_memory(text->reader.error);
    return status;
}

static enum portolan_status read_states(struct automaton_text *text)
{
    struct position at = current(text)->at;
    text->has_states = true;
    enum portolan_status status = hoa_integer(&text->reader, MAX_STATES, "the number of states", &text->states);
    return !status && text->states < text->largest ? complain(text, &at, "an initial state is not below this number")
                                                   : status;
}

static enum portolan_status read_atoms(struct automaton_text *text)
{
    uint32_t count;
    if (text->has_atoms)
        return complain(text, &current(text)->at, "AP: is given twice");
    text->has_atoms = true;
    enum portolan_status status =
        hoa_integer(&text->reader, LTL_ATOMS + 1, "the number of atomic propositions", &count);
    while (!status && text->atoms.count < count) {
        char *name = NULL;
        if (current(text)->kind != TOKEN_QUOTED)
            return lexer_expected(&text->reader.lexer, text->reader.error, "an atomic proposition in quotes");
        for (size_t i = 0; i < text->atoms.count; i++)
            if (strcmp(text->atoms.item[i], current(text)->name) == 0)
                return complain(text, &current(text)->at, "the atomic proposition is listed twice");
        name = strdup(current(text)->name);
        if (!name || !vector_push(&text->atoms, name)) {
            free(name);
            return fail_memory(text->reader.error);
        }
        status = hoa_next(&text->reader);
    }
    text->reader.atom_count = count;
    return status;
}

static enum portolan_status other_acceptance(struct automaton_text *text)
{
    enum portolan_status status =
        complain(text, &current(text)->at, "only Büchi and generalised Büchi acceptance is read: Inf(0)&Inf(1)&...");
    hint(text->reader.error, "other automata can be converted, with Spot's 'autfilt --tgba' for one");
    return status;
}

/* A conjunction of Inf(number), or t. */
static enum portolan_status read_acceptance_formula(struct automaton_text *text, unsigned depth)
{
    enum portolan_status status;
    do {
        uint32_t set;
        bool more = at_symbol(text, "&");
        status = more ? hoa_next(&text->reader) : PORTOLAN_OK;
        if (status)
            return status;
        if (at_symbol(text, "(") && depth < 100) {
            status = hoa_next(&text->reader);
            if (!status)
                status = read_acceptance_formula(text, depth + 1);
            if (!status)
                status = hoa_expect(&text->reader, ")");
            continue;
        }
        bool is_true = token_is(current(text), "t");
        if (!is_true && !token_is(current(text), "Inf"))
            return other_acceptance(text);
        status = hoa_next(&text->reader);
        if (status || is_true)
            continue;
        status = hoa_expect(&text->reader, "(");
        if (!status && at_symbol(text, "!"))
            return other_acceptance(text);
        if (!status)
            status = hoa_integer(&text->reader, text->sets, "an acceptance set", &set);
        if (!status)
            status = hoa_expect(&text->reader, ")");
        if (!status)
            text->used_sets |= UINT64_C(1) << set;
    } while (!status && at_symbol(text, "&"));
    return status;
}

static enum portolan_status read_acceptance(struct automaton_text *text)
{
    text->has_acceptance = true;
    enum portolan_status status = hoa_integer(&text->reader, 65, "the number of acceptance sets", &text->sets);
    if (!status)
        status = read_acceptance_formula(text, 0);
    return !status && at_symbol(text, "|") ? other_acceptance(text) : status;
}

static enum portolan_status read_alias(struct automaton_text *text)
{
    struct hoa_alias alias = {0};
    enum portolan_status status = hoa_expect(&text->reader, "@");
    const struct token *token = current(text);
    if (!status && token->kind != TOKEN_NAME && token->kind != TOKEN_INTEGER)
        status = lexer_expected(&text->reader.lexer, text->reader.error, "the name of an alias");
    if (!status && !(alias.name = strndup(token->start, token->length)))
        status = fail_memory(text->reader.error);
    if (!status)
        status = hoa_next(&text->reader);
    if (!status)
        status = hoa_label_read(&text->reader, &alias.label);
    if (!status && !vector_push(&text->reader.aliases, alias))
        status = fail_memory(text->reader.error);
    if (status) {
        free(alias.name);
        hoa_label_clear(&alias.label);
    }
    return status;
}

static const struct {
    const char *name;
    enum portolan_status (*read)(struct automaton_text *text);
} headers[] = {{"States", read_states},
               {"Start", read_start},
               {"AP", read_atoms},
               {"Acceptance", read_acceptance},
               {"Alias", read_alias}};

/* What stands behind a header that is only information. */
static enum portolan_status skip_words(struct automaton_text *text, bool *is_header, char *name, size_t size)
{
    enum portolan_status status = PORTOLAN_OK;
    *is_header = false;
    while (!status && !*is_header && !at_symbol(text, "--BODY--") && current(text)->kind != TOKEN_END) {
        bool is_name = current(text)->kind == TOKEN_NAME;
        if (is_name)
            snprintf(name, size, "%s", current(text)->name);
        status = hoa_next(&text->reader);
        *is_header = !status && is_name && at_symbol(text, ":");
    }
    return status;
}

static enum portolan_status read_header(struct automaton_text *text, const char *name, const struct position *at)
{
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (strcmp(headers[i].name, name) == 0)
            return headers[i].read(text);
    if (name[0] >= 'A' && name[0] <= 'Z')
        return lexer_fail(&text->reader.lexer, at, text->reader.error, "the header '%s:' is not known", name);
    return PORTOLAN_OK;
}

static enum portolan_status read_headers(struct automaton_text *text)
{
    char name[64];
    bool is_header;
    enum portolan_status status = hoa_next(&text->reader);
    if (!status && !token_is(current(text), "HOA"))
        return lexer_expected(&text->reader.lexer, text->reader.error, "'HOA:'");
    if (!status)
        status = hoa_next(&text->reader);
    if (!status)
        status = hoa_expect(&text->reader, ":");
    if (!status && !token_is(current(text), "v1"))
        return lexer_expected(&text->reader.lexer, text->reader.error, "version 'v1'");
    if (!status)
        status = hoa_next(&text->reader);
    while (!status) {
        status = skip_words(text, &is_header, name, sizeof name);
        if (status || !is_header)
            break;
        struct position at = current(text)->at;
        status = hoa_next(&text->reader);
        if (!status)
            status = read_header(text, name, &at);
    }
    if (!status && !text->has_acceptance)
        return complain(text, &current(text)->at, "there is no 'Acceptance:' header");
    return status ? status : hoa_expect(&text->reader, "--BODY--");
}

/* --------------------------------------------------------------------- body */

static enum portolan_status read_label(struct automaton_text *text, struct hoa_label *label, bool *given)
{
    *given = at_symbol(text, "[");
    if (!*given)
        return PORTOLAN_OK;
    enum portolan_status status = hoa_next(&text->reader);
    if (!status)
        status = hoa_label_read(&text->reader, label);
    return status ? status : hoa_expect(&text->reader, "]");
}

static enum portolan_status read_sets(struct automaton_text *text, uint64_t *sets)
{
    *sets = 0;
    if (!at_symbol(text, "{"))
        return PORTOLAN_OK;
    enum portolan_status status = hoa_next(&text->reader);
    while (!status && !at_symbol(text, "}")) {
        uint32_t set;
        status = hoa_integer(&text->reader, text->sets, "an acceptance set", &set);
        if (!status)
            *sets |= UINT64_C(1) << set;
    }
    return status ? status : hoa_next(&text->reader);
}

struct state_text {
    uint32_t number;
    struct hoa_label label;
    bool has_label;
    uint64_t sets;
    uint32_t implicit; /* edges without a label so far */
    uint32_t explicit;
};

static enum portolan_status read_edge(struct automaton_text *text, struct state_text *state)
{
    struct hoa_label label = {0};
    struct position at = current(text)->at;
    bool given;
    uint32_t target;
    uint64_t sets = 0;
    enum portolan_status status = read_label(text, &label, &given);
    if (!status && given && state->has_label)
        status = complain(text, &at, "the state has a label, so its edges have none");
    if (!status)
        status = read_state_number(text, &target);
    if (!status)
        status = read_sets(text, &sets);
    if (!status && !given && !state->has_label) {
        uint64_t all = (UINT64_C(1) << text->reader.atom_count) - 1, letter = state->implicit++;
        if (text->reader.atom_count > MAX_IMPLICIT_ATOMS || letter > all)
            status = complain(text, &at, "an edge without a label, and not one for each letter");
        else if (!vector_push(&label.cubes, ((struct hoa_cube){letter, all & ~letter})))
            status = fail_memory(text->reader.error);
    } else {
        state->explicit ++;
    }
    const struct hoa_label *used = state->has_label ? &state->label : &label;
    for (size_t i = 0; i < used->cubes.count && !status; i++)
        edges_add(&text->edges, (struct automaton_edge){.source = state->number,
                                                        .target = target,
                                                        .positive = used->cubes.item[i].positive,
                                                        .negative = used->cubes.item[i].negative,
                                                        .acceptance = sets | state->sets});
    hoa_label_clear(&label);
    return status ? status : text->edges.failed ? fail_memory(text->reader.error) : PORTOLAN_OK;
}

static enum portolan_status define(struct automaton_text *text, uint32_t state, const struct position *at)
{
    while (text->defined.count <= state)
        if (!vector_push(&text->defined, false))
            return fail_memory(text->reader.error);
    if (text->defined.item[state])
        return complain(text, at, "the state is described twice");
    text->defined.item[state] = true;
    return PORTOLAN_OK;
}

static enum portolan_status read_state(struct automaton_text *text)
{
    struct state_text state = {0};
    struct position at = current(text)->at;
    enum portolan_status status = hoa_next(&text->reader);
    if (!status)
        status = hoa_expect(&text->reader, ":");
    if (!status)
        status = read_label(text, &state.label, &state.has_label);
    if (!status)
        status = read_state_number(text, &state.number);
    if (!status)
        status = define(text, state.number, &at);
    if (!status && current(text)->kind == TOKEN_QUOTED)
        status = hoa_next(&text->reader);
    if (!status)
        status = read_sets(text, &state.sets);
    while (!status && (at_symbol(text, "[") || current(text)->kind == TOKEN_INTEGER))
        status = read_edge(text, &state);
    bool complete =
        state.implicit == 0 || (!state.explicit && state.implicit == UINT32_C(1) << text->reader.atom_count);
    if (!status && !complete)
        status = complain(text, &at, "the state has edges without a label, and not one for each letter");
    hoa_label_clear(&state.label);
    return status;
}

static enum portolan_status read_body(struct automaton_text *text)
{
    enum portolan_status status = PORTOLAN_OK;
    while (!status && token_is(current(text), "State"))
        status = read_state(text);
    if (status)
        return status;
    if (at_symbol(text, "--ABORT--"))
        return complain(text, &current(text)->at, "the automaton was given up by the program that wrote it");
    if (!at_symbol(text, "--END--"))
        return lexer_expected(&text->reader.lexer, text->reader.error, "an edge, 'State:' or '--END--'");
    return PORTOLAN_OK; /* what follows may be another automaton */
}

/* ---------------------------------------------------------------- the whole */

/* One initial state: that of the text, or a new one that can do what all of its initial states can. */
static uint32_t join_starts(struct automaton_text *text)
{
    uint32_t initial = text->largest++;
    size_t count = text->edges.list.count;
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < text->starts.count; s++)
            if (text->edges.list.item[i].source == text->starts.item[s]) {
                struct automaton_edge edge = text->edges.list.item[i];
                edge.source = initial;
                edges_add(&text->edges, edge);
            }
    return initial;
}

/* The sets that the acceptance condition uses, without gaps. */
static uint64_t without_gaps(uint64_t acceptance, uint64_t used)
{
    uint64_t result = 0;
    for (uint32_t place = 0; used; used &= used - 1, place++)
        result |= (acceptance >> __builtin_ctzll(used) & 1) << place;
    return result;
}

static enum portolan_status build(struct automaton_text *text, struct automaton **out)
{
    if (text->has_states && text->states > text->largest)
        text->largest = text->states;
    uint32_t initial = text->starts.count == 1 ? text->starts.item[0] : join_starts(text);
    for (size_t i = 0; i < text->edges.list.count; i++)
        text->edges.list.item[i].acceptance = without_gaps(text->edges.list.item[i].acceptance, text->used_sets);
    struct automaton *automaton =
        automaton_new(text->largest, initial, (uint32_t)__builtin_popcountll(text->used_sets), NULL);
    if (automaton && automaton_set_edges(automaton, &text->edges) && automaton_classify(automaton)) {
        free(automaton->atoms);
        automaton->atoms = text->atoms.item;
        automaton->atom_count = (uint32_t)text->atoms.count;
        text->atoms.item = NULL;
        text->atoms.count = 0;
        *out = automaton;
        return PORTOLAN_OK;
    }
    automaton_free(automaton);
    return fail_memory(text->reader.error);
}

enum portolan_status automaton_read_hoa(const char *file, const char *content, size_t length, struct automaton **out,
                                        struct portolan_error *error)
{
    struct automaton_text text = {.states = MAX_STATES, .reader = {.error = error}};
    *out = NULL;
    lexer_init(&text.reader.lexer, &hoa_rules, file, content, length);
    enum portolan_status status = read_headers(&text);
    if (!status)
        status = read_body(&text);
    if (!status)
        status = build(&text, out);
    for (size_t i = 0; i < text.atoms.count; i++)
        free(text.atoms.item[i]);
    free(text.atoms.item);
    free(text.starts.item);
    free(text.defined.item);
    free(text.edges.list.item);
    hoa_reader_clear(&text.reader);
    return status;
}
