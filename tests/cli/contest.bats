#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Nets of the Model Checking Contest with the answers published for them, where they are at hand: answers.csv has the
# columns instance,places,transitions,states,deadlock,...  PORTOLAN_LONG=1 also takes what needs minutes.

load helpers

models=$repository/../shared/models/mcc

present() {
    [ -r "$models/answers.csv" ] || skip "contest models not present"
}

@test "state counts" {
    present
    local most=700000 wrong="" counted=0
    [ -z "$PORTOLAN_LONG" ] || most=3500000
    while IFS=, read -r instance _ _ states _; do
        [ "$states" -le $most ] && [ -r "$models/$instance.pnml" ] || continue
        counted=$((counted + 1))
        local found
        found=$(states_of "$models/$instance.pnml")
        [ "$found" = "$states" ] || wrong+="$instance has $states states, not $found"$'\n'
    done < <(tail -n +2 "$models/answers.csv")
    [ $counted -gt 0 ]
    same "$wrong" ""
}

# A deadlock must be found; that there is none may stay undecided.
@test "deadlocks" {
    present
    local wrong="" patience=1 status
    [ -z "$PORTOLAN_LONG" ] || patience=10
    while IFS=, read -r instance _ _ _ deadlock _; do
        [ -r "$models/$instance.pnml" ] || continue
        status=0
        case $deadlock in
        TRUE)
            timeout 120 "$program" check "$models/$instance.pnml" --time 10 --quiet > out 2> err || status=$?
            [ $status = 1 ] && grep -q VIOLATED out || wrong+="$instance has a deadlock: status $status"$'\n'
            ;;
        FALSE)
            timeout 120 "$program" check "$models/$instance.pnml" --time $patience --quiet > out 2> err || status=$?
            [ $status = 0 ] || [ $status = 3 ] || wrong+="$instance has no deadlock: status $status"$'\n'
            ;;
        esac
        [ ! -s err ] || wrong+="$instance: $(cat err)"$'\n'
    done < <(tail -n +2 "$models/answers.csv")
    same "$wrong" ""
}
