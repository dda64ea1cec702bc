// Each thread rounds in its own way, which it has from who creates it.
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static int control_word(void)
{
    fenv_t environment;
    fegetenv(&environment);
    return environment.__control_word & 0xc00;
}

static void *rounds_up(void *unused)
{
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
    atomic_store(&x, 1);
    assert(fegetround() == FE_UPWARD && control_word() == 0x800 && fetestexcept(FE_DIVBYZERO));
    return unused;
}

static void *looks(void *unused)
{
    atomic_load(&x);
    assert(fegetround() == FE_TOWARDZERO && control_word() == 0xc00 && !fetestexcept(FE_DIVBYZERO));
    return unused;
}

int main(void)
{
    pthread_t a, b;
    assert(fegetround() == FE_TONEAREST);
    pthread_create(&a, NULL, rounds_up, NULL);
    fesetround(FE_TOWARDZERO);
    pthread_create(&b, NULL, looks, NULL);
    pthread_join(a, NULL);
    assert(fegetround() == FE_TOWARDZERO);
    pthread_join(b, NULL);
    return 0;
}
