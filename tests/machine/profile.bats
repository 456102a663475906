#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat profile, of programs whose functions play known scenarios (act.c).
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --sysctl kernel.perf_cpu_time_max_percent=0 --sysctl kernel.kptr_restrict=0 --truth tests/emulator/scenarios/alderlake.truth

# shellcheck disable=SC2154 # stderr, of run
load helper
load nobody

ROOT=$BATS_TEST_DIRNAME/../..
ACT=$ROOT/build/emulator/act

export PYTHONDONTWRITEBYTECODE=1

profile() {
	timeout -s KILL "$TD_HANGS" "$TDSTAT" profile "$@"
}

# as FILE PMU SCENARIO...: their functions are each what they are, within 2 points, or
# the error that is shown
as() {
	local file=$1 pmu=$2 scenario
	shift 2
	for scenario; do
		TD_NEAR=2 TD_ERRORS=1 python3 "$BATS_TEST_DIRNAME/own.py" is "$file" "$pmu" "$scenario" "scenario_$scenario"
	done
}

# windows FILE PMU ID, of JSON
windows() {
	jq -s --arg pmu "$2" --arg id "$3" 'map(select(.pmu == $pmu and .id == $id))[0].calls // 0' "$1"
}

# turns TIME SCENARIO... : each for its time, a hundred times
turns() {
	local i scenario
	words=()
	for ((i = 0; i < 100; i++)); do
		for scenario in "${@:2}"; do words+=("$1:$scenario"); done
	done
}

# --- functions ------------------------------------------------------------------

@test "functions in several threads, on both core types at once" {
	profile -j -o out -- "$ACT" -n 4 2s:dram_latency,icache 2s:icache,dram_latency
	as out cpu_core dram_latency icache
	as out cpu_atom dram_latency icache
	[ "$(windows out cpu_core scenario_icache)" -gt 200 ]
	[ "$(windows out cpu_atom scenario_icache)" -gt 200 ]
}

@test "levels 1 and 2" {
	profile -l 2 -j -o core -- taskset -c 0 "$ACT" 1s:dram_latency 1s:icache 1s:mispredict
	as core cpu_core dram_latency icache mispredict
	jq -es 'any(.level == 2 and .value != null)' core
	run -0 --separate-stderr profile -l 2 -j -o atom -- taskset -c 2 "$ACT" 1s:dram_latency 1s:icache 1s:mispredict
	# missing values are null, and the others are right
	jq -es 'map(select(.value == null and .calls > 100)) | length > 0 and all(.level == 2)' atom
	jq -c 'select(.value != null)' atom >counted
	as counted cpu_atom dram_latency icache mispredict
	# the note about metrics that do not fit does not mention regions
	[[ -z $stderr || $stderr != *regions* ]]
}

@test "functions of ten periods, in turns" {
	turns 10ms dram_latency icache
	profile -j -o core -- taskset -c 0 "$ACT" "${words[@]}"
	as core cpu_core dram_latency icache
	profile -j -o atom -- taskset -c 2 "$ACT" "${words[@]}"
	as atom cpu_atom dram_latency icache
	profile -F 4000 -j -o core -- taskset -c 0 "$ACT" "${words[@]}"
	as core cpu_core dram_latency icache
}

@test "functions that are much shorter than a period: unknown, with a note" {
	turns 2ms dram_latency icache mispredict
	profile -F 50 -j -o out -- taskset -c 0 "$ACT" "${words[@]}"
	for name in dram_latency icache mispredict; do
		[ "$(windows out cpu_core scenario_$name)" -lt 30 ]
		jq -es --arg id "scenario_$name" 'map(select(.id == $id and .pmu == "cpu_core")) |
			all(.value == null and .error == null and (.why | test("30 windows")))' out
	done
	# their sum is known
	jq -es 'map(select(.id == "(between functions)" and .pmu == "cpu_core")) | length == 4 and all(.value != null)' out
}

@test "all slots are in functions or between them" {
	profile -x, -o out -- "$ACT" -n 4 1s:dram_latency 1s:icache
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sum += $at["exclusive"] }
		END { print sum; exit !(sum > 99.5 && sum < 100.5) }' out
}

# The sampled event stops meanwhile, and the others of its group continue.
@test "the kernel stops sampling for moments: their counts are left out" {
	before=$(</proc/sys/kernel/perf_event_max_sample_rate)
	echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
	echo 100000 >/proc/sys/kernel/perf_event_max_sample_rate
	run -0 --separate-stderr profile -F 50000 -j -o out --samples samples -- taskset -c 2 "$ACT" 1s:dram_latency 1s:icache
	echo "$before" >/proc/sys/kernel/perf_event_max_sample_rate
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	[[ $stderr == *"the kernel stopped sampling "*", which is left out: "* ]]
	jq -es 'map(select(.pmu == "cpu_atom" and .value != null)) | length > 0 and all(.value >= 0 and .value <= 100)' out
	# but for the first line, which has the moment of the start
	"$TDSTAT" report --profile -j samples | tail -n +2 | diff <(tail -n +2 out) -
}

# --- samples --------------------------------------------------------------

@test "a process that runs, a CPU, and the whole machine" {
	"$ACT" -n 4 300s:icache &
	act=$!
	profile -p $act --timeout 3s -j -o out
	as out cpu_core icache
	as out cpu_atom icache
	profile -a --timeout 3s -j -o out
	as out cpu_core icache
	as out cpu_atom icache
	profile -C 3 --timeout 6s -j -o out
	as out cpu_atom icache
	[ "$(windows out cpu_core scenario_icache)" -eq 0 ]
	kill $act
}

@test "the command's status is handed on, and a program that becomes another" {
	run -7 profile -o out -- sh -c "$ACT 200ms:icache; exit 7"
	run -127 profile -o out -- ./is-not-there
	run -0 profile -j -o out -- taskset -c 0 "$ACT" 1s:icache -- "$ACT" 1s:dram_latency
	as out cpu_core dram_latency icache
}

@test "many short threads: all rows are real functions" {
	# shellcheck disable=SC2016 # of the shell within
	run -0 profile -j -o out -- bash -c 'for ((i = 0; i < 30; i++)); do "$1" -n 20 1ms:icache; done' bash "$ACT"
	jq -es 'all(.value == null or (.value >= 0 and .value <= 100))' out
	jq -es 'map(select(.why != null and .calls != null)) | all(.calls < 30)' out
}

@test "a recording gives the same; one row for both core types" {
	profile -x, -o out --record rec -- "$ACT" -n 4 1s:dram_latency 1s:icache
	"$TDSTAT" report rec -x, | diff - out
	profile --hybrid-merge -x, -o merged -- "$ACT" -n 4 1s:dram_latency 1s:icache
	[ "$(cut -d, -f2 merged | grep -cx scenario_icache)" -eq 1 ]
}

# P-cores have both levels in the same events.
@test "samples without level 2: the command in the note has it" {
	play=(taskset -c 2 "$ACT" 1s:dram_latency 1s:icache)
	profile --samples one -o out -- "${play[@]}"
	run -0 --separate-stderr "$TDSTAT" report --profile -l 2 one
	advised=$(sed -n 's/^tdstat: cpu_atom: [0-9]* metrics of these levels were not recorded: tdstat \(.*\) records all$/\1/p' <<<"$stderr")
	[ -n "$advised" ]
	# shellcheck disable=SC2086 # its words
	"$TDSTAT" ${advised/FILE/two} -o out -- "${play[@]}"
	run -0 --separate-stderr "$TDSTAT" report --profile -l 2 -j -o level2 two
	[[ $stderr != *'not recorded'* ]]
	jq -es 'any(.pmu == "cpu_atom" and .level == 2 and .value != null)' level2
}

# --- beside perf ----------------------------------------------------------------

newest() {
	TD_PERF_SERIES=newest timeout -s KILL "$TD_HANGS" "$PERF" "$@"
}

@test "the same functions as the newest perf's, with as much of the cycles" {
	newest_or_skip
	newest record -q -F 1000 -e cpu_core/cycles/u -o data taskset -c 0 "$ACT" 1s:dram_latency 2s:icache
	newest report -i data --stdio -F overhead,sym --percent-limit 2 2>/dev/null |
		sed -nE 's/^ *([0-9.]+)% +\[[.k]\] +([^ ]+).*/\1 \2/p' >perf
	profile --all-user -x, -o out -- taskset -c 0 "$ACT" 1s:dram_latency 2s:icache
	# slots go with cycles there
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["pmu"] == "cpu_core" && $at["exclusive"] >= 2 && $at["id"] !~ /^\(/ { print $at["exclusive"], $at["id"] }' out >ours
	cat perf ours
	diff <(cut -d' ' -f2 perf | sort) <(cut -d' ' -f2 ours | sort)
	# shares of the events in functions: events that a busy host delays between two
	# samples are in no function
	awk 'NR == FNR { perf[$2] = $1; all += $1; next }
		{ own[$2] = $1; sum += $1 }
		END {
			for (name in own) {
				off = 100 * own[name] / sum - 100 * perf[name] / all
				if (off > 10 || off < -10) exit 1
			}
		}' perf ours
}

# --- rights ---------------------------------------------------------------------

@test "a user who may not sample the kernel: only user space, with a note" {
	run -0 --separate-stderr as_nobody 2 timeout -s KILL "$TD_HANGS" "$TDSTAT" profile -j -- taskset -c 0 "$ACT" 1s:icache
	[ "$(grep -c '^tdstat: sampling user space only: .*perf_event_paranoid' <<<"$stderr")" -eq 1 ]
	run -125 --separate-stderr as_nobody 3 timeout -s KILL "$TD_HANGS" "$TDSTAT" profile --require -- echo ran
	assert_two_lines
	[ -z "$output" ]
	[[ $stderr == *perf_event_paranoid* ]]
}

@test "a flame graph: each function in the colour of the part of level 1 that it loses most to" {
	turns 20ms dram_latency mispredict
	profile --all-user --flame flame.svg --folded stacks -o out -- taskset -c 0 "$ACT" "${words[@]}"
	# backend_bound and bad_speculation, each in one of four shades
	grep -qE 'fill="#(e69f00|eaaf2b|eebf57|f3d082)"[^>]*>.*>scenario_dram_latency<' flame.svg
	grep -qE 'fill="#(e07530|e58c53|eba476|f0bb9a)"[^>]*>.*>scenario_mispredict<' flame.svg
	grep -q ';scenario_mispredict [0-9]*$' stacks
}

@test "--call-graph lbr on a machine without LBR: an error, and the command runs" {
	run -0 --separate-stderr profile --call-graph lbr --folded stacks -- true
	[[ ${stderr_lines[0]} == *'cpu_core does not record calls in last branch records'* ]]
}
