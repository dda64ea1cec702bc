/* SPDX-License-Identifier: Apache-2.0 */
// Large blocks are there, cost what is touched of them, and are watched like small ones.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const size_t SIZE = 2000000000;
static char *block;
static atomic_int x;
static int which;

static void all_kinds(void)
{
    char *p = calloc(SIZE, 1), *q = realloc(malloc(10), SIZE);
    void *aligned = NULL;
    assert(p && q && !p[0] && !p[SIZE - 1] && malloc_usable_size(p) == SIZE);
    p[0] = p[SIZE / 2] = q[SIZE - 1] = 1;
    assert(posix_memalign(&aligned, 1 << 16, SIZE) == 0 && (uintptr_t)aligned % (1 << 16) == 0);
    free(aligned);
    aligned = aligned_alloc(4096, SIZE);
    assert(aligned);
    free(aligned);
    free(p);
    free(q);
    free(memalign(64, SIZE));
    free(valloc(SIZE));
    assert(!malloc(SIZE_MAX / 4) && errno == ENOMEM && !calloc(SIZE_MAX / 2, 4));
}

static void *work(void *me)
{
    char *p;
    switch (which) {
    case 1: all_kinds(); break;
    case 2: /* touched as a whole */
        p = malloc(20000000);
        memset(p, 1, 20000000);
        atomic_fetch_add(&x, p[19999999]);
        free(p);
        break;
    case 3: /* each its half, then all */
        block[(long)me * (SIZE / 2)]++;
        if (atomic_fetch_add(&x, 1) == 1)
            assert(block[0] + block[SIZE / 2] == 2);
        break;
    case 4: atomic_fetch_add(&x, 1), block[SIZE / 2]++; break; /* a race */
    case 5: block[SIZE + (long)me]++; break;
    case 6: block[SIZE / 2]++; break; /* after it was freed */
    case 7: free(block + (1 << 20)); break;
    default: malloc((size_t)1 << 40);
    }
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t a, b;
    which = count > 1 ? atoi(arguments[1]) : 1;
    if (which > 2)
        block = calloc(SIZE, 1);
    if (which == 6)
        free(block);
    pthread_create(&a, NULL, work, (void *)0);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(which != 2 || x == 2);
    return 0;
}
