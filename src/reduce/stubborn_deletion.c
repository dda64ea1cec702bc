/*
 * Stubborn sets by deletion (Valmari 1988; Varpaaniemi 1993): begin with all
 * transitions and try to delete the enabled ones in turn.  A deletion spreads
 * to whatever no longer meets its condition; when it would delete the last
 * enabled transition (the last key, for weak sets) it is undone.  What remains
 * is subset-minimal: no stubborn set has fewer of its enabled transitions.
 *
 * A transition whose deletion failed once cannot be deleted later either, since
 * less is left then; a deletion that spreads to such a one fails at once.
 */
#include "reduce/stubborn.h"

#include <stdlib.h>
#include <string.h>

struct deletion {
    uint32_t *gone_stamp;      /* per transition: deleted in this state */
    uint32_t *enabler_gone;    /* per guard: an enabler has been deleted */
    uint32_t *lost_key;        /* per enabled transition: is no key any more */
    uint32_t *kept;            /* per transition: its deletion has failed */
    uint32_t *queue;           /* deleted, its effects still to be looked at */
    uint32_t *log_transition;  /* for undoing */
    uint32_t *log_guard;
    uint32_t *log_key;
    uint32_t transitions_logged, guards_logged, keys_logged;
    uint32_t left; /* enabled transitions (keys, for weak sets) not deleted */
};

bool deletion_make(struct portolan_stubborn *s)
{
    size_t n = (size_t)s->relations->transitions + 1, guards = (size_t)s->relations->guards + 1;
    struct deletion *d = s->deletion = calloc(1, sizeof *d);
    if (!d)
        return false;
    d->gone_stamp = calloc(n, sizeof *d->gone_stamp);
    d->enabler_gone = calloc(guards, sizeof *d->enabler_gone);
    d->lost_key = calloc(n, sizeof *d->lost_key);
    d->kept = calloc(n, sizeof *d->kept);
    d->queue = calloc(n, sizeof *d->queue);
    d->log_transition = calloc(n, sizeof *d->log_transition);
    d->log_guard = calloc(guards, sizeof *d->log_guard);
    d->log_key = calloc(n, sizeof *d->log_key);
    return d->gone_stamp && d->enabler_gone && d->lost_key && d->kept && d->queue && d->log_transition && d->log_guard &&
           d->log_key;
}

void deletion_forget(struct portolan_stubborn *s)
{
    memset(s->deletion->gone_stamp, 0, s->relations->transitions * sizeof *s->deletion->gone_stamp);
    memset(s->deletion->kept, 0, s->relations->transitions * sizeof *s->deletion->kept);
    memset(s->deletion->lost_key, 0, s->relations->transitions * sizeof *s->deletion->lost_key);
    memset(s->deletion->enabler_gone, 0, s->relations->guards * sizeof *s->deletion->enabler_gone);
}

void deletion_free(struct deletion *d)
{
    if (!d)
        return;
    free(d->gone_stamp);
    free(d->enabler_gone);
    free(d->lost_key);
    free(d->kept);
    free(d->queue);
    free(d->log_transition);
    free(d->log_guard);
    free(d->log_key);
    free(d);
}

static bool gone(const struct portolan_stubborn *s, uint32_t t)
{
    return s->deletion->gone_stamp[t] == s->stamp;
}

static bool is_key(const struct portolan_stubborn *s, uint32_t t)
{
    return s->deletion->lost_key[t] != s->stamp;
}

/* Is there still a false guard of the disabled t with all its enablers? */
static bool has_necessary_enablers(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    for_list(g, s->relations->guards_of, t)
        if (s->deletion->enabler_gone[*g] != s->stamp && !stubborn_guard_holds(s, state, *g))
            return true;
    return false;
}

/* For a non-key: has each guard of the enabled t all its enablers, or all its disablers that t meets? */
static bool guards_are_guarded(const struct portolan_stubborn *s, uint32_t t)
{
    for_list(g, s->relations->guards_of, t)
    {
        if (s->deletion->enabler_gone[*g] != s->stamp)
            continue;
        for_list(u, s->relations->disablers, *g)
        {
            if (*u == t || !gone(s, *u))
                continue;
            for_list(v, s->conflicts, t) /* a disabler that is never enabled beside t does not count */
                if (*v == *u)
                    return false;
        }
    }
    return true;
}

/* Deletes t; false when it must remain, or was the last of those of which one must. */
static bool discard(struct portolan_stubborn *s, uint32_t t, uint32_t *queued)
{
    struct deletion *d = s->deletion;
    if (d->kept[t] == s->stamp)
        return false;
    d->gone_stamp[t] = s->stamp;
    d->log_transition[d->transitions_logged++] = t;
    d->queue[(*queued)++] = t;
    if (stubborn_is_enabled(s, t) && (!s->weak || is_key(s, t)))
        return --d->left > 0;
    return true;
}

/* Of weak sets: x is gone, so those that x may disable are no keys any more and may have to go. */
static bool spread_to_non_keys(struct portolan_stubborn *s, uint32_t x, uint32_t *queued)
{
    struct deletion *d = s->deletion;
    s->work += list_length(&s->conflicted, x);
    for_list(t, s->conflicted, x)
    {
        if (!stubborn_is_enabled(s, *t) || gone(s, *t))
            continue;
        if (is_key(s, *t)) {
            d->lost_key[*t] = s->stamp;
            d->log_key[d->keys_logged++] = *t;
            if (--d->left == 0)
                return false;
        }
        if (!guards_are_guarded(s, *t) && !discard(s, *t, queued))
            return false;
    }
    return true;
}

/* x, an enabler of g, is gone: users of g that relied on its enablers may have to go. */
static bool spread_over_guard(struct portolan_stubborn *s, const void *state, uint32_t g, uint32_t *queued)
{
    struct deletion *d = s->deletion;
    if (d->enabler_gone[g] == s->stamp)
        return true;
    bool held = stubborn_guard_holds(s, state, g);
    if (held && !s->weak)
        return true;
    d->enabler_gone[g] = s->stamp;
    d->log_guard[d->guards_logged++] = g;
    s->work += 2 * list_length(&s->users, g);
    for_list(u, s->users, g)
    {
        if (gone(s, *u))
            continue;
        bool stays = stubborn_is_enabled(s, *u) ? !s->weak || is_key(s, *u) || guards_are_guarded(s, *u)
                                                : has_necessary_enablers(s, state, *u);
        if (!stays && !discard(s, *u, queued))
            return false;
    }
    return true;
}

static bool spread(struct portolan_stubborn *s, const void *state, uint32_t x, uint32_t *queued)
{
    /* strong: every enabled transition in conflict with x; weak: those that override x */
    const struct portolan_lists *dependents = s->weak ? &s->overriders : &s->conflicted;
    s->work += list_length(dependents, x) + list_length(&s->may_enable, x);
    for_list(t, *dependents, x)
        if (stubborn_is_enabled(s, *t) && !gone(s, *t) && !discard(s, *t, queued))
            return false;
    if (s->weak && !spread_to_non_keys(s, x, queued))
        return false;
    for_list(g, s->may_enable, x)
        if (!spread_over_guard(s, state, *g, queued))
            return false;
    return true;
}

static void undo(struct portolan_stubborn *s, uint32_t transitions, uint32_t guards, uint32_t keys, uint32_t left)
{
    struct deletion *d = s->deletion;
    while (d->transitions_logged > transitions)
        d->gone_stamp[d->log_transition[--d->transitions_logged]] = 0;
    while (d->guards_logged > guards)
        d->enabler_gone[d->log_guard[--d->guards_logged]] = 0;
    while (d->keys_logged > keys)
        d->lost_key[d->log_key[--d->keys_logged]] = 0;
    d->left = left;
}

static void try_to_delete(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    struct deletion *d = s->deletion;
    uint32_t transitions = d->transitions_logged, guards = d->guards_logged, keys = d->keys_logged, left = d->left;
    uint32_t queued = 0, done = 0;
    bool fine = discard(s, t, &queued);
    while (fine && done < queued)
        fine = spread(s, state, d->queue[done++], &queued);
    if (!fine) {
        undo(s, transitions, guards, keys, left);
        d->kept[t] = s->stamp;
    }
}

uint32_t deletion_choose(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *order,
                         uint32_t *out)
{
    struct deletion *d = s->deletion;
    d->transitions_logged = d->guards_logged = d->keys_logged = 0;
    d->left = choice->enabled_count;
    for (uint32_t i = 0; i < choice->enabled_count && (d->left > 1 || s->weak); i++)
        if (!gone(s, choice->enabled[order[i]]))
            try_to_delete(s, choice->state, choice->enabled[order[i]]);
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (!gone(s, choice->enabled[i]))
            out[count++] = i;
    return count;
}
