#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Metrics that combine counts of different places: cores, packages, units of an uncore,
# clocks.  places.py makes recordings of machines that are known, and computes what each
# row is to show from what they are, not from formulas.

# shellcheck disable=SC2154 # helper.bash
load helper

@test "two sockets: each row is of its own places" {
	python3 -S "$here/places.py" server
}

@test "two sockets of two dies" {
	python3 -S "$here/places.py" dies
}

@test "a hybrid of 4 and 8 CPUs: each core type has its own" {
	python3 -S "$here/places.py" hybrid
}

@test "formulas of other models" {
	python3 -S "$here/places.py" models
}

@test "some CPUs: a metric of events on other CPUs has no value" {
	python3 -S "$here/places.py" cpus
}

@test "a cgroup on some of the CPUs" {
	python3 -S "$here/places.py" cgroups
}

@test "programs: threads that run for a part of the time, on one core type and on two" {
	python3 -S "$here/places.py" programs
}

@test "why there is no value: a unit is larger than the row, a count is of all core types" {
	python3 -S "$here/places.py" reasons
}

# Alder Lake, 4 + 4 CPUs, with the PMUs that count on all CPUs, and on one for the package
with_units() {
	local pmu nr=20

	copied alderlake
	for pmu in msr power cstate_pkg; do
		mkdir -p "$devices/$pmu"/{events,format}
		echo $((nr++)) >"$devices/$pmu/type"
		echo config:0-63 >"$devices/$pmu/format/event"
		[ $pmu = msr ] || echo 0 >"$devices/$pmu/cpumask"
	done
	nr=0
	for pmu in msr/events/{tsc,aperf,mperf,pperf,smi} power/events/energy-pkg cstate_pkg/events/c6-residency; do
		echo event=$((nr++)) >"$devices/$pmu"
	done
}

@test "a hybrid: events of the kernel are counted on the CPUs of the metric's core type" {
	with_units
	checks <<-'PYTHON'
		def where(options):
		    """The CPUs of each event that the kernel counts on all."""
		    found = []
		    for line in plan(options).splitlines():
		        if match := re.match(r"group .*, CPUs ([0-9,-]+)", line):
		            cpus = match[1]
		        elif line.split()[0].startswith(("msr/", "context-switches", "cpu-clock")):
		            found.append((line.split()[0], cpus))
		    return sorted(found)

		# all of it for events without a core type; one core type for ratios with
		# its counts
		same(where("-a -M lpm_cs_rate,lpm_cs_cycles,smi_cycles,cycles_frequency"), sorted([
		    ("context-switches", "0-7"), ("context-switches/cpu=cpu_core/", "0-3"), ("context-switches/cpu=cpu_atom/", "4-7"),
		    ("cpu-clock/cpu=cpu_core/", "0-3"), ("cpu-clock/cpu=cpu_atom/", "4-7"),
		    ("msr/aperf,cpu=cpu_core/", "0-3"), ("msr/smi,cpu=cpu_core/", "0-3")]))
		# the one remaining core type is everything
		same(where("-a --cputype core -M lpm_cs_rate"), [("context-switches/cpu=cpu_core/", "0-3")])
	PYTHON
}

@test "-C without the CPU on which a package is counted: a note of the plan" {
	with_units
	try "$TDSTAT" --dry-run -C 4-7 -M C6_Pkg_Residency
	[ "$status" -eq 0 ]
	[[ $output == *"not counted: cstate_pkg counts only on CPU(s) 0, and -C contains none of them"* && $output != *", CPUs "* ]]
}

@test "-e: an event of a unit, on a machine without it and on one core type" {
	local none='this model has such an event, but this machine has no PMU that counts it'

	bare
	# UNC_M_CAS_COUNT.RD is in sapphirerapids/uncore-memory.json, UNC_CLOCK.SOCKET in alderlake/uncore-other.json
	for name in UNC_M_CAS_COUNT.RD unc_m_cas_count.rd; do
		try "$TDSTAT" list --model sapphirerapids --print "$name"
		assert_failure
		assert_equal "${stderr_lines[-1]}" "tdstat: $none"
	done
	try "$TDSTAT" list --model sapphirerapids --print UNC_M_CAS_COUNT.RX
	assert_equal "${stderr_lines[-1]}" "tdstat: tdstat list shows all events"
	with_units
	for name in cpu_core cpu_atom; do
		try "$TDSTAT" --dry-run -a -e "$name/UNC_CLOCK.SOCKET/"
		assert_failure
		assert_equal "${stderr_lines[0]}" "tdstat: $name has no term or event 'UNC_CLOCK.SOCKET'"
		assert_equal "${stderr_lines[-1]}" \
			"tdstat: this model has such an event, but not on $name: name it without a PMU"
	done
	try "$TDSTAT" --dry-run -a -e cpu_core/INST_RETIRED.ANX/
	[[ ${stderr_lines[-1]} == 'tdstat: its terms: '* ]]
}

@test "two sockets, counted by perf stat --per-core" {
	needs_wing import
	python3 -S "$here/places.py" perf
}
