/* SPDX-License-Identifier: Apache-2.0 */
/* Where this program is: what belongs to it is beside it, or in a directory that is found from there. */
#include "cli/own_place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#elif defined __APPLE__
#include <mach-o/dyld.h>
#endif

#ifdef __linux__
static bool find_program(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    if (length > 0)
        return (size_t)length < size - 1;
    const char *name = (const char *)getauxval(AT_EXECFN); /* in a chroot without /proc: the path that was executed */
    char *real = name ? realpath(name, NULL) : NULL;
    bool fits = real && strlen(real) < size;
    if (fits)
        memcpy(path, real, strlen(real) + 1);
    free(real);
    return fits;
}
#elif defined __APPLE__
static bool find_program(char *path, size_t size)
{
    uint32_t room = (uint32_t)size;
    return _NSGetExecutablePath(path, &room) == 0;
}
#else
static bool find_program(char *path, size_t size)
{
    (void)path, (void)size;
    return false;
}
#endif

bool find_own_directory(char *path, size_t size)
{
    char *slash = find_program(path, size) ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = '\0';
    else
        path[0] = '\0';
    return slash != NULL;
}
