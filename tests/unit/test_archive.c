/* SPDX-License-Identifier: Apache-2.0 */
/* Files of searches: whole, or refused. */
#include "unit/support.h"

#include "checkpoint/head.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char path[64], other[80];

static const char *const words[] = {"check", "a model.pnml", "", NULL};

static void write_file(uint64_t number)
{
    struct archive archive;
    struct portolan_error error;
    uint32_t list[] = {1, 2, 3};
    struct {
        uint32_t *item;
        size_t count, capacity;
    } vector = {list, 3, 3};
    archive_create(&archive, path);
    archive_put_head(&archive, ARCHIVE_STATES, words);
    archive_number(&archive, &number);
    archive_vector(&archive, &vector);
    assert_int_equal(archive_close(&archive, &error), PORTOLAN_OK);
}

static size_t read_all(const char *name, unsigned char *bytes, size_t size)
{
    FILE *in = fopen(name, "rb");
    assert_non_null(in);
    size_t count = fread(bytes, 1, size, in);
    fclose(in);
    return count;
}

static void write_all(const char *name, const unsigned char *bytes, size_t count)
{
    FILE *out = fopen(name, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    fclose(out);
}

static bool is_refused(const char *name)
{
    struct archive archive;
    struct portolan_error error = {0};
    if (archive_open_as(&archive, name, ARCHIVE_STATES, &error) != PORTOLAN_OK) {
        assert_true(error.message[0]);
        return true;
    }
    archive_close(&archive, &error);
    return false;
}

static void comes_back(void **unused)
{
    (void)unused;
    struct archive archive;
    struct archive_head head;
    struct portolan_error error;
    struct {
        uint32_t *item;
        size_t count, capacity;
    } vector = {0};
    uint64_t number = 0;
    write_file(7);
    assert_int_equal(archive_open(&archive, path, &error), PORTOLAN_OK);
    archive_get_head(&archive, &head);
    assert_int_equal(head.kind, ARCHIVE_STATES);
    assert_int_equal(head.word_count, 3);
    assert_string_equal(head.words[1], "a model.pnml");
    assert_string_equal(head.words[2], "");
    archive_number(&archive, &number);
    archive_vector(&archive, &vector);
    assert_int_equal(number, 7);
    assert_int_equal(vector.count, 3);
    assert_int_equal(vector.item[2], 3);
    archive_same(&archive, 0); /* there is no more */
    assert_int_equal(archive_close(&archive, &error), PORTOLAN_BAD_INPUT);
    archive_head_clear(&head);
    free(vector.item);
}

/* Cut at every length, longer by a byte, and with any one byte changed. */
static void torn_is_refused(void **unused)
{
    (void)unused;
    unsigned char bytes[1024];
    write_file(7);
    size_t count = read_all(path, bytes, sizeof bytes - 1);
    for (size_t length = 0; length < count; length++) {
        write_all(other, bytes, length);
        assert_true(is_refused(other));
    }
    for (size_t i = 0; i < count; i++) {
        bytes[i] ^= 0x10;
        write_all(other, bytes, count);
        assert_true(is_refused(other));
        bytes[i] ^= 0x10;
    }
    write_all(other, bytes, count);
    assert_false(is_refused(other));
    bytes[count] = 0;
    write_all(other, bytes, count + 1);
    assert_true(is_refused(other));
    assert_true(is_refused("/nowhere/at/all"));
    assert_true(is_refused("/"));
}

/* Whoever cannot write all of it leaves what was there. */
static void full_disk_leaves_the_last(void **unused)
{
    (void)unused;
    struct archive archive;
    struct portolan_error error = {0};
    unsigned char before[1024], after[1024], large[4096] = {1};
    write_file(7);
    size_t count = read_all(path, before, sizeof before);
    struct rlimit old, small = {.rlim_cur = 2048};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    archive_create(&archive, path);
    archive_put_head(&archive, ARCHIVE_STATES, words);
    for (int i = 0; i < 1000; i++)
        archive_bytes(&archive, large, sizeof large);
    assert_int_equal(archive_close(&archive, &error), PORTOLAN_IO);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_true(strstr(error.message, "cannot write"));
    assert_int_equal(read_all(path, after, sizeof after), count);
    assert_memory_equal(before, after, count);
    assert_int_equal(access(archive.partial, F_OK), -1);
}

/* A count that the file cannot hold takes no memory. */
static void lying_count_is_refused(void **unused)
{
    (void)unused;
    struct archive archive;
    struct portolan_error error;
    struct {
        uint64_t *item;
        size_t count, capacity;
    } vector = {0};
    write_file(UINT64_C(1) << 60);
    assert_int_equal(archive_open_as(&archive, path, ARCHIVE_STATES, &error), PORTOLAN_OK);
    archive_vector(&archive, &vector);
    assert_null(vector.item);
    assert_int_equal(archive_close(&archive, &error), PORTOLAN_BAD_INPUT);
    assert_int_equal(archive_open_as(&archive, path, ARCHIVE_EXECUTIONS, &error), PORTOLAN_REFUSED);
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
    snprintf(path, sizeof path, "/tmp/portolan-archive-%d", (int)getpid());
    snprintf(other, sizeof other, "%s.other", path);
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back), cmocka_unit_test(torn_is_refused),
                                       cmocka_unit_test(full_disk_leaves_the_last),
                                       cmocka_unit_test(lying_count_is_refused)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    unlink(other);
    return failed;
}
