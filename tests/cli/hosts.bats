#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Recordings of several hosts: each row says its own.

# shellcheck disable=SC2154 # helper.bash
load helper

# of_host NAME RECORDING [START]: NAME.jsonl, as if it were of that host
of_host() {
	jq -c --arg host "$1" --argjson start "${3:-1000}" \
		'if .tdstat then . + {start: $start, host: $host} else . end' "$2"
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	for host in north south; do
		of_host $host "$data/alderlake.jsonl" >$host.jsonl
		of_host $host "$data/alderlake.jsonl" 4600 >$host-2.jsonl
	done
	of_host east "$data/sapphirerapids-2.jsonl" >east.jsonl
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL
	cp "$BATS_FILE_TMPDIR"/*.jsonl .
}

# hosts_of FILE: the hosts of CSV's rows, one for each stretch of rows
hosts_of() {
	awk -F, 'NR > 1 && $(NF - 1) != last { last = $(NF - 1); printf "%s%s", space, last; space = " " }' "$1"
}


# The rows of each host are those of its files alone.
@test "CSV: one header, a column for the host, files in any order of the hosts" {
	"$TDSTAT" report north.jsonl south.jsonl north-2.jsonl south-2.jsonl -x, >out
	for host in north south; do
		"$TDSTAT" report $host.jsonl $host-2.jsonl -x, >$host
	done
	python3 - <<-'PY'
		import csv
		assert sum(line.startswith("time") for line in open("out")) == 1
		for host in "north", "south":
		    alone = list(csv.DictReader(open(host)))
		    rows = [r for r in csv.DictReader(open("out")) if r["host"] == host]
		    assert len(rows) == len(alone) > 10
		    for ours, theirs in zip(rows, alone):
		        assert theirs.pop("host") == "" and ours.pop("host") == host
		        assert ours == theirs, (ours, theirs)
	PY
	assert_equal "$(hosts_of out)" "north south"
}

@test "JSON: each host's header before its rows, and the host in each row and verdict" {
	"$TDSTAT" report south.jsonl north.jsonl east.jsonl -j --verdict >out
	command jq -es '
		(map(select(.tdstat_rows) | .host) == ["south", "north", "east"]) and
		all(.[]; .host or .verdict.host) and
		(map(.host // .verdict.host) | . == sort_by(if . == "south" then 0 elif . == "north" then 1 else 2 end))' out
	# one host: rows as ever
	"$TDSTAT" report south.jsonl south-2.jsonl -j >out
	command jq -es 'all(.[]; .tdstat_rows or (has("host") | not))' out
}

@test "text: a line names each host, printable whatever it is" {
	"$TDSTAT" report north.jsonl east.jsonl >out
	assert_equal "$(grep -c '^# host ' out)" 2
	assert_equal "$(head -n 1 out)" '# host north'
	of_host $'so\e[2Juth' "$data/alderlake.jsonl" >bad.jsonl
	"$TDSTAT" report north.jsonl bad.jsonl >out
	run ! grep $'\e\\[2J' out
	"$TDSTAT" report north.jsonl north-2.jsonl >out
	run ! grep '# host' out
}

@test "a file: begun once, hosts follow each other, and the old content is gone" {
	echo old >out
	"$TDSTAT" report north.jsonl south.jsonl -x, -o out
	"$TDSTAT" report north.jsonl south.jsonl -x, | cmp - out
	"$TDSTAT" report south.jsonl north.jsonl -x, -o out --append
	assert_equal "$(grep -c '^time' out)" 1
	assert_equal "$(hosts_of out)" "north south north"
	"$TDSTAT" report north.jsonl south.jsonl -o out
	assert_equal "$(grep -c '^# started on' out)" 1
	assert_equal "$(grep -c '^# host' out)" 2
}

@test "recordings without -I: one of each host, of a tree or of events" {
	of_host west "$data/alderlake-command.jsonl" >west.jsonl
	of_host far "$data/alderlake-command.jsonl" >far.jsonl
	"$TDSTAT" report west.jsonl far.jsonl -j -l 1 >out
	assert_equal "$(command jq -rs 'map(select(.metric == "tma_retiring") | .host) | unique | join(" ")' out)" "far west"
	needs_software_events
	"$TDSTAT" record -e task-clock -o events -- true 2>said
	for host in west far; do
		of_host $host events >$host.jsonl
	done
	"$TDSTAT" report west.jsonl far.jsonl -j >out
	assert_equal "$(command jq -rs 'map(select(.event) | .host) | join(" ")' out)" "west far"
	try "$TDSTAT" report west.jsonl far.jsonl -x,
	assert_equal "$status" 1
	[[ $stderr == *'west.jsonl of west and far.jsonl of far: rows of events'*'-j has them all'* ]]
}

@test "impossible combinations are refused before any output" {
	needs_wing pictures
	echo old >out
	try "$TDSTAT" report north.jsonl east.jsonl -l 6 -x, -o out
	assert_equal "$status" 1
	[[ $stderr == *'east.jsonl of east has other columns than north.jsonl of north'* ]]
	assert_equal "$(<out)" old
	"$TDSTAT" report north.jsonl east.jsonl -l 1 -x, >rows
	assert_equal "$(grep -c '^time' rows)" 1
	try "$TDSTAT" report north.jsonl south.jsonl --no-host
	assert_equal "$status:$stderr" '64:tdstat: --no-host: the rows of north and south would look alike'
	for form in --html --svg --perfetto; do
		try "$TDSTAT" report north.jsonl south.jsonl $form=page
		assert_equal "$status" 64
		[[ $stderr == *"$form shows one host, and north.jsonl is of north, south.jsonl of south" ]]
		[ ! -e page ]
	done
	# the second host's files do not continue each other
	try "$TDSTAT" report north.jsonl south-2.jsonl south.jsonl -x, -o out
	assert_equal "$status" 1
	[[ $stderr == *'south.jsonl does not continue south-2.jsonl: it began before'* ]]
	assert_equal "$(<out)" old
	try "$TDSTAT" report north.jsonl south.jsonl -o south.jsonl --force
	assert_equal "$status" 64
	[[ $stderr == *'south.jsonl is the recording that is being read'* ]]
}
