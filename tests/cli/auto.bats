#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -l auto: what it opens, and what it counts at first.

# shellcheck disable=SC2154 # helper.bash
load helper

# plan OPTION...: "first EVENT" or "later EVENT", sorted, once each
plan() {
	"$TDSTAT" --dry-run -a "$@" 2>/dev/null | awk '
		/^group/ { when = / rests at first$/ ? "later" : "first" }
		/^  / { print when, $1 }' | sort -u
}

@test "it may count what -l 6 counts, in groups that rest until they are wanted" {
	for model in alderlake meteorlake sapphirerapids icelakex tigerlake skylakex; do
		saved $model
		all=$(plan -l 6 | cut -d ' ' -f 2 | sort -u)
		assert_same "$all" "$(plan -l auto | cut -d ' ' -f 2 | sort -u)"
		# only the reference of groups that take turns is in both
		[ "$(plan -l auto | cut -d ' ' -f 2 | sort | uniq -d | wc -l)" -le 2 ]
		# what levels 1 and 2 are made of does not rest
		plan -l auto | grep -q -i -E '^first .*(slots|retiring|UOPS_RETIRED)'
		run ! grep -i -E '^later .*(TOPDOWN.SLOTS|topdown-|TOPDOWN_(BE|FE)_BOUND.ALL|BAD_SPECULATION.MISP)' <(plan -l auto)
		plan -l auto | grep -q '^later '
	done
}

@test "what counts at first is few groups" {
	saved alderlake
	run -0 "$TDSTAT" --dry-run -a -l auto --cputype core
	[ "$(grep '^group' <<<"$output" | grep -vc ' rests at first$')" -le 2 ]
	[[ "$output" == *"cpu_core: "[12]" group"*", counted all of the time: nothing takes turns"* ]]
	[[ "$output" == *" more groups rest until a node above them is over its threshold"* ]]
	[[ "$output" != *--no-multiplex* ]]
}

@test "what rests does not start with the command" {
	saved alderlake
	run -0 "$TDSTAT" --dry-run -l auto --cputype core -- true
	awk '/^group/ { rests = / rests at first$/; first = 1; next }
		/^  / && first { first = 0; seen[rests]++; if (rests == /enable_on_exec/) exit 1 }
		END { exit !(seen[0] && seen[1]) }' <<<"$output"
}

@test "without files it ends at level 2 and says what would give more" {
	saved lunarlake
	export TDSTAT_METRICS=$TD_PMU_EVENTS_OLD
	run -0 "$TDSTAT" --dry-run -a -l auto
	[[ "$output" == *"the tree is the built-in one, of 2 levels (--metrics-dir with newer files may have more)"* ]]
	[[ "$output" != *"rests at first"* ]]
}

@test "what it excludes" {
	saved alderlake
	for other in '-M tma_retiring' '-e cycles' --td-level=2 --no-multiplex \
		--metric-no-threshold --bottlenecks -d; do
		# shellcheck disable=SC2086 # words
		run -64 "$TDSTAT" --dry-run -l auto $other -- true
		[[ "$output" == *exclude* ]]
	done
	# the last -l counts
	assert_same "$(plan -l 2)" "$(plan -l auto -l 2)"
}

@test "a recording of all levels shows the same with -l auto" {
	recording=$data/alderlake.jsonl
	assert_same "$("$TDSTAT" report -i "$recording" -l 6 --all 2>/dev/null)" \
		"$("$TDSTAT" report -i "$recording" -l auto --all 2>/dev/null)"
}
