/* SPDX-License-Identifier: Apache-2.0 */
#include "native/reservations.h"
#include "native/report.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 64, LONGEST = 500 };

/* In memory that all processes share, outside of what is reset between executions. */
struct reservations {
    atomic_uint claimed;
    struct reservation {
        atomic_bool is_there;
        bool undecided;
        char text[LONGEST];
    } list[MOST];
};

static struct reservations *all;

bool reservations_make(void)
{
    void *memory = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        all = memory;
    return all;
}

static unsigned count(void)
{
    unsigned claimed = all ? atomic_load(&all->claimed) : 0;
    return claimed < MOST ? claimed : MOST;
}

/* The i-th one, unless it is still being written or was there before. */
static const struct reservation *reservation(unsigned i)
{
    const struct reservation *one = &all->list[i];
    if (!atomic_load(&one->is_there))
        return NULL;
    for (unsigned k = 0; k < i; k++)
        if (atomic_load(&all->list[k].is_there) && strcmp(all->list[k].text, one->text) == 0)
            return NULL;
    return one;
}

/* When there are too many, the last one stands for the rest. */
static void put(bool undecided, const char *text)
{
    for (unsigned i = 0; i < count(); i++)
        if (atomic_load(&all->list[i].is_there) && all->list[i].undecided >= undecided &&
            strcmp(all->list[i].text, text) == 0)
            return;
    unsigned place = atomic_fetch_add(&all->claimed, 1);
    struct reservation *one = &all->list[place < MOST ? place : MOST - 1];
    one->undecided = one->undecided || undecided;
    if (place < MOST)
        snprintf(one->text, sizeof one->text, "%s", place < MOST - 1 ? text : "there are more reservations than these");
    atomic_store(&one->is_there, true);
    if (place >= MOST)
        atomic_store(&all->claimed, MOST);
}

void add_reservation(bool undecided, const char *format, ...)
{
    char text[LONGEST];
    va_list arguments;
    if (!all)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(undecided, text);
}

const char *undecided_because(void)
{
    for (unsigned i = 0; i < count(); i++)
        if (atomic_load(&all->list[i].is_there) && all->list[i].undecided)
            return all->list[i].text;
    return NULL;
}

void reservations_tell(char *text, size_t size)
{
    static const char more[] = "!there are more reservations than these\n";
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < count(); i++) {
        const struct reservation *one = reservation(i);
        if (!one)
            continue;
        if (used + strlen(one->text) + sizeof more + 2 > size) {
            memcpy(text + used, more, sizeof more);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%c%s\n", one->undecided ? '!' : ' ', one->text);
    }
}

void reservations_add_told(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        add_reservation(text[0] == '!', "%.*s", (int)length - 1, text + 1);
        text += length + (text[length] == '\n');
    }
}

void reservations_record(void)
{
    for (unsigned i = 0; i < count(); i++) {
        const struct reservation *one = reservation(i);
        struct recorded_reservation item = {.undecided = one && one->undecided};
        if (!one)
            continue;
        snprintf(item.text, sizeof item.text, "%s", one->text);
        record_put(RECORD_RESERVATION, &item, sizeof item);
    }
}
