/* SPDX-License-Identifier: Apache-2.0 */
/* What a model looks like: a net as a picture, a text as its lines. */
#include "page/page.h"

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "front/petri/system.h"
#include "report/dot.h"
#include "report/escape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NODES = 150, LONGEST_SOURCE = 300000 };

static void write_node(FILE *out, char kind, uint32_t number, const char *name)
{
    fprintf(out, "%c%u [id=\"%c%u\" shape=%s %s=\"", kind, number, kind, number, kind == 'p' ? "circle" : "box",
            kind == 'p' ? "label=\"\" xlabel" : "label");
    for (; *name; name++)
        fprintf(out, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    fputs("\"];\n", out);
}

static void write_weight(FILE *out, uint32_t weight)
{
    if (weight > 1)
        fprintf(out, " [label=\"%u\"]", weight);
    fputs(";\n", out);
}

/* Of one transition and place: inhibitor and read arcs have ends of their own. */
static void write_arc(FILE *out, uint32_t transition, const struct net_arc *arc)
{
    if (arc->consume) {
        fprintf(out, "p%u -> t%u", arc->place, transition);
        write_weight(out, arc->consume);
    }
    if (arc->produce) {
        fprintf(out, "t%u -> p%u", transition, arc->place);
        write_weight(out, arc->produce);
    }
    if (arc->need > arc->consume)
        fprintf(out, "p%u -> t%u [dir=none style=dashed label=\"%u\"];\n", arc->place, transition, arc->need);
    if (arc->inhibit)
        fprintf(out, "p%u -> t%u [arrowhead=odot label=\"<%u\"];\n", arc->place, transition, arc->inhibit);
}

static const char *place_label(const struct net *net, uint32_t place)
{
    return net->place_name[place] ? net->place_name[place] : net->place_id[place];
}

/* In inches: a label of an ordinary length fits between two places. */
static double distance_of_places(const struct net *net)
{
    size_t longest = 0;
    for (uint32_t p = 0; p < net->places; p++)
        if (strlen(place_label(net, p)) > longest)
            longest = strlen(place_label(net, p));
    double distance = 0.07 * (double)longest - 0.2;
    return distance < 0.4 ? 0.4 : distance > 1 ? 1 : distance;
}

static void write_net(const struct net *net, FILE *out)
{
    /* labels of places are written beside them, over arcs, and should not meet each other */
    fprintf(out,
            "digraph net {\ngraph [margin=0.1 nodesep=%.2f ranksep=0.5 forcelabels=true outputorder=edgesfirst];\n",
            distance_of_places(net));
    fputs("node [fontname=\"Helvetica\" fontsize=10 height=0.35 width=0.35 margin=\"0.06,0.03\"];\n"
          "edge [fontname=\"Helvetica\" fontsize=9 arrowsize=0.6];\n",
          out);
    for (uint32_t p = 0; p < net->places; p++)
        write_node(out, 'p', p, place_label(net, p));
    for (uint32_t t = 0; t < net->transitions; t++) {
        write_node(out, 't', t, net->transition_name[t] ? net->transition_name[t] : net->transition_id[t]);
        for_arcs (arc, net, t)
            write_arc(out, t, arc);
    }
    fputs("}\n", out);
}

/* The names that a trace uses, by the number of each node. */
static void tell_names(struct json *json, const char *what, const struct portolan_system *system, uint32_t count,
                       const char *(*name)(const void *model, uint32_t number))
{
    json_open(json, what, '[');
    for (uint32_t i = 0; i < count; i++)
        json_string(json, NULL, name(system->model, i));
    json_close(json, ']');
}

enum portolan_status page_net(struct html_page *page, const struct portolan_system *system,
                              struct portolan_error *error)
{
    const struct net *net = net_of_system(system);
    char *drawn = NULL;
    if (!net || system->variables != net->places || system->actions != net->transitions)
        return PORTOLAN_OK;
    if (net->places + net->transitions > MOST_NODES) {
        snprintf(page->no_picture, sizeof page->no_picture, "the net has more than %d places and transitions",
                 MOST_NODES);
        return PORTOLAN_OK;
    }
    FILE *in = tmpfile();
    if (!in)
        return fail(error, PORTOLAN_IO, "cannot create a temporary file: %s", strerror(errno));
    write_net(net, in);
    enum portolan_status status = dot_draw(in, &drawn, error);
    fclose(in);
    const char *svg = drawn ? strstr(drawn, "<svg") : NULL;
    if (status == PORTOLAN_OK && svg) {
        json_open(&page->json, "net", '{');
        json_string(&page->json, "picture", svg);
        tell_names(&page->json, "places", system, net->places, system->variable_name);
        tell_names(&page->json, "transitions", system, net->transitions, system->action_name);
        json_close(&page->json, '}');
    }
    free(drawn);
    return page_without_picture(page, status, error);
}

enum portolan_status page_source(struct html_page *page, const struct portolan_system *system, const char *path,
                                 struct portolan_error *error)
{
    struct stat file;
    size_t length;
    char *text = NULL;
    if (net_of_system(system) || stat(path, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size > LONGEST_SOURCE)
        return PORTOLAN_OK;
    enum portolan_status status = text_file_read(path, &text, &length, error);
    if (status == PORTOLAN_OK)
        json_string(&page->json, "source", text);
    free(text);
    return status;
}
