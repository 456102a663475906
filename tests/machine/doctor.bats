#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat doctor with counters, and with a kernel that has none.  A library that is loaded
# before libc (tests/emulator/loops.c) selects the counts of its loops: without it they all
# count the same, and the self-test has to fail.
# machine: adl --truth tests/emulator/scenarios/alderlake.truth
# machine: skx --truth tests/emulator/scenarios/skylakex.truth
# machine: hidden
# machine: lnl --kernel 6.1
# release: none
# release: spr --truth tests/emulator/scenarios/sapphirerapids.truth
# release: gnr --kernel 6.1
# release: mtl --truth tests/emulator/scenarios/meteorlake.truth
# release: zen4 --truth tests/emulator/scenarios/amdzen4.truth

# shellcheck disable=SC2154 # stderr, of run
load helper
load nobody

ACT=$BATS_TEST_DIRNAME/../../build/emulator/act
LOOPS=$BATS_TEST_DIRNAME/../../build/emulator/loops.so

on() {
	emulated
	[[ " $* " == *" $TD_MACHINE "* ]] || skip "for $*"
}

# doctor: on silicon, as far as the loops see
doctor() {
	timeout -s KILL "$TD_HANGS" env LD_PRELOAD="$LOOPS" "$TDSTAT" doctor "$@"
}

# state NAME: of all findings with this name, each once
state() {
	jq -r --arg n "$1" '[.findings[] | select(.name == $n).state] | unique | join(" ")' found
}

command_for() {
	jq -r --arg n "$1" '.findings[] | select(.name == $n).command // empty' found
}

text() {
	jq -r --arg n "$1" '.findings[] | select(.name == $n).text' found
}

@test "all right: level 1 works on each core type, exit 0" {
	on adl skx spr mtl zen4
	sysctl -q -w kernel.nmi_watchdog=0
	run -0 --separate-stderr doctor
	[ -z "$stderr" ]
	[ "${lines[-1]}" = "level 1 works" ]
	doctor -j >found
	jq -e '.level_1 and all(.self_test[]; .passed)' found
	# a loop of each kind on each core type, with the shares of the truth file
	kinds=$(find /sys/bus/event_source/devices/ -name 'cpu*' | wc -l)
	[ "$(jq '.self_test | length' found)" -eq $((3 * kinds)) ]
	# for whole cores, the work of the other thread is included
	if [ "$TD_MACHINE" != skx ]; then
		jq -e 'all(.self_test[] | select(.loop == "retiring"); .retiring > 70)' found
		jq -e 'all(.self_test[] | select(.loop == "mispredict"); .bad_speculation > 35 and .bad_speculation < 45)' found
		jq -e 'all(.self_test[] | select(.loop == "chase"); .backend_bound > 60)' found
		jq -e 'all(.self_test[]; .retiring + .backend_bound + .frontend_bound + .bad_speculation - 100 | fabs < 5)' found
	fi
	[ "$(state watchdog)" = ok ]
	[ "$(state processor)" = ok ] || [ "$TD_MACHINE" = zen4 ]
	# this kernel does not know all counters of Golden Cove, which is a note
	[[ "$(state kernel)" == "ok" || "$(state kernel) $TD_MACHINE" == "note ok adl" || "$(state kernel) $TD_MACHINE" == "note ok spr" ]]
	[ "$(state rdpmc)" = ok ]
	[ "$(state rights)" = ok ]
}

# bench MS: a program that runs for so long
bench() {
	printf '#!/bin/sh\nexec taskset -c 0 %s %dms:ports\n' "$ACT" "$1"
}

@test "the job of tdstat-ci(7): a change that takes longer fails, with its comment and test cases" {
	on adl
	command python3 -c 'import yaml' 2>/dev/null || skip "no YAML in Python"
	command python3 "$BATS_TEST_DIRNAME/../cli/ci.py" workflows \
		"$BATS_TEST_DIRNAME/../../man/tdstat-ci.7"
	mkdir old new bin
	ln -s "$TDSTAT" bin/tdstat
	bench 100 >old/bench
	bench 500 >new/bench
	chmod +x old/bench new/bench
	GITHUB_STEP_SUMMARY=$PWD/summary PATH=$PWD/bin:$PATH LD_PRELOAD=$LOOPS run bash -e github
	[ "$status" -eq 1 ]
	[[ $(cat summary) =~ ^tdstat\ [^\ ]+\ on\ .*\ counts\ levels\ 1\ to\ 6$ ]]
	grep -q '^- \*\*failed\*\*: .elapsed. may get worse by 5; elapsed grew by ' slots.md
	grep -q '^B takes .* % more time' slots.md
	grep -q '<testcase classname="tdstat.diff" name="tma_memory_bound:2"/>' slots.xml
	grep -q '<failure message="elapsed grew by ' slots.xml
}

@test "each loop runs on a CPU of its kind, and the thread may go on where it was" {
	on adl
	doctor -j >found
	[[ $(text PMU) == *"cpu_core: CPUs 0-3, Golden Cove; slots and 4 fields"* ||
		$(text PMU) == *"cpu_core: CPUs 0-3, Golden Cove; slots and 8 fields"* ]]
	jq -e 'all(.self_test[]; (.pmu == "cpu_core") == (.cpu < 4))' found
	# it may not run on the other kind: that one is left out
	run -0 --separate-stderr timeout -s KILL "$TD_HANGS" env LD_PRELOAD="$LOOPS" taskset -c 1,2 "$TDSTAT" doctor -j
	jq -e '([.self_test[].pmu] | unique) == ["cpu_core"] and ([.findings[].text] | any(contains("cpu_atom: this program may not run")))' <<<"$output"
}

@test "half a second of loops in all" {
	on adl spr
	doctor -j >found
	begin=$(date +%s%N)
	doctor -j >found
	ms=$((($(date +%s%N) - begin) / 1000000))
	# the loops themselves, and what an emulated processor takes to begin and to plan
	[ "$ms" -ge 490 ]
	[ "$ms" -lt 30000 ]
}

# tdstat cannot leave such a CPU.  Without these settings, the kernel gives other tasks a part of the time.
@test "a real-time task occupies a CPU: the self-test and the evidence go on without it" {
	on adl
	mount -t debugfs none /sys/kernel/debug 2>&- || true
	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	for part in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[ ! -e "$part" ] || echo 0 >"$part"
	done
	taskset -c 7 chrt -f 50 "$ACT" 600s:ports 3>&- 4>&- &
	occupies=$!
	run -1 doctor -j
	echo "$output" >found
	jq -r .findings[].text found | grep 'cpu_atom: CPU 7: cannot run there; a real-time task may occupy it'
	kill $occupies
	wait $occupies || true
	taskset -c 0 chrt -f 50 "$ACT" 600s:ports 3>&- 4>&- &
	doctor --evidence --program sharing evidence >shown || true
	kill $!
	tr -s '\n ' ' ' <shown | grep 'CPU 0: cannot run there; a real-time task may occupy it'
	[ -s evidence ]
}

@test "counters that count the same whatever runs: failed, with the reason" {
	on adl spr
	run -1 --separate-stderr timeout -s KILL "$TD_HANGS" "$TDSTAT" doctor -j
	jq -e '(.level_1 | not) and all(.self_test[]; .passed | not)' <<<"$output"
	run -1 --separate-stderr timeout -s KILL "$TD_HANGS" "$TDSTAT" doctor
	# lines may end between any two words
	[[ $output =~ not[[:space:]]+distinguish[[:space:]]+the[[:space:]]+loops ]]
	[[ ${lines[-1]} == "the counters are not real here: "* ]]
}

@test "the watchdog: named, with its command, which helps" {
	on adl skx
	sysctl -q -w kernel.nmi_watchdog=1
	doctor -j >found
	[ "$(state watchdog)" = warning ]
	[ "$(command_for watchdog)" = "sysctl kernel.nmi_watchdog=0" ]
	[[ $(jq '.findings[].text' found) == *"the NMI watchdog holds one more counter"* ]]
	sh -c "$(command_for watchdog)" >/dev/null
	doctor -j >found
	[ "$(state watchdog)" = ok ]
	[[ $(jq '.findings[].text' found) != *"watchdog holds"* ]]
}

@test "the watchdog: a group of metrics that needs all counters takes turns, and is counted" {
	on skx
	sysctl -q -w kernel.nmi_watchdog=1
	"$TDSTAT" -a -M tma_heavy_operations_group -j -o out -- sh -c "$WORK"
	sysctl -q -w kernel.nmi_watchdog=0
	jq -se 'map(select(.level)) | length == 2 and all(.value | numbers)' out
}

@test "hyper-threading on Skylake: named; the self-test counts a whole core" {
	on skx
	doctor -j >found
	[ "$(state SMT)" = warning ]
	[[ $(text SMT) == *"share its slots"* ]]
	[[ $(text self-test) == *"counting whole cores"* ]]
	sh -c "$(command_for SMT)"
	run -0 --separate-stderr doctor -j
	jq -e '[.findings[] | select(.name == "SMT").state] == ["ok"]' <<<"$output"
	echo on >/sys/devices/system/cpu/smt/control
}

@test "perf_event_paranoid 4 for a user without rights: failed, with the command" {
	on adl
	run -1 --separate-stderr as_nobody 4 timeout -s KILL "$TD_HANGS" "$TDSTAT" doctor -j
	printf '%s' "$output" >found
	[ "$(state rights)" = warning ]
	[ "$(command_for rights)" = "sysctl kernel.perf_event_paranoid=0" ]
	[[ $(text self-test) == *"may not count processes: Permission denied"* ]]
	jq -e '.self_test == []' found
	# where it is 2, one's own programs may be counted
	run -0 --separate-stderr as_nobody 2 timeout -s KILL "$TD_HANGS" env LD_PRELOAD="$LOOPS" "$TDSTAT" doctor -j
	printf '%s' "$output" >found
	[[ $(text rights) == *"in user space only"* ]]
	[[ $(text self-test) == *"counting user space only"* ]]
	run -0 --separate-stderr as_nobody 0 timeout -s KILL "$TD_HANGS" env LD_PRELOAD="$LOOPS" "$TDSTAT" doctor -j
	printf '%s' "$output" >found
	[ "$(state rights)" = ok ]
}

@test "rdpmc off: its command helps" {
	on adl
	for file in /sys/bus/event_source/devices/cpu*/rdpmc; do echo 0 >"$file"; done
	doctor -j >found
	[ "$(state rdpmc)" = warning ]
	sh -c "$(command_for rdpmc)" >/dev/null
	doctor -j >found
	[ "$(state rdpmc)" = ok ]
}

@test "no PMU; hidden by a hypervisor" {
	on none hidden
	run -1 --separate-stderr timeout -s KILL "$TD_HANGS" "$TDSTAT" doctor -j
	printf '%s' "$output" >found
	[ "$(state PMU)" = failed ]
	[ "$(state self-test)" = note ]
	run -1 --separate-stderr timeout -s KILL "$TD_HANGS" "$TDSTAT" doctor
	case $TD_MACHINE in
	hidden)
		[[ $output == *"note     hypervisor  this is a virtual machine"* ]]
		[[ $(jq -r '.findings[] | select(.name == "PMU").remedy' found) == *"its host has to give it a virtual PMU" ]]
		;;
	none)
		[[ $output == *"ok       hypervisor  none"* ]]
		[[ $(jq -r '.findings[] | select(.name == "PMU").remedy' found) == *dmesg* ]]
		;;
	esac
}

@test "a kernel that does not know the processor: which one does" {
	on lnl gnr
	run -1 --separate-stderr timeout -s KILL "$TD_HANGS" "$TDSTAT" doctor -j
	printf '%s' "$output" >found
	[ "$(state kernel)" = failed ]
	[[ $(text kernel) == "Linux $(uname -r) does not know this processor ("* ]]
	[ "$(jq -r '.findings[] | select(.name == "kernel").remedy' found)" = "it needs Linux 6.12" ]
	[ "$(state 'level 1')" = failed ]
}
