/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of .gg files: what stands at the top, and the grammar it makes. */
#include "front/grammar/ast.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "base/text_file.h"
#include "front/grammar/grammar_text.h"
#include "graph/control.h"

#include <string.h>

static const char *const words[] = {"grammar", "isomorphism", "injective", "dangling", "types",
                                    "graph",   "rule",        "control",   NULL};

static enum portolan_status expected_keyword(struct reader *r)
{
    parser_expected(&r->parser, "'graph', 'rule', 'types' or 'control'");
    if (r->lexer.token.kind != TOKEN_NAME)
        return r->parser.status;
    struct nearest nearest = nearest_to(r->lexer.token.name);
    for (unsigned i = 0; words[i]; i++)
        nearest_offer(&nearest, words[i]);
    if (nearest.best)
        hint(r->parser.error, "did you mean %s?", nearest.best);
    else
        hint(r->parser.error, "'grammar NAME', 'isomorphism off', 'injective' and 'dangling' may come before them");
    return r->parser.status;
}

static enum portolan_status read_isomorphism(struct reader *r)
{
    bool is_off = parser_is(&r->parser, "off");
    if (!is_off && !parser_is(&r->parser, "on"))
        return parser_expected(&r->parser, "'on' or 'off'");
    r->grammar->up_to_isomorphism = !is_off;
    return parser_advance(&r->parser);
}

/* The program is read behind everything else: it names rules. */
static enum portolan_status read_control(struct reader *r)
{
    struct position at = r->lexer.token.at;
    size_t length = 0;
    if (r->control)
        return parser_fail(&r->parser, &at, "there are two control programs");
    parser_advance(&r->parser);
    if (gg_parse_raw_block(r, &r->control, &length))
        return r->parser.status;
    r->control_length = length;
    r->grammar->control_text = grammar_text(r->grammar, r->control, length);
    return r->grammar->control_text ? PORTOLAN_OK : gg_no_memory(r);
}

/* Its reader gets the text with blanks before it, so that lines and columns are those of the file. */
static enum portolan_status compile_control(struct reader *r)
{
    size_t before = (size_t)(r->control - r->text);
    char *text = arena_copy(&r->arena, r->text, before + r->control_length);
    if (!text)
        return gg_no_memory(r);
    for (size_t i = 0; i < before; i++)
        if (text[i] != '\n')
            text[i] = ' ';
    struct control_text program = {.file = r->lexer.file, .text = text, .length = before + r->control_length};
    return r->parser.status = control_read(r->grammar, &program, 1, r->parser.error);
}

/* Words that set something for all rules behind them. */
static enum portolan_status read_setting(struct reader *r)
{
    if (parser_take(&r->parser, "grammar"))
        return gg_parse_label(r, "the name of the grammar", &r->grammar->name);
    if (parser_take(&r->parser, "isomorphism"))
        return read_isomorphism(r);
    if (parser_take(&r->parser, "injective"))
        r->is_injective = true;
    else if (parser_take(&r->parser, "dangling"))
        r->checks_dangling = true;
    else
        return expected_keyword(r);
    return r->parser.status;
}

static enum portolan_status read_part(struct reader *r)
{
    if (limits_reached())
        return gg_no_memory(r);
    if (parser_is(&r->parser, "types"))
        gg_read_types(r);
    else if (parser_is(&r->parser, "graph"))
        gg_read_graph(r);
    else if (parser_is(&r->parser, "rule"))
        gg_read_rule(r);
    else if (parser_is(&r->parser, "control"))
        read_control(r);
    else
        read_setting(r);
    parser_take(&r->parser, ";");
    return r->parser.status;
}

static enum portolan_status no_start(struct reader *r)
{
    if (names_count(&r->graphs))
        return parser_fail(&r->parser, &r->graph_at, "there is no start graph '%.100s'", r->start);
    parser_fail(&r->parser, &r->lexer.token.at, "the grammar has no start graph");
    hint(r->parser.error, "write: graph start { a -next-> b }");
    return r->parser.status;
}

static enum portolan_status read_all(struct reader *r)
{
    parser_advance(&r->parser);
    while (!r->parser.status && r->lexer.token.kind != TOKEN_END)
        read_part(r);
    if (!r->parser.status && !r->has_start)
        no_start(r);
    return r->parser.status || !r->control ? r->parser.status : compile_control(r);
}

/* "philosophers" of "examples/philosophers.gg" */
static const char *name_of_file(struct grammar *grammar, const char *file)
{
    size_t length;
    const char *name = file_stem(file, NULL, &length);
    return arena_copy(grammar->arena, name, length);
}

enum portolan_status gg_parse(const char *text, size_t length, const char *file, const char *start,
                              struct grammar **grammar, struct portolan_error *error)
{
    struct reader r = {.start = start, .length = length};
    *grammar = NULL;
    r.text = arena_copy(&r.arena, text, length); /* with a zero behind it */
    r.grammar = r.text ? grammar_new(file, "gg") : NULL;
    if (!r.grammar) {
        arena_clear(&r.arena);
        return fail_memory(error);
    }
    lexer_init(&r.lexer, &gg_rules, file, r.text, length);
    r.parser = (struct parser){.language = &gg_language, .lexer = &r.lexer, .arena = &r.arena, .error = error};
    r.grammar->up_to_isomorphism = true;
    if (!(r.grammar->name = name_of_file(r.grammar, file)))
        gg_no_memory(&r);
    enum portolan_status status = read_all(&r);
    lexer_clear(&r.lexer);
    names_clear(&r.graphs);
    arena_clear(&r.arena);
    if (status == PORTOLAN_OK)
        *grammar = r.grammar;
    else
        grammar_free(r.grammar);
    return status;
}

enum portolan_status gg_read(const char *path, const char *start, struct grammar **grammar,
                             struct portolan_error *error)
{
    char *text = NULL;
    size_t length;
    enum portolan_status status = text_file_read(path, &text, &length, error);
    if (status == PORTOLAN_OK)
        status = gg_parse(text, length, path, start, grammar, error);
    free(text);
    return status;
}
