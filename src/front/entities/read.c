/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of .ent files; docs/entities.md has the grammar.  Every line begins
 * with a keyword and ends its list of names, so that a misspelt keyword cannot
 * pass for the name of an entity.
 */
#include "front/entities/entities.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/lists.h"
#include "base/nearest.h"
#include "expression/parse.h"

#include <string.h>

static const struct lexer_rules rules = {.symbols = ", :", .name_characters = ".", .hash_comments = true};

/* What an action does with an entity, as bits; the keywords in the same order. */
enum { READS = 1, FORBIDS = 2, DELETES = 4, CREATES = 8 };
enum { ROLES = 4, NO_ROLE = ROLES };
static const char *const role_words[] = {"reads", "forbids", "deletes", "creates", NULL};
static const char *const line_words[] = {"entities", "initial", "action", NULL};

struct entity_use {
    struct position needed_at; /* where it is first read or deleted; line 0 when nowhere */
    uint8_t roles;             /* in the action being read */
    bool initial, created;
};

struct reader {
    struct parser parser; /* its first error sticks */
    struct lexer lexer;
    struct portolan_error *error;
    struct entity_system *system;
    bool declared;                  /* there are lines `entities`: every name must stand there */
    bool begun;                     /* there is a line `initial` or `action` */
    bool in_action;                 /* its entities may go on */
    VECTOR(struct entity_use) uses; /* one an entity */
    VECTOR(uint32_t) touched;       /* entities of the action being read */
    VECTOR(unsigned) action_lines;  /* one an action */
    struct lists_builder lists[ROLES];
};

/* ------------------------------------------------------------------- words */

static enum portolan_status no_memory(struct reader *r)
{
    return r->parser.status = fail_memory(r->error);
}

static unsigned find_word(const struct token *token, const char *const *words)
{
    unsigned i = 0;
    while (words[i] && !token_is(token, words[i]))
        i++;
    return i;
}

/* A keyword was expected; `after_comma` when only those of an action are possible. */
static enum portolan_status expected_keyword(struct reader *r, bool after_comma)
{
    const struct token *token = &r->lexer.token;
    parser_expected(&r->parser, after_comma    ? "'reads', 'forbids', 'deletes' or 'creates'"
                                : r->in_action ? "'action', 'initial' or 'reads', 'forbids', 'deletes', 'creates'"
                                               : "'entities', 'initial' or 'action'");
    if (token->kind != TOKEN_NAME && token->kind != TOKEN_QUOTED)
        return r->parser.status;
    struct nearest nearest = nearest_to(token->name);
    for (unsigned i = 0; role_words[i] && (after_comma || r->in_action); i++)
        nearest_offer(&nearest, role_words[i]);
    for (unsigned i = 0; line_words[i] && !after_comma; i++)
        nearest_offer(&nearest, line_words[i]);
    if (nearest.best)
        hint(r->error, "did you mean %s?", nearest.best);
    else if (after_comma)
        hint(r->error, "write: reads a b, deletes c");
    else
        hint(r->error, "a list ends with its line; to go on, repeat its keyword");
    return r->parser.status;
}

/* ------------------------------------------------------------------- names */

/* Names must fit on one line of a trace file, and not look like its comments. */
static enum portolan_status check_name(struct reader *r, const char *wanted)
{
    const struct token *token = &r->lexer.token;
    if (token->kind == TOKEN_NAME)
        return PORTOLAN_OK;
    if (token->kind != TOKEN_QUOTED) {
        parser_expected(&r->parser, wanted);
        if (token->kind == TOKEN_INTEGER)
            hint(r->error, "a name that starts with a digit is quoted");
        else if (token_is(token, ","))
            hint(r->error, "the names of a list are separated by blanks");
        return r->parser.status;
    }
    bool has_control = false;
    for (const char *c = token->name; *c; c++)
        has_control |= (unsigned char)*c < ' ' || *c == 0x7f;
    if (token->name[0] == '\0' || token->name[0] == '#' || has_control)
        return parser_fail(&r->parser, &token->at, "a name may not %s",
                           has_control      ? "have control characters"
                           : token->name[0] ? "begin with '#'"
                                            : "be empty");
    return PORTOLAN_OK;
}

static enum portolan_status unknown_entity(struct reader *r)
{
    const struct names *names = &r->system->entities;
    struct nearest nearest = nearest_to(r->lexer.token.name);
    for (uint32_t e = 0; e < names_count(names); e++)
        nearest_offer(&nearest, names_get(names, e));
    parser_fail(&r->parser, &r->lexer.token.at, "there is no entity '%.100s'", r->lexer.token.name);
    if (nearest.best)
        hint(r->error, "did you mean %s?", nearest.best);
    else
        hint(r->error, "once there is a line 'entities', every entity must be named in one");
    return r->parser.status;
}

/* The number of the entity that the current token names; a new one is made where names need not be declared. */
static enum portolan_status find_entity(struct reader *r, bool declare, uint32_t *entity)
{
    struct names *names = &r->system->entities;
    if (r->parser.status || check_name(r, "the name of an entity"))
        return r->parser.status;
    bool known = names_find(names, r->lexer.token.name, entity);
    if (known && declare)
        return parser_fail(&r->parser, &r->lexer.token.at, "entity '%.100s' is declared twice", r->lexer.token.name);
    if (known)
        return PORTOLAN_OK;
    if (r->declared && !declare)
        return unknown_entity(r);
    struct entity_use unused = {0};
    return names_add(names, r->lexer.token.name, entity) && vector_push(&r->uses, unused) ? PORTOLAN_OK : no_memory(r);
}

/* ------------------------------------------------------------- entity roles */

static enum portolan_status contradiction(struct reader *r, unsigned earlier, unsigned role)
{
    const struct names *actions = &r->system->actions;
    parser_fail(&r->parser, &r->lexer.token.at, "action '%.100s' %s '%.100s' and %s it: it could never happen",
                names_get(actions, names_count(actions) - 1), role_words[earlier], r->lexer.token.name,
                role_words[role]);
    if ((1 << role | 1 << earlier) & FORBIDS)
        hint(r->error, "what is read or deleted must be present, what is forbidden must be absent");
    else
        hint(r->error, "what is created must be absent before; an entity that is needed and stays is only read");
    return r->parser.status;
}

static enum portolan_status add_role(struct reader *r, uint32_t entity, unsigned role)
{
    static const uint8_t contradicts[ROLES] = {FORBIDS | CREATES, READS | DELETES, FORBIDS, READS};
    struct entity_use *use = &r->uses.item[entity];
    const struct names *actions = &r->system->actions;
    if (use->roles & contradicts[role])
        return contradiction(r, (unsigned)__builtin_ctz(use->roles & contradicts[role]), role);
    if (use->roles & 1 << role)
        return parser_fail(&r->parser, &r->lexer.token.at, "action '%.100s' %s '%.100s' twice",
                           names_get(actions, names_count(actions) - 1), role_words[role], r->lexer.token.name);
    if (!use->roles && !vector_push(&r->touched, entity))
        return no_memory(r);
    use->roles |= (uint8_t)(1 << role);
    if ((1 << role) & (READS | DELETES) && !use->needed_at.line)
        use->needed_at = r->lexer.token.at;
    return PORTOLAN_OK;
}

/* One role for each entity of the action that ends here: deleting implies reading, creating implies forbidding, and
 * what is deleted and created again is there before and after, as if it were read. */
static void finish_action(struct reader *r)
{
    for (size_t i = 0; i < r->touched.count; i++) {
        uint32_t entity = r->touched.item[i];
        struct entity_use *use = &r->uses.item[entity];
        bool deletes = use->roles & DELETES, creates = use->roles & CREATES;
        unsigned role = deletes && creates ? READS : deletes ? DELETES : creates ? CREATES : use->roles;
        lists_add(&r->lists[__builtin_ctz(role)], names_count(&r->system->actions) - 1, entity);
        use->created |= role == CREATES;
        use->roles = 0;
    }
    r->touched.count = 0;
    r->in_action = false;
}

/* ------------------------------------------------------------------- lines */

static bool on_line(const struct reader *r, unsigned line)
{
    return !r->parser.status && r->lexer.token.kind != TOKEN_END && r->lexer.token.at.line == line;
}

static enum portolan_status read_entities(struct reader *r)
{
    uint32_t entity;
    struct position at = r->lexer.token.at;
    if (r->begun)
        return parser_fail(&r->parser, &at, "'entities' must come before 'initial' and 'action'");
    r->declared = true;
    for (parser_advance(&r->parser); on_line(r, at.line); parser_advance(&r->parser))
        find_entity(r, true, &entity);
    return r->parser.status;
}

static enum portolan_status add_initial(struct reader *r)
{
    uint32_t entity;
    if (find_entity(r, false, &entity))
        return r->parser.status;
    if (r->uses.item[entity].initial)
        return parser_fail(&r->parser, &r->lexer.token.at, "'%.100s' is listed twice under 'initial'",
                           r->lexer.token.name);
    r->uses.item[entity].initial = true;
    return PORTOLAN_OK;
}

static enum portolan_status read_initial(struct reader *r)
{
    unsigned line = r->lexer.token.at.line;
    for (parser_advance(&r->parser); on_line(r, line); parser_advance(&r->parser))
        add_initial(r);
    return r->parser.status;
}

/* `reads a b`: the current token is the keyword. */
static enum portolan_status read_role(struct reader *r, unsigned role)
{
    uint32_t entity;
    struct position at = r->lexer.token.at;
    if (parser_advance(&r->parser))
        return r->parser.status;
    if (!on_line(r, at.line) || parser_is(&r->parser, ",")) {
        parser_fail(&r->parser, &at, "'%s' names no entity", role_words[role]);
        hint(r->error, "list its entities on the same line");
    }
    for (; on_line(r, at.line) && !parser_is(&r->parser, ","); parser_advance(&r->parser))
        if (!find_entity(r, false, &entity))
            add_role(r, entity, role);
    return r->parser.status;
}

/* `reads a b, deletes c`: a comma must be followed by another keyword, if need be on the next line. */
static enum portolan_status read_roles(struct reader *r)
{
    do {
        unsigned role = find_word(&r->lexer.token, role_words);
        if (role == NO_ROLE)
            return expected_keyword(r, true);
        read_role(r, role);
    } while (parser_take(&r->parser, ","));
    return r->parser.status;
}

static enum portolan_status name_action(struct reader *r)
{
    const struct token *token = &r->lexer.token;
    uint32_t action, count = names_count(&r->system->actions);
    if (r->parser.status || check_name(r, "the name of an action"))
        return r->parser.status;
    if (!names_add(&r->system->actions, token->name, &action))
        return no_memory(r);
    if (action < count) {
        parser_fail(&r->parser, &token->at, "there are two actions '%.100s'", token->name);
        hint(r->error, "the first is on line %u", r->action_lines.item[action]);
        return r->parser.status;
    }
    return vector_push(&r->action_lines, token->at.line) ? PORTOLAN_OK : no_memory(r);
}

static enum portolan_status read_action(struct reader *r)
{
    parser_advance(&r->parser);
    name_action(r);
    parser_advance(&r->parser);
    unsigned line = r->lexer.token.at.line;
    r->in_action = !parser_expect(&r->parser, ":", "':' after the name of the action");
    return on_line(r, line) ? read_roles(r) : r->parser.status;
}

static enum portolan_status read_line(struct reader *r)
{
    const struct token *token = &r->lexer.token;
    if (r->in_action && find_word(token, role_words) != NO_ROLE)
        return read_roles(r);
    if (token_is(token, "entities"))
        return read_entities(r);
    bool is_initial = token_is(token, "initial");
    if (!is_initial && !token_is(token, "action"))
        return expected_keyword(r, false);
    r->begun = true;
    finish_action(r);
    return is_initial ? read_initial(r) : read_action(r);
}

/* ------------------------------------------------------------------ systems */

/* Where names are not declared, an entity that is needed but never there is most likely misspelt. */
static enum portolan_status check_needs(struct reader *r)
{
    const struct names *names = &r->system->entities;
    for (uint32_t e = 0; e < names_count(names) && !r->declared; e++) {
        const struct entity_use *use = &r->uses.item[e];
        if (!use->needed_at.line || use->initial || use->created)
            continue;
        struct nearest nearest = nearest_to(names_get(names, e));
        for (uint32_t other = 0; other < names_count(names); other++)
            if (r->uses.item[other].initial || r->uses.item[other].created)
                nearest_offer(&nearest, names_get(names, other));
        parser_fail(&r->parser, &use->needed_at, "'%.100s' is needed, but it is not initial and no action creates it",
                    names_get(names, e));
        if (nearest.best)
            hint(r->error, "did you mean %s?", nearest.best);
        else
            hint(r->error, "if that is intended, declare the entities in a line 'entities'");
        return PORTOLAN_BAD_INPUT;
    }
    return PORTOLAN_OK;
}

static enum portolan_status read_all(struct reader *r)
{
    parser_advance(&r->parser);
    while (!r->parser.status && r->lexer.token.kind != TOKEN_END)
        read_line(r);
    if (!r->parser.status && !r->begun) {
        parser_fail(&r->parser, &r->lexer.token.at, "there is no action");
        hint(r->error, "an action looks like this: action move: reads a, deletes b, creates c, forbids d");
        return r->parser.status;
    }
    finish_action(r);
    return r->parser.status ? r->parser.status : check_needs(r);
}

static bool lay_out(struct reader *r)
{
    struct entity_system *system = r->system;
    struct portolan_lists *lists[ROLES] = {&system->reads, &system->forbids, &system->deletes, &system->creates};
    for (unsigned role = 0; role < ROLES; role++)
        if (!lists_finish(&r->lists[role], names_count(&system->actions), lists[role]))
            return false;
    system->initial = calloc(bit_words(names_count(&system->entities)) + 1, sizeof *system->initial);
    for (uint32_t e = 0; system->initial && e < names_count(&system->entities); e++)
        if (r->uses.item[e].initial)
            bit_set(system->initial, e);
    return system->initial != NULL;
}

static void reader_clear(struct reader *r)
{
    lexer_clear(&r->lexer);
    free(r->uses.item);
    free(r->touched.item);
    free(r->action_lines.item);
    for (unsigned role = 0; role < ROLES; role++)
        free(r->lists[role].pairs.item);
}

enum portolan_status entities_read_memory(const char *name, const char *text, size_t length,
                                          struct entity_system **system, struct portolan_error *error)
{
    *system = calloc(1, sizeof **system);
    if (!*system)
        return fail_memory(error);
    struct reader reader = {.error = error, .system = *system};
    reader.parser = (struct parser){.lexer = &reader.lexer, .error = error};
    lexer_init(&reader.lexer, &rules, name, text, length);
    enum portolan_status status = read_all(&reader);
    if (status == PORTOLAN_OK && !lay_out(&reader))
        status = fail_memory(error);
    reader_clear(&reader);
    if (status != PORTOLAN_OK) {
        entity_system_free(*system);
        *system = NULL;
    }
    return status;
}

void entity_system_free(struct entity_system *system)
{
    if (!system)
        return;
    names_clear(&system->entities);
    names_clear(&system->actions);
    free(system->initial);
    lists_clear(&system->reads);
    lists_clear(&system->forbids);
    lists_clear(&system->deletes);
    lists_clear(&system->creates);
    names_clear(&system->counts);
    names_clear(&system->patterns);
    lists_clear(&system->counted);
    lists_clear(&system->applicable);
    free(system);
}
