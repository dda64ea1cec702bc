/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: shared libraries of the same build.  A library is linked as usual, for those who look at it, and has its
 * objects with it, put together in one, in a section of their own.  When a program is linked with the library, it gets
 * that object instead: to the search, both are one program.
 */
#include "cli/cc.h"
#include "cli/elf.h"

#include "base/diagnostic.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool is_input(const char *word)
{
    static const char *const endings[] = {".o", ".a", ".lo", NULL};
    return word[0] != '-' && ends_with_one_of(word, endings);
}

/* Nothing that the runtime has can be found before there is a program. */
static bool wants_all_names(const char *word)
{
    return strstr(word, "-z,defs") || strstr(word, "--no-undefined") || strcmp(word, "defs") == 0;
}

/* One object from all that the library is made of; NULL when it cannot be made. */
static const char *put_together(struct driver *d, const struct line *link)
{
    static const char *const options[] = {"-r", "-nostdlib", "-no-pie", NULL};
    struct line line = {0};
    const char *object = new_file(d, ".o");
    bool fine = object && line_add(&line, d->compiler) && line_add_all(&line, options), any = false;
    for (size_t i = 1; i < link->words.count && fine; i++) {
        const char *word = link->words.item[i];
        bool switches = strcmp(word, "-Wl,--whole-archive") == 0 || strcmp(word, "-Wl,--no-whole-archive") == 0;
        any = any || is_input(word);
        fine = !(is_input(word) || switches) || line_add(&line, word);
        i += takes_next(word);
    }
    fine = fine && line_add(&line, "-o") && line_add(&line, object) && (!any || line_run(&line, NULL) == EXIT_HOLDS);
    free(line.words.item);
    return fine && any ? object : NULL;
}

static int add_section(struct driver *d, const char *object, const char *library)
{
    struct line line = {0};
    bool fine = line_add(&line, "objcopy") && line_add(&line, "--add-section") &&
                line_add_made(d, &line, SHARED_SECTION "=%s", object) && line_add(&line, library);
    int status = fine ? line_run(&line, NULL) : EXIT_WRONG;
    free(line.words.item);
    return status;
}

int link_shared(struct driver *d, struct line *line, const char *output)
{
    size_t kept = 1;
    for (size_t i = 1; i < line->words.count; i++) {
        char *word = line->words.item[i];
        bool pair = strcmp(word, "-z") == 0 && i + 1 < line->words.count;
        if (wants_all_names(pair ? line->words.item[i + 1] : word))
            i += pair;
        else
            line->words.item[kept++] = word;
    }
    line->words.count = kept;
    const char *object = put_together(d, line);
    int status = line_run(line, NULL);
    return status == EXIT_HOLDS && object ? add_section(d, object, output) : status;
}

/* The objects of a library that was linked here, in a file of their own; NULL when it has none. */
static const char *extract(struct driver *d, const char *library)
{
    struct bytes file = map_file(library, O_RDONLY);
    const elf_header_t *header = file.at ? elf_header(file) : NULL;
    struct bytes found = header ? find_section(file, header, SHARED_SECTION) : (struct bytes){0};
    char *object = found.size ? new_file(d, ".o") : NULL;
    FILE *to = object ? fopen(object, "w") : NULL;
    bool fine = to && fwrite(found.at, 1, found.size, to) == found.size;
    if (to)
        fine = fclose(to) == 0 && fine;
    unmap_file(file);
    return fine ? object : NULL;
}

static bool was_taken(const struct driver *d, const char *library)
{
    for (size_t i = 0; i < d->objects.count; i++)
        if (strcmp(d->objects.item[i].source, library) == 0)
            return true;
    return false;
}

/* The library that a word of the line names, "lib/libNAME.so" or "-lNAME"; NULL: none in a directory of the line. */
static const char *named_library(struct driver *d, const struct line *line, size_t i)
{
    const char *word = line->words.item[i], *slash = strrchr(word, '/'), *ending = strstr(slash ? slash : word, ".so");
    if (word[0] != '-')
        return ending && (!ending[3] || ending[3] == '.') ? word : NULL;
    const char *name = word[1] == 'l' && word[2] ? word + 2 : NULL;
    for (size_t k = 1; name && k < line->words.count; k++) {
        const char *option = line->words.item[k], *directory = option + 2;
        if (strncmp(option, "-L", 2) != 0)
            continue;
        if (!*directory && k + 1 < line->words.count)
            directory = line->words.item[k + 1];
        char *path = NULL;
        if (asprintf(&path, "%s/lib%s.so", directory, name) < 0 || !vector_push(&d->owned, path))
            return NULL;
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

bool take_shared(struct driver *d, struct line *line)
{
    size_t kept = 1;
    bool any = false;
    for (size_t i = 1; i < line->words.count; i++) {
        const char *library = named_library(d, line, i);
        bool again = library && was_taken(d, library);
        const char *object = library && !again ? extract(d, library) : NULL;
        if (object && !vector_push(&d->objects, ((struct made_object){object, library})))
            return false;
        any = any || object;
        if (!again)
            line->words.item[kept++] = object ? (char *)(uintptr_t)object : line->words.item[i];
    }
    line->words.count = kept;
    return !any || line_add(line, "-Wl,-z,muldefs"); /* the first one counts, as the loader has it */
}
