/* Opening a model file: the table of languages. */
#include "system/open.h"

#include "base/diagnostic.h"
#include "front/petri/system.h"

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
                                      .views = "relations, entities",
                                      .open = open_pnml},
                                     {0}};

enum portolan_status portolan_open(const char *path, struct portolan_system **system, struct portolan_error *error)
{
    /* one language so far: whatever the name, the reader says what is wrong with the content */
    return languages[0].open(path, system, error);
}
