#!/bin/sh
# Runs the paper's recipe for comparison, in about two minutes: 200,000 transitions
# of its exploration policy, one tenth held out, binary weights, rows weighing as
# often as they were seen, no discrete search, and of its grid (widths 36, 96, 128,
# depths 1, 2, 3) the network with the fewest neurons that has less than 3 % of the
# held-out bits wrong. An epoch is one pass over the distinct rows. The networks are
# measured on all rows of the exploration and on all legal rows; nothing is kept.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/fdplan" ../cmd/fdplan

for problem in navigation/3x3 navigation/4x4 navigation/5x5 inventory/2 inventory/4 sysadmin/4 sysadmin/5 cellda/x cellda/y; do
    "$work/fdplan" collect "$problem" --policy exploration -n 200000 --seed 1 -o "$work/data.parquet"
    "$work/fdplan" train "$work/data.parquet" --task "$problem" --weights binary --grid --target-error 0.03 \
        --multiplicity 1 --no-polish --epochs 2000 --seed 0 -o "$work/network.bnn"
    "$work/fdplan" test "$work/network.bnn" "$work/data.parquet" --task "$problem" | grep -E '^(data|all legal rows):'
    # Beside it, the bundled network on the same rows.
    "$work/fdplan" test "problems/$problem/network.bnn" "$work/data.parquet" --task "$problem" | grep -E '^(data|all legal rows):'
done
