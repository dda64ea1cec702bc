/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imported functions: C files that the user names are compiled and loaded.  Types look in C as Helena's interface has
 * them (S. Evangelista, "Helena user's guide", chapter "Interfacing Helena with C code"); between their values and our
 * cells stand functions that are written here and compiled with the files.
 */
#include "front/lna/reader.h"

#include "base/diagnostic.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ------------------------------------------------------------------ the header */

/* Also a subtype has all names of its root. */
static void write_names(FILE *out, const struct colour_type *type)
{
    const struct colour_type *root = type->root;
    for (int64_t v = root->low; root->kind == COLOUR_NAMED && v <= root->high; v++)
        fprintf(out, "#define TYPE__ENUM_CONST_%s__%s %lld\n", type->name, root->names[v - root->low], (long long)v);
}

static void write_scalar_type(FILE *out, const struct colour_type *type)
{
    bool is_short = type->low >= INT16_MIN && type->high <= INT16_MAX;
    const char *is = type->kind == COLOUR_NAMED ? "char" : is_short ? "short" : "int";
    if (type->root != type)
        fprintf(out, "typedef TYPE_%s TYPE_%s;\n", type->root->name, type->name);
    else
        fprintf(out, "typedef %s TYPE_%s;\n", is, type->name);
    write_names(out, type);
}

static void write_composite_type(FILE *out, const struct colour_type *type)
{
    fprintf(out, "typedef struct {\n");
    if (type->kind == COLOUR_VECTOR) {
        fprintf(out, "   TYPE_%s vector", type->of->name);
        for (size_t i = 0; i < type->indexes.count; i++)
            fprintf(out, "[%lld]", (long long)(type->indexes.item[i]->high - type->indexes.item[i]->low + 1));
        fprintf(out, ";\n");
    } else if (lna_is_container(type)) {
        fprintf(out, "   TYPE_%s items[%u];\n   unsigned int length;\n", type->of->name, type->capacity);
    }
    for (size_t i = 0; i < type->fields.count; i++)
        fprintf(out, "   TYPE_%s %s;\n", type->fields.item[i].type->name, type->fields.item[i].name);
    fprintf(out, "} TYPE_%s;\n", type->name);
}

static void write_prototype(FILE *out, const struct colour_function *function)
{
    fprintf(out, "TYPE_%s IMPORTED_FUNCTION_%s(", function->result->name, function->name);
    for (size_t i = 0; i < function->parameters.count; i++)
        fprintf(out, "%sTYPE_%s", i ? ", " : "", function->parameters.item[i]->name);
    fprintf(out, "%s);\n", function->parameters.count ? "" : "void");
}

static void write_header(FILE *out, const struct syntax *syntax)
{
    fprintf(out, "#pragma once\n");
    for (size_t i = 0; i < syntax->types.count; i++)
        if (lna_is_scalar(syntax->types.item[i]))
            write_scalar_type(out, syntax->types.item[i]);
        else
            write_composite_type(out, syntax->types.item[i]);
    for (size_t i = 0; i < syntax->functions.count; i++)
        if (syntax->functions.item[i]->is_imported)
            write_prototype(out, syntax->functions.item[i]);
}

/* ------------------------------------------------------------------- the calls */

/* Each type gets two functions: from cells to its value in C (to), and back (from). */
static void write_elements(FILE *out, const struct colour_type *type, const char *way, const char *count,
                           const char *items)
{
    fprintf(out, "   for (unsigned k = 0; k < %s; k++) %s_%s(c + %d + k * %u, (TYPE_%s *)v->%s + k);\n", count, way,
            type->of->name, lna_is_container(type), type->of->cells, type->of->name, items);
}

static void write_way(FILE *out, const struct colour_type *type, bool is_to)
{
    const char *way = is_to ? "to" : "from";
    char count[32];
    fprintf(out, "static void %s_%s(int64_t *c, TYPE_%s *v)\n{\n", way, type->name, type->name);
    if (lna_is_scalar(type))
        fprintf(out, is_to ? "   *v = (TYPE_%s)*c;\n" : "   *c = *v;\n", type->name);
    for (size_t i = 0; i < type->fields.count; i++)
        fprintf(out, "   %s_%s(c + %u, &v->%s);\n", way, type->fields.item[i].type->name, type->fields.item[i].offset,
                type->fields.item[i].name);
    if (type->kind == COLOUR_VECTOR) {
        snprintf(count, sizeof count, "%u", type->cells / type->of->cells);
        write_elements(out, type, way, count, "vector");
    }
    if (lna_is_container(type)) {
        snprintf(count, sizeof count, "v->length");
        fprintf(out,
                is_to ? "   memset(v, 0, sizeof *v);\n   v->length = (unsigned)c[0];\n"
                      : "   c[0] = v->length;\n   if (v->length > %u) return;\n",
                type->capacity);
        write_elements(out, type, way, count, "items");
        if (type->kind == COLOUR_SET && !is_to)
            fprintf(out, "   order(c, %u);\n", type->of->cells);
    }
    fprintf(out, "}\n");
}

static void write_call(FILE *out, const struct colour_function *function)
{
    unsigned at = 0;
    fprintf(out, "void portolan_call_%s(int64_t *a, int64_t *r)\n{\n   TYPE_%s result;\n", function->name,
            function->result->name);
    for (size_t i = 0; i < function->parameters.count; i++) {
        const struct colour_type *type = function->parameters.item[i];
        fprintf(out, "   TYPE_%s a%zu; to_%s(a + %u, &a%zu);\n", type->name, i, type->root->name, at, i);
        at += type->cells;
    }
    fprintf(out, "   (void)a; memset(r, 0, %u * sizeof *r);\n   result = IMPORTED_FUNCTION_%s(",
            function->result->cells, function->name);
    for (size_t i = 0; i < function->parameters.count; i++)
        fprintf(out, "%sa%zu", i ? ", " : "", i);
    fprintf(out, ");\n   from_%s(r, &result);\n}\n", function->result->root->name);
}

/* The members of a set stand in order, each once. */
static const char order[] = "static void order(int64_t *c, unsigned n)\n{\n"
                            "   int64_t kept = 0, *m = c + 1;\n"
                            "   for (int64_t i = 0; i < c[0]; i++) {\n"
                            "      int64_t row[n], at = kept, k; int same = 0;\n"
                            "      memcpy(row, m + i * n, sizeof row);\n"
                            "      for (; at > 0; at--) {\n"
                            "         for (k = 0; k < n && m[(at - 1) * n + k] == row[k]; k++);\n"
                            "         if ((same = k == n) || m[(at - 1) * n + k] < row[k]) break;\n"
                            "      }\n"
                            "      if (same) continue;\n"
                            "      memmove(m + (at + 1) * n, m + at * n, (kept++ - at) * sizeof row);\n"
                            "      memcpy(m + at * n, row, sizeof row);\n"
                            "   }\n"
                            "   memset(m + kept * n, 0, (c[0] - kept) * n * sizeof *c);\n"
                            "   c[0] = kept;\n}\n";

static void write_calls(FILE *out, const struct syntax *syntax)
{
    fprintf(out, "#include <stdint.h>\n#include <string.h>\n#include \"%s_interface.h\"\n%s", syntax->net->name, order);
    for (size_t i = 0; i < syntax->types.count; i++)
        if (syntax->types.item[i]->root == syntax->types.item[i]) {
            write_way(out, syntax->types.item[i], true);
            write_way(out, syntax->types.item[i], false);
        } else {
            fprintf(out, "#define to_%s to_%s\n#define from_%s from_%s\n", syntax->types.item[i]->name,
                    syntax->types.item[i]->root->name, syntax->types.item[i]->name, syntax->types.item[i]->root->name);
        }
    for (size_t i = 0; i < syntax->functions.count; i++)
        if (syntax->functions.item[i]->is_imported)
            write_call(out, syntax->functions.item[i]);
}

/* ----------------------------------------------------------- compiling, loading */

struct workshop { /* a directory that is there while we compile */
    char directory[64];
    char header[192], calls[128], library[128], messages[128];
};

static bool open_workshop(struct workshop *w, const char *net)
{
    snprintf(w->directory, sizeof w->directory, "/tmp/portolan-import-XXXXXX");
    if (!mkdtemp(w->directory))
        return false;
    snprintf(w->header, sizeof w->header, "%s/%.100s_interface.h", w->directory, net);
    snprintf(w->calls, sizeof w->calls, "%s/calls.c", w->directory);
    snprintf(w->library, sizeof w->library, "%s/imported.so", w->directory);
    snprintf(w->messages, sizeof w->messages, "%s/messages", w->directory);
    return true;
}

static void close_workshop(const struct workshop *w)
{
    unlink(w->header);
    unlink(w->calls);
    unlink(w->library);
    unlink(w->messages);
    rmdir(w->directory);
}

static bool write_file(const char *path, const struct syntax *syntax,
                       void (*write)(FILE *out, const struct syntax *syntax))
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    write(out, syntax);
    return fclose(out) == 0;
}

/* Runs the compiler on our file and those of the user. */
static bool compile(const struct parser *p, const struct workshop *w)
{
    enum { OWN = 9 };
    const struct syntax *syntax = p->syntax;
    const char **words = calloc(OWN + 1 + syntax->definition_count + 1, sizeof *words);
    size_t count = 0;
    if (!words)
        return false;
    static const char import[] = "import=";
    const char *const own[OWN] = {"cc", "-shared", "-fPIC", "-O2", "-w", "-I", w->directory, "-o", w->library};
    for (; count < OWN; count++)
        words[count] = own[count];
    words[count++] = w->calls;
    for (size_t i = 0; i < syntax->definition_count; i++)
        if (strncmp(syntax->definitions[i], import, strlen(import)) == 0)
            words[count++] = syntax->definitions[i] + strlen(import);
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, w->messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool spawned = posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    free(words);
    while (spawned && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return spawned && status == 0;
}

static enum portolan_status refuse(struct parser *p, const struct position *at, const struct workshop *w)
{
    char line[160] = "";
    FILE *messages = fopen(w->messages, "r");
    parser_fail(p, at, "the imported functions cannot be compiled");
    while (messages && fgets(line, sizeof line, messages) && !strstr(line, "error") && !strstr(line, "undefined"))
        continue;
    if (messages)
        fclose(messages);
    line[strcspn(line, "\n")] = '\0';
    if (line[0])
        hint(p->error, "%s", line);
    return p->status;
}

static enum portolan_status load(struct parser *p, const struct position *at, const char *library)
{
    struct syntax *syntax = p->syntax;
    syntax->net->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!syntax->net->library) {
        parser_fail(p, at, "the imported functions cannot be loaded");
        const char *why = dlerror();
        hint(p->error, "%s", why ? why : "");
        return p->status;
    }
    for (size_t i = 0; i < syntax->functions.count && !p->status; i++) {
        struct colour_function *function = syntax->functions.item[i];
        char name[300];
        snprintf(name, sizeof name, "portolan_call_%.250s", function->name);
        if (function->is_imported)
            *(void **)&function->imported = dlsym(syntax->net->library, name);
    }
    return p->status;
}

static const struct colour_function *first_import(const struct syntax *syntax)
{
    for (size_t i = 0; i < syntax->functions.count; i++)
        if (syntax->functions.item[i]->is_imported)
            return syntax->functions.item[i];
    return NULL;
}

static bool has_files(const struct syntax *syntax)
{
    for (size_t i = 0; i < syntax->definition_count; i++)
        if (strncmp(syntax->definitions[i], "import=", 7) == 0)
            return true;
    return false;
}

enum portolan_status lna_import_functions(struct parser *p)
{
    struct workshop workshop;
    const struct colour_function *first = p->status ? NULL : first_import(p->syntax);
    if (!first)
        return p->status;
    if (!has_files(p->syntax)) {
        parser_fail(p, &first->at, "'%.64s' is imported, but no C file was given", first->name);
        hint(p->error, "-D import=FILE.c names the file with IMPORTED_FUNCTION_%.64s", first->name);
        return p->status;
    }
    if (!open_workshop(&workshop, p->syntax->net->name))
        return p->status = fail(p->error, PORTOLAN_IO, "cannot create a directory in /tmp: %s", strerror(errno));
    if (!write_file(workshop.header, p->syntax, write_header) || !write_file(workshop.calls, p->syntax, write_calls))
        p->status = fail(p->error, PORTOLAN_IO, "cannot write a file in %s", workshop.directory);
    else if (!compile(p, &workshop))
        refuse(p, &first->at, &workshop);
    else
        load(p, &first->at, workshop.library);
    close_workshop(&workshop);
    return p->status;
}
