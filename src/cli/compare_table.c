/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compare_table.h"

#include "report/words.h"
#include "search/combination.h"

#include <inttypes.h>
#include <string.h>

bool row_is_stateless(const struct row *row)
{
    return search_find(row->result.search) == &search_executions;
}

static const char *verdict_of_row(const struct row *row)
{
    return row->result.answer_count ? verdict_word(worst_verdict(&row->result)) : "-";
}

static bool was_cut(const struct row *row)
{
    return row->result.stop > PORTOLAN_DECIDED;
}

/* What is counted: states, or executions where none are stored. */
static uint64_t size_of(const struct row *row)
{
    return row_is_stateless(row) ? row->result.statistics.executions : row->result.statistics.states;
}

/* --- one line for each different result */

/* How far a search came before it was cut short says little. */
static bool are_alike(const struct row *a, const struct row *b)
{
    return (size_of(a) == size_of(b) || was_cut(a)) && row_is_stateless(a) == row_is_stateless(b) &&
           a->differs == b->differs && a->result.stop == b->result.stop &&
           strcmp(verdict_of_row(a), verdict_of_row(b)) == 0;
}

/* Is the row the first of those that are like it? */
static bool leads_group(const row_list *rows, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (are_alike(&rows->item[i], &rows->item[row]))
            return false;
    return true;
}

/* Full exploration comes first, then the smallest; those that did not end come last. */
static bool comes_before(const row_list *rows, size_t a, size_t b)
{
    const struct row *x = &rows->item[a], *y = &rows->item[b];
    if (a == 0 || b == 0)
        return a == 0;
    if (was_cut(x) != was_cut(y))
        return was_cut(y);
    return size_of(x) < size_of(y) || (size_of(x) == size_of(y) && a < b);
}

/* The leader of the next group behind that of row `last` (SIZE_MAX: the first one), or SIZE_MAX. */
static size_t next_group(const row_list *rows, bool stateless, size_t last)
{
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < rows->count; i++)
        if (row_is_stateless(&rows->item[i]) == stateless && leads_group(rows, i) &&
            (last == SIZE_MAX || (i != last && comes_before(rows, last, i))) &&
            (next == SIZE_MAX || comes_before(rows, i, next)))
            next = i;
    return next;
}

static size_t others_alike(const row_list *rows, size_t leader)
{
    size_t others = 0;
    for (size_t i = leader + 1; i < rows->count; i++)
        others += are_alike(&rows->item[leader], &rows->item[i]);
    return others;
}

enum { NAME_COLUMN = 46, WIDTH = 80 };

/* Words from NAME_COLUMN on, as many lines as it takes. */
static void print_wrapped(const char *text, FILE *out)
{
    size_t column = NAME_COLUMN;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > NAME_COLUMN && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", NAME_COLUMN, "");
            column = NAME_COLUMN;
        } else if (column > NAME_COLUMN) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

/* How many times smaller than full exploration. */
static const char *factor_of(const row_list *rows, size_t row, struct short_text *into)
{
    const struct row *full = &rows->item[0], *own = &rows->item[row];
    if (was_cut(full) || was_cut(own) || row_is_stateless(own) || size_of(own) == 0)
        return "-";
    double factor = (double)size_of(full) / (double)size_of(own);
    snprintf(into->text, sizeof into->text, factor < 9.95 ? "%.1f x" : "%.0f x", factor);
    return into->text;
}

/* "stubborn scc dfs, 3 more", and what is wrong with it. */
static void name_group(const row_list *rows, size_t leader, char *text, size_t size)
{
    const struct row *row = &rows->item[leader];
    const struct portolan_result *result = &row->result;
    size_t others = others_alike(rows, leader);
    FILE *name = fmemopen(text, size, "w");
    if (!name)
        return;
    if (row->differs)
        fprintf(name, "ERROR: differs from the full exploration: ");
    else if (was_cut(row))
        fprintf(name, "(%s) ", stop_word(result->stop));
    fprintf(name, "%s", result->reduction);
    if (!row_is_stateless(row))
        fprintf(name, " %s %s", result->proviso, result->search);
    if (others)
        fprintf(name, ", %zu more", others);
    fclose(name);
}

static void print_group(const row_list *rows, size_t leader, bool is_best, FILE *out)
{
    const struct row *row = &rows->item[leader];
    struct short_text count = {0}, factor = {0};
    char seconds[32], name[256] = "";
    snprintf(seconds, sizeof seconds, "%.2f s", row->result.statistics.seconds);
    name_group(rows, leader, name, sizeof name);
    fprintf(out, "%c %14s %8s  %-9s %8s ", is_best ? '*' : ' ', with_commas(size_of(row), &count),
            factor_of(rows, leader, &factor), verdict_of_row(row), seconds);
    print_wrapped(name, out);
}

/* The first group behind full exploration that is smaller than it. */
static bool is_best(const row_list *rows, bool stateless, size_t before, size_t leader)
{
    const struct row *row = &rows->item[leader];
    if (was_cut(row) || row->differs)
        return false;
    return stateless ? before == SIZE_MAX : before == 0 && size_of(row) < size_of(&rows->item[0]);
}

static void print_groups_of(const row_list *rows, bool stateless, FILE *out)
{
    size_t before = SIZE_MAX;
    for (size_t leader; (leader = next_group(rows, stateless, before)) != SIZE_MAX; before = leader) {
        if (before == SIZE_MAX)
            fprintf(out, "\n  %14s %8s  %-9s %8s %s\n", stateless ? "executions" : "states", stateless ? "" : "smaller",
                    "verdict", "time", stateless ? "method" : "reduction, proviso, search");
        print_group(rows, leader, is_best(rows, stateless, before, leader), out);
    }
}

void print_groups(const row_list *rows, FILE *out)
{
    print_groups_of(rows, false, out);
    print_groups_of(rows, true, out);
    fprintf(out, "\n*: the fewest. --all shows each variant in a line, --csv writes them to a file.\n");
}

/* --- one line for each row */

static void print_remark(const struct row *row, FILE *out)
{
    if (row->differs)
        fprintf(out, "  ERROR: differs from the full exploration");
    else if (was_cut(row))
        fprintf(out, "  (%s)", stop_word(row->result.stop));
    fputc('\n', out);
}

static void print_row(const struct row *row, FILE *out)
{
    const struct portolan_result *result = &row->result;
    const struct portolan_statistics *statistics = &result->statistics;
    struct short_text states = {0}, transitions = {0}, fully = {0}, deadlocks = {0}, size = {0};
    fprintf(out, "%-30s %-14s %-6s %14s %14s %14s %9s  %-9s %8.2f s %9s", result->reduction, result->proviso,
            result->search, with_commas(statistics->states, &states),
            with_commas(statistics->transitions, &transitions), with_commas(statistics->expanded_fully, &fully),
            with_commas(statistics->deadlocks, &deadlocks), verdict_of_row(row), statistics->seconds,
            size_word(statistics->bytes, &size));
    print_remark(row, out);
}

static void print_stateless_row(const struct row *row, FILE *out)
{
    const struct portolan_statistics *statistics = &row->result.statistics;
    struct short_text executions = {0}, blocked = {0}, steps = {0}, size = {0};
    fprintf(out, "%-17s %14s %14s %14s  %-9s %8.2f s %9s", row->result.reduction,
            with_commas(statistics->executions, &executions), with_commas(statistics->blocked, &blocked),
            with_commas(statistics->transitions, &steps), verdict_of_row(row), statistics->seconds,
            size_word(statistics->bytes, &size));
    print_remark(row, out);
}

static void print_stateless_rows(const row_list *rows, FILE *out)
{
    bool some = false;
    for (size_t i = 0; i < rows->count; i++) {
        if (!row_is_stateless(&rows->item[i]))
            continue;
        if (!some)
            fprintf(out, "\n%-17s %14s %14s %14s  %-9s %10s %9s\n", "without states", "executions", "blocked", "steps",
                    "verdict", "time", "memory");
        some = true;
        print_stateless_row(&rows->item[i], out);
    }
}

void print_rows(const row_list *rows, FILE *out)
{
    fprintf(out, "\n%-30s %-14s %-6s %14s %14s %14s %9s  %-9s %10s %9s\n", "reduction", "proviso", "search", "states",
            "transitions", "fully expanded", "deadlocks", "verdict", "time", "memory");
    for (size_t i = 0; i < rows->count; i++)
        if (!row_is_stateless(&rows->item[i]))
            print_row(&rows->item[i], out);
    print_stateless_rows(rows, out);
}

/* --- for spreadsheets: no name has a comma or a quote but options, which are separated by commas */

void write_csv(const row_list *rows, FILE *out)
{
    fprintf(out, "reduction,proviso,search,states,transitions,fully_expanded,deadlocks,executions,blocked,verdict,"
                 "seconds,bytes,stop,differs\n");
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->item[i];
        const struct portolan_statistics *s = &row->result.statistics;
        fprintf(out,
                "\"%s\",\"%s\",\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%s,%.6f,%zu,%s,%s\n",
                row->result.reduction, row->result.proviso, row->result.search, s->states, s->transitions,
                s->expanded_fully, s->deadlocks, s->executions, s->blocked, verdict_of_row(row), s->seconds, s->bytes,
                stop_word(row->result.stop), row->differs ? "true" : "false");
    }
}
