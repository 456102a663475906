#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2086,SC2153,SC2154 # lists of words; what "run" and helper.bash set
# Events that were typed: their counts beside perf stat's and the machine's known
# rates, what the kernel got, and what it refused.
# machine: adl --no-halt
# release: spr --no-halt

load helper
load nobody

DEVICES=/sys/bus/event_source/devices

# Ten events of no special kind: more than any PMU here has counters for.
TEN=r1a1,r2a1,r3a1,r4a1,r5a1,r6a1,r7a1,r8a1,r9a1,raa1

teardown() {
	[ "$TD_MACHINE" != here ] || return 0
	cp paranoid "$PARANOID"
	for file in out perf.out; do
		[ -n "$BATS_TEST_COMPLETED" ] || [ ! -e $file ] || sed "s/^/$file: /" $file
	done
	tidy_up
}

hybrid() {
	[ "$TD_MACHINE" = adl ] || skip "of hybrid machines"
}

# each EVENT: its name in the output, of all core PMUs
each() {
	if [ "$TD_MACHINE" = adl ]; then
		echo "cpu_core/$1/ cpu_atom/$1/"
	else
		echo "$1"
	fi
}

# count FILE OPTION...: CSV of tdstat
count() {
	"$TDSTAT" -x, -o "$1" "${@:2}"
}

# perf_count FILE OPTION...: CSV of perf stat
perf_count() {
	"$PERF" stat -x, -o "$1" "${@:2}"
	sed -i '/^#/d; /^$/d' "$1"
}

# want FILE [TOLERANCE_PERCENT] <<< "EVENT RATE...": counts in a nanosecond that
# the event really ran, within 10 % or that: a busy host may stop a processor between
# the kernel's look at its clock and the start of its counters.  Every event of FILE is
# wanted, and none beside.
want() {
	awk -F, -v tolerance="${2-10}" '
	NR == FNR { split($0, w, " "); rate[w[1]] = w[2]; next }
	$2 != "" { next } # times
	!($3 in rate) { print "nobody wants " $3; bad = 1; next }
	{ seen[$3]++; got = $4 ? $1 * $5 / 100 / $4 : "nothing" }
	rate[$3] == "-" { if ($1 != "<not counted>") { print $3 ": " $1; bad = 1 } next }
	got == "nothing" || got / rate[$3] > 1 + tolerance / 100 || got / rate[$3] < 1 - tolerance / 100 {
		print $3 ": " got " a ns, should be " rate[$3]; bad = 1
	}
	END { for (e in rate) if (!seen[e]) { print e " is not there"; bad = 1 }
		exit bad }' - "$1"
}

# alike FILE FILE: the same events, the same counts a nanosecond within 10 %
alike() {
	awk -F, '
	$2 != "" || !$4 { next }
	NR == FNR { rate[$3] = $1 / $4; next }
	{ n++; r = rate[$3] ? $1 / $4 / rate[$3] : 0 }
	r > 1.1 || r < 0.9 { print $3 ": " r " times as much"; bad = 1 }
	END { exit bad || n != length(rate) || n == 0 }' "$1" "$2"
}

# in_time FILE EVENT RATE CPUS PERCENT: of the time that duration_time says
in_time() {
	awk -F, -v event="$2" -v rate="$3" -v cpus="$4" -v percent="$5" '
	$3 == event { count = $1 }
	$3 == "duration_time" { time = $1 }
	END { r = count / time / cpus / rate; print event ": " r
		exit !(r > 1 - percent / 100 && r < 1 + percent / 100) }' "$1"
}

# The rate of a plain event: README of the machine.
plain() {
	awk -v event=$(($1)) -v umask=$(($2)) 'BEGIN {
		printf "%.6f", (16 + (event * 131 + umask * 17) % 1024) / 1024 }'
}

# Each of TEN, on all PMUs, with its rate.
ten_rates() {
	local event name

	for event in ${TEN//,/ }; do
		for name in $(each $event); do
			echo "$name $(plain 0xa1 0x${event:1:1})"
		done
	done
}

# attrs FILE: print the blocks of -vv, each on one line, without known differences: perf
# requests an id for each count, and groups only where there are some; it excludes guests;
# "inherit" has no effect on a CPU's counter; and it repeats the name of constants that
# linux/perf_event.h lacks.
attrs() {
	awk '
	/^perf_event_attr:/ { on = 1; line = ""; next }
	/^---/ { if (on && line ~ / size/) print line; on = 0 }
	on && $1 == "config" { sub(/ \([a-z].*\)$/, "") }
	on && $1 !~ /^(sample_type|read_format|exclude_guest|inherit)$/ {
		gsub(/ +/, " "); line = line ";" $0
	}' "$1" | sort | uniq -c
}

# --- beside perf ----------------------------------------------------------------

@test "cycles, instructions, branches of the machine: perf's counts, the known rates" {
	perf_or_skip
	count out -a -e cycles,instructions,branches,branch-misses,ref-cycles,duration_time --timeout 1000
	perf_count perf.out -a -e cycles,instructions,branches,branch-misses,ref-cycles sleep 1
	alike out perf.out
	if [ "$TD_MACHINE" = adl ]; then
		want out <<-'EOS'
			cpu_core/cycles/ 3.0
			cpu_atom/cycles/ 2.0
			cpu_core/instructions/ 4.5
			cpu_atom/instructions/ 2.0
			cpu_core/branches/ 0.75
			cpu_atom/branches/ 0.5
			cpu_core/branch-misses/ 0.046875
			cpu_atom/branch-misses/ 0.03125
			cpu_core/ref-cycles/ 2.0
			cpu_atom/ref-cycles/ 2.0
		EOS
		in_time out cpu_core/cycles/ 3.0 4 20
		in_time out cpu_atom/cycles/ 2.0 4 20
	else
		want out <<-'EOS'
			cycles 3.0
			instructions 4.5
			branches 0.75
			branch-misses 0.046875
			ref-cycles 2.0
		EOS
		in_time out cycles 3.0 8 20
	fi
}

@test "only cycles, by two programs at the same time" {
	perf_or_skip
	perf_count perf.out -a -e cycles sleep 2 &
	count out -a -e cycles --timeout 1500
	wait
	alike out perf.out
}

@test "a PMU's events by its name" {
	hybrid
	perf_or_skip
	events=cpu_core/cycles/,cpu_atom/instructions/,cpu_core/event=0xc0/,cpu_atom/event=0xa1,umask=0x2/
	count out -a -e $events --timeout 700
	perf_count perf.out -a -e $events sleep 0.7
	sed -i 's/"//g; s/event=0xa1,umask/event=0xa1+umask/' out
	sed -i 's/event=0xa1,umask/event=0xa1+umask/' perf.out
	alike out perf.out
	want out <<-EOS
		cpu_core/cycles/ 3.0
		cpu_atom/instructions/ 2.0
		cpu_core/event=0xc0/ 4.5
		cpu_atom/event=0xa1+umask=0x2/ $(plain 0xa1 0x2)
	EOS
	count out -a --cputype atom -e cycles,instructions --timeout 300
	want out <<<$'cpu_atom/cycles/ 2.0\ncpu_atom/instructions/ 2.0'
}

@test "user space is three quarters, the kernel a quarter" {
	count out -a -e 'cycles:u,cycles:k,{instructions,branches}:u' --timeout 700
	if [ "$TD_MACHINE" = adl ]; then
		want out <<-'EOS'
			cpu_core/cycles/u 2.25
			cpu_atom/cycles/u 1.5
			cpu_core/cycles/k 0.75
			cpu_atom/cycles/k 0.5
			cpu_core/instructions/ 3.375
			cpu_atom/instructions/ 1.5
			cpu_core/branches/ 0.5625
			cpu_atom/branches/ 0.375
		EOS
	else
		want out <<<$'cycles:u 2.25\ncycles:k 0.75\ninstructions 3.375\nbranches 0.5625'
	fi
}

@test "tracepoints: as many as there were, as perf counts, with and without a filter" {
	perf_or_skip
	cat >work.py <<-'PYTHON'
		import os
		for i in range(37):
		    pid = os.fork()
		    if pid == 0:
		        os._exit(0)
		    os.waitpid(pid, 0)
		for i in range(101):
		    os.getsid(0)
	PYTHON
	work="python3 work.py"
	# 124 is getsid
	for how in '37:-e sched:sched_process_fork' \
		'0:-e sched:sched_process_fork --filter parent_pid==0' \
		'101:-e raw_syscalls:sys_enter --filter id==124' \
		'101:-a -e raw_syscalls:sys_enter --filter id==124' \
		'101:-e syscalls:sys_enter_getsid'; do
		count out ${how#*:} -- $work
		perf_count perf.out ${how#*:} -- $work
		[ "$(cut -d, -f1 out)" = "${how%%:*}" ]
		[ "$(cut -d, -f1,3 out)" = "$(cut -d, -f1,3 perf.out)" ]
	done
}

@test "a filter holds on every CPU, and in every thread of a process" {
	cat >ask.py <<-'PYTHON'
		import os
		for i in range(53):
		    os.getsid(0)
	PYTHON
	for cpu in 0 3 7; do
		count out -a -e raw_syscalls:sys_enter --filter id==124 -- taskset -c $cpu python3 ask.py
		[ "$(cut -d, -f1 out)" = 53 ]
	done
	cat >threads.py <<-'PYTHON'
		import os, threading, time
		def ask():
		    open("running", "w").close()
		    while not os.path.exists("ask"):
		        time.sleep(0.01)
		    for i in range(53):
		        os.getsid(0)
		    while not os.path.exists("end"):
		        time.sleep(0.01)
		for i in range(3):
		    threading.Thread(target=ask).start()
	PYTHON
	/usr/bin/python3 -S threads.py 3>&- &
	pid=$!
	wait_for_file running
	sleep 1
	count out -p $pid -e raw_syscalls:sys_enter --filter id==124 --timeout 4000 &
	sleep 2
	touch ask
	wait $!
	touch end
	[ "$(cut -d, -f1 out)" = 159 ]
}

# --- what the kernel got --------------------------------------------------------

@test "cycles: the PMU's type above the event, a counter a CPU" {
	hybrid
	strace -f -X raw -e trace=perf_event_open -o log "$TDSTAT" -a -e cycles -x, --timeout 100
	# "0x4<<32|0" of strace
	sed -n 's/.*perf_event_open({type=\([^,]*\), .*config=\([^,]*\), .*}, [^,]*, \([0-9]*\), .*/\1 \2 \3/p' log |
		while read -r type config cpu; do
			printf '%d 0x%x %d\n' "$type" $((config)) "$cpu"
		done >got
	core=$(cat $DEVICES/cpu_core/type)
	atom=$(cat $DEVICES/cpu_atom/type)
	for cpu in 0 1 2 3 4 5 6 7; do
		[ $cpu -lt 4 ] && type=$core || type=$atom
		printf '0 0x%x00000000 %d\n' "$type" $cpu
	done >want
	diff want <(sort -nk 3 got)
	[ "$core" = 4 ]
	[ "$atom" = 10 ]
	"$TDSTAT" -vv -a -e cycles -x, --timeout 100 2>said
	[ "$(grep -c '^  config  *0x400000000$' said)" -eq 4 ]
	[ "$(grep -c '^  config  *0xa00000000$' said)" -eq 4 ]
}

@test "-vv: the attributes that perf opens, in perf's words" {
	perf_or_skip
	for events in '{cycles,instructions}' 'cycles:u,instructions:k,task-clock' \
		'branches:D,L1-dcache-loads,LLC-load-misses' 'sched:sched_switch,page-faults' \
		'INST_RETIRED.ANY,cycles:I'; do
		"$TDSTAT" -vv -a -e "$events" -x, --timeout 100 2>said >/dev/null
		"$PERF" stat -vv -a -e "$events" sleep 0.1 2>perf.said >/dev/null
		# before that, perf tries what the kernel can do
		sed -i '/^Control descriptor/,$!d' perf.said
		attrs perf.said >want
		attrs said >got
		[ -s got ]
		diff want got || {
			echo "of $events"
			return 1
		}
	done
}

# --- more events than counters --------------------------------------------------

@test "more events than counters: they take turns, say how long, and are scaled" {
	count out -a -e cycles,instructions,$TEN,r1a2,r2a2,duration_time --timeout 2000
	{
		if [ "$TD_MACHINE" = adl ]; then
			printf '%s\n' 'cpu_core/cycles/ 3.0' 'cpu_atom/cycles/ 2.0' \
				'cpu_core/instructions/ 4.5' 'cpu_atom/instructions/ 2.0'
		else
			printf '%s\n' 'cycles 3.0' 'instructions 4.5'
		fi
		ten_rates
		for event in r1a2 r2a2; do
			for name in $(each $event); do
				echo "$name $(plain 0xa2 0x${event:1:1})"
			done
		done
	} >rates
	want out 15 <rates
	# scaled to the whole time, of each PMU's CPUs
	cpus=8
	[ "$TD_MACHINE" != adl ] || cpus=4
	while read -r name rate; do
		in_time out "$name" "$rate" $cpus 20
	done <rates
	awk -F, '/r[0-9a-f]a1/ && $5 < 99 { n++ } $5 < 5 && /r/ { exit 1 } END { exit n < 10 }' out
	"$TDSTAT" -a -e $TEN,r1a2,r2a2 -o text --timeout 500
	grep -E ' r1a1/? .* \([0-9]{1,2}\.[0-9]{2}%\)$|/r1a1/ .*\([0-9]{1,2}\.[0-9]{2}%\)$' text
	"$TDSTAT" -a -e $TEN,r1a2,r2a2 -o json -j --timeout 500
	jq -es 'any(.[]; ."pcnt-running" < 99 and ."pcnt-running" > 5)' json
}

@test "{...}:W that is too large: taken apart, and counted" {
	run -0 --separate-stderr "$TDSTAT" -a -e "{cycles,instructions,$TEN}:W" -o out -x, --timeout 1000
	[[ $stderr == *"tdstat: "*group* ]]
	[ "$(wc -l <out)" -eq "$(for e in cycles instructions ${TEN//,/ }; do each $e; done | wc -w)" ]
	run ! grep -e '<not' out
	grep -E "$(each r1a1 | sed 's/ .*//')," out
	ten_rates >rates
	grep -E 'r[1-9a]a1' out >ten
	want ten 15 <rates
}

@test "{...} with too many events: the events that do not fit are not supported, with the reason" {
	perf_or_skip
	run -0 --separate-stderr "$TDSTAT" -a -e "{$TEN}" -o out -x, --timeout 500
	counted=$(grep -vc '<not' out)
	refused=$(grep -c '<not supported>' out)
	[ "$counted" -gt 0 ] && [ "$refused" -gt 0 ]
	[ $((counted + refused)) -eq "$(wc -l <out)" ]
	[ "$(grep -c '^tdstat: .*r[1-9a]a1' <<<"$stderr")" -eq "$refused" ]
	sed -n 's/^<not supported>,,\([^,]*\),.*/\1/p' out | while read -r event; do
		grep -F "tdstat: $event" <<<"$stderr"
	done
	# events that fit count together, at their rates
	grep -v '<not' out >fit
	for event in ${TEN//,/ }; do
		for name in $(each $event); do
			grep -qF ",$name," fit && echo "$name $(plain 0xa1 0x${event:1:1})"
		done
	done >rates
	want fit <rates
	[ "$(cut -d, -f5 fit | sort -u)" = 100.00 ]
	# perf is refused as many
	[ "$TD_MACHINE" = adl ] && pmu=cpu_core || pmu=cpu
	group=$(for event in ${TEN//,/ }; do printf '%s/event=0xa1,umask=0x%s/,' $pmu ${event:1:1}; done)
	"$PERF" stat -a -x';' -o perf.out -e "{${group%,}}" sleep 0.3
	[ "$(grep -c '<not supported>' perf.out)" -eq "$(grep '<not supported>' out | grep -cv cpu_atom)" ]
}

# --- SLOTS and the fields -------------------------------------------------------

@test "only topdown-retiring: SLOTS is added as the hidden leader; its share of the slots" {
	run -0 --separate-stderr "$TDSTAT" -vv -a -e topdown-retiring -o out -x, --timeout 700
	run ! grep slots out
	grep -q '^  config  *0x400$' <<<"$stderr"
	grep -q '^  config  *0x8000$' <<<"$stderr"
	# 64 of 255 of 6 slots a cycle, 5 on Atom
	if [ "$TD_MACHINE" = adl ]; then
		want out <<<$'cpu_core/topdown-retiring/ 4.51765\ncpu_atom/topdown-retiring/ 2.50980'
	else
		want out <<<$'topdown-retiring 4.51765'
	fi
}

@test "slots and all eight fields, in any order, grouped or not" {
	fields=topdown-be-bound,topdown-retiring,topdown-mem-bound,topdown-bad-spec,topdown-fetch-lat,topdown-heavy-ops,topdown-fe-bound,topdown-br-mispredict
	[ "$TD_MACHINE" = adl ] && pmu='cpu_core/' end=/ || pmu='' end=''
	for bytes in retiring:64 bad-spec:16 fe-bound:48 be-bound:127 heavy-ops:16 br-mispredict:12 \
		fetch-lat:32 mem-bound:80; do
		echo "${pmu}topdown-${bytes%:*}$end $(awk -v b=${bytes#*:} 'BEGIN { print 18 * b / 255 }')"
	done >rates
	echo "${pmu}slots$end 18" >>rates
	for events in "slots,$fields" "{$fields,slots}" "$fields,slots:W"; do
		[[ $events != *:W ]] || events="{$fields,slots}:W"
		count out -a -e "$events" --timeout 500
		grep -v cpu_atom out >core
		# the fields are of 8 bits
		want core <rates
	done
}

# --- the table of a hybrid machine ----------------------------------------------

@test "-d: both PMUs, and the ratios of each" {
	hybrid
	"$TDSTAT" -d -a -o out --timeout 700
	awk '/Performance/ { getline; on = 1; next } /^$/ { on = 0 } on { print substr($0, 25, 32) }' out | sed 's/ *$//' >got
	printf '%s\n' cpu-clock context-switches cpu-migrations page-faults >want
	for event in cycles instructions branches branch-misses; do
		printf '%s\n' cpu_core/$event/ cpu_atom/$event/
	done >>want
	diff want got
	# 4.5 / 3.0 and 2.0 / 2.0; 1 of 16
	grep -E 'cpu_core/instructions/ +# +1\.(49|50|51)  insn per cycle' out
	grep -E 'cpu_atom/instructions/ +# +(0\.99|1\.00|1\.01)  insn per cycle' out
	grep -E 'cpu_core/branch-misses/ +# +6\.[12][0-9]% of all branches' out
	grep -E 'cpu_atom/branch-misses/ +# +6\.[12][0-9]% of all branches' out
}

@test "IPC is that PMU's instructions over its own cycles, to the digit" {
	count out -a -e '{cycles,instructions}' --timeout 500
	awk -F, '
	{ pmu = $3 ~ /\// ? substr($3, 1, index($3, "/")) : "" }
	$3 ~ /cycles/ { cycles[pmu] = $1 }
	$3 ~ /instructions/ { n++
		if ($6 != sprintf("%.2f", $1 / cycles[pmu]) || $7 != "insn per cycle") exit 1 }
	END { exit n == 0 }' out
}

@test "-A: a row a CPU, each PMU's with its own CPUs" {
	count out -a -A -e cycles --timeout 500
	if [ "$TD_MACHINE" = adl ]; then
		for cpu in 0 1 2 3; do echo CPU$cpu,cpu_core/cycles/; done >want
		for cpu in 4 5 6 7; do echo CPU$cpu,cpu_atom/cycles/; done >>want
	else
		for cpu in 0 1 2 3 4 5 6 7; do echo CPU$cpu,cycles; done >want
	fi
	cut -d, -f1,4 out | diff want -
	awk -F, '{ rate = $2 / $5; want = $4 ~ /atom/ ? 2 : 3
		if (rate < 0.98 * want || rate > 1.02 * want) exit 1 }' out
}

@test "-C: CPUs of one kind, and an event of the other" {
	hybrid
	count out -C 5-6 -e cycles --timeout 300
	want out <<<'cpu_atom/cycles/ 2.0'
	run -0 --separate-stderr "$TDSTAT" -C 5-6 -e cpu_core/cycles/,cpu_atom/cycles/ -x, --timeout 200
	[[ $output == *'<not supported>,,cpu_core/cycles/,'* ]]
	[[ $stderr == "tdstat: "*cpu_core*CPU* ]]
	[[ $stderr != *"Invalid argument"* ]]
	run -125 --separate-stderr "$TDSTAT" --require -C 5-6 -e cpu_core/cycles/ -- touch ran
	[[ $stderr == "tdstat: "*cpu_core* ]]
	[ ! -e ran ]
}

@test "a cache event that a PMU lacks is left out for it" {
	hybrid
	# Golden Cove counts no loads of L1I, Gracemont no misses of L1D:
	# arch/x86/events/intel/core.c
	count out -a -e L1-icache-loads,L1-dcache-load-misses --timeout 300 2>said
	[ "$(cut -d, -f3 out | xargs)" = "cpu_atom/L1-icache-loads/ cpu_core/L1-dcache-load-misses/" ]
	run ! grep 'not supported' out
}

@test "record and report print the same intervals" {
	"$TDSTAT" record -o td.json -d -a -I 300 --interval-count 3 >live
	"$TDSTAT" report -i td.json >replayed
	diff live replayed
	for format in '-x,' -j; do
		"$TDSTAT" record -o td.json -a -A -e "cycles,instructions,$TEN" -I 300 --interval-count 2 $format >live
		"$TDSTAT" report -i td.json -A $format >replayed
		diff live replayed
	done
}

# --- a command ------------------------------------------------------------------

# moves CPU CPU: a command that works on one, then on the other
moves() {
	cat >moves.sh <<-EOS
		taskset -cp $1 \$\$ >/dev/null
		$WORK
		taskset -cp $2 \$\$ >/dev/null
		$WORK
	EOS
}

# clear_of_each FILE: each PMU's counts are of the time on its own cores, all of it
# counted, and nothing added for the rest: with task-clock in FILE
clear_of_each() {
	awk -F, '
	function near(a, b) { return a > 0.97 * b && a < 1.03 * b }
	$3 == "task-clock" { clock = $1 * 1e6; next }
	{ pmu = $3 ~ /atom/ ? "atom" : "core" }
	$1 == "<not counted>" { next }
	$3 ~ /cycles/ { ran[pmu] = $4; cycles[pmu] = $1 }
	$3 ~ /instructions/ { instr[pmu] = $1 }
	END {
		print "core " cycles["core"] / ran["core"] ", atom " cycles["atom"] / ran["atom"] \
			", ran " (ran["core"] + ran["atom"]) " of " clock
		exit !(near(cycles["core"], 3.0 * ran["core"]) && near(cycles["atom"], 2.0 * ran["atom"]) &&
			near(instr["core"], 1.5 * cycles["core"]) && near(instr["atom"], cycles["atom"]) &&
			near(ran["core"] + ran["atom"], clock) &&
			ran["core"] > 0.2 * clock && ran["atom"] > 0.2 * clock)
	}' "$1"
}

@test "a command that moves between core types: counts are not extrapolated" {
	hybrid
	moves 1 6
	for events in cycles,instructions '{cycles,instructions}'; do
		count out -e "$events,task-clock" -- sh moves.sh
		clear_of_each out
	done
	# the record of it says the same
	"$TDSTAT" record -o td.json -x, -e cycles,instructions,task-clock -- sh moves.sh 2>live >/dev/null
	"$TDSTAT" report -i td.json -x, >replayed
	diff live replayed
	clear_of_each replayed
}

@test "a command that moves, more events than counters: scaled within each kind's time" {
	hybrid
	moves 2 5
	count out -e "$TEN,r1a2,r2a2,cycles,task-clock" -- sh moves.sh
	# counts of one PMU stand to each other as their rates do
	awk -F, -v r1="$(plain 0xa1 1)" -v r9="$(plain 0xa1 9)" '
	$3 ~ /r1a1/ { a[substr($3, 1, 8)] = $1 }
	$3 ~ /r9a1/ { b[substr($3, 1, 8)] = $1 }
	END { for (p in a) { n++; r = a[p] / b[p] / (r1 / r9); print p, r
		if (r < 0.8 || r > 1.25) exit 1 } exit n != 2 }' out
	# a second of work at most: half of it on each
	awk -F, '$3 == "task-clock" { clock = $1 * 1e6 }
	$3 == "cpu_core/cycles/" { core = $1 / 3 }
	$3 == "cpu_atom/cycles/" { atom = $1 / 2 }
	END { r = (core + atom) / clock; print r; exit !(r > 0.85 && r < 1.15) }' out
}

@test "a command that stays on one core type: the other is not counted" {
	hybrid
	taskset -c 3 "$TDSTAT" -x, -o out -e cycles,instructions -- sh -c "$WORK"
	want out <<-'EOS'
		cpu_core/cycles/ 3.0
		cpu_atom/cycles/ -
		cpu_core/instructions/ 4.5
		cpu_atom/instructions/ -
	EOS
	[ "$(grep -c '^<not counted>,,cpu_atom/' out)" -eq 2 ]
}

@test "a command's cycles: perf's, and by the time it ran" {
	perf_or_skip
	taskset -c 3 "$TDSTAT" -x, -o out -e cycles,instructions,task-clock -- sh -c "$WORK"
	taskset -c 3 "$PERF" stat -x, -o perf.out -e cycles,instructions,task-clock -- sh -c "$WORK"
	sed -i '/^#/d; /^$/d' perf.out
	alike out perf.out
	awk -F, '$3 == "task-clock" { clock = $1 * 1e6 } $3 ~ /cycles/ && $4 > 0 { cycles = $1 }
	END { r = cycles / clock / 3; print r; exit !(r > 0.97 && r < 1.03) }' out
}

# --- a user without rights ------------------------------------------------------

@test "a user's own command: user space only, with one note and in the names" {
	echo 2 >"$PARANOID"
	taskset -c 3 "${NOBODY[@]}" "$TDSTAT" -o out -x, -e cycles,instructions,task-clock \
		-- sh -c "$WORK" 2>said
	[ "$(grep -c '^tdstat: ' said)" -eq 1 ]
	grep -E '^tdstat: .*user space.*perf_event_paranoid' said
	# three quarters of the rates
	awk -F, '$2 == "" && $4 > 0 { rate = $1 / $4; want = $3 ~ /cycles/ ? 2.25 : 3.375
		if (rate < 0.95 * want || rate > 1.05 * want) exit 1; n++ } END { exit n != 2 }' out
	if [ "$TD_MACHINE" = adl ]; then
		names="cpu_core/cycles/u cpu_atom/cycles/u cpu_core/instructions/u cpu_atom/instructions/u"
	else
		names="cycles:u instructions:u"
	fi
	[ "$(cut -d, -f3 out | grep -v task-clock | xargs)" = "$names" ]
}

@test "a user's context switches are the kernel's: not supported, with the reason" {
	echo 2 >"$PARANOID"
	"${NOBODY[@]}" "$TDSTAT" -o out -x, -e cycles,context-switches -- sh -c "$WORK; sleep 0.1" 2>said
	grep -E '^<not supported>,,context-switches(:u)?,' out
	grep -E '^tdstat: .*kernel, and so not context-switches$' said
	run -125 --separate-stderr "${NOBODY[@]}" "$TDSTAT" --require -e context-switches -- touch ran
	[[ $stderr == "tdstat: "*context-switches*kernel* ]]
	[ ! -e ran ]
	run -125 --separate-stderr "${NOBODY[@]}" "$TDSTAT" --require -e cycles:k -- touch ran
	[[ $stderr == "tdstat: "*kernel* ]]
	[ ! -e ran ]
}

@test "a user may not count the machine, nor look at tracepoints" {
	echo 2 >"$PARANOID"
	run -125 --separate-stderr "${NOBODY[@]}" "$TDSTAT" --require -a -e cycles -- touch ran
	assert_two_lines
	[[ ${stderr_lines[1]} == *perf_event_paranoid* ]]
	run -125 --separate-stderr "${NOBODY[@]}" "$TDSTAT" --require -e sched:sched_switch -- touch ran
	[[ $stderr == "tdstat: "*tracing* ]]
	[ ! -e ran ]
	run -0 --separate-stderr "${NOBODY[@]}" "$TDSTAT" --null -- true
	run -0 --separate-stderr "${NOBODY[@]}" "$TDSTAT" -e duration_time,user_time -- true
}
