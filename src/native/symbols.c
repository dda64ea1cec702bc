/* SPDX-License-Identifier: Apache-2.0 */
/* Names for people, from the program's own symbol table.  Whoever has the debug information knows better ones. */
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

uint32_t find_functions(const char *beginning, struct code_range *found, uint32_t most)
{
    struct image image;
    uint32_t count = 0;
    if (!open_image(&image))
        return 0;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image.bytes;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image.bytes + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(image.bytes + sections[i].sh_offset);
        const char *names = (const char *)image.bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols && count < most; k++) {
            uintptr_t start = image.base + symbols[k].st_value;
            if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC && is_program_text(start) &&
                strncmp(names + symbols[k].st_name, beginning, strlen(beginning)) == 0)
                found[count++] = (struct code_range){start, symbols[k].st_size};
        }
    }
    munmap((void *)(uintptr_t)image.bytes, image.size);
    return count;
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
