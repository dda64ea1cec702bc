/* SPDX-License-Identifier: Apache-2.0 */
/* The alternating bit over channels that lose messages; who waits in vain sends again. */
#define MOST 3

mtype = { data, ack };

chan to_receiver = [1] of { mtype, byte, bit };
chan to_sender = [1] of { mtype, bit };

active proctype sender()
{
    byte number;
    bit own, seen;
    do
    :: if
       :: to_receiver!data(number, own)
       :: skip /* it is lost */
       fi;
       if
       :: to_sender?ack(seen) ->
          if
          :: seen == own -> own = !own; number = (number + 1) % MOST
          :: else
          fi
       :: timeout
       fi
    od
}

active proctype receiver()
{
    byte number, expected;
    bit theirs, wanted;
end:
    do
    :: to_receiver?data(number, theirs) ->
       if
       :: theirs == wanted ->
progress: assert(number == expected);
          expected = (expected + 1) % MOST;
          wanted = !wanted
       :: else
       fi;
       if
       :: to_sender!ack(theirs)
       :: skip
       fi
    od
}
