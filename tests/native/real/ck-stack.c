// SPDX-License-Identifier: Apache-2.0
// The stack of Concurrency Kit (libck-dev): two threads push and two take; who takes an entry
// and pushes it back while others are about to take it meets the problem of A, B and A.
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>

static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entries[2];
static int taken[2];

static void *push(void *entry)
{
    ck_stack_push_upmc(&stack, entry);
    return NULL;
}

/* Who takes an entry may push it again at once. */
static void *pop(void *unused)
{
#ifdef PUSHES_BACK
    ck_stack_entry_t *first = ck_stack_pop_upmc(&stack), *second = ck_stack_pop_upmc(&stack);
    if (second)
        __atomic_fetch_add(&taken[second - entries], 1, __ATOMIC_SEQ_CST);
    if (first)
        ck_stack_push_upmc(&stack, first);
#else
    ck_stack_entry_t *entry = ck_stack_pop_upmc(&stack);
    if (entry)
        __atomic_fetch_add(&taken[entry - entries], 1, __ATOMIC_SEQ_CST);
#endif
    return unused;
}

int main(void)
{
    pthread_t pushers[2], poppers[2];
#ifdef PUSHES_BACK
    push(&entries[0]);
    push(&entries[1]);
#else
    for (int i = 0; i < 2; i++)
        pthread_create(&pushers[i], NULL, push, &entries[i]);
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&poppers[i], NULL, pop, NULL);
#ifndef PUSHES_BACK
    for (int i = 0; i < 2; i++)
        pthread_join(pushers[i], NULL);
#else
    (void)pushers;
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(poppers[i], NULL);
    for (ck_stack_entry_t *entry; (entry = ck_stack_pop_npsc(&stack));)
        taken[entry - entries]++;
    assert(taken[0] == 1 && taken[1] == 1);
    return 0;
}
