// SPDX-License-Identifier: Apache-2.0
// expected: unknown
// The number that was closed could be that of the second pipe.
#include <unistd.h>

int main(void)
{
    int one[2], other[2];
    pipe(one);
    close(one[1]);
    pipe(other);
    write(one[1], "x", 1);
    return 0;
}
