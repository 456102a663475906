#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Targets and times: -p, -t, -i, --all-user, --all-kernel, -D, --timeout, --pre, --post, -S,
# with this kernel's software events.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# These tests count page faults: their number is known, while the time that the kernel
# counts for a task depends on the machine.
#
# faults.py NAME N...: threads that take N thousand page faults each.  It writes its pid and
# their ids to the file NAME.  They begin at a line from the FIFO NAME.go; at the end it
# writes a line to NAME.done and waits for another one.  fault.py N [FILE]: a process that
# takes N thousand, and makes FILE before it ends.
setup_file() {
	cat >"$BATS_FILE_TMPDIR/touch.py" <<-'PYTHON'
		import mmap

		def pages():
		    made = mmap.mmap(-1, 1000 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE)
		    try:
		        made.madvise(mmap.MADV_NOHUGEPAGE)
		    except OSError:
		        pass # a kernel that has no such pages
		    return made

		def take_faults(made, thousands):
		    for i in range(thousands):
		        for at in range(0, len(made), mmap.PAGESIZE):
		            made[at] = 1
		        made.madvise(mmap.MADV_DONTNEED)
	PYTHON
	cat >"$BATS_FILE_TMPDIR/faults.py" <<-'PYTHON'
		import os, sys, threading
		from touch import pages, take_faults

		name = sys.argv[1]
		begin = threading.Event()

		def take(made, thousands):
		    begin.wait()
		    take_faults(made, thousands)

		threads = [threading.Thread(target=take, args=(pages(), int(nr))) for nr in sys.argv[2:]]
		for thread in threads:
		    thread.start()
		with open(name, "w") as ids:
		    print(os.getpid(), *[thread.native_id for thread in threads], file=ids)
		with open(name + ".go") as go:
		    go.readline()
		    begin.set()
		    for thread in threads:
		        thread.join()
		    with open(name + ".done", "w") as done:
		        print(file=done)
		    go.readline()
	PYTHON
	cat >"$BATS_FILE_TMPDIR/fault.py" <<-'PYTHON'
		import sys
		from touch import pages, take_faults

		take_faults(pages(), int(sys.argv[1]))
	PYTHON
	export FAULT=$BATS_FILE_TMPDIR/fault.py PYTHONDONTWRITEBYTECODE=1
}

teardown() {
	# shellcheck disable=SC2086 # several
	[ -z "${others-}" ] || { kill -KILL $others; wait $others; } 2>/dev/null || true
	[ -n "$BATS_TEST_COMPLETED" ] || [ -z "${stderr-}" ] || printf 'stderr: %s\n' "$stderr"
}

# faulting NAME N...: sets $pid, and $tids to the threads of these faults
faulting() {
	mkfifo "$1.go" "$1.done"
	python3 -S "$BATS_FILE_TMPDIR/faults.py" "$@" 3>&- &
	others="${others-} $!"
	# a writer, so that its reader never sees an end
	# shellcheck disable=SC2034 # stays open
	exec {fifo}<>"$1.go"
	wait_for has_lines "$1" 1
	read -r pid rest <"$1"
	read -ra tids <<<"$rest"
	all_names="${all_names-} $1"
}

# The command of tdstat: they begin now, and it ends when they do.
lets_them_go() {
	local name

	for name in $all_names; do
		echo >"$name.go"
	done
	for name in $all_names; do
		read -r <"$name.done"
	done
}
export -f lets_them_go

# counted OPTION...: print how many faults there are in the meantime
counted() {
	local name

	export all_names
	try within "$TDSTAT" "$@" -e minor-faults -x, -o counted -- bash -c lets_them_go
	assert_success
	for name in $all_names; do
		echo >"$name.go"
	done
	faults counted
}

# faults FILE: how many its one row has
faults() {
	IFS=, read -r faults _ <"$1"
	[[ $faults =~ ^[0-9]+$ ]] || fail "$1: $faults"
}

between() {
	(($1 >= $2 && $1 <= $3)) || fail "$1 is not from $2 to $3"
}

# now_ms: set $now_ms from a clock that cannot be set, to 10 ms
now_ms() {
	local uptime

	read -r uptime _ </proc/uptime
	now_ms=$((10#${uptime/./} * 10))
}

# --- who ------------------------------------------------------------------------

@test "-t: these threads of a process, and no other" {
	real
	faulting one 4 16 2
	counted -t "${tids[0]},${tids[2]}"
	between "$faults" 6000 15000
}

@test "-t: threads of two processes" {
	real
	faulting one 3 20
	first=${tids[0]}
	faulting two 20 5
	counted -t "$first,${tids[1]}"
	between "$faults" 8000 19000
}

@test "-p: all threads of several processes" {
	real
	faulting one 3 4
	first=$pid
	faulting two 2 15
	counted -p "$first,$pid"
	between "$faults" 24000 35000
}

@test "-p, -t: invalid lists, and numbers that do not exist" {
	real
	for option in -p -t; do
		for list in x '' ',' 1,x -1; do
			try "$TDSTAT" $option "$list" -e task-clock --timeout 20
			[ "$status" = 64 ] || fail "$option '$list': status $status"
			assert_complains "$option"
		done
		try "$TDSTAT" $option $$,4194303 -e task-clock --timeout 20
		assert_complains 4194303
	done
	try "$TDSTAT" -t 4194303 -e task-clock --timeout 20
	assert_failure 1
	assert_complains 4194303
}

# A zombie is still listed: a process that has ended, and one that is about to end, look
# alike.
@test "-p, -t: a process that has just ended is named, and not called too fast" {
	real
	cat >zombie.py <<-'PYTHON'
		import os, time
		pid = os.fork()
		if pid:
		    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
		    print(pid, flush=True)
		    time.sleep(600)
	PYTHON
	python3 -S zombie.py >zombie 3>&- &
	others=$!
	wait_for has_lines zombie 1
	read -r zombie <"zombie"
	for how in "-p $zombie" "-p $zombie --per-thread" "-p $$,$zombie"; do
		try within "$TDSTAT" $how -e task-clock --timeout 20
		assert_failure 1
		assert_equal "$stderr" "tdstat: process $zombie has ended"
	done
	try within "$TDSTAT" -t $zombie -e task-clock --timeout 20
	assert_failure 1
	assert_equal "$stderr" "tdstat: thread $zombie has ended"
}

@test "-p: threads that start and end faster than they can be opened: the remaining ones, and their children" {
	real
	cat >brief.c <<-'C'
		#include <pthread.h>
		#include <stdio.h>
		#include <time.h>
		#include <unistd.h>
		static void *brief(void *unused) { return nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL) ? unused : NULL; }
		static void *maker(void *unused)
		{
			for (pthread_t t;;)
				if (!pthread_create(&t, NULL, brief, unused))
					pthread_join(t, NULL);
		}
		int main(void)
		{
			pthread_t t;
			for (int i = 0; i < 64; i++)
				pthread_create(&t, NULL, maker, NULL);
			puts("ready");
			fflush(stdout);
			return pause();
		}
	C
	gcc -O1 -pthread -o brief brief.c
	./brief >ready 3>&- &
	others=$!
	wait_for has_lines ready 1
	try within "$TDSTAT" -p $others -e context-switches -j -o out --timeout 100
	assert_success
	jq -e '."counter-value" | tonumber' out
	try within "$TDSTAT" locate -p $others -e context-switches --timeout 100
	[[ $stderr != *'No such process'* ]] || fail "$stderr"
}

@test "-t: the heading contains the thread id; -p: the process id" {
	real
	try "$TDSTAT" -t $$ -e task-clock --timeout 10
	assert_line --index 1 " Performance counter stats for thread id '$$':"
	try "$TDSTAT" -p $$ -e task-clock --timeout 10
	assert_line --index 1 " Performance counter stats for process id '$$':"
}

@test "-p, -t with -a or -C: tasks take precedence, with a note" {
	real -a
	for how in '-p -a' '-t -a' '-p -C 0' '-t -C 0'; do
		try "$TDSTAT" ${how%% *} $$ ${how#* } -e task-clock --timeout 10
		assert_success
		[[ $stderr =~ "tdstat: "[^$'\n']*-${how:4:1} ]] || fail "$how: no note"
		assert_line --partial "id '$$'"
	done
}

@test "-p and -t exclude each other, and the error names both" {
	try "$TDSTAT" -p $$ -t $$ -e task-clock
	assert_failure 64
	assert_complains '-p.*-t'
}

@test "-i: not the command's children" {
	real
	# the shell alone takes a few hundred
	"$TDSTAT" -e minor-faults -x, -o with -- sh -c 'python3 -S "$FAULT" 10; :'
	faults with
	[ "$faults" -ge 10000 ]
	for option in -i --no-inherit; do
		"$TDSTAT" $option -e minor-faults -x, -o without -- sh -c 'python3 -S "$FAULT" 10; :'
		faults without
		[ "$faults" -lt 5000 ]
	done
	try "$TDSTAT" --dry-run -e task-clock -- true
	[[ $output =~ flags[^$'\n']*inherit ]]
	try "$TDSTAT" --dry-run -i -e task-clock -- true
	assert_success
	[[ ! $output =~ flags[^$'\n']*inherit ]]
}

@test "--all-user, --all-kernel: on every event, and only on those" {
	saved alderlake
	# says ARGUMENT...: how many events there are, and of them exclude the kernel, the user
	says() {
		local events=0 kernel=0 user=0 line

		try "$TDSTAT" --dry-run -a "$@"
		for line in "${lines[@]}"; do
			[[ $line != *' type '* ]] || events=$((events + 1))
			[[ $line != *exclude_kernel* ]] || kernel=$((kernel + 1))
			[[ $line != *exclude_user* ]] || user=$((user + 1))
		done
		says=("$events" "$kernel" "$user")
	}
	# perf's: whatever the event's own modifier says; else it would count nothing
	says --all-user -e cycles,page-faults,instructions:k
	[ "${says[0]}" -ge 5 ]
	assert_equal "${says[*]:1}" "${says[0]} 0"
	says --all-kernel -e cycles,page-faults
	assert_equal "${says[*]}" '3 0 3'
	says --all-user
	assert_equal "${says[*]:1}" "${says[0]} 0"
	says
	assert_equal "${says[*]:1}" '0 0'
}

@test "--all-user and --all-kernel faults add up to all" {
	real
	for how in '' --all-user --all-kernel; do
		"$TDSTAT" $how -e minor-faults -x, -o out -- python3 -S "$FAULT" 10
		faults out
		all+=("$faults")
	done
	echo "${all[@]}"
	# each is of another run of Python
	[ "${all[1]}" -ge 10000 ]
	between $((all[1] + all[2])) $((all[0] * 8 / 10)) $((all[0] * 12 / 10))
	try "$TDSTAT" --all-user --all-kernel -e minor-faults -- touch ran
	assert_failure 64
	assert_complains 'all-user.*all-kernel'
	[ ! -e ran ]
}

# --- when -----------------------------------------------------------------------

@test "-D: the time before counting is neither counted nor elapsed time" {
	real
	now_ms
	begin=$now_ms
	# tdstat stands still until what comes before has ended
	"$TDSTAT" -D 1000 -e minor-faults,duration_time --no-big-num -- sh -c 'kill -STOP $PPID
		grep -q enabled err && echo >late; python3 -S "$FAULT" 20; kill -CONT $PPID
		until [ -e go ]; do sleep 0.02; done; python3 -S "$FAULT" 1; sleep 0.05' 2>err 3>&- &
	wait_for has_text err 'Events enabled'
	: >go
	status=0
	wait $! || status=$?
	now_ms
	[ ! -e late ] || skip "it takes more than a second to start a shell here"
	assert_equal "$status" 0
	has_text err 'Events disabled.*Events enabled'
	awk -v most=$((now_ms - begin + 20 - 1000)) '/minor-faults/ { if ($1 < 1000 || $1 > 15000) failed = 1; n++ }
		/duration_time/ { if ($1 < 50e6 || $1 > most * 1e6) failed = 1; n++ }
		/time elapsed/ { if ($1 < 0.05 || $1 > most / 1e3) failed = 1; n++ }
		{ print } END { exit failed || n != 3 }' err
}

@test "-D: a command that ends before: no counts, and its status" {
	real
	try within "$TDSTAT" -D 3600000 -e task-clock -x, -- sh -c 'exit 3'
	assert_failure 3
	[[ $'\n'$stderr == *$'\n<not counted>,msec,task-clock,0,'* ]]
	[[ $'\n'$stderr$'\n' == *$'\nEvents disabled\n'* ]]
	[[ $stderr != *'Events enabled'* ]]
}

@test "-p of a sleeping process: a note that there are no counts, and status 0" {
	real
	sleep 600 3>&- &
	pid=$!
	wait_for has_text "/proc/$pid/comm" "^sleep"
	wait_for sleeps $pid
	try "$TDSTAT" -p $pid -e cs -x, --timeout 50
	kill $pid
	assert_success
	[[ $output == '<not counted>,,cs,0,'* ]]
	[[ $stderr == "tdstat: nothing was counted: these processes did not run ("* ]]
	# the page contains the same
	awk '/^\.It nothing was counted: %s/ { getline; found = /^Note: / } END { exit !found }' \
		"$here/../../man/tdstat-messages.7"
}

@test "-D with -a and -p" {
	real -a
	for how in -a "-p $$"; do
		now_ms
		begin=$now_ms
		try "$TDSTAT" $how -D 200 --timeout 100 -e duration_time,cpu-clock -x,
		now_ms
		assert_success
		took=$((now_ms - begin))
		[ $took -ge 290 ] || fail "$took ms"
		[[ $output =~ (^|$'\n')([0-9]+)[0-9]{6},[^,]*,duration_time, ]]
		between "${BASH_REMATCH[2]}" 100 $((took + 20 - 200))
	done
}

@test "-D that makes no sense; -1 without --control" {
	real
	for ms in x '' -2 1.5 99999999999; do
		try "$TDSTAT" -D "$ms" -e task-clock -- touch ran
		[ "$status" = 64 ] || fail "'$ms': status $status"
		assert_complains '-D|delay'
	done
	try "$TDSTAT" -D -1 -e task-clock -- touch ran
	assert_failure 64
	assert_complains '-D -1.*--control'
	[ ! -e ran ]
}

@test "--timeout: a command gets SIGTERM, and may have a last word" {
	real
	try within "$TDSTAT" --timeout 150 -e task-clock -x, -- sleep 600
	assert_failure 143
	[[ $stderr == *,msec,task-clock,* ]]
	# a second later it would be killed, but a blocked one waits for a request.  "say"
	# and "exit" are not tested on a machine that is too slow for that.
	now_ms
	begin=$now_ms
	try within env --block-signal=TERM "$TDSTAT" --timeout 150 -e task-clock -x, -- \
		python3 -S -c 'import signal, sys
signal.sigwait([signal.SIGTERM])
print("bye", flush=True)
sys.exit(9)'
	now_ms
	case $status in
	9) assert_output bye ;;
	137) [ $((now_ms - begin)) -ge 1130 ] ;;
	*) fail "status $status" ;;
	esac
	# and that one is
	now_ms
	begin=$now_ms
	try within env --ignore-signal=TERM "$TDSTAT" --timeout 150 -e task-clock -x, -- sleep 600
	now_ms
	assert_failure 137
	[ $((now_ms - begin)) -ge 1130 ]
	try "$TDSTAT" --timeout 100 -I 100 -e task-clock -- touch ran
	assert_failure 64
	assert_complains 'timeout.*-I'
	[ ! -e ran ]
}

# --- around it ------------------------------------------------------------------

@test "--pre, the command, --post: in this order, not counted, each run of -r" {
	real
	try "$TDSTAT" -r 3 --pre 'echo pre' --post 'echo post' -e task-clock -o out -- echo it
	assert_success
	assert_output $'pre\nit\npost\npre\nit\npost\npre\nit\npost'
	# faults of their own are not counted
	work='sleep 0.2; python3 -S "$FAULT" 10'
	now_ms
	begin=$now_ms
	"$TDSTAT" --pre "$work" --post "$work" -e minor-faults,duration_time -x, -o out -- true
	now_ms
	awk -F, -v most=$((now_ms - begin + 20 - 400)) '$1 > ($3 == "minor-faults" ? 5000 : most * 1e6) { print; failed = 1 }
		END { exit failed || NR != 2 }' out
	# the shell's whole grammar
	try "$TDSTAT" --pre 'a=1 && echo "$a" | tr 1 x' -e task-clock -o out -- true
	assert_output x
}

@test "--pre that fails: the command does not run; a failed --post is also reported" {
	real
	for pre in 'exit 3' nosuch-command 'kill -9 $$'; do
		try "$TDSTAT" --pre "$pre" --post 'touch posted' -e task-clock -- touch ran
		[ "$status" -eq 1 ] || fail "$pre: status $status"
		# the shell may say something of its own before
		[[ $'\n'$stderr =~ $'\n'"tdstat: "[^$'\n']*--pre ]] || fail "$pre: no line of tdstat's"
		[ ! -e ran ] && [ ! -e posted ]
	done
	try "$TDSTAT" --post 'exit 3' -e task-clock -x, -o out -- touch ran
	assert_failure 1
	[ -e ran ]
	assert_complains '--post.*3'
}

@test "--post also runs after a command that fails, whose status is kept" {
	real
	try "$TDSTAT" --post 'echo post' -e task-clock -o out -- sh -c 'exit 4'
	assert_failure 4
	assert_output post
}

@test "-S: sync() before each run; without -S, no sync()" {
	real
	needs_strace
	for option in -S --sync; do
		strace -f -e trace=sync,execve -o log "$TDSTAT" -r 2 $option -e task-clock -o out -- true
		calls=()
		while IFS= read -r line; do
			[[ $line == *ENOENT* || ! $line =~ (sync|execve)\((\)|\"/[^\"]*/true) ]] || calls+=("${BASH_REMATCH[1]}")
		done <log
		assert_equal "${calls[*]}" 'sync execve sync execve'
	done
	strace -f -e trace=sync -o log "$TDSTAT" -e task-clock -o out -- true
	IFS= read -rd '' text <log || true
	[[ $text == *exited* && $text != *'sync('* ]]
}
