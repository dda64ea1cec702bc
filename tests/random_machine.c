/* SPDX-License-Identifier: Apache-2.0 */
#include "random_machine.h"

#include "base/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- drawing */

static uint8_t pick(struct random *random, uint32_t limit)
{
    return (uint8_t)random_below(random, limit);
}

struct taste {
    uint8_t liked[3];
    uint32_t likes;
    bool waits, varies, locks, commutes;
};

static void draw_step(struct program_step *step, const struct taste *taste, const struct program *p,
                      struct random *random)
{
    static const enum step_kind waiting[] = {DO_AWAIT, DO_AWAIT, DO_AWAIT_EITHER};
    *step = (struct program_step){.kind = pick(random, 5) < 2 ? DO_READ : DO_WRITE,
                                  .object = taste->liked[pick(random, taste->likes)],
                                  .other = pick(random, p->objects),
                                  .value = pick(random, 3),
                                  .next = pick(random, 3)};
    if (pick(random, 5) == 0)
        step->object = pick(random, p->objects);
    if (taste->varies && pick(random, 3) == 0)
        step->kind = pick(random, 2) ? DO_CAS : DO_INDEXED;
    if (taste->commutes && pick(random, 3) == 0)
        step->kind = DO_ADD;
    if (taste->waits && pick(random, 4) == 0)
        step->kind = waiting[pick(random, 3)];
    if (pick(random, 5) == 0)
        step->only_if = 1 + pick(random, 3);
    if (step->other == step->object || (uint32_t)step->other + 1 == step->object || step->other + 1U >= p->objects)
        step->other = step->object == 0 ? 1 : step->object == 1 ? (p->objects > 3 ? 2 : 0) : 0;
    if (step->kind == DO_INDEXED &&
        (step->other + 1U >= p->objects || step->other == step->object || step->other + 1U == step->object))
        step->kind = DO_CAS;
}

/* Puts a lock around the middle of the agent's program. */
static void draw_lock(struct program_agent *agent, uint8_t object, struct random *random)
{
    if (agent->length < 3)
        return;
    agent->step[0] = (struct program_step){.kind = DO_LOCK, .object = object};
    if (pick(random, 8)) /* else it is kept */
        agent->step[agent->length - 1] = (struct program_step){.kind = DO_UNLOCK, .object = object};
}

static bool waits_for(const struct program_step *step, uint8_t object)
{
    bool either = step->kind == DO_AWAIT_EITHER;
    return ((either || step->kind == DO_AWAIT || step->kind == DO_LOCK) && step->object == object) ||
           (either && step->other == object);
}

static bool is_awaited(const struct program *p, uint8_t object)
{
    for (uint32_t a = 0; a < p->agents; a++)
        for (uint32_t i = 0; i < p->agent[a].length; i++)
            if (waits_for(&p->agent[a].step[i], object))
                return true;
    return false;
}

/* Writes of an object that somebody waits for do not commute: which of them lets him go matters.  Runtimes see to it.
 */
static void order_awaited(struct program *p)
{
    for (uint32_t a = 0; a < p->agents; a++)
        for (uint32_t i = 0; i < p->agent[a].length; i++) {
            struct program_step *step = &p->agent[a].step[i];
            if (step->kind == DO_ADD && is_awaited(p, step->object))
                step->kind = DO_WRITE;
        }
}

void program_draw(struct program *p, struct random *random)
{
    *p = (struct program){.agents = 2 + pick(random, MACHINE_AGENTS - 1),
                          .objects = 2 + pick(random, MACHINE_OBJECTS - 1)};
    bool families = pick(random, 2);
    struct taste taste = {.waits = pick(random, 2), .varies = pick(random, 2), .commutes = pick(random, 4) == 0};
    taste.locks = pick(random, 3) == 0;
    uint32_t most = p->agents > 5 ? 2 : p->agents > 3 ? 3 : MACHINE_STEPS;
    for (uint32_t a = 0; a < p->agents; a++) {
        struct program_agent *agent = &p->agent[a];
        taste.likes = 1 + pick(random, 3);
        for (int i = 0; i < 3; i++)
            taste.liked[i] = pick(random, p->objects);
        agent->length = 1 + pick(random, most);
        for (uint32_t i = 0; i < agent->length; i++)
            draw_step(&agent->step[i], &taste, p, random);
        if (taste.locks && pick(random, 2))
            draw_lock(agent, (uint8_t)(p->objects - 1), random);
        if (families && a > 0 && pick(random, 2)) {
            agent->parent = 1 + pick(random, a);
            agent->after = pick(random, p->agent[agent->parent - 1].length + 1U);
        }
        if (families && a > 0 && pick(random, 3) == 0) /* only earlier ones, so nobody waits for himself */
            agent->step[pick(random, agent->length)].joins = 1 + pick(random, a);
    }
    order_awaited(p);
}

void program_print(const struct program *p)
{
    static const char *const names[] = {"read",  "write",        "add",  "cas",   "indexed",
                                        "await", "await-either", "lock", "unlock"};
    for (uint32_t a = 0; a < p->agents; a++) {
        const struct program_agent *agent = &p->agent[a];
        printf("agent %u", a);
        if (agent->parent)
            printf(", born by %d after %d steps", agent->parent - 1, agent->after);
        printf(":\n");
        for (uint32_t i = 0; i < agent->length; i++) {
            const struct program_step *s = &agent->step[i];
            printf("    %s object %d other %d value %d next %d", names[s->kind], s->object, s->other, s->value,
                   s->next);
            if (s->only_if)
                printf(" only if %d was read", s->only_if - 1);
            if (s->joins)
                printf(" after the end of %d", s->joins - 1);
            printf("\n");
        }
    }
}

/* ---------------------------------------------------------------- running */

struct point {
    int32_t value[MACHINE_OBJECTS];
    uint8_t place[MACHINE_AGENTS], heard[MACHINE_AGENTS];
    bool born[MACHINE_AGENTS], joined[MACHINE_AGENTS], follows[MACHINE_AGENTS];
    uint32_t last[MACHINE_AGENTS];                   /* event + 1 */
    uint32_t follow[MACHINE_AGENTS][MACHINE_AGENTS]; /* event + 1 */
};

static bool has_ended(const struct program *p, const struct point *point, uint32_t agent)
{
    return point->born[agent] && point->place[agent] == p->agent[agent].length;
}

static void follow_event(struct point *point, uint32_t agent, uint32_t other, uint32_t event)
{
    if (!point->follows[agent])
        memset(point->follow[agent], 0, sizeof point->follow[agent]);
    point->follows[agent] = true;
    if (event > point->follow[agent][other])
        point->follow[agent][other] = event;
}

static void follow(const struct program *p, struct point *point, uint32_t agent, uint32_t leader)
{
    if (point->last[leader])
        follow_event(point, agent, leader, point->last[leader]);
    for (uint32_t i = 0; i < p->agents && point->follows[leader]; i++)
        if (point->follow[leader][i])
            follow_event(point, agent, i, point->follow[leader][i]);
}

static bool is_due(const struct program *p, const struct point *point, uint32_t a)
{
    uint32_t parent = p->agent[a].parent - 1U;
    return !point->born[a] &&
           (!p->agent[a].parent || (point->born[parent] && point->place[parent] >= p->agent[a].after));
}

/* The agent joins another, or leaves a step out; false when nothing happens to it by itself. */
static bool settle_one(const struct program *p, struct point *point, uint32_t a)
{
    const struct program_agent *agent = &p->agent[a];
    if (!point->born[a] || point->place[a] == agent->length)
        return false;
    const struct program_step *step = &agent->step[point->place[a]];
    if (step->joins && !point->joined[a]) {
        if (!has_ended(p, point, step->joins - 1U))
            return false;
        point->joined[a] = true;
        follow(p, point, a, step->joins - 1U);
        return true;
    }
    if (!step->only_if || point->heard[a] == step->only_if - 1)
        return false;
    point->place[a]++;
    point->joined[a] = false;
    return true;
}

/* Children are born before their parent goes on. */
static void settle(const struct program *p, struct point *point)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t a = 0; a < p->agents; a++)
            if (is_due(p, point, a)) {
                point->born[a] = again = true;
                if (p->agent[a].parent)
                    follow(p, point, a, p->agent[a].parent - 1U);
            }
        for (uint32_t a = 0; a < p->agents && !again; a++)
            again = settle_one(p, point, a);
    }
}

static void point_begin(const struct program *p, struct point *point)
{
    memset(point, 0, sizeof *point);
    settle(p, point);
}

static void touch(struct portolan_step *step, uint32_t object, bool writes, uint8_t group)
{
    step->accesses[step->access_count++] = (struct portolan_access){object, writes, true, group};
}

/* The agent's next step at a point, if objects had these values. */
static bool next_step(const struct program *p, const struct point *point, uint32_t a, const int32_t *value,
                      struct portolan_step *step)
{
    if (!point->born[a] || has_ended(p, point, a))
        return false;
    const struct program_step *s = &p->agent[a].step[point->place[a]];
    *step = (struct portolan_step){
        .action = a, .enabled = true, .waits_for = PORTOLAN_NO_OBJECT, .accesses = step->accesses};
    if (s->joins && !point->joined[a]) {
        step->enabled = false;
        return true;
    }
    switch (s->kind) {
    case DO_READ: touch(step, s->object, false, 0); break;
    case DO_WRITE: touch(step, s->object, true, 0); break;
    case DO_ADD: touch(step, s->object, true, 1); break;
    case DO_CAS:
        touch(step, s->object, value[s->object] == s->value, 0);
        step->varies = true;
        break;
    case DO_INDEXED:
        touch(step, s->object, false, 0);
        touch(step, s->other + (uint32_t)(value[s->object] & 1), true, 0);
        step->varies = true;
        break;
    case DO_AWAIT:
        touch(step, s->object, false, 0);
        step->enabled = value[s->object] == s->value;
        step->waits_for = s->object;
        break;
    case DO_AWAIT_EITHER:
        touch(step, s->object, false, 0);
        touch(step, s->other, false, 0);
        step->enabled = value[s->object] == s->value || value[s->other] == s->next;
        step->waits_for = PORTOLAN_SEVERAL_OBJECTS;
        break;
    case DO_LOCK:
        touch(step, s->object, true, 0);
        step->enabled = value[s->object] == 0;
        step->waits_for = s->object;
        break;
    case DO_UNLOCK: touch(step, s->object, true, 0); break;
    }
    return true;
}

static void apply(const struct program *p, struct point *point, uint32_t a, uint32_t event)
{
    const struct program_step *s = &p->agent[a].step[point->place[a]];
    int32_t *object = &point->value[s->object];
    switch (s->kind) {
    case DO_WRITE: *object = s->value; break;
    case DO_ADD: *object += s->value; break;
    case DO_CAS:
        if (*object == s->value)
            *object = s->next;
        break;
    case DO_INDEXED: point->value[s->other + (uint32_t)(*object & 1)] = s->value; break;
    case DO_LOCK: *object = 1; break;
    case DO_UNLOCK: *object = 0; break;
    default: point->heard[a] = (uint8_t)*object; break;
    }
    point->last[a] = event + 1;
    point->follows[a] = point->joined[a] = false;
    point->place[a]++;
    settle(p, point);
}

/* ------------------------------------------------------------ the machine */

struct program_runner {
    struct machine machine;
    const struct program *program;
    size_t present; /* depth: whoever asks what an agent follows has asked for its step there before */
    struct point point[MACHINE_DEPTH];
};

static bool runner_next(struct machine *machine, size_t depth, uint32_t agent, struct portolan_step *step)
{
    struct program_runner *r = (struct program_runner *)machine;
    r->present = depth;
    return next_step(r->program, &r->point[depth], agent, r->point[depth].value, step);
}

static bool runner_next_as_if(struct machine *machine, size_t now, uint32_t agent, size_t earlier,
                              struct portolan_step *step)
{
    const struct program_runner *r = (const struct program_runner *)machine;
    return next_step(r->program, &r->point[now], agent, r->point[earlier].value, step);
}

static bool runner_next_after(struct machine *machine, size_t depth, const uint32_t *agents, size_t count,
                              uint32_t agent, struct portolan_step *step)
{
    const struct program_runner *r = (const struct program_runner *)machine;
    struct point point = r->point[depth];
    for (size_t i = 0; i < count; i++) {
        if (!next_step(r->program, &point, agents[i], point.value, step) || !step->enabled)
            return false;
        apply(r->program, &point, agents[i], (uint32_t)(depth + i));
    }
    return next_step(r->program, &point, agent, point.value, step);
}

static size_t runner_follows(struct machine *machine, uint32_t agent, uint32_t *events)
{
    const struct program_runner *r = (const struct program_runner *)machine;
    const struct point *top = &r->point[r->present];
    size_t count = 0;
    for (uint32_t i = 0; i < r->program->agents && top->follows[agent]; i++)
        if (top->follow[agent][i])
            events[count++] = top->follow[agent][i] - 1;
    return count;
}

static enum portolan_status runner_take(struct machine *machine, size_t depth, uint32_t agent,
                                        const struct portolan_step *step, struct portolan_error *error)
{
    struct program_runner *r = (struct program_runner *)machine;
    (void)step, (void)error;
    r->point[depth + 1] = r->point[depth];
    apply(r->program, &r->point[depth + 1], agent, (uint32_t)depth);
    return PORTOLAN_OK;
}

static enum machine_end runner_end(struct machine *machine, size_t depth)
{
    (void)machine, (void)depth;
    return MACHINE_DEADLOCKED;
}

static size_t runner_bytes(const struct machine *machine)
{
    (void)machine;
    return sizeof(struct program_runner);
}

static void runner_free(struct machine *machine)
{
    free(machine);
}

static const struct machine_class runner = {.next = runner_next,
                                            .next_as_if = runner_next_as_if,
                                            .next_after = runner_next_after,
                                            .follows = runner_follows,
                                            .take = runner_take,
                                            .end = runner_end,
                                            .bytes = runner_bytes,
                                            .free = runner_free};

struct machine *program_machine(const struct program *program)
{
    struct program_runner *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->machine = (struct machine){&runner, program->agents, program->objects, 2};
    r->program = program;
    point_begin(program, &r->point[0]);
    return &r->machine;
}

/* ------------------------------------------------------ the naive explorer */

struct taken {
    uint32_t agent, order, count;
    struct portolan_access access[2];
};

static bool takens_conflict(const struct taken *a, const struct taken *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++) {
            const struct portolan_access *x = &a->access[i], *y = &b->access[j];
            if (x->object == y->object && (x->writes || y->writes) && !(x->group && x->group == y->group))
                return true;
        }
    return false;
}

static bool take_next(const struct program *p, const struct point *point, uint32_t agent, struct taken *taken)
{
    struct portolan_step step = {.accesses = taken->access};
    if (!next_step(p, point, agent, point->value, &step) || !step.enabled)
        return false;
    taken->agent = agent;
    taken->count = step.access_count;
    return true;
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    a = (a ^ b * UINT64_C(0xff51afd7ed558ccd)) * UINT64_C(0x9e3779b97f4a7c15);
    return a ^ a >> 31;
}

/* Which steps there were, and the order of each two that depend on each other. */
static uint64_t trace_of(const struct taken *run, size_t count)
{
    uint64_t sum = 1;
    for (size_t j = 0; j < count; j++) {
        uint64_t own = mixed(run[j].agent + 1, run[j].order);
        for (uint32_t k = 0; k < run[j].count; k++)
            own = mixed(own, run[j].access[k].object * 2 + run[j].access[k].writes);
        sum += own;
        for (size_t i = 0; i < j; i++)
            if (takens_conflict(&run[i], &run[j]))
                sum += mixed(mixed(run[i].agent + 17, run[i].order), own);
    }
    return sum;
}

struct explorer {
    const struct program *program;
    bool sleeps;
    size_t points, most_points;
    struct trace_set *traces;
    struct taken run[MACHINE_DEPTH];
    uint32_t orders[MACHINE_AGENTS];
};

static bool explore(struct explorer *x, const struct point *point, size_t depth, const struct taken *sleepers,
                    size_t sleeper_count)
{
    struct taken asleep[2 * MACHINE_AGENTS], kept[2 * MACHINE_AGENTS];
    size_t asleep_count = sleeper_count;
    bool somebody = false;
    if (++x->points > x->most_points)
        return false;
    if (sleeper_count)
        memcpy(asleep, sleepers, sleeper_count * sizeof *asleep);
    for (uint32_t a = 0; a < x->program->agents; a++) {
        struct taken *taken = &x->run[depth];
        bool sleeping = false;
        if (!take_next(x->program, point, a, taken))
            continue;
        somebody = true;
        for (size_t i = 0; i < sleeper_count; i++)
            sleeping |= sleepers[i].agent == a;
        if (sleeping)
            continue;
        taken->order = ++x->orders[a];
        size_t count = 0;
        for (size_t i = 0; i < asleep_count; i++)
            if (!takens_conflict(&asleep[i], taken))
                kept[count++] = asleep[i];
        struct point next = *point;
        apply(x->program, &next, a, (uint32_t)depth);
        if (!explore(x, &next, depth + 1, kept, count))
            return false;
        x->orders[a]--;
        take_next(x->program, point, a, taken);
        if (x->sleeps)
            asleep[asleep_count++] = *taken;
    }
    return somebody || vector_push(x->traces, trace_of(x->run, depth));
}

bool program_traces(const struct program *p, bool sleeps, size_t most_points, struct trace_set *traces)
{
    struct explorer x = {.program = p, .sleeps = sleeps, .most_points = most_points, .traces = traces};
    struct point start;
    traces->count = 0;
    point_begin(p, &start);
    return explore(&x, &start, 0, NULL, 0);
}

uint64_t program_trace(const struct program *p, const uint32_t *agents, size_t count)
{
    struct taken run[MACHINE_DEPTH];
    uint32_t orders[MACHINE_AGENTS] = {0};
    struct point point;
    point_begin(p, &point);
    for (size_t i = 0; i < count; i++) {
        if (!take_next(p, &point, agents[i], &run[i]))
            return 0;
        run[i].order = ++orders[agents[i]];
        apply(p, &point, agents[i], (uint32_t)i);
    }
    struct taken more;
    for (uint32_t a = 0; a < p->agents; a++)
        if (take_next(p, &point, a, &more))
            return 0;
    return trace_of(run, count);
}

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

bool trace_set_sort(struct trace_set *traces)
{
    if (traces->count)
        qsort(traces->item, traces->count, sizeof *traces->item, by_number);
    for (size_t i = 1; i < traces->count; i++)
        if (traces->item[i] == traces->item[i - 1])
            return false;
    return true;
}
