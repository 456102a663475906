#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# A command to be measured runs to its end with its own status, whatever keeps tdstat
# from counting it; with --require it does not begin.

# shellcheck disable=SC2016,SC2086,SC2154,SC2258 # sh -c; lists of options; helper.bash; -x,
load helper

setup_file() {
	mkdir "$BATS_FILE_TMPDIR/empty"
}

# A machine that has no PMU at all.
no_pmu() {
	export SYSFS_PATH=$BATS_FILE_TMPDIR/empty
}

# assert_file FILE TEXT: that, and perhaps the end of a line
assert_file() {
	local text

	IFS= read -rd '' text <"$1" || true
	assert_equal "${text%$'\n'}" "$2"
}

# Check that $1 shows the software events of a command that could not be counted, and
# explains them.
assert_software_events() {
	local event

	[[ $1 =~ (^|$'\n')" Hardware events were not counted; software events only:"$'\n'[^$'\n']*$'\n'" Performance counter stats for 'sh " ]] ||
		fail "not said what this is"
	for event in task-clock context-switches cpu-migrations page-faults; do
		[[ $1 =~ $'\n '+[0-9.,]+' '(msec )?' '*$event' ' ]] || fail "no $event"
	done
	[[ $1 == *'seconds time elapsed'* ]] || fail "no times"
}

assert_times_alone() {
	[[ $1 != *'The events are not counted'* ]] || fail "no software counts, but said"
	[[ $1 =~ (^|$'\n')" Nothing was counted; the times of '" && $1 != *'Performance counter'* ]] || fail "not said what this is"
	[[ $1 == *'seconds time elapsed'* ]] || fail "no times"
	[[ ! $1 =~ task-clock|tma_ ]] || fail "more than times"
}

@test "no PMU: the command's own output and status, its software events and times" {
	needs_software_events
	no_pmu
	try "$TDSTAT" -- sh -c 'echo said; exit 3'
	assert_output said
	assert_runs_all_the_same 'No such file' sysfs 3
	assert_software_events "$stderr"
	try "$TDSTAT" -o out -- sh -c 'echo said; exit 3'
	assert_output said
	assert_runs_all_the_same 'No such file' sysfs 3
	assert_equal "${#stderr_lines[@]}" 3
	IFS= read -rd '' text <out || true
	assert_software_events "$text"
}

@test "subcommands that sample or time calls: nothing replaces their result" {
	no_pmu
	for words in locate 'locate tma_dram_bound' profile 'calls work'; do
		[[ $words != calls* ]] || has_wing calls || continue
		try "$TDSTAT" $words -- sh -c 'echo said; exit 3'
		assert_output said
		assert_failure 3
		[[ ${stderr_lines[-1]} == 'tdstat: running sh without counting' ]] || fail "$words: $stderr"
		echo old >out
		try "$TDSTAT" ${words%% *} ${words#"${words%% *}"} -o out -- sh -c 'exit 3'
		[ ! -s out ] || fail "$words: $(<out)"
	done
	# requested software events need no note
	needs_software_events
	try "$TDSTAT" -e page-faults -- true
	[[ $stderr != *'The events are not counted'* ]]
}

@test "a signal that ends it, one that is passed on, and one that it ignores" {
	no_pmu
	try "$TDSTAT" -- sh -c 'kill -KILL $$'
	assert_failure 137
	pause 0
	"$TDSTAT" -- sh -c 'trap "echo bye; exit 9" TERM; echo $$; while :; do read x; done' <&"$never" >said 3>&- &
	wait_for has_lines said 1
	read -r child <said
	# in read, which a signal ends
	wait_for sleeps "$child"
	kill -TERM $!
	status=0
	wait $! || status=$?
	assert_equal "$status" 9
	assert_file said "$child"$'\nbye'
	try within "$TDSTAT" --timeout 100 -- sleep 600
	assert_failure 143
	trap '' HUP
	"$TDSTAT" -o out -- sh -c 'kill -HUP $$; echo alive' >alive
	trap - HUP
	[ -s alive ]
}

@test "the kernel refuses all events: only the times" {
	needs_strace
	saved alderlake
	for error in EACCES EPERM ENOSYS EMFILE; do
		try within strace -f -o log -e trace=perf_event_open -e inject=perf_event_open:error=$error \
			"$TDSTAT" -o out -- sh -c 'echo said; exit 3'
		assert_output said
		assert_runs_all_the_same . . 3
		IFS= read -rd '' text <out || true
		assert_times_alone "$text"
	done
}

@test "an output that cannot be opened: the command runs, and tdstat prints no result" {
	needs_wing pictures serve
	real
	for words in '-o nodir/x' '-o nodir/x -x,' 'record -o nodir/x -x,' '--openmetrics -o nodir/x' \
		'-I 1s --perfetto=nodir/x' '--html=nodir/x -I 1s'; do
		event='-e task-clock'
		[[ $words != *-openmetrics* && $words != *html* && $words != *perfetto* ]] || event=
		try "$TDSTAT" $words $event -- sh -c 'echo said; exit 3'
		[ "$status" = 64 ] || [ "$status" = 3 ] || fail "$words: $status: $stderr"
		[ "$status" = 64 ] || [ "$output" = said ] || fail "$words: $output"
		[ "$status" = 64 ] || [[ $'\n'$stderr$'\n' =~ $'\n'"tdstat: running sh without counting"(" or recording")?$'\n' ]] ||
			fail "$words: $stderr"
		for line in "${stderr_lines[@]}"; do
			[[ $line == "tdstat: "* ]] || fail "$words: $stderr"
		done
	done
	try "$TDSTAT" -o nodir/x -e task-clock -- true
	assert_equal "$stderr" 'tdstat: nodir/x: No such file or directory
tdstat: running true without counting'
}

@test "a recording that cannot be made: the result is shown as text, and no file is left or named" {
	needs_software_events
	no_pmu
	try "$TDSTAT" record -- sh -c 'exit 3'
	assert_runs_all_the_same . . 3
	assert_software_events "$stderr"
	[ ! -e tdstat.jsonl ]
	try "$TDSTAT" record -o nodir/x -e task-clock -- sh -c 'exit 3'
	assert_failure 3
	assert_complains 'nodir/x: No such file'
	assert_software_events "$stderr"
}

@test "-x and -j: no line that has other columns" {
	no_pmu
	for format in -x, -j; do
		try "$TDSTAT" $format -o out -- sh -c 'echo said; exit 3'
		assert_output said
		assert_runs_all_the_same . . 3
		assert_equal "${#stderr_lines[@]}" 3
		[ ! -s out ]
		try "$TDSTAT" $format -- sh -c 'exit 3'
		assert_equal "${#stderr_lines[@]}" 3
	done
}

@test "no rows: a file of rows is emptied, and a recording stays as it was" {
	cp "$data/alderlake.jsonl" recording
	no_pmu
	for form in -x, -j; do
		echo old >rows
		try "$TDSTAT" $form -o rows -- sh -c 'exit 3'
		assert_equal "$status" 3
		[ ! -s rows ]
		echo old >rows
		try "$TDSTAT" $form -o rows --append -- true
		assert_file rows old
		try "$TDSTAT" $form -o recording -- true
		cmp recording "$data/alderlake.jsonl"
	done
	# nor does anything wait for who reads a FIFO
	mkfifo fifo
	try within "$TDSTAT" -j -o fifo -- sh -c 'exit 3'
	assert_equal "$status" 3
	echo old >rows
	try "$TDSTAT" -j --quiet -o rows -- true
	assert_file rows old
	try "$TDSTAT" record -o recording -- true
	cmp recording "$data/alderlake.jsonl"
}

@test "-r, --pre and --post: as often as with counters" {
	needs_software_events
	no_pmu
	for how in '' -x, --quiet; do
		rm -f order
		try "$TDSTAT" $how -r 3 --pre 'echo pre >>order' --post 'echo post >>order' -- \
			sh -c 'echo run >>order; exit 3'
		assert_failure 3
		assert_file order $'pre\nrun\npost\npre\nrun\npost\npre\nrun\npost'
		[ "$how" = --quiet ] || assert_runs_all_the_same . . 3
	done
	# preparations for the run that could not be counted
	unset SYSFS_PATH PERF_CPUID
	rm order
	try "$TDSTAT" -o nodir/x -e task-clock -r 2 --pre 'echo pre >>order' -- sh -c 'echo run >>order'
	assert_success
	assert_file order $'pre\nrun\npre\nrun'
	# it is the user's own word that there is nothing to run
	rm order
	try "$TDSTAT" -e task-clock --pre false -- sh -c 'echo run >>order'
	assert_failure 1
	[ ! -e order ]
}

@test "the second run is refused: the first one's result, and the other runs" {
	needs_strace
	real
	try strace -o log -e trace=perf_event_open -e inject=perf_event_open:error=EBUSY:when=2+ \
		"$TDSTAT" -r 3 -e task-clock -- sh -c 'echo ran'
	assert_success
	assert_output $'ran\nran\nran'
	[[ $stderr == *' msec task-clock '* ]]
	[[ $'\n'$stderr$'\n' == *$'\ntdstat: counting stopped; sh continues\n'* ]]
}

@test "--quiet: not a word, and the command's status" {
	no_pmu
	try "$TDSTAT" --quiet -- sh -c 'echo said; exit 3'
	assert_failure 3
	assert_output said
	assert_no_stderr
}

@test "--require: the command does not start, the status is 125, and only the error is printed" {
	no_pmu
	for how in '' -x, -a 'record' '-r 3' '-M tma_l3_bound'; do
		try "$TDSTAT" $how --require -- touch ran
		[ "$status" = 125 ] || fail "$how: $status"
		assert_why_and_remedy 'No such file|tma_l3_bound'
		assert_output ''
	done
	try "$TDSTAT" --require --quiet -- touch ran
	assert_failure 125
	# a command that can be counted runs as before
	real
	try "$TDSTAT" --require -e task-clock -x, -- sh -c 'exit 3'
	assert_failure 3
	try "$TDSTAT" --require -o nodir/x -e task-clock -- touch ran
	assert_failure 125
	[ ! -e ran ] && [ ! -e tdstat.jsonl ]
}

@test "a command that is not there is 127, that may not be run 126" {
	no_pmu
	try "$TDSTAT" -- ./not-there
	assert_failure 127
	assert_equal "${stderr_lines[3]}" 'tdstat: ./not-there: No such file or directory'
	try "$TDSTAT" -x, -- /
	assert_failure 126
}

@test "a wrong command line is 64 before anything runs, on each machine" {
	no_pmu
	for how in -I\ 0 '-e task-clok' '-e task-clock -l 1'; do
		try "$TDSTAT" $how -- touch ran
		[ "$status" = 64 ] || fail "$how: $status"
		[ ! -e ran ] || fail "$how: it ran"
	done
	# the events of an unknown core are unknown
	for event in slots topdown-retiring INST_RETIRED.ANY power/energy-pkg/; do
		try "$TDSTAT" -e $event -x, -- sh -c 'exit 3'
		[ "$status" = 3 ] || fail "$event: $status: $stderr"
	done
	saved alderlake
	for how in '-M tma_nosuch' '-e nosuch' '-e nopmu/x/' '-e cpu/event=0x3c/'; do
		try "$TDSTAT" $how -- touch ran2
		[ "$status" = 64 ] || fail "$how: $status"
	done
	# another machine has them
	saved sapphirerapids
	for how in '-M tma_allocation_restriction' '-M allocation_restriction' '-M tma_resource_bound_group' '-M PipelineL1'; do
		try "$TDSTAT" $how -x, -- sh -c 'exit 3'
		[ "$status" = 3 ] || fail "$how: $status: $stderr"
	done
	# but a PMU is wrong, as all of its events are
	try "$TDSTAT" -e cycles,cpu_atom/cycles/ -- touch ran2
	assert_failure 64
	for name in tma_nosuch_group TopdownL9 TopdownL _group; do
		try "$TDSTAT" -M "$name" -- touch ran2
		[ "$status" = 64 ] || fail "$name: $status"
	done
	try "$TDSTAT" --dry-run -e cpu_atom/cycles/ -- touch ran2
	assert_failure 64
	[ ! -e ran2 ]
}

@test "without a command: an error, and 1" {
	no_pmu
	for how in -a '-a -I 100' "-p $$"; do
		try "$TDSTAT" $how
		assert_failure 1
		assert_why_and_remedy 'No such file'
	done
}

@test "doctor --quiet: only the exit status" {
	no_pmu
	for how in --quiet '--quiet -j'; do
		try "$TDSTAT" doctor $how
		assert_failure 1
		assert_output ''
		assert_no_stderr
	done
	SYSFS_PATH=nowhere try "$TDSTAT" doctor --quiet
	assert_failure 1
	assert_no_stderr
}
