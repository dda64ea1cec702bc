/* SPDX-License-Identifier: Apache-2.0 */
/* What programs tell about their threads and ask about the machine: it makes no difference here. */
#include "native/accesses.h"
#include "native/symbols.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    (void)thread;
    return strlen(name) < 16 ? 0 : ERANGE;
}

EXPORT int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
    if (size < 16)
        return ERANGE;
    writes(name, size, CALLER);
    agent_name((uint32_t)thread - 1, name, size);
    return 0;
}

EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *processors)
{
    (void)thread, (void)size, (void)processors;
    return 0;
}

EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *processors)
{
    (void)thread;
    writes(processors, size, CALLER);
    memset(processors, 0, size);
    CPU_SET(0, processors);
    return 0;
}

EXPORT int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters)
{
    (void)thread, (void)policy, (void)parameters;
    return 0;
}

EXPORT int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters)
{
    (void)thread;
    writes(policy, sizeof *policy, CALLER);
    writes(parameters, sizeof *parameters, CALLER);
    *policy = SCHED_OTHER;
    memset(parameters, 0, sizeof *parameters);
    return 0;
}

EXPORT int pthread_setschedprio(pthread_t thread, int priority)
{
    (void)thread, (void)priority;
    return 0;
}

EXPORT int __wrap_sched_getcpu(void);
EXPORT int __wrap_sched_getcpu(void)
{
    return 0;
}
