/* SPDX-License-Identifier: Apache-2.0 */
#include "emit/foreign.h"

#include "base/diagnostic.h"
#include "emit/build.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Errors of the compiler are told by the line of the model; those of other text are about line 1.  Blocks may share
 * variables of C, so one thread runs them at a time. */
static void write_block(FILE *out, const struct foreign *f, size_t number)
{
    const struct foreign_block *b = &f->blocks.item[number];
    const char *const *lvalue = f->lvalues.item + b->first_value;
    unsigned line = b->line ? b->line : 1;
    int indent = b->column > b->before + 1 ? (int)(b->column - b->before - 1) : 0;
    fprintf(out,
            "#line %u\nstatic void block%zu(int64_t *portolan_values) { (void)portolan_values;\n"
            "while (__atomic_test_and_set(&portolan_busy, __ATOMIC_ACQUIRE));\n#line %u\n%s\n",
            line, number, line, b->declarations);
    for (uint32_t k = 0; k < b->values; k++)
        if (lvalue[k])
            fprintf(out, "#line %u\n%s = portolan_values[%u];\n", line, lvalue[k], k);
    fprintf(out, "%s\n#line %u\n%*s%s\n%s\n", b->is_expression ? "portolan_values[0] = (int64_t)(" : "{", line, indent,
            "", b->text, b->is_expression ? ");" : "}");
    for (uint32_t k = 0; k < b->values; k++)
        if (lvalue[k])
            fprintf(out, "#line %u\nportolan_values[%u] = (int64_t)(%s);\n", line, k, lvalue[k]);
    fputs("__atomic_clear(&portolan_busy, __ATOMIC_RELEASE);\n}\n", out);
}

static bool write_blocks(const struct foreign *f, struct text *text)
{
    FILE *out = open_memstream(&text->item, &text->length);
    if (!out)
        return false;
    fputs("#include <stdint.h>\nstatic _Bool portolan_busy;\n", out);
    for (size_t i = 0; i < f->declarations.count; i++)
        fprintf(out, "#line 1\n%s\n", f->declarations.item[i]);
    for (size_t i = 0; i < f->blocks.count; i++)
        write_block(out, f, i);
    fputs("__attribute__((visibility(\"default\"))) void (*const portolan_blocks[])(int64_t *) = {", out);
    for (size_t i = 0; i < f->blocks.count; i++)
        fprintf(out, "block%zu, ", i);
    fputs("0};\n", out);
    bool fine = !ferror(out);
    return fclose(out) == 0 && fine;
}

/* "<stdin>:12:5: error: ..." */
static enum portolan_status tell_complaint(const struct build *build, struct portolan_error *error)
{
    char said[400];
    build_complaint(build, said, sizeof said);
    const char *what = strstr(said, "error: "), *line = what;
    while (line && line > said && line[-1] != '\n')
        line--;
    const char *number = line ? strchr(line, ':') : NULL;
    char *behind = NULL;
    unsigned row = number ? (unsigned)strtoul(number + 1, &behind, 10) : 0;
    unsigned column = behind && *behind == ':' ? (unsigned)strtoul(behind + 1, NULL, 10) : 0;
    what = what ? what + strlen("error: ") : said;
    return fail_at(error, "", row, column, NULL, "the compiler refuses the model's C: %.*s", (int)strcspn(what, "\n"),
                   what);
}

static void close_object(void *object)
{
    dlclose(object);
}

static enum portolan_status load(struct foreign *f, struct build *build, struct portolan_error *error)
{
    if (!build) {
        fail(error, PORTOLAN_REFUSED,
             "the model contains C code, and there is no compiler, or no directory for objects");
        hint(error, "CC names another compiler, XDG_CACHE_HOME another directory");
        return PORTOLAN_REFUSED;
    }
    enum build_progress progress = build_wait(build);
    if (progress == BUILD_RUNS)
        return fail_memory(error); /* a limit was reached */
    if (progress == BUILD_FAILED)
        return tell_complaint(build, error);
    f->object = build_take(build);
    f->close = close_object;
    f->functions = dlsym(f->object, "portolan_blocks");
    return f->functions ? PORTOLAN_OK : fail(error, PORTOLAN_REFUSED, "the model's C could not be loaded");
}

enum portolan_status foreign_compile(struct model *m, bool allowed, struct portolan_error *error)
{
    struct text text = {0};
    if (!m->foreign)
        return PORTOLAN_OK;
    if (m->failed)
        return fail_memory(error);
    if (!allowed)
        return fail(error, PORTOLAN_REFUSED, "the model contains C code, which would run with all your permissions");
    if (!write_blocks(m->foreign, &text)) {
        free(text.item);
        return fail_memory(error);
    }
    struct build *build = build_begin(text, false);
    enum portolan_status status = load(m->foreign, build, error);
    build_end(build);
    return status;
}
