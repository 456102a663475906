#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --control: perf stat's words over a pair of fifos or descriptors, and its
# acknowledgements to the byte.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# A script as users write them: talk.py fifo|fd OPTIONS -- STEP...  Each step is
# a line to send ("\n" and "\0" as they are, "|" between pieces), "sleep MS", or
# "=N": N bytes of answer, waited for.  What came back is printed, then the
# status of tdstat; its output is in the file "out", its words in "err".
setup_file() {
	cat >"$BATS_FILE_TMPDIR/talk.py" <<-'PYTHON'
		import os, select, subprocess, sys, time

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

		def answer(size, seconds):
		    got, end = b"", time.monotonic() + seconds
		    while len(got) < size and select.select([ack], [], [], max(0, end - time.monotonic()))[0]:
		        more = os.read(ack, size - len(got))
		        if not more:
		            break
		        got += more
		    return got

		got = b""
		for step in steps:
		    if step.startswith("sleep "):
		        time.sleep(int(step[6:]) / 1000)
		    elif step.startswith("="):
		        got += answer(int(step[1:]), 5)
		    else:
		        for piece in step.split("|"):
		            os.write(ctl, piece.encode().decode("unicode_escape").encode())
		            time.sleep(0.01 if "|" in step else 0)
		try:
		    status = tdstat.wait(8)
		except subprocess.TimeoutExpired:
		    tdstat.kill()
		    status = "never ended"
		# and nothing more
		got += answer(1000, 0.05)
		print(repr(got)[2:-1])
		print(status)
	PYTHON
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	export PYTHON
}

# talk HOW OPTION... -- STEP...
talk() {
	try timeout 20 "$PYTHON" -S "$BATS_FILE_TMPDIR/talk.py" "$@"
	stderr=$(<err)
	mapfile -t stderr_lines <err
}

# answered TIMES: so many acknowledgements, and tdstat has ended well
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

@test "what is no word of perf's is not answered, and said; snapshot is not answered" {
	real -a
	talk fd -a -e cpu-clock -- 'pong\n' 'snapshot\n' 'PING\n' 'pingping\n' 'ping\n' =5 'stop\n' =5
	answered 2
	for word in pong PING pingping; do
		grep -q "^tdstat: .*$word" err || fail "nothing about $word"
	done
	run ! grep -q snapshot err
}

@test "a script that is wrong without end: ten remarks, and no word longer than 60 bytes" {
	real -a
	talk fd -a -e cpu-clock -- "$(printf 'pong%d\\n' {1..9})$(printf 'x%.0s' {1..59})äx\\n" \
		"$(printf 'disable nosuch%d\\n' {1..20})" =100 "$(printf 'pong%d\\n' {1..20})" 'stop\n' =5
	answered 21
	assert_equal "$(grep -c 'no such command: pong[1-9]$' err)" 9
	grep -qx "tdstat: --control: no such command: $(printf 'x%.0s' {1..59})..." err
	assert_equal "$(grep -v 'no such command' err)" 'tdstat: --control: further remarks are not shown'
	# names of events are words, too
	talk fd -a -e cpu-clock -- "enable $(printf 'x%.0s' {1..70})\\n" =5 'stop\n' =5
	grep -qx "tdstat: --control: no event $(printf 'x%.0s' {1..60})...: evlist lists them" err
}

@test "answers that nobody reads: said once, whatever the number of runs" {
	real
	mkfifo ctl ack
	yes ping >ctl &
	try timeout 20 "$TDSTAT" -r 2 --control fifo:ctl,ack -e task-clock -- sleep 0.3
	kill $! || true
	assert_success
	# a pipe holds 65,536 bytes at least, or a page: of 5 each
	assert_equal "$(grep -c 'nobody reads the answers' <<<"$stderr")" 1
}

@test "-D -1 and no enable: that is why there is nothing; -D as a time: another" {
	real
	mkfifo ctl
	for runs in 1 2; do
		try timeout 30 "$TDSTAT" -r $runs -D -1 --control fifo:ctl -e task-clock -- true
		assert_success
		assert_equal "$(grep -c 'nothing was counted: no enable came' <<<"$stderr")" $runs
	done
	try timeout 30 "$TDSTAT" -D 5000 --control fifo:ctl -e task-clock -- true
	grep -q 'nothing was counted: .*(-D)' <<<"$stderr"
}

@test "lines: in pieces, several at once, ended by NUL, empty, too long" {
	real -a
	talk fd -a -e cpu-clock -- 'pi|n|g\n' =5 'ping\nping\n\n\nping\n' =15 'ping\0' =5 \
		"$(head -c 9000 /dev/zero | tr '\0' x)\\n" 'ping\n' =5 'stop\n' =5
	answered 7
	# nothing of what is no text goes to the terminal
	talk fd -a -e cpu-clock -- '\x1b[2J\n' 'stop\n' =5
	answered 1
	run ! grep -q $'\033' err
}

@test "the script goes: it is counted on" {
	real
	mkfifo ctl
	(printf 'ping\n' >ctl) &
	try timeout 30 "$TDSTAT" --control fifo:ctl -e task-clock -x, -- sh -c 'sleep 0.2; exit 5'
	assert_failure 5
	grep -q '^[0-9.]*,msec,task-clock,' <<<"$stderr"
}

@test "stop: the end of counting, with the result" {
	real -a
	talk fd -a -e cpu-clock -x, -- 'sleep 100' 'stop\n' =5
	answered 1
	grep -qE '^[0-9.]+,msec,cpu-clock,' out
}

@test "stop with a command: no more rows, its end is waited for, its status" {
	real
	talk fd -I 50 -e task-clock -x, -o rows sh -c 'sleep 1.5; touch ended; exit 6' -- \
		'sleep 130' 'stop\n' =5
	assert_equal "$(sed -n 2p <<<"$output")" 6
	[ -e ended ]
	awk -F, '$1 > 1 { exit 1 } END { exit NR < 1 || NR > 20 }' rows || fail "$(cat rows)"
}

@test "-D -1: nothing until enable; Events disabled, Events enabled" {
	real
	mkfifo begin
	talk fd -D -1 -e task-clock -x, -o rows \
		sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; read x <begin; exit 2' -- \
		'sleep 10' 'enable\n' =5 'sleep 30' 'disable\n' =5 'sleep 300' 'stop\n' =5 &
	wait_for=$!
	sleep 0.7
	echo >begin
	wait $wait_for
	assert_equal "$(grep '^Events' err | xargs)" 'Events disabled Events enabled Events disabled'
	# some of it, by far not all
	"$TDSTAT" -e task-clock -x, -o all -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
	awk -F, 'NR == FNR { some = $1; next } { exit !(some > 0 && some < $1 / 2) }' rows all || {
		cat rows all
		false
	}
	talk fd -D -1 -e task-clock -x, -o rows sh -c : -- 'ping\n' =5
	assert_equal "$(sed -n 2p <<<"$output")" 0
	grep -q '^<not counted>,' rows
}

@test "enable and disable of all: a pause is not counted" {
	real -a
	talk fd -a -e cpu-clock -x, -- 'ping\n' =5 'sleep 100' 'disable\n' =5 'sleep 1500' 'enable\n' =5 'sleep 100' 'stop\n' =5
	answered 4
	assert_equal "$(grep '^Events' err | xargs)" 'Events disabled Events enabled'
	# of each CPU, milliseconds without the pause
	awk -F, -v cpus="$(getconf _NPROCESSORS_ONLN)" '{ each = $1 / cpus }
		END { exit !(each >= 190 && each < 1400) }' out || fail "$(cat out)"
}

@test "enable and disable of one event: the other goes on" {
	real -a
	talk fd -a -e cpu-clock,task-clock -x, -- 'sleep 50' 'disable cpu-clock\n' =5 'sleep 300' 'stop\n' =5
	answered 2
	grep -q '^Event cpu-clock disabled$' err
	awk -F, '$3 == "cpu-clock" { paused = $1 } $3 == "task-clock" { all = $1 }
		END { exit !(paused > 0 && paused < all - 250) }' out || fail "$(cat out)"
	# out of a group, too
	talk fd -D -1 -a -e '{cpu-clock,task-clock}' -x, -- 'enable task-clock\n' =5 'sleep 100' 'stop\n' =5
	answered 2
}

@test "an event that is not there: said, with what to do" {
	real -a
	talk fd -a -e cpu-clock -- 'disable nosuch\n' =5 'stop\n' =5
	answered 2
	assert_complains 'nosuch.*evlist'
}

@test "evlist: a name a line, as they were typed; -g groups, -v attributes" {
	real -a
	talk fd -a -e '{cpu-clock,page-faults},context-switches' -- 'evlist\n' =5 'stop\n' =5
	assert_equal "$(grep -xE 'cpu-clock|page-faults|context-switches' err | xargs)" \
		'cpu-clock page-faults context-switches'
	talk fd -a -e '{cpu-clock,page-faults},context-switches' -- 'evlist -g\n' =5 'stop\n' =5
	grep -qx '{cpu-clock,page-faults}' err
	grep -qx 'context-switches' err
	talk fd -a -e page-faults -- 'evlist -v\n' =5 'stop\n' =5
	grep -q 'page-faults' err
	grep -qE 'config +(0x)?2' err
}

@test "with -I: enable and disable show the interval up to there" {
	real -a
	talk fd -a -I 60000 -e cpu-clock -x, -- 'ping\n' =5 'sleep 150' 'disable\n' =5 'sleep 200' 'enable\n' =5 \
		'sleep 150' 'stop\n' =5
	answered 4
	cat out
	awk -F, -v cpus="$(getconf _NPROCESSORS_ONLN)" '
		NR == 1 && !($1 > 0.14 && $1 < 1.4 && $2 / cpus >= 140 && $2 / cpus < 1400) { exit 1 }
		# all of the pause is in the second
		NR == 2 && !($1 > 0.34 && ($2 == "<not counted>" || $2 / cpus < 60)) { exit 1 }
		END { exit NR < 2 }' out
}

@test "what --control does not take: usage; what cannot be opened: by name" {
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
	try timeout 30 "$TDSTAT" --control fifo:plain -e task-clock -- touch ran
	[ "$status" != 124 ] || fail "it hangs"
	[ -e ran ] && [ "$status" = 0 ]
}

# as with perf: a program that knows when its interesting part begins
@test "the command may be who commands" {
	real
	mkfifo ctl
	exec 7<>ctl 8>ack
	timeout 30 "$TDSTAT" -D -1 --control fd:7,8 -e task-clock -x, -o out -- \
		bash -c 'for i in {1..20000}; do :; done; echo enable >&7; sleep 0.1; for i in {1..1000}; do :; done' ||
		fail "$(cat out)"
	exec 7<&- 8>&-
	assert_equal "$(od -An -c ack | tr -d ' ')" 'ack\n\0'
	grep -qE '^[0-9.]+,msec,task-clock,[1-9]' out
}

@test "metrics, too: the tree of a part of the run" {
	needs_software_events -a
	talk fd -a -D -1 -x, -- 'sleep 50' 'enable\n' =5 'sleep 100' 'stop\n' =5
	answered 2
	awk -F, 'NR == 2 { exit !($8 > 35 && $8 < 65 && $10 > 35 && $10 < 65) } END { exit NR != 2 }' out || fail "$(cat out)"
}
