/* SPDX-License-Identifier: Apache-2.0 */
/* The manual pages: portolan(1), and one for each command. */
#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text in roff: hyphens of options and leading dots must survive. */
static void roff(const char *text)
{
    if (*text == '\'' || *text == '.')
        fputs("\\&", stdout); /* not a request */
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
    }
}

static void print_head(const char *name)
{
    printf(".TH ");
    for (; *name; name++)
        putchar(toupper((unsigned char)*name));
    printf(" 1 \"\" \"portolan %s\" \"User Commands\"\n", PORTOLAN_VERSION);
}

static void print_options(enum command command)
{
    struct option_text option;
    for (size_t next = 0; option_next(command, &next, &option);) {
        printf(".TP\n.B ");
        if (option.letter)
            printf("\\-%c\\fR, \\fB", option.letter);
        printf("\\-\\-");
        roff(option.name);
        if (option.argument)
            printf("%s\\fI%s\\fR", option.is_attached ? "" : " ", option.argument);
        printf("\n");
        roff(option.help);
        printf("\n");
    }
}

static void print_synopsis(const struct command_help *command)
{
    printf(".B portolan %s\n", command->name);
    roff(command->usage);
    printf("\n");
}

/* A sentence: the summary with a capital letter and a full stop. */
static void print_summary(const struct command_help *command)
{
    putchar(toupper((unsigned char)command->summary[0]));
    roff(command->summary + 1);
    printf(".\n");
}

static void print_command(const struct command_help *command)
{
    char name[64];
    snprintf(name, sizeof name, "portolan-%s", command->name);
    print_head(name);
    printf(".SH NAME\n");
    roff(name);
    printf(" \\- ");
    roff(command->summary);
    printf("\n.SH SYNOPSIS\n");
    print_synopsis(command);
    printf(".SH DESCRIPTION\n");
    print_summary(command);
    if (command->details[0]) {
        printf(".PP\n");
        roff(command->details);
        printf("\n");
    }
    printf(".SH OPTIONS\n");
    print_options(command->command);
    printf(".SH \"SEE ALSO\"\n.BR portolan (1)\n");
}

static void print_overview(void)
{
    print_head("portolan");
    printf(".SH NAME\nportolan \\- model checking with partial\\-order reduction\n.SH SYNOPSIS\n");
    for (const struct command_help *c = commands; c->name; c++) {
        print_synopsis(c);
        printf(".br\n");
    }
    printf(".SH DESCRIPTION\nPortolan explores the states of a concurrent system and tells whether it can deadlock, "
           "whether an invariant holds, whether a state can be reached and whether every run satisfies an LTL formula. "
           "Partial\\-order reduction leaves out interleavings that make no difference; every combination of "
           "reduction, proviso and search that would not be sound for the property asked for is refused. Models are "
           "Petri nets in PNML, high\\-level nets of Helena, DVE and Promela models, thread programs, "
           "message\\-passing protocols, entity systems and graph grammars; C programs with threads are compiled by "
           "\\fBportolan cc\\fR and explored by \\fBportolan run\\fR. Each command has a page of its own with its "
           "options.\n.SH COMMANDS\n");
    for (const struct command_help *c = commands; c->name; c++) {
        printf(".TP\n.BR portolan\\-%s (1)\n", c->name);
        print_summary(c);
    }
    printf(".SH \"EXIT STATUS\"\n0 the property holds, 1 it is violated, 2 wrong usage or bad input, 3 undecided: a "
           "limit was reached or the run was interrupted.\n.SH \"SEE ALSO\"\n");
    for (const struct command_help *c = commands; c->name; c++)
        printf(".BR portolan\\-%s (1)%s\n", c->name, c[1].name ? "," : "");
}

void print_manual(const struct command_help *command)
{
    if (command)
        print_command(command);
    else
        print_overview();
}
