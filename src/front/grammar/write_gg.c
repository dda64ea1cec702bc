/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a grammar as a .gg file: the settings, the types, the start graphs; rules are in write_rule.c. */
#include "front/grammar/write.h"

#include "base/diagnostic.h"
#include "base/lexer.h"
#include "base/limits.h"
#include "front/grammar/ast.h"
#include "front/grammar/grammar_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum portolan_status refuse(struct writer *w, const char *format, ...)
{
    char message[400];
    va_list arguments;
    if (w->status)
        return w->status;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return w->status = fail(w->error, PORTOLAN_REFUSED, "%s%.100s%s%s", w->rule ? "rule '" : "",
                            w->rule ? w->rule->name : "", w->rule ? "': " : "", message);
}

/* ------------------------------------------------------------------ words */

static void write_quoted(struct writer *w, const char *text, char quote)
{
    putc(quote, w->out);
    for (; *text; text++) {
        if (*text == '\\' || *text == quote)
            putc('\\', w->out);
        if (*text == '\n')
            fputs("\\n", w->out);
        else
            putc(*text, w->out);
    }
    putc(quote, w->out);
}

void write_name(struct writer *w, const char *name)
{
    static const char *const taken[] = {"true",   "false",  "real",     "not",      "where",    "let",      "forall",
                                        "exists", "hidden", "nonempty", "optional", "count",    "in",       "out",
                                        "int",    "bool",   "string",   "abstract", "priority", "disabled", NULL};
    bool is_bare = lexer_is_bare_name(&gg_rules, name);
    for (unsigned i = 0; taken[i] && is_bare; i++)
        is_bare = strcmp(taken[i], name) != 0;
    if (is_bare)
        fputs(name, w->out);
    else
        write_quoted(w, name, '\'');
}

static void write_real(struct writer *w, double real)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", real);
    if (strspn(digits, "-0123456789.") < strlen(digits))
        fprintf(w->out, "real \"%s\"", digits);
    else
        fprintf(w->out, "%s%s", digits, strchr(digits, '.') ? "" : ".0");
}

void write_value(struct writer *w, const struct value *value)
{
    if (value->sort == SORT_STRING)
        write_quoted(w, value->string, '"');
    else if (value->sort == SORT_REAL)
        write_real(w, value->real);
    else if (value->sort == SORT_BOOL)
        fputs(value->integer ? "true" : "false", w->out);
    else
        fprintf(w->out, "%" PRId64, value->integer);
}

void write_indent(struct writer *w)
{
    fprintf(w->out, "%*s", 4 * w->indent, "");
}

const char *label_text(const struct writer *w, uint32_t label)
{
    return w->grammar->labels.item[label].text;
}

enum label_kind label_kind(const struct writer *w, uint32_t label)
{
    return w->grammar->labels.item[label].kind;
}

/* ------------------------------------------------------------------ types */

static bool type_is_written(const struct grammar *g, const bool *written, uint32_t label)
{
    for (size_t i = 0; i < g->node_types.count; i++)
        if (g->node_types.item[i].label == label)
            return written[i];
    return true;
}

static bool supertypes_are_written(const struct grammar *g, const bool *written, const struct node_type *type)
{
    for (size_t i = 0; i < type->supertypes.count; i++)
        if (!type_is_written(g, written, type->supertypes.item[i]))
            return false;
    return true;
}

static void write_type_flags(struct writer *w, uint32_t type)
{
    const char *before = " [";
    for (size_t i = 0; i < w->grammar->edge_types.count; i++) {
        const struct edge_type *edge = &w->grammar->edge_types.item[i];
        if (edge->from != type || label_kind(w, edge->label) != LABEL_FLAG)
            continue;
        fputs(before, w->out);
        write_name(w, label_text(w, edge->label));
        before = ", ";
    }
    fputs(*before == ',' ? "];\n" : ";\n", w->out);
}

/* The types of values are there without being written. */
static void write_node_type(struct writer *w, const struct node_type *type)
{
    if (gg_sort_of_word(label_text(w, type->label)) != SORT_NONE)
        return;
    fputs(type->is_abstract ? "    abstract " : "    ", w->out);
    write_name(w, label_text(w, type->label));
    for (size_t i = 0; i < type->supertypes.count; i++) {
        fputs(i ? ", " : " < ", w->out);
        write_name(w, label_text(w, type->supertypes.item[i]));
    }
    write_type_flags(w, type->label);
}

static void write_multiplicity(struct writer *w, const char *word, uint32_t least, uint32_t most)
{
    if (least == 0 && most == NO_NUMBER)
        return;
    fprintf(w->out, " %s %" PRIu32, word, least);
    if (most == NO_NUMBER)
        fputs("..*", w->out);
    else if (most != least)
        fprintf(w->out, "..%" PRIu32, most);
}

/* The name of a type; those of values are words. */
static void write_type_name(struct writer *w, uint32_t type)
{
    if (gg_sort_of_word(label_text(w, type)) != SORT_NONE)
        fputs(label_text(w, type), w->out);
    else
        write_name(w, label_text(w, type));
}

static void write_edge_type(struct writer *w, const struct edge_type *edge)
{
    bool is_flag = label_kind(w, edge->label) == LABEL_FLAG;
    if (edge->is_part)
        refuse(w, "there are no words for parts ('part:')");
    else if (is_flag &&
             (edge->least_in || edge->least_out || edge->most_in != NO_NUMBER || edge->most_out != NO_NUMBER))
        refuse(w, "there are no words for the multiplicity of a flag");
    if (is_flag)
        return;
    fputs("    ", w->out);
    write_name(w, label_text(w, edge->from));
    fputs(" -", w->out);
    write_name(w, label_text(w, edge->label));
    fputs("-> ", w->out);
    write_type_name(w, edge->to);
    write_multiplicity(w, "in", edge->least_in, edge->most_in);
    write_multiplicity(w, "out", edge->least_out, edge->most_out);
    fputs(";\n", w->out);
}

/* Supertypes first. */
static enum portolan_status write_types(struct writer *w)
{
    const struct grammar *g = w->grammar;
    bool *written = g->is_typed ? calloc(g->node_types.count + 1, sizeof *written) : NULL;
    if (!g->is_typed)
        return w->status;
    if (!written)
        return w->status = fail_memory(w->error);
    fputs("types {\n", w->out);
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < g->node_types.count; i++)
            if (!written[i] && supertypes_are_written(g, written, &g->node_types.item[i])) {
                write_node_type(w, &g->node_types.item[i]);
                grew = written[i] = true;
            }
    }
    for (size_t i = 0; i < g->edge_types.count; i++)
        write_edge_type(w, &g->edge_types.item[i]);
    fputs("}\n\n", w->out);
    free(written);
    return w->status;
}

/* ------------------------------------------------------------------ start graphs */

bool host_names_are_distinct(const struct host_graph *graph)
{
    struct names names = {0};
    bool is_distinct = true;
    for (size_t i = 0; i < graph->nodes.count && is_distinct; i++) {
        const struct host_node *node = &graph->nodes.item[i];
        uint32_t known = names_count(&names), number;
        if (node->value == NO_NUMBER)
            is_distinct = node->name && node->name[0] && names_add(&names, node->name, &number) && number == known;
    }
    names_clear(&names);
    return is_distinct;
}

static void write_host_node(struct writer *w, uint32_t node)
{
    const struct host_node *n = &w->graph->nodes.item[node];
    if (n->value != NO_NUMBER)
        write_value(w, &w->grammar->values.item[n->value]);
    else if (w->keeps_names)
        write_name(w, n->name);
    else
        fprintf(w->out, "n%" PRIu32, node);
}

/* The first type stands where the node is declared, further ones in statements of their own. */
static void write_host_type(struct writer *w, uint32_t node)
{
    const struct host_graph *graph = w->graph;
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct host_edge *edge = &graph->edges.item[i];
        if (edge->from != node || label_kind(w, edge->label) != LABEL_TYPE)
            continue;
        if (w->is_declared[node]) {
            fputs("; ", w->out);
            write_host_node(w, node);
        }
        fputs(": ", w->out);
        write_name(w, label_text(w, edge->label));
        w->is_declared[node] = true;
    }
    w->is_declared[node] = true;
}

static void write_host_flags(struct writer *w, uint32_t node)
{
    const struct host_graph *graph = w->graph;
    const char *before = " [";
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct host_edge *edge = &graph->edges.item[i];
        if (edge->from != node || label_kind(w, edge->label) != LABEL_FLAG)
            continue;
        fputs(before, w->out);
        write_name(w, label_text(w, edge->label));
        before = ", ";
    }
    fputs(*before == ',' ? "];\n" : ";\n", w->out);
}

static enum portolan_status write_graph(struct writer *w, const struct host_graph *graph)
{
    w->graph = graph;
    w->keeps_names = host_names_are_distinct(graph);
    if (!(w->is_declared = calloc(graph->nodes.count + 1, sizeof *w->is_declared)))
        return w->status = fail_memory(w->error);
    fprintf(w->out, "%sgraph ", graph == &w->grammar->start ? "" : "\n");
    write_name(w, graph->name && graph->name[0] ? graph->name : "start");
    fputs(" {\n", w->out);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        if (limits_reached())
            w->status = fail_memory(w->error);
        if (w->status || graph->nodes.item[i].value != NO_NUMBER)
            continue;
        fputs("    ", w->out);
        write_host_node(w, i);
        write_host_type(w, i);
        write_host_flags(w, i);
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct host_edge *edge = &graph->edges.item[i];
        if (label_kind(w, edge->label) != LABEL_BINARY)
            continue;
        fputs("    ", w->out);
        write_host_node(w, edge->from);
        fputs(" -", w->out);
        write_name(w, label_text(w, edge->label));
        fputs("-> ", w->out);
        write_host_node(w, edge->to);
        fputs(";\n", w->out);
    }
    fputs("}\n", w->out);
    free(w->is_declared);
    return w->status;
}

/* ------------------------------------------------------------------ the whole */

enum portolan_status gg_write(const struct grammar *grammar, FILE *out, struct portolan_error *error)
{
    struct writer w = {.grammar = grammar, .out = out, .error = error};
    fputs("grammar ", out);
    write_name(&w, grammar->name && grammar->name[0] ? grammar->name : "grammar");
    fprintf(out, "\n%s\n", grammar->up_to_isomorphism ? "" : "isomorphism off\n");
    write_types(&w);
    if (!w.status)
        write_graph(&w, &grammar->start);
    for (size_t i = 0; i < grammar->other_starts.count && !w.status; i++)
        write_graph(&w, &grammar->other_starts.item[i]);
    for (size_t i = 0; i < grammar->rules.count && !w.status; i++)
        write_rule(&w, &grammar->rules.item[i]);
    if (grammar->control && !grammar->control_text)
        refuse(&w, "several control programs");
    if (!w.status && grammar->control_text)
        fprintf(out, "\ncontrol {%s}\n", grammar->control_text);
    return w.status;
}
