/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled models against the interpreter: random models of guarded commands, thread programs, protocols and Promela
 * programs, and the files given.  Many are compiled into one object.
 *
 *     random_emit [--models N] [--programs N] [--protocols N] [--promela N] [--seed S] [FILE ...]
 *
 * Each model is compared with the layout that holds all states that were found, and one in three also with the narrow
 * one with which a search begins, where much does not fit.  In every state the same actions must be enabled in the same
 * order, by both functions that tell, and lead to the same bytes; where compiled code leaves a state to the interpreter
 * there must be something that does not fit.
 *
 * Each of these, put wrong in src/emit, was noticed by what `make test` runs (tests/random-emit): a mask that keeps a
 * bit too many of a field, a register that is not cleared where it dies, dead cells that are kept, a waiter that takes
 * the wrong permit, the place of an element of an array with and without a table, common code left out, a sum that does
 * not wrap, actions that are not sorted, the end of a test, registers of a process that is spawned, the owner of a
 * lock, a queue that does not move up, a value that is not asked whether it fits, a trial that ends too early.
 */
#include "base/vector.h"
#include "emit/build.h"
#include "emit/emit.h"
#include "model/quick.h"
#include "random_model.h"
#include "random_program.h"
#include "random_promela.h"
#include "random_protocol.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_STATES = 400, BATCH = 40, NARROW = 3 };

/* A compact system with one layout, and its states. */
struct subject {
    char name[80];
    struct portolan_system *opened, *system;
    VECTOR(uint64_t) states; /* one behind the other */
    uint32_t count;
    bool is_narrow;
};

struct tally {
    uint64_t subjects, states, transitions, undecided, excused;
    unsigned failed;
};

static struct subject batch[BATCH];
static unsigned in_batch;
enum { LARGE = 10000 }; /* instructions of a model */

static struct tally tally;

static const struct instance *instance_of(const struct subject *s)
{
    return s->system->model;
}

static uint32_t words_of(const struct subject *s)
{
    return instance_of(s)->packed.layout.words;
}

/* --------------------------------------------------------------------- exploring */

static bool add_state(struct subject *s, const uint64_t *state)
{
    uint32_t words = words_of(s);
    for (uint32_t i = 0; i < s->count; i++)
        if (memcmp(s->states.item + (size_t)i * words, state, words * sizeof *state) == 0)
            return true;
    for (uint32_t w = 0; w < words; w++)
        if (!vector_push(&s->states, state[w]))
            return false;
    s->count++;
    return true;
}

/* All states that fit the layout, up to a number of them; false: something did not fit that may be made to. */
static bool explore(struct subject *s)
{
    const struct portolan_system *system = s->system;
    uint32_t words = words_of(s), *enabled = calloc(system->actions + 1, sizeof *enabled);
    uint64_t *state = calloc(2 * (size_t)words, sizeof *state), *next = state ? state + words : NULL;
    bool fits = enabled && state;
    s->count = 0;
    s->states.count = 0;
    system->initial(system->model, state);
    fits = fits && add_state(s, state);
    for (uint32_t i = 0; i < s->count && fits; i++) {
        memcpy(state, s->states.item + (size_t)i * words, words * sizeof *state);
        uint32_t count = system->enabled(system->model, state, enabled);
        for (uint32_t k = 0; k < count && fits; k++) {
            enum portolan_fired fired = system->fire(system->model, state, enabled[k], next);
            if (fired == PORTOLAN_TOO_NARROW && !s->is_narrow)
                fits = false;
            else if (fired == PORTOLAN_FIRED && s->count < MOST_STATES)
                fits = add_state(s, next);
        }
    }
    free(enabled);
    free(state);
    return fits;
}

/* --------------------------------------------------------------------- comparing */

static bool wrong(const struct subject *s, uint32_t state, const char *what)
{
    printf("%s (%s layout), state %u: %s\n", s->name, s->is_narrow ? "narrow" : "wide", state, what);
    return false;
}

/* What the interpreter says of a state. */
struct expected {
    uint32_t *enabled, count;
    enum portolan_fired *fired;
    uint64_t *successors;
    bool all_fit;
};

static void ask_interpreter(const struct subject *s, const uint64_t *state, struct expected *e)
{
    const struct portolan_system *system = s->system;
    e->count = system->enabled(system->model, state, e->enabled);
    e->all_fit = true;
    for (uint32_t k = 0; k < e->count; k++) {
        e->fired[k] = system->fire(system->model, state, e->enabled[k], e->successors + (size_t)k * words_of(s));
        e->all_fit &= e->fired[k] == PORTOLAN_FIRED;
    }
}

/* Code that writes before it blocks may be left to the interpreter although it blocks in the end. */
static bool may_write_first(const struct subject *s)
{
    const struct derived *d = instance_of(s)->derived;
    for (size_t a = 0; a < d->model->actions.count; a++)
        if (d->summaries[a].may_block && (d->summaries[a].writes_first || d->summaries[a].common != MODEL_NONE))
            return true;
    return false;
}

static bool same_successors(const struct subject *s, const struct native_code *code, uint32_t number,
                            const struct expected *e)
{
    uint32_t words = words_of(s), *out = calloc(code->enabled + 1, sizeof *out);
    uint64_t *successors = calloc((size_t)(code->enabled + 1) * words, sizeof *successors);
    const uint64_t *state = s->states.item + (size_t)number * words;
    uint32_t count = code->successors(state, out, successors);
    bool fine = true;
    if (count == NATIVE_UNDECIDED) {
        tally.undecided++;
        tally.excused += e->all_fit;
        fine = !e->all_fit || may_write_first(s) || wrong(s, number, "undecided, and everything fits");
    } else if (!e->all_fit) {
        fine = wrong(s, number, "decided, and something does not fit");
    } else if (count != e->count || memcmp(out, e->enabled, count * sizeof *out) != 0) {
        fine = wrong(s, number, "other successors");
    } else if (memcmp(successors, e->successors, (size_t)count * words * sizeof *successors) != 0) {
        fine = wrong(s, number, "a successor differs");
    }
    free(out);
    free(successors);
    return fine;
}

static bool same_list_and_steps(const struct subject *s, const struct native_code *code, uint32_t number,
                                const struct expected *e)
{
    uint32_t words = words_of(s), *out = calloc(code->enabled + 1, sizeof *out);
    uint64_t *next = calloc(words + 1, sizeof *next);
    const uint64_t *state = s->states.item + (size_t)number * words;
    uint32_t count = code->list(state, out);
    bool fine = true;
    if (count == NATIVE_UNDECIDED)
        fine = may_write_first(s) || !e->all_fit || wrong(s, number, "an undecided list");
    else if (count != e->count || memcmp(out, e->enabled, count * sizeof *out) != 0)
        fine = wrong(s, number, "another list");
    for (uint32_t k = 0; k < e->count && fine; k++) {
        bool fired = code->fire(state, e->enabled[k], next) == 1;
        if (fired != (e->fired[k] == PORTOLAN_FIRED))
            fine = wrong(s, number, "an action fits or does not");
        else if (fired && memcmp(next, e->successors + (size_t)k * words, words * sizeof *next) != 0)
            fine = wrong(s, number, "an action leads elsewhere");
    }
    tally.transitions += e->count;
    free(out);
    free(next);
    return fine;
}

static bool compare_all(const struct subject *s, const struct native_code *code)
{
    size_t actions = (size_t)s->system->actions + 1;
    uint32_t words = words_of(s);
    struct expected e = {.enabled = calloc(actions, sizeof *e.enabled),
                         .fired = calloc(actions, sizeof *e.fired),
                         .successors = calloc(actions * words, sizeof *e.successors)};
    bool fine = code && e.enabled && e.fired && e.successors;
    if (!code)
        printf("%s: was not compiled\n", s->name);
    for (uint32_t i = 0; i < s->count && fine; i++) {
        ask_interpreter(s, s->states.item + (size_t)i * words, &e);
        fine = same_successors(s, code, i, &e) && same_list_and_steps(s, code, i, &e);
    }
    tally.states += s->count;
    free(e.enabled);
    free(e.fired);
    free(e.successors);
    return fine;
}

/* ----------------------------------------------------------------------- batches */

/* One object for all subjects, or NULL. */
static void *compile(void)
{
    struct text text = {0};
    FILE *out = open_memstream(&text.item, &text.length);
    bool fine = out;
    if (fine)
        emit_prelude(out);
    for (unsigned i = 0; i < in_batch && fine; i++) {
        fine = emit_model(out, instance_of(&batch[i]), i, EMIT_SUCCESSORS | EMIT_LIST_AND_FIRE);
        if (!fine)
            printf("%s: is not emitted\n", batch[i].name);
    }
    if (out)
        fclose(out);
    if (!fine) {
        free(text.item);
        return NULL;
    }
    struct build *build = build_begin(text, false);
    char complaint[400] = "there is no compiler";
    void *object = NULL;
    if (build && build_wait(build) == BUILD_READY)
        object = build_take(build);
    else if (build)
        build_complaint(build, complaint, sizeof complaint);
    if (!object)
        printf("not compiled: %s\n", complaint);
    build_end(build);
    return object;
}

static void finish_batch(void)
{
    void *object = in_batch ? compile() : NULL;
    tally.failed += in_batch && !object;
    for (unsigned i = 0; i < in_batch; i++) {
        struct subject *s = &batch[i];
        char name[40];
        snprintf(name, sizeof name, "portolan_native_%u", i);
        tally.failed += object && !compare_all(s, dlsym(object, name));
        tally.subjects++;
        portolan_system_free(s->system);
        if (!s->is_narrow)
            portolan_system_free(s->opened); /* the last that needs it */
        free(s->states.item);
    }
    if (object)
        dlclose(object);
    in_batch = 0;
}

/* Takes the system over. */
static void add_subject(struct portolan_system *opened, const char *name)
{
    if (in_batch + 2 > BATCH)
        finish_batch();
    static unsigned number;
    for (int wide = number++ % NARROW != 0; wide < 2; wide++) {
        struct subject *s = &batch[in_batch++];
        *s = (struct subject){.opened = opened, .system = opened->compact(opened), .is_narrow = !wide};
        snprintf(s->name, sizeof s->name, "%s", name);
        while (!explore(s))
            s->system->widen(s->system);
    }
}

/* ------------------------------------------------------------------------ sources */

static void add_models(uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        struct model_draft draft;
        struct portolan_system *system;
        char name[80];
        snprintf(name, sizeof name, "model %" PRIu64 " of seed %" PRIu64, i, seed);
        model_draft_random(&draft, seed, i);
        if (model_draft_system(&draft, &system, NULL) == PORTOLAN_OK)
            add_subject(system, name);
    }
}

static void add_programs(uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        char *text = random_program(seed * 1000003 + i), name[80];
        struct portolan_system *system = open_program(text);
        snprintf(name, sizeof name, "program %" PRIu64, seed * 1000003 + i);
        if (system)
            add_subject(system, name);
        free(text);
    }
}

static void add_file(const char *path, const char *name)
{
    struct portolan_system *system;
    struct portolan_error error;
    if (portolan_open(path, &system, &error) == PORTOLAN_OK) {
        add_subject(system, name);
    } else {
        printf("%s: %s\n", name, error.message);
        tally.failed++;
    }
}

static void add_protocols(uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        char path[] = "/tmp/random-native-XXXXXX.mp", *text = random_protocol(seed * 1000003 + i), name[80];
        int file = mkstemps(path, 3);
        snprintf(name, sizeof name, "protocol %" PRIu64, seed * 1000003 + i);
        if (file >= 0 && text && write(file, text, strlen(text)) == (ssize_t)strlen(text))
            add_file(path, name);
        close(file);
        unlink(path);
        free(text);
    }
}

/* Some of them run too many processes, or what has no end.  What is emitted of a model is more than its code. */
static void add_promela(uint64_t count, uint64_t seed)
{
    static struct promela_program program;
    struct random random = random_from(seed, 0);
    for (uint64_t i = 0; i < count; i++) {
        char path[] = "/tmp/random-native-XXXXXX.pml", name[80];
        struct portolan_system *system;
        promela_draw(&program, &random);
        size_t length = strlen(program.text);
        int file = mkstemps(path, 4);
        snprintf(name, sizeof name, "Promela program %" PRIu64 " of seed %" PRIu64, i, seed);
        if (file >= 0 && write(file, program.text, length) == (ssize_t)length &&
            portolan_open(path, &system, NULL) == PORTOLAN_OK) {
            const struct instance *in = system->model;
            if (system->has_priorities || in->derived->model->code.count > LARGE) /* are always interpreted */
                portolan_system_free(system);
            else
                add_subject(system, name);
        }
        close(file);
        unlink(path);
    }
}

int main(int count, char **arguments)
{
    uint64_t models = 0, programs = 0, protocols = 0, promela = 0, seed = 1;
    struct {
        const char *name;
        uint64_t *value;
    } options[] = {{"--models", &models},
                   {"--programs", &programs},
                   {"--protocols", &protocols},
                   {"--promela", &promela},
                   {"--seed", &seed}};
    for (int i = 1; i < count; i++) {
        bool is_option = false;
        for (size_t k = 0; k < sizeof options / sizeof *options && i + 1 < count; k++)
            if (strcmp(arguments[i], options[k].name) == 0) {
                *options[k].value = strtoull(arguments[++i], NULL, 10);
                is_option = true;
                break;
            }
        if (!is_option)
            add_file(arguments[i], arguments[i]);
    }
    add_models(models, seed);
    add_programs(programs, seed);
    add_protocols(protocols, seed);
    add_promela(promela, seed);
    finish_batch();
    printf("native: %" PRIu64 " subjects, %" PRIu64 " states, %" PRIu64 " transitions, %" PRIu64
           " states left to the interpreter (%" PRIu64 " where everything fits), %u failed\n",
           tally.subjects, tally.states, tally.transitions, tally.undecided, tally.excused, tally.failed);
    return tally.failed || tally.subjects == 0;
}
