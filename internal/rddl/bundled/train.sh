#!/bin/sh
# Remakes the networks of the bundled problems with the program's own commands,
# in about a minute. Data are transitions from uniformly drawn legal states, so
# many that none of the legal rows is missing. Each network must come out without
# an error on any legal row.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/fdplan" ../../../cmd/fdplan

network() { # PROBLEM TRANSITIONS
    "$work/fdplan" collect "$1" --policy restart -n "$2" --seed 1 -o "$work/data.parquet"
    "$work/fdplan" train "$work/data.parquet" --task "$1" --seed 0 -o "problems/$1/network.bnn"
    "$work/fdplan" test "problems/$1/network.bnn" --task "$1"
}

network navigation/3x3 200000
network navigation/4x4 200000
network navigation/5x5 200000
network inventory/2 200000
network inventory/4 200000
network sysadmin/4 200000
network sysadmin/5 600000
network cellda/x 200000
network cellda/y 200000
go generate ../../packed # puts them into the program
