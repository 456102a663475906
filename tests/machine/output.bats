#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# CSV and JSON for strict parsers and in any locale, files, recordings.
# machine: adl --no-halt --skew 5

load helper

HEADER=time,id,pmu,busy,share,running,ipc,tma_retiring,tma_backend_bound,tma_frontend_bound,tma_bad_speculation
HEADER+=,ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags

# A locale with a decimal comma, of which nothing but the numbers is German.
german_locale() {
	for category in CTYPE COLLATE MESSAGES TIME NAME ADDRESS TELEPHONE \
		MEASUREMENT PAPER IDENTIFICATION; do
		printf 'LC_%s\ncopy "POSIX"\nEND LC_%s\n' "$category" "$category"
	done >german
	for category in NUMERIC MONETARY; do
		printf 'LC_%s\ncopy "de_DE"\nEND LC_%s\n' "$category" "$category"
	done >>german
	localedef -c -i ./german -f UTF-8 "$PWD/de_DE.UTF-8" >localedef.log 2>&1 || true
	export LOCPATH=$PWD
	[ "$(LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ] || skip "no German locale"
}

@test "CSV: one header, rows of one form" {
	"$TDSTAT" -a -I 200 --interval-count 4 -x, >out
	rates check out --rows 4 --every 200
	[ "$(head -n 1 out)" = "$HEADER" ]
	[ "$(grep -c time, out)" -eq 1 ]
	run ! grep -vE '^(time,.*|[0-9]+\.[0-9]{9},all,cpu_(core|atom)(,[0-9]+\.[0-9]{2}){8},[0-9.]+,[0-9.]+(,[0-9]+){3},interval,[1-4],0\.[0-9]{9},,,,,,,,)$' out
	"$TDSTAT" -a -I 200 --interval-count 2 -x ';' >out
	rates check out --rows 2 --separator ';'
	"$TDSTAT" -a -I 200 --interval-count 2 -x '\t' >out
	rates check out --rows 2 --separator $'\t'
}

@test "JSON: an object a metric" {
	"$TDSTAT" -a -l 2 -I 200 --interval-count 2 -j >out
	rates check out --level 2 --rows 2 --every 200
	jq -e -s '
		all(keys_unsorted[:13] == ["time", "id", "pmu", "busy", "share", "ipc", "metric", "value", "unit",
			"level", "parent", "over_threshold", "running"])
		and all(.unit == "%" and (.value | type) == "number"
			and (.over_threshold | type) == "boolean")
		and all((.level == 1) == (.parent == null))
		and (map(.metric) as $names | all(.parent == null or
			(.parent as $p | $names | index($p) != null)))
		and all(.running > 0 and .running <= 100.01)
	' out
}

@test "JSON: over the threshold, or not" {
	"$TDSTAT" -a --timeout 300 -j >out
	# with these fields: more than 15, 20, 15 and 70 % on Core, 20, 10, 15, 75 on Atom
	jq -e -s '
		{ "cpu_core": { "tma_frontend_bound": 15, "tma_backend_bound": 20,
				"tma_bad_speculation": 15, "tma_retiring": 70 },
		  "cpu_atom": { "tma_frontend_bound": 20, "tma_backend_bound": 10,
				"tma_bad_speculation": 15, "tma_retiring": 75 } } as $limits |
		length == 8 and
		all(.over_threshold == (.value > $limits[.pmu][.metric]))
		and any(.over_threshold)
		and all(.running == 100 and .level == 1)
	' out
}

@test "a decimal comma is for people" {
	german_locale
	export LC_ALL=de_DE.UTF-8
	"$TDSTAT" -a -I 200 --interval-count 2 -x, >out
	rates check out --rows 2
	"$TDSTAT" -a -I 200 --interval-count 2 -j >out
	rates check out --rows 2
	jq -e . out >/dev/null
	"$TDSTAT" record -o td.json -a -I 200 --interval-count 2 >/dev/null
	jq -e . td.json >/dev/null
	"$TDSTAT" report -i td.json -x, >out
	rates check out --rows 2
}

@test "the same columns with every option" {
	"$TDSTAT" -C 0 -x, --timeout 100 | head -n 1 >core
	"$TDSTAT" -C 5 -x, --timeout 100 | head -n 1 >atom
	"$TDSTAT" -a -A -x, -I 100 --interval-count 1 | head -n 1 >per.cpu
	"$TDSTAT" -x, -- true 2>&1 | head -n 1 >of.command
	for file in core atom per.cpu of.command; do
		[ "$(cat "$file")" = "$HEADER" ]
	done
}

@test "-o: a new file, or after the content of an old one" {
	echo before >file
	run -0 "$TDSTAT" -a -I 200 --interval-count 2 -o file
	[ -z "$output" ]
	rates check file --rows 2
	run -0 "$TDSTAT" -o file -x, -- echo hello
	[ "$output" = hello ]
	[ "$(head -n 1 file)" = "$HEADER" ]
	echo before >file
	run -0 "$TDSTAT" -a -I 200 --interval-count 2 -o file --append
	[ -z "$output" ]
	[ "$(head -n 1 file)" = before ]
	sed 1d file >appended
	rates check appended --rows 2
	"$TDSTAT" -a --timeout 100 -x, -o rows
	"$TDSTAT" -a --timeout 100 -x, -o rows --append
	[ "$(grep -c '^time,' rows)" -eq 1 ]
	[ "$(wc -l <rows)" -eq 5 ]
}

@test "a result that cannot be written is an error" {
	run -1 --separate-stderr "$TDSTAT" -a -I 100 --interval-count 2 -o /dev/full
	[[ $stderr == "tdstat: "*/dev/full* ]]
	run -1 --separate-stderr "$TDSTAT" -a -I 100 --interval-count 2 -o no/such/folder
	[[ $stderr == "tdstat: "*no/such/folder* ]]
	run -1 --separate-stderr bash -c "'$TDSTAT' -a -I 100 --interval-count 2 >/dev/full"
	[[ $stderr == "tdstat: "* ]]
}

@test "a pipe that is no longer read ends tdstat quietly" {
	run -141 --separate-stderr bash -c \
		"set -o pipefail; '$TDSTAT' -a -I 100 --interval-count 20 | true"
	[ -z "$stderr" ]
}

@test "a recording shows the same numbers" {
	for format in '' '-x,' -j; do
		# shellcheck disable=SC2086
		"$TDSTAT" record -o td.json -a -I 300 --interval-count 3 $format >live
		# shellcheck disable=SC2086
		"$TDSTAT" report -i td.json $format >replayed
		diff live replayed
		rates check replayed --rows 3 --every 300
	done
	"$TDSTAT" report -i td.json -A >replayed
	rates check replayed --rows 3 --per-cpu
	"$TDSTAT" report -i td.json --cputype atom >replayed
	rates check replayed --rows 3 --pmus cpu_atom
}

@test "a recording of level 2, and of the final result" {
	"$TDSTAT" record -o td.json -a -l 2 --timeout 500 >live
	"$TDSTAT" report -i td.json -l 2 >replayed
	# a recording of the machine does not say for how long it was wanted
	diff <(grep -v '^ What next: ' live) <(grep -v '^ What next: ' replayed)
	rates check replayed --level 2 --rows 1
	"$TDSTAT" report -i td.json -l 1 -x, >replayed
	rates check replayed --rows 1
}

@test "a recording of a command" {
	taskset -c 5 "$TDSTAT" record -o td.json -- sh -c "$WORK; exit 3" 2>live ||
		[ $? -eq 3 ]
	"$TDSTAT" report -i td.json >replayed
	# a recording has the command as one text, which cannot be typed again
	diff <(grep -vE '^ (What next|Where): ' live) <(grep -vE '^ (What next|Where): ' replayed)
	jq -e -s 'last.end | .exit == 3 and .user + .sys > 0 and .elapsed > 0' td.json
}

@test "a recording's form" {
	"$TDSTAT" record -o td.json -a -I 300 --interval-count 2 >/dev/null
	jq -s '.[0] | del(.topology, .events)' td.json
	jq -e -s '
		(.[0] | .tdstat == 1 and .cpuid == "GenuineIntel-6-97-2"
			and .smt == false and .interval_ms == 300
			and .target == "system wide"
			and (.pmus | map([.name, .cpus])) ==
				[["cpu_core", "0-3"], ["cpu_atom", "4-7"]]
			and (.topology | map(.cpu)) == [range(8)]
			and (.topology | all(has("core") and has("cluster")
				and has("die") and has("socket") and has("node"))))
		and (.[0].events | map(.name) | index("cpu_core/slots/")) == 0
		and (.[1:3] | all(.counts | all(length == 6 and .[2] == -1
			and .[3] > 0 and .[5] <= .[4])))
		and (.[1].counts | map(.[1]) | unique) == [range(8)]
		and .[3].end.elapsed >= 0.6 and length == 4
	' td.json
}

@test "--hybrid-merge weighs each core type by its slots" {
	"$TDSTAT" record -o td.json -a -I 300 --interval-count 2 >/dev/null
	"$TDSTAT" report -i td.json --hybrid-merge -x, >out
	rates merge out td.json
	"$TDSTAT" record -o td.json -a -I 300 --interval-count 2 --hybrid-merge -x, >out
	rates merge out td.json
	"$TDSTAT" -a -I 300 --interval-count 2 --hybrid-merge >out
	[ "$(grep -vc '^# [*?~-] ' out)" -eq 3 ]
	run ! grep cpu_ out
}

@test "--perfetto: level 1 of each PMU, when it was" {
	before=$(cut -d ' ' -f 1 /proc/uptime)
	"$TDSTAT" -a -l 2 -I 200 --interval-count 3 --perfetto trace.json
	after=$(cut -d ' ' -f 1 /proc/uptime)
	# uptime has two digits, and the machine never sleeps
	jq -e --argjson a "$before" --argjson b "$after" '
		(map(select(.name == "process_name") | { (.pid | tostring): .args.name }) | add) as $names |
		map(select(.ph == "C") | .of = $names[.pid | tostring]) as $c |
		($c | map(.ts) | min >= ($a - 0.01) * 1e6 and max <= ($b + 0.01) * 1e6 and max - min >= 600000) and
		($c | map(.of) | unique == ["tdstat cpu_atom", "tdstat cpu_core"]) and
		($c | map(select(.name == "tma_memory_bound")) | length == 4) and
		($c | map(select(.args["%"] | type == "number") |
			select(.name | test("^tma_(retiring|backend_bound|frontend_bound|bad_speculation)$"))) |
			group_by([.of, .ts]) | length == 6 and
			all(length == 4 and (map(.args["%"]) | add | . > 99 and . < 101)))' trace.json
}
