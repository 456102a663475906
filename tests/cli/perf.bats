#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --perf: perf stat's way where scripts of it would meet another one, see
# tdstat-perf(7).

# shellcheck disable=SC2154 # helper.bash
load helper

# lines_with TEXT FILE: how many, in $nr
lines_with() {
	local line lines

	nr=0
	mapfile -t lines <"$2"
	for line in "${lines[@]}"; do
		[[ $line != *"$1"* ]] || nr=$((nr + 1))
	done
}

@test "without a command, results go to standard error" {
	real -a
	for how in '-e task-clock -x,' '-e task-clock -j' '-e task-clock'; do
		# shellcheck disable=SC2086
		"$TDSTAT" --perf -a -I 20 --interval-count 2 $how >out 2>err
		[ ! -s out ]
		lines_with task-clock err
		assert_equal $nr 2
		# shellcheck disable=SC2086
		"$TDSTAT" -a -I 20 --interval-count 2 $how >out 2>err
		lines_with task-clock err
		assert_equal $nr 0
		lines_with task-clock out
		assert_equal $nr 2
	done
	# the file comes first
	"$TDSTAT" --perf -a --timeout 20 -e task-clock -x, -o file >out 2>err
	[ ! -s out ]
	lines_with task-clock err
	assert_equal $nr 0
	lines_with task-clock file
	assert_equal $nr 1
}

@test "a CSV file begins with the date and an empty line, JSON does not" {
	real
	"$TDSTAT" --perf -e page-faults -x, -o file -- true
	mapfile -t lines <file
	[[ ${lines[0]} == '# started on '* ]]
	assert_equal "${lines[1]}" ''
	assert_equal ${#lines[@]} 3
	if has_wing import; then
		"$TDSTAT" report file -x, >shown
		has_text shown ,page-faults,
	fi
	"$TDSTAT" -e page-faults -x, -o file -- true
	mapfile -t lines <file
	assert_equal ${#lines[@]} 1
	"$TDSTAT" --perf -e page-faults -j -o file -- true
	mapfile -t lines <file
	assert_equal ${#lines[@]} 1
	# before each run, like perf's --append, but this is not another header
	"$TDSTAT" --perf -e page-faults -x, -o again -- true
	"$TDSTAT" --perf -e page-faults -x, -o again --append -- true
	mapfile -t lines <again
	[[ ${lines[0]} == '# started on '* && ${lines[3]} == '# started on '* ]]
	assert_equal ${#lines[@]} 6
	# not where perf writes none
	"$TDSTAT" --perf -e page-faults -x, --log-fd 7 -- true 7>fd
	mapfile -t lines <fd
	assert_equal ${#lines[@]} 1
}

@test "unknown values are 0 with --perf: the variance, and the metric of an event without one" {
	# a software event that no kernel has
	local events='software/config=0x77,name=none/,page-faults' perf

	real
	for perf in --perf ''; do
		# shellcheck disable=SC2086 # no word is none
		{
			"$TDSTAT" $perf -r 2 -e "$events" -x, -o "csv$perf" -- true
			"$TDSTAT" $perf -r 2 -e "$events" -j -o "runs$perf" -- true
			"$TDSTAT" $perf -e page-faults -j -o "one$perf" -- true
		}
	done
	has_text csv--perf $'(^|\n)<not supported>,,none,0\\.00%,'
	has_text csv $'(^|\n)<not supported>,,none,,'
	jq -es --slurpfile runs runs --slurpfile one_perf one--perf --slurpfile one one \
		'def rows: map(select(has("tdstat_rows") | not));
		.[0].variance == 0 and .[1].variance >= 0 and
		($runs | rows | .[0] | has("variance") | not) and
		($one_perf | rows | .[0] | ."metric-value" == "0.000000" and ."metric-unit" == "") and
		($one | rows | .[0]."metric-value" == "nan")' runs--perf
	in_schema one--perf
}
