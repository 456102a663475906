#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Files of the kernel that are empty, binary, endless, missing or wrong: no
# crash, bounded time and memory, a message that names the file or the event,
# and no tree of events that do not exist.

# shellcheck disable=SC2154 # helper.bash
load helper

# asks: run the check NAME of sysfs.py, which contains the errors.
asks() {
	PYTHONDONTWRITEBYTECODE=1 python3 "$here/sysfs.py" "$1"
}

@test "each file that a tree needs, in each bad state" {
	copied alderlake
	asks tree
}

@test "each file of the machine, in each bad state: named, or not needed" {
	copied alderlake
	asks machine
}

@test "a FIFO without a writer does not block tdstat" {
	copied alderlake
	asks fifo
}

@test "CPUs that do not exist, too many, reversed, overlapping" {
	copied alderlake
	asks cpus
}

@test "the type: not a number, negative, too large, of another PMU" {
	copied alderlake
	asks types
}

@test "formats: overlapping bits, too many, unknown words" {
	copied alderlake
	asks formats
}

@test "an event's text: too large for its bits, no term" {
	copied alderlake
	asks texts
}

@test "an invalid scale and unit" {
	needs_software_events -a
	echo event=0 >"$devices/cpu/events/clock"
	asks scales
}
