// SPDX-License-Identifier: Apache-2.0
// An exception that two threads hold is a library's.
#include <exception>
#include <future>
#include <thread>
struct trouble {
    int n;
};
int main()
{
    std::promise<int> p;
    auto f = p.get_future().share();
    std::thread a([&] {
        try {
            throw trouble{1};
        } catch (...) {
            p.set_exception(std::current_exception());
        }
    });
    auto use = [&] {
        try {
            f.get();
        } catch (trouble &t) {
#ifdef RACE
            t.n++;
#else
            if (t.n != 1)
                throw;
#endif
        }
    };
    std::thread b(use), c(use);
    a.join();
    b.join();
    c.join();
    for (int i = 0; i < 3; i++)
        try {
            throw trouble{2};
        } catch (trouble &t) {
            t.n++;
        }
}
