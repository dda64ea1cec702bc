// What a call returns is written to a variable that another thread reads, or that nobody else knows yet.
#include <memory>
#include <new>
#include <thread>

struct numbers {
    long number[5];
};

numbers make(long number) __attribute__((noinline));
numbers make(long number)
{
    return {{number, number}};
}

struct holder {
    numbers held;
    holder() : held(make(1))
    {
    }
};

numbers shared = make(7), *somewhere = &shared;
thread_local numbers mine = make(2);
long sum;

#if RETURNED == 1 // assigned
static void count()
{
    shared = make(1);
}
#elif RETURNED == 2 // where another object was
static void count()
{
    new (somewhere) numbers(make(1));
}
#else               // in new objects
static numbers again(long number)
{
    return make(2 * number);
}

static void count()
{
    static numbers kept = make(3);
    holder other;
    auto third = std::make_unique<numbers>(make(2));
    numbers local = again(3), *fourth = new numbers(make(local.number[0]));
    sum += mine.number[0] + kept.number[0] + third->number[0] + fourth->number[0] + other.held.number[0];
    delete fourth;
}
#endif

int main()
{
    std::thread other(count);
    long found = shared.number[4];
    other.join();
    return found < 0;
}
