/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "stateless/mailbox.h"

#include "stateless/saved.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct mailbox *mailbox_make(char name[MAILBOX_NAME], int *file)
{
    *file = memfd_create("portolan", MFD_CLOEXEC);
    bool fine = *file >= 0 && ftruncate(*file, sizeof(struct mailbox)) == 0;
    void *memory = fine ? mmap(NULL, sizeof(struct mailbox), PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0) : MAP_FAILED;
    snprintf(name, MAILBOX_NAME, "/proc/%d/fd/%d", (int)getpid(), *file);
    if (memory != MAP_FAILED)
        return memory;
    if (*file >= 0)
        close(*file);
    return NULL;
}

void mailbox_free(struct mailbox *mailbox, int file)
{
    if (!mailbox)
        return;
    munmap(mailbox, sizeof *mailbox);
    close(file);
}

/* ------------------------------------------------------------------------- who explores */

static struct mailbox *mailbox_of(struct leaf_source *source)
{
    return ((struct mailbox_source *)source)->mailbox;
}

static bool is_interrupted_there(const struct leaf_source *source)
{
    const volatile sig_atomic_t *interrupt = ((const struct mailbox_source *)source)->interrupt;
    return interrupt && *interrupt;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static enum leaf_wish wish(struct leaf_source *source, const struct worker *w)
{
    struct mailbox *m = mailbox_of(source);
    atomic_store_explicit(&m->executions, w->executions, memory_order_relaxed);
    return (enum leaf_wish)atomic_load_explicit(&m->wish, memory_order_relaxed);
}

static bool send_letter(struct leaf_source *source)
{
    struct mailbox *m = mailbox_of(source);
    if (source->letter.count > MAILBOX_WORDS)
        return false;
    while (atomic_load(&m->holds) != NOBODYS) /* the rank takes it soon */
        nap();
    memcpy(m->letter, source->letter.item, source->letter.count * sizeof *m->letter);
    m->count = (uint32_t)source->letter.count;
    atomic_store(&m->stop, source->stop);
    uint32_t some = GIVE_SOME;
    if (source->letter.item[0] == LEAF_GOES_ON)
        atomic_compare_exchange_strong(&m->wish, &some, GO_ON);
    atomic_store(&m->holds, REPORT);
    return true;
}

static bool take(struct leaf_source *source)
{
    struct mailbox *m = mailbox_of(source);
    if (atomic_load(&m->holds) != LEAF)
        atomic_store(&m->asks, 1);
    while (atomic_load(&m->holds) != LEAF) {
        if (atomic_load(&m->ended) || is_interrupted_there(source))
            return false;
        nap();
    }
    source->letter.count = 0;
    bool fine = vector_reserve(&source->letter, m->count);
    if (fine) {
        memcpy(source->letter.item, m->letter, m->count * sizeof *m->letter);
        source->letter.count = m->count;
    }
    atomic_store(&m->holds, NOBODYS);
    return fine;
}

bool mailbox_open(struct mailbox_source *source, const char *name, const volatile sig_atomic_t *interrupt)
{
    int file = open(name, O_RDWR | O_CLOEXEC);
    void *memory =
        file >= 0 ? mmap(NULL, sizeof(struct mailbox), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0)
        close(file);
    *source = (struct mailbox_source){.source = {.wish = wish, .send = send_letter, .take = take},
                                      .mailbox = memory == MAP_FAILED ? NULL : memory,
                                      .interrupt = interrupt};
    return source->mailbox;
}

void mailbox_close(struct mailbox_source *source, enum portolan_stop stop)
{
    if (source->mailbox && !saved_is_over(stop))
        atomic_store(&source->mailbox->stop, stop);
    if (source->mailbox)
        munmap(source->mailbox, sizeof *source->mailbox);
    free(source->source.letter.item);
}
