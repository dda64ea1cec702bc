// Each thread rounds in its own way, which it has from who creates it.
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static unsigned short control_word(void)
{
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static void *rounds_up(void *unused)
{
    fesetround(FE_UPWARD);
    feraiseexcept(FE_DIVBYZERO);
    atomic_store(&x, 1);
    assert(fegetround() == FE_UPWARD && (control_word() & 0xc00) == 0x800 && fetestexcept(FE_DIVBYZERO));
    return unused;
}

static void *looks(void *unused)
{
    atomic_load(&x);
    assert(fegetround() == FE_TOWARDZERO && (control_word() & 0xc00) == 0xc00 && !fetestexcept(FE_DIVBYZERO));
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
