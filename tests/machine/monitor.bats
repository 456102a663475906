#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -p of a virtual machine monitor: its guest, the host's kernel and itself apart.
# machine: zen4 --kvm

# shellcheck disable=SC2154 # helper.bash
load helper

PROGRAM=${TDSTAT%/*}/tests/machine/monitor

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	[ -n "$BATS_TEST_COMPLETED" ] || [ ! -e out ] || cat out
	tidy_up
}

# monitor [WORD...]: sets $pid; the words run it
monitor() {
	"$@" "$PROGRAM" 60 3>&- &
	pid=$!
	sleep 0.5
}

# slots FILE ID: its part of all slots, in per cent
slots() {
	jq -s --arg id "$2" 'map(select(.metric == "retiring")) | (map(.slots) | add) as $all |
		map(select(.id == $id).slots)[0] / $all * 100' "$1"
}

# Half of the time is the guest's (monitor.c), and of the rest the emulated PMU has a
# quarter in the kernel, whatever runs.
@test "-p: rows of the guest, of the host's kernel and of the monitor" {
	monitor
	"$TDSTAT" -p $pid -l 1 -j -o out -- sleep 4
	[ "$(jq -r 'select(.metric).id' out | uniq | paste -sd,)" = "guest,host kernel,monitor" ]
	awk -v guest="$(slots out guest)" -v kernel="$(slots out "host kernel")" \
		-v monitor="$(slots out monitor)" 'BEGIN {
		print guest, kernel, monitor
		exit !(guest > 30 && guest < 70 && kernel > 3 && kernel < 30 &&
		       monitor > 22 && monitor < 55 && monitor > kernel) }'
	# the same rates everywhere: 4.07 and 1.39 of a slot are made up
	jq -es 'map(select(.metric == "backend_bound").value) | length == 3 and (max - min < 0.3)' out
	# without guests, the time on a CPU is unknown
	jq -es 'map(select(.metric).busy) | all(. == null)' out
	"$TDSTAT" -p $pid -o out -- sleep 1
	# the shares of guest and monitor are near each other, and move with the host
	grep -q '^ guest cpu, [0-9.]* % of all slots were lost here' out
	most=$(sed -nE 's/^ (.*) cpu, ([0-9.]+) % of all slots were lost here.*/\2 \1/p' out | sort -rn | head -n 1)
	[[ ${most#* } =~ ^(guest|monitor)$ ]]
	grep -qE "^ Biggest losers?(, alike)?: ${most#* } \(${most%% *} %" out
	"$TDSTAT" -p $pid -I 400 --interval-count 2 -x, -o out
	[ "$(tail -n +2 out | cut -d, -f2 | paste -sd,)" = "guest,host kernel,monitor,guest,host kernel,monitor" ]
}

@test "-p of a monitor: one row of events, threads, with another process, in a recording" {
	monitor
	"$TDSTAT" -p $pid -e cycles:G,cycles:H,cycles -x, -o out -- sleep 0.5
	[ "$(wc -l <out)" -eq 3 ]
	"$TDSTAT" -p $pid --per-thread -l 1 -x, -o out -- sleep 0.5
	[ "$(tail -n +2 out | cut -d, -f2)" = "monitor-$pid" ]
	sh -c "$WORK_TO_END" 3>&- &
	"$TDSTAT" -p $pid,$! -l 1 -x, -o out -- sleep 0.5
	[ "$(tail -n +2 out | cut -d, -f2)" = all ]
	"$TDSTAT" record -p $pid -o recording -- sleep 0.5
	"$TDSTAT" report -i recording -l 1 -x, >out
	[ "$(tail -n +2 out | cut -d, -f2)" = all ]
}

@test "-p of a monitor: a user who may not count the kernel gets one row" {
	chmod 666 /dev/kvm
	sysctl -q -w kernel.perf_event_paranoid=2
	monitor setpriv --reuid nobody --clear-groups
	chmod 777 .
	setpriv --reuid nobody --clear-groups "$TDSTAT" -p $pid -l 1 -x, -o out -- sleep 0.5 2>err
	sysctl -q -w kernel.perf_event_paranoid=1
	[ "$(tail -n +2 out | cut -d, -f2)" = all ]
	grep -q 'counting user space only' err
}

# pinned: three events of all CPUs
pinned() {
	"$PERF" stat -a -e cpu/r1c2/D -e cpu/r2c2/D -e cpu/rc5/D -x, -o beside -I 200 sleep 600 </dev/null 3>&- &
	neighbour=$!
	wait_for test -s beside
}

# whole: is there a row with all nodes among the lines of out after the first $seen?
whole() {
	tail -n "+$((seen + 1))" out | sed '/}$/!d' |
		jq -es 'map(select(.level)) | group_by(.time) | any(.[]; length == 15 and all(.[]; .value != null))' >/dev/null
}

@test "-p of a monitor beside pinned events, which come before or later" {
	perf_or_skip
	monitor
	pinned
	"$TDSTAT" -p $pid -l 1 -j -o out -- sleep 4
	jq -es 'map(select(.level)) | length == 15 and all(.value != null)' out
	kill "$neighbour"
	wait "$neighbour" || true
	"$TDSTAT" -p $pid -l 1 -I 1000 -j -o out 2>err 3>&- &
	seen=0
	wait_for whole
	pinned
	wait_for grep -q 'are now split in two' err
	seen=$(wc -l <out)
	wait_for whole
}

# As KVM does with enable_mediated_pmu.
@test "-p of a monitor: guests that the kernel cannot count have no row, with a note" {
	command -v strace >/dev/null || skip "no strace"
	monitor
	strace -qq -o log -e trace=perf_event_open "$TDSTAT" -p $pid -l 1 -o out -- sleep 0.2
	first=$(grep -n -m 1 exclude_host=1 log | cut -d: -f1)
	strace -qq -o log -e trace=perf_event_open -e inject=perf_event_open:error=EOPNOTSUPP:when="$first" \
		"$TDSTAT" -p $pid -l 1 -x, -o out -- sleep 1 2>err
	[ "$(tail -n +2 out | cut -d, -f2 | paste -sd,)" = "host kernel,monitor" ]
	[ "$(grep -c 'not counting guests' err)" -eq 1 ]
}
