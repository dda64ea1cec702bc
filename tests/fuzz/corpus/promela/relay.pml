/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that are started one by one get a channel for their answer; the last answer is waited for in vain. */
#define WORKERS 2

chan jobs = [WORKERS] of { byte, chan };

proctype worker()
{
    byte job;
    chan answer;
    jobs?job, answer;
    printf("worker %d has job %d\n", _pid, job);
    answer!job * job
}

init
{
    chan answers = [0] of { byte };
    byte i, sum, result;
    for (i : 1 .. WORKERS) {
        run worker();
        jobs!i, answers
    }
    do
    :: i > 0 -> answers?result; sum = sum + result; i--
    :: else -> break
    od;
    assert(sum == 5)
}
