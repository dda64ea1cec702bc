/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of C as Spin has them: `now` is a struct of the global variables, `Pname` points to one of those of the
 * process that runs the block, whose type is name.  A block gets the values of the variables that it names, and gives
 * them back; where C may reach others, through pointers or functions that know `now`, it gets all there are.  What is
 * declared by c_state or named by c_track is kept in states byte by byte, and every block that may reach it gets it.
 */
#include "base/diagnostic.h"
#include "emit/foreign.h"
#include "front/promela/lowering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4096 };

struct out {
    FILE *file;
    char *text;
    size_t size;
};

static bool out_open(struct out *o)
{
    *o = (struct out){0};
    return (o->file = open_memstream(&o->text, &o->size));
}

/* The text, or NULL when memory ran out; the caller frees it. */
static char *out_close(struct out *o)
{
    bool fine = !ferror(o->file);
    if (fclose(o->file) == 0 && fine)
        return o->text;
    free(o->text);
    return NULL;
}

/* -------------------------------------------------------------------- declarations */

static void write_field(FILE *out, const struct declared *v)
{
    const char *type = "unsigned char", *bits = "";
    char number[20];
    switch (v->type.kind) {
    case TYPE_BIT:
    case TYPE_BOOL:
        type = v->is_array ? "unsigned char" : "unsigned";
        bits = v->is_array ? "" : " : 1";
        break;
    case TYPE_CHAN: type = "const unsigned char"; break;
    case TYPE_SHORT: type = "short"; break;
    case TYPE_INT: type = "int"; break;
    case TYPE_UNSIGNED:
        type = "unsigned";
        snprintf(number, sizeof number, " : %u", v->type.bits);
        bits = v->is_array ? "" : number;
        break;
    default: break;
    }
    if (v->type.kind == TYPE_RECORD)
        fprintf(out, "struct %s %s", v->type.record->name, v->name);
    else
        fprintf(out, "%s %s%s", type, v->name, bits);
    if (v->is_array)
        fprintf(out, "[%u]", v->length);
    fputs(";\n", out);
}

struct fields {
    struct declared *const *item;
    size_t count;
};

/* Of variables with one name, in scopes of their own, C knows the first. */
static bool is_known(struct fields fields, size_t which)
{
    for (size_t i = 0; i < which; i++)
        if (strcmp(fields.item[i]->name, fields.item[which]->name) == 0)
            return false;
    return !fields.item[which]->is_c;
}

static void write_struct(FILE *out, const struct syntax *s, const char *name, struct fields fields,
                         const struct proctype *p)
{
    fprintf(out, "struct %s {\n%s", name, p ? "unsigned _pid : 8;\n" : "unsigned char _nr_pr;\n");
    for (size_t i = 0; i < fields.count; i++)
        if (is_known(fields, i))
            write_field(out, fields.item[i]);
    for (size_t i = 0; i < s->c_variables.count; i++) {
        const struct c_variable *v = &s->c_variables.item[i];
        if (p ? v->kind == C_LOCAL && strcmp(v->proctype, p->name) == 0 : v->kind == C_GLOBAL)
            fprintf(out, "%s;\n", v->declaration);
    }
    fputs("};\n", out);
}

static void write_records(FILE *out, const struct syntax *s, const struct record *r)
{
    if (!r)
        return;
    write_records(out, s, r->next); /* the first comes last */
    fprintf(out, "struct %s {\n", r->name);
    for (size_t i = 0; i < r->fields.count; i++)
        write_field(out, r->fields.item[i]);
    fputs("};\n", out);
}

static void write_pieces(FILE *out, const struct syntax *s, bool are_code)
{
    for (size_t i = 0; i < s->c_pieces.count; i++)
        if (s->c_pieces.item[i].is_code == are_code)
            fprintf(out, "#line %u\n%*s%s\n", s->c_pieces.item[i].at.line, (int)s->c_pieces.item[i].at.column - 1, "",
                    s->c_pieces.item[i].text);
}

/* What stands in front of all blocks; in the order in which Spin has it. */
static char *declarations(const struct syntax *s)
{
    struct out o;
    if (!out_open(&o))
        return NULL;
    fputs("typedef unsigned char uchar;\ntypedef unsigned int uint;\ntypedef unsigned long ulong;\n"
          "#define Printf(...) ((void)0)\n",
          o.file);
    write_pieces(o.file, s, false);
    fputs("#line 1\n", o.file);
    write_records(o.file, s, s->records);
    for (size_t i = 0; i < s->proctypes.count; i++) {
        const struct proctype *p = s->proctypes.item[i];
        char name[300];
        if (p->is_init || p->is_claim)
            continue;
        snprintf(name, sizeof name, "portolan_%.250s", p->name);
        write_struct(o.file, s, name, (struct fields){p->variables.item, p->variables.count}, p);
        fprintf(o.file, "static struct %s its_%s;\n#define P%s (&its_%s)\n", name, p->name, p->name, p->name);
    }
    for (size_t i = 0; i < s->c_variables.count; i++)
        if (s->c_variables.item[i].kind == C_HIDDEN)
            fprintf(o.file, "static %s;\n", s->c_variables.item[i].declaration);
    write_struct(o.file, s, "State", (struct fields){s->globals.item, s->globals.count}, NULL);
    fputs("static struct State now;\nstatic int64_t portolan_index;\n", o.file);
    write_pieces(o.file, s, true);
    return out_close(&o);
}

void promela_declare_c(struct lowering *l)
{
    const struct syntax *s = l->syntax;
    if (!s->c_texts.count && !s->c_pieces.count)
        return;
    char *text = declarations(s);
    l->m->failed |= !text;
    if (text)
        model_foreign_declaration(l->m, text);
    free(text);
}

/* -------------------------------------------------------------------------- sizes */

/* The variable as an lvalue; of what is tracked its address is written. */
static void write_variable(char *text, size_t size, const struct c_variable *v)
{
    if (v->kind == C_TRACKED)
        snprintf(text, size, "(*(%.900s))", v->declaration);
    else if (v->kind == C_GLOBAL)
        snprintf(text, size, "now.%.900s", v->name);
    else
        snprintf(text, size, "P%.400s->%.400s", v->proctype, v->name);
}

/* Two blocks for each: how many bytes there are, with the initial value in its place, and one of them. */
static void ask_size(struct model *m, const struct c_variable *v)
{
    char name[1000], text[3200];
    write_variable(name, sizeof name, v);
    if (v->kind == C_TRACKED)
        snprintf(text, sizeof text, "(%.1000s)", v->size);
    else if (v->initial)
        snprintf(text, sizeof text, "(%s = %.1000s, sizeof %s)", name, v->initial, name);
    else
        snprintf(text, sizeof text, "sizeof %s", name);
    model_foreign_block(m, (struct foreign_block){.text = text, .is_expression = true, .line = v->at.line});
    snprintf(text, sizeof text, "((unsigned char *)&%s)[portolan_index]", name);
    model_foreign_block(m, (struct foreign_block){.text = text, .is_expression = true, .line = v->at.line});
    model_foreign_value(m, "portolan_index");
}

static enum portolan_status declare_bytes(struct parser *parser, struct c_variable *v,
                                          foreign_function *const *functions)
{
    struct declared *d;
    int64_t values[2] = {0};
    char name[300];
    struct proctype *p = v->kind == C_LOCAL ? promela_proctype(parser->syntax, v->proctype) : NULL;
    functions[0](values);
    if (values[0] < 1 || values[0] > MOST_BYTES)
        return parser_fail(parser, &v->at, "this has %lld bytes: 1 to %d are possible", (long long)values[0],
                           MOST_BYTES);
    if (parser_get(parser, sizeof *d, &d))
        return parser->status;
    snprintf(name, sizeof name, "%.250s", v->kind == C_TRACKED ? v->declaration : v->name);
    *d = (struct declared){.at = v->at,
                           .type = {.kind = TYPE_BYTE},
                           .is_array = true,
                           .is_c = true,
                           .is_assigned = true,
                           .length = (uint32_t)values[0]};
    d->name = arena_copy(parser->arena, name, strlen(name));
    if (!d->name)
        return parser->status = fail_memory(parser->error);
    struct node **end = &d->initials;
    for (uint32_t k = 0; k < d->length; k++) {
        values[1] = k;
        functions[1](values);
        if (!(*end = promela_number(parser, values[0])))
            return parser->status;
        end = &(*end)->next;
    }
    v->declared = d;
    return parser->status ? parser->status : promela_declare_nameless(parser, p, d);
}

static enum portolan_status check_owner(struct parser *parser, const struct c_variable *v)
{
    const struct proctype *p = v->kind == C_LOCAL ? promela_proctype(parser->syntax, v->proctype) : NULL;
    if (v->kind == C_LOCAL && (!p || p->is_claim || p->is_init))
        return parser_fail(parser, &v->at, "there is no proctype '%s'", v->proctype);
    return parser->status;
}

enum portolan_status promela_size_c(struct parser *parser, const char *file)
{
    struct syntax *s = parser->syntax;
    size_t kept = 0;
    for (size_t i = 0; i < s->c_variables.count && !check_owner(parser, &s->c_variables.item[i]); i++)
        kept += s->c_variables.item[i].kind != C_HIDDEN;
    if (parser->status || !kept)
        return parser->status;
    struct model *m = model_new("promela");
    char *text = declarations(s);
    if (!m || !text) {
        free(text);
        model_free(m);
        return parser->status = fail_memory(parser->error);
    }
    model_foreign_declaration(m, text);
    free(text);
    for (size_t i = 0; i < s->c_variables.count; i++)
        if (s->c_variables.item[i].kind != C_HIDDEN)
            ask_size(m, &s->c_variables.item[i]);
    parser->status = foreign_compile(m, s->allows_c, parser->error);
    if (parser->status == PORTOLAN_BAD_INPUT)
        snprintf(parser->error->file, sizeof parser->error->file, "%s", file);
    for (size_t i = 0, k = 0; i < s->c_variables.count && !parser->status; i++)
        if (s->c_variables.item[i].kind != C_HIDDEN)
            declare_bytes(parser, &s->c_variables.item[i], m->foreign->functions + 2 * k++);
    model_free(m);
    return parser->status;
}

/* ------------------------------------------------------------------ what C may reach */

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The next place where the word stands by itself, NULL: nowhere. */
static const char *find_word(const char *text, const char *from, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = from; (at = strstr(at, word)); at++)
        if ((at == text || !in_word(at[-1])) && !in_word(at[length]))
            return at;
    return NULL;
}

/* The pieces outside of processes know nothing of variables: no function in them can change one. */
static bool pieces_know(const struct syntax *s, const char *word)
{
    for (size_t i = 0; i < s->c_pieces.count; i++)
        if (find_word(s->c_pieces.item[i].text, s->c_pieces.item[i].text, word))
            return true;
    return false;
}

static const struct declared *global_named(const struct syntax *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->globals.count; i++)
        if (strlen(s->globals.item[i]->name) == length && strncmp(s->globals.item[i]->name, name, length) == 0)
            return s->globals.item[i];
    return NULL;
}

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t\n\r");
}

/* Does the declaration consist of words for numbers alone, so that no pointer can come of it by itself? */
static bool is_number_of_c(const struct syntax *s, const struct declared *bytes)
{
    static const char words[] = " char short int long unsigned signed float double ";
    const struct c_variable *v = s->c_variables.item;
    while (v->declared != bytes)
        v++;
    for (const char *at = skip_spaces(v->declaration); *at && *at != '=';) {
        char word[30];
        size_t length = 0;
        while (in_word(at[length]))
            length++;
        snprintf(word, sizeof word, " %.*s ", (int)(length < 20 ? length : 20), at);
        bool is_name = strncmp(at, v->name, length) == 0 && v->name[length] == '\0';
        if (length == 0 || (!is_name && !strstr(words, word)))
            return false;
        at = skip_spaces(at + length);
    }
    return true;
}

/* now.x, now.a[...]: a number, of which no pointer is made. */
static bool is_plain_mention(const struct syntax *s, const char *text, const char *at)
{
    const char *before = at, *dot = skip_spaces(at + strlen("now"));
    while (before > text && (strchr(" \t\n\r(", before[-1])))
        before--;
    if (before > text && before[-1] == '&' && !(before - text > 1 && before[-2] == '&'))
        return false;
    if (*dot != '.')
        return false;
    const char *name = skip_spaces(dot + 1), *end = name;
    while (in_word(*end))
        end++;
    const struct declared *v = global_named(s, name, (size_t)(end - name));
    if (!v)
        return strncmp(name, "_nr_pr", (size_t)(end - name)) == 0;
    if (v->is_c)
        return is_number_of_c(s, v);
    return v->type.kind != TYPE_RECORD && v->is_array == (*skip_spaces(end) == '[');
}

/* What the preprocessor of C makes of it is not seen: a file that is included, or a macro, may name anything. */
static bool is_preprocessed(const char *text)
{
    return strchr(text, '#') || strstr(text, "_Pragma") || strstr(text, "%:");
}

/* Does every text name each global that it may reach?  Formulas may have more of them, which are read later. */
static bool names_all(const struct syntax *s)
{
    if (pieces_know(s, "now") || s->formulas.count)
        return false;
    for (size_t i = 0; i < s->c_pieces.count; i++)
        if (is_preprocessed(s->c_pieces.item[i].text))
            return false;
    for (size_t i = 0; i < s->c_texts.count; i++) {
        const struct c_text *t = &s->c_texts.item[i];
        for (int k = 0; k < 2; k++) {
            const char *text = k ? t->condition : t->text;
            if (text && is_preprocessed(text))
                return false;
            for (const char *at = text; text && (at = find_word(text, at, "now")); at++)
                if (!is_plain_mention(s, text, at))
                    return false;
        }
    }
    return true;
}

/* now.NAME, with spaces anywhere */
static bool mentions(const char *text, const char *name)
{
    for (const char *at = text; (at = find_word(text, at, "now")); at++) {
        const char *dot = skip_spaces(at + strlen("now"));
        if (*dot == '.' && find_word(text, skip_spaces(dot + 1), name) == skip_spaces(dot + 1))
            return true;
    }
    return false;
}

/* -------------------------------------------------------------------------- blocks */

static void add_cell(struct lowering *l, struct c_block *b, const char *lvalue, struct c_cell cell)
{
    model_foreign_value(l->m, lvalue);
    l->m->failed |= !vector_push(&l->c_cells, cell);
    b->cells++;
}

/* The cells of a variable; `name` is its lvalue, and the cells begin at the one given. */
static void add_cells(struct lowering *l, struct c_block *b, const struct declared *v, const char *name,
                      struct c_cell cell)
{
    char element[1000];
    cell.is_kept |= v->type.kind == TYPE_CHAN;
    for (uint32_t i = 0; i < v->length && !l->m->failed; i++) {
        snprintf(element, sizeof element, v->is_array ? "%.900s[%u]" : "%.900s", name, i);
        if (v->type.kind != TYPE_RECORD) {
            char lvalue[1100];
            snprintf(lvalue, sizeof lvalue, v->type.kind == TYPE_CHAN ? "*(unsigned char *)&%s" : "%s", element);
            add_cell(l, b, lvalue, cell);
            cell.cell++;
            continue;
        }
        for (size_t k = 0; k < v->type.record->fields.count; k++) {
            const struct declared *field = v->type.record->fields.item[k];
            char inner[1200];
            snprintf(inner, sizeof inner, "%s.%.100s", element, field->name);
            struct c_cell first = cell;
            first.cell += field->offset;
            add_cells(l, b, field, inner, first);
        }
        cell.cell += v->type.record->cells;
    }
}

static void add_bytes(struct lowering *l, struct c_block *b, const struct c_variable *v, struct c_cell first)
{
    char name[1000], lvalue[1100];
    write_variable(name, sizeof name, v);
    for (uint32_t k = 0; k < v->declared->length && !l->m->failed; k++, first.cell++) {
        snprintf(lvalue, sizeof lvalue, "((unsigned char *)&%s)[%u]", name, k);
        add_cell(l, b, lvalue, first);
    }
}

static void add_globals(struct lowering *l, struct c_block *b, const struct c_text *t)
{
    const struct syntax *s = l->syntax;
    char name[300];
    for (size_t i = 0; i < s->globals.count && !l->m->failed; i++) {
        const struct declared *v = s->globals.item[i];
        struct c_cell first = {.cell = l->globals + v->offset};
        bool is_named = mentions(t->text, v->name) || (t->condition && mentions(t->condition, v->name));
        if (!is_known((struct fields){s->globals.item, s->globals.count}, i) || (!is_named && !l->c_knows_all))
            continue;
        snprintf(name, sizeof name, "now.%.250s", v->name);
        add_cells(l, b, v, name, first);
    }
    for (size_t i = 0; i < s->c_variables.count && !l->m->failed; i++) {
        const struct c_variable *v = &s->c_variables.item[i];
        bool is_named = l->c_knows_all || v->kind == C_TRACKED || mentions(t->text, v->name) ||
                        (t->condition && mentions(t->condition, v->name));
        if (is_named && (v->kind == C_GLOBAL || v->kind == C_TRACKED))
            add_bytes(l, b, v, (struct c_cell){.cell = l->globals + v->declared->offset});
    }
    if (l->c_knows_all || mentions(t->text, "_nr_pr") || (t->condition && mentions(t->condition, "_nr_pr")))
        add_cell(l, b, "now._nr_pr",
                 (struct c_cell){.cell = l->processes, .is_kept = true, .more = promela_has_claims(s)});
}

static void add_locals(struct lowering *l, struct c_block *b, const struct proctype *p)
{
    const struct syntax *s = l->syntax;
    char name[600];
    snprintf(name, sizeof name, "P%.250s->_pid", p->name);
    add_cell(l, b, name, (struct c_cell){.is_pid = true, .is_kept = true});
    for (size_t i = 0; i < p->variables.count && !l->m->failed; i++) {
        const struct declared *v = p->variables.item[i];
        snprintf(name, sizeof name, "P%.250s->%.250s", p->name, v->name);
        if (is_known((struct fields){p->variables.item, p->variables.count}, i))
            add_cells(l, b, v, name, (struct c_cell){.cell = v->offset, .is_local = true});
    }
    for (size_t i = 0; i < s->c_variables.count && !l->m->failed; i++) {
        const struct c_variable *v = &s->c_variables.item[i];
        if (v->kind == C_LOCAL && strcmp(v->proctype, p->name) == 0)
            add_bytes(l, b, v, (struct c_cell){.cell = v->declared->offset, .is_local = true});
    }
}

const struct c_block *promela_find_c(const struct lowering *l, uint32_t text, enum c_use use,
                                     const struct proctype *type)
{
    for (size_t i = 0; i < l->c_blocks.count; i++) {
        const struct c_block *b = &l->c_blocks.item[i];
        if (b->text == text && b->use == use && b->type == type)
            return b;
    }
    return NULL;
}

static uint32_t make_block(struct lowering *l, const struct c_text *t, enum c_use use)
{
    const char *text = use == C_CONDITION ? t->condition : t->text;
    struct foreign_block block = {.is_expression = use != C_STATEMENTS, .line = t->at.line, .column = t->at.column};
    if (use == C_CONDITION) {
        block.line = t->condition_at.line;
        block.column = t->condition_at.column;
    }
    static const char *const casts[] = {[C_VALUE] = "(int)(", [C_TRUTH] = "!!(", [C_CONDITION] = "!!("};
    size_t size = strlen(text) + 10;
    char *whole = block.is_expression ? malloc(size) : NULL;
    if (whole)
        snprintf(whole, size, "%s%s)", casts[use], text);
    l->m->failed |= block.is_expression && !whole;
    block.before = block.is_expression ? (unsigned)strlen(casts[use]) : 0;
    block.text = whole ? whole : text;
    uint32_t number = model_foreign_block(l->m, block);
    free(whole);
    return number;
}

const struct c_block *promela_c_block(struct lowering *l, uint32_t text, enum c_use use, const struct proctype *type)
{
    const struct c_block *known = promela_find_c(l, text, use, type);
    const struct c_text *t = &l->syntax->c_texts.item[text];
    if (known)
        return known;
    if (l->c_blocks.count == 0)
        l->c_knows_all = !names_all(l->syntax);
    struct c_block block = {.text = text, .use = use, .type = type, .first = (uint32_t)l->c_cells.count};
    block.number = make_block(l, t, use);
    if (!l->m->failed)
        add_globals(l, &block, t);
    if (type && !type->is_init && !type->is_claim && !l->m->failed)
        add_locals(l, &block, type);
    l->m->failed |= !vector_push(&l->c_blocks, block);
    return l->m->failed ? NULL : &l->c_blocks.item[l->c_blocks.count - 1];
}

/* -------------------------------------------------------------------------- running */

static uint32_t cell_of(const struct lowering *l, const struct c_cell *c)
{
    return c->cell + (c->is_local ? host_of(l, l->actor)->frame : 0);
}

static void load_value(struct lowering *l, const struct c_cell *c, struct operand to)
{
    if (c->is_pid) {
        struct instruction *move = pml_emit_code(l, CODE_MOVE);
        move->dst = to.value;
        pml_code_a(move, pml_number_operand(l->actor.slot));
        return;
    }
    struct instruction *load = pml_emit_code(l, CODE_LOAD);
    load->c = (int32_t)cell_of(l, c);
    load->flags |= B_IS_NUMBER;
    load->dst = to.value;
    if (c->more) {
        struct instruction *sum = pml_emit_code(l, CODE_CALCULATE);
        sum->operation = OPERATION_ADD;
        sum->dst = to.value;
        pml_code_a(sum, to);
        pml_code_b(sum, pml_number_operand(c->more));
    }
}

static struct operand run_block(struct lowering *l, const struct c_block *b)
{
    struct operand first = {false, (int32_t)l->top};
    bool yields = b->use != C_STATEMENTS;
    if (yields)
        pml_new_register(l);
    for (uint32_t k = 0; k < b->cells && !l->m->failed; k++)
        load_value(l, &l->c_cells.item[b->first + k], pml_new_register(l));
    struct instruction *call = pml_emit_code(l, CODE_FOREIGN);
    call->dst = first.value;
    call->length = b->cells + yields;
    call->c = (int32_t)b->number;
    for (uint32_t k = 0; k < b->cells && !yields && !l->m->failed; k++) {
        const struct c_cell *c = &l->c_cells.item[b->first + k];
        if (!c->is_kept)
            pml_emit_store(l, cell_of(l, c), (struct operand){false, first.value + (int32_t)k});
    }
    l->top = (uint32_t)first.value + yields;
    return first;
}

struct operand pml_emit_c(struct lowering *l, uint32_t text, enum c_use use)
{
    const struct c_block *b;
    struct operand none = pml_number_operand(0);
    if (l->syntax->c_texts.item[text].condition) {
        struct patches holds = {0};
        uint32_t top = l->top;
        if (!(b = promela_c_block(l, text, C_CONDITION, l->actor.type)))
            return none;
        pml_emit_jump_compared(l, run_block(l, b), OPERATION_NOT_EQUAL, none, true, &holds);
        pml_emit_code(l, CODE_JUMP)->c = pml_failure_code(l, FAILURE_C_CONDITION);
        pml_emit_target(l, &holds);
        l->top = top;
    }
    b = promela_c_block(l, text, use, l->actor.type);
    return b ? run_block(l, b) : none;
}
