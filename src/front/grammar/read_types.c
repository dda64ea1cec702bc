/* SPDX-License-Identifier: Apache-2.0 */
/* The type graph of a .gg file, and what it says of nodes and edges. */
#include "front/grammar/ast.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <string.h>

static const char *const sort_words[] = {"", "int", "real", "bool", "string"};

enum sort gg_sort_of_word(const char *word)
{
    for (enum sort sort = SORT_INT; sort <= SORT_STRING; sort++)
        if (strcmp(sort_words[sort], word) == 0)
            return sort;
    return SORT_NONE;
}

const char *gg_sort_word(enum sort sort)
{
    return sort_words[sort];
}

uint32_t gg_sort_type(struct reader *r, enum sort sort)
{
    return gg_label_number(r, LABEL_TYPE, sort_words[sort]);
}

static const struct node_type *find_type(const struct reader *r, uint32_t label)
{
    for (size_t i = 0; i < r->grammar->node_types.count; i++)
        if (r->grammar->node_types.item[i].label == label)
            return &r->grammar->node_types.item[i];
    return NULL;
}

bool gg_is_abstract_type(const struct reader *r, uint32_t type)
{
    const struct node_type *found = find_type(r, type);
    return found && found->is_abstract;
}

static enum portolan_status unknown_type(struct reader *r, const struct label_text *type)
{
    struct nearest nearest = nearest_to(type->text);
    for (size_t i = 0; i < r->grammar->node_types.count; i++)
        nearest_offer(&nearest, r->grammar->labels.item[r->grammar->node_types.item[i].label].text);
    parser_fail(&r->parser, &type->at, "there is no type '%.100s'", type->text);
    if (nearest.best)
        hint(r->parser.error, "did you mean %s?", nearest.best);
    else
        hint(r->parser.error, "a block 'types' must declare every type");
    return r->parser.status;
}

uint32_t gg_type_number(struct reader *r, const struct label_text *type)
{
    uint32_t label = gg_label_number(r, LABEL_TYPE, type->text);
    if (!r->parser.status && r->grammar->is_typed && !find_type(r, label))
        unknown_type(r, type);
    return label;
}

/* ------------------------------------------------------------------ subtypes and edges */

static bool type_fits(const struct reader *r, uint32_t type, uint32_t allowed, bool of_any_subtype)
{
    return type == NO_NUMBER || is_subtype(r->grammar, type, allowed) ||
           (of_any_subtype && is_subtype(r->grammar, allowed, type));
}

static const char *type_text(const struct reader *r, uint32_t type)
{
    return type == NO_NUMBER ? "any node" : r->grammar->labels.item[type].text;
}

enum portolan_status gg_check_edge_type(struct reader *r, uint32_t from, uint32_t label, uint32_t to,
                                        bool of_any_subtype, const struct position *at)
{
    const struct grammar *grammar = r->grammar;
    if (r->parser.status || !grammar->is_typed)
        return r->parser.status;
    for (size_t i = 0; i < grammar->edge_types.count; i++) {
        const struct edge_type *edge = &grammar->edge_types.item[i];
        if (edge->label == label && type_fits(r, from, edge->from, of_any_subtype) &&
            (grammar->labels.item[label].kind == LABEL_FLAG || type_fits(r, to, edge->to, of_any_subtype)))
            return PORTOLAN_OK;
    }
    if (grammar->labels.item[label].kind == LABEL_FLAG) {
        parser_fail(&r->parser, at, "'%.100s' has no flag '%.100s'", type_text(r, from),
                    grammar->labels.item[label].text);
        hint(r->parser.error, "declare it with the type: %.100s [%.100s]", type_text(r, from),
             grammar->labels.item[label].text);
    } else {
        parser_fail(&r->parser, at, "the types allow no edge '%.100s' from %.100s to %.100s",
                    grammar->labels.item[label].text, type_text(r, from), type_text(r, to));
        hint(r->parser.error, "allowed edges are declared in the block 'types'");
    }
    return r->parser.status;
}

/* ------------------------------------------------------------------ reading */

static enum portolan_status parse_count(struct reader *r, uint32_t *number)
{
    const struct token *token = &r->lexer.token;
    if (parser_take(&r->parser, "*")) {
        *number = NO_NUMBER;
        return r->parser.status;
    }
    if (r->parser.status || token->kind != TOKEN_INTEGER)
        return parser_expected(&r->parser, "a number or '*'");
    if (token->value >= NO_NUMBER)
        return parser_fail(&r->parser, &token->at, "the number is too large");
    *number = (uint32_t)token->value;
    return parser_advance(&r->parser);
}

/* in 0..1, out 1..*, out 2 */
static enum portolan_status parse_multiplicity(struct reader *r, uint32_t *least, uint32_t *most)
{
    struct position at = r->lexer.token.at;
    parse_count(r, least);
    *most = *least;
    if (parser_take(&r->parser, ".."))
        parse_count(r, most);
    if (!r->parser.status && *least > *most)
        return parser_fail(&r->parser, &at, "the lower bound is above the upper one");
    if (*least == NO_NUMBER)
        *least = 0;
    return r->parser.status;
}

static uint32_t parse_end(struct reader *r)
{
    struct label_text type = {.at = r->lexer.token.at};
    if (gg_parse_label(r, "a type", &type.text))
        return NO_NUMBER;
    enum sort sort = gg_sort_of_word(type.text);
    return sort == SORT_NONE ? gg_type_number(r, &type) : gg_sort_type(r, sort);
}

static enum portolan_status add_edge_type(struct reader *r, const struct edge_type *edge)
{
    if (!r->parser.status && !vector_push(&r->grammar->edge_types, *edge))
        gg_no_memory(r);
    return r->parser.status;
}

static enum portolan_status read_edge_type(struct reader *r, uint32_t from)
{
    struct edge_type edge = {.from = from, .most_in = NO_NUMBER, .most_out = NO_NUMBER};
    const char *label;
    if (gg_parse_label(r, "a label", &label))
        return r->parser.status;
    edge.label = gg_label_number(r, LABEL_BINARY, label);
    parser_expect(&r->parser, "->", "'->'");
    edge.to = parse_end(r);
    while (parser_is(&r->parser, "in") || parser_is(&r->parser, "out")) {
        bool is_in = parser_is(&r->parser, "in");
        parser_advance(&r->parser);
        parse_multiplicity(r, is_in ? &edge.least_in : &edge.least_out, is_in ? &edge.most_in : &edge.most_out);
    }
    return add_edge_type(r, &edge);
}

static enum portolan_status read_supertypes(struct reader *r, struct node_type *type)
{
    do {
        struct label_text super = {.at = r->lexer.token.at};
        if (gg_parse_label(r, "a type", &super.text))
            return r->parser.status;
        uint32_t label = gg_type_number(r, &super);
        if (!r->parser.status && !vector_push(&type->supertypes, label))
            return gg_no_memory(r);
    } while (parser_take(&r->parser, ","));
    return r->parser.status;
}

/* [hungry, dead]: loops that only this type and its subtypes have. */
static enum portolan_status read_type_flags(struct reader *r, uint32_t type)
{
    do {
        const char *flag;
        if (gg_parse_label(r, "a flag", &flag))
            return r->parser.status;
        struct edge_type edge = {.from = type,
                                 .label = gg_label_number(r, LABEL_FLAG, flag),
                                 .to = type,
                                 .most_in = NO_NUMBER,
                                 .most_out = NO_NUMBER};
        add_edge_type(r, &edge);
    } while (parser_take(&r->parser, ","));
    return parser_expect(&r->parser, "]", "',' or ']'");
}

static enum portolan_status declare_type(struct reader *r, const struct label_text *name, bool is_abstract)
{
    struct node_type type = {.label = gg_label_number(r, LABEL_TYPE, name->text), .is_abstract = is_abstract};
    if (r->parser.status)
        return r->parser.status;
    if (find_type(r, type.label) || gg_sort_of_word(name->text) != SORT_NONE)
        return parser_fail(&r->parser, &name->at, "the type '%.100s' is already declared", name->text);
    if (parser_take(&r->parser, "<"))
        read_supertypes(r, &type);
    if (r->parser.status || !vector_push(&r->grammar->node_types, type)) {
        free(type.supertypes.item);
        return r->parser.status ? r->parser.status : gg_no_memory(r);
    }
    return parser_take(&r->parser, "[") ? read_type_flags(r, type.label) : r->parser.status;
}

static enum portolan_status read_type(struct reader *r)
{
    struct label_text name = {0};
    bool is_abstract = parser_take(&r->parser, "abstract");
    name.at = r->lexer.token.at;
    if (gg_parse_label(r, "a type", &name.text))
        return r->parser.status;
    if (!is_abstract && parser_take(&r->parser, "-"))
        return read_edge_type(r, gg_type_number(r, &name));
    return declare_type(r, &name, is_abstract);
}

enum portolan_status gg_read_types(struct reader *r)
{
    if (r->grammar->rules.count || names_count(&r->graphs))
        return parser_fail(&r->parser, &r->lexer.token.at, "'types' must come before graphs and rules");
    parser_advance(&r->parser);
    r->grammar->is_typed = true;
    parser_expect(&r->parser, "{", "'{'");
    while (!r->parser.status && !parser_is(&r->parser, "}")) {
        read_type(r);
        if (!parser_take(&r->parser, ";") && !parser_is(&r->parser, "}"))
            parser_expected(&r->parser, "';' or '}'");
    }
    return parser_expect(&r->parser, "}", "'}'");
}
