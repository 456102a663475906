#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --control: perf stat's words over a pair of fifos or descriptors, and its
# acknowledgements to the byte.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# A script as users write them: talk.py fifo|fd OPTIONS -- STEP...  Each step is a line to
# send ("\n" and "\0" unchanged, "|" between pieces), "=N": N bytes of answer, or "make
# FILE", "file FILE", "rows N" (of the file "rows") or "pass MS".  It prints the answers,
# then the status of tdstat, whose output is in the file "out" and whose messages are in
# "err".
#
# faults.py is a command whose counts do not depend on time: at each file "goN" it takes
# as many page faults as that says, and then writes "doneN"; it ends at "end", with 2.
setup_file() {
	cat >"$BATS_FILE_TMPDIR/talk.py" <<-'PYTHON'
		import os, select, signal, subprocess, sys, time

		how, rest = sys.argv[1], sys.argv[2:]
		at = rest.index("--")
		options, steps = rest[:at], rest[at + 1:]
		if how == "fifo":
		    for name in ("ctl", "ack"):
		        if not os.path.exists(name):
		            os.mkfifo(name)
		    ctl, ack = (os.open(name, os.O_RDWR) for name in ("ctl", "ack"))
		    control, fds = "fifo:ctl,ack", ()
		else:
		    (ours, ctl), (ack, theirs) = os.pipe(), os.pipe()
		    control, fds = f"fd:{ours},{theirs}", (ours, theirs)
		tdstat = subprocess.Popen([os.environ["TDSTAT"], "--control", control, *options],
		                          pass_fds=fds, stdout=open("out", "w"), stderr=open("err", "w"))
		for fd in fds:
		    os.close(fd)

		def give_up(*unused):
		    tdstat.kill()
		    sys.exit(f"it hangs at {step}")

		signal.signal(signal.SIGALRM, give_up)
		signal.alarm(int(os.environ["TD_HANGS"]))

		def answer(size):
		    """As many bytes, or fewer if tdstat ends."""
		    got = b""
		    while len(got) < size:
		        ended = tdstat.poll() is not None
		        if select.select([ack], [], [], 0 if ended else 0.1)[0]:
		            more = os.read(ack, size - len(got))
		            got += more
		            ended = not more
		        if ended:
		            break
		    return got

		def has_rows(nr):
		    with open("rows") as rows:
		        return len(rows.readlines()) >= nr

		def wait_for(condition, *args):
		    while not condition(*args) and tdstat.poll() is None:
		        time.sleep(0.01)

		got = b""
		for step in steps:
		    word, _, rest = step.partition(" ")
		    if word == "make":
		        open(rest, "w").close()
		    elif word == "file":
		        wait_for(os.path.exists, rest)
		    elif word == "rows":
		        wait_for(os.path.exists, "rows")
		        wait_for(has_rows, int(rest))
		    elif word == "pass":
		        time.sleep(int(rest) / 1000)
		    elif step.startswith("="):
		        got += answer(int(step[1:]))
		    else:
		        for piece in step.split("|"):
		            os.write(ctl, piece.encode().decode("unicode_escape").encode())
		            time.sleep(0.01 if "|" in step else 0)
		step = "end"
		status = tdstat.wait()
		# and nothing more
		got += answer(1000)
		print(repr(got)[2:-1])
		print(status)
	PYTHON
	cat >"$BATS_FILE_TMPDIR/faults.py" <<-'PYTHON'
		import mmap, os, sys, time

		pages = mmap.mmap(-1, 1000 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE)
		try:
		    pages.madvise(mmap.MADV_NOHUGEPAGE)
		except OSError:
		    pass # a kernel that has no such pages
		for nr, faults in enumerate(sys.argv[1:]):
		    while not os.path.exists(f"go{nr}"):
		        time.sleep(0.02)
		    for thousand in range(int(faults) // 1000):
		        for at in range(0, 1000 * mmap.PAGESIZE, mmap.PAGESIZE):
		            pages[at] = 1
		        pages.madvise(mmap.MADV_DONTNEED)
		    open(f"done{nr}", "w").close()
		while not os.path.exists("end"):
		    time.sleep(0.02)
		sys.exit(2)
	PYTHON
}

# talk HOW OPTION... -- STEP...
talk() {
	try python3 -S "$BATS_FILE_TMPDIR/talk.py" "$@"
	# messages of Python are errors of this test
	[ -z "$stderr" ] || fail "$stderr"
	IFS= read -rd '' stderr <err || true
	mapfile -t stderr_lines <err
}

# switched: "Events ..." and "Event ...", without these words
switched() {
	local line

	switched=()
	for line in "${stderr_lines[@]}"; do
		[[ ! $line =~ ^Events?\ (.*) ]] || switched+=("${BASH_REMATCH[1]}")
	done
	assert_equal "${switched[*]}" "$*"
}

# answered TIMES: succeed if there are TIMES acknowledgements and tdstat has ended normally
answered() {
	local acks='' i

	for ((i = 0; i < $1; i++)); do
		acks+='ack\n\x00'
	done
	assert_equal "$output" "$acks"$'\n0'
}

@test "every word is answered with the five bytes ack, newline, NUL; fifo and fd" {
	real -a
	for how in fifo fd; do
		talk $how -a -e cpu-clock,page-faults -- 'ping\n' =5 'enable\n' =5 'disable\n' =5 \
			'enable cpu-clock\n' =5 'disable cpu-clock\n' =5 'evlist\n' =5 'evlist -v\n' =5 \
			'evlist -g\n' =5 'evlist -F\n' =5 'stop\n' =5
		answered 10
	done
}

@test "unknown commands are not answered, with a note; snapshot is not answered" {
	real -a
	talk fd -a -e cpu-clock -- 'pong\n' 'snapshot\n' 'PING\n' 'pingping\n' 'ping\n' =5 'stop\n' =5
	answered 2
	for word in pong PING pingping; do
		[[ $'\n'$stderr =~ $'\n'"tdstat: "[^$'\n']*"$word" ]] || fail "nothing about $word"
	done
	[[ $stderr != *snapshot* ]]
}

@test "a script that never stops sending wrong commands: ten notes, and no word longer than 60 bytes" {
	real -a
	printf -v pongs 'pong%d\\n' {1..9}
	printf -v more 'pong%d\\n' {1..20}
	printf -v unknown 'disable nosuch%d\\n' {1..20}
	printf -v long 'x%.0s' {1..59}
	talk fd -a -e cpu-clock -- "$pongs${long}äx\\n" "$unknown" =100 "$more" 'stop\n' =5
	answered 21
	for nr in {1..9}; do
		assert_equal "${stderr_lines[nr - 1]}" "tdstat: --control: no such command: pong$nr"
	done
	assert_equal "${stderr_lines[9]}" "tdstat: --control: no such command: $long..."
	assert_equal "${stderr_lines[10]}" 'tdstat: --control: further messages are not shown'
	assert_equal "${#stderr_lines[@]}" 11
	# names of events are words, too
	talk fd -a -e cpu-clock -- "enable ${long}xxxxxxxxxxx\\n" =5 'stop\n' =5
	assert_equal "$stderr" "tdstat: --control: no event ${long}x...: evlist lists them"$'\n'
}

@test "answers that no process reads: one note, whatever the number of runs" {
	real
	mkfifo ctl ack
	# as small as a pipe can be; filled before the first run ends
	exec 7<>ack
	python3 -S -c 'import fcntl; fcntl.fcntl(7, 1031, 4096)' # F_SETPIPE_SZ
	yes ping >ctl 3>&- &
	yes=$!
	"$TDSTAT" -r 2 --control fifo:ctl,ack -e task-clock -- sh -c 'until [ -e said ]; do sleep 0.02; done' 2>err 3>&- &
	wait_for has_text err 'no process reads the answers'
	: >said
	wait $!
	kill $yes || true
	IFS= read -rd '' text <err || true
	[[ ${text#*no process reads the answers} != *'no process reads'* ]]
}

@test "-D -1 without enable: the note gives this reason; -D with a time has another one" {
	real
	mkfifo ctl
	for runs in 1 2; do
		try within "$TDSTAT" -r $runs -D -1 --control fifo:ctl -e task-clock -- true
		assert_success
		said=0
		for line in "${stderr_lines[@]}"; do
			[[ $line != *'nothing was counted: no enable came'* ]] || said=$((said + 1))
		done
		assert_equal $said $runs
	done
	try within "$TDSTAT" -D 3600000 --control fifo:ctl -e task-clock -- true
	[[ $stderr =~ 'nothing was counted: '[^$'\n']*'(-D)' ]]
}

@test "lines: in pieces, several at a time, ended by NUL, empty, too long" {
	real -a
	printf -v long 'x%.0s' {1..9000}
	talk fd -a -e cpu-clock -- 'pi|n|g\n' =5 'ping\nping\n\n\nping\n' =15 'ping\0' =5 \
		"$long\\n" 'ping\n' =5 'stop\n' =5
	answered 7
	# bytes that are not text do not reach the terminal
	talk fd -a -e cpu-clock -- '\x1b[2J\n' 'stop\n' =5
	answered 1
	[[ $stderr != *$'\033'* ]]
}

@test "the script goes: it is counted on" {
	real
	mkfifo ctl
	{ printf 'ping\n' >ctl && : >gone; } 3>&- &
	try within "$TDSTAT" --control fifo:ctl -e task-clock -x, -- sh -c 'until [ -e gone ]; do sleep 0.02; done; exit 5'
	assert_failure 5
	[[ $'\n'$stderr =~ $'\n'[0-9.]*,msec,task-clock, ]]
}

@test "stop: the end of counting, with the result" {
	real -a
	talk fd -a -e cpu-clock -x, -- 'ping\n' =5 'stop\n' =5
	answered 2
	has_text out '^[0-9.]+,msec,cpu-clock,'
}

@test "stop with a command: no more rows, its end is waited for, its status" {
	real
	talk fd -I 50 -e task-clock -x, -o rows sh -c 'until [ -e end ]; do sleep 0.02; done; touch ended; exit 6' -- \
		'rows 2' 'stop\n' =5 'pass 300' 'make end'
	assert_equal "${lines[1]}" 6
	[ -e ended ]
	# but the last row, which is of the time since then
	awk -F, '{ print; gap = $1 - before; before = $1 } END { exit NR < 3 || gap < 0.3 }' rows
}

# faults FILE: how many a file of one row says
faults() {
	local row

	IFS=, read -r row _ <"$1"
	[[ $row =~ ^[0-9]+$ ]] || fail "$1: $row"
	faults=$row
}

@test "-D -1: no counts until enable; Events disabled, Events enabled" {
	real
	talk fd -D -1 -e minor-faults -x, -o rows python3 -S "$BATS_FILE_TMPDIR/faults.py" 20000 1000 20000 -- \
		'make go0' 'file done0' 'enable\n' =5 'make go1' 'file done1' 'disable\n' =5 \
		'make go2' 'file done2' 'stop\n' =5 'make end'
	assert_equal "$output" 'ack\n\x00ack\n\x00ack\n\x00'$'\n2'
	switched disabled enabled disabled
	faults rows
	[ "$faults" -ge 1000 ] && [ "$faults" -lt 20000 ]
	# it may end before anything could be said to it
	talk fd -D -1 -e task-clock -x, -o rows sh -c : --
	assert_equal "${lines[1]}" 0
	has_text rows '^<not counted>,'
}

@test "enable and disable of all: a pause is not counted" {
	real
	# Python's start takes far fewer than 15,000 faults
	talk fd -e minor-faults -x, -o rows python3 -S "$BATS_FILE_TMPDIR/faults.py" 1000 40000 1000 -- \
		'make go0' 'file done0' 'disable\n' =5 'make go1' 'file done1' 'enable\n' =5 \
		'make go2' 'file done2' 'stop\n' =5 'make end'
	assert_equal "${lines[1]}" 2
	switched disabled enabled
	faults rows
	[ "$faults" -ge 2000 ] && [ "$faults" -lt 20000 ]
	# on each CPU, the counts are less than the time without the pause
	real -a
	read -r begin _ </proc/uptime
	talk fd -a -e cpu-clock -x, -- 'ping\n' =5 'disable\n' =5 'pass 500' 'enable\n' =5 'pass 100' 'stop\n' =5
	read -r end _ </proc/uptime
	answered 4
	switched disabled enabled
	awk -F, -v cpus="$(getconf _NPROCESSORS_ONLN)" -v took="$end $begin" '
		BEGIN { split(took, at); most = 1.01 * 1000 * (at[1] - at[2]) - 480 }
		{ each = $1 / cpus }
		END { print each " of at most " most; exit !(each >= 99 && each < most) }' out
}

@test "enable and disable of one event: the other goes on" {
	real
	talk fd -e minor-faults,page-faults -x, -o rows python3 -S "$BATS_FILE_TMPDIR/faults.py" 1000 40000 -- \
		'make go0' 'file done0' 'disable minor-faults\n' =5 'make go1' 'file done1' 'stop\n' =5 'make end'
	assert_equal "${lines[1]}" 2
	switched 'minor-faults disabled'
	awk -F, '$3 == "minor-faults" { paused = $1 } $3 == "page-faults" { all = $1 }
		END { print paused " of " all; exit !(paused >= 1000 && paused < 20000 && all >= 41000) }' rows
	# out of a group, too
	real -a
	talk fd -D -1 -a -e '{cpu-clock,task-clock}' -x, -- 'enable task-clock\n' =5 'stop\n' =5
	answered 2
}

@test "an unknown event: a note with the remedy" {
	real -a
	talk fd -a -e cpu-clock -- 'disable nosuch\n' =5 'stop\n' =5
	answered 2
	assert_complains 'nosuch.*evlist'
}

@test "evlist: a name a line, as they were typed; -g groups, -v attributes" {
	real -a
	talk fd -a -e '{cpu-clock,page-faults},context-switches' -- 'evlist\n' =5 'stop\n' =5
	names=()
	for line in "${stderr_lines[@]}"; do
		[[ ! $line =~ ^(cpu-clock|page-faults|context-switches)$ ]] || names+=("$line")
	done
	assert_equal "${names[*]}" 'cpu-clock page-faults context-switches'
	talk fd -a -e '{cpu-clock,page-faults},context-switches' -- 'evlist -g\n' =5 'stop\n' =5
	[[ $'\n'$stderr == *$'\n{cpu-clock,page-faults}\n'* && $'\n'$stderr == *$'\ncontext-switches\n'* ]]
	talk fd -a -e page-faults -- 'evlist -v\n' =5 'stop\n' =5
	[[ $stderr == *page-faults* && $stderr =~ 'config '+(0x)?2 ]]
}

@test "with -I: enable and disable show the interval up to there" {
	real
	talk fd -I 3600000 -e minor-faults -x, -o rows python3 -S "$BATS_FILE_TMPDIR/faults.py" 1000 40000 1000 -- \
		'make go0' 'file done0' 'disable\n' =5 'make go1' 'file done1' 'enable\n' =5 \
		'make go2' 'file done2' 'stop\n' =5 'make end'
	assert_equal "${lines[1]}" 2
	# all of the pause is in the second
	awk -F, '
		$1 <= before { failed = 1 }
		{ before = $1 }
		NR == 1 && !($2 >= 1000 && $2 < 20000) { failed = 1 }
		NR == 2 && !($2 == "<not counted>" || $2 + 0 < 1000) { failed = 1 }
		NR == 3 && !($2 >= 1000 && $2 < 20000) { failed = 1 }
		{ print }
		END { exit failed || NR != 3 }' rows
}

@test "wrong arguments of --control are usage errors; files that cannot be opened are named" {
	real
	for control in '' x fd: fd:x fd:3,y fifo: fifo:,ack fd:-1 ping:a fd:1,2,3; do
		try "$TDSTAT" --control "$control" -e task-clock -- touch ran
		[ "$status" = 64 ] || fail "'$control': status $status"
		assert_complains control
		[ ! -e ran ]
	done
	try "$TDSTAT" --control fifo:nosuch -e task-clock --require -- touch ran
	assert_failure 125
	assert_complains 'nosuch: No such file'
	try "$TDSTAT" --control fd:917 -e task-clock --require -- touch ran
	assert_failure 125
	assert_complains '917.*Bad file descriptor'
	: >plain
	try within "$TDSTAT" --control fifo:plain -e task-clock -- touch ran
	[ "$status" != 124 ] || fail "it hangs"
	[ -e ran ] && [ "$status" = 0 ]
}

# as with perf: a program that knows when its interesting part begins
@test "the measured command may send the commands" {
	real
	mkfifo ctl
	exec 7<>ctl 8>ack
	within "$TDSTAT" -D -1 --control fd:7,8 -e task-clock -x, -o out -- \
		bash -c 'echo enable >&7; until [ -s ack ]; do :; done; for i in {1..1000}; do :; done'
	exec 7<&- 8>&-
	# five bytes
	IFS= read -rd '' text <ack
	assert_equal "$text" $'ack\n'
	[ "$(stat -c %s ack)" = 5 ]
	has_text out '^[0-9.]+,msec,task-clock,[1-9]'
}

@test "metrics: the tree of a part of the run" {
	needs_software_events -a
	talk fd -a -D -1 -x, -- 'enable\n' =5 'pass 100' 'stop\n' =5
	answered 2
	awk -F, 'NR == 2 { exit !($8 > 35 && $8 < 65 && $10 > 35 && $10 < 65) } END { exit NR != 2 }' out || fail "$(<out)"
}
