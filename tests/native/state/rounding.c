/* SPDX-License-Identifier: Apache-2.0 */
// Each thread rounds in its own way, which it has from who creates it.
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static double less, more;

/* By the old unit, which has a mode of its own. */
static double quotient(void)
{
    volatile long double one = 1, three = 3;
    return (double)(one / three);
}

static void *rounds_up(void *unused)
{
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
    atomic_store(&x, 1);
    assert(fegetround() == FE_UPWARD && quotient() == more &&
           fetestexcept(FE_ALL_EXCEPT) == (FE_DIVBYZERO | FE_INEXACT));
    atomic_store(&x, 2);
    return unused;
}

static void *looks(void *unused)
{
    atomic_load(&x);
    assert(fegetround() == FE_TOWARDZERO && !fetestexcept(FE_ALL_EXCEPT));
    assert(quotient() == less && fetestexcept(FE_ALL_EXCEPT) == FE_INEXACT);
    atomic_load(&x);
    assert(fetestexcept(FE_ALL_EXCEPT) == FE_INEXACT);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    assert(fegetround() == FE_TONEAREST && !fetestexcept(FE_INEXACT));
    fesetround(FE_DOWNWARD);
    less = quotient();
    fesetround(FE_UPWARD);
    more = quotient();
    fesetround(FE_TONEAREST);
    assert(less < more && fetestexcept(FE_INEXACT));
    feclearexcept(FE_ALL_EXCEPT);
    pthread_create(&a, NULL, rounds_up, NULL);
    fesetround(FE_TOWARDZERO);
    pthread_create(&b, NULL, looks, NULL);
    pthread_join(a, NULL);
    assert(fegetround() == FE_TOWARDZERO);
    pthread_join(b, NULL);
    return 0;
}
