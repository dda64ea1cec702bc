/* SPDX-License-Identifier: Apache-2.0 */
#include "front/threads/system.h"

#include "base/diagnostic.h"
#include "front/threads/compile.h"
#include "front/threads/repetition.h"

#include <string.h>

static enum portolan_status make_system(const struct syntax *syntax, const char *file, struct portolan_system **result,
                                        struct portolan_error *error)
{
    struct model *model;
    enum portolan_status status = compile_program(syntax, &model, error);
    if (status != PORTOLAN_OK)
        return status;
    const char *slash = strrchr(file, '/');
    model->name = model_copy(model, syntax->name ? syntax->name : slash ? slash + 1 : file);
    return model_system(model, result, error);
}

/* A program whose first token is < is one of the document. */
static enum portolan_status looks_printed(const char *file, const char *text, size_t length, bool *printed,
                                          struct portolan_error *error)
{
    struct lexer lexer;
    lexer_init(&lexer, &program_rules, file, text, length);
    enum portolan_status status = lexer_next(&lexer, error);
    *printed = lexer.token.kind == TOKEN_OPERATOR && lexer.token.start[0] == '<';
    lexer_clear(&lexer);
    return status;
}

static enum portolan_status read_and_make(struct syntax *syntax, const char *file, const char *text, size_t length,
                                          struct portolan_system **system, struct portolan_error *error)
{
    struct parser parser = {.language = syntax->expansion ? &printed_language : &program_language,
                            .syntax = syntax,
                            .lexer = &syntax->lexer,
                            .arena = &syntax->arena,
                            .error = error};
    lexer_init(&syntax->lexer, syntax->expansion ? &printed_rules : &program_rules, file, text, length);
    enum portolan_status status = lexer_next(&syntax->lexer, error);
    if (!status)
        status = syntax->expansion ? parse_printed_program(&parser) : parse_program(&parser);
    if (!status)
        status = make_system(syntax, file, system, error);
    lexer_clear(&syntax->lexer);
    arena_clear(&syntax->arena);
    return status;
}

enum portolan_status threads_open_text(const char *file, const char *text, size_t length,
                                       struct portolan_system **system, struct portolan_error *error)
{
    struct syntax syntax = {0};
    struct expansion expansion;
    bool printed = false;
    *system = NULL;
    enum portolan_status status = looks_printed(file, text, length, &printed, error);
    if (status || !printed)
        return status ? status : read_and_make(&syntax, file, text, length, system, error);
    status = expansion_new(&expansion, file, text, length, error);
    if (status)
        return status;
    syntax.expansion = &expansion;
    status = read_and_make(&syntax, file, expansion.text.item, expansion.text.count, system, error);
    if (status)
        expansion_relocate(&expansion, error);
    expansion_clear(&expansion);
    return status;
}
