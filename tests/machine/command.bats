#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# A command on a hybrid machine: on one core type, on both, with children; its environment,
# and the effect of its end.
# machine: adl

load helper

@test "a command that never leaves an Atom CPU: cpu_core is not counted" {
	emulated
	taskset -c 5 "$TDSTAT" -x, -- sh -c "$WORK" 2>out
	rates check out --rows 1 --not-counted cpu_core
	taskset -c 5 "$TDSTAT" -j -- sh -c "$WORK" 2>out
	rates check out --rows 1 --not-counted cpu_core
	for level in "" "-l 1"; do
		# shellcheck disable=SC2086 # words
		taskset -c 5 "$TDSTAT" $level -- sh -c "$WORK" 2>out
		level_1 out >top
		rates check top --rows 1 --not-counted cpu_core
		grep -E '^ cpu_core, <not counted>: no task ran there$' out
	done
	# level 1
	diff top out
	taskset -c 5 "$TDSTAT" -I 200 -- sh -c "$WORK" 2>out
	rates check out --pmus cpu_atom
	grep '^# cpu_core has no row for intervals in which no task ran there$' out
}

@test "a command that never leaves a Core CPU: cpu_atom is not counted" {
	emulated
	taskset -c 2 "$TDSTAT" -l 2 -x, -- sh -c "$WORK" 2>out
	rates check out --rows 1 --level 2 --not-counted cpu_atom
}

@test "taskset puts the command on an Atom CPU" {
	emulated
	"$TDSTAT" -- taskset -c 5 sh -c "$WORK" 2>out
	# before taskset has done its work, the command may be anywhere
	share=$(sed -n 's/^ cpu_atom, \([0-9]*\)\.[0-9] % of the slots.*/\1/p' out)
	grep -q '^ cpu_core, <not counted>: no task ran there$' out || [ "$share" -ge 60 ]
	"$TDSTAT" -x, -- taskset -c 5 sh -c "$WORK" 2>out
	grep ',cpu_atom,' out >atom.rows
	{ head -n 1 out; cat atom.rows; } >atom
	rates check atom --rows 1 --pmus cpu_atom
}

@test "a command that moves from an Atom CPU to a Core CPU" {
	emulated
	cat >mover <<-EOS
		$WORK
		taskset -p -c 1 \$\$
		$WORK
	EOS
	taskset -c 5-6 "$TDSTAT" -x, -- sh mover 2>out >/dev/null
	rates check out --rows 1
	# each PMU in its time only
	taskset -c 5-6 "$TDSTAT" -I 100 -x, -- sh mover 2>out >/dev/null
	head -n 3 out | grep '^[0-9.]*,all,cpu_core,,,0.00,,,,,,'
	# the interval before the last one, which may be too short for a value
	tail -n 4 out | head -n 2 >whole
	grep '^[0-9.]*,all,cpu_atom,,,0.00,,,,,,' whole
	cut -d, -f2,3,8 whole | grep '^all,cpu_core,2[56]\.'
}

@test "children count, in the background too" {
	emulated
	cat >parent <<-EOS
		taskset -c 2 sh -c '$WORK' &
		wait
	EOS
	taskset -c 6 "$TDSTAT" -l 2 -x, -- sh parent 2>out
	rates check out --rows 1 --level 2
}

@test "the counts are the time on the CPU times the rate" {
	emulated
	cat >both <<-EOS
		taskset -c 2 sh -c '$WORK'
		taskset -c 6 sh -c '$WORK'
	EOS
	taskset -c 6 "$TDSTAT" record -o td.json -- sh both 2>out
	# value / running time: 18 slots and 2 cycles a ns, within 5 %
	jq -e -s '
		(.[0].events | map(.name)) as $names |
		(map(select(.counts))[0].counts | map({ name: $names[.[0]], rate: (.[3] / .[5]) })) as $rates |
		($rates | map(select(.name == "cpu_core/slots/")) | .[0].rate / 18 - 1 | fabs < 0.05)
		and ($rates | map(select(.name == "cpu_atom/cycles/")) | .[0].rate / 2 - 1 | fabs < 0.05)
	' td.json
}

@test "the command's output is its own, the result goes to standard error" {
	run -0 --separate-stderr "$TDSTAT" -- echo hello
	[ "$output" = hello ]
	[[ $stderr == *"Performance counter stats for 'echo hello':"* ]]
	[[ $stderr == *" seconds time elapsed"* ]]
	[[ $stderr == *" seconds user"* ]]
	[[ $stderr == *" seconds sys"* ]]
	run -0 --separate-stderr "$TDSTAT" -a --timeout 100
	[[ $output == *"Performance counter stats for 'system wide':"* ]]
	[ -z "$stderr" ]
}

@test "the exit status is the command's own" {
	run -3 --separate-stderr "$TDSTAT" -- sh -c 'exit 3'
	[[ $stderr == *tma_retiring* ]]
	# shellcheck disable=SC2016
	run -137 --separate-stderr "$TDSTAT" -- sh -c 'kill -9 $$'
	[[ $stderr == *tma_retiring* ]]
	run -3 --separate-stderr "$TDSTAT" -a -x, -- sh -c 'exit 3'
	[[ $stderr == *tma_retiring* ]]
}

@test "a command that is not there: 127; one that cannot be run: 126" {
	run -127 --separate-stderr "$TDSTAT" -- no-such-command
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "tdstat: no-such-command: "* ]]
	[ -z "$output" ]
	touch not-executable
	run -126 --separate-stderr "$TDSTAT" -- ./not-executable
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "tdstat: ./not-executable: "* ]]
	run -126 --separate-stderr "$TDSTAT" -- /
	[[ $stderr == "tdstat: /: "* ]]
}

@test "no descriptor of tdstat's in the command" {
	ls /proc/self/fd >without
	"$TDSTAT" -- ls /proc/self/fd 2>/dev/null >with
	diff without with
	"$TDSTAT" -I 100 -o result -- ls /proc/self/fd >with
	diff without with
	grep -q tma_retiring result
	"$TDSTAT" record -o td.json -a -- ls /proc/self/fd 2>/dev/null >with
	diff without with
}

@test "options after the command belong to the command" {
	run -0 --separate-stderr "$TDSTAT" -l 2 -x, echo -l 1 --dry-run -- -a
	[ "$output" = "-l 1 --dry-run -- -a" ]
	[[ $stderr == *tma_heavy_operations* ]]
	run -0 --separate-stderr "$TDSTAT" -- echo -a
	[ "$output" = -a ]
}

@test "a last, shorter interval" {
	"$TDSTAT" -I 400 -x, -- sleep 1 2>out
	cut -d, -f1 out | sed 1d | uniq >ends
	# two of 0.4 s, of which a busy host may miss one, and the last one at the command's end
	[ "$(wc -l <ends)" -ge 2 ] && [ "$(wc -l <ends)" -le 3 ]
	awk 'END { exit $1 < 1 }' ends
	"$TDSTAT" -I 60000 -x, -- sh -c "$WORK" 2>out
	[ "$(cut -d, -f1 out | sed 1d | uniq | wc -l)" -eq 1 ]
	grep -E ',[0-9]+\.[0-9]{2},.*,interval,' out
}

@test "--timeout ends the command, and is no failure without one" {
	run -143 --separate-stderr "$TDSTAT" --timeout 300 -x, -- sleep 600
	[ "${#stderr_lines[@]}" -ge 2 ]
	awk -F, 'NR > 1 && $1 < 0.3 { exit 1 }' <<<"$stderr"
	run -0 --separate-stderr "$TDSTAT" -a --timeout 300 -x,
	[ "${#lines[@]}" -ge 2 ]
	awk -F, 'NR > 1 && $1 < 0.3 { exit 1 }' <<<"$output"
}

@test "--dry-run opens no counter, runs no command, and prints the planned events" {
	strace -f -o log -e trace=perf_event_open,execve \
		"$TDSTAT" --dry-run -l 2 -- touch ran >plan
	[ ! -e ran ]
	[ "$(grep -c execve log)" -eq 1 ]
	run ! grep perf_event_open log
	strace -f -y -X raw -o log -e trace=perf_event_open \
		"$TDSTAT" -l 2 -- touch ran 2>/dev/null
	[ -e ran ]
	syscalls opens log plan
}

@test "one read() a group and CPU in an interval" {
	emulated
	for rows in 2 5; do
		strace -f -y -X raw -o "log.$rows" -e trace=perf_event_open,read \
			"$TDSTAT" -a -I 200 --interval-count "$rows" >out
		[ "$(grep -c cpu_core out)" -eq "$rows" ]
	done
	# at level 1 a group on each of the eight CPUs
	syscalls reads log.2 log.5 3 8
}

# With one read each, all runs would be rounded alike.
@test "-r reads a tree as often as without" {
	emulated
	strace -c -e trace=timerfd_settime -o calls "$TDSTAT" -l 1 -r 2 -o out -- sleep 2
	cat calls
	# twenty in each run, where one read a second has three; a busy host misses some
	awk '/timerfd_settime/ { seen = $4 } END { exit !(seen >= 14) }' calls
}
