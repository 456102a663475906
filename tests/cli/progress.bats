#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The line of long work: on a terminal alone, and out of the way of everything else.
# shellcheck disable=SC2154 # what try sets
load helper

bats_require_minimum_version 1.5.0

# on_terminal COMMAND: what standard error gets as a terminal of 80 columns, in "screen"
on_terminal() {
	script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no script(1)"
	script -qec "stty cols 80 rows 24; export TERM=xterm; $1" /dev/null </dev/null >screen
}

# in_window WIDTH COMMAND: types it in a shell in a window of 20 lines; screen() shows that
in_window() {
	command -v tmux >/dev/null || skip "no tmux here"
	socket=$BATS_TEST_TMPDIR/tmux
	tmux -S "$socket" -f /dev/null new-session -d -x "$1" -y 20 'env PS1=prompt: sh'
	until_shown '^prompt:'
	tmux -S "$socket" send-keys "clear; $2" Enter
}

screen() {
	tmux -S "$socket" capture-pane -p | sed 's/ *$//'
}

# until_shown REGEX
until_shown() {
	for _ in {1..200}; do
		! screen | grep -Eq -e "$1" || return 0
		sleep 0.05
	done
	screen
	fail "never on the screen: $1"
}

teardown() {
	[ -z "${socket-}" ] || tmux -S "$socket" kill-server 2>/dev/null || true
	[ -n "$BATS_TEST_COMPLETED" ] || [ -z "${stderr-}" ] || printf 'stderr: %s\n' "$stderr"
}

@test "-r on a terminal: each run, and the time left after the first" {
	needs_software_events
	on_terminal "$TDSTAT -r 3 -e cpu-clock -- sleep 0.02"
	grep -o 'run [0-9] of 3[^'$'\r'']*' screen >got
	assert_same "$(printf 'run %s\n' '1 of 3' '2 of 3, about 1 s left' '3 of 3, about 1 s left')" "$(cat got)"
	# at the right edge: never in the last column, which some terminals wrap behind
	grep -o $'\e\\[[0-9]*Crun [^\r]*' screen | sed 's/^.\[\([0-9]*\)C\(.*\)$/\1 \2/' |
		while read -r from text; do
			assert_same 79 $((from + ${#text}))
		done
	# the last thing before the result is an empty line
	tr -d '\n' <screen | grep -q $'\r\e\\[K\r* *Performance counter stats'
}

@test "no line: in a file, for a dumb terminal, with --quiet, -v, -I, in a single run" {
	needs_software_events
	"$TDSTAT" -r 3 -e cpu-clock -- true 2>err
	run ! grep -q $'\e\|of 3' err
	for how in 'env TERM=dumb' 'env -u TERM'; do
		on_terminal "$how $TDSTAT -r 3 -e cpu-clock -- true"
		run ! grep -q 'of 3' screen
	done
	for option in --quiet -v '-I 10'; do
		on_terminal "$TDSTAT $option -r 3 -e cpu-clock -- true"
		run ! grep -q 'of 3' screen
	done
	on_terminal "$TDSTAT -e cpu-clock -- true"
	run ! grep -q 'run 1' screen
	# the terminal is somebody else's
	on_terminal "set -m; $TDSTAT -r 3 -e cpu-clock -- true & wait"
	run ! grep -q 'of 3' screen
}

@test "-r 0: the runs are counted" {
	needs_software_events
	on_terminal "timeout --foreground -s INT 1 $TDSTAT -r 0 -e cpu-clock -- sleep 0.05 || true"
	grep -q $'run 2\r' screen
	run ! grep -q 'left' screen
}

@test "what a command writes stays, with and without the end of a line" {
	needs_software_events
	in_window 60 "$TDSTAT -r 3 -e cpu-clock -- sh -c 'echo hello; printf dots...'; echo EN''D"
	until_shown '^END'
	screen >got
	# each run's own, whole, at the beginning of a line
	assert_same 3 "$(grep -cE '^hello( +run [123] of 3(, about [0-9]+ s left)?)?$' got)"
	assert_same 3 "$(grep -c '^dots\.\.\.$' got)"
	grep -q '^ Performance counter stats' got
}

@test "a quiet command: nothing of the line is left at the end" {
	needs_software_events
	in_window 60 "$TDSTAT -r 3 -e cpu-clock -- sleep 0.3; echo EN''D"
	until_shown 'run [23] of 3, about 1 s left$'
	until_shown '^END'
	screen >got
	run ! grep 'of 3' got
	grep -q '^ Performance counter stats' got
}

@test "a narrow window: less, or nothing" {
	needs_software_events
	in_window 20 "$TDSTAT -r 3 -e cpu-clock -- sleep 1; echo EN''D"
	until_shown '^ +run 2 of 3$'
	until_shown '^END'
	tmux -S "$socket" kill-server
	in_window 9 "$TDSTAT -r 3 -e cpu-clock -- sleep 0.1; echo EN''D"
	until_shown '^END'
	run ! grep 'of 3' <(screen)
}

@test "^C leaves a clean line" {
	needs_software_events
	in_window 60 "$TDSTAT -r 10 -e cpu-clock -- sleep 30"
	until_shown 'run 1 of 10$'
	tmux -S "$socket" send-keys C-c
	until_shown 'seconds time elapsed'
	until_shown '^prompt:'
	screen >got
	run ! grep 'of 10' got
	assert_same prompt: "$(grep . got | tail -n 1)"
}

@test "a command that is not there: the message alone" {
	needs_software_events
	in_window 60 "$TDSTAT -r 10 -e cpu-clock -- /nonexistent; echo EN''D"
	until_shown '^END'
	assert_same "$(printf 'tdstat: /nonexistent: No such file or directory\nEND')" \
		"$(screen | grep -v '^prompt:' | grep . | tail -n 2)"
	run ! grep 'of 10' <(screen)
}

@test "diff: the runs of both sides" {
	needs_software_events
	on_terminal "$TDSTAT diff -r 2 -e cpu-clock -- true : sleep 0.01"
	grep -o '[AB]: run [0-9] of 2' screen >got
	assert_same 'A: run 1 of 2;B: run 1 of 2;B: run 2 of 2;A: run 2 of 2' "$(paste -sd ';' got)"
}

@test "locate: its stages" {
	needs_software_events
	on_terminal "$TDSTAT locate -e cpu-clock -- sh -c 'i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done'"
	grep -oE '(sampling|reading symbols)'$'\r' screen | tr -d '\r' >got
	assert_same "$(printf 'sampling\nreading symbols')" "$(cat got)"
}
