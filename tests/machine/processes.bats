#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# tdstat -a --per-process: all processes of a machine, of programs whose values are known
# (tests/emulator/scenarios).
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth
# release: spr --truth tests/emulator/scenarios/sapphirerapids.truth

load helper
load nobody

SCENARIOS=$BATS_TEST_DIRNAME/../emulator/scenarios

# has PID SCENARIO PMU POINTS: each row of the process or user, in the file "out", is within so many points
# of what the formulas make of the scenario.  The kernel's end of a switch counts for the next task,
# and takes a slow emulated machine a hundredth of a slice; where a busy host stops the machine while
# a group is read, its events have different ends of the slice.
has() {
	jq -r --argjson pid "$1" --arg pmu "$3" \
		'select((.tid == $pid or .id == "\($pid)") and .pmu == $pmu and .level) | "\(.metric) \(.value)"' out >rows
	python3 "$BATS_TEST_DIRNAME/../emulator/truth" --values --kind "${3#cpu_}" alderlake \
		"$SCENARIOS/alderlake.truth" "$2" >values
	awk -v points="$4" 'NR == FNR { want[$1] = $2; next }
		{ print; bad += $2 < want[$1] - points || $2 > want[$1] + points; nr++ }
		END { exit bad > 0 || nr < 4 }' values rows
}

# act SCENARIO CPU [OPTION...]: runs it until the test ends, and adds its number to pids
act() {
	taskset -c "$2" "$ACT" "${@:3}" -w end "600s:$1" &
	pids+=($!)
}

# worked: all processes of "pids" have begun to work
worked() {
	while read -r pid _; do
		read -r -a stat <"/proc/$pid/stat" && [ "${stat[13]}" -ge 2 ] || return 1
	done <pids
}

@test "processes of known values, each on a CPU of its own" {
	act ports 0
	act dram_latency 1
	act ports 2
	act dram_latency 3
	"$TDSTAT" -a --per-process -l 2 -j -o out -- sleep 4
	has "${pids[0]}" ports cpu_core 0.6
	has "${pids[1]}" dram_latency cpu_core 0.6
	has "${pids[2]}" ports cpu_atom 0.6
	has "${pids[3]}" dram_latency cpu_atom 0.6
}

@test "processes that share a CPU, also where the groups of level 2 take turns" {
	act ports 0
	act dram_latency 0
	act mispredict 1 -n 3
	act ports 3
	act dram_latency 3
	"$TDSTAT" -a --per-process -l 2 -j -o out -- sleep 4
	has "${pids[0]}" ports cpu_core 3
	has "${pids[1]}" dram_latency cpu_core 3
	has "${pids[2]}" mispredict cpu_core 3
	has "${pids[3]}" ports cpu_atom 3
	has "${pids[4]}" dram_latency cpu_atom 3
	# threads of a process are one row for each core type
	[ "$(jq -s --argjson pid "${pids[2]}" 'map(select(.tid == $pid and .metric == "tma_retiring")) | length' out)" -le 2 ]
}

@test "level 3, for which many groups take turns, with errors" {
	act ports 0
	act dram_latency 1
	act dram_latency 3
	"$TDSTAT" -a --per-process -l 3 --all -j -o out -- sleep 6
	has "${pids[0]}" ports cpu_core 1
	has "${pids[1]}" dram_latency cpu_core 1
	has "${pids[2]}" dram_latency cpu_atom 1
	jq -es --argjson pid "${pids[1]}" 'map(select(.tid == $pid and .level)) |
		any(.level == 3) and all(.error != null)' out
}

@test "each thread of the machine, those with the biggest losses first" {
	act dram_latency 0
	act retiring_vector 1
	"$TDSTAT" -a --per-thread --top 2 -x, -o out -- sleep 1
	[ "$(head -n 2 out | cut -d, -f 2)" = "$(jq -r . <<<"\"id\"")
act-${pids[0]}" ]
	[ "$(tail -n +2 out | cut -d, -f 2 | sort -u | wc -l)" -eq 2 ]
}

@test "users: each has the processes that were started, also short ones, and changed to it" {
	as() { setpriv --reuid "$1" --clear-groups "${@:2}" 3>&- & }
	as 4711 taskset -c 0 "$ACT" -w end 600s:ports
	echo $! >pids
	wait_for worked
	# shellcheck disable=SC2016 # of the shell that runs it
	as 4712 taskset -c 1 sh -c 'until [ -e end ]; do "$0" 100ms:dram_latency; done' "$ACT"
	sh -c 'until [ -e go ]; do :; done; exec setpriv --reuid nobody --clear-groups "$0" -w end 600s:ports' "$ACT" 3>&- &
	"$TDSTAT" -a --per-user -l 1 -I 500 -j -o live -- sh -c 'until [ -e end ]; do sleep 0.1; done' 3>&- &
	wait_for grep -q '"id":"4712"' live
	touch go
	wait_for grep -q '"id":"nobody"' live
	touch end
	wait
	first=$(grep -m 1 '"id":"4712"' live | jq .interval)
	jq -c "select(.interval == $first)" live >out
	[ "$(jq -r 'select(.level and .id != "(lost)").id' out | sort -u | xargs)" = '(idle) 4711 4712 root' ]
	has 4711 ports cpu_core 0.6
	# of the children, as the shell itself is not bound by memory
	jq -c 'select(.id == "4712" and .metric == "tma_backend_bound")' live >children
	jq -es 'any(.value > 45)' children
}

# 500 instead of 5,000, because the emulated machine takes 10 ms for each.
@test "short processes: each has a row by its own name, and all time is in a row" {
	emulated
	# shellcheck disable=SC2016 # of the shell that runs it
	"$TDSTAT" record -a --per-process -l 1 -o rec -- sh -c '
		i=0
		while [ $i -lt 500 ]; do
			i=$((i + 1))
			(
				printf "own$i" >/proc/self/comm
				j=0; while [ $j -lt 200 ]; do j=$((j + 1)); done
			) &
			[ $((i % 8)) -ne 0 ] || wait
		done
		wait' 2>live
	"$TDSTAT" report -x, rec >rows
	[ "$(cut -d, -f 2 rows | grep -o '^own[0-9]*-' | sort -u | wc -l)" -eq 500 ]
	run ! grep -F '?' <(cut -d, -f 2 rows)
	# of two CPUs of each core type; on a busy host, the first and the last read take a while
	jq -es 'map(select(.counts))[0] | .time as $s |
		.counts | group_by(.[0]) | map((map(.[4]) | add) / 1e9 / $s) |
		(min > 2 * 0.95) and (max < 2 * 1.05)' rec
}

# Four times 126 processes at once, and 220 numbers for all.
@test "fork bombs, whose processes have the numbers of earlier ones" {
	emulated
	max=$(cat /proc/sys/kernel/pid_max)
	echo 520 >/proc/sys/kernel/pid_max
	# shellcheck disable=SC2016 # of the shell that runs it
	"$TDSTAT" -a --per-process -l 1 -I 300 -x, -o out -- sh -c '
		bomb() { [ "$1" -eq 0 ] || { bomb $(($1 - 1)) & bomb $(($1 - 1)) & wait; }; }
		bomb 6; bomb 6; bomb 6; bomb 6; :'
	echo "$max" >/proc/sys/kernel/pid_max
	cut -d, -f 2 out | grep '^sh-' | sort -u >ids
	[ "$(wc -l <ids)" -eq 505 ]
	grep '#2$' ids
}

@test "many processes on all CPUs: their values, and their shares of the slots" {
	emulated
	for ((i = 0; i < 12; i++)); do
		for s in ports dram_latency; do
			"$ACT" -w end "600s:$s" 3>&- &
			echo "$! $s" >>pids
		done
	done
	wait_for worked
	# they are stopped while counting begins and ends
	cut -d " " -f 1 pids | xargs kill -STOP
	# a switch takes the emulator 40 us, hardware 1: rarer ones
	mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
	echo 40000000 >/sys/kernel/debug/sched/base_slice_ns
	# shellcheck disable=SC2016 # of the shell that runs it
	"$TDSTAT" -a --per-process -l 2 -j -o out -- sh -c '
		"$ACT" -s >/dev/null
		cut -d " " -f 1 pids | xargs kill -CONT
		sleep 2
		cut -d " " -f 1 pids | xargs kill -STOP
		"$ACT" -s >sums'
	cut -d " " -f 1 pids | xargs kill -KILL
	for s in ports dram_latency; do
		for kind in core atom; do
			python3 "$BATS_TEST_DIRNAME/../emulator/truth" --values --kind $kind alderlake \
				"$SCENARIOS/alderlake.truth" $s | sed "s/^/$s cpu_$kind /"
		done
	done >values
	jq -r '"\(.scenario) \(["cpu_core", "cpu_atom"][.kind]) \(.slots)"' sums >slots
	jq -r 'select(.level and .slots and .value) |
		"\(.tid) \(.pmu) \(.slots) \(.metric) \(.value)"' out >rows
	# a scenario's rows together: on a busy host a process has few slices
	awk 'FILENAME == "pids" { of[$1] = $2; next }
		FILENAME == "values" { want[$1 " " $2 " " $3] = $4; next }
		!/ports|dram_latency/ && FILENAME == "slots" { next }
		FILENAME == "slots" { truth[$1 " " $2] += $3; all_true[$2] += $3; next }
		!($1 in of) { next }
		{ key = of[$1] " " $2 " " $4; weight[key] += $3; sum[key] += $3 * $5 }
		$4 == "tma_retiring" { got[of[$1] " " $2] += $3; all_got[$2] += $3 }
		END {
			for (key in sum) {
				value = sum[key] / weight[key]
				print key, value, want[key]
				nr++
				bad += value < want[key] - 0.6 || value > want[key] + 0.6
			}
			for (key in got) {
				split(key, k)
				share = got[key] / all_got[k[2]] / truth[key] * all_true[k[2]]
				print key, share
				nr++
				# groups of E-cores alternate at level 2
				bad += k[2] == "cpu_core" && (share < 0.99 || share > 1.01)
			}
			exit bad > 0 || nr < 4 * 5
		}' pids values slots rows
}

@test "rows of intervals, and the same from a recording" {
	"$TDSTAT" record -a --per-process -l 1 -I 500 -j -o rec -- "$ACT" 2s:ports 2>err
	grep "^{" err >rows
	"$TDSTAT" report -j rec >again
	jq -c 'select(.level) | {time, id, pmu, metric, value}' rows >rows.values
	jq -c 'select(.level) | {time, id, pmu, metric, value}' again >again.values
	[ "$(jq -r .time rows.values | sort -u | wc -l)" -ge 3 ]
	cmp rows.values again.values
	run -64 --separate-stderr "$TDSTAT" report --per-thread rec
	[[ $stderr == *"--per-thread: rec was recorded with --per-process"* ]]
}

@test "another program holds the counter of reference cycles: all but the clocks" {
	"$PERF" stat -a -e ref-cycles:D -x, -o beside -I 200 sleep 600 </dev/null 3>&- &
	held=$!
	wait_for test -s beside
	act ports 0
	"$TDSTAT" -a --per-process -l 1 -j -o out -- sleep 2
	has "${pids[0]}" ports cpu_core 0.6
	[ "$(jq -r 'select(.comm == "(lost)" and .slots).slots' out | sort -rn | head -n 1)" = "" ]
	kill $held
}

# an E-core, whose groups alternate
@test "a CPU that goes offline and comes back" {
	cpu=/sys/devices/system/cpu/cpu3/online
	"$TDSTAT" -a --per-process -l 2 -I 300 -j -o out -- sh -c '
		until [ -e end ]; do sleep 0.1; done' 2>err 3>&- &
	counting=$!
	wait_for grep -q tma_retiring out
	echo 0 >$cpu
	wait_for grep -q 'CPU(s) 3 went offline: not counted until they are back' err
	echo 1 >$cpu
	wait_for grep -q 'CPU(s) 3 were offline and are back: counted again starting at' err
	seen=$(wc -l <out)
	taskset -c 3 "$ACT" 2s:ports &
	acts=$!
	# level 2: both groups
	counted() { tail -n "+$seen" out | grep '}$' | jq -es --argjson pid $acts 'any(.tid == $pid and .value != null and .metric == "tma_machine_clears")' >/dev/null; }
	wait_for counted
	touch end
	wait $counting
}

# tdstat cannot run on such a CPU, nor leave it.  Without these settings, the kernel gives other tasks
# a part of the time.
@test "a real-time task occupies a CPU: all others are counted on" {
	emulated
	mount -t debugfs none /sys/kernel/debug 2>&- || true
	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	for part in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[ ! -e "$part" ] || echo 0 >"$part"
	done
	act ports 0
	act dram_latency 2
	taskset -c 1 chrt -f 50 "$ACT" 600s:ports &
	occupies=$!
	"$TDSTAT" -a --per-process -l 1 -I 500 --interval-count 5 -j -o out 3>&- &
	wait_for has_ended $!
	kill $occupies
	[ "$(jq -r 'select(.level).time' out | sort -u | wc -l)" -eq 5 ]
	has "${pids[0]}" ports cpu_core 0.6
	has "${pids[1]}" dram_latency cpu_atom 0.6
}

# If not, the kernel stops and starts the counters of a group with each event that is closed.
@test "the groups are disabled before their events are closed" {
	command -v strace >/dev/null || skip "no strace"
	strace -o log -e trace=perf_event_open,ioctl,close "$TDSTAT" -a --per-process -l 2 -o out -- true
	awk '/^perf_event_open/ && /SAMPLE_READ/ && !/DUMMY/ && / = [0-9]+$/ {
		sub(/.*}, /, ""); split($0, part, ", "); leader[$NF] = part[3] < 0 ? $NF : part[3] }
	/^(ioctl|close)/ { split($0, part, /[(),]/); fd = part[2] }
	/^ioctl/ && fd in leader { on[fd] = /ENABLE/ }
	/^close/ && fd in leader { closed++; wrong += on[leader[fd]]; delete leader[fd] }
	END { print closed, wrong + 0; exit !(closed > 10 && !wrong) }' log
}

@test "without the right to count CPUs the command runs" {
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -a --per-process -- sh -c 'echo ran'
	[ "$output" = ran ]
	[[ $stderr == *"this user may not count whole CPUs"* ]]
	[[ $stderr == *"running sh without counting"* ]]
}
