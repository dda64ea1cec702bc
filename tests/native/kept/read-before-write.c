/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// options: --interleave
// clang does not report a read that a write to the same place follows, unless it is told to.
#include <assert.h>
#include <pthread.h>

static volatile int place, seen;

static void *reader(void *argument)
{
    seen = place;
    place = 0;
    return argument;
}

static void *writer(void *argument)
{
    place = 2;
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seen != 2 || place != 0); // fails when the writer comes first
    return 0;
}
