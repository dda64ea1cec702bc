/* SPDX-License-Identifier: Apache-2.0 */
// Errors of memory, one for each argument; each is reported with the block, and with where it came from.
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *block, *other;
static long wild = 4096 * 4096;

static void *give(void *size)
{
    return malloc((size_t)size); // the line that reports name
}

static void drop(void *given)
{
    free(given); // and this one
}

static void *touch(void *unused)
{
    block[0] = 1;
    return unused;
}

static void *lock(void *mutex)
{
    pthread_mutex_lock(mutex);
    return mutex;
}

static void errors_of_access(const char *what)
{
    block = give((void *)10);
    other = give((void *)64);
    if (strcmp(what, "beyond") == 0)
        block[10] = 1;
    if (strcmp(what, "before") == 0)
        block[-1] = 1;
    if (strcmp(what, "across") == 0)
        *(int *)(block + 8) = 1;
    if (strcmp(what, "far") == 0)
        block[60] = 1;
    if (strcmp(what, "memcpy") == 0)
        memcpy(block, "0123456789", 11);
    if (strcmp(what, "memset") == 0)
        memset(block, 0, 12);
    if (strcmp(what, "strlen") == 0)
        printf("%zu", strlen(memset(block, 'x', 10)));
    if (strcmp(what, "strcat") == 0)
        strcat(strcpy(block, "01234567"), "89");
    if (strcmp(what, "sprintf") == 0)
        sprintf(block, "%d", 1234567890);
    if (strcmp(what, "snprintf") == 0)
        snprintf(block, 11, "%d", 1234567890);
    if (strcmp(what, "sscanf") == 0)
        sscanf("abcdefghij", "%s", block);
    drop(block);
    if (strcmp(what, "freed") == 0)
        printf("%d", block[3]);
    if (strcmp(what, "printf") == 0)
        printf("%s", block);
    if (strcmp(what, "lock") == 0)
        lock(block);
}

static void errors_of_free(const char *what)
{
    block = give((void *)10);
    if (strcmp(what, "twice") == 0)
        drop(block), drop(block);
    if (strcmp(what, "inside") == 0)
        drop(block + 4);
    if (strcmp(what, "aligned-inside") == 0)
        drop(give((void *)64) + 16);
    if (strcmp(what, "variable") == 0)
        drop(&wild);
    if (strcmp(what, "local") == 0)
        drop(&what);
    if (strcmp(what, "realloc-freed") == 0)
        drop(block), block = realloc(block, 20);
    if (strcmp(what, "realloc-old") == 0)
        other = realloc(block, 20), block[0] = 1;
}

static void errors_of_threads(const char *what)
{
    pthread_t thread;
    block = give((void *)sizeof(pthread_mutex_t));
    pthread_mutex_init((pthread_mutex_t *)block, NULL);
    if (strcmp(what, "raced") == 0)
        pthread_create(&thread, NULL, touch, NULL), drop(block);
    if (strcmp(what, "lock-raced") == 0)
        pthread_create(&thread, NULL, lock, block), drop(block);
    if (strcmp(what, "wild") == 0)
        block[wild * 64] = 1;
    if (strcmp(what, "null-atomic") == 0)
        __atomic_store_n((char *)(block - block), 1, __ATOMIC_RELAXED);
    if (strcmp(what, "null-memcpy") == 0)
        memcpy((char *)(block - block), what, 8);
    if (strcmp(what, "null") == 0)
        *(volatile char *)(block - block) = 1;
}

/* No error at all. */
static void fine(void)
{
    volatile size_t large = (size_t)1 << 62;
    block = calloc(3, 5);
    for (int i = 0; i < 15; i++)
        if (block[i])
            abort();
    strcpy(block, "kept in reallo");
    block = realloc(block, 100);
    if (strcmp(block, "kept in reallo") || calloc(large, 8) || malloc(large) || reallocarray(NULL, large, 8))
        abort();
    block = reallocarray(block, 10, 20);
    block[199] = 1;
    if (malloc_usable_size(block) < 200 || realloc(block, 0))
        abort();
    for (size_t alignment = 8; alignment <= 8192; alignment *= 2) {
        void *made = NULL;
        block = aligned_alloc(alignment, alignment);
        if (posix_memalign(&made, alignment, 3) || (size_t)block % alignment || (size_t)made % alignment)
            abort();
        memset(block, 1, alignment);
        free(block);
        free(made);
    }
    if (aligned_alloc(48, 48) || posix_memalign((void **)&other, 24, 1) == 0)
        abort();
    free(NULL);
    free(malloc(0));
}

int main(int count, char **arguments)
{
    if (count < 2)
        return fine(), 0;
    errors_of_access(arguments[1]);
    errors_of_free(arguments[1]);
    errors_of_threads(arguments[1]);
    return 0;
}
