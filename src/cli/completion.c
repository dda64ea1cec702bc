/* SPDX-License-Identifier: Apache-2.0 */
/* What bash, zsh and fish read to complete words of a command line.  For bash and zsh the options are one table of
 * lines in a function that both can run; fish has a command for each. */
#include "cli/options.h"

#include "library/open.h"
#include "proviso/proviso.h"
#include "reduce/reduction.h"
#include "search/combination.h"
#include "stateless/system/methods.h"

#include <stdio.h>
#include <string.h>

/* Words that may stand where an option wants one, as `print` has them; none: they are not known, or names of files. */
typedef void print_word(const char *word, size_t length);

static void print_whole(print_word *print, const char *word)
{
    print(word, strlen(word));
}

static void each_reduction(print_word *print)
{
    const char *words;
    print_whole(print, "auto");
    for (size_t i = 0; reductions[i]; i++)
        print_whole(print, reductions[i]->name);
    for (size_t i = 0; system_methods[i]; i++)
        if (!reduction_find(system_methods[i]->name, &words)) /* those that are not among the others */
            print_whole(print, system_methods[i]->name);
}

static void each_alternative(print_word *print, const char *argument)
{
    for (const char *word = argument + (argument[0] == '[' ? 2 : 0); *word;) {
        size_t length = strcspn(word, "|]");
        print(word, length);
        word += length + (word[length] != 0);
    }
}

static void each_word(print_word *print, const struct option_text *option)
{
    static const char *const searches[] = {"auto", "dfs", "bfs", "stateless", "scc", "ndfs", "cndfs"};
    if (strcmp(option->name, "reduction") == 0) {
        each_reduction(print);
    } else if (strcmp(option->name, "proviso") == 0) {
        print_whole(print, "auto");
        for (size_t i = 0; provisos[i]; i++)
            print_whole(print, provisos[i]->name);
    } else if (strcmp(option->name, "search") == 0) {
        for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
            print_whole(print, searches[i]);
    } else if (strcmp(option->name, "store") == 0) {
        print_whole(print, "auto");
        for (const struct store_description *store = store_descriptions; store->name; store++)
            print_whole(print, store->name);
    } else if (strcmp(option->name, "language") == 0) {
        for (const struct language *l = languages; l->name; l++)
            print_whole(print, l->name);
    } else if (option->argument && strchr(option->argument, '|')) {
        each_alternative(print, option->argument);
    }
}

static bool takes_file(const struct option_text *option)
{
    return option->argument && strstr(option->argument, "FILE");
}

/* --- bash and zsh */

static void print_spaced(const char *word, size_t length)
{
    printf(" %.*s", (int)length, word);
}

static void print_names(enum command command)
{
    struct option_text option;
    for (size_t next = 0; option_next(command, &next, &option);) {
        printf(" --%s", option.name);
        if (option.letter)
            printf(" -%c", option.letter);
    }
}

/* A case for each option that takes a value: its words, or files. */
static void print_cases(enum command command)
{
    struct option_text option;
    for (size_t next = 0; option_next(command, &next, &option);) {
        if (!option.argument || option.is_attached)
            continue;
        printf("        --%s", option.name);
        if (option.letter)
            printf("|-%c", option.letter);
        printf(") choices=\"");
        each_word(print_spaced, &option);
        printf("\"; files=%d; return ;;\n", takes_file(&option));
    }
}

/* _portolan_words COMMAND PREVIOUS: sets $choices and $files to what may come next. */
static void print_words_function(void)
{
    printf("_portolan_words() {\n    choices= files=1\n    case $1 in\n    '')\n        files=0\n        choices=\"");
    for (const struct command_help *c = commands; c->name; c++)
        printf("%s ", c->name);
    printf("--help --version\" ;;\n");
    for (const struct command_help *c = commands; c->name; c++) {
        if (c->command & (CC | CXX))
            continue; /* options of the compiler */
        printf("    %s)\n        case $2 in\n", c->name);
        print_cases(c->command);
        printf("        esac\n        choices=\"");
        print_names(c->command);
        printf("\" ;;\n");
    }
    printf("    esac\n}\n");
}

static void print_bash(void)
{
    printf("# bash completion for portolan; made from its table of options\n"
           "COMP_WORDBREAKS=${COMP_WORDBREAKS//:} # names of provisos have colons\n");
    print_words_function();
    printf("_portolan() {\n"
           "    local choices files command= current=${COMP_WORDS[COMP_CWORD]}\n"
           "    [ \"$COMP_CWORD\" -gt 1 ] && command=${COMP_WORDS[1]}\n"
           "    _portolan_words \"$command\" \"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
           "    COMPREPLY=()\n"
           "    case $files$current in\n"
           "    1-*|0*) ;;\n"
           "    *) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;\n"
           "    esac\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$current\")\n"
           "}\n"
           "complete -F _portolan portolan\n");
}

static void print_zsh(void)
{
    printf("#compdef portolan\n# zsh completion for portolan; made from its table of options\n");
    print_words_function();
    printf("_portolan() {\n"
           "    local choices files command=\n"
           "    (( CURRENT > 2 )) && command=${words[2]}\n"
           "    _portolan_words \"$command\" \"${words[CURRENT - 1]}\"\n"
           "    [ -n \"$choices\" ] && compadd -- ${=choices}\n"
           "    (( files )) && _files\n"
           "    return 0\n"
           "}\n"
           "_portolan \"$@\"\n");
}

/* --- fish */

/* Within single quotes. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void print_fish_command(const struct command_help *command)
{
    struct option_text option;
    printf("complete -c portolan -n __fish_use_subcommand -f -a %s -d ", command->name);
    print_quoted(command->summary);
    printf("\n");
    if (command->command & (CC | CXX))
        return;
    for (size_t next = 0; option_next(command->command, &next, &option);) {
        printf("complete -c portolan -n '__fish_seen_subcommand_from %s' -l %s", command->name, option.name);
        if (option.letter)
            printf(" -s %c", option.letter);
        if (option.argument && !option.is_attached)
            printf(takes_file(&option) ? " -r" : " -x");
        if (option.argument && !takes_file(&option)) {
            printf(" -a '");
            each_word(print_spaced, &option);
            printf("'");
        }
        printf(" -d ");
        print_quoted(option.help);
        printf("\n");
    }
}

static void print_fish(void)
{
    printf("# fish completion for portolan; made from its table of options\n");
    for (const struct command_help *c = commands; c->name; c++)
        print_fish_command(c);
}

bool print_completion(const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].print();
            return true;
        }
    return false;
}
