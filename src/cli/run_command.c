/* SPDX-License-Identifier: Apache-2.0 */
/* From the arguments of a command to its exit status. */
#include "cli/command.h"
#include "cli/handout.h"
#include "cli/interrupts.h"
#include "cli/limits.h"
#include "cli/screen.h"

#include <string.h>

static int (*const runners[])(struct settings *) = {
    [0] = command_check,  [1] = command_explore, [2] = command_compare,  [3] = command_generate,
    [4] = command_replay, [5] = command_list,    [6] = command_ltl,      [7] = command_certify,
    [8] = command_run,    [10] = command_debug,  [11] = command_convert, [12] = command_simulate,
    [14] = command_serve};

/* A compiler that was interrupted dies of it, as make expects. */
static int end_as_compiler(int status)
{
    if (interrupts_came()) {
        signal(interrupts_came(), SIG_DFL);
        raise(interrupts_came());
    }
    return status;
}

/* Is what goes to standard output for people, and not a table, which has its own width? */
static bool prints_text(const struct settings *settings, enum command command)
{
    if (settings->json && !settings->json_file)
        return false;
    if (command == EXPLORE)
        return !settings->export && !settings->output;
    return (command == CHECK && !settings->contest) || command == REPLAY || command == CERTIFY || command == RUN ||
           command == SIMULATE || command == LIST || (command == GENERATE && !settings->words.count);
}

int run_command(const struct command_help *command, int count, char **arguments, const struct resumption *from)
{
    const char *const *as_given = (const char *const *)arguments - 1; /* with the name of the command */
    struct settings settings = {.program_name = "portolan", .resume = from ? from->file : NULL, .as_given = as_given};
    struct portolan_error error;
    int status;
    if (command->command & (CC | CXX) && !(count == 1 && strcmp(arguments[0], "--help") == 0))
        return end_as_compiler(command_cc(count, arguments, command->command == CXX));
    if (options_read(&settings, command->command, count, arguments, &error) != PORTOLAN_OK) {
        status = wrong(&error);
    } else if (settings.help) {
        print_help(command, settings.program_name);
        status = EXIT_HOLDS;
    } else {
        if (prints_text(&settings, command->command))
            screen_wrap();
        if (from && from->checkpoint)
            settings.checkpoint = from->checkpoint;
        settings.shard = from ? from->shard : NULL;
        bool runs_here = !(command->command & (RUN | DEBUG | LIST));
        if (ranks_join(&settings, &error) != PORTOLAN_OK) {
            status = wrong(&error);
        } else {
            bool is_handed_out = wants_handout(&settings, command->command);
            if (runs_here || is_handed_out)
                command_limits_begin(&settings, command->name);
            status = is_handed_out ? hand_out(&settings, command) : runners[__builtin_ctz(command->command)](&settings);
            command_limits_end();
            status = ranks_leave(&settings, status);
        }
        screen_unwrap();
    }
    settings_clear(&settings);
    return status;
}
