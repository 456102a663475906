#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# How busy CPUs and tasks were, from recordings made by hand, where the time-stamp counter
# goes at 2 GHz, and of commands.

# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # jq; lines; helper.bash
load helper

# Recordings, one line of NAME and JSON for each line of each
setup_file() {
	local name line

	cd "$BATS_FILE_TMPDIR" || return
	while read -r name line; do
		printf '%s\n' "$line" >>"$name"
	done < <(command jq -nr '
		def event($pmu; $name): { name: "\($pmu)/\($name)/", pmu: $pmu,
			group: (if $pmu == "cpu_core" then 0 else 1 end) };
		def fields: "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound";
		def counts($first; $cpus; $values): [$cpus[] as $cpu | $values | to_entries[] |
			[.key + $first, $cpu, -1, .value / 2, 1000000000, 1000000000]];

		# a second of two P-cores and of two E-cores, each half of the counts; slots are 6 and
		# 5 a cycle, all lost to the back end
		def made($ms; $p_ref; $p_cycles; $e_ref; $e_cycles):
			[{ tdstat: 1, cpuid: "GenuineIntel-6-97-2", smt: false, tsc_hz: 2000000000,
				interval_ms: $ms, target: "system wide",
				pmus: [{ name: "cpu_core", type: 4, cpus: "0-1" }, { name: "cpu_atom", type: 10, cpus: "2-3" }],
				topology: [range(4) | { cpu: ., core: ., cluster: ., die: 0, socket: 0, node: 0 }],
				events: ([event("cpu_core"; "slots", fields, "INT_MISC.UOP_DROPPING", "ref-cycles", "cpu-cycles")] +
					[event("cpu_atom"; "cycles", fields, "ref-cycles")]) },
			{ time: 1.0, counts: (counts(0; [0, 1]; [6 * $p_cycles, 0, 0, 0, 6 * $p_cycles, 0, $p_ref, $p_cycles]) +
				counts(8; [2, 3]; [$e_cycles, 0, 0, 0, 5 * $e_cycles, $e_ref])) },
			{ end: { elapsed: 1.0 } }];

		# the same for a task that ran for these times on each core type in a second
		def of_task($p_ns; $e_ns):
			.[0].target = "\u0027sleep 1\u0027" | .[1].counts |= map(select(.[1] % 2 == 0) |
				.[2] = 7 | .[5] = (if .[1] == 0 then $p_ns else $e_ns end) |
				.[4] = $p_ns + $e_ns | .[1] = -1);

		def unsure($share): .[1].unsure = $share;

		# 0.5 and 0.2 of two seconds each, at 3 and at 1.5 GHz: 9 and 1.5 G slots
		made(0; 1000000000; 1500000000; 400000000; 300000000) as $busy |
		# 150 M cycles of 6 slots, 15 M of 5: 900 and 75 M slots
		(made(0; 200000000; 300000000; 40000000; 30000000) | of_task(100000000; 20000000)) as $task |
		{
			busy: $busy,
			rows: ($busy | .[0].interval_ms = 1000),
			no_tsc: ($busy | del(.[0].tsc_hz)),
			# 1 % of the time, twice a hundredth of a second, and less than 1 % of the slots
			idle_atom: made(0; 1000000000; 1500000000; 30000000; 15000000),
			idle: made(0; 30000000; 45000000; 30000000; 45000000),
			# 1,000 of 2 G cycles: no more work than tdstat itself does
			idle_rows: made(1000; 1000000000; 1500000000; 1000; 1000),
			task: $task,
			half: (made(0; 200000000; 300000000; 40000000; 30000000) | of_task(400000000; 100000000)),
			unsure_49: ($task | unsure(0.049)), unsure_50: ($task | unsure(0.05)), unsure_51: ($task | unsure(0.051))
		} | to_entries[] | .key as $key | .value[] | "\($key) \(tojson)"')
}

# assert_busy FILE LINE...: "ID PMU BUSY SHARE RUNNING" of the CSV
assert_busy() {
	local got=() row fields

	try "$TDSTAT" report "$BATS_FILE_TMPDIR/$1" -x,
	for row in "${lines[@]:1}"; do
		IFS=, read -ra fields <<<"$row"
		got+=("${fields[*]:1:5}")
	done
	shift
	assert_same "$(printf '%s\n' "$@")" "$(printf '%s\n' "${got[@]}")"
}

# assert_json FILE PROGRAM: of the rows of its report
assert_json() {
	"$TDSTAT" report "$1" -j >json
	jq -es "$2" json >/dev/null || fail "not so: $2"
}

@test "CPUs: reference cycles over the time-stamp counter's, in all forms" {
	cd "$BATS_FILE_TMPDIR"
	assert_busy rows 'all cpu_core 25.00 85.71 100.00' 'all cpu_atom 10.00 14.29 100.00'
	try "$TDSTAT" report rows --hybrid-merge -x,
	[[ ${lines[-1]} =~ ^[^,]*,[^,]*,all,17\.50,100\.00,100\.00, ]]
	assert_json rows 'length == 8 and all(.[];
		(.busy == if .pmu == "cpu_core" then 25 else 10 end) and
		(.share == if .pmu == "cpu_core" then 85.71 else 14.29 end))'
	try "$TDSTAT" report rows
	assert_line --index 0 --regexp '^#           time pmu          %busy  GHz      %  tma_retiring '
	assert_line --index 1 --regexp '^     1\.000000000 cpu_core      25\.0  3\.0                  0\.0 '
	assert_line --index 2 --regexp '^     1\.000000000 cpu_atom      10\.0  1\.5                  0\.0 '
	try "$TDSTAT" report busy
	assert_line ' cpu_core, 85.7 % of the slots, 25.0 % busy, 3.0 GHz'
	assert_line ' cpu_atom, 14.3 % of the slots, 10.0 % busy, 1.5 GHz'
	try "$TDSTAT" report busy -A
	assert_line ' CPU0 cpu_core, 25.0 % busy, 3.0 GHz, 42.9 % of all slots were lost here'
	refute_output --partial 'waits for'
}

# The names of the PMUs whose text has a mark
marked() {
	local line pmu

	for line in "${lines[@]}"; do
		[[ ! $line =~ ^' '(cpu_[a-z]+) ]] || pmu=${BASH_REMATCH[1]}
		[[ $line != *'<--'* ]] || printf '%s\n' "$pmu"
	done
}

@test "an almost idle PMU has no marks; the others keep theirs" {
	try "$TDSTAT" report "$BATS_FILE_TMPDIR/idle_atom"
	assert_equal "$(marked)" cpu_core
	# all of the machine
	try "$TDSTAT" report "$BATS_FILE_TMPDIR/idle"
	assert_success
	assert_equal "$(marked)" ''
	assert_json "$BATS_FILE_TMPDIR/idle" 'length == 8 and all(.over_threshold | not)'
}

@test "an old recording: unknown values stay unknown" {
	try "$TDSTAT" report "$data/alderlake.jsonl" -x,
	[ "${#lines[@]}" -gt 1 ]
	for row in "${lines[@]:1}"; do
		IFS=, read -ra fields <<<"$row"
		[ "${fields[1]:+x}${fields[2]:+x}${fields[3]:-no}${fields[4]:+x}${fields[5]:+x}" = xxnoxx ] || fail "$row"
	done
	assert_json "$data/alderlake.jsonl" 'all(.[]; has("busy") and .busy == null)'
	try "$TDSTAT" report "$data/alderlake.jsonl"
	refute_output --partial busy
	refute_output --partial GHz
	# with the events, but without the speed of the time-stamp counter
	try "$TDSTAT" report "$BATS_FILE_TMPDIR/no_tsc"
	assert_line ' cpu_core, 85.7 % of the slots'
}

@test "tasks: how long they ran, of the time that passed" {
	assert_busy task 'all cpu_core 10.00 92.31 83.33' 'all cpu_atom 2.00 7.69 16.67'
	try "$TDSTAT" report "$BATS_FILE_TMPDIR/task"
	assert_line --index 3 ' Only 12.0 % of one CPU was used; find out what the program waits for (strace -cwf)'
	assert_line ' cpu_core, 92.3 % of the slots, 10.0 % of one CPU, 3.0 GHz, measured 83.3 % of the time'
	# not of one that had half of a CPU
	try "$TDSTAT" report "$BATS_FILE_TMPDIR/half"
	assert_success
	refute_output --partial 'waits for'
}

# A read that took long: the counts are of more time than the row, or of less.
@test "tasks: no share of a time that is not known to within 5 %" {
	for share in 49:10.00 50:10.00 51:; do
		try "$TDSTAT" report "$BATS_FILE_TMPDIR/unsure_${share%:*}" -x,
		IFS=, read -ra fields <<<"${lines[1]}"
		assert_equal "${fields[2]}:${fields[3]}" "cpu_core:${share#*:}"
	done
	assert_json "$BATS_FILE_TMPDIR/unsure_51" 'all(.busy == null) and any(.ghz)'
	try "$TDSTAT" report "$BATS_FILE_TMPDIR/unsure_51"
	assert_line --regexp '^ cpu_core, 92\.3 % of the slots, 3\.0 GHz'
}

# --- rows of -I that are really counted ------------------------------------------

@test "a command of one thread has one CPU at most, also in rows that were read late" {
	needs_software_events
	needs_strace
	# each seventh read begins 30 ms late, most of them those of the counters
	strace -o /dev/null -e trace=read -e inject=read:delay_enter=30000:when=20+7 \
		"$TDSTAT" -I 100 -x, -o out -- sh -c 'while [ ! -e end ]; do :; done' 3>&- &
	wait_for has_lines out 16
	: >end
	wait $!
	awk -F, 'NR > 1 && $4 > 110 { print; failed = 1 } END { exit failed || NR < 16 }' out
}

# idle CONDITION... -- OPTION...: run tdstat with a command that sleeps until CONDITION.
# Notes that a busy host missed an interval are ignored.
idle() {
	local condition=() line said=''

	while [ "$1" != -- ]; do
		condition+=("$1")
		shift
	done
	rm -f out
	"$TDSTAT" -o out "${@:2}" -- sh -c 'read x <end' 2>err 3>&- &
	wait_for "${condition[@]}"
	echo >end
	wait $!
	while IFS= read -r line; do
		[[ $line =~ ^"tdstat: missed "[0-9]+" interval"s?" (tdstat " ]] || said+=$line$'\n'
	done <err
	stderr=${said%$'\n'}
}

@test "a note gives the number of intervals without counts in which no task ran" {
	needs_software_events
	mkfifo end
	idle has_text out '(<not counted>.*){8}' -- -I 100
	mapfile -t lines <out
	rows=0
	for line in "${lines[@]}"; do
		[[ $line != ' '*'<not counted>'* ]] || rows=$((rows + 1))
	done
	assert_equal "$stderr" "tdstat: $rows intervals without counts, because no task ran in them: all were waiting, maybe for a CPU"
	# in formats for programs, each row states it
	idle has_text out '(no task ran in this time.*){8}' -- -I 100 -j
	assert_no_stderr
	jq -es 'map(select(.value == null)) | length >= 8 and all(.why == "no task ran in this time")' out
	# no such row; perf stat does not mention it for events either
	try "$TDSTAT" -I 3600000 -o out -- true
	assert_no_stderr
	idle has_text out '(<not counted>.*){2}' -- -e task-clock -I 100
	assert_no_stderr
}

@test "almost idle CPUs have no marks, in tables, pages and JSON" {
	needs_wing pictures
	recording=$BATS_FILE_TMPDIR/idle_rows
	assert_json "$recording" 'map(select(.metric == "tma_backend_bound") | { (.pmu): [.value, .over_threshold] })
		| add == { cpu_core: [100, true], cpu_atom: [100, false] }'
	try "$TDSTAT" report "$recording"
	[[ $output =~ cpu_core[^$'\n']*' 100.0*' ]]
	[[ ! $output =~ cpu_atom[^$'\n']*' 100.0*' ]]
	"$TDSTAT" report "$recording" --html page.html
	IFS= read -rd '' text <page.html || true
	[[ $text =~ class=\"[^\"]*over ]]
	[[ ! ${text#*"${BASH_REMATCH[0]}"} =~ class=\"[^\"]*over ]]
}
