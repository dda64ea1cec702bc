/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/node_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char id_prefix[] = "id:";

static bool is_twice(const struct name_index *index, size_t count, size_t i)
{
    return (i > 0 && strcmp(index[i].name, index[i - 1].name) == 0) ||
           (i + 1 < count && strcmp(index[i].name, index[i + 1].name) == 0);
}

/* Names that are another node's id are doubted, and so are those that several nodes have. */
static void add_names(struct node_names *n, uint32_t count)
{
    size_t id_count = n->count, used = id_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other;
        if (!n->names[i])
            continue;
        if (name_index_find(n->index, id_count, n->names[i], &other))
            n->doubted[n->doubted_count++] = (struct name_index){n->names[i], i};
        else
            n->index[used++] = (struct name_index){n->names[i], i};
    }
    struct name_index *named = n->index + id_count;
    size_t named_count = used - id_count;
    name_index_sort(named, named_count);
    for (size_t i = 0; i < named_count; i++)
        if (is_twice(named, named_count, i))
            n->doubted[n->doubted_count++] = named[i];
    name_index_sort(n->doubted, n->doubted_count);
    for (size_t i = 0; i < named_count; i++) {
        uint32_t other;
        if (!name_index_find(n->doubted, n->doubted_count, named[i].name, &other))
            n->index[n->count++] = named[i]; /* never behind what is read */
    }
}

bool node_names_make(struct node_names *n, char **ids, char **names, uint32_t count)
{
    *n = (struct node_names){.ids = ids, .names = names};
    n->index = calloc((size_t)count * 2 + 1, sizeof *n->index);
    n->doubted = calloc((size_t)count + 1, sizeof *n->doubted);
    if (!n->index || !n->doubted)
        return false;
    for (uint32_t i = 0; i < count; i++)
        n->index[n->count++] = (struct name_index){ids[i], i};
    name_index_sort(n->index, n->count);
    add_names(n, count);
    name_index_sort(n->index, n->count);
    return true;
}

void node_names_clear(struct node_names *n)
{
    free(n->index);
    free(n->doubted);
}

bool node_names_find(const struct node_names *n, const char *name, uint32_t *number)
{
    if (name_index_find(n->index, n->count, name, number))
        return true;
    const char *id = name + sizeof id_prefix - 1;
    return strncmp(name, id_prefix, sizeof id_prefix - 1) == 0 && name_index_find(n->index, n->count, id, number) &&
           strcmp(n->ids[*number], id) == 0;
}

bool node_names_doubt(const struct node_names *n, const char *name, char *advice, size_t size)
{
    uint32_t named, found;
    if (!name_index_find(n->doubted, n->doubted_count, name, &named))
        return false;
    if (name_index_find(n->index, n->count, name, &found))
        snprintf(advice, size, "it is the id of one and the name of another: write \"%s%.60s\" or \"%s%.60s\"",
                 id_prefix, n->ids[found], id_prefix, n->ids[named]);
    else
        snprintf(advice, size, "several have this name: write an id, as \"%.60s\"", n->ids[named]);
    return true;
}

const char *node_names_show(const struct node_names *n, uint32_t number)
{
    uint32_t found;
    const char *name = n->names[number];
    if (!name || !name_index_find(n->index, n->count, name, &found) || found != number || strpbrk(name, "\n\r\t") ||
        name[0] == '#')
        return n->ids[number];
    return name;
}
