/* SPDX-License-Identifier: Apache-2.0 */
/* Help, within the width of any terminal. */
#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 79, LEFT = 29, OVERVIEW_LEFT = 22 };

/* Prints the words of a text, which goes on in lines that begin at `indent`; `column` is where the first one begins. */
static void print_wrapped(const char *text, int indent, int column)
{
    const char *between = "";
    for (size_t length; *text; text += length, text += strspn(text, " ")) {
        length = strcspn(text, " ");
        int more = (int)(strlen(between) + length);
        if (column + more > WIDTH && *between) {
            printf("\n%*s", indent, "");
            column = indent;
            between = "";
            more = (int)length;
        }
        printf("%s%.*s", between, (int)length, text);
        column += more;
        between = " ";
    }
    printf("\n");
}

/* Two columns; what is too long for the first one has a line of its own. */
static void print_entry(const char *left, const char *text, int indent)
{
    int used = printf("  %s", left);
    if (used + 1 > indent)
        printf("\n%*s", indent, "");
    else
        printf("%*s", indent - used, "");
    print_wrapped(text, indent, indent);
}

static void print_options(enum command command)
{
    struct option_text option;
    printf("\nOptions:\n");
    for (size_t next = 0; option_next(command, &next, &option);) {
        char left[80];
        const char *argument = option.argument ? option.argument : "";
        int used =
            option.letter ? snprintf(left, sizeof left, "-%c, ", option.letter) : snprintf(left, sizeof left, "    ");
        snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", option.name,
                 option.argument && !option.is_attached ? " " : "", argument);
        print_entry(left, option.help, LEFT);
    }
}

void print_help(const struct command_help *command, const char *program_name)
{
    if (command) {
        printf("Usage: %s %s%s%s\n\n%c%s.\n", program_name, command->name, command->usage[0] ? " " : "", command->usage,
               toupper((unsigned char)command->summary[0]), command->summary + 1);
        if (command->details[0])
            print_wrapped(command->details, 0, 0);
        print_options(command->command);
        return;
    }
    printf("Portolan %s: model checking with partial-order reduction\n\nCommands:\n", PORTOLAN_VERSION);
    for (const struct command_help *c = commands; c->name; c++) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", program_name, c->name);
        print_entry(left, c->summary, OVERVIEW_LEFT);
    }
    printf("\n'%s COMMAND --help' shows the options of a command,\n'%s --version' the version.\n", program_name,
           program_name);
}
