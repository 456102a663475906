#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --per-thread with a command, -p and -t; threads that start and end; threads in
# recordings.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2153,SC2154 # sh -c; lists of options; helper.bash
load helper

# spin.py [--each=EVENTS] MS...: a thread for each MS, which uses this much CPU time and has
# this name, once tdstat has opened EVENTS events for each; the process itself sleeps
setup_file() {
	# burn(NAME, MS): use MS of CPU time under this name, and write the used time into a
	# file "spent"; the process itself has the name "all".  Time that a hypervisor took
	# may be included, because counters may include it.
	cat >"$BATS_FILE_TMPDIR/burn.py" <<-'PYTHON'
		import os, time
		def stolen():
		    with open("/proc/stat") as stat:
		        return 1000 * int((stat.readline().split() + [0] * 8)[8]) / os.sysconf("SC_CLK_TCK")
		begin_stolen = stolen()
		def note(name, seconds, faults=0):
		    with open("spent", "a") as spent:
		        spent.write("%s,%f,%f,%d\n" % (name, 1000 * seconds, stolen() - begin_stolen, faults))
		def burn(name, ms, clock=time.thread_time):
		    with open("/proc/thread-self/comm", "w") as comm:
		        comm.write(name)
		    while clock() < ms / 1000:
		        pass
		    note(name, clock())
	PYTHON
	cat >"$BATS_FILE_TMPDIR/spin.py" <<-'PYTHON'
		import resource, sys, threading, time
		from burn import *
		open("spent", "w").close()
		go = threading.Event()
		def spin(ms):
		    go.wait()
		    burn("spin " + ms, int(ms))
		def events():
		    links = 0
		    for fd in os.listdir("/proc/%d/fd" % os.getppid()):
		        try:
		            links += "perf_event" in os.readlink("/proc/%d/fd/%s" % (os.getppid(), fd))
		        except FileNotFoundError:
		            pass
		    return links
		# tdstat sees a thread a while after it has begun: what it uses before is not counted
		each = 0
		if sys.argv[1].startswith("--each="):
		    each = int(sys.argv.pop(1)[len("--each="):])
		before = events()
		threads = [threading.Thread(target=spin, args=[ms]) for ms in sys.argv[1:]]
		for thread in threads:
		    thread.start()
		while each and events() < before + each * len(threads):
		    time.sleep(0.002)
		go.set()
		for thread in threads:
		    thread.join()
		usage = resource.getrusage(resource.RUSAGE_SELF)
		note("all", usage.ru_utime + usage.ru_stime, usage.ru_minflt)
	PYTHON
	# for checks
	cat >"$BATS_FILE_TMPDIR/rows.py" <<-'PYTHON'
		import re
		def rows(name):
		    with open(name) as file:
		        return [line.split(",") for line in file.read().splitlines()]
		spent = [[name, float(ms), float(stolen), int(faults)] for name, ms, stolen, faults in rows("spent")]
		def near(ms, of, late=False):
		    """As much as it says itself, but for its end, and its begin if it was seen late."""
		    assert (0 if late else 0.9 * of[1]) < ms <= of[1] + of[2] + 25, (ms, of)
		def counted(name, rows, late=False):
		    """There is one row of this name, with its time."""
		    found = [row for row in rows if re.sub("-[0-9]+$", "", row[0]) == name and row[3] == "task-clock"]
		    assert len(found) == 1, (name, rows)
		    (of,) = [of for of in spent if of[0] == name]
		    near(float(found[0][1]), of, late)
	PYTHON
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	export PYTHON PYTHONPATH=$BATS_FILE_TMPDIR PYTHONDONTWRITEBYTECODE=1
}

# In each test, as files may not export arrays.
setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL
	spin=("$PYTHON" -S "$BATS_FILE_TMPDIR/spin.py")
}

@test "a command: a row per thread, with its own time, name and number" {
	real
	"$TDSTAT" --per-thread -e task-clock -x, -o out -- "${spin[@]}" --each=1 30 60 90
	"$PYTHON" -S - <<-'PYTHON'
		import re
		from rows import *
		all = rows("out")
		for name in "spin 30", "spin 60", "spin 90":
		    counted(name, all)
		assert len(all) == 4 and len({row[0] for row in all}) == 4, all
		for row in all:
		    assert re.fullmatch(r"[^,]+-[0-9]+,[0-9]+\.[0-9]{2},msec,task-clock,[0-9]+,100\.00,[0-9.]+,CPUs utilized", ",".join(row)), row
	PYTHON
}

@test "the sum of the rows is the time of the process, and the counts without --per-thread" {
	real
	"$TDSTAT" --per-thread -e task-clock,page-faults -x, -o rows -- "${spin[@]}" --each=2 20 20 20
	mv spent rows.spent
	"$TDSTAT" -e task-clock,page-faults -x, -o all -- "${spin[@]}" 20 20 20
	awk -F, '
		FILENAME == "all" { sum[FILENAME, $3] += $1; next }
		FILENAME == "rows" { sum[FILENAME, $4] += $2; next }
		$1 == "all" { ms[FILENAME] = $2 + $3; least[FILENAME] = $2; faults[FILENAME] = $4 }
		function near(value, low, high) { print value, low, high; if (value < 0.7 * low || value > 1.4 * high) bad = 1 }
		END {
			near(sum["rows", "task-clock"], least["rows.spent"], ms["rows.spent"])
			near(sum["rows", "page-faults"], faults["rows.spent"], faults["rows.spent"])
			near(sum["all", "task-clock"], least["spent"], ms["spent"])
			near(sum["all", "page-faults"], faults["spent"], faults["spent"])
			exit bad
		}' all rows rows.spent spent
}

@test "the table: the name in 16 columns, the number in 7" {
	real
	try "$TDSTAT" --per-thread -e task-clock -- "${spin[@]}" 20
	assert_success
	# and the count ends 18 columns on
	for line in "${stderr_lines[@]}"; do
		[[ ! $line =~ ^\ {9}spin\ 20-[0-9]+\ {1,7}\ +[0-9]+\.[0-9]{2}\ msec\ task-clock\  ]] || break
	done
	rest=${line:25}
	[[ $rest =~ ^\ *[0-9]+\.[0-9][0-9]\ msec\  ]] || fail "$line"
	rest=${rest%%" msec"*}
	[ ${#rest} -eq 18 ] || fail "$line"
}

@test "JSON: the key thread in front of an event's own" {
	real
	"$TDSTAT" --per-thread -e task-clock,page-faults -j -o out -- "${spin[@]}" 20 25
	jq -es '([.[] | select(.event == "task-clock") | .thread | sub("-[0-9]+$"; "")] | sort
		| .[-2:] == ["spin 20", "spin 25"]) and
		all(.[]; keys_unsorted == ["thread", "counter-value", "unit", "event", "event-runtime",
			"pcnt-running", "metric-value", "metric-unit"])' out
}

@test "children are rows as well; after execve() a row has the new name" {
	real
	ln -s "$(command -v sh)" renamed
	# on a busy machine, those that are too short have ended before they are counted
	for nr in 20000 200000 2000000; do
		work="i=0; while [ \$i -lt $nr ]; do i=\$((i + 1)); done"
		"$TDSTAT" --per-thread -e task-clock -x, -o out -- \
			sh -c "(exec ./renamed -c '$work'); (exec ./renamed -c '$work'); $work" 2>err
		grep 'ended before' err || break
	done
	awk -F '[,-]' '{ n[$1]++ } $3 <= 0 { exit bad = 1 } END { exit bad || NR != 3 || n["renamed"] != 2 || n["sh"] != 1 }' out
}

@test "a command that becomes another one is one row, with the last name" {
	real
	ln -s "$(command -v sh)" renamed
	"$TDSTAT" --per-thread -e task-clock -x, -o out -- \
		sh -c 'exec ./renamed -c "i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done"'
	mapfile -t lines <out
	[[ ${#lines[@]} = 1 && ${lines[0]} == renamed-* ]]
}

@test "-i: only the first" {
	real
	"$TDSTAT" --per-thread -i -e task-clock -x, -o out -- "${spin[@]}" 150 150
	# the time of the process without its threads, which is most of it on most machines
	"$PYTHON" -S - <<-'PYTHON'
		from rows import *
		(row,) = rows("out")
		used = {name: (ms, stolen) for name, ms, stolen, faults in spent if name == "all"}["all"]
		of_threads = sum(ms for name, ms, stolen, faults in spent if name != "all")
		assert of_threads >= 300 and not row[0].startswith("spin"), (row, spent)
		assert float(row[1]) <= 1.5 * (used[0] - of_threads) + used[1] + 25, (row, spent)
	PYTHON
}

@test "many short threads: each is in a row or in the note" {
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
	PYTHON
	try "$TDSTAT" --per-thread -e task-clock -x, -o out -- "$PYTHON" -S many.py 300
	assert_success
	missed=0 lost=0
	for line in "${stderr_lines[@]}"; do
		[[ ! $line =~ ^'tdstat: '([0-9,]+)' thread' ]] || missed=${BASH_REMATCH[1]//,/}
		# where the machine is too busy, changes are lost, and that is said
		[[ ! $line =~ ^'tdstat: '.*' '([0-9]+)' changes were missed'$ ]] || lost=${BASH_REMATCH[1]}
	done
	awk -F, -v missed="$missed" -v lost="$lost" '
		seen[$1]++ { exit bad = 1 }
		END { print NR " rows, " missed " missed, " lost " changes lost"
			exit bad || NR + missed > 301 || NR + missed + lost < 301 }' out
}

@test "-p: the threads there are, and those that it starts later" {
	real
	cat >later.py <<-'PYTHON'
		import sys, threading
		from burn import *
		def later():
		    begin.wait()
		    burn("burn 30", 30)
		begin = threading.Event()
		first = threading.Thread(target=later)
		first.start()
		open("ready", "w").close()
		sys.stdin.readline()
		begin.set()
		second = threading.Thread(target=burn, args=["burn 50", 50])
		second.start()
		first.join()
		second.join()
	PYTHON
	mkfifo go
	"$PYTHON" -S later.py <>go 3>&- &
	pid=$!
	wait_for_file ready
	# until the process ends
	"$TDSTAT" -p "$pid" --per-thread -e task-clock -x, -o out 3>&- &
	tdstat=$!
	wait_for has_events "$tdstat"
	wait_for sleeps "$tdstat"
	echo >go
	wait_for has_ended "$tdstat"
	wait "$tdstat"
	"$PYTHON" -S -c 'from rows import *
counted("burn 30", rows("out"))
counted("burn 50", rows("out"), late=True)'
}

@test "-I: a thread that ended is in the row in which it ended, and gone afterwards" {
	not_under_valgrind "it takes its time"
	real
	# works until there are three more times than when the other one has ended
	cat >turns.py <<-'PYTHON'
		import subprocess, time
		def times():
		    with open("out") as out:
		        return len({line.split(",")[0] for line in out if line[:1].isdigit()})
		subprocess.run(["./first", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done"])
		enough = times() + 3
		while times() < enough:
		    end = time.thread_time() + 0.01
		    while time.thread_time() < end:
		        pass
	PYTHON
	ln -s "$(command -v sh)" first
	try within "$TDSTAT" -I 100 --per-thread -e task-clock -x, -o out -- "$PYTHON" -S turns.py
	assert_success
	# rows in between contain none of it
	awk -F, '!/^[0-9]/ { next }
		{ thread = $2; sub(/-[0-9]+$/, "", thread); print $1, thread, $3 }
		!($1 in nr) { nr[$1] = ++times }
		thread == "first" { rows++; if (!from) from = nr[$1]; to = nr[$1] }
		END { exit !(rows >= 1 && rows == to - from + 1 && times > to) }' out
}

@test "the whole machine: without other options, and with -a" {
	real -a
	sh -c 'while :; do :; done' 3>&- &
	for how in '' -a; do
		try "$TDSTAT" --per-thread $how -e task-clock -x, --timeout 100
		assert_success
		[ "${#lines[@]}" -ge 1 ]
		# idle ones are not shown
		refute_output --partial '<not counted>'
		for line in "${lines[@]}"; do
			IFS=, read -ra cells <<<"$line"
			[ "${cells[4]}" != 0 ]
		done
	done
	kill $!
}

# said: a file of the shown rows, without the notes about a busy machine, which are not
# recorded
live() {
	local line lines

	mapfile -t lines <said
	for line in "${lines[@]}"; do
		[[ $line == 'tdstat: '* ]] || printf '%s\n' "$line"
	done >live
}

@test "recorded: the same again; --total is the sum; no CPUs to tell apart" {
	real
	for format in '' '-x,' -j; do
		"$TDSTAT" record --per-thread $format -o file -e task-clock,page-faults -- "${spin[@]}" 20 30 2>said
		live
		"$TDSTAT" report file $format >replayed
		cmp live replayed
		"$TDSTAT" report --per-thread file $format >replayed
		cmp live replayed
	done
	"$TDSTAT" report --per-thread file -x, >rows
	"$TDSTAT" report --total file -x, >all
	awk -F, 'NR == FNR { sum[$4] += $2; next }
		{ d = sum[$3] - $1; if (d > 0.021 || d < -0.021) exit 1; n++ } END { exit n != 2 }' rows all
	try "$TDSTAT" report --per-core file
	assert_failure
	assert_complains 'file'
}

@test "--summary has the names of threads that ended rows ago, as a report has them" {
	real
	cat >turns.py <<-'PYTHON'
		import os
		from burn import *
		def spin(name):
		    if os.fork():
		        return os.wait()
		    burn(name, 20, time.process_time)
		    os._exit(0)
		for name in "early", "later", "last":
		    spin(name)
		    time.sleep(0.06)
	PYTHON
	"$TDSTAT" record --per-thread -I 20 --summary -e task-clock -x, -o file -- \
		"$PYTHON" -S turns.py 2>said
	live
	"$TDSTAT" report --summary file -x, >replayed
	cmp live replayed
	sed -n 's/^ *summary,//p' live >summary
	"$PYTHON" -S -c 'from rows import *
for name in "early", "later", "last":
    counted(name, rows("summary"), late=True)
assert not any(row[0] == "?" for row in rows("summary"))'
}

@test "a number that is given away again is another row, live, recorded and summed up" {
	not_under_valgrind "its own processes take numbers, too"
	real
	unshare -Urpf --mount-proc sh -c 'echo 99 >/proc/sys/kernel/ns_last_pid' 2>/dev/null ||
		skip "no namespace in which numbers can be chosen"
	cat >again.py <<-'PYTHON'
		import os
		from burn import *
		def spin(name, ms):
		    with open("/proc/sys/kernel/ns_last_pid", "w") as last:
		        last.write("999")
		    pid = os.fork()
		    if pid:
		        return os.waitpid(pid, 0)[0]
		    burn(name, ms, time.process_time)
		    os._exit(0)
		open("spent", "w").close()
		assert [spin("one", 20), spin("two", 40), spin("two", 60)] == [1000] * 3
	PYTHON
	cat >check.py <<-'PYTHON'
		import sys
		from rows import *
		for id, of in zip(("one-1000", "two-1000#2", "two-1000#3"), spent):
		    (row,) = [row for row in rows(sys.argv[1]) if row[0] == id]
		    near(float(row[1]), of, late=True)
	PYTHON
	unshare -Urpf --mount-proc "$TDSTAT" --per-thread -e task-clock:u -x, -o whole -- \
		"$PYTHON" -S again.py
	"$PYTHON" -S check.py whole
	unshare -Urpf --mount-proc "$TDSTAT" record --per-thread -I 25 --summary -e task-clock:u -x, \
		-o file -- "$PYTHON" -S again.py 2>said
	live
	"$TDSTAT" report --summary file -x, >replayed
	cmp live replayed
	sed -n 's/^ *summary,//p' live >summary
	"$PYTHON" -S check.py summary
	has_text live $'(^|\n) *[0-9.]+,one-1000,'
	has_text live $'(^|\n) *[0-9.]+,two-1000#3,'
}

@test "a recording without --per-thread can only be shown by thread if it contains threads" {
	real
	"$TDSTAT" record -o file -e task-clock -- "${spin[@]}" 20 2>/dev/null
	try "$TDSTAT" report --per-thread file -x,
	if [ "$status" = 0 ]; then
		[ "${#lines[@]}" -ge 1 ]
	else
		assert_complains 'file.*thread|thread.*file'
	fi
}

@test "options that --per-thread excludes, with both names" {
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
	"$TDSTAT" --per-thread -x, -o out -- "${spin[@]}" 40 60
	awk -F, '{ print $2, $8, $10 }
		NR > 1 && /^[^,]*,spin (40|60)-[0-9]+,/ && $8 >= 40 && $8 < 60 && $10 >= 40 && $10 < 60 { n++ }
		END { exit n != 2 }' out
}
