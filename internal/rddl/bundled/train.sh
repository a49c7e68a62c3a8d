#!/bin/sh
# Remakes the networks of the bundled problems with the program's own commands,
# in about ten minutes. Widths begin as the paper's (Table 1), and pruning cuts
# what no row needs; data are transitions from uniformly drawn legal states.
# Each network must come out without an error on any legal row.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/fdplan" ../cmd/fdplan

network() { # PROBLEM TRANSITIONS HIDDEN EPOCHS PRUNING-ROUNDS
    "$work/fdplan" collect "$1" --policy restart -n "$2" --seed 1 -o "$work/data.parquet"
    "$work/fdplan" train "$work/data.parquet" --task "$1" --hidden "$3" --epochs "$4" --prune "$5" --seed 0 \
        -o "problems/$1/network.bnn"
    "$work/fdplan" test "problems/$1/network.bnn" --task "$1"
}

network navigation/3x3 200000 36,36 5000 60000
network navigation/4x4 200000 96,96 3000 40000
network navigation/5x5 200000 128,128 3000 30000
network inventory/2 200000 96,96 3000 60000
network inventory/4 200000 128,128 3000 40000
network sysadmin/4 200000 128,128 200 5000
# 26,624 legal rows: with more transitions none of them is missing.
network sysadmin/5 600000 128,128,128 60 1000
network cellda/x 200000 128,128 1500 5000
network cellda/y 200000 128,128 1500 5000
