#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# Kernels as old as some servers': processors that they do not know, and everything that
# tdstat does on one that they know.
# machine: icx --kernel 5.10 --smp 2,sockets=1,cores=2,threads=1 --sysctl kernel.perf_cpu_time_max_percent=0 --td 60,100,65,30,0,0,0,0
# machine: mtl --kernel 6.1
# release: spr --kernel 5.10
# release: adl --kernel 5.10

load helper
load nobody

# on MODEL...: skip the test on other models
on() {
	emulated
	[[ " $* " == *" $TD_MACHINE "* ]] || skip "for $*"
	[[ $TD_MACHINE_ARGS == *"--kernel $(uname -r | cut -d . -f 1-2)"* ]]
}

# values FILE: some, and no more than a few are missing for lack of time
values() {
	jq -es '[.[] | select(.metric)] | length > 0 and
		([.[] | select(.value == null)] | length) * 4 < length' "$1"
}

@test "a kernel that does not know the processor: both are named" {
	on mtl spr adl
	for how in --require '--require -a' '--require -C 0' --dry-run; do
		# shellcheck disable=SC2086
		run --separate-stderr "$TDSTAT" $how -- touch ran
		[ "$status" = 125 ] || [ "$how$status" = --dry-run1 ]
		assert_two_lines
		[[ ${stderr_lines[0]} == *"Linux $(uname -r) does not know this processor"* ]]
		[[ ${stderr_lines[1]} =~ ^"tdstat: it needs Linux "[67]\.[0-9]+$ ]]
		[ ! -e ran ]
	done
	run -1 --separate-stderr "$TDSTAT" doctor -j
	jq -e '.findings[] | select(.name == "kernel") | .state == "failed"' <<<"$output"
	# events other than top-down events are counted
	"$TDSTAT" -e cycles:u,instructions:u,page-faults -x, -o out -- sh -c "$WORK"
	[ "$(awk -F, '$1 > 0' out | wc -l)" -ge 3 ]
}

# From the bytes of PERF_METRICS, 60 of 255 and so on; the corrections in Ice Lake's
# formulas leave the first field unchanged.
@test "5.10: level 1 of the machine, of a command, of a CPU, of a thread" {
	on icx
	"$TDSTAT" -a -l 1 -I 300 --interval-count 2 -j -o machine
	"$TDSTAT" -l 1 -j -o command -- sh -c "$WORK"
	"$TDSTAT" -a -A -l 1 -j -o cpus sleep 0.3
	sh -c "$WORK_ON" &
	wait_for_file running
	"$TDSTAT" --per-thread -l 1 -p $! -j -o thread --timeout 300
	for file in machine command cpus thread; do
		jq -es '[.[] | select(.metric == "tma_retiring") | .value] |
			length > 0 and all(. > 23.4 and . < 23.7)' $file
	done
	[ "$(jq -r .id cpus | sort -u | tr '\n' ' ')" = "CPU0 CPU1 " ]
}

@test "5.10: all levels, and those where the time goes" {
	on icx
	"$TDSTAT" -a -l 6 --all -j -o all sleep 1
	values all
	"$TDSTAT" -l auto -j -o auto -- sh -c "$WORK; $WORK"
	jq -es 'any(.metric == "tma_core_bound" and .value != null)' auto
	"$TDSTAT" -a -M tma_retiring,tma_info_thread_ipc -j -o named sleep 0.3
	values named
}

@test "5.10: events, groups, tracepoints, cgroups" {
	on icx
	"$TDSTAT" -a -e cycles,instructions:u,cpu/event=0x3c/,LLC-loads,task-clock,sched:sched_switch -x, -o out sleep 0.3
	[ "$(awk -F, '$1 > 0' out | wc -l)" -eq 6 ]
	"$TDSTAT" -a -e '{slots,topdown-retiring,topdown-be-bound}' -x, -o group sleep 0.3
	[ "$(awk -F, '$1 > 0' group | wc -l)" -eq 3 ]
	mkdir -p /sys/fs/cgroup/work
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
	(echo $BASHPID >/sys/fs/cgroup/work/cgroup.procs && exec sh -c "$WORK_ON") &
	wait_for_file running
	"$TDSTAT" -a -l 1 --for-each-cgroup work -j -o cgroup sleep 0.5
	jq -es 'any(.id == "work" and .metric == "tma_retiring" and .value > 23.4 and .value < 23.7)' cgroup
}

@test "5.10: locate, profile and regions" {
	on icx
	"$TDSTAT" locate tma_backend_bound -a -j -o where sleep 1
	jq -es 'length > 3 and any(.function | type == "string")' where
	run -0 --separate-stderr "$TDSTAT" profile -j -o functions -- sh -c "$WORK"
	[[ $stderr == *"need Linux 6.12"* ]]
	"$TDSTAT" regions -j -o regions -- "${TDSTAT%/*}/tests/machine/regions" calls 20 500
	jq -es 'any(.id == "dram" and .calls == 20 and .metric == "tma_retiring" and .value > 22 and .value < 25)' regions
}

@test "5.10: a service, and a recording that is read again" {
	on icx
	"$TDSTAT" serve --listen 127.0.0.1:9878 2>/dev/null 3>&- &
	serve=$!
	on_page() {
		get 9878 /metrics >page && grep '^tdstat_topdown_slots_total{pmu="cpu",category="retiring"} [1-9]' page
	}
	wait_for on_page
	kill "$serve"
	wait "$serve"
	"$TDSTAT" record -o rec -a -I 200 --interval-count 2 >live
	"$TDSTAT" report rec >again
	diff <(awk '{ print $1, $4 }' live) <(awk '{ print $1, $4 }' again)
}

# Debian's kernels have a level 3, at which only root counts.
@test "5.10: a user without privileges gets the name of the setting" {
	on icx
	for level in 2 3; do
		run -125 --separate-stderr as_nobody "$level" "$TDSTAT" --require -a -- touch ran
		assert_two_lines
		[[ ${stderr_lines[1]} == *"kernel.perf_event_paranoid"*"(it is $level)"* ]]
	done
	run -125 --separate-stderr as_nobody 3 "$TDSTAT" --require -- touch ran
	assert_two_lines
	[[ ${stderr_lines[1]} == *"(it is 3)"* ]]
	[ ! -e ran ]
	as_nobody 2 "$TDSTAT" -l 1 -j -o mine -- sh -c "$WORK" 2>/dev/null
	values mine
}
