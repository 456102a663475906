#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016,SC2154 # the commands' own shell; what "run" sets
# The emulated machine itself: what a truth file says is counted, and each thread
# counts the scenario that it chose.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/machine/emulator.truth

load helper

ACT=$BATS_TEST_DIRNAME/../../build/emulator/act
# Instructions per cycle distinguish the scenarios: 0.5 is "balanced", 2 is "ports".
IPC=(-e '{instructions:u,cycles:u}' -x ',')

# ipc FILE: of all PMUs together, or of the one named
ipc() {
	awk -F, -v pmu="${2:-cpu_}" '
	$1 !~ /^[0-9]/ || $3 !~ pmu { next }
	$3 ~ /instructions/ { i += $1 }
	$3 ~ /cycles/ { c += $1 }
	END { if (c) printf "%.3f\n", i / c; else print "none" }' "$1"
}

# The first PMU's that was counted.
retiring() {
	awk -F, 'NR > 1 && $8 != "" { print $8; exit }' "$1"
}

# is VALUE LOW HIGH
is() {
	awk -v v="$1" -v low="$2" -v high="$3" \
		'BEGIN { exit !(v != "none" && v >= low && v <= high) }' || {
		echo "$1 is not from $2 to $3"
		return 1
	}
}

# await_work PID: until it has run for 50 ms, and so has chosen its scenario
await_work() {
	until [ "$(cut -d ' ' -f 14 "/proc/$1/stat")" -ge 5 ]; do
		sleep 0.1
	done
}

# A loop in the shell, for a good part of a second.
LOOP='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

@test "unless a scenario is chosen, the first one counts" {
	"$TDSTAT" "${IPC[@]}" -o out -- "$ACT" 300ms:usual
	is "$(ipc out)" 0.49 0.51
	"$TDSTAT" -l 1 -x, -o out -- "$ACT" 300ms:usual
	is "$(retiring out)" 9.9 10.2
}

@test "events count as the file states, even with an extra register; other events do not count" {
	e=cpu_core/event=0xd1,umask=1/u,cpu_core/event=0xd1,umask=2/u,cpu_core/cycles/u
	e+=,cpu_core/event=0x2a,umask=1,offcore_rsp=0x10001/u,cpu_core/event=0x2a,umask=1,offcore_rsp=0x10002/u
	taskset -c 0 "$TDSTAT" -e "$e" -x, -o out -- "$ACT" 300ms:usual
	awk -F, '{ n[++i] = $1 } END {
		exit !(n[1] / n[3] > 0.2499 && n[1] / n[3] < 0.2501 && n[2] == 0 &&
		       n[4] / n[3] > 0.1249 && n[4] / n[3] < 0.1251 && n[5] == 0) }' \
		<(grep -v '^#' out | grep .)
}

@test "a thread's own scenario, on each core type" {
	for cpu in 0 3; do
		taskset -c $cpu "$TDSTAT" "${IPC[@]}" -o out -- "$ACT" 1s:ports
		is "$(ipc out)" 1.9 2
		taskset -c $cpu "$TDSTAT" -l 1 -x, -o out -- "$ACT" 1s:ports
		is "$(retiring out)" 55 60.2
	done
}

@test "one scenario after the other, in intervals" {
	"$TDSTAT" -I 200 "${IPC[@]}" -o out -- taskset -c 1 "$ACT" 1s:ports 1s:balanced 1s:ports
	awk -F, '$4 ~ /cpu_core.instr/ { i = $2 } $4 ~ /cpu_core.cycles/ && $2 > 0 {
		r = i / $2; now = r > 1.99 ? "P" : r < 0.51 ? "B" : ""
		if (now != "" && now != was) { seen = seen now; was = now } }
	END { print seen; exit seen !~ /PBP/ }' out
}

@test "it follows its thread from one core type to the other" {
	"$ACT" 20s:ports &
	pid=$!
	await_work $pid
	taskset -p -c 0 $pid
	(for cpu in 3 0 2 1 3; do sleep 0.2; taskset -p -c $cpu $pid; done >moves) &
	"$TDSTAT" "${IPC[@]}" -p $pid -o out -- sleep 1.5
	kill $pid
	is "$(ipc out cpu_core)" 1.97 2.03
	is "$(ipc out cpu_atom)" 1.97 2.03
}

@test "threads, and processes that take turns on one CPU, have each its own" {
	for what in ports balanced usual; do
		taskset -c 1 "$ACT" 30s:$what &
		echo $! >"pid.$what"
	done
	for what in ports balanced usual; do
		await_work "$(cat pid.$what)"
		"$TDSTAT" "${IPC[@]}" -p "$(cat pid.$what)" -o "out.$what" -- sleep 1
	done
	xargs kill <<<"$(cat pid.*)"
	is "$(ipc out.ports)" 1.97 2.03
	is "$(ipc out.balanced)" 0.49 0.51
	is "$(ipc out.usual)" 0.49 0.51
	"$TDSTAT" "${IPC[@]}" -o out -- "$ACT" -n 3 1s:ports
	is "$(ipc out)" 1.9 2
}

@test "forked and executed programs inherit the scenario" {
	"$TDSTAT" "${IPC[@]}" -o out -- "$ACT" 1ms:ports -- sh -c "sh -c '$LOOP' & sh -c '$LOOP; /bin/true; $LOOP' & $LOOP; wait"
	is "$(ipc out)" 1.9 2
}

@test "other programs do not inherit it, even if they reuse stacks of ended ones" {
	for _ in 1 2 3 4 5 6; do
		"$ACT" -n 4 1ms:ports -- sh -c '/bin/true & /bin/true & wait'
	done
	"$TDSTAT" "${IPC[@]}" -o out -- sh -c "$LOOP & sh -c '$LOOP' & wait"
	is "$(ipc out)" 0.49 0.51
}

@test "a scenario that is not there" {
	run -1 --separate-stderr "$ACT" 1s:nothing
	[ "$stderr" = "act: nothing: the machine has no such scenario" ]
}

# samples EVENT: eight parts of the cycles are in one function, three in another
samples() {
	# the kernel thinks that the emulator is slow, and would take fewer samples
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	# 4 GHz for four seconds, 3 GHz for two; one in 33 ms, because a virtual CPU that
	# the host stops gives one sample for all its events of that time
	taskset -c 0 "$PERF" record -q -c 100000000 -e "$1" -o data "$ACT" 4s:ports 2s:balanced
	"$PERF" script -i data -F ip,sym >syms
	awk '/scenario_ports/ { p++ } /scenario_balanced/ { b++ } END {
		print p, b; share = p / (p + b); exit !(p + b > 80 && share > 0.65 && share < 0.80) }' syms
}

@test "samples fall on the functions in proportion to their cycles" {
	perf_or_skip
	samples cycles:u
}

@test "precise samples fall on the functions in proportion to their cycles" {
	perf_or_skip
	[ "$(cat /sys/bus/event_source/devices/cpu_core/caps/max_precise)" = 3 ]
	samples cycles:upp
}

@test "precise samples know their registers, in both modes, with a frequency" {
	perf_or_skip
	taskset -c 3 "$PERF" record -q -F 200 -e cycles:pp --intr-regs=ip,sp -o data "$ACT" 2s:ports
	"$PERF" script -i data -F ip,iregs >regs
	# the IP of a sample is that of its registers
	awk '{ ip = $1; match($0, /IP:0x[0-9a-f]+/)
		if (substr($0, RSTART + 5, RLENGTH - 5) != ip) wrong++ }
	END { print NR, wrong; exit !(NR > 20 && !wrong) }' regs || { head -3 regs; false; }
}
