/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of objects, by their types. */
#include "debuginfo/debuginfo.h"
#include "debuginfo/library.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 12, MOST_ELEMENTS = 64 };

/* Without typedef, const and the like. */
static bool peel(const Dwarf_Die *type, Dwarf_Die *peeled)
{
    Dwarf_Die copy = *type;
    return libdw.dwarf_peel_type(&copy, peeled) == 0;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return libdw.dwarf_attr_integrate(die, DW_AT_type, &attribute) && libdw.dwarf_formref_die(&attribute, type);
}

uint64_t type_size(const Dwarf_Die *type)
{
    Dwarf_Die copy = *type;
    Dwarf_Word size;
    return libdw.dwarf_aggregate_size(&copy, &size) == 0 ? size : 0;
}

const char *type_name(const Dwarf_Die *type)
{
    Dwarf_Die at = *type, next;
    const char *name = libdw.dwarf_diename(&at);
    while (!name && libdw.dwarf_tag(&at) != DW_TAG_structure_type && type_of(&at, &next)) {
        at = next;
        name = libdw.dwarf_diename(&at);
    }
    return name;
}

bool type_is_pointer(const Dwarf_Die *type)
{
    Dwarf_Die peeled;
    return peel(type, &peeled) &&
           (libdw.dwarf_tag(&peeled) == DW_TAG_pointer_type || libdw.dwarf_tag(&peeled) == DW_TAG_reference_type);
}

bool type_pointee(const Dwarf_Die *type, Dwarf_Die *pointee)
{
    Dwarf_Die peeled, target;
    return type_is_pointer(type) && peel(type, &peeled) && type_of(&peeled, pointee) && peel(pointee, &target) &&
           libdw.dwarf_tag(&target) != DW_TAG_subroutine_type && type_size(&target);
}

/* Those of libraries. */
static bool is_reserved_name(const char *name)
{
    return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

static bool is_aggregate(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

bool type_has_members(const Dwarf_Die *type)
{
    Dwarf_Die peeled;
    return peel(type, &peeled) && is_aggregate(libdw.dwarf_tag(&peeled));
}

static uint64_t offset_of(Dwarf_Die *member)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    if (libdw.dwarf_attr(member, DW_AT_data_member_location, &attribute))
        libdw.dwarf_formudata(&attribute, &offset);
    return offset;
}

static bool is_part(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    int tag = libdw.dwarf_tag(die);
    return (tag == DW_TAG_member && !libdw.dwarf_attr(die, DW_AT_external, &attribute)) || tag == DW_TAG_inheritance;
}

/* How well a member is what was accessed: of a union there may be several. */
static int fitness(Dwarf_Die *member_type, uint64_t inside, uint64_t size)
{
    Dwarf_Die peeled;
    uint64_t length = type_size(member_type);
    bool has_parts = peel(member_type, &peeled) &&
                     (is_aggregate(libdw.dwarf_tag(&peeled)) || libdw.dwarf_tag(&peeled) == DW_TAG_array_type);
    return inside == 0 && length == size ? 3 : has_parts ? 2 : 1;
}

/* The member that has so many bytes at an offset. */
static bool find_member(Dwarf_Die *type, uint64_t offset, uint64_t size, Dwarf_Die *member, Dwarf_Die *member_type)
{
    Dwarf_Die die, found;
    int best = 0;
    for (int none = libdw.dwarf_child(type, &die); none == 0; none = libdw.dwarf_siblingof(&die, &die)) {
        if (!is_part(&die) || !type_of(&die, &found))
            continue;
        uint64_t inside = offset - offset_of(&die), length = type_size(&found);
        int fit = inside < length && size <= length - inside ? fitness(&found, inside, size) : 0;
        if (fit <= best)
            continue;
        best = fit;
        *member = die;
        *member_type = found;
    }
    return best;
}

/* How many elements an array has in each dimension; 0 where that is not known. */
static int dimensions(Dwarf_Die *array, uint64_t *counts, int most)
{
    Dwarf_Die die;
    Dwarf_Attribute attribute;
    int found = 0;
    for (int none = libdw.dwarf_child(array, &die); none == 0 && found < most;
         none = libdw.dwarf_siblingof(&die, &die)) {
        Dwarf_Word bound = 0;
        if (libdw.dwarf_tag(&die) != DW_TAG_subrange_type)
            continue;
        if (libdw.dwarf_attr(&die, DW_AT_count, &attribute) && libdw.dwarf_formudata(&attribute, &bound) == 0)
            counts[found++] = bound;
        else if (libdw.dwarf_attr(&die, DW_AT_upper_bound, &attribute) &&
                 libdw.dwarf_formudata(&attribute, &bound) == 0)
            counts[found++] = bound + 1;
        else
            counts[found++] = 0;
    }
    return found;
}

static size_t append(char *text, size_t room, size_t used, const char *word)
{
    if (used < room)
        used += (size_t)snprintf(text + used, room - used, "%s", word);
    return used;
}

static size_t append_number(char *text, size_t room, size_t used, const char *before, uint64_t number,
                            const char *behind)
{
    char word[32];
    snprintf(word, sizeof word, "%s%" PRIu64 "%s", before, number, behind);
    return append(text, room, used, word);
}

/* "[1][2]"; what is left of the offset is one in the element. */
static bool enter_array(Dwarf_Die *array, uint64_t *offset, char *text, size_t room, size_t *used, Dwarf_Die *element)
{
    enum { MOST_DIMENSIONS = 8 };
    uint64_t counts[MOST_DIMENSIONS];
    int found = dimensions(array, counts, MOST_DIMENSIONS);
    uint64_t size = type_of(array, element) ? type_size(element) : 0;
    for (int i = 1; i < found; i++)
        size *= counts[i];
    for (int i = 0; i < found && size; i++) {
        *used = append_number(text, room, *used, "[", *offset / size, "]");
        *offset %= size;
        size = i + 1 < found && counts[i + 1] ? size / counts[i + 1] : size;
    }
    return found && size;
}

/* Is the object all that was asked for?  Not if one member alone fills it. */
static bool is_whole(Dwarf_Die *type, uint64_t offset, uint64_t size)
{
    Dwarf_Die member, member_type;
    if (offset || (size && type_size(type) > size))
        return false;
    return !size || !is_aggregate(libdw.dwarf_tag(type)) ||
           !find_member(type, 0, type_size(type), &member, &member_type);
}

bool type_part(const Dwarf_Die *type, uint64_t offset, uint64_t size, char *text, size_t room, Dwarf_Die *part)
{
    Dwarf_Die at, next, member;
    size_t used = 0;
    text[0] = '\0';
    *part = *type;
    if (!peel(type, &at) || offset >= type_size(&at))
        return false;
    for (int depth = 0; depth < DEEPEST; depth++) {
        int tag = libdw.dwarf_tag(&at);
        if (is_whole(&at, offset, size) || (!is_aggregate(tag) && tag != DW_TAG_array_type))
            break;
        if (tag == DW_TAG_array_type) {
            if (!enter_array(&at, &offset, text, room, &used, &next))
                break;
        } else {
            if (!find_member(&at, offset, size < type_size(&at) ? size : type_size(&at), &member, &next))
                break;
            const char *name = libdw.dwarf_tag(&member) == DW_TAG_member ? libdw.dwarf_diename(&member) : NULL;
            if (name && is_reserved_name(name))
                return true; /* what is within is the library's business */
            used = name ? append(text, room, append(text, room, used, "."), name) : used;
            offset -= offset_of(&member);
        }
        *part = next;
        if (!peel(&next, &at))
            break;
    }
    if (offset)
        append_number(text, room, used, "+", offset, "");
    return true;
}

/* --- values */

static const char *enumerator(Dwarf_Die *type, uint64_t value)
{
    Dwarf_Die die;
    Dwarf_Attribute attribute;
    Dwarf_Sword number;
    uint64_t size = type_size(type), mask = size && size < 8 ? (UINT64_C(1) << size * 8) - 1 : UINT64_MAX;
    for (int none = libdw.dwarf_child(type, &die); none == 0; none = libdw.dwarf_siblingof(&die, &die))
        if (libdw.dwarf_tag(&die) == DW_TAG_enumerator && libdw.dwarf_attr(&die, DW_AT_const_value, &attribute) &&
            libdw.dwarf_formsdata(&attribute, &number) == 0 && ((uint64_t)number & mask) == (value & mask))
            return libdw.dwarf_diename(&die);
    return NULL;
}

static bool floating(uint64_t size, uint64_t value, char *text, size_t room)
{
    float small;
    double large;
    uint32_t half = (uint32_t)value;
    memcpy(&small, &half, sizeof small);
    memcpy(&large, &value, sizeof large);
    if (size == 4 || size == 8)
        snprintf(text, room, "%g", size == 4 ? (double)small : large);
    return size == 4 || size == 8;
}

bool type_value(const Dwarf_Die *type, uint64_t value, char *text, size_t room)
{
    Dwarf_Die peeled;
    Dwarf_Attribute attribute;
    Dwarf_Word encoding;
    if (!peel(type, &peeled))
        return false;
    uint64_t size = type_size(&peeled), mask = size && size < 8 ? (UINT64_C(1) << size * 8) - 1 : UINT64_MAX;
    if (libdw.dwarf_tag(&peeled) == DW_TAG_enumeration_type) {
        const char *name = enumerator(&peeled, value);
        if (name)
            snprintf(text, room, "%s", name);
        return name;
    }
    if (libdw.dwarf_tag(&peeled) != DW_TAG_base_type || !libdw.dwarf_attr(&peeled, DW_AT_encoding, &attribute) ||
        libdw.dwarf_formudata(&attribute, &encoding) != 0)
        return false;
    if (encoding == DW_ATE_boolean && (value & mask) < 2)
        snprintf(text, room, "%s", value & mask ? "true" : "false");
    else if (encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char)
        snprintf(text, room, "%" PRIu64, value & mask);
    else
        return encoding == DW_ATE_float && floating(size, value, text, room);
    return true;
}

/* --- pointers in objects */

struct pointers {
    take_pointer *take;
    void *user;
    char path[200];
};

static void enter(struct pointers *p, const Dwarf_Die *type, uint64_t offset, size_t used, int depth);

static void enter_elements(struct pointers *p, Dwarf_Die *array, uint64_t offset, size_t used, int depth)
{
    Dwarf_Die element;
    uint64_t size = type_of(array, &element) ? type_size(&element) : 0, all = type_size(array);
    for (uint64_t i = 0; size && i < all / size && i < MOST_ELEMENTS; i++)
        enter(p, &element, offset + i * size, append_number(p->path, sizeof p->path, used, "[", i, "]"), depth);
}

static void enter_members(struct pointers *p, Dwarf_Die *type, uint64_t offset, size_t used, int depth)
{
    Dwarf_Die die, member_type;
    for (int none = libdw.dwarf_child(type, &die); none == 0; none = libdw.dwarf_siblingof(&die, &die)) {
        if (!is_part(&die) || !type_of(&die, &member_type))
            continue;
        const char *name = libdw.dwarf_tag(&die) == DW_TAG_member ? libdw.dwarf_diename(&die) : NULL;
        size_t longer = used;
        if (name && is_reserved_name(name))
            continue;
        if (name)
            longer = append(p->path, sizeof p->path, append(p->path, sizeof p->path, used, "."), name);
        enter(p, &member_type, offset + offset_of(&die), longer, depth);
        if (used < sizeof p->path)
            p->path[used] = '\0';
    }
}

static void enter(struct pointers *p, const Dwarf_Die *type, uint64_t offset, size_t used, int depth)
{
    Dwarf_Die peeled;
    if (depth == DEEPEST || !peel(type, &peeled))
        return;
    int tag = libdw.dwarf_tag(&peeled);
    if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type)
        p->take(p->user, p->path, offset, type);
    else if (tag == DW_TAG_array_type)
        enter_elements(p, &peeled, offset, used, depth + 1);
    else if (is_aggregate(tag))
        enter_members(p, &peeled, offset, used, depth + 1);
}

void type_pointers(const Dwarf_Die *type, take_pointer *take, void *user)
{
    struct pointers p = {.take = take, .user = user};
    enter(&p, type, 0, 0, 0);
}
