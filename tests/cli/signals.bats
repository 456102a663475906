#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Signals, and what else happens to a command or a process while it is counted.
# Only root can set the clock, so instead of jumps of the clock we test that a
# monotonic clock is used, and instead of suspending the machine we stop tdstat,
# which lets as many deadlines pass.

# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # sh -c; pid; helper.bash
load helper

teardown() {
	# shellcheck disable=SC2086 # several
	[ -n "$BATS_TEST_COMPLETED" ] || kill -KILL ${pid-} ${others-} 2>/dev/null ||
		[ -z "${stderr-}" ] || printf 'stderr: %s\n' "$stderr"
}

# background COMMAND...: a shell's background jobs ignore SIGINT, and SIGQUIT.  Its
# standard input never ends, so a shell that reads from it waits without a process.
background() {
	pause 0
	env --default-signal=INT,QUIT "$@" <&"$never" 3>&- &
	pid=$!
}

# ended: its status in $status
ended() {
	status=0
	wait "$pid" || status=$?
}

# until_waiting FILE: until the command whose pid is the line of FILE waits for
# something: a signal before that could come between two commands of a shell
until_waiting() {
	wait_for has_lines "$1" 1
	read -r child <"$1"
	wait_for sleeps "$child"
}

# A zombie is its new parent's business.
assert_gone() {
	has_ended "$1" || fail "$1 is still there"
}

rows_or_end() {
	has_lines "$1" "$2" || has_ended "$pid"
}

# assert_goes_on FILE: two more rows come
assert_goes_on() {
	local rows

	mapfile rows <"$1"
	# a row may be half written
	wait_for rows_or_end "$1" $((${#rows[@]} + 2))
	! has_ended "$pid" || fail "it has ended"
}

# PID: each signal that it got has reached a handler
has_no_signals() {
	has_text "/proc/$1/status" $'\nSigPnd:\t0+\nShdPnd:\t0+\n'
}

# PID: is stopped
is_stopped() {
	has_text "/proc/$1/stat" '^[0-9]+ \(.*\) T '
}

# stop_for SECONDS
stop_for() {
	kill -STOP "$pid"
	wait_for is_stopped "$pid"
	pause "$1"
	kill -CONT "$pid"
}

row='[0-9.]+,all,cpu,[0-9.]*,[0-9.]*,[0-9.]+,[0-9.]*,[0-9.]+,'
command=(sh -c 'echo $$ >command; exec sleep 600')

@test "-a: each signal that ends tdstat prints the counts" {
	needs_software_events -a
	for signal in INT TERM HUP QUIT; do
		background "$TDSTAT" -a -I 20 -x, >out
		wait_for has_lines out 2
		kill -$signal $pid
		ended
		assert_equal "$status" 0
		has_text out $'\n'"$row" || fail "$signal: no row"
		# -D, as it says when counting has begun
		background "$TDSTAT" -a -D 1 -j >table.$signal 2>err
		wait_for has_text err 'Events enabled'
		kill -$signal $pid
		ended
		assert_equal "$status" 0
	done
	jq -en 'reduce inputs as $row ({}; if $row.value > 0 then .[input_filename] = 1 else . end) | length == 4' table.*
}

@test "with a command: it gets the signal, and the status is 128 and the signal" {
	needs_software_events
	for signal in INT:130 TERM:143 HUP:129 QUIT:131; do
		rm -f command
		background "$TDSTAT" -x, -- "${command[@]}" 2>out
		wait_for has_lines command 1
		kill -"${signal%:*}" $pid
		ended
		assert_equal "$status" "${signal#*:}"
		has_text out $'(^|\n)time,id,pmu'
		read -r child <"command"
		assert_gone "$child"
	done
}

# told DEAF STATUS COMMAND...: run a command that gets SIGTERM; if DEAF is not empty, it
# ignores the signal and gets another one
told() {
	rm -f command heard out
	background "${@:3}" sh -c 'trap "echo >heard; [ \"$0\" ] || exit 5" TERM
		echo $$ >command; while :; do read x; done' "$1" 2>err
	until_waiting command
	kill -TERM $pid
	wait_for has_lines heard 1
	# closer together, two are one
	[ -z "$1" ] || pause 0.2
	[ -z "$1" ] || kill -TERM $pid
	ended
	[ "$status" = "$2" ] || fail "${*:4}: $status, $(<err)"
	assert_gone "$child"
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
	has_text err 'interrupted in run 1 of B: nothing is compared'
}

@test "a command that tidies up: timeout(1) signals us and then our group, and that is one signal" {
	needs_software_events
	background "$TDSTAT" -x, -- sh -c 'trap "" HUP; trap "sleep 0.1; exit 7" TERM
		echo $$ >command; while :; do read x; done'
	until_waiting command
	# two of a kind that are waiting are one; stopped, so that both come together
	kill -STOP $pid
	wait_for is_stopped $pid
	kill -TERM $pid
	kill -HUP $pid
	kill -CONT $pid
	ended
	assert_equal "$status" 7
}

@test "nohup: a terminal that hangs up does not end it" {
	needs_software_events -a
	# with -o SIGHUP would not end it either: it would reopen the file
	background env --ignore-signal=HUP "$TDSTAT" -a -I 20 -x, >out
	wait_for has_lines out 2
	kill -HUP $pid
	assert_goes_on out
	kill -TERM $pid
	ended
	assert_equal "$status" 0
}

@test "keys of the terminal: the command gets the signal from there, and its reaction decides" {
	needs_software_events
	# NAME BYTES COMMAND: with a terminal of its own, where BYTES are typed ("" hangs
	# up) once the command waits; then its status
	cat >terminal.py <<-'PYTHON'
		import os, pty, signal, sys, time

		def wait_for(condition):
		    while not condition():
		        time.sleep(0.02)

		def waits():
		    try:
		        with open("command") as file, open(f"/proc/{int(file.read())}/stat") as stat:
		            return stat.read().rsplit(")", 1)[1].split()[0] == "S"
		    except (OSError, ValueError):
		        return False

		def run(name, key, script):
		    pid, fd = pty.fork()
		    if pid == 0:
		        os.execvp(os.environ["TDSTAT"], ["tdstat", "-x,", "-o", name, "--", "sh", "-c", script])
		    wait_for(waits)
		    if key:
		        os.write(fd, key)
		        # the terminal shows it after it has sent the signal
		        shown = b""
		        while b"^" not in shown:
		            shown += os.read(fd, 100)
		        open("typed", "w").close()
		    else:
		        os.close(fd)
		    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
		    os.remove("command")
		    print(name, status)

		heeds = 'trap "exit 7" INT QUIT HUP; echo $$ >command; while :; do read x; done'
		for name, key in ("INT", b"\003"), ("QUIT", b"\034"), ("HUP", None):
		    run(name, key, heeds)
		os.remove("typed")
		run("deaf", b"\003", 'trap "" INT; echo $$ >command; until [ -e typed ]; do sleep 0.02; done; exit 4')
	PYTHON
	try within python3 terminal.py
	assert_output $'INT 7\nQUIT 7\nHUP 7\ndeaf 4'
	for name in INT QUIT HUP; do
		mapfile lines <$name
		assert_equal "${#lines[@]}" 2
	done
}

@test "SIGPIPE, SIGCHLD, SIGUSR1 from elsewhere: only the last one ends the counting" {
	needs_software_events -a
	background "$TDSTAT" -a -I 20 -x, -o out
	wait_for has_lines out 2
	for signal in PIPE CHLD CONT WINCH URG; do
		kill -$signal $pid
		assert_goes_on out
	done
	kill -USR1 $pid
	ended
	assert_equal "$status" 0
	has_text out $'\n'"$row" || fail "no row"
}

# Signals of signal(7) whose default action ends a process, which are not faults, and which
# no other test here covers.
deadly=(USR1 USR2 ALRM ABRT IO PROF VTALRM PWR STKFLT XCPU RTMIN RTMAX)

@test "all other fatal signals: counting ends, and the counts are shown" {
	not_under_valgrind "it has RTMAX, and the signal is valgrind's"
	needs_software_events -a
	for signal in "${deadly[@]}"; do
		background "$TDSTAT" -a -D 1 -e cs -x, >out 2>err
		wait_for has_text err 'Events enabled'
		kill -"$signal" $pid
		ended
		[[ $status = 0 && $(<out) =~ ^[0-9]+,,cs, ]] || fail "$signal: $status, $(<out)"
	done
}

@test "all other fatal signals are passed on to the command, each time, and do not end tdstat" {
	not_under_valgrind "it has RTMAX, and the signal is valgrind's"
	needs_software_events
	rm -f command heard
	background "$TDSTAT" -e cs -x, -o out -- bash -c '
		for signal; do trap "echo $signal >>heard" "$signal"; done
		trap "exit 5" TERM
		echo $$ >command; while :; do read x; done' - "${deadly[@]}"
	wait_for has_lines command 1
	read -r child <"command"
	wait_for sleeps "$child"
	nr=0
	for signal in "${deadly[@]}" USR1 USR1; do
		kill -"$signal" $pid
		nr=$((nr + 1))
		wait_for has_lines heard $nr
		# further apart than two that count as one
		[ $nr -le ${#deadly[@]} ] || pause 0.2
	done
	mapfile -t heard <heard
	assert_equal "${heard[*]}" "${deadly[*]} USR1 USR1"
	kill -TERM $pid
	ended
	assert_equal "$status" 5
	has_text out '^[0-9]+,,cs,' || fail "no report: $(<out)"
	# one that ends the command leaves its report, and further runs
	background "$TDSTAT" -r 2 -e cs -x, -o out -- sh -c '[ ! -e again ] || exit 7
		echo >again; echo $$ >command.2; exec sleep 600'
	wait_for has_lines command.2 1
	kill -USR1 $pid
	ended
	assert_equal "$status" 7
	has_text out '^[0-9]+,,cs,' || fail "no report: $(<out)"
}

@test "an alarm that was set before is the command's" {
	needs_software_events
	# where the machine is slow, it comes before there is a command
	for after in 1 4 16 64 256; do
		rm -f out begun
		try python - "$TDSTAT" $after <<-'PYTHON'
			import os, signal, sys
			signal.alarm(int(sys.argv[2]))
			os.execv(sys.argv[1], [sys.argv[1], "-e", "cs", "-x,", "-o", "out", "--",
			                       "sh", "-c", ">begun; exec sleep 600"])
		PYTHON
		assert_equal "$status" 142
		[ ! -e begun ] || break
	done
	has_text out '^[0-9]+,,cs,' || fail "no report: $(<out)"
}

# A line of each mask.  sh has no list of options with spaces, but its words are here.
look=(grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status)

# assert_same_signals FILE EVENT: FILE contains it as often as "without" does
assert_same_signals() {
	local with without wanted='' i

	IFS= read -rd '' without <"without" || true
	IFS= read -rd '' with <"$1" || true
	for ((i = 0; i < ${3-1}; i++)); do wanted+=$without; done
	[[ -n $without && $with == "$wanted" ]] || fail "$2: without $without, with $with"
}

@test "the command inherits tdstat's dispositions, including ignored signals" {
	not_under_valgrind "the mask is valgrind's"
	needs_software_events
	all=PIPE,CHLD,INT,HUP,TERM,USR1,ALRM,RTMIN
	for how in "--ignore-signal=$all" "--default-signal=$all" "--block-signal=$all" \
		"--ignore-signal=CHLD,INT,TERM --block-signal=PIPE,HUP,USR1" \
		"--ignore-signal=HUP,PIPE,USR1 --block-signal=CHLD,INT,TERM"; do
		# shellcheck disable=SC2086 # two
		env $how "${look[@]}" >without
		# shellcheck disable=SC2086
		env $how "$TDSTAT" -o out -- "${look[@]}" >with
		assert_same_signals with "$how"
	done
	# --pre and --post: but a shell has SIGCHLD as it needs it
	env --ignore-signal=PIPE --block-signal=USR1 "${look[@]}" >without
	env --ignore-signal=PIPE --block-signal=USR1 "$TDSTAT" -r 2 -o out \
		--pre "exec ${look[*]@Q} >pre" --post "exec ${look[*]@Q} >post" -- true
	assert_same_signals pre --pre
	assert_same_signals post --post
}

@test "SIGCHLD ignored by the parent: the command's status is still known" {
	needs_software_events
	try env --ignore-signal=CHLD "$TDSTAT" -o out -- sh -c 'exit 3'
	assert_failure 3
	env --ignore-signal=CHLD "$TDSTAT" -o out --pre true --post true -- true
}

# --- deadlines that pass ----------------------------------------------------------

# Each look at the counters arms the timer for the next deadline, so strace shows which
# deadlines there were, exactly, where the times of rows depend on the machine.
@test "stopped and continued: no deadline is made up for, and the next ones are where they were" {
	needs_strace
	needs_software_events -a
	strace -o log -e trace=timerfd_settime \
		sh -c 'echo $$ >self; exec "$TDSTAT" -a -I 50 -x, -o out 2>err' 3>&- &
	others=$!
	wait_for has_lines out 4
	read -r pid <self
	kill -STOP "$pid"
	wait_for has_text log 'stopped by SIGSTOP'
	pause 0.4
	kill -CONT "$pid"
	assert_goes_on out
	assert_goes_on out
	kill -TERM "$pid"
	wait $others
	awk -v grid=50000 '
		# in microseconds since the first one
		match($0, /it_value=\{tv_sec=[0-9]+, tv_nsec=[0-9]+/) {
			split(substr($0, RSTART, RLENGTH), value, /[^0-9]+/)
			if (!nr++) { sec = value[2]; nsec = value[3] }
			now = ((value[2] - sec) * 1e9 + value[3] - nsec) / 1000
			gap = (now - before) / grid
			if (nr > 1 && gap) { if (gap > 7) long++; missed += gap - 1 }
			if (gap != int(gap) || gap < 0) { print "no deadline: " $0; failed = 1 }
			before = now
		}
		/^tdstat: missed [0-9]+ intervals / { said = $3; notes++ }
		END {
			print missed " passed, " said " said"
			exit failed || nr < 6 || long < 1 || notes != 1 || said != missed
		}' log err || fail "$(<err)"
}

@test "missed rows: the next row has their counts, and one note has their number" {
	needs_software_events
	# page faults come when and where the test wants them, unlike time
	cat >faults.py <<-'PYTHON'
		import mmap, os, time

		size = 1000 * mmap.PAGESIZE
		pages = mmap.mmap(-1, 2 * size, flags=mmap.MAP_PRIVATE)
		try:
		    pages.madvise(mmap.MADV_NOHUGEPAGE)
		except OSError:
		    pass # a kernel that has no such pages
		for i in range(2):
		    while not os.path.exists(f"go{i}"):
		        time.sleep(0.02)
		    for at in range(i * size, (i + 1) * size, mmap.PAGESIZE):
		        pages[at] = 1
		    open(f"done{i}", "w").close()
		while not os.path.exists("end"):
		    time.sleep(0.02)
	PYTHON
	background "$TDSTAT" -I 10 -e minor-faults -x, -o out -- python3 -S faults.py 2>err
	for i in 0 1; do
		wait_for has_lines out 3
		assert_goes_on out
		kill -STOP $pid
		wait_for is_stopped $pid
		: >go$i
		wait_for_file done$i
		pause 0.3
		kill -CONT $pid
		assert_goes_on out
	done
	: >end
	ended
	assert_equal "$status" 0
	mapfile -t lines <err
	assert_equal "${#lines[@]}" 1
	[[ ${lines[0]} =~ ^"tdstat: missed "([0-9]+)" intervals " ]]
	# a stop of 300 ms has 29 deadlines or more, the last of which has a row; each row and
	# each that was missed has a deadline of its own, but the last row
	awk -F, -v missed="${BASH_REMATCH[1]}" '{ rows++; many += $2 + 0 >= 1000; last = $1 }
		END { print missed " missed, " rows " rows until " last
			exit many != 2 || missed < 56 || int(last * 100 + 0.001) < rows - 1 + missed }' out || fail "$(<out)"
	"$TDSTAT" -I 100 --interval-count 2 --quiet -e minor-faults -o out -- sh -c : 2>err
	[ ! -s err ]
}

@test "one interval that was missed: in words for one" {
	needs_software_events -a
	background "$TDSTAT" -a -I 200 -e cpu-clock -x, -o out 2>err
	wait_for has_lines out 1
	stop_for 0.45
	assert_goes_on out
	kill -TERM $pid
	ended
	assert_equal "$status" 0
	# a slow machine misses more of them
	has_text err '(^|'$'\n'')tdstat: missed (1 interval [^'$'\n'']*; its counts are in the next row|([2-9]|[1-9][0-9]+) intervals [^'$'\n'']*; their counts are in the next rows)'$'\n' ||
		fail "$(<err)"
}

# --- what becomes of a command ----------------------------------------------------

@test "a killed command: its counts until then, and the shell's status" {
	needs_software_events
	for signal in KILL:137 SEGV:139 TERM:143 PIPE:141; do
		for how in '' '-I 20'; do
			rm -f command
			# it has used a few milliseconds when it waits
			# shellcheck disable=SC2086
			background "$TDSTAT" $how -e task-clock -x, -o "out.$signal$how" -- sh -c 'ulimit -c 0
				i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done
				echo $$ >command; read x'
			until_waiting command
			kill -"${signal%:*}" "$child"
			ended
			assert_equal "$status" "${signal#*:}"
			assert_gone "$child"
		done
	done
	awk -F, '{ sum[FILENAME] += $(FILENAME ~ /-I/ ? 2 : 1) }
		END { for (file in sum) if (sum[file] >= 1) nr++; exit nr != 8 }' out.*
}

@test "a stopped command is waited for, and its rows have no counts" {
	needs_software_events
	background "$TDSTAT" -I 50 -x, -o out -- sh -c 'echo $$ >command; while :; do :; done'
	wait_for has_text out $'\n'"$row"
	read -r child <"command"
	kill -STOP "$child"
	wait_for has_text out $'\n[0-9.]+,all,cpu,[0-9.]*,[0-9.]*,[0-9.]*,,,,,,'
	assert_goes_on out
	kill -CONT "$child"
	kill -KILL "$child"
	ended
	assert_equal "$status" 137
}

@test "a command that leaves a process behind: counting ends with the command, and the process lives" {
	needs_software_events
	background "$TDSTAT" -x, -o out -- sh -c 'setsid sh -c "echo \$\$ >left; exec sleep 600" &
		until [ -s left ]; do sleep 0.02; done; exit 3'
	ended
	read -r others <left
	assert_equal "$status" 3
	! has_ended "$others" || fail "it was waited for"
	mapfile lines <out
	assert_equal "${#lines[@]}" 2
	kill "$others"
}

@test "a command in a session of its own gets our signals" {
	needs_software_events
	background "$TDSTAT" -x, -o out -- setsid "${command[@]}"
	wait_for has_lines command 1
	kill -TERM $pid
	ended
	assert_equal "$status" 143
	read -r child <"command"
	assert_gone "$child"
}

@test "a command that becomes another user's program is counted as far as the kernel lets us" {
	not_under_valgrind "the other user cannot write its log"
	needs_software_events
	[ "$EUID" = 0 ] || skip "must give a file away"
	# where another user can look
	place=$(mktemp -d)
	cp -R machine "$TDSTAT" "$place"
	install -m 4755 "$(type -P sleep)" "$place/privileged"
	chmod -R go+rX "$place"
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${nobody[@]}" "$place/privileged" 0 || {
		rm -r "$place"
		skip "another user cannot look there, or run it"
	}
	use_machine "$place/machine"
	unset PROCFS_PATH
	for way in '' '-I 20'; do
		# shellcheck disable=SC2086
		try "${nobody[@]}" "$place/tdstat" $way -x, -- sh -c \
			'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exec "$0" 0.1' "$place/privileged"
		[ "$status" != 1 ] || [[ $stderr != *"may not count"* ]] || skip "perf_event_paranoid"
		assert_success
		[[ $stderr =~ $'\n'$row ]] || fail "no row"
	done
	rm -r "$place"
}

# The interval is an hour, so that without an event nothing would end before the test.
@test "-p, -t: the end of it is noticed at once, whatever the interval" {
	needs_software_events
	for option in -p -t; do
		sleep 600 3>&- &
		others=$!
		background "$TDSTAT" $option $others -I 3600000 -x, -o out
		wait_for has_events $pid
		kill $others
		wait_for has_ended $pid
		ended
		mapfile lines <out
		assert_equal "$status:${#lines[@]}" 0:2
	done
	# the last one of several
	sleep 600 3>&- &
	others=$!
	sleep 600 3>&- &
	sleeper=$!
	background "$TDSTAT" -p $others,$sleeper -I 20 -x, -o several
	wait_for has_lines several 2
	kill $others
	wait_for has_ended $others
	assert_goes_on several
	others=$sleeper
	kill $sleeper
	wait_for has_ended $pid
	ended
	assert_equal "$status" 0
}

# kib PID: how much memory it has, in $kib
kib() {
	local text

	IFS= read -rd '' text <"/proc/$1/status" || true
	[[ $text =~ VmRSS:[[:space:]]*([0-9]+) ]]
	kib=${BASH_REMATCH[1]}
}

# An interval with more threads than ever needs more memory: so there is a look between
# two bursts of threads, and the first ones are the largest.
@test "threads that start and end under -p: constant memory, and no open descriptors remain" {
	needs_software_events
	cat >threads.py <<-'PYTHON'
		import os, threading, time

		def sizes():
		    return [os.stat(name).st_size for name in ("out.one", "out.each")]

		def bursts(number, threads):
		    for i in range(number):
		        for j in range(threads // 8):
		            some = [threading.Thread(target=int) for k in range(8)]
		            for t in some: t.start()
		            for t in some: t.join()
		        before = sizes()
		        while any(now == then for now, then in zip(sizes(), before)):
		            time.sleep(0.01)

		def wait_for(name):
		    while not os.path.exists(name):
		        time.sleep(0.02)

		open("ready", "w").close()
		wait_for("warm")
		bursts(3, 400)
		open("warm.done", "w").close()
		wait_for("go")
		bursts(20, 200)
		open("go.done", "w").close()
		wait_for("end")
	PYTHON
	# the sanitizer keeps freed memory, and pads other memory
	export ASAN_OPTIONS=${ASAN_OPTIONS-}:quarantine_size_mb=1
	# a fifth of a KiB a thread would be kept for ever; the numbers of threads that were
	# there are, in 20 bytes each, and their table doubles
	room=800
	[[ $TDSTAT != */san/* ]] || room=12000
	declare -A pids before
	python3 threads.py 3>&- &
	target=$!
	others=$target
	wait_for_file ready
	for how in one each; do
		options=()
		[ $how = one ] || options=(--per-thread)
		"$TDSTAT" -p $target "${options[@]}" -I 20 -x, -o out.$how 2>err.$how 3>&- &
		pids[$how]=$!
		others+=" $!"
	done
	wait_for has_lines out.one 2
	wait_for has_lines out.each 2
	: >warm
	wait_for_file warm.done
	for how in one each; do
		kib "${pids[$how]}"
		before[$how]=$kib
	done
	: >go
	wait_for_file go.done
	for how in one each; do
		kib "${pids[$how]}"
		fds=(/proc/"${pids[$how]}"/fd/*)
		echo "$how: ${#fds[@]} descriptors, from ${before[$how]} to $kib KiB"
		[ ${#fds[@]} -lt 200 ]
		[ $((kib - before[$how])) -lt $room ]
	done
	: >end
	wait $target
	for how in one each; do
		wait "${pids[$how]}" || fail "$how: $(<err.$how)"
	done
}

# --- tdstat itself ----------------------------------------------------------------

@test "we are killed while the command waits to be let go: it never runs" {
	needs_strace
	needs_software_events
	# the first counter is opened when the test has long ended
	strace -o log -e trace=perf_event_open,clone,clone3,fork,vfork \
		-e inject=perf_event_open:delay_enter=600000000:when=1 \
		sh -c 'echo $$ >self; exec "$TDSTAT" -o out -- touch made' 3>&- &
	others=$!
	wait_for has_text log '(clone3?|v?fork)\([^'$'\n'']* = ([0-9]+)'
	IFS= read -rd '' text <log || true
	[[ $text =~ (clone3?|v?fork)\([^$'\n']*' = '([0-9]+) ]]
	child=${BASH_REMATCH[2]}
	[ ! -e made ]
	read -r pid <self
	kill -KILL "$pid"
	# which would hold it until the delay is over
	kill -KILL $others 2>/dev/null || true # it may have ended with its child
	wait $others || true
	wait_for has_ended "$child"
	[ ! -e made ]
}

@test "timers use only a clock that cannot be set" {
	needs_strace
	needs_software_events
	strace -o log -e trace=timerfd_create,timerfd_settime,clock_nanosleep,nanosleep,alarm,setitimer \
		"$TDSTAT" -I 20 -D 20 -o out -- sleep 0.05
	awk '/^timerfd_create\(CLOCK_MONOTONIC/ { nr++; next }
		!/^(timerfd_settime|---|\+\+\+)/ { print "another clock: " $0; failed = 1 }
		END { exit failed || !nr }' log
}

# --- the second signal ------------------------------------------------------------

# Here it is kept from reading signals by a pipe that no process reads.
@test "a second signal, or where it killed the command a third, ends each subcommand" {
	not_under_valgrind "the signals are valgrind's"
	needs_software_events -a
	recording=$BATS_TEST_DIRNAME/../data/alderlake-2.jsonl
	stubborn=(sh -c 'trap "" TERM; exec 3<>"$0"; while :; do read x <&3; done' "$PWD/never")
	mkfifo never
	all=()
	for name in stat $(subcommands); do
		limit=2
		case $name in
		stat)
			words=(-a -I 10 -e cpu-clock)
			;;
		record)
			words=(record -o kept -I 100 -e cpu-clock -- "${stubborn[@]}")
			limit=3
			;;
		diff)
			words=(diff -r 2 -e task-clock -- "${stubborn[@]}" : true)
			limit=3
			;;
		regions | profile)
			words=("$name" -- "${stubborn[@]}")
			limit=3
			;;
		calls)
			words=(calls malloc@libc.so.6 -- "${stubborn[@]}")
			limit=3
			;;
		locate)
			words=(locate -e cpu-clock -- "${stubborn[@]}")
			limit=3
			;;
		report) words=(report "$recording" -l 6 --all) ;;
		top) words=(top "$recording") ;;
		serve) words=(serve --listen unix:socket) ;;
		explain) words=(explain tma_retiring) ;;
		list | doctor | help) words=("$name") ;;
		*) fail "how does tdstat $name end?" ;;
		esac
		mkdir "$name"
		all+=("$name" "$limit" "${words[@]}" '')
	done
	try within python3 "$BATS_TEST_DIRNAME/stuck.py" "${all[@]}"
	echo "$output"
	assert_success
}

@test "--pre that goes on and on: the second signal ends it" {
	not_under_valgrind "the signals are valgrind's"
	needs_software_events -a
	background "$TDSTAT" -a -e cpu-clock --pre 'echo $$ >pre; exec sleep 600' --timeout 100 -o out
	wait_for has_lines pre 1
	read -r others <pre
	kill -TERM $pid
	wait_for has_no_signals $pid
	wait_for sleeps $pid
	pause 0.2
	kill -TERM $pid
	ended
	kill "$others"
	assert_equal "$status" 143
}

@test "diff: the commands of all runs have the signals that we had" {
	not_under_valgrind "the mask is valgrind's"
	needs_software_events
	"${look[@]}" >without
	"$TDSTAT" diff -r 2 --quiet -e task-clock -o out -- "${look[@]}" : "${look[@]}" >with
	assert_same_signals with diff 4
}
