/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <fcntl.h>
#include <string.h>

static int run(const struct command_help *command, int count, char **arguments)
{
    bool asks_for_help = count == 1 && (strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0);
    if (command->command == RESUME && !asks_for_help)
        return command_resume(count, arguments);
    if (command->command == SHARD && !asks_for_help)
        return command_shard(count, arguments);
    if (command->command == MERGE && !asks_for_help)
        return command_merge(count, arguments);
    return run_command(command, count, arguments, NULL);
}

/* A descriptor that is closed would be that of the next file we open, and hold what is printed, too.  What takes its
 * place can neither be read nor written, as it could not before. */
static void keep_closed(void)
{
    static const int flags[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int descriptor = 0; descriptor < 3; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0)
            open("/dev/null", flags[descriptor]); // NOLINT: the lowest that is free, which is this one
}

/* What was printed must have arrived: a full disk is an error, whatever the verdict. */
static int flushed(int status)
{
    struct portolan_error error;
    if (!close_output(stdout, NULL, &error))
        return status == EXIT_WRONG ? status : wrong(&error); /* it may have been said already */
    return fflush(stderr) != 0 || ferror(stderr) ? EXIT_WRONG : status;
}

static int unknown_command(const char *name)
{
    struct portolan_error error;
    struct nearest nearest = nearest_to(name);
    for (const struct command_help *c = commands; c->name; c++)
        nearest_offer(&nearest, c->name);
    fail(&error, PORTOLAN_BAD_OPTION, "there is no command '%s'", name);
    if (nearest.best)
        hint(&error, "did you mean 'portolan %s'?", nearest.best);
    else
        hint(&error, "'portolan --help' lists the commands");
    return wrong(&error);
}

/* Manual pages and the completion of shells, for the build, which installs them. */
static int print_for_installation(const char *what, const char *word)
{
    struct portolan_error error;
    if (strcmp(what, "--manual") == 0) {
        const struct command_help *command = word ? command_find(word) : NULL;
        if (word && !command)
            return unknown_command(word);
        print_manual(command);
        return EXIT_HOLDS;
    }
    if (word && print_completion(word))
        return EXIT_HOLDS;
    fail(&error, PORTOLAN_BAD_OPTION, "--completion takes bash, zsh or fish");
    return wrong(&error);
}

/* portolan-cc and portolan-c++, for those who want the name of a compiler to be one word: links to this program. */
static const struct command_help *command_of_program(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const struct command_help *command = strncmp(name, "portolan-", 9) == 0 ? command_find(name + 9) : NULL;
    return command && command->command & (CC | CXX) ? command : NULL;
}

int main(int count, char **arguments)
{
    keep_closed();
    const struct command_help *driver = count > 0 ? command_of_program(arguments[0]) : NULL;
    if (driver)
        return flushed(run(driver, count - 1, arguments + 1));
    const char *name = count > 1 ? arguments[1] : "--help";
    const struct command_help *command = command_find(name);
    if (command)
        return flushed(run(command, count - 2, arguments + 2));
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("portolan %s\n", PORTOLAN_VERSION);
        return flushed(EXIT_HOLDS);
    }
    if (strcmp(name, "--manual") == 0 || strcmp(name, "--completion") == 0)
        return flushed(print_for_installation(name, count > 2 ? arguments[2] : NULL));
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        command = count > 2 ? command_find(arguments[2]) : NULL;
        if (count > 2 && !command)
            return unknown_command(arguments[2]);
        print_help(command, "portolan");
        return flushed(count > 1 ? EXIT_HOLDS : EXIT_WRONG);
    }
    return unknown_command(name);
}
