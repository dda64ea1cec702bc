/* SPDX-License-Identifier: Apache-2.0 */
// Two threads that race for a counter; with NOT_SEEN the counting is done by other means.
#include <pthread.h>

int counter;

#if NOT_SEEN == 1 // in another object
void count(void);
#elif NOT_SEEN == 2
static void count(void)
{
    __asm__ volatile("lock; incl %0" : "+m"(counter));
}
#elif NOT_SEEN == 3 // touches no memory
static void count(void)
{
    unsigned spread = 5;
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("pause; nop");
    __asm__ volatile("rep; nop\n\tmfence");
    __asm__("roll $3, %0\n\tbswapl %0" : "+r"(spread));
}
#elif NOT_SEEN == 4 // outside of functions
void count(void);
__asm__(".text\n.globl count\ncount:\nincl counter(%rip)\nret\n");
#elif NOT_SEEN == 5 // a function of libc that nobody has described
#include <search.h>
static void *root;
static int compare(const void *a, const void *b)
{
    return a < b ? -1 : a > b;
}
static void count(void)
{
    tsearch(&counter, &root, compare);
}
#elif NOT_SEEN == 6 // the value is of no use, so that an optimisation would remove the read
static void count(void)
{
    int unused = counter;
    (void)unused;
}
#elif NOT_SEEN == 7 // a variable that nobody reads
static int written;
static void count(void)
{
    written = 1;
}
#elif NOT_SEEN == 8 // described functions
#include <stdio.h>
#include <sys/stat.h>
static struct stat about;
static void count(void)
{
    stat("/", &about);
}
#elif NOT_SEEN == 9  // gcc does not report the write
static struct {
    int a[10];
} shared;
static __attribute__((noinline)) __typeof__(shared) make(void)
{
    __typeof__(shared) made = {{1}};
    return made;
}
static void count(void)
{
    shared = make();
}
#elif NOT_SEEN == 10 // what clang's instrumentation leaves out
static long double sum;
static void count(void)
{
    sum += 1;
}
#elif NOT_SEEN == 11
static struct {
    unsigned first : 9, second : 9;
    unsigned char third;
} bits;
static void count(void)
{
    bits.second = 1;
}
#elif NOT_SEEN == 12 // gcc does not report the read
static struct {
    int a[10];
} shared;
static __attribute__((noinline)) int sum_of(__typeof__(shared) numbers)
{
    return numbers.a[0] + numbers.a[9];
}
static void count(void)
{
    shared.a[sum_of(shared)] = 0;
}
#endif

static void *other(void *argument)
{
    count();
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
#if NOT_SEEN == 6
    counter = 1;
#elif NOT_SEEN == 4
    (void)counter;
#else
    count();
#endif
    pthread_join(thread, NULL);
    return 0;
}
