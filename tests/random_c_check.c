/*
 * The differential tester of C programs: random programs in C and in .dl (random_c.h).  The C programs are compiled,
 * many in one file, and explored by every method; the .dl programs are explored by the search that stores states.
 *
 *     random_c PORTOLAN [--programs N] [--seed S] [--first K] [--shrink 0]
 *
 * What must agree: whether there is a deadlock, a failed assertion, a data race, and without one the set of values at
 * the end of all executions.  Methods that see each trace once must see equally many, as many as `optimal` sees of the
 * .dl program when that has the same steps.  With plain accesses interleaved, races are no errors and all else is
 * compared.
 */
#include "base/diagnostic.h"
#include "base/vector.h"
#include "front/threads/system.h"
#include "random_c.h"
#include "random_program.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 40, MOST_STATES = 60000, MOST_EXECUTIONS = 4000, MOST_OF_NONE = 500 };

struct text_set {
    char **item;
    size_t count, capacity;
};

/* What can happen, and what must. */
struct truth {
    bool deadlock, failed, race;
    bool complete, counted;
    uint64_t executions;
    struct text_set ends;
    const struct portolan_system *system;
};

struct found {
    bool holds, wrong; /* neither: undecided */
    char error[32];
    uint64_t executions, blocked;
    struct text_set ends;
};

struct settings {
    const char *portolan;
    char directory[64];
    uint64_t programs, seed, first, shrink; /* shrink 0: ends with the first failure */
};

extern char **environ;

/* --- sets */

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool add_text(struct text_set *set, const char *text)
{
    char *copy = strdup(text);
    if (copy && vector_push(set, copy))
        return true;
    free(copy);
    return false;
}

static void clear_set(struct text_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->item[i]);
    free(set->item);
    *set = (struct text_set){0};
}

static void make_set(struct text_set *set)
{
    size_t kept = 0;
    if (set->count)
        qsort(set->item, set->count, sizeof *set->item, by_text);
    for (size_t i = 0; i < set->count; i++)
        if (kept && strcmp(set->item[kept - 1], set->item[i]) == 0)
            free(set->item[i]);
        else
            set->item[kept++] = set->item[i];
    set->count = kept;
}

/* The first of `some` that is not in `all`; NULL when there is none. */
static const char *not_in(const struct text_set *some, const struct text_set *all)
{
    for (size_t i = 0; i < some->count; i++)
        if (!all->count || !bsearch(&some->item[i], all->item, all->count, sizeof *all->item, by_text))
            return some->item[i];
    return NULL;
}

/* --- the .dl program */

static void on_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct truth *truth = user;
    const struct portolan_system *system = truth->system;
    char line[200];
    size_t used = 0;
    (void)state;
    (void)fully;
    if (enabled)
        return;
    for (const char *const *name = twin_outcome; *name; name++) {
        uint32_t variable = 0;
        if (system->find_variable(system->model, *name, &variable))
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%" PRId64, used ? " " : "",
                                     system->value(system->model, bytes, variable));
    }
    if (!add_text(&truth->ends, line))
        truth->complete = false;
}

static bool search(struct portolan_system *system, struct portolan_options *options, bool *violated,
                   struct portolan_result *result)
{
    const char *stated = system->stated_count ? system->stated[0].text : NULL;
    struct portolan_property *properties[3] = {0};
    struct portolan_error error;
    size_t count = options->search ? 2 : 3; /* races are for those who store nothing */
    bool fine = portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &properties[0], &error) == PORTOLAN_OK &&
                portolan_property_new(system, stated ? PORTOLAN_INVARIANT : PORTOLAN_NO_DEADLOCK, stated,
                                      &properties[1], &error) == PORTOLAN_OK &&
                portolan_property_new(system, PORTOLAN_NO_RACE, NULL, &properties[2], &error) == PORTOLAN_OK;
    options->properties = (const struct portolan_property *const *)properties;
    options->property_count = count;
    options->all = true;
    fine = fine && portolan_search(system, options, result, &error) == PORTOLAN_OK;
    for (size_t i = 0; i < 3; i++)
        portolan_property_free(properties[i]);
    if (!fine) {
        diagnostic_write(&error, stdout);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        violated[i] = result->answers[i].verdict == PORTOLAN_VIOLATED && (i != 1 || stated);
    return true;
}

/* All about the .dl program; not complete when it is too large. */
static bool find_truth(const struct twin *twin, bool quiet, struct truth *truth)
{
    char *text = NULL;
    size_t length;
    struct portolan_result result;
    bool violated[3] = {false}, again[3] = {false};
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return false;
    twin_write_dl(twin, out);
    struct portolan_system *system = fclose(out) != 0 ? NULL : quiet ? open_quietly(text) : open_program(text);
    free(text);
    if (!system)
        return false;
    *truth = (struct truth){.complete = true, .system = system};
    struct portolan_options stored = {.reduction = "none",
                                      .search = "bfs",
                                      .state_limit = MOST_STATES,
                                      .callbacks = {.user = truth, .expanded = on_expanded}};
    struct portolan_options stateless = {.reduction = "optimal", .state_limit = MOST_EXECUTIONS};
    bool fine = search(system, &stored, violated, &result);
    if (fine) {
        truth->complete = truth->complete && result.stop == PORTOLAN_COMPLETE;
        portolan_result_clear(&result);
    }
    if (fine && truth->complete && (fine = search(system, &stateless, again, &result))) {
        truth->counted = result.stop == PORTOLAN_COMPLETE;
        truth->executions = result.statistics.executions;
        truth->complete = truth->counted || !twin->plain; /* races must be known */
        portolan_result_clear(&result);
    }
    truth->deadlock = violated[0];
    truth->failed = violated[1];
    truth->race = again[2];
    make_set(&truth->ends);
    portolan_system_free(system);
    return fine;
}

/* --- the C program */

static const struct method {
    const char *reduction;
    bool interleave;     /* only for programs with plain accesses */
    const char *journal; /* how to go back: NULL is the usual way */
    const char *threads;
} methods[] = {{"optimal", false, NULL, "1"},   {"optimal", false, "unchecked", "1"}, {"optimal", false, NULL, "2"},
               {"source", false, "never", "1"}, {"lazy", false, "unchecked", "1"},    {"dpor", false, NULL, "1"},
               {"none", false, NULL, "1"},      {"optimal", true, "unchecked", "1"},  {"source", true, NULL, "1"},
               {NULL, false, NULL, NULL}};

enum { OUTCOMES = 9 }; /* the number of the file */

/* Runs a command with its output in a file, and its outcomes in another when one is given; its exit status, -1 when it
 * did not end by itself. */
static int run_command(const char *output, const char *outcomes, char *const *words)
{
    posix_spawn_file_actions_t actions;
    pid_t process;
    int state = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (outcomes)
        posix_spawn_file_actions_addopen(&actions, OUTCOMES, outcomes, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (posix_spawn(&process, words[0], &actions, NULL, words, environ) == 0)
        waitpid(process, &state, 0);
    posix_spawn_file_actions_destroy(&actions);
    return state != -1 && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static bool compile(const struct settings *settings, const struct twin *twins, size_t count)
{
    char source[80], program[80], output[80];
    snprintf(source, sizeof source, "%s/twins.c", settings->directory);
    snprintf(program, sizeof program, "%s/twins", settings->directory);
    snprintf(output, sizeof output, "%s/output", settings->directory);
    FILE *out = fopen(source, "w");
    if (!out)
        return false;
    twins_write_c(twins, count, out);
    if (fclose(out) != 0)
        return false;
    char include[] = "-I" SOURCE_DIR "/tests/native";
    char *words[] = {(char *)(uintptr_t)settings->portolan, "cc", "-O1", "-w", include, source, "-o", program, NULL};
    return run_command(output, NULL, words) == 0;
}

static uint64_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static bool read_lines(const char *path, struct text_set *set)
{
    char line[300];
    FILE *in = fopen(path, "r");
    bool fine = true;
    while (in && fine && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        fine = add_text(set, line);
    }
    if (in)
        fclose(in);
    return fine;
}

/* Explores program `number` of the batch. */
static bool explore(const struct settings *settings, size_t number, const struct method *method, struct found *found)
{
    char program[80], output[80], outcomes[80], which[24], limit[24], file[24], json[4000] = "";
    bool none = strcmp(method->reduction, "none") == 0;
    snprintf(program, sizeof program, "%s/twins", settings->directory);
    snprintf(output, sizeof output, "%s/output", settings->directory);
    snprintf(outcomes, sizeof outcomes, "%s/outcomes", settings->directory);
    snprintf(which, sizeof which, "%zu", number);
    snprintf(limit, sizeof limit, "%d", none ? MOST_OF_NONE : MOST_EXECUTIONS);
    snprintf(file, sizeof file, "%d", OUTCOMES);
    char *words[] = {(char *)(uintptr_t)settings->portolan,
                     "run",
                     "--json",
                     "--time",
                     "20",
                     "--threads",
                     (char *)(uintptr_t)method->threads,
                     "--states",
                     limit,
                     "--reduction",
                     (char *)(uintptr_t)method->reduction,
                     method->interleave ? "--interleave" : program,
                     method->interleave ? program : which,
                     method->interleave ? which : file,
                     method->interleave ? file : NULL,
                     NULL};
    if (method->journal ? setenv("PORTOLAN_JOURNAL", method->journal, 1) : unsetenv("PORTOLAN_JOURNAL"))
        return false;
    int status = run_command(output, outcomes, words);
    *found = (struct found){.holds = status == 0, .wrong = status == 1};
    FILE *in = fopen(output, "r");
    if (!in || (status != 0 && status != 1 && status != 3)) {
        snprintf(found->error, sizeof found->error, "exit status %d", status);
        found->wrong = true;
    }
    if (in) {
        json[fread(json, 1, sizeof json - 1, in)] = '\0';
        fclose(in);
    }
    found->executions = number_after(json, "\"executions\": ");
    found->blocked = number_after(json, "\"blocked\": ");
    const char *error = strstr(json, "\"error\": \"");
    if (status == 1 && error)
        sscanf(error, "\"error\": \"%31[^\"]", found->error);
    bool fine = read_lines(outcomes, &found->ends);
    make_set(&found->ends);
    return fine;
}

/* --- comparing */

static bool is_possible(const struct truth *truth, const char *error, bool interleave)
{
    return (truth->deadlock && strcmp(error, "deadlock") == 0) ||
           (truth->failed && (strcmp(error, "assertion") == 0 || strcmp(error, "misuse") == 0)) ||
           (truth->race && !interleave && strcmp(error, "data race") == 0);
}

/* What is wrong with what a method found, as a sentence; false when nothing is. */
static bool differs(const struct truth *truth, const struct found *found, const struct method *method, char *wrong,
                    size_t size)
{
    char how[60];
    snprintf(how, sizeof how, " with %s thread(s)%s%s%s", method->threads, method->interleave ? " interleaved" : "",
             method->journal ? " journal " : "", method->journal ? method->journal : "");
    const char *strange = not_in(&found->ends, &truth->ends), *missed = not_in(&truth->ends, &found->ends);
    bool erroneous = truth->deadlock || truth->failed || (truth->race && !method->interleave);
    if (found->wrong && !is_possible(truth, found->error, method->interleave))
        snprintf(wrong, size, "%s%s: %s is not possible (deadlock %d, assertion %d, race %d)", method->reduction, how,
                 found->error, truth->deadlock, truth->failed, truth->race);
    else if (found->holds && erroneous)
        snprintf(wrong, size, "%s%s: nothing is found (deadlock %d, assertion %d, race %d)", method->reduction, how,
                 truth->deadlock, truth->failed, truth->race);
    else if (strange)
        snprintf(wrong, size, "%s%s: the outcome '%s' is not possible", method->reduction, how, strange);
    else if (found->holds && missed)
        snprintf(wrong, size, "%s%s: the outcome '%s' is missing", method->reduction, how, missed);
    return *wrong;
}

enum result { PASSED, FAILED, SKIPPED };

/* Compares what the methods say of a compiled program. */
static enum result check_program(const struct settings *settings, const struct twin *twin, size_t number,
                                 const struct truth *truth, char *wrong, size_t size)
{
    uint64_t traces = 0;
    for (const struct method *method = methods; method->reduction && !*wrong; method++) {
        struct found found;
        bool none = strcmp(method->reduction, "none") == 0, optimal = strcmp(method->reduction, "optimal") == 0;
        if (method->interleave && !twin->plain)
            continue;
        if (!explore(settings, number, method, &found))
            return FAILED;
        bool undecided = !found.holds && !found.wrong;
        if (!differs(truth, &found, method, wrong, size) && found.holds && !none) {
            if (optimal && method->interleave == twin->plain && twin->exact && truth->counted)
                traces = truth->executions;
            if (optimal && !traces)
                traces = found.executions;
            if (found.executions != traces || (optimal && found.blocked && *method->threads == '1'))
                snprintf(wrong, size, "%s%s: %" PRIu64 " executions (%" PRIu64 " blocked), not %" PRIu64,
                         method->reduction, method->interleave ? " interleaved" : "", found.executions, found.blocked,
                         traces);
        }
        clear_set(&found.ends);
        if (undecided && !none)
            return *wrong ? FAILED : SKIPPED;
    }
    return *wrong ? FAILED : PASSED;
}

/* --- shrinking */

static bool still_fails(const struct settings *settings, const struct twin *twin, char *wrong, size_t size)
{
    struct truth truth = {0};
    *wrong = '\0';
    bool fails = find_truth(twin, true, &truth) && truth.complete && compile(settings, twin, 1) &&
                 check_program(settings, twin, 0, &truth, wrong, size) == FAILED;
    clear_set(&truth.ends);
    return fails;
}

/* The line that closes the block which a line opens; the line itself when it opens none. */
static size_t end_of_block(const struct twin *twin, size_t line)
{
    int depth = 0;
    for (size_t l = line; l < twin->count; l++) {
        for (const char *c = twin->lines[l].c; *c; c++)
            depth += (*c == '{') - (*c == '}');
        if (depth <= 0)
            return l;
    }
    return line;
}

static void drop_line(struct twin *twin, size_t line)
{
    memmove(&twin->lines[line], &twin->lines[line + 1], (twin->count - line - 1) * sizeof *twin->lines);
    twin->count--;
}

/* The program reports what is there at its end: the threads must have ended. */
static bool is_needed(const char *line)
{
    return strstr(line, "join(") || strstr(line, "pthread_create(");
}

/* Leaves lines out, one or the two around a block, for as long as something is wrong. */
static void shrink(const struct settings *settings, struct twin *twin, char *wrong, size_t size)
{
    char now[400];
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (size_t l = twin->count; l-- > 0;) {
            struct twin less = *twin;
            if (is_needed(twin->lines[l].c))
                continue;
            size_t end = end_of_block(twin, l);
            if (end != l)
                drop_line(&less, end);
            drop_line(&less, l);
            if (!still_fails(settings, &less, now, sizeof now))
                continue;
            *twin = less;
            snprintf(wrong, size, "%s", now);
            smaller = true;
        }
    }
}

static void report(const struct settings *settings, uint64_t number, const struct twin *twin, const char *wrong)
{
    struct twin shrunk = *twin;
    char now[400];
    printf("program %" PRIu64 " of seed %" PRIu64 ": %s\n", number, settings->seed, wrong);
    fflush(stdout);
    if (!settings->shrink)
        return;
    snprintf(now, sizeof now, "%s", wrong);
    shrink(settings, &shrunk, now, sizeof now);
    printf("shrunk: %s\n", now);
    twin_write_dl(&shrunk, stdout);
    for (size_t l = 0; l < shrunk.count; l++)
        printf("%s\n", shrunk.lines[l].c);
    printf("again: random_c PORTOLAN --seed %" PRIu64 " --first %" PRIu64 " --programs 1\n", settings->seed, number);
    fflush(stdout);
}

/* --- main */

struct tally {
    uint64_t count[3];
    uint64_t deadlocks, failures, races, exact;
};

static void check_batch(const struct settings *settings, uint64_t first, size_t count, struct tally *tally)
{
    static struct twin twins[BATCH];
    for (size_t i = 0; i < count; i++)
        random_twin(settings->seed * 1000003 + first + i, &twins[i]);
    bool compiled = compile(settings, twins, count);
    for (size_t i = 0; i < count && (settings->shrink || !tally->count[FAILED]); i++) {
        struct truth truth = {0};
        char wrong[400] = "";
        enum result result = FAILED;
        if (!compiled)
            snprintf(wrong, sizeof wrong, "the batch does not compile");
        else if (find_truth(&twins[i], false, &truth))
            result = truth.complete ? check_program(settings, &twins[i], i, &truth, wrong, sizeof wrong) : SKIPPED;
        tally->count[result]++;
        if (result == PASSED) {
            tally->deadlocks += truth.deadlock;
            tally->failures += truth.failed;
            tally->races += truth.race;
            tally->exact += twins[i].exact && truth.counted;
        }
        if (result == FAILED) {
            report(settings, first + i, &twins[i], wrong);
            compiled = compile(settings, twins, count); /* shrinking has overwritten it */
        }
        clear_set(&truth.ends);
    }
}

static void remove_directory(const struct settings *settings)
{
    static const char *const names[] = {"twins.c", "twins", "output", "outcomes"};
    char path[80];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", settings->directory, names[i]);
        unlink(path);
    }
    rmdir(settings->directory);
}

int main(int argc, char **argv)
{
    struct settings settings = {.directory = "/tmp/random-c-XXXXXX", .programs = BATCH, .seed = 1, .shrink = 1};
    struct tally tally = {0};
    if (argc < 2)
        return 2;
    settings.portolan = argv[1];
    for (int i = 2; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--programs") == 0)
            settings.programs = value;
        else if (strcmp(argv[i], "--seed") == 0)
            settings.seed = value;
        else if (strcmp(argv[i], "--first") == 0)
            settings.first = value;
        else if (strcmp(argv[i], "--shrink") == 0)
            settings.shrink = value;
        else
            return 2;
    }
    if (!mkdtemp(settings.directory))
        return 2;
    for (uint64_t done = 0; done < settings.programs && (settings.shrink || !tally.count[FAILED]); done += BATCH) {
        uint64_t left = settings.programs - done;
        check_batch(&settings, settings.first + done, left < BATCH ? (size_t)left : BATCH, &tally);
    }
    remove_directory(&settings);
    printf("%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " too large; of those that passed %" PRIu64
           " deadlock, %" PRIu64 " fail, %" PRIu64 " have races, %" PRIu64 " have equal steps\n",
           tally.count[PASSED], tally.count[FAILED], tally.count[SKIPPED], tally.deadlocks, tally.failures, tally.races,
           tally.exact);
    return tally.count[FAILED] != 0 || tally.count[PASSED] == 0;
}
