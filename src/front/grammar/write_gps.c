/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nftw */
#endif
/* A grammar as a directory: its properties, start graphs, types and control program; rules are in write_gps_rule.c. */
#include "front/grammar/write_gps.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "front/grammar/write.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum portolan_status gps_refuse(struct gps_writer *w, const char *format, ...)
{
    char message[400];
    va_list arguments;
    if (w->status)
        return w->status;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return w->status = fail(w->error, PORTOLAN_REFUSED, "%s", message);
}

/* ------------------------------------------------------------------ XML */

void gps_text(struct gps_writer *w, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", w->out);
        else if (*text == '>')
            fputs("&gt;", w->out);
        else if (*text == '&')
            fputs("&amp;", w->out);
        else if (*text == '"')
            fputs("&quot;", w->out);
        else
            putc(*text, w->out);
    }
}

/* NO_NUMBER: the prefix is all. */
static void write_id(struct gps_writer *w, const char *before, const char *prefix, uint32_t number)
{
    fprintf(w->out, "%s\"%s", before, prefix);
    if (number != NO_NUMBER)
        fprintf(w->out, "%" PRIu32, number);
    putc('"', w->out);
}

void gps_node(struct gps_writer *w, const char *prefix, uint32_t number)
{
    write_id(w, "        <node id=", prefix, number);
    fputs("/>\n", w->out);
}

void gps_edge_of(struct gps_writer *w, const char *from_prefix, uint32_t from, const char *to_prefix, uint32_t to,
                 const char *const *pieces)
{
    write_id(w, "        <edge from=", from_prefix, from);
    write_id(w, " to=", to_prefix, to);
    fputs("><attr name=\"label\"><string>", w->out);
    for (; *pieces; pieces++)
        gps_text(w, *pieces);
    fputs("</string></attr></edge>\n", w->out);
}

const char *gps_value(struct gps_writer *w, uint32_t number, char *text, size_t size)
{
    const struct value *value = &w->grammar->values.item[number];
    size_t used = 0;
    if (value->sort == SORT_INT)
        snprintf(text, size, "int:%" PRId64, value->integer);
    else if (value->sort == SORT_BOOL)
        snprintf(text, size, "bool:%s", value->integer ? "true" : "false");
    else if (value->sort == SORT_REAL) {
        char digits[40];
        snprintf(digits, sizeof digits, "%.17g", value->real);
        snprintf(text, size, "real:%s%s", digits, strpbrk(digits, ".en") ? "" : ".0");
    } else {
        used = (size_t)snprintf(text, size, "string:\"");
        for (const char *c = value->string; *c && used + 4 < size; c++) {
            if (*c == '"' || *c == '\\')
                text[used++] = '\\';
            text[used++] = *c;
        }
        snprintf(text + used, size - used, "\"");
        if (used + 4 >= size)
            gps_refuse(w, "a string of more than %zu bytes", size / 2);
    }
    return text;
}

/* ------------------------------------------------------------------ files */

static bool make_parents(struct gps_writer *w, char *path)
{
    for (char *slash = path + strlen(w->directory) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

/* The file of a rule or graph: a.b is b in a.  Spaces and commas separate names in lists, and a number before a dot is
 * a priority. */
static bool file_name(struct gps_writer *w, const char *kind, const char *name, char *file, size_t size)
{
    bool fine = (size_t)snprintf(file, size, "%s", name) < size && !strpbrk(name, "/ \t,") && name[0] &&
                name[0] != '.' && name[strlen(name) - 1] != '.' && !strstr(name, "..") &&
                name[strspn(name, "0123456789")] != '.';
    if (!fine)
        gps_refuse(w, "%s '%.100s': no file of a .gps can have this name", kind, name);
    for (char *c = file; *c; c++)
        if (*c == '.')
            *c = '/';
    return fine;
}

static bool begin_file(struct gps_writer *w, const char *name, const char *extension)
{
    char path[4096];
    if (w->status)
        return false;
    if ((size_t)snprintf(path, sizeof path, "%s/%s%s", w->directory, name, extension) >= sizeof path) {
        gps_refuse(w, "the name '%.100s' is too long for a file", name);
        return false;
    }
    w->out = make_parents(w, path) ? fopen(path, "w") : NULL;
    if (!w->out)
        w->status = fail(w->error, PORTOLAN_IO, "cannot write '%.300s': %s", path, strerror(errno));
    return w->out != NULL;
}

static void end_file(struct gps_writer *w)
{
    bool fine = !ferror(w->out);
    fine = fclose(w->out) == 0 && fine;
    w->out = NULL;
    if (!fine && !w->status)
        w->status = fail(w->error, PORTOLAN_IO, "cannot write in '%.300s': %s", w->directory, strerror(errno));
}

static void begin_graph(struct gps_writer *w, const char *role, const char *name)
{
    fprintf(w->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
            "<gxl xmlns=\"http://www.gupro.de/GXL/gxl-1.0.dtd\">\n"
            "    <graph role=\"%s\" edgeids=\"false\" edgemode=\"directed\" id=\"",
            role);
    gps_text(w, name);
    fputs("\">\n", w->out);
}

static void end_graph(struct gps_writer *w)
{
    fputs("    </graph>\n</gxl>\n", w->out);
    end_file(w);
}

/* ------------------------------------------------------------------ start graphs */

static const char *graph_name(const struct host_graph *graph)
{
    return graph->name && graph->name[0] ? graph->name : "start";
}

/* Do the names of nodes do as identifiers? */
static bool keeps_names(const struct host_graph *graph)
{
    bool fine = host_names_are_distinct(graph);
    for (size_t i = 0; i < graph->nodes.count && fine; i++) {
        const char *c = graph->nodes.item[i].name;
        if (graph->nodes.item[i].value != NO_NUMBER)
            continue;
        for (fine = isalpha((unsigned char)*c); fine && *c; c++)
            fine = isalnum((unsigned char)*c) || *c == '_';
    }
    return fine;
}

struct host_id {
    const char *prefix;
    uint32_t number;
};

static struct host_id host_id(const struct host_graph *graph, bool keeps_names, uint32_t node)
{
    if (graph->nodes.item[node].value != NO_NUMBER)
        return (struct host_id){"value-", node}; /* no name of a node has a hyphen */
    return keeps_names ? (struct host_id){graph->nodes.item[node].name, NO_NUMBER} : (struct host_id){"n", node};
}

static void write_host_edge(struct gps_writer *w, const struct host_edge *edge, struct host_id from, struct host_id to)
{
    static const char *const prefixes[] = {"", "flag:", "type:"};
    const struct label *label = &w->grammar->labels.item[edge->label];
    const char *prefix = prefixes[label->kind];
    if (label->kind == LABEL_BINARY && strchr(label->text, ':'))
        prefix = ":"; /* what follows is the label as it is */
    gps_edge(w, from.prefix, from.number, to.prefix, to.number, prefix, label->text, NULL);
}

static void write_start(struct gps_writer *w, const struct host_graph *graph)
{
    bool names = keeps_names(graph);
    char text[1024];
    if (!file_name(w, "graph", graph_name(graph), text, sizeof text) || !begin_file(w, text, ".gst"))
        return;
    begin_graph(w, "graph", graph_name(graph));
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        struct host_id id = host_id(graph, names, i);
        uint32_t value = graph->nodes.item[i].value;
        gps_node(w, id.prefix, id.number);
        if (value != NO_NUMBER)
            gps_edge(w, id.prefix, id.number, id.prefix, id.number, gps_value(w, value, text, sizeof text), NULL);
    }
    for (size_t i = 0; i < graph->edges.count && !limits_reached(); i++) {
        const struct host_edge *edge = &graph->edges.item[i];
        write_host_edge(w, edge, host_id(graph, names, edge->from), host_id(graph, names, edge->to));
    }
    end_graph(w);
}

/* ------------------------------------------------------------------ types */

/* in=0..1: and the like; nothing for any number. */
static const char *multiplicity(const char *word, uint32_t least, uint32_t most, char *text, size_t size)
{
    text[0] = '\0';
    if (most != NO_NUMBER)
        snprintf(text, size, "%s=%" PRIu32 "..%" PRIu32 ":", word, least, most);
    else if (least)
        snprintf(text, size, "%s=%" PRIu32 "..*:", word, least);
    return text;
}

static void write_edge_type(struct gps_writer *w, const struct edge_type *edge)
{
    const struct label *label = &w->grammar->labels.item[edge->label];
    char in[40], out[40];
    gps_edge(w, "t", edge->from, "t", edge->to, edge->is_part ? "part:" : "",
             multiplicity("in", edge->least_in, edge->most_in, in, sizeof in),
             multiplicity("out", edge->least_out, edge->most_out, out, sizeof out),
             label->kind == LABEL_FLAG ? "flag:" : "", label->text, NULL);
}

static bool is_node_type(const struct grammar *grammar, uint32_t label)
{
    for (size_t i = 0; i < grammar->node_types.count; i++)
        if (grammar->node_types.item[i].label == label)
            return true;
    return false;
}

/* Sorts of values that edges lead to are nodes, too. */
static void write_sorts(struct gps_writer *w)
{
    for (uint32_t label = 0; label < w->grammar->labels.count; label++) {
        bool is_used = false;
        for (size_t i = 0; i < w->grammar->edge_types.count; i++)
            is_used |= w->grammar->edge_types.item[i].to == label;
        if (!is_used || is_node_type(w->grammar, label))
            continue;
        gps_node(w, "t", label);
        gps_edge(w, "t", label, "t", label, w->grammar->labels.item[label].text, ":", NULL);
    }
}

static void write_types(struct gps_writer *w)
{
    const struct grammar *grammar = w->grammar;
    if (!grammar->is_typed || !begin_file(w, "types", ".gty"))
        return;
    begin_graph(w, "type", "types");
    write_sorts(w);
    for (size_t i = 0; i < grammar->node_types.count; i++) {
        const struct node_type *type = &grammar->node_types.item[i];
        gps_node(w, "t", type->label);
        gps_edge(w, "t", type->label, "t", type->label, "type:", grammar->labels.item[type->label].text, NULL);
        if (type->is_abstract)
            gps_edge(w, "t", type->label, "t", type->label, "abs:", NULL);
    }
    for (size_t i = 0; i < grammar->node_types.count; i++)
        for (size_t j = 0; j < grammar->node_types.item[i].supertypes.count; j++)
            gps_edge(w, "t", grammar->node_types.item[i].label, "t", grammar->node_types.item[i].supertypes.item[j],
                     "sub:", NULL);
    for (size_t i = 0; i < grammar->edge_types.count; i++)
        write_edge_type(w, &grammar->edge_types.item[i]);
    end_graph(w);
}

/* ------------------------------------------------------------------ the rest */

static void write_properties(struct gps_writer *w, bool checks_dangling)
{
    const struct grammar *grammar = w->grammar;
    if (!begin_file(w, "system", ".properties"))
        return;
    fprintf(w->out, "grammarVersion=3.4\nstartGraph=%s\ncheckIsomorphism=%s\n", graph_name(&grammar->start),
            grammar->up_to_isomorphism ? "true" : "false");
    if (grammar->is_typed)
        fputs("typeGraph=types\n", w->out);
    if (checks_dangling)
        fputs("checkDangling=true\n", w->out);
    if (grammar->control_text)
        fputs("controlProgram=control\n", w->out);
    end_file(w);
}

static void write_control(struct gps_writer *w)
{
    if (w->grammar->control && !w->grammar->control_text)
        gps_refuse(w, "several control programs");
    if (!w->grammar->control_text || !begin_file(w, "control", ".gcp"))
        return;
    fprintf(w->out, "%s\n", w->grammar->control_text);
    end_file(w);
}

/* The dangling check is a property of the whole grammar there. */
static bool dangling_of_all(struct gps_writer *w)
{
    const struct grammar *grammar = w->grammar;
    for (size_t i = 1; i < grammar->rules.count; i++)
        if (grammar->rules.item[i].checks_dangling != grammar->rules.item[0].checks_dangling)
            gps_refuse(w, "rule '%.100s': either all rules check for dangling edges in a .gps, or none",
                       grammar->rules.item[i].name);
    return grammar->rules.count && grammar->rules.item[0].checks_dangling;
}

static void write_one_rule(struct gps_writer *w, const struct rule *rule)
{
    char name[1024];
    if (!file_name(w, "rule", rule->name, name, sizeof name) || !begin_file(w, name, ".gpr"))
        return;
    begin_graph(w, "rule", rule->name);
    gps_write_rule(w, rule);
    end_graph(w);
}

static void write_all(struct gps_writer *w)
{
    bool checks_dangling = dangling_of_all(w);
    write_properties(w, checks_dangling);
    write_start(w, &w->grammar->start);
    for (size_t i = 0; i < w->grammar->other_starts.count && !w->status; i++)
        write_start(w, &w->grammar->other_starts.item[i]);
    write_types(w);
    write_control(w);
    for (size_t i = 0; i < w->grammar->rules.count && !w->status; i++)
        write_one_rule(w, &w->grammar->rules.item[i]);
    if (!w->status && limits_reached())
        w->status = fail_memory(w->error);
}

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *place)
{
    (void)status;
    (void)flag;
    (void)place;
    return remove(path);
}

/* What mkdtemp makes is for its owner alone; a directory of models is not. */
static bool publish(const char *temporary, const char *path)
{
    mode_t mask = umask(0);
    umask(mask);
    return chmod(temporary, 0777 & ~mask) == 0 && rename(temporary, path) == 0;
}

enum portolan_status gps_write(const struct grammar *grammar, const char *path, struct portolan_error *error)
{
    char temporary[4096];
    struct stat there;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (lstat(path, &there) == 0) {
        fail(error, PORTOLAN_IO, "'%.200s' already exists", path);
        hint(error, "a grammar is written as a new directory");
        return PORTOLAN_IO;
    }
    if ((size_t)snprintf(temporary, sizeof temporary, "%.*s.XXXXXX", (int)length, path) >= sizeof temporary ||
        !mkdtemp(temporary))
        return fail(error, PORTOLAN_IO, "cannot write '%.200s': %s", path, strerror(errno));
    struct gps_writer w = {.grammar = grammar, .directory = temporary, .error = error};
    write_all(&w);
    if (!w.status && !publish(temporary, path))
        w.status = fail(error, PORTOLAN_IO, "cannot write '%.200s': %s", path, strerror(errno));
    if (w.status)
        nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return w.status;
}
