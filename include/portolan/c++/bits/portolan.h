/* SPDX-License-Identifier: Apache-2.0 */
/* What every source in C++ begins with when `portolan c++` compiles it. */
#ifndef PORTOLAN_CPLUSPLUS_H
#define PORTOLAN_CPLUSPLUS_H 1
#pragma GCC system_header

#if defined __cplusplus && !defined __clang__
/* gcc puts these in place whatever it is told, and does not report what they touch: they become calls. */
extern "C++" {
void *__portolan_memset(void *, int, __SIZE_TYPE__) __asm__("memset");
void *__portolan_mempcpy(void *, const void *, __SIZE_TYPE__) __asm__("mempcpy");
int __portolan_memcmp(const void *, const void *, __SIZE_TYPE__) __asm__("memcmp");
char *__portolan_strcpy(char *, const char *) __asm__("strcpy");
char *__portolan_stpcpy(char *, const char *) __asm__("stpcpy");
char *__portolan_strncpy(char *, const char *, __SIZE_TYPE__) __asm__("strncpy");
char *__portolan_strcat(char *, const char *) __asm__("strcat");
}
#define __portolan_call(name, ...)                                                                                     \
    (__builtin_is_constant_evaluated() ? __builtin_##name(__VA_ARGS__) : __portolan_##name(__VA_ARGS__))
#define __builtin_memset(...) __portolan_call(memset, __VA_ARGS__)
#define __builtin_mempcpy(...) __portolan_call(mempcpy, __VA_ARGS__)
#define __builtin_memcmp(...) __portolan_call(memcmp, __VA_ARGS__)
#define __builtin_strcpy(...) __portolan_call(strcpy, __VA_ARGS__)
#define __builtin_stpcpy(...) __portolan_call(stpcpy, __VA_ARGS__)
#define __builtin_strncpy(...) __portolan_call(strncpy, __VA_ARGS__)
#define __builtin_strcat(...) __portolan_call(strcat, __VA_ARGS__)
#endif

#endif
