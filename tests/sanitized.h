/* SPDX-License-Identifier: Apache-2.0 */
/* Tests under sanitizers, which look at memory, need fewer random models than those of the release build, which look at
 * answers. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#ifndef __has_feature
#define __has_feature(x) 0
#endif
enum {
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
    SANITIZED = 1
#else
    SANITIZED = 0
#endif
};
#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)
#define THREADS_SANITIZED
#endif
#define SOME(count) (SANITIZED ? (count) / 5 : (count))

#endif
