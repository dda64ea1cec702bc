/* SPDX-License-Identifier: Apache-2.0 */
/* The account for people. */
#include "account/account.h"

#include "report/run_summary.h"

#include <inttypes.h>
#include <string.h>

enum { EXIT_HOLDS = 0, SOURCE_COLUMN = 44, LEAST_SOURCE = 12 };

#define BOLD "\033[1m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define FAINT "\033[2m"
#define PLAIN "\033[0m"

static const char *colour(const struct page *page, const char *code)
{
    return page->colours ? code : "";
}

/* --- the schedule */

/* "thread 1 (add)", when another thread than before has its turn. */
static void print_turn(const struct account *account, const struct failed_execution *failed, uint32_t agent,
                       const struct page *page)
{
    char name[40];
    const char *function = start_function(account, failed, agent);
    name_thread(failed, agent, name, sizeof name);
    fprintf(page->out, "  %s%s%s%s%s%s\n", colour(page, BOLD), name, function ? " (" : "", function ? function : "",
            function ? ")" : "", colour(page, PLAIN));
}

/* As much of a text as there is room for, from a column on. */
static void print_source(const char *text, unsigned column, const struct page *page)
{
    unsigned start = column + 2 <= SOURCE_COLUMN ? SOURCE_COLUMN : column + 2;
    if (!text[0] || start + LEAST_SOURCE > page->width)
        return;
    unsigned room = page->width - start;
    bool fits = strlen(text) <= room;
    fprintf(page->out, "%*s%s%.*s%s%s", (int)(start - column), "", colour(page, FAINT), (int)(fits ? room : room - 3),
            text, fits ? "" : "...", colour(page, PLAIN));
}

/* Long steps go on in the next line. */
static void print_row(const struct account *account, const struct failed_execution *failed, const struct row *row,
                      const struct page *page)
{
    struct source_place place;
    char number[24] = "", where[340] = "", source[300];
    uint64_t caller = failed->events.item[row->event].caller;
    if (row->number)
        snprintf(number, sizeof number, "%zu", row->number);
    if (caller)
        name_place(account, caller, where, sizeof where);
    find_place(account, caller, &place);
    source_line(&place, source, sizeof source);
    const char *mark = row->is_racing ? ">" : " ";
    unsigned column = (unsigned)fprintf(page->out, " %s%4s  ", mark, number);
    bool is_long = column + strlen(row->text) + 2 + strlen(where) > page->width;
    fprintf(page->out, "%s%s%s", row->is_racing ? colour(page, RED) : "", row->text,
            row->is_racing ? colour(page, PLAIN) : "");
    column += (unsigned)strlen(row->text);
    if (is_long)
        column = (unsigned)fprintf(page->out, "\n%10s", "") - 1;
    column += (unsigned)fprintf(page->out, "%s%s", is_long || !where[0] ? "" : "  ", where);
    print_source(source, column, page);
    fputc('\n', page->out);
    if (row->rounds)
        fprintf(page->out, "        ... %u rounds%s\n", row->rounds, row->round_length > 1 ? " of these" : "");
}

void print_schedule(const struct account *account, const struct failed_execution *failed, const struct page *page)
{
    size_t steps = count_steps(failed), switches = count_turns(failed);
    uint32_t agent = UINT32_MAX;
    fprintf(page->out, "schedule   %zu step%s, %zu context switch%s\n", steps, steps == 1 ? "" : "s", switches,
            switches == 1 ? "" : "es");
    for (size_t i = 0; i < failed->rows.count; i++) {
        const struct row *row = &failed->rows.item[i];
        if (failed->events.item[row->event].agent != agent) {
            agent = failed->events.item[row->event].agent;
            print_turn(account, failed, agent, page);
        }
        print_row(account, failed, row, page);
    }
    if (failed->sliced)
        fprintf(page->out, "  left out: %zu row%s of threads that do not matter\n", failed->sliced,
                failed->sliced == 1 ? "" : "s");
    if (failed->plain_left_out)
        fprintf(page->out, "  left out: %zu plain access%s, the earliest ones\n", failed->plain_left_out,
                failed->plain_left_out == 1 ? "" : "es");
    if (failed->error.left_out)
        fprintf(page->out, "  left out: %" PRIu64 " event%s at the end\n", failed->error.left_out,
                failed->error.left_out == 1 ? "" : "s");
}

/* --- the error */

static void print_frame(void *user, const struct code_place *place)
{
    fprintf(user, "      in %s  %s:%d\n", place->function ? place->function : "??", base_name(place->file),
            place->line);
}

static void count_frame(void *user, const struct code_place *place)
{
    (void)place;
    ++*(size_t *)user;
}

/* The functions around a place of the error; one alone says no more than the place.  The stacks of both sides of a race
 * come in this order: the later access first. */
static void print_stack(const struct account *account, const struct failed_execution *failed, uint32_t agent,
                        uint64_t caller, FILE *out)
{
    size_t first = 0, count = 0, depth = 0;
    for (size_t i = failed->frames.count; i-- > 0;)
        if (failed->frames.item[i].agent == agent && failed->frames.item[i].of_error &&
            failed->frames.item[i].caller == caller) {
            first = i;
            count = 1;
            break;
        }
    while (count && first + count < failed->frames.count && failed->frames.item[first + count].agent == agent &&
           failed->frames.item[first + count].of_error)
        count++;
    for (size_t i = 0; i < count; i++)
        debuginfo_places(account->debuginfo, failed->frames.item[first + i].caller - 1, true, count_frame, &depth);
    for (size_t i = 0; i < count && depth > 1; i++) {
        debuginfo_places(account->debuginfo, failed->frames.item[first + i].caller - 1, true, print_frame, out);
        if (failed->frames.item[first + i].is_cut)
            fprintf(out, "      ...\n");
    }
}

/* "main waits at a.c:12: lock m, held by thread 1" */
static void describe_waiting(const struct account *account, const struct failed_execution *failed,
                             const struct recorded_wait *wait, char *text, size_t size)
{
    char name[40], what[200], place[340], holder[40], owner[80] = "";
    Dwarf_Die part;
    name_thread(failed, wait->agent, name, sizeof name);
    name_place(account, wait->caller, place, sizeof place);
    if (wait->owner)
        name_thread(failed, wait->owner - 1, holder, sizeof holder);
    if (wait->owner)
        snprintf(owner, sizeof owner, ", held by %s", wait->owner == wait->agent + 1 ? "itself" : holder);
    if (wait->is_join)
        name_thread(failed, wait->other, what, sizeof what);
    else
        name_address(account, failed, wait->address, 1, what, sizeof what, &part);
    if (wait->is_loop)
        snprintf(text, size, "%s loops forever at %s", name, place);
    else
        snprintf(text, size, "%s waits at %s: %s %s%s", name, place, wait->is_spin ? "spins on" : wait->word, what,
                 owner);
}

void describe_error(const struct account *account, const struct failed_execution *failed, char *text, size_t size)
{
    size_t used = 0;
    char one[800], name[300];
    Dwarf_Die part;
    snprintf(text, size, "%s", failed->error.text);
    for (size_t i = 0; i < failed->waits.count && used < size; i++) {
        describe_waiting(account, failed, &failed->waits.item[i], one, sizeof one);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "", one);
    }
    if (!failed->error.is_race)
        return;
    name_address(account, failed, failed->error.address, 1, name, sizeof name, &part);
    snprintf(text, size, "%s: %s", failed->error.text, name);
}

static void print_waiting(const struct account *account, const struct failed_execution *failed, FILE *out)
{
    char text[800];
    for (size_t i = 0; i < failed->waits.count; i++) {
        const struct recorded_wait *wait = &failed->waits.item[i];
        describe_waiting(account, failed, wait, text, sizeof text);
        fprintf(out, "  %s\n", text);
        print_stack(account, failed, wait->agent, wait->caller, out);
    }
}

static void print_side(const struct account *account, const struct failed_execution *failed, uint32_t agent,
                       uint64_t caller, const char *text, FILE *out)
{
    char name[40], place[340];
    name_thread(failed, agent, name, sizeof name);
    name_place(account, caller, place, sizeof place);
    fprintf(out, "  %s at %s%s%s\n", name, place, text[0] ? ": " : "", text);
    print_stack(account, failed, agent, caller, out);
}

static void print_remarks(const struct account *account, const struct failed_execution *failed, FILE *out)
{
    for (size_t i = 0; i < failed->remarks.count; i++) {
        const struct remark *remark = &failed->remarks.item[i];
        char place[340] = "";
        if (remark->caller)
            name_place(account, remark->caller, place, sizeof place);
        fprintf(out, "  %s%s%s\n", remark->text, place[0] ? "  " : "", place);
    }
}

static void print_error(const struct account *account, const struct failed_execution *failed, FILE *out)
{
    const struct recorded_error *error = &failed->error;
    char what[1200];
    if (error->is_deadlock) {
        print_waiting(account, failed, out);
        return;
    }
    if (error->agent != UINT32_MAX)
        print_side(account, failed, error->agent, error->caller, error->is_race ? "" : error->text, out);
    else
        fprintf(out, "  %s\n", error->text);
    print_remarks(account, failed, out);
    if (error->address)
        describe_address(account, failed, error->address, what, sizeof what);
    if (error->is_race) {
        print_side(account, failed, error->other, error->other_caller, "", out);
        fprintf(out, "  %s: %s\n", error->text, what);
        if (failed->missing[0])
            fprintf(out, "  missing: %s\n", failed->missing);
    } else if (error->address) {
        fprintf(out, "  the address is %s\n", what);
    }
}

/* --- the whole */

static void print_reservations(const struct account *account, FILE *out)
{
    for (size_t i = 0; i < account->reservations.count; i++)
        fprintf(out, "%-10s %s\n", account->reservations.item[i].undecided ? "not seen" : "note",
                account->reservations.item[i].text);
}

/* For an error: one line, of those that leave a verdict open. */
static void print_unseen(const struct account *account, FILE *out)
{
    unsigned others = 0;
    const char *first = undecided_because(account);
    for (size_t i = 0; i < account->reservations.count; i++)
        others += account->reservations.item[i].undecided && account->reservations.item[i].text != first;
    if (first)
        fprintf(out, others ? "%-10s %s, and %u more\n" : "%-10s %s\n", "not seen", first, others);
}

static void print_verdict(const struct account *account, const struct page *page)
{
    char why[120];
    const struct recorded_search *search = &account->search;
    struct portolan_options options = options_of(account);
    if (search->is_replay) {
        fprintf(page->out, "%-10s no error in this schedule\n", "replayed");
    } else if (search->exit_status == EXIT_HOLDS) {
        fprintf(page->out, "%s%-10s%s no %serror in any schedule%s\n", colour(page, GREEN), "holds",
                colour(page, PLAIN), count_suppressed(account) ? "other " : "", account->condition);
    } else {
        describe_unknown(&search->result, &options, undecided_because(account), why, sizeof why);
        bool others = count_suppressed(account) && strncmp(why, "no error", strlen("no error")) == 0;
        fprintf(page->out, "%s%-10s%s %s%s\n", colour(page, YELLOW), "unknown", colour(page, PLAIN),
                others ? "no other error" : "", why + (others ? strlen("no error") : 0));
    }
}

static void print_failed(const struct account *account, const struct failed_execution *failed, const struct page *page)
{
    fprintf(page->out, "%s%-10s %s%s\n", colour(page, failed->error.is_unknown ? YELLOW : RED),
            failed->error.is_unknown ? "unknown" : "found", failed->error.kind, colour(page, PLAIN));
    print_error(account, failed, page->out);
}

static void print_execution(const struct account *account, const struct failed_execution *failed,
                            const struct page *page)
{
    print_schedule(account, failed, page);
    if (!failed->output_size)
        return;
    fprintf(page->out, "output of this execution:\n");
    fflush(page->out);
    fwrite(failed->output, 1, failed->output_size, page->as_is ? page->as_is : page->out);
}

/* "suppressed data race: stats.c:*, seen 12 times" */
static void print_suppressed(const struct account *account, FILE *out)
{
    for (uint32_t i = 0; i < account->suppressed->rule_count && i < MOST_RULES; i++) {
        const struct suppression_rule *rule = &account->suppressed->rules[i];
        uint64_t count = atomic_load(&rule->seen);
        if (count)
            fprintf(out, "%-10s %s: %s, seen %" PRIu64 " time%s\n", "suppressed", rule->kind, rule->pattern, count,
                    count == 1 ? "" : "s");
    }
}

static void print_never(const struct never *never, const struct page *page)
{
    struct source_place place = {.line = never->first};
    char lines[40], source[300];
    snprintf(place.file, sizeof place.file, "%s", never->file);
    source_line(&place, source, sizeof source);
    snprintf(lines, sizeof lines, never->last > never->first ? "%d-%d" : "%d", never->first, never->last);
    unsigned column = (unsigned)fprintf(page->out, "%-10s %s%s%s%s:%s", "never", never->is_function ? "function " : "",
                                        never->name, never->is_function ? "  " : "", base_name(never->file), lines);
    print_source(source, column, page);
    fputc('\n', page->out);
}

/* What the verdict is about. */
static void print_coverage(const struct account *account, const struct page *page)
{
    FILE *out = page->out;
    enum { MOST_SHOWN = 10 };
    struct covered covered;
    uint32_t threads = account->search.threads;
    if (find_covered(account, &covered) && covered.lines) {
        fprintf(out, "%-10s %" PRIu32 " thread%s; %zu of %zu function%s, %zu of %zu line%s\n", "reached", threads,
                threads == 1 ? "" : "s", covered.reached_functions, covered.functions,
                covered.functions == 1 ? "" : "s", covered.reached_lines, covered.lines, covered.lines == 1 ? "" : "s");
        for (size_t i = 0; i < covered.never.count && i < MOST_SHOWN; i++)
            print_never(&covered.never.item[i], page);
        if (covered.never.count > MOST_SHOWN)
            fprintf(out, "%-10s %zu more, listed in the JSON output\n", "never", covered.never.count - MOST_SHOWN);
    } else {
        fprintf(out, "%-10s %" PRIu32 " thread%s; without debug information, the code that was reached is unknown\n",
                "reached", threads, threads == 1 ? "" : "s");
    }
    covered_clear(&covered);
}

/* Each error with its schedule. */
static void print_all(const struct account *account, const struct page *page)
{
    size_t count = account->failed.count;
    fprintf(page->out, "%s%-10s %zu different errors%s\n", colour(page, RED), "found", count, colour(page, PLAIN));
    for (size_t i = 0; i < count; i++) {
        const struct failed_execution *failed = &account->failed.item[i];
        fprintf(page->out, "%serror %-4zu %s%s\n", colour(page, RED), i + 1, failed->error.kind, colour(page, PLAIN));
        print_error(account, failed, page->out);
        if (!page->quiet)
            print_execution(account, failed, page);
    }
}

void print_account(const struct account *account, const struct page *page)
{
    struct portolan_options options = options_of(account);
    const struct failed_execution *first = account->failed.count ? &account->failed.item[0] : NULL;
    bool is_wrong = first && first->error.kind[0], are_several = account->failed.count > 1;
    if (are_several)
        print_all(account, page);
    else if (is_wrong)
        print_failed(account, first, page);
    else
        print_verdict(account, page);
    if (is_wrong)
        print_unseen(account, page->out);
    else if (!account->search.is_replay)
        print_reservations(account, page->out);
    if (is_wrong && !account->has_lines)
        fprintf(page->out, "%-10s without debug information there are no names: build with -g\n", "note");
    print_suppressed(account, page->out);
    if (!is_wrong && !account->search.is_replay && !page->quiet)
        print_coverage(account, page);
    if (!account->search.is_replay)
        print_counts(&account->search.result, &options, page->out);
    if (first && !are_several && !page->quiet)
        print_execution(account, first, page);
}
