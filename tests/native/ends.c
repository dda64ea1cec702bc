/* SPDX-License-Identifier: Apache-2.0 */
// Ways not to end as a program should: the first argument chooses one.  Two threads; the loop is in one of them.
#include <argp.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int x, y;
static volatile int volatile_flag, counter;
static int plain_flag;
static const char *kind;
static char *large;
enum { LARGE = 200 << 20 };

static int is(const char *name)
{
    return strcmp(kind, name) == 0;
}

static long call(long number, long first, long second)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
    return result;
}

static void loop(void)
{
    large = is("copying") || is("growing") ? malloc(LARGE) : NULL;
    if (is("volatile"))
        while (!volatile_flag) {
        }
    if (is("plain"))
        while (!plain_flag) {
        }
    if (is("empty"))
        for (;;) {
        }
    if (is("sleeping"))
        for (;;)
            usleep(10);
    if (is("counting"))
        for (;;)
            counter++;
    if (is("calling"))
        for (long i = 0; getppid() != -i - 2; i++) /* never in the same state again, which would be a deadlock */
            ;
    if (is("elsewhere"))
        setpgid(0, getpgid(getppid())); /* not in the group that was made for it */
    if (is("blocked") || is("elsewhere"))
        open("fifo", O_RDONLY);
    if (is("copying"))
        for (int zero = open("/dev/zero", O_RDONLY);;)
            if (read(zero, large, LARGE) < 0)
                break;
    if (is("growing"))
        for (size_t i = 0;; i = (i + 4096) % LARGE)
            large[i]++;
}

// Ends the process behind the back of whoever looks on.
static void vanish(void)
{
    if (is("system-call"))
        call(SYS_exit_group, 0, 0);
    if (is("killed"))
        call(SYS_kill, call(SYS_getpid, 0, 0), SIGKILL);
    if (is("library")) {
        char *words[] = {"program", "--version", NULL};
        argp_program_version = "1";
        argp_parse(&(struct argp){0}, 2, words, 0, NULL, NULL);
    }
}

static void *first(void *unused)
{
    x = 1;
    loop();
    y = 1;
    return unused;
}

static void *second(void *unused)
{
    if (x == 1) {
        volatile_flag = plain_flag = 1;
        vanish();
    }
    return unused;
}

// Far too many schedules to try all.
static void *search(void *unused)
{
    for (int i = 0; i < 20; i++)
        if (x++ > 1000) // the result is used, so that the order matters
            y = 1;
    return unused;
}

static void fill_descriptors(void)
{
    for (int i = 0; i < 100; i++) {
        dprintf(i, "this does not belong here\n");
        close(i);
    }
}

int main(int count, char **arguments)
{
    pthread_t threads[2];
    kind = count > 1 ? arguments[1] : "none";
    int is_search = is("search");
    pthread_create(&threads[0], NULL, is_search ? search : first, NULL);
    pthread_create(&threads[1], NULL, is_search ? search : second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    if (is("descriptors"))
        fill_descriptors();
    if (is("status")) {
        printf("no \377 good\n");
        exit(y == 1 && count > 2 ? atoi(arguments[2]) : 0);
    }
    if (is("noncanonical"))
        *(volatile int *)0x4141414141414141 = 1;
    return 0;
}

#ifdef BEFORE_MAIN
__attribute__((constructor)) static void before_main(void)
{
    call(SYS_exit_group, 5, 0);
}
#endif
