/* SPDX-License-Identifier: Apache-2.0 */
/* What each construct of thread programs means: small programs, explored fully. */
#include "base/lists.h"
#include "threads_support.h"

static void each_access_is_a_step(void **unused)
{
    (void)unused;
    assert_ends("int x; thread t(i) * 2 { x++; }", "x", "1; 2");
    assert_ends("int x; thread t(i) * 2 { x = x + 1; }", "x", "1; 2");
    assert_ends("int x; thread t(i) * 2 { atomic { x++; } }", "x", "2");
    assert_ends("int x; thread t(i) * 2 { fetch_add(x, 1); }", "x", "2");
    /* two reads are two steps: the other thread comes between */
    assert_ends("int x, y; thread a { y = x + x; } thread b { x = 1; }", "y", "0; 1; 2");
    assert_ends("int x, y; thread a { atomic { y = x + x; } } thread b { x = 1; }", "y", "0; 2");
    /* local variables are no step */
    struct portolan_system *system = opened("int x; thread a { int i = 3; i = i * 2; x = i; int k = 1; k++; }");
    struct state_set set = all_states(system);
    assert_int_equal(set.count, 2);
    assert_int_equal(system->actions, 1);
    state_set_clear(&set);
    portolan_system_free(system);
}

static void expressions(void **unused)
{
    (void)unused;
    assert_ends("int x; thread t { x = 2 + 3 * 4 - 10 / 3 % 2; }", "x", "13");
    assert_ends("int x; thread t { x = (1 << 4 | 3) ^ 2 & ~0; }", "x", "17");
    assert_ends("int x; thread t { int i = 7; x = i > 6 && i != 8 ? -i : !i; }", "x", "-7");
    assert_ends("int x; thread t { int i = -7; x = i / 2 * 100 + i % 2; }", "x", "-301");
    assert_ends("int x; thread t { int i = 5; x = (i >= 5) + (i <= 4) + (i == 5 || i == 0) * 10; }", "x", "11");
    assert_ends("bool b; int x; thread t { b = 7; x = b; }", "x", "1");
    assert_ends("int x = 5; int a[3] = {7, 8}; thread t { x = a[1] * 10 + a[2]; }", "x", "80");
    assert_ends("const N = 2 * 3; int x; thread t { int a[N]; for (i in 0..N-1) a[i] = i; x = a[N-1]; }", "x", "5");
}

static void short_circuit(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened("int x, y, z; thread t { if (x == 1 && y == 1) z = 1; }");
    struct state_set set = all_states(system);
    assert_int_equal(set.count, 2); /* y is never read */
    state_set_clear(&set);
    portolan_system_free(system);
    assert_ends("int x, z; int a[2]; thread t(i in 0..1) { if (i > 0 && a[i - 1] == 0) z = 1; }", "z", "1");
    assert_ends("const N = 1; int x = 5, y; thread t { x = N == 0 && true; y = N == 1 || x == 7; }", "x y", "0 1");
    assert_ends("const N = 1; int x, a[1]; thread t { x = N > 1 && a[N - 2] == 0 ? a[N] : 3; }", "x", "3");
    assert_ends("int x, z; thread t { z = x == 0 || 1 / x == 1; }", "z failed", "1 0");
}

static void run_time_failures(void **unused)
{
    (void)unused;
    assert_ends("int x, y; thread t { y = 1; x = 1 / x; y = 2; }", "y failed", "1 1 failed");
    assert_ends("int x = 2147483647; thread t { x = x + 1; }", "x", "2147483647 failed");
    assert_ends("int x = 2147483647; thread t { fetch_add(x, 1); }", "x", "2147483647 failed");
    assert_ends("int x = 2; int a[2]; thread t { a[x] = 1; }", "a[0] a[1]", "0 0 failed");
    assert_ends("int x; thread t { int i = 0 - x - 1; int a[2]; a[i] = 1; x = 1; }", "x", "0 failed");
    assert_ends("lock m; thread t { unlock(m); }", "m", "0 failed");
    assert_ends("lock m; cond c; thread t { wait(c, m); }", "m c", "0 0 failed");
    assert_ends("int x; thread t { join(x); }", "x", "0 failed");
    assert_ends("int x; thread t { x = 1; int i; while (true) i = 1 - i; }", "x", "1 failed");
    assert_ends("int x; thread t { atomic { while (x == 0) x = 0; } }", "x", "0 failed");
    /* the others go on */
    assert_ends("int x; thread a { assert(x == 1); } thread b { x = 1; x = 2; }", "x", "2; 2 failed");
}

/* What cannot fail states nothing: its steps stay invisible to reductions. */
static void stated_properties(void **unused)
{
    (void)unused;
    static const struct {
        const char *program;
        size_t stated;
    } cases[] = {{"int x; thread t { while (x == 0) { } for (i in 1..3) x = i; }", 0},
                 {"int x; thread t { int i; while (i < 3) i = 3; x = 1; }", 1},
                 {"int x; thread t { x = x + 1; }", 1},
                 {"int x; thread t { x = x / 2 % 3; }", 0},
                 {"int a[2]; thread t(i) * 2 { a[i] = 1; }", 0},
                 {"int a[2], x; thread t { a[x] = 1; }", 1},
                 {"thread t { assert(true); }", 0},
                 {"thread t { assert(1 + 1 == 3); }", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_system *system = opened(cases[i].program);
        assert_int_equal(system->stated_count, cases[i].stated);
        portolan_system_free(system);
    }
}

static void control_flow(void **unused)
{
    (void)unused;
    assert_ends("int x; thread t { for (int i = 0; i < 10; i++) { if (i % 2) continue; if (i > 6) break; x += i; } }",
                "x", "12");
    assert_ends("int x; thread t { for (i in 1..4) { if (i == 2) continue; x += i; } }", "x", "8");
    assert_ends("int x; thread t { for (i in 3..1) x = 1; }", "x", "0");
    assert_ends("int x; thread t { int i = 5; while (i > 0) { i--; if (i == 2) return; x++; } }", "x", "2");
    assert_ends("int x; thread t { if (x == 0) x = 1; else x = 2; if (x == 0) x = 3; else if (x == 1) x = 4; }", "x",
                "4");
    assert_ends("int x, y; thread a { while (x == 0) { } y = 1; } thread b { x = 1; }", "y", "1");
}

static void functions(void **unused)
{
    (void)unused;
    assert_ends("int x; int twice(int n) { return 2 * n; } thread t { x = twice(twice(3)) + twice(1); }", "x", "14");
    assert_ends("int x; int least(a, b) { if (a < b) return a; return b; } thread t { x = least(4, least(9, 3)); }",
                "x", "3");
    assert_ends("int x; void add(n) { x += n; } thread t { add(2); add(3); }", "x", "5");
    assert_ends("int x; bool odd(n) { return n & 1 ? 5 : 0; } thread t { x = odd(3) + odd(2); }", "x", "1");
    assert_ends(
        "int x; int f() { int i = 0; while (true) { i++; if (i == 3) return i; } return 0; } thread t { x = f(); }",
        "x", "3");
    /* the body's reads are steps too */
    assert_ends("int x, y; int get() { return x; } thread a { y = get() + get(); } thread b { x = 1; }", "y",
                "0; 1; 2");
}

static void compare_and_swap(void **unused)
{
    (void)unused;
    assert_ends("int x, y, z; thread a { y = cas(x, 0, 1); } thread b { z = cas(x, 0, 2); }", "x y z", "1 1 0; 2 0 1");
    assert_ends("int x; int a[2]; thread t(i) * 2 { while (!cas(a[x], 0, i + 1)) x = 1; }", "a[0] a[1]", "1 2; 2 1");
}

static void locks(void **unused)
{
    (void)unused;
    assert_ends("int x; lock m; thread t(i) * 3 { lock(m); x++; unlock(m); }", "x m", "3 0");
    assert_ends("lock m, n; int x; thread a { lock(m); lock(n); x++; unlock(n); unlock(m); }"
                "thread b { lock(n); lock(m); x++; unlock(m); unlock(n); }",
                "x", "0 deadlock; 2");
    assert_ends("lock m; int x; thread a { lock(m); lock(m); x = 1; }", "x", "0 deadlock");
    assert_ends("lock m; int x, y; thread a { if (trylock(m)) x = 1; } thread b { y = trylock(m); }", "x y",
                "0 1; 1 0");
    assert_ends(
        "lock f[2]; int x; thread t(i) * 2 { lock(f[i]); lock(f[1 - i]); x++; unlock(f[i]); unlock(f[1 - i]); }", "x",
        "0 deadlock; 2");
    assert_ends(
        "lock m; int x; thread a { atomic { lock(m); x = 1; unlock(m); } } thread b { lock(m); x = 2; unlock(m); }",
        "x", "1; 2");
}

static void waiting(void **unused)
{
    (void)unused;
    assert_ends("int x, y; thread a { await(x == 1); y = 1; } thread b { x = 1; }", "y", "1");
    assert_ends("int x, y; thread a { await(x == 2); y = 1; } thread b { x = 1; }", "y", "0 deadlock");
    assert_ends("int x, y, z; thread a { await(x == 1 && y == 1 || x == 5); z = 1; } thread b { x = 1; y = 1; }", "z",
                "1");
    /* an await that was true may become false before its step */
    assert_ends("int x, y; thread a { await(x == 1); y = 1; } thread b { x = 1; x = 0; }", "y", "0 deadlock; 1");
    assert_ends("int x; thread t(i) * 2 { atomic { await(x == 0); x = 1; } assert(x == 1); x = 0; }", "x", "0");
    /* a wait in the middle of an atomic takes back what came before it */
    assert_ends("int x, y; thread a { atomic { y = 1; await(x == 1); } } thread b { x = 2; }", "x y", "2 0 deadlock");
}

static void condition_variables(void **unused)
{
    (void)unused;
    static const char *const waiters = "lock m; cond c; int woken; bool go;"
                                       "thread w(i) * 2 { lock(m); wait(c, m); woken++; unlock(m); }";
    char text[400];
    /* a signal before anybody waits is lost; otherwise it wakes exactly one */
    snprintf(text, sizeof text, "%s thread s { signal(c); }", waiters);
    assert_ends(text, "woken c", "0 2 deadlock; 1 1 deadlock");
    snprintf(text, sizeof text, "%s thread s { signal(c); signal(c); }", waiters);
    assert_ends(text, "woken c", "0 2 deadlock; 1 1 deadlock; 2 0");
    snprintf(text, sizeof text, "%s thread s { broadcast(c); }", waiters);
    assert_ends(text, "woken c", "0 2 deadlock; 1 1 deadlock; 2 0");
    /* a second signal for one waiter is lost, and does not count against a later broadcast */
    assert_ends("lock m; cond c; int n, woken; bool tried;"
                "thread w(i) * 2 { lock(m); n++; wait(c, m); woken++; unlock(m); }"
                "thread s { lock(m); tried = n == 1; if (tried) { signal(c); signal(c); } unlock(m);"
                "if (tried) { await(n == 2); lock(m); broadcast(c); unlock(m); } }",
                "tried woken", "0 0 deadlock; 1 2");
    /* whoever wakes has the lock again */
    assert_ends("lock m; cond c; int x; thread a { lock(m); while (x == 0) wait(c, m); x = 2; unlock(m); }"
                "thread b { lock(m); x = 1; signal(c); unlock(m); }",
                "x m c", "2 0 0");
    /* either of two waiters may be the one */
    assert_ends("lock m; cond c; int who, n; thread w(i in 1..2) { lock(m); n++; wait(c, m); who = i; unlock(m); }"
                "thread s { lock(m); if (n == 2) signal(c); unlock(m); }",
                "who", "0 deadlock; 1 deadlock; 2 deadlock");
}

/* A signal must not be taken by somebody who began to wait after it. */
static void signals_are_for_those_who_wait(void **unused)
{
    (void)unused;
    assert_ends("lock m; cond c; int first, second;"
                "thread early { lock(m); first = 1; wait(c, m); first = 2; unlock(m); }"
                "thread late { lock(m); if (first == 1) { signal(c); wait(c, m); second = 1; } unlock(m); }",
                "first second", "1 0 deadlock; 2 0 deadlock");
}

static void spawn_and_join(void **unused)
{
    (void)unused;
    assert_ends(
        "int x; thread child(n) { x += n; } thread main { int a = spawn child(1); join(a); int b = spawn child(2);"
        "join(b); assert(x == 3); }",
        "x", "3");
    assert_ends("int x; thread child(n) { x += n; } thread main { int a = spawn child(1); int b = spawn child(2);"
                "join(a); join(b); }",
                "x", "1; 2; 3");
    assert_ends(
        "int x; thread child(n, k) { fetch_add(x, n * k); } thread main { for (i in 1..3) spawn child(i, 10); }", "x",
        "60");
    assert_ends("int x; thread leaf() { x = 1; } thread inner() { spawn leaf(); } thread main { spawn inner(); }", "x",
                "1");
    /* a child that is not started does nothing, and does not keep the program from ending */
    assert_ends("int x, y; thread child() { y = 1; } thread main { if (x == 1) spawn child(); }", "y", "0");
}

/* In a loop of unknown length 16 threads are foreseen; the 17th is a failure of whoever starts it. */
static void spawn_in_a_loop(void **unused)
{
    (void)unused;
    struct portolan_system *system =
        opened("int y; thread child() { skip; } thread main { while (y < 17) { spawn child(); y++; } }");
    unsigned char state[system->state_bytes], next[system->state_bytes];
    struct portolan_access accesses[8];
    struct portolan_step step = {.accesses = accesses};
    assert_int_equal(system->footprint->agents, 17);
    system->initial(system->model, state);
    while (system->footprint->next(system->model, state, 0, &step)) {
        system->fire(system->model, state, step.action, next);
        memcpy(state, next, sizeof state);
    }
    assert_int_equal(value_of(system, state, "y"), 16);
    assert_int_equal(value_of(system, state, "failed"), 1);
    portolan_system_free(system);
}

static void locations_and_locals_have_names(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened("int x;\nthread t(i) * 2 {\n  int k = 4;\n  x = k;\n  x = 2;\n}\n");
    unsigned char state[system->state_bytes];
    system->initial(system->model, state);
    assert_int_equal(value_of(system, state, "t[1].k"), 4);
    assert_int_equal(value_of(system, state, "t[1]@4"), 1);
    assert_int_equal(value_of(system, state, "t[1]@5"), 0);
    assert_string_equal(system->action_name(system->model, 0), "t[0]:4 x = k");
    uint32_t action;
    assert_true(system->find_action(system->model, "t[1]:5 x = 2", &action));
    assert_int_equal(action, 3);
    for (uint32_t v = 0; v < system->variables; v++)
        assert_null(strchr(system->variable_name(system->model, v), '@'));
    portolan_system_free(system);
}

/* States in which every variable and every location is the same are the same. */
/* A local variable that lives in no state is no cell: nothing behind the last cell is taken for its writers. */
static void a_local_that_lives_nowhere_has_no_changers(void **unused)
{
    (void)unused;
    struct portolan_system *system =
        opened("int x; thread a { x = 1; } thread b { int p[9]; bool first = -1; x = 2; bool last = x; }");
    for (uint32_t v = 0; v < system->variables + system->unlisted; v++) {
        for_list (action, system->changers, v)
            assert_in_range(*action, 0, system->actions - 1);
        if (strcmp(system->variable_name(system->model, v), "b.last") == 0)
            assert_int_equal(system->changers.offset[v], system->changers.offset[v + 1]);
    }
    portolan_system_free(system);
}

static void what_is_dead_does_not_tell_states_apart(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened("int x; thread a { { int i = x; i++; } x = 5; } thread b { x = 1; }");
    struct state_set set = all_states(system);
    /* a at its read, at its write, ended; b before or after; x 0, 1, 5 */
    assert_int_equal(set.count, 7);
    state_set_clear(&set);
    portolan_system_free(system);
}

/* Nor does what a thread had read when it failed, apart from its variables. */
static void a_failure_keeps_variables_only(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened("int x, y; thread a { assert(y > x + 9); } thread b { x = 1; x = 0; }");
    struct state_set set = all_states(system);
    /* b at three places; a at its read of y, at that of x, failed */
    assert_int_equal(set.count, 9);
    state_set_clear(&set);
    portolan_system_free(system);
    system = opened("int x; thread a { for (int i = 3; 6 / x > i; i++) skip; }");
    set = all_states(system);
    assert_int_equal(set.count, 2);
    assert_int_equal(value_of(system, state_at(&set, 1), "failed"), 1);
    assert_int_equal(value_of(system, state_at(&set, 1), "a.i"), 3);
    state_set_clear(&set);
    portolan_system_free(system);
}

static void step_is(const struct portolan_system *system, const void *state, uint32_t agent, const char *expected)
{
    struct portolan_access accesses[16];
    struct portolan_step step = {.accesses = accesses};
    char text[300], *out = text;
    assert_true(system->footprint->next(system->model, state, agent, &step));
    for (uint32_t i = 0; i < step.access_count; i++) {
        char name[64];
        system->footprint->object_name(system->model, accesses[i].object, name, sizeof name);
        out += sprintf(out, "%s%s %s%s", i ? ", " : "", accesses[i].writes ? "w" : "r", name,
                       accesses[i].synchronises ? "!" : "");
    }
    if (step.waits_for == PORTOLAN_SEVERAL_OBJECTS)
        out += sprintf(out, "; waits for several");
    else if (step.waits_for != PORTOLAN_NO_OBJECT) {
        char name[64];
        system->footprint->object_name(system->model, step.waits_for, name, sizeof name);
        out += sprintf(out, "; waits for %s", name);
    }
    sprintf(out, "%s", step.enabled ? "" : " (not now)");
    assert_string_equal(text, expected);
}

/* The first step of the only thread. */
static void first_step_is(const char *program, const char *expected)
{
    struct portolan_system *system = opened(program);
    unsigned char state[system->state_bytes];
    system->initial(system->model, state);
    step_is(system, state, 0, expected);
    portolan_system_free(system);
}

static void footprints(void **unused)
{
    (void)unused;
    first_step_is("int x; thread t { x = 1; }", "w x");
    first_step_is("int x; thread t { x; }", "r x");
    first_step_is("atomic int x; thread t { x = 1; }", "w x!");
    first_step_is("int x; thread t { cas(x, 0, 1); }", "w x!");
    first_step_is("int x; thread t { cas(x, 1, 1); }", "r x!");
    first_step_is("int x; thread t { fetch_add(x, 1); }", "w x!");
    first_step_is("int a[3]; thread t { int i = 2; a[i] = 1; }", "w a[2]");
    first_step_is("lock m; thread t { lock(m); }", "w m!; waits for m");
    first_step_is("lock m; thread t { trylock(m); }", "w m!");
    first_step_is("lock m; thread t { unlock(m); }", "r m!");
    first_step_is("cond c; thread t { signal(c); }", "r c!");
    first_step_is("int x; thread t { await(x == 1); }", "r x!; waits for x (not now)");
    first_step_is("int x; thread t { await(x == 1 || x == 0); }", "r x!; waits for x");
    first_step_is("int x, y; thread t { await(x == 0 || y == 0); }", "r x!, r y!; waits for several");
    first_step_is("int a[2]; thread t { int i = 1; await(a[i] == 0); }", "r a[1]!; waits for a[1]");
    first_step_is("int x, y; thread t { atomic { y = x; x = 2; } }", "w x!, w y!");
    first_step_is("int x, y; thread t { atomic { await(x == 0); y = 1; } }", "r x!, w y!; waits for x");
    first_step_is("int x, y; thread t { atomic { y = 1; await(x == 0); } }", "w y!, r x!; waits for several");
    first_step_is("int x; lock m; thread t { atomic { lock(m); x = 1; } }", "w m!, w x!; waits for m");
    first_step_is("thread c() { } thread t { int h = spawn c(); join(h); }", "w c[0]!");
    first_step_is("<\"y\" 1, x 1, y 2> [ y[x] := x ]", "r x, w y[0]");
    first_step_is("<\"y\" 1, x 1> [ x := x + 1 ]", "w x");
}

static void footprints_later(void **unused)
{
    (void)unused;
    struct portolan_system *system =
        opened("lock m; cond c; thread w { lock(m); wait(c, m); } thread c1() { } thread s { int h = spawn c1();"
               "signal(c); join(h); }");
    unsigned char state[system->state_bytes], next[system->state_bytes], before[system->state_bytes],
        unborn[system->state_bytes];
    struct portolan_access accesses[8];
    struct portolan_step step = {.accesses = accesses};
    const struct portolan_footprint *f = system->footprint;
    system->initial(system->model, state);
    assert_false(f->next(system->model, state, 2, &step)); /* not born */
    memcpy(unborn, state, sizeof state);
    static const uint32_t order[] = {0, 0, 1, 1}; /* lock, wait, spawn, signal */
    static const char *const before_step[] = {"w m!; waits for m", "w m!, w c!", "w c1[0]!", "w c!"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (i == 2)
            step_is(system, state, 0, "w c!; waits for c (not now)");
        step_is(system, state, order[i], before_step[i]);
        assert_true(f->next(system->model, state, order[i], &step));
        memcpy(before, state, sizeof state);
        system->fire(system->model, state, step.action, next);
        memcpy(state, next, sizeof state);
    }
    step_is(system, state, 0, "w c!; waits for c");
    assert_true(f->next_as_if(system->model, state, 0, before, &step) && !step.enabled);
    assert_true(f->next_as_if(system->model, before, 0, state, &step) && step.enabled);
    step_is(system, state, 2, "r c1[0]!; waits for c1[0]");
    assert_false(f->next_as_if(system->model, state, 2, unborn, &step));
    assert_true(f->next_as_if(system->model, state, 2, before, &step) && step.enabled);
    step_is(system, state, 1, "r c1[0]!; waits for c1[0] (not now)");
    portolan_system_free(system);
}

static void steps_have_words(void **unused)
{
    (void)unused;
    static const struct {
        const char *program, *text;
    } cases[] = {{"int x = 3; thread t { x; }", "read x = 3"},
                 {"int a[2]; thread t { a[1] = 7; }", "a[1] = 7"},
                 {"int x = 3; thread t { cas(x, 3, 4); }", "cas(x, 3, 4) (true: it is 3)"},
                 {"int x = 3; thread t { await(x == 4); }", "await(x == 4) (waits)"},
                 {"lock m; thread t { lock(m); }", "lock(m)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_system *system = opened(cases[i].program);
        unsigned char state[system->state_bytes];
        char text[100];
        system->initial(system->model, state);
        system->footprint->step_text(system->model, state, 0, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        portolan_system_free(system);
    }
}

/* ----------------------------------------------------------- as printed */

static void printed_programs(void **unused)
{
    (void)unused;
    assert_ends("<2, x 1 5, y 1> [ x := x + 1 ] [ y := x * 2 ]", "x y", "6 10; 6 12");
    assert_ends("<1, x 1> [ x := 2 + 3 * 4 ]", "x", "20"); /* one precedence, from the left */
    assert_ends("<1, x 1> [ x := 2 + (3 * 4) ]", "x", "14");
    assert_ends("<1, x 1, local i 1 3, const n 1 2,> [ while i > 0 { x := x + n i := i - 1 } ]", "x", "6");
    assert_ends("<\"a-b\" 1, a-b 1> [ if a-b == 0 then { a-b := 1 } else { a-b := 2 } ]", "a-b", "1");
    assert_ends("<2, x 1, y 2> [ cas(x, 0, 1) ] [ cas(x, 0, 2) ]", "x", "1; 2");
    assert_ends("<3, x 3> <{3 [ x[$] := $ + 1 ] }>", "x[0] x[1] x[2]", "1 2 3");
    assert_ends("<1, x 2> [ x[0] := 1 x[x[0] + 1] := 7 ]", "x[0] x[1]", "1 0 failed");
}

static void known_numbers_of_traces(void **unused)
{
    (void)unused;
    static const struct {
        const char *program;
        size_t traces;
    } cases[] = {{"<3, x 1, y 2> [ x := 1 ] [ y[x] := 1 ] [ y[0] := 2 ]", 3},
                 {"<2, x 1, y 1> [ x := 1 y := 1 ] [ x := 2 y := 2 ]", 4},
                 {"<2, x 1> [ x := 1 ] [ if x == 0 if x == 0 ]", 3},
                 {"<4, x 1, l 3> [x := 42] <{3 [ if l[$] == 0 if x == 0 ] }>", 8},
                 {"<6, x 1, l 5> [x := 42] <{5 [ if l[$] == 0 if x == 0 ] }>", 32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_system *system = opened(cases[i].program);
        assert_int_equal(count_traces(system), cases[i].traces);
        portolan_system_free(system);
    }
}

/* Appendix B: indexer-small has 2^(n - 2) traces; of indexer, thread 11 collides with thread 0 three times. */
static void indexer(void **unused)
{
    (void)unused;
    static const size_t small[] = {1, 1, 2, 4, 8};
    for (size_t n = 1; n <= 5; n++) {
        char text[300];
        snprintf(text, sizeof text,
                 "<%zu, table 128, const size 1 128, const max 1 2, local m 1, local w 1, local h 1>"
                 "<{%zu [ indexer(max=max, size=size, m=m, w=w, h=h, target=table[h], nprocs=2) ] }>",
                 n, n);
        struct portolan_system *system = opened(text);
        assert_int_equal(count_traces(system), small[n - 1]);
        portolan_system_free(system);
    }
    struct portolan_system *system =
        opened("int table[128]; thread t(k) * 2 { for (m in 1..4) { int w = m * 11 + k * 11;"
               "int h = w * 7 % 128; while (!cas(table[h], 0, w)) h = (h + 1) % 128; } }");
    assert_int_equal(count_traces(system), 8);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_access_is_a_step),
                                       cmocka_unit_test(expressions),
                                       cmocka_unit_test(short_circuit),
                                       cmocka_unit_test(run_time_failures),
                                       cmocka_unit_test(stated_properties),
                                       cmocka_unit_test(control_flow),
                                       cmocka_unit_test(functions),
                                       cmocka_unit_test(compare_and_swap),
                                       cmocka_unit_test(locks),
                                       cmocka_unit_test(waiting),
                                       cmocka_unit_test(condition_variables),
                                       cmocka_unit_test(signals_are_for_those_who_wait),
                                       cmocka_unit_test(spawn_and_join),
                                       cmocka_unit_test(spawn_in_a_loop),
                                       cmocka_unit_test(locations_and_locals_have_names),
                                       cmocka_unit_test(a_local_that_lives_nowhere_has_no_changers),
                                       cmocka_unit_test(what_is_dead_does_not_tell_states_apart),
                                       cmocka_unit_test(a_failure_keeps_variables_only),
                                       cmocka_unit_test(footprints),
                                       cmocka_unit_test(footprints_later),
                                       cmocka_unit_test(steps_have_words),
                                       cmocka_unit_test(printed_programs),
                                       cmocka_unit_test(known_numbers_of_traces),
                                       cmocka_unit_test(indexer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
