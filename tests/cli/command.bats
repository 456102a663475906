#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Real counting, of the software events that every kernel has, under the names
# of top-down ones (software_machine in helper.bash): statuses, where the
# output goes, intervals, signals, recordings.

# shellcheck disable=SC2016,SC2086,SC2153,SC2154 # sh -c; lists of options; helper.bash
load helper

tree='Performance counter stats for'

# The expected shares of the made-up machine: half retiring, half frontend bound.
assert_halves() {
	awk -F, -v text="$1" 'BEGIN {
		n = split(text, row, "\n")
		for (i = 2; i <= n; i++) {
			split(row[i], v, ",")
			if (v[8] < 35 || v[8] > 65 || v[10] < 35 || v[10] > 65 || v[9] != "0.00" || v[11] != "0.00") {
				print row[i]
				failed = 1
			}
		}
		exit failed || n < 2
	}'
}

# assert_lines FILE NR: the file has NR lines
assert_lines() {
	local text

	mapfile text <"$1"
	assert_equal "${#text[@]}" "$2"
}

# Ignores notes that a busy host missed an interval.
assert_no_stderr_of_ours() {
	local line

	for line in "${stderr_lines[@]}"; do
		[[ $line =~ ^"tdstat: missed "[0-9]+" interval"s?" (tdstat " ]] || fail "$line"
	done
}

# waiting OPTION...: tdstat in the background, with a command that waits for the file
# "end" and has the status 5
waiting() {
	"$TDSTAT" "$@" -- sh -c 'until [ -e end ]; do sleep 0.02; done; exit 5' 3>&- &
	pid=$!
}

ended() {
	status=0
	wait "$pid" || status=$?
}

# --- the command -----------------------------------------------------------------

@test "the status is the command's own" {
	needs_software_events
	for own in 0 1 3 64 127 255; do
		try "$TDSTAT" -- sh -c "exit $own"
		assert_equal "$status" $own
		[[ $stderr == *"$tree"* ]]
	done
}

@test "128+N if signal N ended it" {
	needs_software_events
	for signal in KILL:137 TERM:143 SEGV:139 INT:130; do
		# background jobs of a shell may ignore SIGINT
		try env --default-signal=INT "$TDSTAT" -- sh -c "kill -${signal%:*} \$\$"
		assert_equal "$status" "${signal#*:}"
		[[ $stderr == *"$tree"* ]]
	done
}

@test "127 if it was not found, 126 if it could not be run; no table" {
	needs_software_events
	try "$TDSTAT" -- nosuch-command
	assert_failure 127
	assert_complains 'nosuch-command: No such file'
	[[ $stderr != *"$tree"* ]]
	try "$TDSTAT" -- ''
	assert_failure 127
	assert_complains "'': No such file"
	: >not-executable
	for file in ./not-executable .; do
		try "$TDSTAT" -- "$file"
		assert_failure 126
		assert_complains "$file: Permission denied"
		[[ $stderr != *"$tree"* ]]
	done
}

@test "its output and tdstat's do not mix: standard output is the command's" {
	needs_software_events
	try "$TDSTAT" -x, -- echo hello
	assert_success
	assert_output hello
	[ "${stderr_lines[0]}" = "time,id,pmu,busy,share,running,ipc,tma_retiring,tma_backend_bound,tma_frontend_bound,tma_bad_speculation,$behind" ]
	try "$TDSTAT" -- echo hello
	assert_output hello
	[[ $stderr == *"$tree 'echo hello':"* ]]
}

@test "it reads tdstat's standard input" {
	needs_software_events
	try sh -c 'echo hello | "$TDSTAT" -- cat'
	assert_output hello
}

@test "no descriptor of tdstat's reaches it" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events -a
	for how in no '' -a '-I 50'; do
		read -ra words <<<"$how"
		words=("$TDSTAT" "${words[@]}" -o out --)
		[ "$how" != no ] || words=()
		try "${words[@]}" find /proc/self/fd -printf '%f %l\n'
		assert_success
		# but find's own
		with=
		for line in "${lines[@]}"; do
			[[ $line == */proc/* ]] || with+=$line$'\n'
		done
		[ "$how" != no ] || without=$with
		[ -n "$with" ]
		assert_same "$without" "$with"
	done
}

@test "the command gets the signal mask and dispositions with which tdstat was started" {
	needs_software_events
	try grep -E '^Sig(Blk|Ign)' /proc/self/status
	without=$output
	try "$TDSTAT" -o out -- grep -E '^Sig(Blk|Ign)' /proc/self/status
	assert_same "$without" "$output"
}

@test "options after the command belong to it; subcommands after -- are commands" {
	needs_software_events
	try "$TDSTAT" echo -l --json -I 0
	assert_success
	assert_output -- '-l --json -I 0'
	mkdir bin
	mapfile -t words < <(subcommands)
	[ ${#words[@]} -gt 5 ]
	for word in "${words[@]}"; do
		printf '#!/bin/sh\necho mine "$@"\n' >"bin/$word"
	done
	chmod +x bin/*
	PATH=$PWD/bin:$PATH
	for word in "${words[@]}"; do
		try "$TDSTAT" -- $word -i x
		assert_success
		assert_output 'mine -i x'
	done
}

@test "the tree: the command's words, the time, user and system time" {
	needs_software_events
	try "$TDSTAT" -- sh -c 'exit 0'
	output=$stderr
	lines=("${stderr_lines[@]}")
	assert_line " $tree 'sh -c exit 0':"
	assert_line --regexp '^ +[0-9]+\.[0-9]{9} seconds time elapsed$'
	assert_line --regexp '^ +[0-9]+\.[0-9]{9} seconds user$'
	assert_line --regexp '^ +[0-9]+\.[0-9]{9} seconds sys$'
	assert_line --regexp '^ +[0-9.]+ ±[0-9.]+ %  tma_retiring'
}

@test "the values are those of the kernel's counters" {
	needs_software_events -a
	try "$TDSTAT" -x, -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
	assert_halves "$stderr"
	try "$TDSTAT" -a -I 100 --interval-count 3 -x,
	assert_equal "${#lines[@]}" 4
	assert_halves "$output"
}

# --- where the output goes -------------------------------------------------------

@test "a machine's result goes to standard output, and standard error stays empty" {
	needs_software_events -a
	# without the metric files of this machine, -l auto notes that it ends early
	for how in '-l 1 --timeout 20' '-I 20 --interval-count 2' '-l 1 -C 0 --timeout 20'; do
		try "$TDSTAT" $how
		assert_success
		assert_output --partial tma_retiring
		assert_no_stderr_of_ours
	done
}

@test "-o FILE and --append: results go only to the file, even with a command" {
	needs_software_events
	try "$TDSTAT" -o out -x, -- echo hello
	assert_output hello
	assert_no_stderr
	assert_lines out 2
	"$TDSTAT" -o out -x, -- true
	assert_lines out 2
	"$TDSTAT" -o out -x, --append -- true
	assert_lines out 3
}

@test "a full disk is an error, whatever the command's status is" {
	needs_software_events -a
	try "$TDSTAT" -o /dev/full -- true
	assert_failure 1
	assert_complains '/dev/full.*No space left'
	try sh -c '"$TDSTAT" -a -I 20 --interval-count 3 -x, >/dev/full'
	assert_failure 1
	assert_complains 'No space left'
	try "$TDSTAT" record -o /dev/full -a --timeout 20
	assert_failure 1
	assert_complains '/dev/full.*No space left'
}

# 128 + 13: the shell's status of a program that SIGPIPE has ended
@test "a reader that has gone: the end, without a word" {
	needs_software_events -a
	try within bash -c '{ "$TDSTAT" -a -I 20 -x,; echo $? >status; } | head -n 2'
	assert_equal "${#lines[@]}" 2
	IFS= read -r status <"status"
	assert_equal "$status" 141
	assert_no_stderr_of_ours
}

# --- time ------------------------------------------------------------------------

# That deadlines are at multiples of the interval is in signals.bats.
@test "-I: the n-th row is at n intervals, or later" {
	needs_software_events -a
	try "$TDSTAT" -a -I 50 --interval-count 6 -x,
	assert_equal "${#lines[@]}" 7
	awk -F, 'NR > 1 && $1 < 0.050 * (NR - 1) { print; failed = 1 } END { exit failed }' <<<"$output"
}

@test "-I with a command: rows until it ends, and the rest of the last interval" {
	needs_software_events
	waiting -I 200 -x, -o rows
	wait_for has_lines rows 3
	mapfile -t before <rows
	: >end
	ended
	assert_equal "$status" 5
	mapfile -t lines <rows
	[ "${#lines[@]}" -gt "${#before[@]}" ]
	awk -F, 'NR > 1 { if ($1 <= before) failed = 1; before = $1 } END { exit failed }' rows
}

@test "--interval-count with a command: no more rows, and its own status" {
	needs_software_events
	waiting -I 20 --interval-count 2 -x, -o rows
	wait_for has_lines rows 3
	pause 0.1
	: >end
	ended
	assert_equal "$status" 5
	assert_lines rows 3
}

@test "--timeout: stops counting, and ends a command by SIGTERM" {
	needs_software_events -a
	try within "$TDSTAT" -a --timeout 50 -x,
	assert_success
	IFS=, read -r seconds _ <<<"${lines[1]}"
	[[ $seconds =~ ^([1-9][0-9]*\.|0\.([1-9]|0[5-9])) ]] || fail "$seconds"
	try within "$TDSTAT" -o out --timeout 100 -- sleep 600
	assert_failure 143
	has_text out $'\n'' +([1-9][0-9]*|0\.[1-9])[0-9.]* seconds time elapsed'
}

# --- signals ---------------------------------------------------------------------

@test "SIGINT and SIGTERM print the counts so far" {
	needs_software_events -a
	for signal in INT TERM; do
		for format in '' '-x,'; do
			rm -f err
			# a shell's background jobs ignore SIGINT: not under env's eyes; -D, as it says
			# when counting has begun
			env --default-signal=INT "$TDSTAT" -a -D 1 $format >out 2>err 3>&- &
			pid=$!
			wait_for has_text err 'Events enabled'
			kill -$signal $pid
			ended
			assert_equal "$status" 0
			has_text out 'tma_retiring'
			has_text out '[0-9]\.[0-9]'
		done
	done
}

# --- processes -------------------------------------------------------------------

@test "-p: counting lasts until the process ends, and its end is noticed immediately" {
	needs_software_events
	sleep 600 3>&- &
	sleeper=$!
	"$TDSTAT" -p $sleeper -o out 3>&- &
	pid=$!
	wait_for has_events $pid
	kill $sleeper
	wait_for has_ended $pid
	ended
	assert_equal "$status" 0
	has_text out 'process id'
}

@test "-p: a process that is not there" {
	needs_software_events
	true &
	gone=$!
	wait $gone
	try "$TDSTAT" -p $gone
	assert_failure 1
	assert_complains "$gone"
	assert_output ''
}

# --- CPUs ------------------------------------------------------------------------

@test "-A: a row a CPU" {
	needs_software_events -a
	try "$TDSTAT" -a -A --timeout 30 -x,
	assert_success
	nr=$(getconf _NPROCESSORS_ONLN)
	assert_equal "${#lines[@]}" $((nr + 1))
	for line in "${lines[@]:1}"; do
		[[ $line =~ ^[^,]*,CPU[0-9]+, ]] || fail "$line"
	done
	assert_halves "$output"
	try "$TDSTAT" -C 0 -A --timeout 30 -x,
	assert_equal "${#lines[@]}" 2
	[[ ${lines[1]} =~ ^[^,]*,CPU0, ]]
}

# --- recordings ------------------------------------------------------------------

@test "record, then report: the same rows" {
	needs_software_events -a
	try "$TDSTAT" record -o rec.jsonl -a -I 30 --interval-count 3 -x,
	assert_equal "${#lines[@]}" 4
	seen=$output
	try "$TDSTAT" report -i rec.jsonl -x,
	assert_success
	assert_output "$seen"
	try "$TDSTAT" record -o rec.jsonl -- sh -c 'exit 4'
	assert_equal "$status" 4
	seen=$stderr
	try "$TDSTAT" report -i rec.jsonl
	assert_success
	assert_same "$seen" "$output"
}

@test "a recording's lines: the head, the counts, the end" {
	needs_software_events
	"$TDSTAT" record -o rec.jsonl -- sh -c 'exit 4' 2>/dev/null || true
	# each tenth of a second there is a line with the counts so far
	jq -es 'map(select(has("so_far") | not)) |
		(.[0] | .tdstat == 1 and .cpuid == "GenuineIntel-6-FF-0" and (.smt | type == "boolean")
			and .interval_ms == 0 and (.target | test("sh -c exit 4"))
			and .pmus[0].name == "cpu" and .pmus[0].type == 1
			and ([.events[].name] | sort) == ["cpu/topdown-bad-spec/", "cpu/topdown-be-bound/",
				"cpu/topdown-fe-bound/", "cpu/topdown-retiring/"]
			and all(.topology[]; has("cpu") and has("core") and has("cluster")
				and has("die") and has("socket") and has("node")))
		and (.[1].counts | length == 4 and all(.[]; length == 6 and .[1] == -1 and .[2] > 0))
		and (.[-1].end | .exit == 4 and .elapsed > 0 and .user >= 0 and .sys >= 0)
		and length == 3' rec.jsonl
	"$TDSTAT" record -o rec.jsonl -C 0 --timeout 20 >/dev/null
	jq -es 'map(select(has("so_far") | not)) | .[1].counts | all(.[]; .[1] == 0 and .[2] == -1 and .[4] > 0 and .[5] == .[4])' rec.jsonl
}

@test "a recording whose program was killed is read up to there" {
	needs_software_events -a
	"$TDSTAT" record -o rec.jsonl -a -I 30 >/dev/null 3>&- &
	wait_for has_lines rec.jsonl 6
	kill -KILL $!
	wait $! || true
	try "$TDSTAT" report -i rec.jsonl -x,
	assert_success
	assert_complains 'rec\.jsonl'
	[ "${#lines[@]}" -gt 3 ]
}

# --- limits ----------------------------------------------------------------------

# Standard input, output, error; two directories, descriptors for waiting; then counters.
limited() {
	try no_raise sh -c "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
		ulimit $1 10; exec \"\$TDSTAT\" -a -l 1 --timeout 20"
}

@test "the soft limit of open files is raised before anything is refused" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events -a
	limited -Sn
	assert_success
	assert_no_stderr
}

@test "the hard limit of open files: the event, and the remedy" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events -a
	limited -n
	assert_failure 1
	assert_why_and_remedy 'cpu/topdown-[a-z-]*/' 'ulimit -n'
}
