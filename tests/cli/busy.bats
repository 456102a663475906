#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# How busy CPUs and tasks were, from recordings made by hand, where the time-stamp counter
# goes at 2 GHz, and of commands.

# shellcheck disable=SC2016,SC2154 # jq; helper.bash
load helper

# made TARGET INTERVAL_MS P_REF P_CYCLES E_REF E_CYCLES: a second of two P-cores and of
# two E-cores, each half of the counts; slots are 6 and 5 a cycle, all lost to the back end
made() {
	jq -cn --arg target "$1" --argjson ms "$2" --argjson v "[$3, $4, $5, $6]" '
		def event($pmu; $name): { name: "\($pmu)/\($name)/", pmu: $pmu,
			group: (if $pmu == "cpu_core" then 0 else 1 end) };
		def fields: "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound";
		def counts($first; $cpus; $values): [$cpus[] as $cpu | $values | to_entries[] |
			[.key + $first, $cpu, -1, .value / 2, 1000000000, 1000000000]];
		{ tdstat: 1, cpuid: "GenuineIntel-6-97-2", smt: false, tsc_hz: 2000000000,
			interval_ms: $ms, target: $target,
			pmus: [{ name: "cpu_core", type: 4, cpus: "0-1" }, { name: "cpu_atom", type: 10, cpus: "2-3" }],
			topology: [range(4) | { cpu: ., core: ., cluster: ., die: 0, socket: 0, node: 0 }],
			events: ([event("cpu_core"; "slots", fields, "INT_MISC.UOP_DROPPING", "ref-cycles", "cpu-cycles")] +
				[event("cpu_atom"; "cycles", fields, "ref-cycles")]) },
		{ time: 1.0, counts: (counts(0; [0, 1]; [6 * $v[1], 0, 0, 0, 6 * $v[1], 0, $v[0], $v[1]]) +
			counts(8; [2, 3]; [$v[3], 0, 0, 0, 5 * $v[3], $v[2]])) },
		{ end: { elapsed: 1.0 } }' >made.jsonl
}

# of_task P_NS E_NS: the same of a task that ran for so long on each kind of core in a second
of_task() {
	jq -cs --argjson p "$1" --argjson e "$2" '
		(.[0] | .target = "'\''sleep 1'\''"),
		(.[1] | .counts |= map(select(.[1] % 2 == 0) | .[2] = 7 | .[5] = (if .[1] == 0 then $p else $e end)
			| .[4] = $p + $e | .[1] = -1)), .[2]' made.jsonl >task.jsonl
}

# busy_of FILE OPTION...: "ID PMU BUSY SHARE RUNNING" of the CSV
busy_of() {
	"$TDSTAT" report "$@" -x, | awk -F, 'NR > 1 { print $2, $3, $4, $5, $6 }'
}

# 0.5 and 0.2 of two seconds each, at 3 and at 1.5 GHz: 9 and 1.5 G slots
@test "CPUs: reference cycles over the time-stamp counter's, in all forms" {
	made 'system wide' 1000 1000000000 1500000000 400000000 300000000
	assert_same 'all cpu_core 25.00 85.71 100.00
all cpu_atom 10.00 14.29 100.00' "$(busy_of made.jsonl)"
	assert_equal "$("$TDSTAT" report made.jsonl --hybrid-merge -x, | cut -d, -f3-6 | tail -n 1)" all,17.50,100.00,100.00
	"$TDSTAT" report made.jsonl -j | jq -es 'length == 8 and all(.[];
		(.busy == if .pmu == "cpu_core" then 25 else 10 end) and
		(.share == if .pmu == "cpu_core" then 85.71 else 14.29 end))'
	try "$TDSTAT" report made.jsonl
	assert_line --index 0 --regexp '^#           time pmu          %busy  GHz      %  tma_retiring '
	assert_line --index 1 --regexp '^     1\.000000000 cpu_core      25\.0  3\.0                  0\.0 '
	assert_line --index 2 --regexp '^     1\.000000000 cpu_atom      10\.0  1\.5                  0\.0 '
	made 'system wide' 0 1000000000 1500000000 400000000 300000000
	try "$TDSTAT" report made.jsonl
	assert_line ' cpu_core, 85.7 % of the slots, 25.0 % busy, 3.0 GHz'
	assert_line ' cpu_atom, 14.3 % of the slots, 10.0 % busy, 1.5 GHz'
	try "$TDSTAT" report made.jsonl -A
	assert_line ' CPU0 cpu_core, 25.0 % busy, 3.0 GHz, 42.9 % of all slots were lost here'
	refute_output --partial 'waits for'
}

@test "next to nothing: no marks, and only of that PMU" {
	# 1 % of the time, twice a hundredth of a second, and less than 1 % of the slots
	made 'system wide' 0 1000000000 1500000000 30000000 15000000
	"$TDSTAT" report made.jsonl >out
	assert_equal "$(grep -c -e '<--' out)" 1
	grep -B 9 -e '<--' out | grep '^ cpu_core'
	# all of the machine
	made 'system wide' 0 30000000 45000000 30000000 45000000
	run ! grep -e '<--' <("$TDSTAT" report made.jsonl)
	"$TDSTAT" report made.jsonl -j | jq -es 'length == 8 and all(.over_threshold | not)'
}

@test "an old recording: nothing is known, and nothing invented" {
	assert_equal "$(busy_of "$data/alderlake.jsonl" | awk '{ print NF }' | sort -u)" 4
	"$TDSTAT" report "$data/alderlake.jsonl" -j | jq -es 'all(.[]; has("busy") and .busy == null)'
	try "$TDSTAT" report "$data/alderlake.jsonl"
	refute_output --partial busy
	refute_output --partial GHz
	# with the events, but without the speed of the time-stamp counter
	made 'system wide' 0 1000000000 1500000000 400000000 300000000
	sed -i 's/"tsc_hz":2000000000,//' made.jsonl
	try "$TDSTAT" report made.jsonl
	assert_line ' cpu_core, 85.7 % of the slots'
}

# 150 M cycles of 6 slots, 15 M of 5: 900 and 75 M slots
@test "tasks: how long they ran, of the time that passed" {
	made 'system wide' 0 200000000 300000000 40000000 30000000
	of_task 100000000 20000000
	assert_same 'all cpu_core 10.00 92.31 83.33
all cpu_atom 2.00 7.69 16.67' "$(busy_of task.jsonl)"
	try "$TDSTAT" report task.jsonl
	assert_line --index 3 ' 12.0 % of one CPU: look at what it waits for, as with strace -cwf'
	assert_line ' cpu_core, 92.3 % of the slots, 10.0 % of one CPU, 3.0 GHz, counted 83.3 % of the time'
	# not of one that had half of a CPU
	of_task 400000000 100000000
	try "$TDSTAT" report task.jsonl
	refute_output --partial 'waits for'
}

# A read that took long: the counts are of more time than the row, or of less.
@test "tasks: no share of a time that is not known to a twentieth" {
	made 'system wide' 0 200000000 300000000 40000000 30000000
	of_task 100000000 20000000
	for unsure in 0.049 0.05 0.051; do
		jq -c "if .counts then .unsure = .time * $unsure else . end" task.jsonl >unsure.jsonl
		want=10.00
		[ $unsure != 0.051 ] || want=
		assert_same "$want" "$(busy_of unsure.jsonl | head -n 1 | awk '{ print (NF == 5 ? $3 : "") }')"
	done
	"$TDSTAT" report unsure.jsonl -j | jq -es 'all(.busy == null) and any(.ghz)'
	"$TDSTAT" report unsure.jsonl | grep -q '^ cpu_core, 92.3 % of the slots, 3.0 GHz'
}

# --- rows of -I that are really counted ------------------------------------------

@test "a command of one thread has one CPU at most, also in rows that were read late" {
	needs_software_events
	needs_strace
	# each seventh read begins 30 ms late, most of them those of the counters
	strace -o /dev/null -e trace=read -e inject=read:delay_enter=30000:when=20+7 \
		"$TDSTAT" -I 100 -x, -o out -- timeout 2 sh -c 'while :; do :; done' || true
	cat out
	awk -F, 'NR > 1 { n++; if ($4 > 110) exit 1 } END { exit n < 10 }' out
}

# A remark of a host that was too busy for an interval is none of those looked for.
try_on_a_busy_host() {
	try "$@"
	stderr=$(sed '/^tdstat: [0-9]* intervals\{0,1\} passed while this program, /d' <<<"$stderr")
}

@test "a remark says how many intervals have no counts, as nothing ran" {
	needs_software_events
	try_on_a_busy_host "$TDSTAT" -I 100 -o out -- sh -c 'sleep 0.55'
	rows=$(grep -c '^ .*<not counted>' out)
	[ "$rows" -ge 2 ]
	assert_equal "$stderr" "tdstat: $rows intervals without counts, because no task ran in them: all were waiting, maybe for a CPU"
	# for programs each row says so
	try_on_a_busy_host "$TDSTAT" -I 100 -j -o out -- sh -c 'sleep 0.55'
	assert_no_stderr
	jq -es 'map(select(.value == null)) | length >= 8 and all(.why == "no task ran in this time")' out
	# no such row; and of events, perf stat says nothing either
	try "$TDSTAT" -I 100 -o out -- sleep 0.01
	assert_no_stderr
	try "$TDSTAT" -e task-clock -I 100 -o out -- sleep 0.35
	assert_no_stderr
}

# 1,000 of 2 G cycles: what they did is no more than what tdstat itself does
@test "what next to idle CPUs lost is over no threshold, in tables, pages and JSON" {
	made 'system wide' 1000 1000000000 1500000000 1000 1000
	"$TDSTAT" report made.jsonl -j | jq -es 'map(select(.metric == "tma_backend_bound") | { (.pmu): [.value, .over_threshold] })
		| add == { cpu_core: [100, true], cpu_atom: [100, false] }'
	"$TDSTAT" report made.jsonl >out
	assert_equal "$(grep -o 'cpu_[a-z]* .* 100\.0\*' out | cut -d' ' -f1)" cpu_core
	"$TDSTAT" report made.jsonl --html page.html
	assert_equal "$(grep -c 'class="[^"]*over' page.html)" 1
}
