/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checker.  Every line is checked as it is read; docs/certificates.md says
 * why the conditions are enough.  What is kept: a key a state, each set once,
 * ranks, and with formulas the edges.
 */
#include "certify/check.h"

#include "base/diagnostic.h"
#include "certify/check_simplified.h"
#include "ltl/automaton.h"
#include "property/property.h"
#include "system/compact.h"
#include "system/deadlock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum portolan_status not_valid(struct checker *c, const char *format, ...)
{
    if (c->error) {
        char message[sizeof c->error->message];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        fail_at(c->error, c->reader.name, c->reader.number, 0, NULL, "%s", message);
        c->error->status = PORTOLAN_REFUSED;
    }
    return PORTOLAN_REFUSED;
}

const char *action_text(const struct checker *c, uint32_t action)
{
    return c->system->action_name ? c->system->action_name(c->system->model, action) : "an action";
}

/* ----------------------------------------------------------------- the head */

static enum portolan_status read_claims(struct checker *c)
{
    struct reader *r = &c->reader;
    enum portolan_status status = reader_line(r);
    while (status == PORTOLAN_OK && reader_take(r, "claim ")) {
        struct portolan_error wrong;
        const char *text = reader_text(r);
        status = claims_add(&c->claims, c->system, text, &wrong);
        if (status == PORTOLAN_BAD_INPUT)
            status = fail_at(c->error, r->name, r->number, 7, r->line, "%s", wrong.message);
        else if (status != PORTOLAN_OK)
            status = fail(c->error, status, "%s", wrong.message);
        if (status == PORTOLAN_OK)
            status = reader_line(r);
    }
    return status == PORTOLAN_OK && c->claims.list.count == 0 ? reader_expected(r, "'claim'") : status;
}

static enum portolan_status read_cycles(struct checker *c)
{
    struct reader *r = &c->reader;
    if (!reader_take(r, "cycles "))
        return reader_expected(r, "'claim', 'simplify' or 'cycles'");
    for (int i = 0; cycles_word[i]; i++)
        if (strcmp(r->next, cycles_word[i]) == 0) {
            c->cycles = (enum cycles)i;
            return c->cycles >= c->claims.needs ? PORTOLAN_OK
                                                : not_valid(c, "the claims need the cycle condition '%s', not '%s'",
                                                            cycles_word[c->claims.needs], cycles_word[i]);
        }
    return reader_expected(r, "'free', 'safety' or 'liveness'");
}

/* The names tell a certificate of another model at once. */
static enum portolan_status read_actions(struct checker *c)
{
    struct reader *r = &c->reader;
    uint32_t count, number;
    enum portolan_status status = reader_line(r);
    if (status != PORTOLAN_OK)
        return status;
    if (!reader_take(r, "actions ") || !reader_number(r, &count) || !reader_at_end(r))
        return reader_expected(r, "'actions' and their number");
    if (count != c->system->actions)
        return not_valid(c, "the certificate has %" PRIu32 " actions, the model %" PRIu32, count, c->system->actions);
    for (uint32_t a = 0; a < count; a++) {
        if ((status = reader_line(r)) != PORTOLAN_OK)
            return status;
        if (!reader_take(r, "a") || !reader_number(r, &number) || number != a || !reader_take(r, " "))
            return reader_expected(r, "the name of the next action");
        const char *name = c->system->action_name ? c->system->action_name(c->system->model, a) : "";
        const char *listed = reader_text(r);
        if (strcmp(listed, name) != 0)
            return not_valid(c, "action %" PRIu32 " of the model is '%.100s', not '%.100s'", a, name, listed);
    }
    return PORTOLAN_OK;
}

static enum portolan_status read_head(struct checker *c)
{
    struct reader *r = &c->reader;
    enum portolan_status status = reader_line(r);
    if (status == PORTOLAN_OK && (!reader_take(r, "portolan certificate 1") || !reader_at_end(r)))
        status = reader_expected(r, "'portolan certificate 1'");
    if (status == PORTOLAN_OK)
        status = reader_line(r);
    if (status == PORTOLAN_OK && !reader_take(r, "model "))
        status = reader_expected(r, "'model' and its name");
    if (status == PORTOLAN_OK)
        status = read_claims(c);
    if (status == PORTOLAN_OK && reader_take(r, "simplify"))
        status = reader_at_end(r) ? check_simplified(c) : reader_expected(r, "the end of the line");
    if (status != PORTOLAN_OK || c->claims.list.count == 0)
        return status;
    status = read_cycles(c);
    return status == PORTOLAN_OK ? read_actions(c) : status;
}

/* ----------------------------------------------------------------- the sets */

/* "tN ENABLED ... DISABLED/GUARD ...", or "gN ..." for a goal-directed set */
static enum portolan_status read_set(struct checker *c, bool directed)
{
    struct reader *r = &c->reader;
    struct listed_set set = {.start = c->members.count, .directed = directed};
    uint32_t number, action, guard;
    if (!reader_number(r, &number) || number != c->sets.count)
        return reader_expected(r, "the number of the next set");
    while (!reader_at_end(r)) {
        if (!reader_take(r, " ") || !reader_number(r, &action) || action >= c->system->actions)
            return reader_expected(r, "an action of the model");
        bool disabled = reader_take(r, "/");
        if (disabled && !reader_number(r, &guard))
            return reader_expected(r, "a guard");
        if (!disabled && set.disabled)
            return reader_expected(r, "a guard: enabled members come first");
        if (!vector_push(&c->members, action) || (disabled && !vector_push(&c->members, guard)))
            return fail_memory(c->error);
        set.enabled += !disabled;
        set.disabled += disabled;
    }
    if (!vector_push(&c->sets, set))
        return fail_memory(c->error);
    c->size.sets++;
    return check_set(c);
}

/* ------------------------------------------------------------------- states */

/* Fires the action; the successor must be the state named, or the next new one. */
static enum portolan_status check_edge(struct checker *c, uint32_t action, uint32_t target)
{
    struct states *s = &c->states;
    if (!states_is_enabled(s, action))
        return not_valid(c, "state %" PRIu32 ": '%s' is not enabled", s->number, action_text(c, action));
    if (c->explored_in[action] == s->number + 1)
        return not_valid(c, "state %" PRIu32 ": '%s' is listed twice", s->number, action_text(c, action));
    c->explored_in[action] = s->number + 1;
    c->target[action] = target;
    if (target > s->count)
        return not_valid(c, "state %" PRIu32 ": '%s' leads to state %" PRIu32 ", but the next new one is %" PRIu32,
                         s->number, action_text(c, action), target, s->count);
    enum portolan_status status = states_fire(s, action, c->error);
    if (status != PORTOLAN_OK)
        return status;
    if (target == s->count)
        return states_add_next(s) ? PORTOLAN_OK : fail_memory(c->error);
    return states_is_next(s, target) ? PORTOLAN_OK
                                     : not_valid(c, "state %" PRIu32 ": '%s' does not lead to state %" PRIu32,
                                                 s->number, action_text(c, action), target);
}

/* The edges of a state, "ACTION>TARGET ..."; fills how many there are. */
static enum portolan_status read_edges(struct checker *c, uint32_t *count)
{
    struct reader *r = &c->reader;
    uint32_t action, target;
    for (*count = 0; !reader_at_end(r); ++*count) {
        if (!reader_take(r, " ") || !reader_number(r, &action) || action >= c->system->actions ||
            !reader_take(r, ">") || !reader_number(r, &target))
            return reader_expected(r, "an action of the model, '>' and a state");
        enum portolan_status status = check_edge(c, action, target);
        if (status != PORTOLAN_OK)
            return status;
        if (c->has_formulas && !vector_push(&c->edges, target))
            return fail_memory(c->error);
    }
    return PORTOLAN_OK;
}

static enum portolan_status check_members(struct checker *c, const struct listed_set *set)
{
    const struct states *s = &c->states;
    const uint32_t *enabled = c->members.item + set->start, *disabled = enabled + set->enabled;
    for (uint32_t i = 0; i < set->enabled; i++)
        if (c->explored_in[enabled[i]] != s->number + 1)
            return not_valid(c, "state %" PRIu32 ": '%s' is in set %td and not explored", s->number,
                             action_text(c, enabled[i]), set - c->sets.item);
    for (uint32_t i = 0; set->local != UINT32_MAX && i < s->enabled_count; i++) {
        bool missing = c->view.relations->local[s->enabled[i]] == set->local;
        for (uint32_t k = 0; missing && k < set->enabled; k++)
            missing = enabled[k] != s->enabled[i];
        if (missing)
            return not_valid(c, "state %" PRIu32 ": '%s' is enabled beside those of set %td, and not in it", s->number,
                             action_text(c, s->enabled[i]), set - c->sets.item);
    }
    for (uint32_t i = 0; i < set->disabled; i++)
        if (c->view.relations->holds(c->system->model, s->present, disabled[2 * i + 1]))
            return not_valid(c, "state %" PRIu32 ": guard %" PRIu32 " of '%s' is not false, as set %td says", s->number,
                             disabled[2 * i + 1], action_text(c, disabled[2 * i]), set - c->sets.item);
    return PORTOLAN_OK;
}

/* Notes along which edges the rank must fall: the key's, or those of all enabled members. */
static bool note_descents(struct checker *c, const struct listed_set *set)
{
    uint32_t count = c->cycles == CYCLES_FREE || set->directed ? 0 : c->cycles == CYCLES_SAFETY ? 1 : set->enabled;
    for (uint32_t i = 0; i < count; i++) {
        struct step step = {.from = c->states.number, .to = c->target[c->members.item[set->start + i]]};
        if (!vector_push(&c->descents, step))
            return false;
    }
    return true;
}

static enum portolan_status check_claims(struct checker *c)
{
    const struct states *s = &c->states;
    bool deadlock = is_deadlock(c->system, s->present, s->enabled_count);
    for (size_t i = 0; i < c->claims.list.count; i++) {
        struct claim *claim = &c->claims.list.item[i];
        if (claim->ltl) {
            bool no_value = false;
            if (!vector_push(&claim->letters, ltl_valuation(claim->ltl, c->system, s->present, deadlock, &no_value)))
                return fail_memory(c->error);
            if (no_value)
                return not_valid(c, "'%.200s' has no value in state %" PRIu32, claim->text, s->number);
        } else if (property_is_decided_by(claim->property, c->system, s->present, deadlock)) {
            return not_valid(c, "'%.200s' is false in state %" PRIu32, claim->text, s->number);
        }
    }
    return PORTOLAN_OK;
}

/* "*", or "tN" or "gN" for a set that has been listed so; NULL for "*". */
static enum portolan_status read_reason(struct checker *c, const struct listed_set **set)
{
    struct reader *r = &c->reader;
    uint32_t number;
    *set = NULL;
    if (reader_take(r, " *"))
        return PORTOLAN_OK;
    bool directed = reader_take(r, " g");
    if ((!directed && !reader_take(r, " t")) || !reader_number(r, &number))
        return reader_expected(r, "'*' or a set");
    if (number >= c->sets.count || c->sets.item[number].directed != directed)
        return not_valid(c, "state %" PRIu32 ": set %" PRIu32 " has not been listed", c->described, number);
    *set = &c->sets.item[number];
    return PORTOLAN_OK;
}

static enum portolan_status check_expansion(struct checker *c, const struct listed_set *set, uint32_t explored)
{
    const struct states *s = &c->states;
    if (!set && explored != s->enabled_count)
        return not_valid(c, "state %" PRIu32 " is not fully expanded: %" PRIu32 " of %" PRIu32 " enabled actions",
                         s->number, explored, s->enabled_count);
    enum portolan_status status = set ? check_members(c, set) : PORTOLAN_OK;
    if (status == PORTOLAN_OK && set && set->directed)
        status = check_goals(c, set);
    if (status == PORTOLAN_OK && set && !note_descents(c, set))
        status = fail_memory(c->error);
    return status;
}

/* "sN rRANK REASON EDGES" */
static enum portolan_status read_state(struct checker *c)
{
    struct reader *r = &c->reader;
    const struct listed_set *set;
    uint32_t number, rank = 0, explored;
    if (!reader_number(r, &number))
        return reader_expected(r, "the number of a state");
    if (number != c->described)
        return not_valid(c, "state %" PRIu32 " was found where state %" PRIu32 " was expected", number, c->described);
    if (number >= c->states.count)
        return not_valid(c, "state %" PRIu32 " has not been reached", number);
    if (c->cycles != CYCLES_FREE && (!reader_take(r, " r") || !reader_number(r, &rank)))
        return reader_expected(r, "the rank of the state");
    states_load(&c->states, number);
    enum portolan_status status = read_reason(c, &set);
    if (status == PORTOLAN_OK)
        status = read_edges(c, &explored);
    if (status == PORTOLAN_OK)
        status = check_expansion(c, set, explored);
    if (status == PORTOLAN_OK)
        status = check_claims(c);
    if (status != PORTOLAN_OK)
        return status;
    if ((c->cycles != CYCLES_FREE && !vector_push(&c->rank, rank)) ||
        (c->has_formulas && !vector_push(&c->edge_end, c->edges.count)))
        return fail_memory(c->error);
    c->described++;
    c->size.states++;
    c->size.edges += explored;
    c->size.fully += !set;
    return PORTOLAN_OK;
}

/* ---------------------------------------------------------------- the whole */

/* "end STATES EDGES", and everything that needs all states. */
static enum portolan_status read_end(struct checker *c)
{
    struct reader *r = &c->reader;
    uint32_t states, edges;
    if (!reader_number(r, &states) || !reader_take(r, " ") || !reader_number(r, &edges) || !reader_at_end(r))
        return reader_expected(r, "the numbers of states and edges");
    if (c->described < c->states.count)
        return not_valid(c, "state %" PRIu32 " is reached, but not described", c->described);
    if (states != c->size.states || edges != (uint32_t)c->size.edges)
        return not_valid(c, "there are %" PRIu64 " states and %" PRIu64 " edges, not %" PRIu32 " and %" PRIu32,
                         c->size.states, c->size.edges, states, edges);
    for (size_t i = 0; i < c->descents.count; i++) {
        struct step step = c->descents.item[i];
        if (c->rank.item[step.to] >= c->rank.item[step.from])
            return not_valid(c, "cycles: the rank does not fall from state %" PRIu32 " to state %" PRIu32, step.from,
                             step.to);
    }
    return check_formulas(c);
}

static enum portolan_status read_body(struct checker *c)
{
    struct reader *r = &c->reader;
    enum portolan_status status;
    while ((status = reader_line(r)) == PORTOLAN_OK) {
        if (c->described == 0 && reader_take(r, "probe"))
            return reader_at_end(r) ? check_vectors(c) : reader_expected(r, "the end of the line");
        if (reader_take(r, "end "))
            return read_end(c);
        if (reader_take(r, "s"))
            status = read_state(c);
        else if (reader_take(r, "t"))
            status = read_set(c, false);
        else if (reader_take(r, "g"))
            status = read_set(c, true);
        else
            status = reader_expected(r, "a state, a set or 'end'");
        if (status != PORTOLAN_OK)
            break;
    }
    return status;
}

static enum portolan_status make_parts(struct checker *c)
{
    size_t actions = (size_t)c->system->actions + 1;
    for (size_t i = 0; i < c->claims.list.count; i++)
        c->has_formulas |= c->claims.list.item[i].ltl != NULL;
    c->in_set = calloc(actions, sizeof *c->in_set);
    c->explored_in = calloc(actions, sizeof *c->explored_in);
    c->target = calloc(actions, sizeof *c->target);
    c->listed_in = calloc(actions, sizeof *c->listed_in);
    if (!c->in_set || !c->explored_in || !c->target || !c->listed_in || !view_make(&c->view, c->system) ||
        !states_make(&c->states, c->system))
        return fail_memory(c->error);
    return PORTOLAN_OK;
}

static enum portolan_status read_graph(struct checker *c)
{
    enum portolan_status status = make_parts(c);
    return status == PORTOLAN_OK ? read_body(c) : status;
}

/* The structure of the simplified net has decided everything. */
static enum portolan_status read_no_graph(struct checker *c)
{
    return reader_take(&c->reader, "end 0 0") && reader_at_end(&c->reader)
               ? PORTOLAN_OK
               : reader_expected(&c->reader, "'decided' or 'end 0 0'");
}

static void checker_clear(struct checker *c)
{
    claims_clear(&c->claims);
    claims_clear(&c->stated);
    view_clear(&c->view);
    states_clear(&c->states);
    reader_clear(&c->reader);
    free(c->members.item);
    free(c->sets.item);
    free(c->in_set);
    free(c->rank.item);
    free(c->descents.item);
    free(c->explored_in);
    free(c->target);
    free(c->listed_in);
    free(c->edge_end.item);
    free(c->edges.item);
}

static enum portolan_status fill_report(struct checker *c, struct certificate_report *report)
{
    struct claims *claims = c->small ? &c->stated : &c->claims;
    *report = (struct certificate_report){.size = c->size};
    report->claims = calloc(claims->list.count, sizeof *report->claims);
    if (!report->claims)
        return fail_memory(c->error);
    for (; report->claim_count < claims->list.count; report->claim_count++) {
        report->claims[report->claim_count] = claims->list.item[report->claim_count].text;
        claims->list.item[report->claim_count].text = NULL;
    }
    return PORTOLAN_OK;
}

enum portolan_status certificate_check(struct portolan_system *opened, const char *name, FILE *in,
                                       struct certificate_report *report, struct portolan_error *error)
{
    struct portolan_system *system = compact_begin(opened);
    if (!system)
        return fail_memory(error);
    struct checker c = {
        .system = system, .opened = opened, .reader = {.in = in, .name = name, .error = error}, .error = error};
    enum portolan_status status = read_head(&c);
    if (status == PORTOLAN_OK)
        status = c.claims.list.count ? read_graph(&c) : read_no_graph(&c);
    if (status == PORTOLAN_OK)
        status = reader_end(&c.reader);
    if (status == PORTOLAN_OK)
        status = fill_report(&c, report);
    checker_clear(&c);
    if (c.small && c.system && c.system != system)
        compact_end(c.system, c.small);
    portolan_system_free(c.small);
    compact_end(system, opened);
    return status;
}

void certificate_report_clear(struct certificate_report *report)
{
    for (size_t i = 0; i < report->claim_count; i++)
        free(report->claims[i]);
    free(report->claims);
    memset(report, 0, sizeof *report);
}
