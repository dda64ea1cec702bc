#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files that are read: where a text ends, what it may hold, and which language it is in.
load helpers

@test "a formula in a file ends where the file ends" {
    family philosophers 3
    printf 'F (fork_2 = 1) || true\n' > long.ltl
    printf 'G (fork_1 = 1)' > short.ltl
    portolan 1 check philosophers.pnml --ltl-file long.ltl --ltl-file short.ltl -q
    contains "$output" "property   ltl F (fork_2 = 1) || true: HOLDS"
    contains "$output" "property   ltl G (fork_1 = 1): VIOLATED"
}

@test "files of every kind without a final newline" {
    family philosophers 3
    "$program" check philosophers.pnml --trace trace --quiet || true
    "$program" check philosophers.pnml --ltl 'G (fork_1 = 1)' --print-automaton > wrong.hoa
    "$program" check philosophers.pnml -i 'fork_1 <= 1' --certify certificate --quiet
    echo 'int x; thread a { x = 1; }' > model.dl
    printf 'entities a\ninitial a\naction t: del a\n' > model.ent
    printf 'message m\nprocess P { var n: 0..1 rule s when n < 1 { n = 1 } }\nfinal true\n' > model.mp
    for file in trace wrong.hoa certificate model.dl model.mp philosophers.pnml; do
        printf %s "$(cat $file)" > cut && cat cut > $file
    done
    portolan 0 replay philosophers.pnml trace
    portolan 1 check philosophers.pnml --automaton wrong.hoa
    portolan 0 certify certificate philosophers.pnml
    portolan 0 check model.dl
    portolan 0 check model.mp
}

@test "a zero in a text is an error, with its place" {
    family philosophers 2
    printf 'int x;\nthread a { x\0 = 1; }\n' > zero.dl
    printf 'message m\n\0' > zero.mp
    printf 'action\0' > zero.ent
    printf 'G true\n\0|| true' > zero.ltl
    printf 'HOA: v1\n\0' > zero.hoa
    printf '# a trace\ntake_left_1\0\n' > zero.trace
    refuses "zero.dl:2:13: error: a text file cannot contain NUL characters" check zero.dl
    refuses "zero.mp:2:1: error: a text file cannot contain NUL characters" check zero.mp
    refuses "zero.ent:1:7: error: a text file cannot contain NUL characters" check zero.ent
    refuses "zero.ltl:2:1: error: a text file cannot contain NUL characters" check philosophers.pnml --ltl-file zero.ltl
    refuses "zero.hoa:2:1: error: a text file cannot contain NUL characters" check philosophers.pnml --automaton zero.hoa
    refuses "zero.trace:2:12: error: a text file cannot contain NUL characters" replay philosophers.pnml zero.trace
    "$program" check philosophers.pnml -i 'fork_1 <= 1' --certify certificate --quiet
    portolan 0 certify certificate philosophers.pnml
    sed '2s/$/\x00/' certificate > zero.certificate
    refuses "zero.certificate:2:" certify zero.certificate philosophers.pnml
    printf '\0' >> certificate
    refuses "error: " certify certificate philosophers.pnml
    sed 's/fork_1/fork\x00_1/' philosophers.pnml > zero.pnml
    portolan 2 check zero.pnml
    contains "$stderr" "zero.pnml:"
}

@test "a file of no known language is called that" {
    echo "hello" > letter.txt
    refuses "the language of 'letter.txt' is unknown" check letter.txt
    contains "$stderr" ".dl (dl)"
    echo "int main(void) { return 0; }" > program.c
    refuses "the language of 'program.c' is unknown" check program.c
    contains "$stderr" "'portolan run' explores them"
    refuses "the language of '$program' is unknown" explore "$program"
    : > empty
    refuses "the language of 'empty' is unknown" compare empty
    family philosophers 2
    mv philosophers.pnml net.txt
    portolan 1 check net.txt -q
    portolan 1 check - -q < net.txt
}

@test "a misspelt name is recognised, whatever it names" {
    family philosophers 2
    while IFS='|' read -r meant words; do
        # shellcheck disable=SC2086
        portolan 2 $words
        contains "$words: $stderr" "did you mean $meant"
    done << 'END'
optimal?|check philosophers.pnml --reduction optimum
optimal?|check philosophers.pnml --reduction optimal:
stubborn?|check philosophers.pnml --reduction stuborn
stubborn:strong?|check philosophers.pnml --reduction stubborn:stong
lpor:plain?|check philosophers.pnml --reduction lpor:plian
stack?|check philosophers.pnml --reduction stubborn --proviso stak
nodup?|check philosophers.pnml --reduction probe --proviso nodub
stateless?|check philosophers.pnml --search statelss
bfs?|check philosophers.pnml --search bfss
'invariant EXPR'?|check philosophers.pnml -P invarient
'no deadlock'?|check philosophers.pnml -P no_deadlock
'portolan check'?|chekc philosophers.pnml
--reduction?|check philosophers.pnml --reducton none
aut?|explore philosophers.pnml --export auti
'philosophers'?|generate philosopher 3
process?|check philosophers.pnml --fair=proces
END
}

@test "numbers are read exactly, or refused" {
    family philosophers 3
    portolan 3 check philosophers.pnml --random 2 --seed 9007199254740993 --reach 'fork_1 = 7'
    contains "$output" "seed 9007199254740993"
    portolan 3 check philosophers.pnml --random 2 --seed 18446744073709551615 --reach 'fork_1 = 7'
    contains "$output" "seed 18446744073709551615"
    refuses "'18446744073709551616' is too large" check philosophers.pnml --random 2 --seed 18446744073709551616
    refuses "'4294967297' is too large" check philosophers.pnml --bound 4294967297
    contains "$stderr" "at most 4294967295"
    refuses "too large" check philosophers.pnml --preemptions 4294967296
    refuses "too large" check philosophers.pnml --search stateless -j 5000000000
    echo 'int x; thread a { x = 1; } thread b { x = 2; }' > model.dl
    portolan 0 check model.dl --bound 4294967295 --threads 2 --preemptions 4294967295 --reduction none -q
    portolan 1 check philosophers.pnml --states 200000000000000000 -q
    portolan 1 check philosophers.pnml --states 18446744T -q
    refuses "too large" check philosophers.pnml --states 18446745T
    refuses "too large" check philosophers.pnml --memory 16777216T
    portolan 1 check philosophers.pnml --memory 16777215TiB -q
    portolan 1 check philosophers.pnml --memory 1.5G -q
    refuses "--states takes N" check philosophers.pnml --states 1.0001k
    portolan 1 check philosophers.pnml --states 1.5M -q
    for nonsense in "" -1 +1 0x10 1e3 nan inf 1.5 ' 1' 1x 1kk; do
        refuses "--states takes N, not '$nonsense'" check philosophers.pnml --states="$nonsense"
    done
    for nonsense in "" -1 0x10 nan inf 1x 0; do
        refuses "--time takes TIME, not '$nonsense'" check philosophers.pnml --time="$nonsense"
    done
}

@test "short options take their value attached too" {
    family philosophers 3
    echo 'int x; thread a { x = 1; } thread b { x = 2; }' > model.dl
    portolan 0 check model.dl --search stateless -j2
    contains "$output" "2 threads"
    portolan 0 check philosophers.pnml -i'fork_1 <= 1' -q
    portolan 0 check philosophers.pnml '-ifork_1 <= 1' -q
    portolan 1 check philosophers.pnml -t10 -m1G -q
    portolan 1 check philosophers.pnml -aq
    lacks "$output" "covered"
    refuses "there is no option '-qz' here" check philosophers.pnml -qz
    refuses "-D and --keep-dead cannot be used with" check philosophers.pnml -DN=1
    printf 'message m\nconst N = 1\nprocess P[1..N] { var n: 0..1 rule s when n < 1 { n = 1 } }\nfinal true\n' > model.mp
    portolan 0 explore model.mp -DN=3 --json
    json_is .states 8
}
