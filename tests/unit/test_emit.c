/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled models: the same results, the cache, the compiler beside a search, and blocks of C. */
#include "emit/build.h"
#include "emit/foreign.h"
#include "emit/quicken.h"
#include "library/open.h"
#include "search/search_system.h"
#include "system/result.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char caches[] = "/tmp/portolan-test-XXXXXX", directory[sizeof caches + 16];

/* ---------------------------------------------------------------------- directories */

/* How many files of the cache begin with this. */
static unsigned count_files(const char *begin)
{
    DIR *entries = opendir(directory);
    unsigned count = 0;
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        count += entry->d_name[0] != '.' && strncmp(entry->d_name, begin, strlen(begin)) == 0;
    if (entries)
        closedir(entries);
    return count;
}

static void clear_cache(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s/*", caches);
    assert_int_equal(system(command), 0);
}

static int set_up(void **unused)
{
    (void)unused;
    if (!mkdtemp(caches))
        return 1;
    snprintf(directory, sizeof directory, "%s/portolan", caches);
    return setenv("XDG_CACHE_HOME", caches, 1);
}

static int tear_down(void **unused)
{
    (void)unused;
    clear_cache();
    return rmdir(caches);
}

static struct text text_of(const char *c)
{
    return (struct text){strdup(c), strlen(c)};
}

static enum build_progress build_text(const char *c, char *complaint, size_t size)
{
    struct build *build = build_begin(text_of(c), false);
    enum build_progress progress = build ? build_wait(build) : BUILD_FAILED;
    if (build && complaint)
        build_complaint(build, complaint, size);
    build_end(build);
    return progress;
}

/* ----------------------------------------------------------------------- the cache */

static const char SEVEN[] = "__attribute__((visibility(\"default\"))) int seven(void) { return 7; }\n";

static bool is_cached(const char *c)
{
    struct build *build = build_begin(text_of(c), true);
    build_end(build);
    return build;
}

static void objects_are_kept(void **unused)
{
    (void)unused;
    clear_cache();
    assert_false(is_cached(SEVEN));
    assert_int_equal(build_text(SEVEN, NULL, 0), BUILD_READY);
    assert_true(is_cached(SEVEN));
    assert_int_equal(count_files(""), 1);
    struct build *build = build_begin(text_of(SEVEN), true);
    assert_int_equal(build_look(build), BUILD_READY);
    void *object = build_take(build);
    build_end(build);
    int (*seven)(void) = (int (*)(void))dlsym(object, "seven");
    assert_int_equal(seven(), 7);
    dlclose(object);
}

/* The only object of the cache. */
static void object_path(char path[PATH_MAX])
{
    DIR *entries = opendir(directory);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            snprintf(path, PATH_MAX, "%s/%s", directory, entry->d_name);
    closedir(entries);
}

static void what_is_torn_is_built_again(void **unused)
{
    (void)unused;
    char path[PATH_MAX];
    for (int how = 0; how < 4; how++) {
        clear_cache();
        assert_int_equal(build_text(SEVEN, NULL, 0), BUILD_READY);
        object_path(path);
        int file = open(path, O_RDWR);
        struct stat status;
        assert_int_equal(fstat(file, &status), 0);
        if (how == 0)
            assert_int_equal(ftruncate(file, status.st_size / 2), 0);
        else if (how == 1)
            assert_int_equal(pwrite(file, "?", 1, status.st_size / 2), 1);
        else if (how == 2)
            assert_int_equal(fchmod(file, S_IRUSR | S_IWUSR | S_IWOTH), 0);
        else
            assert_int_equal(ftruncate(file, 0), 0);
        close(file);
        assert_false(is_cached(SEVEN));
        assert_int_equal(build_text(SEVEN, NULL, 0), BUILD_READY);
        assert_true(is_cached(SEVEN));
    }
}

/* An object under the name of another text. */
static void another_text_is_refused(void **unused)
{
    (void)unused;
    char path[PATH_MAX], other[PATH_MAX];
    clear_cache();
    assert_int_equal(build_text(SEVEN, NULL, 0), BUILD_READY);
    object_path(path);
    snprintf(other, sizeof other, "%s/kept", caches);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(build_text("int eight;\n", NULL, 0), BUILD_READY);
    char wrong[PATH_MAX];
    object_path(wrong);
    assert_int_equal(rename(other, wrong), 0);
    assert_false(is_cached("int eight;\n"));
}

static void a_directory_of_others_is_not_used(void **unused)
{
    (void)unused;
    clear_cache();
    assert_int_equal(mkdir(directory, S_IRWXU), 0);
    assert_int_equal(chmod(directory, S_IRWXU | S_IWOTH), 0);
    assert_int_equal(build_text(SEVEN, NULL, 0), BUILD_FAILED);
    assert_int_equal(count_files(""), 0);
    assert_int_equal(chmod(directory, S_IRWXU), 0);
    assert_int_equal(build_text(SEVEN, NULL, 0), BUILD_READY);
}

static void the_oldest_go_first(void **unused)
{
    (void)unused;
    char path[PATH_MAX];
    clear_cache();
    assert_int_equal(build_text(SEVEN, NULL, 0), BUILD_READY);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/old%d.so", directory, i);
        int file = open(path, O_CREAT | O_RDWR, S_IRUSR | S_IWUSR);
        struct timespec used[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};
        assert_int_equal(ftruncate(file, 30 << 20), 0);
        assert_int_equal(futimens(file, used), 0);
        close(file);
    }
    cache_tidy(directory);
    assert_int_equal(count_files("old0"), 0);
    assert_int_equal(count_files("old1"), 1);
    assert_int_equal(count_files("old2"), 1);
    assert_true(is_cached(SEVEN));
}

static void what_was_abandoned_is_removed(void **unused)
{
    (void)unused;
    char path[PATH_MAX];
    struct timespec used[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    clear_cache();
    assert_int_equal(build_text(SEVEN, NULL, 0), BUILD_READY);
    snprintf(path, sizeof path, "%s/build-abcdef", directory);
    assert_int_equal(mkdir(path, S_IRWXU), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, used, 0), 0);
    cache_tidy(directory);
    assert_int_equal(count_files("build-"), 0);
}

/* -------------------------------------------------------------------- the compiler */

static void errors_are_told(void **unused)
{
    (void)unused;
    char complaint[200];
    assert_int_equal(build_text("int x = ;\n", complaint, sizeof complaint), BUILD_FAILED);
    assert_non_null(strstr(complaint, "error: "));
    assert_int_equal(count_files("build-"), 0);
}

static void a_compiler_is_ended(void **unused)
{
    (void)unused;
    char script[PATH_MAX], line[80], mark[PATH_MAX];
    clear_cache();
    snprintf(script, sizeof script, "%s/slow", caches);
    snprintf(mark, sizeof mark, "%s/pid", caches);
    FILE *out = fopen(script, "w");
    fprintf(out, "#!/bin/sh\necho $$ > %s.new; mv %s.new %s\nsleep 100 & sleep 100\n", mark, mark, mark);
    fclose(out);
    assert_int_equal(chmod(script, S_IRWXU), 0);
    setenv("CC", script, 1);
    struct build *build = build_begin(text_of(SEVEN), false);
    assert_non_null(build);
    while (access(mark, F_OK) != 0)
        assert_int_equal(build_look(build), BUILD_RUNS);
    assert_int_equal(count_files("build-"), 1);
    build_end(build);
    unsetenv("CC");
    assert_int_equal(count_files("build-"), 0);
    out = fopen(mark, "r");
    assert_non_null(fgets(line, sizeof line, out));
    fclose(out);
    assert_int_equal(kill(atoi(line), 0), -1); /* it is gone; those it started were killed with it */
}

static void without_a_compiler_there_is_no_build(void **unused)
{
    (void)unused;
    clear_cache();
    setenv("CC", "/nowhere/cc", 1);
    assert_null(build_begin(text_of(SEVEN), false));
    unsetenv("CC");
    unsetenv("HOME");
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_null(build_begin(text_of(SEVEN), false));
    setenv("XDG_CACHE_HOME", caches, 1);
}

/* ------------------------------------------------------------------------ searches */

struct seen { /* of a search: everything that callbacks are told, in order */
    uint64_t states, edges, natively, hash;
};

static void on_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct seen *seen = user;
    (void)bytes;
    seen->states++;
    seen->hash = (seen->hash * 31 + state) * 31 + enabled * 2 + fully;
}

static void on_edge(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    struct seen *seen = user;
    seen->edges++;
    seen->hash = ((seen->hash * 31 + from) * 31 + action) * 31 + to;
}

static struct seen search(struct portolan_system *system, const char *reduction, enum portolan_engine engine)
{
    struct seen seen = {0};
    struct portolan_options options = {.reduction = reduction,
                                       .engine = engine,
                                       .callbacks = {.user = &seen, .expanded = on_expanded, .edge = on_edge}};
    struct portolan_result result;
    struct portolan_error error;
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s", error.message);
    seen.natively = result.statistics.natively;
    result_clear(&result);
    return seen;
}

static const char *const examples[] = {"threads/peterson.dl", "threads/bounded-buffer.dl", "protocols/paxos.mp",
                                       "protocols/storage.mp"};

static struct portolan_system *open_example(size_t i)
{
    char path[512];
    struct portolan_system *system;
    struct portolan_error error;
    snprintf(path, sizeof path, SOURCE_DIR "/examples/%s", examples[i]);
    if (portolan_open(path, &system, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", path, error.message);
    return system;
}

static void the_same_results(void **unused)
{
    (void)unused;
    static const char *const reductions[] = {"none", "stubborn"};
    uint64_t natively = 0; /* small ones may end before their layout has settled */
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        for (size_t k = 0; k < 2; k++) {
            struct portolan_system *system = open_example(i);
            struct seen interpreted = search(system, reductions[k], PORTOLAN_INTERPRETED);
            struct seen native = search(system, reductions[k], PORTOLAN_NATIVE);
            assert_int_equal(interpreted.natively, 0);
            natively += native.natively;
            assert_int_equal(native.states, interpreted.states);
            assert_int_equal(native.edges, interpreted.edges);
            assert_true(native.hash == interpreted.hash);
            portolan_system_free(system);
        }
    assert_true(natively > 10000);
    assert_int_equal(count_files("build-"), 0);
}

static void without_a_compiler_searches_are_interpreted(void **unused)
{
    (void)unused;
    clear_cache();
    setenv("CC", "/nowhere/cc", 1);
    struct portolan_system *system = open_example(0);
    struct seen native = search(system, "none", PORTOLAN_NATIVE);
    assert_int_equal(native.natively, 0);
    assert_true(native.hash == search(system, "none", PORTOLAN_INTERPRETED).hash);
    portolan_system_free(system);
    unsetenv("CC");
}

/* Tests of one cell may contradict each other. */
static void two_tests_of_one_cell(void **unused)
{
    (void)unused;
    struct model *m = model_new("test");
    struct cell cell = {.values = {0, 3}, .object = model_object(m, "x"), .owner = MODEL_NONE};
    struct portolan_system *system;
    uint32_t x = model_cells(m, cell, 1), process = model_process(m, "p");
    m->name = "test";
    for (uint32_t i = 0; i < 2; i++)
        model_location(m, (struct location){.process = process, .dead = MODEL_NONE});
    uint32_t code = model_emit(m, (struct instruction){.code = CODE_REST, .c = 1});
    for (int64_t other = 0; other < 2; other++) {
        model_action(m, (struct action){.name = model_copy(m, "go"), .process = process, .common = MODEL_NONE});
        model_test(m, x, 0, 0);
        model_test(m, x, other, other);
        model_edge(m, 0, code);
    }
    assert_int_equal(model_system(m, &system, NULL), PORTOLAN_OK);
    emit_attach(system);
    struct seen native = search(system, "none", PORTOLAN_NATIVE);
    assert_true(native.natively > 0);
    assert_int_equal(native.edges, 1);
    portolan_system_free(system);
}

/* Nothing happens at first; later the compiler runs beside, and at last the functions are others. */
static void a_long_search_is_compiled_beside(void **unused)
{
    (void)unused;
    clear_cache();
    struct portolan_system *system = open_example(0), *own = system->compact(system);
    struct timespec pause = {.tv_nsec = 500000000}, moment = {.tv_nsec = 2000000};
    uint64_t state[64];
    uint32_t first[64], then[64];
    own->quicken(own, PORTOLAN_NATIVE_WHEN_LONG, false, 1000);
    assert_false(own->is_native);
    assert_int_equal(count_files(""), 0);
    own->initial(own->model, state);
    uint32_t count = own->enabled(own->model, state, first);
    nanosleep(&pause, NULL);
    own->quicken(own, PORTOLAN_NATIVE_WHEN_LONG, false, 2000);
    assert_false(own->is_native);
    assert_int_equal(count_files("build-"), 1);
    for (int i = 0; i < 30000 && !own->is_native; i++) {
        nanosleep(&moment, NULL);
        own->quicken(own, PORTOLAN_NATIVE_WHEN_LONG, false, 2000);
    }
    assert_true(own->is_native);
    assert_int_equal(own->enabled(own->model, state, then), count);
    assert_memory_equal(first, then, count * sizeof *first);
    portolan_system_free(own);
    own = system->compact(system); /* and one that ends while the compiler runs */
    clear_cache();
    own->quicken(own, PORTOLAN_NATIVE_WHEN_LONG, false, 1000);
    nanosleep(&pause, NULL);
    own->quicken(own, PORTOLAN_NATIVE_WHEN_LONG, true, 2000);
    portolan_system_free(own);
    assert_int_equal(count_files("build-"), 0);
    portolan_system_free(system);
}

/* ---------------------------------------------------------------------- blocks of C */

static uint32_t emit(struct model *m, enum code code, int32_t dst, int32_t a, int32_t c)
{
    return model_emit(m, (struct instruction){.code = code, .flags = B_IS_NUMBER, .dst = dst, .a = a, .c = c});
}

/* One process: while (c_expr { now.x < 6 }) c_code { now.x = twice(now.x) + 1; } */
static struct model *doubling(const char *text)
{
    struct model *m = model_new("test");
    struct cell cell = {.values = {0, 1000}, .owner = MODEL_NONE};
    m->name = "test";
    cell.object = model_object(m, "x");
    uint32_t x = model_cells(m, cell, 1);
    model_variable(m, (struct variable){.name = model_copy(m, "x"), .kind = VARIABLE_CELL, .what = x});
    m->listed = 1;
    uint32_t process = model_process(m, "p");
    model_location(m, (struct location){.process = process, .dead = MODEL_NONE});
    m->processes.item[process].most_registers = 4;
    model_foreign_declaration(m, "struct globals { int x; }; static int twice(int x) { return 2 * x; }");
    uint32_t below = model_foreign_block(
        m, (struct foreign_block){.declarations = "struct globals now;", .text = "now.x < 6", .is_expression = true});
    model_foreign_value(m, "now.x");
    uint32_t grow =
        model_foreign_block(m, (struct foreign_block){.declarations = "struct globals now;", .text = text, .line = 12});
    model_foreign_value(m, "now.x");
    uint32_t code = emit(m, CODE_LOAD, 1, 0, (int32_t)x);
    model_emit(m, (struct instruction){.code = CODE_FOREIGN, .dst = 0, .length = 2, .c = (int32_t)below});
    emit(m, CODE_REQUIRE, 0, 0, 0);
    model_emit(m, (struct instruction){.code = CODE_FOREIGN, .dst = 1, .length = 1, .c = (int32_t)grow});
    emit(m, CODE_STORE, 0, 1, (int32_t)x);
    emit(m, CODE_REST, 0, 0, 0);
    model_action(m, (struct action){.name = model_copy(m, "grow"), .process = process, .common = MODEL_NONE});
    model_edge(m, 0, code);
    return m;
}

static void blocks_run(void **unused)
{
    (void)unused;
    struct model *m = doubling("now.x = twice(now.x) + 1;");
    struct portolan_system *system;
    struct portolan_error error;
    struct portolan_property *reach;
    assert_int_equal(foreign_compile(m, true, &error), PORTOLAN_OK);
    assert_int_equal(model_system(m, &system, &error), PORTOLAN_OK);
    emit_attach(system);
    struct seen interpreted = search(system, "none", PORTOLAN_INTERPRETED); /* 0 1 3 7 */
    assert_int_equal(interpreted.states, 4);
    for (int k = 0; k < 2; k++) {
        struct seen native = search(system, k ? "stubborn" : "none", PORTOLAN_NATIVE);
        assert_int_equal(native.states, 4);
        assert_true(native.natively > 0);
        assert_true(k || native.hash == interpreted.hash);
    }
    assert_int_equal(portolan_property_new(system, PORTOLAN_REACH, "x == 7", &reach, &error), PORTOLAN_OK);
    struct portolan_options options = {.properties = (const struct portolan_property *const *)&reach,
                                       .property_count = 1};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_OK);
    assert_int_equal(result.answers[0].trace_length, 3);
    result_clear(&result);
    portolan_property_free(reach);
    portolan_system_free(system);
}

static void blocks_must_be_allowed(void **unused)
{
    (void)unused;
    struct model *m = doubling("now.x = 0;");
    struct portolan_error error;
    assert_int_equal(foreign_compile(m, false, &error), PORTOLAN_REFUSED);
    assert_string_equal(error.message, "the model contains C code, which would run with all your permissions");
    setenv("CC", "/nowhere/cc", 1);
    assert_int_equal(foreign_compile(m, true, &error), PORTOLAN_REFUSED);
    unsetenv("CC");
    model_free(m);
    assert_int_equal(foreign_compile((m = model_new("test")), false, &error), PORTOLAN_OK); /* there are none */
    model_free(m);
}

static void errors_in_blocks_have_their_line(void **unused)
{
    (void)unused;
    struct model *m = doubling("\nnow.y = 0;");
    struct portolan_error error;
    assert_int_equal(foreign_compile(m, true, &error), PORTOLAN_BAD_INPUT);
    assert_int_equal(error.line, 13);
    assert_non_null(strstr(error.message, "y"));
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_kept),
        cmocka_unit_test(what_is_torn_is_built_again),
        cmocka_unit_test(another_text_is_refused),
        cmocka_unit_test(a_directory_of_others_is_not_used),
        cmocka_unit_test(the_oldest_go_first),
        cmocka_unit_test(what_was_abandoned_is_removed),
        cmocka_unit_test(errors_are_told),
        cmocka_unit_test(a_compiler_is_ended),
        cmocka_unit_test(without_a_compiler_there_is_no_build),
        cmocka_unit_test(the_same_results),
        cmocka_unit_test(without_a_compiler_searches_are_interpreted),
        cmocka_unit_test(two_tests_of_one_cell),
        cmocka_unit_test(a_long_search_is_compiled_beside),
        cmocka_unit_test(blocks_run),
        cmocka_unit_test(blocks_must_be_allowed),
        cmocka_unit_test(errors_in_blocks_have_their_line),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
