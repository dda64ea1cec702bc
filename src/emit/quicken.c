/* SPDX-License-Identifier: Apache-2.0 */
#include "emit/quicken.h"

#include "base/limits.h"
#include "emit/build.h"
#include "emit/emit.h"
#include "model/quick.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* An object that is in the cache is worth little time, a compiler some more; even to look, the text must be written. */
static const int64_t CACHED_NANOSECONDS = 30000000, LONG_NANOSECONDS = 400000000;
static const int64_t WRITING_NANOSECONDS = 10000; /* for each instruction: a few times what it takes */
enum { CHECK_FIRST = 16, CHECK_EVERY = 1024 };    /* states, of which the interpreter is asked too */
/* Expansions without a wider layout: a part of all; each time it is compiled makes more patient. */
enum { SETTLED_PART = 4, SETTLED_PER_BUILD = 500, SETTLED_AT_MOST = 200000 };

struct quickening {
    struct build *build; /* that runs */
    void *object;
    const struct native_code *code; /* of the object; NULL: the layout is not compiled */
    bool was_looked_for;            /* in the cache, with the present layout */
    bool is_hopeless;               /* there is no compiler, or it cannot be done */
    int64_t begun;                  /* 0: not yet */
    uint64_t expanded, widened;     /* states expanded, and by the time of the last widening */
    uint32_t builds;
    uint64_t number; /* that no other one has had */
    /* several threads may ask for successors at once: one of them checks at a time */
    uint32_t checked; /* states */
    atomic_flag is_checking;
    _Atomic bool is_wrong; /* compiled code was found to be */
    uint32_t *enabled;     /* scratch of checks: as many as there are actions, ... */
    uint64_t *successor;   /* ... and a state */
};

/* -------------------------------------------------------------------------- checks */

static uint32_t interpreted_enabled(const struct instance *in, const void *state, uint32_t *out)
{
    return in->quick ? quick_enabled(in, state, out) : machine_enabled(in, state, out);
}

static enum portolan_fired interpreted_fire(const struct instance *in, const void *state, uint32_t action,
                                            void *successor)
{
    return in->quick ? quick_fire(in, state, action, successor) : machine_fire(in, state, action, successor);
}

/* A thread's own: a counter of all would be passed to and fro between processors with every step. */
static _Thread_local struct {
    uint64_t number; /* of the quickening */
    uint32_t left;   /* states */
} until_check;

/* Is it the turn of this state, and nobody checks another?  A compiler may be wrong, and so may what it was given. */
static inline bool begin_check(struct quickening *q)
{
    if (__builtin_expect(until_check.left > 0 && until_check.number == q->number, 1)) {
        until_check.left--;
        return false;
    }
    return !atomic_flag_test_and_set_explicit(&q->is_checking, memory_order_acquire);
}

static void end_check(struct quickening *q)
{
    until_check.number = q->number;
    until_check.left = ++q->checked < CHECK_FIRST ? 0 : CHECK_EVERY;
    atomic_flag_clear_explicit(&q->is_checking, memory_order_release);
}

static void check_list(const struct instance *in, struct quickening *q, const void *state, const uint32_t *listed,
                       uint32_t count)
{
    if (interpreted_enabled(in, state, q->enabled) != count || memcmp(q->enabled, listed, count * sizeof *listed) != 0)
        q->is_wrong = true;
}

static void check_step(const struct instance *in, struct quickening *q, const void *state, uint32_t action,
                       const uint64_t *successor)
{
    if (interpreted_fire(in, state, action, q->successor) != PORTOLAN_FIRED ||
        memcmp(q->successor, successor, in->packed.layout.words * sizeof *successor) != 0)
        q->is_wrong = true;
}

/* ---------------------------------------------------------- functions of systems */

static uint32_t native_successors(const void *model, const void *state, uint32_t *out, void *successors)
{
    const struct instance *in = model;
    struct quickening *q = in->quickening;
    uint32_t count = q->code->successors(state, out, successors);
    if (__builtin_expect(begin_check(q), 0)) {
        if (count != NATIVE_UNDECIDED)
            check_list(in, q, state, out, count);
        for (uint32_t i = 0; count != NATIVE_UNDECIDED && i < count && !q->is_wrong; i++)
            check_step(in, q, state, out[i], (const uint64_t *)successors + (size_t)i * in->packed.layout.words);
        end_check(q);
    }
    return count;
}

static uint32_t native_enabled(const void *model, const void *state, uint32_t *out)
{
    const struct instance *in = model;
    struct quickening *q = in->quickening;
    uint32_t count = q->code->list(state, out);
    if (__builtin_expect(count == NATIVE_UNDECIDED, 0))
        return interpreted_enabled(in, state, out);
    if (__builtin_expect(begin_check(q), 0)) {
        check_list(in, q, state, out, count);
        end_check(q);
    }
    return count;
}

static enum portolan_fired native_fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct instance *in = model;
    struct quickening *q = in->quickening;
    if (__builtin_expect(q->code->fire(state, action, successor) != 1, 0))
        return interpreted_fire(in, state, action, successor);
    if (__builtin_expect(begin_check(q), 0)) {
        check_step(in, q, state, action, successor);
        end_check(q);
    }
    return PORTOLAN_FIRED;
}

/* ------------------------------------------------------------------------ objects */

static void interpret(struct portolan_system *system)
{
    const struct instance *in = system->model;
    system->enabled = in->quick ? quick_enabled : machine_enabled;
    system->fire = in->quick ? quick_fire : machine_fire;
    system->successors = NULL;
    system->is_native = false;
}

static void forget(struct quickening *q)
{
    build_end(q->build);
    if (q->object)
        dlclose(q->object);
    q->build = NULL;
    q->object = NULL;
    q->code = NULL;
    q->was_looked_for = false;
}

static bool fits(const struct native_code *code, const struct instance *in, bool all)
{
    return code && strcmp(code->version, EMITTED_VERSION) == 0 && code->words == in->packed.layout.words &&
           code->bytes == in->packed.layout.bytes && code->actions == in->model->actions.count &&
           (all ? code->successors != NULL : code->list && code->fire);
}

static void install(struct portolan_system *system, struct quickening *q, bool all)
{
    q->object = build_take(q->build);
    q->code = dlsym(q->object, "portolan_native_0");
    build_end(q->build);
    q->build = NULL;
    const struct instance *in = system->model;
    uint64_t *successor = realloc(q->successor, in->packed.layout.words * sizeof *successor);
    if (successor)
        q->successor = successor;
    if (!q->enabled)
        q->enabled = calloc(in->model->actions.count + 1, sizeof *q->enabled);
    if (!fits(q->code, in, all) || !successor || !q->enabled) {
        forget(q);
        q->is_hopeless = true;
        return;
    }
    if (q->code->foreign)
        *q->code->foreign = in->model->foreign->functions;
    system->is_native = true;
    if (all) {
        system->successors = native_successors;
        system->most_enabled = q->code->enabled;
    } else {
        system->enabled = native_enabled;
        system->fire = native_fire;
    }
}

static void begin(const struct instance *in, struct quickening *q, bool all, bool only_cached)
{
    struct text text = {0};
    FILE *out = open_memstream(&text.item, &text.length);
    bool fine = out;
    if (fine) {
        emit_prelude(out);
        fine = emit_model(out, in, 0, all ? EMIT_SUCCESSORS : EMIT_LIST_AND_FIRE);
        fine = fclose(out) == 0 && fine;
    }
    if (!fine) {
        free(text.item);
        q->is_hopeless = true;
        return;
    }
    q->build = build_begin(text, only_cached);
    q->is_hopeless = !q->build && !only_cached;
    q->builds += q->build && !only_cached;
}

/* -------------------------------------------------------------------- when to do it */

static bool has_settled(const struct quickening *q)
{
    uint64_t since = q->expanded - q->widened, most = (uint64_t)SETTLED_AT_MOST * (q->builds + 1);
    return (since >= q->expanded / SETTLED_PART && since >= (uint64_t)SETTLED_PER_BUILD * q->builds) || since >= most;
}

static void go_on(struct portolan_system *system, struct quickening *q, enum portolan_engine engine, bool all)
{
    const struct instance *in = system->model;
    if (!q->begun)
        q->begun = monotonic_now();
    int64_t spent = engine == PORTOLAN_NATIVE ? INT64_MAX : monotonic_now() - q->begun;
    int64_t writing = (int64_t)in->model->code.count * WRITING_NANOSECONDS;
    if (!q->build && spent >= CACHED_NANOSECONDS + writing && has_settled(q) &&
        (spent >= LONG_NANOSECONDS || !q->was_looked_for)) {
        begin(in, q, all, spent < LONG_NANOSECONDS);
        q->was_looked_for = true;
    }
    if (!q->build)
        return;
    enum build_progress progress = engine == PORTOLAN_NATIVE ? build_wait(q->build) : build_look(q->build);
    if (progress == BUILD_READY)
        install(system, q, all);
    q->is_hopeless |= progress == BUILD_FAILED;
}

static bool quicken(struct portolan_system *system, enum portolan_engine engine, bool all, uint64_t expanded)
{
    struct quickening *q = ((const struct instance *)system->model)->quickening;
    q->expanded = expanded;
    if (engine != PORTOLAN_INTERPRETED && !q->is_hopeless && !q->code)
        go_on(system, q, engine, all);
    return !q->is_wrong;
}

/* ------------------------------------------------------------------- compact systems */

/* What was compiled belongs to the layout before. */
static enum portolan_status widen(struct portolan_system *system)
{
    const struct instance *in = system->model;
    struct quickening *q = in->quickening;
    enum portolan_status status = model_widen(system);
    if (status != PORTOLAN_OK)
        return status;
    forget(q);
    q->widened = q->expanded;
    interpret(system);
    return PORTOLAN_OK;
}

static void free_instance(void *model)
{
    struct instance *in = model;
    struct quickening *q = in->quickening;
    forget(q);
    free(q->enabled);
    free(q->successor);
    free(q);
    model_free_instance(model);
}

static struct portolan_system *compact(const struct portolan_system *system)
{
    struct portolan_system *copy = model_compact(system);
    static _Atomic uint64_t numbers;
    struct quickening *q = copy && !copy->has_priorities ? calloc(1, sizeof *q) : NULL;
    if (!q)
        return copy; /* which is interpreted */
    q->number = ++numbers;
    ((struct instance *)copy->model)->quickening = q;
    copy->widen = widen;
    copy->destroy = free_instance;
    copy->quicken = quicken;
    return copy;
}

void emit_attach(struct portolan_system *system)
{
    if (is_of_model(system))
        system->compact = compact;
}
