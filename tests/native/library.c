/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 1 executions
// Functions of libc do what they should, give the same in every execution, and work with our heap.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int compared;

static int compare(const void *a, const void *b)
{
    compared++; /* a step in the middle of libc */
    return *(const int *)a - *(const int *)b;
}

static void strings(void)
{
    char to[32] = "abc", text[] = "one,two,,three", *rest, *end;
    assert(mempcpy(to, "xyz", 3) == to + 3 && memccpy(to, "hello", 'l', 5) == to + 3);
    assert(strcmp(stpcpy(to, "copied") - 6, "copied") == 0 && strnlen(to, 3) == 3 && strspn(to, "poc") == 3);
    assert(strcspn(to, "d") == 5 && strpbrk(to, "ed") == to + 4 && memmem(to, 6, "pi", 2) == to + 2);
    assert(strcmp(strtok(text, ","), "one") == 0 && strcmp(strtok(NULL, ","), "two") == 0);
    assert(strcmp(strtok(NULL, ","), "three") == 0 && !strtok(NULL, ","));
    char more[] = "a b";
    assert(strcmp(strtok_r(more, " ", &rest), "a") == 0 && strcmp(strtok_r(NULL, " ", &rest), "b") == 0);
    assert(strtol("12x", &end, 10) == 12 && *end == 'x' && atoi("-7") == -7 && strtod("0.5", NULL) == 0.5);
    bcopy("hi", to, 3);
    assert(strcmp(to, "hi") == 0 && strcasecmp(to, "HI") == 0 && strcmp(strcat(to, "gh"), "high") == 0);
    assert(strcmp(strncat(to, "est", 1), "highe") == 0 && strcmp(strncpy(to, "no", 5), "no") == 0 && to[4] == 0);
    memmove(to + 1, "abcdefghijklmnop", 17);
    memmove(to + 2, to + 1, 17);
    assert(strcmp(to + 2, "abcdefghijklmnop") == 0);
    bzero(to, sizeof to);
    assert(to[0] == 0 && strerror(ENOENT));
}

static void formats(void)
{
    char to[64], word[8], *made;
    int number, count;
    double real;
    long wide;
    assert(snprintf(to, 4, "%s-%d", "word", 5) == 6 && strcmp(to, "wor") == 0);
    assert(sprintf(to, "%5.2f|%-4s|%.*s|%c|%ld|%n%%", 1.5, "ab", 2, "xyz", 'c', 7L, &count) == 19 && count == 18);
    assert(strcmp(to, " 1.50|ab  |xy|c|7|%") == 0);
    assert(sscanf("12 word 2.5 99", "%d %7s %lf %ld%n", &number, word, &real, &wide, &count) == 4);
    assert(number == 12 && strcmp(word, "word") == 0 && real == 2.5 && wide == 99 && count == 14);
    assert(sscanf("7:rest", "%d:%[a-z]", &number, word) == 2 && number == 7 && strcmp(word, "rest") == 0);
    assert(asprintf(&made, "%s%d", "n", 3) == 2 && strcmp(made, "n3") == 0);
    free(made);
    made = strdup("copy");
    free(made);
    printf("%s %Lf\n", to, 1.0L);
    puts("done");
}

static void chance(void)
{
    static unsigned state = 3;
    unsigned char bytes[8];
    struct timespec time, before;
    struct timeval day;
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(clock_gettime(CLOCK_MONOTONIC, &time) == 0 && time.tv_nsec == before.tv_nsec + 1000000);
    assert(gettimeofday(&day, NULL) == 0 && day.tv_sec == time.tv_sec && timespec_get(&time, TIME_UTC) == TIME_UTC);
    assert(clock_nanosleep(CLOCK_REALTIME, 0, &time, NULL) == 0 && sleep(1000000) == 0 && usleep(5) == 0);
    time_t now = 0;
    assert(strcmp(asctime(gmtime(&now)), "Thu Jan  1 00:00:00 1970\n") == 0);
    srand(1);
    int first = rand();
    srand(1);
    assert(first == rand() && getrandom(bytes, 8, 0) == 8 && drand48() < 1 && random() >= 0 && rand_r(&state) >= 0);
}

static void jumps(void)
{
    static jmp_buf place;
    volatile int rounds = 0;
    if (setjmp(place) < 3) {
        rounds++;
        longjmp(place, rounds);
    }
    assert(rounds == 3);
}

static void *work(void *unused)
{
    int numbers[300], wanted = 150;
    for (int i = 0; i < 300; i++)
        numbers[i] = (i * 7) % 300;
    qsort(numbers, 300, sizeof *numbers, compare);
    assert(bsearch(&wanted, numbers, 300, sizeof *numbers, compare) == &numbers[150]);
    strings();
    formats();
    chance();
    jumps();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(compared > 300);
    work(NULL);
    return 0;
}
