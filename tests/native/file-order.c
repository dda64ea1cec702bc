/* SPDX-License-Identifier: Apache-2.0 */
// Threads that share a file: in which order they use it decides who reads what.  WRONG relies on the order in which
// they were created (REVERSED: on the other one).
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static FILE *stream;
static int number, found[2];

static void *reader(void *argument)
{
    int *result = argument;
#if WRONG == 1
    *result = fgetc(stream);
#elif WRONG == 2
    char c = 0;
    if (read(number, &c, 1) == 1)
        *result = c;
#elif WRONG == 3
    if (result == &found[0])
        *result = rename("letters", "others") == 0 ? 'a' : 0;
    else
        *result = access("others", R_OK) == 0 ? 'b' : 0;
#else
    FILE *own = fopen("letters", "r");
    *result = fgetc(own) + (result == &found[1]);
    fprintf(stderr, "%c\n", *result);
    fclose(own);
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    rename("others", "letters");
    FILE *file = fopen("letters", "w");
    fputs("ab", file);
    fclose(file);
    stream = fopen("letters", "r");
    number = open("letters", O_RDONLY);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, reader, &found[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    fclose(stream);
    close(number);
#ifdef REVERSED
    assert(found[0] == 'b' && found[1] == 'a');
#else
    assert(found[0] == 'a' && found[1] == 'b');
#endif
    return 0;
}
