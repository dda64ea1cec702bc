// SPDX-License-Identifier: Apache-2.0
// Atomics, and what waits by them: semaphores, latches, barriers.
#include "cases.h"

#include <atomic>
#include <barrier>
#include <latch>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

static std::atomic<int> flag;
static int data;

CASE(added, "holds *")
{
    std::atomic<int> x{0};
    std::thread t([&] { x++; });
    x.fetch_add(1);
    t.join();
    assert(x == 2);
}

CASE(not_added, "assertion")
{
    std::atomic<int> x{0};
    auto add = [&] { x = x + 1; };
    std::thread t(add);
    add();
    t.join();
    assert(x == 2);
}

CASE(published, "holds 2")
{
    std::thread t([] {
        data = 1;
        flag.store(1, std::memory_order_release);
    });
    if (flag.load(std::memory_order_acquire))
        assert(data == 1);
    t.join();
}

CASE(published_too_weakly, "data_race")
{
    std::thread t([] {
        data = 1;
        flag.store(1, std::memory_order_relaxed);
    });
    if (flag.load(std::memory_order_relaxed))
        assert(data == 1);
    t.join();
}

CASE(reference, "holds 2")
{
    int x = 0;
    std::thread t([&] { std::atomic_ref(x).exchange(1); });
    std::atomic_ref(x).exchange(2);
    t.join();
    assert(x == 1 || x == 2);
}

CASE(reference_and_plain, "data_race")
{
    int x = 0;
    std::thread t([&] { std::atomic_ref(x).store(1); });
    x = 2;
    t.join();
}

CASE(spin_lock, "holds *")
{
    static std::atomic_flag lock = ATOMIC_FLAG_INIT;
    int x = 0;
    auto add = [&] {
        while (lock.test_and_set(std::memory_order_acquire))
            ;
        x++;
        lock.clear(std::memory_order_release);
    };
    std::thread t(add);
    add();
    t.join();
}

CASE(of_structure, "holds 2")
{
    struct pair {
        int a, b;
    };
    std::atomic<pair> p(pair{1, 1});
    std::thread t([&] { p.store({2, 2}); });
    pair found = p.load();
    assert(found.a == found.b);
    t.join();
}

CASE(of_double, "holds 1")
{
    std::atomic<double> x{0};
    std::thread t([&] { x.store(1.5); });
    t.join();
    assert(x.load() == 1.5);
}

CASE(of_shared_pointer, "holds *")
{
    auto p = std::make_shared<int>(1);
    std::thread t([copy = p] { assert(*copy == 1); });
    p.reset();
    t.join();
}

// --- wait and notify

template <typename T> static void wait_for_one(bool notifies)
{
    std::atomic<T> x{0};
    std::thread t([&] {
        x.store(1);
        if (notifies)
            x.notify_one();
    });
    x.wait(0);
    assert(x == 1);
    t.join();
}

CASE(wait, "holds 2")
{
    wait_for_one<int>(true);
}

CASE(wait_for_bytes, "holds 2")
{
    wait_for_one<char>(true);
}

CASE(wait_for_long, "holds 2")
{
    wait_for_one<long>(true);
}

CASE(wait_never_notified, "deadlock")
{
    wait_for_one<int>(false);
}

CASE(wait_notified_before, "deadlock")
{
    std::atomic<int> x{0};
    std::thread t([&] {
        x.notify_all();
        x.store(1);
    });
    x.wait(0);
    t.join();
}

CASE(wait_one_of_two_notified, "deadlock")
{
    std::atomic<int> x{0};
    std::thread a([&] { x.wait(0); }), b([&] { x.wait(0); });
    x.store(1);
    x.notify_one();
    a.join();
    b.join();
}

CASE(wait_both_notified, "holds 7")
{
    std::atomic<int> x{0};
    std::thread a([&] { x.wait(0); }), b([&] { x.wait(0); });
    x.store(1);
    x.notify_all();
    a.join();
    b.join();
}

CASE(wait_orders, "holds 2")
{
    std::atomic<int> x{0};
    int plain = 0;
    std::thread t([&] {
        plain = 1;
        x.store(1, std::memory_order_release);
        x.notify_one();
    });
    x.wait(0, std::memory_order_acquire);
    assert(plain == 1);
    t.join();
}

CASE(wait_orders_nothing, "data_race")
{
    std::atomic<int> x{0};
    int plain = 0;
    std::thread t([&] {
        plain = 1;
        x.store(1, std::memory_order_release);
        x.notify_one();
    });
    x.wait(0, std::memory_order_relaxed);
    assert(plain == 1);
    t.join();
}

CASE(wait_of_flag, "holds 2")
{
    std::atomic_flag f = ATOMIC_FLAG_INIT;
    std::thread t([&] {
        f.test_and_set();
        f.notify_one();
    });
    f.wait(false);
    t.join();
}

CASE(wait_there_and_back, "deadlock")
{
    std::atomic<int> x{0};
    std::thread t([&] {
        x = 1;
        x.notify_one();
        x = 0;
    });
    x.wait(0);
    t.join();
}

// --- semaphores, latches, barriers

CASE(semaphore, "holds 2")
{
    std::binary_semaphore s(1);
    int x = 0;
    auto add = [&] {
        s.acquire();
        x++;
        s.release();
    };
    std::thread t(add);
    add();
    t.join();
    assert(x == 2);
}

CASE(semaphore_of_two, "data_race")
{
    std::counting_semaphore<2> s(2);
    int x = 0;
    auto add = [&] {
        s.acquire();
        x++;
        s.release();
    };
    std::thread t(add);
    add();
    t.join();
}

CASE(semaphore_never_released, "deadlock")
{
    std::counting_semaphore s(0);
    std::thread t([&] { s.try_acquire(); });
    s.acquire();
    t.join();
}

static void count_down(int expected)
{
    std::latch l(expected);
    int parts[3] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&, i] {
            parts[i] = 1;
            l.count_down();
        });
    l.wait();
    assert(parts[0] + parts[1] + parts[2] == 3);
    for (auto &t : threads)
        t.join();
}

CASE(latch, "holds 1")
{
    count_down(3);
}

CASE(latch_too_high, "deadlock")
{
    count_down(4);
}

CASE(latch_too_low, "data_race")
{
    std::latch l(1);
    int parts[2] = {};
    std::thread a([&] {
        parts[0] = 1;
        l.count_down();
    }), b([&] { parts[1] = 1; });
    l.wait();
    assert(parts[0] + parts[1] == 2);
    a.join();
    b.join();
}

CASE(latch_below_zero, "misuse")
{
    std::latch l(1);
    l.count_down();
    l.count_down();
}

CASE(latch_tried, "holds 2")
{
    std::latch l(1);
    int x = 0;
    std::thread t([&] {
        x = 1;
        l.count_down();
    });
    if (l.try_wait())
        assert(x == 1);
    t.join();
}

CASE(latches_one_after_another, "holds 1")
{
    for (int i = 0; i < 2; i++) {
        std::latch l(2);
        std::thread t([&] { l.arrive_and_wait(); });
        l.arrive_and_wait();
        t.join();
    }
}

CASE(barrier, "holds 1")
{
    std::barrier b(3);
    int parts[3] = {};
    auto work = [&](int i) {
        parts[i]++;
        b.arrive_and_wait();
        assert(parts[(i + 1) % 3] == 1);
        b.arrive_and_wait();
        parts[i]++;
    };
    std::thread t(work, 1), u(work, 2);
    work(0);
    t.join();
    u.join();
}

CASE(barrier_left_out, "data_race")
{
    std::barrier b(2);
    int parts[2] = {};
    auto work = [&](int i) {
        b.arrive_and_wait();
        parts[i]++;
        assert(parts[1 - i] >= 0);
    };
    std::thread t(work, 1);
    work(0);
    t.join();
}

CASE(barrier_of_three, "deadlock")
{
    std::barrier b(3);
    std::thread t([&] { b.arrive_and_wait(); });
    b.arrive_and_wait();
    t.join();
}

CASE(barrier_dropped, "holds *")
{
    std::barrier b(2);
    int x = 0;
    std::thread t([&] {
        x = 1;
        b.arrive_and_drop();
    });
    b.arrive_and_wait();
    assert(x == 1);
    b.arrive_and_wait();
    t.join();
}

CASE(barrier_by_token, "holds *")
{
    std::barrier b(2);
    int x = 0;
    std::thread t([&] {
        x = 1;
        (void)b.arrive();
    });
    b.wait(b.arrive());
    assert(x == 1);
    t.join();
}

CASE(barrier_completes, "holds *")
{
    int phases = 0;
    std::barrier b(2, [&]() noexcept { phases++; });
    std::thread t([&] { b.arrive_and_wait(); });
    b.arrive_and_wait();
    assert(phases == 1);
    t.join();
}
