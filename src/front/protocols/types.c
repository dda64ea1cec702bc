/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a protocol: which values they have, and which names these have. */
#include "front/protocols/scope.h"

#include "base/diagnostic.h"

enum { MOST_CELLS = 4096, WIDEST_RANGE = 1 << 20 };

struct domain process_domain(struct scope *s, struct process_type *p)
{
    return p->is_single ? (struct domain){1, 1} : type_domain(s, p->range);
}

static struct domain named_domain(struct scope *s, const struct type_node *type)
{
    struct constant *c = FIND(s->syntax->constants, type->name);
    struct process_type *p = FIND(s->syntax->processes, type->name);
    struct domain domain = {0};
    if ((!c || !c->type) && !p) {
        unknown_name(s, &type->at, type->name, "type");
        return domain;
    }
    if (c && c->is_open) {
        scope_fail(s, &type->at, "the type '%s' depends on itself", type->name);
        return domain;
    }
    if (c) {
        c->is_open = true;
        domain = type_domain(s, c->type);
        c->is_open = false;
        return domain;
    }
    return process_domain(s, p);
}

struct domain type_domain(struct scope *s, const struct type_node *type)
{
    struct domain domain = {0, 1};
    if (s->status != PORTOLAN_OK)
        return domain;
    switch (type->kind) {
    case TYPE_BOOL: break;
    case TYPE_NAMED: return named_domain(s, type);
    case TYPE_ENUM:
        for (const struct literal *l = type->literals; l; l = l->next)
            domain = (struct domain){0, l->value};
        break;
    case TYPE_RANGE:
        domain.low = constant_integer(s, type->low);
        domain.high = constant_integer(s, type->high);
        if (domain.low > domain.high)
            scope_fail(s, &type->at, "the range is empty%s", "");
        else if ((int64_t)domain.high - domain.low >= WIDEST_RANGE)
            scope_fail(s, &type->at, "the range is too large%s", "");
        break;
    default: scope_fail(s, &type->at, "a plain type is needed here, not a set or an array%s", "");
    }
    return s->status == PORTOLAN_OK ? domain : (struct domain){0, 1};
}

/* The literals of an enumeration as a type that has a name, or none. */
static void make_values(struct scope *s, struct type_node *type, const char *name)
{
    uint32_t count = 0;
    for (const struct literal *l = type->literals; l; l = l->next)
        count++;
    type->values = arena_get(&s->syntax->arena, sizeof *type->values);
    const char **values = arena_get(&s->syntax->arena, (count + 1) * sizeof *values);
    if (!type->values || !values) {
        s->status = fail_memory(s->error);
        return;
    }
    for (const struct literal *l = type->literals; l; l = l->next)
        values[l->value] = l->name;
    *type->values =
        (struct portolan_type){.kind = PORTOLAN_ENUMERATION, .name = name, .values = values, .value_count = count};
}

struct value_type type_values(struct scope *s, struct type_node *type)
{
    const struct constant *c = type->kind == TYPE_NAMED ? FIND(s->syntax->constants, type->name) : NULL;
    if (s->status != PORTOLAN_OK)
        return integers;
    if (c && c->type)
        return type_values(s, c->type);
    if (type->kind == TYPE_ENUM && !type->values)
        make_values(s, type, NULL);
    if (type->kind == TYPE_ENUM)
        return (struct value_type){.kind = VALUE_NAMED, .values = type->values};
    return type->kind == TYPE_BOOL ? booleans : integers;
}

static void add_literals(struct scope *s, struct type_node *type, const char *name)
{
    if (type && type->literals)
        make_values(s, type, name);
    if (s->status != PORTOLAN_OK)
        return;
    for (const struct literal *l = type ? type->literals : NULL; l; l = l->next) {
        const struct literal *other = FIND(s->syntax->literals, l->name);
        if (other && other->value == l->value)
            continue;
        if (other || FIND(s->syntax->constants, l->name))
            scope_fail(s, &l->at, "'%s' is declared with another value elsewhere", l->name);
        struct literal *copy = arena_get(&s->syntax->arena, sizeof *copy);
        if (!copy) {
            s->status = fail_memory(s->error);
            return;
        }
        *copy = *l;
        copy->values = type->values;
        copy->next = s->syntax->literals;
        s->syntax->literals = copy;
    }
    if (type && type->index)
        add_literals(s, type->index, NULL);
    if (type && type->element)
        add_literals(s, type->element, NULL);
}

void resolve_variables(struct scope *s, struct declared *list, uint32_t *cells, bool plain)
{
    for (struct declared *v = list; v; v = v->next) {
        struct type_node *type = v->type;
        const struct constant *c = type->kind == TYPE_NAMED ? FIND(s->syntax->constants, type->name) : NULL;
        if (c && c->type && (c->type->kind == TYPE_SET || c->type->kind == TYPE_ARRAY))
            type = c->type;
        v->is_set = type->kind == TYPE_SET;
        v->is_array = type->kind == TYPE_ARRAY;
        v->index = v->is_set || v->is_array ? type_domain(s, type->index) : (struct domain){0, 0};
        v->values = v->is_set ? (struct domain){0, 1} : type_domain(s, v->is_array ? type->element : type);
        v->indexed_by = v->is_set || v->is_array ? type_values(s, type->index) : integers;
        v->holds = v->is_set ? booleans : type_values(s, v->is_array ? type->element : type);
        v->cells = domain_size(v->index);
        v->base = *cells;
        if (plain && (v->is_set || v->is_array))
            scope_fail(s, &v->at, "the field '%s' of a message must be plain, not a set or an array", v->name);
        if (v->is_set && v->initial)
            scope_fail(s, &v->initial->at, "the set '%s' starts empty and takes no initial value", v->name);
        if (v->cells > MOST_CELLS || (*cells += v->cells) > MOST_CELLS)
            scope_fail(s, &v->at, "'%s' is too large", v->name);
        if (FIND(list, v->name) != v)
            scope_fail(s, &v->at, "'%s' is declared twice", v->name);
    }
}

void collect_literals(struct scope *s)
{
    for (const struct constant *c = s->syntax->constants; c; c = c->next)
        add_literals(s, c->type, c->name);
    for (const struct message_type *m = s->syntax->messages; m; m = m->next)
        for (const struct declared *v = m->fields; v; v = v->next)
            add_literals(s, v->type, NULL);
    for (const struct process_type *p = s->syntax->processes; p; p = p->next) {
        for (const struct declared *v = p->variables; v; v = v->next)
            add_literals(s, v->type, NULL);
        for (const struct rule *r = p->rules; r; r = r->next)
            for (const struct binder *b = r->choices; b; b = b->next)
                add_literals(s, b->type, NULL);
    }
}
