#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The documentation shows real output, and scripts/docs would notice if it did not.

load helpers

# A repository with one page: the arguments are the lines of a fenced block.
page() {
    mkdir -p scripts examples
    cp "$repository/scripts/docs" scripts
    printf '%s\n' 'Before.' '' '```' "$@" '```' > README.md
    "$program" generate philosophers 2 -o examples/two.pnml
}

documented() {
    run "-$1" scripts/docs "${@:2}" "$program"
}

explore='$ build/portolan explore examples/two.pnml | grep covered'
covered='covered    6 states, 8 transitions, 6 fully expanded, 1 deadlock'

@test "every output in the documentation is real" {
    run "$repository/scripts/docs" "$program"
    echo "$output"
    [ "$status" = 0 ]
}

@test "what is real passes, whatever its time and memory" {
    page "$explore" "$covered" '$ build/portolan explore examples/two.pnml' 'model      examples/two.pnml' \
        'search     reduction none, proviso none, bfs' "$covered" 'cost       77.12 s, 3.1 GB'
    documented 0
    same "$output" "documented outputs: 2, all real"
}

@test "a wrong line, one too many and one too few are found" {
    page "$explore" "${covered/6 states/7 states}" "$explore" "$covered" 'more' "$explore"
    documented 1
    contains "$output" "README.md:5: '${covered/6 states/7 states}' is documented, '$covered' is real"
    contains "$output" "README.md:8: 'more' is documented, nothing more is real"
    contains "$output" "README.md:10: nothing more is documented, '$covered' is real"
}

@test "three dots stand for any lines, but not for those after them" {
    page '$ build/portolan explore examples/two.pnml' 'model      examples/two.pnml' '...' 'cost       0.00 s, 1.0 kB'
    documented 0
    page '$ build/portolan explore examples/two.pnml' '...' "${covered/8/9}" '...'
    documented 1
    contains "$output" "README.md:6: "
    page '$ build/portolan explore examples/two.pnml' '...' "$covered"
    documented 1
}

@test "update mends the page and changes nothing else" {
    page '$ build/portolan explore examples/two.pnml' '...' "${covered/8/9}" 'cost       77.12 s, 3.1 GB' '$ other' 'kept'
    sed "s/9 transitions/8 transitions/" README.md > wanted
    documented 0 --update
    diff <(sed 's/^cost.*//' wanted) <(sed 's/^cost.*//' README.md)
    documented 0
}

@test "other commands and blocks that opt out are not run" {
    page '$ echo one' 'two' "$explore" "$covered"
    printf '%s\n' '<!-- not run -->' '```' "$explore" 'wrong' '```' >> README.md
    documented 0
    same "$output" "documented outputs: 1, all real"
}

@test "commands of a page see what those before them wrote, and nothing is left behind" {
    page '$ build/portolan generate philosophers 2 -o build/net.pnml' \
        '$ build/portolan explore build/net.pnml | grep covered' "$covered"
    documented 0
    [ ! -e build ]
}

@test "a repository without a documented command is an error" {
    page 'nothing to run'
    run scripts/docs "$program"
    [ "$status" != 0 ]
    contains "$output" "no page has a command"
}

@test "numbers in prose are checked by the comment beside them" {
    page "$explore" "$covered"
    printf '%s\n' '' 'Two philosophers have 6 states and 1,008 transitions.' \
        '<!-- check: build/portolan explore examples/two.pnml => 6 states -->' >> README.md
    documented 0
    contains "$output" "documented outputs: 2, all real"
    sed -i 's/have 6 states/have 7 states/' README.md
    documented 1
    contains "$output" "6 is checked, but not in the paragraph"
    sed -i 's/have 7 states/have 7 states/; s/=> 6 states/=> 7 states/' README.md
    documented 1
    contains "$output" "'7 states' is claimed, but 'build/portolan explore examples/two.pnml' does not print it"
    sed -i 's/=> 7 states/=> 1,008 transitions/' README.md
    documented 1
}

@test "the pages make a site in which every link leads somewhere" {
    run -0 "$repository/scripts/site" site
    contains "$output" "pages in site/index.html"
    contains "$(< site/index.html)" "Partial-order reduction in one minute"
    contains "$(< site/search.html)" '"address": "provisos.html#'
}

@test "a page with a link that leads nowhere is found" {
    cp -r "$repository/docs" "$repository/README.md" "$repository/CONTRIBUTING.md" "$repository/CHANGELOG.md" "$repository/LICENSE" .
    mkdir scripts bench
    cp "$repository/scripts/site" scripts
    cp "$repository/bench/README.md" bench
    cp -r "$repository/examples" "$repository/include" .
    scripts/site site
    echo '[nowhere](provisos.md#no-such-section)' >> docs/tutorial.md
    run -1 scripts/site site
    contains "$output" "tutorial.html: provisos.html#no-such-section: there is no such section"
}

@test "the version has a dated section of changes, and the packages have the same one" {
    version=$(sed -n 's/^#define PORTOLAN_VERSION "\(.*\)"/\1/p' "$repository/include/portolan/portolan.h")
    grep -qE "^## \[$version\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" "$repository/CHANGELOG.md"
    [[ $(head -1 "$repository/debian/changelog") == "portolan ($version) "* ]]
    grep -q "\"version\": \"$version\"" "$repository/editors/vscode/package.json"
}
