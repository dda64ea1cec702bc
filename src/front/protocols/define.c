/* SPDX-License-Identifier: Apache-2.0 */
/* Other values for the constants of a protocol: "NAME=VALUE"; and "keep-dead=1", which can be no name of a constant. */
#include "base/diagnostic.h"
#include "base/nearest.h"
#include "front/protocols/ast.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum portolan_status unknown_constant(const struct syntax *syntax, const char *name,
                                             struct portolan_error *error)
{
    struct nearest nearest = nearest_to(name);
    for (const struct constant *c = syntax->constants; c; c = c->next)
        if (c->value)
            nearest_offer(&nearest, c->name);
    fail(error, PORTOLAN_BAD_OPTION, "the protocol has no constant '%.64s'", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    return PORTOLAN_BAD_OPTION;
}

static enum portolan_status define(struct syntax *syntax, const char *definition, struct portolan_error *error)
{
    const char *equals = strchr(definition, '=');
    char *name = arena_copy(&syntax->arena, definition, equals ? (size_t)(equals - definition) : strlen(definition));
    struct node *value = arena_get(&syntax->arena, sizeof *value);
    if (!name || !value)
        return fail_memory(error);
    char *end = NULL;
    errno = 0;
    long number = equals ? strtol(equals + 1, &end, 10) : 0;
    if (!equals || end == equals + 1 || *end || errno || number != (int32_t)number)
        return fail(error, PORTOLAN_BAD_OPTION, "'%.64s' is not a definition of a constant, NAME=NUMBER", definition);
    if (strcmp(name, "keep-dead") == 0) {
        syntax->keeps_dead = number != 0;
        return PORTOLAN_OK;
    }
    for (struct constant *c = syntax->constants; c; c = c->next)
        if (c->value && strcmp(c->name, name) == 0) {
            *value = (struct node){.kind = NODE_NUMBER, .at = c->value->at, .value = (int32_t)number};
            c->value = value;
            return PORTOLAN_OK;
        }
    return unknown_constant(syntax, name, error);
}

enum portolan_status protocols_define(struct syntax *syntax, const char *const *definitions, size_t count,
                                      struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < count && status == PORTOLAN_OK; i++)
        status = define(syntax, definitions[i], error);
    return status;
}
