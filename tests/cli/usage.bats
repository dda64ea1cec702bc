#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How the program introduces itself, and what it says to a slip of the fingers.

load helpers

commands="check explore compare generate replay simulate serve list ltl certify run debug"

@test "without a command the overview is shown, and the status is that of wrong usage" {
    portolan 2
    contains "$output" "Commands:"
}

@test "help names every command" {
    for word in --help -h help; do
        portolan 0 "$word"
        for command in $commands; do
            contains "$output" "portolan $command"
        done
    done
}

@test "every command has help of its own, by three ways" {
    for command in $commands; do
        portolan 0 "$command" --help
        contains "$output" "Usage: portolan $command"
        contains "$output" "--help"
        local long=$output
        portolan 0 "$command" -h
        same "$output" "$long"
        portolan 0 help "$command"
        same "$output" "$long"
    done
}

@test "the version" {
    portolan 0 --version
    [[ "$output" =~ ^portolan\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    local long=$output
    portolan 0 -V
    same "$output" "$long"
}

@test "the manual pages have every command and option" {
    portolan 0 --manual
    same "${lines[0]%% *}" .TH
    local overview=$output
    for command in $commands; do
        contains "$overview" "portolan\\-$command"
        portolan 0 --manual "$command"
        same "${lines[0]%% *}" .TH
        local manual=${output//\\-/-}
        contains "$manual" "portolan $command"
        portolan 0 "$command" --help
        for option in $(grep -oE '^ +(-., )?--[a-z-]+' <<< "$output" | grep -oE -- '--[a-z-]+'); do
            contains "$manual" "$option"
        done
    done
}

@test "list shows languages, reductions, provisos and searches" {
    portolan 0 list
    for word in pnml none stubborn stack queue safe color color-star scc dfs bfs; do
        contains "$output" "$word"
    done
    refuses "usage: portolan list" list everything
}

@test "an unknown command is answered with the nearest one" {
    refuses "there is no command 'chek'" chek
    contains "$stderr" "hint: did you mean 'portolan check'?"
    refuses "there is no command 'xyzzy'" xyzzy
    contains "$stderr" "hint: 'portolan --help' lists the commands"
    refuses "there is no command 'xyzzy'" help xyzzy
}

@test "an unknown option is answered with the nearest one" {
    family philosophers 2
    refuses "there is no option '--jsn' here" check philosophers.pnml --jsn
    contains "$stderr" "hint: did you mean --json?"
    refuses "there is no option '-x' here" check philosophers.pnml -x
}

@test "an option of another command is unknown here" {
    family philosophers 2
    refuses "--export" check philosophers.pnml --export dot
    refuses "--trace" explore philosophers.pnml --trace t
    refuses "--all" explore philosophers.pnml --all
    refuses "--reduction" compare philosophers.pnml --reduction none
    refuses "--json" generate philosophers 2 --json
    refuses "--quiet" list --quiet
}

@test "wrong numbers of words" {
    refuses "usage: portolan check MODEL" check
    refuses "usage: portolan check MODEL" check one two
    refuses "usage: portolan explore MODEL" explore
    refuses "usage: portolan compare MODEL" compare
    refuses "usage: portolan replay MODEL TRACE" replay one
    contains "$stderr" "hint: see 'portolan replay --help'"
}

@test "an option without its argument, or with one too many" {
    refuses "--time needs TIME" check m.pnml --time
    refuses "--invariant needs EXPR" check m.pnml -i
    refuses "--quiet takes no value" check m.pnml --quiet=yes
    refuses "--deadlock takes no value" check m.pnml --deadlock=no
}

@test "times, sizes and counts that are none" {
    for time in x 0 -1 nan inf 1e999 5x 1mm ''; do
        refuses "--time takes TIME, not '$time'" check m.pnml --time "$time"
    done
    for size in x 0 -1 0.5 5Q ''; do
        refuses "--memory takes SIZE, not '$size'" check m.pnml --memory "$size"
        refuses "--states takes N, not '$size'" check m.pnml --states "$size"
    done
    contains "$stderr" "hint: "
}

@test "times, sizes and counts in their units" {
    family philosophers 2
    for time in 90 1.5 30s 10m 2h 1d; do
        portolan 1 check philosophers.pnml --time $time
    done
    for size in 500000000 500000k 500M 4G 1T 500MB 500MiB; do
        portolan 1 check philosophers.pnml --memory $size
    done
    for count in 1000 10k 10M 1G; do
        portolan 1 check philosophers.pnml --states $count
    done
}

@test "an argument may stand behind '=' or in the next word, short or long" {
    family kanban 8
    for words in "--states 5" "--states=5"; do
        # shellcheck disable=SC2086
        portolan 3 check kanban.pnml --reduction none $words --json
        json_is .stop "state limit"
    done
    portolan 3 check kanban.pnml --reduction=none -t 0.05 --json
    json_is .stop "time limit"
    portolan 3 check kanban.pnml --reduction=none -m 300k --json
    json_is .stop "memory limit"
}

@test "options may come before the model; '--' ends them" {
    family philosophers 2
    portolan 1 check --quiet philosophers.pnml
    mv -- philosophers.pnml --json
    portolan 1 check --quiet -- --json
    contains "$output" "model      --json"
}

@test "every option that the help names is tried by these tests" {
    local missing=""
    for command in $commands; do
        portolan 0 "$command" --help
        for option in $(grep -oE '^ +(-., )?--[a-z-]+' <<< "$output" | grep -oE -- '--[a-z-]+'); do
            grep -qE -- "portolan [0-9] .*$option|refuses .*$option" "$BATS_TEST_DIRNAME"/*.bats || missing+=" $option"
        done
    done
    same "$missing" ""
}

@test "the page of the command line has every command, every option of models and every field of JSON" {
    local page="$repository/docs/command-line.md" missing="" word
    for word in $("$program" --help | awk '/^  portolan/ { print $2 }'); do
        grep -qE "^\| \[?\`$word\b" "$page" || missing+=" $word"
    done
    for command in check explore compare generate replay certify; do
        for word in $("$program" "$command" --help | grep -oE -- '--[a-z-]+' | sort -u); do
            grep -q -- "$word\b" "$page" || missing+=" $command:$word"
        done
    done
    family philosophers 2
    echo 'int x; thread a { x = 1; }' > model.dl
    "$program" check philosophers.pnml --trace trace -q || true
    for words in "check philosophers.pnml --all" "check philosophers.pnml -i true -i false" "explore model.dl --reduction optimal" \
        "compare philosophers.pnml" "replay philosophers.pnml trace"; do
        # shellcheck disable=SC2086
        "$program" $words --json > out.json || true
        for word in $(jq -r '[paths(type != "object" and type != "array") | map(select(type == "string")) | .[]] | unique | .[]' out.json |
            grep -vE '^(fork|thinks|eats|has)_'); do
            grep -qE "\b$word\b" "$page" || missing+=" json:$word"
        done
    done
    same "$missing" ""
}

@test "help fits a terminal of 80 columns" {
    for command in "" $commands cc convert; do
        portolan 0 help $command
        for line in "${lines[@]}"; do
            [ ${#line} -le 80 ] || { echo "${#line} columns: $line"; return 1; }
        done
    done
}

@test "each command has a manual page of its own, and troff takes it" {
    for command in $commands cc convert; do
        portolan 0 --manual "$command"
        contains "$output" "portolan\\-$command"
        local warnings
        warnings=$(groff -man -Tutf8 -ww -z <<< "$output" 2>&1)
        same "$warnings" ""
    done
    refuses "there is no command 'chek'" --manual chek
}

# The words that bash would offer behind the given ones; the last one is what was begun.
offers() {
    bash -c 'source <("$1" --completion bash)
        compopt() { :; } # works within a completion only
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _portolan
        printf "%s\n" "${COMPREPLY[@]}"' bash "$program" "$@"
}

@test "bash completes commands, options, their words and files" {
    touch model.pnml other.pnml
    same "$(offers portolan che)" check
    contains "$(offers portolan check --pro)" --proviso
    same "$(offers portolan check --proviso stack:s)" stack:safety
    contains "$(offers portolan check --reduction '')" lazy
    same "$(offers portolan check --language prom)" promela
    same "$(offers portolan run --races i)" interleave
    same "$(offers portolan check mod)" model.pnml
    same "$(offers portolan check --trace oth)" other.pnml
    same "$(offers portolan check --time '')" ""
}

@test "zsh and fish read what is made for them" {
    portolan 0 --completion zsh
    contains "$output" "#compdef portolan"
    zsh -n <<< "$output"
    "$program" --completion fish > portolan.fish
    same "$(HOME=$PWD fish -c 'source portolan.fish; complete -C "portolan check --proviso stack:s"' | cut -f 1)" stack:safety
    refuses "bash, zsh or fish" --completion csh
}
