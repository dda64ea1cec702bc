#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# High-level nets that run as they are: --ground=never.
load helpers

net() {
    cat > a.lna <<'END'
a (N := 3) {
  type id: range 0 .. N - 1;
  place todo { dom: id; init: for(i in id) <( i )>; }
  place done { dom: id; capacity: 1; }
  transition work { in { todo: <( i )>; } out { done: <( i )>; } }
  transition back { in { done: <( i )>; } out { todo: <( succ i )>; } guard: i > 0; }
}
END
}

@test "grounded and as it is: the same counts and verdicts, in the model's words" {
    net
    for way in always never; do
        portolan 0 explore a.lna --ground=$way --reduction none
        grep covered <<< "$output" > $way
        portolan 0 check a.lna --ground=$way -q --reach 'fireable(back) && "done<(1)>" == 1 && todo == 2'
        portolan 1 check a.lna --ground=$way -q --invariant 'fireable(work) || fireable(back)'
    done
    cmp always never
    portolan 1 check a.lna --ground=never
    [[ $output == *"back(i=2) fails, "*": the"* ]]
    [[ $output == *"<(0)> + <(1)>"* ]]
}

@test "probe sets of a net that runs as it is" {
    net
    portolan 1 check a.lna --ground=never --deadlock --reduction probe -q
    refuses "--ground" explore a.lna --ground=sometimes
    # the search meets tokens before the view tells of them
    portolan 0 check "$BATS_TEST_DIRNAME/../../examples/nets/peterson.pnml" --ground=never --deadlock --reduction probe -q
}

described() {
    cat > d.lna <<'END'
d {
  type id: range 0 .. 2;
  type colour: enum (red, blue);
  place todo { dom: id; init: 2*<( 0 )> + <( 1 )>; }
  place done { dom: id * colour; }
  place total { dom: epsilon; }
  transition work {
    in { todo: <( i )>; } out { done: <( i, red )> + <( i, blue )>; total: epsilon; }
    let { int n := int(i) + 1; }
    description: "worker %d of 100%%: %d", i, n;
  }
  transition rest { in { total: 4*epsilon; } out { } }
}
END
}

@test "traces say what a transition's description says, beside its name" {
    described
    for way in always never; do
        portolan 1 check d.lna --ground=$way --deadlock --reduction none --search dfs
        [[ $output == *'work(i=1)  "worker 1 of 100%: 2"  '* ]]
        portolan 1 check d.lna --ground=$way --deadlock --reduction none --json
        [ "$(jq -c '[.trace[].description] | sort' <<< "$output")" = \
            '["worker 0 of 100%: 1","worker 0 of 100%: 1","worker 1 of 100%: 2"]' ]
    done
}

@test "last states read the same, grounded and as it is" {
    described
    for way in always never; do
        portolan 1 check d.lna --ground=$way --deadlock --reduction none
        grep '^  then' <<< "$output" > $way
    done
    cmp always never
    [ "$(cat always)" = "  then todo=empty done=2*<(0,red)> + 2*<(0,blue)> + <(1,red)> + <(1,blue)> total=3, everything else unchanged" ]
    net
    for way in always never; do
        portolan 1 check a.lna --ground=$way --reduction none
        grep -E "^  then.*(unchanged|nothing has changed)" <<< "$output" > $way
    done
    cmp always never
    grep -q ' error=2, everything else' always
}

@test "failures without end are counted without end" {
    cat > f.lna <<'END'
f {
  type item: range 0 .. 2;
  type items: list [nat] of item with capacity 2;
  place p { dom: items; init: <( |2, 0| )>; }
  transition t { in { p: <( x )>; } out { p: <( x )>; p: <( x'suffix )>; } inhibit { p: <( x'suffix )>; } }
}
END
    for way in always never; do
        portolan 0 check f.lna --ground=$way -q --reach 'error == 600' --reduction none
        portolan 3 explore f.lna --ground=$way --states 2000 --reduction none
        contains "$output" "2,000 states"
    done
}

@test "priorities: a reduction by name is refused, and the refusal names them" {
    sed 's/guard: i > 0;/guard: i > 0; priority: int(i);/' > p.lna <<< "$(net; cat a.lna)"
    for way in always never; do
        portolan 0 explore p.lna --ground=$way
        for reduction in stubborn lpor probe optimal; do
            refuses "takes no account of priorities" explore p.lna --ground=$way --reduction $reduction
        done
    done
}

@test "--ground is refused where nothing is grounded, and obeyed by symmetric nets" {
    for model in threads/bank.dl entities/bind.ent protocols/alternating-bit.mp; do
        for way in always auto never; do
            refuses "'ground' is for graph grammars and high-level nets" explore "$repository/examples/$model" --ground=$way
        done
    done
    local net=$repository/examples/nets/philosophers-coloured.pnml
    portolan 0 explore "$net" --ground=always --reduction stubborn
    refuses "needs the relations view" explore "$net" --ground=never --reduction stubborn
    portolan 0 explore "$repository/examples/philosophers.pnml" --ground=never # has no bindings: it is as it is
}
