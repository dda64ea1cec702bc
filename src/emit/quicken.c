/* SPDX-License-Identifier: Apache-2.0 */
#include "emit/quicken.h"

#include "base/limits.h"
#include "emit/build.h"
#include "emit/emit.h"
#include "model/quick.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* An object that is in the cache is worth little time, a compiler some more. */
static const int64_t CACHED_NANOSECONDS = 30000000, LONG_NANOSECONDS = 400000000;
enum { SETTLED_PART = 4, SETTLED_AT_MOST = 200000 }; /* expansions without a wider layout */

struct quickening {
    struct build *build; /* that runs */
    void *object;
    const struct native_code *code; /* of the object; NULL: the layout is not compiled */
    bool was_looked_for;            /* in the cache, with the present layout */
    bool is_hopeless;               /* there is no compiler, or it cannot be done */
    int64_t begun;                  /* 0: not yet */
    uint64_t expanded, widened;     /* states expanded, and by the time of the last widening */
    uint32_t builds;
};

/* ---------------------------------------------------------- functions of systems */

static uint32_t native_successors(const void *model, const void *state, uint32_t *out, void *successors)
{
    const struct instance *in = model;
    const struct quickening *q = in->quickening;
    return q->code->successors(state, out, successors);
}

static uint32_t native_enabled(const void *model, const void *state, uint32_t *out)
{
    const struct instance *in = model;
    const struct quickening *q = in->quickening;
    uint32_t count = q->code->list(state, out);
    if (__builtin_expect(count != NATIVE_UNDECIDED, 1))
        return count;
    return in->quick ? quick_enabled(model, state, out) : machine_enabled(model, state, out);
}

static enum portolan_fired native_fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct instance *in = model;
    const struct quickening *q = in->quickening;
    if (__builtin_expect(q->code->fire(state, action, successor) == 1, 1))
        return PORTOLAN_FIRED;
    return in->quick ? quick_fire(model, state, action, successor) : machine_fire(model, state, action, successor);
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
    return code && strcmp(code->version, EMITTED_VERSION) == 0 && code->words == in->layout.words &&
           code->bytes == in->layout.bytes && code->actions == in->model->actions.count &&
           (all ? code->successors != NULL : code->list && code->fire);
}

static void install(struct portolan_system *system, struct quickening *q, bool all)
{
    q->object = build_take(q->build);
    q->code = dlsym(q->object, "portolan_native_0");
    build_end(q->build);
    q->build = NULL;
    if (!fits(q->code, system->model, all)) {
        forget(q);
        q->is_hopeless = true;
        return;
    }
    if (q->code->foreign)
        *q->code->foreign = ((const struct instance *)system->model)->model->foreign->functions;
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
    return since >= q->expanded / SETTLED_PART || since >= most;
}

static void quicken(struct portolan_system *system, enum portolan_engine engine, bool all, uint64_t expanded)
{
    const struct instance *in = system->model;
    struct quickening *q = in->quickening;
    q->expanded = expanded;
    if (q->is_hopeless || q->code)
        return;
    if (!q->begun)
        q->begun = monotonic_now();
    int64_t spent = engine == PORTOLAN_NATIVE ? INT64_MAX : monotonic_now() - q->begun;
    if (!q->build && spent >= CACHED_NANOSECONDS && has_settled(q) &&
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
    forget(in->quickening);
    free(in->quickening);
    model_free_instance(model);
}

static struct portolan_system *compact(const struct portolan_system *system)
{
    struct portolan_system *copy = model_compact(system);
    struct quickening *q = copy ? calloc(1, sizeof *q) : NULL;
    if (!q)
        return copy; /* which is interpreted */
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
