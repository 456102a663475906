# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # bats sets some
# What is told of a test that has failed and is tried again (BATS_TEST_RETRIES), of
# which bats itself says nothing.

where_it_failed() {
	local trace

	declare -F bats_get_failure_stack_trace bats_print_stack_trace bats_print_failed_command >/dev/null || return 0
	bats_get_failure_stack_trace trace
	bats_print_stack_trace "${trace[@]}"
	bats_print_failed_command "${trace[@]}"
}

# Called by teardown, at its end.
tell_of_failure() {
	[ -z "$BATS_TEST_COMPLETED$BATS_TEST_SKIPPED" ] || return 0
	[ "$BATS_TEST_TRY_NUMBER" -le "$BATS_TEST_RETRIES" ] || return 0
	{
		echo "failed at first, no. $BATS_TEST_TRY_NUMBER: ${BATS_TEST_FILENAME##*/}: $BATS_TEST_DESCRIPTION"
		where_it_failed
		tail -n 40 "${BATS_OUT-/dev/null}"
	} | sed '1s/^/# /; 2,$s/^/#   /' >&3
}
