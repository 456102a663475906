#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --perfetto: traces that say what the rows say, when they say it.
# shellcheck disable=SC2154 # what try sets
load helper

# counters FILE: process, track, unit, timestamp and value of each, in the order of time
# (jq 1.7 shows a number as it was written, unless it was computed)
counters() {
	jq -r '(map(select(.name == "process_name") | { (.pid | tostring): .args.name }) | add) as $names |
		map(select(.ph == "C")) | sort_by(.ts)[] |
		[$names[.pid | tostring], .name, (.args | keys[0]), .ts, .args[]] |
		map((numbers | . + 0) // .) | @tsv' "$1"
}

# begun AT FILE: a recording of tests/data as if it were made then
begun() {
	sed "1s/\"tdstat\":1,/&$1,/" "$data/$2.jsonl"
}

# mark FILE KEY: what the beginning says
mark() {
	jq -r --arg key "$2" '.[] | select(.name == "counting begins").args[$key] | (numbers | . + 0) // .' "$1"
}

@test "the values of -j, each at the beginning of its interval" {
	"$TDSTAT" report "$data/alderlake.jsonl" -l 2 --perfetto trace.json >out
	[ ! -s out ]
	"$TDSTAT" report "$data/alderlake.jsonl" -l 2 --perfetto - | diff trace.json -
	[ ! -e - ]
	# independent of the trace: the rows, moved by one
	"$TDSTAT" report "$data/alderlake.jsonl" -l 2 -j | jq -rs '
		([0] + (map(.time) | unique)) as $times |
		.[] | .time as $to | select(.value != null) |
		["tdstat " + .pmu, .metric, .unit,
		 ($times[($times | index($to)) - 1] * 1e6 | round), .value] | @tsv' | sort >want
	counters trace.json | grep -v 'NaN$' |
		awk -F '\t' -v OFS='\t' '{ $4 = sprintf("%.0f", $4); print }' | sort >got
	[ "$(wc -l <got)" -ge 60 ]
	diff want got
	# and all of them end with the last
	ends=$("$TDSTAT" report "$data/alderlake.jsonl" -j | jq -s 'map(.time) | max * 1e6 | round')
	counters trace.json | grep 'NaN$' | cut -f4 | awk '{ printf "%.0f\n", $1 }' | sort -u >got
	assert_same "$ends" "$(cat got)"
	assert_same "$(cut -f1,2 want | sort -u | wc -l)" "$(counters trace.json | grep -c 'NaN$')"
}

@test "an interval without counts: no value of the one before" {
	# in the second interval, no event ran on the first PMU
	jq -c 'if .time != null and .counts and .time > 1.5 and .time < 2.5
		then .counts |= map(if .[1] < 16 then .[3] = 0 | .[5] = 0 else . end) else . end' \
		"$data/alderlake.jsonl" >gap.jsonl
	run ! cmp -s gap.jsonl "$data/alderlake.jsonl"
	"$TDSTAT" report gap.jsonl -j | jq -rs 'map(select(.time > 1.5 and .time < 2.5 and .value == null) |
		.pmu + " " + .metric) | sort[]' >want
	[ -s want ]
	"$TDSTAT" report gap.jsonl --perfetto trace.json
	counters trace.json | awk -F '\t' '$4 > 0.5e6 && $4 < 1.5e6 && $5 == "NaN" { sub("tdstat ", ""); print $1, $2 }' |
		sort >got
	diff want got
	# the slice names them, and lasts as long
	jq -r '(map(select(.name == "process_name") | { (.pid | tostring): .args.name[7:] }) | add) as $names |
		.[] | select(.ph == "X") | select(.dur > 0.5e6 and .dur < 1.5e6) |
		"\($names[.pid | tostring]) \(.args | keys[])"' trace.json | sort >got
	diff want got
}

@test "the clock: of tracers, of the wall, none; and nonsense is none" {
	begun '"start":1795425011.123,"monotonic":100.5,"boottime":700.25' alderlake >both.jsonl
	"$TDSTAT" report both.jsonl --perfetto t.json
	assert_same 'CLOCK_MONOTONIC 100.5 700.25 1795425011.123' \
		"$(mark t.json clock) $(mark t.json monotonic) $(mark t.json boottime) $(mark t.json realtime)"
	assert_same 100500000 "$(counters t.json | head -n 1 | cut -f4)"
	begun '"start":1795425011.123' alderlake >wall.jsonl
	"$TDSTAT" report wall.jsonl --perfetto t.json
	assert_same 'CLOCK_REALTIME null' "$(mark t.json clock) $(mark t.json monotonic)"
	assert_same 1795425011123000 "$(counters t.json | head -n 1 | cut -f4)"
	"$TDSTAT" report "$data/alderlake.jsonl" --perfetto t.json
	assert_same 'since the start 0' "$(mark t.json clock) $(counters t.json | head -n 1 | cut -f4)"
	for bad in -5 '"now"' null 1e300; do
		begun "\"monotonic\":$bad,\"boottime\":$bad" alderlake >bad.jsonl
		"$TDSTAT" report bad.jsonl --perfetto t.json
		assert_same 'since the start' "$(mark t.json clock)"
	done
}

@test "a file of perf stat: its events, from 0 on" {
	"$TDSTAT" report "$data/perf-6.1-interval.jsonl" --no-tree --perfetto t.json
	want=$(grep '^{' "$data/perf-6.1-interval.jsonl" |
		jq -r 'select(.event == "context-switches") | .["counter-value"] | tonumber + 0')
	assert_same "$want" "$(counters t.json | awk -F '\t' '$2 == "context-switches" && $5 != "NaN" { print $5 }')"
	assert_same 'count 0' "$(counters t.json | awk -F '\t' '$2 == "context-switches" { print $3, $4; exit }')"
}

@test "a trace that was cut off: all its whole lines are events" {
	"$TDSTAT" report "$data/alderlake.jsonl" --perfetto t.json
	assert_same '[' "$(head -c 1 t.json)"
	head -c "$(($(wc -c <t.json) / 2))" t.json | sed '$d' >half
	[ "$(wc -l <half)" -ge 10 ]
	{ cat half && echo ']'; } | jq -e 'all(.ph)' >/dev/null
}

@test "what excludes it" {
	refuses() {
		try "$TDSTAT" "${@:2}"
		assert_failure 64
		assert_regex "${stderr_lines[0]}" "$1"
		[ ! -e x ]
	}
	refuses '--perfetto needs -I' -a --perfetto x
	refuses '^tdstat: -o and --perfetto exclude each other' -a -I 1s -o y --perfetto x
	refuses '^tdstat: -o and --perfetto exclude each other' -a -I 1s --perfetto x -o y
	refuses '--perfetto and --log-fd exclude' -a -I 1s --perfetto x --log-fd 1
	refuses '--perfetto and --append exclude' -a -I 1s --perfetto x --append
	refuses '^tdstat: -j and --perfetto exclude' -a -I 1s --perfetto x -j
	refuses '--verdict and --perfetto exclude' -a -I 1s --summary --perfetto x --verdict
	refuses '--perfetto: an empty name' -a -I 1s --perfetto ''
	refuses 'so --locate and --profile exclude it' report --locate --perfetto x "$data/alderlake.jsonl"
	refuses 'diff.*--perfetto' diff --perfetto x a b
	try "$TDSTAT" report --perfetto x "$data/alderlake-command.jsonl"
	assert_failure 1
	assert_complains 'alderlake-command.jsonl was recorded without -I$'
	cp "$data/alderlake.jsonl" rec.jsonl
	try "$TDSTAT" report --perfetto rec.jsonl rec.jsonl
	assert_failure 64
	cmp rec.jsonl "$data/alderlake.jsonl"
}

@test "a live run: the busy interval is when the command says so" {
	needs_software_events
	cat >busy.py <<-'EOF'
		import time
		def now(): return time.clock_gettime(time.CLOCK_MONOTONIC) * 1e6
		ready = now()
		time.sleep(0.5)
		begin, cpu = now(), time.process_time()
		while time.process_time() < cpu + 0.3: pass
		end = now()
		time.sleep(0.5)
		print(ready, begin, end, now())
	EOF
	"$TDSTAT" -I 100 -e cpu-clock --perfetto t.json -- python3 busy.py >said
	read -r ready begin end over <said
	# 300 ms of CPU in the intervals that touch the busy time, next to none in those of the two
	# sleeps; what the interpreter's own start takes is in neither
	counters t.json | awk -F '\t' -v ready="$ready" -v begin="$begin" -v end="$end" -v over="$over" '
		NR > 1 { # NaN: it did not run
			if (from < end && $4 > begin) busy += last
			else if ((from > ready && $4 < begin) || (from > end && $4 < over)) { asleep += last; sleeps++ }
		}
		{ from = $4; last = $5 == "NaN" ? 0 : $5 }
		END { print busy, asleep, sleeps; exit !(busy > 270 && sleeps && asleep < 30) }'
}

@test "a live recording keeps the clock" {
	needs_software_events
	now() { python3 -c 'import time; print(time.clock_gettime(time.CLOCK_MONOTONIC))'; }
	before=$(now)
	"$TDSTAT" record --quiet -I 100 -e cpu-clock -o r.jsonl -- sleep 0.15
	after=$(now)
	head -n 1 r.jsonl | jq -e --argjson a "$before" --argjson b "$after" \
		'.monotonic > $a and .monotonic < $b - 0.15 and .boottime >= .monotonic'
	"$TDSTAT" report r.jsonl --perfetto t.json
	assert_same "$(head -n 1 r.jsonl | jq '.monotonic * 1e6 | round')" "$(counters t.json | head -n 1 | cut -f4 | awk '{ printf "%.0f", $1 }')"
}

@test "ftrace: its mono clock is that of the trace" {
	needs_software_events
	ftrace=/sys/kernel/tracing/instances/tdstat-test.$$
	mkdir "$ftrace" 2>/dev/null || skip "no instance of ftrace for us"
	echo mono >"$ftrace/trace_clock"
	"$TDSTAT" -I 50 -e cpu-clock --perfetto t.json -- sh -c "sleep 0.2; echo here >$ftrace/trace_marker; sleep 0.1"
	cat "$ftrace/trace" >text
	rmdir "$ftrace"
	# 0.2 s after the start, and 0.1 s before the end, or more if the machine is slow
	at=$(sed -n 's/.* \([0-9]*\)\.\([0-9]*\): tracing_mark_write: here/\1\2/p' text)
	jq -e --argjson at "$at" '
		(.[] | select(.name == "counting begins").ts) as $from |
		(map(select(.ph == "C").ts) | max) as $to |
		$at >= $from + 200000 and $at <= $to - 100000' t.json
	# the example of the manual: one file for both
	jq -n --slurpfile a t.json --rawfile b text '{traceEvents: $a[0], systemTraceEvents: $b}' |
		jq -e '(.traceEvents | length > 5) and (.systemTraceEvents | contains("here"))'
}
