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
	counting=$!
	counts_for 0.5 $counting
	[ ! -s out ]
	touch end
	wait $counting
	rates check out --rows 1 --not-counted cpu_core
}

@test "a process in intervals, until it ends" {
	emulated
	busy_process 1
	"$TDSTAT" -p "$pid" -I 300 >out 3>&- &
	counting=$!
	# the head has two lines
	wait_for has_lines out 5
	touch end
	wait $counting
	rates check out --pmus cpu_core
	[ "$(grep -c ' cpu_core ' out)" -ge 3 ]
	grep '^# cpu_atom has no row for intervals in which no task ran there$' out
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
	/usr/bin/python3 -S threads.py 3>&- &
	pid=$!
	wait_for_file running
	"$TDSTAT" -p "$pid" -I 500 -x, >out 3>&- &
	counting=$!
	# the head, and two rows each time
	wait_for has_lines out 3
	touch more
	wait_for_file more.running
	mapfile -t rows <out
	# the row in which it began, and two more
	wait_for has_lines out $((${#rows[@]} + 6))
	touch end
	wait $counting
	# first the Atom CPU alone, then both
	sed -n 2,3p out | grep ',cpu_core,,,0.00,,,,,,'
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
	awk -F, 'NR > 1 && $1 < 1 { exit 1 }' out
}

@test "two processes, until the last one ends" {
	emulated
	busy_process 2
	taskset -c 5 sh -c 'until [ -e enough ]; do :; done' 3>&- &
	first=$!
	"$TDSTAT" -p "$pid,$first" -x, >out 3>&- &
	counting=$!
	counts_for 0.5 $counting
	touch enough
	wait $first
	# it would end soon, if this was the end
	pause 0.5
	kill -0 $counting
	touch end
	wait $counting
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

# until_signal NAME OPTION... : tdstat in the background, which gets a signal, alone, once "ready"
# succeeds; what it printed is in "out" and "err", its process id in $counting
until_signal() {
	env --default-signal=INT,TERM "$TDSTAT" "${@:2}" >out 2>err 3>&- &
	counting=$!
	ready
	kill -s "$1" $counting
	status=0
	wait $counting || status=$?
}

@test "the whole machine until a signal" {
	emulated
	ready() { wait_for has_lines out 4; }
	for signal in INT TERM; do
		until_signal "$signal" -a --cputype core -I 200 -x,
		[ "$status" -eq 0 ]
		rates check out --pmus cpu_core
	done
	# no row was due yet, but the counts are printed
	ready() { counts_for 0.3 $counting; }
	until_signal INT -a --cputype core -I 600s -x,
	[ "$status" -eq 0 ]
	rates check out --pmus cpu_core --rows 1
	until_signal TERM -a --cputype core -x,
	[ "$status" -eq 0 ]
	rates check out --pmus cpu_core --rows 1
}

@test "a signal is passed on to the command" {
	emulated
	ready() { wait_for_file begun && rm begun; }
	until_signal INT -- env --default-signal=INT sh -c 'touch begun; exec sleep 600'
	[ "$status" -eq 130 ]
	[[ $(<err) == *tma_retiring*"seconds time elapsed"* ]]
	until_signal TERM -x, -- sh -c 'touch begun; exec sleep 600'
	[ "$status" -eq 143 ]
	[[ $(<err) == *,all,cpu_core,* ]]
	# shellcheck disable=SC2016
	until_signal TERM -- sh -c 'trap "kill \$!; echo told; exit 7" TERM; sleep 600 >/dev/null 2>&1 & touch begun; wait'
	[ "$status" -eq 7 ]
	[ "$(<out)" = told ]
	[[ $(<err) == *tma_retiring*"seconds time elapsed"* ]]
}

# --- as others have asked of other tools ----------------------------------------------

@test "the whole machine, counted from one CPU: each CPU has its row" {
	emulated
	taskset -c 1 "$TDSTAT" -a -A -e cycles -x, -o out -- sleep 0.3
	[ "$(grep -o '^CPU[0-9]*' out | sort -u | xargs)" = 'CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7' ]
}

# Without slots in its group the kernel refuses it, or it counts nothing.
@test "a field of PERF_METRICS without slots: tdstat adds slots, and the field is counted" {
	emulated
	for field in retiring bad-spec fe-bound be-bound heavy-ops br-mispredict fetch-lat mem-bound; do
		"$TDSTAT" -e "cpu_core/topdown-$field/" -x, -o out -- taskset -c 1 sh -c "$WORK"
		[ "$(grep -cE "^[1-9][0-9]*,,cpu_core/topdown-$field/," out)" -eq 1 ] || { cat out; false; }
	done
}

@test "-a -M: a latency in cycles, whose events have a group" {
	emulated
	"$TDSTAT" -a -M tma_l3_hit_latency -j -o out -- taskset -c 1 sh -c "$WORK"
	jq -e 'select(.metric == "tma_l3_hit_latency" and .pmu == "cpu_core").value | numbers' out
}

@test "a cgroup without the controller: the error names the remedy" {
	emulated
	mkdir /sys/fs/cgroup/bare
	run ! "$TDSTAT" -a --require -e cycles --for-each-cgroup bare -- true
	rmdir /sys/fs/cgroup/bare
	[[ $output == *"cgroup bare: the kernel counts no events in it"*"any write to the parent's cgroup.subtree_control"* ]]
}
