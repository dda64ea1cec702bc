/* SPDX-License-Identifier: Apache-2.0 */
/* portolan cc: linking.  Sources are compiled to objects of their own first. */
#include "cli/cc.h"

#include "base/diagnostic.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* --- names: a function that the program has itself is not redirected to the runtime */

static bool is_object(const char *word)
{
    static const char *const endings[] = {".o", ".a", NULL};
    return word[0] != '-' && ends_with_one_of(word, endings);
}

/* "-lNAME" or "-L DIRECTORY": the name, or NULL when it is another word. */
static const char *value_of(const struct line *line, size_t i, char letter)
{
    const char *word = line->words.item[i];
    if (word[0] != '-' || word[1] != letter)
        return NULL;
    return word[2] ? word + 2 : i + 1 < line->words.count ? line->words.item[i + 1] : NULL;
}

/* Adds the archive that "-lNAME" stands for, if it is in a directory of the line; a shared library comes first. */
static bool add_archive(struct driver *d, const struct line *link, const char *name, struct line *to)
{
    for (size_t i = 0; i < link->words.count; i++) {
        const char *directory = value_of(link, i, 'L');
        char path[PATH_MAX];
        if (!directory)
            continue;
        snprintf(path, sizeof path, "%s/lib%s.so", directory, name);
        if (access(path, R_OK) == 0)
            return true;
        if (name[0] == ':')
            snprintf(path, sizeof path, "%s/%s", directory, name + 1);
        else
            snprintf(path, sizeof path, "%s/lib%s.a", directory, name);
        if (access(path, R_OK) == 0)
            return line_add_made(d, to, "%s", path);
    }
    return true;
}

/* The names that the objects of a line define, one in a line, with "--wrap=" before each; NULL when nm fails. */
static char *own_names(struct driver *d, const struct line *link)
{
    struct line line = {0};
    char *list = new_file(d, ".txt"), *names = NULL, word[300];
    size_t size;
    bool fine = list && line_add(&line, "nm") && line_add(&line, "-gP") && line_add(&line, "--defined-only");
    for (size_t i = 0; i < link->words.count && fine; i++) {
        const char *library = value_of(link, i, 'l');
        fine = (!is_object(link->words.item[i]) || line_add(&line, link->words.item[i])) &&
               (!library || add_archive(d, link, library, &line));
    }
    fine = fine && line_run(&line, list) == EXIT_HOLDS;
    free(line.words.item);
    FILE *from = fine ? fopen(list, "r") : NULL, *to = from ? open_memstream(&names, &size) : NULL;
    while (to && fgets(word, sizeof word, from)) {
        word[strcspn(word, " \n")] = '\0';
        fprintf(to, "\n--wrap=%s\n", word);
    }
    if (from)
        fclose(from);
    if (to && fclose(to) != 0)
        names = NULL;
    return names;
}

/* The functions that the linker redirects to the runtime, in a file; NULL when it cannot be made. */
static const char *redirections(struct driver *d, const struct line *link)
{
    char path[PATH_MAX + 40], word[300], *own = own_names(d, link), *list = new_file(d, ".txt");
    snprintf(path, sizeof path, "%s/libportolan_run.wrap", d->directory);
    FILE *from = fopen(path, "r"), *to = list ? fopen(list, "w") : NULL;
    bool fine = from && to;
    word[0] = '\n';
    while (fine && fgets(word + 1, sizeof word - 1, from))
        if (!own || strcmp(word, "\n--wrap=main\n") == 0 || !strstr(own, word))
            fputs(word + 1, to);
        else
            fprintf(to, "--defsym=__real_%.*s=%s", (int)strcspn(word + 8, "\n"), word + 8, word + 8);
    if (from)
        fclose(from);
    if (to)
        fine = fclose(to) == 0 && fine;
    free(own);
    return fine ? list : NULL;
}

/* --- the line */

/* Adds a word to the line that links, or the object for a source. */
static int link_word(struct driver *d, struct line *line, size_t *i, const char **language)
{
    const struct word_list *arguments = &d->arguments;
    const char *word = arguments->item[*i], *next = *i + 1 < arguments->count ? arguments->item[*i + 1] : NULL;
    int status = EXIT_HOLDS;
    if (strcmp(word, "-x") == 0 && next) {
        *language = next;
        ++*i;
        return status;
    }
    if (strcmp(word, "-fsanitize=thread") == 0) /* would bring the other runtime */
        return status;
    if (is_source(d, word, *language) || is_assembly(word, *language)) {
        struct made_object made = {new_file(d, ".o"), word};
        if (!made.object || !vector_push(&d->objects, made))
            return EXIT_WRONG;
        status = compile_source(d, word, *language, false, made.object);
        return status != EXIT_HOLDS || line_add(line, made.object) ? status : EXIT_WRONG;
    }
    bool fine = line_add(line, word);
    if (fine && takes_next(word) && next) {
        fine = line_add(line, next);
        ++*i;
    }
    return fine ? status : EXIT_WRONG;
}

static const char *program_name(const struct word_list *arguments)
{
    const char *name = "a.out";
    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->item[i];
        if (strncmp(word, "-o", 2) == 0 && word[2])
            name = word + 2;
        else if (strcmp(word, "-o") == 0 && i + 1 < arguments->count)
            name = arguments->item[i + 1];
        i += takes_next(word);
    }
    return name;
}

int link_program(struct driver *d)
{
    struct line line = {0};
    struct portolan_error error;
    const char *language = NULL;
    int status = line_add(&line, d->compiler) ? EXIT_HOLDS : EXIT_WRONG;
    for (size_t i = 0; i < d->arguments.count && status == EXIT_HOLDS; i++)
        status = link_word(d, &line, &i, &language);
    if (status == EXIT_HOLDS && has_word(&d->arguments, "-shared")) {
        status = link_shared(d, &line, program_name(&d->arguments));
        free(line.words.item);
        return status;
    }
    if (status == EXIT_HOLDS && !take_shared(d, &line))
        status = EXIT_WRONG;
    const char *redirected = status == EXIT_HOLDS ? redirections(d, &line) : NULL, *list = new_file(d, ".txt");
    size_t users = line.words.count;
    bool fine = redirected && list && line_add_made(d, &line, "%s/libportolan_run.a", d->directory) &&
                line_add_made(d, &line, "-Wl,@%s", redirected) && line_add(&line, "-Wl,-t,-t") &&
                line_add(&line, "-Wl,-z,now") && /* what the loader writes later could not be undone */
                line_add(&line, "-lm") && line_add(&line, "-ldl") && line_add(&line, "-pthread");
    if (status == EXIT_HOLDS && fine) {
        status = line_run(&line, list);
    } else if (status == EXIT_HOLDS) {
        fail(&error, PORTOLAN_IO, "%s/libportolan_run.wrap cannot be read, or temporary files cannot be written",
             d->directory);
        status = wrong(&error);
    }
    line.words.count = users;
    if (status == EXIT_HOLDS && record_unseen(d, &line, list, program_name(&d->arguments), &error) != PORTOLAN_OK)
        status = wrong(&error);
    free(line.words.item);
    return status;
}
