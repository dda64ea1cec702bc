/* Names for people: of variables, from the program's own symbol table; of places in the source, by addr2line. */
#include "native/runtime.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
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

/* The variable that holds an address. */
static bool find_variable(const struct image *image, uintptr_t address, char *text, size_t size)
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
            if (ELF64_ST_TYPE(symbols[k].st_info) != STT_OBJECT || address - start >= symbols[k].st_size)
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
        snprintf(text, size, "thread %u", agent);
}

void describe_address(uintptr_t address, char *text, size_t size)
{
    struct image image;
    bool found = false;
    if (open_image(&image)) {
        found = find_variable(&image, address, text, size);
        munmap((void *)(uintptr_t)image.bytes, image.size);
    }
    for (uint32_t agent = 0; agent < runtime->agent_limit && !found; agent++)
        if (is_on_stack(&runtime->threads[agent], address)) {
            char name[32];
            agent_name(agent, name, sizeof name);
            snprintf(text, size, "a local variable of %s", name);
            found = true;
        }
    if (!found && !describe_block(address, text, size))
        snprintf(text, size, "%#zx", (size_t)address);
}

void describe_place(uintptr_t caller, char *text, size_t size)
{
    char command[600], line[400] = "";
    snprintf(text, size, "%#zx", (size_t)caller);
    if (!caller)
        return;
    ssize_t length = readlink("/proc/self/exe", line, sizeof line - 1);
    if (length <= 0 || strchr(line, '\''))
        return;
    line[length] = '\0';
    snprintf(command, sizeof command, "addr2line -s -e '%s' %#zx 2>/dev/null", line,
             (size_t)(caller - 1 - load_base()));
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return;
    if (fgets(line, sizeof line, pipe) && line[0] != '?') {
        line[strcspn(line, " \n")] = '\0';
        snprintf(text, size, "%s", line);
    }
    pclose(pipe);
}
