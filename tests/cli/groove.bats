#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# GROOVE grammars from the command line: small ones, each with a number of states that can be counted by hand.

load helpers

examples=$repository/examples/graphs

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir g.gps
    echo 'startGraph=start' > g.gps/system.properties
}

# graph NAME.EXTENSION EDGE...: an edge is "from label to", a label of a node "node label", "@node label" if there are
# spaces in it; -priority=3 is a property
graph() {
    local file=g.gps/$1 nodes='' edges='' properties='' edge from label to
    shift
    for edge; do
        if [[ $edge == -* ]]; then
            properties+="<attr name=\"${edge%%=*}\"><string>${edge#*=}</string></attr>"$'\n'
            continue
        fi
        from=${edge%% *} to=${edge##* } label=${edge#* }
        label=${label% "$to"}
        [[ $edge == *' '*' '* ]] || { to=$from; label=${edge#* }; }
        [[ $edge == *' '* ]] || label=
        [[ $edge != @* ]] || { from=${from#@}; to=$from; label=${edge#* }; }
        for node in "$from" "$to"; do
            [[ $nodes == *"\"$node\""* ]] || nodes+="<node id=\"$node\"/>"$'\n'
        done
        edges+="<edge to=\"$to\" from=\"$from\"><attr name=\"label\"><string>$label</string></attr></edge>"$'\n'
    done
    printf '<?xml version="1.0"?>\n<gxl>\n<graph role="any" id="x">\n%s%s%s</graph>\n</gxl>\n' \
        "${properties//\"-/\"}" "$nodes" "$edges" > "$file"
}

properties() { # PROPERTY...
    printf '%s\n' 'startGraph=start' "$@" > g.gps/system.properties
}

counts() { # GRAMMAR [OPTIONS]: states, transitions, deadlocks
    "$PORTOLAN" explore "$@" --reduction none --json | jq -r '"\(.states) \(.transitions) \(.deadlocks)"'
}

@test "philosophers: the start graph and isomorphism are chosen by options, or by the path" {
    grammar=$examples/philosophers.gps
    same "$(counts "$grammar")" "6 11 1"
    same "$(counts "$grammar/")" "6 11 1"
    same "$(counts "$grammar" --isomorphism off)" "14 27 1"
    same "$(counts "$grammar" --start table-5 --isomorphism off)" "82 265 1"
    same "$(counts "$grammar/table-5.gst" -D isomorphism=off)" "82 265 1"
    same "$(counts "$grammar" --start 'table-2 table-2' --isomorphism off)" "36 96 1"
    portolan 1 check "$grammar"
    contains "$output" "no deadlock: VIOLATED"
    portolan 1 check "$grammar" --json
    json_is '.format' gps
}

@test "erasers, creators and embargoes" {
    graph start.gst 'a A' 'b A'
    graph mark.gpr 'n A' 'n not:done' 'n new:done'
    same "$(counts g.gps)" "3 3 1"
    same "$(counts g.gps --isomorphism off)" "4 4 1"
    graph mark.gpr 'n A' 'n del:'
    same "$(counts g.gps)" "3 3 1"
}

@test "an embargo of several nodes is one; an edge between others is one of its own" {
    graph start.gst 'a A' 'a e b' 'b f c'
    graph r.gpr 'n A' 'n new:done' 'n not:done' 'x not:' 'n e x' 'y not:' 'x f y'
    same "$(counts g.gps)" "1 0 1"
    graph r.gpr 'n A' 'n new:done' 'n not:done' 'x not:' 'n e x' 'x g y' 'y not:'
    same "$(counts g.gps)" "2 1 1"
}

@test "embargoes that are inverted within: at most two nodes" {
    graph start.gst 'a A'
    graph more.gpr 'x A' 'y A' 'z new:' 'z A' 'x not:' 'y not:' 'x != y'
    same "$(counts g.gps)" "2 1 1"
    graph more.gpr 'r A' 'r not:B' 'r new:B' 'x A' 'x not:' 'r !e x'
    same "$(counts g.gps)" "1 0 1"
    graph start.gst 'a A' 'a e a'
    same "$(counts g.gps)" "2 1 1"
}

@test "paths: sequences, choices, repetitions, inverses, negations" {
    graph start.gst 'a A' 'a e b' 'b f c' 'c f d'
    try() { # EXPRESSION STATES
        graph r.gpr 'n A' "n $1 m" 'm not:x' 'm new:x'
        same "$1: $(counts g.gps --isomorphism off | cut -d' ' -f1)" "$1: $2"
    }
    try e 2
    try e.f 2
    try '{e.f*}' 8
    try 'e.f+' 4
    try 'e|e.f' 4
    try '=' 2
    try '!e' 8
    try 'e.-e' 2
    try '-(f.e)' 1
    try '-(-f.-e)' 2
    try '-(-f.-f.-e)' 2
    try '-(-e.-f)' 1
    try "'e'.?" 2
    try '?[e,g]' 2
    try 'e.?[^f]' 1
}

@test "wildcards with a name stand for one label" {
    graph start.gst 'a A' 'a e b' 'a f b' 'b B'
    graph r.gpr 'x A' 'x del:?l[^A] y' 'y new:?l' 'y B'
    same "$(counts g.gps --isomorphism off)" "4 4 1"
}

@test "flags, types and labels of edges are three kinds" {
    graph start.gst 'a flag:A'
    graph r.gpr 'n A' 'n new:b'
    same "$(counts g.gps)" "1 0 1"
    graph r.gpr 'n type:A' 'n new:b'
    same "$(counts g.gps)" "1 0 1"
    graph r.gpr 'n flag:A' 'n new:b'
    same "$(counts g.gps | cut -d' ' -f1)" 2
}

@test "conditional creators, creator edges and right-hand sides as embargoes" {
    graph start.gst 'a A' 'b B'
    graph r.gpr 'x A' 'x cnew:e y' 'y B'
    same "$(counts g.gps)" "2 1 1"
    graph r.gpr 'x A' 'x new:e y' 'y B'
    same "$(counts g.gps)" "2 2 0"
    echo 'checkCreatorEdges=true' >> g.gps/system.properties
    same "$(counts g.gps)" "2 1 1"
    printf 'startGraph=start\nrhsIsNAC=true\n' > g.gps/system.properties
    graph r.gpr 'x A' 'x new:e y' 'y new:' 'y C'
    same "$(counts g.gps)" "2 1 1"
}

@test "injective matching, dangling edges" {
    graph start.gst 'a A' 'a e b'
    graph r.gpr 'x A' 'y A' 'x del:'
    same "$(counts g.gps)" "2 1 1"
    echo 'checkDangling=true' >> g.gps/system.properties
    same "$(counts g.gps)" "1 0 1"
    printf 'startGraph=start\nmatchInjective=true\n' > g.gps/system.properties
    same "$(counts g.gps)" "1 0 1"
    printf 'startGraph=start\n' > g.gps/system.properties
    graph r.gpr -injective=true 'x A' 'y A' 'x del:'
    same "$(counts g.gps)" "1 0 1"
}

@test "priorities, of a property and of a file name, and rules that are not enabled" {
    graph start.gst 'a A'
    graph low.gpr 'n not:x' 'n new:x' 'n A'
    graph high.gpr -priority=1 'n not:y' 'n new:y' 'n A'
    same "$(counts g.gps)" "3 2 1"
    mv g.gps/high.gpr g.gps/7.higher.gpr
    graph high.gpr 'n not:y' 'n new:y' 'n A'
    rm g.gps/7.higher.gpr
    same "$(counts g.gps)" "4 4 1"
    mv g.gps/high.gpr g.gps/7.higher.gpr
    same "$(counts g.gps)" "3 2 1"
    graph low.gpr -enabled=false 'n not:x' 'n new:x' 'n A'
    same "$(counts g.gps)" "2 1 1"
}

@test "mergers" {
    graph start.gst 'a A' 'b B' 'b e c'
    graph r.gpr 'x A' 'x new:= y' 'y del:B'
    graph look.gpr 'x A' 'x e y' 'y new:seen' 'y not:seen'
    same "$(counts g.gps)" "3 2 1"
}

@test "quantifiers: for all, for at least one, one, and how many" {
    graph start.gst 'a A' 'b A' 'r R'
    graph r.gpr 'q forall:' 'n A' 'n at q' 'n del:' 'r R' 'r new:done' 'r not:done'
    same "$(counts g.gps)" "2 1 1"
    graph r.gpr 'q forallx:' 'n A' 'n at q' 'n del:'
    same "$(counts g.gps)" "2 1 1"
    graph r.gpr 'q forall=all:' 'n A' 'n use=all:' 'r R' 'r not:many k' 'k not:int:' 'r new:many i' 'i int:' 'q count i' \
        'r new:x'
    portolan 1 check g.gps -q --deadlock
    graph r.gpr 'q forall:' 'n A' 'n at q' 'e exists:' 'e in q' 'm next' 'm at e' 'r R' 'r not:x' 'r new:x'
    same "$(counts g.gps)" "1 0 1"
}

@test "values: product nodes and expressions" {
    graph start.gst 'a A' '@a let:n = 0'
    graph up.gpr 'a A' 'a del:n i' 'i int:' 'p prod:' 'p arg:0 i' 'p arg:1 one' 'one int:1' 'p int:add j' 'j int:' \
        'a new:n j' 'q prod:' 'q arg:0 j' 'q arg:1 five' 'five int:5' 'q int:le t' 't bool:true'
    same "$(counts g.gps)" "6 5 1"
    graph up.gpr 'a A' '@a let:n = n + 1' '@a test:n &lt; 5'
    same "$(counts g.gps)" "6 5 1"
    graph up.gpr 'a A' '@a let:n = n + 1' '@a test:!(n &gt;= 2 * 2) &amp; n != 3'
    same "$(counts g.gps)" "4 3 1"
    graph up.gpr 'a A' '@a let:n = min(n + 3, 4)'
    same "$(counts g.gps)" "3 3 0"
}

@test "types: subtypes, exact types, abstract types" {
    echo 'typeGraph=types' >> g.gps/system.properties
    graph types.gty 'a type:A' 'a abs:' 'b type:B' 'c type:C' 'b sub: a' 'c sub: a' 'a flag:x'
    graph start.gst 'm type:B' 'n type:C'
    graph r.gpr 'n type:A' 'n not:flag:x' 'n new:flag:x'
    same "$(counts g.gps)" "4 4 1"
    graph r.gpr 'n type:B' 'n not:flag:x' 'n new:flag:x'
    same "$(counts g.gps)" "2 1 1"
    graph r.gpr 'n #A' 'n not:flag:x' 'n new:flag:x'
    same "$(counts g.gps)" "1 0 1"
    graph r.gpr 'n type:A' 'n not:type:B' 'n not:flag:x' 'n new:flag:x'
    same "$(counts g.gps)" "2 1 1"
}

@test "graphs are held against the type graph" {
    echo 'typeGraph=types' >> g.gps/system.properties
    graph types.gty 'a type:A' 'a abs:' 'b type:B' 'b sub: a' 'a flag:x' 'b out=0..*:e b'
    graph start.gst 'm type:B' 'n'
    refuses "a node has no type" explore g.gps
    graph start.gst 'm type:A'
    refuses "the type 'A' is abstract" explore g.gps
    graph start.gst 'm type:C'
    refuses "the type graph has no type 'C'" explore g.gps
    graph start.gst 'm type:B' 'm f m'
    refuses "the type graph has no edge 'f' between these types" explore g.gps
    graph start.gst 'm type:B' 'm e m' 'm flag:x'
    graph r.gpr 'n type:B' 'n new:y'
    refuses "the type graph has no edge 'y' between these types" explore g.gps
    contains "$stderr" "r.gpr:6:"
    graph r.gpr 'n type:A' 'm type:B' 'm new:e n'
    refuses "the type graph has no edge 'e' between these types" explore g.gps
    graph r.gpr 'n type:B' 'm type:B' 'm new:e n'
    same "$(counts g.gps)" "1 1 0"
    graph r.gpr 'n type:C'
    refuses "the type graph has no type 'C'" explore g.gps
    rm g.gps/r.gpr
    same "$(counts g.gps)" "1 0 1"
}

@test "a graph that violates a multiplicity is a state where nothing happens" {
    properties 'typeGraph=types' 'checkIsomorphism=false'
    graph start.gst 'a type:A' 'b type:B' 'c type:B'
    graph link.gpr 'x type:A' 'y type:B' 'x cnew:e y'
    graph mark.gpr 'x type:A' 'x cnew:flag:f'
    graph types.gty 'a type:A' 'a flag:f' 'b type:B' 'a e b'
    same "$(counts g.gps)" "8 12 1"
    graph types.gty 'a type:A' 'a flag:f' 'b type:B' 'a out=0..1:e b'
    same "$(counts g.gps)" "8 11 2"
    graph types.gty 'a type:A' 'a flag:f' 'b type:B' 'a in=0:e b'
    same "$(counts g.gps)" "6 5 4"
    graph types.gty 'a type:A' 'a flag:f' 'b type:B' 'a in=1:e b'
    refuses "0 edges 'e' lead to node 'b', but the type graph allows 1..1" explore g.gps
    graph types.gty 'a type:A' 'a flag:f' 'b type:B' 'a out=1..0:e b'
    refuses "'1..0' is not a multiplicity" explore g.gps
    properties 'typeGraph=types' 'checkIsomorphism=false' 'typePolicy=off'
    graph types.gty 'a type:A' 'a flag:f' 'b type:B' 'a out=0..1:e b'
    same "$(counts g.gps)" "8 12 1"
    properties 'typeGraph=types' 'typePolicy=remove'
    refuses "typePolicy=remove is not supported" explore g.gps
}

@test "multiplicities: subtypes, values, what cannot be counted" {
    properties 'typeGraph=types' 'checkIsomorphism=false'
    graph start.gst 'a type:C' 'b type:B' 'c type:B' 'a n v' 'v int:1'
    graph link.gpr 'x type:A' 'y type:B' 'x cnew:e y'
    graph types.gty 'a type:A' 'k type:C' 'k sub: a' 'b type:B' 'a out=0..1:e b' 'a out=1:n i' 'i int:'
    same "$(counts g.gps)" "4 4 1"
    graph unset.gpr 'x type:A' 'x del:n v' 'v int:'
    same "$(counts g.gps)" "7 7 4"
    graph types.gty 'a type:A' 'k type:C' 'k sub: a' 'b type:B' 'a out=0..1:e b' 'k e b' 'a n i' 'i int:'
    refuses "two kinds of edges 'e' fit the same edge" explore g.gps
    graph types.gty 'a type:A' 'k type:C' 'k sub: a' 'b type:B' 'a e b' 'a in=1:n i' 'i int:'
    refuses "its incoming edges can have no lower bound" explore g.gps
}

@test "parts that contain each other in a cycle" {
    properties 'typeGraph=types' 'checkIsomorphism=false'
    graph start.gst 'a type:A' 'b type:A'
    graph own.gpr 'x type:A' 'y type:A' 'x not:= y' 'x cnew:has y'
    graph types.gty 'a type:A' 'a has a'
    same "$(counts g.gps)" "4 4 1"
    graph free.gpr 'x type:A' 'y type:A' 'x del:has y'
    same "$(counts g.gps)" "4 8 0"
    graph types.gty 'a type:A' 'a part:has a'
    same "$(counts g.gps)" "4 6 1"
    graph start.gst 'a type:A' 'a has a'
    refuses "parts contain each other in a cycle" explore g.gps
}

@test "remarks, empty labels, subdirectories, latin-1" {
    mkdir g.gps/sub
    graph start.gst 'a A' 'a rem:whatever b' 'c rem:' 'c e a' 'a'
    graph sub/r.gpr 'n A' 'n new:x' 'n not:x' 'other not:' 'other e n' 'note rem:' 'note text' 'note about n'
    same "$(counts g.gps)" "2 1 1"
    mv g.gps/start.gst g.gps/sub/begin.gst
    printf 'startGraph=sub.begin\nremark=caf\xe9\\\n  goes on\n' > g.gps/system.properties
    same "$(counts g.gps)" "2 1 1"
    same "$(counts g.gps/sub/begin.gst)" "2 1 1"
}

@test "control" {
    graph start.gst 'a A' 'b A'
    graph mark.gpr 'n A' 'n not:done' 'n new:done'
    graph wipe.gpr 'n A' 'n del:done'
    echo 'controlProgram=main' >> g.gps/system.properties
    echo 'mark; wipe;' > g.gps/main.gcp
    same "$(counts g.gps --isomorphism on | cut -d' ' -f1)" 3
    echo 'mark; wpie;' > g.gps/main.gcp
    refuses "wpie" explore g.gps
    contains "$stderr" "main.gcp:1:7"
}

@test "what is wrong is shown where it is" {
    graph start.gst 'a A'
    graph r.gpr 'n A' 'n nw:x'
    refuses "'nw:' is not a prefix of a label" explore g.gps
    contains "$stderr" "g.gps/r.gpr:6:50: error"
    contains "$stderr" "did you mean 'new:'?"
    graph r.gpr 'n A' 'n new:a|b'
    refuses "a path can be neither created nor deleted" explore g.gps
    graph r.gpr 'n A' 'n a|'
    refuses "the expression ends here" explore g.gps
    graph r.gpr 'n A' 'x forall:' 'y forall:' 'x in y' 'y in x'
    refuses "in a cycle" explore g.gps
    graph r.gpr 'n A' 'n del:' 'm new:' 'n e m'
    refuses "an edge connects a node that is deleted with one that is new" explore g.gps
    graph r.gpr 'n A' 'p prod:' 'p arg:0 i' 'i int:' 'p int:ad j' 'j int:'
    refuses "the operator 'ad' is not known" explore g.gps
    graph r.gpr 'n A' '@n test:x &lt;'
    refuses "a value, the name of a field or an operator is expected here" explore g.gps
    printf '<gxl><graph><node id="a"/></graph>' > g.gps/r.gpr
    refuses "not well-formed XML" explore g.gps
}

@test "what is missing is named, with a hint" {
    graph start.gst 'a A'
    refuses "there is no start graph 'strat'" explore g.gps --start strat
    contains "$stderr" "did you mean 'start'?"
    echo 'startGraph=begin' > g.gps/system.properties
    refuses "there is no start graph 'begin'" explore g.gps
    contains "$stderr" "system.properties:1:12"
    echo 'grammarVersion=3.11' > g.gps/system.properties
    refuses "the grammar names no start graph" explore g.gps
    echo 'grammarVersion=3.0' > g.gps/system.properties
    same "$(counts g.gps)" "1 0 1"
    refuses "isomorphism is 'on' or 'off'" explore g.gps --isomorphism maybe
    refuses "cannot open the directory" explore nothing.gps
}

@test "what is not supported is refused by name" {
    graph start.gst 'a A'
    try() { # PROPERTY
        printf 'startGraph=start\n%s\n' "$1" > g.gps/system.properties
        refuses "$1 is not supported" explore g.gps
        contains "$stderr" "system.properties:2:"
    }
    for property in parallelEdges=SPO algebraFamily=point typePolicy=remove deadlockPolicy=error prolog=p actionPolicy=r:off; do
        try "$property"
    done
    echo 'startGraf=start' > g.gps/system.properties
    refuses "the property 'startGraf' is not known" explore g.gps
    contains "$stderr" "did you mean 'startGraph'?"
    echo 'startGraph=start' > g.gps/system.properties
    graph r.gpr 'n A' 'n user:f'
    refuses "'user:': values and operations in Java are not supported" explore g.gps
    graph r.gpr -matchFilter=f 'n A'
    refuses "the property 'matchFilter' of a rule is not supported" explore g.gps
    graph r.gpr -actionRole=forbidden 'n A'
    refuses "actionRole 'forbidden' is not supported" explore g.gps
    rm g.gps/r.gpr
    graph start.gst 'a mult=3:A'
    refuses "'mult=': graphs are simple here" explore g.gps
    contains "$stderr" "parallelEdges=DPO"
}

@test "parallel edges: equal edges are several, each read, deleted and created by itself" {
    printf 'startGraph=start\nparallelEdges=DPO\n' > g.gps/system.properties
    graph start.gst 'a mult=3:c'
    graph take.gpr 'n del:c'
    same "$(counts g.gps)" "4 6 1"
    same "$(counts g.gps --isomorphism off)" "8 12 1"
    graph start.gst 'a c' 'a c'
    same "$(counts g.gps --isomorphism off)" "4 4 1"
    graph take.gpr 'n del:c' 'n new:d'
    same "$(counts g.gps)" "3 3 1"
    graph pair.gpr 'n del:d' 'n d' # what is deleted is not read elsewhere
    same "$(counts g.gps)" "4 5 1"
    rm g.gps/pair.gpr
    graph take.gpr 'n del:c' 'n del:c'
    same "$(counts g.gps)" "2 2 1"
    graph start.gst 'a c'
    same "$(counts g.gps)" "1 0 1"
}

@test "parallel edges: no edge is taken for a node, none is left dangling, nor is a node that stays deleted" {
    printf 'startGraph=start\nparallelEdges=DPO\n' > g.gps/system.properties
    graph start.gst 'a c b'
    graph mark.gpr 'n not:flag:m' 'n new:flag:m'
    same "$(counts g.gps)" "4 4 1"
    graph mark.gpr 'n del:'
    same "$(counts g.gps)" "1 0 1"
    graph start.gst 'a c b' 'd'
    same "$(counts g.gps)" "2 1 1"
    graph start.gst 'd D'
    graph mark.gpr 'n del:' 'n del:D' 'm'
    same "$(counts g.gps)" "1 0 1"
    graph start.gst 'd D' 'e'
    same "$(counts g.gps)" "2 1 1"
}

@test "parallel edges: wildcards, paths, embargoes and injective rules see edges, not how they are kept" {
    printf 'startGraph=start\nparallelEdges=DPO\n' > g.gps/system.properties
    graph start.gst 'a mult=2:x b' 'b y c'
    graph r.gpr 'p x.y q' 'p not:done' 'p new:done'
    same "$(counts g.gps)" "2 1 1"
    graph r.gpr 'q -y.-x p' 'p not:done' 'p new:done'
    same "$(counts g.gps)" "2 1 1"
    graph r.gpr 'p ?.?.? q' 'p new:done'
    same "$(counts g.gps)" "1 0 1"
    graph r.gpr 'p del:? q'
    same "$(counts g.gps)" "6 9 1"
    graph r.gpr 'p not:x q' 'p not:done q' 'p y q' 'p new:done q'
    same "$(counts g.gps)" "2 1 1"
    graph r.gpr -injective=true 'p x q' 'p ? q' 'p not:done' 'p new:done'
    graph start.gst 'a x b'
    same "$(counts g.gps)" "2 1 1"
    graph r.gpr 'p del:x q' 'q x* s'
    refuses "regular expressions in a rule that deletes are not supported with parallelEdges=DPO" explore g.gps
    graph r.gpr 'all forall:' 'p at all' 'p del:f'
    refuses "quantifiers in a rule that deletes are not supported with parallelEdges=DPO" explore g.gps
    rm g.gps/r.gpr
    refuses "a grammar with parallel edges cannot be written" convert g.gps out.gg
}

@test "parallel edges: what is merged keeps all its edges" {
    printf 'startGraph=start\nparallelEdges=DPO\n' > g.gps/system.properties
    graph start.gst 'a x b' 'a x c'
    graph fold.gpr 'p x q' 'p x r' 'q != r' 'q new:= r'
    graph two.gpr 'p x q' 'p del:x q'
    same "$(counts g.gps)" "3 4 1"
}

@test "parallel edges are held against the type graph" {
    printf 'startGraph=start\ntypeGraph=types\nparallelEdges=DPO\n' > g.gps/system.properties
    graph types.gty 'b type:B' 'b e b'
    graph start.gst 'm type:B' 'm mult=2:f m'
    refuses "the type graph has no edge 'f' between these types" explore g.gps
    graph start.gst 'm type:B' 'm mult=2:e m'
    graph r.gpr 'n type:B' 'n del:e n'
    same "$(counts g.gps)" "3 3 1"
}
