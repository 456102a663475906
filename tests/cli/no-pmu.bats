#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Machines that can count nothing, or only a part: one line says why, and one
# what to do.

# shellcheck disable=SC2086,SC2154 # lists of options; helper.bash
load helper

# A machine without any PMU of its cores, as this one may be.
no_pmu() {
	copied skylakex
	rm -r "$devices/cpu"
}

@test "no PMU: a line why, a line what to do" {
	no_pmu
	for how in '' '-a' '-a -I1000' '--dry-run' '-x, -a' '-j -a'; do
		try "$TDSTAT" $how
		assert_failure 1
		assert_why_and_remedy PMU
		assert_output ''
	done
}

@test "no PMU, no /sys/bus/event_source at all" {
	no_pmu
	rm -r "$devices"
	try "$TDSTAT" -a
	assert_failure 1
	assert_why_and_remedy PMU
}

@test "no PMU: the command runs anyway, no file is made" {
	no_pmu
	try "$TDSTAT" -- touch ran
	assert_runs_all_the_same PMU .
	[ -e ran ]
	try "$TDSTAT" --require -- touch made
	assert_failure 125
	assert_why_and_remedy PMU
	try "$TDSTAT" record -o made -a
	assert_failure 1
	try "$TDSTAT" -o made -a
	assert_failure 1
	[ ! -e made ]
}

@test "here, if this machine has no PMU: the same" {
	! ls -d /sys/bus/event_source/devices/cpu /sys/bus/event_source/devices/cpu_* 2>/dev/null ||
		skip "this machine has one"
	try "$TDSTAT" -x, -- touch ran
	assert_runs_all_the_same . .
	for how in '' '-a -I1000'; do
		try "$TDSTAT" $how
		assert_failure 1
		assert_why_and_remedy .
		assert_output ''
	done
	[ -e ran ]
}

@test "a virtual machine without a PMU: its host is what to look at" {
	no_pmu
	grep -q '^flags.* hypervisor' "$PROCFS_PATH/cpuinfo"
	try "$TDSTAT" -a
	assert_why_and_remedy . 'host'
	sed -i 's/ hypervisor//' "$PROCFS_PATH/cpuinfo"
	try "$TDSTAT" -a
	assert_failure 1
	assert_why_and_remedy .
	[[ $stderr != *host* ]]
}

@test "AMD before Zen 4: says that it is not for it" {
	copied skylakex
	rm "$devices"/cpu/events/topdown-*
	sed -i 's/GenuineIntel/AuthenticAMD/' "$PROCFS_PATH/cpuinfo"
	identity 25 33 0
	try "$TDSTAT" -a
	assert_failure 1
	assert_why_and_remedy . 'AMD.*Zen 4'
}

@test "a kernel that does not know the processor: says which one does" {
	copied meteorlake
	rm -r "$devices/cpu_atom" "$devices"/cpu_core/{events/topdown-*,events/slots,cpus}
	mv "$devices/cpu_core" "$devices/cpu"
	echo 6.1.0-50-amd64 >"$PROCFS_PATH/sys/kernel/osrelease"
	try "$TDSTAT" -a
	assert_failure 1
	assert_why_and_remedy '6\.1\.0-50-amd64.*Meteor Lake' 'Linux 6\.[0-9]+'
}

@test "two kinds of core behind one PMU: no formula is right, whatever sysfs lists" {
	copied alderlake
	rm -r "$devices/cpu_atom" "$devices/cpu_core/cpus"
	mv "$devices/cpu_core" "$devices/cpu"
	try "$TDSTAT" --dry-run -a
	assert_failure 1
	assert_why_and_remedy 'Alder Lake'
}

@test "a PMU without top-down events is left out, and said once" {
	copied alderlake
	rm "$devices"/cpu_atom/events/topdown-*
	for how in '' '-l 1'; do
		try "$TDSTAT" --dry-run -a $how
		assert_success
		refute_output --partial 'type 10'
		assert_output --partial cpu_core/topdown-retiring/
		assert_equal "$(grep -c cpu_atom <<<"$stderr")" 1
	done
}

@test "SLOTS alone is not enough" {
	copied sapphirerapids
	rm "$devices"/cpu/events/topdown-*
	try "$TDSTAT" --dry-run -a
	assert_failure 1
	assert_why_and_remedy topdown
}

@test "the fields of PERF_METRICS without SLOTS are not opened" {
	copied sapphirerapids
	rm "$devices/cpu/events/slots"
	try "$TDSTAT" --dry-run -a
	refute_output --partial 0x8000
}

@test "four fields only: the other four are never opened" {
	copied sapphirerapids
	rm "$devices"/cpu/events/topdown-{heavy-ops,br-mispredict,fetch-lat,mem-bound}
	try events -a
	assert_success
	assert_line "cpu/topdown-be-bound/ 4 0x8300"
	for umask in 84 85 86 87; do
		refute_output --partial "0x${umask}00"
	done
}

@test "all cores of a kind are off: their PMU is left out" {
	copied alderlake
	echo >"$devices/cpu_atom/cpus"
	echo 0-3 >"$SYSFS_PATH/devices/system/cpu/online"
	for how in -a '-- true' ''; do
		try "$TDSTAT" --dry-run $how
		assert_success
		refute_output --partial cpu_atom
		assert_output --partial cpu_core/topdown-retiring/
	done
	: >"$devices/cpu_atom/cpus"
	try events -a
	assert_success
	refute_output --partial cpu_atom
	# the only kind that is wanted
	try "$TDSTAT" --dry-run -a --cputype atom
	assert_failure 1
	assert_complains atom
}

@test "a CPU that is offline is not counted on, and cannot be asked for" {
	copied alderlake
	echo 0-2,4-7 >"$SYSFS_PATH/devices/system/cpu/online"
	try "$TDSTAT" --dry-run -a
	assert_success
	assert_output --partial 'CPUs 0-2 '
	for cpus in 3 0-3 8 99; do
		try "$TDSTAT" --dry-run -C $cpus
		assert_failure 1
		assert_why_and_remedy '-C' '0-2,4-7'
	done
}

@test "files that make no sense: the file is named" {
	copied alderlake
	echo four >"$devices/cpu_core/type"
	try "$TDSTAT" --dry-run -a -l 1
	assert_failure 1
	assert_complains 'cpu_core/type'
	copied_again
	echo 0-x >"$devices/cpu_core/cpus"
	try "$TDSTAT" --dry-run -a -l 1
	assert_failure 1
	assert_complains 'cpu_core/cpus'
	copied_again
	echo event=0xzz >"$devices/cpu_core/events/topdown-retiring"
	try "$TDSTAT" --dry-run -a -l 1
	assert_failure 1
	assert_complains 'topdown-retiring'
	copied_again
	echo event=0x0,nosuchterm=1 >"$devices/cpu_core/events/topdown-retiring"
	try "$TDSTAT" --dry-run -a -l 1
	assert_failure 1
	assert_complains 'nosuchterm'
	copied_again
	echo 3-1 >"$SYSFS_PATH/devices/system/cpu/online"
	try "$TDSTAT" --dry-run -a -l 1
	assert_failure 1
	assert_complains 'cpu/online'
}

copied_again() {
	rm -r machine
	copied alderlake
}

@test "roots that are not there: the folder is named" {
	SYSFS_PATH=$PWD/nowhere try "$TDSTAT" --dry-run -a
	assert_failure 1
	assert_complains "$PWD/nowhere"
	PROCFS_PATH=$PWD/nowhere try "$TDSTAT" --dry-run -a
	assert_failure 1
	assert_complains "$PWD/nowhere"
}
