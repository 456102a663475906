#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tests/tally: what it makes of tests that fail, once and always.

# shellcheck disable=SC2016,SC2154 # of programs that run later; helper.bash
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	# bats takes lines that begin with @test for tests of this file
	printf '@%s\n' 'test "passes" { echo passes >>ran; }' \
		'test "fails often (it is new)" { echo fails >>ran; [ "$(grep -c fails ran)" -gt "$FAILS" ]; }' >some.bats
}

# tally [NAME=VALUE]... COMMAND...: with the bats of the system, not the parts of it that
# run this file
tally() {
	local set=()

	while [[ $1 =~ ^[A-Z_]+=[0-9]+$ ]]; do
		set+=("$1")
		shift
	done
	env -i PATH="$BATS_ROOT/bin:$(getconf PATH)" "${set[@]}" "$here"/../tally "$@"
}

@test "a failed test counts as failed, and its output is at the end" {
	run ! tally FAILS=1 "bats --tap some.bats # these"
	[ "${lines[-1]}" = "1 passed, 1 failed, 0 skipped" ]
	[[ $output == *$'\n# failed: these: not ok 2 fails often (it is new)\n#! (in test file '* ]]
	[[ $output != *flaky* ]]
}

@test "REPEAT: only failed tests run again, last, and are flaky if they pass" {
	for fails in 1 2; do
		rm -f ran
		run -0 tally REPEAT=2 FAILS=$fails "bats --tap some.bats # these" "echo 1..1; echo ok 1 others"
		[ "${lines[-1]}" = "3 passed, 0 failed, 0 skipped" ]
		[[ $output == *$'\n# run: these\n1..2\nok 1 passes\nok 1 fails often'* ]]
		[[ $output == *"ok 1 others"*"# run: these"* ]]
		[ "$(grep -c '^# flaky: these: fails often (it is new)$' <<<"$output")" = $((2 * fails)) ]
		[ "$(grep -c passes ran)" = 1 ]
	done
}

@test "REPEAT: tests that fail each time have failed, and other commands run once" {
	run ! tally REPEAT=2 FAILS=3 "bats --tap some.bats # these" "echo x >>others; echo 1..1; echo not ok 1"
	[ "${lines[-1]}" = "1 passed, 2 failed, 0 skipped" ]
	[[ $output != *flaky* ]]
	[ "$(wc -l <others)" = 1 ]
	[ "$(grep -c fails ran)" = 3 ]
}

@test "REPEAT: a file that ended too early runs again as a whole, with time or without" {
	echo 'kill -KILL $PPID $$' >>some.bats
	run ! tally REPEAT=1 FAILS=0 "bats --tap some.bats # these"
	[[ ${lines[-1]} == *", 1 failed, 0 skipped" || ${lines[-1]} == *" 2 failed, 0 skipped" ]]
	run -0 tally REPEAT=1 TALLY_UNTIL=1 "bats --tap some.bats # these"
	[ "${lines[-1]}" = "0 passed, 0 failed, 1 skipped" ]
}
