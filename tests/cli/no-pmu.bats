#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Machines that cannot count, or only in part: a line with the reason, and one with the
# remedy.

# shellcheck disable=SC2154 # helper.bash
load helper
load runs

# A machine without any PMU of its cores, as this one may be.
no_pmu() {
	copied skylakex
	rm -r "$devices/cpu"
}

@test "no PMU: a line with the reason, and one with the remedy" {
	no_pmu
	python <<-'PYTHON'
		for how in "", "-a", "-a -I1000", "--dry-run", "-x, -a", "-j -a":
		    run = Run(*how.split())
		    run.has_status(1)
		    run.why_and_remedy("PMU")
		    run.expect(not run.out, "output")
	PYTHON
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
	python <<-'PYTHON'
		Run("--", "touch", "ran").runs_all_the_same("PMU", ".")
		take("ran")
		run = Run("--require", "--", "touch", "made")
		run.has_status(125)
		run.why_and_remedy("PMU")
		Run("record", "-o", "made", "-a").has_status(1)
		run = Run("-o", "made", "-a")
		run.has_status(1)
		run.expect(not os.path.exists("made"), "a file")
	PYTHON
}

@test "here, if this machine has no PMU: the same" {
	for pmu in /sys/bus/event_source/devices/cpu /sys/bus/event_source/devices/cpu_*; do
		[ ! -e "$pmu" ] || skip "this machine has one"
	done
	python <<-'PYTHON'
		Run("-x,", "--", "touch", "ran").runs_all_the_same(".", ".")
		take("ran")
		for how in [], ["-a", "-I1000"]:
		    run = Run(*how)
		    run.has_status(1)
		    run.why_and_remedy(".")
		    run.expect(not run.out, "output")
	PYTHON
}

@test "a virtual machine without a PMU: the remedy is on its host" {
	no_pmu
	has_text "$PROCFS_PATH/cpuinfo" $'\nflags[^\n]* hypervisor'
	try "$TDSTAT" -a
	assert_why_and_remedy . 'host'
	sed -i 's/ hypervisor//' "$PROCFS_PATH/cpuinfo"
	try "$TDSTAT" -a
	assert_failure 1
	assert_why_and_remedy .
	[[ $stderr != *host* ]]
}

@test "AMD before Zen 4: not supported, with a message" {
	copied skylakex
	rm "$devices"/cpu/events/topdown-*
	sed -i 's/GenuineIntel/AuthenticAMD/' "$PROCFS_PATH/cpuinfo"
	identity 25 33 0
	try "$TDSTAT" -a
	assert_failure 1
	assert_why_and_remedy . 'AMD.*Zen 4'
}

@test "a kernel that does not know the processor: the message names one that does" {
	copied meteorlake
	rm -r "$devices/cpu_atom" "$devices"/cpu_core/{events/topdown-*,events/slots,cpus}
	mv "$devices/cpu_core" "$devices/cpu"
	echo 6.1.0-50-amd64 >"$PROCFS_PATH/sys/kernel/osrelease"
	try "$TDSTAT" -a
	assert_failure 1
	assert_why_and_remedy '6\.1\.0-50-amd64.*Meteor Lake' 'Linux 6\.[0-9]+'
}

@test "two core types as one PMU: no formula is right, even if sysfs lists events" {
	copied alderlake
	rm -r "$devices/cpu_atom" "$devices/cpu_core/cpus"
	mv "$devices/cpu_core" "$devices/cpu"
	try "$TDSTAT" --dry-run -a
	assert_failure 1
	assert_why_and_remedy 'Alder Lake'
}

@test "a PMU without top-down events is left out, with one note" {
	copied alderlake
	rm "$devices"/cpu_atom/events/topdown-*
	python <<-'PYTHON'
		for how in [], ["-l", "1"]:
		    run = Run("--dry-run", "-a", *how)
		    run.has_status(0)
		    run.expect("type 10" not in run.out and "cpu_core/topdown-retiring/" in run.out, "other events")
		    run.expect(len([line for line in run.err.splitlines() if "cpu_atom" in line]) == 1, "not said once")
	PYTHON
}

@test "SLOTS without other events is not enough" {
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

@test "all cores of a type are offline: their PMU is left out" {
	copied alderlake
	echo >"$devices/cpu_atom/cpus"
	echo 0-3 >"$SYSFS_PATH/devices/system/cpu/online"
	python <<-'PYTHON'
		for how in ["-a"], ["--", "true"], []:
		    run = Run("--dry-run", *how)
		    run.has_status(0)
		    run.expect("cpu_atom" not in run.out and "cpu_core/topdown-retiring/" in run.out, "other events")
		# the only kind that is wanted
		run = Run("--dry-run", "-a", "--cputype", "atom")
		run.has_status(1)
		run.complains("atom")
		# the kernel writes an empty line, and no empty file
		put(os.environ["SYSFS_PATH"] + "/bus/event_source/devices/cpu_atom/cpus", "")
		run = Run("--dry-run", "-a")
		run.has_status(1)
		run.complains("cpu_atom/cpus: ")
	PYTHON
}

@test "a CPU that is offline is not counted on, and cannot be asked for" {
	copied alderlake
	echo 0-2,4-7 >"$SYSFS_PATH/devices/system/cpu/online"
	python <<-'PYTHON'
		run = Run("--dry-run", "-a")
		run.has_status(0)
		run.expect("CPUs 0-2 " in run.out, "other CPUs")
		for cpus in "3", "0-3", "8", "99":
		    run = Run("--dry-run", "-C", cpus)
		    run.has_status(1)
		    run.why_and_remedy("-C", "0-2,4-7")
	PYTHON
}

@test "files that make no sense: the file is named" {
	copied alderlake
	python <<-'PYTHON'
		sysfs = os.environ["SYSFS_PATH"]
		core = sysfs + "/bus/event_source/devices/cpu_core"
		for path, text, named in ((core + "/type", "four", "cpu_core/type"),
		                          (core + "/cpus", "0-x", "cpu_core/cpus"),
		                          (core + "/events/topdown-retiring", "event=0xzz", "topdown-retiring"),
		                          (core + "/events/topdown-retiring", "event=0x0,nosuchterm=1", "nosuchterm"),
		                          (sysfs + "/devices/system/cpu/online", "3-1", "cpu/online")):
		    whole = contents(path)
		    put(path, text + "\n")
		    run = Run("--dry-run", "-a", "-l", "1")
		    run.has_status(1, what=text)
		    run.complains(named, what=text)
		    put(path, whole)
		Run("--dry-run", "-a", "-l", "1").has_status(0)
	PYTHON
}

@test "roots that are not there: the directory is named" {
	SYSFS_PATH=$PWD/nowhere try "$TDSTAT" --dry-run -a
	assert_failure 1
	assert_complains "$PWD/nowhere"
	PROCFS_PATH=$PWD/nowhere try "$TDSTAT" --dry-run -a
	assert_failure 1
	assert_complains "$PWD/nowhere"
}
