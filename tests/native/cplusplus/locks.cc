// SPDX-License-Identifier: Apache-2.0
// Threads, mutexes of all kinds, condition variables.
#include "cases.h"

#include <condition_variable>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <stop_token>
#include <thread>

using namespace std::chrono_literals;

// --- threads

CASE(race, "data_race")
{
    int x = 0;
    std::thread t([&] { x++; });
    x++;
    t.join();
}

CASE(joined, "holds 1")
{
    int x = 0;
    std::thread t([&] { x++; });
    t.join();
    assert(x == 1);
}

CASE(joinable_destroyed, "exception")
{
    std::thread t([] {});
}

CASE(joined_twice, "exception")
{
    std::thread t([] {});
    t.join();
    t.join();
}

CASE(detached, "holds 1")
{
    std::thread([] {}).detach();
}

CASE(swapped, "holds 1")
{
    int x = 0;
    std::thread a([&] { x = 1; }), b;
    std::swap(a, b);
    assert(!a.joinable());
    b.join();
    assert(x == 1);
}

CASE(local_of_ended_function, "memory_error")
{
    std::thread t;
    {
        int local = 1;
        t = std::thread(
            [](int *p) {
                static std::mutex m;
                std::lock_guard g(m);
                *p = 2;
            },
            new int(local));
    }
    int *p = new int;
    delete p;
    t.join();
    *p = 3;
}

CASE(jthread_stops, "holds *")
{
    std::jthread t([](std::stop_token stop) {
        while (!stop.stop_requested())
            std::this_thread::yield();
    });
}

CASE(jthread_never_asks, "deadlock")
{
    std::mutex m;
    m.lock();
    std::jthread t([&](std::stop_token) { m.lock(); });
}

CASE(stop_callback, "holds *")
{
    int called = 0;
    std::jthread t([&](std::stop_token stop) { std::stop_callback back(stop, [&] { called++; }); });
    t.request_stop();
    t.join();
    assert(called <= 1);
}

// --- mutexes

CASE(mutex, "holds 2")
{
    std::mutex m;
    int x = 0;
    auto add = [&] {
        std::lock_guard g(m);
        x++;
    };
    std::thread t(add);
    add();
    t.join();
    assert(x == 2);
}

CASE(mutexes_crossed, "deadlock")
{
    std::mutex a, b;
    std::thread t([&] {
        std::lock_guard g(a);
        std::lock_guard h(b);
    });
    {
        std::lock_guard g(b);
        std::lock_guard h(a);
    }
    t.join();
}

CASE(scoped_lock, "holds *")
{
    std::mutex a, b;
    int x = 0;
    std::thread t([&] {
        std::scoped_lock g(a, b);
        x++;
    });
    {
        std::scoped_lock g(b, a);
        x++;
    }
    t.join();
    assert(x == 2);
}

CASE(scoped_lock_beside_a_lock, "deadlock")
{
    std::mutex a, b, c;
    std::thread t([&] {
        std::scoped_lock g(a, b);
        std::lock_guard h(c);
    });
    {
        std::lock_guard h(c);
        std::scoped_lock g(b, a);
    }
    t.join();
}

CASE(unlocked_by_another, "misuse")
{
    std::mutex m;
    m.lock();
    std::thread t([&] { m.unlock(); });
    t.join();
}

CASE(locked_twice, "deadlock")
{
    std::mutex m;
    m.lock();
    m.lock();
}

CASE(recursive_mutex, "holds 2")
{
    std::recursive_mutex m;
    int x = 0;
    auto add = [&] {
        std::lock_guard g(m), h(m);
        x++;
    };
    std::thread t(add);
    add();
    t.join();
}

CASE(try_lock, "holds 3")
{
    std::mutex m;
    int x = 0;
    std::thread t([&] {
        if (m.try_lock()) {
            x++;
            m.unlock();
        }
    });
    m.lock();
    x++;
    m.unlock();
    t.join();
}

CASE(timed_mutex, "holds 3")
{
    std::timed_mutex m;
    int x = 0;
    std::thread t([&] {
        if (m.try_lock_for(1s)) {
            x++;
            m.unlock();
        }
    });
    m.lock();
    x++;
    m.unlock();
    t.join();
}

CASE(timed_mutex_not_asked, "misuse")
{
    std::recursive_timed_mutex m;
    std::thread t([&] { m.try_lock_until(std::chrono::steady_clock::now() + 1s); });
    m.lock();
    m.unlock();
    t.join();
    m.unlock();
    std::timed_mutex n;
    n.unlock();
}

CASE(shared_mutex, "holds 2")
{
    std::shared_mutex m;
    int x = 0;
    auto look = [&] {
        std::shared_lock g(m);
        assert(x == 0 || x == 1);
    };
    std::thread a(look), b([&] {
        std::unique_lock g(m);
        x = 1;
    });
    a.join();
    b.join();
    std::thread c(look);
    look();
    c.join();
    std::thread d(look);
    d.join();
}

CASE(shared_mutex_written_while_shared, "data_race")
{
    std::shared_mutex m;
    int x = 0;
    auto add = [&] {
        std::shared_lock g(m);
        x++;
    };
    std::thread a(add);
    add();
    a.join();
}

CASE(shared_timed_mutex, "holds 3")
{
    std::shared_timed_mutex m;
    int x = 0;
    std::thread t([&] {
        std::shared_lock g(m, 1s);
        assert(!g || x < 2);
    });
    m.lock();
    x = 1;
    m.unlock();
    t.join();
}

// --- condition variables

CASE(condition, "holds 2")
{
    std::mutex m;
    std::condition_variable c;
    bool ready = false;
    std::thread t([&] {
        std::lock_guard g(m);
        ready = true;
        c.notify_one();
    });
    {
        std::unique_lock g(m);
        c.wait(g, [&] { return ready; });
    }
    t.join();
}

CASE(condition_lost, "deadlock")
{
    std::mutex m;
    std::condition_variable c;
    std::thread t([&] { c.notify_one(); });
    {
        std::unique_lock g(m);
        c.wait(g);
    }
    t.join();
}

CASE(condition_destroyed, "misuse")
{
    std::mutex m;
    auto *c = new std::condition_variable;
    bool ready = false;
    std::thread t([&] {
        std::unique_lock g(m);
        while (!ready)
            c->wait(g);
    });
    c->~condition_variable();
    t.join();
}

CASE(condition_timed, "holds *")
{
    std::mutex m;
    std::condition_variable c;
    bool ready = false;
    std::thread t([&] {
        std::lock_guard g(m);
        ready = true;
        c.notify_one();
    });
    {
        std::unique_lock g(m);
        while (!ready && c.wait_for(g, 1s) == std::cv_status::no_timeout)
            ;
    }
    t.join();
}

CASE(condition_any, "holds *")
{
    std::shared_mutex m;
    std::condition_variable_any c;
    bool ready = false;
    std::thread t([&] {
        {
            std::lock_guard g(m);
            ready = true;
        }
        c.notify_all();
    });
    {
        std::unique_lock g(m);
        c.wait(g, [&] { return ready; });
    }
    t.join();
}

CASE(condition_any_stopped, "holds *")
{
    std::mutex m;
    std::condition_variable_any c;
    std::jthread t([&](std::stop_token stop) {
        std::unique_lock g(m);
        assert(!c.wait(g, stop, [] { return false; }));
    });
}

CASE(condition_any_lost, "deadlock")
{
    std::mutex m;
    std::condition_variable_any c;
    std::thread t([&] { c.notify_all(); });
    {
        std::unique_lock g(m);
        c.wait(g);
    }
    t.join();
}

template <bool waits> static void pass_on()
{
    std::mutex m;
    std::condition_variable c;
    std::queue<int> queue;
    std::thread t([&] {
        for (int i = 0; i < 2; i++) {
            std::lock_guard g(m);
            queue.push(i);
            c.notify_one();
        }
    });
    for (int i = 0; i < 2; i++) {
        std::unique_lock g(m);
        if (waits)
            c.wait(g, [&] { return !queue.empty(); });
        assert(!queue.empty() && queue.front() == i);
        queue.pop();
    }
    t.join();
}

CASE(queue, "holds *")
{
    pass_on<true>();
}

CASE(queue_without_waiting, "assertion")
{
    pass_on<false>();
}
