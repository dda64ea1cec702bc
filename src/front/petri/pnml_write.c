/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a net as PNML (ISO/IEC 15909-2), one page, with the arc types and the NUPN section that pnml_read.c reads.
 * Units have no names in a net: they are written as u1, u2, ... below a root u0 without places of its own.
 */
#include "front/petri/net.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct writing {
    const struct net *net;
    FILE *out;
    int underscores; /* appended to our own ids to keep them apart from those of the net */
    uint32_t arcs;   /* written so far */
};

/* Writes text so that it comes back unchanged from an attribute or an element. */
static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        switch (byte) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\t':
        case '\n':
        case '\r': fprintf(out, "&#%d;", byte); break;
        default:
            if (byte < 0x20) /* XML cannot hold it */
                fputs("\xEF\xBF\xBD", out);
            else
                fputc(byte, out);
        }
    }
}

static void write_name(FILE *out, const char *indent, const char *name)
{
    fprintf(out, "%s<name><text>", indent);
    write_escaped(out, name);
    fputs("</text></name>\n", out);
}

static bool starts_like(const char *id, const char *word, int underscores)
{
    size_t length = strlen(word);
    return strncmp(id, word, length) == 0 && strspn(id + length, "_") >= (size_t)underscores;
}

static bool clashes(const struct net *net, int underscores)
{
    for (uint32_t p = 0; p < net->places; p++)
        if (starts_like(net->place_id[p], "arc", underscores) || starts_like(net->place_id[p], "page", underscores))
            return true;
    for (uint32_t t = 0; t < net->transitions; t++)
        if (starts_like(net->transition_id[t], "arc", underscores) ||
            starts_like(net->transition_id[t], "page", underscores))
            return true;
    return false;
}

static void write_underscores(const struct writing *writing)
{
    for (int i = 0; i < writing->underscores; i++)
        fputc('_', writing->out);
}

/* A place or a transition; only a place has tokens. */
static void write_node(FILE *out, const char *kind, const char *id, const char *name, uint32_t tokens)
{
    fprintf(out, "      <%s id=\"", kind);
    write_escaped(out, id);
    fputs("\">\n", out);
    write_name(out, "        ", name ? name : id);
    if (tokens)
        fprintf(out, "        <initialMarking><text>%u</text></initialMarking>\n", tokens);
    fprintf(out, "      </%s>\n", kind);
}

/* type is NULL for a normal arc */
static void write_arc(struct writing *writing, const char *source, const char *target, uint32_t weight,
                      const char *type)
{
    fputs("      <arc id=\"arc", writing->out);
    write_underscores(writing);
    fprintf(writing->out, "%u\" source=\"", writing->arcs++);
    write_escaped(writing->out, source);
    fputs("\" target=\"", writing->out);
    write_escaped(writing->out, target);
    if (weight == 1 && !type) {
        fputs("\"/>\n", writing->out);
        return;
    }
    fputs("\">\n", writing->out);
    if (weight != 1)
        fprintf(writing->out, "        <inscription><text>%u</text></inscription>\n", weight);
    if (type)
        fprintf(writing->out, "        <type value=\"%s\"/>\n", type);
    fputs("      </arc>\n", writing->out);
}

static void write_arcs(struct writing *writing)
{
    const struct net *net = writing->net;
    for (uint32_t t = 0; t < net->transitions; t++) {
        const char *transition = net->transition_id[t];
        for_arcs (arc, net, t) {
            const char *place = net->place_id[arc->place];
            if (arc->consume)
                write_arc(writing, place, transition, arc->consume, NULL);
            if (arc->need > arc->consume)
                write_arc(writing, place, transition, arc->need, "test");
            if (arc->inhibit)
                write_arc(writing, place, transition, arc->inhibit, "inhibitor");
            if (arc->produce)
                write_arc(writing, transition, place, arc->produce, NULL);
        }
    }
}

/* Separates the items of a list, in lines of moderate length. */
static const char *separator(uint32_t item)
{
    return item == 0 ? "" : item % 16 == 0 ? "\n " : " ";
}

/* "Unit-safe" speaks of the whole net: every place is in a unit. */
static bool units_cover_places(const struct net *net)
{
    uint64_t members = 0;
    for (uint32_t u = 0; u < net->units; u++)
        members += net->unit[u].count;
    return members >= net->places;
}

static void write_units(const struct writing *writing)
{
    const struct net *net = writing->net;
    FILE *out = writing->out;
    fputs("      <toolspecific tool=\"nupn\" version=\"1.1\">\n", out);
    fprintf(out, "        <size places=\"%u\" transitions=\"%u\" arcs=\"%u\"/>\n", net->places, net->transitions,
            writing->arcs);
    fprintf(out, "        <structure units=\"%llu\" root=\"u0\" safe=\"%s\">\n", net->units + 1ULL,
            units_cover_places(net) ? "true" : "false");
    fputs("          <unit id=\"u0\">\n            <places/>\n            <subunits>", out);
    for (uint32_t u = 0; u < net->units; u++)
        fprintf(out, "%su%llu", separator(u), u + 1ULL);
    fputs("</subunits>\n          </unit>\n", out);
    for (uint32_t u = 0; u < net->units; u++) {
        fprintf(out, "          <unit id=\"u%llu\">\n            <places>", u + 1ULL);
        for (uint32_t i = 0; i < net->unit[u].count; i++) {
            fputs(separator(i), out);
            write_escaped(out, net->place_id[net->unit_places[net->unit[u].first + i]]);
        }
        fputs("</places>\n            <subunits/>\n          </unit>\n", out);
    }
    fputs("        </structure>\n      </toolspecific>\n", out);
}

bool pnml_write(const struct net *net, FILE *out)
{
    struct writing writing = {.net = net, .out = out};
    while (clashes(net, writing.underscores))
        writing.underscores++;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n"
          "  <net id=\"",
          out);
    write_escaped(out, net->name);
    fputs("\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n", out);
    write_name(out, "    ", net->name);
    fputs("    <page id=\"page", out);
    write_underscores(&writing);
    fputs("\">\n", out);
    for (uint32_t p = 0; p < net->places; p++)
        write_node(out, "place", net->place_id[p], net->place_name[p], net->initial[p]);
    for (uint32_t t = 0; t < net->transitions; t++)
        write_node(out, "transition", net->transition_id[t], net->transition_name[t], 0);
    write_arcs(&writing);
    if (net->units)
        write_units(&writing);
    fputs("    </page>\n  </net>\n</pnml>\n", out);
    return fflush(out) == 0 && !ferror(out);
}
