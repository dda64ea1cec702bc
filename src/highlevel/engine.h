/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A high-level net that runs as it is.
 *
 * A state is a number for each place: of its marking (markings.h).  What a transition can do depends on the markings of
 * the places that it takes from or that forbid it; for each combination of these that was met there is a row: the
 * bindings that are enabled there, and the markings of these places after each.  So a binding is evaluated once for a
 * combination, and a step is a look-up.  Places that a transition only adds to are not part of the combination: what is
 * added to them is a change, numbered too, and the marking after a change is looked up by marking and change.
 *
 * An action is a binding: its transition and the values of its variables.  All these numbers are given as things are
 * met and mean nothing outside the process; what leaves it has names.
 *
 * Everything happens under the lock; functions marked (locked) expect the caller to hold it.
 */
#ifndef HIGHLEVEL_ENGINE_H
#define HIGHLEVEL_ENGINE_H

#include "base/names.h"
#include "codec/layout.h"
#include "highlevel/markings.h"
#include "highlevel/memo.h"

#include <pthread.h>

enum { NO_ACTION = UINT32_MAX, MOST_ASKED = 1000 };

struct fly_transition {
    const uint32_t *read;    /* places: of input and inhibitor arcs, each once */
    const uint32_t *written; /* the other places of output arcs */
    const uint32_t *needed;  /* places that must not be empty */
    uint32_t reads, writes, needs;
    uint32_t missing; /* of `needed`: those that are empty now */
    /* a count; then for each binding its action, the markings of `read` after it, changes of `written` */
    struct memo rows;
    uint64_t round; /* of the engine, in which its row was found ... */
    size_t row;     /* ... here */
};

struct fly_action {
    uint32_t transition;
    uint32_t key;     /* of engine.keys; NO_ACTION: it has a name, but was not met yet */
    uint32_t failure; /* of engine.failures; 0: none */
    char *name;       /* NULL: nobody asked yet */
};

struct fly_failure {
    const char *why;
    const struct node *at;
};

struct fly_proposition {
    const uint32_t *read; /* places that it asks about */
    uint32_t reads;
    struct memo values;
};

struct fly_engine {
    struct colour_net *net;
    struct tokens *tokens;
    struct binder *binder;
    struct markings markings;
    struct sequences *changes; /* per place: of what is added to it, pairs of token and count */
    struct memo *changed;      /* per place: marking and change -> marking */
    struct fly_transition *transitions;
    uint32_t *needed_first, *needed_by; /* per place: the transitions that need it, from here on up to the next */
    struct sequences keys;              /* of actions: transition and values */
    uint32_t *action_of_key;            /* per key */
    size_t action_of_key_room;
    VECTOR(struct fly_action) actions;
    VECTOR(struct fly_failure) failures; /* each once; number 0 stands for none */
    VECTOR(int64_t) priorities;          /* of actions, where the net has priorities */
    bool has_priorities;
    struct names action_names; /* number of a name -> action_named, its action */
    VECTOR(uint32_t) action_named;
    uint32_t names_known, awaited; /* of actions below the names are in the table; that have a name only */
    uint32_t *initial;             /* marking of each place */
    uint32_t places, error_place;
    uint32_t error_token;
    size_t row_words;         /* of all rows */
    VECTOR(uint32_t) enabled; /* scratch: a list of actions, */
    VECTOR(uint32_t) row;     /* the row that is being made, */
    VECTOR(uint32_t) key;     /* the key of an action, */
    uint64_t round;           /* how often `present` was changed, */
    uint32_t *present;        /* the markings of places that are looked at (set by fly_look_at), */
    uint64_t *ready;          /* the transitions without empty places that must not be, as bits, */
    uint32_t *read;           /* those of them that a transition reads, */
    VECTOR(uint32_t) here;    /* and the tokens in these, */
    size_t *here_first;       /* of each place from here on */
    struct names variable_names;
    VECTOR(const char *) shown_names; /* the same, where nobody moves them */
    struct fly_proposition *propositions;
    int64_t *capacity; /* of tokens, per place; INT64_MAX: none */
    bool has_capacities;
    const char *error_is_absent; /* an expression */
    struct colour_evaluation evaluation;
    VECTOR(uint32_t) asked; /* tokens that are variables, since somebody asked for them */
    uint32_t unlisted;      /* variables that are not printed, with room for those */
    VECTOR(struct portolan_stated_property) stated;
    struct portolan_rules rules;
    pthread_mutex_t lock;
};

void fly_lock(const struct fly_engine *engine);
void fly_unlock(const struct fly_engine *engine);

void fly_turn(struct fly_engine *engine, uint32_t place);

/* (locked) The place has this marking from now on; whoever calls it begins a new round. */
static inline void fly_look_at(struct fly_engine *engine, uint32_t place, uint32_t marking)
{
    bool turns = (engine->present[place] == 0) != (marking == 0);
    engine->present[place] = marking;
    if (turns)
        fly_turn(engine, place);
}

/* (locked) Lists the actions enabled with the markings in engine->present in engine->enabled; false when memory is
 * exhausted. */
bool fly_enabled(struct fly_engine *engine);
/* (locked) The same of one transition, whatever the priorities say. */
bool fly_enabled_by(struct fly_engine *engine, uint32_t transition);
/* (locked) What an action does to the markings in engine->present.  NULL when it is not enabled there or memory is
 * exhausted; else the markings of `read` after it, then the changes of `written`. */
const uint32_t *fly_effect(struct fly_engine *engine, uint32_t action);
/* (locked) The marking after a change; NO_MARKING, TOO_MANY_TOKENS as marking_change. */
uint32_t fly_changed(struct fly_engine *engine, uint32_t place, uint32_t marking, uint32_t change);
/* (locked) The marking of the place of errors with one token more. */
uint32_t fly_after_error(struct fly_engine *engine);

/* actions.c (locked): the action of a binding, numbered when it is new; NO_ACTION when memory is exhausted. */
uint32_t fly_action_of(struct fly_engine *engine, const struct binding *binding);
const char *fly_action_name(struct fly_engine *engine, uint32_t action);
/* Its description; false when it has none. */
bool fly_action_text(const struct fly_engine *engine, uint32_t action, char *text, size_t size);
bool fly_find_action(struct fly_engine *engine, const char *name, uint32_t *action);
/* The longest transition name that the name of an action begins with; the count of transitions when there is none. */
uint32_t fly_transition_of_name(const struct fly_engine *engine, const char *name);

/* variables.c: markings of places, how many tokens they have, propositions, for each transition whether it can fire,
 * whether the capacities hold, tokens that somebody asked for. */
bool fly_name_variables(struct fly_engine *engine, struct portolan_error *error);
void fly_clear_variables(struct fly_engine *engine);
/* (locked) The value with the markings in engine->present. */
int64_t fly_value(struct fly_engine *engine, uint32_t variable);
/* Why a variable has no value. */
const char *fly_why_no_value(struct fly_engine *engine, uint32_t variable);
bool fly_find_variable(struct fly_engine *engine, const char *name, uint32_t *variable);
const char *fly_variable_name(const struct fly_engine *engine, uint32_t variable);
void fly_value_text(const struct fly_engine *engine, uint32_t variable, int64_t value, char *text, size_t size);
const struct portolan_type *fly_variable_type(const struct fly_engine *engine, uint32_t variable);

/* engine.c */
enum portolan_status fly_engine_make(struct fly_engine *engine, struct colour_net *net, struct portolan_error *error);
void fly_engine_clear(struct fly_engine *engine);

/* fly.c: takes the net over, also on failure. */
enum portolan_status fly_system_new(struct colour_net *net, struct portolan_system **system,
                                    struct portolan_error *error);
struct fly_engine *fly_engine_of(const struct portolan_system *system);
/* Writes the markings as a state of the system, as firing would. */
enum portolan_fired fly_state_of(const struct portolan_system *system, const uint32_t *marking, void *state);

#endif
