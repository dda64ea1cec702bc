/*
 * The net of `portolan generate szymanski-bits N` as N processes, with the same steps and so the same states, for Spin.
 * bench/probe sets N.
 */
byte outside[N], inside[N], shut[N];

active [N] proctype process()
{
    byte j;
outside_the_room:
    if
    :: d_step { outside[_pid] = 1; j = 0 }
    fi;
arrive:
    if
    :: d_step { j < N && shut[j] == 0 -> j++ }; goto arrive
    :: d_step { j == N -> skip }
    fi;
    d_step { inside[_pid] = 1; outside[_pid] = 0 };
look:
    if
    :: d_step { shut[_pid] == 1 -> j = 0 }; goto leave
    :: d_step { shut[_pid] == 0 -> j = 0 }
    fi;
scan:
    if
    :: d_step { j < N && outside[j] == 0 -> j++ }; goto scan
    :: d_step { j == N || outside[j] == 1 -> skip }
    fi;
    if /* decide */
    :: d_step { j < N -> skip }; goto wait
    :: d_step { j == N -> shut[_pid] = 1; j = 0 }
    fi;
closed:
    if
    :: d_step { j < N && outside[j] == 0 -> j++ }; goto closed
    :: d_step { j < N && outside[j] == 1 && shut[_pid] == 1 -> shut[_pid] = 0 }; goto wait
    :: d_step { j == N -> inside[_pid] = 0; j = 0 }
    fi;
empty_room:
    if
    :: d_step { j < N && inside[j] == 0 -> j++ }; goto empty_room
    :: d_step { j == N -> skip }
    fi;
wait:
    if
    :: d_step { j < N -> j = 0 }
    :: d_step { j == N -> skip }; goto join
    fi;
find:
    if
    :: d_step { j < N && (inside[j] == 1 || shut[j] == 0) -> j++ }; goto find
    :: d_step { j == N || (inside[j] == 0 && shut[j] == 1) -> skip }
    fi;
join:
    if
    :: d_step { j == _pid || j == N -> skip }
    :: d_step { j != _pid && j < N -> shut[_pid] = 1; inside[_pid] = 0 }
    fi;
    goto look;
leave:
    if
    :: d_step { j < _pid && inside[j] == 0 && shut[j] == 0 -> j++ }; goto leave
    :: d_step { j == _pid -> skip } /* the critical section */
    fi;
    d_step { shut[_pid] = 0 };
    goto outside_the_room
}
