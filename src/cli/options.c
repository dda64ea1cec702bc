/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include "base/diagnostic.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/run_source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum kind {
    FLAG,        /* no argument */
    TEXT,        /* the argument as it is */
    OUTPUT,      /* a file, "-" for standard output */
    SECONDS,     /* 90, 1.5, 2m, 1h */
    BYTES,       /* 500M, 4G */
    COUNT,       /* 1000000, 10M */
    SMALL_COUNT, /* the same in 32 bits */
    NUMBER,      /* a count or 0 */
    PREEMPTIONS,
    WALK,       /* auto, none or a count */
    SIMPLIFY,   /* none or auto */
    SHARDS,     /* a number and a directory, in two words */
    CHECKPOINT, /* a file, and how often it is written */
    ENGINE,     /* auto, always or never */
    RACES,      /* what to do about data races */
    VOLATILE_MODE,
    JSON,     /* an optional file, behind '=' only */
    FAIR,     /* an optional word, behind '=' only */
    GROUND,   /* the same */
    PROPERTY, /* "no deadlock", "invariant EXPR", "reach EXPR", "ltl FORMULA" */
    INVARIANT,
    REACH, /* an expression */
    MAXIMUM,
    PROPERTY_FILE,
    CHOSEN_PROPERTY,
    FORMULA,
    FORMULA_FILE,
    AUTOMATON, /* a file */
    NO_DEADLOCK,
    NO_RACE,
    PATTERN,
    DEFINITION,
    KEEP_DEAD,
    CONDITIONS
};

struct option {
    const char *name;
    char letter; /* 0 when there is none */
    enum kind kind;
    const char *argument;
    unsigned commands;
    size_t offset;
    const char *help;
};

#define FIELD(field) offsetof(struct settings, field)

static const struct option options[] = {
    {"deadlock", 0, NO_DEADLOCK, NULL, CHECK | COMPARE | SIMULATE | SERVE, 0,
     "no reachable state is a deadlock (the default property)"},
    {"invariant", 'i', INVARIANT, "EXPR", CHECK | COMPARE | SIMULATE | SERVE, 0,
     "EXPR is true in every reachable state"},
    {"reach", 'r', REACH, "EXPR", CHECK | COMPARE | SIMULATE | SERVE, 0, "EXPR is true in some reachable state"},
    {"maximum", 0, MAXIMUM, "EXPR", CHECK, 0, "the largest value of EXPR, a number, in any reachable state"},
    {"races", 0, NO_RACE, NULL, CHECK, 0, "no two threads access a variable at the same time, one of them writing"},
    {"ltl", 0, FORMULA, "FORMULA", CHECK | COMPARE, 0, "the LTL formula holds for every run"},
    {"ltl-file", 0, FORMULA_FILE, "FILE", CHECK | COMPARE, 0, "the same, with the formula read from FILE"},
    {"automaton", 0, AUTOMATON, "FILE", CHECK | COMPARE, 0,
     "no run is accepted by the automaton in FILE (HOA format), which says what must not happen"},
    {"races", 0, RACES, "report|interleave", RUN, 0,
     "report: a data race is an error (the default); interleave: plain accesses are explored as if they were atomic"},
    {"interleave", 0, FLAG, NULL, RUN, FIELD(interleave), "the same as --races interleave"},
    {"volatile", 0, VOLATILE_MODE, "atomic|plain", RUN, 0,
     "atomic: accesses to volatile objects are explored as if they were relaxed atomics (the default); plain: they are "
     "treated like any other access"},
    {"leaks", 0, FLAG, NULL, RUN, FIELD(leaks), "blocks that nothing points to at the end are errors"},
    {"exit-status", 0, TEXT, "N[,N...]", RUN, FIELD(exit_status),
     "exit statuses of the program, besides 0, that are not errors; 'any' allows all"},
    {"cflags", 0, TEXT, "OPTIONS", RUN, FIELD(cflags),
     "compiler options for sources: '-O2 -Iinclude -DN=3'; words may be quoted"},
    {"trust", 0, PATTERN, "PATTERN", RUN, 0,
     "trust objects, libraries and functions with such a name: the verdict stands although they are not seen; may be "
     "repeated"},
    {"spurious", 0, FLAG, NULL, RUN, FIELD(spurious),
     "a thread that waits on a condition variable may wake up once for no reason"},
    {"partial-io", 0, FLAG, NULL, RUN, FIELD(partial_io),
     "reads and writes on pipes and stream sockets may also transfer a single byte"},
    {"journal", 0, TEXT, "usual|never|strict|unchecked", RUN, FIELD(journal),
     "how an execution goes back to an earlier step: usual (its writes are undone), never (it is run again), strict "
     "(both ways; a difference is an error) or unchecked"},
    {"lesson", 0, COUNT, "N", RUN, FIELD(lesson),
     "with --threads, --checkpoint or --shards: the number of executions used to learn about the program before the "
     "search is divided (default 100, 2000 and 2000)"},
    {"property", 'P', PROPERTY, "PROPERTY", CHECK | COMPARE, 0,
     "'no deadlock', 'no data race', 'invariant EXPR', 'reach EXPR' or 'ltl FORMULA'; for Promela models also 'ltl "
     "NAME', 'never claim NAME', 'assertions hold', 'no acceptance cycle' or 'no non-progress cycle'; all of these may "
     "be repeated"},
    {"properties", 0, PROPERTY_FILE, "FILE", CHECK, 0,
     "answer each property in FILE, in as many searches as it takes; may be repeated (docs/contest.md, docs/lna.md)"},
    {"only", 0, CHOSEN_PROPERTY, "NAME", CHECK, 0, "with --properties: answer only the property NAME; may be repeated"},
    {"fair", 0, FAIR, "[=process|transition]", CHECK | COMPARE, 0,
     "LTL: consider only runs in which no transition (the default) or no process is enabled forever and never taken"},
    {"print-automaton", 0, FLAG, NULL, CHECK, FIELD(print_automaton),
     "print the automaton of each negated formula (HOA format) instead of checking"},
    {"all", 'a', FLAG, NULL, CHECK, FIELD(all), "go on after the first violation, count distinct deadlocks"},
    {"all", 'a', FLAG, NULL, COMPARE, FIELD(all),
     "one line for each variant of each reduction, with everything that was counted"},
    {"all", 'a', FLAG, NULL, RUN, FIELD(all), "go on after an error, and show all errors that differ in kind or place"},
    {"suppress", 0, TEXT, "FILE", RUN, FIELD(suppress_file),
     "only count the errors that FILE lists, one per line, as KIND: PLACE"},
    {"csv", 0, TEXT, "FILE", COMPARE, FIELD(csv_file),
     "write a line for each variant that was tried, for spreadsheets"},
    {"as-found", 0, FLAG, NULL, CHECK, FIELD(as_found),
     "show each trace as the search found it, without shortening it first"},
    {"define", 'D', DEFINITION, "NAME=NUMBER", CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | SIMULATE | SERVE, 0,
     "set a constant of the model; may be repeated"},
    {"language", 0, TEXT, "NAME", CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | SIMULATE | SERVE, FIELD(language),
     "the language of the model, if the name of its file does not tell; 'portolan list' lists them"},
    {"allow-c", 0, FLAG, NULL, CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | SIMULATE | SERVE, FIELD(allow_c),
     "Promela: compile and run the C code in the model (c_code and the like), with all your permissions"},
    {"leave-out-unread", 0, FLAG, NULL, CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | SIMULATE, FIELD(unread),
     "Promela: leave variables that the model writes but never reads out of the states; properties cannot use them"},
    {"keep-dead", 0, KEEP_DEAD, NULL, CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | SIMULATE | SERVE, 0,
     "protocols: keep messages that nobody can receive any more in the states (more states, the same verdicts)"},
    {"conditions", 0, CONDITIONS, NULL, CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | SIMULATE | SERVE, 0,
     "graph grammars: rules that change nothing are steps too, as in GROOVE"},
    {"ground", 0, GROUND, "[=always|auto|never]", CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | SIMULATE | SERVE, 0,
     "list in advance everything that can happen (always, if no value is given): the applications of graph rules "
     "(auto: where a reduction needs them), the bindings of high-level nets (auto: where that is cheap)"},
    {"start", 0, TEXT, "GRAPH", CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | CONVERT | SIMULATE | SERVE, FIELD(start),
     "graph grammars: start with this graph; several, separated by spaces, are put side by side"},
    {"isomorphism", 0, TEXT, "on|off", CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | SIMULATE | SERVE,
     FIELD(isomorphism), "graph grammars: whether isomorphic graphs are one state, instead of what the grammar says"},
    {"reduction", 0, TEXT, "NAME", CHECK | EXPLORE, FIELD(reduction),
     "none, stubborn, lpor, probe, optimal, lazy, source, dpor, with options after a colon; auto picks the best that "
     "is sound"},
    {"reduction", 0, TEXT, "NAME", RUN, FIELD(reduction), "optimal (the default), lazy, source, dpor, bpor or none"},
    {"reduction", 0, TEXT, "NAME", SIMULATE | SERVE, FIELD(reduction),
     "stubborn or lpor, with options after a colon: show what it would leave out, and why"},
    {"proviso", 0, TEXT, "NAME", CHECK | EXPLORE, FIELD(proviso),
     "none, stack, queue, safe, color, color-star, scc; with probe nodup, age or age:printed; auto picks what the "
     "property needs"},
    {"search", 0, TEXT, "NAME", CHECK | EXPLORE, FIELD(search),
     "dfs, bfs (shortest traces), stateless; for LTL scc, ndfs, cndfs; auto"},
    {"store", 0, TEXT, "KIND", CHECK | EXPLORE | COMPARE, FIELD(store),
     "how states are kept: plain, tree (less memory), auto; hash and bitstate forget states and never say that "
     "something "
     "holds"},
    {"spill", 0, TEXT, "DIR", CHECK | EXPLORE | COMPARE, FIELD(spill),
     "keep states in a file in DIR (a fast disk), so that there can be more than fit into memory"},
    {"simplify", 0, SIMPLIFY, "none|auto", CHECK, 0,
     "nets: whether to make the net smaller before the search; auto (the default): yes, unless options say how to "
     "search"},
    {"threads", 'j', SMALL_COUNT, "N", CHECK | EXPLORE | COMPARE | RUN, FIELD(threads),
     "explore with N threads, C programs with N processes"},
    {"bound", 0, SMALL_COUNT, "N", CHECK | EXPLORE, FIELD(bound),
     "in a stateless search a thread takes at most N steps"},
    {"bound", 0, SMALL_COUNT, "N", RUN, FIELD(bound), "a thread takes at most N steps that others can see"},
    {"preemptions", 0, PREEMPTIONS, "N", CHECK | EXPLORE | RUN, 0,
     "only executions with at most N preemptions (a thread is interrupted although it could go on)"},
    {"random", 0, COUNT, "RUNS", CHECK | RUN, FIELD(random_runs),
     "instead of a search, RUNS executions with random thread priorities"},
    {"depth", 0, SMALL_COUNT, "D", CHECK | RUN, FIELD(bug_depth),
     "with --random: look for errors that need D pairs of steps in the right order (default 3)"},
    {"walk", 0, WALK, "auto|none|N", CHECK, 0,
     "random walks: auto (beside a long search, with part of its effort), none, or N steps before the search"},
    {"seed", 0, NUMBER, "S", CHECK, FIELD(seed), "the seed of random walks and executions (default 0)"},
    {"seed", 0, NUMBER, "S", SIMULATE, FIELD(seed), "the seed of the random steps (default 0)"},
    {"seed", 0, NUMBER, "S", RUN, FIELD(seed),
     "with --random: the seed of the executions (default 0); with --threads: in which order the processes divide them, "
     "execution by execution, for tests"},
    {"traces", 0, TEXT, "FILE", CHECK | EXPLORE, FIELD(traces_file),
     "write a line for each execution of a stateless search, in canonical form"},
    {"native", 0, ENGINE, "auto|always|never", CHECK | EXPLORE | COMPARE, 0,
     "whether to compile a model of processes with the system's compiler ($CC or cc): auto (during a long search), "
     "always (before the search) or never"},
    {"chains", 0, FLAG, NULL, CHECK | EXPLORE, FIELD(chains), "do not store states with a single explored action"},
    {"coverage", 0, FLAG, NULL, CHECK | EXPLORE, FIELD(coverage),
     "list the rules, lines or transitions that never fired and the messages that nobody received"},
    {"check-relations", 0, FLAG, NULL, CHECK | EXPLORE, FIELD(check_relations),
     "test the model's declared relations on every visited state (slow)"},
    {"explain", 0, FLAG, NULL, CHECK | EXPLORE, FIELD(explain),
     "print which actions were explored in each state, why, and why the others can wait; with --reduction probe, every "
     "vector, its probe set, and the actions missed"},
    {"time", 't', SECONDS, "TIME",
     CHECK | EXPLORE | COMPARE | REPLAY | LTL | CERTIFY | GENERATE | RUN | SIMULATE | SERVE, FIELD(time),
     "stop after TIME: 90, 1.5, 10m, 2h"},
    {"memory", 'm', BYTES, "SIZE",
     CHECK | EXPLORE | COMPARE | REPLAY | LTL | CERTIFY | GENERATE | RUN | SIMULATE | SERVE, FIELD(memory),
     "stop when the process uses SIZE of memory: 500M, 4G"},
    {"states", 0, COUNT, "N", CHECK | EXPLORE | COMPARE, FIELD(states),
     "stop at N stored states (or executions): 1000000, 10M"},
    {"states", 0, COUNT, "N", RUN, FIELD(states), "stop after N executions: 1000000, 10M"},
    {"distributed", 0, FLAG, NULL, CHECK | EXPLORE | RUN, FIELD(distributed),
     "run as one of several processes started by mpirun, on one or more machines, each holding a part of the states "
     "or exploring a part of the executions"},
    {"checkpoint", 0, CHECKPOINT, "FILE[,TIME]", CHECK | EXPLORE | RUN, 0,
     "save the whole search in FILE every TIME (default 10m) and when a limit ends it; 'portolan resume FILE' "
     "continues it"},
    {"shards", 0, SHARDS, "N DIR", CHECK | EXPLORE | RUN, FIELD(shards),
     "stateless searches: instead of searching, write N jobs into DIR that share the search, for any batch system; "
     "'portolan merge DIR' combines their answers"},
    {"every", 0, SECONDS, "TIME", CHECK | EXPLORE | RUN, FIELD(checkpoint_every),
     "with --shards: how often each shard writes its checkpoint (default 10m)"},
    {"json", 0, JSON, "[=FILE]", CHECK | EXPLORE | COMPARE | REPLAY | RUN | SIMULATE, FIELD(json),
     "print the answer as JSON, or write it to FILE"},
    {"junit", 0, TEXT, "FILE", CHECK | RUN, FIELD(junit_file), "write the answer as JUnit XML, for CI systems"},
    {"sarif", 0, TEXT, "FILE", RUN, FIELD(sarif_file), "write the answer as SARIF 2.1.0, for code hosts and editors"},
    {"slice", 0, FLAG, NULL, RUN | REPLAY, FIELD(slices),
     "C programs: show the schedule without threads that do not matter for the error"},
    {"html", 0, TEXT, "FILE", CHECK | EXPLORE | COMPARE | RUN | CERTIFY, FIELD(html_file),
     "write the answer as a self-contained HTML page: the trace step by step, with pictures"},
    {"contest", 0, FLAG, NULL, CHECK, FIELD(contest),
     "print answers in the format of the Model Checking Contest: FORMULA NAME TRUE TECHNIQUES ..."},
    {"trace", 0, TEXT, "FILE", CHECK | RUN, FIELD(trace_file), "write the trace for 'portolan replay'"},
    {"trace", 0, TEXT, "FILE", SIMULATE, FIELD(trace_file), "follow the trace that 'check --trace' wrote"},
    {"interactive", 'I', FLAG, NULL, SIMULATE, FIELD(interactive),
     "read commands from standard input; 'help' lists the commands"},
    {"port", 0, NUMBER, "N", SERVE, FIELD(port), "the port to listen on (default: any free one)"},
    {"steps", 0, COUNT, "N", SIMULATE, FIELD(steps),
     "take at most N steps at random (default 100, or none after a trace)"},
    {"certify", 0, TEXT, "FILE", CHECK, FIELD(certificate),
     "if no property is violated, write a certificate for 'portolan certify'"},
    {"msc", 0, TEXT, "FILE", CHECK | REPLAY, FIELD(msc_file), "draw the trace as a message sequence chart (SVG)"},
    {"pictures", 0, TEXT, "FILE", CHECK | REPLAY, FIELD(pictures_file),
     "draw the graphs of the trace, with what each step changes (SVG; HTML if FILE ends in .html)"},
    {"export", 0, TEXT, "dot|aut", EXPLORE, FIELD(export),
     "write the explored graph: dot (Graphviz) or aut (Aldebaran)"},
    {"output", 'o', OUTPUT, "FILE", EXPLORE | GENERATE, FIELD(output), "write to FILE instead of standard output"},
    {"output", 'o', TEXT, "FILE", SIMULATE, FIELD(output), "write the steps, for 'portolan replay'"},
    {"negate", 'n', FLAG, NULL, LTL, FIELD(negate),
     "the automaton of the negated formula, which a search for errors uses"},
    {"buchi", 0, FLAG, NULL, LTL, FIELD(degeneralise), "a Buchi automaton with a single acceptance set"},
    {"hoa", 0, FLAG, NULL, LTL, FIELD(hoa), "print only the automaton, in the HOA format"},
    {"dot", 0, FLAG, NULL, LTL, FIELD(dot), "print only the automaton, for Graphviz"},
    {"quiet", 'q', FLAG, NULL, CHECK | EXPLORE | COMPARE | REPLAY | CERTIFY | RUN | SIMULATE | SERVE, FIELD(quiet),
     "print only the verdict, and no progress"},
    {"help", 'h', FLAG, NULL, ~0u, FIELD(help), "show this help"},
    {0}};

const struct command_help commands[] = {
    {CHECK, "check", "MODEL [options]", "verify a model; the default property is absence of deadlock",
     "Exit status: 0 every property holds, 1 one is violated, 2 wrong usage or bad input, 3 undecided."},
    {EXPLORE, "explore", "MODEL [options]", "count states and transitions, export the graph",
     "Explores fully unless a reduction is named. With --export the graph goes to standard output or to --output."},
    {COMPARE, "compare", "MODEL [options]", "every applicable reduction x proviso x search, one table",
     "Each answer is compared with that of the full exploration; one that differs is marked as an error. "
     "Exit status: 0 all agree, 1 some differ, 3 the full exploration hit a limit."},
    {GENERATE, "generate", "[FAMILY [N...]] [-o FILE]", "write a scalable example as PNML; alone, list the families",
     ""},
    {REPLAY, "replay", "MODEL TRACE [options]", "step through a stored trace, checking each step",
     "Exit status: 0 the trace is a run of the model, 2 it is not."},
    {SIMULATE, "simulate", "MODEL [options]", "step through a model: at random, along a trace, interactively",
     "Follows one run and proves nothing. Exit status: 0 nothing wrong was found, 1 a deadlock, a failed assertion or "
     "a violated invariant, 2 wrong usage or bad input, 3 a limit was reached first."},
    {SERVE, "serve", "MODEL [options]", "walk through a model in the browser",
     "Serves one page, to this machine only (127.0.0.1): the enabled actions, which of them a reduction would explore "
     "and why, the values, and the states seen so far. Stops on Ctrl-C or after --time."},
    {LIST, "list", "", "languages, reductions, provisos, and what works with what", ""},
    {LTL, "ltl", "FORMULA [options]", "translate an LTL formula into an automaton and say what kind it is",
     "Atomic propositions are plain names here. docs/ltl.md describes the language."},
    {CERTIFY, "certify", "FILE MODEL", "check a certificate that 'check --certify' wrote, without trusting the search",
     "Exit status: 0 the certificate is valid, 1 it is not, 2 it cannot be read."},
    {CC, "cc", "ARGUMENTS", "compile and link a C program so that 'portolan run' can explore it",
     "Takes the arguments of gcc, or of the compiler that PORTOLAN_CC names, and two of its own: --trust PATTERN, for "
     "objects and libraries that are not compiled here and need not be seen ('libz.*', 'fast.o'), and "
     "--accesses=optimised, to explore the accesses that are left after optimisation instead of those of the source. "
     "The program also runs on its own."},
    {CXX, "c++", "ARGUMENTS", "compile and link a C++ program so that 'portolan run' can explore it",
     "Takes the arguments of g++, or of the compiler that PORTOLAN_CXX names, and those of 'portolan cc'."},
    {RUN, "run", "[options] PROGRAM [ARGUMENTS]", "explore every schedule of a C program built by 'portolan cc'",
     "Instead of a program, C or C++ sources may be given, with objects and libraries, then '--' and the arguments: "
     "they are compiled first, into a program that is removed at the end. Exit status: 0 no error, 1 an error with its "
     "schedule, 2 wrong usage or a refused call, 3 undecided."},
    {DEBUG, "debug", "PROGRAM TRACE [-- GDB-OPTIONS]", "step through a schedule of a C program in gdb",
     "The program replays the schedule that 'portolan run --trace' wrote; gdb stops where it fails. "
     "'portolan-next' goes on to the next step of the schedule, 'portolan-step N' to step N."},
    {RESUME, "resume", "FILE [options]", "continue a search that 'check', 'explore' or 'run' saved in FILE",
     "The model and the options are those of the command that wrote FILE. Options given here are added: other limits, "
     "another form of the answer; those that would change the search are refused. FILE is written again from time to "
     "time, and removed when the search is done."},
    {SHARD, "shard", "DIR K [options]", "explore one of the shards that --shards wrote; its job runs this",
     "Continues from its last checkpoint, if there is one. The options are added to those of the command that wrote "
     "DIR: limits, another form of output. Exit status: 0 the shard is done, 1 it is done and found an error, 2 wrong "
     "usage or bad input, 3 it is not done: a limit was reached, and the job can be started again."},
    {MERGE, "merge", "DIR [options]", "combine the answers of all shards",
     "When all shards are done, gives the answer that the command which wrote DIR would have given in one process; a "
     "shard that is missing, duplicated or from another search is refused. The options are added to those of that "
     "command."},
    {CONVERT, "convert", "IN OUT", "write a graph grammar in the other format: .gg or .gps",
     "The names tell the formats. All graphs are written, or only the one that --start names. OUT is written "
     "completely or not at all; a .gps is a new directory, a .gg may be - for standard output."},
    {0}};

const struct command_help *command_find(const char *name)
{
    for (const struct command_help *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* --- reading */

static enum portolan_status wrong_argument(const struct option *option, const char *text, struct portolan_error *error)
{
    fail(error, PORTOLAN_BAD_OPTION, "--%s takes %s, not '%s'", option->name, option->argument, text);
    hint(error, "%s", option->help);
    return PORTOLAN_BAD_OPTION;
}

/* For a number that was read, or could not be. */
static enum portolan_status judge_number(const struct option *option, const char *text, enum number_fault fault,
                                         uint64_t most, struct portolan_error *error)
{
    if (fault == NUMBER_FINE)
        return PORTOLAN_OK;
    if (fault == NUMBER_WRONG)
        return wrong_argument(option, text, error);
    fail(error, PORTOLAN_BAD_OPTION, "--%s: '%s' is too large", option->name, text);
    hint(error, "it is at most %" PRIu64, most);
    return PORTOLAN_BAD_OPTION;
}

static enum portolan_status read_number(const struct option *option, const char *text, uint64_t *number,
                                        struct portolan_error *error)
{
    uint64_t most = option->kind == SMALL_COUNT || option->kind == PREEMPTIONS ? UINT32_MAX : UINT64_MAX;
    uint64_t least = option->kind != NUMBER && option->kind != PREEMPTIONS;
    return judge_number(option, text, read_count(text, least, most, number), most, error);
}

static enum portolan_status read_size(const struct option *option, const char *text, size_t *size,
                                      struct portolan_error *error)
{
    uint64_t bytes = 0;
    enum number_fault fault = read_bytes(text, SIZE_MAX, &bytes);
    *size = (size_t)bytes;
    return judge_number(option, text, fault, SIZE_MAX, error);
}

/* A word that is none of those that go here, with the one that was meant. */
static enum portolan_status wrong_word(const struct option *option, const char *text, const char *const *words,
                                       struct portolan_error *error)
{
    struct nearest nearest = nearest_to(text);
    for (; *words; words++)
        nearest_offer(&nearest, *words);
    wrong_argument(option, text, error);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    return PORTOLAN_BAD_OPTION;
}

/* FILE, or FILE,10m; a comma in the name of a file counts as long as no time follows. */
static enum portolan_status read_checkpoint(struct settings *settings, const struct option *option, const char *text,
                                            struct portolan_error *error)
{
    const char *comma = strrchr(text, ',');
    if (!comma) {
        settings->checkpoint = text;
        return text[0] ? PORTOLAN_OK : wrong_argument(option, text, error);
    }
    free(settings->checkpoint_file);
    settings->checkpoint_file = strndup(text, (size_t)(comma - text));
    if (!settings->checkpoint_file)
        return fail_memory(error);
    settings->checkpoint = settings->checkpoint_file;
    bool fine = comma > text && read_seconds(comma + 1, &settings->checkpoint_every);
    return fine ? PORTOLAN_OK : wrong_argument(option, text, error);
}

static enum portolan_status add_property(struct settings *settings, enum portolan_kind kind, const char *text,
                                         struct portolan_error *error)
{
    struct wanted_property property = {.kind = kind, .text = text};
    return vector_push(&settings->properties, property) ? PORTOLAN_OK : fail_memory(error);
}

/* One that the model may have given a name. */
static enum portolan_status add_named(struct settings *settings, const char *name, const char *formula,
                                      struct portolan_error *error)
{
    struct wanted_property property = {.kind = PORTOLAN_LTL, .text = formula, .name = name};
    return vector_push(&settings->properties, property) ? PORTOLAN_OK : fail_memory(error);
}

static enum portolan_status add_formula_file(struct settings *settings, const char *file, struct portolan_error *error)
{
    struct wanted_property property = {.kind = PORTOLAN_LTL, .file = file};
    return vector_push(&settings->properties, property) ? PORTOLAN_OK : fail_memory(error);
}

static enum portolan_status unknown_property(const struct option *option, const char *text,
                                             struct portolan_error *error)
{
    static const char *const whole[] = {"no deadlock",         "no data race",          "assertions hold",
                                        "no acceptance cycle", "no non-progress cycle", NULL};
    static const char *const first[][2] = {
        {"invariant", "invariant EXPR"}, {"reach", "reach EXPR"}, {"ltl", "ltl FORMULA"}, {0}};
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " "), text);
    struct nearest of_text = nearest_to(text), of_word = nearest_to(word);
    for (size_t i = 0; whole[i]; i++)
        nearest_offer(&of_text, whole[i]);
    for (size_t i = 0; first[i][0]; i++)
        nearest_offer(&of_word, first[i][0]);
    wrong_argument(option, text, error);
    for (size_t i = 0; first[i][0]; i++)
        if (of_word.best == first[i][0])
            hint(error, "did you mean '%s'?", first[i][1]);
    if (of_text.best)
        hint(error, "did you mean '%s'?", of_text.best);
    return PORTOLAN_BAD_OPTION;
}

static enum portolan_status read_property(struct settings *settings, const struct option *option, const char *text,
                                          struct portolan_error *error)
{
    const char *rest = text + strcspn(text, " ");
    rest += strspn(rest, " ");
    if (strcmp(text, "no deadlock") == 0 || strcmp(text, "deadlock") == 0)
        return add_property(settings, PORTOLAN_NO_DEADLOCK, NULL, error);
    if (strcmp(text, "no data race") == 0)
        return add_property(settings, PORTOLAN_NO_RACE, NULL, error);
    if (strncmp(text, "invariant ", 10) == 0)
        return add_property(settings, PORTOLAN_INVARIANT, rest, error);
    if (strncmp(text, "reach ", 6) == 0)
        return add_property(settings, PORTOLAN_REACH, rest, error);
    if (strncmp(text, "ltl ", 4) == 0)
        return add_named(settings, text, rest, error);
    if (strncmp(text, "never claim ", 12) == 0 || strcmp(text, "assertions hold") == 0)
        return add_named(settings, text, NULL, error);
    if (strcmp(text, "no acceptance cycle") == 0)
        return add_named(settings, text, "F G !accept_", error);
    if (strcmp(text, "no non-progress cycle") == 0)
        return add_named(settings, text, "G F !np_cycle_", error);
    return unknown_property(option, text, error);
}

static enum portolan_status read_walk(struct settings *settings, const struct option *option, const char *argument,
                                      struct portolan_error *error)
{
    static const char *const words[] = {"auto", "none", NULL};
    settings->no_walk = strcmp(argument, "none") == 0;
    settings->walk_steps = 0;
    if (settings->no_walk || strcmp(argument, "auto") == 0)
        return PORTOLAN_OK;
    if (!isdigit((unsigned char)argument[0]))
        return wrong_word(option, argument, words, error);
    return read_number(option, argument, &settings->walk_steps, error);
}

static enum portolan_status read_engine(struct settings *settings, const struct option *option, const char *argument,
                                        struct portolan_error *error)
{
    static const char *const words[] = {"never", "auto", "always", NULL}; /* as enum portolan_engine */
    size_t i = 0;
    while (words[i] && strcmp(argument, words[i]) != 0)
        i++;
    if (!words[i])
        return wrong_word(option, argument, words, error);
    settings->engine = (enum portolan_engine)i;
    settings->says_engine = true;
    return PORTOLAN_OK;
}

/* The model is told by a definition, as by those of -D; auto is the default. */
static enum portolan_status read_grounding(struct settings *settings, const struct option *option, const char *text,
                                           struct portolan_error *error)
{
    static const char *const words[] = {"always", "auto", "never", NULL};
    static const char *const definitions[] = {"ground=1", "ground=auto", "ground=0"};
    size_t i = 0;
    while (text && words[i] && strcmp(text, words[i]) != 0)
        i++;
    if (!words[i])
        return wrong_word(option, text, words, error);
    settings->never_ground = i == 2;
    return vector_push(&settings->definitions, definitions[i]) ? PORTOLAN_OK : fail_memory(error);
}

static enum portolan_status apply(struct settings *settings, const struct option *option, const char *argument,
                                  struct portolan_error *error)
{
    void *field = (char *)settings + option->offset;
    static const char *const modes[] = {"report", "interleave", NULL}, *const simplify[] = {"none", "auto", NULL},
                             *const fair[] = {"process", "transition", NULL},
                             *const volatiles[] = {"atomic", "plain", NULL};
    switch (option->kind) {
    case FLAG: *(bool *)field = true; break;
    case TEXT: *(const char **)field = argument; break;
    case OUTPUT: *(const char **)field = strcmp(argument, "-") == 0 ? NULL : argument; break;
    case SECONDS:
        if (!read_seconds(argument, field))
            return wrong_argument(option, argument, error);
        break;
    case BYTES: return read_size(option, argument, field, error);
    case COUNT:
    case SMALL_COUNT:
    case SHARDS:
    case NUMBER: return read_number(option, argument, field, error);
    case PREEMPTIONS:
        settings->bounds_preemptions = true;
        return read_number(option, argument, &settings->preemptions, error);
    case WALK: return read_walk(settings, option, argument, error);
    case CHECKPOINT: return read_checkpoint(settings, option, argument, error);
    case SIMPLIFY:
        if (strcmp(argument, "none") != 0 && strcmp(argument, "auto") != 0)
            return wrong_word(option, argument, simplify, error);
        settings->simplify = argument[0] == 'n' ? SIMPLIFY_NONE : SIMPLIFY_AUTO;
        break;
    case ENGINE: return read_engine(settings, option, argument, error);
    case RACES:
        if (strcmp(argument, "report") != 0 && strcmp(argument, "interleave") != 0)
            return wrong_word(option, argument, modes, error);
        settings->interleave = argument[0] == 'i';
        break;
    case VOLATILE_MODE:
        if (strcmp(argument, "atomic") != 0 && strcmp(argument, "plain") != 0)
            return wrong_word(option, argument, volatiles, error);
        settings->volatile_is_plain = argument[0] == 'p';
        break;
    case JSON:
        settings->json = true;
        settings->json_file = argument && strcmp(argument, "-") != 0 ? argument : NULL;
        break;
    case FAIR:
        if (argument && strcmp(argument, "process") != 0 && strcmp(argument, "transition") != 0)
            return wrong_word(option, argument, fair, error);
        settings->fairness =
            argument && strcmp(argument, "process") == 0 ? PORTOLAN_FAIR_AGENTS : PORTOLAN_FAIR_ACTIONS;
        break;
    case PATTERN: return vector_push(&settings->trusted, argument) ? PORTOLAN_OK : fail_memory(error);
    case GROUND: return read_grounding(settings, option, argument, error);
    case KEEP_DEAD:
    case CONDITIONS:
        argument = option->kind == CONDITIONS ? "conditions=1" : "keep-dead=1";
        /* fall through */
    case DEFINITION: return vector_push(&settings->definitions, argument) ? PORTOLAN_OK : fail_memory(error);
    case FORMULA: return add_property(settings, PORTOLAN_LTL, argument, error);
    case FORMULA_FILE: return add_formula_file(settings, argument, error);
    case AUTOMATON: return add_property(settings, PORTOLAN_AUTOMATON, argument, error);
    case PROPERTY: return read_property(settings, option, argument, error);
    case INVARIANT: return add_property(settings, PORTOLAN_INVARIANT, argument, error);
    case REACH: return add_property(settings, PORTOLAN_REACH, argument, error);
    case MAXIMUM: return add_property(settings, PORTOLAN_MAXIMUM, argument, error);
    case PROPERTY_FILE: return vector_push(&settings->property_files, argument) ? PORTOLAN_OK : fail_memory(error);
    case CHOSEN_PROPERTY: return vector_push(&settings->chosen, argument) ? PORTOLAN_OK : fail_memory(error);
    case NO_DEADLOCK: return add_property(settings, PORTOLAN_NO_DEADLOCK, NULL, error);
    case NO_RACE: return add_property(settings, PORTOLAN_NO_RACE, NULL, error);
    }
    return PORTOLAN_OK;
}

static bool takes_value(const struct option *option)
{
    return option->kind != FLAG && option->kind != NO_DEADLOCK && option->kind != NO_RACE &&
           option->kind != KEEP_DEAD && option->kind != CONDITIONS;
}

/* A value, if there is one, stands behind '='. */
static bool takes_attached(const struct option *option)
{
    return option->kind == JSON || option->kind == FAIR || option->kind == GROUND;
}

/* Takes its value from the next word when none is attached. */
static bool wants_value(const struct option *option)
{
    return takes_value(option) && !takes_attached(option);
}

static const struct option *find_letter(char letter, enum command command)
{
    for (const struct option *o = options; o->name; o++)
        if (o->letter && o->letter == letter && o->commands & command)
            return o;
    return NULL;
}

/* "--name" or "--name=value". */
static const struct option *find_name(const char *word, enum command command, const char **value)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    for (const struct option *o = options; o->name; o++)
        if (o->commands & command && strlen(o->name) == length && strncmp(o->name, name, length) == 0) {
            *value = name[length] ? name + length + 1 : NULL;
            return o;
        }
    return NULL;
}

static enum portolan_status unknown(const char *word, enum command command, struct portolan_error *error)
{
    struct nearest nearest = nearest_to(word + strspn(word, "-"));
    for (const struct option *o = options; o->name; o++)
        if (o->commands & command)
            nearest_offer(&nearest, o->name);
    fail(error, PORTOLAN_BAD_OPTION, "there is no option '%s' here", word);
    if (nearest.best)
        hint(error, "did you mean --%s?", nearest.best);
    for (const struct command_help *c = commands; c->name && !nearest.best; c++)
        if (c->command == command)
            hint(error, "'portolan %s --help' lists the options", c->name);
    return PORTOLAN_BAD_OPTION;
}

/* The words behind the command, and how far they have been read. */
struct words {
    char **word;
    int count, next;
};

/* Sets an option whose value may be the next word. */
static enum portolan_status set(struct settings *settings, const struct option *option, const char *value,
                                struct words *words, struct portolan_error *error)
{
    if (value && !takes_value(option))
        return fail(error, PORTOLAN_BAD_OPTION, "--%s takes no value", option->name);
    if (!value && wants_value(option)) {
        if (words->next == words->count)
            return fail(error, PORTOLAN_BAD_OPTION, "--%s needs %s", option->name, option->argument);
        value = words->word[words->next++];
    }
    enum portolan_status status = apply(settings, option, value, error);
    if (option->kind != SHARDS || status != PORTOLAN_OK)
        return status;
    if (words->next == words->count)
        return fail(error, PORTOLAN_BAD_OPTION, "--%s needs %s", option->name, option->argument);
    settings->shards_directory = words->word[words->next++];
    return PORTOLAN_OK;
}

/* "-q", "-aq", "-j 2", "-j2": letters, of which one with a value is the last. */
static enum portolan_status read_letters(struct settings *settings, enum command command, const char *word,
                                         struct words *words, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    for (const char *letter = word + 1; *letter && status == PORTOLAN_OK; letter++) {
        const struct option *option = find_letter(*letter, command);
        if (!option)
            return unknown(word, command, error);
        const char *value = wants_value(option) && letter[1] ? letter + 1 : NULL;
        status = set(settings, option, value, words, error);
        if (wants_value(option))
            break;
    }
    return status;
}

static enum portolan_status read_option(struct settings *settings, enum command command, const char *word,
                                        struct words *words, struct portolan_error *error)
{
    const char *value = NULL;
    if (word[1] != '-')
        return read_letters(settings, command, word, words, error);
    const struct option *option = find_name(word, command, &value);
    return option ? set(settings, option, value, words, error) : unknown(word, command, error);
}

/* Behind a program all words are its own.  Behind a source, up to "--", some are the compiler's, and ours are ours. */
static bool is_ours(const char *word)
{
    const char *value;
    if (word[0] != '-' || !word[1])
        return false;
    return word[1] == '-' ? find_name(word, RUN, &value) != NULL : !word[2] && find_letter(word[1], RUN);
}

enum portolan_status options_read(struct settings *settings, enum command command, int count, char **arguments,
                                  struct portolan_error *error)
{
    struct words words = {.word = arguments, .count = count};
    enum portolan_status status = PORTOLAN_OK;
    bool only_words = false;
    while (words.next < count && status == PORTOLAN_OK) {
        const char *word = arguments[words.next++];
        bool follows = command == RUN && settings->words.count;
        only_words = only_words || (follows && (strcmp(word, "--") == 0 || !is_c_source(settings->words.item[0])));
        if (only_words || (follows && !is_ours(word)) || word[0] != '-' || !word[1] || isdigit((unsigned char)word[1]))
            status = vector_push(&settings->words, word) ? PORTOLAN_OK : fail_memory(error);
        else if (strcmp(word, "--") == 0)
            only_words = true;
        else
            status = read_option(settings, command, word, &words, error);
    }
    bool only_random = settings->bug_depth || (settings->seed && command == RUN && settings->threads < 2);
    if (status == PORTOLAN_OK && only_random && !settings->random_runs)
        return fail(error, PORTOLAN_BAD_OPTION, "--%s needs --random RUNS%s", settings->bug_depth ? "depth" : "seed",
                    settings->bug_depth ? "" : " or --threads N");
    return status;
}

void settings_clear(struct settings *settings)
{
    free(settings->properties.item);
    free(settings->property_files.item);
    free(settings->chosen.item);
    free(settings->words.item);
    free(settings->definitions.item);
    free(settings->trusted.item);
    free(settings->checkpoint_file);
    memset(settings, 0, sizeof *settings);
}

bool option_next(enum command command, size_t *next, struct option_text *text)
{
    const struct option *option = &options[*next];
    while (option->name && !(option->commands & command))
        option++;
    *next = (size_t)(option - options) + 1;
    if (!option->name)
        return false;
    *text = (struct option_text){.name = option->name,
                                 .letter = option->letter,
                                 .argument = option->argument,
                                 .help = option->help,
                                 .is_attached = takes_attached(option)};
    return true;
}

enum portolan_status options_pick(const struct settings *settings, enum command command,
                                  bool (*is_wanted)(const char *name), struct word_list *picked,
                                  struct portolan_error *error)
{
    const char *const *word = settings->as_given;
    bool fine = vector_push(picked, (char *)(uintptr_t)*word++);
    for (; fine && *word; word++) {
        const char *value = NULL;
        if (command == RUN && ((settings->words.count && *word == settings->words.item[0]) || strcmp(*word, "--") == 0))
            break; /* what follows is the program's */
        bool is_long = strncmp(*word, "--", 2) == 0;
        const struct option *o = is_long             ? find_name(*word, command, &value)
                                 : (*word)[0] == '-' ? find_letter((*word)[1], command)
                                                     : NULL;
        size_t more = o && wants_value(o) && !value && (is_long || !(*word)[2]) ? 1 : 0;
        for (size_t i = 0; fine && i <= more && word[i]; i++)
            if (!o || is_wanted(o->name))
                fine = vector_push(picked, (char *)(uintptr_t)word[i]);
        word += more && word[1];
    }
    return fine ? PORTOLAN_OK : fail_memory(error);
}
