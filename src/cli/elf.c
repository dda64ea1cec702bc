/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/elf.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct bytes map_file(const char *path, int mode)
{
    struct stat status;
    struct bytes bytes = {0};
    int file = open(path, mode | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size) {
        int protection = mode == O_RDWR ? PROT_READ | PROT_WRITE : PROT_READ;
        void *at = mmap(NULL, (size_t)status.st_size, protection, MAP_SHARED, file, 0);
        if (at != MAP_FAILED)
            bytes = (struct bytes){at, (size_t)status.st_size};
    }
    if (file >= 0)
        close(file);
    return bytes;
}

void unmap_file(struct bytes bytes)
{
    if (bytes.at)
        munmap((void *)(uintptr_t)bytes.at, bytes.size);
}

bool is_inside(struct bytes all, uint64_t offset, uint64_t size)
{
    return offset <= all.size && size <= all.size - offset;
}

const elf_header_t *elf_header(struct bytes file)
{
    const elf_header_t *header = (const elf_header_t *)file.at;
    bool fits = file.size >= sizeof *header && memcmp(file.at, ELFMAG, SELFMAG) == 0 &&
                header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shentsize == sizeof(Elf64_Shdr) &&
                is_inside(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)) &&
                header->e_shstrndx < header->e_shnum;
    return fits ? header : NULL;
}

const elf_section_t *section_at(struct bytes file, const elf_header_t *header, size_t i)
{
    return (const elf_section_t *)(file.at + header->e_shoff) + i;
}

struct bytes contents(struct bytes file, const elf_section_t *section)
{
    bool has = section->sh_type != SHT_NOBITS && is_inside(file, section->sh_offset, section->sh_size);
    return has ? (struct bytes){file.at + section->sh_offset, section->sh_size} : (struct bytes){0};
}

const char *text_at(struct bytes texts, size_t offset)
{
    bool ends = offset < texts.size && memchr(texts.at + offset, '\0', texts.size - offset);
    return ends ? (const char *)texts.at + offset : "";
}

const char *section_name(struct bytes file, const elf_header_t *header, const elf_section_t *section)
{
    return text_at(contents(file, section_at(file, header, header->e_shstrndx)), section->sh_name);
}

struct bytes find_section(struct bytes file, const elf_header_t *header, const char *name)
{
    for (size_t i = 0; i < header->e_shnum; i++)
        if (strcmp(section_name(file, header, section_at(file, header, i)), name) == 0)
            return contents(file, section_at(file, header, i));
    return (struct bytes){0};
}
