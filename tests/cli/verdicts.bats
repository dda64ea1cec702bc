#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One rule for all answers: a trace decides, or having seen everything does; what was cut off leaves the property open.
load helpers

setup_models() {
    cat > fine.dl <<'END'
int x;
int y;
lock l;
thread a { lock(l); x = 1; unlock(l); x = 2; y = 1; x = 3; assert(x < 9); }
thread b { lock(l); y = x; unlock(l); y = 2; y = 3; }
END
    cat > wrong.dl <<'END'
lock l;
lock m;
int x;
thread a { x = 1; assert(x > 2); }
thread b { x = 1; }
thread c { lock(l); lock(m); unlock(m); unlock(l); }
thread d { lock(m); lock(l); unlock(l); unlock(m); }
END
}

# What all outputs of a check say, in one line: the words of text, JSON and JUnit and the exit status.
answers() {
    local status_now=0 text of_junit
    rm -f out.json out.xml
    text=$(timeout 60 "$program" check "$@" --json=out.json --junit out.xml 2> errors) || status_now=$?
    [ "$status_now" -ne 2 ] || { cat errors; return 1; }
    of_junit=passed
    ! grep -q '<failure' out.xml || of_junit=failure
    ! grep -q '<skipped' out.xml || of_junit=skipped
    echo "$(sed -n 's/^property .*: //p' <<< "$text") $(jq -r .verdict out.json) $of_junit $status_now"
}

@test "verdict x property x cut: text, JSON, JUnit and exit status say the same" {
    setup_models
    local holds="HOLDS holds passed 0" violated="VIOLATED violated failure 1" unknown="UNDECIDED unknown skipped 3"
    local cut property model text wanted found
    # cut; whether everything was seen
    local cuts=("--search stateless|yes" "--search bfs|yes" "--bound 2|no" "--preemptions 0|no" "--random 2|no"
        "--search bfs --states 4|no" "--search dfs --memory 1|no")
    # model; property; what a search says that has seen everything
    local properties=("fine.dl|no deadlock|$holds" "fine.dl|invariant x < 9|$holds" "fine.dl|reach x = 9|$violated"
        "fine.dl|no data race|$holds"
        "fine.dl|invariant !(x = 0)|trace $violated" "fine.dl|reach x = 0|trace $holds"
        "wrong.dl|no data race|race $violated")
    sed -i 's/^int x;/atomic int x;/; s/^int y;/atomic int y;/' fine.dl
    for cut in "${cuts[@]}"; do
        for property in "${properties[@]}"; do
            IFS='|' read -r model text wanted <<< "$property"
            case "$wanted" in
            trace*) wanted=${wanted#trace } ;;
            race*) [[ $cut == *preemptions* ]] && continue; wanted=${wanted#race } ;;
            *) [[ $cut == *yes ]] || wanted=$unknown ;;
            esac
            [[ $cut != *memory* ]] || wanted=$unknown # there is not even a first state
            [[ $text != *race* || $cut != *fs* ]] || continue # a stateless search finds them
            # shellcheck disable=SC2086
            found=$(answers "$model" -P "$text" ${cut%|*})
            same "$cut $text: $found" "$cut $text: $wanted"
        done
    done
}

@test "formulas that were cut off are undecided" {
    setup_models
    same "$(answers fine.dl --ltl 'G (x < 9)' --states 2)" "UNDECIDED unknown skipped 3"
    same "$(answers fine.dl --ltl 'G (x < 9)')" "HOLDS holds passed 0"
    same "$(answers fine.dl --ltl 'G (x < 3)')" "VIOLATED violated failure 1"
}

@test "deadlocks and assertions within a bound are decided by their traces, and else open" {
    setup_models
    same "$(answers wrong.dl -P 'no deadlock' --bound 9)" "VIOLATED violated failure 1"
    same "$(answers wrong.dl -P 'no deadlock' --bound 1)" "UNDECIDED unknown skipped 3"
    portolan 1 check wrong.dl --bound 9
    contains "$output" "assertions hold: VIOLATED"
    portolan 3 check fine.dl --bound 2
    contains "$output" "assertions hold: UNDECIDED"
    contains "$output" "stopped    step bound"
    portolan 0 check fine.dl --bound 50
    contains "$output" "assertions hold: HOLDS"
}

@test "processes of protocols are cut like threads" {
    cat > count.mp <<'END'
message m
process P[1..2] { var n: 0..2  rule s when n < 2 { n = n + 1 } }
final true
END
    same "$(answers count.mp --reach 'P[1].n = 2' --bound 1)" "UNDECIDED unknown skipped 3"
    same "$(answers count.mp --reach 'P[1].n = 2' --bound 2)" "HOLDS holds passed 0"
    same "$(answers count.mp --reach 'P[1].n = 3' --bound 3)" "VIOLATED violated failure 1"
}

@test "explore has not seen everything when something was cut" {
    setup_models
    portolan 0 explore fine.dl --reduction optimal
    portolan 3 explore fine.dl --bound 2
    portolan 3 explore fine.dl --preemptions 0
    portolan 3 explore fine.dl --states 2
    echo 'int x; thread a { x = 1; assert(x < 9); } thread b { x = 2; }' > free.dl
    portolan 3 explore free.dl --reduction lazy:as-printed
    same "$(answers free.dl -P 'reach x = 3' --reduction lazy:as-printed)" "UNDECIDED unknown skipped 3"
}

@test "the JSON of a counterexample says what is wrong with its last state" {
    setup_models
    portolan 1 check wrong.dl -P 'no deadlock' --json
    contains "$(json .message)" "deadlock: "
    contains "$(json .message)" "c waits at line 6: lock("
    contains "$(json .message)" "d waits at line 7: lock("
    portolan 1 check wrong.dl --json
    contains "$(json '.properties[1].message')" "a failed at line 4"
    family philosophers 2
    portolan 1 check philosophers.pnml --json
    json_is .message "deadlock: nothing is enabled"
    portolan 0 check philosophers.pnml -i 'fork_1 <= 1' --json
    json_is .message null
}

@test "a search that stores no states has no graph" {
    setup_models
    refuses "there is no graph to export" explore fine.dl --reduction lazy --export aut
    refuses "there is no graph to export" explore fine.dl --bound 3 --export dot
    refuses "--export cannot be combined with --traces" explore fine.dl --traces list --export dot
    portolan 0 explore fine.dl --reduction stubborn --export aut
    contains "$output" 'des (0, '
}
