#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# System calls of what is done often.

load helper.bash

@test "a table is written as a whole, not word by word" {
	needs_software_events
	strace -qq -e trace=write -o writes "$TDSTAT" -e task-clock -- true
	run -0 grep -c '^write(2,' writes
	[ "$output" -le 2 ]
}
