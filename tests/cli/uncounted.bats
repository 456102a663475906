#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The note "much of the command was not counted" comes for programs with more
# rights than their user, and for no others.  Uses software events.

# shellcheck disable=SC2016,SC2154 # sh -c; helper.bash
load helper

NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# Make a directory that no user may read, with tdstat and a set-uid program.
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
FORKS='i=0; while [ $i -lt 1000 ]; do (:); i=$((i + 1)); done'
SOME_FORKS='i=0; while [ $i -lt 50 ]; do (:); i=$((i + 1)); done'

# Their counters begin and end inside fork and exit: up to a third is not seen.  Root's
# counters are not taken away, so it is a user's run.
@test "a command that forks all the time is not taken for one with more rights, on a machine with more to do" {
	needs_software_events
	user=("$TDSTAT")
	if [ "$(id -u)" -eq 0 ]; then
		as_nobody
		user=("${NOBODY[@]}" ./tdstat)
	fi
	loops=()
	for ((n = $(nproc) * 2; n > 0; n--)); do
		sh -c 'while :; do :; done' 3>&- &
		loops+=($!)
	done
	try "${user[@]}" -e task-clock:u -- sh -c "$FORKS"
	kill "${loops[@]}"
	assert_success
	[[ $stderr != *"was not counted"* ]]
}

# The tolerance for forks depends on the duration of the first one: a slow machine needs
# more work to exceed it.
@test "a set-uid program of a user without privileges: one note" {
	as_nobody
	for command in "./shell -p work" "exec ./shell -p work" "./shell -p work; $SOME_FORKS"; do
		for rounds in 400000 4000000 40000000; do
			echo "i=0; while [ \$i -lt $rounds ]; do i=\$((i + 1)); done" >work
			try "${NOBODY[@]}" ./tdstat -e task-clock:u -- sh -c "$command"
			assert_success
			[[ $stderr != *'much of the command was not counted: '*set-uid* ]] || break
		done
		rest=${stderr#*'much of the command was not counted: '}
		[[ $rest != "$stderr" && $rest == *set-uid* && $rest != *'was not counted'* ]]
	done
}
