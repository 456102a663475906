#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016,SC2034,SC2154 # awk programs; what bats reads, and what it sets
# What comes in between: the NMI watchdog, CPUs that come and go, a suspended
# machine, a clock that is set.
# machine: adl --no-halt

load helper

WATCHDOG=/proc/sys/kernel/nmi_watchdog
CPUS=/sys/devices/system/cpu
PM_TEST=/sys/power/pm_test

# Eight counters of a Core CPU, one of them in place of the cycles' own.
EIGHT=r1a8,r2a8,r3a8,r4a8,r1b1,r2b1,r3b1,r4b1

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	rm -f end rows
	cp "$WATCHDOG" watchdog
}

teardown() {
	[ "$TD_MACHINE" != here ] || return 0
	tidy_up
	wait
	cp watchdog "$WATCHDOG"
	[ ! -e "$PM_TEST" ] || echo none >"$PM_TEST"
	[ "$(cat $CPUS/cpu3/online)" = 1 ] || echo 1 >$CPUS/cpu3/online
}

# behind_rows NUMBER COMMAND...: when so many lines are in the file "rows"
behind_rows() {
	until [ -e rows ] && [ "$(wc -l <rows)" -ge "$1" ]; do sleep 0.02; done
	"${@:2}"
}

# Deadlines that passed meanwhile are no matter here.
said_nothing() {
	run ! grep -v -e 'intervals\? passed' -e '^$' <<<"$stderr"
}

# said_once TEXT: and nothing else
said_once() {
	[ "$(grep -cFx "tdstat: $1" <<<"$stderr")" -eq 1 ]
	stderr=$(grep -vFx "tdstat: $1" <<<"$stderr") || return 0
	said_nothing
}

# check_cycles FILE: each PMU's rate in each row; and nothing of the time is
# missing: what its four CPUs counted is all of it.
check_cycles() {
	awk -F, '
	$4 !~ /cycles/ { next }
	$2 ~ /</ { print; bad = 1; next }
	{ atom = $4 ~ /atom/; want = atom ? 2 : 3; rate = $2 / $5
	  if (rate < 0.95 * want || rate > 1.05 * want) { print; bad = 1 }
	  ran[atom] += $5 / 4e9; time = $1 }
	END { for (atom = 0; atom < 2; atom++)
		if (ran[atom] < 0.9 * time || ran[atom] > 1.1 * time) {
			print ran[atom] " of " time; bad = 1 }
		exit bad }' "$1"
}

# --- the NMI watchdog -------------------------------------------------------------------

@test "the NMI watchdog has a counter: levels 1 and 2, cycles, a group of eight, as without it" {
	for on in 1 0; do
		echo $on >$WATCHDOG
		for level in 1 2; do
			run -0 --separate-stderr "$TDSTAT" -a -l $level -x, --timeout 400
			[ -z "$stderr" ]
			printf '%s\n' "$output" >out
			rates check out --rows 1 --level $level
		done
		run -0 --separate-stderr "$TDSTAT" -a -I 300 --interval-count 2 -e cycles -x,
		[ -z "$stderr" ]
		printf '%s\n' "$output" >out
		check_cycles out
		run -0 --separate-stderr "$TDSTAT" -C 0-3 -e "{$EIGHT}" -x, --timeout 300
		[ -z "$stderr" ]
		[ "$(grep -c ',100.00,' <<<"$output")" -eq 8 ]
	done
}

@test "the NMI watchdog has the one that a group needs: not counted, and why" {
	echo 1 >$WATCHDOG
	run -0 --separate-stderr "$TDSTAT" -C 0-3 -e "{cycles,$EIGHT}" -x, --timeout 300
	[ "$(grep -c '^<not counted>,,.*,0,0.00,' <<<"$output")" -eq 9 ]
	[ "$(wc -l <<<"$output")" -eq 9 ]
	[ "$(grep -c "^tdstat: .*CPU(s) 0-3.*NMI watchdog (sysctl kernel.nmi_watchdog)" <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"nothing was counted: "* ]]
	# the rest is counted all the same
	run -0 --separate-stderr "$TDSTAT" -C 0-3 -e "{cycles,$EIGHT},cycles" -x, --timeout 300
	[ "$(grep -c '^<not counted>' <<<"$output")" -eq 9 ]
	[ "$(grep -cE '^[1-9][0-9]*,,cpu_core/cycles/' <<<"$output")" -eq 1 ]
	[[ $stderr != *"nothing was counted"* ]]
	echo 0 >$WATCHDOG
	run -0 --separate-stderr "$TDSTAT" -C 0-3 -e "{cycles,$EIGHT}" -x, --timeout 300
	[ -z "$stderr" ]
	[ "$(grep -c ',100.00,' <<<"$output")" -eq 9 ]
}

@test "the NMI watchdog has the one that a task's group needs: it is named, and not where the task ran" {
	named='the group of cpu_core/cycles/ was not counted: it needs the counter of cpu_core that the NMI watchdog has; '
	echo 1 >$WATCHDOG
	run -0 --separate-stderr taskset -c 0 "$TDSTAT" -e "{cpu_core/cycles/,$EIGHT}" -- sh -c "$WORK"
	[[ $stderr == *"tdstat: nothing was counted: the NMI watchdog has a counter that was needed"* ]]
	[ "$(grep -cF "tdstat: $named" <<<"$stderr")" -eq 1 ]
	[[ $stderr != *"no task ran on"* ]]
	# beside what is counted, on both kinds of core, and of a running process
	run -0 --separate-stderr taskset -c 0 "$TDSTAT" -e "{cpu_core/cycles/,$EIGHT},cycles" -- sh -c "$WORK"
	[ "$(grep -cF "tdstat: $named" <<<"$stderr")" -eq 1 ]
	[[ $stderr != *"nothing was counted"* ]]
	taskset -c 1 sh -c "$WORK_ON" 3>&- &
	pid=$!
	wait_for_file running
	run -0 --separate-stderr "$TDSTAT" -p $pid -e "{cpu_core/cycles/,$EIGHT}" --timeout 200
	[ "$(grep -cF "tdstat: $named" <<<"$stderr")" -eq 1 ]
	touch end
	run -0 --separate-stderr "$TDSTAT" -C 0-3 -e "{cycles,$EIGHT},cycles" -x, --timeout 300
	[ "$(grep -cF "tdstat: $named" <<<"$stderr")" -eq 1 ]
	# what it suggests: turns are taken
	run -0 --separate-stderr taskset -c 0 "$TDSTAT" -e "{cpu_core/cycles/,$EIGHT}:W" -x, -- sh -c "$WORK"
	[ "$(grep -cE '^[1-9][0-9]*,,cpu_core/' <<<"$stderr")" -eq 9 ]
	[[ $stderr != *watchdog* ]]
	# and a group that fits, of a task that is elsewhere, is nobody's fault
	run -0 --separate-stderr taskset -c 6 "$TDSTAT" -e cpu_core/cycles/ -- sh -c "$WORK"
	[[ $stderr == *"nothing was counted: no task ran on cpu_core, or somebody else held its counters"* ]]
	[[ $stderr == *"tdstat: taskset -c 0-3 runs the command on cpu_core"* ]]
	# most of the time it was elsewhere, too
	run -0 --separate-stderr "$TDSTAT" -e cpu_core/cycles/ -- sh -c 'taskset -c 0 true; taskset -c 6 sh -c "$1"' - "$WORK"
	[[ $stderr =~ "tdstat: this is of cpu_core alone, where the command ran for "[0-9.]+" % of its time: taskset -c 0-3 keeps it there" ]]
	run -0 --separate-stderr taskset -c 0 "$TDSTAT" -e cpu_core/cycles/ -- sh -c "$WORK"
	[[ $stderr != *"taskset -c"* ]]
	[[ $stderr != *watchdog* ]]
	echo 0 >$WATCHDOG
	run -0 --separate-stderr taskset -c 0 "$TDSTAT" -e "{cpu_core/cycles/,$EIGHT}" -x, -- sh -c "$WORK"
	[ "$(grep -c '^[1-9].*,100.00,' <<<"$stderr")" -eq 9 ]
	[[ $stderr != *watchdog* ]]
}

@test "the NMI watchdog is asked for, and left as it is" {
	for on in 1 0; do
		echo $on >$WATCHDOG
		"$TDSTAT" --dry-run -a >plan
		grep "NMI watchdog $([ $on = 1 ] && echo on || echo off)" plan
		"$TDSTAT" -a -l 3 --timeout 200 >out
		[ "$(cat $WATCHDOG)" -eq $on ]
	done
}

# --- a CPU that goes and comes back ---------------------------------------------------------

away_and_back() {
	echo 0 >$CPUS/cpu3/online
	sleep 0.5
	echo 1 >$CPUS/cpu3/online
}

# Leaves out what is said of deadlines that passed meanwhile.
without_deadlines() {
	mapfile -t stderr_lines < <(grep -v 'intervals\? passed' <<<"$stderr")
}

# cpus_of FILE: how many Core CPUs were counted in the first two rows, in the last
# four, and in all of them, from the time of their cycles; made up is none of these
cpus_of() {
	awk -F, '$4 ~ /core/ { rate = $2 / $5; n++; ns[n] = $5; time[n] = $1
		if (rate > 3.1) { print; bad = 1 } }
		END { for (i = 1; i <= n; i++) { all += ns[i] / 1e9
				if (i <= 2) first += ns[i] / 1e9
				if (i > n - 4) last += ns[i] / 1e9 }
			print first / time[2], last / (time[n] - time[n - 4]), all / time[n]
			exit bad }' "$1"
}

# said_of_cpu N: that it went, and that it is back
said_of_cpu() {
	without_deadlines
	[ "${#stderr_lines[@]}" -eq 2 ]
	[ "${stderr_lines[0]}" = "tdstat: CPU(s) $1 went offline: not counted until they are back" ]
	[[ ${stderr_lines[1]} =~ ^"tdstat: CPU(s) $1 were offline and are back: not counted from "[0-9.]+" to "[0-9.]+" seconds"$ ]]
}

@test "a CPU goes offline and comes back under -a -I: the CPUs' values, in each row" {
	behind_rows 4 away_and_back 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -I 300 --interval-count 12 -x, -o rows
	wait $!
	rates check rows --rows 12
	said_of_cpu 3
}

# gap_of_cpu3 FILE ROWS: its values, then none, then those of before
gap_of_cpu3() {
	[ "$(grep -c ',CPU3,' "$1")" -eq "$2" ]
	grep ',CPU3,' "$1" | grep -E ',CPU3,cpu_core,,,0.00,,,,,'
	awk -F, '$2 == "CPU3" { if ($8 == "") gap = 1; else if (gap) back++; else before++
			if ($8 == "" && back) bad = 1 }
		END { exit bad || before < 1 || back < 2 }' "$1"
	grep ',CPU3,' "$1" | tail -n 1 >last
	awk -F, '$8 < 24.9 || $8 > 25.3 || $4 < 50 { exit 1 }' last
}

# The kernel opens none of its counters again by itself.
@test "a CPU goes offline and comes back under -A -I: a gap in its values" {
	behind_rows 17 away_and_back 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -A -I 300 --interval-count 12 -x, -o rows
	wait $!
	grep -v ',CPU3,' rows >others
	rates check others --rows 12 --per-cpu --cpus 0-2,4-7
	gap_of_cpu3 rows 12
	said_of_cpu 3
}

away_for_a_moment() {
	echo 0 >$CPUS/cpu3/online
	echo 1 >$CPUS/cpu3/online
}

@test "a CPU goes offline and comes back within an interval, as all but one do in a suspend" {
	behind_rows 17 away_for_a_moment 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -A -I 500 --interval-count 8 -x, -o rows
	wait $!
	grep -v ',CPU3,' rows >others
	rates check others --rows 8 --per-cpu --cpus 0-2,4-7
	awk -F, '$2 == "CPU3" { empty += $8 == ""; n++ } END { exit n != 8 || empty > 1 }' rows
	[[ $stderr == *"CPU(s) 3 were offline and are back"* ]]
}

@test "a CPU comes back while groups take turns: pinned and others count on it again" {
	behind_rows 17 away_and_back 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -A -l 3 -I 400 --interval-count 10 -x, -o rows
	wait $!
	gap_of_cpu3 rows 10
	# what is counted on CPU 2 is counted on CPU 3, but for an unlucky turn
	awk -F, '$2 == "CPU2" || $2 == "CPU3" { n = 0; for (i = 8; i <= NF - 14; i++) n += $i != ""; if (n > had[$2]) had[$2] = n }
		END { print had["CPU2"], had["CPU3"]; exit !had["CPU3"] || had["CPU3"] < 0.8 * had["CPU2"] }' rows
	said_of_cpu 3
}

@test "a CPU comes back under -l auto, without rows: deeper levels go on" {
	(sleep 1.5 && away_and_back) 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -A -x, --timeout 5000 -o out
	wait $!
	said_of_cpu 3
	# in per cent of the time that CPU 3 was there, which is most of it
	awk -F, '$2 == "CPU3" { found = $8 > 24.5 && $8 < 25.7 } END { exit !found }' out
}

come() {
	echo 1 >$CPUS/cpu3/online
}

@test "a CPU that was offline at the start comes online under -a: its values from then on" {
	echo 0 >$CPUS/cpu3/online
	behind_rows 15 come 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -A -l 3 -I 400 --interval-count 8 -x, -o rows
	wait $!
	without_deadlines
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ ${stderr_lines[0]} =~ ^"tdstat: CPU(s) 3 came online: counted from "[0-9.]+" seconds on"$ ]]
	# not before, then in each row, and what is counted on CPU 2
	awk -F, '$2 == "CPU2" || $2 == "CPU3" { n = 0; for (i = 8; i <= NF - 14; i++) n += $i != ""; if (n > had[$2]) had[$2] = n; rows[$2]++ }
		END { print had["CPU2"], had["CPU3"], rows["CPU3"]
			exit !had["CPU3"] || had["CPU3"] < 0.8 * had["CPU2"] || rows["CPU3"] > 6 || rows["CPU3"] < 2 }' rows
	grep ',CPU3,' rows | tail -n 1 | grep -E ',CPU3,cpu_core,[0-9.]+,100.00,[0-9.]+,[0-9.]*,25\.[0-9]+,'
}

@test "a CPU that came online later goes and comes back" {
	echo 0 >$CPUS/cpu3/online
	(behind_rows 4 come && behind_rows 20 away_and_back) 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -I 300 --interval-count 24 -x, -e cycles,cpu-clock -o rows
	wait $!
	without_deadlines
	[ "${#stderr_lines[@]}" -eq 3 ]
	[[ ${stderr_lines[0]} == "tdstat: CPU(s) 3 came online: "* ]]
	[[ ${stderr_lines[2]} == "tdstat: CPU(s) 3 were offline and are back: "* ]]
	cpus_of rows | awk '{ print; exit $1 > 3.4 || $2 < 3.6 || $2 > 4.4 || $3 > 3.9 }'
}

@test "a CPU comes back while it is recorded: the recording has what the rows had" {
	behind_rows 17 away_and_back 3>&- &
	# what behind_rows waits for
	"$TDSTAT" -a -A -I 300 -x, -o rows --interval-count 12 2>/dev/null 3>&- &
	run -0 --separate-stderr "$TDSTAT" record -a -I 300 --interval-count 12 -o rec
	wait
	said_of_cpu 3
	"$TDSTAT" report rec -A -x, >rows
	gap_of_cpu3 rows 12
}

@test "a CPU goes offline and comes back under -a -I -e: counts without it, none that is made up" {
	behind_rows 4 away_and_back 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -I 300 --interval-count 14 -x, -e cycles -o rows
	wait $!
	# the rate holds for the CPUs that there were: four, then three, in the end four
	cpus_of rows | awk '{ print; exit $1 < 3.6 || $1 > 4.4 || $2 < 3.6 || $2 > 4.4 || $3 > 3.95 }'
	said_of_cpu 3
}

# --- time -------------------------------------------------------------------------------------

jump() {
	date -s '+1 hour'
	sleep 0.5
	date -s '-3 hours'
	sleep 0.5
	date -s '+2 hours'
}

@test "the clock is set, forth and back, in the middle of -I: no row minds" {
	behind_rows 4 jump >/dev/null 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -I 200 --interval-count 10 -x, -e cycles -o rows
	wait $!
	said_nothing
	[ "$(wc -l <rows)" -eq 20 ]
	# behind its deadline, and not by the next one's
	awk -F, 'NR % 2 { n++; if ($1 < 0.2 * n || $1 > 0.2 * n + 60) { print; exit 1 } }' rows
	check_cycles rows
}

# As far as this machine can be suspended: all processes are frozen, and with
# them we are.  A real suspend it survives, but its disk (9p) does not.
suspend() {
	date +%s.%N >asleep
	echo freeze >/sys/power/state
	date +%s.%N >awake
}

@test "suspended in the middle of -I: one row has that time, none is made up for it" {
	grep -q freezer $PM_TEST || skip "this kernel cannot test its freezer"
	echo freezer >$PM_TEST
	echo 2 >/sys/module/suspend/parameters/pm_test_delay
	behind_rows 4 suspend 3>&- &
	run -0 --separate-stderr "$TDSTAT" -a -I 200 --interval-count 8 -x, -e cycles -o rows
	wait $!
	[ "$(wc -l <rows)" -eq 16 ]
	slept=$(echo "$(cat awake) - $(cat asleep)" | bc)
	# one row is as long as that, and the deadlines behind it are where they were
	awk -F, -v slept="$slept" 'NR % 2 { length_ = $1 - time; time = $1
		if (length_ > 0.8 * slept && length_ > 1) { long++; next }
		late = $1 / 0.2 - int($1 / 0.2 + 0.001)
		if (late > 0.9) { print; bad = 1 } }
		END { exit bad || long != 1 || time < slept }' rows
	check_cycles rows
}
