/* SPDX-License-Identifier: Apache-2.0 */
#include "explore_c.h"

#include "base/vector.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

bool add_text(struct text_set *set, const char *text)
{
    char *copy = strdup(text);
    if (copy && vector_push(set, copy))
        return true;
    free(copy);
    return false;
}

void clear_set(struct text_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->item[i]);
    free(set->item);
    *set = (struct text_set){0};
}

void make_set(struct text_set *set)
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

const char *not_in(const struct text_set *some, const struct text_set *all)
{
    for (size_t i = 0; i < some->count; i++)
        if (!all->count || !bsearch(&some->item[i], all->item, all->count, sizeof *all->item, by_text))
            return some->item[i];
    return NULL;
}

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

bool workshop_open(struct workshop *shop, const char *portolan)
{
    *shop = (struct workshop){.portolan = portolan, .directory = "/tmp/random-c-XXXXXX"};
    return mkdtemp(shop->directory);
}

void workshop_close(const struct workshop *shop)
{
    static const char *const names[] = {"programs.c", "programs.cc", "programs", "output", "outcomes"};
    char path[80];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", shop->directory, names[i]);
        unlink(path);
    }
    rmdir(shop->directory);
}

FILE *open_source(const struct workshop *shop)
{
    char source[80];
    snprintf(source, sizeof source, "%s/programs.%s", shop->directory, shop->cplusplus ? "cc" : "c");
    return fopen(source, "w");
}

bool compile_source(const struct workshop *shop)
{
    char source[80], program[80], output[80], include[] = "-I" SOURCE_DIR "/tests/native";
    snprintf(source, sizeof source, "%s/programs.%s", shop->directory, shop->cplusplus ? "cc" : "c");
    snprintf(program, sizeof program, "%s/programs", shop->directory);
    snprintf(output, sizeof output, "%s/output", shop->directory);
    char *words[] = {(char *)(uintptr_t)shop->portolan,
                     shop->cplusplus ? "c++" : "cc",
                     "-O1",
                     "-w",
                     include,
                     source,
                     "-o",
                     program,
                     NULL};
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

bool explore(const struct workshop *shop, size_t number, const struct method *method, struct found *found)
{
    char program[80], output[80], outcomes[80], which[24], limit[24], file[24];
    static char json[1 << 20]; /* what was not reached may be listed at length */
    bool none = strcmp(method->reduction, "none") == 0, divides = *method->threads > '2';
    snprintf(program, sizeof program, "%s/programs", shop->directory);
    snprintf(output, sizeof output, "%s/output", shop->directory);
    snprintf(outcomes, sizeof outcomes, "%s/outcomes", shop->directory);
    snprintf(which, sizeof which, "%zu", number);
    snprintf(limit, sizeof limit, "%d", none ? MOST_OF_NONE : MOST_EXECUTIONS);
    snprintf(file, sizeof file, "%d", OUTCOMES);
    char *words[] = {(char *)(uintptr_t)shop->portolan,
                     "run",
                     "--json",
                     "--volatile",
                     shop->volatile_is_atomic ? "atomic" : "plain",
                     "--time",
                     "20",
                     "--journal",
                     (char *)(uintptr_t)(method->journal ? method->journal : "usual"),
                     "--threads",
                     (char *)(uintptr_t)method->threads,
                     "--lesson",
                     divides ? "1" : "100",
                     divides ? "--seed" : "--json",
                     divides ? which : "--json",
                     "--states",
                     limit,
                     "--reduction",
                     (char *)(uintptr_t)method->reduction,
                     method->interleave ? "--interleave" : program,
                     method->interleave ? program : which,
                     method->interleave ? which : file,
                     method->interleave ? file : NULL,
                     NULL};
    int status = run_command(output, outcomes, words);
    *found = (struct found){.holds = status == 0, .wrong = status == 1};
    FILE *in = fopen(output, "r");
    if (!in || (status != 0 && status != 1 && status != 3)) {
        snprintf(found->error, sizeof found->error, "exit status %d", status);
        found->wrong = true;
    }
    json[0] = '\0';
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
