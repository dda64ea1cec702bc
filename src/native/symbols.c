/* SPDX-License-Identifier: Apache-2.0 */
/* Names for people: of variables, from the program's own symbol table; of places in the source, by addr2line. */
#include "native/symbols.h"
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
            if (address == start)
                snprintf(text, size, "%s", names + symbols[k].st_name);
            else
                snprintf(text, size, "%s+%zu", names + symbols[k].st_name, (size_t)(address - start));
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
static FILE *ask(const uintptr_t *callers, size_t count, bool inlined)
{
    char *command = NULL;
    size_t size;
    FILE *text = open_memstream(&command, &size);
    if (!text)
        return NULL;
    fprintf(text, "addr2line -a -f -s %s -e /proc/%d/exe", inlined ? "-i" : "", (int)getpid()); /* whatever its name */
    for (size_t i = 0; i < count; i++)
        fprintf(text, " %#zx", (size_t)(callers[i] - 1 - load_base()));
    fprintf(text, " 2>/dev/null");
    FILE *answer = fclose(text) == 0 ? run_command(command) : NULL;
    free(command);
    return answer;
}

/* The answer: for each address itself, then pairs of a function and a place. */
void find_frames(const uintptr_t *callers, size_t count, bool inlined, take_frame *take, void *user)
{
    char function[200], place[300];
    for (size_t start = 0; start < count; start += MOST_AT_ONCE) {
        size_t here = count - start < MOST_AT_ONCE ? count - start : MOST_AT_ONCE, index = start - 1;
        FILE *answer = ask(callers + start, here, inlined);
        while (answer && fgets(function, sizeof function, answer)) {
            if (function[0] == '0') {
                index++;
                continue;
            }
            if (!fgets(place, sizeof place, answer))
                break;
            function[strcspn(function, "\n")] = '\0';
            char *more = strstr(place, " (discriminator ");
            place[more ? (size_t)(more - place) : strcspn(place, "\n")] = '\0';
            if (place[0] != '?')
                take(user, index, function, place);
        }
        if (answer)
            pclose(answer);
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
