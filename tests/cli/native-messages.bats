# SPDX-License-Identifier: Apache-2.0
# Pipes, sockets, eventfds and mailboxes: messages are objects of the search.  The numbers are part of the claim.
load helpers

sources=$repository/tests/native/messages
examples=$repository/examples

# as_expected SOURCE REDUCTION...: the verdict, and the number of executions, that its first line tells.
as_expected() {
    local expected options
    expected=$(sed -n 's|^// expected: ||p' "$1")
    read -ra options <<<"$(sed -n 's|^// options:||p' "$1")"
    for reduction in "${@:2}"; do
        echo "$1, $reduction: $expected"
        if [[ $expected == holds* ]]; then
            portolan 0 run --json --leaks --reduction "$reduction" "${options[@]}" ./program
            same "$(json '"\(.verdict), \(.executions) executions"')" "$expected"
        elif [ "$expected" = unknown ]; then
            portolan 3 run --json --reduction "$reduction" "${options[@]}" ./program
            json_is '.reservations | length' 1
        else
            portolan 1 run --json --trace schedule --reduction "$reduction" "${options[@]}" ./program
            json_is .error "$expected"
            portolan 1 replay -q ./program schedule
            contains "$output" "found      $expected"
        fi
    done
}

@test "messages come as they must, with gcc" {
    for source in "$sources"/*.c; do
        "$program" cc -w -O2 "$source" -o program
        as_expected "$source" optimal dpor
    done
}

@test "messages come as they must, with clang" {
    for name in anybody early end epoll poll-loop quorum; do
        PORTOLAN_CC=clang "$program" cc -w "$sources/$name.c" -o program
        as_expected "$sources/$name.c" source
    done
}

@test "a read gives all that is asked for, unless --partial-io says otherwise" {
    "$program" cc -w "$sources/short-reads.c" -o program
    portolan 0 run ./program
    portolan 1 run --partial-io ./program
}

# same_as_model SOURCE MODEL
same_as_model() {
    "$program" cc "$examples/messages/$1" -o program
    as_expected "$examples/messages/$1" optimal
    executions=$(json .executions)
    portolan 0 check --json --reduction optimal "$examples/protocols/$2"
    same "$(json .executions)" "$executions"
}

@test "Paxos by messages has the executions of its model" {
    same_as_model paxos.c paxos.mp
}

@test "Paxos on sockets, one message at a time, has the executions of its model" {
    same_as_model paxos-sockets.c paxos-single.mp
}

@test "Paxos made wrong fails, by messages and on sockets" {
    sed 's/ballot >= promised ?/ballot ?/' "$examples/messages/paxos.c" > forgets.c
    sed 's/best.voted ? best.value : ballot/ballot/' "$examples/messages/paxos-sockets.c" > own-value.c
    for name in forgets own-value; do
        "$program" cc "$name.c" -o program
        portolan 1 run --json ./program
        json_is .error assertion
    done
}

@test "a program that just runs has pipes and mailboxes too" {
    for name in pipe anybody epoll end unix-server; do
        "$program" cc -w "$sources/$name.c" -o program
        timeout 20 ./program
    done
}

@test "what is not modelled of sockets is refused by name" {
    cat > datagrams.c << 'END2'
#include <sys/socket.h>
int main(void) { return socket(AF_INET, SOCK_DGRAM, 0) < 0; }
END2
    cat > full.c << 'END2'
#include <unistd.h>
static char bytes[1 << 16];
int main(void) { int ends[2]; pipe(ends); write(ends[1], bytes, sizeof bytes); return write(ends[1], bytes, 1) != 1; }
END2
    for name in datagrams full; do
        "$program" cc -w $name.c -o $name
        portolan 2 run ./$name
    done
    contains "$output" "writers that wait for readers are not modelled"
}

@test "what one thread does to a descriptor comes before and after what another does with it" {
    cat >program.c <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
static int ends[2], all;
static void *changes(void *argument)
{
#if WHAT == 1
    epoll_ctl(all, EPOLL_CTL_ADD, ends[0], &(struct epoll_event){.events = EPOLLIN});
#elif WHAT == 2
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    write(ends[1], "a", 1);
#else
    shutdown(ends[1], SHUT_WR);
#endif
    return argument;
}
static void *uses(void *argument)
{
    char byte;
#if WHAT == 1
    struct epoll_event event;
    assert(epoll_wait(all, &event, 1, 0) == 1);
#elif WHAT == 2
    assert(read(ends[0], &byte, 1) == 1);
#else
    assert(send(ends[1], &byte, 1, MSG_NOSIGNAL) == 1);
#endif
    return argument;
}
int main(void)
{
    pthread_t one, other;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    all = epoll_create1(0);
    if (WHAT == 1)
        write(ends[1], "a", 1);
    pthread_create(&one, NULL, uses, NULL);
    pthread_create(&other, NULL, changes, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
END
    for what in 1 2 3; do
        "$program" cc -w -DWHAT=$what program.c -o program
        portolan 1 run --json ./program
        json_is .error assertion
    done
}
