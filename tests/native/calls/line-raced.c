// SPDX-License-Identifier: Apache-2.0
// The line of getline is a block of the program.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char *line;
static size_t size;
static void *other(void *a)
{
    line[0] = 'x';
    return a;
}
int main(void)
{
    FILE *f = fopen("/etc/passwd", "r");
    if (getline(&line, &size, f) < 1)
        return 1;
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    int c = line[0];
    pthread_join(t, 0);
    free(line);
    fclose(f);
    return c == 1;
}
