#!/bin/sh
# Collects transitions on four workers, of which two are killed at random, as is the
# server, and compares the rows with those of one process. fdplan must be on the PATH.
set -eu
dir=$(mktemp -d)
running=
trap 'for p in $running; do kill -9 "$p" 2>/dev/null || true; done; rm -rf "$dir"' EXIT
start() { "$@" & last=$!; running="$running $last"; }
moment() { sleep "$(awk -v seed="$$$1" 'BEGIN { srand(seed); printf "%.2f", 0.1 + 0.4 * rand() }')"; }

start fdplan broker "$dir/store" --listen 127.0.0.1:0 --max-store 1GiB > "$dir/url"
server=$last
until [ -s "$dir/url" ]; do sleep 0.05; done
url=$(cat "$dir/url")
workers=
for i in 0 1 2 3; do
	start fdplan worker --connect "$url" --slots 1 --lease 2s --quiet --dir "$dir/worker$i" 2> "$dir/worker$i.log"
	workers="$workers $last"
done
echo "a server and 4 workers"

fdplan collect sysadmin/5 -n 400000 --seed 7 --connect "$url" -o "$dir/many.parquet" > "$dir/collect" 2> "$dir/collect.log" &
collect=$!
running="$running $collect"
first=$(awk -v seed="$$" 'BEGIN { srand(seed); print 1 + int(4 * rand()) }')
for k in 0 2; do
	moment "$k"
	kill -9 "$(echo $workers | cut -d' ' -f$(((first + k - 1) % 4 + 1)))"
	echo "killed a worker"
done
moment 3
kill -9 "$server"
sleep 0.3
start fdplan broker "$dir/store" --listen "${url#nats://}" --max-store 1GiB > /dev/null
echo "killed the server and started it again"
wait "$collect" || { cat "$dir/collect.log"; exit 1; }

fdplan collect sysadmin/5 -n 400000 --seed 7 -o "$dir/one.parquet" > /dev/null
cmp "$dir/one.parquet" "$dir/many.parquet"
echo "the rows of the workers are those of one process"
fdplan cluster --connect "$url" | sed -n '1s/.*; \(.*done, .*failed\);.*/\1/p'
