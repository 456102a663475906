#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --verdict, of recordings.  tests/unit/verdict.c has what it decides,
# tests/unit/next.c its words and commands.

# shellcheck disable=SC2154 # helper.bash
load helper

report() {
	try "$TDSTAT" report "$@"
}

@test "the verdict stands below the trees, and with --no-verdict it does not" {
	report --no-verdict "$data/manual/xz-3.jsonl"
	assert_success
	without=$output
	report --verdict "$data/manual/xz-3.jsonl"
	assert_success
	# it adds lines and changes none
	run diff <(echo "$without") <(echo "$output")
	refute_line --regexp '^<'
	assert_line --regexp '^> [ ]?[A-Z]'
	[ "$(grep -c '^> .' <<<"$output")" -le 5 ]
}

@test "as JSON it is one object, behind the metrics, and only if it is asked for" {
	report -j --verdict "$data/manual/xz-3.jsonl"
	assert_success
	assert_equal "$(jq -c 'select(.verdict) | .verdict | keys_unsorted' <<<"$output")" \
		'["time","pmu","confidence","node","path","value","low","high","slots","runner_up","tied","waits","busy","next"]'
	assert_equal "$(jq -r '.verdict.pmu' <<<"${lines[-1]}")" cpu_core
	report -j "$data/manual/xz-3.jsonl"
	run ! grep -q verdict <<<"$output"
}

@test "rows of several ids have no verdict" {
	report --verdict -j -A "$data/manual/cpus.jsonl"
	assert_success
	run ! grep -q verdict <<<"$output"
	report --verdict -A "$data/manual/cpus.jsonl"
	wanted=$output
	report --no-verdict -A "$data/manual/cpus.jsonl"
	assert_equal "$output" "$wanted"
}

@test "intervals have none; the sum of them has" {
	report --verdict -j "$data/alderlake.jsonl"
	assert_success
	run ! grep -q verdict <<<"$output"
	report --verdict -j --summary "$data/alderlake.jsonl"
	assert_equal "$(grep -c '"verdict"' <<<"$output")" 1
}

@test "what it excludes is refused" {
	for words in '--verdict --no-verdict' '--verdict -x,' '--verdict -d' '--verdict -I 100'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" --dry-run $words -- true
		assert_equal "$status" 64
		assert_regex "$stderr" '--verdict'
	done
	saved alderlake
	for words in '--no-verdict -x,' '--no-verdict -I 100' '--verdict -I 100 --summary'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" --dry-run $words -- true
		assert_success
	done
}
