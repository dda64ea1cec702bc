/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads add one to a number in a file, without a lock.  What an execution does to files the next one does not
 * find, and the user's files stay as they are: `number` has 5 at the beginning of each. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *add(void *argument)
{
    int value = 0;
    FILE *file = fopen("number", "r+");
    assert(file && fscanf(file, "%d", &value) == 1);
    rewind(file);
    fprintf(file, "%d\n", value + 1);
    fclose(file);
    return argument;
}

static void names(void)
{
    struct stat found;
    char text[9] = "", pattern[] = "temporary-XXXXXX";
    assert(stat("made", &found) != 0 && errno == ENOENT);
    int file = open("made", O_CREAT | O_EXCL | O_RDWR, 0600), again = open("./made", O_RDONLY);
    assert(file >= 0 && again >= 0 && write(file, "hello", 5) == 5);
    assert(read(again, text, 8) == 5 && strcmp(text, "hello") == 0);
    assert(stat("made", &found) == 0 && found.st_size == 5 && found.st_mode == (S_IFREG | 0600));
    assert(open("made", O_CREAT | O_EXCL | O_RDWR, 0600) < 0 && errno == EEXIST);
    assert(rename("made", "other") == 0 && access("made", F_OK) != 0 && access("other", F_OK) == 0);
    assert(truncate("other", 2) == 0 && lseek(file, 0, SEEK_END) == 2);
    assert(unlink("other") == 0 && access("other", F_OK) != 0 && unlink("other") != 0 && errno == ENOENT);
    assert(unlink("kept") == 0 && access("kept", F_OK) != 0 && !fopen("kept", "r"));
    assert(mkdir("directory", 0777) == 0 && mkdir("directory", 0777) != 0 && errno == EEXIST);
    FILE *inside = fopen("directory/inside", "w");
    assert(inside && fclose(inside) == 0 && rmdir("directory") != 0 && errno == ENOTEMPTY);
    assert(remove("directory/inside") == 0 && rmdir("directory") == 0 && access("directory", F_OK) != 0);
    int made = mkstemp(pattern);
    assert(made >= 0 && access(pattern, R_OK | W_OK) == 0);
    assert(!fopen("nowhere/file", "w") && errno == ENOENT);
    close(made);
    close(again);
    close(file);
}

int main(void)
{
    pthread_t one, two;
    int value = 0;
    names();
    pthread_create(&one, NULL, add, NULL);
    pthread_create(&two, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    FILE *file = fopen("number", "r");
    assert(file && fscanf(file, "%d", &value) == 1);
    fclose(file);
    assert(value <= 7); /* not what earlier executions have added */
    assert(value >= LEAST);
    return 0;
}
