/* SPDX-License-Identifier: Apache-2.0 */
#include "report/graph.h"

#include "report/pictures.h"
#include "report/words.h"
#include "system/deadlock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_text(struct graph *graph, const char *text)
{
    for (; *text; text++)
        if (!vector_push(&graph->labels, *text))
            graph->failed = true;
}

/* The graph that a state is, as statements of dot. */
static void add_picture(struct graph *graph, uint32_t state, const void *bytes)
{
    char *text = NULL, prefix[16];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    snprintf(prefix, sizeof prefix, "s%" PRIu32 "n", state);
    if (!out || !picture_statements(graph->system, bytes, PORTOLAN_NO_ACTION, prefix, out))
        graph->failed = true;
    if (out && fclose(out) != 0)
        graph->failed = true;
    if (!graph->failed)
        add_text(graph, text);
    free(text);
    graph->failed |= !vector_push(&graph->labels, '\0');
}

/* One part of a label; lines are broken where they become long. */
static void add_part(struct graph *graph, const char *text)
{
    enum { LONGEST_LINE = 40 };
    size_t here = graph->labels.count, line = here;
    while (line > graph->last_label && graph->labels.item[line - 1] != '\n')
        line--;
    if (here > graph->last_label)
        add_text(graph, here - line + strlen(text) >= LONGEST_LINE ? "\n" : " ");
    add_text(graph, text);
}

/* Where the threads are: "user[0]@7". */
static void add_places(struct graph *graph, const void *bytes)
{
    const struct portolan_system *system = graph->system;
    const struct portolan_footprint *view = system->footprint;
    for (uint32_t agent = 0; view && view->place && view->agent_name && agent < view->agents; agent++) {
        char name[100], where[60], text[sizeof name + sizeof where];
        if (!view->place(system->model, bytes, agent, where, sizeof where))
            continue;
        view->agent_name(system->model, agent, name, sizeof name);
        bool is_line = strncmp(where, "line ", 5) == 0;
        snprintf(text, sizeof text, is_line ? "%s@%s" : "%s %s", name, where + (is_line ? 5 : 0));
        add_part(graph, text);
    }
}

static void add_message(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    struct graph *graph = user;
    const struct portolan_messages *messages = graph->system->messages;
    char part[700];
    (void)event;
    (void)from;
    snprintf(part, sizeof part, "%.500s to %.150s", text, messages->process_name(graph->system->model, to));
    add_part(graph, part);
}

/* "p1 2q": the marked variables with their counts; "Node[1].role=leader" where values have names; where threads are;
 * messages on their way. */
static void add_label(struct graph *graph, const void *bytes)
{
    const struct portolan_system *system = graph->system;
    graph->last_label = graph->labels.count;
    add_places(graph, bytes);
    for (uint32_t v = 0; v < system->variables && system->value; v++) {
        int64_t value = system->value(system->model, bytes, v);
        const char *name = system->variable_name ? system->variable_name(system->model, v) : "?";
        char part[700];
        struct value_text word;
        if (value == 0)
            continue;
        if (system->value_text || (system->footprint && system->footprint->place))
            snprintf(part, sizeof part, "%.200s=%s", name, value_word(system, v, value, &word));
        else if (value != 1)
            snprintf(part, sizeof part, "%" PRId64 "%.600s", value, name);
        else
            snprintf(part, sizeof part, "%.600s", name);
        add_part(graph, part);
    }
    if (system->messages && system->messages->waiting)
        system->messages->waiting(system->model, bytes,
                                  &(struct portolan_message_receiver){.user = graph, .message = add_message});
    if (!vector_push(&graph->labels, '\0'))
        graph->failed = true;
}

/* Too many to be looked at: nothing more is kept. */
static bool is_full(struct graph *graph)
{
    graph->is_cut |= graph->most && graph->states.count >= graph->most;
    return graph->is_cut;
}

static void on_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct graph *graph = user;
    if (is_full(graph))
        return;
    struct graph_state record = {.state = state,
                                 .fully = fully,
                                 .deadlock = is_deadlock(graph->system, bytes, enabled),
                                 .label = graph->labels.count};
    if (graph->wants_labels && graph->system->graphs)
        add_picture(graph, state, bytes);
    else if (graph->wants_labels)
        add_label(graph, bytes);
    if (!vector_push(&graph->states, record))
        graph->failed = true;
}

static void on_edge(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    struct graph *graph = user;
    struct graph_edge edge = {from, action, to};
    if (!graph->is_cut && !vector_push(&graph->edges, edge))
        graph->failed = true;
}

struct portolan_callbacks graph_callbacks(struct graph *graph)
{
    return (struct portolan_callbacks){.user = graph, .expanded = on_expanded, .edge = on_edge};
}

static int by_edge(const void *left, const void *right)
{
    const struct graph_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->action != b->action)
        return a->action < b->action ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* The states of a breadth-first search come in order: then there is no need for a second copy of all edges. */
static bool states_in_order(const struct graph *graph)
{
    for (size_t i = 1; i < graph->edges.count; i++)
        if (graph->edges.item[i - 1].from > graph->edges.item[i].from)
            return false;
    return true;
}

static void sort_edges(struct graph *graph)
{
    struct graph_edge *edge = graph->edges.item;
    size_t count = graph->edges.count;
    bool by_state = states_in_order(graph);
    for (size_t first = 0, end = 0; first < count; first = end) {
        end = by_state ? first + 1 : count;
        while (end < count && edge[end].from == edge[first].from)
            end++;
        qsort(edge + first, end - first, sizeof *edge, by_edge);
    }
}

/* A state that was expanded further was told again, and so were its edges. */
static void remove_repeats(struct graph *graph)
{
    size_t kept = 0;
    sort_edges(graph);
    for (size_t i = 0; i < graph->edges.count; i++)
        if (i == 0 || by_edge(&graph->edges.item[i], &graph->edges.item[i - 1]) != 0)
            graph->edges.item[kept++] = graph->edges.item[i];
    graph->edges.count = kept;
}

/* --- writing: graphs are large, and formats are slow to interpret */

static void write_text(const char *text, FILE *out)
{
    for (; *text; text++)
        putc_unlocked(*text, out);
}

static void write_number(uint64_t number, FILE *out)
{
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        putc_unlocked(digits[--count], out);
}

/* A line ends as `newline` says. */
static void write_lines(const char *text, const char *newline, FILE *out)
{
    putc_unlocked('"', out);
    for (; *text; text++) {
        if (*text == '\n') {
            write_text(newline, out);
            continue;
        }
        if (*text == '"' || *text == '\\')
            putc_unlocked('\\', out);
        putc_unlocked(*text, out);
    }
    putc_unlocked('"', out);
}

static void write_quoted(const char *text, FILE *out)
{
    write_lines(text, " ", out);
}

static void write_action(const struct graph *graph, uint32_t action, FILE *out)
{
    const struct portolan_system *system = graph->system;
    if (system->action_name) {
        write_quoted(system->action_name(system->model, action), out);
        return;
    }
    putc_unlocked('"', out);
    write_number(action, out);
    putc_unlocked('"', out);
}

static void write_dot_state(const struct graph *graph, const struct graph_state *state, FILE *out)
{
    write_text("  ", out);
    write_number(state->state, out);
    write_text(" [label=", out);
    write_lines(graph->labels.item + state->label, "\\n", out);
    if (state->fully && !state->deadlock)
        write_text(" peripheries=2", out);
    if (state->deadlock)
        write_text(" style=filled fillcolor=\"#f4a6a0\"", out);
    if (state->state == 0)
        write_text(" penwidth=2", out);
    write_text("];\n", out);
}

/* A state that is a graph is a box around it; steps lead from box to box, at a point that is not seen. */
static void write_dot_graph(const struct graph *graph, const struct graph_state *state, FILE *out)
{
    write_text("  subgraph cluster_", out);
    write_number(state->state, out);
    write_text(" {\n  label=\"", out);
    write_number(state->state, out);
    write_text("\" style=\"rounded,filled\" fillcolor=", out);
    write_text(state->deadlock ? "\"#f4a6a0\"" : "\"#f7f9fb\"", out);
    write_text(state->state == 0 ? " penwidth=2;\n  " : ";\n  ", out);
    write_number(state->state, out);
    write_text(" [shape=point style=invis width=0.01 label=\"\"];\n", out);
    write_text(graph->labels.item + state->label, out);
    write_text("  }\n", out);
}

static void write_dot_ends(const struct graph_edge *edge, FILE *out)
{
    if (edge->from == edge->to) /* a loop stays at the point */
        return;
    write_text(" ltail=cluster_", out);
    write_number(edge->from, out);
    write_text(" lhead=cluster_", out);
    write_number(edge->to, out);
}

static void write_dot(const struct graph *graph, FILE *out)
{
    bool draws = graph->system->graphs;
    write_text("digraph ", out);
    write_quoted(graph->system->name, out);
    write_text(" {\n  node [shape=ellipse fontname=\"Helvetica\"]; edge [fontname=\"Helvetica\"];\n", out);
    if (draws)
        write_text("  compound=true nodesep=0.3 ranksep=0.8 fontname=\"Helvetica\";\n", out);
    for (size_t i = 0; i < graph->states.count; i++)
        if (draws)
            write_dot_graph(graph, &graph->states.item[i], out);
        else
            write_dot_state(graph, &graph->states.item[i], out);
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct graph_edge *edge = &graph->edges.item[i];
        write_text("  ", out);
        write_number(edge->from, out);
        write_text(" -> ", out);
        write_number(edge->to, out);
        write_text(" [label=", out);
        write_action(graph, edge->action, out);
        if (draws)
            write_dot_ends(edge, out);
        write_text("];\n", out);
    }
    write_text("}\n", out);
}

static void write_aut(const struct graph *graph, FILE *out)
{
    uint32_t states = 1;
    for (size_t i = 0; i < graph->edges.count; i++)
        if (graph->edges.item[i].to >= states)
            states = graph->edges.item[i].to + 1;
    for (size_t i = 0; i < graph->states.count; i++)
        if (graph->states.item[i].state >= states)
            states = graph->states.item[i].state + 1;
    fprintf(out, "des (0, %zu, %" PRIu32 ")\n", graph->edges.count, states);
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct graph_edge *edge = &graph->edges.item[i];
        putc_unlocked('(', out);
        write_number(edge->from, out);
        write_text(", ", out);
        write_action(graph, edge->action, out);
        write_text(", ", out);
        write_number(edge->to, out);
        write_text(")\n", out);
    }
}

bool graph_write(struct graph *graph, const char *format, FILE *out)
{
    remove_repeats(graph);
    if (strcmp(format, "dot") == 0)
        write_dot(graph, out);
    else
        write_aut(graph, out);
    return !ferror(out);
}

void graph_clear(struct graph *graph)
{
    free(graph->edges.item);
    free(graph->states.item);
    free(graph->labels.item);
    memset(graph, 0, sizeof *graph);
}
