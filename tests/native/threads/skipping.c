/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 1 executions
// A loop that reads a file to its end is in the same state over and over, but does not go round forever.
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static volatile int flag;

static FILE *zeros(void)
{
    FILE *file = tmpfile();
    assert(file);
    for (int i = 0; i < 40000; i++)
        fputc(0, file);
    rewind(file);
    return file;
}

int main(void)
{
    char byte;
    FILE *file = zeros();
    while (fgetc(file) != EOF)
        if (flag)
            break;
    assert(feof(file));
    lseek(fileno(file), 0, SEEK_SET);
    while (read(fileno(file), &byte, 1) == 1)
        if (flag)
            break;
    fclose(file);
    return 0;
}
