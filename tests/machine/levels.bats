#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# Levels 1 and 2 of every model, with fields of its own, CPUs that differ, and
# idle CPUs that count: against the rates, the kernel and perf.
# machine: adl --no-halt --skew 6 --td 90,20,65,80,30,8,40,50
# release: mtl --no-halt --td 30,20,100,105,10,10,60,70
# release: lnl --no-halt --skew 4 --td 70,35,60,90,25,20,35,60
# machine: spr --no-halt --skew 3 --smp 16,sockets=2,cores=4,threads=2 --td 100,25,50,80,40,15,20,30
# release: icx --no-halt --skew 5 --td 60,100,65,30,0,0,0,0
# release: tgl --no-halt
# release: skx --no-halt
# release: skx --no-halt --smp 4,sockets=1,cores=4,threads=1

load helper

# Before Ice Lake the two threads of a core have their slots in common.
shares_slots() {
	[[ $TD_MACHINE == skx && $TD_MACHINE_ARGS != *threads=1* ]]
}

@test "level 1, four rows of half a second: a table" {
	"$TDSTAT" -a -I 500 --interval-count 4 >out
	rates check out --rows 4 --every 500
}

@test "level 2: a table" {
	"$TDSTAT" -a -l 2 -I 500 --interval-count 2 >out
	rates check out --rows 2 --every 500 --level 2
}

@test "level 2: a row a CPU, or why there cannot be one" {
	if shares_slots; then
		run -125 --separate-stderr "$TDSTAT" --require -a -A -- touch ran
		assert_two_lines
		run -125 --separate-stderr "$TDSTAT" --require -l 2 -- touch ran
		assert_two_lines
		[ ! -e ran ]
		return
	fi
	"$TDSTAT" -a -A -l 2 -I 500 --interval-count 1 >out
	rates check out --rows 1 --level 2 --per-cpu
}

# percentages FILE: a tree's, as "NAME VALUE"
percentages() {
	without_errors "$1" | awk '$2 == "%" && $3 ~ /^tma_/ { print $3, $1 }' | LC_ALL=C sort
}

@test "each command that a refusal suggests works, and the estimate is perf's" {
	shares_slots || skip "nothing is refused here"
	run -125 --separate-stderr "$TDSTAT" -l 1 --require -- sh -c "$WORK"
	[[ ${stderr_lines[1]} == "tdstat: -M TopdownL1 (or -l 3) estimates them, "*"(tdstat -a -- COMMAND)"* ]]
	# the default, which is not refused, estimates, too
	for how in '-M TopdownL1' '-l 3 --all' '-a' ''; do
		# shellcheck disable=SC2086
		"$TDSTAT" $how -o out -- sh -c "$WORK"
		[ "$(without_errors out | grep -cE '^ +[0-9.]+ %  tma_(retiring|backend_bound|frontend_bound|bad_speculation)( |$)')" -eq 4 ]
	done
	run -125 --separate-stderr "$TDSTAT" --require -l 2 -- true
	[[ ${stderr_lines[1]} == "tdstat: -M TopdownL1,TopdownL2 (or -l 3) estimates them, "* ]]
	"$TDSTAT" -M TopdownL1,TopdownL2 -o out -- sh -c "$WORK"
	[ "$(percentages out | wc -l)" -eq 12 ]
	run -125 --separate-stderr "$TDSTAT" --require -a -A -- true
	[[ ${stderr_lines[1]} == "tdstat: use --per-core, "* ]]
	[ "$("$TDSTAT" -a --per-core --timeout 300 | grep -c '^ S0-D0-C.* cpu')" -eq 2 ]
	perf_or_skip
	"$TDSTAT" -o tree -- sh -c "$WORK"
	"$TDSTAT" -M TopdownL1 -o out -- sh -c "$WORK"
	"$PERF" stat -M TopdownL1 -j -o perf.json -- sh -c "$WORK"
	jq -rs '.[] | select(."metric-unit" // "" | startswith("%  tma_")) |
		"\(."metric-unit" | sub("^% +"; "")) \(."metric-value" | tonumber)"' perf.json |
		LC_ALL=C sort >want
	[ "$(wc -l <want)" -eq 4 ]
	join want <(percentages out) | near_each
	join want <(percentages tree) | near_each
}

# near_each: "NAME A B" of each line within a point of the percentage
near_each() {
	awk '{ n++ } $2 - $3 > 1 || $3 - $2 > 1 { print; bad = 1 } END { exit bad || n != 4 }'
}

@test "only CPU 0, and only CPU 3" {
	"$TDSTAT" -C 0 -I 300 --interval-count 2 -x, >out.0
	rates check out.0 --rows 2 --every 300 --cpus 0
	"$TDSTAT" -C 3 -I 300 --interval-count 2 -x, >out.3
	rates check out.3 --rows 2 --every 300 --cpus 3
	if [[ $TD_MACHINE_ARGS == *--skew* ]]; then
		run ! diff <(cut -d, -f8 out.0) <(cut -d, -f8 out.3)
	fi
}

@test "the final result of level 2: the rates, and perf's figures" {
	for_longer all_counted "$TDSTAT" -a -l 2 --timeout SECONDSs -o out
	rates check out --rows 1 --level 2
	# perf 6.12 has no metrics for Lunar Lake
	[ "$TD_MACHINE" != lnl ] || return 0
	perf_or_skip
	perf_group TopdownL1,TopdownL2 perf.json
	# on Skylake, perf's groups are multiplexed, and scaled by the time that they had
	near=0.3
	[ "$TD_MACHINE" != skx ] || near=1
	rates perf out perf.json --tolerance $near
}

@test "the kernel opens the groups of --dry-run" {
	"$TDSTAT" --dry-run -a -l 2 >plan
	strace -f -y -X raw -o log -e trace=perf_event_open \
		"$TDSTAT" -a -l 2 --timeout 100 >/dev/null
	syscalls opens log plan
}

@test "--print-perf: report shows perf's counts as tdstat's own" {
	perf_or_skip
	cd "$BATS_TEST_TMPDIR"
	"$TDSTAT" --print-perf -a -l 2 -I 500 --interval-count 2 >script
	sed "s|^perf |$PERF |" script | sh
	# shellcheck disable=SC2046
	"$TDSTAT" $(sed -n 's/^# tdstat//p' script) >out
	rates check out --rows 2 --level 2
}
