/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as statements of dot: a box for each node with its name, types, flags and loops, an arrow for each edge. */
#include "report/pictures.h"

#include "base/diagnostic.h"
#include "base/vector.h"
#include "report/escape.h"

#include <inttypes.h>
#include <string.h>

struct look {
    const char *line, *fill, *style;
    double width;
};

static const struct look looks[] = {[PORTOLAN_PRESENT] = {"#455a64", "#ffffff", "solid", 1},
                                    [PORTOLAN_FOUND] = {"#1f5fa8", "#e3f0fc", "solid", 2},
                                    [PORTOLAN_DELETED] = {"#c62828", "#fdecea", "solid", 2},
                                    [PORTOLAN_CREATED] = {"#2e7d32", "#e8f5e9", "solid", 2},
                                    [PORTOLAN_FORBIDDEN] = {"#8e24aa", "#faf2fc", "dashed", 1.5}};

struct drawn_node {
    uint32_t node;
    bool is_value;
    enum portolan_part part;
    char *name;
};

struct drawn_edge {
    uint32_t from, to;
    enum portolan_part_label kind;
    enum portolan_part part;
    char *label;
};

struct picture {
    VECTOR(struct drawn_node) nodes;
    VECTOR(struct drawn_edge) edges;
};

bool has_pictures(const struct portolan_system *system, struct portolan_error *error)
{
    if (system->graphs)
        return true;
    fail(error, PORTOLAN_REFUSED, "pictures need states that are graphs");
    hint(error, "graph grammars in .gg files and .gps directories have them");
    return false;
}

/* ------------------------------------------------------------------ collecting */

static bool add_node(void *user, uint32_t node, const char *name, bool is_value, enum portolan_part part)
{
    struct picture *picture = user;
    struct drawn_node drawn = {.node = node, .is_value = is_value, .part = part, .name = strdup(name)};
    if (drawn.name && vector_push(&picture->nodes, drawn))
        return true;
    free(drawn.name);
    return false;
}

static bool add_edge(void *user, uint32_t from, const char *label, enum portolan_part_label kind, uint32_t to,
                     enum portolan_part part)
{
    struct picture *picture = user;
    struct drawn_edge drawn = {.from = from, .to = to, .kind = kind, .part = part, .label = strdup(label)};
    if (drawn.label && vector_push(&picture->edges, drawn))
        return true;
    free(drawn.label);
    return false;
}

static void picture_clear(struct picture *picture)
{
    for (size_t i = 0; i < picture->nodes.count; i++)
        free(picture->nodes.item[i].name);
    for (size_t i = 0; i < picture->edges.count; i++)
        free(picture->edges.item[i].label);
    free(picture->nodes.item);
    free(picture->edges.item);
}

/* ------------------------------------------------------------------ drawing */

/* A type, flag or loop in the box of its node; in colour if something becomes of it. */
static void draw_line(FILE *out, const struct drawn_edge *edge, enum portolan_part of_node)
{
    static const char *const open[] = {"", "<i>", "<b>"}, *const close[] = {"", "</i>", "</b>"};
    bool differs = edge->part != of_node && edge->part != PORTOLAN_FOUND && edge->part != PORTOLAN_PRESENT;
    static const char *const signs[] = {"", "", "&#8722; ", "+ ", "not "};
    fputs("<br/>", out);
    if (differs)
        fprintf(out, "<font color=\"%s\">%s", looks[edge->part].line, signs[edge->part]);
    fputs(open[edge->kind], out);
    write_escaped(out, edge->label);
    fputs(close[edge->kind], out);
    if (differs)
        fputs("</font>", out);
}

static void draw_lines(FILE *out, const struct picture *picture, const struct drawn_node *node)
{
    static const enum portolan_part_label order[] = {PORTOLAN_TYPE, PORTOLAN_FLAG, PORTOLAN_EDGE};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < picture->edges.count; i++) {
            const struct drawn_edge *edge = &picture->edges.item[i];
            if (edge->from == node->node && edge->to == node->node && edge->kind == order[k])
                draw_line(out, edge, node->part);
        }
}

static void draw_node(FILE *out, const char *prefix, const struct picture *picture, const struct drawn_node *node)
{
    const struct look *look = &looks[node->part];
    fprintf(out, "%s%" PRIu32 " [shape=%s style=\"%sfilled,%s\" color=\"%s\" fillcolor=\"%s\" penwidth=%g label=<",
            prefix, node->node, node->is_value ? "ellipse" : "box", node->is_value ? "" : "rounded,", look->style,
            look->line, look->fill, look->width);
    if (node->is_value) {
        write_escaped(out, node->name);
    } else {
        fputs("<font color=\"#78909c\" point-size=\"9\">", out);
        write_escaped(out, node->name[0] ? node->name : " ");
        fputs("</font>", out);
        draw_lines(out, picture, node);
    }
    fputs(">];\n", out);
}

static void draw_edge(FILE *out, const char *prefix, const struct drawn_edge *edge)
{
    const struct look *look = &looks[edge->part];
    fprintf(out, "%s%" PRIu32 " -> %s%" PRIu32 " [color=\"%s\" fontcolor=\"%s\" style=%s penwidth=%g label=<", prefix,
            edge->from, prefix, edge->to, look->line, look->line, look->style, look->width);
    fputs(" ", out);
    write_escaped(out, edge->label);
    fputs(" >];\n", out);
}

bool picture_statements(const struct portolan_system *system, const void *state, uint32_t action, const char *prefix,
                        FILE *out)
{
    struct picture picture = {0};
    struct portolan_graph_receiver receiver = {&picture, add_node, add_edge};
    bool fine = system->graphs->tell(system->model, state, action, &receiver);
    for (size_t i = 0; i < picture.nodes.count && fine; i++)
        draw_node(out, prefix, &picture, &picture.nodes.item[i]);
    for (size_t i = 0; i < picture.edges.count && fine; i++)
        if (picture.edges.item[i].from != picture.edges.item[i].to)
            draw_edge(out, prefix, &picture.edges.item[i]);
    picture_clear(&picture);
    return fine;
}
