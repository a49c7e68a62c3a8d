#!/bin/sh
# Remakes the networks of the bundled problems with the program's own commands,
# in a few minutes on two cores. Widths are the paper's (Table 1); data are
# 200,000 transitions from uniformly drawn legal states. Each network must come
# out without an error on any legal row.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/fdplan" ../cmd/fdplan

network() { # PROBLEM HIDDEN THRESHOLD RATE EPOCHS SEED
    "$work/fdplan" collect "$1" --policy restart -n 200000 --seed 1 -o "$work/data.parquet"
    "$work/fdplan" train "$work/data.parquet" --task "$1" --hidden "$2" --threshold "$3" --rate "$4" --epochs "$5" \
        --seed "$6" -o "problems/$1/network.bnn"
    "$work/fdplan" test "problems/$1/network.bnn" --task "$1"
}

network navigation/3x3 36,36 0.7 0.003 1000 2
network navigation/4x4 96,96 0.7 0.003 1000 1
network navigation/5x5 128,128 0.7 0.003 1000 1
network inventory/2 96,96 0.7 0.003 1000 1
network inventory/4 128,128 0.7 0.003 1000 1
network sysadmin/4 128,128 0.8 0.003 500 0
network sysadmin/5 128,128,128 0.8 0.003 500 1
network cellda/x 128,128 0.8 0.01 3000 1
network cellda/y 128,128 0.8 0.01 3000 1
