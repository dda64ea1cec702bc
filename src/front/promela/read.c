/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations of a Promela model: types, variables, channels, proctypes, inlines, claims, formulas. */
#include "base/diagnostic.h"
#include "front/promela/ast.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CELLS = 1 << 20, MOST_ACTIVE = 255 };

void promela_syntax_clear(struct syntax *s)
{
    for (struct record *r = s->records; r; r = r->next)
        free(r->fields.item);
    for (struct inline_text *i = s->inlines; i; i = i->next)
        free(i->parameters.item);
    for (size_t i = 0; i < s->proctypes.count; i++)
        free(s->proctypes.item[i]->variables.item);
    free(s->lines.item);
    free(s->globals.item);
    free(s->mtypes.item);
    free(s->proctypes.item);
    free(s->formulas.item);
    free(s->c_texts.item);
    free(s->c_pieces.item);
    free(s->c_variables.item);
    free(s->text);
    lexer_clear(&s->lexer);
    arena_clear(&s->arena);
}

/* Appends to a list of the syntax; failing allocations are errors of the parser. */
#define add(parser, vector, value)                                                                                     \
    ((parser)->status || vector_push(vector, value) ? (parser)->status                                                 \
                                                    : ((parser)->status = fail_memory((parser)->error)))

/* --------------------------------------------------------------------------- types */

struct integer_type promela_integer(struct promela_type type)
{
    switch (type.kind) {
    case TYPE_BIT:
    case TYPE_BOOL: return (struct integer_type){0, 1, 1, true};
    case TYPE_SHORT: return (struct integer_type){INT16_MIN, INT16_MAX, 16, true};
    case TYPE_INT: return PROMELA_NUMBERS;
    case TYPE_UNSIGNED: return (struct integer_type){0, (INT64_C(1) << type.bits) - 1, (uint8_t)type.bits, true};
    default: return BYTE_WRAPPING;
    }
}

struct integer_type promela_stored(const struct channel_shape *shape, uint32_t field)
{
    struct promela_type type = shape->types[field];
    bool is_bit = type.kind == TYPE_BIT || type.kind == TYPE_BOOL;
    return is_bit && shape->fields == 1 ? BYTE_WRAPPING : promela_integer(type);
}

struct integer_type promela_values(const struct declared *v)
{
    if (v->is_array && (v->type.kind == TYPE_BIT || v->type.kind == TYPE_BOOL))
        return BYTE_WRAPPING;
    return promela_integer(v->type);
}

uint32_t promela_cells(const struct declared *v)
{
    return v->type.kind == TYPE_RECORD ? v->type.record->cells : 1;
}

static struct record *find_record(const struct parser *parser)
{
    for (struct record *r = parser->syntax->records; r; r = r->next)
        if (parser_is(parser, r->name))
            return r;
    return NULL;
}

static const char *const type_words[] = {"bit", "bool", "byte", "pid", "mtype", "chan", "short", "int", "unsigned"};

static bool find_type(const struct parser *parser, struct promela_type *type)
{
    *type = (struct promela_type){.kind = TYPE_BIT};
    for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++)
        if (parser_is(parser, type_words[i])) {
            type->kind = (enum type_kind)i;
            return true;
        }
    type->kind = TYPE_RECORD;
    type->record = find_record(parser);
    return type->record;
}

static bool has_visibility(const struct parser *parser)
{
    return parser_is(parser, "hidden") || parser_is(parser, "show") || parser_is(parser, "local");
}

bool promela_starts_declaration(const struct parser *parser)
{
    struct promela_type type;
    return has_visibility(parser) || find_type(parser, &type);
}

/* --------------------------------------------------------------------------- names */

struct declared *promela_find(const struct syntax *s, const char *name)
{
    for (const struct scope *scope = s->scope; scope; scope = scope->outer)
        for (struct declared *v = scope->first; v; v = v->next)
            if (strcmp(v->name, name) == 0)
                return v;
    return NULL;
}

bool promela_has_claims(const struct syntax *s)
{
    for (size_t i = 0; i < s->proctypes.count; i++)
        if (s->proctypes.item[i]->is_claim)
            return true;
    return s->formulas.count;
}

struct proctype *promela_proctype(const struct syntax *s, const char *name)
{
    for (size_t i = 0; i < s->proctypes.count; i++)
        if (strcmp(s->proctypes.item[i]->name, name) == 0)
            return s->proctypes.item[i];
    return NULL;
}

static enum portolan_status declare(struct parser *parser, struct declared *v)
{
    struct syntax *s = parser->syntax;
    for (const struct declared *other = s->scope->first; other; other = other->next)
        if (strcmp(other->name, v->name) == 0)
            return parser_fail(parser, &v->at, "'%s' is declared twice", v->name);
    uint32_t *cells = s->present ? &s->present->cells : &s->cells;
    uint64_t more = (uint64_t)promela_cells(v) * v->length;
    v->offset = *cells;
    v->proctype = s->present;
    v->is_claims = s->in_claim;
    if (*cells + more > MOST_CELLS)
        return parser_fail(parser, &v->at, "the variables are too large: more than %d numbers", MOST_CELLS);
    *cells += (uint32_t)more;
    v->next = s->scope->first;
    s->scope->first = v;
    return s->present ? add(parser, &s->present->variables, v) : add(parser, &s->globals, v);
}

enum portolan_status promela_declare_nameless(struct parser *parser, struct proctype *scope, struct declared *v)
{
    struct syntax *s = parser->syntax;
    struct scope nobodys = {0}, *before = s->scope;
    struct proctype *present = s->present;
    s->scope = &nobodys;
    s->present = scope;
    declare(parser, v);
    s->scope = before;
    s->present = present;
    return parser->status;
}

/* ---------------------------------------------------------------------- variables */

static void add_shape(struct parser *parser, struct channel_shape *shape, struct promela_type type)
{
    if (type.kind == TYPE_RECORD) {
        for (size_t i = 0; i < type.record->fields.count; i++) {
            const struct declared *field = type.record->fields.item[i];
            for (uint32_t k = 0; k < field->length && !parser->status; k++)
                add_shape(parser, shape, field->type);
        }
    } else if (shape->fields == MOST_FIELDS) {
        parser_fail(parser, &parser->lexer->token.at, "a message has more than %d values", MOST_FIELDS);
    } else {
        shape->types[shape->fields++] = type;
    }
}

static enum portolan_status parse_bits(struct parser *parser, struct promela_type *type)
{
    struct node *bits = NULL;
    int64_t value = 32;
    struct position at = parser->lexer->token.at;
    if (parser_take(parser, ":")) {
        parse_tight(parser, PRECEDENCE_SUM, &bits);
        promela_constant(parser, bits, &value);
    }
    if (!parser->status && (value < 1 || value > 32))
        return parser_fail(parser, &at, "an unsigned number has 1 to 32 bits");
    type->bits = (unsigned)value;
    return parser->status;
}

/* [capacity] of { types } */
static enum portolan_status parse_shape(struct parser *parser, struct declared *v)
{
    struct channel_shape *shape;
    struct node *capacity = NULL;
    int64_t value;
    if (parser_get(parser, sizeof *shape, &shape) || !parse_index(parser, &capacity) ||
        promela_constant(parser, capacity, &value))
        return parser->status;
    if (value < 0 || value > UINT8_MAX)
        return parser_fail(parser, &capacity->at, "a channel holds 0 to 255 messages");
    shape->capacity = (uint32_t)value;
    parser_expect_word(parser, "of");
    parser_expect(parser, "{", "'{'");
    do {
        struct promela_type type;
        if (parser->status || !find_type(parser, &type))
            return parser_expected(parser, "a type");
        parser_advance(parser);
        if (type.kind == TYPE_UNSIGNED)
            parse_bits(parser, &type);
        else if (type.kind == TYPE_MTYPE && parser_take(parser, ":"))
            parser_name(parser, "the name of a subtype", &(const char *){0});
        add_shape(parser, shape, type);
    } while (parser_take(parser, ","));
    v->shape = shape;
    return parser_expect(parser, "}", "',' or '}'");
}

static enum portolan_status parse_initial(struct parser *parser, struct declared *v)
{
    if (parser_is(parser, "[")) {
        if (v->type.kind != TYPE_CHAN)
            return parser_fail(parser, &parser->lexer->token.at, "'%s' is not a channel", v->name);
        return parse_shape(parser, v);
    }
    if (parser_is(parser, "{") && v->is_array) {
        struct node **end = &v->initials;
        uint32_t count = 0;
        parser_advance(parser);
        do {
            if (promela_expression(parser, end))
                return parser->status;
            end = &(*end)->next;
            count++;
        } while (parser_take(parser, ","));
        if (!parser->status && count > v->length)
            return parser_fail(parser, &v->at, "'%s' has only %u element%s", v->name, v->length,
                               v->length == 1 ? "" : "s");
        return parser_expect(parser, "}", "',' or '}'");
    }
    if (v->type.kind == TYPE_RECORD)
        return parser_fail(parser, &parser->lexer->token.at, "a record has no initial value: its fields have");
    return promela_expression(parser, &v->initial);
}

static enum portolan_status parse_length(struct parser *parser, struct declared *v)
{
    struct node *length = NULL;
    int64_t value = 0;
    v->length = 1;
    if (!(v->is_array = parse_index(parser, &length)) || promela_constant(parser, length, &value))
        return parser->status;
    if (value < 1 || value > MOST_CELLS)
        return parser_fail(parser, &length->at, "an array has at least one element and at most %d", MOST_CELLS);
    v->length = (uint32_t)value;
    return parser->status;
}

static struct declared *parse_variable(struct parser *parser, struct promela_type type)
{
    struct declared *v;
    if (parser_get(parser, sizeof *v, &v))
        return NULL;
    v->at = parser->lexer->token.at;
    v->type = type;
    parser_new_name(parser, "the name of a variable", &v->name);
    if (type.kind == TYPE_UNSIGNED)
        parse_bits(parser, &v->type);
    parse_length(parser, v);
    return parser->status ? NULL : v;
}

/* Behind the first statement an initial value is an assignment, also where it is the 0 that nobody wrote; of a record
 * that is a step which does nothing. */
static void assign_initial(struct parser *parser, struct declared *v, struct sequence *sequence)
{
    struct statement *s;
    struct node *reference = parser_node(parser, NODE_VAR), *zero = parser_node(parser, NODE_NUMBER);
    if (!reference || !zero || parser_get(parser, sizeof *s, &s))
        return;
    reference->variable = v;
    zero->at = reference->at = v->at;
    *s = (struct statement){.kind = STATEMENT_ASSIGN, .at = v->at, .a = reference, .b = v->initial ? v->initial : zero};
    if (v->type.kind == TYPE_RECORD) {
        enum { TRUE_BUT_NO_SKIP = 2 };
        zero->value = TRUE_BUT_NO_SKIP;
        *s = (struct statement){.kind = STATEMENT_EXPRESSION, .at = v->at, .a = zero};
    }
    s->start = reference->start = v->at.line_start + v->at.column - 1;
    s->length = (size_t)(parser->last_end - s->start);
    v->initial = NULL;
    v->is_assigned = true;
    if (sequence->last)
        sequence->last->next = s;
    else
        sequence->first = s;
    sequence->last = s;
}

static enum portolan_status parse_mtypes(struct parser *parser, const char *type)
{
    VECTOR(const char *) names = {0};
    struct syntax *s = parser->syntax;
    int64_t known = 0;
    parser_expect(parser, "{", "'{'");
    while (!parser->status && !parser_is(parser, "}")) {
        const char *name;
        if (!parser_new_name(parser, "a name", &name))
            add(parser, &names, name);
        parser_take(parser, ",");
    }
    parser_expect(parser, "}", "',' or '}'");
    for (size_t i = 0; i < s->mtypes.count; i++)
        known += strcmp(s->mtypes.item[i].type, type) == 0;
    for (size_t i = names.count; i-- > 0 && !parser->status;) { /* the last has the lowest number, as in Spin */
        struct mtype_name name = {names.item[i], type, known + (int64_t)(names.count - i)};
        if (name.value > UINT8_MAX)
            parser_fail(parser, &parser->lexer->token.at, "mtype has more than 255 names");
        add(parser, &s->mtypes, name);
    }
    free(names.item);
    return parser->status;
}

enum portolan_status promela_declarations(struct parser *parser, struct sequence *sequence)
{
    struct promela_type type;
    const char *subtype = "mtype";
    bool hidden = false;
    for (; has_visibility(parser); parser_advance(parser))
        hidden |= parser_is(parser, "hidden");
    if (!find_type(parser, &type))
        return parser_expected(parser, "a type");
    parser_advance(parser);
    if (type.kind == TYPE_MTYPE && parser_take(parser, ":"))
        parser_name(parser, "the name of a subtype", &subtype);
    if (type.kind == TYPE_MTYPE && (parser_take(parser, "=") || parser_is(parser, "{")))
        return parse_mtypes(parser, subtype);
    do {
        struct declared *v = parse_variable(parser, type);
        if (!v)
            return parser->status;
        v->is_hidden = hidden;
        if (parser_take(parser, "="))
            parse_initial(parser, v);
        if (parser->status || declare(parser, v))
            return parser->status;
        if (sequence && !v->shape && !v->initials && !parser->syntax->may_initialise)
            assign_initial(parser, v, sequence);
    } while (parser_take(parser, ","));
    return parser->status;
}

/* ------------------------------------------------------------------- typedef, inline */

static enum portolan_status parse_typedef(struct parser *parser)
{
    struct syntax *s = parser->syntax;
    struct record *r;
    struct scope *outer = s->scope, inner = {0};
    if (parser_get(parser, sizeof *r, &r))
        return parser->status;
    parser_advance(parser);
    parser_new_name(parser, "the name of a type", &r->name);
    parser_expect(parser, "{", "'{'");
    struct proctype fields = {0};
    struct proctype *present = s->present;
    s->scope = &inner;
    s->present = &fields;
    while (!parser->status && !parser_is(parser, "}"))
        if (!parser_take(parser, ";"))
            promela_declarations(parser, NULL);
    s->scope = outer;
    s->present = present;
    memcpy(&r->fields, &fields.variables, sizeof r->fields);
    r->cells = fields.cells;
    r->next = s->records;
    s->records = r;
    for (size_t i = 0; i < r->fields.count; i++)
        r->fields.item[i]->proctype = NULL;
    parser_expect(parser, "}", "'}'");
    if (!parser->status && r->fields.count == 0)
        parser_fail(parser, &parser->lexer->token.at, "a type needs fields");
    return parser->status;
}

/* The text between braces; the opening one is the current token. */
static enum portolan_status take_text(struct parser *parser, const char **start, size_t *length, unsigned *line)
{
    *line = parser->lexer->line;
    return promela_braced(parser, '}', start, length);
}

static enum portolan_status parse_inline(struct parser *parser)
{
    struct syntax *s = parser->syntax;
    struct inline_text *text;
    if (parser_get(parser, sizeof *text, &text))
        return parser->status;
    parser_advance(parser);
    parser_new_name(parser, "the name of an inline", &text->name);
    text->next = s->inlines;
    s->inlines = text;
    parser_expect(parser, "(", "'('");
    while (!parser->status && !parser_is(parser, ")")) {
        const char *name;
        if (!parser_name(parser, "the name of a parameter", &name))
            add(parser, &text->parameters, name);
        if (!parser_take(parser, ","))
            break;
    }
    parser_expect(parser, ")", "',' or ')'");
    return parser->status ? parser->status : take_text(parser, &text->start, &text->length, &text->line);
}

static enum portolan_status parse_formula(struct parser *parser)
{
    struct formula f = {.at = parser->lexer->token.at};
    char name[30];
    unsigned line;
    parser_advance(parser);
    if (parser_is(parser, "{")) {
        snprintf(name, sizeof name, "ltl_%u", parser->syntax->unnamed_formulas++);
        f.name = arena_copy(parser->arena, name, strlen(name));
    } else
        parser_name(parser, "the name of a formula, or '{'", &f.name);
    if (!parser->status)
        f.at = parser->lexer->token.at;
    take_text(parser, &f.text, &f.length, &line);
    return add(parser, &parser->syntax->formulas, f);
}

/* ----------------------------------------------------------------------- proctypes */

static enum portolan_status parse_parameters(struct parser *parser)
{
    parser_expect(parser, "(", "'('");
    while (!parser->status && !parser_is(parser, ")")) {
        struct promela_type type;
        while (has_visibility(parser))
            parser_advance(parser);
        if (parser->status || !find_type(parser, &type))
            return parser_expected(parser, "a type");
        parser_advance(parser);
        if (type.kind == TYPE_MTYPE && parser_take(parser, ":"))
            parser_name(parser, "the name of a subtype", &(const char *){0});
        bool more = true;
        while (more && !parser->status) {
            struct declared *v = parse_variable(parser, type);
            if (!v)
                return parser->status;
            v->is_parameter = true;
            if (v->is_array || type.kind == TYPE_RECORD)
                return parser_fail(parser, &v->at, "a parameter is a number or a channel, not an array or a record");
            declare(parser, v);
            struct promela_type next;
            more = parser_take(parser, ",") && !find_type(parser, &next);
        }
        parser_take(parser, ";");
    }
    return parser_expect(parser, ")", "')'");
}

static struct proctype *new_proctype(struct parser *parser, const char *name)
{
    struct syntax *s = parser->syntax;
    struct proctype *p;
    if (parser_get(parser, sizeof *p, &p))
        return NULL;
    p->at = parser->lexer->token.at;
    p->name = name;
    p->number = (uint32_t)s->proctypes.count;
    add(parser, &s->proctypes, p);
    return parser->status ? NULL : p;
}

static enum portolan_status parse_body(struct parser *parser, struct proctype *p, bool has_parameters)
{
    struct syntax *s = parser->syntax;
    struct scope inner = {.outer = s->scope};
    s->present = p;
    s->scope = &inner;
    s->in_claim = p->is_claim;
    if (has_parameters)
        parse_parameters(parser);
    if (parser_take(parser, "priority")) {
        s->has_priorities = true;
        parse_tight(parser, PRECEDENCE_SUM, &p->priority);
    }
    if (parser_take(parser, "provided")) {
        parser_expect(parser, "(", "'('");
        parse_expression(parser, &p->provided);
        parser_expect(parser, ")", "')'");
    }
    s->may_initialise = true;
    struct position at = parser->lexer->token.at;
    promela_block(parser, &p->body);
    if (!parser->status && !p->body->first && p->is_claim)
        parser_fail(parser, &at, "the claim is empty");
    s->scope = inner.outer;
    s->present = NULL;
    s->in_claim = false;
    return parser->status;
}

static enum portolan_status parse_proctype(struct parser *parser)
{
    struct node *count = NULL;
    int64_t active = 0;
    if (parser_take(parser, "active")) {
        active = 1;
        if (parse_index(parser, &count) && !promela_constant(parser, count, &active) &&
            (active < 1 || active > MOST_ACTIVE))
            return parser_fail(parser, &count->at, "a proctype can have 1 to %d active processes", MOST_ACTIVE);
    }
    bool deterministic = parser_is(parser, "D_proctype");
    const char *name;
    if (!deterministic && !parser_is(parser, "proctype"))
        return parser_expected(parser, "'proctype'");
    parser_advance(parser);
    struct position at = parser->lexer->token.at;
    if (parser_new_name(parser, "the name of a proctype", &name))
        return parser->status;
    if (promela_proctype(parser->syntax, name))
        return parser_fail(parser, &at, "'%s' is declared twice", name);
    struct proctype *p = new_proctype(parser, name);
    if (!p)
        return parser->status;
    p->active = (uint32_t)active;
    p->is_d_proctype = deterministic;
    return parse_body(parser, p, true);
}

static enum portolan_status parse_init(struct parser *parser)
{
    if (promela_proctype(parser->syntax, ":init:"))
        return parser_fail(parser, &parser->lexer->token.at, "there are two init processes");
    struct proctype *p = new_proctype(parser, ":init:");
    parser_advance(parser);
    if (!p)
        return parser->status;
    p->active = 1;
    p->is_init = true;
    return parse_body(parser, p, false);
}

static enum portolan_status parse_never(struct parser *parser)
{
    const char *name = "never";
    parser_advance(parser);
    if (!parser_is(parser, "{"))
        parser_name(parser, "the name of a claim, or '{'", &name);
    struct proctype *p = parser->status ? NULL : new_proctype(parser, name);
    if (!p)
        return parser->status;
    p->is_claim = true;
    return parse_body(parser, p, false);
}

static enum portolan_status parse_trace(struct parser *parser)
{
    struct syntax *s = parser->syntax;
    if (s->trace)
        return parser_fail(parser, &parser->lexer->token.at, "there are two traces");
    s->is_notrace = parser_is(parser, "notrace");
    if (parser_get(parser, sizeof *s->trace, &s->trace))
        return parser->status;
    s->trace->name = "trace";
    s->trace->at = parser->lexer->token.at;
    s->in_trace = true;
    parser_advance(parser);
    parse_body(parser, s->trace, false);
    s->in_trace = false;
    return parser->status;
}

static enum portolan_status parse_unit(struct parser *parser)
{
    if (parser_take(parser, ";"))
        return parser->status;
    if (parser_is(parser, "active") || parser_is(parser, "proctype") || parser_is(parser, "D_proctype"))
        return parse_proctype(parser);
    if (parser_is(parser, "init"))
        return parse_init(parser);
    if (parser_is(parser, "never"))
        return parse_never(parser);
    if (parser_is(parser, "ltl"))
        return parse_formula(parser);
    if (parser_is(parser, "typedef"))
        return parse_typedef(parser);
    if (parser_is(parser, "inline"))
        return parse_inline(parser);
    if (promela_starts_declaration(parser))
        return promela_declarations(parser, NULL);
    if (promela_starts_c(parser))
        return promela_parse_c(parser);
    if (parser_is(parser, "trace") || parser_is(parser, "notrace"))
        return parse_trace(parser);
    return parser_expected(parser, "a declaration, 'proctype', 'init', 'never', 'ltl', 'trace' or the end of the file");
}

enum portolan_status promela_parse(struct parser *parser)
{
    struct scope *globals;
    if (parser_get(parser, sizeof *globals, &globals))
        return parser->status;
    parser->syntax->scope = globals;
    while (!parser->status && parser->lexer->token.kind != TOKEN_END)
        parse_unit(parser);
    bool runs = false;
    for (size_t i = 0; i < parser->syntax->proctypes.count; i++)
        runs |= parser->syntax->proctypes.item[i]->active > 0;
    if (!parser->status && !runs) {
        parser_fail(parser, &parser->lexer->token.at, "no process is started");
        hint(parser->error, "write 'active' before a proctype, or an 'init' process that runs some");
    }
    return parser->status;
}
