#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -e, -d, --null and --filter: perf stat's table, CSV and JSON of events, with the software
# events of this kernel; plans for saved machines.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2086,SC2154 # awk, jq, sh -c; rows(); lists of options; helper.bash
load helper

# A number that no kernel has given to a software event.
NO_EVENT=1:77

# Use CPU time until FILE has N lines, that is, until tdstat has shown N intervals.
UNTIL_LINES=(/usr/bin/python3 -S -c 'import sys, time
file = open(sys.argv[1], "a+")
while file.seek(0) or file.read().count("\n") < int(sys.argv[2]):
    if time.process_time() > 600: sys.exit("never")')

# Uses CPU time, hardly any of it in the kernel.
SPIN=(/usr/bin/python3 -S -c 'import sys, time
while time.process_time() * 1000 < float(sys.argv[1]):
    for i in range(20000): pass')

# A command that waits until the test calls "release".
WAIT=(sh -c 'exec <held; echo >>waiting; read x || :')

hold() {
	mkfifo held
	exec {held}<>held
}

# release NR: start NR waiting commands; a FIFO without a writer cannot be opened
release() {
	wait_for has_lines waiting "$1"
	exec {held}>&-
}

# online_cpus: the numbers of this machine's CPUs, into cpus=()
online_cpus() {
	local list range

	cpus=()
	IFS=, read -ra list </sys/devices/system/cpu/online
	for range in "${list[@]}"; do
		for ((cpu = ${range%-*}; cpu <= ${range#*-}; cpu++)); do
			cpus+=("$cpu")
		done
	done
}

# no_pmu: a machine without any
no_pmu() {
	local online

	mkdir -p none/sys/bus/event_source/devices none/sys/devices/system/cpu
	IFS= read -r online </sys/devices/system/cpu/online
	echo "$online" >none/sys/devices/system/cpu/online
	export SYSFS_PATH=$PWD/none/sys PERF_CPUID=GenuineIntel-6-97-2
}

# needs_tracepoint SYSTEM NAME
needs_tracepoint() {
	[ -r "/sys/kernel/tracing/events/$1/$2/id" ] || skip "no $1:$2 to read here"
}

# ASK N: a command that makes the system call getsid N times, and no other process does
ASK=(/usr/bin/python3 -S -c 'import os, sys
for i in range(int(sys.argv[1])): os.getsid(0)')

# rows TEXT: the lines of events in perf's frame, into rows=(); their names into names
rows() {
	local text=${1#*Performance counter stats} row name

	text=${text#*$'\n\n'}
	mapfile -t rows <<<"${text%%$'\n\n'*}"
	names=''
	for row in "${rows[@]}"; do
		read -r name <<<"${row:24:32}"
		names+=${names:+ }$name
	done
}

# text VARIABLE FILE: all that is in it
text() {
	local content

	mapfile -d '' content <"$2"
	printf -v "$1" %s "${content[0]-}"
}

# footer TEXT WORDS: "0.279642292 seconds user" as 279642292, into nanoseconds
footer() {
	[[ $1 =~ $'\n '+([0-9]+)\.([0-9]{9})" $2"($'\n'|$) ]] || fail "no $2"
	nanoseconds=$((10#${BASH_REMATCH[1]}${BASH_REMATCH[2]}))
}

# --- the table ------------------------------------------------------------------

@test "a command's table: perf's frame around it" {
	real
	try "$TDSTAT" -e task-clock,page-faults -- sh -c 'echo said; exit 3'
	assert_failure 3
	assert_output said
	[ "${stderr_lines[0]}" = '' ]
	[ "${stderr_lines[1]}" = " Performance counter stats for 'sh -c echo said; exit 3':" ]
	[ "${stderr_lines[2]}" = '' ]
	[ "${stderr_lines[5]}" = '' ]
	[[ ${stderr_lines[6]} =~ ^\ {1,7}[0-9]+\.[0-9]{9}\ seconds\ time\ elapsed$ ]]
	[ "${#stderr_lines[6]}" -eq 39 ]
	[ "${stderr_lines[7]}" = '' ]
	[[ ${stderr_lines[8]} =~ ^\ +[0-9]+\.[0-9]{9}\ seconds\ user$ ]]
	[[ ${stderr_lines[9]} =~ ^\ +[0-9]+\.[0-9]{9}\ seconds\ sys$ ]]
	# $(...) takes the empty lines off the end
	[ "${#stderr_lines[@]}" -eq 10 ]
}

@test "a row: 18 columns of count, 4 of unit, 32 of name, 38 of metric" {
	real
	try "$TDSTAT" -e task-clock,page-faults,duration_time -- true
	rows "$stderr"
	units=''
	for row in "${rows[@]}"; do
		[[ $row =~ ^(.{18})\ (.{4})\ (.{32}).{38}$ ]] || fail "the columns of '$row'"
		read -r unit <<<"${BASH_REMATCH[2]}"
		read -r name <<<"${BASH_REMATCH[3]}"
		[[ ${BASH_REMATCH[1]} =~ ^\ +[0-9,]+(\.[0-9]{2})?$ ]] || fail "the count of '$row'"
		units+="$unit:$name "
	done
	assert_equal "$units" "msec:task-clock :page-faults ns:duration_time "
	[[ ${rows[0]} =~ ^.{56}\ #\ +[0-9]+\.[0-9]{3}\ CPUs\ utilized\ +$ ]]
	[[ ${rows[1]} =~ ^.{56}\ #\ +[0-9]+\.[0-9]{3}\ [KM]?/sec\ +$ ]]
	# perf shows no rate of its time
	[[ ${rows[2]} =~ ^.{56}\ {38}$ ]]
}

@test "rows are in the order of the command line, several -e in turn, an event twice" {
	real
	try "$TDSTAT" -e page-faults -e 'task-clock, cpu-clock' -e page-faults -- true
	assert_success
	rows "$stderr"
	assert_equal "$names" "page-faults task-clock cpu-clock page-faults"
}

@test "every software event of perf's list, under both its names" {
	real
	known=(cpu-clock task-clock page-faults faults context-switches cs cpu-migrations
		migrations minor-faults major-faults alignment-faults emulation-faults dummy
		bpf-output cgroup-switches)
	all=${known[*]}
	try "$TDSTAT" -e "${all// /,}" -x, -- true
	assert_success
	seen=
	for line in "${stderr_lines[@]}"; do
		# cgroup-switches: since Linux 5.13
		[[ $line =~ ^[0-9.]+,(msec)?,([a-z-]+),|^'<not supported>,'()(cgroup-switches), ]] || continue
		seen+=" ${BASH_REMATCH[2]}${BASH_REMATCH[4]}"
	done
	assert_equal "$seen" " $all"
}

@test "the counts are the kernel's: faults of a page each" {
	real
	cat >touch.py <<-'PYTHON'
		import mmap, os, resource, sys
		m = mmap.mmap(-1, 4096 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		try:
		    m.madvise(15)  # MADV_NOHUGEPAGE
		except OSError:
		    pass  # this kernel has none
		for page in range(int(sys.argv[1])):
		    m[page * mmap.PAGESIZE] = 1
		# the interpreter does not run after this
		os.write(1, b"%d" % resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
		os._exit(0)
	PYTHON
	for pages in 1 3001; do
		try "$TDSTAT" -e minor-faults -x, -- /usr/bin/python3 touch.py $pages
		assert_success
		counted+=("${stderr%%,*}") used+=("$output")
	done
	echo "counted ${counted[*]}, used ${used[*]}"
	# In used are those from fork to exec, too, which do not depend on the pages; 100: of
	# memory that is shared.
	more=$((used[1] - used[0])) difference=$((counted[1] - counted[0] - more))
	[ $more -gt 2000 ] && [ ${difference#-} -lt 100 ]
}

@test "-a: the whole machine, on standard output; no times but the elapsed one" {
	real -a
	read -r before _ </proc/uptime
	try "$TDSTAT" -a -e cpu-clock,page-faults --timeout 200 --no-big-num
	read -r after _ </proc/uptime
	took=$(((10#${after/./} - 10#${before/./} + 2) * 10000))
	assert_success
	assert_no_stderr
	assert_line --index 1 " Performance counter stats for 'system wide':"
	rows "$output"
	assert_equal "$names" "cpu-clock page-faults"
	[[ $output =~ seconds && ! $output =~ seconds.*seconds ]]
	# Each CPU's clock runs all the time: at least for the requested time, and at most
	# for as long as tdstat ran.
	online_cpus
	read -r msec _ <<<"${rows[0]}"
	usec=$((10#${msec/./} * 10))
	echo "cpu-clock $usec us, ${#cpus[@]} CPUs, $took us"
	[ $usec -ge $((${#cpus[@]} * 200000)) ] && [ $usec -le $((${#cpus[@]} * took * 101 / 100)) ]
	# its metric is it by the elapsed time
	[[ ${rows[0]} =~ \#\ +([0-9]+)\.([0-9]{3})\ CPUs\ utilized ]]
	thousandths=$((10#${BASH_REMATCH[1]}${BASH_REMATCH[2]}))
	footer "$output" "seconds time elapsed"
	difference=$((usec * 1000000 / nanoseconds - thousandths))
	[ ${difference#-} -le 1 ]
}

@test "a part of names of events: how to list them" {
	saved alderlake
	try "$TDSTAT" --dry-run -a -e L3_MISS
	assert_failure 64
	[[ $stderr == *'tdstat: tdstat list L3_MISS shows'* ]]
	try "$TDSTAT" list L3_MISS
	[[ $output == *mem_load_retired.l3_miss* ]]
}

@test "-a with a command: the command's own times too" {
	real -a
	try "$TDSTAT" -a -e cpu-clock -- true
	assert_success
	all=$output$'\n'$stderr
	[[ $all == *"stats for 'system wide':"* ]]
	footer "$all" "seconds time elapsed"
	footer "$all" "seconds user"
	footer "$all" "seconds sys"
	[[ ! $all =~ seconds.*seconds.*seconds.*seconds ]]
}

@test "-C: the CPUs in the frame; -p: the process, and its CPU time" {
	real -a
	try "$TDSTAT" -C 0 -e cpu-clock --timeout 100
	assert_success
	assert_line --index 1 " Performance counter stats for 'CPU(s) 0':"
	# it works while the command runs, which ends with it
	mkfifo ended
	/usr/bin/python3 -S -c 'import os, time
while not os.path.exists("go"): time.sleep(0.01)
wall, begin = time.monotonic(), time.process_time()
while time.process_time() < begin + 0.2: pass
open("ended", "w").write("%d\n" % ((time.monotonic() - wall) * 1e6))
time.sleep(6000)' &
	pid=$!
	try "$TDSTAT" -p $pid -e task-clock --no-big-num -- sh -c ': >go; read usec <ended; echo $usec'
	kill $pid
	assert_success
	all=$output$'\n'$stderr
	[[ $all == *$'\n'" Performance counter stats for process id '$pid':"* ]]
	rows "$all"
	assert_equal "$names" task-clock
	read -r msec _ <<<"${rows[0]}"
	usec=$((10#${msec/./} * 10))
	echo "task-clock $usec us in ${lines[0]} us"
	# its work before and after takes less than 100 ms; at each context switch, perf's
	# clock stops slightly before the scheduler's
	[ $usec -ge 180000 ] && [ $usec -le $((lines[0] * 101 / 100 + 100000)) ]
}

@test "-A: a row for each CPU, which is named in front, event by event" {
	real -a
	try "$TDSTAT" -a -A -e cpu-clock,page-faults --timeout 100
	assert_success
	rows "$output"
	IFS= read -r online </sys/devices/system/cpu/online
	online_cpus
	want='' got=''
	for event in cpu-clock page-faults; do
		for cpu in "${cpus[@]}"; do
			want+="$cpu $event"$'\n'
		done
	done
	for row in "${rows[@]}"; do
		# "CPU%-3d " before the 18 columns
		[[ $row =~ ^CPU([0-9]{1,3})\ .*\ (cpu-clock|page-faults)\  ]] || fail "'$row'"
		got+="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"$'\n'
		[ ${#row} = 101 ] && [ "${row:25:1}" = ' ' ] || fail "the columns of '$row'"
	done
	assert_same "$want" "$got"
	try "$TDSTAT" --dry-run -e cpu-clock
	assert_line --regexp "CPUs $online\$"
}

@test "a scale that is no whole number: two decimals, also of 0" {
	real -a
	[ -e /sys/bus/event_source/devices/power/events/energy-psys.scale ] || skip "no such event here"
	try "$TDSTAT" -a -e power/energy-psys/ -x, --timeout 50
	[[ $output != *'<not'* ]] || skip "this machine does not count it"
	[[ $output =~ ^[0-9]+\.[0-9]{2},Joules,power/energy-psys/, ]]
}

@test "commas between thousands, unless they are not wanted; never in CSV and JSON" {
	real
	for how in -B '--no-big-num -B'; do
		try "$TDSTAT" $how -e duration_time -- true
		rows "$stderr"
		[[ ${rows[0]} =~ ^\ +[0-9]{1,3}(,[0-9]{3})+\ ns\  ]] || fail "$how: $stderr"
	done
	for how in --no-big-num '-B --no-big-num'; do
		try "$TDSTAT" $how -e duration_time -- true
		rows "$stderr"
		[[ ${rows[0]} =~ ^\ +[0-9]{4,}\ ns\  ]] || fail "$how: $stderr"
	done
	try "$TDSTAT" -e duration_time -x ';' -- true
	[[ $stderr =~ ^[0-9]{4,}\;ns\;duration_time\; ]]
	try "$TDSTAT" -B -e duration_time -j -- true
	[[ $stderr =~ '"counter-value":"'[0-9]{4,}'.000000"' ]]
}

@test "-I: the time precedes each row, and no count is lost between two rows" {
	real
	# three lines of heading, then two for each interval
	"$TDSTAT" -I 100 -e task-clock,duration_time -o out -- "${UNTIL_LINES[@]}" out 7
	mapfile -t lines <out
	[ "${lines[2]}" = '#           time             counts unit events' ] ||
		[ "${lines[0]}" = '#           time             counts unit events' ]
	# the time in front is the sum of what the clock counted
	awk '!/task-clock|duration_time/ { next }
		!/^ +[0-9]+\.[0-9]+ / || length($1) - index($1, ".") != 9 { exit bad = 1 }
		substr($0, 17, 1) != " " || index(substr($0, 1, 16), ".") != 7 { exit bad = 1 }
		/duration_time/ { gsub(/,/, "", $2); sum += $2 / 1e9; n++
			if (sum - $1 > 1e-6 || $1 - sum > 1e-6) exit bad = 1 }
		END { exit bad || n < 2 }' out
}

# --- times ----------------------------------------------------------------------

@test "duration_time, user_time, system_time are the footer's seconds" {
	real
	# 300 ms: where the kernel samples it, it has 30 ticks at least
	try "$TDSTAT" -e duration_time,user_time,system_time --no-big-num -- "${SPIN[@]}" 300
	assert_success
	rows "$stderr"
	i=0
	for event in "duration_time:time elapsed" user_time:user system_time:sys; do
		footer "$stderr" "seconds ${event#*:}"
		read -r count unit name _ <<<"${rows[i++]}"
		assert_equal "$count $unit $name" "$nanoseconds ns ${event%%:*}"
		[ "$name" != user_time ] || [ "$count" -gt 1000000 ]
	done
}

@test "only duration_time: no counter is opened, with or without -a" {
	needs_strace
	try strace -f -e trace=perf_event_open -o log "$TDSTAT" -e duration_time --timeout 50 --no-big-num
	assert_success
	text log log
	[[ $log != *perf_event_open* ]]
	rows "$output"
	read -r count rest <<<"${rows[0]}"
	[ "$rest" = "ns   duration_time" ] && [ "$count" -ge 50000000 ]
	read -r before _ </proc/uptime
	try "$TDSTAT" -a -e user_time,system_time -x, --timeout 300
	read -r after _ </proc/uptime
	took=$(((10#${after/./} - 10#${before/./} + 2) * 10000))
	assert_success
	# of all CPUs, in ticks of the kernel: 10 ms
	online_cpus
	sum=0
	[ ${#lines[@]} = 2 ]
	for line in "${lines[@]}"; do
		IFS=, read -r count unit _ <<<"$line"
		[ "$unit" = ns ] && [ $((count % 10000000)) = 0 ]
		sum=$((sum + count))
	done
	[ $sum -le $((${#cpus[@]} * (took + 1000000) * 1000)) ]
}

@test "--null: only the time, and the command's status" {
	needs_strace
	for option in --null -n; do
		try strace -f -e trace=perf_event_open -o log "$TDSTAT" $option -- sh -c 'exit 7'
		assert_failure 7
		text log log
		[[ $log != *perf_event_open* ]]
		[ "${stderr_lines[1]}" = " Performance counter stats for 'sh -c exit 7':" ]
		said=''
		for line in "${stderr_lines[@]:2}"; do
			read -r _ line <<<"$line"
			said+=${line:+$line, }
		done
		assert_equal "$said" "seconds time elapsed, seconds user, seconds sys, "
	done
	for format in '-x,' -j; do
		try "$TDSTAT" --null $format -- true
		assert_success
		assert_no_stderr
	done
}

# --- CSV and JSON ---------------------------------------------------------------

@test "CSV: value, unit, event, runtime, percent, metric, its unit; 6 separators" {
	real
	try "$TDSTAT" -e task-clock,page-faults,context-switches:u -x, -- true
	assert_success
	events=''
	for line in "${stderr_lines[@]}"; do
		[[ $line =~ ^[0-9]+(\.[0-9]{2})?,(msec)?,([a-z:-]+),[0-9]+,100\.00,([0-9.]+)?,[A-Za-z/\ ]*$ ]] ||
			fail "'$line'"
		events+="${BASH_REMATCH[2]},${BASH_REMATCH[3]} "
	done
	assert_equal "$events" "msec,task-clock ,page-faults ,context-switches:u "
	[[ ${stderr_lines[0]} =~ ^([0-9]+)\.([0-9]{2}),msec,task-clock,([0-9]+),100\.00,[0-9]+\.[0-9]{3},CPUs\ utilized$ ]]
	# a clock runs as long as it is counted
	difference=$((10#${BASH_REMATCH[1]}${BASH_REMATCH[2]} * 10000 - BASH_REMATCH[3]))
	[ ${difference#-} -le 100000 ]
}

@test "CSV: a separator more for -I, -A, and both; any separator, no header" {
	real -a
	for how in "6 , -a --timeout 60" "6 ; -a --timeout 60" "7 , -a -I 50 --interval-count 2" \
		"7 \t -a -A --timeout 60" "8 ; -a -A -I 50 --interval-count 2" "8 , -A -C 0 -I 50 --interval-count 2"; do
		read -r nr sep options <<<"$how"
		char=$sep
		[ "$sep" != '\t' ] || char=$'\t'
		try "$TDSTAT" $options -e cpu-clock,page-faults,duration_time,$NO_EVENT -x "$sep"
		assert_success
		[ ${#lines[@]} -ge 4 ]
		for line in "${lines[@]}"; do
			found=${line//[!"$char"]/}
			[ ${#found} = "$nr" ] || fail "$how: $line"
		done
		[[ $output != *counter* ]]
	done
	[[ ${lines[0]} =~ ^0\.[0-9]{9},CPU0,[0-9]+\.[0-9]{2},msec,cpu-clock,[0-9]+,100\.00, ]]
}

@test "CSV: a name that holds the separator or a quote is quoted" {
	real
	"$TDSTAT" -x, -o fields.csv -e "task-clock/name='a,b'/,page-faults/name='say \"x\"'/" -- true
	"$TDSTAT" -e "task-clock/name='a,b'/" -j -o json -- true
	python3 - <<-'PYTHON'
		import csv, json
		names = [row[2] for row in csv.reader(open("fields.csv", newline=""), strict=True)]
		assert names == ["a,b", 'say "x"'], names
		text = open("fields.csv").read()
		assert '"a,b"' in text and '"say ""x"""' in text, text
		assert json.load(open("json"))["event"] == "a,b"
	PYTHON
}

@test "JSON: an object a line, perf's keys in perf's order" {
	real -a
	for how in "total:-a --timeout 60" "interval:-a -I 50 --interval-count 2" "cpu:-a -A --timeout 60" \
		"interval cpu:-A -C 0 -I 50 --interval-count 2"; do
		try "$TDSTAT" ${how#*:} -e cpu-clock,page-faults,$NO_EVENT -j -o "${how%%:*}.json"
		assert_success
	done
	# also for an event without a metric, because perf's linter counts them
	command jq -en '
		[inputs | {file: input_filename | ltrimstr("./") | rtrimstr(".json"), keys: keys_unsorted, row: .}] as $all |
		($all | map(.file) | unique | length == 4) and
		all($all[]; .keys == (.file | split(" ") - ["total"]) + ["counter-value", "unit", "event",
			"event-runtime", "pcnt-running", "metric-value", "metric-unit"]) and
		($all | map(select(.file == "interval cpu") | .row) |
			all(.[]; (."counter-value" | type == "string") and (.unit | type == "string")
				and (."event-runtime" | type == "number") and (."pcnt-running" | type == "number")
				and (.interval | type == "number") and .cpu == "0" and (."metric-value" | type == "string"))
			and all(.[] | select(.event == "1:77"); ."metric-value" == "nan" and ."metric-unit" == "")
			and (map(.event) | unique == ["1:77", "cpu-clock", "page-faults"]))' ./*.json ||
		fail "$(<"interval cpu.json")"
}

@test "not counted: an interval in which the command did not run" {
	real
	hold
	for format in '' '-x,' -j; do
		within "$TDSTAT" -I 50 -e task-clock,page-faults $format -o "out$format" -- "${WAIT[@]}" {held}>&- &
	done
	for format in '' '-x,' -j; do
		wait_for has_text "out$format" '<not counted>.*<not counted>.*'$'\n'
	done
	release 3
	wait
	has_text out $'\n +[0-9]+\.[0-9]{9}      <not counted> msec task-clock +(\(0\.00%\))?\n'
	has_text out $'\n +[0-9]+\.[0-9]{9}      <not counted>      page-faults '
	has_text out-x, $'\n[0-9]+\.[0-9]{9},<not counted>,msec,task-clock,0,[0-9.]+,,\n'
	jq -es 'map(select(."counter-value" == "<not counted>")) |
		length >= 2 and all(.[]; ."event-runtime" == 0 and ."metric-value" == "nan")' out-j
	text table out
	text csv out-x,
	[[ $table$csv != *[nN][aA][nN]* ]]
}

@test "not supported: events that the kernel lacks, with the reason; the others count" {
	real
	try "$TDSTAT" -e task-clock,$NO_EVENT,page-faults -- true
	assert_success
	rows "$stderr"
	[[ ${rows[0]} =~ ^\ +[0-9.]+\ msec\ task-clock\  ]]
	[[ ${rows[1]} =~ ^"   <not supported>      $NO_EVENT "\ +$ ]]
	[[ ${rows[2]} =~ ^\ +[1-9][0-9]*\ {6}page-faults\  ]]
	assert_complains "$NO_EVENT.*No such file"
	for order in "$NO_EVENT,task-clock" "{task-clock,$NO_EVENT}" "{$NO_EVENT,task-clock}:W"; do
		try "$TDSTAT" -e "$order" -x, -o out -- true
		assert_success
		text out out
		[[ $'\n'$out == *$'\n'"<not supported>,,$NO_EVENT,0,100.00,,"$'\n'* ]] || fail "$order: $out"
		[[ $'\n'$out =~ $'\n'[0-9.]+,msec,task-clock,[1-9] ]] || fail "$order: $out"
	done
	"$TDSTAT" -e "task-clock,$NO_EVENT" -j -o out -- true 2>/dev/null
	jq -es '.[1]."counter-value" == "<not supported>" and .[1]."metric-value" == "nan"' out
}

@test "no PMU: hardware events are not supported, the others count" {
	real
	no_pmu
	for event in cycles instructions:u r1a L1-dcache-loads; do
		try "$TDSTAT" -e "$event,task-clock" -x, -- true
		assert_success
		[[ $'\n'$stderr == *$'\n<not supported>,,'* ]] || fail "$event"
		[[ $'\n'$stderr =~ $'\n'[0-9.]+,msec,task-clock, ]] || fail "$event"
		assert_complains "PMU"
	done
}

@test "locales with a decimal comma or other thousands separators have no effect" {
	real
	german
	try "$TDSTAT" -e task-clock,duration_time -- true
	rows "$stderr"
	[[ ${rows[0]} =~ ^\ +[0-9,]+\.[0-9]{2}\ msec\ task-clock\ +\#\ +[0-9]+\.[0-9]{3}\ CPUs ]]
	[[ ${rows[1]} =~ ^\ +[0-9]{1,3}(,[0-9]{3})+\ ns\  ]]
	footer "$stderr" "seconds time elapsed"
	try "$TDSTAT" -e task-clock -x, -- true
	[[ $stderr =~ ^[0-9]+\.[0-9]{2},msec,task-clock,[0-9]+,100\.00,[0-9]+\.[0-9]{3},CPUs ]]
	try "$TDSTAT" -e task-clock -j -- true
	[[ $stderr =~ '"counter-value":"'[0-9]+\.[0-9]{6}\".*'"pcnt-running":100.00,' ]]
	# a file written in one locale is read in the other
	"$TDSTAT" record -o file -e task-clock,duration_time -x, -- true 2>want
	"$TDSTAT" report file -x, >german
	LC_ALL=C "$TDSTAT" report file -x, >english
	text want want
	text german german
	text english english
	assert_same "$want" "$german"
	assert_same "$want" "$english"
}

# --- statuses and errors --------------------------------------------------------

@test "the status is the command's, and with --require 125 if counting is not possible" {
	real
	try "$TDSTAT" -e task-clock -- sh -c 'exit 42'
	assert_failure 42
	try "$TDSTAT" -e task-clock -- sh -c 'kill -KILL $$'
	assert_failure 137
	try "$TDSTAT" -e task-clock -- ./not-there
	assert_failure 127
	try "$TDSTAT" -e task-clock -- /
	assert_failure 126
	try "$TDSTAT" -e task-clock,$NO_EVENT -- sh -c 'exit 5'
	assert_failure 5
	try "$TDSTAT" -e $NO_EVENT --require -- touch ran
	assert_failure 125
	assert_complains "$NO_EVENT"
	[ ! -e ran ]
}

# wrong TEXT MARK WHY: the text is refused as wrong usage, with MARK below it; more may
# follow
wrong() {
	try "$TDSTAT" -e "$1" -- touch ran
	[ "$status" = 64 ] || fail "'$1': status $status"
	assert_output ''
	[ ! -e ran ]
	[[ ${stderr_lines[0]} == "tdstat: "* && ${stderr_lines[0]} =~ $3 ]] || fail "'$1': no $3"
	[ "${stderr_lines[1]}" = "    $1" ] || fail "'$1' is not quoted"
	[[ ${stderr_lines[2]} =~ ^'    '"$2"~*$ ]] || fail "'$1': the mark is elsewhere"
	[ "${#stderr_lines[2]}" -le "${#stderr_lines[1]}" ] || [[ $2 == *' ^' ]]
}

@test "a wrong word is marked on the line below it, with status 64" {
	saved alderlake
	wrong 'cycels' '^~~~~~' cycels
	wrong 'cycles,instrs' '       ^~~~~~' instrs
	wrong '  task-clock , foo' '               ^~~' foo
	wrong '{cycles,nothing}:u' '        ^~~~~~~' nothing
	wrong 'cpu_core/evnt=0x3c/' '         ^' evnt
	wrong 'cpu_core/event=0x3c,period=0/' '                    ^' 'period'
	wrong 'cycles/period/' '       ^' 'period'
	wrong 'cpu_core/event=0x3c,umask=0x100/' '                    ^' '0x100|umask'
	wrong 'cpu_core/event=zzz/' '         ^' 'number|zzz'
	wrong 'cpu_cor/cycles/' '^~~~~~~' cpu_cor
	# the PMU of other processors' cores
	wrong 'cpu/event=0x3c/' '^~~' cpu
	assert_equal "${stderr_lines[3]}" "tdstat: core PMUs here: cpu_core, cpu_atom; 'cpu_*' matches all"
	wrong 'cycles,cpu/cycles/' '       ^~~' cpu
	wrong 'cycles:q' '       ^' modifiers
	wrong 'cycles:W' '       ^' group
	# a word of intel/perfmon's files
	wrong 'TOPDOWN.SLOTS:perf_metrics' '              ^~~~~~~~~~~~' "not modifiers of 'TOPDOWN.SLOTS'"
	# as perf 6.12 prints it
	wrong 'cpu_core/instructions:u/' '         ^' "has no term or event 'instructions:u'"
	assert_equal "${stderr_lines[3]}" 'tdstat: a modifier comes after the last slash: cpu_core/instructions/u'
	wrong '{cycles' '^' '}'
	[ ! -r /sys/kernel/tracing/events ] || wrong 'no:such' '^' no:such
	wrong 'cycles/' '       ^' .
	wrong "cpu_core/name='x/" '              ^' quote
	saved skylakex
	wrong 'cpu_core/cycles/' '^~~~~~~~' cpu_core
	assert_equal "${stderr_lines[3]}" "tdstat: core PMU here: cpu"
}

@test "missing parts are marked" {
	saved alderlake
	for text in '' ',' 'cycles,' 'cycles,,instructions' '{}' 'cpu_core/cycles'; do
		try "$TDSTAT" -e "$text" -- touch ran
		assert_failure 64
		[ "${stderr_lines[1]}" = "    $text" ] || fail "'$text' is not quoted"
		[[ ${stderr_lines[2]} =~ ^\ *\^~*$ ]] || fail "'$text': no caret"
		[ ! -e ran ]
	done
}

@test "suggestions: a similar name, the terms of that PMU" {
	saved alderlake
	try "$TDSTAT" -e cycels -- true
	assert_complains 'cycles'
	try "$TDSTAT" -e inst_retired.anyy -- true
	assert_complains '[Ii][Nn][Ss][Tt]_[Rr][Ee][Tt][Ii][Rr][Ee][Dd]\.[Aa][Nn][Yy]'
	try "$TDSTAT" -e cpu_atom/offcor_rsp=1/ -- true
	assert_complains 'offcore_rsp'
	# terms of cpu_atom's own format directory, and not of other PMUs
	try "$TDSTAT" -e cpu_atom/nothing_like_it=1/ -- true
	for term in "$SYSFS_PATH"/bus/event_source/devices/cpu_atom/format/*; do
		assert_complains "${term##*/}"
	done
	[[ $stderr != *frontend* ]]
}

@test "the second -e is the one that is quoted" {
	saved alderlake
	try "$TDSTAT" -e task-clock -e page-fault -- true
	assert_failure 64
	[ "${stderr_lines[1]}" = '    page-fault' ]
	[ "${stderr_lines[2]}" = '    ^~~~~~~~~~' ]
	assert_complains "page-faults"
}

@test "options that exclude each other" {
	for how in '-e task-clock -l 1' '-d -l 2' '--null -l 1' '--null -e task-clock' '--null -d' \
		'-e task-clock -A' '-e task-clock -x, -j' \
		'-e task-clock -p 1 -t 1' '--filter x -e sched:sched_switch' '--filter x'; do
		try "$TDSTAT" $how -- touch ran
		[ "$status" -eq 64 ] || fail "$how: status $status"
		assert_complains .
		[ ! -e ran ]
	done
	for how in '-e task-clock' -d --null; do
		try "$TDSTAT" report $how -i "$data/alderlake.jsonl"
		assert_failure 64
	done
}

@test "-e, -d, --filter without or with too much: a line, no crash" {
	try "$TDSTAT" -e
	assert_failure 64
	try "$TDSTAT" -e task-clock --filter
	assert_failure 64
	saved alderlake
	printf -v long 'cycles,%.0s' {1..300}
	"$TDSTAT" --dry-run -e "${long}instructions" -- true >out
	assert_equal "$(grep -c '/cycles/' out)" 600
	printf -v long '{%.0s' {1..2000}
	try "$TDSTAT" -e "$long" -- true
	assert_failure 64
}

# --- tracepoints ----------------------------------------------------------------

@test "a tracepoint counts its events, also with a filter" {
	real
	needs_tracepoint raw_syscalls sys_enter
	[[ $HOSTTYPE == x86_64 ]] || skip "getsid has another number here"
	try "$TDSTAT" -e raw_syscalls:sys_enter --filter 'id == 124' -x, -- "${ASK[@]}" 53
	[[ $stderr =~ ^53,,raw_syscalls:sys_enter, ]]
	try "$TDSTAT" -e 'raw_syscalls:sys_enter,raw_syscalls:sys_exit' --filter 'id == 124' -x, -- "${ASK[@]}" 53
	[[ $stderr =~ ^53,[^$'\n']*$'\n'53, ]]
	# only for the last -e
	try "$TDSTAT" -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit --filter 'id == 124' -x, -- "${ASK[@]}" 53
	[[ $stderr =~ ^([0-9]+),[^$'\n']*$'\n'53, && ${BASH_REMATCH[1]} -gt 53 ]]
	# perf's rule for two of them: both
	try "$TDSTAT" -e raw_syscalls:sys_enter --filter 'id == 124' --filter 'id > 0' -x, -- "${ASK[@]}" 53
	[[ $stderr =~ ^53, ]]
}

@test "-a: the filter is that of every CPU" {
	real -a
	needs_tracepoint syscalls sys_enter_getsid
	# an argument that no other process has; on the first and the last CPU it may use
	try "$TDSTAT" -a -e syscalls:sys_enter_getsid --filter 'pid == 2012345678' -x, -- \
		/usr/bin/python3 -S -c 'import os
cpus = sorted(os.sched_getaffinity(0))
for cpu in cpus[0], cpus[-1]:
    os.sched_setaffinity(0, [cpu])
    for i in range(106):
        try: os.getsid(2012345678 - i % 2)
        except OSError: pass'
	assert_success
	all=$output$stderr
	[[ $all =~ ^106,,syscalls:sys_enter_getsid, ]] || fail "$all"
}

@test "a glob is every tracepoint of that name; {} holds them" {
	real
	needs_tracepoint sched sched_process_fork
	"$TDSTAT" -e 'sched:sched_process_*' -x, -o out -- sh -c '/bin/true; /bin/true; :'
	declare -A count=() there=()
	for dir in /sys/kernel/tracing/events/sched/sched_process_*/; do
		dir=${dir%/}
		there[sched:${dir##*/}]=1
	done
	while IFS=, read -r number _ event _; do
		count[$event]=$number
	done <out
	assert_equal "${!count[*]}" "${!there[*]}"
	[ "${count[sched:sched_process_fork]}" = 2 ] && [ "${count[sched:sched_process_exec]}" = 3 ]
}

@test "a filter that makes no sense is pointed at, one for no tracepoint too" {
	real
	needs_tracepoint raw_syscalls sys_enter
	for filter in 'nothing == 1' 'id === 1' 'id == '; do
		try "$TDSTAT" -e raw_syscalls:sys_enter --filter "$filter" -- touch ran
		[ "$status" -eq 64 ] || fail "$filter: status $status"
		assert_equal "${stderr_lines[0]}" "tdstat: --filter: the kernel refuses it for raw_syscalls:sys_enter"
		[ "${stderr_lines[1]}" = "    $filter" ]
		[[ ${stderr_lines[2]} =~ ^\ +\^~+$ ]]
		[[ ${stderr_lines[3]} == *"/events/raw_syscalls/sys_enter/format "* ]]
		[ ! -e ran ]
	done
	try "$TDSTAT" -e raw_syscalls:sys_enter,task-clock --filter 'id == 1' -- touch ran
	assert_failure 64
	[ "${stderr_lines[1]}" = '    raw_syscalls:sys_enter,task-clock' ]
	[ "${stderr_lines[2]}" = '                           ^~~~~~~~~~' ]
	[ ! -e ran ]
}

# --- opened events ----------------------------------------------------------------

@test "-vv: a block for each call that the kernel saw, with its arguments and answer" {
	real
	needs_strace
	try strace -f -e trace=perf_event_open -X raw -o log \
		"$TDSTAT" -vv -e "{task-clock,page-faults:u},$NO_EVENT" -- true
	assert_success
	python3 - log .stderr <<-'PYTHON'
		import re, sys
		log, said = (open(name).read() for name in sys.argv[1:])
		# TYPE and CONFIG, then PID, CPU, GROUP, FLAGS and the answer
		calls = [(int(call[0], 0), int(call[1], 0), *call[2:6], max(-1, int(call[6])))
		         for call in re.findall(r"perf_event_open\({type=(\w+), .*config=(\w+), .*}, "
		                                r"(-?\d+), (-?\d+), (-?\d+), (\w+)\) = (-?\d+)", log)]
		blocks = [(int(block[0], 0), int(block[1], 0), *block[2:6], int(block[6] or -1))
		          for block in re.findall(r"^perf_event_attr:$.*?^  type +(\w+)\b.*?^  config +(\w+)\b.*?"
		                                  r"^sys_perf_event_open: pid (-?\d+)  cpu (-?\d+)  group_fd (-?\d+)  "
		                                  r"flags (\w+)(?: = (\d+))?$", said, re.M | re.S)]
		assert calls == blocks and len(calls) > 2, (log, calls, blocks)
		assert said.count("\nperf_event_attr:\n") + said.startswith("perf_event_attr:\n") == len(calls)
		assert re.search("^sys_perf_event_open failed, error -2$", said, re.M)
		assert re.search("^  exclude_kernel +1$", said, re.M)
	PYTHON
}

@test "-v: the group of each event, and events that were given up" {
	real
	try "$TDSTAT" -v -e "{task-clock,page-faults},context-switches,$NO_EVENT" -- true
	assert_success
	before=${stderr%%Performance counter stats*}
	for event in task-clock page-faults context-switches; do
		[[ $before == *"$event"* ]] || fail "$event"
	done
	[[ $'\n'$stderr == *$'\n'"tdstat: $NO_EVENT"* ]]
}

# planned OPTION...: "EVENT TYPE CONFIG" in their order, a line each, into plan; the
# number of groups into groups
planned() {
	local event word type config

	"$TDSTAT" --dry-run "$@" >.plan
	plan='' groups=0
	while read -r event word type _ config _; do
		[ "$word" != type ] || plan+="$event $type $config"$'\n'
		[ "$event" != group ] || groups=$((groups + 1))
	done <.plan
}

# caches FIRST:CACHE...: the lines of these events of caches on Alder Lake, into want:
# id | op << 8 | result << 16, the PMU above (linux/perf_event.h)
caches() {
	local event pmu line

	want=''
	for event; do
		for pmu in cpu_core:4 cpu_atom:10; do
			printf -v line '%s/%s/ 3 0x%x\n' ${pmu%:*} ${event%:*} \
				$(((${pmu#*:} << 32) | 0x${event#*:}))
			want+=$line
		done
	done
}

@test "-d on Alder Lake: perf's defaults, both PMUs, cpu_core first" {
	saved alderlake
	# linux/perf_event.h; PMU types of this tree: 4 and 10
	want='task-clock 1 0x1
context-switches 1 0x3
cpu-migrations 1 0x4
page-faults 1 0x2
cpu_core/cycles/ 0 0x400000000
cpu_atom/cycles/ 0 0xa00000000
cpu_core/instructions/ 0 0x400000001
cpu_atom/instructions/ 0 0xa00000001
cpu_core/branches/ 0 0x400000004
cpu_atom/branches/ 0 0xa00000004
cpu_core/branch-misses/ 0 0x400000005
cpu_atom/branch-misses/ 0 0xa00000005
'
	planned -d -- true
	assert_same "$want" "$plan"
	# never in one group: each is multiplexed separately
	assert_equal $groups 12
	planned -d -a
	assert_same "${want/task-clock 1 0x1/cpu-clock 1 0x0}" "$plan"
	atom=''
	while read -r line; do
		[[ $line == cpu_core* ]] || atom+=$line$'\n'
	done <<<"${want%$'\n'}"
	planned -d --cputype atom -- true
	assert_same "$atom" "$plan"
}

@test "-dd and -ddd: cache events follow the events of -d" {
	saved alderlake
	planned -d -- true
	one=$plan
	planned -dd -- true
	two=$plan
	[[ $two == "$one"* ]]
	caches L1-dcache-loads:0 L1-dcache-load-misses:10000 LLC-loads:2 LLC-load-misses:10002
	assert_same "$want" "${two#"$one"}"
	planned -ddd -- true
	[[ $plan == "$two"* ]]
	caches L1-icache-loads:1 L1-icache-load-misses:10001 dTLB-loads:3 dTLB-load-misses:10003 \
		iTLB-loads:4 iTLB-load-misses:10004
	assert_same "$want" "${plan#"$two"}"
	planned --detailed -- true
	assert_same "$one" "$plan"
}

@test "-d on a machine of one core type: names without a PMU, or with cpu/" {
	saved sapphirerapids
	planned -d -- true
	got=''
	while read -r _ event; do
		got+="$event, "
	done <<<"${plan%$'\n'}"
	assert_equal "$got" '1 0x1, 1 0x3, 1 0x4, 1 0x2, 0 0x0, 0 0x1, 0 0x4, 0 0x5, '
}

@test "-e on Alder Lake: -C leaves each PMU its own CPUs, and an error names a PMU without any" {
	saved alderlake
	planned -C 5-6 -e cycles
	assert_equal "$plan" $'cpu_atom/cycles/ 0 0xa00000000\n'
	try "$TDSTAT" --dry-run -C 5-6 -e cpu_core/cycles/,cpu_atom/cycles/
	[[ $output != *'CPUs '\(* ]] || fail "a group without a CPU"
	assert_complains 'cpu_core'
}

@test "-e on Alder Lake: a group with events of both PMUs becomes one group per PMU, with one note" {
	saved alderlake
	for events in '{cycles,instructions}' '{cpu_core/cycles/,cpu_atom/cycles/,cpu_core/instructions/}'; do
		planned -a -e "$events" 2>said
		assert_equal $groups 2
	done
	mapfile -t lines <said
	assert_equal ${#lines[@]} 1
	[[ ${lines[0]} == "tdstat: "*group* ]]
}

# --- recordings -----------------------------------------------------------------

# replays RECORD-OPTION...: report shows the same as the live run, in each format
replays() {
	local line

	for format in '' '-x,' -j; do
		try "$TDSTAT" record -o file $format "$@"
		assert_success
		live=''
		while IFS= read -r line; do
			[[ $line == "tdstat: "* ]] || live+=$line$'\n'
		done <<<"$output${output:+$'\n'}$stderr"
		while [[ $live == *$'\n' ]]; do live=${live%$'\n'}; done
		[ -n "$live" ] || [[ $format != '' && $* == *--null* ]]
		try "$TDSTAT" report file $format
		assert_same "$live" "$output"
	done
}

@test "a recording of a command's events and its report agree" {
	real
	replays -e task-clock,page-faults,duration_time -- true
	replays -e "{task-clock,page-faults:u}:W,context-switches/name='a,b'/" -- true
	replays -e "task-clock,$NO_EVENT" -- true
	replays -I 50 -e task-clock,page-faults,duration_time -- sleep 0.12
}

@test "a recording of user_time and system_time" {
	real
	replays -e task-clock,user_time,system_time -- "${SPIN[@]}" 50
	replays -e user_time,system_time -- "${SPIN[@]}" 50
	replays -a -I 100 --interval-count 3 -e cpu-clock,user_time,system_time
}

@test "a recording of a machine's events: all together, and a row for each CPU" {
	real -a
	replays -a -e cpu-clock,page-faults,duration_time --timeout 100
	for format in '' '-x,' -j; do
		try "$TDSTAT" record -o file -a -A $format -e cpu-clock,page-faults -I 50 --interval-count 2
		live=$output
		try "$TDSTAT" report file -A $format
		assert_same "$live" "$output"
		try "$TDSTAT" report file $format
		assert_same "$live" "$output"
	done
	try "$TDSTAT" report file --total -x,
	[[ ! $output =~ CPU[0-9] ]]
	assert_equal ${#lines[@]} 4
}

@test "--metric-only: metrics without the counts; the same columns each time" {
	real
	try "$TDSTAT" --metric-only -e task-clock,page-faults,duration_time -x, -- sh -c 'exit 0'
	assert_equal "${stderr_lines[0]}" \
		'time,id,pmu,busy,share,running,ipc,CPUs utilized,page-faults/sec,'"$behind"
	# the same two, computed from the counts of another form of the same run
	"$TDSTAT" record -o file -e task-clock,page-faults,duration_time -- sh -c 'exit 0' 2>/dev/null
	"$TDSTAT" report --metric-only -j file >metrics
	"$TDSTAT" report -j file >events
	# three lines of a head and of two metrics: an interval
	"$TDSTAT" --metric-only -I 50 -e task-clock,page-faults -j -o out -- "${UNTIL_LINES[@]}" out 5
	jq -es --slurpfile e events --slurpfile intervals out '
		($e | map({(.event): (."counter-value" | tonumber)}) | add) as $c
		| (map({(.metric): .value}) | add) as $m
		| ($m["CPUs utilized"] - $c["task-clock"] * 1e6 / $c.duration_time | fabs) < 1e-3
		and ($m["page-faults/sec"] / ($c["page-faults"] / $c["task-clock"] * 1000) - 1 | fabs) < 1e-3
		and (map(select(.metric)) | all(.kind == "summary" and .interval == null and .seconds > 0))
		and ($intervals | map(select(.metric)) | (map(.interval) | unique | .[:2] == [1, 2])
			and all(.kind == "interval" and .seconds > 0))' metrics
	# an interval without a count keeps its column
	hold
	within "$TDSTAT" --metric-only -I 50 -e task-clock,page-faults -x, -o out -- "${WAIT[@]}" {held}>&- &
	wait_for has_text out $'\n[0-9.]+,all,all,,,,,,,,[^\n]*\n'
	release 1
	wait
	mapfile -t lines <out
	for line in "${lines[@]}"; do
		commas=${line//[!,]/}
		[ ${#commas} = 24 ] || fail "$line"
	done
	for how in '-e dummy' '--null'; do
		try "$TDSTAT" --metric-only $how --require -- true
		assert_failure
		assert_complains metric-only
	done
}

@test "a recording of -d, and of --null" {
	real
	replays -d -- true
	replays --null -- sh -c 'true'
}

@test "a recording of events has no tree to show" {
	real
	"$TDSTAT" record -o file -e task-clock -- true 2>/dev/null
	for how in '-l 2' '-M tma_retiring'; do
		try "$TDSTAT" report $how file
		[ "$status" -ne 0 ] || fail "$how is ignored"
		assert_complains .
		assert_output ''
	done
}

@test "a recording's head: the events as they were typed, the table" {
	real
	"$TDSTAT" record -o file -e 'page-faults,task-clock:u' -- true 2>/dev/null
	jq -es '.[0].tdstat == 1 and ([.[0].events[].name] == ["page-faults", "task-clock:u"])
		and (.[1].counts | length == 2) and .[2].end.exit == 0' file
}
