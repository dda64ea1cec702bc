/*
 * Which functions of libraries may be called without our seeing what they write.  The journal relies on it: a program
 * that takes another function from a library goes back by being run again (machine.c), which is slower and always
 * right.
 */
#include "native/runtime.h"

#include <link.h>
#include <string.h>

/* What the runtime itself takes from libraries, a name a line (scripts/runtime). */
extern const char _binary_imports_start[], _binary_imports_end[];

/* These read the program's memory at most, or write what is no part of its state: output, errno. */
static const char *const harmless[] = {"__libc_start_main",
                                       "__cxa_finalize",
                                       "__gmon_start__",
                                       "_ITM_deregisterTMCloneTable",
                                       "_ITM_registerTMCloneTable",
                                       "__stack_chk_fail",
                                       "__errno_location",
                                       "__ctype_b_loc",
                                       "__ctype_tolower_loc",
                                       "__ctype_toupper_loc",
                                       "isalnum",
                                       "isalpha",
                                       "isdigit",
                                       "isspace",
                                       "isupper",
                                       "islower",
                                       "isprint",
                                       "tolower",
                                       "toupper",
                                       "printf",
                                       "puts",
                                       "putchar",
                                       "putc",
                                       "fputc",
                                       "fputs",
                                       "fprintf",
                                       "fwrite",
                                       "vprintf",
                                       "vfprintf",
                                       "perror",
                                       "fflush",
                                       "stdout",
                                       "stderr",
                                       "stdin",
                                       "__printf_chk",
                                       "__fprintf_chk",
                                       "__vprintf_chk",
                                       "__vfprintf_chk",
                                       "__fputs_chk",
                                       "_IO_putc",
                                       "putchar_unlocked",
                                       "fputs_unlocked",
                                       "fwrite_unlocked",
                                       "abs",
                                       "labs",
                                       "llabs",
                                       "atoi",
                                       "atol",
                                       "atoll",
                                       "atof",
                                       "sin",
                                       "cos",
                                       "tan",
                                       "exp",
                                       "log",
                                       "log2",
                                       "log10",
                                       "pow",
                                       "sqrt",
                                       "fabs",
                                       "floor",
                                       "ceil",
                                       "round",
                                       "trunc",
                                       "fmod",
                                       "hypot",
                                       "fmin",
                                       "fmax",
                                       "sinf",
                                       "cosf",
                                       "sqrtf",
                                       "powf",
                                       "fabsf",
                                       "getenv",
                                       "pthread_attr_init",
                                       "pthread_attr_destroy",
                                       "pthread_attr_getdetachstate",
                                       "pthread_mutexattr_gettype",
                                       "sysconf",
                                       "getpid",
                                       "write",
                                       "gettid",
                                       "get_nprocs",
                                       "get_nprocs_conf",
                                       "pthread_equal",
                                       "clock_getres",
                                       NULL};

static bool is_listed(const char *name)
{
    for (size_t i = 0; harmless[i]; i++)
        if (strcmp(harmless[i], name) == 0)
            return true;
    return false;
}

static bool is_ours(const char *name)
{
    size_t length = strlen(name);
    // cppcheck-suppress comparePointers ; both are in the same section
    for (const char *at = _binary_imports_start; at < _binary_imports_end; at = strchr(at, '\n') + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '\n')
            return true;
    return false;
}

struct dynamic {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * tables[2];
    size_t sizes[2];
};

static struct dynamic read_dynamic(const ElfW(Dyn) * entry)
{
    struct dynamic found = {0};
    for (; entry->d_tag != DT_NULL; entry++)
        switch (entry->d_tag) {
        case DT_SYMTAB: found.symbols = (const ElfW(Sym) *)entry->d_un.d_ptr; break;
        case DT_STRTAB: found.names = (const char *)entry->d_un.d_ptr; break;
        case DT_RELA: found.tables[0] = (const ElfW(Rela) *)entry->d_un.d_ptr; break;
        case DT_RELASZ: found.sizes[0] = entry->d_un.d_val; break;
        case DT_JMPREL: found.tables[1] = (const ElfW(Rela) *)entry->d_un.d_ptr; break;
        case DT_PLTRELSZ: found.sizes[1] = entry->d_un.d_val; break;
        default: break;
        }
    return found;
}

/* Looks at the program itself, which comes first; 1 when all is well, else 2. */
static int look_at_imports(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    struct dynamic d = {0};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = read_dynamic((const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    if (!d.symbols || !d.names)
        return 2; /* linked statically: nothing is known */
    for (int table = 0; table < 2; table++)
        for (size_t i = 0; d.tables[table] && i < d.sizes[table] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Sym) *symbol = &d.symbols[ELF64_R_SYM(d.tables[table][i].r_info)];
            const char *name = d.names + symbol->st_name;
            if (symbol->st_shndx == SHN_UNDEF && *name && !is_ours(name) && !is_listed(name))
                return 2;
        }
    return 1;
}

bool imports_are_harmless(void)
{
    return dl_iterate_phdr(look_at_imports, NULL) == 1;
}

/* --- what the runtime takes as well, so that the list of imports cannot tell: calls of the program come by here */

extern volatile unsigned char portolan_unseen;
__attribute__((visibility("hidden"))) volatile unsigned char portolan_unseen;

void calls_unseen(void)
{
    portolan_unseen = 1;
    if (in_program() && runtime->exploring)
        come_by(0, true,
                CALLER); /* something has changed, and be it the position in a file: nobody goes round in vain */
}

bool has_called_unseen(void)
{
    return portolan_unseen;
}

#define UNSEEN(name)                                                                                                   \
    __asm__(".text\n.globl __wrap_" #name "\n.type __wrap_" #name ",@function\n"                                       \
            "__wrap_" #name ":\nmovb $1,portolan_unseen(%rip)\njmp *" #name "@GOTPCREL(%rip)\n"                        \
            ".size __wrap_" #name ",.-__wrap_" #name "\n")

UNSEEN(dup2);
UNSEEN(__getdelim);
UNSEEN(fstat);
UNSEEN(lseek);
UNSEEN(madvise);
UNSEEN(pclose);
UNSEEN(readlink);
UNSEEN(prctl);
UNSEEN(pthread_condattr_getpshared);
UNSEEN(pthread_mutexattr_getpshared);
UNSEEN(pthread_mutexattr_getrobust);
UNSEEN(setvbuf);
UNSEEN(sigaddset);
UNSEEN(sigemptyset);
