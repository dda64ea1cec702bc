/*
 * The net of `portolan generate bakery N M` as N processes, with the same steps and so the same states, for Spin.
 * bench/probe sets N and M.
 */
byte choosing[N], number[N];

#define PASSES                                                                                                         \
    (j == _pid || number[j] == 0 || number[j] > number[_pid] || (number[j] == number[_pid] && j > _pid))

active [N] proctype process()
{
    byte j, most;
idle:
    if
    :: d_step { choosing[_pid] = 1 }
    fi;
choose:
    if
    :: d_step { j < N ->
            if
            :: number[j] > most -> most = number[j]
            :: else
            fi;
            j++ };
        goto choose
    :: d_step { j == N && most < M -> number[_pid] = most + 1; choosing[_pid] = 0; j = 0; most = 0 }
    fi;
loop:
    if
    :: d_step { j < N && choosing[j] == 0 -> skip };
        d_step { PASSES -> j++ };
        goto loop
    :: d_step { j == N -> skip } /* the critical section */
    fi;
    d_step { number[_pid] = 0; j = 0 };
    goto idle
}
