/* SPDX-License-Identifier: Apache-2.0 */
#include "ltl/hoa_label.h"

#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CUBES = 4096, MAX_DEPTH = 500 };

const struct lexer_rules hoa_rules = {.symbols = ": [ ] { } ( ) ! & | @ --BODY-- --END-- --ABORT--",
                                      .name_characters = "-"};

enum portolan_status hoa_next(struct hoa_reader *reader)
{
    return lexer_next(&reader->lexer, reader->error);
}

enum portolan_status hoa_expect(struct hoa_reader *reader, const char *symbol)
{
    char wanted[16];
    if (token_is(&reader->lexer.token, symbol))
        return hoa_next(reader);
    snprintf(wanted, sizeof wanted, "'%s'", symbol);
    return lexer_expected(&reader->lexer, reader->error, wanted);
}

enum portolan_status hoa_integer(struct hoa_reader *reader, uint64_t limit, const char *what, uint32_t *value)
{
    const struct token *token = &reader->lexer.token;
    if (token->kind != TOKEN_INTEGER)
        return lexer_expected(&reader->lexer, reader->error, what);
    if ((uint64_t)token->value >= limit) {
        enum portolan_status status = lexer_fail(&reader->lexer, &token->at, reader->error,
                                                 "%s is too large here: %lld", what, (long long)token->value);
        if (limit)
            hint(reader->error, "at most %llu", (unsigned long long)limit - 1);
        return status;
    }
    *value = (uint32_t)token->value;
    return hoa_next(reader);
}

void hoa_label_clear(struct hoa_label *label)
{
    free(label->cubes.item);
    *label = (struct hoa_label){0};
}

void hoa_reader_clear(struct hoa_reader *reader)
{
    for (size_t i = 0; i < reader->aliases.count; i++) {
        free(reader->aliases.item[i].name);
        hoa_label_clear(&reader->aliases.item[i].label);
    }
    free(reader->aliases.item);
    lexer_clear(&reader->lexer);
}

/* --------------------------------------------------------------- operations */

/* Adds a cube unless one that is there contains it; those it contains go. */
static enum portolan_status add(struct hoa_reader *reader, struct hoa_label *label, struct hoa_cube cube)
{
    size_t kept = 0;
    for (size_t i = 0; i < label->cubes.count; i++) {
        struct hoa_cube other = label->cubes.item[i];
        if (!(other.positive & ~cube.positive) && !(other.negative & ~cube.negative))
            return PORTOLAN_OK;
        if ((cube.positive & ~other.positive) || (cube.negative & ~other.negative))
            label->cubes.item[kept++] = other;
    }
    label->cubes.count = kept;
    if (kept == MAX_CUBES)
        return lexer_fail(&reader->lexer, &reader->lexer.token.at, reader->error, "the label is too complicated");
    return vector_push(&label->cubes, cube) ? PORTOLAN_OK : fail_memory(reader->error);
}

static enum portolan_status add_all(struct hoa_reader *reader, struct hoa_label *label, const struct hoa_label *more)
{
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < more->cubes.count && !status; i++)
        status = add(reader, label, more->cubes.item[i]);
    return status;
}

static enum portolan_status intersect(struct hoa_reader *reader, struct hoa_label *label, const struct hoa_label *with)
{
    struct hoa_label result = {0};
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < label->cubes.count; i++)
        for (size_t j = 0; j < with->cubes.count && !status; j++) {
            struct hoa_cube cube = {label->cubes.item[i].positive | with->cubes.item[j].positive,
                                    label->cubes.item[i].negative | with->cubes.item[j].negative};
            if (!(cube.positive & cube.negative))
                status = add(reader, &result, cube);
        }
    hoa_label_clear(label);
    *label = result;
    return status;
}

/* What is in none of the cubes: for each, one literal is the other way round. */
static enum portolan_status negate(struct hoa_reader *reader, struct hoa_label *label)
{
    struct hoa_label result = {0};
    enum portolan_status status = add(reader, &result, (struct hoa_cube){0});
    for (size_t i = 0; i < label->cubes.count && !status; i++) {
        struct hoa_label flipped = {0};
        struct hoa_cube cube = label->cubes.item[i];
        for (uint64_t left = cube.positive; left && !status; left &= left - 1)
            status = add(reader, &flipped, (struct hoa_cube){.negative = left & -left});
        for (uint64_t left = cube.negative; left && !status; left &= left - 1)
            status = add(reader, &flipped, (struct hoa_cube){.positive = left & -left});
        if (!status)
            status = intersect(reader, &result, &flipped);
        hoa_label_clear(&flipped);
    }
    hoa_label_clear(label);
    *label = result;
    return status;
}

/* ----------------------------------------------------------------- grammar */

static enum portolan_status read_alias(struct hoa_reader *reader, struct hoa_label *label)
{
    enum portolan_status status = hoa_next(reader);
    const struct token *token = &reader->lexer.token;
    for (size_t i = 0; i < reader->aliases.count && !status; i++)
        if (strlen(reader->aliases.item[i].name) == token->length &&
            memcmp(reader->aliases.item[i].name, token->start, token->length) == 0) {
            status = add_all(reader, label, &reader->aliases.item[i].label);
            return status ? status : hoa_next(reader);
        }
    return status ? status
                  : lexer_fail(&reader->lexer, &token->at, reader->error, "the alias is not declared before its use");
}

static enum portolan_status read_operand(struct hoa_reader *reader, struct hoa_label *label)
{
    const struct token *token = &reader->lexer.token;
    uint32_t atom;
    if (token_is(token, "!")) {
        if (++reader->depth > MAX_DEPTH)
            return lexer_fail(&reader->lexer, &token->at, reader->error, "the label is nested too deeply");
        enum portolan_status status = hoa_next(reader);
        if (!status)
            status = read_operand(reader, label);
        reader->depth--;
        return status ? status : negate(reader, label);
    }
    if (token_is(token, "(")) {
        enum portolan_status status = hoa_next(reader);
        if (!status)
            status = hoa_label_read(reader, label);
        return status ? status : hoa_expect(reader, ")");
    }
    if (token_is(token, "@"))
        return read_alias(reader, label);
    if (token_is(token, "t") || token_is(token, "f")) {
        enum portolan_status status = token->name[0] == 't' ? add(reader, label, (struct hoa_cube){0}) : PORTOLAN_OK;
        return status ? status : hoa_next(reader);
    }
    enum portolan_status status = hoa_integer(reader, reader->atom_count, "the number of an atomic proposition", &atom);
    return status ? status : add(reader, label, (struct hoa_cube){.positive = UINT64_C(1) << atom});
}

static enum portolan_status read_conjunction(struct hoa_reader *reader, struct hoa_label *label)
{
    enum portolan_status status = read_operand(reader, label);
    while (!status && token_is(&reader->lexer.token, "&")) {
        struct hoa_label right = {0};
        status = hoa_next(reader);
        if (!status)
            status = read_operand(reader, &right);
        if (!status)
            status = intersect(reader, label, &right);
        hoa_label_clear(&right);
    }
    return status;
}

enum portolan_status hoa_label_read(struct hoa_reader *reader, struct hoa_label *label)
{
    if (reader->depth >= MAX_DEPTH)
        return lexer_fail(&reader->lexer, &reader->lexer.token.at, reader->error, "the label is nested too deeply");
    reader->depth++;
    enum portolan_status status = read_conjunction(reader, label);
    while (!status && token_is(&reader->lexer.token, "|")) {
        struct hoa_label right = {0};
        status = hoa_next(reader);
        if (!status)
            status = read_conjunction(reader, &right);
        if (!status)
            status = add_all(reader, label, &right);
        hoa_label_clear(&right);
    }
    reader->depth--;
    return status;
}
