/* Opening a model file: the table of languages. */
#include "system/open.h"

#include "base/diagnostic.h"
#include "front/petri/system.h"
#include "front/threads/system.h"

#include <string.h>

static enum portolan_status open_pnml(const char *path, struct portolan_system **system, struct portolan_error *error)
{
    struct net *net = NULL;
    enum portolan_status status = pnml_read(path, &net, error);
    return status == PORTOLAN_OK ? net_system_new(net, system, error) : status;
}

const struct language languages[] = {{.name = "pnml",
                                      .extensions = ".pnml .xml",
                                      .summary = "place/transition nets (PNML), with inhibitor and read arcs",
                                      .views = "relations",
                                      .open = open_pnml},
                                     {.name = "dlang",
                                      .extensions = ".dl",
                                      .summary = "thread programs: shared variables, locks, condition variables",
                                      .views = "relations footprint",
                                      .open = threads_open},
                                     {0}};

static bool has_extension(const char *path, const char *extensions)
{
    const char *dot = strrchr(path, '.');
    size_t length = dot ? strlen(dot) : 0;
    for (const char *e = extensions; length && *e; e += strspn(e, " ")) {
        size_t next = strcspn(e, " ");
        if (next == length && memcmp(e, dot, length) == 0)
            return true;
        e += next;
    }
    return false;
}

enum portolan_status portolan_open(const char *path, struct portolan_system **system, struct portolan_error *error)
{
    for (const struct language *language = languages; language->name; language++)
        if (has_extension(path, language->extensions))
            return language->open(path, system, error);
    return languages[0].open(path, system, error); /* its reader says what is wrong with the content */
}
