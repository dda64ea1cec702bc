/* SPDX-License-Identifier: Apache-2.0 */
/* Objects and programs in the ELF format.  Nothing in a file is believed: what does not fit is not there. */
#ifndef CLI_ELF_H
#define CLI_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    const unsigned char *at; /* NULL: there are none */
    size_t size;
};

/* Members of archives begin at even addresses only. */
typedef Elf64_Ehdr elf_header_t __attribute__((aligned(1)));
typedef Elf64_Shdr elf_section_t __attribute__((aligned(1)));

/* A regular file, with O_RDONLY or O_RDWR. */
struct bytes map_file(const char *path, int mode);
void unmap_file(struct bytes bytes);

bool is_inside(struct bytes all, uint64_t offset, uint64_t size);

/* NULL when it is not a 64-bit file with sections. */
const elf_header_t *elf_header(struct bytes file);
const elf_section_t *section_at(struct bytes file, const elf_header_t *header, size_t i);
struct bytes contents(struct bytes file, const elf_section_t *section);
const char *section_name(struct bytes file, const elf_header_t *header, const elf_section_t *section);
struct bytes find_section(struct bytes file, const elf_header_t *header, const char *name);
/* A text in a section of texts, "" when it is not there. */
const char *text_at(struct bytes texts, size_t offset);

#endif
