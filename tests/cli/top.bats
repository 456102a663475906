#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: top
# tdstat top on a terminal, with recordings in place of counters; tests/machine/top.bats counts.

# shellcheck disable=SC2154 # helper.bash, terminal.bash
load helper
load examples
load terminal

setup() {
	command -v tmux >/dev/null || skip "no tmux here"
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL TMUX
	export LC_ALL=C.UTF-8
	# messages on the screen, which is not wide, have the name
	ln -s "$data" data && data=data
	nr_tops=0
}

teardown() {
	close_terminal
}

# top [ARG...]: tdstat top in the window's shell, with its process, its status and the
# modes of the terminal before and after in files
top() {
	nr_tops=$((nr_tops + 1))
	cat >run.sh <<-'SCRIPT'
		trap : INT QUIT
		nr=$1
		shift
		stty -g >before.$nr
		sh -c 'echo $$ >"$0"; exec "$@"' pid.$nr "$TDSTAT" top "$@"
		status=$?
		stty -g >after.$nr
		echo $status >status.$nr
	SCRIPT
	press "TDSTAT='$TDSTAT' sh run.sh $nr_tops $*" Enter
}

# the process of the last one
pid() {
	read -r pid <pid.$nr_tops
}

# ended STATUS: with the terminal as it was before
ended() {
	local status before after

	wait_for has_lines status.$nr_tops 1
	read -r status <status.$nr_tops
	read -r before <before.$nr_tops
	read -r after <after.$nr_tops
	pid
	assert_equal "$status" "$1"
	assert_equal "$after" "$before"
	! kill -0 "$pid" 2>/dev/null || fail "it still runs"
}

# --- what it shows ----------------------------------------------------------------

declare -gA want got

# values FILE [OPTION]: of its last interval, the values of each row
values() {
	local id values

	want=()
	"$TDSTAT" report -j "$@" >rows.json 2>/dev/null
	jq -rs '
		# 25.1
		def tenths: (. * 10 | round) as $n | "\($n / 10 | floor).\($n % 10)";
		map(select(.level == 1)) | (map(.time) | max) as $last |
		map(select(.time == $last)) | group_by([.id, .pmu])[] |
		(map({(.metric): .value}) | add) as $v |
		[(.[0].id // "" | select(startswith("CPU"))) // .[0].pmu, .[0].pmu, ($v.tma_retiring, $v.tma_bad_speculation, $v.tma_frontend_bound,
			$v.tma_backend_bound | tenths)] | join(" ")' rows.json >shares
	while read -r id values; do
		want[$id]=$values
	done <shares
}

# table: the rows of CPUs in it, as they are in the window
table() {
	local row inside=''

	table=()
	look
	for row in "${rows[@]}"; do
		[[ -z $inside || ! $row =~ CPU[0-9]$ ]] || table+=("$row")
		[[ $row != *LOST%* ]] || inside=yes
	done
}

same_values() {
	local key

	[ "${#got[@]}" = "${#want[@]}" ] || return 1
	for key in "${!want[@]}"; do
		[ "${got[$key]-}" = "${want[$key]}" ] || return 1
	done
}

# has_rows: with the values wanted, and in the order of the lost slots, most first
has_rows() {
	local row words before=1000

	got=()
	table
	for row in "${table[@]}"; do
		read -ra words <<<"${row//\*/}"
		got[${words[-1]}]="${words[-2]} ${words[*]:1:4}"
		[ "${words[0]/./}" -le "$before" ] || return 1
		before=${words[0]/./}
	done
	same_values
}

# has_bars: of each PMU; the values wanted are on the line below its bar
has_bars() {
	local row words pmu=''

	got=()
	look
	for row in "${rows[@]}"; do
		if [ -n "$pmu" ]; then
			row=${row//\*/}
			read -ra words <<<"${row//[^0-9. ]/}"
			got[$pmu]="$pmu ${words[*]:0:4}"
			pmu=
		fi
		[[ ! $row =~ ^(cpu_[a-z]+)\ .*\[R+S ]] || pmu=${BASH_REMATCH[1]}
	done
	same_values
}

# has_cpus "CPU1 CPU0": these, in their order
has_cpus() {
	table
	table=("${table[@]##* }")
	[ "${table[*]}" = "$1" ]
}

@test "rows and bars are the values of the last interval of report" {
	open 120 30
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	values "$data/alderlake.jsonl" -A
	assert_equal "${#want[@]}" 8
	until_ has_rows
	values "$data/alderlake.jsonl"
	assert_equal "${#want[@]}" 2
	until_ has_bars
}

@test "keys: order, filter, trees, meanings, help" {
	open 100 30
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	press N
	shows 'CPUv'
	until_ has_cpus 'CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7'
	press I
	shows 'CPU\^'
	until_ has_cpus 'CPU7 CPU6 CPU5 CPU4 CPU3 CPU2 CPU1 CPU0'
	press / a t o m Enter
	shows 'filter: atom \(4 hidden\)'
	until_ has_cpus 'CPU7 CPU6 CPU5 CPU4'
	press Down Enter
	shows '^CPU6 cpu_atom'
	shows ' backend_bound  '
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

# has_processes NAME...: the rows of the table are those of these processes, in their order
has_processes() {
	local row inside='' names=()

	look
	for row in "${rows[@]}"; do
		[[ -z $inside || ! $row =~ [0-9]\ +(([a-z0-9_]+ [0-9.]+ )? *)([^ ]+)$ ]] || names+=("${BASH_REMATCH[3]%-[0-9]*}")
		[[ $row != *LOST%* ]] || inside=yes
	done
	[ "${names[*]}" = "$*" ]
}

@test "processes: most loss first, idle CPUs last, each with its node and its tree" {
	open 120 24
	top "$data/processes-2.jsonl -I 100"
	shows ' END'
	shows ' PROCESS$'
	until_ has_processes parser server hash-join compress tdstat '(idle)'
	on_screen '41\.0\* .* branch_mispredicts 36\.9 parser-225$'
	on_screen '68\.7\* memory_bound 60\.7 +hash-join-224$'
	press N
	until_ has_processes compress hash-join parser server tdstat '(idle)'
	press L Enter
	shows '^parser-225 cpu, 99\.9 % of a CPU'
	shows '^ +branch_mispredicts +36\.9 %\*'
	press Escape
	shows 'LOST%'
	# it was compiled in the interval before, and then ended
	press b
	shows FROZEN
	until_ has_processes parser server hash-join compress tdstat cc sh '(idle)'
	press f
	until_ has_processes parser server hash-join compress tdstat '(idle)'
	press H
	shows 'was recorded with --per-process'
	on_screen '^3\.0 s '
	press C
	shows 'this recording shows only the rows that it was made with'
	press u
	shows 'was recorded without it'
	on_screen '^3\.0 s '
	press h
	shows '^ H +processes, threads, CPUs in turn'
	press q q
	ended 0
}

@test "users: most loss first, with their whole names" {
	open 100 24
	top "$data/users.jsonl -I 100"
	shows ' END'
	shows ' USER$'
	on_screen ' systemd-network$'
	on_screen ' _apt$'
	press H
	shows 'was recorded with --per-user'
	press q
	ended 0
}

@test "keys that restart counting: rows, levels, times; a message if that is not possible" {
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
	shows 'has counts per CPU, not per thread'
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
	values two.jsonl -A
	until_ has_rows
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
	top "$data/alderlake-timeline.jsonl"
	shows ' END'
	shows 'memory_bound'
	mux resize-window -x 40 -y 12
	shows 'hidden: '
	mux resize-window -x 20 -y 6
	shows '^cpu_core'
	mux resize-window -x 1 -y 1
	mux resize-window -x 200 -y 60
	shows 'WORST NODE'
	mux resize-window -x 80 -y 24
	hides 'WORST NODE'
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

@test "each signal ends top and restores the terminal; no process or file is left" {
	open 80 24
	for signal in TERM INT HUP QUIT; do
		top "$data/alderlake.jsonl -I 100"
		shows ' END'
		pid
		kill -"$signal" "$pid"
		ended 0
		hides LOST%
	done
}

@test "^C and ^\\ also end top, even before the first values" {
	open 80 24
	for key in C-c "C-\\"; do
		top "$data/alderlake.jsonl -I 60s"
		shows 'PLAYED'
		press "$key"
		ended 0
		hides PLAYED
	done
}

@test "a crash leaves no broken terminal" {
	[[ $TDSTAT != */san/* && $TDSTAT != */valgrind/* ]] || skip "they have handlers of their own"
	ulimit -c 0
	open 80 24
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	pid
	kill -SEGV "$pid"
	ended 139
	hides LOST%
}

@test "a terminal that is closed ends it" {
	# The leak checker of SAN=1 stops its process by SIGSTOP, and waits for that; the
	# SIGCONT that follows the terminal's SIGHUP takes the SIGSTOP away.
	export ASAN_OPTIONS=detect_leaks=0
	open 80 24
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	pid
	close
	# a zombie is its new parent's business
	wait_for has_ended "$pid" || {
		kill -9 "$pid"
		fail "it still ran"
	}
}

@test "a terminal that is closed without a signal ends it" {
	# not the terminal of a session, so that no process gets a signal
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
		    sys.exit(process.wait(timeout=float(os.environ["TD_HANGS"])))
		finally:
		    process.kill()
	SCRIPT
	within python3 closed.py "$TDSTAT" top "$data/alderlake.jsonl" -I 100
}

@test "messages come when the screen has gone" {
	mapfile -tn 4 lines <"$data/alderlake.jsonl"
	printf '%s\n' "${lines[@]}" >cut.jsonl
	open 90 24
	top cut.jsonl -I 100
	shows '1 messages? at the end'
	off_screen 'no end line'
	press q
	ended 0
	shows '^tdstat: cut.jsonl: no end line: the recording was interrupted'
	hides LOST%
}

@test "names cannot write to the terminal" {
	text=$(<"$data/alderlake.jsonl")
	evil=${text/'"target":"system wide"'/'"target":"sh \u001b[31m\u0007\nx"'}
	[ "$evil" != "$text" ]
	printf '%s\n' "$evil" >evil.jsonl
	open 120 24
	top evil.jsonl -I 100
	shows 'sh \\x1b\[31m\\x07\\x0ax'
	press q
	ended 0
}

# has_colours: the letters of the window, or their background, have colours
has_colours() {
	look -e
	[[ ${rows[*]} =~ $'\e['[0-9\;]*[34][0-7]m ]]
}

@test "without colours, and without UTF-8" {
	open 80 24
	press 'export NO_COLOR=1' Enter
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	shows '\[R+S+F+B+\]'
	! has_colours || fail "colours"
	press q
	ended 0
	press 'unset NO_COLOR; export LC_ALL=C' Enter
	top "$data/alderlake.jsonl -I 100"
	shows ' END'
	until_ has_colours
	press q
	ended 0
}

# types COMMAND: on an empty screen
types() {
	press "printf '\\033[H\\033[2J'; echo clean" Enter
	shows '^clean'
	hides tdstat
	press "$1" Enter
}

@test "without a terminal: an error with the remedy" {
	open 120 24
	for how in '</dev/null' '>out' '| cat'; do
		types "'$TDSTAT' top $how"
		shows '^(\$ )?tdstat: top: standard (in|out)put is not a terminal'
		shows '^tdstat: without a terminal use: tdstat -a -I 1s'
	done
	types "TERM=nosuch '$TDSTAT' top"
	shows '^(\$ )?tdstat: top: TERM is nosuch: no such terminal is known'
	types "TERM=dumb '$TDSTAT' top"
	shows '^(\$ )?tdstat: top: TERM is dumb: its cursor cannot be moved'
	types "TERM= '$TDSTAT' top"
	shows '^(\$ )?tdstat: top: TERM is not set'
	try "$TDSTAT" top "$data/alderlake.jsonl" </dev/null
	assert_equal "${stderr_lines[1]}" "tdstat: without a terminal use: tdstat report $data/alderlake.jsonl"
}

@test "recordings that cannot be played" {
	needs_wing import
	open 120 24
	press "'$TDSTAT' top nosuch.jsonl" Enter
	# the shell's prompt may follow the keys
	shows '^(. )?tdstat: nosuch.jsonl: No such file'
	press "'$TDSTAT' top '$data/perf-6.12-cpu.csv'" Enter
	shows 'has events and no tree'
	try "$TDSTAT" top a.jsonl b.jsonl
	assert_failure 64
	assert_equal "${stderr_lines[1]}" 'tdstat: for a running process: tdstat top -p PID'
	try "$TDSTAT" top a.jsonl -p 1
	assert_failure 64
}

@test "--dry-run needs no terminal" {
	saved alderlake
	try "$TDSTAT" top --dry-run
	assert_success
	assert_output --partial slots
	top=$output
	try "$TDSTAT" -a --per-process -I 1s -l 2 --dry-run
	assert_equal "$top" "$output"
	try "$TDSTAT" top --per-process --dry-run
	assert_equal "$top" "$output"
	try "$TDSTAT" top --per-user --dry-run -l 3
	assert_success
	top=$output
	try "$TDSTAT" -a --per-user -I 1s -l 3 --dry-run
	assert_equal "$top" "$output"
	try "$TDSTAT" top --dry-run -l auto
	top=$output
	try "$TDSTAT" -a -A -I 1s -l auto --dry-run
	assert_equal "$top" "$output"
}

# has_picture: the window has the lines of want, except for empty ones
has_picture() {
	local row shown=()

	look
	for row in "${rows[@]}"; do
		row=${row%"${row##*[! ]}"}
		[ -z "$row" ] || shown+=("$row")
	done
	[ "${shown[*]@Q}" = "${want_lines[*]@Q}" ]
}

@test "the picture of tdstat-top(1)" {
	open 80 15
	top "$data/processes-2.jsonl"
	shows ' END'
	mapfile -t want_lines < <(displays tdstat-top.1 DESCRIPTION)
	for line in "${!want_lines[@]}"; do
		[[ ${want_lines[line]} != '== '* && -n ${want_lines[line]} ]] || unset "want_lines[$line]"
	done
	[ ${#want_lines[@]} -gt 10 ]
	until_ has_picture
}
