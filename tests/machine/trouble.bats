#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016,SC2034,SC2154 # awk programs; what bats reads, and what it sets
# Interruptions: the NMI watchdog, CPUs that go offline and come back, a suspended machine,
# a clock that is set.
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

# Notes about missed deadlines are ignored here.
said_nothing() {
	run ! grep -v -e 'intervals\? passed' -e '^$' <<<"$stderr"
}

# said_once TEXT: and nothing else
said_once() {
	[ "$(grep -cFx "tdstat: $1" <<<"$stderr")" -eq 1 ]
	stderr=$(grep -vFx "tdstat: $1" <<<"$stderr") || return 0
	said_nothing
}

# check_cycles FILE: check each PMU's rate, and that no time is missing: the sum over its
# four CPUs is complete.  A busy host may stop a CPU between the kernel's reads of the clock
# and of its counter, which shifts single rows; invented counts would be larger.
check_cycles() {
	awk -F, '
	$4 !~ /cycles/ { next }
	$2 ~ /</ { print; bad = 1; next }
	{ atom = $4 ~ /atom/; want = atom ? 2 : 3; rate = $2 / $5
	  if (rate < 0.3 * want || rate > 3 * want) { print; bad = 1 }
	  cycles[atom] += $2; ran[atom] += $5; time = $1 }
	END { for (atom = 0; atom < 2; atom++) {
			rate = cycles[atom] / ran[atom] / (atom ? 2 : 3)
			all = ran[atom] / 4e9 / time
			if (rate < 0.9 || rate > 1.1 || all < 0.85 || all > 1.15) {
				print rate, all; bad = 1 } }
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
		# long enough that a CPU that a busy host delays does not lack time
		run -0 --separate-stderr "$TDSTAT" -a -I 300 --interval-count 8 -e cycles -x, -o out
		said_nothing
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
	# the other events are counted nevertheless
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
	# with other counts, on both core types, and for a running process
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
	# the suggestion: multiplexing
	run -0 --separate-stderr taskset -c 0 "$TDSTAT" -e "{cpu_core/cycles/,$EIGHT}:W" -x, -- sh -c "$WORK"
	[ "$(grep -cE '^[1-9][0-9]*,,cpu_core/' <<<"$stderr")" -eq 9 ]
	[[ $stderr != *watchdog* ]]
	# a group that fits, of a task that runs elsewhere, is not an error
	run -0 --separate-stderr taskset -c 6 "$TDSTAT" -e cpu_core/cycles/ -- sh -c "$WORK"
	[[ $stderr == *"nothing was counted: no task ran on cpu_core, or another program held its counters"* ]]
	[[ $stderr == *"tdstat: taskset -c 0-3 runs the command on cpu_core"* ]]
	# most of the time it was elsewhere, too
	run -0 --separate-stderr "$TDSTAT" -e cpu_core/cycles/ -- sh -c 'taskset -c 0 true; taskset -c 6 sh -c "$1"' - "$WORK"
	[[ $stderr =~ "tdstat: only cpu_core was measured, where the command ran for "[0-9.]+" % of its time; taskset -c 0-3 keeps it there" ]]
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

# The test waits for rows, because a busy host may take long to switch a CPU off or on; then
# it ends the counting.

# count LINES OPTION...: count in the background, with rows in the file "rows", and return
# after LINES of them
count() {
	env --default-signal=INT "$TDSTAT" "${@:2}" -x, -o rows 2>said 3>&- &
	counting=$!
	wait_for has_lines rows "$1"
}

# more LINES: than there are now
more() {
	local now

	mapfile -t now <rows
	wait_for has_lines rows $((${#now[@]} + $1))
}

# without_last FILE: the last row of each was cut short
without_last() {
	local last

	last=$(tail -n 1 "$1")
	sed -i "/^${last%%,*},/d" "$1"
}

stop() {
	kill -INT "$counting"
	wait "$counting"
	without_last rows
	stderr=$(<said)
}

# away_and_back [LINES [SECONDS]]: take a CPU offline until LINES more were printed and
# SECONDS have passed
away_and_back() {
	echo 0 >$CPUS/cpu3/online
	wait_for has_text said 'CPU\(s\) 3 went offline'
	[ -z "${1-}" ] || more "$1"
	[ -z "${2-}" ] || pause "$2"
	echo 1 >$CPUS/cpu3/online
	wait_for has_text said 'CPU\(s\) 3 were offline and are back'
}

# Remove the notes about missed deadlines.
without_deadlines() {
	mapfile -t stderr_lines < <(grep -v 'intervals\? passed' <<<"$stderr")
}

# gone: print for how many seconds the CPU was offline, according to the notes
gone() {
	sed -nE 's/.* came online: counted starting at ([0-9.]+) seconds$/\1 0/p
		s/.* not counted from ([0-9.]+) to ([0-9.]+) seconds$/\2 \1/p' said |
		awk '{ sum += $1 - $2 } END { print sum }'
}

# lacks_cpu FILE: the Core CPUs were counted for as long as the Atom ones, but for what one
# was gone, and nothing is made up for that
lacks_cpu() {
	awk -F, -v gone="$(gone)" '
		$4 ~ /core.cycles/ { core += $5 / 1e9; if ($2 > 4 * $5) { print; bad = 1 } }
		$4 ~ /atom.cycles/ { atom += $5 / 1e9 }
		END { print core, atom, gone
			exit bad || atom - core < 0.5 * gone || atom - core > 1.5 * gone }' "$1"
}

# said_of_cpu N: that it went, and that it is back
said_of_cpu() {
	without_deadlines
	[ "${#stderr_lines[@]}" -eq 2 ]
	[ "${stderr_lines[0]}" = "tdstat: CPU(s) $1 went offline: not counted until they are back" ]
	[[ ${stderr_lines[1]} =~ ^"tdstat: CPU(s) $1 were offline and are back: not counted from "[0-9.]+" to "[0-9.]+" seconds"$ ]]
}

@test "a CPU goes offline and comes back under -a -I: the CPUs' values, in each row" {
	count 5 -a -I 300
	away_and_back 4
	more 6
	stop
	rates check rows
	said_of_cpu 3
}

# gap_of_cpu3 FILE: it has as many rows as the others; values, then none, then those of before
gap_of_cpu3() {
	[ "$(grep -c ',CPU3,' "$1")" -eq "$(grep -c ',CPU2,' "$1")" ]
	grep ',CPU3,' "$1" | grep -E ',CPU3,cpu_core,,,0.00,,,,,'
	# all of the time, at least once: on a busy host some rows come late
	awk -F, '$2 == "CPU3" { if ($8 == "") gap = 1; else if (gap) { back++; if ($4 > 50) busy = 1 } else before++
			if ($8 == "" && back) bad = 1
			last = $8 }
		END { print bad + 0, before, back, busy, last
			exit bad || before < 1 || back < 2 || !busy || last < 24.9 || last > 25.3 }' "$1"
}

# The kernel opens none of its counters again by itself.
@test "a CPU goes offline and comes back under -A -I: a gap in its values" {
	count 17 -a -A -I 300
	away_and_back 16
	more 32
	stop
	grep -v ',CPU3,' rows >others
	rates check others --per-cpu --cpus 0-2,4-7
	gap_of_cpu3 rows
	said_of_cpu 3
}

@test "a CPU goes offline and comes back within an interval, as all but one do in a suspend" {
	count 17 -a -A -I 500
	echo 0 >$CPUS/cpu3/online
	echo 1 >$CPUS/cpu3/online
	wait_for has_text said 'CPU\(s\) 3 were offline and are back'
	more 24
	stop
	grep -v ',CPU3,' rows >others
	rates check others --per-cpu --cpus 0-2,4-7
	# where the host takes longer for it, that is more than one interval
	awk -F, -v gone="$(gone)" '$2 == "CPU2" { all++ } $2 == "CPU3" { empty += $8 == ""; n++ }
		END { print n, empty, gone; exit n != all || empty > 1 + gone / 0.5 }' rows
}

# as_on_cpu2 ROWS: in ROWS of the last rows, CPU 3 had the nodes of CPU 2, unless a turn was
# unlucky
as_on_cpu2() {
	for cpu in 2 3; do
		grep ",CPU$cpu," rows | tail -n "$1"
	done | awk -F, '{ n = 0; for (i = 8; i <= NF - 14; i++) n += $i != ""; if (n > had[$2]) had[$2] = n }
		END { print had["CPU2"], had["CPU3"]; exit !had["CPU3"] || had["CPU3"] < 0.8 * had["CPU2"] }'
}

@test "a CPU comes back while groups take turns: pinned and others count on it again" {
	count 17 -a -A -l 3 -I 400
	away_and_back 16
	more 48
	stop
	gap_of_cpu3 rows
	as_on_cpu2 3
	said_of_cpu 3
}

@test "a CPU comes back under -l auto, without rows: deeper levels go on" {
	env --default-signal=INT "$TDSTAT" -a -A -x, -o out 2>said 3>&- &
	counting=$!
	counts_for 1 $counting
	away_and_back
	pause 2
	kill -INT $counting
	wait $counting
	stderr=$(<said)
	said_of_cpu 3
	# in per cent of the time that CPU 3 was there
	awk -F, '$2 == "CPU3" { found = $8 > 24.5 && $8 < 25.7 } END { exit !found }' out
}

come() {
	echo 1 >$CPUS/cpu3/online
	wait_for has_text said 'CPU\(s\) 3 came online'
}

@test "a CPU that was offline at the start comes online under -a: its values from then on" {
	echo 0 >$CPUS/cpu3/online
	count 15 -a -A -l 3 -I 400
	come
	more 40
	stop
	without_deadlines
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ ${stderr_lines[0]} =~ ^"tdstat: CPU(s) 3 came online: counted starting at "[0-9.]+" seconds"$ ]]
	# not before, then in each row, with the counts of CPU 2
	run ! grep ',CPU3,' <(head -n 15 rows)
	[ "$(grep -c ',CPU3,' rows)" -ge 3 ]
	as_on_cpu2 3
	grep ',CPU3,' rows | tail -n 1 | grep -E ',CPU3,cpu_core,[0-9.]+,100.00,[0-9.]+,[0-9.]*,25\.[0-9]+,'
}

@test "a CPU that came online later goes and comes back" {
	echo 0 >$CPUS/cpu3/online
	count 6 -a -I 300 -e cycles,cpu-clock
	come
	more 6
	away_and_back 6 2
	# as long again, in which it is counted
	more 24
	stop
	without_deadlines
	[ "${#stderr_lines[@]}" -eq 3 ]
	[[ ${stderr_lines[0]} == "tdstat: CPU(s) 3 came online: "* ]]
	[[ ${stderr_lines[2]} == "tdstat: CPU(s) 3 were offline and are back: "* ]]
	lacks_cpu rows
}

@test "a CPU comes back during record: the recording has the counts of the rows" {
	env --default-signal=INT "$TDSTAT" record -a -I 300 -x, -o rec >rows 2>said 3>&- &
	counting=$!
	wait_for has_lines rows 5
	away_and_back 4
	more 8
	stop
	said_of_cpu 3
	"$TDSTAT" report rec -A -x, >rows
	without_last rows
	gap_of_cpu3 rows
}

@test "a CPU goes offline and comes back under -a -I -e: only real counts are shown" {
	count 4 -a -I 300 -e cycles
	away_and_back 4 2
	# as long again, in which it is counted
	more 16
	stop
	lacks_cpu rows
	said_of_cpu 3
}

# --- time -------------------------------------------------------------------------------------

@test "the clock is set, forth and back, in the middle of -I: no row minds" {
	count 4 -a -I 200 -e cycles
	for jump in '+1 hour' '-3 hours' '+2 hours'; do
		date -s "$jump"
		more 6
	done
	stop
	said_nothing
	# after its deadline, and before the next one
	awk -F, 'NR % 2 { n++; if ($1 < 0.2 * n || $1 > 0.2 * n + 60) { print; exit 1 } } END { exit n < 10 }' rows
	check_cycles rows
}

# As far as this machine can be suspended: all processes are frozen, and with
# them we are.  A real suspend it survives, but its disk (9p) does not.
@test "suspended in the middle of -I: one row has that time, and no row is invented" {
	grep -q freezer $PM_TEST || skip "this kernel cannot test its freezer"
	echo freezer >$PM_TEST
	echo 2 >/sys/module/suspend/parameters/pm_test_delay
	count 4 -a -I 200 -e cycles
	echo freeze >/sys/power/state
	more 8
	stop
	# one row has that length, and later deadlines are at their old times; those in
	# between have no row.  A busy host may read a row just before the next deadline.
	awk -F, 'NR % 2 { length_ = $1 - time; time = $1
		if (length_ > 1.9) long++
		late = $1 / 0.2 - int($1 / 0.2 + 0.001)
		if (late > 0.9) { print; bad++ } }
		END { print NR / 2, time; exit bad > NR / 8 || !long || NR / 2 > (time - 1.9) / 0.2 + 2 }' rows
	check_cycles rows
}
