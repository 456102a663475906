#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --perf: perf stat's way where scripts of it would meet another one, see
# tdstat-perf(7).

# shellcheck disable=SC2154 # helper.bash
load helper

@test "without a command, results go to standard error" {
	real -a
	for how in '-e task-clock -x,' '-e task-clock -j' '-e task-clock'; do
		# shellcheck disable=SC2086
		"$TDSTAT" --perf -a -I 20 --interval-count 2 $how >out 2>err
		[ ! -s out ]
		[ "$(grep -c task-clock err)" -eq 2 ]
		# shellcheck disable=SC2086
		"$TDSTAT" -a -I 20 --interval-count 2 $how >out 2>err
		[ ! -s err ]
		[ "$(grep -c task-clock out)" -eq 2 ]
	done
	# the file comes first
	"$TDSTAT" --perf -a --timeout 20 -e task-clock -x, -o file >out 2>err
	[ ! -s out ] && [ ! -s err ]
	grep -q task-clock file
}

@test "a CSV file begins with the date and an empty line, JSON does not" {
	real
	"$TDSTAT" --perf -e page-faults -x, -o file -- true
	[[ $(sed -n 1p file) == '# started on '* ]]
	[ "$(sed -n 2p file)" = '' ]
	[ "$(tail -n +3 file | wc -l)" -eq 1 ]
	"$TDSTAT" report file -x, >shown
	grep -q ,page-faults, shown
	"$TDSTAT" -e page-faults -x, -o file -- true
	[ "$(wc -l <file)" -eq 1 ]
	"$TDSTAT" --perf -e page-faults -j -o file -- true
	[ "$(wc -l <file)" -eq 1 ]
	# before each run, as perf's --append has it, and that is no other header
	"$TDSTAT" --perf -e page-faults -x, -o again -- true
	"$TDSTAT" --perf -e page-faults -x, -o again --append -- true
	[ "$(grep -c '^# started on ' again)" -eq 2 ]
	# not where perf writes none
	"$TDSTAT" --perf -e page-faults -x, --log-fd 7 -- true 7>fd
	[ "$(wc -l <fd)" -eq 1 ]
}

@test "what is not known is 0: the variance, and the metric of an event without one" {
	# a software event that no kernel has
	local events='software/config=0x77,name=none/,page-faults'

	real
	"$TDSTAT" --perf -r 2 -e "$events" -x, -o out -- true
	[ "$(sed -n 's/^<not supported>,,none,//p' out | cut -d, -f1)" = 0.00% ]
	"$TDSTAT" -r 2 -e "$events" -x, -o out -- true
	[ "$(sed -n 's/^<not supported>,,none,/&|/p' out | cut -d, -f4)" = '|' ]
	"$TDSTAT" --perf -r 2 -e "$events" -j -o out -- true
	jq -es '.[0].variance == 0 and .[1].variance >= 0' out
	"$TDSTAT" -r 2 -e "$events" -j -o out -- true
	jq -es '.[0] | has("variance") | not' out
	"$TDSTAT" --perf -e page-faults -j -o out -- true
	jq -es '.[0]."metric-value" == "0.000000" and .[0]."metric-unit" == ""' out
	in_schema out
	"$TDSTAT" -e page-faults -j -o out -- true
	jq -es '.[0]."metric-value" == "nan"' out
}
