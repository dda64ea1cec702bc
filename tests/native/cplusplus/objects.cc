// SPDX-License-Identifier: Apache-2.0
// Futures, call_once, static and thread-local objects, memory, exceptions, containers.
#include "cases.h"

#include <atomic>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

// --- futures

CASE(future, "holds *")
{
    std::promise<int> p;
    auto f = p.get_future();
    std::thread t([&] { p.set_value(3); });
    assert(f.get() == 3);
    t.join();
}

CASE(future_orders, "holds *")
{
    int x = 0;
    std::promise<void> p;
    auto f = p.get_future();
    std::thread t([&] {
        x = 1;
        p.set_value();
    });
    f.wait();
    assert(x == 1);
    t.join();
}

CASE(future_never_set, "deadlock")
{
    std::promise<int> p;
    p.get_future().wait();
}

CASE(promise_broken, "holds 1")
{
    std::future<int> f;
    {
        std::promise<int> p;
        f = p.get_future();
    }
    try {
        f.get();
        assert(false);
    } catch (const std::future_error &e) {
        assert(e.code() == std::future_errc::broken_promise);
    }
}

CASE(promise_set_twice, "exception")
{
    std::promise<int> p;
    std::thread t([&] { p.set_value(1); });
    p.set_value(2);
    t.join();
}

CASE(async, "holds *")
{
    auto f = std::async(std::launch::async, [] { return 1; });
    assert(f.get() == 1);
}

CASE(async_throws, "holds *")
{
    auto f = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
    try {
        f.get();
        assert(false);
    } catch (const std::runtime_error &e) {
        assert(std::strcmp(e.what(), "no") == 0);
    }
}

CASE(async_throws_at_main, "exception")
{
    std::async(std::launch::async, []() -> int { throw std::logic_error("no"); }).get();
}

CASE(packaged_task, "holds *")
{
    std::packaged_task<int(int)> task([](int x) { return x + 1; });
    auto f = task.get_future();
    std::thread t(std::move(task), 1);
    assert(f.get() == 2);
    t.join();
}

CASE(shared_future, "holds *")
{
    std::promise<int> p;
    std::shared_future<int> f = p.get_future();
    std::thread t([f] { assert(f.get() == 1); });
    p.set_value(1);
    assert(f.get() == 1);
    t.join();
}

CASE(future_waited_for, "holds *")
{
    std::promise<int> p;
    auto f = p.get_future();
    std::thread t([&] { p.set_value(1); });
    if (f.wait_for(std::chrono::seconds(1)) == std::future_status::ready)
        assert(f.get() == 1);
    t.join();
}

// --- once

CASE(once, "holds 2")
{
    std::once_flag flag;
    int x = 0;
    auto begin = [&] { std::call_once(flag, [&] { x++; }); };
    std::thread t(begin);
    begin();
    assert(x == 1);
    t.join();
}

CASE(once_throws, "holds *")
{
    std::once_flag flag;
    int tries = 0;
    auto begin = [&] {
        try {
            std::call_once(flag, [&] {
                if (++tries == 1)
                    throw 1;
            });
        } catch (int) {
        }
    };
    std::thread t(begin);
    begin();
    t.join();
    begin();
    assert(tries == 2);
}

struct counted {
    static inline int made;
    int x = 7;
    counted()
    {
        made++;
    }
    ~counted()
    {
        made--;
    }
};

static counted &the_one()
{
    static counted one;
    return one;
}

CASE(static_object, "holds 2")
{
    std::thread t([] { assert(the_one().x == 7); });
    assert(the_one().x == 7);
    t.join();
    assert(counted::made == 1);
}

CASE(static_object_written, "data_race")
{
    std::thread t([] { the_one().x++; });
    the_one().x++;
    t.join();
}

struct thrower {
    static inline std::atomic<int> tries;
    thrower()
    {
        if (tries++ == 0)
            throw std::runtime_error("not yet");
    }
};

CASE(static_object_throws, "holds *")
{
    auto use = [] {
        try {
            static thrower t;
        } catch (const std::runtime_error &) {
        }
    };
    std::thread t(use);
    use();
    t.join();
    use();
    assert(thrower::tries == 2);
}

// --- thread-local objects

struct last_words {
    static inline std::atomic<int> said;
    int x = 1;
    ~last_words()
    {
        said += x;
    }
};
static thread_local last_words words;

CASE(thread_local_object, "holds *")
{
    std::thread t([] { words.x = 2; });
    t.join();
    assert(last_words::said == 2);
    words.x = 0;
}

CASE(thread_local_of_ended_thread, "memory_error")
{
    last_words *theirs = nullptr;
    std::thread t([&] { theirs = &words; });
    t.join();
    theirs->x = 3;
}

// --- memory

CASE(deleted, "data_race")
{
    std::atomic<int *> p{new int(1)};
    std::thread t([&] { delete p.load(); });
    if (*p.load() == 1)
        t.join();
}

CASE(deleted_twice, "memory_error")
{
    int *p = new int(1);
    std::thread t([=] { delete p; });
    t.join();
    delete p;
}

CASE(deleted_as_array, "memory_error")
{
    int *volatile p = new int(1);
    delete[] p;
}

CASE(freed_after_new, "memory_error")
{
    int *volatile p = new int[2];
    free(p);
}

CASE(beyond_vector, "memory_error")
{
    std::vector<int> v(3);
    std::thread t([&] { v.push_back(1); });
    t.join();
    v.data()[v.capacity()] = 1;
}

CASE(unique_pointer_moved, "holds 1")
{
    auto p = std::make_unique<int>(1);
    std::thread t([q = std::move(p)] { assert(*q == 1); });
    t.join();
}

CASE(shared_pointer, "holds *")
{
    auto p = std::make_shared<int>(1);
    std::weak_ptr<int> w = p;
    std::thread t([&w] {
        if (auto q = w.lock())
            assert(*q == 1);
    });
    p.reset();
    t.join();
    assert(w.expired());
}

CASE(shared_pointer_itself_shared, "data_race")
{
    auto p = std::make_shared<int>(1);
    std::thread t([&] { auto q = p; });
    p = std::make_shared<int>(2);
    t.join();
}

CASE(too_much_asked_for, "holds 1")
{
    try {
        volatile size_t size = ~size_t{0} / 4;
        char *p = new char[size];
        *p = 1;
        assert(false);
    } catch (const std::bad_alloc &) {
    }
}

// --- exceptions

CASE(caught, "holds 2")
{
    std::mutex m;
    int x = 0;
    auto work = [&] {
        try {
            std::lock_guard g(m);
            x++;
            throw std::runtime_error("out");
        } catch (const std::exception &e) {
            assert(std::string(e.what()) == "out");
        }
    };
    std::thread t(work);
    work();
    t.join();
    assert(x == 2);
}

CASE(not_caught, "exception")
{
    std::atomic<int> x{0};
    std::thread t([&] {
        if (x.exchange(1))
            throw std::out_of_range("twice");
    });
    x.exchange(1);
    t.join();
}

CASE(out_of_noexcept, "exception")
{
    std::atomic<int> x{0};
    auto f = [&]() noexcept {
        if (x.exchange(1))
            throw 3;
    };
    std::thread t([&] { x.exchange(1); });
    f();
    t.join();
}

CASE(nested, "holds *")
{
    std::atomic<int> x{0};
    auto work = [&] {
        try {
            try {
                throw 1;
            } catch (int) {
                x++; /* a step while an exception is handled */
                throw;
            }
        } catch (int i) {
            x += i;
            assert(std::uncaught_exceptions() == 0);
        }
    };
    std::thread t(work);
    work();
    t.join();
    assert(x == 4);
}

CASE(not_present, "exception")
{
    std::map<int, int> m;
    m.at(3);
}

// --- containers

template <typename Container> static void add_to(Container &c, bool locks)
{
    static std::mutex m;
    auto add = [&](int from) {
        for (int i = from; i < from + 12; i++) {
            if (locks && i == from)
                m.lock();
            if constexpr (requires { c.push_back(i); })
                c.push_back(i);
            else
                c.insert(i);
        }
        if (locks)
            m.unlock();
    };
    std::thread t(add, 0);
    add(100);
    t.join();
    assert(c.size() == 24);
}

CASE(set, "holds 2")
{
    std::set<int> s;
    add_to(s, true);
    for (int i = 0; i < 12; i += 2)
        s.erase(i);
    int last = -1;
    for (int i : s) {
        assert(i > last);
        last = i;
    }
    assert(s.size() == 18 && *s.rbegin() == 111);
}

CASE(set_raced, "data_race")
{
    std::set<int> s;
    add_to(s, false);
}

CASE(set_looked_up_while_it_grows, "data_race")
{
    std::set<int> s{1, 2, 3};
    std::thread t([&] { s.insert(4); });
    s.find(5);
    t.join();
}

CASE(list, "holds 2")
{
    std::list<int> l;
    add_to(l, true);
    l.sort();
    l.reverse();
    assert(l.front() == 111 && l.back() == 0);
}

CASE(list_raced, "data_race")
{
    std::list<int> l;
    std::thread t([&] { l.push_back(1); });
    l.push_back(2);
    t.join();
}

CASE(vector, "holds 2")
{
    std::vector<int> v;
    add_to(v, true);
}

CASE(vector_raced, "data_race")
{
    std::vector<int> v;
    add_to(v, false);
}

CASE(hash_map, "holds 2")
{
    std::unordered_map<std::string, int> m;
    std::mutex lock;
    auto add = [&](int from) {
        std::lock_guard g(lock);
        for (int i = from; i < from + 20; i++)
            m[std::to_string(i)] = i;
    };
    std::thread t(add, 0);
    add(100);
    t.join();
    assert(m.size() == 40 && m["7"] == 7);
}

CASE(hash_map_raced, "data_race")
{
    std::unordered_map<int, int> m;
    std::thread t([&] { m[1] = 1; });
    m[2] = 2;
    t.join();
}

CASE(string, "holds 2")
{
    std::string s;
    std::mutex lock;
    auto add = [&](const char *text) {
        std::lock_guard g(lock);
        s += text;
    };
    std::thread t(add, "one long text ");
    add("another long text ");
    t.join();
    assert(s.size() == 32);
}

CASE(string_raced, "data_race")
{
    std::string s(40, 'x');
    std::thread t([&] { s += "a"; });
    assert(s[3] == 'x');
    assert(s.size() >= 40);
    t.join();
}

CASE(stream, "holds 1")
{
    std::thread t([] { std::cout << "one " << 1 << std::endl; });
    std::cout << "two " << 2.5 << '\n';
    t.join();
}

CASE(stream_raced, "data_race")
{
    std::ostringstream s;
    std::thread t([&] { s << 1; });
    s << 2;
    t.join();
}
