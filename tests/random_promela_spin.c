/* SPDX-License-Identifier: Apache-2.0 */
/* Asks Spin: writes the program, has it translated and compiled (by tcc, which takes a hundredth of a second), and
 * reads what the verifier prints. */
#include "random_promela.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_program(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    bool fine = fputs(text, out) >= 0;
    return fclose(out) == 0 && fine;
}

static char *read_output(const char *directory, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *in = fopen(path, "r");
    char *text = calloc(1, 200001);
    if (in && text)
        text[fread(text, 1, 200000, in)] = '\0';
    if (in)
        fclose(in);
    return text;
}

static bool says(const char *text, const char *words)
{
    return strstr(text, words);
}

/* "       42 states, stored" */
static uint64_t read_states(const char *text)
{
    const char *at = strstr(text, " states, stored");
    while (at && at > text && at[-1] != ' ' && at[-1] != '\n')
        at--;
    return at ? strtoull(at, NULL, 10) : 0;
}

static void read_answer(const char *text, struct spin_answer *answer)
{
    static const char *const cut[] = {"max search depth too small",
                                      "VECTORSZ",
                                      "out of memory",
                                      "too many processes",
                                      "pan: reached -DMEMLIM",
                                      "too many queues",
                                      "depth reached 99999, " /* the limit; in some ways it is not told */};
    static const char *const errors[] = {"out of range", "out-of-bound",    "uninitialized",
                                         "block in ",    "bad queue",       "invalid array index",
                                         "aborting",     "no such process", "precondition false"};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        answer->unfinished |= says(text, cut[i]);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        answer->has_error |= says(text, errors[i]);
    answer->stopped = says(text, "non-determinism in event-trace");
    answer->fails_assertion = says(text, "assertion violated") || says(text, "event_trace error") || answer->stopped;
    answer->has_invalid_end = says(text, "invalid end state (at depth");
    answer->has_cycle = says(text, "acceptance cycle (at depth") || says(text, "non-progress cycle (at depth") ||
                        says(text, "accept stutter (at depth") || says(text, "claim violated!") ||
                        says(text, "end state in claim reached");
    answer->states = read_states(text);
    if (!says(text, "states, stored")) /* it was stopped; what it says on the way does not count */
        answer->unfinished = true;
}

void spin_ask(const struct promela_program *program, const char *directory, struct spin_answer *answer)
{
    static const struct {
        const char *compile, *run;
    } ways[] = {[ASK_SAFETY] = {"-DSAFETY", "-c0"},
                [ASK_FORMULA] = {"", "-a -E -c1"},
                [ASK_CLAIM] = {"", "-a -E -c1"},
                [ASK_ACCEPTANCE] = {"", "-a -E -c1"},
                [ASK_PROGRESS] = {"-DNP", "-l -E -c1"}};
    char path[512], command[2000];
    memset(answer, 0, sizeof *answer);
    snprintf(path, sizeof path, "%s/m.pml", directory);
    if (!write_program(path, program->text)) {
        answer->refused = true;
        return;
    }
    snprintf(command, sizeof command,
             "cd '%s' && rm -f pan pan.* && spin -a -o1 -o2 -o3 m.pml > spin.out 2>&1 && test -s pan.c && "
             "tcc -w %s %s -DNOREDUCE -DMEMLIM=200 -o pan pan.c > cc.out 2>&1 && "
             "{ timeout 20 ./pan -n %s %s -m100000 -w16 > pan.out 2>&1 || true; }",
             directory, ways[program->question].compile, program->fair ? "" : "-DNOFAIR", ways[program->question].run,
             program->fair ? "-f" : "");
    answer->refused = system(command) != 0;
    char *text = read_output(directory, answer->refused ? "spin.out" : "pan.out");
    if (text && answer->refused && !says(text, "Error")) {
        free(text);
        text = read_output(directory, "cc.out");
    }
    if (text && answer->refused)
        snprintf(answer->message, sizeof answer->message, "%s", text);
    else if (text)
        read_answer(text, answer);
    free(text);
}
