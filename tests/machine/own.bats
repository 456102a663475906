#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# A thread, a process, a cgroup and a phase are each seen to be what they are,
# while others run other scenarios: levels 1 and 2 within two points of the truth.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth

load helper

ACT=$BATS_TEST_DIRNAME/../../build/emulator/act
CGROUPS=/sys/fs/cgroup

export PYTHONDONTWRITEBYTECODE=1

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

# own WORD...: see own.py.  A worker that continued would take processors from the next
# test.
own() {
	# shellcheck disable=SC2046
	kill $(jobs -p) 2>/dev/null || true
	python3 "$BATS_TEST_DIRNAME/own.py" "$@"
}

# on CPUS WORD...: act in the background, once it has chosen; its id is in "pid"
on() {
	taskset -c "$1" "$ACT" "${@:2}" 3>&- &
	pid=$!
	await_work $pid
}

# await_work PID: until it has run for 50 ms, and so has chosen its scenario
await_work() {
	until [ "$(cut -d ' ' -f 14 "/proc/$1/stat")" -ge 5 ]; do
		sleep 0.1
	done
}

# A loop in the shell, for a good part of a second.
# shellcheck disable=SC2016
LOOP='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'

@test "-p: a process that shares its CPU with others, on each core type" {
	on 0 600s:ports
	on 0 600s:icache
	icache=$pid
	on 3 600s:mispredict
	on 3 600s:dram_latency
	"$TDSTAT" -l 2 -p "$icache" -j -o core -- sleep 1.5
	"$TDSTAT" -l 2 -p "$pid" -j -o atom -- sleep 1.5
	own is core cpu_core icache and atom cpu_atom dram_latency
}

@test "--per-thread: each thread of a process its own, beside those of another" {
	on 0,1 -n 3 600s:ports,icache,mispredict
	first=$pid
	on 2,3 -n 3 600s:icache,dram_latency,ports
	"$TDSTAT" -l 2 --per-thread -p "$first,$pid" -j -o out -- sleep 3
	for pair in "$first cpu_core ports icache mispredict" "$pid cpu_atom icache dram_latency ports"; do
		read -r id pmu scenarios <<<"$pair"
		# shellcheck disable=SC2012 # numbers; the kernel gives them in turn
		for thread in $(ls "/proc/$id/task" | sort -n); do
			checks+=(and out "$pmu" "${scenarios%% *}" "act-$thread")
			scenarios=${scenarios#* }
		done
	done
	own is "${checks[@]:1}"
}

# in_cgroup CPU SCENARIO: act in a cgroup of its scenario's name
in_cgroup() {
	mountpoint -q $CGROUPS || mount -t cgroup2 none $CGROUPS
	# until any controller was asked for, the kernel leaves perf's out, too
	echo +cpu >$CGROUPS/cgroup.subtree_control
	mkdir -p "$CGROUPS/$2"
	on "$1" "600s:$2"
	echo "$pid" >"$CGROUPS/$2/cgroup.procs"
}

@test "cgroups, on CPUs of both kinds" {
	in_cgroup 0 ports
	in_cgroup 1 icache
	in_cgroup 3 dram_latency
	on 2 600s:mispredict
	"$TDSTAT" -l 2 -a --for-each-cgroup ports,icache,dram_latency -j -o each -- sleep 3
	"$TDSTAT" -l 2 -a -G icache -j -o one -- sleep 2
	own is each cpu_core ports ports and each cpu_core icache icache and \
		each cpu_atom dram_latency dram_latency and one cpu_core icache icache
	for elsewhere in 'dram_latency cpu_core' 'icache cpu_atom'; do
		read -r id pmu <<<"$elsewhere"
		jq -es --arg id "$id" --arg pmu "$pmu" 'map(select(.id == $id and .pmu == $pmu and .metric)) |
			length > 3 and all(.value == null and .why == "nothing ran on " + $pmu)' each
	done
}

@test "-p: once the process has ended, no suggested command names it" {
	on 0 600ms:ports
	"$TDSTAT" -l 2 -p "$pid" -o out
	cat out
	grep '^ Biggest loss: tma_core_bound' out
	grep -x ' Explain:    tdstat explain tma_core_bound' out
	run ! grep "$pid" <(grep -v 'counter stats' out)
	on 0 600s:ports
	"$TDSTAT" -l 2 -p "$pid" -o out --timeout 1s
	grep "^ Where: *tdstat locate .* -p $pid" out
}

@test "cgroups that share a CPU, on each core type" {
	in_cgroup 0 ports
	in_cgroup 0 icache
	on 0 600s:mispredict
	in_cgroup 3 dram_latency
	in_cgroup 3 mispredict
	"$TDSTAT" -l 2 -a --for-each-cgroup ports,icache,dram_latency,mispredict -j -o out -- sleep 4
	own is out cpu_core ports ports and out cpu_core icache icache and \
		out cpu_atom dram_latency dram_latency and out cpu_atom mispredict mispredict
}

@test "-I: the phases of a command, beside another process" {
	on 0-3 -n 4 600s:mispredict
	for pair in "1 cpu_core" "2 cpu_atom"; do
		read -r cpu pmu <<<"$pair"
		# "usual" is balanced, the first of the file
		"$TDSTAT" -l 2 -I 250 -j -o "$pmu" -- taskset -c "$cpu" \
			"$ACT" 500ms:usual 2s:dram_latency 2s:ports
	done
	for pmu in cpu_core cpu_atom; do
		own phases $pmu $pmu balanced dram_latency ports
	done
}

@test "a process that is sent from one core type to the other" {
	on 1,2 -n 2 600s:dram_latency
	on 0 600s:icache
	"$TDSTAT" -l 2 -p "$pid" -j -o out -- sh -c \
		"for cpu in 3 0 2 1 3 0 2; do sleep 0.4; taskset -p -c \$cpu $pid; done >moves"
	own is out cpu_core icache and out cpu_atom icache
}

@test "forked and executed programs keep the command's scenario" {
	on 0-3 -n 4 600s:mispredict
	for pair in "0 cpu_core" "3 cpu_atom"; do
		read -r cpu pmu <<<"$pair"
		"$TDSTAT" -l 2 -j -o "$pmu" -- taskset -c "$cpu" "$ACT" 300ms:ports -- \
			sh -c "sh -c '$LOOP' & sh -c '$LOOP; /bin/true; $LOOP' & $LOOP; wait"
	done
	own is cpu_core cpu_core ports and cpu_atom cpu_atom ports
}
