#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Mistyped command lines: hints with the probable meaning.

# shellcheck disable=SC2016,SC2086,SC2154 # what is suggested; lists of options; helper.bash
load helper

# Command lines are collected, and run by one process: refused.py.

# hinted HINT WHY [ARG...]: a usage error, with WHY (a pattern) in its first line
# and exactly HINT as its second
hinted() {
	printf '%s\0' $(($# + 1)) hinted "$@" >>cases
}

# missed HINT [ARG...]: a command that is not there
missed() {
	printf '%s\0' $(($# + 1)) missed "$@" >>cases
}

# Runs those that were collected.
check() {
	python3 "$here/refused.py" <cases
	rm cases
}

teardown() {
	[ -n "$BATS_TEST_COMPLETED" ] || printf 'stderr: %s\n' "${stderr-}"
	[ -z "$BATS_TEST_COMPLETED" ] || [ ! -e cases ] || fail "some were not run"
}

@test "--sort takes no value" {
	try "$TDSTAT" -a -A --sort lost --timeout 10
	assert_failure 64
	assert_complains "^tdstat: --sort takes no value: it sorts by lost slots, and 'lost' is not a command"
	# but a command may follow
	saved alderlake
	try "$TDSTAT" -a --sort --dry-run -- true
	assert_success
}

@test "a mistyped option: the one that is near, also of abbreviations" {
	hinted "did you mean '--interval-print', '--interval-count' or '--interval-clear'?" "unrecognized option '--intervall'" -a --intervall 5
	hinted "did you mean '--interval-count'?" "'--intreval-count=5'" -a --intreval-count=5
	hinted "did you mean '--per-core'?" "'--percore'" --percore -- true
	hinted "did you mean '--json-output'?" "'--jsonn'" --jsonn -a
	hinted "did you mean '--version'?" "'--versoin'" --versoin
	hinted 'tdstat --help=all lists the options' "'--nosuch'" --nosuch
	hinted "did you mean '--interval-count'?" "'--counts'" --counts
	# far from every name, and from the begin of one
	! has_wing serve || hinted 'tdstat serve --help=all lists the options' "'--port'" serve --port 80
	hinted 'tdstat --help=all lists the options' "'-Q'" -aQ
	hinted 'for call graphs use: tdstat locate --callers' "'-g'" record -g
	hinted 'tdstat list --help=all lists the options' "'--nosuch'" list --nosuch
	# also after a subcommand, but not among a command's words
	hinted "did you mean '--verbose'?" "'--verbsoe'" list --verbsoe
	hinted "did you mean '--per-core'?" "'--per-croe'" report -i file --per-croe
	hinted "did you mean '--output'?" "'--outptu'" record --outptu x true
	saved alderlake
	for words in 'true --outptu' '-- --outptu' 'record -o made true --outptu' '-e --outptu true' \
		'-o --outptu true'; do
		try "$TDSTAT" --dry-run $words
		[[ $stderr != *unrecognized* ]] || fail "$words"
	done
	check
}

@test "a long option with one dash" {
	hinted 'did you mean --event?' '^tdstat: -event:' -event cycles -- true
	hinted 'did you mean --version?' '^tdstat: -version:' -version
	hinted 'did you mean --output=x?' '^tdstat: -output=x:' -output=x true
	saved alderlake
	# letters of options, and the text after one
	try "$TDSTAT" --dry-run -ave cycles
	assert_success
	check
}

@test "-p and -t: a name in the place of a number, blanks in that of commas" {
	hinted 'processes are given by number: -p $(pgrep -d, -x bash)' '^tdstat: -p bash:' -p bash
	hinted 'processes are given by number: -p $(pgrep -d, -x my.prog-2)' 'my.prog-2' --pid=my.prog-2
	# longer ones than the kernel keeps, and what a shell would not read as one word
	hinted 'processes are given by number, as pgrep and ps show it' '' -p a_name_of_16_long
	hinted 'processes are given by number, as pgrep and ps show it' '' -p 'a;b'
	hinted 'threads are given by number, as ps -L shows it' '' -t bash
	hinted 'numbers are separated by commas, without blanks' '' -p '12 13'
	check
}

@test "the output of pgrep becomes a list for -p" {
	command -v pgrep >/dev/null || skip "no pgrep"
	needs_software_events
	mkfifo never
	# a name that no other process has, and no longer than the kernel keeps
	name=of_two_$$
	cp "$BASH" "./$name"
	for _ in 1 2; do
		"./$name" -c 'read -r' <>never &
		pids+=($!)
		wait_for has_text "/proc/$!/comm" "^$name"
	done
	try "$TDSTAT" -p "$(pgrep -d, -x "$name")" --timeout 10
	kill "${pids[@]}"
	assert_success
}

@test "-C: a CPU's or a PMU's name" {
	hinted 'did you mean -C 0?' '^tdstat: -C cpu0:' -C cpu0
	hinted 'did you mean -C 0-3,8?' '^tdstat: -C CPU0-3,8:' -C CPU0-3,8
	hinted 'did you mean --cputype atom?' '' -C atom
	hinted 'did you mean --cputype cpu_core?' '' -C cpu_core
	hinted 'use -a for all CPUs' '' -C all
	hinted 'numbers are separated by commas, without blanks' '' -C '0 1'
	check
}

@test "-l: the name of a group" {
	hinted 'did you mean -l 2?' '^tdstat: -l TopdownL2:' -l TopdownL2
	hinted 'did you mean -l 3?' '^tdstat: -l L3:' -l L3
	check
}

@test "report: files that do not go on from each other" {
	try "$TDSTAT" report "$data/alderlake.jsonl" "$data/sapphirerapids-2.jsonl"
	assert_failure 1
	assert_why_and_remedy 'does not continue .*: another machine' 'tdstat diff'
}

# perf_data FEATURES: the header of perf.data with these bits, of which number 19 is that of counts
perf_data() {
	printf 'PERFILE2\150\0\0\0\0\0\0\0'
	head -c 56 /dev/zero
	printf %b "$1"
	head -c 28 /dev/zero
}

# pipe_data TYPE: what begins a pipe instead, with an event whose samples are of this type
pipe_data() {
	printf 'PERFILE2\20\0\0\0\0\0\0\0\100\0\0\0\0\0\220\0'
	head -c 24 /dev/zero
	printf %b "$1"
	head -c 111 /dev/zero
}

@test "report: a file of perf record" {
	needs_wing import
	printf 'PERFILE2\0\1' >short
	perf_data '\377\377\367\377' >perf.data
	pipe_data '\7' >piped
	for file in short perf.data piped; do
		try "$TDSTAT" report $file
		assert_failure 1
		assert_why_and_remedy "^tdstat: $file is a file of perf record, which" "perf stat -x or -j"
	done
	echo PERFILE >other
	try "$TDSTAT" report other
	assert_failure 1
	[[ $stderr != *"perf record"* ]]
}

@test "report, diff: a file of perf stat record, and the command that converts it" {
	needs_wing import
	perf_data '\0\0\10\0' >perf.data
	pipe_data '\0' >piped
	for file in perf.data piped; do
		for command in report 'report -j -i' "diff $data/alderlake-command.jsonl"; do
			# shellcheck disable=SC2086
			try "$TDSTAT" $command $file
			[ "$status" -ne 0 ] && [ -z "$output" ]
			assert_why_and_remedy "^tdstat: $file is a file of perf stat record, which tdstat does not read$" \
				"^tdstat: to read it: perf stat -j report -i $file 2>FILE, then give FILE instead$"
		done
		try "$TDSTAT" report - <$file
		assert_why_and_remedy '^tdstat: - is a file of perf stat record' 'perf stat -j report -i - '
	done
	# a command that can be pasted
	mv piped 'a piped'
	try "$TDSTAT" report 'a piped'
	assert_complains "perf stat -j report -i 'a piped' 2>FILE"
	try "$TDSTAT" report 'not there'
	assert_complains "tdstat record -o 'not there' makes it"
	gzip <'a piped' >'a packed'
	try "$TDSTAT" report 'a packed'
	assert_complains "zcat 'a packed' | tdstat report -"
}

@test "a command that does not exist, with the probable meaning" {
	needs_software_events
	missed 'tdstat does what perf stat does without a subcommand' stat sleep
	missed 'did you mean --interval-count 5?' -I 1s 5
	missed "did you mean -p $$,23? Numbers are separated by commas" -p $$ 23
	missed "did you mean -e task-clock,page-faults? Names are separated by commas" -e task-clock page-faults
	missed "did you mean -M tma_retiring,tma_bad_speculation? Names are separated by commas" \
		-M tma_retiring tma_bad_speculation
	missed "without the quotes: tdstat -- sleep 1; or for a shell: tdstat -- sh -c 'sleep 1'" 'sleep 1'
	missed 'nothing_like_it: No such file or directory' nothing_like_it
	check
}

@test "a command of perf that tdstat lacks: the replacement, and no program of that name runs" {
	mkdir bin
	for name in annotate archive buildid-cache buildid-list c2c evlist ftrace inject iostat kallsyms kmem kwork \
		lock mem probe sched script test timechart trace; do
		printf '#!/bin/sh\necho ran\n' >"bin/$name"
	done
	chmod +x bin/*
	for name in bin/*; do
		PATH=$PWD/bin:$PATH try "$TDSTAT" "${name#*/}" -i perf.data
		assert_failure 64
		assert_output ''
		assert_equal "${stderr_lines[0]}" "tdstat: ${name#*/} is a command of perf, not of tdstat"
		[[ ${stderr_lines[1]} == *"a program of this name is run by tdstat -- ${name#*/}" ]]
	done
	PATH=$PWD/bin:$PATH try "$TDSTAT" -a mem
	assert_failure 64
	[[ $stderr == *"tdstat: tdstat locate tma_memory_bound shows functions; a program"* ]]
	# a program with the name of a subcommand runs if it exists
	rm bin/*
	for name in bench check config daemon data kvm; do
		PATH=$PWD/bin try "$TDSTAT" "$name"
		assert_failure 64
		assert_equal "${stderr_lines[0]}" "tdstat: $name is a command of perf, not of tdstat"
		[[ ${stderr_lines[1]} == *"a program of this name is run by tdstat -- $name" ]]
		printf '#!/bin/sh\necho ran\n' | tee "bin/$name" >bin/script
		chmod +x bin/*
		PATH=$PWD/bin:$PATH try "$TDSTAT" --null "$name"
		assert_success
		assert_output ran
	done
	# which do exist
	needs_software_events
	PATH=$PWD/bin:$PATH try "$TDSTAT" -e cs -- script
	assert_success
	assert_output ran
	try "$TDSTAT" -e cs bin/script
	assert_output ran
}

@test "a first word like a subcommand's name, which is no program: before all else" {
	export SYSFS_PATH=/nonexistent PROCFS_PATH=/nonexistent
	missed 'did you mean tdstat list?' lsit
	missed 'did you mean tdstat record?' recrod -o x
	missed 'did you mean tdstat report?' -j repot file
	missed 'did you mean tdstat help?' hlep
	missed 'did you mean tdstat --version?' version
	hinted 'did you mean tdstat report?' "no subcommand 'repot'" help repot
	hinted 'tdstat help lists them' "no subcommand 'nosuch'" help nosuch
	check
	PATH=$PWD/nothing try "$TDSTAT" version
	[ "${stderr_lines[0]}" = 'tdstat: version: No such file or directory' ]
}

@test "a program of such a name runs after --" {
	needs_software_events
	mkdir bin
	printf '#!/bin/sh\necho "I am $0"\n' | tee bin/stat bin/repot >/dev/null
	chmod +x bin/*
	for word in stat repot; do
		try env PATH="$PWD/bin:$PATH" "$TDSTAT" $word
		assert_success
		assert_output --partial "I am $PWD/bin/$word"
		[[ $stderr != *"did you mean"* ]]
	done
	try "$TDSTAT" -- repot
	assert_equal "$status" 127
	[[ $stderr != *"did you mean"* ]]
	try "$TDSTAT" ./repot
	assert_equal "$status" 127
	[[ $stderr != *"did you mean"* ]]
}

# --- names of metrics and events --------------------------------------------------

@test "-M: a part of a name, with and without its prefix" {
	saved alderlake
	hinted "did you mean 'tma_info_thread_uptb'?" '^tdstat: -M upt:' -M upt
	hinted "did you mean 'ipc'?" '' -M tma_info_ipc
	# nodes of the tree come before other metrics of the same words
	hinted "did you mean 'tma_other_mispredicts', 'tma_branch_mispredicts' or 'tma_mispredicts_resteers'?" '' -M mispredict
	hinted "did you mean 'tma_l3_bound'?" '^tdstat: -M l3_bond:' -M l3_bond
	hinted "did you mean 'tma_dram_bound'?" '' -M info_dram_bound
	hinted "did you mean 'tma_retiring'?" '' -M tma_retirng
	try "$TDSTAT" -M bandwidth
	[[ ${stderr_lines[1]} == "tdstat: did you mean 'tma_mem_bandwidth', 'tma_fetch_bandwidth'"* ]]
	try "$TDSTAT" -M tlb
	[[ ${stderr_lines[1]} == *"? (tdstat list metrics has more)" ]]
	# words of a description; suggestions exist
	hinted "did you mean 'tma_info_memory_mlp'?" '' -M 'memory parallelism'
	for name in tma_info_core_ipc tma_l3_bound tma_mem_bandwidth tma_info_memory_mlp; do
		"$TDSTAT" --dry-run -M $name
	done
	check
}

@test "-M list, an event after -M, a metric after -e" {
	saved alderlake
	for name in list help 'foo*' zzzz; do
		hinted 'tdstat list metrics shows all metrics' '^tdstat: -M' -M "$name"
	done
	hinted 'it is an event: -e cycles' '' -M cycles
	hinted 'it is an event: -e L1-dcache-loads' '' -M L1-dcache-loads
	hinted 'it is an event: -e INST_RETIRED.ANY' '' -M INST_RETIRED.ANY
	for name in tma_retiring TopdownL1; do
		try "$TDSTAT" -e $name
		assert_failure 64
		[ "${stderr_lines[-1]}" = "tdstat: it is a metric: -M $name" ]
	done
	check
}

# --- a terminal -------------------------------------------------------------------

# on_terminal [ARG...]: tdstat on a terminal of its own, whose text is in the file
# "screen"; $! is script(1), whose child it is
on_terminal() {
	local words

	printf -v words '%q ' "$TDSTAT" "$@"
	: >screen
	script -qefc "exec $words" screen </dev/null >/dev/null 2>&1 &
}

# shows TEXT: once it is on the screen, which is then $shown
shows() {
	IFS= read -rd '' shown <screen || true
	[[ $shown == *"$1"* ]]
}

@test "on a terminal: until when it counts, and how rows are shown, in one line" {
	command -v script >/dev/null || skip "no script(1)"
	needs_software_events -a
	for words in '' -a '-C 0' '-D 10'; do
		on_terminal $words
		wait_for shows 'tdstat: counting until ^C: -I 1s shows a row every second'
		pkill -INT -P $!
		wait $!
		shows 'seconds time elapsed'
		[[ $shown != *'counting until'*'counting until'* ]] || fail "more than one"
	done
	mkfifo never
	read -r <>never &
	waits=$!
	on_terminal -p $waits
	wait_for shows 'tdstat: counting until it ends or ^C: -I 1s shows a row every second'
	kill $waits
	wait
}

@test "on a terminal: no hint where rows are shown, the end is known, or there is no tree" {
	command -v script >/dev/null || skip "no script(1)"
	needs_software_events -a
	ln -s "$data/alderlake.jsonl" .
	for words in '-I 10 --interval-count 1' '--timeout 10' '-- true' '--dry-run' 'list tma' \
		'report alderlake.jsonl'; do
		on_terminal $words
		wait $!
		! shows 'counting until' || fail "$words: it is said"
		[ -s screen ] || fail "nothing on the screen"
	done
	# no terminal
	mkfifo never
	read -r <>never &
	waits=$!
	"$TDSTAT" -l 1 -p $waits >out 2>err &
	wait_for has_events $!
	kill $waits
	wait $!
	! has_text err 'counting until' || fail "it is said to nobody"
}
