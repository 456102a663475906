#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# Alder Lake with the machine's default fields: the numbers of its README.
# machine: adl --no-halt

load helper

# offline CPU...
offline() {
	for cpu in "$@"; do
		echo 0 >"/sys/devices/system/cpu/cpu$cpu/online"
	done
}

teardown() {
	[ "$TD_MACHINE" != here ] || return 0
	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		echo 1 >"$cpu"
	done
	tidy_up
}

@test "25.1, 49.8, 16.5, 8.6 % on Core; 25.1, 49.8, 18.8, 6.3 % on Atom" {
	emulated
	"$TDSTAT" -a -I 500 --interval-count 4 >out
	rates check out --rows 4 --every 500
	header='#           time pmu          %busy  GHz  IPC      %  tma_retiring'
	header+=' %  tma_backend_bound %  tma_frontend_bound %  tma_bad_speculation'
	[ "$(head -n 1 out)" = "$header" ]
	awk '
	function near(value, wanted) { return value > wanted - 0.25 && value < wanted + 0.25 }
	$2 == "cpu_core" { core += near($4, 3.0) && near($5, 1.5) && near($6, 25.1) && near($7, 49.8) && near($8, 16.5) && near($9, 8.6) }
	$2 == "cpu_atom" { atom += near($4, 2.0) && near($5, 1) && near($6, 25.1) && near($7, 49.8) && near($8, 18.8) && near($9, 6.3) }
	END { exit !(core == 4 && atom == 4) }' out
}

@test "diff of two commands on different core types: a note comes first, with the way to pin them" {
	run -0 --separate-stderr "$TDSTAT" diff -r 2 -l 1 -x, -o out -- \
		taskset -c 0 sh -c "$WORK" : taskset -c 5 sh -c "$WORK"
	cat >on <<-EOS
		#!/bin/sh
		taskset -p -c "\$1" \$\$ >pinned
		$WORK
	EOS
	chmod +x on
	told='A and B ran on different core types: '
	if [[ ${stderr_lines[0]} == *cpu_core* ]]; then
		[[ ${stderr_lines[0]} =~ ${told}(9.|100)' % of the slots of A were on cpu_core, and '.' % of B' ]]
		cpus=0-3
	else
		[[ ${stderr_lines[0]} =~ ${told}.' % of the slots of A were on cpu_atom, and '(9.|100)' % of B' ]]
		cpus=4-7
	fi
	[[ ${stderr_lines[1]} == *"taskset put them there: the CPUs of cpu_"*" are $cpus" ]]
	# the remedy is one
	run -0 --separate-stderr "$TDSTAT" diff -r 2 -l 1 -x, -o out -- ./on 0 : ./on 5
	[[ ${stderr_lines[1]} =~ begin\ the\ line\ with\ (taskset\ -c\ [0-9-]+)$ ]]
	read -ra pinned <<<"${BASH_REMATCH[1]}"
	run -0 --separate-stderr "${pinned[@]}" "$TDSTAT" diff -r 2 -l 1 -x, -o out -- \
		sh -c "$WORK" : sh -c "$WORK"
	[[ $stderr != *'different kinds'* ]]
	# and nothing where both ran on one kind
	run -0 --separate-stderr "$TDSTAT" diff -r 2 -l 1 -x, -o out -- \
		taskset -c 5 sh -c "$WORK" : taskset -c 6 sh -c "$WORK"
	[[ $stderr != *'different kinds'* ]]
}

@test "the same as perf's" {
	emulated
	perf_or_skip
	"$TDSTAT" -a -l 2 --timeout 1000 -x, >out
	perf_group TopdownL1 perf.json
	rates perf out perf.json
}

@test "-a is implied, and twenty rows do not drift" {
	emulated
	"$TDSTAT" -I 200 --interval-count 20 -x, >out
	rates check out --rows 20 --every 200
}

@test "the final result: each PMU's share of the slots, and the nodes above their thresholds" {
	emulated
	"$TDSTAT" -a --timeout 1000 >out
	# 4 CPUs of 18 slots a ns, and 4 of 5 times 2 cycles a ns: 64.3 and 35.7 %; a
	# host that stops a CPU while the kernel looks at its clock moves both a little
	grep -E '^ cpu_core, 6[345]\.[0-9] % of the slots, [0-9.]+ % busy, (2\.9|3\.[01]) GHz, 1\.(4[89]|5[01]) IPC$' out
	grep -E '^ cpu_atom, 3[456]\.[0-9] % of the slots, [0-9.]+ % busy, (1\.9|2\.[01]) GHz, (0\.99|1\.0[01]) IPC$' out
	# deeper nodes are marked, too
	level_1 out >top
	rates check top --rows 1
	[ "$(grep -c -e '<--' top)" -eq 3 ]
	sed -n '/cpu_core/,/^$/p' out | grep -E '49\.8( ±[0-9.?]+)? %  tma_backend_bound +<--$'
	sed -n '/cpu_core/,/^$/p' out | grep -E '16\.5( ±[0-9.?]+)? %  tma_frontend_bound +<--$'
	sed -n '/cpu_atom/,/^$/p' out | grep -E '49\.8( ±[0-9.?]+)? %  tma_backend_bound +<--$'
}

@test "--cputype: one core type" {
	emulated
	for type in core cpu_core; do
		"$TDSTAT" -a --cputype "$type" -I 300 --interval-count 1 >out
		rates check out --rows 1 --pmus cpu_core
	done
	"$TDSTAT" -a --cputype atom -I 300 --interval-count 2 -x, >out
	rates check out --rows 2 --pmus cpu_atom
	run -1 --separate-stderr "$TDSTAT" -a --cputype lowpower
	[[ $stderr == "tdstat: "*lowpower* ]]
	[ -z "$output" ]
}

@test "-C: the CPUs of both kinds, or of one" {
	emulated
	"$TDSTAT" -C 1,6-7 -I 300 --interval-count 1 >out
	rates check out --rows 1 --cpus 1,6-7
	"$TDSTAT" -A -C 1,6-7 -I 300 --interval-count 1 -x, >out
	rates check out --rows 1 --cpus 1,6-7 --per-cpu
	"$TDSTAT" -C 5 -I 300 --interval-count 1 >out
	rates check out --rows 1 --cpus 5
}

@test "-C: a CPU that is not there, or not of that kind" {
	emulated
	run -125 --separate-stderr "$TDSTAT" --require -C 100 -- touch ran
	[[ $stderr == "tdstat: "*100* ]]
	[ -z "$output" ]
	run -125 --separate-stderr "$TDSTAT" --require -C 5 --cputype core -- touch ran
	[[ $stderr == "tdstat: "*cpu_core* ]]
	[ -z "$output" ]
	run -125 --separate-stderr "$TDSTAT" --require -C 0,100 -- touch ran
	[[ $stderr == "tdstat: "*100* ]]
	[ ! -e ran ]
}

@test "a CPU that goes offline between two runs is the only one left out of the second" {
	for how in "-l 1" "-e cycles"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr "$TDSTAT" -a $how -r 3 -o out -- \
			sh -c 'echo 0 >/sys/devices/system/cpu/cpu7/online; sleep 0.2'
		echo 1 >/sys/devices/system/cpu/cpu7/online
		# notes about the first run, during it, and about those after it: each once
		grep -q 'CPU(s) 7 went offline' <<<"$stderr"
		[ -z "$(sort <<<"$stderr" | uniq -d)" ]
		grep -E 'system wide.*3 runs' out
		run ! grep '<not counted>' out
	done
}

@test "an offline CPU is left out, and named when it is asked for" {
	emulated
	offline 2
	"$TDSTAT" -a -A -I 300 --interval-count 2 -x, >out
	rates check out --rows 2 --per-cpu --cpus 0-1,3-7
	"$TDSTAT" -a -I 300 --interval-count 2 >out
	rates check out --rows 2 --cpus 0-1,3-7
	run -1 --separate-stderr "$TDSTAT" -C 2
	[[ $stderr == "tdstat: "*"CPU 2"*line* ]]
	[ -z "$output" ]
}

@test "a CPU that goes offline ends neither the counting nor the command" {
	emulated
	# the last row has a tenth of a second or more: one of some ms is not exact
	run -3 --separate-stderr "$TDSTAT" -a -I 700 -o out -- \
		sh -c 'sleep 0.5; echo 0 >/sys/devices/system/cpu/cpu2/online; sleep 1; exit 3'
	rates check out
}

@test "all Atom CPUs offline: cpu_atom is not there" {
	emulated
	offline 4 5 6 7
	[ -z "$(cat /sys/bus/event_source/devices/cpu_atom/cpus)" ]
	run -0 --separate-stderr "$TDSTAT" -a -I 300 --interval-count 2 -x,
	[ -z "$stderr" ]
	printf '%s\n' "$output" >out
	rates check out --rows 2 --cpus 0-3
	run -0 --separate-stderr "$TDSTAT" -x, -- sh -c "$WORK"
	printf '%s\n' "$stderr" >out
	rates check out --rows 1 --cpus 0-3
	run -1 --separate-stderr "$TDSTAT" -a --cputype atom
	[[ $stderr == "tdstat: "*atom* ]]
}

@test "-r: runs on different core types are distinguished by the shares of their slots" {
	emulated
	local atom
	atom=$(sed 's/[-,].*//' /sys/bus/event_source/devices/cpu_atom/cpus)
	echo 0 >n
	cat >work <<-END
		n=\$(cat n); echo \$((n + 1)) >n
		exec taskset -c \$((n == 1 ? $atom : 0)) sh -c "\$WORK; \$WORK"
	END
	"$TDSTAT" -r 2 -l 1 -o apart -- sh work
	cat apart
	grep -E '^ cpu_core, [0-9.]+ % of the slots \([0-9]+ to [0-9]+ % in a run\)' apart
	grep -E '^ cpu_atom, [0-9.]+ % of the slots \([0-9]+ to [0-9]+ % in a run\)' apart
	echo 2 >n
	"$TDSTAT" -r 2 -l 1 -o alike -- sh work
	run ! grep 'in a run' alike
}
