/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs in C++ take from libstdc++.so.  Most of it is in headers and compiled with the program, or has a
 * function of ours (cplusplus_threads.c and its like, include/portolan/c++).  Of the rest this file says what is known;
 * other functions are named in the report (harmless.c).
 *
 * Streams are objects that whoever uses them reads and writes, but for the standard ones, which may be used by several
 * threads at once ([iostream.objects.overview] in the standard of C++).
 */
#include "native/accesses.h"
#include "native/libraries.h"
#include "native/unseen.h"

#include <ctype.h>

/* These touch nothing that threads could race for, and nothing that is undone by the journal: what has to do with
 * exceptions comes after a throw, which stops it. */
static const char harmless[] =
    " "
    "__gxx_personality_v0 __cxa_begin_catch __cxa_end_catch __cxa_allocate_exception __cxa_free_exception "
    "__cxa_get_exception_ptr __cxa_pure_virtual __cxa_deleted_virtual __cxa_bad_cast __cxa_bad_typeid "
    "__cxa_throw_bad_array_new_length __cxa_current_exception_type __cxa_get_globals __cxa_demangle "
    "__cxa_call_unexpected __cxa_call_terminate __dynamic_cast __once_proxy _ZSt11__once_call _ZSt15__once_callable "
    "_ZSt9terminatev _ZSt10unexpectedv _ZNSt6thread6_StateD2Ev _ZNSt6thread6_StateD1Ev _ZNSt6thread6_StateD0Ev "
    "_ZNSt13__future_base12_Result_baseC2Ev _ZNSt13__future_base12_Result_baseD2Ev _ZNSt3_V215system_categoryEv "
    "_ZNSt3_V216generic_categoryEv _ZSt15future_categoryv _ZSt18uncaught_exceptionv _ZSt19uncaught_exceptionsv "
    "_ZSt7nothrow _ZNSt9exceptionD2Ev _ZNSt9exceptionD1Ev _ZNKSt9exception4whatEv _ZSt4cout _ZSt4cerr _ZSt4clog "
    "_ZSt3cin _ZSt5wcout _ZSt5wcerr _ZSt5wclog _ZSt4wcin _ZNSt8ios_base4InitC1Ev _ZNSt8ios_base4InitD1Ev "
    "_ZNSaIcEC1Ev _ZNSaIcEC2Ev _ZNSaIcEC1ERKS_ _ZNSaIcEC2ERKS_ _ZNSaIcED1Ev _ZNSaIcED2Ev _ZNSaIwEC1Ev _ZNSaIwED1Ev "
    "_ZSt13set_terminatePFvvE _ZSt13get_terminatev _ZNSt10bad_typeidD1Ev _ZNSt8bad_castD2Ev _ZNSt8bad_castD1Ev "
    "_ZNSt9bad_allocD1Ev _ZNSt20bad_array_new_lengthD1Ev _ZNSt17bad_function_callD1Ev ";

/* Virtual tables, types and their names; functions that throw what their name says. */
static bool is_data_or_throws(const char *name)
{
    if (strncmp(name, "_ZTV", 4) == 0 || strncmp(name, "_ZTI", 4) == 0 || strncmp(name, "_ZTS", 4) == 0 ||
        strncmp(name, "_ZTT", 4) == 0)
        return true;
    const char *at = name + 4;
    while (strncmp(name, "_ZSt", 4) == 0 && isdigit((unsigned char)*at))
        at++;
    return strncmp(name, "_ZSt", 4) == 0 && strncmp(at, "__throw_", 8) == 0;
}

bool is_harmless_in_cplusplus(const char *name)
{
    char word[200];
    return is_data_or_throws(name) ||
           ((size_t)snprintf(word, sizeof word, " %s ", name) < sizeof word && strstr(harmless, word));
}

/* --- bases whose constructors and destructors are in the library: they say anew of what type the object is */

#define CHANGES(symbol, size)                                                                                          \
    void __real_##symbol(void *object) __attribute__((weak));                                                          \
    EXPORT void __wrap_##symbol(void *object);                                                                         \
    EXPORT void __wrap_##symbol(void *object)                                                                          \
    {                                                                                                                  \
        writes(object, size, CALLER);                                                                                  \
        __real_##symbol(object);                                                                                       \
    }
enum { TABLE = 8, TABLE_AND_EXCEPTION = 16 };
CHANGES(_ZNSt6thread6_StateD2Ev, TABLE)
CHANGES(_ZNSt9exceptionD1Ev, TABLE)
CHANGES(_ZNSt9exceptionD2Ev, TABLE)
CHANGES(_ZNSt13__future_base12_Result_baseC2Ev, TABLE_AND_EXCEPTION)
CHANGES(_ZNSt13__future_base12_Result_baseD2Ev, TABLE_AND_EXCEPTION)

/* --- streams */

extern char standard_out[] __asm__("_ZSt4cout") __attribute__((weak));
extern char standard_error[] __asm__("_ZSt4cerr") __attribute__((weak));
extern char standard_log[] __asm__("_ZSt4clog") __attribute__((weak));
extern char standard_in[] __asm__("_ZSt3cin") __attribute__((weak));

/* What a function takes besides a stream. */
enum { NOTHING, A_TEXT, BYTES, A_STRING, A_RESULT, A_VALUE };

/* The registers of a call, as the code below saves them. */
struct stream_call {
    unsigned __int128 vector;
    uintptr_t kind, arguments[6], caller;
};

static bool is_standard(uintptr_t stream)
{
    return stream == (uintptr_t)standard_out || stream == (uintptr_t)standard_error ||
           stream == (uintptr_t)standard_log || stream == (uintptr_t)standard_in;
}

void portolan_stream_is_used(const struct stream_call *call);
__attribute__((visibility("hidden"))) void portolan_stream_is_used(const struct stream_call *call)
{
    enum { STRING_SIZE = 32, SMALLEST_VALUE = 2 };
    bool returns = call->kind == A_RESULT;
    uintptr_t stream = call->arguments[returns], with = call->arguments[!returns];
    remember_entry((void *)((uintptr_t)&call->caller - sizeof(uintptr_t)));
    calls_unseen();
    if (!is_standard(stream))
        writes((void *)stream, sizeof(uintptr_t), call->caller);
    switch (call->kind) {
    case A_TEXT: reads_text((const char *)with, WHOLE_TEXT, call->caller); break;
    case BYTES: reads((const void *)with, call->arguments[2], call->caller); break;
    case A_STRING: writes((void *)with, STRING_SIZE, call->caller); break;
    case A_VALUE: writes((void *)with, SMALLEST_VALUE, call->caller); break;
    default: break;
    }
}

#define STREAM(what, name)                                                                                             \
    __asm__(".text\n.weak " name "\n.globl __wrap_" name "\n.type __wrap_" name ",@function\n__wrap_" name ":\n"       \
            "pushq %r9\npushq %r8\npushq %rcx\npushq %rdx\npushq %rsi\npushq %rdi\npushq $" what "\n"                  \
            "subq $16,%rsp\nmovups %xmm0,(%rsp)\nmovq %rsp,%rdi\npushq %rbp\nmovq %rsp,%rbp\nandq $-16,%rsp\n"         \
            "call portolan_stream_is_used\nmovq %rbp,%rsp\npopq %rbp\nmovups (%rsp),%xmm0\naddq $24,%rsp\n"            \
            "popq %rdi\npopq %rsi\npopq %rdx\npopq %rcx\npopq %r8\npopq %r9\njmp *" name "@GOTPCREL(%rip)\n"           \
            ".size __wrap_" name ",.-__wrap_" name "\n")

/* The numbers of what a function takes, for the assembler. */
#define NOTHING_ELSE "0"
#define TEXT "1"
#define MANY_BYTES "2"
#define STRING "3"
#define RESULT "4"
#define VALUE "5"
_Static_assert(NOTHING == 0 && A_TEXT == 1 && BYTES == 2 && A_STRING == 3 && A_RESULT == 4 && A_VALUE == 5,
               "the assembler's numbers");

#define CHAR_TRAITS "St11char_traitsIcE"
#define OSTREAM "ERSt13basic_ostreamIT_T0_ES6_"
#define OUTPUT(letter)                                                                                                 \
    STREAM(NOTHING_ELSE, "_ZNSolsE" letter);                                                                           \
    STREAM(NOTHING_ELSE, "_ZNSo9_M_insertI" letter "EERSoT_")
#define INPUT(letter)                                                                                                  \
    STREAM(VALUE, "_ZNSirsER" letter);                                                                                 \
    STREAM(VALUE, "_ZNSi10_M_extractI" letter "EERSiRT_")

OUTPUT("b");
OUTPUT("s");
OUTPUT("t");
OUTPUT("i");
OUTPUT("j");
OUTPUT("l");
OUTPUT("m");
OUTPUT("x");
OUTPUT("y");
OUTPUT("f");
OUTPUT("d");
OUTPUT("e");
OUTPUT("PKv");
INPUT("s");
INPUT("t");
INPUT("i");
INPUT("j");
INPUT("l");
INPUT("m");
INPUT("x");
INPUT("y");
INPUT("f");
INPUT("d");
INPUT("e");
STREAM(NOTHING_ELSE, "_ZNSolsEPFRSoS_E");
STREAM(NOTHING_ELSE, "_ZNSolsEPFRSt8ios_baseS0_E");
STREAM(NOTHING_ELSE, "_ZNSo3putEc");
STREAM(NOTHING_ELSE, "_ZNSo5flushEv");
STREAM(MANY_BYTES, "_ZNSo5writeEPKcl");
STREAM(MANY_BYTES, "_ZSt16__ostream_insertIc" CHAR_TRAITS OSTREAM "PKS3_l");
STREAM(NOTHING_ELSE, "_ZSt4endlIc" CHAR_TRAITS OSTREAM);
STREAM(NOTHING_ELSE, "_ZSt5flushIc" CHAR_TRAITS OSTREAM);
STREAM(TEXT, "_ZStlsI" CHAR_TRAITS "ERSt13basic_ostreamIcT_ES5_PKc");
STREAM(NOTHING_ELSE, "_ZStlsI" CHAR_TRAITS "ERSt13basic_ostreamIcT_ES5_c");
STREAM(NOTHING_ELSE, "_ZNSt9basic_iosIc" CHAR_TRAITS "E5clearESt12_Ios_Iostate");
STREAM(NOTHING_ELSE, "_ZNKSt9basic_iosIc" CHAR_TRAITS "E5widenEc");
STREAM(NOTHING_ELSE, "_ZNSi3getEv");
STREAM(NOTHING_ELSE, "_ZNSi6ignoreEli");
STREAM(STRING,
       "_ZSt7getlineIc" CHAR_TRAITS "SaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_");
STREAM(STRING, "_ZSt7getlineIc" CHAR_TRAITS "SaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE");
STREAM(STRING, "_ZStrsIc" CHAR_TRAITS "SaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE");

/* Streams that write to strings, or read from them. */
#define IN_MEMORY(class)                                                                                               \
    STREAM(NOTHING_ELSE, "_ZNSt7__cxx11" class "Ic" CHAR_TRAITS "SaIcEEC1Ev");                                         \
    STREAM(NOTHING_ELSE, "_ZNSt7__cxx11" class "Ic" CHAR_TRAITS "SaIcEEC1ESt13_Ios_Openmode");                         \
    STREAM(NOTHING_ELSE,                                                                                               \
           "_ZNSt7__cxx11" class "Ic" CHAR_TRAITS "SaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode");          \
    STREAM(NOTHING_ELSE,                                                                                               \
           "_ZNSt7__cxx11" class "Ic" CHAR_TRAITS "SaIcEEC1EONS_12basic_stringIcS2_S3_EESt13_Ios_Openmode");           \
    STREAM(NOTHING_ELSE, "_ZNSt7__cxx11" class "Ic" CHAR_TRAITS "SaIcEED1Ev");                                         \
    STREAM(RESULT, "_ZNKSt7__cxx11" class "Ic" CHAR_TRAITS "SaIcEE3strEv");                                            \
    STREAM(RESULT, "_ZNKRSt7__cxx11" class "Ic" CHAR_TRAITS "SaIcEE3strEv")

IN_MEMORY("18basic_stringstream");
IN_MEMORY("19basic_ostringstream");
IN_MEMORY("19basic_istringstream");
IN_MEMORY("15basic_stringbuf");

/* --- what is not in the journal, but touches only what its caller has for itself */

#define UNSEEN_WEAK(name)                                                                                              \
    __asm__(".text\n.weak " name "\n.globl __wrap_" name "\n.type __wrap_" name ",@function\n"                         \
            "__wrap_" name ":\nmovb $1,portolan_unseen(%rip)\njmp *" name "@GOTPCREL(%rip)\n"                          \
            ".size __wrap_" name ",.-__wrap_" name "\n")

/* The exceptions of the standard, by a text or a string. */
#define EXCEPTION(class)                                                                                               \
    UNSEEN_WEAK("_ZNSt" class "C1EPKc");                                                                               \
    UNSEEN_WEAK("_ZNSt" class "C2EPKc");                                                                               \
    UNSEEN_WEAK("_ZNSt" class "C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");                            \
    UNSEEN_WEAK("_ZNSt" class "C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");                            \
    UNSEEN_WEAK("_ZNSt" class "C1ERKS_");                                                                              \
    UNSEEN_WEAK("_ZNSt" class "C2ERKS_");                                                                              \
    UNSEEN_WEAK("_ZNSt" class "D1Ev");                                                                                 \
    UNSEEN_WEAK("_ZNSt" class "D2Ev")

EXCEPTION("13runtime_error");
EXCEPTION("11logic_error");
EXCEPTION("16invalid_argument");
EXCEPTION("12out_of_range");
EXCEPTION("12length_error");
EXCEPTION("12domain_error");
EXCEPTION("11range_error");
EXCEPTION("14overflow_error");
EXCEPTION("15underflow_error");
UNSEEN_WEAK("_ZNKSt13runtime_error4whatEv");
UNSEEN_WEAK("_ZNKSt11logic_error4whatEv");
UNSEEN_WEAK("_ZNSt12future_errorD1Ev");
UNSEEN_WEAK("_ZNSt12system_errorD1Ev");
UNSEEN_WEAK("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
UNSEEN_WEAK("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
UNSEEN_WEAK("_ZNSt15__exception_ptr13exception_ptrC1EPv");
UNSEEN_WEAK("_ZNSt15__exception_ptr13exception_ptrC1ERKS0_");
UNSEEN_WEAK("_ZNSt15__exception_ptr13exception_ptrD1Ev");
UNSEEN_WEAK("_ZSt17current_exceptionv");
UNSEEN_WEAK("__cxa_init_primary_exception");
UNSEEN_WEAK("_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
UNSEEN_WEAK("_ZNSt13random_device7_M_finiEv");
UNSEEN_WEAK("_ZNKSt5ctypeIcE13_M_widen_initEv");
UNSEEN_WEAK("_ZNSt8ios_baseC2Ev");
UNSEEN_WEAK("_ZNSt8ios_baseD2Ev");
UNSEEN_WEAK("_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E");
UNSEEN_WEAK("_ZNSt6localeC1Ev");
UNSEEN_WEAK("_ZNSt6localeD1Ev");
