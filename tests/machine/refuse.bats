#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# Counters that this user may not use, and those that other programs hold.
# machine: adl

load helper
load nobody

@test "a user who may not count the machine: reason and remedy; with --require no command runs" {
	for how in -a "-C 0" "-a -I 100"; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr as_nobody 2 "$TDSTAT" --require $how -- touch ran
		assert_two_lines
		[[ ${stderr_lines[1]} == *perf_event_paranoid* ]]
		[[ ${stderr_lines[1]} == *"sysctl kernel.perf_event_paranoid=0 allows it (it is 2)"* ]]
		[ ! -e ran ]
	done
	run -1 --separate-stderr as_nobody 2 "$TDSTAT"
	assert_two_lines
}

@test "a user's own command: user space only, and a note" {
	run -0 --separate-stderr as_nobody 2 taskset -c 3 "$TDSTAT" -- sh -c "$WORK"
	[ "$(grep -c '^tdstat: ' <<<"$stderr")" -eq 1 ]
	[[ ${stderr_lines[0]} == "tdstat: "*user* ]]
	as_nobody 2 taskset -c 3 "$TDSTAT" -o out -x, -- sh -c "$WORK" 2>note
	rates check out --rows 1 --not-counted cpu_atom
	as_nobody 2 taskset -c 6 "$TDSTAT" -l 2 -o out -x, -- sh -c "$WORK" 2>note
	rates check out --rows 1 --level 2 --not-counted cpu_core
}

@test "user space only is three quarters of the rates" {
	as_nobody 2 taskset -c 6 "$TDSTAT" record -o td.json -- sh -c "$WORK" 2>note
	# 2 cycles a ns
	jq -e -s '
		(.[0].events | map(.name)) as $names |
		map(select(.counts))[0].counts | map(select($names[.[0]] | test("^cpu_atom/cycles/")))
		| .[0][3] / .[0][5] / 1.5 - 1 | fabs < 0.05
	' td.json
}

@test "a user's own process" {
	"${NOBODY[@]}" taskset -c 3 sh -c "$WORK_ON" 3>&- &
	pid=$!
	wait_for_file running
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -p "$pid" --timeout 500 -x,
	touch end
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "tdstat: "*user* ]]
	printf '%s\n' "$output" >out
	rates check out --rows 1 --not-counted cpu_atom
	run -1 --separate-stderr as_nobody 2 "$TDSTAT" -p 1
	assert_two_lines
}

@test "a user who may not count at all" {
	# a setting of Debian's kernel
	run -3 --separate-stderr as_nobody 3 "$TDSTAT" -- sh -c 'echo said; exit 3'
	[ "$output" = said ]
	[[ ${stderr_lines[1]} == "tdstat: "*perf_event_paranoid* ]]
	[ "${stderr_lines[2]}" = "tdstat: running sh without counting" ]
	[ "$(grep -c '^tdstat: ' <<<"$stderr")" -eq 3 ]
	[[ $stderr == *" seconds time elapsed"* && $stderr != *task-clock* ]]
	run -125 --separate-stderr as_nobody 3 "$TDSTAT" --require -- touch ran
	assert_two_lines
	[ ! -e ran ]
}

# busy: counts of an idle machine are too few to be compared with rates
busy() {
	taskset -c 0 "$ACT" 1000s:usual &
}

@test "a user who may count everything" {
	busy
	run -0 --separate-stderr as_nobody -1 "$TDSTAT" -a --cputype core --timeout 300 -x,
	[ -z "$stderr" ]
	printf '%s\n' "$output" >out
	rates check out --rows 1 --pmus cpu_core
}

@test "the right to count is enough, paranoid or not" {
	busy
	echo 2 >"$PARANOID"
	run -0 --separate-stderr "${NOBODY[@]}" \
		--inh-caps +perfmon --ambient-caps +perfmon \
		"$TDSTAT" -a --cputype core --timeout 300 -x,
	[ -z "$stderr" ]
	printf '%s\n' "$output" >out
	rates check out --rows 1 --pmus cpu_core
}

# pinned EVENT...: held by perf, until "other" is killed.
pinned() {
	local list=$1 event

	for event in "${@:2}"; do
		list+=,$event
	done
	"$PERF" stat -a -e "$list" sleep 60 2>/dev/null 3>&- &
	other=$!
	sleep 3
}

# All that an Atom core counts with: three fixed counters, six others.
atom_events() {
	local i

	printf 'cpu_atom/%s/D\n' cycles instructions ref-cycles
	for ((i = 0; i < 8; i++)); do
		printf 'cpu_atom/config=0x%xa2/D\n' $((i + 1))
	done
}

# one_remark PMU: one note, and no other message
one_remark() {
	[ "$(grep -c '^tdstat: ' <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"tdstat: $1: another program uses the counters"* ]]
}

# All that a P-core has for a tree: SLOTS, and the general counters.
core_events() {
	local i

	printf '{slots:D,topdown-retiring:D}\n'
	for ((i = 0; i < 8; i++)); do
		printf 'cpu_core/config=0x%xa2/D\n' $((i + 1))
	done
}

@test "another program has pinned counters of one core type: the other one is shown" {
	perf_or_skip
	mapfile -t events < <(core_events)
	pinned "${events[@]}"
	run -0 --separate-stderr "$TDSTAT" -a -I 200 --interval-count 2 -o out -x, -- touch ran
	[ -e ran ]
	one_remark cpu_core
	grep -E '^[0-9.]+,all,cpu_core,,,0\.00,,,,,,' out
	grep -E '^[0-9.]+,all,cpu_atom,[0-9.]+,,100\.00,[0-9.]*,[0-9.]+,' out
	# the core type that is left out needs no counters
	"$TDSTAT" -a --cputype atom --timeout 300 -x, >out
	# and where there is nothing else, nothing is run with --require
	rm ran
	run -125 --separate-stderr "$TDSTAT" -a --cputype core --require -- touch ran
	assert_two_lines
	[[ ${stderr_lines[0]} == *cpu_core* ]]
	[ ! -e ran ]
	kill "$other"
	wait "$other" || true
	"$TDSTAT" -a --cputype core --timeout 300 -x, >out
	rates check out --rows 1 --pmus cpu_core
}

@test "another program has pinned counters of E-cores, at all levels: P-cores are shown, with one note" {
	perf_or_skip
	mapfile -t events < <(atom_events)
	busy
	pinned "${events[@]}"
	for how in "" "-l 3" "-l 3 -r 2" "-l 3 -j" "-M tma_retiring"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr "$TDSTAT" -a $how -o out -- sleep 0.3
		one_remark cpu_atom
		case $how in
		*-j) jq -es 'map(select(.pmu == "cpu_atom")) | length > 3 and all(.value == null)' out
			jq -es 'map(select(.pmu == "cpu_core" and .level == 1)) | all(.value > 0)' out ;;
		*) grep -F ' cpu_atom, <not counted>' out
			# where groups are multiplexed, GHz are near 3
			grep -E '^ cpu_core, [0-9.]+ % busy, (2\.[6-9]|3\.[0-4]) GHz(, 1\.[45][0-9] IPC)?(, ± of the runs)?$' out
			[[ $how == *-l* ]] || grep -F ' % busy, 3.0 GHz' out
			grep -E '^ +25\.1( ±[0-9.?]+)? %  tma_retiring' out ;;
		esac
	done
	run -0 --separate-stderr "$TDSTAT" -a -l 3 -I 200 --interval-count 3 -x,
	one_remark cpu_atom
	[ "$(grep -cE '^[0-9.]+,all,cpu_atom,,,0\.00,,' <<<"$output")" -eq 3 ]
	# one core type does not represent the machine
	run -0 --separate-stderr "$TDSTAT" -a --hybrid-merge --timeout 300 -x,
	[[ ${lines[1]} =~ ^[0-9.]+,all,all,,,(0\.00)?,,,,,, ]]
	run -0 --separate-stderr "$TDSTAT" -a -e cycles --timeout 300 -x,
	grep -E '^[1-9][0-9]*,,cpu_core/cycles/' <<<"$output"
	grep -E '^<not counted>,,cpu_atom/cycles/' <<<"$output"
	kill "$other"
	wait "$other" || true
}

# A group that is pinned beside others that are would end at once, and seem to have had
# no task.
@test "another program has pinned a command's counters: a note, and the command ran" {
	perf_or_skip
	mapfile -t events < <(atom_events)
	pinned "${events[@]}"
	cpu=$(cut -d- -f1 /sys/bus/event_source/devices/cpu_atom/cpus)
	for how in "-l 1" "-l 2"; do
		# shellcheck disable=SC2086 # options
		run -0 --separate-stderr taskset -c "$cpu" "$TDSTAT" $how -o out -- \
			sh -c "$WORK"
		[[ $stderr == *"tdstat: nothing was counted: another program held the counters"* ]]
	done
	kill "$other"
	wait "$other" || true
}
