#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat doctor on saved machines: what each line says, and which command it has.
# tests/machine/doctor.bats is about counters; here only the last two tests count.

# shellcheck disable=SC2016,SC2154 # sh -c; helper.bash
load helper

# Files that tests/data does not have.
setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL TDSTAT_METRICS
}

# examine [OPTION...]: the page, and as JSON in "found"
as=()
examine() {
	try "${as[@]}" "$TDSTAT" doctor -j "$@"
	assert_no_stderr
	printf '%s' "$output" >found
	jq -e . found >/dev/null || fail "no JSON"
	try "${as[@]}" "$TDSTAT" doctor "$@"
	assert_no_stderr
}

# says NAME STATE TEXT: a finding of this name has this state, and the text in it
says() {
	jq -e --arg n "$1" --arg s "$2" --arg t "$3" \
		'[.findings[] | select(.name == $n and .state == $s and (.text | contains($t)))] | length == 1' found >/dev/null ||
		fail "no $1 that is $2 and says '$3': $(jq -c --arg n "$1" '.findings[] | select(.name == $n)' found)"
}

# advises NAME COMMAND: this is the command of the finding
advises() {
	assert_equal "$(jq -r --arg n "$1" '.findings[] | select(.name == $n).command // empty' found)" "$2"
}

watchdog_off() {
	echo 0 >"$PROCFS_PATH/sys/kernel/nmi_watchdog"
}

@test "all right: no warning, nothing has failed" {
	copied alderlake
	watchdog_off
	mkdir -p "$PROCFS_PATH/self"
	echo "cgroup2 $PWD cgroup2 rw 0 0" >"$PROCFS_PATH/self/mounts"
	echo 100000 >"$PROCFS_PATH/sys/kernel/perf_event_max_sample_rate"
	echo 0 >"$PROCFS_PATH/sys/kernel/perf_event_paranoid"
	sed -i 's/ hypervisor//' "$PROCFS_PATH/cpuinfo"
	for pmu in core atom; do echo 1 >"$devices/cpu_$pmu/rdpmc"; done
	examine
	says processor ok 'Alder Lake (GenuineIntel-6-97-2), CPUs 0-7'
	says hypervisor ok none
	says PMU ok 'cpu_core: CPUs 0-3, Golden Cove; slots and 8 fields of PERF_METRICS'
	says PMU ok 'cpu_atom: CPUs 4-7, Gracemont; 4 top-down events'
	says kernel ok 'which knows this processor'
	says rights ok 'whole machine'
	says rdpmc ok on
	says SMT ok off
	says watchdog ok off
	says 'level 1' ok 'cpu_core: 1 group, counted all of the time'
	says files ok 'alderlake: v1.'
	says cgroups ok "version 2 at $PWD"
	says limits ok '100000 samples'
	assert_equal "$(jq -r '.findings[] | select(.state == "warning" or .state == "failed").name' found)" ''
	assert_equal "$(grep -c ' try: ' <<<"$output")" "$(jq '[.findings[] | select(.command)] | length' found)"
	# a described machine has no counters: it was not shown that they work
	says self-test note 'not tried'
	assert_equal "$(jq .level_1 found)" false
	assert_equal "$status" 1
	assert_equal "${lines[-1]}" 'level 1 was not tried'
}

@test "no PMU; and in a virtual machine, whose host is what to look at" {
	copied sapphirerapids
	rm -r "$devices/cpu"
	sed -i 's/ hypervisor//' "$PROCFS_PATH/cpuinfo"
	examine
	assert_equal "$status" 1
	says PMU failed 'no PMU'
	assert_output --partial 'dmesg'
	[[ $output != *host* ]]
	assert_equal "${lines[-1]}" 'level 1 does not work: see what failed'
	saved sapphirerapids
	cp "$PROCFS_PATH/cpuinfo" machine/proc/cpuinfo
	use_machine "$PWD/machine"
	examine
	says hypervisor note 'virtual machine'
	says PMU failed 'no PMU'
	assert_output --regexp 'its host has to give it a[[:space:]]+virtual PMU'
}

@test "the kernel does not know the processor: which one does" {
	copied meteorlake
	rm -r "$devices/cpu_atom" "$devices"/cpu_core/{events/topdown-*,events/slots,cpus}
	mv "$devices/cpu_core" "$devices/cpu"
	echo 6.1.0-50-amd64 >"$PROCFS_PATH/sys/kernel/osrelease"
	examine
	says kernel failed 'Linux 6.1.0-50-amd64 does not know this processor (Meteor Lake)'
	says 'level 1' failed 'Meteor Lake'
	assert_output --regexp 'Linux 6\.1[0-9]+ does'
}

@test "the watchdog: off with a command, and in the reason why groups take turns" {
	copied alderlake
	echo 1 >"$PROCFS_PATH/sys/kernel/nmi_watchdog"
	examine
	says watchdog warning 'holds a counter'
	advises watchdog 'sysctl kernel.nmi_watchdog=0'
	says 'level 2' note 'cpu_atom: 2 groups, each counted 50 % of the time, because its 6 general counters'
	assert_output --partial 'the NMI'
	# the words of --dry-run are the same
	try "$TDSTAT" --dry-run -a -l 2
	says 'level 2' note "$(grep '^cpu_atom: ' <<<"$output")"
	watchdog_off
	examine
	says watchdog ok off
	advises watchdog ''
	jq -e '[.findings[].text] | any(contains("watchdog holds")) | not' found
}

@test "hyper-threading on Skylake, and where it does not matter" {
	copied skylakex
	echo 1 >"$SYSFS_PATH/devices/system/cpu/smt/active"
	examine
	says SMT warning 'the two threads of a core share its slots'
	advises SMT 'echo off > /sys/devices/system/cpu/smt/control'
	echo 0 >"$SYSFS_PATH/devices/system/cpu/smt/active"
	examine
	says SMT ok off
	saved sapphirerapids
	examine
	says SMT ok on
	advises SMT ''
}

@test "perf_event_paranoid 4, for a user without rights" {
	copied alderlake
	echo 4 >"$PROCFS_PATH/sys/kernel/perf_event_paranoid"
	setpriv --bounding-set=-perfmon,-sys_admin --inh-caps=-perfmon,-sys_admin true 2>/dev/null ||
		[ "$(id -u)" -ne 0 ] || skip "cannot give up rights"
	real=$TDSTAT
	export real
	cat >drop <<-'SCRIPT'
		#!/bin/sh
		[ "$(id -u)" -ne 0 ] || exec setpriv --bounding-set=-perfmon,-sys_admin --inh-caps=-perfmon,-sys_admin "$real" "$@"
		exec "$real" "$@"
	SCRIPT
	chmod +x drop
	TDSTAT=$PWD/drop examine
	says rights warning 'kernel.perf_event_paranoid is 4: '
	says rights warning 'only root'
	advises rights 'sysctl kernel.perf_event_paranoid=0'
	# above 2, Debian's kernel does not look at the capability
	[[ $output != *setcap* ]]
	echo 2 >"$PROCFS_PATH/sys/kernel/perf_event_paranoid"
	TDSTAT=$PWD/drop examine
	says rights warning 'user space only'
	# whole on a line of its own, to be pasted
	assert_line --regexp "^ +or: +setcap cap_perfmon\+ep $(readlink -f "$real")\$"
}

@test "files that are missing, not readable, or of another model" {
	saved alderlake
	mkdir empty
	examine --metrics-dir empty
	says files warning 'neither a mapfile.csv nor event files'
	says 'level 1' failed 'neither a mapfile.csv'
	printf 'Family-model,Version,Filename,EventType\nGenuineIntel-6-8F,v9,spr,core\n' >empty/mapfile.csv
	TDSTAT_METRICS=$PWD/empty examine
	says files warning 'has no events of GenuineIntel-6-97-2'
	# without any, beside the program or installed, the tree has the built-in levels
	cp "$TDSTAT" .
	[ ! -e /usr/local/share/tdstat/pmu-events ] || skip "files are installed"
	TDSTAT=$PWD/tdstat examine
	says files warning 'No such file'
	says 'level 2' ok 'cpu_core: 1 group, counted all'
	says 'level 3' note 'cpu_core (Golden Cove): there are no metric files for it'
}

@test "rdpmc, the rate of samples, what is mounted: each with its command" {
	copied sapphirerapids
	rm -rf "$devices/intel_pt"
	echo 0 >"$devices/cpu/rdpmc"
	echo 250 >"$PROCFS_PATH/sys/kernel/perf_event_max_sample_rate"
	mkdir -p "$PROCFS_PATH/self"
	: >"$PROCFS_PATH/self/mounts"
	examine
	says rdpmc warning off
	advises rdpmc 'echo 1 | tee /sys/bus/event_source/devices/cpu*/rdpmc'
	says limits warning '250 samples a second'
	says cgroups note 'no cgroup file system is mounted'
	advises cgroups 'mount -t cgroup2 none /sys/fs/cgroup'
	says tracefs note 'not mounted'
	advises tracefs 'mount -t tracefs tracefs /sys/kernel/tracing'
	says calls note 'cannot be counted by probes at functions'
	says calls note 'this machine has no Processor Trace'
	# fewer descriptors than the counters of all CPUs take
	(
		ulimit -n 100
		as=(no_raise)
		examine
		says limits warning '100 open files'
		jq -e '[.findings[].command // ""] | any(test("^ulimit -n [0-9]+$"))' found
	)
}

@test "names that would control the terminal, or end a JSON string" {
	copied alderlake
	mv "$devices/cpu_atom" "$devices/"$'cpu_"\033[1m'
	printf '6.12\033[2J"' >"$PROCFS_PATH/sys/kernel/osrelease"
	examine
	[[ $output == *'cpu_"\x1b[1m: '* && $output == *'Linux 6.12\x1b[2J"'* ]]
	[[ $output != *$'\033'* ]]
	[[ $(<found) != *$'\033'* ]]
	jq -e '[.findings[].text] | any(contains("cpu_\"\u001b[1m: "))' found
}

@test "no arguments, wrong options, a full disk" {
	saved alderlake
	try "$TDSTAT" doctor now
	assert_equal "$status" 64
	assert_complains 'takes no arguments'
	try "$TDSTAT" doctor -a
	assert_equal "$status" 64
	[ -e /dev/full ] || return 0
	try sh -c '"$TDSTAT" doctor >/dev/full'
	assert_equal "$status" 1
	assert_complains 'cannot write standard output'
}

@test "roots that are not there: an error of one line" {
	SYSFS_PATH=$PWD/nowhere try "$TDSTAT" doctor
	assert_equal "$status" 1
	[[ $output$stderr == *nowhere* ]]
}

# Half of the "slots" retire, whatever runs (helper.bash).
@test "counters that count the same for all loops: failed, though they add up" {
	needs_software_events
	examine
	assert_equal "$status" 1
	says self-test ok 'level 1 is counted and adds up to 100.0 %'
	says self-test failed 'the counters do not tell the loops apart'
	jq -e '(.level_1 | not) and (.self_test | length == 3) and
		all(.self_test[]; .passed == false and (.retiring - 50 | fabs) < 5)' found
	assert_equal "$(jq -c '[.self_test[].loop]' found)" '["retiring","mispredict","chase"]'
}

@test "counters that do not add up, or count nothing: failed" {
	needs_software_events
	# a dummy event counts 0
	echo event=9 >"$devices/cpu/events/topdown-retiring"
	examine
	assert_equal "$status" 1
	says self-test failed 'with 0.0 % retiring'
	# and what the kernel refuses is its error
	echo event=200 >"$devices/cpu/events/topdown-retiring"
	examine
	assert_equal "$status" 1
	jq -e '[.findings[] | select(.name == "self-test" and .state == "failed")] | length == 1' found
	assert_equal "$(jq '.self_test | length' found)" 0
}

@test "half a second, and it may run where it could before" {
	needs_software_events
	begin=$(date +%s%N)
	try taskset -c 0 "$TDSTAT" doctor -j
	taken_ms=$((($(date +%s%N) - begin) / 1000000))
	[ "$taken_ms" -ge 490 ]
	[ "$(jq -r '.self_test[0].cpu' <<<"$output")" -eq 0 ]
}
