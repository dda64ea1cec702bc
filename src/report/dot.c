/* SPDX-License-Identifier: Apache-2.0 */
#include "report/dot.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { NOT_RUN = 127 }; /* by this exit status posix_spawn may say that there is no such program */

static enum portolan_status no_dot(int cause, struct portolan_error *error)
{
    fail(error, PORTOLAN_IO, "cannot run dot: %s", strerror(cause));
    hint(error, "pictures are drawn by Graphviz; Debian has it as the package graphviz");
    return PORTOLAN_IO;
}

/* The drawing may take long: it ends when a limit is reached. */
static enum portolan_status await(pid_t child, struct portolan_error *error)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (limits_reached()) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return fail_memory(error);
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    if (ended == child && WIFEXITED(status) && WEXITSTATUS(status) == NOT_RUN)
        return no_dot(ENOENT, error);
    if (ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail(error, PORTOLAN_IO, "dot could not draw the pictures");
    return PORTOLAN_OK;
}

static enum portolan_status run_dot(FILE *in, FILE *out, struct portolan_error *error)
{
    char *arguments[] = {"dot", "-Tsvg", NULL};
    posix_spawn_file_actions_t files;
    pid_t child;
    if (fflush(in) != 0 || fseek(in, 0, SEEK_SET) != 0)
        return fail(error, PORTOLAN_IO, "cannot write what dot is to draw: %s", strerror(errno));
    if (posix_spawn_file_actions_init(&files) != 0)
        return fail_memory(error);
    posix_spawn_file_actions_adddup2(&files, fileno(in), 0);
    posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
    int cause = posix_spawnp(&child, "dot", &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    return cause ? no_dot(cause, error) : await(child, error);
}

static char *whole_text(FILE *in)
{
    struct stat status;
    if (fstat(fileno(in), &status) != 0 || fseek(in, 0, SEEK_SET) != 0)
        return NULL;
    size_t size = (size_t)status.st_size;
    char *text = malloc(size + 1);
    if (text)
        text[fread(text, 1, size, in)] = '\0';
    return text;
}

enum portolan_status dot_draw(FILE *statements, char **drawn, struct portolan_error *error)
{
    FILE *out = tmpfile();
    *drawn = NULL;
    if (!out)
        return fail(error, PORTOLAN_IO, "cannot create a temporary file: %s", strerror(errno));
    enum portolan_status status = run_dot(statements, out, error);
    if (status == PORTOLAN_OK && !(*drawn = whole_text(out)))
        status = fail_memory(error);
    fclose(out);
    return status;
}

bool next_drawing(const char **text, struct drawing *drawing)
{
    const char *start = strstr(*text, "<svg");
    const char *box = start ? strstr(start, "viewBox=\"") : NULL;
    drawing->end = start ? strstr(start, "</svg>") : NULL;
    drawing->body = box ? strchr(box, '>') : NULL;
    if (!drawing->end || !drawing->body ||
        sscanf(start, "<svg width=\"%lfpt\" height=\"%lfpt\"", &drawing->width, &drawing->height) != 2 ||
        sscanf(box, "viewBox=\"%lf %lf %lf %lf\"", &drawing->left, &drawing->top, &drawing->wide, &drawing->high) != 4)
        return false;
    drawing->body++;
    *text = drawing->end + strlen("</svg>");
    return true;
}
