/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a program, through libdwfl of elfutils. */
#include "debuginfo/modules.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Debug information comes with the program, or not at all: nothing is looked for on the network. */
static int find_no_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
                        const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
    return -1;
}

static int find_no_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)elf;
    return -1;
}

struct debuginfo *debuginfo_make(void)
{
    static Dwfl_Callbacks callbacks = {.find_elf = find_no_elf, .find_debuginfo = find_no_file};
    struct debuginfo *d = debuginfo_load(NULL) ? calloc(1, sizeof *d) : NULL;
    if (!d)
        return NULL;
    callbacks.section_address = libdw.dwfl_offline_section_address;
    d->dwfl = libdw.dwfl_begin(&callbacks);
    if (!d->dwfl) {
        free(d);
        return NULL;
    }
    libdw.dwfl_report_begin(d->dwfl);
    return d;
}

bool debuginfo_add(struct debuginfo *d, const char *path, uint64_t base)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           libdw.dwfl_report_elf(d->dwfl, path, path, -1, base, false);
}

/* --- the runtime, which is linked into every program and has debug information too */

struct symbol {
    const char *name;
    uint64_t address;
};

static int look_for_symbol(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start, void *wanted)
{
    struct symbol *symbol = wanted;
    int count = libdw.dwfl_module_getsymtab(module);
    (void)user, (void)name, (void)start;
    for (int i = 0; i < count; i++) {
        GElf_Sym entry;
        GElf_Addr address;
        const char *found = libdw.dwfl_module_getsym_info(module, i, &entry, &address, NULL, NULL, NULL);
        if (found && entry.st_shndx != SHN_UNDEF && strcmp(found, symbol->name) == 0) {
            symbol->address = address;
            return DWARF_CB_ABORT;
        }
    }
    return DWARF_CB_OK;
}

enum { LONGEST_PATH = 4096 };

/* Goes on along a path from where `path` leads; "." and ".." are gone then, by their letters alone. */
static size_t add_path(char path[LONGEST_PATH], size_t used, const char *more)
{
    while (*more) {
        size_t length = strcspn(more, "/");
        bool goes_up = length == 2 && strncmp(more, "..", 2) == 0, stays = length == 1 && *more == '.';
        while (goes_up && used && path[--used] != '/')
            ;
        if (length && !goes_up && !stays && used + length + 1 < LONGEST_PATH) {
            path[used] = '/';
            memcpy(path + used + 1, more, length);
            used += length + 1;
        }
        more += length + (more[length] == '/');
    }
    path[used] = '\0';
    return used;
}

/* Where the source of a unit is, whether it was named from the root or from where it was compiled. */
static const char *path_of(Dwarf_Die *unit, char path[LONGEST_PATH])
{
    Dwarf_Attribute attribute;
    const char *name = libdw.dwarf_diename(unit);
    const char *directory =
        libdw.dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? libdw.dwarf_formstring(&attribute) : NULL;
    size_t used = name && *name != '/' && directory ? add_path(path, 0, directory) : 0;
    add_path(path, used, name ? name : "");
    return name ? path : NULL;
}

/* Its main file tells where the others are. */
static void find_runtime(struct debuginfo *d)
{
    static const char end[] = "native/main.c";
    struct symbol symbol = {.name = "__wrap_main"};
    char path[LONGEST_PATH];
    Dwarf_Addr bias;
    libdw.dwfl_getmodules(d->dwfl, look_for_symbol, &symbol, 0);
    Dwarf_Die *unit = symbol.address ? unit_at(d, symbol.address, &bias) : NULL;
    const char *name = unit ? path_of(unit, path) : NULL;
    size_t length = name ? strlen(name) : 0;
    if (length >= sizeof end && strcmp(name + length - (sizeof end - 1), end) == 0)
        d->runtime = strndup(name, length - (sizeof end - 1));
}

bool is_of_runtime(const struct debuginfo *d, Dwarf_Die *unit)
{
    static const char *const rooms[] = {"native/",    "base/",     "checkpoint/", "report/",
                                        "stateless/", "property/", "soundness/",  "system/"};
    Dwarf_Attribute attribute;
    char path[LONGEST_PATH];
    const char *name = d->runtime ? path_of(unit, path) : NULL;
    const char *producer =
        libdw.dwarf_attr(unit, DW_AT_producer, &attribute) ? libdw.dwarf_formstring(&attribute) : NULL;
    size_t length = d->runtime ? strlen(d->runtime) : 0;
    if (!name || strncmp(name, d->runtime, length) != 0 || (producer && strstr(producer, "-fsanitize=thread")))
        return false;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (strncmp(name + length, rooms[i], strlen(rooms[i])) == 0)
            return true;
    return false;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct unit_range *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

void debuginfo_ready(struct debuginfo *d)
{
    Dwarf_Addr bias;
    libdw.dwfl_report_end(d->dwfl, NULL, NULL);
    for (Dwarf_Die *unit = NULL; (unit = libdw.dwfl_nextcu(d->dwfl, unit, &bias));) {
        struct unit_range range = {.unit = *unit, .bias = bias};
        Dwarf_Addr base, start, end;
        for (ptrdiff_t at = 0; (at = libdw.dwarf_ranges(unit, at, &base, &start, &end)) > 0;) {
            range.start = start + bias;
            range.end = end + bias;
            if (end > start)
                vector_push(&d->units, range); /* without memory its places are not known */
        }
    }
    if (d->units.count)
        qsort(d->units.item, d->units.count, sizeof *d->units.item, compare_ranges);
    find_runtime(d);
}

Dwarf_Die *unit_at(struct debuginfo *d, uint64_t address, Dwarf_Addr *bias)
{
    size_t low = 0, high = d->units.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        struct unit_range *range = &d->units.item[middle];
        if (address < range->start) {
            high = middle;
        } else if (address >= range->end) {
            low = middle + 1;
        } else {
            *bias = range->bias;
            return &range->unit;
        }
    }
    return NULL;
}

void debuginfo_free(struct debuginfo *d)
{
    if (!d)
        return;
    libdw.dwfl_end(d->dwfl);
    for (size_t i = 0; i < d->names.count; i++)
        free(d->names.item[i]);
    free(d->names.item);
    free(d->variables.item);
    free(d->units.item);
    free(d->runtime);
    free(d);
}

const char *readable_name(struct debuginfo *d, const char *name)
{
    if (!name || strncmp(name, "_Z", 2) != 0)
        return name;
    char *readable = demangled(name);
    if (!readable)
        return name;
    if (vector_push(&d->names, readable))
        return readable;
    free(readable);
    return name;
}

const char *name_of(struct debuginfo *d, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Attribute *linkage = libdw.dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute);
    const char *mangled = linkage ? libdw.dwarf_formstring(linkage) : NULL;
    return mangled ? readable_name(d, mangled) : libdw.dwarf_diename(die);
}
