#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --per-thread with a command, -p and -t; threads that start and end; threads in
# recordings.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# spin.py MS...: a thread for each, of this much of the processor's time,
# called by it; the process itself sleeps meanwhile
setup_file() {
	cat >"$BATS_FILE_TMPDIR/spin.py" <<-'PYTHON'
		import sys, threading, time
		def spin(ms):
		    with open("/proc/thread-self/comm", "w") as comm:
		        comm.write("spin %d" % ms)
		    while time.thread_time() < ms / 1000:
		        pass
		threads = [threading.Thread(target=spin, args=[int(ms)]) for ms in sys.argv[1:]]
		for thread in threads:
		    thread.start()
		for thread in threads:
		    thread.join()
	PYTHON
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	export PYTHON
	spin="$PYTHON -S $BATS_FILE_TMPDIR/spin.py"
	export spin
}

# has FILE NAME LEAST MOST: one thread of this name, with milliseconds between
has() {
	awk -F, -v name="$2" -v least="$3" -v most="$4" '
		{ thread = $1; sub(/-[0-9]+$/, "", thread) }
		thread == name && $4 == "task-clock" { n++; if ($2 < least || $2 > most) exit 1 }
		END { exit n != 1 }' "$1" || fail "no $2 from $3 to $4: $(cat "$1")"
}

@test "of a command: a row a thread, with its own time, under its name and number" {
	real
	"$TDSTAT" --per-thread -e task-clock -x, -o out -- $spin 30 60 90
	has out 'spin 30' 29 59
	has out 'spin 60' 59 89
	has out 'spin 90' 89 150
	assert_equal "$(wc -l <out)" 4
	assert_equal "$(cut -d, -f1 out | sort -u | wc -l)" 4
	run ! grep -vE '^[^,]+-[0-9]+,[0-9]+\.[0-9]{2},msec,task-clock,[0-9]+,100\.00,[0-9.]+,CPUs utilized$' out
}

@test "the rows are all of it: their sum is what is counted without" {
	real
	"$TDSTAT" --per-thread -e task-clock,page-faults -x, -o rows -- $spin 20 20 20
	"$TDSTAT" -e task-clock,page-faults -x, -o all -- $spin 20 20 20
	awk -F, 'NR == FNR { rows[$4] += $2; next }
		{ print $3, rows[$3], $1 }' rows all >sums
	cat sums
	awk '$2 < 0.7 * $3 || $2 > 1.4 * $3 { exit 1 } END { exit NR != 2 }' sums
}

@test "the table: the name in 16 columns, the number in 7" {
	real
	try "$TDSTAT" --per-thread -e task-clock -- $spin 20
	assert_success
	grep -E '^ {9}spin 20-[0-9]+ {1,7} +[0-9]+\.[0-9]{2} msec task-clock ' <<<"$stderr" >row
	# and the count ends 18 columns on
	awk '{ rest = substr($0, 26); if (rest !~ /^ *[0-9]+\.[0-9][0-9] msec /) exit 1
		if (index(rest, " msec") != 19) exit 1 }' row || fail "$(cat row)"
}

@test "JSON: the key thread in front of an event's own" {
	real
	"$TDSTAT" --per-thread -e task-clock,page-faults -j -o out -- $spin 20 25
	jq -es '[.[] | select(.event == "task-clock") | .thread | sub("-[0-9]+$"; "")] | sort
		| .[-2:] == ["spin 20", "spin 25"]' out
	jq -es 'all(.[]; keys_unsorted == ["thread", "counter-value", "unit", "event", "event-runtime",
		"pcnt-running", "metric-value", "metric-unit"])' out
}

@test "children are threads, too; what execve() calls itself is its name" {
	real
	work='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	ln -s "$(command -v sh)" renamed
	"$TDSTAT" --per-thread -e task-clock -x, -o out -- \
		sh -c "(exec ./renamed -c '$work'); (exec ./renamed -c '$work'); $work"
	assert_equal "$(cut -d- -f1 out | LC_ALL=C sort | xargs)" 'renamed renamed sh'
	awk -F, '$2 < 1 { exit 1 }' out
}

@test "a command that becomes another one is one row, with the last name" {
	real
	ln -s "$(command -v sh)" renamed
	"$TDSTAT" --per-thread -e task-clock -x, -o out -- \
		sh -c 'exec ./renamed -c "i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done"'
	assert_equal "$(cut -d- -f1 out | xargs)" renamed
}

@test "-i: only the first" {
	real
	"$TDSTAT" --per-thread -i -e task-clock -x, -o out -- $spin 40 40
	assert_equal "$(wc -l <out)" 1
	awk -F, '{ exit $2 > 60 }' out
}

@test "many short ones: each is a row or in the note, none is lost in silence" {
	not_under_valgrind "it takes its time"
	real
	cat >many.py <<-'PYTHON'
		import _thread, sys, time
		left = n = int(sys.argv[1])
		lock = _thread.allocate_lock()
		def short():
		    global left
		    with lock:
		        left -= 1
		for i in range(n):
		    _thread.start_new_thread(short, ())
		while left:
		    time.sleep(0.001)
		time.sleep(0.02)
	PYTHON
	try "$TDSTAT" --per-thread -e task-clock -x, -o out -- "$PYTHON" -S many.py 1000
	assert_success
	missed=$(sed -n 's/^tdstat: \([0-9,]*\) threads\? .*/\1/p' <<<"$stderr" | tr -d ,)
	rows=$(wc -l <out)
	# where the machine is too busy, changes are lost, and that is said
	lost=$(sed -n 's/^tdstat: .* \([0-9]*\) changes were missed$/\1/p' <<<"$stderr")
	echo "$rows rows, ${missed:-0} missed, ${lost:-0} changes lost"
	[ $((rows + ${missed:-0})) -le 1001 ]
	[ $((rows + ${missed:-0} + ${lost:-0})) -ge 1001 ]
	assert_equal "$(cut -d, -f1 out | sort | uniq -d | wc -l)" 0
}

@test "-p: the threads there are, and those that it starts later" {
	real
	cat >later.py <<-'PYTHON'
		import sys, threading, time
		def burn(ms):
		    with open("/proc/thread-self/comm", "w") as comm:
		        comm.write("burn %d" % ms)
		    begin.wait()
		    while time.thread_time() < ms / 1000:
		        pass
		begin = threading.Event()
		first = threading.Thread(target=burn, args=[30])
		first.start()
		open("ready", "w").close()
		sys.stdin.readline()
		begin.set()
		second = threading.Thread(target=burn, args=[50])
		second.start()
		first.join()
		second.join()
	PYTHON
	mkfifo go
	timeout 20 "$PYTHON" -S later.py <>go 3>&- &
	for ((i = 0; i < 200; i++)); do
		[ ! -e ready ] || break
		sleep 0.02
	done
	pid=$(pgrep -P $! 2>/dev/null) || pid=$!
	(sleep 0.3 && echo >go) 3>&- &
	# until the process ends
	try timeout 30 "$TDSTAT" -p "$pid" --per-thread -e task-clock -x,
	assert_success
	echo "$output" >out
	has out 'burn 30' 29 59
	has out 'burn 50' 49 90
}

@test "-I: a thread that ended is in the row in which it ended, and gone afterwards" {
	not_under_valgrind "it takes its time"
	real
	cat >turns.py <<-'PYTHON'
		import subprocess, sys, time
		def burn(seconds):
		    end = time.thread_time() + seconds
		    while time.thread_time() < end:
		        pass
		subprocess.run(["./first", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done"])
		end = time.monotonic() + 0.45
		while time.monotonic() < end:
		    burn(0.01)
	PYTHON
	ln -s "$(command -v sh)" first
	try "$TDSTAT" -I 100 --per-thread -e task-clock -x, -- "$PYTHON" -S turns.py
	assert_success
	awk -F, '/^[0-9]/ { thread = $2; sub(/-[0-9]+$/, "", thread); print $1, thread, $3 }' <<<"$stderr" >rows
	cat rows
	[ "$(cut -d' ' -f1 rows | sort -u | wc -l)" -ge 4 ]
	# it may have begun in one row and ended in the next
	awk '$2 == "first" { n++; last = $1 } $2 != "first" { end = $1 }
		END { exit !(n >= 1 && n <= 3 && last < end) }' rows
}

@test "the whole machine: alone, and with -a" {
	real -a
	for how in '' -a; do
		try "$TDSTAT" --per-thread $how -e task-clock -x, --timeout 100
		assert_success
		[ "${#lines[@]}" -ge 1 ]
		# idle ones are not shown
		refute_output --partial '<not counted>'
		awk -F, '$5 == 0 { exit 1 }' <<<"$output"
	done
}

@test "recorded: the same again; --total is the sum; no CPUs to tell apart" {
	real
	for format in '' '-x,' -j; do
		"$TDSTAT" record --per-thread $format -o file -e task-clock,page-faults -- $spin 20 30 2>live
		"$TDSTAT" report file $format >replayed
		assert_same "$(cat live)" "$(cat replayed)"
		"$TDSTAT" report --per-thread file $format >replayed
		assert_same "$(cat live)" "$(cat replayed)"
	done
	"$TDSTAT" report --per-thread file -x, >rows
	"$TDSTAT" report --total file -x, >all
	assert_equal "$(wc -l <all)" 2
	awk -F, 'NR == FNR { sum[$4] += $2; next }
		{ d = sum[$3] - $1; if (d > 0.021 || d < -0.021) exit 1; n++ } END { exit n != 2 }' rows all
	try "$TDSTAT" report --per-core file
	assert_failure
	assert_complains 'file'
}

@test "--summary has the names of threads that ended rows ago, as a report has them" {
	real
	cat >turns.py <<-'PYTHON'
		import os, time
		def spin(name):
		    if os.fork():
		        return os.wait()
		    with open("/proc/self/comm", "w") as comm:
		        comm.write(name)
		    while time.process_time() < 0.02:
		        pass
		    os._exit(0)
		for name in "early", "later", "last":
		    spin(name)
		    time.sleep(0.06)
	PYTHON
	"$TDSTAT" record --per-thread -I 20 --summary -e task-clock -x, -o file -- \
		"$PYTHON" -S turns.py 2>said
	# remarks, of a machine that was busy, are not recorded
	grep -v '^tdstat: ' said >live
	"$TDSTAT" report --summary file -x, >replayed
	assert_same "$(cat live)" "$(cat replayed)"
	sed -n 's/^ *summary,//p' live >summary
	has summary early 19 60
	has summary later 19 60
	has summary last 19 60
	run ! grep '^ *summary,?' live
}

@test "a number that is given away again is another row, live, recorded and summed up" {
	not_under_valgrind "its own processes take numbers, too"
	real
	unshare -Urpf --mount-proc sh -c 'echo 99 >/proc/sys/kernel/ns_last_pid' 2>/dev/null ||
		skip "no namespace in which numbers can be chosen"
	cat >again.py <<-'PYTHON'
		import os, time
		def spin(name, ms):
		    with open("/proc/sys/kernel/ns_last_pid", "w") as last:
		        last.write("999")
		    pid = os.fork()
		    if pid:
		        return os.waitpid(pid, 0)[0]
		    with open("/proc/self/comm", "w") as comm:
		        comm.write(name)
		    while time.process_time() < ms / 1000:
		        pass
		    os._exit(0)
		assert [spin("one", 20), spin("two", 40), spin("two", 60)] == [1000] * 3
	PYTHON
	row() { # of FILE, ID, LEAST, MOST
		awk -F, -v id="$2" -v least="$3" -v most="$4" '
			{ sub(/^ *summary,/, "") } $1 == id { n++; ms = $2 }
			END { exit n != 1 || ms < least || ms > most }' "$1" || fail "$2: $(cat "$1")"
	}
	both() {
		row "$1" one-1000 15 35
		row "$1" two-1000#2 35 55
		row "$1" two-1000#3 55 75
	}
	unshare -Urpf --mount-proc "$TDSTAT" --per-thread -e task-clock:u -x, -o whole -- \
		"$PYTHON" -S again.py
	both whole
	unshare -Urpf --mount-proc "$TDSTAT" record --per-thread -I 25 --summary -e task-clock:u -x, \
		-o file -- "$PYTHON" -S again.py 2>said
	# remarks, of a machine that was busy, are not recorded
	grep -v '^tdstat: ' said >live
	"$TDSTAT" report --summary file -x, >replayed
	assert_same "$(cat live)" "$(cat replayed)"
	grep '^ *summary' live >summary
	both summary
	grep -v summary live | cut -d, -f2 | sort -u >ids
	grep -x one-1000 ids
	grep -x 'two-1000#3' ids
}

@test "a recording without --per-thread can be shown by thread only if it says so" {
	real
	"$TDSTAT" record -o file -e task-clock -- $spin 20 2>/dev/null
	try "$TDSTAT" report --per-thread file -x,
	if [ "$status" = 0 ]; then
		[ "${#lines[@]}" -ge 1 ]
	else
		assert_complains 'file.*thread|thread.*file'
	fi
}

@test "what --per-thread excludes, with both names" {
	real
	for how in '-C 0:-C' '-G a:cgroup|-G' '--for-each-cgroup a:cgroup' '-r 3:-r' '--metric-only:--metric-only'; do
		event='-e task-clock'
		[[ $how != *metric-only ]] || event=
		try "$TDSTAT" --per-thread $event ${how%%:*} -- touch ran
		[ "$status" = 64 ] || fail "$how: status $status"
		assert_complains "per-thread"
		assert_complains "${how#*:}"
		[ ! -e ran ]
	done
}

@test "metrics by thread: each has its own, of the four" {
	needs_software_events
	"$TDSTAT" --per-thread -x, -o out -- $spin 40 60
	awk -F, 'NR > 1 { print $2, $8, $10 }' out >rows
	cat rows
	grep -E '^spin 40-[0-9]+ [45][0-9]\.[0-9]+ [45][0-9]\.[0-9]+$' rows
	grep -E '^spin 60-[0-9]+ [45][0-9]\.[0-9]+ [45][0-9]\.[0-9]+$' rows
}
