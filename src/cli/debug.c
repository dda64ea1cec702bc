#include "cli/command.h"
int command_debug(struct settings *settings)
{
    (void)settings;
    return EXIT_WRONG;
}
