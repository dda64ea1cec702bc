/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions over labels, made into automata while they are parsed: each operator combines the first and last
 * state of its operands (Thompson, "Regular expression search algorithm", CACM 1968), empty steps are removed at the
 * end.  From weak to strong:  !x   a|b   a.b   -a   a* a+   and atoms: a 'quoted' = ? ?x ?[a,b] ?x[^a] type:A flag:a #A
 */
#include "front/groove/expression.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 200 };

/* A part of the automaton, with one way in and one way out. */
struct piece {
    uint32_t first, last;
};

struct empty_step {
    uint32_t from, to;
};

struct parser {
    struct rule_labels *labels;
    const char *start, *next;
    struct place at; /* of start */
    unsigned depth;
    uint32_t states, atoms;
    VECTOR(struct path_step) steps;
    VECTOR(struct empty_step) empty;
    bool is_equal; /* the atom read last was "=" */
};

static bool parse_choice(struct parser *parser, bool backwards, struct piece *piece);

static bool bad(struct parser *parser, const char *what)
{
    struct place at = parser->at;
    at.column += (unsigned)(parser->next - parser->start);
    return groove_wrong(parser->labels->reading, parser->labels->file, at, "%s", what);
}

static void skip_blanks(struct parser *parser)
{
    parser->next += strspn(parser->next, " \t\r\n");
}

static bool take(struct parser *parser, char byte)
{
    skip_blanks(parser);
    bool found = *parser->next == byte;
    parser->next += found;
    return found;
}

static bool add_empty(struct parser *parser, uint32_t from, uint32_t to)
{
    struct empty_step step = {from, to};
    return vector_push(&parser->empty, step) || no_memory(parser->labels->reading);
}

static bool add_step(struct parser *parser, struct path_step step, struct piece *piece)
{
    *piece = (struct piece){parser->states, parser->states + 1};
    parser->states += 2;
    parser->atoms++;
    step.from = piece->first;
    step.to = piece->last;
    return vector_push(&parser->steps, step) || no_memory(parser->labels->reading);
}

static bool is_atom_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || (unsigned char)byte >= 0x80;
}

/* Letters, digits, _ and $, and - within: the end of the atom that begins here. */
static const char *atom_end(const char *text)
{
    const char *end = text;
    while (is_atom_byte(*end) || (*end == '-' && end > text && (is_atom_byte(end[1]) || end[1] == '-')))
        end++;
    return end;
}

/* A quoted atom: \' and \\ stand for themselves. */
static const char *quoted(struct parser *parser, size_t *length)
{
    size_t count = 0;
    const char *from = ++parser->next;
    char *text = arena_get(&parser->labels->reading->scratch, strlen(from) + 1);
    if (!text) {
        no_memory(parser->labels->reading);
        return NULL;
    }
    for (; *from && *from != '\''; from++) {
        from += *from == '\\' && from[1];
        text[count++] = *from;
    }
    if (!*from) {
        bad(parser, "a quote is not closed");
        return NULL;
    }
    parser->next = from + 1;
    *length = count;
    return text;
}

/* The text of a label here, or NULL and an error. */
static const char *label_text(struct parser *parser, size_t *length)
{
    skip_blanks(parser);
    if (*parser->next == '\'')
        return quoted(parser, length);
    const char *text = parser->next;
    parser->next = atom_end(text);
    *length = (size_t)(parser->next - text);
    if (*length > 0)
        return text;
    bad(parser, *text ? "a label, '?' or '=' is expected here" : "a label is expected, but the expression ends here");
    if (*text)
        hint(parser->labels->reading->error,
             "labels with other characters than letters, digits, _ $ - are quoted: 'a b'");
    return NULL;
}

static bool intern(struct parser *parser, enum label_kind kind, uint32_t *number)
{
    size_t length;
    const char *text = label_text(parser, &length);
    text = text ? keep(parser->labels->reading, text, length) : NULL;
    *number = text ? grammar_label(parser->labels->reading->grammar, kind, text) : NO_NUMBER;
    return *number != NO_NUMBER || no_memory(parser->labels->reading);
}

/* The list of a wildcard, behind "[". */
static bool parse_list(struct parser *parser, struct label_choice *choice)
{
    choice->is_complement = take(parser, '^');
    do {
        uint32_t label;
        if (!intern(parser, choice->kind, &label))
            return false;
        if (!vector_push(&choice->labels, label))
            return no_memory(parser->labels->reading);
    } while (take(parser, ','));
    return take(parser, ']') || bad(parser, "']' is expected here");
}

static bool parse_wildcard(struct parser *parser, enum label_kind kind, uint32_t *number)
{
    struct rule *rule = parser->labels->rule;
    struct label_choice choice = {.kind = kind, .is_complement = true, .variable = NO_NUMBER};
    const char *end = atom_end(parser->next);
    size_t length = (size_t)(end - parser->next);
    if (length > 0 && !names_add_piece(&parser->labels->variables, parser->next, length, &choice.variable))
        return no_memory(parser->labels->reading);
    parser->next = end;
    *number = (uint32_t)rule->choices.count;
    rule->label_variables = names_count(&parser->labels->variables);
    if (take(parser, '[') && !parse_list(parser, &choice)) {
        free(choice.labels.item);
        return false;
    }
    if (vector_push(&rule->choices, choice))
        return true;
    free(choice.labels.item);
    return no_memory(parser->labels->reading);
}

/* "type:" or "flag:" before an atom. */
static enum label_kind parse_kind(struct parser *parser)
{
    skip_blanks(parser);
    bool is_type = strncmp(parser->next, "type:", 5) == 0;
    if (!is_type && strncmp(parser->next, "flag:", 5) != 0)
        return LABEL_BINARY;
    parser->next += 5;
    return is_type ? LABEL_TYPE : LABEL_FLAG;
}

static bool parse_label(struct parser *parser, bool backwards, struct piece *piece)
{
    struct path_step step = {.backwards = backwards, .choice = NO_NUMBER};
    enum label_kind kind = parse_kind(parser);
    if (take(parser, '?')) {
        step.kind = PATH_CHOICE;
        return parse_wildcard(parser, kind, &step.choice) && add_step(parser, step, piece);
    }
    step.is_exact = take(parser, '#');
    if (step.is_exact)
        kind = LABEL_TYPE;
    step.kind = kind == LABEL_TYPE && parser->labels->reading->grammar->is_typed ? PATH_TYPE : PATH_LABEL;
    return intern(parser, kind, &step.label) && add_step(parser, step, piece);
}

static bool parse_atom(struct parser *parser, bool backwards, struct piece *piece)
{
    char close = take(parser, '(') ? ')' : take(parser, '{') ? '}' : '\0';
    if (close) {
        bool parsed = parse_choice(parser, backwards, piece);
        return parsed &&
               (take(parser, close) || bad(parser, close == ')' ? "')' is expected here" : "'}' is expected here"));
    }
    if (!take(parser, '='))
        return parse_label(parser, backwards, piece);
    *piece = (struct piece){parser->states, parser->states + 1};
    parser->states += 2;
    parser->is_equal = true;
    return add_empty(parser, piece->first, piece->last);
}

/* Any number of * and + behind an atom. */
static bool parse_repeated(struct parser *parser, bool backwards, struct piece *piece)
{
    if (!parse_atom(parser, backwards, piece))
        return false;
    for (bool star; (star = take(parser, '*')) || take(parser, '+');) {
        parser->atoms += 2; /* no longer a single label */
        if (!add_empty(parser, piece->last, piece->first) || (star && !add_empty(parser, piece->first, piece->last)))
            return false;
    }
    return true;
}

static bool parse_inverted(struct parser *parser, bool backwards, struct piece *piece)
{
    while (take(parser, '-')) {
        backwards = !backwards;
        parser->atoms += 2;
    }
    return parse_repeated(parser, backwards, piece);
}

/* a.b; backwards it is -b.-a. */
static bool parse_sequence(struct parser *parser, bool backwards, struct piece *piece)
{
    if (!parse_inverted(parser, backwards, piece))
        return false;
    while (take(parser, '.')) {
        struct piece next;
        if (!parse_inverted(parser, backwards, &next))
            return false;
        parser->atoms += 2;
        struct piece before = *piece;
        *piece = backwards ? (struct piece){next.first, before.last} : (struct piece){before.first, next.last};
        if (!add_empty(parser, backwards ? next.last : before.last, backwards ? before.first : next.first))
            return false;
    }
    return true;
}

static bool add_alternative(struct parser *parser, struct piece *piece, struct piece other)
{
    struct piece both = {parser->states, parser->states + 1};
    parser->states += 2;
    parser->atoms += 2;
    bool added = add_empty(parser, both.first, piece->first) && add_empty(parser, both.first, other.first) &&
                 add_empty(parser, piece->last, both.last) && add_empty(parser, other.last, both.last);
    *piece = both;
    return added;
}

static bool parse_choice(struct parser *parser, bool backwards, struct piece *piece)
{
    if (++parser->depth > DEEPEST)
        return bad(parser, "the expression is nested too deeply");
    if (!parse_sequence(parser, backwards, piece))
        return false;
    while (take(parser, '|')) {
        struct piece other;
        if (!parse_sequence(parser, backwards, &other) || !add_alternative(parser, piece, other))
            return false;
    }
    parser->depth--;
    return true;
}

/* Marks the states that empty steps reach from one; `order` has room for all states. */
static size_t reach(const struct parser *parser, uint32_t from, bool *reached, uint32_t *order)
{
    size_t count = 1;
    memset(reached, 0, parser->states);
    reached[from] = true;
    order[0] = from;
    for (size_t i = 0; i < count; i++)
        for (size_t e = 0; e < parser->empty.count; e++)
            if (parser->empty.item[e].from == order[i] && !reached[parser->empty.item[e].to]) {
                reached[parser->empty.item[e].to] = true;
                order[count++] = parser->empty.item[e].to;
            }
    return count;
}

/* A state of the path is where a step ends, or the beginning: state i + 1 is the end of step i. */
static bool connect(struct parser *parser, struct piece piece, struct path *path, bool *reached, uint32_t *order)
{
    path->states = (uint32_t)parser->steps.count + 1;
    for (uint32_t state = 0; state < path->states; state++) {
        uint32_t from = state ? parser->steps.item[state - 1].to : piece.first;
        reach(parser, from, reached, order);
        if (limits_reached() || !vector_push(&path->accepting, reached[piece.last]))
            return false;
        for (uint32_t i = 0; i < parser->steps.count; i++) {
            struct path_step step = parser->steps.item[i];
            if (!reached[step.from])
                continue;
            step.from = state;
            step.to = i + 1;
            if (!vector_push(&path->steps, step))
                return false;
        }
    }
    return true;
}

static bool make_path(struct parser *parser, struct piece piece, struct path *path)
{
    struct reading *reading = parser->labels->reading;
    bool *reached = malloc(parser->states);
    uint32_t *order = malloc(parser->states * sizeof *order);
    path->text = arena_copy(reading->grammar->arena, parser->start, strlen(parser->start));
    bool made = reached && order && path->text && connect(parser, piece, path, reached, order);
    free(reached);
    free(order);
    return made || no_memory(reading);
}

static bool add_path(struct parser *parser, struct piece piece, struct edge_label *label)
{
    struct path path = {0};
    struct rule *rule = parser->labels->rule;
    label->kind = EDGE_PATH;
    label->path = (uint32_t)rule->paths.count;
    if (make_path(parser, piece, &path) && vector_push(&rule->paths, path))
        return true;
    free(path.steps.item);
    free(path.accepting.item);
    return no_memory(parser->labels->reading);
}

/* A single label, wildcard or "=" needs no automaton. */
static bool finish(struct parser *parser, struct piece piece, struct edge_label *label)
{
    if (parser->atoms == 0 && parser->is_equal) {
        label->kind = EDGE_EQUAL;
        return true;
    }
    if (parser->atoms != 1 || parser->is_equal)
        return add_path(parser, piece, label);
    const struct path_step *step = &parser->steps.item[0];
    label->kind = step->kind == PATH_CHOICE ? EDGE_CHOICE : EDGE_LABEL;
    label->label = step->label;
    label->choice = step->choice;
    label->is_type = parser->labels->reading->grammar->is_typed &&
                     (step->kind == PATH_CHOICE ? parser->labels->rule->choices.item[step->choice].kind == LABEL_TYPE
                                                : step->kind == PATH_TYPE);
    label->is_exact = step->is_exact;
    return true;
}

/* "{" around the whole of it, or not; "!" first. */
static bool parse_whole(struct parser *parser, struct edge_label *label)
{
    struct piece piece = {0, 0};
    bool braces = false;
    const char *mark = parser->next;
    if (take(parser, '{') && take(parser, '!'))
        braces = label->is_negated = true;
    else
        parser->next = mark;
    if (!braces)
        label->is_negated = take(parser, '!');
    if (!parse_choice(parser, false, &piece) || (braces && !take(parser, '}') && !bad(parser, "'}' is expected here")))
        return false;
    skip_blanks(parser);
    if (*parser->next == '!')
        return bad(parser, "'!' stands before a whole expression only");
    if (*parser->next)
        return bad(parser, "the expression goes on here, but '|', '.', '*' or '+' is expected");
    return finish(parser, piece, label);
}

bool path_expression_parse(struct rule_labels *labels, const struct label_parts *parts, struct edge_label *label)
{
    *label = (struct edge_label){.kind = EDGE_LABEL, .label = NO_NUMBER, .choice = NO_NUMBER, .path = NO_NUMBER};
    if (parts->is_literal) {
        label->label = grammar_label(labels->reading->grammar, parts->kind, parts->text);
        return label->label != NO_NUMBER || no_memory(labels->reading);
    }
    struct parser parser = {.labels = labels, .start = parts->text, .next = parts->text, .at = parts->at};
    bool parsed = parse_whole(&parser, label);
    free(parser.steps.item);
    free(parser.empty.item);
    return parsed;
}
