#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# High-level nets as ordinary ones: names, variables, priorities, failures, capacities.

load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cat >net.lna <<'NET'
n {
   type r : range 0 .. 2;
   place a { dom : r; init : <( 0 )> + <( 1 )>; }
   place b { dom : r; }
   place c { dom : r * r; }
   transition low { in { a : <( x )>; } out { b : <( x )>; } }
   transition high { in { a : <( x )>; } out { c : <( x, 2 - x )>; } }
   transition back { in { c : <( x, y )>; } out { a : <( x )>; } }
   proposition someone : exists(t in c | t->2 = 1);
}
NET
}

@test "actions, tokens, places and propositions are called as in the model" {
    portolan 0 check --reduction none --reach '"c<(1,1)>" == 1 && b == 1 && someone' net.lna
    [[ $output == *"low(x=0)   a<(0)> 1->0  b<(0)> 0->1"* ]]
    [[ $output == *"high(x=1)  a<(1)> 1->0  c<(1,1)> 0->1"* ]]
    portolan 1 check --reach '"c<(2,2)>" == 1' net.lna # no such token ever appears
    portolan 2 check --reach '"c<(2,3)>" == 1' net.lna # there is none
}

@test "every reduction, simplified or not, sees all tokens of a place" {
    for reduction in none stubborn stubborn:goal lpor probe; do
        portolan 0 check --reduction "$reduction" --reach 'b == 2' net.lna
        portolan 1 check --reduction "$reduction" --reach 'b == 3' net.lna
    done
}

@test "only bindings of the highest priority fire, and nothing is reduced or simplified" {
    sed -i 's/2 - x )>; }/2 - x )>; } priority : 1;/' net.lna
    portolan 1 check --reach 'b > 0' net.lna
    portolan 1 check --reach '"b<(1)>" > 0' net.lna
    portolan 2 check --reduction stubborn --reach 'b > 0' net.lna
    portolan 2 check --reduction probe --reach 'b > 0' net.lna
}

@test "what cannot be evaluated, and a capacity that is exceeded, is found" {
    sed -i 's/b : <( x )>; } }/b : <( x - 1 )>; } }/' net.lna
    portolan 1 check net.lna
    [[ $output == *"everything can be evaluated: VIOLATED"* ]]
    [[ $output == *"low(x=0) fails, 6:"* ]]
    sed -i 's/x - 1/0/; s/place b { dom : r;/& capacity : 1;/' net.lna
    portolan 1 check net.lna
    [[ $output == *"capacities hold: VIOLATED"* ]]
    [[ $output == *"b=2*<(0)>"* ]]
}
