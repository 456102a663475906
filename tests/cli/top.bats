#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat top on a terminal, that of a tmux of its own, with recordings in place of
# counters; tests/machine/top.bats counts.

# shellcheck disable=SC2154 # helper.bash
load helper
load examples

setup() {
	command -v tmux >/dev/null || skip "no tmux here"
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL TMUX
	export LC_ALL=C.UTF-8
	nr_windows=0
}

teardown() {
	[ -n "$BATS_TEST_COMPLETED" ] || look || true
	close
}

# --- the terminal -----------------------------------------------------------------

# Each window has a server of its own, as one that ends would take the next along.
mux() {
	tmux -L "td$$-$BATS_TEST_NUMBER-$nr_windows" -f /dev/null "$@"
}

close() {
	mux kill-server 2>/dev/null || true
}

# open WIDTH HEIGHT: a window with a shell, in place of the one before
open() {
	close
	nr_windows=$((nr_windows + 1))
	rm -f status pid
	mux new-session -d -x "$1" -y "$2" env PS1='$ ' sh 3>&- 4>&-
	mux set-option -g window-size manual >/dev/null
}

press() {
	mux send-keys "$@"
}

look() {
	mux capture-pane -p "$@"
}

# until COMMAND...: it succeeds within half a minute
until_() {
	for ((i = 0; i < 300; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	look >&2
	fail "never: $*"
}

on_screen() { look | grep -qE -e "$1"; }
off_screen() { ! on_screen "$1"; }
shows() { until_ on_screen "$1"; }
hides() { until_ off_screen "$1"; }

# top [ARG...]: tdstat top in the window's shell, with its status and the modes of
# the terminal before and after in files
top() {
	cat >run.sh <<-'SCRIPT'
		trap : INT QUIT
		stty -g >before
		sh -c 'echo $$ >pid; exec "$@"' sh "$TDSTAT" top "$@"
		echo $? >status.new
		stty -g >after
		mv status.new status
	SCRIPT
	press "TDSTAT='$TDSTAT' sh run.sh $*" Enter
}

# ended STATUS: with the terminal as it was before
ended() {
	until_ [ -e status ]
	assert_equal "$(cat status)" "$1"
	assert_equal "$(cat after)" "$(cat before)"
	run ! kill -0 "$(cat pid)"
}

# --- what it shows ----------------------------------------------------------------

# values FILE [OPTION]: "CPU1 25.1 49.8 16.5 8.6" of its last interval
values() {
	"$TDSTAT" report -j "$@" 2>/dev/null | jq -rs '
		map(select(.level == 1)) | (map(.time) | max) as $last |
		map(select(.time == $last)) | group_by([.id, .pmu])[] |
		(map({(.metric): .value}) | add) as $v |
		[.[0].id // .[0].pmu, .[0].pmu, $v.tma_retiring, $v.tma_bad_speculation, $v.tma_frontend_bound,
			$v.tma_backend_bound] | @tsv' |
		while read -r id pmu a b c d; do
			printf '%s %s %.1f %.1f %.1f %.1f\n' "$id" "$pmu" "$a" "$b" "$c" "$d"
		done | LC_ALL=C sort
}

@test "rows and bars are what report says of the last interval" {
	open 120 30
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	values "$data/alderlake.jsonl" -A >want
	[ "$(wc -l <want)" -eq 8 ]
	look | sed -n '/LOST%/,$p' | grep 'CPU[0-9]$' | tr -d '*' |
		awk '{ print $NF, $(NF - 1), $2, $3, $4, $5 }' | LC_ALL=C sort >got
	diff want got
	# the lost slots of the rows, most first, are those of the machine
	look | sed -n '/LOST%/,$p' | awk '/CPU[0-9]+$/ { print $1 }' >lost
	sort -rnc lost
	values "$data/alderlake.jsonl" >want
	# of each PMU, the values are on the line below its bar
	look | awk '/^cpu_[a-z]+ .*\[R+S/ { pmu = $1; getline; gsub(/[*]|[A-Z] [a-z. ]+/, " ")
		print pmu, pmu, $1, $2, $3, $4 }' | LC_ALL=C sort >got
	diff <(sed 's/^[^ ]* //' want) <(sed 's/^[^ ]* //' got)
}

@test "keys: order, filter, trees, meanings, help" {
	open 100 30
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	press N
	shows 'CPUv'
	assert_equal "$(look | sed -n '/LOST%/,$p' | grep -o 'CPU[0-9]$' | tr '\n' ' ')" \
		'CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7 '
	press I
	shows 'CPU\^'
	assert_equal "$(look | sed -n '/LOST%/,$p' | grep -o 'CPU[0-9]$' | head -n 1)" CPU7
	press / a t o m Enter
	shows 'filter: atom \(4 hidden\)'
	assert_equal "$(look | sed -n '/LOST%/,$p' | grep -c 'CPU[0-9]$')" 4
	press Down Enter
	shows '^CPU6 cpu_atom'
	shows ' backend_bound .*\|\|\|'
	press Escape
	shows 'LOST%'
	press Escape
	hides 'filter: '
	press t
	shows '^all cpu_core, [0-9.]+ % of the slots'
	press Down Down e
	shows 'causes: '
	press h
	shows 'F10 '
	press h
	shows LOST%
	press Space
	shows FROZEN
	press Space
	hides FROZEN
	press F10
	ended 0
}

@test "keys that begin anew: rows, levels, times; what cannot be, is said" {
	open 100 30
	top "$data/alderlake.jsonl -I 1s"
	shows 'level 1, every 1 s'
	press -- -
	shows 'every 0.5 s'
	press -- - -
	shows 'every 0.[12] s'
	press c
	shows 'S0-D0-C3'
	press c
	shows ' SOCKET'
	press c
	shows 'CPU3'
	press H
	shows 'was recorded|threads'
	shows 'CPU3'
	press q
	ended 0
}

@test "a recording: b leads back, f on, each with the values of its interval; Space plays on" {
	open 120 30
	top "$data/alderlake.jsonl -I 100"
	shows '^5\.0 s .* END'
	press b
	shows '^4\.0 s .* FROZEN'
	press b b
	shows '^2\.0 s .* FROZEN'
	jq -c 'select(has("time") | not), select(.time and .time < 2.5)' "$data/alderlake.jsonl" >two.jsonl
	values two.jsonl -A >want
	look | sed -n '/LOST%/,$p' | grep 'CPU[0-9]$' | tr -d '*' |
		awk '{ print $NF, $(NF - 1), $2, $3, $4, $5 }' | LC_ALL=C sort >got
	diff want got
	press f
	shows '^3\.0 s .* FROZEN'
	# no further back than the first
	press b b b b
	shows '^1\.0 s .* FROZEN'
	# a level that is changed changes no interval
	press 2
	shows '^1\.0 s .*level 2.* FROZEN'
	press Space
	shows '^5\.0 s .* END'
	press f
	shows 'this is the last interval'
	on_screen '^5\.0 s .* END'
	press q
	ended 0
}

@test "windows of any size, and while it runs" {
	open 80 24
	top "$data/alderlake-course.jsonl"
	shows ' END'
	shows 'memory_bound'
	mux resize-window -x 40 -y 12
	shows 'hidden: '
	mux resize-window -x 20 -y 6
	shows '^cpu_core'
	mux resize-window -x 1 -y 1
	mux resize-window -x 200 -y 60
	shows 'LARGEST OVER ITS THRESHOLD'
	mux resize-window -x 80 -y 24
	hides 'LARGEST OVER ITS THRESHOLD'
	press q
	ended 0
}

@test "^Z gives the terminal back, fg takes it again" {
	open 80 24
	press "'$TDSTAT' top '$data/alderlake.jsonl' -I 100" Enter
	shows ' END'
	press C-z
	shows '[Ss]topped'
	press 'stty -a | grep -o "[^ ]*icanon"' Enter
	shows '^icanon'
	mux resize-window -x 100 -y 20
	press fg Enter
	shows ' END'
	hides topped
	shows '^h Help'
	press q
	hides LOST%
	press 'echo it was $?' Enter
	shows '^it was 0'
}

@test "each signal ends it with the terminal as it was, and nothing is left" {
	for signal in TERM INT HUP QUIT; do
		open 80 24
		top "$data/alderlake.jsonl -I 100"
		shows ' END'
		kill -"$signal" "$(cat pid)"
		ended 0
		off_screen LOST%
	done
}

@test "^C and ^\\ end it, too, also before the first values" {
	for key in C-c "C-\\"; do
		open 80 24
		top "$data/alderlake.jsonl -I 60s"
		shows 'PLAYED'
		press "$key"
		ended 0
	done
}

@test "a crash leaves no broken terminal" {
	[[ $TDSTAT != */san/* && $TDSTAT != */valgrind/* ]] || skip "they have handlers of their own"
	open 80 24
	ulimit -c 0
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	kill -SEGV "$(cat pid)"
	ended 139
	off_screen LOST%
}

# A zombie is its new parent's business.
is_running() { grep -q '^State:	[^Z]' "/proc/$1/status"; }

@test "a terminal that is closed ends it" {
	# The leak checker of SAN=1 stops its process by SIGSTOP, and waits for that; the
	# SIGCONT that follows the terminal's SIGHUP takes the SIGSTOP away.
	export ASAN_OPTIONS=detect_leaks=0
	open 80 24
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	mux kill-server
	for ((i = 0; i < 300; i++)); do
		is_running "$(cat pid)" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -9 "$(cat pid)"
	fail "it still ran"
}

@test "a terminal that is closed without a signal ends it" {
	# not the terminal of a session, so that nobody is told
	cat >closed.py <<-'SCRIPT'
		import fcntl, os, pty, struct, subprocess, sys, termios
		master, slave = pty.openpty()
		fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
		process = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=slave, stderr=slave,
		                           start_new_session=True, env={**os.environ, "TERM": "xterm"})
		os.close(slave)
		shown = b""
		while b"END" not in shown:
		    shown += os.read(master, 65536)
		os.close(master)
		try:
		    sys.exit(process.wait(timeout=30))
		finally:
		    process.kill()
	SCRIPT
	timeout 60 python3 closed.py "$TDSTAT" top "$data/alderlake.jsonl" -I 100
}

@test "messages come when the screen has gone" {
	head -n 4 "$data/alderlake.jsonl" >cut.jsonl
	open 90 24
	top cut.jsonl -I 100
	shows '1 messages? at the end'
	off_screen 'no end line'
	press q
	ended 0
	shows '^tdstat: cut.jsonl: no end line: the recording was interrupted'
	off_screen LOST%
}

@test "names cannot write to the terminal" {
	sed '1s/"target":"system wide"/"target":"sh \\u001b[31m\\u0007\\nx"/' "$data/alderlake.jsonl" >evil.jsonl
	grep -q u001b evil.jsonl
	open 120 24
	top evil.jsonl -I 100
	shows 'sh \\x1b\[31m\\x07\\x0ax'
	press q
	ended 0
}

@test "without colours, and without UTF-8" {
	open 80 24
	press 'export NO_COLOR=1' Enter
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	run ! grep -qE $'\e\\[[0-9;]*[34][0-7]m' <<<"$(look -e)"
	on_screen '\[R+S+F+B+\]'
	press q
	ended 0
	rm status
	press 'unset NO_COLOR; export LC_ALL=C' Enter
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	grep -qE $'\e\\[[0-9;]*[34][0-7]m' <<<"$(look -e)"
	press q
	ended 0
}

@test "what is no terminal is refused, with what to do" {
	for how in '</dev/null' '>out' '| cat'; do
		open 120 24
		press "'$TDSTAT' top $how" Enter
		shows '^(\$ )?tdstat: top: standard (in|out)put is not a terminal'
		shows '^tdstat: rows, wherever they go: tdstat -a -I 1s'
	done
	run "$TDSTAT" top "$data/alderlake.jsonl" </dev/null
	assert_equal "${lines[1]}" "tdstat: rows, wherever they go: tdstat report $data/alderlake.jsonl"
	open 120 24
	press "TERM=nosuch '$TDSTAT' top" Enter
	shows '^(\$ )?tdstat: top: TERM is nosuch: no such terminal is known'
	press "TERM=dumb '$TDSTAT' top" Enter
	shows '^(\$ )?tdstat: top: TERM is dumb: its cursor cannot be moved'
	press "TERM= '$TDSTAT' top" Enter
	shows '^(\$ )?tdstat: top: TERM is not set'
}

@test "recordings that cannot be played" {
	open 120 24
	press "'$TDSTAT' top nosuch.jsonl" Enter
	# the shell's prompt may come behind the keys
	shows '^(. )?tdstat: nosuch.jsonl: No such file'
	press "'$TDSTAT' top '$data/perf-6.12-cpu.csv'" Enter
	shows 'has events and no tree'
	try "$TDSTAT" top a.jsonl b.jsonl
	assert_failure 64
	assert_equal "${stderr_lines[1]}" 'tdstat: of a process that runs: tdstat top -p PID'
	try "$TDSTAT" top a.jsonl -p 1
	assert_failure 64
}

@test "--dry-run needs no terminal" {
	saved alderlake
	try "$TDSTAT" top --dry-run -l 1
	assert_success
	assert_output --partial slots
	assert_same "$output" "$("$TDSTAT" -a -A -I 1s -l 1 --dry-run)"
}

@test "the picture of tdstat-top(1)" {
	open 80 15
	cp "$data/alderlake-course.jsonl" td.jsonl
	top td.jsonl
	shows ' END'
	look | sed 's/ *$//' >got
	displays tdstat-top.1 DESCRIPTION | grep -v '^== ' >want
	[ "$(wc -l <want)" -gt 10 ]
	diff want <(grep -v '^$' got)
}
