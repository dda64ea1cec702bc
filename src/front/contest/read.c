/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads property files of the Model Checking Contest.
 *
 * Source: F. Kordon et al., "Model Checking Contest: submission manual", its grammar of formulas in XML.
 *
 * Places and transitions are meant by their ids.  What is written about states becomes text in our own language, what
 * is above becomes a tree (formula.h).  An operator that is not known is a refusal of its formula alone.
 */
#include "base/diagnostic.h"
#include "front/contest/contest.h"
#include "front/contest/formula.h"
#include "property/expression.h"
#include "xml/cursor.h"

#include <stdio.h>
#include <string.h>

struct reading {
    struct xml_cursor cursor;
    const struct portolan_system *system;
    struct questions *questions;
    const char *refusal; /* of the formula that is being read */
    VECTOR(char) text;   /* of the truth about states that is being read */
};

/* Is there no reason to go on with this formula? */
static bool is_over(const struct reading *reading)
{
    return reading->refusal || reading->cursor.status != PORTOLAN_OK;
}

static void *get(struct reading *reading, size_t size)
{
    void *memory = arena_get(&reading->questions->arena, size);
    if (!memory)
        xml_no_memory(&reading->cursor);
    return memory;
}

static const char *copy(struct reading *reading, const char *text, size_t length)
{
    const char *copied = arena_copy(&reading->questions->arena, text, length);
    if (!copied)
        xml_no_memory(&reading->cursor);
    return copied;
}

static void refuse_element(struct reading *reading)
{
    char text[160];
    int length = snprintf(text, sizeof text, "<%s> is not supported", xml_quote(xml_element(&reading->cursor)).text);
    if (!is_over(reading))
        reading->refusal = copy(reading, text, (size_t)length);
}

/* ------------------------------------------------------------------ truths about states */

static void append(struct reading *reading, const char *text, size_t length)
{
    if (!vector_reserve(&reading->text, length + 1)) {
        xml_no_memory(&reading->cursor);
        return;
    }
    memcpy(reading->text.item + reading->text.count, text, length);
    reading->text.count += length;
    reading->text.item[reading->text.count] = '\0';
}

static void append_text(struct reading *reading, const char *text)
{
    append(reading, text, strlen(text));
}

static void append_quoted(struct reading *reading, const char *name)
{
    append_text(reading, "\"");
    for (; *name; name++) {
        const char *escaped = *name == '\n' ? "\\n" : *name == '\t' ? "\\t" : *name == '"' ? "\\\"" : "\\\\";
        if (strchr("\n\t\"\\", *name))
            append_text(reading, escaped);
        else
            append(reading, name, 1);
    }
    append_text(reading, "\"");
}

/* What expressions know: the id, or with "id:" before it where that is another node's name. */
static void append_id(struct reading *reading, bool is_action, const char *id)
{
    size_t size = strlen("id:") + strlen(id) + 1;
    char *name = malloc(size);
    if (!name) {
        xml_no_memory(&reading->cursor);
        return;
    }
    snprintf(name, size, "id:%s", id);
    if (expression_knows(reading->system, is_action, id))
        append_quoted(reading, id);
    else if (expression_knows(reading->system, is_action, name))
        append_quoted(reading, name);
    else
        xml_wrong(&reading->cursor, xml_here(&reading->cursor), "the model has no %s with the id '%s'",
                  is_action ? "transition" : "place", xml_quote(id).text);
    free(name);
}

/* A list of <place> or <transition>, after a word that joins them. */
static void read_ids(struct reading *reading, bool is_action)
{
    const char *wanted = is_action ? "transition" : "place", *id;
    struct xml_cursor *cursor = &reading->cursor;
    struct xml_spot spot = xml_here(cursor);
    append_text(reading, is_action ? "fireable(" : "tokens(");
    size_t count = 0;
    struct xml_children children = xml_children(cursor);
    for (; !is_over(reading) && xml_next_child(cursor, &children); count++) {
        if (!xml_is(cursor, wanted)) {
            refuse_element(reading);
            return;
        }
        append_text(reading, count ? ", " : "");
        if (xml_text(cursor, &id))
            append_id(reading, is_action, id);
    }
    if (count == 0 && !is_over(reading))
        xml_wrong(cursor, spot, "a list of %ss is empty", wanted);
    append_text(reading, ")");
}

static void read_number(struct reading *reading);

/* The operands of arithmetic or of a comparison, with an operator between them. */
static void read_numbers(struct reading *reading, const char *operation, size_t most)
{
    struct xml_cursor *cursor = &reading->cursor;
    struct xml_spot spot = xml_here(cursor);
    size_t count = 0;
    append_text(reading, "(");
    struct xml_children children = xml_children(cursor);
    while (!is_over(reading) && xml_next_child(cursor, &children)) {
        append_text(reading, count++ ? operation : "");
        read_number(reading);
    }
    if ((count < 2 || count > most) && !is_over(reading))
        xml_wrong(cursor, spot, "an operator on numbers has %zu operands", count);
    append_text(reading, ")");
}

static void read_constant(struct reading *reading)
{
    struct xml_spot spot = xml_here(&reading->cursor);
    const char *text;
    if (!xml_text(&reading->cursor, &text))
        return;
    size_t digits = strspn(text + (*text == '-'), "0123456789");
    if (digits == 0 || digits > 18 || text[digits + (*text == '-')])
        xml_wrong(&reading->cursor, spot, "'%s' is not a number of at most 18 digits", xml_quote(text).text);
    else
        append_text(reading, text);
}

struct number_operator {
    const char *element, *text;
    size_t most; /* operands */
};

static const struct number_operator arithmetic[] = {
    {"integer-sum", " + ", SIZE_MAX}, {"integer-product", " * ", SIZE_MAX}, {"integer-difference", " - ", 2}, {0}};

static const struct number_operator comparisons[] = {{"integer-le", " <= ", 2},
                                                     {"integer-lt", " < ", 2},
                                                     {"integer-ge", " >= ", 2},
                                                     {"integer-gt", " > ", 2},
                                                     {"integer-eq", " == ", 2},
                                                     {"integer-ne", " != ", 2},
                                                     {0}};

static const struct number_operator *find_operator(const struct reading *reading, const struct number_operator *table)
{
    for (; table->element; table++)
        if (xml_is(&reading->cursor, table->element))
            return table;
    return NULL;
}

static void read_number(struct reading *reading)
{
    const struct number_operator *operation = find_operator(reading, arithmetic);
    if (operation)
        read_numbers(reading, operation->text, operation->most);
    else if (xml_is(&reading->cursor, "tokens-count"))
        read_ids(reading, false);
    else if (xml_is(&reading->cursor, "integer-constant"))
        read_constant(reading);
    else
        refuse_element(reading);
}

/* ------------------------------------------------------------------ formulas */

static const struct {
    const char *element;
    enum formula_kind kind;
    size_t least, most; /* operands */
} operators[] = {
    {"negation", FORMULA_NOT, 1, 1},
    {"conjunction", FORMULA_AND, 1, SIZE_MAX},
    {"disjunction", FORMULA_OR, 1, SIZE_MAX},
    {"exclusive-disjunction", FORMULA_XOR, 2, 2},
    {"implication", FORMULA_IMPLIES, 2, 2},
    {"equivalence", FORMULA_IFF, 2, 2},
    {"exists-path", FORMULA_EXISTS, 1, 1},
    {"all-paths", FORMULA_ALL, 1, 1},
    {"finally", FORMULA_FINALLY, 1, 1},
    {"globally", FORMULA_GLOBALLY, 1, 1},
    {"next", FORMULA_NEXT, 1, 1},
    {"until", FORMULA_UNTIL, 2, 2},
};

enum { OPERATORS = sizeof operators / sizeof *operators };

/* "true", "deadlock", "fireable(...)", a comparison. */
static void read_state(struct reading *reading, struct formula *formula)
{
    static const char *const words[] = {"true", "false", "deadlock", NULL};
    const struct number_operator *comparison = find_operator(reading, comparisons);
    reading->text.count = 0;
    formula->kind = FORMULA_STATE;
    for (const char *const *word = words; *word; word++)
        if (xml_is(&reading->cursor, *word))
            append_text(reading, *word);
    if (reading->text.count)
        ;
    else if (comparison)
        read_numbers(reading, comparison->text, comparison->most);
    else if (xml_is(&reading->cursor, "is-fireable"))
        read_ids(reading, true);
    else if (xml_is(&reading->cursor, "place-bound")) {
        formula->kind = FORMULA_BOUND;
        read_ids(reading, false);
    } else
        refuse_element(reading);
    if (!is_over(reading))
        formula->text = copy(reading, reading->text.item, reading->text.count);
}

static struct formula *read_formula(struct reading *reading);

/* The only child: of <formula>, and of <before> and <reach>, which stand around the operands of <until>. */
static struct formula *read_inside(struct reading *reading)
{
    struct xml_cursor *cursor = &reading->cursor;
    struct xml_spot spot = xml_here(cursor);
    struct formula *inside = NULL;
    struct xml_children children = xml_children(cursor);
    while (!is_over(reading) && xml_next_child(cursor, &children)) {
        if (inside) {
            xml_wrong(cursor, xml_here(cursor), "there are two formulas where one is expected");
            return NULL;
        }
        inside = read_formula(reading);
    }
    if (!inside && !is_over(reading))
        xml_wrong(cursor, spot, "there is no formula in it");
    return is_over(reading) ? NULL : inside;
}

static void read_operands(struct reading *reading, struct formula *formula, size_t operation)
{
    struct xml_cursor *cursor = &reading->cursor;
    struct xml_spot spot = xml_here(cursor);
    struct formula **end = &formula->operands;
    size_t count = 0;
    struct xml_children children = xml_children(cursor);
    for (; !is_over(reading) && xml_next_child(cursor, &children); count++) {
        bool is_wrapped = xml_is(cursor, "before") || xml_is(cursor, "reach");
        struct formula *operand = is_wrapped ? read_inside(reading) : read_formula(reading);
        if (!operand)
            return;
        if (operand->kind == FORMULA_BOUND) {
            reading->refusal = "a bound is a number, which cannot be part of a boolean formula";
            return;
        }
        formula->is_temporal |= operand->is_temporal;
        formula->has_paths |= operand->has_paths;
        *end = operand;
        end = &operand->next;
    }
    if (!is_over(reading) && (count < operators[operation].least || count > operators[operation].most))
        xml_wrong(cursor, spot, "<%s> has %zu operands", operators[operation].element, count);
}

/* NULL when there is none, and then it is over. */
static struct formula *read_formula(struct reading *reading)
{
    struct formula *formula = get(reading, sizeof *formula);
    if (!formula)
        return NULL;
    size_t operation = 0;
    while (operation < OPERATORS && !xml_is(&reading->cursor, operators[operation].element))
        operation++;
    if (operation == OPERATORS) {
        read_state(reading, formula);
    } else {
        formula->kind = operators[operation].kind;
        formula->is_temporal = formula->kind >= FORMULA_EXISTS;
        formula->has_paths = formula->kind == FORMULA_EXISTS || formula->kind == FORMULA_ALL;
        read_operands(reading, formula, operation);
    }
    return is_over(reading) ? NULL : formula;
}

/* ------------------------------------------------------------------ properties */

static bool read_property(struct reading *reading)
{
    struct xml_cursor *cursor = &reading->cursor;
    struct xml_spot spot = xml_here(cursor);
    struct question question = {0};
    const struct formula *formula = NULL;
    const char *text;
    reading->refusal = NULL;
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children)) {
        if (xml_is(cursor, "id") && !question.name && xml_text(cursor, &text))
            question.name = copy(reading, text, strlen(text));
        else if (xml_is(cursor, "formula") && !formula && !reading->refusal)
            formula = read_inside(reading);
    }
    if (cursor->status == PORTOLAN_OK && (!question.name || !*question.name))
        return xml_wrong(cursor, spot, "a property has no id");
    if (cursor->status == PORTOLAN_OK && !formula && !reading->refusal)
        return xml_wrong(cursor, spot, "the property '%s' has no formula", xml_quote(question.name).text);
    question.refusal = reading->refusal;
    bool fine = cursor->status == PORTOLAN_OK &&
                (question.refusal || question_of_formula(formula, &reading->questions->arena, &question)) &&
                vector_push(&reading->questions->list, question);
    if (fine)
        return true;
    free(question.asked.item);
    free(question.steps.item);
    return cursor->status == PORTOLAN_OK ? xml_no_memory(cursor) : false;
}

static void read_document(struct reading *reading)
{
    struct xml_cursor *cursor = &reading->cursor;
    if (!xml_root(cursor))
        return;
    if (!xml_is(cursor, "property-set")) {
        xml_wrong(cursor, xml_here(cursor), "the root element is <%s>, not <property-set>",
                  xml_quote(xml_element(cursor)).text);
        hint(cursor->error, "this is XML, but not a property file of the Model Checking Contest");
        return;
    }
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children))
        if (xml_is(cursor, "property"))
            read_property(reading);
    xml_end(cursor);
}

static enum portolan_status read_source(struct xml_source *source, const struct portolan_system *system,
                                        struct questions *questions, struct portolan_error *error)
{
    struct reading reading = {.system = system, .questions = questions};
    if (xml_cursor_open(&reading.cursor, source, "a property file", "property-set", error))
        read_document(&reading);
    free(reading.text.item);
    xml_cursor_close(&reading.cursor);
    return reading.cursor.status;
}

enum portolan_status contest_read(const char *path, const struct portolan_system *system, struct questions *questions,
                                  struct portolan_error *error)
{
    struct xml_source source;
    int failure = xml_source_open(&source, path);
    if (failure)
        return fail(error, PORTOLAN_IO, "cannot open '%s': %s", path, strerror(failure));
    enum portolan_status status = read_source(&source, system, questions, error);
    xml_source_close(&source);
    return status;
}

enum portolan_status contest_read_memory(const char *name, const char *text, size_t length,
                                         const struct portolan_system *system, struct questions *questions,
                                         struct portolan_error *error)
{
    struct xml_source source;
    xml_source_memory(&source, name, text, length);
    return read_source(&source, system, questions, error);
}
