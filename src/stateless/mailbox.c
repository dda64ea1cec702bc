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
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static size_t bytes_of(size_t room)
{
    return sizeof(struct mailbox) + room * sizeof(uint32_t);
}

static size_t choose_room(void)
{
    struct rlimit limit;
    size_t room = MAILBOX_WORDS;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes_of(room))
        room = limit.rlim_cur > bytes_of(0) ? (limit.rlim_cur - bytes_of(0)) / sizeof(uint32_t) : 0;
    return room;
}

struct mailbox *mailbox_make(char name[MAILBOX_NAME], int *file)
{
    size_t room = choose_room();
    *file = memfd_create("portolan", MFD_CLOEXEC);
    bool fine = *file >= 0 && room && ftruncate(*file, (off_t)bytes_of(room)) == 0;
    struct mailbox *mailbox =
        fine ? mmap(NULL, bytes_of(room), PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0) : MAP_FAILED;
    snprintf(name, MAILBOX_NAME, "/proc/%d/fd/%d", (int)getpid(), *file);
    if (mailbox != MAP_FAILED) {
        mailbox->room = (uint32_t)room;
        return mailbox;
    }
    if (*file >= 0)
        close(*file);
    return NULL;
}

void mailbox_free(struct mailbox *mailbox, int file)
{
    if (!mailbox)
        return;
    munmap(mailbox, bytes_of(mailbox->room));
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
    if (source->letter.count > m->room)
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
    struct stat about;
    int file = open(name, O_RDWR | O_CLOEXEC);
    void *memory = file >= 0 && fstat(file, &about) == 0
                       ? mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                       : MAP_FAILED;
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
        munmap(source->mailbox, bytes_of(source->mailbox->room));
    free(source->source.letter.item);
}
