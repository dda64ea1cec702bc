/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions are those of libstdc++, which keeps what a thread handles in its thread-local variables.  What it does is
 * not in the journal: a run in which something is thrown is run again to go back.  What nobody catches is an error.
 */
#include "native/calls.h"
#include "native/context.h"
#include "native/failure.h"
#include "native/foreign.h"
#include "native/own_words.h"
#include "native/unseen.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

/* Of the Itanium C++ ABI. */
struct handled {
    void *caught;
    unsigned uncaught;
};

struct type_info {
    const struct {
        void *destructors[2];
        bool (*is_pointer)(const struct type_info *type);
        bool (*is_function)(const struct type_info *type);
        bool (*catches)(const struct type_info *type, const struct type_info *thrown, void **object, unsigned outer);
    } * functions;
    const char *name;
};

struct handled *__cxa_get_globals(void) WEAK;
struct type_info *__cxa_current_exception_type(void) WEAK;
char *__cxa_demangle(const char *name, char *text, size_t *size, int *status) WEAK;
void *set_terminate(void (*handler)(void)) __asm__("_ZSt13set_terminatePFvvE") WEAK;
void current_exception(void **result) __asm__("_ZSt17current_exceptionv") WEAK;
extern const struct type_info exception_type __asm__("_ZTISt9exception") WEAK;
void init_streams(void *unused) __asm__("_ZNSt8ios_base4InitC1Ev") WEAK;
extern char __libc_single_threaded;

const char *demangled(const char *name, char *text, size_t size)
{
    int status = -1;
    char *found = __cxa_demangle && strncmp(name, "_Z", 2) == 0 ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
    if (found)
        snprintf(text, size, "%s", found);
    free(found);
    return found ? text : name;
}

/* --- what nobody catches */

static KEPT uintptr_t thrown_at[MOST_THREADS];

/* The name of a type is that of a symbol without its beginning. */
static void type_name(const struct type_info *type, char *text, size_t size)
{
    char symbol[300];
    const char *name = type->name + (type->name[0] == '*');
    int status = -1;
    snprintf(symbol, sizeof symbol, "%s", name);
    char *found = __cxa_demangle ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
    snprintf(text, size, "%s", found ? found : name);
    free(found);
}

/* what() of an exception that derives from std::exception, or NULL. */
static const char *what_of(const struct type_info *type, void *object)
{
    enum { WHAT = 2 };
    if (!object || !&exception_type || !exception_type.functions->catches(&exception_type, type, &object, 1))
        return NULL;
    const char *(**functions)(void *) = *(const char *(***)(void *))object;
    return functions[WHAT](object);
}

/* std::terminate calls it. */
static void fail_terminated(void)
{
    uintptr_t caller = thrown_at[agents.current];
    const struct type_info *type = __cxa_current_exception_type ? __cxa_current_exception_type() : NULL;
    void *object = NULL;
    char name[200] = "";
    if (!in_program())
        abort();
    if (!type)
        fail_run(FAILED_EXCEPTION, CALLER, "calls std::terminate, without an exception");
    if (current_exception)
        current_exception(&object);
    type_name(type, name, sizeof name);
    const char *what = what_of(type, object);
    fail_run(FAILED_EXCEPTION, caller, "throws %s, which is not caught%s%s", name, what ? ": " : "", what ? what : "");
}

typedef void *allocates(size_t size);

EXPORT void *__cxa_allocate_exception(size_t size);
EXPORT void *__cxa_allocate_exception(size_t size)
{
    static KEPT allocates *real;
    if (!real)
        real = (allocates *)dlsym(RTLD_NEXT, "__cxa_allocate_exception");
    void *made = real(size);
    if (in_program())
        foreign_begins((uintptr_t)made, size);
    return made;
}

typedef void throws(void *object, void *type, void (*destroy)(void *));

EXPORT void __cxa_throw(void *object, void *type, void (*destroy)(void *));
EXPORT void __cxa_throw(void *object, void *type, void (*destroy)(void *))
{
    static KEPT throws *real;
    uintptr_t caller = CALLER;
    if (!real)
        real = (throws *)dlsym(RTLD_NEXT, "__cxa_throw");
    if (in_program()) {
        calls_unseen();
        thrown_at[agents.current] = caller;
        functions_are_left();
    }
    real(object, type, destroy);
}

typedef void rethrows(void);

EXPORT void __cxa_rethrow(void);
EXPORT void __cxa_rethrow(void)
{
    static KEPT rethrows *real;
    if (!real)
        real = (rethrows *)dlsym(RTLD_NEXT, "__cxa_rethrow");
    if (in_program())
        calls_unseen();
    real();
}

typedef void rethrows_exception(void *exception);

EXPORT void rethrow_exception(void *exception) __asm__("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE");
EXPORT void rethrow_exception(void *exception)
{
    static KEPT rethrows_exception *real;
    uintptr_t caller = CALLER;
    if (!real)
        real = (rethrows_exception *)dlsym(RTLD_NEXT, "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE");
    if (in_program()) {
        calls_unseen();
        thrown_at[agents.current] = caller;
    }
    real(exception);
}

/* --- the beginning */

void exceptions_make(void)
{
    static KEPT char streams[16]; /* an object without members */
    if (init_streams)
        init_streams(streams);  /* once for all executions: what it makes is the library's */
    __libc_single_threaded = 0; /* else libstdc++ would count references without atomics */
}

void begin_exceptions(void)
{
    if (__cxa_get_globals)
        memset(__cxa_get_globals(), 0, sizeof(struct handled));
    if (set_terminate)
        set_terminate(fail_terminated);
    begin_locals();
}
