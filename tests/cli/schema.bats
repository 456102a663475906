#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Each line of JSON that tdstat writes is one that rows.schema.json has; those of
# regions, profiles and samples are also in the suites of these.

# shellcheck disable=SC2086,SC2154 # lists of options; helper.bash
load helper

schema=$BATS_TEST_DIRNAME/../../cmd/out/rows.schema.json

# kinds FILE...: those that its lines are of, in their order
kinds() {
	in_schema "$@" >seen || fail "not in the schema"
	cut -d' ' -f1 seen | xargs
}

@test "recordings: trees, verdicts, intervals, errors, ids, bottlenecks" {
	for recording in "$data"/*.jsonl "$data"/manual/*.jsonl; do
		for how in '' '-A' '-l 6 --all --error' '--summary' '--verdict --summary' '--bottlenecks' '--hybrid-merge' \
			'--per-core' '--time-format wall' '--per-thread' '--total'; do
			# some have no threads, no intervals, no tree: the rest is written
			"$TDSTAT" report $how -j "$recording" >>rows 2>said || true
		done
	done
	assert_equal "$(kinds rows)" "event head metric verdict_line"
	[ "$(sed -n 's/^metric //p' seen)" -gt 2000 ]
	# what the schema allows to be missing is not missing everywhere
	for key in low too_short misfit why summary cpu core comm tid others; do
		grep -q "\"$key\":" rows || fail "no $key"
	done
}

@test "a tree on general counters" {
	saved sapphirerapids
	"$TDSTAT" --dry-run -a -l 2 --no-perf-metrics 2>/dev/null | python3 "$here/metrics.py" record - >recording.jsonl
	"$TDSTAT" report -l 2 -j recording.jsonl >rows
	assert_equal "$(kinds rows)" "head metric"
	grep -q '"general_counters":true' rows
	run ! grep -F '"metric"' <(grep -v '"general_counters":true' rows)
}

@test "live: a tree, intervals, means, threads, metrics without values" {
	needs_software_events
	for how in '' '--verdict' '-I 20' '-I 20 --time-format epoch --summary' '-r 2' '--per-thread' '-M tma_retiring' '--error'; do
		"$TDSTAT" $how -j -o one -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ls / >/dev/null; done'
		cat one >>rows
	done
	kinds rows >got
	grep -qw 'head metric' got
	grep -q '"kind":"mean".*\|"runs_error":' rows
}

@test "events: alone, in intervals, as means, of ids, without a value" {
	real -a
	for how in '' '-I 20' '-r 3' '--per-thread' '-a -A' '-a --per-core' '-a --per-socket -I 50' '--metric-only'; do
		"$TDSTAT" -e task-clock,page-faults $how -j -o one -- sleep 0.1
		cat one >>rows
	done
	assert_equal "$(kinds rows)" "event head metric"
	for recording in "$data"/perf-6.1*{core,default,interval,repeat,socket,thread}*; do
		"$TDSTAT" report "$recording" --no-tree -j >>rows 2>said
	done
	kinds rows
}

@test "diff: of recordings, of several, of events, of threads" {
	for sides in 'alderlake alderlake-2' 'sapphirerapids-2 icelakex-2' 'zen4 zen4'; do
		"$TDSTAT" diff "$data/${sides% *}.jsonl" "$data/${sides#* }.jsonl" -j >>rows 2>said
	done
	{
		"$TDSTAT" diff -j "$data"/alderlake{,-2}.jsonl -- "$data"/alderlake{-2,}.jsonl
		"$TDSTAT" diff -j "$data"/manual/xz-events.jsonl "$data"/manual/xz-events.jsonl
		"$TDSTAT" diff -j --per-thread "$data"/manual/threads.jsonl "$data"/manual/threads.jsonl
	} >>rows 2>said
	assert_equal "$(kinds rows)" "difference head"
	for kind in time ipc metric event; do
		grep -q "\"kind\":\"$kind\"" rows || [ $kind = ipc ] || fail "no $kind"
	done
}

@test "locate: functions, with their lines and callers" {
	needs_software_events
	"$TDSTAT" locate -e cpu-clock -F 5000 -v --callers -j -o rows -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ls / >/dev/null; done' 2>said
	assert_equal "$(kinds rows)" "function head"
	grep -q '"callers":\[{' rows
}

@test "what is not in the schema is refused, and so is what is no JSON" {
	"$TDSTAT" report "$data/alderlake.jsonl" -j | head -n 2 >good
	in_schema good
	for change in '2s/"unit"/"units"/' '2s/"level":1/"level":"1"/' '2s/"running":[0-9.]*/"running":-1/' '1s/:1,/:2,/' \
		'2s/"kind":"interval"/"kind":"spread"/' '2s/"value":[0-9.]*/"value":NaN/' '2s/}$/,"new":1}/' '1s/"labels":{}/"labels":{"a":1}/'; do
		sed "$change" good >bad
		cmp -s good bad && fail "$change changes nothing"
		run in_schema bad
		[ "$status" -eq 1 ] || fail "$change"
	done
	sed 's/"type": "object",/"type": "object", "minProperties": 1,/' "$schema" >other
	run python3 "$here/schema.py" other good
	[ "$status" -eq 1 ]
}

@test "each key of the schema is in tdstat-output(5)" {
	command jq -r '."$defs"[] | .properties // {} | keys[]' "$schema" | sort -u >keys
	[ "$(wc -l <keys)" -gt 90 ]
	sed -n '/^\.It \|^\.Cm /p' "$here/../../man/tdstat-output.5" | tr -s ' ,' '\n' | sort -u >named
	assert_equal "$(comm -23 keys named | xargs)" ''
}

@test "make install installs it where the page says" {
	make -C "$here/../.." --no-print-directory -n -o all install DESTDIR=/dest prefix=/usr >installed 2>&1
	grep -q '/dest/usr/share/tdstat cmd/out/rows.schema.json' installed
	grep -qx '.Pa share/tdstat/rows.schema.json ,' "$here/../../man/tdstat-output.5"
}
