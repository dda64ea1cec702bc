// SPDX-License-Identifier: Apache-2.0
// The sequence lock of Concurrency Kit (libck-dev): one writes two variables, another reads until both are of one time.
#include <assert.h>
#include <ck_sequence.h>
#include <pthread.h>

static ck_sequence_t sequence = CK_SEQUENCE_INITIALIZER;
static int one, other;

static void *write_both(void *unused)
{
    for (int i = 0; i < 2; i++) {
        ck_sequence_write_begin(&sequence);
        ck_pr_store_int(&one, one + 1);
        ck_pr_store_int(&other, other + 1);
        ck_sequence_write_end(&sequence);
    }
    return unused;
}

int main(void)
{
    pthread_t writer;
    unsigned int version;
    int seen, seen_too;
    pthread_create(&writer, NULL, write_both, NULL);
    do {
        version = ck_sequence_read_begin(&sequence);
        seen = ck_pr_load_int(&one);
        seen_too = ck_pr_load_int(&other);
#ifdef TRUSTS
        break;
#endif
    } while (ck_sequence_read_retry(&sequence, version));
    assert(seen == seen_too);
    pthread_join(writer, NULL);
    return 0;
}
