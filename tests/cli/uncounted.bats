#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The note "much of the command was not counted" comes for programs with more
# rights than their user, and for no others.  Uses software events.

# shellcheck disable=SC2016,SC2154 # sh -c; helper.bash
load helper

NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# A folder that nobody can look into, with tdstat and a set-uid program.
as_nobody() {
	[ "$(id -u)" -eq 0 ] || skip "only root can become somebody else"
	needs_software_events
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR"
	cp "$TDSTAT" tdstat
	cp /bin/sh shell
	chmod 4755 shell
	[ "$("${NOBODY[@]}" ./shell -p -c 'id -u')" = 0 ] || skip "no set-uid programs here"
	"${NOBODY[@]}" ./tdstat -e task-clock:u -- true || skip "nobody may not count here"
}

# Shells that begin and end.
FORKS='i=0; while [ $i -lt 4000 ]; do (:); i=$((i + 1)); done'
SOME_FORKS='i=0; while [ $i -lt 50 ]; do (:); i=$((i + 1)); done'

# Their counters begin and end inside fork and exit: up to a third is not seen.
@test "a command that forks all the time is not taken for one with more rights" {
	needs_software_events
	try "$TDSTAT" -e task-clock -- sh -c "$FORKS"
	assert_success
	[[ $stderr != *"was not counted"* ]]
}

@test "nor if it is a user's without rights, on a machine with more to do" {
	as_nobody
	for ((n = $(nproc) * 2; n > 0; n--)); do
		sh -c 'while :; do :; done' 3>&- &
	done
	try "${NOBODY[@]}" ./tdstat -e task-clock:u -- sh -c "$FORKS"
	# shellcheck disable=SC2046
	kill $(jobs -p)
	assert_success
	[[ $stderr != *"was not counted"* ]]
}

@test "a set-uid program of a user without rights: said once" {
	as_nobody
	echo 'i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done' >work
	for command in "./shell -p work" "exec ./shell -p work" "./shell -p work; $SOME_FORKS"; do
		try "${NOBODY[@]}" ./tdstat -e task-clock:u -- sh -c "$command"
		assert_success
		assert_equal "$(grep -c 'much of the command was not counted: .*set-uid' <<<"$stderr")" 1
	done
}
