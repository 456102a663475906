#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034,SC2086,SC2154 # lists of words; what "run --separate-stderr" sets
# Aggregation: ids and the numbers after them are perf's, sums over ids are the machine's,
# and metrics come from summed counts.
# machine: adl --full --no-halt --skew 4
# release: spr --no-halt --skew 4
# release: spr --no-halt --skew 1 --smp 32,sockets=2,cores=8,threads=2 --mem 2048

load helper

# All of them before a release; those between are made the same way.
HOWS="cpu core cache=L2 socket"
[ -z "${TD_EVERYTHING-}" ] || HOWS="cpu core cluster cache cache=L1 cache=L2 cache=L3 die socket node"
CPUS=/sys/devices/system/cpu
CGROUPS=/sys/fs/cgroup

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	rm -f end running*
}

teardown() {
	[ "$TD_MACHINE" != here ] || return 0
	for file in out perf.out; do
		[ -n "$BATS_TEST_COMPLETED" ] || [ ! -e $file ] || sed "s/^/$file: /" $file
	done
	tidy_up
	wait
	for cpu in "$CPUS"/cpu[1-9]*/online; do
		[ "$(cat "$cpu")" = 1 ] || echo 1 >"$cpu"
	done
	rmdir $CGROUPS/c/d $CGROUPS/[abc] 2>/dev/null || true
	if [ -d v1 ]; then
		rmdir v1/a 2>/dev/null || true
		umount v1 || true
	fi
}

# Tests that do not depend on the size of the machine.
small() {
	[[ $TD_MACHINE_ARGS != *--smp* ]] || skip "of the small machines"
}

# how WORD: its option
how() {
	case $1 in
	cpu) echo -A ;;
	total) echo --total ;;
	*) echo "--per-$1" ;;
	esac
}

# aggregate SUBCOMMAND...: see aggregate.py
aggregate() {
	python3 "$BATS_TEST_DIRNAME/aggregate.py" "$@"
}

# perf_count FILE OPTION...: CSV of perf stat
perf_count() {
	"$PERF" stat -x, -o "$1" "${@:2}"
}

# beside_perf HOW...
beside_perf() {
	for word in "$@"; do
		"$TDSTAT" -a "$(how $word)" -x, -o out -e '{cycles,instructions},branches' -- sleep 0.3
		perf_count perf.out -a "$(how $word)" -e '{cycles,instructions},branches' sleep 0.3
		aggregate beside $word out perf.out
	done
}

# The workers run until there is a file "end": before the counts are checked, because that
# takes long on the few remaining processors.

# Threads "on1" and "on5" of a process: each works on that CPU.
threads() {
	"$ACT" -n 2 -c 1,5 -w end 600s:inherited 3>&- &
	pid=$!
	wait_for have_names
}

have_names() {
	[ "$(cat /proc/$pid/task/*/comm | sort | xargs)" = "on1 on5" ]
}

# work_in DIRECTORY CPU: start a process that works on that CPU in that cgroup
work_in() {
	mkdir -p "$1"
	# shellcheck disable=SC2016 # of the shell that runs it
	taskset -c "$2" sh -c 'echo 0 >"$1/cgroup.procs"; touch "running$2"; exec "$ACT" -w end 600s:inherited' \
		- "$1" "$2" 3>&- &
	wait_for_file "running$2"
}

# a on CPU 1, b on CPU 5, c/d on CPU 2.  Until any controller was asked for, the
# kernel leaves perf's out, too.
cgroups() {
	small
	mountpoint -q $CGROUPS || mount -t cgroup2 none $CGROUPS
	echo +cpu >$CGROUPS/cgroup.subtree_control
	work_in $CGROUPS/a 1
	work_in $CGROUPS/b 5
	work_in $CGROUPS/c/d 2
}

# --- sums -----------------------------------------------------------------------

@test "events of a recording: each id is the sum of its CPUs, and --total the sum of all" {
	"$TDSTAT" record -a -e cycles,instructions,branches,task-clock -o recording -x, --timeout 700
	for word in total $HOWS; do
		"$TDSTAT" report -i recording "$(how $word)" -x, >out
		aggregate sums $word out recording
	done
	# the last level is the third one here
	"$TDSTAT" report -i recording --per-cache=L3 -x, >l3
	"$TDSTAT" report -i recording --per-cache -x, | diff l3 -
}

@test "recorded per id: the total is the same with every aggregation" {
	small
	for word in cpu core socket; do
		"$TDSTAT" record -a "$(how $word)" -e cycles,instructions -o recording -x, --timeout 300 >out
		aggregate sums $word out recording
		"$TDSTAT" report -i recording -x, >out
		aggregate sums $word out recording
		"$TDSTAT" report -i recording --per-die -x, >out
		aggregate sums die out recording
		"$TDSTAT" report -i recording --total -x, >out
		aggregate sums total out recording
	done
}

@test "metrics of a recording: each id's from its summed counts" {
	"$TDSTAT" record -a -o recording -x, --timeout 700
	for word in total $HOWS; do
		"$TDSTAT" report -i recording "$(how $word)" -j >out
		[ $word = total ] || aggregate tree $word out
	done
	# CPUs that count alike have sums like their means
	python3 "$BATS_TEST_DIRNAME/aggregate.py" weigh recording >weighed
	for word in $HOWS; do
		"$TDSTAT" report -i weighed "$(how $word)" -j >out
		aggregate raw $word out weighed
	done
}

# --- as it is measured ------------------------------------------------------------

@test "events: perf's ids, perf's numbers of counters, its rates and the known ones" {
	perf_or_skip
	if [[ $TD_MACHINE_ARGS == *--smp* ]]; then
		beside_perf core cache die socket
	else
		beside_perf $HOWS
	fi
}

@test "the tree of each id: the known values, a PMU only where it is" {
	for word in $HOWS; do
		"$TDSTAT" -a "$(how $word)" -j -o out -- sleep 0.3
		aggregate tree $word out
	done
}

@test "retiring of each core follows --skew" {
	"$TDSTAT" -a --per-core -j -o out -- sleep 0.5
	aggregate skew core out
	"$TDSTAT" -a -A -j -o out -- sleep 0.5
	aggregate skew cpu out
}

@test "-A -I: each CPU's values, in each row" {
	"$TDSTAT" -a -A -I 500 --interval-count 3 -x, >out
	rates check out --rows 3 --per-cpu
}

@test "a table, CSV and JSON of one recording say the same" {
	"$TDSTAT" record -a -o recording -x, --timeout 300
	for word in cpu core socket; do
		for form in "" "-x," -j; do
			"$TDSTAT" report -i recording "$(how $word)" $form >"out$form"
		done
		jq -r '[.id, .pmu, .metric, (.value * 10 | round)] | join(" ")' out-j >json
		awk -F, 'NR == 1 { split($0, name) } NR > 1 {
			for (i = 8; name[i] != "ghz"; i++) printf "%s %s %s %.0f\n", $2, $3, name[i], $i * 10
		}' out-x, >csv
		awk '/^ (CPU|S)[0-9]/ { id = $1; pmu = $2 ~ /^cpu/ ? $2 : "cpu"; sub(",", "", pmu) }
			{ sub(/ ±[0-9.?]+/, "") }
			/^ +[0-9.]+ %/ { printf "%s %s %s %.0f\n", id, pmu, $3, $1 * 10 }' out >table
		[ -s json ]
		# 25.05 may be rounded either way, once from more digits than the other time
		for file in csv table; do
			paste -d ' ' json $file | awk '$1 != $5 || $2 != $6 || $3 != $7 ||
				$4 - $8 > 1 || $8 - $4 > 1 { print; bad = 1 } END { exit bad }'
			[ "$(wc -l <json)" -eq "$(wc -l <$file)" ]
		done
	done
}

# --- CPUs that are offline ----------------------------------------------------------

@test "offline CPUs are in no id: perf's ids and numbers" {
	small
	perf_or_skip
	echo 0 >$CPUS/cpu3/online
	echo 0 >$CPUS/cpu4/online
	beside_perf cpu core cache=L1
	for word in cpu core cache; do
		"$TDSTAT" -a "$(how $word)" -j -o out -- sleep 0.3
		aggregate tree $word out
	done
}

# while_cpu3_goes OPTION...: rows of each CPU, in the first of which it is there, and not in the
# last; the row that the end cut short is left out
while_cpu3_goes() {
	local now last

	env --default-signal=INT "$TDSTAT" -a -A -I 500 -x, -o rows "$@" 2>said 3>&- &
	counting=$!
	wait_for has_text rows CPU7
	echo 0 >$CPUS/cpu3/online
	wait_for has_text said 'CPU\(s\) 3 went offline'
	mapfile -t now <rows
	wait_for has_lines rows $((${#now[@]} + 24))
	kill -INT $counting
	wait $counting
	last=$(tail -n 1 rows)
	grep -v "^${last%%,*}," rows >whole
	# a busy host may miss some
	[ "$(grep -v 'intervals\? passed' said)" = "tdstat: CPU(s) 3 went offline: not counted until they are back" ]
}

@test "a CPU goes offline under -A -I -e: its counts end, the others' do not" {
	small
	while_cpu3_goes -e cycles
	# a nanosecond of each that was counted has its cycles
	awk -F, '
	!first { first = $1 }
	$3 == "<not counted>" { if ($2 != "CPU3" || $1 == first) { print; bad = 1 } gone = $1; next }
	{ rate = $3 / $6; want = $5 ~ /atom/ ? 2 : 3
	  if (rate < 0.85 * want || rate > 1.05 * want) { print; bad = 1 }
	  if ($2 == "CPU3" && gone) { print; bad = 1 }
	  seen[$2]++ }
	END { for (cpu = 0; cpu < 8; cpu++)
			if (cpu == 3 ? seen["CPU3"] < 1 : seen["CPU" cpu] != seen["CPU0"]) { print "CPU" cpu; bad = 1 }
		exit bad || !gone }' whole
}

@test "a CPU goes offline under -A -I: its values end, with a note" {
	small
	while_cpu3_goes
	grep -v ',CPU3,' whole >out
	rates check out --per-cpu --cpus 0-2,4-7
	awk -F, '$2 == "CPU3" { if (!n++ ? $8 == "" : gone && $8 != "") exit bad = 1
			if ($8 == "") gone = $1 }
		END { exit bad || !gone }' whole
}

# --- threads --------------------------------------------------------------------------

@test "--per-thread: each thread's counts at its CPU's rate, perf's ids" {
	small
	perf_or_skip
	threads
	"$TDSTAT" --per-thread -p $pid -x, -o out -e cycles,instructions,task-clock -- sleep 1
	perf_count perf.out --per-thread -p $pid -e cycles,instructions,task-clock sleep 1
	touch end
	sed -i '/^#/d; /^$/d' perf.out
	for file in out perf.out; do
		cut -d, -f1 $file | uniq | head -n 3 >$file.ids
		awk -F, -v adl="$([ "$TD_MACHINE" = adl ] && echo 1)" '
		{ split($1, id, "-"); event = $4; pmu = "" }
		event ~ /\// { pmu = event ~ /core/ ? "core" : "atom" }
		event ~ /cycles/ && $2 !~ /</ { rate[id[1] pmu] = $2 / $5 }
		event ~ /instr/ && $2 !~ /</ { instructions[id[1] pmu] = $2 / $5 }
		event == "task-clock" && $2 !~ /</ { clock[id[1]] = $2 }
		function near(got, want, what) {
			if (got < 0.93 * want || got > 1.07 * want) { print what ": " got; bad = 1 } }
		END {
			near(rate["on1" (adl ? "core" : "")], 3, "on1 cycles")
			near(instructions["on1" (adl ? "core" : "")], 4.5, "on1 instructions")
			near(rate["on5" (adl ? "atom" : "")], adl ? 2 : 3, "on5 cycles")
			near(instructions["on5" (adl ? "atom" : "")], adl ? 2 : 4.5, "on5 instructions")
			if (adl && ("on1atom" in rate || "on5core" in rate)) { print "wrong PMU"; bad = 1 }
			if (!(clock["on1"] > 100 && clock["on5"] > 100)) { print "no work"; bad = 1 }
			exit bad }' $file
	done
	diff perf.out.ids out.ids
}

@test "--per-thread: the rows of a recording add up to its total" {
	small
	threads
	"$TDSTAT" record --per-thread -p $pid -x, -o recording -e cycles,instructions,task-clock -- sleep 0.7
	touch end
	"$TDSTAT" report -i recording -x, >out
	"$TDSTAT" report -i recording --total -x, >total
	aggregate add out total
	[ "$(cut -d, -f1 out | sort -u | grep -cE '^on[15]-[0-9]+$')" -eq 2 ]
	"$TDSTAT" report -i recording --per-thread -x, | diff out -
}

@test "--per-thread: each thread's tree is that of its CPU" {
	small
	threads
	"$TDSTAT" --per-thread -p $pid -j -o out -- sleep 1
	"$TDSTAT" --per-thread -p $pid -I 500 --interval-count 2 -j >intervals
	touch end
	aggregate on out on1=1 on5=5
	for n in 1 2; do
		jq -c --argjson n $n '. as $row | select(.time > $n * 0.5 - 0.1 and .time < $n * 0.5 + 0.4)' intervals >out
		aggregate on out on1=1 on5=5
	done
}

# --- cgroups --------------------------------------------------------------------------

@test "--for-each-cgroup: names, and a regular expression: perf's rows and rates" {
	perf_or_skip
	cgroups
	for list in a,b '^c'; do
		"$TDSTAT" -a -x, -o "$list" -e '{cycles,instructions},task-clock' --for-each-cgroup "$list" -- sleep 0.7
		perf_count "perf.$list" -a -e '{cycles,instructions},task-clock' --for-each-cgroup "$list" sleep 0.7
	done
	touch end
	for list in a,b '^c'; do
		aggregate groups "$list" "perf.$list"
	done
	[ "$(awk -F, '/cycles/ { print $4 }' '^c' | sort -u | xargs)" = "c c/d" ]
}

@test "-G: cgroups and events in pairs, or one for all" {
	perf_or_skip
	cgroups
	"$TDSTAT" -a -x, -o pairs -e cycles,task-clock -G a,b -- sleep 0.7
	[ "$TD_MACHINE" = adl ] || # perf's pairs are of one PMU each there
		perf_count perf.pairs -a -e cycles,task-clock -G a,b sleep 0.7
	"$TDSTAT" -a -x, -o out -e cycles,instructions -G b -- sleep 0.7
	perf_count perf.out -a -e cycles,instructions -G b sleep 0.7
	touch end
	awk -F, '$3 ~ /cycles/ && $4 != "a" || $3 == "task-clock" && $4 != "b" { exit 1 }
		$3 ~ /^cycles|core/ { core = $1 / $5 } $3 ~ /atom/ { atom = $1 }
		$3 == "task-clock" { clock = $1 }
		END { exit !(core > 2.8 && core < 3.2 && atom !~ /[1-9]/ && clock > 100) }' pairs
	[ ! -e perf.pairs ] || aggregate groups pairs perf.pairs
	aggregate groups out perf.out
}

@test "-A, --per-core of cgroups: counts only where the cgroup ran" {
	cgroups
	"$TDSTAT" -a -A -x, -o out -e task-clock --for-each-cgroup a,b -- sleep 0.7
	awk -F, '$2 != "<not counted>" { on[$5] = on[$5] " " $1; if ($2 < 50) exit 1 }
		END { exit !(on["a"] == " CPU1" && on["b"] == " CPU5") }' out
	"$TDSTAT" -a --per-core -x, -o out -e task-clock --for-each-cgroup a,b -- sleep 0.7
	awk -F, '$3 != "<not counted>" { on[$6] = on[$6] " " $1 } END { print on["a"] "," on["b"] }' out >cores
	if [ "$TD_MACHINE" = adl ]; then
		[ "$(cat cores)" = " S0-D0-C1, S0-D0-C5" ]
	else
		[ "$(cat cores)" = " S0-D0-C0, S1-D1-C0" ]
	fi
}

@test "the tree of each cgroup is that of the CPU that it ran on" {
	cgroups
	"$TDSTAT" -a -j -o each --for-each-cgroup a,b,c -- sleep 1
	"$TDSTAT" -a -j -o out -G b -- sleep 1
	touch end
	aggregate on each a=1 b=5 c=2
	aggregate on out b=5
}

# From another CPU each call interrupts that CPU, and waits for it.
@test "cgroups' events are opened, started and closed on their CPU" {
	command -v strace >/dev/null || skip "no strace"
	cgroups
	taskset -c 0,2 strace -y -o log -e trace=perf_event_open,ioctl,close,sched_setaffinity \
		"$TDSTAT" -a -o out --by-events --for-each-cgroup a,b -- true
	awk '/^sched_setaffinity/ { split($0, part, /[][]/); here = part[2] }
	/^perf_event_open/ && /PID_CGROUP/ && !/DUMMY/ {
		sub(/.*}, /, ""); split($0, part, ", "); fd = $NF; sub(/<.*/, "", fd)
		at[fd] = part[2]; opened++; wrong += here != part[2] }
	/^(ioctl|close)/ { split($0, part, /[(<]/) }
	/^ioctl/ && /ENABLE/ && part[2] in at { started++; wrong += here != at[part[2]] }
	/^close/ && part[2] in at { closed++; wrong += here != at[part[2]]; delete at[part[2]] }
	END { print opened, started, closed, wrong + 0, here
		exit !(opened > 20 && started > 4 && closed == opened && !wrong && here == "0 2") }' log
}

@test "cgroup version 1: its perf_event hierarchy" {
	small
	perf_or_skip
	mkdir v1
	mount -t cgroup -o perf_event none v1 || skip "not in this kernel"
	work_in v1/a 1
	"$TDSTAT" -a -x, -o out -e '{cycles,instructions},task-clock' --for-each-cgroup a -- sleep 0.7
	perf_count perf.out -a -e '{cycles,instructions},task-clock' --for-each-cgroup a sleep 0.7
	"$TDSTAT" -a -j -o tree --for-each-cgroup a -- sleep 1
	touch end
	aggregate groups out perf.out
	aggregate on tree a=1
}
