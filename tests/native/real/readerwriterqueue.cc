// SPDX-License-Identifier: Apache-2.0
// A queue for one reader and one writer (libreaderwriterqueue-dev), with WRITERS of them.
#include <cassert>
#include <readerwriterqueue/readerwriterqueue.h>
#include <thread>
#include <vector>

int main()
{
    moodycamel::ReaderWriterQueue<int> queue(2);
    std::vector<std::thread> writers;
    for (int i = 0; i < WRITERS; i++)
        writers.emplace_back([&] {
            for (int k = 0; k < 3; k++)
                queue.enqueue(k);
        });
    int last = -1, found;
    auto take = [&] {
        while (queue.try_dequeue(found)) {
            assert(found == last + 1);
            last = found;
        }
    };
    take();
    for (auto &writer : writers)
        writer.join();
    take();
    assert(last == 2);
}
