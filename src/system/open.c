/* Opening a model file: the table of languages. */
#include "system/open.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "front/actors/actors.h"
#include "front/entities/entities.h"
#include "front/petri/system.h"
#include "front/threads/system.h"

#include <string.h>

static enum portolan_status open_pnml(const char *path, struct portolan_system **system, struct portolan_error *error)
{
    struct net *net = NULL;
    enum portolan_status status = pnml_read(path, &net, error);
    return status == PORTOLAN_OK ? net_system_new(net, system, error) : status;
}

static enum portolan_status open_entities(const char *path, struct portolan_system **system,
                                          struct portolan_error *error)
{
    struct entity_system *entities = NULL;
    enum portolan_status status = entities_read(path, &entities, error);
    return status == PORTOLAN_OK ? entities_system_new(entities, path, system, error) : status;
}

const struct language languages[] = {{.name = "pnml",
                                      .extensions = ".pnml .xml",
                                      .summary = "place/transition nets (PNML), with inhibitor and read arcs",
                                      .views = "relations, footprint, entities",
                                      .open = open_pnml},
                                     {.name = "dlang",
                                      .extensions = ".dl",
                                      .summary = "thread programs: shared variables, locks, condition variables",
                                      .views = "relations, footprint",
                                      .open = threads_open},
                                     {.name = "ent",
                                      .extensions = ".ent",
                                      .summary = "entity systems: actions read, forbid, delete and create entities",
                                      .views = "relations, footprint, entities",
                                      .open = open_entities},
                                     {.name = "mp",
                                      .extensions = ".mp",
                                      .summary = "message-passing protocols: processes, quorums, faults",
                                      .views = "relations, footprint",
                                      .open_with = actors_open},
                                     {0}};

/* Is the extension of the path one of a list separated by spaces? */
static bool has_extension(const char *path, const char *extensions)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t length = dot ? strlen(dot) : 0;
    for (const char *known = extensions; length && *known; known += *known == ' ') {
        size_t known_length = strcspn(known, " ");
        if (known_length == length && strncmp(known, dot, length) == 0)
            return true;
        known += known_length;
    }
    return false;
}

static enum portolan_status open_whole(const char *path, const char *const *definitions, size_t count,
                                       struct portolan_system **system, struct portolan_error *error)
{
    const struct language *language = &languages[0];
    /* PNML is what has no other name: its reader says what is wrong with the content */
    for (const struct language *l = languages; l->name; l++)
        if (has_extension(path, l->extensions))
            language = l;
    if (language->open_with)
        return language->open_with(path, definitions, count, system, error);
    if (count == 0)
        return language->open(path, system, error);
    fail(error, PORTOLAN_BAD_OPTION, "the language of '%.200s' has no constants that could be defined", path);
    hint(error, "protocols in .mp files have them");
    return PORTOLAN_BAD_OPTION;
}

enum portolan_status portolan_open_with(const char *path, const char *const *definitions, size_t count,
                                        struct portolan_system **system, struct portolan_error *error)
{
    enum portolan_status status = open_whole(path, definitions, count, system, error);
    if (limits_stop() == PORTOLAN_COMPLETE)
        return status;
    if (status == PORTOLAN_OK) /* something may be missing in it */
        portolan_system_free(*system);
    *system = NULL;
    return fail_memory(error);
}

enum portolan_status portolan_open(const char *path, struct portolan_system **system, struct portolan_error *error)
{
    return portolan_open_with(path, NULL, 0, system, error);
}
