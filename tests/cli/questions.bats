#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Property files and maxima: one run, many answers.
load helpers

philosophers=$repository/examples/philosophers.pnml
properties=$repository/examples/nets/philosophers-properties.xml

# file NAME: a property file around what is on standard input, which starts on line 2.
file() {
    {
        echo '<property-set xmlns="http://mcc.lip6.fr/">'
        cat
        echo '</property-set>'
    } > "$1"
}

# property ID FORMULA
property() {
    echo "<property><id>$1</id><description>d</description><formula>$2</formula></property>"
}

some() { echo "<exists-path><finally>$1</finally></exists-path>"; }
always() { echo "<all-paths><globally>$1</globally></all-paths>"; }

@test "a property file: each question has its answer, the worst is the exit status" {
    portolan 1 check "$philosophers" --properties "$properties" --quiet
    same "$output" "model      $philosophers
property   philosophers-deadlock: HOLDS
property   philosophers-cardinality-0: HOLDS
property   philosophers-cardinality-1: HOLDS
property   philosophers-fireability-0: VIOLATED
property   philosophers-bound-0: 3
property   philosophers-ltl-0: VIOLATED
property   philosophers-ctl-0: HOLDS
property   philosophers-ctl-1: UNDECIDED"
}

@test "the contest's question about deadlocks needs no file" {
    portolan 1 check "$philosophers" --contest
    contains "$output" "FORMULA ReachabilityDeadlock TRUE TECHNIQUES"
    family kanban 2
    portolan 0 check kanban.pnml --contest
    contains "$output" "FORMULA ReachabilityDeadlock FALSE TECHNIQUES"
}

@test "answers as the contest wants them" {
    portolan 1 check "$philosophers" --properties "$properties" --contest
    same "$(sed 's/ TECHNIQUES .*//' <<< "$output")" "FORMULA philosophers-deadlock TRUE
FORMULA philosophers-cardinality-0 TRUE
FORMULA philosophers-cardinality-1 TRUE
FORMULA philosophers-fireability-0 FALSE
FORMULA philosophers-bound-0 3
FORMULA philosophers-ltl-0 FALSE
FORMULA philosophers-ctl-0 TRUE
FORMULA philosophers-ctl-1 CANNOT_COMPUTE"
    [ "$(grep -c ' TECHNIQUES EXPLICIT' <<< "$output")" = 7 ]
}

@test "JSON and JUnit have every question by its name" {
    portolan 1 check "$philosophers" --properties "$properties" --json --junit suite.xml
    same "$(jq -c '[.properties[] | [.property, .verdict, .maximum]] | .[4,7]' <<< "$output")" \
        '["philosophers-bound-0","holds",3]
["philosophers-ctl-1","unknown",null]'
    contains "$(jq -r '.properties[7].note' <<< "$output")" "CTL with nested path quantifiers is not supported"
    [ "$(grep -c '<testcase' suite.xml)" = 8 ]
}

@test "a trace in a property file is replayed under the name of its property" {
    { property reached "$(some '<deadlock/>')"; property never "$(always '<negation><deadlock/></negation>')"; } | file p.xml
    portolan 1 check "$philosophers" --properties p.xml --trace t
    contains "$output" "property   reached: HOLDS"
    contains "$output" "property   never: VIOLATED"
    contains "$output" "a deadlock"
    portolan 0 replay "$philosophers" t
}

@test "every reduction gives the same answers" {
    local first="" reduction
    for reduction in none stubborn stubborn:strong lpor auto; do
        portolan 1 check "$philosophers" --properties "$properties" --reduction $reduction --contest
        local found
        found=$(sed 's/ TECHNIQUES .*//' <<< "$output")
        same "$found" "${first:=$found}"
    done
    portolan 1 check "$philosophers" --properties "$properties" --reduction stubborn:goal --quiet
    contains "$output" "philosophers-deadlock: UNDECIDED" # by itself it is refused
    contains "$output" "philosophers-bound-0: 3"
}

@test "a limit leaves open what it leaves open, and tells what was seen of a maximum" {
    family philosophers 14
    {
        property soon "$(some "<is-fireable><transition>take_right_1</transition></is-fireable>")"
        property bound "<place-bound><place>eats_1</place><place>eats_2</place><place>eats_5</place></place-bound>"
        property never "$(some '<integer-le><integer-constant>2</integer-constant><tokens-count><place>eats_1</place></tokens-count></integer-le>')"
    } | file p.xml
    portolan 3 check philosophers.pnml --properties p.xml --reduction none --simplify none --states 3000 --quiet
    contains "$output" "property   soon: HOLDS"
    [[ "$output" =~ "property   bound: UNDECIDED, at least "[12] ]]
    contains "$output" "property   never: UNDECIDED"
    portolan 3 check philosophers.pnml --properties p.xml --reduction none --simplify none --states 3000 --contest
    contains "$output" "FORMULA bound CANNOT_COMPUTE"
}

@test "a maximum is raised step by step until nothing exceeds it" {
    property bound "<place-bound>$(for i in 1 2 3 4 5 6; do echo "<place>eats_$i</place>"; done)</place-bound>" | file p.xml
    local options
    for options in "" "--reduction none --simplify none" "--reduction stubborn --search bfs" "--reduction lpor"; do
        # shellcheck disable=SC2086
        portolan 0 check "$philosophers" --properties p.xml --quiet $options
        contains "$output" "property   bound: 3"
    done
    net growing.pnml <<'END'
<place id="p"/><transition id="t"/><arc id="a" source="t" target="p"/>
END
    property bound "<place-bound><place>p</place></place-bound>" | file p.xml
    portolan 3 check growing.pnml --properties p.xml --quiet --states 1000
    [[ "$output" =~ "bound: UNDECIDED, at least "[0-9]+ ]]
}

@test "errors in a property file have their place" {
    property x "$(some "<is-fireable><transition>nowhere</transition></is-fireable>")" | file p.xml
    refuses "p.xml:2:" check "$philosophers" --properties p.xml
    contains "$stderr" "the model has no transition with the id 'nowhere'"
    : > empty.xml
    refuses "empty.xml" check "$philosophers" --properties empty.xml
    file none.xml < /dev/null
    refuses "there is no property in 'none.xml'" check "$philosophers" --properties none.xml
    refuses "the format of the properties in 'x.txt' is unknown" check "$philosophers" --properties x.txt
    refuses "--properties cannot be combined with other properties" check "$philosophers" --properties p.xml --deadlock
    refuses "--certify cannot be combined with --properties" check "$philosophers" --properties "$properties" --certify c
}

@test "the largest value of a number" {
    portolan 0 check "$philosophers" --maximum 'eats_1 + eats_2 + eats_3' --quiet
    contains "$output" "property   maximum eats_1 + eats_2 + eats_3: 2"
    portolan 0 check "$philosophers" --maximum 'eats_1 + eats_2 + eats_3' --json
    same "$(jq -c '[.property, .verdict, .maximum]' <<< "$output")" '["maximum eats_1 + eats_2 + eats_3","holds",2]'
    refuses "expected an integer, found a boolean" check "$philosophers" --maximum 'eats_1 > 0'
    refuses "goal-directed" check "$philosophers" --maximum eats_1 --reduction stubborn:goal
    refuses "stops at what decides a property" check "$philosophers" --maximum eats_1 --reduction probe
    refuses "--certify cannot be combined with --maximum" check "$philosophers" --maximum eats_1 --certify c
}

@test "symmetric nets: places of all colours, transitions of any binding, by their ids" {
    sed 's|<name><text>Own</text></name>|<name><text>own memory</text></name>|;
        s|<name><text>ask</text></name>|<name><text>asks</text></name>|' "$repository/examples/nets/shared-memory.pnml" > n.pnml
    {
        property bound "<place-bound><place>Queue</place><place>Own</place></place-bound>"
        property fires "$(some "<conjunction><is-fireable><transition>end_external</transition></is-fireable><integer-le><integer-constant>4</integer-constant><tokens-count><place>Own</place></tokens-count></integer-le></conjunction>")"
        property asks "$(always "<is-fireable><transition>ask</transition></is-fireable>")"
    } | file p.xml
    local ground
    for ground in 0 1; do
        portolan 1 check n.pnml --properties p.xml --quiet -D ground=$ground
        contains "$output" "bound: 5"
        contains "$output" "fires: HOLDS"
        contains "$output" "asks: VIOLATED"
    done
}

@test "symmetric nets: traces show bindings and tokens, also from standard input" {
    portolan 1 check "$repository/examples/nets/database.pnml" --search bfs --reduction none --simplify none
    contains "$output" "choose_file(s=s1,f=f1)"
    contains "$output" "WaitMutex<(s1,f1)> 0->1"
    run -1 --separate-stderr "$program" check - --quiet < "$repository/examples/nets/database.pnml"
    contains "$output" "no deadlock: VIOLATED"
    refuses "-D and --keep-dead cannot be used with" explore "$repository/examples/nets/database.pnml" -D N=3
}

@test "a symmetric net that is wrong is refused with line and column" {
    sed 's|refvariable="r"|refvariable="q"|' "$repository/examples/nets/database.pnml" > wrong.pnml
    refuses "the variable 'q' is not declared" explore wrong.pnml
    [[ "$stderr" =~ wrong.pnml:[0-9]+:[0-9]+:\ error ]]
}

# answers PROPERTY-FILE [OPTION...]: "ID TRUE, ID 3, ..." of the coloured philosophers.
answers() {
    local properties=$1
    shift
    "$program" check "$repository/examples/nets/philosophers-coloured.pnml" --properties "$properties" --contest "$@" |
        sed 's/^FORMULA //; s/ TECHNIQUES.*//' | paste -s -d ,
}

at_least() { # NUMBER PLACE...
    echo "<integer-le><integer-constant>$1</integer-constant><tokens-count>$(printf '<place>%s</place>' "${@:2}")</tokens-count></integer-le>"
}
at_most() {
    echo "<integer-le><tokens-count>$(printf '<place>%s</place>' "${@:2}")</tokens-count><integer-constant>$1</integer-constant></integer-le>"
}
fireable() { echo "<is-fireable>$(printf '<transition>%s</transition>' "$@")</is-fireable>"; }
whatever() { echo "<all-paths>$1</all-paths>"; }
perhaps() { echo "<exists-path>$1</exists-path>"; }
finally() { echo "<finally>$1</finally>"; }
globally() { echo "<globally>$1</globally>"; }
next() { echo "<next>$1</next>"; }
meanwhile() { echo "<until><before>$1</before><reach>$2</reach></until>"; }

# Five philosophers, each with a fork on either side: two can eat at a time, all can hold one fork and wait.  So whoever
# starts takes a fork first, and nobody has to eat.
@test "every examination of the contest, on a coloured net, with the answers that philosophers have" {
    {
        property cardinality-0 "$(some "$(at_least 2 Eat)")"
        property cardinality-1 "$(some "$(at_least 3 Eat)")"
        property cardinality-2 "$(always "<conjunction>$(at_least 5 Think Catch1 Catch2 Eat)$(at_most 5 Think Catch1 Catch2 Eat)</conjunction>")"
        property cardinality-3 "$(always "$(at_least 1 Fork)")"
    } | file ReachabilityCardinality.xml
    {
        property fireability-0 "$(some "$(fireable End)")"
        property fireability-1 "$(always "$(fireable FF1a FF1b FF2a FF2b End)")"
        property fireability-2 "$(some "<conjunction>$(fireable FF2a)$(fireable End)</conjunction>")"
        property fireability-3 "$(always "<implication>$(fireable End)$(at_least 1 Eat)</implication>")"
    } | file ReachabilityFireability.xml
    property deadlock "$(some "<deadlock/>")" | file ReachabilityDeadlock.xml
    {
        property bounds-0 "<place-bound><place>Eat</place></place-bound>"
        property bounds-1 "<place-bound><place>Catch1</place></place-bound>"
        property bounds-2 "<place-bound><place>Fork</place><place>Think</place></place-bound>"
    } | file UpperBounds.xml
    {
        property ltl-0 "$(whatever "$(globally "$(finally "$(at_least 1 Eat)")")")"
        property ltl-1 "$(whatever "$(finally "$(at_most 4 Think)")")"
        property ltl-2 "$(whatever "$(next "$(at_most 4 Fork)")")"
        property ltl-3 "$(whatever "$(meanwhile "$(at_most 0 Eat)" "$(at_least 1 Catch1 Catch2)")")"
        property ltl-4 "$(whatever "$(meanwhile "$(at_least 5 Think)" "$(at_least 1 Eat)")")"
    } | file LTLCardinality.xml
    {
        property ltl-5 "$(whatever "$(globally "$(finally "$(fireable End)")")")"
        property ltl-6 "$(whatever "$(globally "<implication>$(fireable End)$(next "<negation><deadlock/></negation>")</implication>")")"
        property ltl-7 "$(whatever "$(finally "<negation>$(fireable FF1a FF1b)</negation>")")"
    } | file LTLFireability.xml
    {
        property ctl-0 "$(perhaps "$(globally "$(at_most 0 Eat)")")"
        property ctl-1 "$(perhaps "$(next "$(at_least 1 Eat)")")"
        property ctl-2 "$(perhaps "$(meanwhile "$(at_most 1 Eat)" "$(at_least 2 Eat)")")"
        property ctl-3 "<negation>$(whatever "$(finally "<deadlock/>")")</negation>"
        property ctl-4 "$(always "$(perhaps "$(finally "$(at_least 5 Think)")")")"
        property ctl-5 "<conjunction>$(some "$(at_least 2 Eat)")$(always "$(at_most 2 Eat)")</conjunction>"
        property ctl-6 "$(at_least 5 Think)"
    } | file CTL.xml
    local options
    for options in "" "-D ground=0" "--reduction none"; do
        # shellcheck disable=SC2086
        {
            same "$(answers ReachabilityCardinality.xml $options)" "cardinality-0 TRUE,cardinality-1 FALSE,cardinality-2 TRUE,cardinality-3 FALSE"
            same "$(answers ReachabilityFireability.xml $options)" "fireability-0 TRUE,fireability-1 FALSE,fireability-2 TRUE,fireability-3 TRUE"
            same "$(answers ReachabilityDeadlock.xml $options)" "deadlock TRUE"
            same "$(answers UpperBounds.xml $options)" "bounds-0 2,bounds-1 5,bounds-2 10"
            same "$(answers LTLCardinality.xml $options)" "ltl-0 FALSE,ltl-1 TRUE,ltl-2 TRUE,ltl-3 TRUE,ltl-4 FALSE"
            same "$(answers LTLFireability.xml $options)" "ltl-5 FALSE,ltl-6 TRUE,ltl-7 FALSE"
            same "$(answers CTL.xml $options)" "ctl-0 TRUE,ctl-1 FALSE,ctl-2 TRUE,ctl-3 TRUE,ctl-4 CANNOT_COMPUTE,ctl-5 TRUE,ctl-6 TRUE"
        }
    done
}
