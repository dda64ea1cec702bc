// SPDX-License-Identifier: Apache-2.0
// A queue for many readers and writers (libconcurrentqueue-dev); the last reader asks for ITEMS.
#include <cassert>
#include <concurrentqueue/concurrentqueue.h>
#include <thread>

int main()
{
    moodycamel::ConcurrentQueue<int> queue(4);
    int taken = 0, found;
    std::thread writer([&] { queue.enqueue(1); });
    queue.enqueue(1);
    taken += queue.try_dequeue(found);
    writer.join();
    while (queue.try_dequeue(found))
        taken++;
    assert(taken == ITEMS);
}
