#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# High-level nets of Helena on the command line.

load helpers

examples=$repository/examples/lna

# lna TEXT: a file with a net, in $net
lna() {
    net=net.lna
    printf '%s\n' "$1" > "$net"
}

@test "every reduction finds the deadlock of the philosophers, and none when one of them is polite" {
    for reduction in none stubborn lpor probe; do
        portolan 1 check "$examples/philosophers.lna" --reduction $reduction
        contains "$output" "no deadlock: VIOLATED"
        contains "$output" "take_one(p=0)"
        portolan 0 check "$examples/philosophers.lna" -D POLITE --reduction $reduction -q
    done
}

@test "bindings listed in advance and found on the fly give the same graph" {
    for model in philosophers letters; do
        portolan 0 explore "$examples/$model.lna" --reduction none --json
        local listed=$output
        portolan 0 explore "$examples/$model.lna" --reduction none --json -D ground=0
        [ "$(jq '[.states, .transitions, .deadlocks]' <<<"$output")" = \
            "$(jq '[.states, .transitions, .deadlocks]' <<<"$listed")" ]
    done
    contains "$output" '"states": 104'
}

@test "parameters and symbols are given with -D" {
    portolan 0 explore "$examples/philosophers.lna" -D N=3 --reduction none --json
    [ "$(jq .states <<<"$output")" -eq 14 ]
    portolan 2 check "$examples/philosophers.lna" -D M=3
    contains "$stderr" "the net has no parameter 'M'"
    portolan 2 check "$examples/philosophers.lna" -D N=many
    contains "$stderr" "'N=many' is not a definition of a parameter"
}

@test "property files: state properties with what they accept, and formulas" {
    portolan 1 check "$examples/philosophers.lna" --properties "$examples/philosophers.prop.lna" -q
    contains "$output" "exclusive: HOLDS"
    contains "$output" "never_stuck: VIOLATED"
    contains "$output" "first_is_fed: VIOLATED"
    portolan 0 check "$examples/letters.lna" --properties "$examples/letters.prop.lna" -q
    contains "$output" "work_goes_on: HOLDS"
    contains "$output" "everything_is_sent: HOLDS"
}

# => binds tighter than `and`, so that p is neighbours_eat and (true => true), which is not true at the beginning.
@test "property files: operators bind as in Helena" {
    printf 'ltl property p: neighbours_eat and true => true;\nltl property q: not neighbours_eat or false until true;\n' \
        > p.prop.lna
    portolan 1 check "$examples/philosophers.lna" --properties p.prop.lna -q
    contains "$output" "p: VIOLATED"
    contains "$output" "q: HOLDS"
}

@test "property files: --only chooses" {
    portolan 0 check "$examples/philosophers.lna" --properties "$examples/philosophers.prop.lna" --only exclusive -q
    contains "$output" "exclusive: HOLDS"
    lacks "$output" "never_stuck"
    portolan 2 check "$examples/philosophers.lna" --properties "$examples/philosophers.prop.lna" --only exclusiv
    contains "$stderr" "there is no property 'exclusiv'"
    contains "$stderr" "did you mean exclusive?"
    portolan 2 check "$examples/philosophers.lna" --only exclusive
    contains "$stderr" "--only needs --properties"
}

@test "property files: errors have their places" {
    printf 'state property p:\n   reject neighbours_eats;\n' > p.prop.lna
    portolan 2 check "$examples/philosophers.lna" --properties p.prop.lna
    contains "$stderr" "p.prop.lna:2:11: error: the net has no proposition 'neighbours_eats'"
    contains "$stderr" "did you mean neighbours_eat?"
    printf 'state property p: accept deadlock;\n' > p.prop.lna
    portolan 2 check "$examples/philosophers.lna" --properties p.prop.lna
    contains "$stderr" "expected reject, found 'accept'"
}

@test "a binding that has no value is an error of the net, with a trace" {
    lna 'n { type t: range 0 .. 3; place p { dom: t; init: <( 0 )>; }
         transition up { in { p: <( x )>; } out { p: <( x + 1 )>; } } }'
    for way in "" "-D ground=0"; do
        portolan 1 check "$net" $way
        contains "$output" "VIOLATED"
        contains "$output" "up(x=3)"
    done
}

@test "only bindings of the highest priority fire" {
    lna 'n { type t: range 0 .. 3; place p { dom: t; init: for(x in t) <( x )>; } place q { dom: t; }
         transition go { in { p: <( x )>; } out { q: <( x )>; } priority: int(x); } }'
    portolan 0 explore "$net" --reduction none
    contains "$output" "5 states, 4 transitions"
    portolan 2 explore "$net" --reduction stubborn
}

@test "inhibitor arcs, picked and bound variables" {
    lna 'n { type t: range 0 .. 3; place p { dom: t; init: <( 0 )>; } place q { dom: t; }
         transition go { in { p: <( x )>; } out { p: <( x )>; q: <( z )>; } inhibit { q: <( z )>; }
                         pick { y in t range 1 .. 3; } let { t z := y - 1; } guard: z != 1; } }'
    portolan 0 explore "$net" --reduction none
    contains "$output" "4 states, 4 transitions"
}

@test "errors of nets have line, column, the line and a hint" {
    lna 'n (Count := 3) {
   type t: range 1 .. Cuont;
}'
    portolan 2 check "$net"
    contains "$stderr" "net.lna:2:23: error: there is no variable, constant or value 'Cuont' here"
    contains "$stderr" "    type t: range 1 .. Cuont;"
    contains "$stderr" "hint: did you mean Count?"
}

# Values of every kind of type go to C and come back; a set comes back in any order.
@test "imported functions are compiled from C files" {
    lna 'n { type digit: range 0 .. 9;  type color: enum(red, green, blue);  subtype light: color range green .. blue;
         type row: vector [color, bool] of digit;  type pair: struct { digit d; row r; light c; };
         type list_: list [nat] of pair with capacity 3;  type bag: set of digit with capacity 4;
         function turn(list_ l, bag b) -> list_;  import function turn(list_ l, bag b) -> list_;
         import function others(bag b) -> bag;  import function wrong(digit d) -> digit;
         constant row r := [1, 2, 3, 4, 5, 6];
         constant list_ l := turn(|{7, r, green}|, |3, 5|);
         place p { dom: list_ * bag; init: <( l, others(|3, 5|) )>; }
         place q { dom: digit; init: <( 9 )>; }
         proposition came_back:
            exists(t in p | t->1 = |{7, r, green}, {8, r :: ([blue, true] := 0), blue}| and t->2 = |1, 2, 4|);
         transition t { in { q: <( d )>; } out { q: <( wrong(d) )>; } } }'
    cat > n.c <<'END'
#include "n_interface.h"
TYPE_list_ IMPORTED_FUNCTION_turn(TYPE_list_ l, TYPE_bag b)
{
    l.items[l.length] = l.items[0];
    l.items[l.length].d = b.items[0] + b.items[1];
    l.items[l.length].r.vector[TYPE__ENUM_CONST_color__blue][TYPE__ENUM_CONST_bool__true] = 0;
    l.items[l.length++].c = TYPE__ENUM_CONST_light__blue;
    return l;
}
TYPE_bag IMPORTED_FUNCTION_others(TYPE_bag b)
{
    TYPE_bag others = {{4, 2, 1, 2}, 4};
    return others;
}
TYPE_digit IMPORTED_FUNCTION_wrong(TYPE_digit d) { return d + 1; }
END
    portolan 0 check net.lna -D import=n.c --reach came_back -q
    portolan 1 check net.lna -D import=n.c
    contains "$output" "t(d=9)"
    refuses "'turn' is imported, but no C file was given" check net.lna
    echo 'int f(' > broken.c
    refuses "the imported functions cannot be compiled" check net.lna -D import=broken.c
    contains "$stderr" "broken.c"
}

@test "only bindings of the highest priority fire, grounded and as the net is" {
    cat > first.lna << 'LNA'
first {
   type n : range 1 .. 3;
   place p { dom : n; init : for (i in n) <( i )>; }
   place high { dom : n; }
   place low { dom : n; }
   transition urgent { in { p : <( x )>; } out { high : <( x )>; } guard : x > 1; priority : int(x); }
   transition slow { in { p : <( x )>; } out { low : <( x )>; } }
}
LNA
    for how in always never; do
        portolan 0 explore first.lna --ground=$how
        contains "$output" "covered    4 states, 3 transitions"
        portolan 1 check first.lna --ground=$how -r 'low = 1 && high < 2'
    done
}
