#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: evidence
# tdstat doctor --evidence on emulated machines, whose programs count what silicon
# would (tests/emulator/loops.c).  This takes minutes.
# release: adl --truth tests/emulator/scenarios/alderlake.truth
# machine: spr --truth tests/emulator/scenarios/sapphirerapids.truth
# machine: zen4 --truth tests/emulator/scenarios/amdzen4.truth
# release: skx --truth tests/emulator/scenarios/skylakex.truth
# release: lnl --truth tests/emulator/scenarios/lunarlake.truth

# shellcheck disable=SC2154 # stderr, of run
load helper

LOOPS=$BATS_TEST_DIRNAME/../../build/emulator/loops.so
ACT=$BATS_TEST_DIRNAME/../../build/emulator/act
EVIDENCE=$BATS_TEST_DIRNAME/../data/evidence/evidence

# give [OPTION...] FILE: on silicon, as far as the programs see; with perf beside it
give() {
	mkdir -p bin
	[ -e bin/perf ] || ln -s "$(realpath "$PERF")" bin/perf
	timeout -s KILL $((2 * TD_HANGS)) env PATH="$PWD/bin:$PATH" LD_PRELOAD="$LOOPS" "$TDSTAT" doctor --evidence "$@"
}

# halve METRIC: files in x86 whose formula of it, on Zen 4, is wrong
halve() {
	cp -R "$TDSTAT_METRICS" x86
	python3 - "$1" <<-'END'
		import json
		import sys
		path = "x86/amdzen4/pipeline.json"
		metrics = json.load(open(path))
		[found] = [m for m in metrics if m["MetricName"] == sys.argv[1]]
		found["MetricExpr"] = "(" + found["MetricExpr"] + ") / 2"
		json.dump(metrics, open(path, "w"))
	END
}

@test "the verdict of each program is the one that is expected, on each core type" {
	emulated
	perf_or_skip
	# the others below run a program there, with formulas that are right and wrong
	[ "$TD_MACHINE" != zen4 ] || [ -n "${TD_EVERYTHING-}" ] || skip "before a release"
	run -0 --separate-stderr give sent.jsonl
	kinds=$(find /sys/bus/event_source/devices/ -name 'cpu*' | wc -l)
	[ "$(grep -c '^12 of 12 as expected on cpu' <<<"$output")" -eq "$kinds" ]
	jq -s -e --argjson kinds "$kinds" '[.[] | select(has("agrees"))] | length == 12 * $kinds and all(.agrees)' sent.jsonl
	# all ways of counting agree
	jq -s -e 'all(.[] | select(has("differences")).differences[][1]; fabs < 6)' sent.jsonl
	jq -s -e --argjson kinds "$kinds" '[.[] | select(.way == "perf" and (.values | length) >= 4)] | length == 12 * $kinds' sent.jsonl
	jq -s -e --argjson kinds "$kinds" '[.[] | select(.way == "perf level 2" and (.values | length) >= 4)] | length == 12 * $kinds' sent.jsonl
	jq -s -e --argjson kinds "$kinds" '[.[] | select(has("differences")).differences["perf level 2"]] | length == 12 * $kinds' sent.jsonl
	for way in rdpmc read; do
		jq -s -e --arg way $way --argjson kinds "$kinds" \
			'[.[] | select(.way == $way and (.values | length) >= 4)] | length == 12 * $kinds' sent.jsonl
	done
	# a small file without names of users
	[ "$(stat -c %s sent.jsonl)" -le 1000000 ]
	# as a word: a host may be called as a part of a node is
	run -1 grep -oFw -e "$(hostname)" sent.jsonl
	run -1 grep -oF -e "$PWD" -e "$HOME/" sent.jsonl
	run -1 grep -E '"(host|command|topology|start|boottime|labels)":' sent.jsonl
	# and all of it can be computed again
	run -0 "$EVIDENCE" replay "$TDSTAT" sent.jsonl
	[[ ${lines[-1]} =~ ^[1-9][0-9]*' recordings, 0 differences'$ ]]
}

@test "without a dominant node there is no verdict, with the reason" {
	emulated
	[ "$TD_MACHINE" = spr ] || skip "one machine is enough"
	run -1 --separate-stderr "$ACT" 1ms:balanced -- "$TDSTAT" doctor --evidence --program spin -
	jq -e -s '.[-1] | .program == "spin" and .agrees == false' <<<"$output"
	[[ $(tr -s ' \n' ' ' <<<"$stderr") == *"none spin "*"; no verdict: no node is above its threshold; core_bound expected"*"0 of 1 as expected"* ]]
	# the emulator is slower than any core
	[[ $(tr -s ' \n' ' ' <<<"$stderr") == *" cycles per pause, and theory gives 4 to 400 cycles; "* ]]
}

@test "a formula that is wrong: perf counts something else" {
	emulated
	perf_or_skip
	[ "$TD_MACHINE" = zen4 ] || skip "levels 1 and 2 of others are built in"
	halve backend_bound
	run -1 --separate-stderr give --program chase --metrics-dir=x86 sent.jsonl
	[[ $(tr -s ' \n' ' ' <<<"$output") == *"differs chase "*"backend_bound is "*" points less than with perf"* ]]
	jq -s -e '.[-1].differences.perf | .[0] == "backend_bound" and .[1] < -20' sent.jsonl
	# the right one
	give --program chase sent.jsonl
	jq -s -e '.[-1].differences.perf[1] | fabs < 6' sent.jsonl
}

@test "a formula of level 2 that is wrong: perf counts something else there" {
	emulated
	perf_or_skip
	[ "$TD_MACHINE" = zen4 ] || skip "levels 1 and 2 of others are built in"
	halve backend_bound_memory
	run -1 --separate-stderr give --program chase --metrics-dir=x86 sent.jsonl
	[[ $(tr -s ' \n' ' ' <<<"$output") == *"backend_bound_memory is "*" points less than with perf level 2"* ]]
	jq -s -e '.[-1].differences | .["perf level 2"][0] == "backend_bound_memory" and .["perf level 2"][1] < -20' sent.jsonl
}

@test "toplev with tdstat: values in which it agrees with perf, and others" {
	emulated
	perf_or_skip
	[ "$TD_MACHINE" = spr ] || skip "one machine is enough"
	give --program chase sent.jsonl
	# a stand-in that prints the output in its manual: values of perf, and memory_bound
	# reduced by 25
	jq -r 'select(.way == "perf" or .way == "perf level 2") | .values | to_entries[] | "\(.key | ltrimstr("tma_")),\(.value[0]),% Slots,,,,,"' \
		sent.jsonl >values
	awk -F, -v OFS=, '$1 == "memory_bound" { $2 -= 25 } { $1 = "Above." toupper(substr($1, 1, 1)) substr($1, 2) } 1' values >changed
	sed 's/^./\U&/; s/^/Above./' values >same
	for which in same changed; do
		# shellcheck disable=SC2016 # of that shell
		printf '%s\n' '#!/bin/sh' '[ "$1" != --help ] || exit 0' 'while [ "$1" != -- ]; do shift; done; shift; "$@"' \
			"cat $PWD/$which >&3" >bin/toplev
		chmod +x bin/toplev
		run give --program chase sent.jsonl
		if [ $which = same ]; then
			[ "$status" -eq 0 ]
			jq -s -e '.[-1].differences.toplev[1] | fabs < 6' sent.jsonl
		else
			[ "$status" -eq 1 ]
			[[ $(tr -s ' \n' ' ' <<<"$output") == *"differs chase "*"memory_bound is 2"*" points more than with toplev"* ]]
		fi
	done
}
