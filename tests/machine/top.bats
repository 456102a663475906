#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: top
# shellcheck disable=SC2154 # helper.bash
# tdstat top on a terminal, with programs that play known scenarios (act.c).
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth

load helper

ROOT=$BATS_TEST_DIRNAME/../..
ACT=$ROOT/build/emulator/act
KERNEL=/proc/sys/kernel
TRUTH=$ROOT/tests/emulator/scenarios/alderlake.truth

setup() {
	emulated
	command -v tmux >/dev/null || skip "no tmux here"
	cd "$BATS_TEST_TMPDIR" || return
	unset TMUX
	export LC_ALL=C.UTF-8
}

teardown() {
	[ -n "$BATS_TEST_COMPLETED" ] || look || true
	mux kill-server 2>/dev/null || true
	[ ! -e perf_event_paranoid ] || cp perf_event_* "$KERNEL/"
	tidy_up
}

mux() { within tmux -L "top$BATS_TEST_NUMBER" -f /dev/null "$@"; }
press() { mux send-keys "$@"; }
look() { mux capture-pane -p; }

seen() {
	look | grep -qE -e "$1"
}

# shows PATTERN: sooner or later
shows() {
	wait_for seen "$1"
}

# top [ARG...]: in a window; its status goes to a file
top() {
	mux new-session -d -x 120 -y 30 sh -c '"$@" 2>err; echo $? >status' sh "$TDSTAT" top "$@" 3>&- 4>&-
}

# ended: with status 0, and without a word but of what a busy host has missed
ended() {
	wait_for_file status
	[ "$(cat status)" -eq 0 ]
	# on a busy host, a group may wait for counters for a second, and tdstat for a CPU
	run ! grep -v -e '(tdstat or the machine was stopped or overloaded)' -e 'had no counters, because' \
		-e 'time is in no row, because' err
}

# plays CPU SCENARIO: until the test ends
plays() {
	taskset -c "$1" "$ACT" 3600s:"$2" 3>&- 4>&- &
}

# line PATTERN: the numbers of its first line in the table
line() {
	look | sed -n '/LOST%/,$p' | tr -d '*' | grep -m 1 -E -e "$1"
}

# is_played SCENARIO R S F B: what P-cores have in it, within 3 points
is_played() {
	awk -v scenario="$1" -v r="$2" -v s="$3" -v f="$4" -v b="$5" '
		function near(x, y) { return x - y < 3 && y - x < 3 }
		$1 == "scenario" { on = $2 == scenario }
		on && $1 == "kind" { core = $2 == "core" }
		on && core && $1 == "metrics" {
			found++
			print "wanted: " $0 ", shown: " r, s, f, b
			good = near(r, $2) && near(s, $3) && near(f, $4) && near(b, $5)
		}
		END { exit !(found == 1 && good) }' "$TRUTH"
}

@test "the CPU that loses most is the first, with its shares, and the path is its" {
	plays 1 dram_latency
	top -A -l 2
	shows '^Bottleneck: cpu_core: backend_bound .*> memory_bound'
	shows '^ .* cpu_core +CPU1$'
	[[ "$(look | sed -n '/LOST%/{n;p;}')" == *CPU1 ]]
	shows '^CPU0  .. B[67] '
	# lost, busy, GHz and IPC precede the shares
	# shellcheck disable=SC2046
	is_played dram_latency $(line 'CPU1$' | awk '{ print $5, $6, $7, $8 }')
	busy=$(line 'CPU1$' | awk '{ print int($2) }')
	[ "$busy" -gt 50 ]
	# there is nothing to go back to
	press b
	shows 'b and f are for recordings'
	press q
	ended
}

@test "processes: the one that loses most is the first, with its node; those that end go" {
	plays 1 dram_latency
	act=$!
	ln -s "$ACT" short
	taskset -c 0 ./short -w end 3600s:ports 3>&- 4>&- &
	top
	shows ' PROCESS$'
	first() { [[ "$(look | sed -n '/LOST%/{n;p;}')" == *" memory_bound "*" cpu_core  "*" act-$act" ]]; }
	wait_for first
	# shellcheck disable=SC2046
	is_played dram_latency $(line "act-$act\$" | grep -oE '( +[0-9.]+){4} +memory_bound')
	shows " core_bound [0-9.]+ +cpu_core +short-$!$"
	touch end
	gone() { seen LOST% && ! seen ' short-'; }
	wait_for gone
	press Enter
	shows "^act-$act cpu_core, .* of a CPU"
	shows '^ +memory_bound +[56][0-9]\.[0-9] %'
	press Escape H
	shows ' THREAD$'
	shows " act-$act$"
	press H
	shows ' CPU1$'
	press H
	shows " act-$act$"
	press u
	shows ' USER$'
	shows ' root$'
	press u
	shows ' PROCESS$'
	shows " act-$act$"
	press 3
	shows 'level 3'
	shows " act-$act$"
	press a
	shows 'rows are CPUs now: level auto needs them'
	shows ' CPU1$'
	press q
	ended
}

@test "cgroups: a key shows them all; another one, or auto, shows no cgroups" {
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
	# the kernel's perf_event controller follows any other one
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p /sys/fs/cgroup/slow/service
	plays 1 dram_latency
	echo $! >/sys/fs/cgroup/slow/service/cgroup.procs
	top
	shows ' PROCESS$'
	press C
	shows ' CGROUP$'
	shows ' memory_bound +[0-9.]+ +cpu_core +slow/service$'
	shows ' slow$'
	press C
	shows ' PROCESS$'
	press C
	shows ' slow$'
	mkdir /sys/fs/cgroup/slow/job
	ln -s "$ACT" job
	taskset -c 0 ./job -w end 3600s:ports 3>&- 4>&- &
	echo $! >/sys/fs/cgroup/slow/job/cgroup.procs
	shows ' core_bound +[0-9.]+ +cpu_core +slow/job$'
	touch end
	wait $!
	rmdir /sys/fs/cgroup/slow/job
	has_left() { seen ' slow$' && ! seen ' slow/job$'; }
	wait_for has_left
	press H
	shows ' PROCESS$'
	press C
	shows ' slow$'
	press a
	shows 'rows are CPUs now: level auto needs them'
	shows ' CPU1$'
	press C
	shows ' slow$'
	press q
	ended
}

@test "without the right to count CPUs at switches there is a row per CPU" {
	# rings of samples need memory, counters do not
	for file in perf_event_paranoid perf_event_mlock_kb; do
		cp "$KERNEL/$file" .
		echo 0 >"$KERNEL/$file"
	done
	mux new-session -d -x 120 -y 30 sh -c '"$@" 2>err; echo $? >status' sh \
		setpriv --reuid nobody --regid nogroup --clear-groups \
		prlimit --memlock=0 "$TDSTAT" top -l 1 3>&- 4>&-
	shows ' CPU1$'
	# H skips processes now; the threads of others may not be counted either
	press H
	shows 'this user may not count processes'
	shows ' CPU1$'
	press u
	shows 'users have no rows here, because processes have none'
	press C
	shows 'cgroups have no rows here, because processes have none'
	shows ' CPU1$'
	press q
	ended
}

@test "threads of a process: each has its own shares; keys count others" {
	taskset -c 0-1 "$ACT" -n 2 3600s:icache,dram_latency 3>&- 4>&- &
	pid=$!
	both_run() { [ "$(find /proc/$pid/task -mindepth 1 -maxdepth 1 | wc -l)" -ge 2 ]; }
	wait_for both_run
	top -p "$pid" -l 1
	shows 'LOST%.* THREAD'
	shows ' act-[0-9]+$'
	press B
	shows 'B%v'
	# both scenarios, the backend's first
	in_order() {
		look | sed -n '/LOST%/,$p' | tr -d '*' | grep -E 'act-[0-9]+$' |
			awk '{ b[NR] = $8; f[NR] = $7 } END { exit !(NR >= 2 && b[1] > 60 && f[NR] > 35) }'
	}
	wait_for in_order
	press 2
	shows 'level 2'
	shows 'memory_bound'
	press Enter
	shows '^act-[0-9]+ cpu_'
	press q
	ended
	kill "$pid"
}

@test "the whole machine by threads, then by cores; intervals of other lengths" {
	plays 0 ports
	top --per-thread -I 500ms -l 1
	shows ' act-[0-9]+$'
	press / a c t Enter
	shows 'filter: act \([0-9]+ hidden\)'
	press Escape H
	shows ' CPU0$'
	press c
	shows ' S0-D0-C0$'
	press +
	shows 'every 1 s'
	# it ends by a signal as by a key
	kill -TERM "$(pgrep -P "$(mux list-panes -F '#{pane_pid}')")"
	ended
}
