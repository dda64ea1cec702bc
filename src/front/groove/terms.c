/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions in labels of rules: "let:a = b + 1" gives the field a of the node a new value, "test:a < x.b" asks for
 * one; x is the id of another node.  Each field that is read becomes an edge to a value, each operator an operation.
 * From weak to strong:  |  &  == !=  < <= > >=  + -  * / %  - !  and calls, as max(a,b) or real:toInt(a).
 */
#include "base/diagnostic.h"
#include "front/groove/draft.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 100 };

struct term {
    const struct operator_of_values *operator; /* NULL: a constant or a field */
    enum sort sort;                            /* of the value; SORT_NONE: not known yet */
    enum sort operand;                         /* of the operands, the same */
    struct term *operands[MOST_OPERANDS];
    uint32_t value; /* of a constant, else NO_NUMBER */
    uint32_t owner; /* of a field: a node of the draft */
    const char *field;
    struct place at;
};

struct parser {
    struct draft *draft;
    uint32_t owner;
    const char *start, *next;
    struct place at; /* of start */
    unsigned depth;
};

static struct term *parse_binary(struct parser *parser, unsigned strength);

static struct place here(const struct parser *parser)
{
    return (struct place){parser->at.line, parser->at.column + (unsigned)(parser->next - parser->start)};
}

static struct term *bad(struct parser *parser, const char *what)
{
    draft_wrong(parser->draft, here(parser), what);
    return NULL;
}

static bool take(struct parser *parser, const char *text)
{
    parser->next += strspn(parser->next, " \t\r\n");
    if (strncmp(parser->next, text, strlen(text)) != 0)
        return false;
    parser->next += strlen(text);
    return true;
}

static struct term *new_term(struct parser *parser)
{
    struct term *term = arena_get(&parser->draft->labels.reading->scratch, sizeof *term);
    if (!term) {
        no_memory(parser->draft->labels.reading);
        return NULL;
    }
    *term = (struct term){.value = NO_NUMBER, .owner = parser->owner, .at = here(parser)};
    return term;
}

static const char *take_name(struct parser *parser)
{
    size_t length = 0;
    while (isalnum((unsigned char)parser->next[length]) || parser->next[length] == '_' || parser->next[length] == '$')
        length++;
    const char *name = keep(parser->draft->labels.reading, parser->next, length);
    parser->next += length;
    return name;
}

/* ------------------------------------------------------------------ sorts */

/* Gives a term whose sort is open the one that is wanted, down to its fields; false: it has another. */
static bool settle(struct parser *parser, struct term *term, enum sort wanted)
{
    if (wanted == SORT_NONE || (term->sort != SORT_NONE && term->sort == wanted))
        return true;
    if (term->sort != SORT_NONE)
        return draft_wrong(parser->draft, term->at, "this does not have the sort that is expected here");
    term->sort = wanted;
    if (!term->operator|| term->operator->result != SORT_NONE)
        return true;
    if (!(term->operator->sorts &(1U << wanted)))
        return draft_wrong(parser->draft, term->at, "this operator does not apply to values of this sort");
    term->operand = wanted;
    for (uint32_t i = term->operator->kind == OPERATOR_ITE; i < term->operator->operands; i++)
        if (!settle(parser, term->operands[i], wanted))
            return false;
    return true;
}

/* The sort of the operands, as far as one of them tells. */
static bool settle_operands(struct parser *parser, struct term *term)
{
    const struct operator_of_values *operator= term->operator;
    uint32_t first = operator->kind == OPERATOR_ITE;
    if (first && !settle(parser, term->operands[0], SORT_BOOL))
        return false;
    for (uint32_t i = first; i < operator->operands; i++)
        if (term->operand == SORT_NONE)
            term->operand = term->operands[i]->sort;
    if (term->operand == SORT_NONE && (operator->sorts &(operator->sorts - 1)) == 0)
        term->operand = (enum sort)__builtin_ctz(operator->sorts);
    if (operator->kind == OPERATOR_ADD && term->operand == SORT_STRING)
        operator= term->operator= find_operator("concat", SORT_STRING);
    if (term->operand != SORT_NONE && !(operator->sorts &(1U << term->operand)))
        return draft_wrong(parser->draft, term->at, "this operator does not apply to values of this sort");
    for (uint32_t i = first; i < operator->operands; i++)
        if (!settle(parser, term->operands[i], term->operand))
            return false;
    term->sort = operator->result != SORT_NONE ? operator->result : term->operand;
    return true;
}

/* ------------------------------------------------------------------ parsing */

static struct term *parse_call(struct parser *parser, const char *name, enum sort sort)
{
    struct term *term = new_term(parser);
    if (!term)
        return NULL;
    term->operand = sort;
    term->operator= find_operator(name, sort);
    if (!term->operator)
        return bad(parser, "this operator is not known, or not supported");
    for (uint32_t i = 0; i < term->operator->operands; i++) {
        if (i > 0 && !take(parser, ","))
            return bad(parser, "',' is expected here");
        if (!(term->operands[i] = parse_binary(parser, 0)))
            return NULL;
    }
    if (!take(parser, ")"))
        return bad(parser, "')' is expected here");
    return settle_operands(parser, term) ? term : NULL;
}

static bool find_owner(struct parser *parser, const char *id, uint32_t *owner)
{
    if (strcmp(id, "self") == 0)
        return true;
    for (uint32_t i = 0; i < parser->draft->gxl->nodes.count; i++)
        if (parser->draft->nodes[i].id && strcmp(parser->draft->nodes[i].id, id) == 0) {
            *owner = i;
            return true;
        }
    return groove_wrong(parser->draft->labels.reading, parser->draft->labels.file, here(parser),
                        "no node of the rule has the id '%.80s'", id);
}

/* a, x.a, int:a, max(a,b), real:toInt(a) */
static struct term *parse_name(struct parser *parser)
{
    static const char *const sorts[] = {"", "int", "real", "bool", "string"};
    enum sort sort = SORT_NONE;
    const char *name = take_name(parser);
    for (enum sort s = SORT_INT; name && s <= SORT_STRING; s++)
        if (strcmp(name, sorts[s]) == 0 && take(parser, ":")) {
            sort = s;
            name = take_name(parser);
        }
    if (!name)
        return NULL;
    if (take(parser, "("))
        return parse_call(parser, name, sort);
    struct term *term = new_term(parser);
    if (!term)
        return NULL;
    term->sort = sort;
    if (take(parser, ".")) {
        if (!find_owner(parser, name, &term->owner) || !(name = take_name(parser)))
            return NULL;
    }
    term->field = name;
    return *name ? term : bad(parser, "a name is expected here");
}

/* Where the constant that begins here ends. */
static size_t constant_length(const char *text)
{
    size_t length = 0;
    if (*text != '"')
        return strspn(text, "0123456789.");
    for (length = 1; text[length] && text[length] != '"'; length++)
        length += text[length] == '\\' && text[length + 1];
    return length + (text[length] == '"');
}

static struct term *parse_constant(struct parser *parser, size_t length)
{
    struct reading *reading = parser->draft->labels.reading;
    struct term *term = new_term(parser);
    const char *text = keep(reading, parser->next, length);
    if (!term || !text ||
        !constant_number(reading, parser->draft->labels.file, term->at, text, SORT_NONE, &term->value))
        return NULL;
    parser->next += length;
    term->sort = reading->grammar->values.item[term->value].sort;
    return term;
}

static struct term *parse_unary(struct parser *parser, const char *operator, enum sort sort)
{
    struct term *term = new_term(parser);
    if (!term)
        return NULL;
    if (++parser->depth > DEEPEST)
        return bad(parser, "the expression is nested too deeply");
    term->operator= find_operator(operator, sort);
    term->operands[0] = parse_binary(parser, 100);
    parser->depth--;
    return term->operands[0] && settle_operands(parser, term) ? term : NULL;
}

static struct term *parse_atom(struct parser *parser)
{
    if (take(parser, "(")) {
        struct term *term = parse_binary(parser, 0);
        return !term || take(parser, ")") ? term : bad(parser, "')' is expected here");
    }
    if (take(parser, "-"))
        return parse_unary(parser, "neg", SORT_NONE);
    if (take(parser, "!"))
        return parse_unary(parser, "not", SORT_BOOL);
    size_t length = constant_length(parser->next);
    for (size_t i = 4; length == 0 && i <= 5; i++)
        if (strncmp(parser->next, i == 4 ? "true" : "false", i) == 0 && !isalnum((unsigned char)parser->next[i]) &&
            parser->next[i] != '_')
            length = i;
    if (length > 0)
        return parse_constant(parser, length);
    if (isalpha((unsigned char)*parser->next) || *parser->next == '_')
        return parse_name(parser);
    return bad(parser, "a value, the name of a field or an operator is expected here");
}

static const struct infix {
    const char *symbol, *name;
    unsigned strength;
} infixes[] = {{"||", "or", 1}, {"|", "or", 1},  {"&&", "and", 2}, {"&", "and", 2}, {"==", "eq", 3}, {"!=", "neq", 3},
               {"<=", "le", 4}, {">=", "ge", 4}, {"<", "lt", 4},   {">", "gt", 4},  {"=", "eq", 3},  {"+", "add", 5},
               {"-", "sub", 5}, {"*", "mul", 6}, {"/", "div", 6},  {"%", "mod", 6}};

static const struct infix *take_infix(struct parser *parser, unsigned strength)
{
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++) {
        const char *before = parser->next;
        if (!take(parser, infixes[i].symbol))
            continue;
        if (infixes[i].strength > strength)
            return &infixes[i];
        parser->next = before;
        return NULL;
    }
    return NULL;
}

static struct term *parse_binary(struct parser *parser, unsigned strength)
{
    if (++parser->depth > DEEPEST)
        return bad(parser, "the expression is nested too deeply");
    struct term *left = parse_atom(parser);
    const struct infix *infix;
    while (left && (infix = take_infix(parser, strength))) {
        struct term *term = new_term(parser);
        if (!term)
            return NULL;
        term->operator= find_operator(infix->name, SORT_NONE);
        term->operands[0] = left;
        term->operands[1] = parse_binary(parser, infix->strength);
        left = term->operands[1] && settle_operands(parser, term) ? term : NULL;
    }
    parser->depth--;
    return left;
}

/* ------------------------------------------------------------------ into the rule */

static bool is_forbidden(const struct draft *draft, uint32_t node)
{
    return draft->nodes[node].role == ASPECT_EMBARGO;
}

static uint32_t value_node(struct draft *draft, const struct term *term, enum sort sort, uint32_t value)
{
    return add_rule_node(
        draft,
        (struct rule_node){.role = is_forbidden(draft, term->owner) && value == NO_NUMBER ? ROLE_EMBARGO : ROLE_READER,
                           .level = draft->nodes[term->owner].level,
                           .embargo = NO_NUMBER,
                           .type = NO_NUMBER,
                           .type_variable = NO_NUMBER,
                           .sort = sort,
                           .value = value,
                           .line = term->at.line,
                           .column = term->at.column});
}

static bool field_edge(struct draft *draft, const struct term *term, const char *field, enum role role, uint32_t value)
{
    uint32_t label = grammar_label(draft->labels.reading->grammar, LABEL_BINARY, field);
    struct rule_edge edge = {.role = role == ROLE_READER && is_forbidden(draft, term->owner) ? ROLE_EMBARGO : role,
                             .kind = EDGE_LABEL,
                             .level = draft->nodes[term->owner].level,
                             .embargo = NO_NUMBER,
                             .from = draft->nodes[term->owner].number,
                             .to = value,
                             .label = label,
                             .choice = NO_NUMBER,
                             .path = NO_NUMBER,
                             .line = term->at.line,
                             .column = term->at.column};
    return label == NO_NUMBER ? no_memory(draft->labels.reading) : add_rule_edge(draft, edge);
}

/* The value that an edge of this rule already reads or deletes, so that one field is one value; NO_NUMBER: none. */
static uint32_t known_field(const struct draft *draft, const struct term *term, const char *field)
{
    const struct rule *rule = draft->labels.rule;
    for (size_t i = 0; i < rule->edges.count; i++) {
        const struct rule_edge *edge = &rule->edges.item[i];
        if (edge->kind == EDGE_LABEL && (edge->role == ROLE_READER || edge->role == ROLE_ERASER) &&
            edge->from == draft->nodes[term->owner].number && rule->nodes.item[edge->to].sort != SORT_NONE &&
            strcmp(draft->labels.reading->grammar->labels.item[edge->label].text, field) == 0)
            return edge->to;
    }
    return NO_NUMBER;
}

static uint32_t emit(struct draft *draft, const struct term *term, uint32_t result);

static uint32_t emit_field(struct draft *draft, const struct term *term, uint32_t result)
{
    if (term->sort == SORT_NONE) {
        groove_wrong(draft->labels.reading, draft->labels.file, term->at, "the sort of '%.80s' is not known here",
                     term->field);
        hint(draft->labels.reading->error, "write int:%s, or real:, bool:, string:", term->field);
        return NO_NUMBER;
    }
    if (draft->nodes[term->owner].number == NO_NUMBER) {
        draft_wrong(draft, term->at, "quantifiers and products have no fields");
        return NO_NUMBER;
    }
    if (result == NO_NUMBER) {
        result = known_field(draft, term, term->field);
        if (result != NO_NUMBER)
            return result;
        result = value_node(draft, term, term->sort, NO_NUMBER);
    }
    return result != NO_NUMBER && field_edge(draft, term, term->field, ROLE_READER, result) ? result : NO_NUMBER;
}

static uint32_t emit_operation(struct draft *draft, const struct term *term, uint32_t result)
{
    struct rule_operation operation = {.kind = term->operator->kind,
                                       .sort = term->operand,
                                       .level = draft->nodes[term->owner].level,
                                       .operand_count = term->operator->operands,
                                       .line = term->at.line,
                                       .column = term->at.column};
    if (term->operand == SORT_NONE) {
        draft_wrong(draft, term->at, "the sort of these values is not known");
        return NO_NUMBER;
    }
    for (uint32_t i = 0; i < operation.operand_count; i++)
        if ((operation.operand[i] = emit(draft, term->operands[i], NO_NUMBER)) == NO_NUMBER)
            return NO_NUMBER;
    operation.result = result != NO_NUMBER ? result : value_node(draft, term, term->sort, NO_NUMBER);
    return operation.result != NO_NUMBER && add_operation(draft, operation) ? operation.result : NO_NUMBER;
}

/* The node that has the value of the term: `result` if it is given, which then must be equal. */
static uint32_t emit(struct draft *draft, const struct term *term, uint32_t result)
{
    if (term->operator)
        return emit_operation(draft, term, result);
    return term->value == NO_NUMBER ? emit_field(draft, term, result)
                                    : value_node(draft, term, term->sort, term->value);
}

static struct term *parse_all(struct parser *parser)
{
    struct term *term = parse_binary(parser, 0);
    if (term && *(parser->next += strspn(parser->next, " \t\r\n")))
        return bad(parser, "the expression goes on here, but an operator is expected");
    return term;
}

/* test: the expression is true */
static bool read_test(struct parser *parser)
{
    struct draft *draft = parser->draft;
    struct term *term = parse_all(parser);
    if (!term || !settle(parser, term, SORT_BOOL))
        return false;
    if (term->value != NO_NUMBER)
        return draft_wrong(draft, term->at, "a constant tests nothing");
    uint32_t truth = grammar_value(draft->labels.reading->grammar, (struct value){.sort = SORT_BOOL, .integer = 1});
    if (truth == NO_NUMBER)
        return no_memory(draft->labels.reading);
    uint32_t node = value_node(draft, term, SORT_BOOL, truth);
    return node != NO_NUMBER && emit(draft, term, node) != NO_NUMBER;
}

/* let: the field loses its value and has that of the expression */
static bool read_let(struct parser *parser)
{
    struct draft *draft = parser->draft;
    const struct draft_node *owner = &draft->nodes[parser->owner];
    take(parser, "");
    struct place at = here(parser);
    const char *field = take_name(parser);
    if (!field)
        return false;
    if (!*field || !take(parser, "="))
        return draft_wrong(draft, here(parser), "'let:' needs a name, '=' and an expression");
    if (owner->role == ASPECT_EMBARGO || owner->role == ASPECT_ERASER || owner->number == NO_NUMBER)
        return draft_wrong(draft, at, "this node cannot be given a value");
    struct term *term = parse_all(parser);
    if (!term)
        return false;
    struct term place = {.owner = parser->owner, .at = at};
    uint32_t after = emit(draft, term, NO_NUMBER);
    if (after == NO_NUMBER)
        return false;
    if (owner->role != ASPECT_CREATOR && owner->role != ASPECT_ADDER) {
        uint32_t before = known_field(draft, &place, field);
        if (before == NO_NUMBER)
            before = value_node(draft, &place, term->sort, NO_NUMBER);
        if (before == NO_NUMBER || !field_edge(draft, &place, field, ROLE_ERASER, before))
            return false;
    }
    return field_edge(draft, &place, field, ROLE_CREATOR, after);
}

bool draft_terms(struct draft *draft)
{
    for (size_t i = 0; i < draft->gxl->edges.count; i++) {
        const struct gxl_edge *edge = &draft->gxl->edges.item[i];
        struct label_parts parts;
        if (*edge->label == '\0' || draft->nodes[edge->from].is_remark)
            continue;
        if (!label_split(draft->labels.reading, draft->labels.file, edge, IN_RULE, &parts))
            return false;
        if (parts.aspect != ASPECT_LET && parts.aspect != ASPECT_TEST)
            continue;
        struct parser parser = {
            .draft = draft, .owner = edge->from, .start = parts.text, .next = parts.text, .at = parts.at};
        if (edge->from != edge->to)
            return draft_wrong(draft, parts.at, "'let:' and 'test:' are labels of one node");
        if (!(parts.aspect == ASPECT_LET ? read_let(&parser) : read_test(&parser)))
            return false;
    }
    return true;
}
