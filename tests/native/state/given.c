/* SPDX-License-Identifier: Apache-2.0 */
// Everything that a program is given or that the C library and the kernel keep for it is as at first in each execution.
#define _GNU_SOURCE
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int begun, ran, ended;
static _Thread_local int local = 5;

__attribute__((constructor)) static void constructor(void)
{
    begun++;
    local = 6;
    setenv("BY_CONSTRUCTOR", "yes", 1);
}

static void at_exit(void)
{
    assert(ran == 2 && ended == 0);
    ended = 1;
}

static void told_at_exit(int status, void *argument)
{
    assert(status == 0 && argument == &ended && ended == 1);
    ended = 2;
}

__attribute__((destructor)) static void destructor(void)
{
    assert(ended == 2);
}

/* The second one takes everything away. */
static void *work(void *name)
{
    assert(local == 5);
    pthread_mutex_lock(&mutex);
    setenv(name, "x", 0);
    if (ran++) {
        static char variable[] = "A=b";
        assert(getenv("FIRST") && getenv("SECOND"));
        assert(unsetenv("FIRST") == 0 && !getenv("FIRST") && unsetenv("A=b") == -1);
        assert(clearenv() == 0 && !getenv("SECOND"));
        assert(putenv(variable) == 0 && strcmp(getenv("A"), "b") == 0 && environ[0] == variable && !environ[1]);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void take_options(int count, char **arguments)
{
    int option, threads = 0, letters = 0;
    assert(optind == 1 && !optarg);
    while ((option = getopt(count, arguments, "abn:")) != -1) {
        letters += option == 'a' || option == 'b';
        if (option == 'n')
            threads = atoi(optarg);
    }
    assert(letters == 2 && threads == 2 && strcmp(arguments[optind], "word") == 0);
    arguments[optind][0] = 'W';
    arguments[1] = NULL;
    optind = 2;
    getopt(count, arguments, "n2"); /* stops within an argument, to be forgotten */
}

int main(int count, char **arguments, char **environment)
{
    pthread_t first, second;
    char directory[4096];
    assert(begun == 1 && local == 6 && environment == environ && getenv("PATH") && getenv("BY_CONSTRUCTOR"));
    assert(!getenv("FIRST") && !getenv("SECOND") && !getenv("A"));
    for (char **variable = environ; *variable; variable++)
        assert(strncmp(*variable, "PORTOLAN_", 9) != 0);
    take_options(count, arguments);
    assert(strcmp(setlocale(LC_ALL, NULL), "C") == 0 && setlocale(LC_ALL, "C.UTF-8"));
    assert(getcwd(directory, sizeof directory) && strcmp(directory, "/") != 0 && chdir("/") == 0);
    assert(umask(0) != 0);
    assert(!feof(stdin) && getchar() == EOF && feof(stdin));
    on_exit(told_at_exit, &ended);
    atexit(at_exit);
    pthread_create(&first, NULL, work, "FIRST");
    pthread_create(&second, NULL, work, "SECOND");
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
