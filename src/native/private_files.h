/* SPDX-License-Identifier: Apache-2.0 */
/* The files of an execution: what is written goes to copies that the next execution does not find. */
#ifndef NATIVE_PRIVATE_FILES_H
#define NATIVE_PRIVATE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Are names and files those of the execution?  (A program that runs by itself has the real ones.) */
bool files_are_private(void);
void private_files_reset(void);

/* As the functions of libc, errno included; `caller` is whoever is refused. */
int private_open(int directory, const char *path, int flags, mode_t mode, uintptr_t caller);
int private_make(char *pattern, bool is_directory, uintptr_t caller); /* mkstemp: a descriptor; mkdtemp: 0 */
int private_stat(const char *path, struct stat *result, bool follows);
int private_access(const char *path, int mode);
bool private_path(const char *path, char *result); /* realpath; `result` has PATH_MAX bytes */
int private_unlink(const char *path);
int private_rename(const char *from, const char *to, uintptr_t caller);
int private_chmod(const char *path, mode_t mode, uintptr_t caller);
int private_truncate(const char *path, long size, uintptr_t caller);
int private_mkdir(const char *path, mode_t mode);
int private_rmdir(const char *path, uintptr_t caller);
/* Would a listing of the directory be wrong? */
bool private_differs(const char *directory);

/* A number for what is in a file: the same in each execution, however it was opened. */
uint64_t file_identity(const struct stat *file);

#endif
