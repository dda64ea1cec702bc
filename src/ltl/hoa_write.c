/* SPDX-License-Identifier: Apache-2.0 */
/* Automata as text: the HOA format (http://adl.github.io/hoaf/), and dot for pictures. */
#include "ltl/automaton.h"

#include <inttypes.h>
#include <string.h>

static void write_string(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputc('"', out);
}

/* A label as a conjunction of atoms: numbers in HOA, texts in dot. */
static void write_cube(const struct automaton *automaton, const struct automaton_edge *edge, bool with_names, FILE *out)
{
    const char *separator = "";
    if (!edge->positive && !edge->negative)
        fputc(with_names ? '1' : 't', out);
    for (uint32_t atom = 0; atom < 64; atom++) {
        bool positive = edge->positive >> atom & 1, negative = edge->negative >> atom & 1;
        if (!positive && !negative)
            continue;
        fprintf(out, "%s%s", separator, negative ? "!" : "");
        if (!with_names)
            fprintf(out, "%" PRIu32, atom);
        else
            for (const char *c = automaton->atoms[atom]; *c; c++)
                fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        separator = with_names ? " & " : "&";
    }
}

static bool is_parallel(const struct automaton_edge *one, const struct automaton_edge *other)
{
    return one->target == other->target && one->acceptance == other->acceptance;
}

static void write_sets(uint64_t acceptance, FILE *out)
{
    const char *separator = " {";
    for (uint32_t set = 0; set < 64; set++)
        if (acceptance >> set & 1) {
            fprintf(out, "%s%" PRIu32, separator, set);
            separator = " ";
        }
    fputs(acceptance ? "}" : "", out);
}

static void write_state(const struct automaton *automaton, uint32_t state, FILE *out)
{
    fprintf(out, "State: %" PRIu32 "\n", state);
    for_edges(edge, automaton, state)
    {
        bool is_first = edge == automaton->edges + automaton->first[state] || !is_parallel(edge - 1, edge);
        bool is_last = edge + 1 == edge_end || !is_parallel(edge, edge + 1);
        fputs(is_first ? "[" : " | ", out);
        write_cube(automaton, edge, false, out);
        if (!is_last)
            continue;
        fprintf(out, "] %" PRIu32, edge->target);
        write_sets(edge->acceptance, out);
        fputc('\n', out);
    }
}

static void write_acceptance(const struct automaton *automaton, FILE *out)
{
    if (automaton->sets == 0) {
        fprintf(out, "acc-name: all\nAcceptance: 0 t\n");
        return;
    }
    if (automaton->sets == 1)
        fprintf(out, "acc-name: Buchi\n");
    else
        fprintf(out, "acc-name: generalized-Buchi %" PRIu32 "\n", automaton->sets);
    fprintf(out, "Acceptance: %" PRIu32, automaton->sets);
    for (uint32_t set = 0; set < automaton->sets; set++)
        fprintf(out, "%sInf(%" PRIu32 ")", set ? "&" : " ", set);
    fputc('\n', out);
}

void automaton_write_hoa(const struct automaton *automaton, const char *name, FILE *out)
{
    fprintf(out, "HOA: v1\n");
    if (name) {
        fprintf(out, "name: ");
        write_string(name, out);
        fputc('\n', out);
    }
    fprintf(out, "States: %" PRIu32 "\nStart: %" PRIu32 "\nAP: %" PRIu32, automaton->states, automaton->initial,
            automaton->atom_count);
    for (uint32_t i = 0; i < automaton->atom_count; i++) {
        fputc(' ', out);
        write_string(automaton->atoms[i], out);
    }
    fputc('\n', out);
    write_acceptance(automaton, out);
    fprintf(out, "properties: trans-labels explicit-labels trans-acc%s%s\n",
            automaton_is_deterministic(automaton) ? " deterministic" : "",
            automaton->strength != AUTOMATON_STRONG ? " inherently-weak" : "");
    fprintf(out, "--BODY--\n");
    for (uint32_t s = 0; s < automaton->states; s++)
        write_state(automaton, s, out);
    fprintf(out, "--END--\n");
}

void automaton_write_dot(const struct automaton *automaton, FILE *out)
{
    fprintf(out,
            "digraph automaton {\n  rankdir=LR; node [shape=circle fontname=\"Helvetica\"]; "
            "edge [fontname=\"Helvetica\"];\n  start [shape=point];\n  start -> %" PRIu32 ";\n",
            automaton->initial);
    for (uint32_t s = 0; s < automaton->states; s++) {
        fprintf(out, "  %" PRIu32 ";\n", s);
        for_edges(edge, automaton, s)
        {
            fprintf(out, "  %" PRIu32 " -> %" PRIu32 " [label=\"", s, edge->target);
            write_cube(automaton, edge, true, out);
            write_sets(edge->acceptance, out);
            fprintf(out, "\"%s];\n", edge->acceptance == automaton_all_sets(automaton) ? " penwidth=2" : "");
        }
    }
    fprintf(out, "}\n");
}
