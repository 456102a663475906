#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# How busy CPUs and tasks are, on a machine whose idle CPUs halt.  P-cores go at
# 3.0 GHz, E-cores at 2.0 GHz, the time-stamp counter at 2 GHz.
# machine: adl --full

load helper

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	rm -f end running
}

# half CPU [SECONDS [FILE]]: a process that works there for 20 ms, waits for 20 ms, and so on, for
# so long or until there is a file "end", once there is that FILE; it prints which share of the time it had a CPU, and for
# how many seconds
half() {
	exec taskset -c "$1" /usr/bin/python3 -S -c '
import os, sys, time
open("running", "w").close()
while len(sys.argv) > 2 and not os.path.exists(sys.argv[2]):
    time.sleep(0.02)
begin, used = time.perf_counter(), time.process_time()
until = begin + float((sys.argv + ["3600"])[1])
while not os.path.exists("end") and time.perf_counter() < until:
    pause = time.perf_counter() + 0.02
    while time.perf_counter() < pause:
        pass
    time.sleep(0.02)
used = time.process_time() - used
print(100 * used / (time.perf_counter() - begin), used)' "${@:2}"
}

# busy_of FILE ID PMU: of the CSV
busy_of() {
	awk -F, -v id="$2" -v pmu="$3" '$2 == id && $3 == pmu { print $4 }' "$1"
}

# is VALUE LOW HIGH
is() {
	awk -v v="$1" -v low="$2" -v high="$3" \
		'BEGIN { print v; exit !(v != "" && v >= low && v <= high) }'
}

@test "CPUs: one never stops, one works for half of the time, the others wait" {
	for cpu in 0 5; do
		taskset -c $cpu sh -c "$WORK_ON" 3>&- &
		wait_for_file running
		rm running
	done
	half 1 >share 3>&- &
	wait_for_file running
	"$TDSTAT" -a -A -x, --timeout 2000 -o out
	"$TDSTAT" -a -A -I 500 --interval-count 1 -o table
	touch end
	wait
	cat out table share
	[ "$(head -n 1 out | cut -d, -f1-7)" = time,id,pmu,busy,share,running,ipc ]
	is "$(busy_of out CPU0 cpu_core)" 98 100.1
	is "$(busy_of out CPU5 cpu_atom)" 98 100.1
	# other work may be there, too, and a busy host wakes it up late
	is "$(busy_of out CPU1 cpu_core)" "$(awk '{ print $1 / 3 }' share)" 97
	# whatever else runs, not all of the others have work
	is "$(grep -E 'CPU[23467]' out | cut -d, -f4 | sort -n | head -n 1)" 0 10
	# the table: busy and GHz follow the PMU
	grep '^#           time id       pmu          %busy  GHz  IPC %lost      %  tma_retiring ' table
	awk '$2 == "CPU0" { p = $5 } $2 == "CPU5" { e = $5 } END { print p, e; exit !(p == "3.0" && e == "2.0") }' table
}

@test "the machine: all CPUs of a kind together, from the recording as well" {
	taskset -c 0 sh -c "$WORK_ON" 3>&- &
	wait_for_file running
	"$TDSTAT" record -a -o td.json -x, -- sleep 1 2>live
	touch end
	wait
	"$TDSTAT" report td.json -x, >replayed
	"$TDSTAT" report td.json >tree
	cat replayed tree
	# the kernel knows the frequency of the time-stamp counter even if CPUID lacks it
	jq -e -s '.[0].tsc_hz | . > 1.998e9 and . < 2.002e9' td.json
	# from the counts: reference cycles of the time of four CPUs each
	jq -r -s '.[0].tsc_hz as $hz | [.[0].events[].name] as $names |
		[.[] | .counts // [] | .[] | { name: $names[.[0]], v: .[3], s: (.[4] / 1e9) }] |
		map(select(.name | endswith("/ref-cycles/"))) | group_by(.name)[] |
		"\(.[0].name) \(100 * (map(.v) | add) / $hz / (map(.s) | add))"' td.json >want
	cat want
	[ "$(wc -l <want)" -eq 2 ]
	while read -r name busy; do
		is "$(busy_of replayed all "${name%%/*}")" "$(jq -n "$busy - 0.01")" "$(jq -n "$busy + 0.01")"
	done <want
	is "$(busy_of replayed all cpu_core)" 24.5 60
	grep -E '^ cpu_core, [0-9.]+ % of the slots, [0-9.]+ % busy, (2\.9|3\.[01]) GHz, 1\.(4[89]|5[01]) IPC$' tree
	# where hardly anything ran there, its tree is left out
	grep -E '^ cpu_atom, [0-9.]+ % of the slots, [0-9.]+ % busy, [12]\.[0-9] GHz, (0\.99|1\.0[01]) IPC(: --all shows its tree)?$' tree
}

@test "a command that works, one that mostly waits, and one that is short" {
	"$TDSTAT" -o out -- taskset -c 1 sh -c "$WORK"
	cat out
	grep -E '^ cpu_core, [0-9.]+ % of the slots, [0-9.]+ % of one CPU, (2\.9|3\.[01]) GHz, 1\.50 IPC' out
	# as the kernel charged it: on a busy host it may have waited for its files
	awk '/% of one CPU/ { busy += $7 } / elapsed$/ { time = $1 } / (user|sys)$/ { used += $1 }
		END { print busy, 100 * used / time; exit !(busy > 0 && time > 0 && busy - 100 * used / time < 8 &&
			100 * used / time - busy < 8) }' out
	[[ $(grep 'of one CPU' out) != *"waits for"* ]]
	"$TDSTAT" -o out -- sleep 3
	cat out
	grep -E '^ Only [0-9.]+ % of one CPU was used; find out what the program waits for' out
	[ "$(grep -n 'waits for' out | cut -d: -f1)" -lt "$(grep -n '^ cpu_core' out | cut -d: -f1)" ]
	# not of the machine, which may be idle as well
	"$TDSTAT" -a -o out -- sleep 1
	run ! grep 'waits for' out
}

@test "tasks: their share of one CPU is the time that the kernel charged them" {
	# it is counted from before its work to its end
	half 1 2 go >share 3>&- &
	pid=$!
	wait_for_file running
	"$TDSTAT" -p $pid -x, -o out 3>&- &
	counting=$!
	wait_for has_events $counting
	touch go
	wait $counting $pid
	cat out share
	read -r _ used <share
	awk -F, -v used="$used" '$3 == "cpu_core" { ran = $4 / 100 * $1; print ran, used
		exit !(ran > 0.95 * used && ran < 1.05 * used + 0.1) }' out
	# two at once
	"$TDSTAT" -j -o out -- sh -c "taskset -c 0 sh -c '$WORK' & taskset -c 1 sh -c '$WORK'; wait"
	jq -s 'map(select(.pmu == "cpu_core"))[0].busy' out
	jq -e -s 'map(select(.pmu == "cpu_core"))[0].busy | . > 120 and . < 205' out
}

# The two cores of the host make reads late: without a look at how late, a tenth of
# these runs had rows of 125 to 187 %.
@test "a command of one thread, a row per millisecond: no row has more than one CPU" {
	for _ in {1..30}; do
		"$TDSTAT" -I 1 -x, -o rows -- true
		cat rows >>all
	done
	awk -F, '$3 ~ /^cpu_/ { n++; known += $4 != ""; if ($4 > 107) print }
		END { print n, known }' all | tee bad
	# a host that stops between the two clocks of a row makes one of hundreds wrong
	[ "$(wc -l <bad)" -le 3 ]
	# most of the rows in which it ran are known
	read -r _ known < <(tail -n 1 bad)
	[ "$known" -gt 30 ]
}

@test "deep levels: level 2 at all times, further down by turns" {
	taskset -c 0 sh -c "$WORK_ON" 3>&- &
	wait_for_file running
	"$TDSTAT" -C 0 -l 2 -x, --timeout 500 -o out
	is "$(busy_of out all cpu_core)" 98 100.1
	# turns that the host interrupts are off by more than the clocks
	"$TDSTAT" -C 0 -l 4 -x, --timeout 2000 -o out
	is "$(busy_of out all cpu_core)" 75 130
	touch end
	wait
}

@test "only user space: the busy time of tasks is complete, that of CPUs is unknown" {
	"$TDSTAT" --all-user -x, -o out -- taskset -c 1 sh -c "$WORK"
	# on a busy host, interrupts of the emulator take a part
	is "$(busy_of out all cpu_core)" 50 100.1
	"$TDSTAT" -a --all-user -x, -o out -- sleep 0.2
	[ -z "$(busy_of out all cpu_core)" ]
}

@test "a kernel that refuses these events: the tree is counted without, and in peace" {
	command -v strace >/dev/null || skip "no strace"
	command=("$TDSTAT" -l 1 -C 0 -o out -- sleep 0.2)
	for config in 0x300 0x3c; do
		strace -qq -o log -e trace=perf_event_open "${command[@]}"
		# before, tdstat looks whether the NMI watchdog has a counter
		nr=$(grep -n "config=${config}[, ]" log | tail -n 1 | cut -d: -f1)
		run -0 --separate-stderr strace -qq -o log -e trace=perf_event_open \
			-e "inject=perf_event_open:error=EINVAL:when=$nr" "${command[@]}"
		cat out
		[ -z "$stderr" ]
		[ "$(grep -cE '^ +[0-9.]+( ±[0-9.?]+)? %  tma_' out)" -eq 4 ]
		case $config in
		0x300) run ! grep 'busy' out ;;
		0x3c) grep -E '^ cpu_core, [0-9.]+ % busy$' out ;;
		esac
	done
}
