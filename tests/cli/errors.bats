#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Bad input: status 2, nothing on standard output, and a message that says where and what.

load helpers

@test "a model that does not exist, a directory" {
    for command in check explore compare; do
        refuses "No such file or directory" $command missing.pnml
        contains "$stderr" "missing.pnml: error: "
        refuses "Is a directory" $command .
    done
    refuses "No such file or directory" replay missing.pnml trace
}

@test "a model that may not be read" {
    family philosophers 2
    chmod 000 philosophers.pnml
    [ ! -r philosophers.pnml ] || skip "this user may read everything"
    refuses "Permission denied" check philosophers.pnml
}

@test "an empty model" {
    : > empty.pnml
    refuses "empty.pnml:1:1: error: the input is empty" check empty.pnml
    contains "$stderr" "hint: a PNML file begins with <pnml>"
    refuses "the input is empty" check - < /dev/null
}

@test "not XML, not PNML, cut short" {
    echo "int main(void)" > a.pnml
    refuses "not well-formed XML" check a.pnml
    points_at a.pnml 1 1 "int main(void)"
    echo "<html/>" > b.pnml
    refuses "the root element is <html>, not <pnml>" check b.pnml
    points_at b.pnml 1 1 "<html/>"
    contains "$stderr" "hint: this is XML, but not PNML"
    family kanban 2
    head -c 1500 kanban.pnml > c.pnml
    refuses "c.pnml:" check c.pnml
    [[ "$stderr" =~ ^c\.pnml:[0-9]+:[0-9]+:\ error:\  ]]
}

@test "binary noise" {
    head -c 4096 /dev/zero > zero.pnml
    refuses "zero.pnml:" check zero.pnml
    head -c 4096 "$program" > elf.pnml
    refuses "elf.pnml:" check elf.pnml
}

@test "an arc to nowhere, pointed at" {
    net arc.pnml <<'XML'
<place id="p1"/><transition id="t1"/>
  <arc id="a1" source="p1" target="t9"/>
XML
    refuses "the target of an arc, 't9', does not exist" check arc.pnml
    points_at arc.pnml 4 3 '  <arc id="a1" source="p1" target="t9"/>'
}

@test "an id used twice, a weight of nothing, a count that is none" {
    net twice.pnml <<< '<place id="p"/> <place id="p"/>'
    refuses "the id 'p' is used twice" check twice.pnml
    points_at twice.pnml 3 17 '<place id="p"/> <place id="p"/>'
    for count in -1 2147483648 99999999999999999999 many 1.5; do
        net count.pnml <<< "<place id='p'><initialMarking><text>$count</text></initialMarking></place>"
        refuses "count.pnml:3:" explore count.pnml
    done
    net weight.pnml <<'XML'
<place id="p"/><transition id="t"/>
<arc id="a" source="p" target="t"><inscription><text>0</text></inscription></arc>
XML
    refuses "weight.pnml:4:" check weight.pnml
}

@test "high-level nets that are not symmetric, and entities, are refused with advice" {
    echo '<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/highlevelnet"/></pnml>' > coloured.pnml
    refuses "coloured.pnml:1:7: error: " check coloured.pnml
    contains "$stderr" "hint: "
    echo '<!DOCTYPE pnml [<!ENTITY e SYSTEM "/etc/passwd">]><pnml>&e;</pnml>' > entity.pnml
    refuses "entity.pnml:1:" check entity.pnml
    contains "$stderr" "hint: "
}

@test "an unknown name in an expression, pointed at, with the nearest" {
    family philosophers 3
    refuses "unknown variable 'frk_2'" check philosophers.pnml -i 'fork_1 + frk_2 <= 1'
    points_at "<expression>" 1 10 "fork_1 + frk_2 <= 1"
    contains "$stderr" "hint: did you mean fork_2?"
    refuses "take_lft_1" check philosophers.pnml -r 'fireable(take_lft_1)'
    points_at "<expression>" 1 10 "fireable(take_lft_1)"
    contains "$stderr" "hint: did you mean take_left_1?"
}

@test "expressions that are none" {
    family philosophers 2
    refuses "<expression>:1:1: error: expected a value" check philosophers.pnml -i ''
    refuses "error: " check philosophers.pnml -i 'fork_1 <='
    points_at "<expression>" 1 10 "fork_1 <="
    refuses "error: " check philosophers.pnml -i 'fork_1 = 1)'
    points_at "<expression>" 1 11 "fork_1 = 1)"
    for text in 'fork_1' '1 + 2' '1 < fork_1 < 3' '!fork_1 = 1' 'fork_1 ~ 2' '"fork_1 = 1' '99999999999999999999 > 1'; do
        refuses "<expression>:1:" check philosophers.pnml -r "$text"
        refuses "<expression>:1:" compare philosophers.pnml -r "$text"
    done
}

@test "of two expressions, the wrong one is pointed at" {
    family philosophers 2
    refuses "unknown variable 'nope'" check philosophers.pnml -i 'fork_1 <= 1' -i 'nope = 1'
    points_at "<expression>" 1 1 "nope = 1"
}

@test "properties that are none" {
    family philosophers 2
    for text in '' foo; do
        refuses "--property takes PROPERTY" check philosophers.pnml --property "$text"
        contains "$stderr" "hint: 'no deadlock', 'no data race', 'invariant EXPR', 'reach EXPR' or 'ltl FORMULA'"
    done
    for text in invariant reach; do
        refuses "--property takes PROPERTY" check philosophers.pnml --property "$text"
        contains "$stderr" "hint: did you mean '$text EXPR'?"
    done
    refuses "--property takes PROPERTY" check philosophers.pnml --property 'no deadlocks'
    contains "$stderr" "hint: did you mean 'no deadlock'?"
}

@test "a count beyond what can be held is an error, never an answer" {
    # three times 2^30 more, from 2^30
    net grow.pnml <<'XML'
<place id="p"><initialMarking><text>1073741824</text></initialMarking></place>
<place id="left"><initialMarking><text>3</text></initialMarking></place>
<transition id="grow"/>
<arc id="a1" source="left" target="grow"/>
<arc id="a2" source="grow" target="p"><inscription><text>1073741824</text></inscription></arc>
XML
    refuses "firing 'grow' would exceed" check grow.pnml
    refuses "firing 'grow' would exceed" check grow.pnml --chains
    refuses "firing 'grow' would exceed" check grow.pnml -r 'p < 0' --reduction none --json
    refuses "firing 'grow' would exceed" explore grow.pnml --search dfs
    refuses "firing 'grow' would exceed" compare grow.pnml
    printf 'grow\n' > trace
    refuses "step 1" replay grow.pnml trace
}

@test "the largest count is exact, one more is an error" {
    for weight in 1073741823 1073741824; do
        net largest.pnml <<XML
<place id="p"><initialMarking><text>1073741824</text></initialMarking></place>
<place id="left"><initialMarking><text>1</text></initialMarking></place>
<transition id="grow"/>
<arc id="a1" source="left" target="grow"/>
<arc id="a2" source="grow" target="p"><inscription><text>$weight</text></inscription></arc>
XML
        mv largest.pnml largest-$weight.pnml
    done
    portolan 0 check largest-1073741823.pnml -r 'p = 2147483647' --trace trace -q
    portolan 0 replay largest-1073741823.pnml trace
    contains "$output" "p 1073741824->2147483647"
    refuses "firing 'grow' would exceed" check largest-1073741824.pnml -r 'p = 2147483647'
}

@test "an output that cannot be opened" {
    family philosophers 2
    local nowhere=/nonexistent/x
    refuses "cannot write '$nowhere'" generate kanban 2 -o $nowhere
    refuses "cannot write '$nowhere'" explore philosophers.pnml --export dot -o $nowhere
    refuses "cannot write '$nowhere'" check philosophers.pnml --trace $nowhere
    portolan 2 check philosophers.pnml --json=$nowhere
    contains "$stderr" "cannot write '$nowhere': No such file or directory"
    portolan 2 explore philosophers.pnml --json=$nowhere
    contains "$stderr" "cannot write '$nowhere'"
    portolan 2 compare philosophers.pnml --json=$nowhere
    contains "$stderr" "cannot write '$nowhere'"
}

@test "a full disk" {
    [ -c /dev/full ] || skip "no /dev/full"
    family philosophers 3
    "$program" check philosophers.pnml --trace trace -q || true
    refuses "No space left on device" generate kanban 2 --output /dev/full
    refuses "No space left on device" explore philosophers.pnml --export dot -o /dev/full
    refuses "No space left on device" explore philosophers.pnml --export aut -o /dev/full
    refuses "No space left on device" check philosophers.pnml --trace /dev/full
    for command in check explore compare; do
        portolan 2 $command philosophers.pnml --json=/dev/full
        contains "$stderr" "cannot write '/dev/full': No space left on device"
    done
    portolan 2 replay philosophers.pnml trace --json=/dev/full
    contains "$stderr" "No space left on device"
}

@test "standard output on a full disk, or closed" {
    [ -c /dev/full ] || skip "no /dev/full"
    family philosophers 2
    echo 'int x; thread a { x = 1; } thread b { x = 2; }' > model.dl
    "$program" check philosophers.pnml --trace trace -q || true
    "$program" check philosophers.pnml -i 'fork_1 <= 1' --certify certificate -q
    for words in "check philosophers.pnml" "check philosophers.pnml -q" "check philosophers.pnml --json" \
        "check philosophers.pnml --ltl 'G true' --print-automaton" "check philosophers.pnml --reduction probe --explain -q" \
        "explore philosophers.pnml" "explore philosophers.pnml --json" "explore philosophers.pnml --export dot" \
        "explore philosophers.pnml --export aut -q" "explore model.dl --reduction optimal --traces - -q" \
        "compare philosophers.pnml" "compare philosophers.pnml --json" "generate" "generate kanban 2" \
        "replay philosophers.pnml trace" "certify certificate philosophers.pnml" "list" "ltl 'G a'" "ltl 'G a' --dot" \
        "ltl 'G a' --hoa" "--help" "help check" "check --help" "--version" "--manual"; do
        run -2 bash -c "'$program' $words 2>&1 > /dev/full"
        contains "$words: $output" "cannot write 'standard output': No space left on device"
        run -2 bash -c "'$program' $words 2>&1 >&-"
        contains "$words: $output" "cannot write 'standard output': Bad file descriptor"
    done
}

@test "every file that is written on a full disk" {
    [ -c /dev/full ] || skip "no /dev/full"
    family philosophers 2
    echo 'int x; thread a { x = 1; } thread b { x = 2; }' > model.dl
    cp "$repository/examples/protocols/ring-election.mp" .
    for words in "check model.dl --reduction optimal --traces" "check philosophers.pnml --trace" "check philosophers.pnml --junit" \
        "check philosophers.pnml -i 'fork_1<=1' --certify" "check ring-election.mp -i 'one_leader = 0' --msc" \
        "explore philosophers.pnml --export dot -o" "generate kanban 2 -o"; do
        run -2 bash -c "'$program' $words /dev/full 2>&1 > /dev/null"
        contains "$words: $output" "cannot write '/dev/full': No space left on device"
    done
    run -2 bash -c "'$program' explore philosophers.pnml --export dot --json 2> /dev/full > /dev/null"
    run -2 bash -c "'$program' check philosophers.pnml --reduction probe --explain --json 2> /dev/full > /dev/null"
}

@test "a closed descriptor is not taken for a file" {
    family philosophers 3
    run -2 bash -c "'$program' check philosophers.pnml --json=answer.json 2> errors >&-"
    jq . answer.json
    run -1 bash -c "'$program' check philosophers.pnml --json=answer.json <&- 2>&- > answer.txt"
    jq . answer.json
    lacks "$(cat answer.txt)" "{"
}

@test "JSON is valid whatever the names are" {
    family philosophers 2
    odd=$(printf 'a\xff\x80b\tc\nd"e\\f\x01\xed\xa0\x80\xc3\xa9.pnml')
    cp philosophers.pnml "$odd"
    for words in "check" "explore" "compare -q"; do
        # shellcheck disable=SC2086
        "$program" $words "$odd" --json > out.json || [ $? -eq 1 ]
        iconv -f UTF-8 -t UTF-8 out.json > valid.json
        jq -e .model valid.json
        contains "$(jq -r .model out.json)" 'a\xff\x80b'
        contains "$(jq -r .model out.json)" 'é.pnml'
    done
    portolan 1 check "$odd" --junit out.xml -q
    xmllint --noout out.xml
    portolan 1 check philosophers.pnml --json=-
    json_is .verdict violated
}
