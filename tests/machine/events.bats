#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The event language: what tdstat would open is what perf opens, for the strings
# of events.txt, but for those of differences.txt.  Few CPUs, because both
# programs begin a thousand times.
# release: adl --smp 2,sockets=1,cores=2,threads=1 --cores 1
# release: lnl --smp 2,sockets=1,cores=2,threads=1 --cores 1
# release: spr --smp 2,sockets=1,cores=1,threads=2
# release: skx --smp 2,sockets=1,cores=1,threads=2

load helper

setup() {
	emulated
	perf_or_skip
	cd "$BATS_TEST_TMPDIR" || return
}

# attrs SUBJECT: see attrs.py
attrs() {
	PERF=$PERF python3 "$BATS_TEST_DIRNAME/attrs.py" compare "$1"
}

hybrid() {
	[ -e /sys/bus/event_source/devices/cpu_core ]
}

@test "every difference is one of a string in the list" {
	python3 "$BATS_TEST_DIRNAME/attrs.py" check
}

@test "hardware events" {
	attrs hardware
}

@test "software events" {
	attrs software
}

@test "cache events" {
	attrs cache
}

@test "raw events" {
	attrs raw
}

@test "terms of a PMU" {
	attrs terms
}

@test "names in a PMU, names with terms" {
	attrs names
}

@test "events of sysfs, with other terms too" {
	attrs sysfs
}

@test "modifiers" {
	attrs modifiers
}

@test "groups" {
	attrs groups
}

@test "breakpoints" {
	attrs breakpoints
}

@test "tracepoints" {
	attrs tracepoints
}

@test "type:config" {
	attrs numeric
}

@test "other PMUs, and globs of their names" {
	attrs PMUs
}

@test "events of the model's event files" {
	attrs 'event files'
}

@test "top-down groups" {
	[ "$TD_MACHINE" != skx ] || skip "no slots"
	attrs top-down
}

@test "slots first, in perf's own cases" {
	[ "$TD_MACHINE" != skx ] || skip "no slots"
	attrs order
}

# The umask of newer processors than this kernel knows is in two pieces.
@test "a format in two ranges" {
	hybrid || skip "one model is enough"
	"$BATS_TEST_DIRNAME/../save-machine" saved
	for pmu in cpu_core cpu_atom; do
		echo config:8-15,40-47 >saved/sys/bus/event_source/devices/$pmu/format/umask
	done
	SYSFS_PATH=$PWD/saved/sys attrs ranges
}
