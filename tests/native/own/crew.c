/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workers of a search (src/search/crew.c), and how they share its states depth-first (src/search/pool.c), with a
 * search of a few states that form a tree.  Whatever the schedule, each state is expanded once, all workers end, and
 * whoever is alone is: what it reads there the others write at work, without locks.
 *
 * Arguments: the number of workers, of states, and of the first state whose expansion stops the others, or 0.
 */
#include "search/crew.h"
#include "search/saved.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST = 16 };

static struct portolan_options options = {.engine = PORTOLAN_INTERPRETED};
static struct portolan_result result;
static struct search search = {.options = &options, .result = &result};
static uint32_t states, stops;
static unsigned expanded[MOST], work_of[MOST];

/* --- the rest of a search */

enum portolan_status explorer_make(struct explorer *x, const char *words)
{
    (void)x, (void)words;
    return PORTOLAN_OK;
}

void explorer_clear(struct explorer *x)
{
    (void)x;
}

bool search_goes_on(struct explorer *x)
{
    return !x->search->ended && x->status == PORTOLAN_OK;
}

void end_search(struct search *s, enum portolan_stop stop)
{
    (void)stop;
    s->ended = true;
}

void end_short_of_memory(struct search *s)
{
    end_search(s, PORTOLAN_MEMORY_LIMIT);
}

bool insert_initial(struct explorer *x)
{
    (void)x;
    return true;
}

bool find_step(struct explorer *x, uint32_t from, uint32_t to, struct action_path *path)
{
    (void)x, (void)from, (void)to, (void)path;
    return false;
}

void observe_state(struct explorer *x)
{
    (void)x;
}

void observe_limits(struct explorer *x)
{
    (void)x;
}

void observe_between(struct explorer *x)
{
    (void)x;
}

void save_between_steps(struct explorer *x)
{
    (void)x;
}

void archive_bytes(struct archive *archive, void *bytes, size_t count)
{
    (void)archive, (void)bytes, (void)count;
}

void archive_items(struct archive *archive, void **items, size_t *count, size_t *capacity, size_t size)
{
    (void)archive, (void)items, (void)count, (void)capacity, (void)size;
}

/* --- */

static void look_at_all(struct explorer *x)
{
    unsigned sum = 0;
    if (!crew_stop_others(x->search->crew))
        return;
    for (uint32_t i = 0; i < x->search->crew->workers; i++)
        sum += work_of[i];
    assert(sum <= states * x->search->crew->workers);
    crew_let_go(x->search->crew);
}

bool expand(struct explorer *x, uint32_t state)
{
    x->now.state = state;
    expanded[state]++;
    work_of[x->worker]++;
    for (uint32_t child = 2 * state + 1; child <= 2 * state + 2; child++)
        if (child < states && !x->strategy->found(x, child, NULL, 0))
            return false;
    if (stops && state >= stops)
        look_at_all(x);
    return true;
}

#ifdef MEETINGS
/* As searches by levels do: what one leaves behind at a meeting the others find. */
static unsigned met, left_behind;

static void work(struct explorer *x)
{
    struct crew *crew = x->search->crew;
    for (unsigned level = 0; level < states; level++) {
        crew_pause(crew);
        assert(left_behind == level);
        work_of[x->worker]++;
        if (stops == level + 1)
            look_at_all(x);
        if (crew_meet(crew)) {
            for (uint32_t i = 0; i < crew->workers; i++)
                assert(work_of[i] == level + 1);
            left_behind++;
            met++;
            crew_send_on(crew);
        }
    }
    crew_leave(crew);
}
#endif

int main(int count, char **arguments)
{
    struct strategy strategy = {0};
    struct explorer first = {.search = &search, .strategy = &strategy};
    if (count != 4)
        return 1;
    states = (uint32_t)atoi(arguments[2]);
    stops = (uint32_t)atoi(arguments[3]);
    if (states > MOST || crew_make(&first, (uint32_t)atoi(arguments[1]), NULL) != PORTOLAN_OK)
        return 1;
#ifdef MEETINGS
    crew_run(search.crew, work);
    assert(met == states);
#else
    search_pool(&first);
    for (uint32_t i = 0; i < states; i++)
        assert(expanded[i] == 1);
#endif
    crew_free(search.crew);
    return 0;
}
