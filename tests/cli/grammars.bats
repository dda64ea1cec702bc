#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Graph grammars as text: the examples, convert, pictures.

load helpers

examples=$repository/examples/graphs
models=$repository/../shared/models/groove

# "11 states, 28 transitions" of a grammar
size_of() {
    "$program" explore "$@" 2>&1 | sed -n 's/^covered *\([0-9,]* states\?, [0-9,]* transitions\?\),.*/\1/p'
}

@test "examples have the states that their readers count by hand" {
    # two philosophers: nobody holds a fork, one holds the left one, both do (a deadlock), one eats
    [ "$(size_of "$examples/philosophers.gg" --start two)" = '4 states, 5 transitions' ]
    # the river puzzle: of 16 ways to stand on two banks 10 are safe, and all of them are reached
    [[ "$(size_of "$examples/ferry.gg")" == '10 states, '* ]]
    # a ring of four cells: 0 to 4 of them are full
    [ "$(size_of "$examples/circular-buffer.gg")" = '5 states, 8 transitions' ]
    # the same with cells that have names: where one writes, and how many are full
    [ "$(size_of "$examples/circular-buffer.gg" --isomorphism off | cut -d' ' -f1)" -ge 20 ]
    # three cars: alone, two and one, three
    [[ "$(size_of "$examples/platoon.gg")" == '3 states, '* ]]
    # five cars in platoons of one to three: 1+1+1+1+1, 2+1+1+1, 2+2+1, 3+1+1, 3+2
    [[ "$(size_of "$examples/platoon.gg" --start five)" == '5 states, '* ]]
}

@test "the leader is one, the river can be crossed" {
    portolan 0 check "$examples/election.gg" --conditions --invariant '!fireable(two)'
    portolan 0 check "$examples/ferry.gg" --conditions --reach 'fireable(done)'
    [[ $output == *'trace      7 steps, replayed, shortest'* ]]
}

@test "a name that no step can have is no action that never happens" {
    refuses "unknown action 'done'" check "$examples/ferry.gg" --invariant '!fireable(done)'
    refuses "unknown action 'takeLeft'" check "$examples/philosophers.gg" --invariant '!fireable(takeLeft)'
    portolan 1 check "$examples/philosophers.gg" --isomorphism off --invariant '!fireable("takeLeft(p1,f1)")'
}

# there NAME.gg and back: the same numbers in all three
round_trip() {
    local before
    before=$(size_of "$@")
    [ -n "$before" ]
    rm -rf there.gg back.gps
    portolan 0 convert "$1" there.gg "${@:2}"
    portolan 0 convert there.gg back.gps
    echo "$*: $before, $(size_of there.gg), $(size_of back.gps)"
    [ "$(size_of there.gg)" = "$before" ]
    [ "$(size_of back.gps)" = "$before" ]
}

@test "a value may be named where the edge to it is deleted; a node with a type may not" {
    echo 'graph s { a: I -price-> 3 } rule r { i: I; - i -price-> n: int; where n < 5; + i -price-> (n + 1) }' > value.gg
    same "$(size_of value.gg)" '3 states, 2 transitions'
    echo 'graph s { a: I -to-> b: I } rule r { i: I; - i -to-> j: I }' > node.gg
    portolan 2 explore node.gg
    [[ $stderr == *"is 'j' deleted, too, or only the edge?"* ]]
}

@test "convert: there and back the states and steps are the same" {
    for grammar in "$examples"/*.gg "$examples"/*.gps; do
        round_trip "$grammar"
    done
}

# '!=' would find the node that only the embargo has, and the rule could be applied
@test "convert: a node that only an embargo has stays in it" {
    printf 'grammar g\ngraph s { a [f]; b }\nrule r { n [f]; - n [f]; not { m = n } }\n' >own.gg
    portolan 0 convert own.gg there.gg
    [ "$(size_of own.gg)" = "$(size_of there.gg)" ]
    portolan 0 explore there.gg
    [[ "$output" == *' 1 state, 0 transitions,'* ]]
}

@test "convert: a computed value that must not be there is computed, not found" {
    printf 'grammar g\ngraph s { a -v-> 0 }\nrule r { n -v-> x: int; - n -v-> x; let y = x + 1; not n -v-> y; + n -v-> y; where x < 3 }\n' >own.gg
    [ "$(size_of own.gg)" = '4 states, 3 transitions' ]
    round_trip own.gg
}

@test "convert: a type graph with values, from a directory to text" {
    portolan 0 convert "$examples/election.gg" election.gps
    round_trip election.gps
}

@test "convert: there and back, grammars that others wrote" {
    [ -d "$models" ] || skip 'the grammars are not here'
    local grammar start iso states rest
    while IFS=, read -r grammar start iso states rest; do
        [ "$iso" = on ] && [ "$states" -lt 400 ] || continue
        "$program" explore "$models/$grammar" --start "$start" >/dev/null 2>&1 || continue # what is not read at all
        if grep -q parallelEdges=DPO "$models/$grammar/system.properties"; then # no words for parallel edges
            portolan 2 convert "$models/$grammar" there.gg --start "$start"
            continue
        fi
        round_trip "$models/$grammar" --start "$start"
    done < <(tail -n +2 "$models/answers.csv")
}

@test "convert: every start graph, with the names of its nodes; with --start that one alone" {
    portolan 0 convert "$examples/philosophers.gg" all.gps
    portolan 0 convert all.gps all.gg
    same "$(grep -c ^graph all.gg)" 2
    for model in all.gps all.gg; do
        for start in two four; do
            same "$(size_of "$model" --start "$start")" "$(size_of "$examples/philosophers.gg" --start "$start")"
        done
        same "$(size_of "$model")" "$(size_of "$examples/philosophers.gg")"
        portolan 1 check "$model" --start two --isomorphism off
        [[ $output == *'1  takeLeft(p1,f1)'* ]]
    done
    portolan 0 convert all.gps - --start two
    same "$(grep ^graph <<< "$output")" 'graph two {'
    portolan 2 convert all.gps - --start five
    echo nonsense > all.gps/broken.gst
    portolan 2 convert all.gps -
    [[ $stderr == *broken.gst* ]]
}

@test "convert: names that lists and files of a directory cannot have are refused" {
    local name
    for name in 'two words' 'a,b' 'a/b' '.a' 'a..b' '3.a'; do
        echo "graph one { a } graph '$name' { a } rule r { a; + b }" > names.gg
        portolan 2 convert names.gg names.gps
        [[ $stderr == *"graph '$name': no file of a .gps can have this name"* ]]
        [ ! -e names.gps ]
    done
    echo 'graph one { a } graph one { a }' > names.gg
    portolan 2 explore names.gg
    [[ $stderr == *"names.gg:1:23: error: there are two graphs 'one'"* ]]
}

@test "convert: what a rule is said to be" {
    echo 'graph s { a [f] } rule step transformer { a [f] } rule told condition priority 2 { a [f] }' > roles.gg
    portolan 0 explore roles.gg
    [[ $output == *'1 state, 1 transition,'* ]]
    portolan 0 convert roles.gg roles.gps
    portolan 0 convert roles.gps -
    [[ $output == *'rule step transformer {'*'rule told priority 2 condition {'* ]]
    portolan 0 explore roles.gps
    [[ $output == *'1 state, 1 transition,'* ]]
}

@test "convert: to standard output, and what is written can be read by people" {
    portolan 0 convert "$examples/philosophers.gg" -
    [[ $output == *'rule takeLeft(p) {
    p: Phil -left-> f: Fork;
    not q: Phil -holds-> f;
    + p -holds-> f;
}'* ]]
}

@test "convert: nothing is left behind when something has no words" {
    echo 'graph s { a } rule first { a } rule second { a -n-> b; not { a -x-> b; b -y-> a } }' > both.gg
    portolan 2 convert both.gg out.gps
    [[ $stderr == *"rule 'second': in a .gps nodes of an embargo connect all of it, and here they do not"* ]]
    [ ! -e out.gps ] && [ "$(echo out*)" = 'out*' ]
}

@test "convert: what is there stays, and names tell the format" {
    mkdir out.gps
    portolan 2 convert "$examples/philosophers.gg" out.gps
    [[ $stderr == *"'out.gps' already exists"* ]]
    [ -z "$(ls out.gps)" ]
    portolan 2 convert "$examples/philosophers.gg" out.txt
    [[ $stderr == *'does not end in .gg or .gps'* ]]
    portolan 2 convert missing.gg out.gg
    [ ! -e out.gg ]
    portolan 2 convert "$examples/philosophers.gg" nowhere/out.gg
    [[ $stderr == *'cannot write'* ]]
}

@test "an error has its place, the line, and advice" {
    printf 'graph s { a }\nrule r { a -x-> b;\n  wehre 1 < 2 }\n' > wrong.gg
    portolan 2 check wrong.gg
    [[ $stderr == *"wrong.gg:3:9: error: expected ';' or '}', found '1'"*'wehre 1 < 2'*'^'* ]]
    printf 'types { Fork; Phil; Phil -left-> Fork }\ngraph s { a: Pihl }\n' > types.gg
    portolan 2 check types.gg
    [[ $stderr == *"types.gg:2:14: error: there is no type 'Pihl'"*'did you mean Phil?'* ]]
    portolan 2 check "$examples/philosophers.gg" --start five
    [[ $stderr == *"there is no start graph 'five'"* ]]
}

@test "--pictures: every step, in colours, as SVG and as HTML" {
    portolan 1 check "$examples/philosophers.gg" --start two --isomorphism off --pictures page.svg --trace t
    xmllint --noout page.svg
    grep -q '>1  takeLeft(p1' page.svg
    grep -q '>then<' page.svg
    grep -q 'no deadlock: VIOLATED' page.svg
    [ "$(grep -c '<svg x=' page.svg)" = 3 ]
    grep -q 'stroke="#2e7d32"' page.svg # created
    grep -q 'stroke="#1f5fa8"' page.svg # found
    grep -q 'stroke="#8e24aa"' page.svg # forbidden
    ! grep -q 'stroke="#c62828"' page.svg # nothing is deleted
    portolan 0 replay "$examples/philosophers.gg" t --start two --isomorphism off --pictures page.html
    [ "$(grep -c '<figure>' page.html)" = 3 ]
    portolan 0 check "$examples/platoon.gg" --pictures none.svg
    [ ! -s none.svg ]
}

@test "--pictures: what is deleted" {
    portolan 0 check "$examples/election.gg" --reach '"edges(leader)" = 1' --pictures page.svg
    grep -q 'stroke="#c62828"' page.svg
}

@test "--pictures: refused where states are no graphs, and where dot is missing" {
    portolan 2 check "$repository/examples/philosophers.pnml" --pictures page.svg
    [[ $stderr == *'pictures need states that are graphs'* ]]
    mkdir empty
    run -2 --separate-stderr env PATH="$PWD/empty" "$program" check "$examples/philosophers.gg" --pictures page.svg
    [[ $output == *'no deadlock: VIOLATED'* ]]
    [[ $stderr == *'cannot run dot'*'graphviz'* ]]
}

@test "explore --export dot: the graphs are in the states" {
    portolan 0 explore "$examples/philosophers.gg" --start two --export dot
    [ "$(grep -c 'subgraph cluster_' <<<"$output")" = 4 ]
    [[ $output == *'lhead=cluster_'* ]]
    dot -Tsvg <<<"$output" >/dev/null
}

@test "names: a hint at what asks for a label or a rule; what the grammar keeps is counted" {
    portolan 2 check "$examples/philosophers.gg" --invariant 'holds <= 2'
    [[ $stderr == *'hint: did you mean "edges(holds)"?'* ]]
    portolan 2 check "$examples/philosophers.gg" --invariant 'takeLeft = 1'
    [[ $stderr == *'hint: did you mean "applies(takeLeft)"?'* ]]
    portolan 2 check "$examples/philosophers.gg" --invariant 'edges(holds) = 1'
    [[ $stderr == *'hint: did you mean "edges('* ]]
    portolan 0 explore "$examples/philosophers.gg" --isomorphism off --json
    [ "$(jq .bytes <<<"$output")" -gt 6000 ]
}

@test "probe sets under a control program; its applications cannot be listed" {
    portolan 0 explore "$examples/yard.gg" --reduction none
    [[ $output == *'covered    81 states, '*', 0 deadlocks'* ]]
    portolan 0 explore "$examples/yard.gg" --reduction probe
    [[ $output == *'covered    9 states, 8 transitions, '*', 0 deadlocks'* ]]
    portolan 2 explore "$examples/yard.gg" --ground
    [[ $stderr == *'a control program says which of them may be applied'* ]]
}
