#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Models that no other file boots: their PMUs are there, count and interrupt.
# machine: ptl --no-halt
# release: arlh --no-halt
# release: cwf --no-halt
# release: bdx --no-halt
# release: adln --no-halt
# machine: zen4 --no-halt
# release: zen5 --no-halt
# release: hidden

load helper

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

pmus() {
	(cd /sys/bus/event_source/devices && ls -d cpu*) | xargs
}

@test "the PMUs that the kernel finds" {
	case $TD_MACHINE in
	ptl) wanted="cpu_atom cpu_core" ;;
	arlh) wanted="cpu_atom cpu_core cpu_lowpower" ;;
	hidden) wanted='' ;;
	*) wanted=cpu ;;
	esac
	run pmus
	[ "$TD_MACHINE" = hidden ] || [ "$output" = "$wanted" ]
	[ "$TD_MACHINE" != hidden ] || [[ $output != *cpu && $output != *cpu_* ]]
	grep -wq hypervisor /proc/cpuinfo
}

# A busy host may stop a processor between the kernel's look at the clock and
# its start of the counters: GHz may then be some hundredths off, IPC not.
@test "cycles and instructions at the rates of the emulator's README" {
	[ "$TD_MACHINE" != hidden ] || skip "no PMU"
	"$TDSTAT" -a --no-merge -e '{cycles,instructions}' -x, -o out -- sleep 1
	awk -F, '
	$4 ~ /cycles/ { c[$1] = $2; ghz[$1] = $2 / $5 }
	$4 ~ /instructions/ {
		atom = $4 ~ /atom|lowpower/ || "'"$TD_MACHINE"'" ~ /cwf|adln/
		nr++
		if (ghz[$1] < (atom ? 1.9 : 2.85) || ghz[$1] > (atom ? 2.1 : 3.15)) wrong++
		if ($2 / c[$1] < (atom ? 0.99 : 1.49) || $2 / c[$1] > (atom ? 1.01 : 1.51)) wrong++
	}
	END { print nr, wrong; exit !(nr && !wrong) }' out || { cat out; false; }
}

@test "a counter that overflows interrupts" {
	[ "$TD_MACHINE" != hidden ] || skip "no PMU"
	perf_or_skip
	"$PERF" record -q -c 100000000 -e cycles -o data sh -c "$WORK"
	[ "$("$PERF" script -i data -F ip | wc -l)" -gt 2 ]
}

# The made-up rates of its events have nothing to do with each other.
@test "Zen 4: level 1 that does not add up is marked, and has no verdict" {
	[ "$TD_MACHINE" = zen4 ] || skip "another processor"
	"$TDSTAT" -l 1 -o out -- sh -c "$WORK; $WORK; $WORK; $WORK"
	cat out
	[ "$(grep -cE '^ +[0-9.]+ (±[0-9.]+ )?%  [a-z_]+  \?( |$)' out)" = 5 ]
	sum=$(awk '/%  [a-z_]+  \?( |$)/ { sum += $1 } END { print sum }' out)
	said=$(sed -n 's/^ Cannot rank these nodes: level 1 adds up to \([0-9.]*\) % of the slots$/\1/p' out)
	awk -v a="$sum" -v b="$said" 'BEGIN { exit !(b != "" && a - b < 0.3 && b - a < 0.3) }'
	grep -x ' What next:  tdstat doctor looks for the cause' out
	run ! grep -E 'Biggest loss|tdstat locate' out
}

@test "Zen: a level that does not exist: the error names the deepest one" {
	[[ $TD_MACHINE == zen* ]] || skip "another processor"
	run -0 --separate-stderr "$TDSTAT" --td-level 3 -- true
	# shellcheck disable=SC2154 # of run
	echo "$stderr"
	[[ $stderr == *"cpu (Zen): there is only level 2"* ]]
	[[ $stderr != *"not an Intel processor"* ]]
	run -0 --separate-stderr "$TDSTAT" --td-level 2 -o out -- true
	[[ $stderr != *"there is only"* ]]
}

@test "Darkmont: levels 1 and 2 without turns, and its share of the slots" {
	[[ $TD_MACHINE == ptl || $TD_MACHINE == cwf ]] || skip "another processor"
	run -0 --separate-stderr "$TDSTAT" -a -l 2 -x, -o out --timeout 300
	[ -z "$stderr" ]
	awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$3 != "cpu_core" {
		nr++
		if ($column["running"] != "100.00" || !$column["share"]) wrong++
		for (i in wanted) if ($column[wanted[i]] == "") wrong++
	}
	BEGIN { split("tma_retiring tma_core_bound tma_resource_bound tma_ifetch_latency tma_branch_mispredicts", wanted, " ") }
	END { exit !(nr == 1 && !wrong) }' out || { cat out; false; }
}
