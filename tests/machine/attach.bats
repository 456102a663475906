#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2030,SC2031,SC2154 # pid; what "run --separate-stderr" sets
# Processes that run already, the idle machine, and signals.
# machine: adl --full

load helper

# Leaves the process's id in $pid; touch end ends it.
busy_process() { # CPU
	taskset -c "$1" sh -c "$WORK_ON" 3>&- &
	pid=$!
	wait_for_file running
}

@test "a process, until it ends" {
	emulated
	busy_process 5
	"$TDSTAT" -p "$pid" -x, >out 3>&- &
	sleep 1.5
	[ ! -s out ]
	touch end
	wait $!
	rates check out --rows 1 --not-counted cpu_core
}

@test "a process in intervals, until it ends" {
	emulated
	busy_process 1
	"$TDSTAT" -p "$pid" -I 300 >out 3>&- &
	sleep 1.5
	touch end
	wait $!
	rates check out --pmus cpu_core
	[ "$(grep -c ' cpu_core ' out)" -ge 3 ]
	grep '^# cpu_atom has no row for an interval in which tasks ran on other cores alone$' out
}

@test "a process with threads, older and younger than the counting" {
	emulated
	cat >threads.py <<-EOS
		import os, pathlib, threading, time
		def work(cpu, begin):
		    os.sched_setaffinity(0, {cpu})
		    pathlib.Path(begin).touch()
		    while not os.path.exists("end"):
		        pass
		os.sched_setaffinity(0, {7})
		threads = [threading.Thread(target=work, args=(5, "running"))]
		threads[0].start()
		while not os.path.exists("more"):
		    time.sleep(0.05)
		threads.append(threading.Thread(target=work, args=(1, "more.running")))
		threads[1].start()
	EOS
	python3 threads.py 3>&- &
	pid=$!
	wait_for_file running
	"$TDSTAT" -p "$pid" -I 500 -x, >out 3>&- &
	sleep 1.3
	touch more
	wait_for_file more.running
	sleep 1.3
	touch end
	wait $!
	# first the Atom CPU alone, then both
	grep '^0.5.*,cpu_core,,,0.00,,,,,,' out
	tail -n 4 out | cut -d, -f2,3,8,9 | grep '^all,cpu_core,25.10,49.80$'
	grep -v ',0.00,,,,,,' out >counted
	cut -d, -f3,8 counted | grep cpu_atom,25.1
}

@test "a process, for as long as a command runs" {
	emulated
	busy_process 6
	run -3 --separate-stderr "$TDSTAT" -p "$pid" -x, -- sh -c 'sleep 1; exit 3'
	kill -0 "$pid"
	touch end
	printf '%s\n' "$output$stderr" >out
	rates check out --rows 1 --not-counted cpu_core
	awk -F, 'NR > 1 && ($1 < 1 || $1 > 10) { exit 1 }' out
}

@test "two processes, until the last one ends" {
	emulated
	busy_process 2
	taskset -c 5 sh -c "$WORK" 3>&- &
	"$TDSTAT" -p "$pid,$!" -x, >out 3>&- &
	sleep 2
	kill -0 $!
	touch end
	wait $!
	rates check out --rows 1
}

@test "a process that is not there" {
	sh -c 'exit 0' &
	pid=$!
	wait "$pid"
	run -1 --separate-stderr "$TDSTAT" -p "$pid"
	[[ ${stderr_lines[0]} == "tdstat: process $pid does not exist" ]]
	[ -z "$output" ]
}

@test "the whole machine, idle: CPUs that halt count little, and the same" {
	"$TDSTAT" -a -I 500 --interval-count 4 >out
	# little is counted, so the way from one counter to the next is seen: the less,
	# the more idle the host is, too
	rates check out --rows 4 --every 500 --tolerance 5
}

# until_signal NAME SECONDS OPTION...: tdstat, ended by a signal to it alone
until_signal() {
	timeout --foreground --preserve-status -s "$1" "$2" "$TDSTAT" "${@:3}"
}

@test "the whole machine until a signal" {
	emulated
	for signal in INT TERM; do
		run -0 until_signal "$signal" 1.3 -a --cputype core -I 200 -x,
		printf '%s\n' "$output" >out
		rates check out --pmus cpu_core
		[ "$(wc -l <out)" -ge 4 ]
	done
	# no row was due yet: what was counted comes all the same
	run -0 until_signal INT 1 -a --cputype core -I 60000 -x,
	printf '%s\n' "$output" >out
	rates check out --pmus cpu_core --rows 1
	run -0 until_signal TERM 1 -a --cputype core -x,
	printf '%s\n' "$output" >out
	rates check out --pmus cpu_core --rows 1
}

@test "a signal is passed on to the command" {
	emulated
	run -130 --separate-stderr until_signal INT 2 -- env --default-signal=INT sleep 30
	[[ $stderr == *tma_retiring*"seconds time elapsed"* ]]
	run -143 --separate-stderr until_signal TERM 2 -x, -- sleep 30
	[[ $stderr == *,all,cpu_core,* ]]
	# shellcheck disable=SC2016
	run -7 --separate-stderr until_signal TERM 2.5 -- \
		sh -c 'trap "echo told; exit 7" TERM; sleep 30 >/dev/null 2>&1 3>&- & wait'
	[ "$output" = told ]
	[[ $stderr == *tma_retiring*"seconds time elapsed"* ]]
}
