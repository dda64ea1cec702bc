/* SPDX-License-Identifier: Apache-2.0 */
/* Entity systems: the reader and its errors, what actions do, what is said of them. */
#include "support.h"

#include "base/lists.h"
#include "front/entities/entities.h"

static struct entity_system *read_text(const char *text)
{
    struct entity_system *system;
    struct portolan_error error = {0};
    if (entities_read_memory("test.ent", text, strlen(text), &system, &error) != PORTOLAN_OK)
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    return system;
}

static struct portolan_system *system_of_text(const char *text)
{
    struct portolan_system *system = NULL;
    assert_int_equal(entities_system_new(read_text(text), "some/where/test.ent", &system, NULL), PORTOLAN_OK);
    return system;
}

/* The names in a list, each with a blank behind. */
static const char *listed(const struct entity_system *s, const struct portolan_lists *lists, uint32_t action)
{
    static char names[256];
    names[0] = '\0';
    for_list (entity, *lists, action) {
        strcat(names, names_get(&s->entities, *entity));
        strcat(names, " ");
    }
    return names;
}

static void assert_lists(const struct entity_system *s, uint32_t action, const char *reads, const char *forbids,
                         const char *deletes, const char *creates)
{
    assert_string_equal(listed(s, &s->reads, action), reads);
    assert_string_equal(listed(s, &s->forbids, action), forbids);
    assert_string_equal(listed(s, &s->deletes, action), deletes);
    assert_string_equal(listed(s, &s->creates, action), creates);
}

/* ------------------------------------------------------------------ reading */

static void test_a_whole_system(void **state)
{
    (void)state;
    struct entity_system *s = read_text("# a comment\nentities a b c d // another\nentities e /* and\none */\n"
                                        "initial a b\ninitial e\n"
                                        "action move: reads a, deletes e b, creates c, forbids d\n"
                                        "action idle:\n");
    assert_int_equal(names_count(&s->entities), 5);
    assert_int_equal(names_count(&s->actions), 2);
    assert_string_equal(names_get(&s->entities, 4), "e");
    assert_string_equal(names_get(&s->actions, 1), "idle");
    assert_int_equal(s->initial[0], 1 | 2 | 16);
    assert_lists(s, 0, "a ", "d ", "b e ", "c ");
    assert_lists(s, 1, "", "", "", "");
    entity_system_free(s);
}

static void test_lines(void **state)
{
    (void)state;
    struct entity_system *s = read_text("action move:\r\n  deletes a\r\n  deletes b,\r\n  creates c\r\n\r\n"
                                        "# between\r\n  forbids d\r\ninitial a b\r\naction back: deletes c, creates a");
    assert_lists(s, 0, "", "d ", "a b ", "c ");
    assert_lists(s, 1, "", "", "c ", "a ");
    assert_int_equal(s->initial[0], 1 | 2);
    entity_system_free(s);
}

/* Keywords count only where a keyword can stand. */
static void test_names(void **state)
{
    (void)state;
    struct entity_system *s = read_text("initial reads action \"x > 0\" 'it''s' p.1 _\n"
                                        "action creates: reads reads action, deletes \"x > 0\"\n"
                                        "action \"\\\"quoted\\\" \xc3\xa9\": reads p.1\n");
    assert_lists(s, 0, "reads action ", "", "x > 0 ", "");
    assert_string_equal(names_get(&s->actions, 0), "creates");
    assert_string_equal(names_get(&s->actions, 1), "\"quoted\" \xc3\xa9");
    assert_string_equal(names_get(&s->entities, 3), "it");
    entity_system_free(s);
}

/* Deleting needs presence and creating absence, said or not; deleted and created again is read. */
static void test_one_role_each(void **state)
{
    (void)state;
    struct entity_system *s = read_text("initial a b\n"
                                        "action x: reads a, deletes a, forbids c, creates c\n"
                                        "action y: deletes a b, creates b\n"
                                        "action z: creates b, deletes b\n");
    assert_lists(s, 0, "", "", "a ", "c ");
    assert_lists(s, 1, "b ", "", "a ", "");
    assert_lists(s, 2, "b ", "", "", "");
    entity_system_free(s);
}

struct refused {
    const char *text;
    unsigned line, column;
    const char *message, *hint; /* the beginning of each */
};

static void assert_refused(const struct refused *r)
{
    struct entity_system *system;
    struct portolan_error error = {0};
    if (entities_read_memory("test.ent", r->text, strlen(r->text), &system, &error) != PORTOLAN_BAD_INPUT)
        fail_msg("%s\nis not refused", r->text);
    assert_null(system);
    if (error.line != r->line || error.column != r->column ||
        strncmp(error.message, r->message, strlen(r->message)) != 0 ||
        strncmp(error.hint, r->hint, strlen(r->hint)) != 0 || (*error.hint && !*r->hint))
        fail_msg("%s\ngives %u:%u: %s\nhint: %s", r->text, error.line, error.column, error.message, error.hint);
    assert_string_equal(error.file, "test.ent");
    /* nobody need want to know */
    assert_int_equal(entities_read_memory("test.ent", r->text, strlen(r->text), &system, NULL), PORTOLAN_BAD_INPUT);
}

static void test_errors_of_form(void **state)
{
    static const struct refused cases[] = {
        {"", 1, 1, "there is no action", "an action looks like this: "},
        {"# nothing\nentities a b\n", 3, 1, "there is no action", "an action"},
        {"entitys a\n", 1, 1, "expected 'entities', 'initial' or 'action', found 'entitys'", "did you mean entities?"},
        {"reads a\n", 1, 1, "expected 'entities', 'initial' or 'action', found 'reads'", "a list ends with its line"},
        {"initial a\n  b\n", 2, 3, "expected 'entities'", "a list ends with its line"},
        {"initial a, b\n", 1, 10, "expected the name of an entity, found ','", "the names of a list are separated"},
        {"initial a 7\n", 1, 11, "expected the name of an entity, found '7'", "a name that starts with a digit"},
        {"initial a\nentities b\n", 2, 1, "'entities' must come before 'initial' and 'action'", ""},
        {"initial a\naction x reads a\n", 2, 10, "expected ':' after the name of the action, found 'reads'", ""},
        {"action : reads a\n", 1, 8, "expected the name of an action, found ':'", ""},
        {"action x: a\n", 1, 11, "expected 'reads', 'forbids', 'deletes' or 'creates'", "write: "},
        {"initial a\naction x: reads a, delets a\n", 2, 20, "expected 'reads', ", "did you mean deletes?"},
        {"initial a\naction x:\n  reads a\n  delets a\n", 4, 3, "expected 'action', 'initial' or 'reads', ",
         "did you mean deletes?"},
        {"initial a b\naction x: reads a, b\n", 2, 20, "expected 'reads', ", "write: "},
        {"initial a\naction x: reads a,", 2, 19, "expected 'reads', 'forbids', 'deletes' or 'creates', found the end",
         ""},
        {"action x: reads\n  a\n", 1, 11, "'reads' names no entity", "list its entities on the same line"},
        {"action x: reads, creates a\n", 1, 11, "'reads' names no entity", "list its entities on the same line"},
        {"action \"\":\n", 1, 8, "a name may not be empty", ""},
        {"action \"#x\":\n", 1, 8, "a name may not begin with '#'", ""},
        {"action \"a\\nb\":\n", 1, 8, "a name may not have control characters", ""},
        {"action \"a:\n", 1, 8, "the quoted name has no closing", ""},
        {"initial a ; b\n", 1, 11, "unexpected character ';'", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(&cases[i]);
}

static void test_errors_of_meaning(void **state)
{
    static const struct refused cases[] = {
        {"entities fork\ninitial frok\n", 2, 9, "there is no entity 'frok'", "did you mean fork?"},
        {"entities fork\naction x: reads knife\n", 2, 17, "there is no entity 'knife'", "once there is a line"},
        {"entities a b a\n", 1, 14, "entity 'a' is declared twice", ""},
        {"initial a\ninitial b a\n", 2, 11, "'a' is listed twice under 'initial'", ""},
        {"action x:\naction y:\naction x:\n", 3, 8, "there are two actions 'x'", "the first is on line 1"},
        {"initial a\naction x: reads a a\n", 2, 19, "action 'x' reads 'a' twice", ""},
        {"action x: creates a\n  creates a\n", 2, 11, "action 'x' creates 'a' twice", ""},
        {"initial a\naction x: reads a, forbids a\n", 2, 28,
         "action 'x' reads 'a' and forbids it: it could never happen", "what is read or deleted must be present"},
        {"initial a\naction x: forbids a, deletes a\n", 2, 30, "action 'x' forbids 'a' and deletes it",
         "what is read or deleted must be present"},
        {"initial a\naction x: reads a, creates a\n", 2, 28, "action 'x' reads 'a' and creates it",
         "what is created must be absent before"},
        {"initial a\naction x: creates a, deletes a, reads a\n", 2, 39, "action 'x' creates 'a' and reads it",
         "what is created must be absent before"},
        {"initial fork\naction x: reads fork\naction y: deletes frok\n", 3, 19,
         "'frok' is needed, but it is not initial and no action creates it", "did you mean fork?"},
        {"action x: deletes a, creates a\n", 1, 19, "'a' is needed", "if that is intended, declare the entities"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(&cases[i]);
}

/* Forbidding what never is, and needing it where entities are declared, is fine. */
static void test_never_present(void **state)
{
    (void)state;
    struct entity_system *s = read_text("action x: forbids a, creates b\n");
    assert_lists(s, 0, "", "a ", "", "b ");
    entity_system_free(s);
    s = read_text("entities a\naction x: reads a\n");
    assert_lists(s, 0, "a ", "", "", "");
    entity_system_free(s);
}

/* ---------------------------------------------------------------- semantics */

static const char *const small = "initial a b\n"
                                 "action move: reads a, deletes b, creates c, forbids d\n"
                                 "action back: deletes c, creates b\n"
                                 "action lock: creates d, deletes a\n"
                                 "action always:\n";

static void test_steps(void **state)
{
    (void)state;
    struct portolan_system *s = system_of_text(small);
    uint64_t now, next;
    uint32_t out[4];
    assert_string_equal(s->name, "test");
    assert_string_equal(s->format, "ent");
    assert_int_equal(s->state_bytes, 8);
    assert_int_equal(s->key_bytes, 1);
    s->initial(s->model, &now);
    assert_int_equal(now, 3);
    assert_int_equal(s->enabled(s->model, &now, out), 3); /* the one that needs nothing first */
    assert_int_equal(out[0], 3);
    assert_int_equal(s->fire(s->model, &now, 0, &next), PORTOLAN_FIRED);
    assert_int_equal(next, 1 | 4); /* numbered a b c d */
    assert_int_equal(s->fire(s->model, &next, 1, &now), PORTOLAN_FIRED);
    assert_int_equal(now, 3);
    assert_int_equal(s->fire(s->model, &now, 2, &next), PORTOLAN_FIRED);
    assert_int_equal(next, 2 | 8);
    assert_int_equal(s->enabled(s->model, &next, out), 1);
    portolan_system_free(s);
}

static void test_names_of_a_system(void **state)
{
    (void)state;
    struct portolan_system *s = system_of_text(small);
    uint32_t number;
    uint64_t now = 4;
    assert_int_equal(s->actions, 4);
    assert_int_equal(s->variables, 4);
    assert_true(s->find_action(s->model, "lock", &number) && number == 2);
    assert_string_equal(s->action_name(s->model, 2), "lock");
    assert_false(s->find_action(s->model, "c", &number));
    assert_true(s->find_variable(s->model, "c", &number) && number == 2);
    assert_string_equal(s->variable_name(s->model, 2), "c");
    assert_int_equal(s->value(s->model, &now, 2), 1);
    assert_int_equal(s->value(s->model, &now, 1), 0);
    portolan_system_free(s);
}

static void assert_relation(const struct portolan_lists *lists, uint32_t index, const char *expected)
{
    char items[64] = "";
    for_list (item, *lists, index)
        snprintf(items + strlen(items), 8, "%u ", *item);
    assert_string_equal(items, expected);
}

/* Guard 2e: e is present; 2e + 1: e is absent. */
static void test_relations(void **state)
{
    (void)state;
    struct portolan_system *s = system_of_text(small);
    const struct portolan_relations *r = s->relations;
    enum { A, B, C, D };
    assert_int_equal(r->guards, 8);
    assert_relation(&r->guards_of, 0, "0 2 5 7 ");
    assert_relation(&r->guards_of, 3, "");
    assert_relation(&r->enablers, 2 * B, "1 ");
    assert_relation(&r->disablers, 2 * B, "0 ");
    assert_relation(&r->enablers, 2 * B + 1, "0 ");
    assert_relation(&r->disablers, 2 * B + 1, "1 ");
    assert_relation(&r->enablers, 2 * A, "");
    assert_relation(&r->disablers, 2 * A, "2 ");
    assert_relation(&r->enablers, 2 * D, "2 ");
    assert_relation(&s->changers, B, "0 1 ");
    assert_relation(&s->changers, A, "2 ");
    assert_int_equal(r->not_commuting.offset[4], 0);
    uint64_t now = 1 << C;
    assert_true(r->holds(s->model, &now, 2 * C));
    assert_false(r->holds(s->model, &now, 2 * C + 1));
    assert_true(r->holds(s->model, &now, 2 * A + 1));
    portolan_system_free(s);
}

/* A token that wanders through many words, and in the end one action that touches them all. */
static void test_many_words(void **state)
{
    enum { LAST = 299 };
    static char text[40000];
    char *end = text + sprintf(text, "initial e0\n");
    (void)state;
    for (unsigned i = 0; i < LAST; i++)
        end += sprintf(end, "action step%u: deletes e%u, creates e%u\n", i, i, i + 1);
    end += sprintf(end, "action all: deletes e%u, creates all, forbids", LAST);
    for (unsigned i = 0; i < LAST; i++)
        end += sprintf(end, " e%u", i);
    struct portolan_system *s = system_of_text(text);
    assert_int_equal(s->key_bytes, 38);
    assert_int_equal(s->state_bytes, 40);
    struct portolan_statistics full = explored(s, "none", "none", "bfs");
    assert_int_equal(full.states, LAST + 2);
    assert_int_equal(full.transitions, LAST + 1);
    assert_int_equal(full.deadlocks, 1);
    portolan_system_free(s);
}

static void test_examples(void **state)
{
    static const struct {
        const char *path;
        uint64_t states, transitions, deadlocks;
    } cases[] = {{"counters", 8, 12, 2},
                 {"disabled", 6, 6, 2},
                 {"missed", 5, 5, 2},
                 {"pruning", 11, 13, 4},
                 {"philosophers", 14, 27, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512];
        struct portolan_system *system = NULL;
        snprintf(path, sizeof path, SOURCE_DIR "/examples/entities/%s.ent", cases[i].path);
        assert_int_equal(portolan_open(path, &system, NULL), PORTOLAN_OK);
        struct portolan_statistics found = explored(system, "none", "none", "bfs");
        assert_int_equal(found.states, cases[i].states);
        assert_int_equal(found.transitions, cases[i].transitions);
        assert_int_equal(found.deadlocks, cases[i].deadlocks);
        portolan_system_free(system);
    }
}

/* Ten thousand entities and actions; a reader or an index that is quadratic would be noticed. */
static void test_large(void **state)
{
    enum { MANY = 10000 };
    char *text = malloc(MANY * 80 + 100), *end = text;
    (void)state;
    assert_non_null(text);
    end += sprintf(end, "initial e0\n");
    for (unsigned i = 0; i < MANY; i++)
        end += sprintf(end, "action step%u: deletes e%u, creates e%u\n", i, i, i + 1);
    struct portolan_system *s = system_of_text(text);
    free(text);
    struct portolan_statistics full = explored(s, "none", "none", "bfs");
    assert_int_equal(full.states, MANY + 1);
    assert_int_equal(full.deadlocks, 1);
    portolan_system_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_whole_system),
                                       cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_one_role_each),
                                       cmocka_unit_test(test_errors_of_form),
                                       cmocka_unit_test(test_errors_of_meaning),
                                       cmocka_unit_test(test_never_present),
                                       cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_names_of_a_system),
                                       cmocka_unit_test(test_relations),
                                       cmocka_unit_test(test_many_words),
                                       cmocka_unit_test(test_examples),
                                       cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
