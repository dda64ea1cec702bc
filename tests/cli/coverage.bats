#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What never fired: known by hand on small models.
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >lines.dl <<'END'
int x;
int y;
thread a * 2 {
    x = 1;
    if (x == 2) {
        y = 1;
        y = 2;
    }
}
thread b {
    y = 0;
}
END
    cat >rules.mp <<'END'
protocol rules
message ask, answer(yes: bool), thanks, unheard
process Client {
    var asked: bool
    var happy: bool
    rule start when not asked {
        asked = true
        send ask to Server
    }
    rule good on answer(true) from Server {
        happy = true
        send thanks to Server
    }
    rule bad on answer(false) from Server { happy = false }
}
process Server {
    rule reply on ask from Client {
        send answer(true) to sender
        send unheard to sender
    }
    rule thanked on thanks from Client when false { }
}
END
    cat >net.pnml <<'END'
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="full"><initialMarking><text>1</text></initialMarking></place><place id="empty"/><place id="more"/>
<transition id="goes"/><transition id="waits"/>
<arc id="1" source="full" target="goes"/><arc id="2" source="goes" target="empty"/>
<arc id="3" source="empty" target="waits"/><arc id="4" source="more" target="waits"/>
</page></net></pnml>
END
    cat >actions.ent <<'END'
entities a b c
initial a
action go: deletes a, creates b
action never: deletes c, creates b
action "also never": reads c, deletes b
END
}

@test "transitions that never fire are listed, by default counted" {
    portolan 0 explore net.pnml --coverage
    [[ $output == *"coverage   1 of 2 transitions never fired:"$'\n'"  waits" ]]
    portolan 0 explore net.pnml
    [[ $output == *"coverage   1 of 2 transitions never fired: --coverage lists them" ]]
}

@test "lines that no thread reaches" {
    portolan 0 explore lines.dl --coverage
    [[ $output == *"coverage   2 of 5 lines never reached:"$'\n'"  a:6 y = 1"$'\n'"  a:7 y = 2"* ]]
    portolan 0 explore lines.dl
    [[ $output == *"coverage   2 of 5 lines never reached: --coverage lists them"* ]]
    portolan 0 explore lines.dl --coverage --reduction optimal
    [[ $output == *"coverage   2 of 5 lines never reached:"* ]]
}

@test "rules that never fire, also those that have no action at all, and messages that nobody takes" {
    portolan 0 explore rules.mp --coverage
    [[ $output == *"coverage   2 of 5 rules never fired:"$'\n'"  Client:14 rule bad"$'\n'"  Server:21 rule thanked"$'\n'* ]]
    [[ $output == *"coverage   2 of 4 kinds of messages sent are never taken:"$'\n'"  unheard"$'\n'"  thanks"* ]]
}

@test "actions of entity systems" {
    portolan 0 explore actions.ent --coverage
    [[ $output == *"coverage   2 of 3 actions never fired:"$'\n'"  never"$'\n'"  also never"* ]]
}

@test "a limit: not so far" {
    portolan 3 explore lines.dl --coverage --states 2
    [[ $output == *"lines not reached so far:"* ]]
    portolan 3 explore lines.dl --states 2
    [[ $output != *"coverage"* ]]
}

@test "a reduction tells nothing of what it did not fire" {
    portolan 1 check actions.ent --coverage --reduction stubborn
    [[ $output == *"coverage   1 of 3 actions fired; only a search without a reduction can tell"* ]]
    [[ $output != *"also never"* ]]
    portolan 1 check actions.ent --reduction stubborn
    [[ $output != *"coverage"* ]]
    portolan 1 check actions.ent --coverage --all
    [[ $output == *"reduction none"*"coverage   2 of 3 actions never fired:"* ]]
    portolan 0 check actions.ent --coverage --ltl 'F (b = 1)'
    [[ $output == *"coverage   not known from this search"* ]]
}

@test "JSON has the counts, and with --coverage the lists" {
    portolan 0 explore rules.mp --coverage --json
    echo "$output" >out.json
    [ "$(jq -c .coverage out.json)" = '{"of":"rule","count":5,"fired":3,"complete":true,"not_fired":["Client:14 rule bad","Server:21 rule thanked"],"not_taken":["unheard","thanks"]}' ]
    portolan 0 explore rules.mp --json
    echo "$output" >out.json
    [ "$(jq -c .coverage out.json)" = '{"of":"rule","count":5,"fired":3,"complete":true}' ]
    portolan 0 explore actions.ent --reduction stubborn --json
    echo "$output" >out.json
    [ "$(jq -c .coverage.complete out.json)" = false ]
    portolan 0 check actions.ent --ltl 'F (b = 1)' --json
    echo "$output" >out.json
    [ "$(jq -c .coverage out.json)" = null ]
}

@test "--coverage goes with --export and --certify" {
    portolan 0 explore rules.mp --coverage --export aut -o out.aut
    [[ $output == *"never taken:"* ]]
    portolan 0 explore rules.mp --export aut -o plain.aut
    cmp out.aut plain.aut
}
