/* SPDX-License-Identifier: Apache-2.0 */
/* Names for people: of variables, from the program's own symbol table; of places in the source, by addr2line. */
#include "native/symbols.h"
#include "native/calls.h"
#include "native/channels.h"
#include "native/choices.h"
#include "native/environment.h"
#include "native/locals.h"
#include "native/memory.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const unsigned char *bytes;
    size_t size;
    uintptr_t base;
};

static int find_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

static uintptr_t load_base(void)
{
    uintptr_t base = 0;
    dl_iterate_phdr(find_base, &base);
    return base;
}

static bool open_image(struct image *image)
{
    struct stat status;
    int file = open("/proc/self/exe", O_RDONLY);
    image->base = load_base();
    if (file < 0 || fstat(file, &status) != 0) {
        if (file >= 0)
            close(file);
        return false;
    }
    image->size = (size_t)status.st_size;
    void *bytes = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    image->bytes = bytes;
    return bytes != MAP_FAILED;
}

/* The variable, or function, that holds an address. */
static bool find_symbol(const struct image *image, unsigned char kind, uintptr_t address, char *text, size_t size)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image->bytes;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image->bytes + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(image->bytes + sections[i].sh_offset);
        const char *names = (const char *)image->bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++) {
            uintptr_t start = image->base + symbols[k].st_value;
            if (ELF64_ST_TYPE(symbols[k].st_info) != kind || address - start >= symbols[k].st_size)
                continue;
            char readable[200];
            const char *name = demangled(names + symbols[k].st_name, readable, sizeof readable);
            if (address == start)
                snprintf(text, size, "%s", name);
            else
                snprintf(text, size, "%s+%zu", name, (size_t)(address - start));
            return true;
        }
    }
    return false;
}

void agent_name(uint32_t agent, char *text, size_t size)
{
    if (agent == 0)
        snprintf(text, size, "main");
    else
        snprintf(text, size, "%s %u",
                 agent >= MOST_THREADS ? "thread"
                 : is_disturber(agent) ? "disturber"
                 : is_chooser(agent)   ? "chance"
                                       : "thread",
                 agent);
}

/* A thread-local variable and whose it is: the symbols tell where it is among those of a thread. */
static bool find_local(const struct image *image, uintptr_t address, char *text, size_t size)
{
    char name[32];
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        const struct thread *thread = &threads[agent];
        const struct image own = {image->bytes, image->size, (uintptr_t)thread->local};
        if (!is_own_local(thread, address) || !find_symbol(&own, STT_TLS, address, text, size))
            continue;
        agent_name(agent, name, sizeof name);
        snprintf(text + strlen(text), size - strlen(text), " of %s", name);
        return true;
    }
    return false;
}

static bool is_given(uintptr_t address)
{
    return address - (uintptr_t)given.place < given.room;
}

void describe_address(uintptr_t address, char *text, size_t size)
{
    if (describe_channel(address, text, size))
        return;
    struct image image;
    bool found = false;
    if (open_image(&image)) {
        found = find_symbol(&image, STT_OBJECT, address, text, size) || find_local(&image, address, text, size);
        munmap((void *)(uintptr_t)image.bytes, image.size);
    }
    if (!found && is_given(address)) {
        snprintf(text, size, "an argument of the program, or its environment");
        return;
    }
    for (uint32_t agent = 0; agent < agents.limit && !found; agent++)
        if (is_on_stack(&threads[agent], address)) {
            char name[32];
            agent_name(agent, name, sizeof name);
            snprintf(text, size, "a local variable of %s", name);
            found = true;
        }
    if (!found && !describe_block(address, text, size))
        snprintf(text, size, "%#zx", (size_t)address);
}

/* The number of a block does not change from run to run, its address does. */
static bool describe_block_number(uintptr_t address, char *text, size_t size)
{
    struct block *block = block_with(address), *b = NULL;
    if (!block)
        return false;
    uint32_t number = 1, agent = slot_with((uintptr_t)block);
    char name[32], offset[32] = "";
    while ((b = block_after(b, agent)) && b != block)
        number++;
    agent_name(agent, name, sizeof name);
    if (address != (uintptr_t)(block + 1))
        snprintf(offset, sizeof offset, "+%zu", (size_t)(address - (uintptr_t)(block + 1)));
    snprintf(text, size, "block %u of %s%s", number, name, offset);
    return true;
}

bool describe_pointer(uintptr_t address, char *text, size_t size)
{
    struct image image;
    if (address < 4096)
        return false;
    if (describe_block_number(address, text, size))
        return true;
    if (size < 2 || !open_image(&image))
        return false;
    text[0] = '&';
    bool found = find_symbol(&image, STT_OBJECT, address, text + 1, size - 1) ||
                 find_symbol(&image, STT_FUNC, address, text + 1, size - 1) ||
                 find_local(&image, address, text + 1, size - 1);
    munmap((void *)(uintptr_t)image.bytes, image.size);
    return found;
}

/* --- places */

enum { MOST_AT_ONCE = 1000 };

/* "addr2line -a ..." for these callers; NULL when it cannot be run. */
static FILE *ask(const uintptr_t *callers, size_t count)
{
    char *command = NULL;
    size_t size;
    FILE *text = open_memstream(&command, &size);
    if (!text)
        return NULL;
    fprintf(text, "addr2line -a -f -C -i -e /proc/%d/exe", (int)getpid()); /* whatever its name */
    for (size_t i = 0; i < count; i++)
        fprintf(text, " %#zx", (size_t)(callers[i] - 1 - load_base()));
    fprintf(text, " 2>/dev/null");
    FILE *answer = fclose(text) == 0 ? run_command(command) : NULL;
    free(command);
    return answer;
}

/* A template that the program took from a header of C++: whoever used it is of more interest. */
static bool is_of_library(const char *place)
{
    return strstr(place, "/include/c++/") || strstr(place, "/c++/bits/") || strstr(place, "/include/portolan/c++/");
}

/* The answer that is being read. */
struct answer {
    FILE *file;
    char *line[2]; /* a function and a place, or the address itself first */
    size_t size[2];
};

static bool read_line(struct answer *answer, int which)
{
    if (getline(&answer->line[which], &answer->size[which], answer->file) < 0)
        return false;
    answer->line[which][strcspn(answer->line[which], "\n")] = '\0';
    return true;
}

/* For each address itself, then pairs of a function and a place: the innermost first.  Of those that were put into
 * others only one is wanted: the first that is no library's. */
static void read_answer(struct answer *answer, size_t index, bool inlined, take_frame *take, void *user)
{
    bool settled = false;
    while (read_line(answer, 0)) {
        const char *function = answer->line[0];
        if (function[0] == '0') {
            index++;
            settled = false;
            continue;
        }
        if (!read_line(answer, 1))
            return;
        char *place = answer->line[1], *more = strstr(place, " (discriminator "), *slash = strrchr(place, '/');
        if (more)
            *more = '\0';
        if (place[0] != '?' && !settled)
            take(user, index, function, slash ? slash + 1 : place);
        settled = !inlined && (settled || !is_of_library(place));
    }
}

void find_frames(const uintptr_t *callers, size_t count, bool inlined, take_frame *take, void *user)
{
    for (size_t start = 0; start < count; start += MOST_AT_ONCE) {
        size_t here = count - start < MOST_AT_ONCE ? count - start : MOST_AT_ONCE;
        struct answer answer = {.file = ask(callers + start, here)};
        if (answer.file)
            read_answer(&answer, start - 1, inlined, take, user);
        if (answer.file)
            pclose(answer.file);
        free(answer.line[0]);
        free(answer.line[1]);
    }
}

struct text {
    char *bytes;
    size_t size;
};

static void take_place(void *user, size_t index, const char *function, const char *place)
{
    (void)index, (void)function;
    const struct text *text = user;
    snprintf(text->bytes, text->size, "%s", place);
}

void describe_place(uintptr_t caller, char *text, size_t size)
{
    snprintf(text, size, "%#zx", (size_t)caller);
    if (caller)
        find_frames(&caller, 1, false, take_place, &(struct text){text, size});
}
