/* SPDX-License-Identifier: Apache-2.0 */
/* Local partial-order reduction as a library: printed examples, and random systems against the definition. */
#include "support.h"

#include "portolan/lpor.h"
#include "reduce/lpor.h"

enum { MOST = 8 };

/* ------------------------------------------------------------ relations by hand */

struct by_hand { /* flags; those who ask make lists of them */
    bool can_enable[MOST][MOST], depends_on[MOST][MOST], needs[MOST][MOST], enablers[MOST][MOST], held[MOST];
    bool quorums_of[MOST][MOST], quorum[MOST][MOST];
    uint32_t least[MOST];
    struct portolan_lpor_relations relations;
    struct portolan_lpor *lpor;
};

static bool flag(void *user, uint32_t i, uint32_t j)
{
    return ((bool(*)[MOST])user)[i][j];
}

static bool is_held(const void *user, const void *state, uint32_t condition)
{
    (void)state;
    return ((const struct by_hand *)user)->held[condition];
}

static void lists_of(bool table[MOST][MOST], uint32_t from, uint32_t to, struct portolan_lists *lists)
{
    assert_int_equal(portolan_lists_new(from, to, flag, table, lists, NULL), PORTOLAN_OK);
}

static void prepare(struct by_hand *h, uint32_t transitions, uint32_t conditions, uint32_t quorums,
                    const struct portolan_lpor_options *options)
{
    struct portolan_lpor_relations *r = &h->relations;
    *r = PORTOLAN_LPOR_RELATIONS(.transitions = transitions, .conditions = conditions, .user = h, .holds = is_held,
                                 .quorums = quorums, .least = h->least);
    lists_of(h->can_enable, transitions, transitions, &r->can_enable);
    lists_of(h->depends_on, transitions, transitions, &r->depends_on);
    lists_of(h->needs, transitions, conditions, &r->needs);
    lists_of(h->enablers, conditions, transitions, &r->enablers);
    lists_of(h->quorums_of, transitions, quorums, &r->quorums_of);
    lists_of(h->quorum, quorums, conditions, &r->quorum);
    assert_int_equal(portolan_lpor_new(r, options, &h->lpor, NULL), PORTOLAN_OK);
}

static void clear(struct by_hand *h)
{
    struct portolan_lpor_relations *r = &h->relations;
    portolan_lpor_free(h->lpor);
    portolan_lists_clear(&r->can_enable);
    portolan_lists_clear(&r->depends_on);
    portolan_lists_clear(&r->needs);
    portolan_lists_clear(&r->enablers);
    portolan_lists_clear(&r->quorums_of);
    portolan_lists_clear(&r->quorum);
}

/* The set, as a mask of transitions. */
static uint32_t set_of(struct portolan_lpor *lpor, const void *state, uint32_t enabled, uint32_t initial)
{
    uint32_t list[MOST], count = 0, mask = 0;
    for (uint32_t t = 0; t < MOST; t++)
        if (enabled >> t & 1)
            list[count++] = t;
    count = portolan_lpor_set(lpor, state, list, count, initial, list);
    for (uint32_t i = 0; i < count; i++)
        mask |= 1U << list[i];
    return mask;
}

/* The document's figure 3, with its relations; t1 is 0. */
static void figure_3(struct by_hand *h, const struct portolan_lpor_options *options)
{
    memset(h, 0, sizeof *h);
    h->can_enable[2][1] = h->can_enable[3][2] = h->can_enable[4][2] = true;
    h->depends_on[0][1] = h->depends_on[1][0] = true;
    h->needs[2][3] = h->needs[2][4] = true; /* t4 and t5 are necessary for t3: condition t is "t was executed" */
    h->enablers[3][3] = h->enablers[4][4] = true;
    prepare(h, 5, 5, 0, options);
}

static void test_figure_3(void **state)
{
    struct by_hand h;
    (void)state;
    figure_3(&h, NULL);
    assert_int_equal(set_of(h.lpor, NULL, 031, 0), 011); /* {t1, t4} */
    assert_int_equal(set_of(h.lpor, NULL, 031, 3), 010); /* t4 depends on nobody */
    assert_true(portolan_lpor_leads_to(h.lpor, 3, 0));   /* t4, t3, t2, on which t1 depends */
    assert_false(portolan_lpor_leads_to(h.lpor, 0, 0));  /* t1 enables nobody */
    h.held[3] = true;                                    /* t4 was executed on the way here */
    assert_int_equal(set_of(h.lpor, NULL, 021, 0), 021); /* {t1, t5} */
    assert_int_equal(set_of(h.lpor, NULL, 0, PORTOLAN_LPOR_BEST), 0);
    clear(&h);
    for (int online = 0; online < 2; online++) {
        struct portolan_lpor_options plain = PORTOLAN_LPOR_OPTIONS(.plain = true, .online = online);
        figure_3(&h, &plain);
        assert_int_equal(set_of(h.lpor, NULL, 031, 0), 031); /* {t1, t4, t5} */
        assert_int_equal(set_of(h.lpor, NULL, 031, PORTOLAN_LPOR_BEST), 010);
        clear(&h);
    }
}

/* t depends on u, but u not on t: u alone will do, t brings u along. */
static void test_dependency_is_not_symmetric(void **state)
{
    struct by_hand h = {.depends_on[0][1] = true};
    (void)state;
    prepare(&h, 2, 0, 0, NULL);
    assert_int_equal(set_of(h.lpor, NULL, 03, 0), 03);
    assert_int_equal(set_of(h.lpor, NULL, 03, 1), 02);
    assert_int_equal(set_of(h.lpor, NULL, 03, PORTOLAN_LPOR_BEST), 02);
    clear(&h);
}

/* 0 depends on 1, which takes two of three messages that 2, 3 and 4 send.  To keep it from happening, one of the
 * missing messages may still be sent when none is there: as many join as are missing beyond that. */
static void test_quorum_is_no_conjunction(void **state)
{
    struct by_hand h = {.depends_on[0][1] = true, .quorums_of[1][0] = true, .least[0] = 2};
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        h.can_enable[2 + i][1] = h.quorum[0][i] = h.enablers[i][2 + i] = true;
    prepare(&h, 5, 3, 1, NULL);
    assert_int_equal(__builtin_popcount(set_of(h.lpor, NULL, 035, 0)), 3); /* two of the senders join */
    h.held[0] = true;
    assert_int_equal(set_of(h.lpor, NULL, 031, 0), 031); /* both that remain */
    clear(&h);
    h.least[0] = 3; /* a conjunction: one sender will do */
    h.held[0] = false;
    prepare(&h, 5, 3, 1, NULL);
    assert_int_equal(__builtin_popcount(set_of(h.lpor, NULL, 035, 0)), 2);
    clear(&h);
}

static void test_wrong_lists_are_refused(void **state)
{
    uint32_t offset[] = {0, 1, 1}, backwards[] = {0, 1, 0}, item[] = {2};
    struct portolan_error error;
    struct portolan_lpor *lpor = NULL;
    struct portolan_lpor_relations r =
        PORTOLAN_LPOR_RELATIONS(.transitions = 2, .depends_on = {offset, item}, .can_enable = {offset, item});
    (void)state;
    assert_int_equal(portolan_lpor_new(&r, NULL, &lpor, &error), PORTOLAN_BAD_INPUT);
    assert_non_null(strstr(error.message, "out of range"));
    item[0] = 1;
    r.can_enable.offset = NULL;
    assert_int_equal(portolan_lpor_new(&r, NULL, &lpor, &error), PORTOLAN_BAD_INPUT);
    assert_non_null(strstr(error.message, "can_enable is missing"));
    r.can_enable.offset = backwards;
    assert_int_equal(portolan_lpor_new(&r, NULL, &lpor, &error), PORTOLAN_BAD_INPUT);
    r.can_enable.offset = offset;
    r.conditions = 1;
    r.needs = r.depends_on;
    r.enablers = r.depends_on;
    item[0] = 0;
    assert_int_equal(portolan_lpor_new(&r, NULL, &lpor, &error), PORTOLAN_BAD_INPUT);
    assert_non_null(strstr(error.message, "no function 'holds'"));
    assert_null(lpor);
}

/* ------------------------------------------- random systems, against the definition */

enum { VARIABLES = 4, STATES = 1 << VARIABLES, CONDITIONS = 2 * VARIABLES, ROUNDS = 4000, LONGEST = 4 };

/* Transitions ask for literals, some for so many of several literals, and have one or two outcomes. */
struct random_system {
    struct by_hand h;
    uint32_t transitions;
    uint32_t next[MOST][STATES]; /* successors, a mask of states; 0: disabled */
    bool visible[MOST];
    bool complete; /* conditions say it all: no can_enable */
};

/* Condition 2 * v + 1 is "variable v is 1", 2 * v "it is 0". */
static bool literal(uint32_t state, uint32_t condition)
{
    return (state >> condition / 2 & 1) == (condition & 1);
}

static bool literal_holds(const void *user, const void *state, uint32_t condition)
{
    (void)user;
    return literal(*(const unsigned char *)state, condition);
}

static bool asks_are_met(const struct random_system *s, uint32_t t, uint32_t state)
{
    uint32_t there = 0;
    for (uint32_t c = 0; c < CONDITIONS; c++) {
        if (s->h.needs[t][c] && !literal(state, c))
            return false;
        there += s->h.quorum[t][c] && literal(state, c);
    }
    return !s->h.quorums_of[t][t] || there >= s->h.least[t];
}

static void make_transition(struct random_system *s, uint32_t t, uint64_t *seed)
{
    for (uint32_t v = 0; v < VARIABLES; v++) {
        if (random_below(seed, 3) == 0)
            s->h.needs[t][2 * v + random_below(seed, 2)] = true;
        s->h.quorum[t][2 * v + random_below(seed, 2)] = random_below(seed, 2);
    }
    s->h.quorums_of[t][t] = random_below(seed, 3) == 0;
    s->h.least[t] = 1 + random_below(seed, 2);
    for (uint32_t outcomes = 1 + random_below(seed, 2); outcomes; outcomes--) {
        uint32_t changed = random_below(seed, STATES) & random_below(seed, STATES), to = random_below(seed, STATES);
        for (uint32_t state = 0; state < STATES; state++)
            if (asks_are_met(s, t, state))
                s->next[t][state] |= 1U << ((state & ~changed) | (to & changed));
    }
}

static uint32_t image(const struct random_system *s, uint32_t t, uint32_t states)
{
    uint32_t all = 0;
    for (; states; states &= states - 1)
        all |= s->next[t][__builtin_ctz(states)];
    return all;
}

/* The relations by their definitions, over all states. */
static void relate(struct random_system *s, uint32_t t, uint32_t u)
{
    for (uint32_t state = 0; state < STATES; state++) {
        uint32_t after = s->next[t][state];
        for (uint32_t left = after; left; left &= left - 1) {
            uint32_t next = (uint32_t)__builtin_ctz(left);
            s->h.can_enable[t][u] |= !s->next[u][state] && s->next[u][next];
            s->h.depends_on[u][t] |= t != u && s->next[u][state] && !s->next[u][next];
        }
        s->h.depends_on[u][t] |=
            t != u && after && s->next[u][state] && (image(s, u, after) & ~image(s, t, s->next[u][state]));
    }
}

static void relate_condition(struct random_system *s, uint32_t t, uint32_t c)
{
    for (uint32_t state = 0; state < STATES; state++)
        for (uint32_t left = s->next[t][state]; left; left &= left - 1)
            s->h.enablers[c][t] |= !literal(state, c) && literal((uint32_t)__builtin_ctz(left), c);
}

static void make_random(struct random_system *s, uint64_t *seed)
{
    memset(s, 0, sizeof *s);
    s->transitions = 2 + random_below(seed, 5);
    s->complete = random_below(seed, 2);
    for (uint32_t t = 0; t < s->transitions; t++) {
        make_transition(s, t, seed);
        s->visible[t] = random_below(seed, 4) == 0;
    }
    for (uint32_t t = 0; t < s->transitions; t++) {
        for (uint32_t u = 0; u < s->transitions; u++)
            relate(s, t, u);
        for (uint32_t c = 0; c < CONDITIONS; c++)
            relate_condition(s, t, c);
    }
    for (uint32_t t = 0; !s->complete && t < s->transitions; t++)
        for (uint32_t c = 0; c < CONDITIONS; c++) /* not all that is asked for need be told */
            s->h.needs[t][c] &= random_below(seed, 4) > 0;
}

static void prepare_random(struct random_system *s, bool with_visible, const struct portolan_lpor_options *options)
{
    prepare(&s->h, s->transitions, CONDITIONS, s->transitions, NULL);
    portolan_lpor_free(s->h.lpor);
    struct portolan_lpor_relations r = s->h.relations;
    if (s->complete)
        r.can_enable = (struct portolan_lists){0};
    r.holds = literal_holds;
    r.visible = with_visible ? s->visible : NULL;
    assert_int_equal(portolan_lpor_new(&r, options, &s->h.lpor, NULL), PORTOLAN_OK);
}

static uint32_t enabled_in(const struct random_system *s, uint32_t state)
{
    uint32_t mask = 0;
    for (uint32_t t = 0; t < s->transitions; t++)
        mask |= (uint32_t)(s->next[t][state] != 0) << t;
    return mask;
}

/* D1 and D2 for member t, along every sequence from outside that goes on from `states`: there t stays enabled, and what
 * comes of it afterwards comes of it at once. */
static void assert_member(const struct random_system *s, uint32_t t, uint32_t set, uint32_t states, uint32_t with_t,
                          bool with_visible, int length)
{
    assert_int_equal(image(s, t, states) & ~with_t, 0);
    for (uint32_t left = states; left; left &= left - 1)
        assert_true(s->next[t][__builtin_ctz(left)] != 0);
    for (uint32_t u = 0; length < LONGEST && u < s->transitions; u++) {
        uint32_t after = set >> u & 1 ? 0 : image(s, u, states);
        if (!after)
            continue;
        assert_false(with_visible && s->visible[t] && s->visible[u]);
        assert_member(s, t, set, after, image(s, u, with_t), with_visible, length + 1);
    }
}

static void assert_stubborn(const struct random_system *s, uint32_t state, uint32_t set, bool with_visible)
{
    uint32_t enabled = enabled_in(s, state);
    assert_int_equal(set & ~enabled, 0);
    assert_true(set || !enabled);
    for (uint32_t t = 0; t < s->transitions; t++)
        if (set >> t & 1)
            assert_member(s, t, set, 1U << state, s->next[t][state], with_visible, 0);
}

/* Every state, every initial transition and the best one.  The best plain set contains the best one with NET, so that
 * NET never leaves more states; from the same initial transition it does when can_enable follows from the conditions.
 */
static void test_random_sets_are_stubborn(void **state)
{
    uint64_t seed = 20;
    uint32_t smaller = 0, single = 0;
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct random_system net, plain, online;
        bool with_visible = random_below(&seed, 2);
        make_random(&net, &seed);
        plain = online = net;
        prepare_random(&net, with_visible, NULL);
        prepare_random(&plain, with_visible, &PORTOLAN_LPOR_OPTIONS(.plain = true));
        prepare_random(&online, with_visible, &PORTOLAN_LPOR_OPTIONS(.online = true, .adaptive = round % 2));
        for (unsigned char now = 0; now < STATES; now++) {
            uint32_t enabled = enabled_in(&net, now);
            for (uint32_t t = 0; t <= net.transitions; t++) {
                uint32_t initial = t == net.transitions ? PORTOLAN_LPOR_BEST : t;
                if (initial != PORTOLAN_LPOR_BEST && !(enabled >> t & 1))
                    continue;
                uint32_t set = set_of(net.h.lpor, &now, enabled, initial);
                uint32_t larger = set_of(plain.h.lpor, &now, enabled, initial);
                assert_stubborn(&net, now, set, with_visible);
                assert_stubborn(&net, now, larger, with_visible);
                assert_int_equal(set_of(online.h.lpor, &now, enabled, initial), set);
                assert_true(initial == PORTOLAN_LPOR_BEST || (set >> t & 1));
                assert_true((initial != PORTOLAN_LPOR_BEST && !net.complete) || (set & ~larger) == 0);
                smaller += set != larger;
                single += __builtin_popcount(set) == 1 && __builtin_popcount(enabled) > 1;
            }
        }
        clear(&net.h);
        clear(&plain.h);
        clear(&online.h);
    }
    assert_true(smaller > 100 && single > 1000); /* the test tests something */
}

/* --------------------------------------------------------------- many transitions */

enum { PAIRS = 10000, MANY = 2 * PAIRS };

/* Transitions 2i and 2i + 1 exclude each other, and 2i can enable 2i + 2. */
static bool excludes(void *user, uint32_t t, uint32_t u)
{
    (void)user;
    return t / 2 == u / 2 && t != u;
}

static void list_many(struct portolan_lists *lists, bool (*related)(void *, uint32_t, uint32_t))
{
    lists->offset = calloc(MANY + 1, sizeof *lists->offset);
    lists->item = calloc(MANY + 1, sizeof *lists->item);
    assert_true(lists->offset && lists->item);
    for (uint32_t t = 0, count = 0; t < MANY; t++) {
        for (uint32_t u = t < 3 ? 0 : t - 3; u < t + 3 && u < MANY; u++)
            if (related(NULL, t, u))
                ((uint32_t *)lists->item)[count++] = u;
        ((uint32_t *)lists->offset)[t + 1] = count;
    }
}

static bool enables_next(void *user, uint32_t t, uint32_t u)
{
    (void)user;
    return t % 2 == 0 && u == t + 2;
}

/* More than 4,096, and their rows take no square of memory: each pair is decided where it is met, whatever comes
 * before it. */
static void test_many_transitions(void **state)
{
    struct portolan_lpor_relations r = {.transitions = MANY};
    struct portolan_lpor *lpor;
    uint32_t enabled[] = {0, 1, 9000, 9001, MANY - 2, MANY - 1}, out[6];
    (void)state;
    list_many(&r.depends_on, excludes);
    list_many(&r.can_enable, enables_next);
    assert_int_equal(portolan_lpor_new(&r, NULL, &lpor, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_lpor_set(lpor, NULL, enabled, 6, PORTOLAN_LPOR_BEST, out), 2);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 1);
    assert_int_equal(portolan_lpor_set(lpor, NULL, enabled, 6, 9001, out), 4); /* 0 leads to 9000 */
    assert_int_equal(out[2], 9000);
    assert_true(portolan_lpor_leads_to(lpor, 0, MANY - 1));
    assert_false(portolan_lpor_leads_to(lpor, 1, MANY - 1));
    assert_true(lpor_bytes(lpor) < MANY * 300);
    portolan_lpor_free(lpor);
    portolan_lists_clear(&r.depends_on);
    portolan_lists_clear(&r.can_enable);
}

/* ------------------------------------------------------------------ the check mode */

static uint32_t check_enabled(void *user, const void *state, uint32_t *out)
{
    const struct random_system *s = user;
    uint32_t count = 0;
    for (uint32_t t = 0; t < s->transitions; t++)
        if (s->next[t][*(const unsigned char *)state])
            out[count++] = t;
    return count;
}

static uint32_t check_successors(void *user, const void *state, uint32_t t)
{
    const struct random_system *s = user;
    return (uint32_t)__builtin_popcount(s->next[t][*(const unsigned char *)state]);
}

static void check_fire(void *user, const void *state, uint32_t t, uint32_t number, void *successor)
{
    const struct random_system *s = user;
    uint32_t left = s->next[t][*(const unsigned char *)state];
    for (; number; number--)
        left &= left - 1;
    *(unsigned char *)successor = (unsigned char)__builtin_ctz(left);
}

static bool check_everywhere(struct random_system *s, struct portolan_error *error)
{
    const struct portolan_lpor_steps steps = PORTOLAN_LPOR_STEPS(.state_bytes = 1, .user = s, .enabled = check_enabled,
                                                                 .successors = check_successors, .fire = check_fire);
    struct portolan_lpor_relations r = s->h.relations;
    r.holds = literal_holds;
    if (s->complete)
        r.can_enable = (struct portolan_lists){0};
    for (unsigned char state = 0; state < STATES; state++)
        if (portolan_lpor_check(&r, &steps, &state, error) != PORTOLAN_OK)
            return false;
    return true;
}

/* Takes away one pair of a table; false when it is empty. */
static bool forget_one(bool table[MOST][MOST], uint64_t *seed)
{
    uint32_t start = random_below(seed, MOST * MOST);
    for (uint32_t i = 0; i < MOST * MOST; i++) {
        bool *pair = &table[(start + i) % (MOST * MOST) / MOST][(start + i) % MOST];
        if (*pair) {
            *pair = false;
            return true;
        }
    }
    return false;
}

static void test_check_finds_what_is_missing(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct random_system right, wrong;
        struct portolan_error error = {0};
        make_random(&right, &seed);
        prepare_random(&right, false, NULL);
        assert_true(check_everywhere(&right, &error));
        wrong = right;
        bool(*table)[MOST] = round % 3 == 0   ? wrong.h.depends_on
                             : round % 3 == 1 ? wrong.h.enablers
                                              : wrong.h.can_enable;
        const char *word = round % 3 == 0 ? "to depend on" : round % 3 == 1 ? "among its enablers" : "to enable";
        if ((table != wrong.h.can_enable || !wrong.complete) && forget_one(table, &seed)) {
            prepare_random(&wrong, false, NULL);
            assert_false(check_everywhere(&wrong, &error));
            assert_non_null(strstr(error.message, word));
            assert_non_null(strstr(error.message, "in state 0"));
            clear(&wrong.h);
        }
        clear(&right.h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_3),
        cmocka_unit_test(test_dependency_is_not_symmetric),
        cmocka_unit_test(test_quorum_is_no_conjunction),
        cmocka_unit_test(test_wrong_lists_are_refused),
        cmocka_unit_test(test_random_sets_are_stubborn),
        cmocka_unit_test(test_many_transitions),
        cmocka_unit_test(test_check_finds_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
