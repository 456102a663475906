#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Signals, and what else happens to a command or a process while it is counted.
# Only root can set the clock, so instead of jumps of the clock we test that a
# monotonic clock is used, and instead of suspending the machine we stop tdstat,
# which lets as many deadlines pass.

# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # sh -c; pid; helper.bash
load helper

# until_there FILE: something was written to it
until_there() {
	for ((i = 0; i < 200; i++)); do
		[ ! -s "$1" ] || return 0
		sleep 0.02
	done
	fail "no $1"
}

# background COMMAND...: a shell's background jobs ignore SIGINT, and SIGQUIT
background() {
	env --default-signal=INT,QUIT "$@" &
	pid=$!
}

# ended: its status in $status
ended() {
	status=0
	wait "$pid" || status=$?
}

# A zombie is its new parent's business.
assert_gone() {
	! grep -q '^State:	[^Z]' "/proc/$1/status" 2>/dev/null || fail "$1 is still there"
}

command=(sh -c 'echo $$ >command; exec sleep 20')

@test "-a: each signal that ends prints what was counted" {
	needs_software_events -a
	for signal in INT TERM HUP QUIT; do
		rm -f out
		background "$TDSTAT" -a -I 20 -x, >out
		until_there out
		sleep 0.05
		kill -$signal $pid
		ended
		assert_equal "$status" 0
		grep -Eq '^[0-9.]+,all,cpu,[0-9.]*,[0-9.]*,[0-9.]+,[0-9.]*,[0-9.]+,' out
		background "$TDSTAT" -a -j >table
		wait_for has_events $pid
		sleep 0.1
		kill -$signal $pid
		ended
		assert_equal "$status" 0
		jq -es 'any(.[]; .value > 0)' table >/dev/null
	done
}

@test "with a command: it gets the signal, and the status is 128 and the signal" {
	needs_software_events
	for signal in INT:130 TERM:143 HUP:129 QUIT:131; do
		rm -f command out
		background "$TDSTAT" -x, -- "${command[@]}" 2>out
		until_there command
		kill -"${signal%:*}" $pid
		ended
		assert_equal "$status" "${signal#*:}"
		grep -q '^time,id,pmu' out
		assert_gone "$(cat command)"
	done
}

# told DEAF STATUS COMMAND...: it runs a command that gets SIGTERM, and, where DEAF is
# not empty, does not heed it and gets another
told() {
	rm -f command heard out
	background "${@:3}" sh -c 'trap "echo >heard; [ \"$0\" ] || exit 5" TERM
		echo $$ >command; while :; do command sleep 0.05; done' "$1" 2>err
	until_there command
	kill -TERM $pid
	until_there heard
	[ -z "$1" ] || sleep 0.2
	[ -z "$1" ] || kill -TERM $pid
	ended
	[ "$status" = "$2" ] || fail "${*:4}: $status, $(cat err)"
	assert_gone "$(cat command)"
}

@test "each subcommand: its command gets SIGTERM, and the second one kills it" {
	not_under_valgrind "the signal is valgrind's"
	needs_software_events
	for name in stat $(subcommands); do
		case $name in
		stat) words=(-I 1000) ;;
		record | regions) words=("$name") ;;
		locate) words=(locate -e cpu-clock) ;;
		# which need a processor's events, or run no command, or two, as below
		profile | calls | report | top | serve | list | explain | doctor | help | diff) continue ;;
		*) fail "does tdstat $name run a command?" ;;
		esac
		told '' 5 "$TDSTAT" "${words[@]}" -o out --
		[ "$name" != stat ] || words=('-x,')
		told deaf 137 "$TDSTAT" "${words[@]}" -o out --
		[ -s out ]
	done
	told deaf 2 "$TDSTAT" diff -r 2 -e task-clock -o out -- true :
	grep -q 'interrupted in run 1 of B: nothing is compared' err
}

@test "a command that tidies up: timeout(1) signals us and then our group, and that is one signal" {
	needs_software_events
	background "$TDSTAT" -x, -- sh -c 'trap "" HUP; trap "sleep 0.1; exit 7" TERM
		echo $$ >command; while :; do sleep 0.02; done'
	until_there command
	# two of a kind that are waiting are one
	kill -TERM $pid
	kill -HUP $pid
	ended
	assert_equal "$status" 7
}

@test "nohup: a terminal that hangs up does not end it" {
	needs_software_events -a
	background env --ignore-signal=HUP "$TDSTAT" -a -I 20 -x, -o out
	until_there out
	kill -HUP $pid
	sleep 0.1
	kill -0 $pid
	kill -TERM $pid
	ended
	assert_equal "$status" 0
}

# terminal BYTES COMMAND...: with a terminal of its own, where BYTES are typed
# once the file "command" is there ("" hangs up); then its status
terminal() {
	timeout 30 python3 - "$@" <<-'PYTHON'
		import os, pty, signal, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp(sys.argv[2], sys.argv[2:])
		while not os.path.exists("command"):
		    time.sleep(0.02)
		time.sleep(0.05)
		if sys.argv[1]:
		    os.write(fd, sys.argv[1].encode())
		else:
		    os.close(fd)
		signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGTERM))
		signal.alarm(20)
		status = os.waitpid(pid, 0)[1]
		print(os.waitstatus_to_exitcode(status))
	PYTHON
}

@test "the terminal's keys: the command has them from there, and what it makes of them counts" {
	needs_software_events
	for key in $'\003' $'\034' ''; do
		rm -f command out
		try terminal "$key" "$TDSTAT" -x, -o out -- sh -c 'trap "exit 7" INT QUIT HUP; echo >command
			while :; do sleep 0.02; done'
		assert_output 7
		[ "$(wc -l <out)" = 2 ]
	done
	rm command
	# one that goes on
	try terminal $'\003' "$TDSTAT" -x, -o out -- sh -c 'trap "" INT; echo >command; sleep 0.3; exit 4'
	assert_output 4
}

@test "SIGPIPE, SIGCHLD, SIGUSR1 from elsewhere: only the last one ends it" {
	needs_software_events -a
	background "$TDSTAT" -a -I 20 -x, -o out
	until_there out
	for signal in PIPE CHLD CONT WINCH URG; do
		kill -$signal $pid
		sleep 0.02
		kill -0 $pid
	done
	kill -USR1 $pid
	ended
	assert_equal "$status" 138
}

@test "the command's dispositions are those that we had, ignored ones, too" {
	not_under_valgrind "the mask is valgrind's"
	needs_software_events
	look=(grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status)
	for how in --ignore-signal --default-signal --block-signal; do
		for signal in PIPE CHLD INT HUP TERM USR1; do
			env $how=$signal "${look[@]}" >without
			env $how=$signal "$TDSTAT" -o out -- "${look[@]}" >with
			assert_same "$how $signal $(cat without)" "$how $signal $(cat with)"
		done
	done
	# --pre and --post: but a shell has SIGCHLD as it needs it
	env --ignore-signal=PIPE --block-signal=USR1 "${look[@]}" >without
	env --ignore-signal=PIPE --block-signal=USR1 "$TDSTAT" -r 2 -o out \
		--pre "exec ${look[*]@Q} >pre" --post "exec ${look[*]@Q} >post" -- true
	assert_same "$(cat without)" "$(cat pre)"
	assert_same "$(cat without)" "$(cat post)"
}

@test "who starts us with SIGCHLD ignored gets the command's status all the same" {
	needs_software_events
	run -3 env --ignore-signal=CHLD "$TDSTAT" -o out -- sh -c 'exit 3'
	env --ignore-signal=CHLD "$TDSTAT" -o out --pre true --post true -- true
}

@test "stopped and continued: no deadline is made up for, and the next ones are where they were" {
	not_under_valgrind "it takes its time"
	needs_software_events -a
	background "$TDSTAT" -a -I 50 --interval-count 8 -x, -o out 2>err
	until_there out
	sleep 0.1
	kill -STOP $pid
	sleep 0.4
	kill -CONT $pid
	ended
	assert_equal "$status" 0
	run -0 sed -En 's/^tdstat: ([0-9]+) intervals passed .*/\1/p' err
	[ "${#lines[@]}" = 1 ]
	[ "$output" -ge 6 ]
	# the row after the stop is as long as the stop, the others are not; those behind
	# it, whichever of them the machine had time for, are at a multiple of 50 ms
	awk -F, 'NR > 1 {
			late = $1 - 0.05 * int($1 / 0.05 + 0.0001)
			if ($1 - before > 0.3) long++
			else if (long && (!rows++ || late < least)) least = late
			before = $1
		} END { exit long != 1 || NR != 9 || rows < 2 || least > 0.02 }' out || fail "$(cat out)"
}

# What task-clock counts of all CPUs is the time itself.
@test "rows that were missed: the next one has their counts, and it is said once how many" {
	needs_software_events -a
	background "$TDSTAT" -a -I 10 -e cpu-clock -x, -o out 2>err
	until_there out
	for i in 1 2; do
		sleep 0.1
		kill -STOP $pid
		sleep 0.3
		kill -CONT $pid
	done
	sleep 0.1
	kill -INT $pid
	ended
	assert_equal "$status" 0
	[ "$(wc -l <err)" = 1 ]
	missed=$(sed -En 's/^tdstat: ([0-9]+) intervals passed .*/\1/p' err)
	# each row and each that was missed has a deadline of its own
	awk -F, -v missed="$missed" -v cpus="$(nproc)" 'NR > 1 || $1 + 0 == $1 {
			rows++
			ms = ($1 - before) * 1000
			if (ms > 250) long++
			# a CPU does not count while the host runs another one
			if (ms > 250 && ($2 < 0.5 * ms * cpus || $2 > 1.5 * ms * cpus)) { print; failed = 1 }
			before = $1
		} END {
			# the last row has no deadline, and one may pass before it
			passed = int(before * 100 + 0.001)
			exit failed || long != 2 || missed < 50 ||
			     passed < rows - 1 + missed || passed > rows + 1 + missed
		}' out || fail "$missed missed: $(cat out)"
	"$TDSTAT" -a -I 100 --interval-count 2 --quiet -e cpu-clock -o out 2>err
	[ ! -s err ]
}

@test "one interval that was missed: in words for one" {
	needs_software_events -a
	background "$TDSTAT" -a -I 400 --interval-count 4 -e cpu-clock -x, -o out 2>err
	until_there out
	sleep 0.1
	kill -STOP $pid
	sleep 0.9
	kill -CONT $pid
	ended
	assert_equal "$status" 0
	# a slow machine misses more of them
	grep -qE -e '^tdstat: 1 interval passed .*: what it counted is in the row that follows$' \
		-e '^tdstat: [0-9]+ intervals passed .*: what they counted is in the rows that follow$' err ||
		fail "$(cat err)"
	run ! grep '1 intervals' err
}

@test "a command that is killed: what it did until then, and the shell's status" {
	needs_software_events
	for signal in KILL:137 SEGV:139 TERM:143 PIPE:141; do
		for how in '' '-I 20'; do
			rm -f command out
			# shellcheck disable=SC2086
			background "$TDSTAT" $how -e task-clock -x, -o out -- sh -c 'ulimit -c 0
				echo $$ >command; while :; do :; done'
			until_there command
			sleep 0.1
			kill -"${signal%:*}" "$(cat command)"
			ended
			assert_equal "$status" "${signal#*:}"
			awk -F, -v how="$how" '{ sum += $(how == "" ? 1 : 2) } END { exit sum < 1 }' out
			assert_gone "$(cat command)"
		done
	done
}

@test "a command that is stopped is waited for, and its rows say that nothing ran" {
	needs_software_events
	"$TDSTAT" -I 50 -x, -o out -- "${command[@]}" &
	pid=$!
	until_there command
	kill -STOP "$(cat command)"
	sleep 0.15
	kill -0 $pid
	kill -CONT "$(cat command)"
	kill -KILL "$(cat command)"
	ended
	assert_equal "$status" 137
	grep -q ',all,cpu,[0-9.]*,[0-9.]*,[0-9.]*,,,,,,' out
}

@test "a command that leaves a process behind: over when it is, and that process lives" {
	needs_software_events
	before=$(date +%s%3N)
	status=0
	"$TDSTAT" -x, -o out -- sh -c '(setsid sh -c "echo \$\$ >left; exec sleep 20" &); until [ -s left ]; do sleep 0.01; done; exit 3' || status=$?
	assert_equal "$status" 3
	[ $(($(date +%s%3N) - before)) -lt 15000 ]
	[ "$(wc -l <out)" = 2 ]
	kill "$(cat left)"
}

@test "a command in a session of its own gets our signals" {
	needs_software_events
	"$TDSTAT" -x, -o out -- setsid "${command[@]}" &
	pid=$!
	until_there command
	kill -TERM $pid
	ended
	assert_equal "$status" 143
	assert_gone "$(cat command)"
}

@test "a command that becomes another user's program is counted as far as the kernel lets us" {
	not_under_valgrind "the other user cannot write its log"
	needs_software_events
	[ "$(id -u)" = 0 ] || skip "must give a file away"
	# where another user can look
	place=$(mktemp -d)
	cp -R machine "$TDSTAT" "$place"
	install -m 4755 "$(type -P sleep)" "$place/privileged"
	chmod -R go+rX "$place"
	use_machine "$place/machine"
	unset PROCFS_PATH
	for way in '' '-I 20'; do
		# shellcheck disable=SC2086
		try setpriv --reuid 65534 --regid 65534 --clear-groups \
			"$place/tdstat" $way -x, -- sh -c \
			'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exec "$0" 0.1' "$place/privileged"
		[ "$status" != 1 ] || [[ $stderr != *"may not count"* ]] || skip "perf_event_paranoid"
		assert_success
		grep -Eq '^[0-9.]+,all,cpu,[0-9.]*,[0-9.]*,[0-9.]+,[0-9.]*,[0-9.]+,' <<<"$stderr"
	done
	rm -r "$place"
}

@test "-p, -t: the end of it is noticed at once, whatever the interval" {
	not_under_valgrind "it takes its time"
	needs_software_events
	for option in -p -t; do
		sleep 100 &
		sleeper=$!
		background "$TDSTAT" $option $sleeper -I 20000 -x, -o out
		wait_for has_events $pid
		before=$(date +%s%3N)
		kill $sleeper
		ended
		[ $(($(date +%s%3N) - before)) -lt 10000 ]
		[ "$status:$(wc -l <out)" = 0:2 ]
	done
	# of several, the last one
	sleep 100 &
	first=$!
	sleep 100 &
	sleeper=$!
	background "$TDSTAT" -p $first,$sleeper -I 20000 -x, -o out
	wait_for has_events $pid
	kill $first
	sleep 0.3
	kill -0 $pid
	before=$(date +%s%3N)
	kill $sleeper
	ended
	[ $(($(date +%s%3N) - before)) -lt 10000 ]
	[ "$status" = 0 ]
}

@test "10,000 threads that come and go under -p: constant memory, nothing is left open" {
	needs_software_events
	cat >threads.py <<-'PYTHON'
		import sys, threading, time
		open("ready", "w").write("x")
		while not __import__("os").path.exists("go"): time.sleep(0.01)
		for i in range(1250):
		    some = [threading.Thread(target=int) for j in range(8)]
		    for t in some: t.start()
		    for t in some: t.join()
	PYTHON
	# the sanitizer keeps what is freed, and pads what is not
	export ASAN_OPTIONS=${ASAN_OPTIONS-}:quarantine_size_mb=1
	room=4000
	! ldd "$TDSTAT" | grep -q libasan || room=40000
	for how in '' --per-thread; do
		rm -f ready go out
		python3 threads.py &
		target=$!
		until_there ready
		# shellcheck disable=SC2086
		"$TDSTAT" -p $target $how -I 100 -x, -o out 2>err &
		pid=$!
		until_there out
		before=$(awk '/VmRSS/ { print $2 }' /proc/$pid/status)
		: >go
		most=0
		while kill -0 $target 2>/dev/null; do
			now=$(find /proc/$pid/fd 2>/dev/null | wc -l)
			[ "$now" -le "$most" ] || most=$now
			after=$(awk '/VmRSS/ { print $2 }' /proc/$pid/status 2>/dev/null) || true
			[ -z "$after" ] || last=$after
			sleep 0.02
		done
		wait $target
		ended
		[ "$status" = 0 ] || fail "$how: $(cat err)"
		[ "$most" -lt 2000 ] || fail "$how: $most descriptors"
		[ $((last - before)) -lt $room ] || fail "$how: from $before to $last KiB"
	done
}

@test "we are killed while the command waits to be let go: it never runs" {
	needs_strace
	needs_software_events
	strace -o log -e trace=perf_event_open,clone -e inject=perf_event_open:delay_enter=3000000:when=1 \
		sh -c 'echo $$ >self; exec "$TDSTAT" -o out -- touch made' &
	tracer=$!
	until_there self
	for ((i = 0; i < 500; i++)); do
		! grep -q '^clone.* = [0-9]' log || break
		sleep 0.02
	done
	kill -KILL "$(cat self)"
	wait $tracer || true
	[ ! -e made ]
	child=$(sed -n 's/^clone.* = \([0-9]*\)$/\1/p' log)
	[ -n "$child" ]
	sleep 0.3
	[ ! -e made ]
	assert_gone "$child"
}

@test "the clock that nobody can set" {
	needs_strace
	needs_software_events
	strace -o log -e trace=timerfd_create,timerfd_settime,clock_nanosleep,nanosleep,alarm,setitimer \
		"$TDSTAT" -I 20 -D 20 -o out -- sleep 0.05
	grep -q '^timerfd_create(CLOCK_MONOTONIC' log
	! grep -v '^timerfd_create(CLOCK_MONOTONIC\|^timerfd_settime\|^---\|^+++' log || fail "another clock"
}

# --- the second signal ------------------------------------------------------------

# stuck COMMAND...: with a terminal (for top) and a pipe that nobody reads as its
# output; once it has nothing to do, or after 10 seconds (calls has something to do as
# long as the command runs), it gets SIGTERM until it has ended.  Prints the number of
# signals that took.
stuck() {
	timeout 120 python3 - "$@" <<-'PYTHON'
		import fcntl, os, pty, signal, sys, time
		pid, terminal = pty.fork()
		if pid == 0:
		    if "top" not in sys.argv:
		        end, pipe = os.pipe()
		        fcntl.fcntl(pipe, 1031, 4096)  # F_SETPIPE_SZ
		        os.write(pipe, bytes(4096))
		        os.set_inheritable(end, True)
		        os.dup2(pipe, 1)
		        os.dup2(pipe, 2)
		    os.execvp(sys.argv[1], sys.argv[1:])

		def times():
		    with open(f"/proc/{pid}/stat") as stat:
		        return stat.read().rsplit(")", 1)[1].split()[11:13]

		def ended(seconds):
		    end = time.time() + seconds
		    while time.time() < end:
		        if os.waitpid(pid, os.WNOHANG)[0]:
		            return True
		        time.sleep(0.02)
		    return False

		before = None
		until = time.time() + 10
		while before != times() and time.time() < until:
		    before = times()
		    time.sleep(1)
		for nr in 1, 2, 3:
		    if ended(0.5):
		        break
		    os.kill(pid, signal.SIGTERM)
		    if ended(1 if nr < 3 else 30):
		        print(nr)
		        break
		else:
		    os.kill(pid, signal.SIGKILL)
		    print("it went on")
	PYTHON
}

# Whatever keeps it from listening, as here nobody who reads what it writes.
@test "a second signal, or where it killed the command a third, ends each subcommand" {
	not_under_valgrind "the signals are valgrind's"
	needs_software_events -a
	recording=$BATS_TEST_DIRNAME/../data/alderlake-2.jsonl
	stubborn=(sh -c 'trap "" TERM; while [ ! -e end ]; do command sleep 0.05; done')
	declare -A most
	# all at a time, as each waits for seconds
	for name in stat $(subcommands); do
		most[$name]=2
		case $name in
		stat)
			words=(-a -I 10 -e cpu-clock)
			;;
		record)
			words=(record -o kept -I 10 -e cpu-clock -- "${stubborn[@]}")
			most[$name]=3
			;;
		diff)
			words=(diff -r 2 -e task-clock -- "${stubborn[@]}" : true)
			most[$name]=3
			;;
		regions | profile)
			words=("$name" -- "${stubborn[@]}")
			most[$name]=3
			;;
		calls)
			words=(calls malloc@libc.so.6 -- "${stubborn[@]}")
			most[$name]=3
			;;
		locate)
			words=(locate -e cpu-clock -- "${stubborn[@]}")
			most[$name]=3
			;;
		report) words=(report "$recording" -l 6 --all) ;;
		top) words=(top "$recording") ;;
		serve) words=(serve --listen unix:socket) ;;
		explain) words=(explain tma_retiring) ;;
		list | doctor | help) words=("$name") ;;
		*) fail "how does tdstat $name end?" ;;
		esac
		mkdir "$name"
		(
			cd "$name" || exit
			stuck "$TDSTAT" "${words[@]}" >nr 2>&1 || echo "status $?" >>nr
			touch end
		) 3>&- &
	done
	wait
	for name in "${!most[@]}"; do
		nr=$(<"$name/nr")
		[[ $nr =~ ^[0-9]*$ && ${nr:-0} -le ${most[$name]} ]] || fail "$name: $nr"
	done
}

@test "--pre that goes on and on: the second signal ends it" {
	not_under_valgrind "the signals are valgrind's"
	needs_software_events -a
	background "$TDSTAT" -a -e cpu-clock --pre 'while [ ! -e end ]; do sleep 0.05; done' --timeout 100 -o out
	for ((i = 0; i < 200; i++)); do
		! pgrep -P $pid >child || break
		sleep 0.02
	done
	kill -TERM $pid
	sleep 0.3
	kill -TERM $pid
	ended
	touch end
	assert_equal "$status" 143
}

@test "diff: the commands of all runs have the signals that we had" {
	not_under_valgrind "the mask is valgrind's"
	needs_software_events
	look=(grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status)
	"${look[@]}" >without
	"$TDSTAT" diff -r 2 --quiet -e task-clock -o out -- "${look[@]}" : "${look[@]}" >with
	[ "$(sort -u with)" = "$(sort without)" ] || fail "$(cat with)"
}
