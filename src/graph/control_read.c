/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From control programs as written to terms: names are looked up, arguments checked, functions and recipes put where
 * they are called.  A parameter of a function stands for the argument itself, so a call of a function needs no frame;
 * for that reason functions may not call themselves.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "graph/control_compile.h"

#include <string.h>

enum { DEEPEST = 1000 }; /* statements and calls within each other: terms are walked recursively */

static uint32_t compile(struct compiler *c, const struct statement *statement);

uint32_t control_no_memory(struct compiler *c)
{
    if (!c->status)
        c->status = fail_memory(c->error);
    return NO_TERM;
}

static const char *sort_name(enum sort sort)
{
    static const char *const names[] = {"a node", "an int", "a real", "a bool", "a string"};
    return names[sort];
}

/* ------------------------------------------------------------------ names */

static struct action find_action(const struct compiler *c, const char *name)
{
    struct action action = {0};
    for (size_t s = 0; s < c->source_count; s++)
        for (struct procedure *p = c->sources[s].procedures; p && !action.procedure; p = p->next)
            if (strcmp(p->name, name) == 0)
                action.procedure = p;
    for (size_t r = 0; r < c->grammar->rules.count && !action.procedure && !action.rule; r++)
        if (strcmp(c->grammar->rules.item[r].name, name) == 0)
            action.rule = &c->grammar->rules.item[r];
    return action;
}

static struct action find_in_package(const struct compiler *c, const char *package, const char *name)
{
    char full[1000];
    int length = snprintf(full, sizeof full, "%s.%s", package, name);
    if (package[0] == '\0' || length < 0 || (size_t)length >= sizeof full)
        return (struct action){0};
    return find_action(c, full);
}

struct action control_resolve(const struct compiler *c, const char *name)
{
    for (const struct import *i = c->source->imports; i; i = i->next) {
        const char *dot = strrchr(i->name, '.');
        if (strcmp(dot ? dot + 1 : i->name, name) == 0)
            return find_action(c, i->name);
    }
    struct action action = find_in_package(c, c->source->package, name);
    return is_found(action) ? action : find_action(c, name);
}

static uint32_t unknown_action(struct compiler *c, const struct position *at, const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (size_t r = 0; r < c->grammar->rules.count; r++)
        nearest_offer(&nearest, c->grammar->rules.item[r].name);
    for (size_t s = 0; s < c->source_count; s++)
        for (const struct procedure *p = c->sources[s].procedures; p; p = p->next)
            nearest_offer(&nearest, p->name);
    complain(c, at, "there is no rule, function or recipe '%.100s'", name);
    if (nearest.best)
        hint(c->error, "did you mean %s?", nearest.best);
    return NO_TERM;
}

static const struct binding *find_variable(struct compiler *c, const struct control_word *word)
{
    const struct binding *binding = c->scope;
    struct nearest nearest = nearest_to(word->name);
    for (; binding && strcmp(binding->name, word->name) != 0; binding = binding->outer)
        nearest_offer(&nearest, binding->name);
    if (binding || c->status)
        return c->status ? NULL : binding;
    complain(c, &word->at, "there is no variable '%.100s'", word->name);
    if (nearest.best)
        hint(c->error, "did you mean %s?", nearest.best);
    else
        hint(c->error, "declare it: int %.100s;", word->name);
    return NULL;
}

static bool bind(struct compiler *c, const char *name, enum sort sort, struct control_argument is, bool may_be_assigned)
{
    struct binding *binding = arena_get(&c->arena, sizeof *binding);
    if (!binding) {
        control_no_memory(c);
        return false;
    }
    *binding = (struct binding){name, sort, is, may_be_assigned, c->scope};
    c->scope = binding;
    return true;
}

static bool new_variable(struct compiler *c, const char *name, enum sort sort, const struct position *at,
                         uint32_t *number)
{
    const char *kept = grammar_text(c->grammar, name, strlen(name));
    *number = (uint32_t)c->program->variables.count;
    if (kept && vector_push(&c->program->variables, ((struct control_variable){kept, sort, NO_NUMBER})) &&
        vector_push(&c->declared, ((struct declaration){*at, c->source})))
        return true;
    control_no_memory(c);
    return false;
}

static uint32_t declare(struct compiler *c, const struct statement *statement)
{
    for (const struct control_word *word = statement->words; word; word = word->next) {
        struct control_argument is = {.kind = CONTROL_GIVEN};
        for (const struct binding *b = c->scope; b; b = b->outer)
            if (strcmp(b->name, word->name) == 0)
                return complain(c, &word->at, "there is already a variable '%.100s'", word->name);
        if (!new_variable(c, word->name, word->sort, &word->at, &is.number) ||
            !bind(c, word->name, word->sort, is, true))
            return NO_TERM;
    }
    return statement->parts ? compile(c, statement->parts) : term_done(&c->terms);
}

/* ------------------------------------------------------------------ arguments */

/* A parameter of whatever is called. */
struct wanted {
    enum direction direction;
    enum sort sort;
    const char *callee;
};

static bool check_sort(struct compiler *c, const struct control_word *word, const struct wanted *wanted, enum sort sort)
{
    if (sort != wanted->sort && !c->status)
        complain(c, &word->at, "'%.100s' takes %s here, and this is %s", wanted->callee, sort_name(wanted->sort),
                 sort_name(sort));
    return !c->status;
}

static bool compile_result(struct compiler *c, const struct control_word *word, const struct wanted *wanted,
                           struct control_argument *argument)
{
    const struct binding *variable = find_variable(c, word);
    if (!variable || !check_sort(c, word, wanted, variable->sort))
        return false;
    if (wanted->direction == PARAMETER_IN)
        complain(c, &word->at, "'%.100s' takes a value here and gives none", wanted->callee);
    else if (!variable->may_be_assigned)
        complain(c, &word->at, "'%.100s' is given by the caller and cannot be assigned", word->name);
    *argument = (struct control_argument){CONTROL_RESULT, variable->is.number};
    return !c->status;
}

static bool compile_given(struct compiler *c, const struct control_word *word, const struct wanted *wanted,
                          struct control_argument *argument)
{
    enum sort sort = word->value.sort;
    if (word->kind == WORD_NAME) {
        const struct binding *variable = find_variable(c, word);
        if (!variable)
            return false;
        sort = variable->sort;
        *argument = variable->is;
    } else {
        *argument = (struct control_argument){CONTROL_VALUE, grammar_value(c->grammar, word->value)};
        if (argument->number == NO_NUMBER)
            control_no_memory(c);
    }
    if (check_sort(c, word, wanted, sort) && wanted->direction == PARAMETER_OUT) {
        complain(c, &word->at, "'%.100s' gives a value here and takes none", wanted->callee);
        if (word->kind == WORD_NAME)
            hint(c->error, "write an assigned variable as: out %.100s", word->name);
    }
    return !c->status;
}

static bool compile_argument(struct compiler *c, const struct control_word *word, const struct wanted *wanted,
                             struct control_argument *argument)
{
    if (word->kind == WORD_OUT)
        return compile_result(c, word, wanted, argument);
    if (word->kind != WORD_ANY)
        return compile_given(c, word, wanted, argument);
    if (wanted->direction == PARAMETER_IN)
        complain(c, &word->at, "'%.100s' must be given %s here", wanted->callee, sort_name(wanted->sort));
    *argument = (struct control_argument){CONTROL_ANY, NO_NUMBER};
    return !c->status;
}

static size_t list_wanted(const struct action *action, struct wanted *wanted, size_t most)
{
    size_t count = 0;
    if (action->procedure) {
        for (const struct control_word *p = action->procedure->parameters; p; p = p->next, count++)
            if (count < most)
                wanted[count] = (struct wanted){p->kind == WORD_OUT ? PARAMETER_OUT : PARAMETER_IN, p->sort,
                                                action->procedure->name};
        return count;
    }
    for (size_t i = 0; i < action->rule->parameters.count; i++) {
        const struct rule_parameter *p = &action->rule->parameters.item[i];
        if (!p->is_hidden && count++ < most)
            wanted[count - 1] =
                (struct wanted){p->direction, action->rule->nodes.item[p->node].sort, action->rule->name};
    }
    return count;
}

/* Nothing is assigned twice; what a function is given does not change while it runs. */
static bool check_aliases(struct compiler *c, const struct statement *call, const struct action *action, uint32_t first)
{
    const struct control_argument *list = c->program->arguments.item;
    for (size_t i = first; i < c->program->arguments.count; i++)
        for (size_t k = first; k < c->program->arguments.count; k++) {
            bool given = action->procedure && list[k].kind == CONTROL_GIVEN;
            if (i != k && list[i].kind == CONTROL_RESULT && (list[k].kind == CONTROL_RESULT || given) &&
                list[i].number == list[k].number) {
                complain(c, &call->at, "'%.100s' is assigned by this call and %s",
                         c->program->variables.item[list[i].number].name, given ? "given to it" : "assigned twice");
                return false;
            }
        }
    return true;
}

/* The arguments in the order of the parameters; results written before := are those of parameters that only give. */
bool control_arguments(struct compiler *c, const struct statement *call, const struct action *action, uint32_t *first)
{
    enum { MOST = 1000 };
    struct wanted wanted[MOST];
    size_t count = list_wanted(action, wanted, MOST);
    const struct control_word *word = call->words, *result = call->results;
    *first = (uint32_t)c->program->arguments.count;
    if (count > MOST)
        return complain(c, &call->at, "'%.100s' has more than %d parameters", call->name, MOST) != NO_TERM;
    for (size_t i = 0; i < count; i++) {
        static const struct control_word any = {.kind = WORD_ANY};
        struct control_word unnamed = any;
        unnamed.at = call->at;
        const struct control_word *use = call->has_words || call->results ? NULL : &unnamed;
        if (!use && wanted[i].direction == PARAMETER_OUT && call->results) {
            use = result;
            result = result ? result->next : NULL;
        } else if (!use && call->has_words) {
            use = word;
            word = word ? word->next : NULL;
        } else if (!use) {
            use = &unnamed;
        }
        struct control_argument argument;
        if (!use)
            return complain(c, &call->at, "'%.100s' has %zu parameters, but fewer are given", call->name, count) !=
                   NO_TERM;
        if (!compile_argument(c, use, &wanted[i], &argument))
            return false;
        if (!vector_push(&c->program->arguments, argument))
            return control_no_memory(c) != NO_TERM;
    }
    if (word || result)
        return complain(c, word ? &word->at : &result->at, "'%.100s' has %zu parameters, but more are given",
                        call->name, count) != NO_TERM;
    return check_aliases(c, call, action, *first);
}

/* ------------------------------------------------------------------ calls */

static uint32_t call_rule(struct compiler *c, const struct rule *rule, uint32_t first)
{
    struct control_call call = {.rule = (uint32_t)(rule - c->grammar->rules.item),
                                .first_argument = first,
                                .argument_count = (uint32_t)c->program->arguments.count - first};
    for (size_t i = 0; i < c->calls.count; i++) {
        const struct control_call *known = &c->calls.item[i];
        if (known->rule == call.rule && known->argument_count == call.argument_count &&
            (call.argument_count == 0 ||
             memcmp(c->program->arguments.item + known->first_argument, c->program->arguments.item + first,
                    call.argument_count * sizeof(struct control_argument)) == 0)) {
            c->program->arguments.count = first;
            return term_call(&c->terms, (uint32_t)i);
        }
    }
    if (!vector_push(&c->calls, call))
        return control_no_memory(c);
    return term_call(&c->terms, (uint32_t)c->calls.count - 1);
}

static bool bind_parameters(struct compiler *c, const struct procedure *procedure, uint32_t first)
{
    c->scope = NULL;
    for (const struct control_word *p = procedure->parameters; p; p = p->next, first++) {
        struct control_argument is = c->program->arguments.item[first];
        bool is_out = p->kind == WORD_OUT;
        if (is.kind == CONTROL_ANY && !new_variable(c, p->name, p->sort, &p->at, &is.number))
            return false;
        if (is_out)
            is.kind = CONTROL_GIVEN;
        if (!bind(c, p->name, p->sort, is, is_out))
            return false;
    }
    return true;
}

static bool push_once(struct term_list *list, uint32_t term)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->item[i] == term)
            return true;
    return vector_push(list, term);
}

/* Whether verdicts alone lead to the end of the program. */
static bool may_end(struct compiler *c, uint32_t start)
{
    struct term_list reached = {0};
    bool ends = false;
    if (!c->status && !push_once(&reached, start))
        control_no_memory(c);
    for (size_t i = 0; i < reached.count && !ends && !c->status; i++) {
        uint32_t term = reached.item[i];
        ends = c->terms.list.item[term].type == TERM_FINAL;
        if (c->terms.list.item[term].type != TERM_TRIAL)
            continue;
        const struct attempt *attempt = term_attempt(&c->terms, term);
        if (!attempt || !push_once(&reached, attempt->success) || !push_once(&reached, attempt->failure))
            control_no_memory(c);
    }
    free(reached.item);
    return ends;
}

static uint32_t name_of_recipe(struct compiler *c, const struct procedure *recipe)
{
    for (size_t i = 0; i < c->program->recipes.count; i++)
        if (strcmp(c->program->recipes.item[i], recipe->name) == 0)
            return (uint32_t)i;
    const char *name = grammar_text(c->grammar, recipe->name, strlen(recipe->name));
    if (!name || !vector_push(&c->program->recipes, name))
        return control_no_memory(c);
    return (uint32_t)c->program->recipes.count - 1;
}

static uint32_t number_of_function(const struct compiler *c, const struct procedure *function)
{
    uint32_t number = 0;
    for (size_t s = 0; s < c->source_count; s++)
        for (const struct procedure *p = c->sources[s].procedures; p && p != function; p = p->next)
            number++;
    return number;
}

static uint32_t compile_body(struct compiler *c, struct procedure *procedure, uint32_t first)
{
    struct binding *scope = c->scope;
    const struct control_source *source = c->source;
    c->source = procedure->source;
    procedure->is_open = true;
    uint32_t body = bind_parameters(c, procedure, first) ? compile(c, procedure->body) : NO_TERM;
    if (!c->status && procedure->is_recipe && may_end(c, body))
        complain(c, &procedure->at, "the recipe '%.100s' may end without a step", procedure->name);
    procedure->is_open = false;
    c->scope = scope;
    c->source = source;
    if (c->status)
        return NO_TERM;
    return procedure->is_recipe ? term_atom(&c->terms, body, name_of_recipe(c, procedure))
                                : term_body(&c->terms, body, number_of_function(c, procedure));
}

static uint32_t call_procedure(struct compiler *c, const struct position *at, struct procedure *procedure,
                               uint32_t first)
{
    uint32_t count = (uint32_t)c->program->arguments.count - first;
    for (size_t i = 0; i < c->expansions.count; i++) {
        const struct expansion *known = &c->expansions.item[i];
        if (known->procedure == procedure &&
            (count == 0 || memcmp(c->program->arguments.item + known->first_argument,
                                  c->program->arguments.item + first, count * sizeof(struct control_argument)) == 0)) {
            c->program->arguments.count = first;
            return known->term;
        }
    }
    if (procedure->is_open)
        return complain(c, at, "'%.100s' calls itself, which is not supported", procedure->name);
    uint32_t term = compile_body(c, procedure, first);
    if (!c->status && !vector_push(&c->expansions, ((struct expansion){procedure, first, count, term})))
        return control_no_memory(c);
    return term;
}

uint32_t control_call(struct compiler *c, const struct position *at, const struct action *action, uint32_t first)
{
    return action->rule ? call_rule(c, action->rule, first) : call_procedure(c, at, action->procedure, first);
}

static uint32_t compile_call(struct compiler *c, const struct statement *call)
{
    uint32_t first;
    struct action action = control_resolve(c, call->name);
    if (!is_found(action))
        return unknown_action(c, &call->at, call->name);
    if (action.rule && !action.rule->is_enabled)
        return complain(c, &call->at, "the rule '%.100s' is not enabled", call->name);
    if (!control_arguments(c, call, &action, &first))
        return NO_TERM;
    return control_call(c, &call->at, &action, first);
}

/* ------------------------------------------------------------------ statements */

uint32_t control_choice(struct compiler *c, struct term_list *list)
{
    for (; list->count > 1 && !c->terms.has_failed; list->count = (list->count + 1) / 2)
        for (size_t i = 0; i < list->count; i += 2)
            list->item[i / 2] =
                i + 1 < list->count ? term_or(&c->terms, list->item[i], list->item[i + 1]) : list->item[i];
    return list->count > 0 ? list->item[0] : term_stuck(&c->terms);
}

static uint32_t compile_list(struct compiler *c, const struct statement *statement)
{
    struct term_list list = {0};
    uint32_t term = NO_TERM;
    for (const struct statement *part = statement->parts; part && !c->status; part = part->next) {
        uint32_t compiled = compile(c, part);
        if (!c->status && (limits_reached() || !vector_push(&list, compiled)))
            control_no_memory(c);
    }
    if (!c->status && statement->kind == STATEMENT_CHOICE) {
        term = control_choice(c, &list);
    } else if (!c->status) {
        term = term_done(&c->terms);
        for (size_t i = list.count; i-- > 0;)
            term = term_seq(&c->terms, list.item[i], term);
    }
    free(list.item);
    return term;
}

static uint32_t compile_parts(struct compiler *c, const struct statement *statement)
{
    uint32_t part[3] = {NO_TERM, NO_TERM, NO_TERM};
    unsigned count = 0;
    for (const struct statement *s = statement->parts; s && !c->status; s = s->next)
        part[count++] = compile(c, s);
    if (c->status)
        return NO_TERM;
    uint32_t done = term_done(&c->terms), stuck = term_stuck(&c->terms);
    switch (statement->kind) {
    case STATEMENT_ATOM: return term_atom(&c->terms, part[0], NO_TERM);
    case STATEMENT_ALAP: return term_while(&c->terms, part[0], done);
    case STATEMENT_STAR: return term_star(&c->terms, part[0]);
    case STATEMENT_WHILE: return term_while(&c->terms, part[0], part[1]);
    case STATEMENT_UNTIL: return term_until(&c->terms, part[0], part[1]);
    case STATEMENT_IF: return term_if(&c->terms, part[0], part[1], stuck, count > 2 ? part[2] : done);
    default: return term_if(&c->terms, part[0], done, stuck, count > 1 ? part[1] : done); /* try */
    }
}

static uint32_t compile_kind(struct compiler *c, const struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_TRUE: return term_done(&c->terms);
    case STATEMENT_DECLARATION: return declare(c, statement);
    case STATEMENT_BLOCK:
    case STATEMENT_CHOICE: return compile_list(c, statement);
    case STATEMENT_CALL: return compile_call(c, statement);
    case STATEMENT_GROUP:
        return control_group(c, &statement->at, statement->name ? statement->name : c->source->package,
                             statement->below, statement->is_other);
    default: return compile_parts(c, statement);
    }
}

/* Declarations hold to the end of the statement they are in. */
static uint32_t compile(struct compiler *c, const struct statement *statement)
{
    if (c->status)
        return NO_TERM;
    if (++c->depth > DEEPEST)
        return complain(c, &statement->at, "this is nested too deeply (more than %d levels)", DEEPEST);
    struct binding *scope = c->scope;
    uint32_t term = compile_kind(c, statement);
    if (statement->kind != STATEMENT_DECLARATION)
        c->scope = scope;
    c->depth--;
    return term == NO_TERM ? control_no_memory(c) : term;
}

/* ------------------------------------------------------------------ the program */

static bool check_procedures(struct compiler *c)
{
    for (size_t s = 0; s < c->source_count && !c->status; s++)
        for (struct procedure *p = c->sources[s].procedures; p && !c->status; p = p->next) {
            struct action first = find_action(c, p->name);
            c->source = &c->sources[s];
            if (first.procedure != p)
                complain(c, &p->at, "there is already a function or recipe '%.100s'", p->name);
            for (size_t r = 0; r < c->grammar->rules.count && !c->status; r++)
                if (strcmp(c->grammar->rules.item[r].name, p->name) == 0)
                    complain(c, &p->at, "there is already a rule '%.100s'", p->name);
            for (const struct import *i = c->sources[s].imports; i && !c->status; i = i->next)
                if (!is_found(find_action(c, i->name)))
                    unknown_action(c, &c->sources[s].lexer.token.at, i->name);
        }
    return !c->status;
}

static const struct control_source *find_main(struct compiler *c)
{
    const struct control_source *main = NULL;
    for (size_t s = 0; s < c->source_count; s++)
        if (c->sources[s].main && main) {
            c->source = &c->sources[s];
            complain(c, &c->sources[s].main->at, "only one file may have statements, and %s has some already",
                     main->lexer.file);
        } else if (c->sources[s].main) {
            main = &c->sources[s];
        }
    return main;
}

static uint32_t compile_main(struct compiler *c, const struct control_source *main)
{
    static const struct control_source all = {.package = ""};
    static const struct position nowhere = {.line = 1, .column = 1};
    c->source = main ? main : c->source_count > 0 ? &c->sources[0] : &all;
    if (main)
        return compile(c, main->main);
    struct position at = c->source_count > 0 ? c->source->lexer.token.at : nowhere;
    uint32_t any = control_group(c, &at, NULL, false, false);
    return c->status ? NO_TERM : term_while(&c->terms, any, term_done(&c->terms));
}

static enum portolan_status check_assigned(struct compiler *c)
{
    const struct control_location *start = &c->program->locations.item[c->program->start];
    if (start->live_count == 0)
        return c->status;
    uint32_t variable = c->program->live.item[start->first_live];
    c->source = c->declared.item[variable].source;
    complain(c, &c->declared.item[variable].at, "the variable '%.100s' may be used before it has a value",
             c->program->variables.item[variable].name);
    return c->status;
}

/* Labels that mark the nodes which variables have as values. */
static bool label_variables(struct compiler *c)
{
    for (size_t i = 0; i < c->program->variables.count; i++) {
        struct control_variable *variable = &c->program->variables.item[i];
        char text[100];
        snprintf(text, sizeof text, "variable %zu: %.50s", i, variable->name);
        if (variable->sort == SORT_NONE &&
            (variable->label = grammar_label(c->grammar, LABEL_BINARY, text)) == NO_NUMBER)
            return false;
    }
    return true;
}

static enum portolan_status compile_program(struct compiler *c)
{
    const struct control_source *main = find_main(c);
    if (c->status || !check_procedures(c))
        return c->status;
    bool has_recipes = false;
    for (size_t s = 0; s < c->source_count; s++)
        for (const struct procedure *p = c->sources[s].procedures; p; p = p->next)
            has_recipes |= p->is_recipe;
    if (!main && !has_recipes)
        return c->status; /* any rule may be applied: that needs no program */
    uint32_t start = compile_main(c, main);
    if (c->status)
        return c->status;
    if (!control_build(c->program, &c->terms, &c->calls, start))
        return c->status = fail_memory(c->error);
    if (check_assigned(c))
        return c->status;
    if (!label_variables(c))
        return c->status = fail_memory(c->error);
    c->grammar->control = c->program;
    c->grammar->free_control = control_free;
    c->program = NULL;
    return c->status;
}

enum portolan_status control_read(struct grammar *grammar, const struct control_text *texts, size_t count,
                                  struct portolan_error *error)
{
    struct compiler c = {.grammar = grammar, .error = error, .source_count = count};
    c.program = calloc(1, sizeof *c.program);
    c.sources = calloc(count ? count : 1, sizeof *c.sources);
    if (!c.program || !c.sources)
        c.status = fail_memory(error);
    for (size_t i = 0; i < count && !c.status; i++)
        c.status = control_parse(&c.sources[i], &texts[i], &c.arena, error);
    if (!c.status)
        compile_program(&c);
    for (size_t i = 0; i < count && c.sources; i++)
        lexer_clear(&c.sources[i].lexer);
    control_free(c.program);
    terms_clear(&c.terms);
    arena_clear(&c.arena);
    free(c.sources);
    free(c.calls.item);
    free(c.expansions.item);
    free(c.declared.item);
    return c.status;
}
