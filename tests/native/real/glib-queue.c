// SPDX-License-Identifier: Apache-2.0
// GAsyncQueue, its lists and its locks, from the sources of GLib; what else they call is below.
#include <assert.h>
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gasyncqueue.c"
#include "glist.c"
#include "gqueue.c"
#include "gthread-posix.c"

gpointer g_slice_alloc(gsize size)
{
    return malloc(size);
}

gpointer g_slice_alloc0(gsize size)
{
    return calloc(1, size);
}

void g_slice_free1(gsize size, gpointer block)
{
    (void)size;
    free(block);
}

void g_slice_free_chain_with_offset(gsize size, gpointer block, gsize offset)
{
    while (block) {
        gpointer next = *(gpointer *)((char *)block + offset);
        g_slice_free1(size, block);
        block = next;
    }
}

gpointer g_malloc(gsize size)
{
    return malloc(size);
}

gpointer g_malloc0(gsize size)
{
    return calloc(1, size);
}

gpointer g_malloc_n(gsize count, gsize size)
{
    return calloc(count, size);
}

void g_free(gpointer block)
{
    free(block);
}

gchar *g_strdup(const gchar *text)
{
    return text ? strdup(text) : NULL;
}

gint64 g_get_monotonic_time(void)
{
    return 0;
}

gint64 g_get_real_time(void)
{
    return 0;
}

// What must not happen.
void g_return_if_fail_warning(const char *domain, const char *function, const char *expression)
{
    (void)domain, (void)function, (void)expression;
    abort();
}

void g_assertion_message_expr(const char *domain, const char *file, int line, const char *function, const char *text)
{
    (void)domain, (void)file, (void)line, (void)function, (void)text;
    abort();
}

void g_log(const gchar *domain, GLogLevelFlags level, const gchar *format, ...)
{
    (void)domain, (void)level, (void)format;
    abort();
}

void g_set_error(GError **error, GQuark domain, gint code, const gchar *format, ...)
{
    (void)error, (void)domain, (void)code, (void)format;
    abort();
}

const gchar *g_strerror(gint error)
{
    (void)error;
    abort();
}

GQuark g_thread_error_quark(void)
{
    abort();
}

static GAsyncQueue *queue;
static int values[2];

static void *producer(void *value)
{
#ifdef FORGETS_TO_LOCK
    g_async_queue_push_unlocked(queue, value);
#else
    g_async_queue_push(queue, value);
#endif
    return NULL;
}

static void *consumer(void *unused)
{
    int *value = g_async_queue_pop(queue);
    *value += 1;
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    queue = g_async_queue_new();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, producer, &values[i]);
    for (int i = 2; i < 4; i++)
        pthread_create(&threads[i], NULL, consumer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(values[0] == 1 && values[1] == 1 && g_async_queue_length(queue) == 0);
    g_async_queue_unref(queue);
    return 0;
}
