# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # BURN
# Waiting in tests.  A test waits for an event, and never for a time that is "long
# enough": another machine is slower.  The limits only end what hangs, so they are far
# longer than any machine needs.

# Seconds until something is considered hung.
: "${TD_HANGS:=600}"
export TD_HANGS

# pause SECONDS: sleep without starting a process.  $! stays as it is.
pause() {
	local fifo=$BATS_RUN_TMPDIR/never

	# it has a writer that never writes, so reading never ends
	[ -n "${never-}" ] || {
		[ -p "$fifo" ] || mkfifo "$fifo" || true
		exec {never}<>"$fifo"
	}
	read -rt "$1" -u "$never" || true
}

# wait_for COMMAND [ARG...]: until it succeeds; conditions in bash start no process
wait_for() {
	local begin=$SECONDS

	until "$@"; do
		if [ $((SECONDS - begin)) -ge "$TD_HANGS" ]; then
			echo "never: $*" >&2
			return 1
		fi
		pause 0.02
	done
}

# wait_for_file FILE: until it exists
wait_for_file() {
	wait_for test -e "$1"
}

# Conditions for wait_for.

# has_lines FILE N: it has at least N complete lines
has_lines() {
	local text

	{ mapfile text <"$1"; } 2>/dev/null || return
	[ ${#text[@]} = 0 ] || [[ ${text[-1]} == *$'\n' ]] || unset 'text[-1]'
	[ ${#text[@]} -ge "$2" ]
}

# FILE REGEX
has_text() {
	local text

	{ IFS= read -rd '' text <"$1"; } 2>/dev/null || true
	[[ ${text-} =~ $2 ]]
}

# PID: gone, or a zombie
has_ended() {
	local stat

	! { read -r stat <"/proc/$1/stat"; } 2>/dev/null || [[ $stat == *') Z '* ]]
}

# PID: waits for something
sleeps() {
	local stat

	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null && [[ $stat == *') S '* ]]
}

# PID: has opened events
has_events() {
	local links

	links=$(readlink "/proc/$1/fd"/*) || true
	[[ $links == *'anon_inode:[perf_event]'* ]]
}

# within COMMAND [ARG...]: what hangs ends with status 124
within() {
	timeout "$TD_HANGS" "$@"
}

# "${BURN[@]}" MS: a command that uses so much CPU time, however long that takes
BURN=(/usr/bin/python3 -S -c 'import sys, time
while time.process_time() * 1000 < float(sys.argv[1]): pass')
