/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan cc: inline assembly.  The compiler does not report what it touches, so its places are written into the
 * object, in the mark that every object compiled here has.  gcc and clang put it between the lines "#APP" and "#NO_APP"
 * of their assembly, and clang what stands outside of functions between comments.
 */
#include "cli/cc.h"

#include "base/diagnostic.h"
#include "base/vector.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what touches no memory */

static bool has_stem(const char *word, const char *const *stems)
{
    for (size_t i = 0; stems[i]; i++) {
        size_t length = strlen(stems[i]);
        if (strncmp(word, stems[i], length) == 0 &&
            (!word[length] || (strchr("bwlq", word[length]) && !word[length + 1])))
            return true;
    }
    return false;
}

/* Is every operand a register or a number, and the last one no register that decides where memory is? */
static bool only_registers(const char *operands)
{
    static const char *const special[] = {"%rsp", "%esp", "%cs", "%ds", "%es", "%fs", "%gs", "%ss", NULL};
    char copy[200], *rest = copy, *operand, *last = NULL;
    if (strpbrk(operands, "(:*") || (size_t)snprintf(copy, sizeof copy, "%s", operands) >= sizeof copy)
        return false;
    while ((operand = strsep(&rest, ","))) {
        last = operand + strspn(operand, " \t");
        last[strcspn(last, " \t")] = '\0';
        if (*last != '%' && *last != '$')
            return false;
    }
    return last && !is_one_of(last, special) && strncmp(last, "%cr", 3) != 0 && strncmp(last, "%dr", 3) != 0;
}

static bool instruction_touches_no_memory(const char *word, const char *operands)
{
    static const char *const alone[] = {"pause", "nop",  "rep",  "mfence", "lfence", "sfence", "endbr64", "cpuid",
                                        "cltd",  "cqto", "cltq", "cwtl",   "ud2",    "int3",   NULL};
    static const char *const stems[] = {
        "mov",  "add",  "sub",  "adc",  "sbb",  "and",    "or",    "xor",   "not",   "neg",  "inc", "dec",  "shl",
        "shr",  "sar",  "sal",  "rol",  "ror",  "rcl",    "rcr",   "bsf",   "bsr",   "bt",   "bts", "btr",  "btc",
        "cmp",  "test", "mul",  "imul", "div",  "idiv",   "bswap", "xchg",  "shld",  "shrd", "lea", "andn", "mulx",
        "adcx", "adox", "rorx", "pext", "pdep", "popcnt", "lzcnt", "tzcnt", "crc32", NULL};
    if (!*operands)
        return is_one_of(word, alone);
    if (strncmp(word, "prefetch", 8) == 0) /* fetches a line, and changes nothing */
        return true;
    if (strcmp(word, "rep") == 0 || strncmp(word, "nop", 3) == 0)
        return strcmp(operands, "nop") == 0 || word[0] == 'n';
    if (strncmp(word, "lea", 3) == 0)
        return only_registers(strrchr(operands, ',') ? strrchr(operands, ',') + 1 : operands);
    bool known = has_stem(word, stems) || strncmp(word, "movz", 4) == 0 || strncmp(word, "movs", 4) == 0 ||
                 strncmp(word, "set", 3) == 0 || strncmp(word, "cmov", 4) == 0;
    return known && only_registers(operands);
}

/* Directives that make no code and no data. */
static bool makes_nothing(const char *directive)
{
    static const char *const directives[] = {".globl",      ".global",     ".local",      ".weak",     ".hidden",
                                             ".symver",     ".set",        ".type",       ".size",     ".align",
                                             ".p2align",    ".balign",     ".text",       ".previous", ".pushsection",
                                             ".popsection", ".section",    ".subsection", ".loc",      ".file",
                                             ".ident",      ".att_syntax", NULL};
    return is_one_of(directive, directives) || strncmp(directive, ".cfi_", 5) == 0;
}

/* One statement of the assembler. */
static bool statement_touches_no_memory(char *text)
{
    for (;;) {
        text += strspn(text, " \t");
        size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
        if (!name || text[name] != ':') /* no label */
            break;
        text += name + 1;
    }
    char *word = text, *operands = word + strcspn(word, " \t");
    if (*operands)
        *operands++ = '\0';
    operands += strspn(operands, " \t");
    for (size_t length = strlen(operands); length && isspace((unsigned char)operands[length - 1]);)
        operands[--length] = '\0';
    return !*word || (*word == '.' ? makes_nothing(word) : instruction_touches_no_memory(word, operands));
}

bool touches_no_memory(const char *text)
{
    char copy[400], *rest = copy, *statement;
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
        return false;
    copy[strcspn(copy, "#\n")] = '\0';
    while ((statement = strsep(&rest, ";")))
        if (!statement_touches_no_memory(statement))
            return false;
    return true;
}

/* --- the mark */

enum { MOST_FILES = 1 << 16 };

struct scan {
    bool inside;          /* what somebody wrote */
    bool told;            /* this piece has been noted */
    char file[400];       /* the source, as the object has it */
    char place[600];      /* where the present line comes from: file:line */
    char last[1000];      /* that was noted */
    FILE *mark;           /* its text */
    bool is_late;         /* it was instrumented behind optimisations */
    VECTOR(char *) files; /* that .loc refers to; NULL where there is none */
};

/* Reads a string as assemblers write it, with \\303 for bytes that are no letters; goes behind it.  False: there is
 * none. */
static bool read_quoted(const char **text, char *string, size_t size)
{
    const char *at = *text + strspn(*text, " \t");
    size_t used = 0;
    if (*at++ != '"')
        return false;
    while (*at && *at != '"') {
        unsigned byte = (unsigned char)*at;
        int length = 1;
        if (at[0] == '\\' && sscanf(at + 1, "%3o%n", &byte, &length) == 1)
            length++;
        else if (at[0] == '\\' && at[1])
            byte = (unsigned char)at[1], length = 2;
        if (used + 1 < size)
            string[used++] = (char)byte;
        at += length;
    }
    string[used] = '\0';
    *text = at + (*at == '"');
    return true;
}

/* gcc: '# 12 "file.c" 1'. */
static void place_from_gcc(struct scan *scan, const char *line)
{
    unsigned number;
    char name[500];
    if (sscanf(line, "# %u \"%499[^\"]\" 1", &number, name) == 2) {
        snprintf(scan->place, sizeof scan->place, "%s:%u", name, number);
        scan->told = false;
    }
}

/* clang: '.file 1 "directory" "name"'.  The directory is left out where it is the one that we are in. */
static void remember_file(struct scan *scan, const char *line)
{
    unsigned number;
    int length = 0;
    char directory[500] = "", name[500] = "", here[500], *path = NULL;
    bool has_number = sscanf(line, ".file %u%n", &number, &length) == 1;
    const char *rest = line + length;
    if (!has_number || number > MOST_FILES || !read_quoted(&rest, directory, sizeof directory))
        return;
    bool has_both = read_quoted(&rest, name, sizeof name);
    bool apart = has_both && name[0] != '/' && !(getcwd(here, sizeof here) && strcmp(directory, here) == 0);
    while (scan->files.count <= number)
        if (!vector_push(&scan->files, NULL))
            return;
    free(scan->files.item[number]);
    scan->files.item[number] = NULL;
    if (asprintf(&path, "%s%s%s", apart ? directory : "", apart ? "/" : "", has_both ? name : directory) >= 0)
        scan->files.item[number] = path;
}

/* clang: '.loc 0 12 7  # file.c:12:7'. */
static void place_from_clang(struct scan *scan, const char *line)
{
    unsigned file, number;
    if (sscanf(line, ".loc %u %u", &file, &number) == 2 && file < scan->files.count && scan->files.item[file])
        snprintf(scan->place, sizeof scan->place, "%.500s:%u", scan->files.item[file], number);
}

/* Each piece of inline assembly once, by its first instruction, however often it has been put in place. */
static void note(struct scan *scan, const char *kind, const char *text)
{
    char now[sizeof scan->last];
    snprintf(now, sizeof now, "%s %s: %.*s\n", kind, scan->place[0] ? scan->place : scan->file,
             (int)strcspn(text, "\n#"), text);
    for (char *tab = now; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    if (!scan->told && strcmp(now, scan->last) != 0)
        fputs(now, scan->mark);
    scan->told = true;
    memcpy(scan->last, now, sizeof now);
}

/* Instructions that touch memory and that the compiler makes from intrinsics only, without a report: atomics are calls
 * in what is instrumented. */
static bool is_from_intrinsic(const char *text)
{
    static const char *const beginnings[] = {"lock",      "movnt",   "vmovnt",   "maskmov",  "vmaskmov",
                                             "vpmaskmov", "vgather", "vpgather", "vscatter", "vpscatter",
                                             "xbegin",    "cmpxchg", "movdir",   "enqcmd",   "xsave",
                                             "xrstor",    "fxsave",  "fxrstor",  "ptwrite"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* An optimisation of clang may make accesses of more than 16 bytes, which its instrumentation leaves out.  Those of the
 * source were seen before (cc_accesses.c). */
static bool is_too_wide(const char *text)
{
    bool wide = strncmp(text, "fldt", 4) == 0 || strncmp(text, "fstpt", 5) == 0 ||
                (text[0] == 'v' && (strstr(text, "%ymm") || strstr(text, "%zmm")));
    const char *memory = strchr(text, '(');
    return wide && memory && strncmp(memory, "(%rsp", 5) != 0 && strncmp(memory, "(%rbp", 5) != 0 &&
           !strstr(text, ".L");
}

static void scan_line(struct scan *scan, const char *line)
{
    const char *text = line + strspn(line, " \t");
    if (strncmp(text, "#APP", 4) == 0 || strncmp(text, "# Start of file scope inline assembly", 37) == 0) {
        scan->inside = true;
        scan->told = false;
    } else if (strncmp(text, "#NO_APP", 7) == 0 || strncmp(text, "# End of file scope inline assembly", 35) == 0) {
        scan->inside = false;
    } else if (strncmp(text, ".loc", 4) == 0) {
        place_from_clang(scan, text);
    } else if (scan->inside && *text == '#') {
        place_from_gcc(scan, text);
    } else if (scan->inside && !touches_no_memory(text)) {
        note(scan, "assembly", text);
    } else if (!scan->inside && line[0] == '\t' && (is_from_intrinsic(text) || (scan->is_late && is_too_wide(text)))) {
        scan->told = false;
        note(scan, "unreported", text);
    } else if (strncmp(text, ".file", 5) == 0) {
        const char *rest = text + 5;
        if (!scan->file[0])
            read_quoted(&rest, scan->file, sizeof scan->file);
        remember_file(scan, text);
    }
}

static void write_quoted(const char *text, size_t size, FILE *out)
{
    fprintf(out, "\n\t.section " MARK_SECTION ",\"\",@progbits\n");
    for (size_t i = 0; i < size; i++) {
        if (i == 0 || text[i - 1] == '\n')
            fputs("\t.ascii \"", out);
        if (text[i] == '\n')
            fputs("\\n\"\n", out);
        else if (isprint((unsigned char)text[i]) && text[i] != '"' && text[i] != '\\')
            putc(text[i], out);
        else
            fprintf(out, "\\%03o", (unsigned char)text[i]);
    }
}

enum portolan_status mark_compiled(const struct driver *d, const char *path, const char *dump,
                                   struct portolan_error *error)
{
    char *text = NULL, *line = NULL;
    size_t size, capacity = 0;
    enum portolan_status status = PORTOLAN_OK;
    FILE *file = fopen(path, "r+");
    struct scan scan = {.is_late = d->is_clang && !d->keeps_accesses,
                        .mark = file ? open_memstream(&text, &size) : NULL};
    while (scan.mark && getline(&line, &capacity, file) >= 0)
        scan_line(&scan, line);
    free(line);
    if (scan.mark && dump)
        status = find_values(dump, d->cplusplus, scan.mark, error);
    if (scan.mark)
        fprintf(scan.mark, "compiled %s %s\n", d->keeps_accesses ? "source" : "optimised", scan.file);
    bool fine = scan.mark && fclose(scan.mark) == 0 && fseek(file, 0, SEEK_END) == 0;
    if (fine)
        write_quoted(text, size, file);
    free(text);
    for (size_t i = 0; i < scan.files.count; i++)
        free(scan.files.item[i]);
    free(scan.files.item);
    if (file)
        fine = fclose(file) == 0 && fine;
    return fine ? status : fail(error, PORTOLAN_IO, "%s cannot be written", path);
}
