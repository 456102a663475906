#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The line of long work: on a terminal alone, and out of the way of everything else.
# shellcheck disable=SC2154 # what try and look set
load helper
load terminal

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL TMUX
	needs_software_events
}

teardown() {
	close_terminal
}

left=', about [0-9:]+( s)? left'

# on_terminal COMMAND: what standard error gets as a terminal of 80 columns, in $screen
on_terminal() {
	command -v script >/dev/null || skip "no script(1)"
	script -qec "stty cols 80 rows 24; export TERM=xterm; $1" /dev/null </dev/null >typescript
	IFS= read -rd '' screen <typescript || true
}

# texts REGEX: those in $screen, in order
texts() {
	local rest=$screen

	texts=()
	while [[ $rest =~ $1 ]]; do
		texts+=("${BASH_REMATCH[0]}")
		rest=${rest#*"${BASH_REMATCH[0]}"}
	done
}

# in_window WIDTH COMMAND: types it in a shell in a window of 20 lines
in_window() {
	command -v tmux >/dev/null || skip "no tmux here"
	open "$1" 20
	press "clear; $2" Enter
}

# A command, "run.sh", whose run $1 waits until the test lets it continue.
stops_in_run() {
	cat >run.sh <<-'SCRIPT'
		echo >>runs
		nr=0
		while read -r line; do nr=$((nr + 1)); done <runs
		[ $nr != "$1" ] || read -r line <go
	SCRIPT
	mkfifo go
}

# grep_rows REGEX: the rows of the window with it
grep_rows() {
	local row

	found=()
	for row in "${rows[@]}"; do
		[[ ! $row =~ $1 ]] || found+=("$row")
	done
}

@test "-r on a terminal: each run, and the time left after the first" {
	on_terminal "'$TDSTAT' -r 3 -e cpu-clock -- true"
	texts $'\e\\[[0-9]+Crun [^\r]*'
	assert_equal ${#texts[@]} 3
	for i in 0 1 2; do
		[[ ${texts[i]} =~ ^.\[([0-9]+)C(.*) ]]
		text=${BASH_REMATCH[2]}
		# at the right edge: never in the last column, after which some terminals
		# wrap
		assert_equal $((BASH_REMATCH[1] + ${#text})) 79
		[[ $i != 0 || $text == 'run 1 of 3' ]] || fail "$text"
		[[ $i == 0 || $text =~ ^run\ $((i + 1))\ of\ 3$left$ ]] || fail "$text"
	done
	# the last thing before the result is an empty line
	regex=$'\r\e\\[K\r* *Performance counter stats'
	[[ ${screen//$'\n'/} =~ $regex ]]
}

@test "no line: in a file, for a dumb terminal, with --quiet, -v, -I, in a single run" {
	try "$TDSTAT" -r 3 -e cpu-clock -- true
	[[ ! $stderr =~ $'\e'|'of 3' ]] || fail "a line"
	# in the last one, the terminal belongs to another program
	on_terminal "t() { '$TDSTAT' -e cpu-clock \"\$@\" true; }
		TERM=dumb t -r 3
		(unset TERM; t -r 3)
		t --quiet -r 3
		t -v -r 3
		t -I 10 -r 3
		t
		set -m; t -r 3 & wait"
	[[ ! $screen =~ 'of 3'|'run 1 ' ]] || fail "$screen"
	texts '[0-9.]+ seconds time elapsed'
	assert_equal ${#texts[@]} 5
}

@test "-r 0: the runs are counted" {
	cat >run.sh <<-'SCRIPT'
		echo >>runs
		[ $(wc -l <runs) -lt 3 ] || kill -INT $PPID
	SCRIPT
	on_terminal "'$TDSTAT' -r 0 -e cpu-clock -- sh run.sh || true"
	[[ $screen == *$'run 2\r'* && $screen != *left* ]]
}

@test "the command's output stays, with or without a line feed at its end" {
	in_window 60 "'$TDSTAT' -r 3 -e cpu-clock -- sh -c 'echo hello; printf dots...'; echo EN''D"
	shows '^END'
	# each run's own, whole, at the beginning of a line
	grep_rows "^hello( +run [123] of 3($left)?)?\$"
	assert_equal ${#found[@]} 3
	grep_rows '^dots\.\.\.$'
	assert_equal ${#found[@]} 3
	grep_rows '^ Performance counter stats'
	assert_equal ${#found[@]} 1
}

@test "a quiet command: the progress line is removed at the end" {
	stops_in_run 3
	in_window 60 "'$TDSTAT' -r 3 -e cpu-clock -- sh run.sh 3; echo EN''D"
	shows "run 3 of 3$left\$"
	echo >go
	shows '^END'
	grep_rows 'of 3'
	assert_equal ${#found[@]} 0
	grep_rows '^ Performance counter stats'
	assert_equal ${#found[@]} 1
}

@test "a narrow window: a shorter line, or none" {
	stops_in_run 2
	in_window 20 "'$TDSTAT' -r 3 -e cpu-clock -- sh run.sh 2; echo EN''D"
	shows '^ +run 2 of 3$'
	echo >go
	shows '^END'
	: >runs
	in_window 9 "'$TDSTAT' -r 3 -e cpu-clock -- sh run.sh 2; echo EN''D"
	# the line would be there by then
	wait_for has_lines runs 2
	echo >go
	shows '^END'
	grep_rows 'of 3'
	assert_equal ${#found[@]} 0
}

@test "^C leaves a clean line" {
	in_window 60 "'$TDSTAT' -r 10 -e cpu-clock -- sleep $TD_HANGS"
	shows 'run 1 of 10$'
	press C-c
	shows 'seconds time elapsed'
	shows '^\$'
	grep_rows 'of 10'
	assert_equal ${#found[@]} 0
	grep_rows '[^ ]'
	assert_equal "${found[-1]}" '$'
}

@test "a command that does not exist: only the message" {
	in_window 60 "'$TDSTAT' -r 10 -e cpu-clock -- ./missing; echo EN''D"
	shows '^END'
	grep_rows 'of 10'
	assert_equal ${#found[@]} 0
	grep_rows '^[^ $]'
	assert_equal "${found[*]: -2}" 'tdstat: ./missing: No such file or directory END'
}

@test "diff: the runs of both sides" {
	on_terminal "'$TDSTAT' diff -r 2 -e cpu-clock -- true : true"
	texts '[AB]: run [0-9] of 2'
	assert_equal "${texts[*]}" 'A: run 1 of 2 B: run 1 of 2 B: run 2 of 2 A: run 2 of 2'
}

@test "locate: its stages" {
	on_terminal "'$TDSTAT' locate -e cpu-clock -- true"
	texts '(sampling|reading symbols)'$'\r'
	assert_equal "${texts[*]}" $'sampling\r reading symbols\r'
}
