#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Certificates of simplified nets: what is written is accepted, what was changed is not.

load helpers

@test "a transition that is always enabled" {
    family kanban 50
    portolan 0 check kanban.pnml --certify run.cert
    contains "$output" "certified  "
    contains "$output" "1 claim decided by the structure"
    portolan 0 certify run.cert kanban.pnml
    contains "$output" "claim      no deadlock: CERTIFIED"
    contains "$output" "1 claim decided by the structure"
    family kanban 51
    portolan 0 certify run.cert kanban.pnml # the steps do not depend on how many tokens there are
    sed 's/^net 0 1/net 1 1/' run.cert > changed.cert
    portolan 1 certify changed.cert kanban.pnml
    contains "$output" "after these steps there are 0 places and 1 transitions"
    grep -v '^post' run.cert > changed.cert
    portolan 2 certify changed.cert kanban.pnml
    contains "$stderr" "expected a transition that is left"
}

@test "siphons and traps" {
    family slotted-ring 9
    portolan 0 check slotted-ring.pnml --walk none --simplify auto --certify run.cert
    contains "$output" "every siphon contains a marked trap"
    portolan 0 certify run.cert slotted-ring.pnml
    contains "$output" "claim      no deadlock: CERTIFIED"
    sed '/^decided/s/ - / /' run.cert > changed.cert
    portolan 1 certify changed.cert slotted-ring.pnml
    sed '/^decided/s/ [0-9][0-9]* / - /2' run.cert > changed.cert
    portolan 1 certify changed.cert slotted-ring.pnml
    contains "$output" "a set of places has no marked trap"
    sed '/^decided/s/siphons 0/siphons 1/' run.cert > changed.cert
    portolan 1 certify changed.cert slotted-ring.pnml
    contains "$output" "transition 1 asks for no further place"
    sed '/^claim/s/no deadlock/invariant p_1 >= 0/' run.cert > changed.cert
    portolan 2 certify changed.cert slotted-ring.pnml
}

@test "the state equation, whose factors are computed again" {
    family kanban 200
    portolan 0 check kanban.pnml -i 'free_1 + work_1 + redo_1 + finished_1 = 200' --reduction none --states 20001 --simplify auto --certify run.cert
    contains "$output" "decided without a search: the state equation has no such solution"
    portolan 0 certify run.cert kanban.pnml
    contains "$output" "claim      invariant free_1 + work_1 + redo_1 + finished_1 = 200: CERTIFIED"
    sed 's/d0\*1/d0*2/' run.cert > changed.cert
    portolan 0 certify changed.cert kanban.pnml # twice a contradiction is one, too
    sed 's/^none .*/none p0*1/' run.cert > changed.cert
    portolan 1 certify changed.cert kanban.pnml
    contains "$output" "of the inequalities"
    sed 's/^split 0/impossible/' run.cert > changed.cert
    portolan 1 certify changed.cert kanban.pnml
    contains "$output" "this is not impossible by itself"
    family kanban 201
    portolan 1 certify run.cert kanban.pnml
}

@test "steps, and then the graph of what is left" {
    family slotted-ring 3
    portolan 0 check slotted-ring.pnml --certify run.cert
    contains "$output" "steps of simplification, 0 claims decided by the structure"
    portolan 0 certify run.cert slotted-ring.pnml
    contains "$output" "states, "
    sed 's/^post.*/post 0/' run.cert > changed.cert
    portolan 1 certify changed.cert slotted-ring.pnml
    contains "$output" "cannot be agglomerated"
    sed 's/^claim no deadlock/claim invariant !deadlock/' run.cert > changed.cert
    portolan 1 certify changed.cert slotted-ring.pnml
    contains "$output" "it matters to a claim"
    portolan 0 check slotted-ring.pnml --simplify none --certify plain.cert
    lacks "$(cat plain.cert)" "simplify"
    portolan 0 certify plain.cert slotted-ring.pnml
}

@test "some claims by the structure, others by the graph" {
    family kanban 3
    portolan 0 check kanban.pnml --deadlock -i 'work_1 <= 3' --certify run.cert
    portolan 0 certify run.cert kanban.pnml
    contains "$output" "claim      no deadlock: CERTIFIED"
    contains "$output" "claim      invariant work_1 <= 3: CERTIFIED"
}

@test "only nets can be simplified" {
    cat > p.dl << 'DL'
int x = 0;
thread t { x = 1; }
DL
    printf 'portolan certificate 1\nmodel p\nclaim no deadlock\nsimplify\nnet 0 0\nend 0 0\n' > run.cert
    portolan 1 certify run.cert p.dl
    contains "$output" "only Petri nets without priorities can be simplified"
}

@test "a producer that does more than taking tokens cannot wait" {
    net late.pnml << XML
<place id="a"><initialMarking><text>1</text></initialMarking></place><place id="p"/><place id="r"/><place id="s"/><place id="z"/>
<transition id="h"/><transition id="g"/><transition id="f"/>
<arc id="1" source="a" target="h"/><arc id="2" source="h" target="p"/><arc id="3" source="h" target="r"/>
<arc id="4" source="r" target="g"/><arc id="5" source="g" target="s"/>
<arc id="6" source="p" target="f"/><arc id="7" source="z" target="f"/>
XML
    portolan 0 check late.pnml -r 's >= 1'
    printf 'portolan certificate 1\nmodel net\nclaim never s >= 1\nsimplify\nfree 1\nnet 4 2\n' > run.cert
    portolan 1 certify run.cert late.pnml
    contains "$output" "run.cert:5: place 'p' cannot be agglomerated: a producer does more than taking tokens"
}
