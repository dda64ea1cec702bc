/*
 * Weak initials and what is left: Abdulla, Aronis, Jonsson and Sagonas,
 * "Source sets: a foundation for optimal dynamic partial order reduction",
 * JACM 2017, definitions 4.1 and 6.1.
 */
#include "stateless/sequence.h"

#include <string.h>

struct footprint footprint_of(uint32_t agent, const struct portolan_access *accesses, uint32_t count)
{
    struct footprint f = {.agent = agent, .access_count = count, .accesses = accesses};
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bit = UINT64_C(1) << (accesses[i].object % 64);
        f.touched |= bit;
        f.written |= accesses[i].writes ? bit : 0;
    }
    return f;
}

static void set_item(struct sequence *s, uint32_t i, uint32_t *used, const struct footprint *f)
{
    s->items[i] = (struct item){f->agent, f->access_count, *used, f->touched, f->written};
    if (f->access_count)
        memcpy(s->accesses + *used, f->accesses, f->access_count * sizeof *f->accesses);
    *used += f->access_count;
}

struct sequence *sequence_make(const struct execution *x, const uint32_t *events, size_t count,
                               const struct footprint *last)
{
    size_t accesses = last->access_count;
    for (size_t i = 0; i < count; i++)
        accesses += x->events.item[events[i]].access_count;
    size_t head = sizeof(struct sequence) + (count + 1) * sizeof(struct item);
    struct sequence *s = malloc(head + accesses * sizeof(struct portolan_access));
    if (!s)
        return NULL;
    *s = (struct sequence){.length = (uint32_t)count + 1, .accesses = (void *)((char *)s + head)};
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = &x->events.item[events[i]];
        struct footprint f = footprint_of(e->agent, accesses_of(x, events[i]), e->access_count);
        set_item(s, i, &used, &f);
    }
    set_item(s, (uint32_t)count, &used, last);
    return s;
}

void sequence_free(struct sequence *s)
{
    if (s)
        free(s->known);
    free(s);
}

bool is_weak_initial(const struct sequence *s, const struct footprint *step, uint32_t *position)
{
    uint32_t i = s->start;
    while (i < s->length && s->items[i].agent != step->agent)
        i++;
    *position = i;
    struct footprint own = i < s->length ? sequence_at(s, i) : *step;
    for (uint32_t j = s->start; j < i; j++) {
        struct footprint other = sequence_at(s, j);
        if (footprints_conflict(&own, &other))
            return false;
    }
    return true;
}

void sequence_remove(struct sequence *s, uint32_t position)
{
    memmove(&s->items[s->start + 1], &s->items[s->start], (position - s->start) * sizeof s->items[0]);
    s->start++;
}

/* Takes the step out of what is left of v, when it could come first there. */
static bool take_out(const struct sequence *v, const struct footprint *step, bool *removed)
{
    uint32_t i = v->start;
    while (i < v->length && (removed[i] || v->items[i].agent != step->agent))
        i++;
    struct footprint own = i < v->length ? sequence_at(v, i) : *step;
    for (uint32_t j = v->start; j < i; j++) {
        struct footprint other = sequence_at(v, j);
        if (!removed[j] && footprints_conflict(&own, &other))
            return false;
    }
    if (i < v->length)
        removed[i] = true;
    return true;
}

bool sequences_compatible(const struct sequence *u, const struct sequence *v, bool *removed)
{
    memset(removed, 0, v->length * sizeof *removed);
    for (uint32_t i = u->start; i < u->length; i++) {
        struct footprint step = sequence_at(u, i);
        if (!take_out(v, &step, removed))
            return false;
    }
    return true;
}
