#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Each line of JSON that tdstat writes is one that rows.schema.json has; those of
# regions, profiles and samples are also in the suites of these.

# shellcheck disable=SC2086,SC2154 # lists of options; helper.bash
load helper

schema=$BATS_TEST_DIRNAME/../../cmd/output/rows.schema.json

# kinds FILE...: in $kinds, those that its lines are of, in their order; how many lines
# there are of each is in $nr_of
kinds() {
	local lines line

	try in_schema "$@"
	[ "$status" = 0 ] || fail "not in the schema: $output $stderr"
	kinds='' nr_of=()
	mapfile -t lines <<<"$output"
	for line in "${lines[@]}"; do
		kinds+=${kinds:+ }${line% *}
		nr_of[${line% *}]=${line##* }
	done
}
declare -gA nr_of

@test "recordings: trees, verdicts, intervals, errors, ids, bottlenecks" {
	for recording in "$data"/*.jsonl "$data"/manual/*.jsonl; do
		for how in '' '-A' '-l 6 --all --error' '--summary' '--verdict --summary' '--bottlenecks' '--hybrid-merge' \
			'--per-core' '--time-format wall' '--per-thread' '--total'; do
			# some have no threads, no intervals, no tree: the rest is written
			"$TDSTAT" report $how -j "$recording" >>rows 2>said || true
		done
	done
	kinds rows
	assert_equal "$kinds" "event head metric verdict_line"
	[ "${nr_of[metric]}" -gt 2000 ]
	# optional keys exist in at least one row
	IFS= read -rd '' text <rows || true
	for key in low too_short misfit why summary cpu core comm tid others; do
		[[ $text == *"\"$key\":"* ]] || fail "no $key"
	done
}

@test "a tree on general counters" {
	saved sapphirerapids
	"$TDSTAT" --dry-run -a -l 2 --no-perf-metrics 2>/dev/null | python3 "$here/metrics.py" record - >recording.jsonl
	"$TDSTAT" report -l 2 -j recording.jsonl >rows
	kinds rows
	assert_equal "$kinds" "head metric"
	mapfile -t lines <rows
	for line in "${lines[@]}"; do
		[[ $line != *'"metric"'* || $line == *'"general_counters":true'* ]] || fail "$line"
	done
}

@test "live: a tree, intervals, means, threads, metrics without values" {
	needs_software_events
	for how in '' '--verdict' '-I 20' '-I 20 --time-format epoch --summary' '-r 2' '--per-thread' '-M tma_retiring' '--error'; do
		"$TDSTAT" $how -j -o "rows $how" -- "${BURN[@]}" 30
	done
	kinds rows*
	[[ " $kinds " == *' head metric '* ]]
	has_text 'rows -r 2' '"kind":"mean"|"runs_error":'
}

@test "events: individually, in intervals, as means, per id, without a value" {
	needs_wing import
	real -a
	for how in '' '-I 20' '-r 3' '--per-thread' '-a -A' '-a --per-core' '-a --per-socket -I 50' '--metric-only'; do
		"$TDSTAT" -e task-clock,page-faults $how -j -o "rows $how" -- "${BURN[@]}" 30
	done
	kinds rows*
	assert_equal "$kinds" "event head metric"
	for recording in "$data"/perf-6.1*{core,default,interval,repeat,socket,thread}*; do
		"$TDSTAT" report "$recording" --no-tree -j >>others 2>said
	done
	kinds others
}

@test "diff: of recordings, of several ones, of events, of threads" {
	for sides in 'alderlake alderlake-2' 'sapphirerapids-2 icelakex-2' 'zen4 zen4'; do
		"$TDSTAT" diff "$data/${sides% *}.jsonl" "$data/${sides#* }.jsonl" -j >>rows 2>said
	done
	{
		"$TDSTAT" diff -j "$data"/alderlake{,-2}.jsonl -- "$data"/alderlake{-2,}.jsonl
		"$TDSTAT" diff -j "$data"/manual/xz-events.jsonl "$data"/manual/xz-events.jsonl
		"$TDSTAT" diff -j --per-thread "$data"/manual/threads.jsonl "$data"/manual/threads.jsonl
	} >>rows 2>said
	kinds rows
	assert_equal "$kinds" "difference head"
	IFS= read -rd '' text <rows || true
	for kind in time metric event; do
		[[ $text == *"\"kind\":\"$kind\""* ]] || fail "no $kind"
	done
}

@test "locate: functions, with their lines and callers" {
	needs_software_events
	"$TDSTAT" locate -e cpu-clock -F 5000 -v --callers -j -o rows -- "${BURN[@]}" 300 2>said
	kinds rows
	assert_equal "$kinds" "function head"
	has_text rows '"callers":\[\{'
}

@test "keys that are not in the schema, and invalid JSON, are refused" {
	try "$TDSTAT" report "$data/alderlake.jsonl" -j
	printf '%s\n' "${lines[@]:0:2}" >good
	in_schema good
	python3 - "$here/schema.py" "$schema" <<-'PYTHON'
		import re, subprocess, sys
		checker, schema = sys.argv[1:]
		good = open("good").read().split("\n")
		def check(schema, name):
		    return subprocess.run([sys.executable, "-B", checker, schema, name], capture_output=True).returncode
		for line, was, becomes in (
		    (2, '"unit"', '"units"'), (2, '"level":1', '"level":"1"'), (2, '"running":[0-9.]*', '"running":-1'),
		    (1, ":1,", ":2,"), (2, '"kind":"interval"', '"kind":"spread"'), (2, '"value":[0-9.]*', '"value":NaN'),
		    (2, "}$", ',"new":1}'), (1, '"labels":{}', '"labels":{"a":1}')):
		    bad = good[:]
		    bad[line - 1] = re.sub(was, becomes, bad[line - 1], count=1)
		    assert bad != good, was + " changes nothing"
		    open("bad", "w").write("\n".join(bad))
		    assert check(schema, "bad") == 1, becomes
		text = open(schema).read()
		other = text.replace('"type": "object",', '"type": "object", "minProperties": 1,')
		assert other != text
		open("other", "w").write(other)
		assert check("other", "good") == 1, "minProperties"
	PYTHON
}

@test "tdstat-output(5) documents each key of the schema" {
	python3 - "$schema" "$here/../../man/tdstat-output.5" <<-'PYTHON'
		import json, re, sys
		keys = {key for part in json.load(open(sys.argv[1]))["$defs"].values() for key in part.get("properties", {})}
		assert len(keys) > 90, len(keys)
		lines = re.findall(r"^\.(?:It |Cm ).*$", open(sys.argv[2]).read(), re.M)
		named = {word for line in lines for word in re.split("[ ,]+", line)}
		assert not keys - named, keys - named
	PYTHON
}

@test "make install installs the schema where the page says" {
	make -C "$here/../.." --no-print-directory -n -o all install DESTDIR=/dest prefix=/usr >installed 2>&1
	has_text installed "'/dest/usr/share/tdstat' cmd/output/rows.schema.json"
	has_text "$here/../../man/tdstat-output.5" $'\n''\.Pa share/tdstat/rows\.schema\.json ,'$'\n'
}
