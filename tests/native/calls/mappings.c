// SPDX-License-Identifier: Apache-2.0
// Mappings are blocks like those of malloc.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static int *p;
static void *w(void *a)
{
#ifdef RACE
    p[3]++;
#endif
#ifdef LATE
    p[3] = 1;
#endif
    return a;
}
int main(void)
{
    pthread_t t;
    p = mmap(0, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(p != MAP_FAILED && p[3] == 0 && (long)p % 4096 == 0);
    int f = open("/etc/passwd", O_RDONLY);
    struct stat st;
    fstat(f, &st);
    char *q = mmap(0, st.st_size, PROT_READ, MAP_PRIVATE, f, 0);
    close(f);
    assert(q[0] == 'r' && q[st.st_size] == 0);
    p[3] = 1;
    pthread_create(&t, 0, w, 0);
#ifdef RACE
    p[3]++;
#endif
#ifdef LATE
    munmap(p, 10000);
#endif
    pthread_join(t, 0);
#ifndef LATE
    assert(munmap(p, 10000) == 0);
#endif
#ifdef PART
    munmap(q, 0x100000);
#endif
    munmap(q, st.st_size);
    return 0;
}
