/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name is made of the rule and the images of the anchor: "get(n1,n4)", with those of the levels below behind bars:
 * "clear(n1|n4|n5)".  A long one is cut and ends with a hash of the whole.  A recipe has its first rule in parentheses;
 * steps of a control program that begin alike have a hash of the state they lead to: "get(n1,n4)~3f8a2".
 */
#include "graph/names.h"

#include "graph/control.h"
#include "graph/control_engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

struct text {
    VECTOR(char) bytes;
    bool failed;
};

static void put(struct text *t, const char *more)
{
    size_t length = more ? strlen(more) : 0;
    if (!more || !vector_reserve(&t->bytes, length + 1)) {
        t->failed = true;
        return;
    }
    memcpy(t->bytes.item + t->bytes.count, more, length + 1);
    t->bytes.count += length;
}

static void put_images(struct engine *e, struct text *t, const struct program *p, uint32_t level,
                       const uint32_t *images)
{
    const numbers *anchor = &p->levels[level].anchor;
    for (size_t i = 0; i < anchor->count; i++) {
        if (i)
            put(t, ",");
        put(t, anchor->item[i] < p->rule->nodes.count ? node_name(&e->universe, images[i])
                                                      : e->grammar->labels.item[images[i]].text);
    }
}

const char *graph_rule_name(const struct engine *e, uint32_t rule)
{
    size_t rules = e->grammar->rules.count;
    return rule < rules ? e->grammar->rules.item[rule].name : e->grammar->control->recipes.item[rule - rules];
}

static void put_action(struct engine *e, struct text *t, const uint32_t *key, size_t length);

static void put_step(struct engine *e, struct text *t, const uint32_t *key, size_t length)
{
    char hash[32];
    bool is_recipe = key[0] < e->rules.count;
    if (is_recipe) {
        put(t, graph_rule_name(e, key[0]));
        put(t, "(");
    }
    put_action(e, t, key + STEP_PREFIX, length - STEP_PREFIX);
    if (is_recipe)
        put(t, ")");
    snprintf(hash, sizeof hash, "~%08" PRIx32 "%08" PRIx32, key[2], key[1]);
    if (key[1])
        put(t, hash);
}

static void put_action(struct engine *e, struct text *t, const uint32_t *key, size_t length)
{
    if (key[0] >= e->grammar->rules.count) {
        put_step(e, t, key, length);
        return;
    }
    const struct program *p = &e->programs[key[0]];
    put(t, p->rule->name);
    if (length == 1)
        return;
    put(t, "(");
    if (key[1] == FAILED_NODE) {
        put(t, "?");
    } else {
        put_images(e, t, p, 0, key + 1);
        for (size_t at = 1 + p->levels[0].anchor.count; at < length; at += 1 + p->levels[key[at]].anchor.count) {
            put(t, "|");
            put_images(e, t, p, key[at], key + at + 1);
        }
    }
    put(t, ")");
}

static void shorten(struct text *t)
{
    enum { MOST = 240, KEPT = 200 };
    char hash[32];
    if (t->failed || t->bytes.count <= MOST)
        return;
    snprintf(hash, sizeof hash, "...~%016" PRIx64, (uint64_t)XXH3_64bits(t->bytes.item, t->bytes.count));
    t->bytes.count = KEPT;
    put(t, hash);
}

/* NULL when memory is exhausted. */
static char *write_name(struct engine *e, uint32_t key_number)
{
    struct text t = {0};
    size_t length;
    const uint32_t *key = sequence_get(&e->keys, key_number, &length);
    put_action(e, &t, key, length);
    shorten(&t);
    if (!t.failed)
        return t.bytes.item;
    free(t.bytes.item);
    return NULL;
}

const char *graph_action_name(struct engine *e, uint32_t action)
{
    if (action >= e->actions.count)
        return NULL;
    struct graph_action *a = &e->actions.item[action];
    if (!a->name)
        a->name = write_name(e, a->key);
    return a->name;
}

static bool know_name(struct engine *e, uint32_t action)
{
    const char *name = graph_action_name(e, action);
    uint32_t number;
    if (!name || !names_add(&e->action_names, name, &number))
        return false;
    return number < e->action_named.count || vector_push(&e->action_named, action);
}

static bool know_names(struct engine *e)
{
    for (; e->names_known < e->actions.count; e->names_known++)
        if (!know_name(e, e->names_known))
            return false;
    return true;
}

/* Rules that are no steps have no actions, and those that touch some node are named with it: a name that nothing can
 * ever have must not pass for an action that never happens. */
static bool may_have_name(const struct engine *e, uint32_t number, bool is_bare)
{
    if (number >= e->grammar->rules.count)
        return true;
    const struct rule *rule = &e->grammar->rules.item[number];
    const struct program *program = &e->programs[number];
    bool may_be_step = e->grammar->conditions_are_steps || e->grammar->control; /* which may call conditions */
    if (!rule->is_enabled || (is_condition(rule) && !may_be_step))
        return false;
    return !is_bare || program->levels[0].anchor.count == 0;
}

static bool has_rule(const struct engine *e, const char *name)
{
    for (uint32_t i = 0; i < e->rules.count; i++) {
        const char *rule = graph_rule_name(e, i);
        size_t length = strlen(rule);
        if (strncmp(name, rule, length) == 0 && (name[length] == 0 || name[length] == '~' ||
                                                 (name[length] == '(' && strchr(name, ')')) || strstr(name, "...~")))
            return may_have_name(e, i, name[length] == 0);
    }
    return false;
}

static bool await_action(struct engine *e, const char *name, uint32_t *action)
{
    *action = (uint32_t)e->actions.count;
    if (!vector_push(&e->actions, ((struct graph_action){.key = NO_NUMBER})))
        return false;
    if (!(e->actions.item[*action].name = strdup(name))) {
        e->actions.count--;
        return false;
    }
    e->awaited++;
    return know_names(e);
}

bool graph_find_action(struct engine *e, const char *name, uint32_t *action)
{
    uint32_t number;
    if (!know_names(e))
        return false;
    if (names_find(&e->action_names, name, &number)) {
        *action = e->action_named.item[number];
        return true;
    }
    return has_rule(e, name) && await_action(e, name, action);
}

bool graph_awaited(struct engine *e, uint32_t key, uint32_t *action)
{
    uint32_t number;
    *action = NO_NUMBER;
    if (e->awaited == 0)
        return true;
    char *name = write_name(e, key);
    if (!name)
        return false;
    if (names_find(&e->action_names, name, &number) && e->actions.item[e->action_named.item[number]].key == NO_NUMBER) {
        *action = e->action_named.item[number];
        e->awaited--;
    }
    free(name);
    return true;
}
