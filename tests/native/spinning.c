/* SPDX-License-Identifier: Apache-2.0 */
// A random program with loops that wait for several variables, each of which ends in every fair schedule: the first
// thread waits for nobody.  Each execution writes what it saw to an open file.  Usage: spinning SEED FILE-NUMBER
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS = 3, VARIABLES = 3 };

static atomic_int variable[VARIABLES];
static _Atomic unsigned char small[2];
static unsigned seen[THREADS], seeds[THREADS];

static unsigned draw(unsigned *random, unsigned range)
{
    *random = *random * 1103515245u + 12345u;
    return (*random >> 16) % range;
}

static void see(unsigned *digest, int value)
{
    *digest = *digest * 31 + (unsigned)value + 1;
}

static void step(int me, unsigned *random)
{
    unsigned a = draw(random, VARIABLES), b = draw(random, VARIABLES);
    int old = 0;
    switch (draw(random, 6)) {
    case 0: see(&seen[me], atomic_load(&variable[a])); break;
    case 1: atomic_store(&variable[a], me); break;
    case 2: see(&seen[me], atomic_fetch_add(&variable[a], 4)); break;
    case 3: see(&seen[me], atomic_exchange(&small[a % 2], 1)); break;
    case 4: see(&seen[me], atomic_compare_exchange_strong(&variable[b], &old, 2)); break;
    default: see(&seen[me], atomic_load(&small[b % 2])); break;
    }
}

static void wait_for_some(int me, unsigned *random)
{
    unsigned a = draw(random, VARIABLES);
    switch (draw(random, 4)) {
    case 0:
        while (!(atomic_load(&variable[a]) & 64) && !(atomic_load(&variable[(a + 1) % VARIABLES]) & 64))
            ;
        break;
    case 1:
        while (!((atomic_load(&variable[a]) | atomic_load(&variable[(a + 1) % VARIABLES]) |
                  atomic_load(&variable[(a + 2) % VARIABLES])) &
                 64))
            ;
        break;
    case 2: // an exchange that finds what it writes changes nothing
        while (atomic_exchange(&small[0], 1) && !(atomic_load(&variable[a]) & 64))
            ;
        break;
    default:
        while (atomic_load(&small[0]) != atomic_load(&small[1]) && !(atomic_load(&variable[a]) & 64))
            ;
        break;
    }
    see(&seen[me], atomic_load(&variable[a]));
}

static void *run(void *argument)
{
    int me = (int)(long)argument;
    unsigned random = seeds[me];
    step(me, &random);
    if (me == 0)
        for (int i = 0; i < VARIABLES; i++)
            atomic_fetch_or(&variable[i], 64);
    else
        wait_for_some(me, &random);
    return NULL;
}

static unsigned number(const char *text)
{
    unsigned value = 0;
    for (; *text; text++)
        value = value * 10 + (unsigned)(*text - '0');
    return value;
}

int main(int count, char **arguments)
{
    pthread_t thread[THREADS];
    unsigned random = number(arguments[1]);
    char line[THREADS * 9 + 1];
    draw(&random, 2);
    int threads = 2 + (int)draw(&random, 2), used = 0;
    for (int i = 0; i < threads; i++) {
        seeds[i] = random + 7919u * (unsigned)i;
        pthread_create(&thread[i], NULL, run, (void *)(long)i);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < threads; i++, line[used++] = ' ')
        for (int shift = 28; shift >= 0; shift -= 4)
            line[used++] = "0123456789abcdef"[seen[i] >> shift & 15];
    line[used++] = '\n';
    return write(count > 2 ? (int)number(arguments[2]) : 1, line, (size_t)used) < 0;
}
