/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of arcs and of initial markings: for(...) if(...) n * <( a, b )> + ... */
#include "front/lna/reader.h"

static bool is_tuple(const struct parser *p)
{
    return parser_is(p, "<") || parser_is(p, "epsilon");
}

/* n *, where the tuple does not come at once; a product may come before the last asterisk */
static enum portolan_status read_factor(struct parser *p, struct node **factor)
{
    if (is_tuple(p))
        return p->status;
    parse_tight(p, TIGHTER_THAN_TIMES, factor);
    parser_expect(p, "*", "'*'");
    while (!p->status && !is_tuple(p)) {
        if (parser_parent(p, NODE_BINARY, factor))
            return p->status;
        (*factor)->operation = OPERATION_MULTIPLY;
        parse_tight(p, TIGHTER_THAN_TIMES, &(*factor)->b);
        parser_expect(p, "*", "'*'");
    }
    return p->status;
}

/* <( a, b )>, or epsilon */
static enum portolan_status read_tuple(struct parser *p, struct node **tuple)
{
    if (parser_take(p, "epsilon"))
        return p->status;
    parser_expect(p, "<", "'<(' or epsilon");
    parser_expect(p, "(", "'('");
    lna_read_expressions(p, tuple);
    parser_expect(p, ")", "',' or ')>'");
    return parser_expect(p, ">", "'>'");
}

static enum portolan_status read_term(struct parser *p, struct arc_term **term)
{
    if (parser_get(p, sizeof **term, term))
        return p->status;
    struct arc_term *t = *term;
    t->at = p->lexer->token.at;
    if (parser_take(p, "for") && !lna_read_iterators(p, &t->iterators))
        parser_expect(p, ")", "',' or ')'");
    if (parser_take(p, "if")) {
        parser_expect(p, "(", "'('");
        parse_expression(p, &t->condition);
        parser_expect(p, ")", "')'");
    }
    read_factor(p, &t->multiplicity);
    return read_tuple(p, &t->tuple);
}

enum portolan_status lna_read_label(struct parser *p, struct arc_term **list)
{
    do {
        if (read_term(p, list))
            return p->status;
        list = &(*list)->next;
    } while (parser_take(p, "+"));
    return p->status;
}

/* WORD { place : label; ... } */
enum portolan_status lna_read_arcs(struct parser *p, const char *word, struct colour_arc **list)
{
    parser_expect_word(p, word);
    parser_expect(p, "{", "'{'");
    while (!p->status && !parser_is(p, "}")) {
        struct colour_arc *arc;
        const char *name = NULL;
        if (parser_get(p, sizeof *arc, &arc))
            return p->status;
        arc->at = p->lexer->token.at;
        if (!parser_new_name(p, "the name of a place or '}'", &name) && !lna_find_place(p, name, &arc->place))
            lna_unknown_place(p, &arc->at, name);
        parser_expect(p, ":", "':'");
        lna_read_label(p, &arc->label);
        parser_expect(p, ";", "'+' or ';'");
        *list = arc;
        list = &arc->next;
    }
    return parser_expect(p, "}", "'}'");
}

/* --------------------------------------------------------------------- typing */

/* A token that is only looked for may lie outside of the domain: then it is not there. */
static enum portolan_status type_tuple(struct parser *p, struct arc_term *term, const struct colour_place *place,
                                       bool checks)
{
    const struct colour_type *const *type = place->domain.item;
    for (struct node **component = &term->tuple; *component && !p->status; component = &(*component)->next, type++)
        if (checks || (*component)->kind == NODE_NUMBER)
            lna_type_value(p, component, *type);
        else
            lna_type_like(p, component, *type);
    return p->status;
}

static enum portolan_status check_length(struct parser *p, const struct arc_term *term,
                                         const struct colour_place *place)
{
    size_t count = 0, wanted = place->domain.count;
    for (const struct node *component = term->tuple; component; component = component->next)
        count++;
    if (count == wanted)
        return p->status;
    if (wanted == 0)
        return parser_fail(p, &term->at, "the tokens of '%.64s' have no value: epsilon", place->name);
    return parser_fail(p, &term->at, "the tokens of '%.64s' have %zu components, not %zu", place->name, wanted, count);
}

enum portolan_status lna_type_label(struct parser *p, struct arc_term *list, const struct colour_place *place,
                                    bool checks)
{
    for (; list && !p->status; list = list->next) {
        size_t outside = p->syntax->locals.count;
        lna_type_iterators(p, list->iterators);
        if (list->condition)
            lna_type_condition(p, &list->condition);
        if (list->multiplicity)
            lna_type_value(p, &list->multiplicity, p->syntax->integer);
        if (!p->status && !check_length(p, list, place))
            type_tuple(p, list, place, checks);
        p->syntax->locals.count = outside;
    }
    return p->status;
}
