#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What to count and when: -p, -t, -i, --all-user, --all-kernel, -D, --timeout,
# --pre, --post, -S, over this kernel's software events.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# Threads of known times of the processor's: burn.py FILE MS... writes their
# ids to FILE, and they begin at a line of standard input; FILE.done, then they
# wait for another.
setup_file() {
	cat >"$BATS_FILE_TMPDIR/burn.py" <<-'PYTHON'
		import sys, threading, time
		def burn(ms):
		    begin.wait()
		    while time.thread_time() < ms / 1000:
		        pass
		begin = threading.Event()
		threads = [threading.Thread(target=burn, args=[int(ms)]) for ms in sys.argv[2:]]
		for thread in threads:
		    thread.start()
		with open(sys.argv[1], "w") as ids:
		    print(*[thread.native_id for thread in threads], file=ids, flush=True)
		sys.stdin.readline()
		begin.set()
		for thread in threads:
		    thread.join()
		open(sys.argv[1] + ".done", "w").close()
		sys.stdin.readline()
	PYTHON
	# without what may stand before it in PATH
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	export PYTHON
}

# burners NAME MS...: sets $pid, and $tids to the threads of these times
burners() {
	local name=$1 i

	mkfifo "$name.go"
	timeout 20 "$PYTHON" -S "$BATS_FILE_TMPDIR/burn.py" "$name" "${@:2}" <>"$name.go" 3>&- &
	for ((i = 0; i < 200; i++)); do
		[ ! -s "$name" ] || break
		sleep 0.02
	done
	read -r -a tids <"$name"
	pid=$(awk '/^Tgid:/ { print $2 }' "/proc/${tids[0]}/status")
	all_names="${all_names-} $name"
}

# The command of tdstat: they begin now, and it ends when they do.
lets_them_go() {
	local name

	for name in $all_names; do
		echo >"$name.go"
	done
	for name in $all_names; do
		while [ ! -e "$name.done" ]; do
			sleep 0.01
		done
	done
}
export -f lets_them_go

# counted OPTION...: what task-clock comes to meanwhile, in milliseconds
counted() {
	export all_names
	try timeout 20 "$TDSTAT" "$@" -e task-clock -x, -o counted -- bash -c lets_them_go
	assert_success
	for name in $all_names; do
		echo >"$name.go"
	done
	ms=$(cut -d. -f1 counted)
}

between() {
	(($1 >= $2 && $1 <= $3)) || fail "$1 is not from $2 to $3"
}

# --- who ------------------------------------------------------------------------

@test "-t: these threads of a process, and no other" {
	real
	burners one 40 160 20
	counted -t "${tids[0]},${tids[2]}"
	between "$ms" 55 150
}

@test "-t: threads of two processes" {
	real
	burners one 30 200
	first=${tids[0]}
	burners two 200 50
	counted -t "$first,${tids[1]}"
	between "$ms" 75 190
}

@test "-p: all threads of several processes" {
	real
	burners one 30 40
	first=$pid
	burners two 20 50
	counted -p "$first,$pid"
	between "$ms" 135 250
}

@test "-p, -t: lists that make no sense, and what is not there, by its number" {
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

# A zombie is still listed: what has ended and what is about to look alike.
@test "-p, -t: what has just ended is named, and not called too fast" {
	real
	cat >zombie.py <<-'PYTHON'
		import os, time
		pid = os.fork()
		if pid:
		    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
		    print(pid, flush=True)
		    time.sleep(30)
	PYTHON
	"$PYTHON" -S zombie.py >pid 3>&- &
	parent=$!
	for ((i = 0; i < 100; i++)); do
		[ -s pid ] && break
		sleep 0.05
	done
	zombie=$(<pid)
	for how in "-p $zombie" "-p $zombie --per-thread" "-p $$,$zombie"; do
		try timeout 30 "$TDSTAT" $how -e task-clock --timeout 20
		assert_failure 1
		assert_equal "$stderr" "tdstat: process $zombie has ended"
	done
	try timeout 30 "$TDSTAT" -t $zombie -e task-clock --timeout 20
	kill $parent
	assert_failure 1
	assert_equal "$stderr" "tdstat: thread $zombie has ended"
}

@test "-t: the frame says thread id; -p, process id" {
	real
	try "$TDSTAT" -t $$ -e task-clock --timeout 10
	assert_line --index 1 " Performance counter stats for thread id '$$':"
	try "$TDSTAT" -p $$ -e task-clock --timeout 10
	assert_line --index 1 " Performance counter stats for process id '$$':"
}

@test "-p, -t with -a or -C: tasks win, and a note says so" {
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

@test "-i: not what the command starts" {
	real
	work='i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'
	"$TDSTAT" -e task-clock -x, -o with -- sh -c "( $work ); :"
	for option in -i --no-inherit; do
		"$TDSTAT" $option -e task-clock -x, -o without -- sh -c "( $work ); :"
		awk -F, 'NR == FNR { with = $1; next } { exit !($1 < with / 3) }' with without || {
			cat with without
			false
		}
	done
	try "$TDSTAT" --dry-run -e task-clock -- true
	grep -q 'flags.*inherit' <<<"$output"
	try "$TDSTAT" --dry-run -i -e task-clock -- true
	run ! grep -q 'flags.*inherit' <<<"$output"
}

@test "--all-user, --all-kernel: on every event, and only on those" {
	saved alderlake
	"$TDSTAT" --dry-run -a --all-user -e cycles,page-faults,instructions:k >user
	"$TDSTAT" --dry-run -a --all-kernel -e cycles,page-faults >kernel
	[ "$(grep -c ' type ' user)" -ge 5 ]
	assert_equal "$(grep ' type ' user | grep -cv exclude_kernel)" 0
	# perf's: whatever the event's own modifier says; else it would count nothing
	assert_equal "$(grep -c exclude_user user)" 0
	assert_equal "$(grep -c exclude_user kernel)" 3
	assert_equal "$(grep -c exclude_kernel kernel)" 0
	"$TDSTAT" --dry-run -a --all-user >tree
	assert_equal "$(grep ' type ' tree | grep -cv exclude_kernel)" 0
	"$TDSTAT" --dry-run -a >tree
	assert_equal "$(grep -c exclude_ tree)" 0
}

@test "--all-user and --all-kernel faults add up to all" {
	real
	for how in '' --all-user --all-kernel; do
		"$TDSTAT" $how -e minor-faults -x, -o out -- "$PYTHON" -S -c 'x = bytearray(1 << 24)'
		cut -d, -f1 out >>faults
	done
	xargs <faults
	awk '{ n[NR] = $1 } END { d = n[1] - n[2] - n[3]
		exit !(n[2] > 500 && d < 0.2 * n[1] && d > -0.2 * n[1]) }' faults
	try "$TDSTAT" --all-user --all-kernel -e minor-faults -- touch ran
	assert_failure 64
	assert_complains 'all-user.*all-kernel'
	[ ! -e ran ]
}

# --- when -----------------------------------------------------------------------

@test "-D: what comes before is not counted, nor is it in the elapsed time" {
	real
	cat >two.py <<-'PYTHON'
		import time
		def burn(seconds):
		    end = time.thread_time() + seconds
		    while time.thread_time() < end:
		        pass
		begin = time.monotonic()
		burn(0.15)
		time.sleep(max(0, begin + 1.1 - time.monotonic()))
		burn(0.05)
	PYTHON
	begin=$(date +%s%3N)
	try "$TDSTAT" -D 1000 -e task-clock,duration_time --no-big-num -- "$PYTHON" -S two.py
	end=$(date +%s%3N)
	assert_success
	assert_equal "$(grep '^Events' <<<"$stderr" | xargs)" 'Events disabled Events enabled'
	awk -v all=$((end - begin)) '/task-clock/ { if ($1 < 45 || $1 > 190) exit 1; n++ }
		/duration_time/ { if ($1 < 50e6 || $1 > (all - 1000) * 1e6) exit 1; n++ }
		/time elapsed/ { if ($1 < 0.05 || $1 > (all - 1000) / 1e3) exit 1; n++ }
		END { exit n != 3 }' <<<"$stderr"
}

@test "-D: a command that ends before: nothing was counted, and its status" {
	real
	try timeout 30 "$TDSTAT" -D 5000 -e task-clock -x, -- sh -c 'exit 3'
	assert_failure 3
	grep -q '^<not counted>,msec,task-clock,0,' <<<"$stderr"
	grep -q '^Events disabled$' <<<"$stderr"
	run ! grep -q '^Events enabled$' <<<"$stderr"
}

@test "-D with -a and -p" {
	not_under_valgrind "it takes its time"
	real -a
	for how in -a "-p $$"; do
		before=$(date +%s%3N)
		try "$TDSTAT" $how -D 200 --timeout 100 -e duration_time,cpu-clock -x,
		after=$(date +%s%3N)
		assert_success
		between "$((after - before))" 300 5000
		between "$(awk -F, '/duration_time/ { print int($1 / 1e6) }' <<<"$output")" 100 290
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
	try timeout 30 "$TDSTAT" --timeout 150 -e task-clock -x, -- \
		sh -c 'trap "echo bye; exit 9" TERM; while :; do sleep 0.02; done'
	assert_failure 9
	assert_output bye
	grep -q ',msec,task-clock,' <<<"$stderr"
	try "$TDSTAT" --timeout 100 -I 100 -e task-clock -- touch ran
	assert_failure 64
	assert_complains 'timeout.*-I'
	[ ! -e ran ]
}

# --- around it ------------------------------------------------------------------

@test "--pre, the command, --post: in this order, not counted, each run of -r" {
	not_under_valgrind "it takes its time"
	real
	try "$TDSTAT" -r 3 --pre 'echo pre' --post 'echo post' -e task-clock -o out -- echo it
	assert_success
	assert_equal "$(xargs <<<"$output")" 'pre it post pre it post pre it post'
	# what they do themselves is nobody's
	work='sleep 1; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	"$TDSTAT" --pre "$work" --post "$work" -e task-clock,duration_time -x, -o out -- true
	awk -F, '$1 > ($3 == "task-clock" ? 40 : 990e6) { exit 1 }' out
	# the shell's whole grammar
	try "$TDSTAT" --pre 'a=1 && echo "$a" | tr 1 x' -e task-clock -o out -- true
	assert_output x
}

@test "--pre that fails: nothing runs; --post that fails is told, too" {
	real
	for pre in 'exit 3' nosuch-command 'kill -9 $$'; do
		try "$TDSTAT" --pre "$pre" --post 'touch posted' -e task-clock -- touch ran
		[ "$status" -eq 1 ] || fail "$pre: status $status"
		# the shell may say something of its own before
		grep -q '^tdstat: .*--pre' <<<"$stderr" || fail "$pre: no line of tdstat's"
		[ ! -e ran ] && [ ! -e posted ]
	done
	try "$TDSTAT" --post 'exit 3' -e task-clock -x, -o out -- touch ran
	assert_failure 1
	[ -e ran ]
	assert_complains '--post.*3'
}

@test "--post is there for a command that fails, too; its status stands" {
	real
	try "$TDSTAT" --post 'echo post' -e task-clock -o out -- sh -c 'exit 4'
	assert_failure 4
	assert_output post
}

@test "-S: sync() before each run, and none without it" {
	real
	needs_strace
	for option in -S --sync; do
		strace -f -e trace=sync,execve -o log "$TDSTAT" -r 2 $option -e task-clock -o out -- true
		assert_equal "$(grep -v ENOENT log | grep -oE 'sync\(|execve\("/[^"]*/true'  | sed 's/.*true/true/; s/(//' | xargs)" \
			'sync true sync true'
	done
	strace -f -e trace=sync -o log "$TDSTAT" -e task-clock -o out -- true
	run ! grep -q 'sync(' log
}
