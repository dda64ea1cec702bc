#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What may happen to ranks, and takes its time: they are stopped, killed while executions are handed out, or have no
# room on the disk; their files are torn or foreign; limits end them.

load helpers
load ranks

@test "a rank that is stopped is waited for; past the time limit it is not" {
    family kanban 4
    started 2 explore kanban.pnml --distributed --checkpoint kept,0.01 --json >answer &
    appears kept
    stopped=$(last_rank)
    kill -STOP "$stopped"
    sleep 0.5
    kill -CONT "$stopped"
    wait $!
    same "$(jq .states answer)" 454475
    family kanban 6
    started 2 explore kanban.pnml --distributed --time 2 --checkpoint kept,0.01 >answer 2>said &
    appears kept
    stopped=$(last_rank)
    kill -STOP "$stopped"
    if wait $!; then return 1; fi
    contains "$(cat said)" "does not answer"
    lacks "$(cat answer)" "covered"
    kill -KILL "$stopped" 2>/dev/null || true
}

@test "a rank that never begins is not waited for past the time limit" {
    family kanban 4
    printf '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" != "$STOPPED" ] || kill -STOP $$\nexec "$PORTOLAN" "$@"\n' >begin
    chmod +x begin
    for STOPPED in 0 1; do
        export STOPPED
        run -3 timeout 60 mpirun --oversubscribe -n 3 -x STOPPED ./begin explore kanban.pnml --distributed --time 1
        contains "$output" "not all ranks have begun"
        lacks "$output" "covered"
    done
}

@test "a full disk costs the file of ranks, not their search" {
    family kanban 3
    # the ranks alone have no room: mpirun has files of its own
    timeout 120 mpirun --oversubscribe --mca btl tcp,self -n 2 bash -c "trap '' XFSZ; ulimit -f 64; exec \"\$@\"" ranks \
        "$PORTOLAN" explore kanban.pnml --distributed --checkpoint kept,0.001 --json >answer
    same "$(jq .states answer)" 58400
    contains "$(jq -r .checkpoint_trouble answer)" "cannot write 'kept"
    same "$(find . -name 'kept*' | wc -l)" 0
}

@test "a rank that is killed while executions are handed out leaves a checkpoint, too" {
    threads 10 model.dl
    started 2 check model.dl --distributed --reduction optimal --checkpoint kept,0.1 2>said >answer &
    appears kept
    kill -KILL "$(last_rank)"
    if wait $!; then return 1; fi
    lacks "$(cat answer)" "HOLDS"
    contains "$(cat said)" "resume kept' continues from the last checkpoint"
    resumed 3 0 kept --json
    same "$(jq -c '[.executions, .verdict]' <<<"$output")" '[3628800,"holds"]'
}

@test "a checkpoint of ranks that is torn, foreign or lacks a part is refused" {
    family kanban 3
    ranks 2 3 explore kanban.pnml --states 20000 --checkpoint kept
    for part in kept kept.*.0 kept.*.1; do
        cp "$part" whole
        head -c -5 whole >"$part"
        resumed 2 2 kept
        contains "$stderr" "error: "
        rm "$part"
        resumed 2 2 kept
        contains "$stderr" "cannot read"
        mv whole "$part"
    done
    family kanban 2
    resumed 2 2 kept
    contains "$stderr" "belongs to another model"
}

@test "a handed-out search ends at limits and goes on with another number of ranks" {
    threads 11 model.dl
    ranks 2 3 check model.dl --reduction optimal --time 1 --json
    json_is .stop "time limit"
    json_is .verdict unknown
    threads 8 model.dl
    ranks 2 3 check model.dl --reduction optimal --states 20000 --checkpoint kept
    contains "$output" "stopped    state limit"
    contains "$output" "'mpirun -n N portolan resume kept' goes on"
    head -c -5 kept >torn
    resumed 2 2 torn
    resumed 3 0 kept --states 10M --json
    same "$(jq -c '[.executions, .verdict, .stop]' <<<"$output")" '[40320,"holds","complete"]'
    [ ! -e kept ]
}
