#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Syntax files know the words of the languages, and the problem matcher our errors.

load helpers

vscode=$repository/editors/vscode

# Each word on standard input is one of the syntax file for Vim and of the grammar of the language $1.
knows_words() {
    local patterns
    patterns=$(jq -r '.patterns[].match // empty' "$vscode/syntaxes/$1.tmLanguage.json")
    while read -r word; do
        grep -qE "^syn keyword .* $word( |\$)" "$repository/editors/vim/syntax/portolan$1.vim" || { echo "Vim: $word"; return 1; }
        grep -qE "[(|]$word[)|]" <<< "$patterns" || { echo "VS Code: $word"; return 1; }
    done
}

@test "every reserved word of thread programs is known" {
    sed -n '/^const char \*const threads_reserved/,/NULL}/p' "$repository/src/front/threads/parser.c" |
        grep -oE '"[a-z_]+"' | tr -d '"' | knows_words dl
}

@test "the words that examples of protocols and grammars begin their lines with are known" {
    cat "$repository"/examples/protocols/*.mp | grep -oE '^ *(rule|process|byzantine|send|var|let|if|invariant|final|message|type|const|channels|crashes|assert|add|remove|clear|may)\b' |
        tr -d ' ' | sort -u | knows_words mp
    cat "$repository"/examples/graphs/*.gg | grep -oE '^ *(grammar|graph|rule|types|control|abstract|not|let|start)\b' |
        tr -d ' ' | sort -u | knows_words gg
}

@test "the extension names files that are there" {
    for file in $(jq -r '.contributes | .grammars[].path, .languages[].configuration' "$vscode/package.json"); do
        jq empty "$vscode/$file"
    done
}

@test "the problem matcher finds file, line, column and message of an error" {
    echo 'process P { rule r { x = 1 } }' > wrong.mp
    portolan 2 check wrong.mp
    local pattern
    pattern=$(jq -r '.contributes.problemMatchers[0].pattern.regexp' "$vscode/package.json")
    run -0 python3 -c 'import re, sys; m = re.match(sys.argv[1], sys.argv[2]); print(*m.groups()[:4])' "$pattern" "${stderr%%$'\n'*}"
    same "$output" "wrong.mp 1 22 error"
}
