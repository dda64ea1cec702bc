/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions of libc may be called without our seeing what they read and write.  The journal relies on it: a
 * program that takes another function from a library goes back by being run again (machine.c), which is slower and
 * always right.  So does the verdict: a function that might touch what threads share leaves it open.
 */
#include "native/calls.h"
#include "native/libraries.h"
#include "native/reservations.h"
#include "native/rounds.h"
#include "native/unseen.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* What the runtime itself takes from libraries, a name a line (scripts/runtime). */
extern const char _binary_imports_start[], _binary_imports_end[];

/* These read the program's memory at most, or write what is no part of its state: output, errno. */
static const char harmless[] =
    " "
    "__libc_start_main getauxval fegetround fesetround feclearexcept feraiseexcept fetestexcept feenableexcept "
    "fedisableexcept "
    "fegetexcept htons htonl ntohs ntohl malloc_trim mallopt __cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable "
    "_ITM_registerTMCloneTable "
    "__stack_chk_fail __errno_location __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc isalnum isalpha "
    "isdigit isspace isupper islower isprint tolower toupper printf puts putchar putc fputc fputs fprintf fwrite "
    "vprintf vfprintf perror fflush stdout stderr stdin __printf_chk __fprintf_chk __vprintf_chk __vfprintf_chk "
    "__fputs_chk _IO_putc putchar_unlocked fputs_unlocked fwrite_unlocked abs labs llabs atoi atol atoll atof "
    "pthread_attr_init pthread_attr_destroy pthread_attr_getdetachstate pthread_mutexattr_gettype sysconf getpid "
    "write gettid get_nprocs get_nprocs_conf pthread_equal clock_getres fileno feof ferror putc_unlocked "
    "fputc_unlocked feof_unlocked ferror_unlocked fileno_unlocked fputwc putwchar isblank iscntrl isgraph ispunct "
    "isxdigit isascii toascii iswalnum iswalpha iswdigit iswspace iswupper iswlower iswprint iswpunct towlower "
    "towupper wcwidth div ldiv lldiv imaxdiv imaxabs ffs ffsl ffsll strerror strerrorname_np strerrordesc_np "
    "strsignal bsearch getppid getuid geteuid getgid getegid getpgrp getpgid getsid isatty pathconf fpathconf "
    "getpagesize fsync fdatasync syncfs sync difftime clock_getcpuclockid getpriority sched_get_priority_max "
    "sched_get_priority_min _dl_relocate_static_pie __tls_get_addr __libc_single_threaded _Unwind_Resume "
    "__gcc_personality_v0 __isinf __isnan __finite __fpclassify __signbit __isinff __isnanf __fpclassifyf "
    "__signbitf __isinfl __isnanl __fpclassifyl __signbitl ";

/* These change what the journal does not know of (files, attributes, variables of libc), but nothing that threads could
 * race for unseen. */
static const char known[] =
    " "
    "getenv unsetenv __fpurge __fwritable "
    "getc fgetc getchar ungetc fseek fseeko fseeko64 ftell ftello ftello64 rewind clearerr getc_unlocked "
    "fgetc_unlocked getchar_unlocked clearerr_unlocked fflush_unlocked fwide __overflow __uflow setlinebuf "
    "_IO_getc ttyname ftruncate ftruncate64 fchmod fchown closedir rewinddir tzset nice "
    "pthread_attr_setdetachstate pthread_attr_setstacksize pthread_attr_getstacksize pthread_attr_setguardsize "
    "pthread_attr_getguardsize pthread_attr_setscope pthread_attr_setschedpolicy pthread_attr_setschedparam "
    "pthread_attr_setinheritsched pthread_attr_setstack pthread_mutexattr_init pthread_mutexattr_destroy "
    "pthread_mutexattr_settype pthread_mutexattr_setpshared pthread_mutexattr_setprotocol "
    "pthread_mutexattr_setrobust pthread_condattr_init pthread_condattr_destroy pthread_condattr_setclock "
    "pthread_condattr_setpshared pthread_rwlockattr_init pthread_rwlockattr_destroy pthread_rwlockattr_setpshared "
    "pthread_rwlockattr_setkind_np pthread_barrierattr_init pthread_barrierattr_destroy "
    "pthread_barrierattr_setpshared pthread_getconcurrency pthread_setconcurrency pthread_setcancelstate "
    "pthread_setcanceltype pthread_testcancel environ __environ program_invocation_name "
    "program_invocation_short_name __progname optarg optind opterr optopt lgamma lgammaf lgammal signgam "
    "fopencookie fegetround fesetround feclearexcept fetestexcept feraiseexcept feenableexcept fedisableexcept "
    "fegetexcept ";

/* Functions of numbers alone; each exists for double, float and long double. */
static const char mathematical[] =
    " "
    "acos asin atan atan2 acosh asinh atanh cos cosh sin sinh tan tanh exp exp2 exp10 expm1 log log2 log10 log1p "
    "pow sqrt cbrt hypot erf erfc tgamma fabs floor ceil round trunc rint nearbyint lrint llrint lround "
    "llround fmod remainder fmin fmax fdim fma copysign nextafter nexttoward ldexp scalbn scalbln ilogb logb j0 "
    "j1 jn y0 y1 yn roundeven ";

static bool is_among(const char *names, const char *name, size_t length)
{
    char word[80];
    return (size_t)snprintf(word, sizeof word, " %.*s ", (int)length, name) < sizeof word && strstr(names, word);
}

static bool is_harmless(const char *name)
{
    size_t length = strlen(name);
    bool has_suffix = length > 1 && (name[length - 1] == 'f' || name[length - 1] == 'l');
    return is_among(harmless, name, length) || is_among(mathematical, name, length) || is_harmless_in_cplusplus(name) ||
           (has_suffix && is_among(mathematical, name, length - 1));
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

/* Which library has it, "libc" or "libstdc++"; NULL: others are named as a whole (unseen.c). */
static const char *known_library_of(const char *name)
{
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, name);
    if (!address || !dladdr(address, &info) || !info.dli_fname || !is_known_library(info.dli_fname))
        return NULL;
    return strstr(info.dli_fname, "libstdc++") ? "libstdc++" : "libc";
}

/* One name that the program takes from a library; does the journal know of all that it does? */
static bool look_at_import(const char *name)
{
    if (is_ours(name) || is_harmless(name))
        return true;
    const char *library = is_among(known, name, strlen(name)) ? NULL : known_library_of(name);
    if (library) {
        char readable[300];
        const char *shown = demangled(name, readable, sizeof readable);
        bool trusted = is_trusted(name) || is_trusted(shown);
        add_reservation(!trusted, "what the function %s of %s reads and writes%s", shown, library,
                        trusted ? " (trusted)" : "");
    }
    return false;
}

/* Looks at the program itself, which comes first; 1 when all is well, else 2. */
static int look_at_imports(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    struct dynamic d = {0};
    int answer = 1;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = read_dynamic((const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    if (!d.symbols || !d.names)
        return 2; /* linked statically: nothing is known */
    for (int table = 0; table < 2; table++)
        for (size_t i = 0; d.tables[table] && i < d.sizes[table] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Sym) *symbol = &d.symbols[ELF64_R_SYM(d.tables[table][i].r_info)];
            const char *name = d.names + symbol->st_name;
            if (symbol->st_shndx == SHN_UNDEF && *name && !look_at_import(name))
                answer = 2;
        }
    return answer;
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
    if (in_program())
        goes_on(CALLER); /* something has changed, and be it the position in a file */
}

bool has_called_unseen(void)
{
    return portolan_unseen;
}

#define UNSEEN(name)                                                                                                   \
    __asm__(".text\n.globl __wrap_" #name "\n.type __wrap_" #name ",@function\n"                                       \
            "__wrap_" #name ":\nmovb $1,portolan_unseen(%rip)\njmp *" #name "@GOTPCREL(%rip)\n"                        \
            ".size __wrap_" #name ",.-__wrap_" #name "\n")

UNSEEN(pclose);
UNSEEN(prctl);
UNSEEN(setvbuf);
