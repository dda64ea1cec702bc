/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: what the linker put into the program that was not compiled here.  Each object that has code must have
 * the mark (cc_assembly.c); the names of those that have none, and the places of inline assembly, are written into the
 * program, where the runtime finds them (src/native/unseen.c).
 */
#include "cli/cc.h"
#include "cli/elf.h"

#include "base/diagnostic.h"
#include "native/libraries.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

struct look {
    const struct driver *driver;
    const struct line *line; /* words that the user, or this program for them, wrote */
    FILE *record;
    const char *name; /* of what is looked at, for people */
};

/* --- objects */

typedef Elf64_Sym elf_symbol_t __attribute__((aligned(1)));

/* Machine code, or what the linker makes it from. */
static bool has_code(struct bytes file, const elf_header_t *header)
{
    for (size_t i = 0; i < header->e_shnum; i++) {
        const elf_section_t *section = section_at(file, header, i);
        if ((section->sh_flags & SHF_EXECINSTR && section->sh_size) ||
            strncmp(section_name(file, header, section), ".gnu.lto_", 9) == 0)
            return true;
    }
    return false;
}

/* --- what is written down */

static void record(const struct look *look, const char *kind, const char *text, size_t length)
{
    fprintf(look->record, "%s %.*s\n", kind, (int)length, text);
}

static bool is_trusted(const struct look *look, const char *name)
{
    const char *slash = strrchr(name, '/');
    for (size_t i = 0; i < look->driver->trusted.count; i++)
        if (fnmatch(look->driver->trusted.item[i], name, 0) == 0 ||
            (slash && fnmatch(look->driver->trusted.item[i], slash + 1, 0) == 0))
            return true;
    return false;
}

static void warn(const char *name)
{
    fprintf(stderr, "portolan cc: warning: %s was not compiled by portolan cc: what it does is not seen\n", name);
}

static void unseen(const struct look *look, const char *name)
{
    record(look, "object", name, strlen(name));
    if (!is_trusted(look, name))
        warn(name);
}

/* "FILE:LINE: INSTRUCTION"; the place, or the file, may be trusted. */
static void unseen_place(const struct look *look, const char *kind, const char *what, const char *text, size_t length)
{
    char place[600];
    record(look, kind, text, length);
    snprintf(place, sizeof place, "%.*s", (int)length, text);
    char *end = strstr(place, ": ");
    if (end)
        *end = '\0';
    bool trusted = is_trusted(look, place);
    char *colon = strrchr(place, ':');
    if (colon)
        *colon = '\0';
    if (!trusted && !is_trusted(look, place))
        fprintf(stderr, "portolan cc: warning: %s is not seen: %.*s\n", what, (int)length, text);
}

/* Every line of a mark; "compiled" comes last for each source. */
static void record_mark(const struct look *look, struct bytes mark)
{
    const char *at = (const char *)mark.at, *end = at + mark.size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = stop ? (size_t)(stop - at) : (size_t)(end - at);
        if (length > 9 && strncmp(at, "assembly ", 9) == 0)
            unseen_place(look, "assembly", "inline assembly", at + 9, length - 9);
        else if (length > 11 && strncmp(at, "unreported ", 11) == 0)
            unseen_place(look, "unreported", "access", at + 11, length - 11);
        else if (length > 6 && strncmp(at, "local ", 6) == 0)
            record(look, "local", at + 6, length - 6); /* matters if threads touch each other's stacks */
        else if (length > 19 && strncmp(at, "compiled optimised ", 19) == 0)
            record(look, "optimised", at + 19, length - 19);
        at += length + 1;
    }
}

/* Does the mark name this source? */
static bool marks(struct bytes mark, const char *file)
{
    static const char *const kinds[] = {"compiled source ", "compiled optimised "};
    for (size_t i = 0; i < 2; i++) {
        char wanted[500];
        int length = snprintf(wanted, sizeof wanted, "%s%s\n", kinds[i], file);
        if (length > 0 && (size_t)length < sizeof wanted && memmem(mark.at, mark.size, wanted, (size_t)length))
            return true;
    }
    return false;
}

/* An object may have been put together from several: each source that its symbols name must have its mark. */
static void look_at_sources(const struct look *look, struct bytes file, const elf_header_t *header, struct bytes mark)
{
    for (size_t i = 0; i < header->e_shnum; i++) {
        const elf_section_t *section = section_at(file, header, i);
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum)
            continue;
        struct bytes symbols = contents(file, section);
        struct bytes names = contents(file, section_at(file, header, section->sh_link));
        for (size_t k = 0; (k + 1) * sizeof(Elf64_Sym) <= symbols.size; k++) {
            const elf_symbol_t *symbol = (const elf_symbol_t *)symbols.at + k;
            const char *source = text_at(names, symbol->st_name);
            char *whole = NULL;
            if (ELF64_ST_TYPE(symbol->st_info) == STT_FILE && *source && !marks(mark, source) &&
                asprintf(&whole, "%s(%s)", look->name, source) >= 0)
                unseen(look, whole);
            free(whole);
        }
    }
}

static void look_at_object(const struct look *look, struct bytes file)
{
    static const unsigned char bitcode[] = {'B', 'C', 0xC0, 0xDE};
    const elf_header_t *header = elf_header(file);
    if (!header) {
        if (file.size > 4 && memcmp(file.at, bitcode, 4) == 0)
            unseen(look, look->name);
        return; /* else a linker script */
    }
    if (header->e_type == ET_DYN && !is_known_library(look->name) && !is_trusted(look, look->name))
        warn(look->name); /* the runtime finds out for itself which there are */
    if (header->e_type != ET_REL || !has_code(file, header))
        return;
    struct bytes mark = find_section(file, header, MARK_SECTION);
    if (!mark.size) {
        unseen(look, look->name);
        return;
    }
    record_mark(look, mark);
    look_at_sources(look, file, header, mark);
}

/* --- archives */

/* The name of a member, without what pads it; names that are too long for the header stand in a table. */
static size_t member_name(const struct ar_hdr *header, struct bytes table, const char **name)
{
    *name = header->ar_name;
    if (header->ar_name[0] == '/' && header->ar_name[1] >= '0' && header->ar_name[1] <= '9') {
        size_t offset = strtoul(header->ar_name + 1, NULL, 10), length = 0;
        *name = offset < table.size ? (const char *)table.at + offset : "";
        while (offset + length < table.size && (*name)[length] != '\n')
            length++;
        return length && (*name)[length - 1] == '/' ? length - 1 : length;
    }
    size_t length = sizeof header->ar_name;
    while (length && (header->ar_name[length - 1] == ' ' || header->ar_name[length - 1] == '/'))
        length--;
    return length;
}

static void look_at_thin_member(const struct look *look, const char *archive, const char *name, size_t length)
{
    const char *slash = strrchr(archive, '/');
    char *path = NULL;
    if (asprintf(&path, "%.*s%.*s", name[0] == '/' || !slash ? 0 : (int)(slash + 1 - archive), archive, (int)length,
                 name) < 0)
        return;
    struct bytes file = map_file(path, O_RDONLY);
    look_at_object(look, file);
    unmap_file(file);
    free(path);
}

/* All members of this name. */
static bool look_at_members(const struct look *look, const char *archive, struct bytes file, const char *wanted)
{
    bool thin = file.size > SARMAG && memcmp(file.at, "!<thin>\n", SARMAG) == 0, found = false;
    struct bytes table = {0};
    for (size_t at = SARMAG; is_inside(file, at, sizeof(struct ar_hdr));) {
        const struct ar_hdr *header = (const struct ar_hdr *)(file.at + at);
        const char *name;
        size_t size = strtoul(header->ar_size, NULL, 10), length = member_name(header, table, &name);
        struct bytes member = {(const unsigned char *)(header + 1), size};
        bool is_index = header->ar_name[0] == '/' && strchr(" /S", header->ar_name[1]);
        at += sizeof *header;
        if (is_index && header->ar_name[1] == '/')
            table = member;
        if ((is_index || !thin) && !is_inside(file, at, size))
            break;
        if (!is_index && length == strlen(wanted) && memcmp(name, wanted, length) == 0) {
            found = true;
            if (thin)
                look_at_thin_member(look, archive, name, length);
            else
                look_at_object(look, member);
        }
        at += is_index || !thin ? size + size % 2 : 0;
    }
    return found;
}

static void look_at_archive(struct look *look, const char *archive, const char *member)
{
    struct bytes file = map_file(archive, O_RDONLY);
    char *name = NULL;
    if (asprintf(&name, "%s(%s)", archive, member) >= 0) {
        look->name = name;
        if (!file.at || !look_at_members(look, archive, file, member))
            unseen(look, name);
    }
    free(name);
    unmap_file(file);
}

/* --- the linker's list */

/* What comes with the compiler and libc, unless the user named it. */
static bool is_system(const struct look *look, const char *path)
{
    static const char *const known[] = {"crt0.o",
                                        "crt1.o",
                                        "Scrt1.o",
                                        "gcrt1.o",
                                        "rcrt1.o",
                                        "crti.o",
                                        "crtn.o",
                                        "crtbegin.o",
                                        "crtend.o",
                                        "crtbeginS.o",
                                        "crtendS.o",
                                        "crtbeginT.o",
                                        "crtfastmath.o", /* a constructor that sets a mode of the processor */
                                        "libgcc.a",
                                        "libgcc_eh.a",
                                        "libc_nonshared.a",
                                        "libpthread_nonshared.a",
                                        "libpthread.a",
                                        "libportolan_run.a",
                                        NULL};
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < look->line->words.count; i++)
        if (strcmp(look->line->words.item[i], path) == 0)
            return false;
    return slash && (is_one_of(slash + 1, known) || strncmp(slash + 1, "libclang_rt.builtins", 20) == 0);
}

/* A temporary object goes by the name of its source. */
static const char *name_of(const struct driver *d, const char *path)
{
    for (size_t i = 0; i < d->objects.count; i++)
        if (strcmp(d->objects.item[i].object, path) == 0)
            return d->objects.item[i].source;
    return path;
}

static void look_at_file(struct look *look, const char *path)
{
    if (strlen(path) > 9 && strcmp(path + strlen(path) - 9, ".ltrans.o") == 0)
        return; /* made from objects that were listed, and removed again */
    struct bytes file = map_file(path, O_RDONLY);
    look->name = name_of(look->driver, path);
    if (file.at)
        look_at_object(look, file);
    else
        unseen(look, look->name);
    unmap_file(file);
}

/* "FILE", "ARCHIVE(MEMBER)" or "(ARCHIVE)MEMBER". */
static void look_at_line(struct look *look, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    size_t length = strlen(line);
    char *archive = line, *member = NULL;
    if (line[0] == '(' && (member = strrchr(line, ')'))) {
        archive = line + 1;
    } else if (length && line[length - 1] == ')' && (member = strrchr(line, '('))) {
        line[length - 1] = '\0';
    }
    if (member)
        *member++ = '\0';
    if (!length || is_system(look, archive))
        return;
    if (member)
        look_at_archive(look, archive, member);
    else
        look_at_file(look, archive);
}

/* --- the program */

/* Puts the record where the runtime has room for it; one that is too long ends with a word of its own. */
static bool write_into(const char *program, const char *text, size_t size)
{
    static const char more[] = "\nmore\n";
    struct bytes file = map_file(program, O_RDWR);
    const elf_header_t *header = elf_header(file);
    struct bytes room = header ? find_section(file, header, LINKED_SECTION) : (struct bytes){0};
    unsigned char *to = (unsigned char *)(uintptr_t)room.at;
    if (room.size > size) {
        memcpy(to, text, size);
        memset(to + size, 0, room.size - size);
    } else if (room.size > sizeof more) {
        memcpy(to, text, room.size - sizeof more);
        memcpy(to + room.size - sizeof more, more, sizeof more);
    }
    unmap_file(file);
    return room.size;
}

enum portolan_status record_unseen(const struct driver *d, const struct line *line, const char *list,
                                   const char *program, struct portolan_error *error)
{
    char *text = NULL, *word = NULL;
    size_t size, capacity = 0;
    FILE *from = fopen(list, "r");
    struct look look = {.driver = d, .line = line, .record = from ? open_memstream(&text, &size) : NULL};
    if (look.record)
        fprintf(look.record, "linked 1\n");
    while (look.record && getline(&word, &capacity, from) >= 0)
        look_at_line(&look, word);
    for (size_t i = 0; look.record && i < d->trusted.count; i++)
        record(&look, "trust", d->trusted.item[i], strlen(d->trusted.item[i]));
    free(word);
    if (from)
        fclose(from);
    bool fine = look.record && fclose(look.record) == 0;
    enum portolan_status status = PORTOLAN_OK;
    if (!fine)
        status = fail_memory(error);
    else if (!write_into(program, text, size) && access(program, X_OK) == 0)
        status = fail(error, PORTOLAN_IO, "cannot write the list of unseen code into %s", program);
    free(text);
    return status;
}
