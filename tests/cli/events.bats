#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -e, -d, --null and --filter: perf stat's table, CSV and JSON of events, over
# the software events of this very kernel; what is planned for saved machines.

# shellcheck disable=SC2001,SC2012,SC2016,SC2030,SC2031,SC2046,SC2086,SC2094,SC2154 # awk, jq; lists of options; helper.bash
load helper

# A number that no kernel has given to a software event.
NO_EVENT=1:77

# no_pmu: a machine without any
no_pmu() {
	mkdir -p none/sys/bus/event_source/devices none/sys/devices/system/cpu
	cp /sys/devices/system/cpu/online none/sys/devices/system/cpu/
	export SYSFS_PATH=$PWD/none/sys PERF_CPUID=GenuineIntel-6-97-2
}

# needs_tracepoint SYSTEM NAME
needs_tracepoint() {
	[ -r "/sys/kernel/tracing/events/$1/$2/id" ] || skip "no $1:$2 to read here"
}

# asks N: a command that makes the system call getsid N times, as nobody else does
asks() {
	printf 'import os\nfor i in range(%d): os.getsid(0)\n' "$1" >asks.py
	echo python3 asks.py
}

# rows TEXT: the lines of events in perf's frame
rows() {
	awk '/^ Performance counter stats/ { on = 1; getline; next } /^$/ { on = 0 } on' <<<"$1"
}

# nanoseconds TEXT WORDS: "0.279642292 seconds user" as 279642292
nanoseconds() {
	awk -v words="$2" '{ n = $1; sub(/^ +[0-9.]+ /, "") }
		$0 == words { sub(/\./, "", n); sub(/^0+/, "", n); print n == "" ? 0 : n }' <<<"$1"
}

# fields OPTION...: CSV read by Python's csv module; a tab between fields
fields() {
	"$TDSTAT" -x, -o fields.csv "$@" >/dev/null
	python3 -c '
import csv
for row in csv.reader(open("fields.csv", newline=""), strict=True):
    print("\t".join(row))'
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

@test "a row: 18 columns of count, 4 of unit, 32 of name, 38 of what it comes to" {
	real
	try "$TDSTAT" -e task-clock,page-faults,duration_time -- true
	rows "$stderr" >rows
	awk '
	{ count = substr($0, 1, 18); unit = substr($0, 20, 4); name = substr($0, 25, 32) }
	substr($0, 19, 1) != " " || substr($0, 24, 1) != " " || length($0) != 94 { exit 1 }
	count !~ /^ +[0-9,]+(\.[0-9][0-9])?$/ { exit 1 }
	{ sub(/ +$/, "", unit); sub(/ +$/, "", name); print unit ":" name }' rows >names
	assert_equal "$(xargs <names)" "msec:task-clock :page-faults ns:duration_time"
	sed -n 1p rows | grep -E '^.{14}\.?.* # +[0-9]+\.[0-9]{3} CPUs utilized +$'
	sed -n 2p rows | grep -E '^.{56} # +[0-9]+\.[0-9]{3} ([KM]?/sec|[KM]/sec) +$'
	# perf's time needs no rate of itself
	sed -n 3p rows | grep -E '^.{56} {38}$'
}

@test "rows stand as they were typed, several -e one behind the other, an event twice" {
	real
	try "$TDSTAT" -e page-faults -e 'task-clock, cpu-clock' -e page-faults -- true
	assert_success
	assert_equal "$(rows "$stderr" | cut -c25-56 | xargs)" \
		"page-faults task-clock cpu-clock page-faults"
}

@test "every software event of perf's list, under both its names" {
	real
	for event in cpu-clock task-clock page-faults faults context-switches cs cpu-migrations \
		migrations minor-faults major-faults alignment-faults emulation-faults dummy \
		bpf-output cgroup-switches; do
		try "$TDSTAT" -e $event -x, -- true
		assert_success
		[[ $stderr =~ ^[0-9.]+,[msec]*,$event, ]] || fail "$event"
	done
}

@test "the counts are the kernel's: faults of a page each" {
	real
	cat >touch.py <<-'PYTHON'
		import mmap, sys
		m = mmap.mmap(-1, 4096 * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		m.madvise(15)  # MADV_NOHUGEPAGE
		for page in range(int(sys.argv[1])):
		    m[page * 4096] = 1
	PYTHON
	python3 touch.py 1 || skip "this kernel has no huge pages to turn off"
	for pages in 1 3001; do
		try "$TDSTAT" -e minor-faults -x, -- python3 touch.py $pages
		assert_success
		echo "${stderr%%,*}" >>faults
	done
	xargs <faults
	# the interpreter's own differ by a few
	awk '{ n[NR] = $1 } END { d = n[2] - n[1] - 3000; exit !(d > -600 && d < 600) }' faults
}

@test "-a: the whole machine, on standard output; no times but the elapsed one" {
	not_under_valgrind "it takes its time"
	real -a
	try "$TDSTAT" -a -e cpu-clock,page-faults --timeout 200
	assert_success
	assert_no_stderr
	assert_line --index 1 " Performance counter stats for 'system wide':"
	assert_equal "$(rows "$output" | cut -c25-56 | xargs)" "cpu-clock page-faults"
	assert_equal "$(grep -c 'seconds' <<<"$output")" 1
	# each CPU's clock runs all the time
	cpus=$(getconf _NPROCESSORS_ONLN)
	rows "$output" | sed -n 1p | awk -v cpus="$cpus" '
		match($0, / # +[0-9.]+ CPUs utilized/) {
			value = substr($0, RSTART + 2) + 0
			exit !(value > 0.8 * cpus && value < 1.2 * cpus)
		}'
}

@test "a part of names of events: how to list them" {
	saved alderlake
	try "$TDSTAT" --dry-run -a -e L3_MISS
	assert_failure 64
	[[ $stderr == *'tdstat: tdstat list L3_MISS shows'* ]]
	"$TDSTAT" list L3_MISS | grep -q mem_load_retired.l3_miss
}

@test "-a with a command: the command's own times too" {
	real -a
	try "$TDSTAT" -a -e cpu-clock -- true
	assert_success
	grep -q "stats for 'system wide':" <<<"$stderr$output"
	assert_equal "$(grep -cE 'seconds (user|sys|time elapsed)$' <<<"$stderr$output")" 3
}

@test "-C: the CPUs in the frame; -p: the process, and what it did" {
	real -a
	try "$TDSTAT" -C 0 -e cpu-clock --timeout 100
	assert_success
	assert_line --index 1 " Performance counter stats for 'CPU(s) 0':"
	sh -c 'while :; do :; done' &
	pid=$!
	try "$TDSTAT" -p $pid -e task-clock -x, --timeout 300
	kill $pid
	assert_success
	awk -F, '{ exit !($1 > 10 && $1 < 2000 && $3 == "task-clock") }' <<<"$output"
	sleep 30 &
	pid=$!
	try "$TDSTAT" -p $pid -e task-clock --timeout 20
	kill $pid
	assert_line --index 1 " Performance counter stats for process id '$pid':"
}

@test "-A: a row a CPU, its name in front, event by event" {
	real -a
	try "$TDSTAT" -a -A -e cpu-clock,page-faults --timeout 100
	assert_success
	list=$("$TDSTAT" --dry-run -e cpu-clock | sed -n 's/.*CPUs \([0-9,-]*\)$/\1/p')
	assert_equal "$list" "$(cat /sys/devices/system/cpu/online)"
	for event in cpu-clock page-faults; do
		for dir in /sys/devices/system/cpu/cpu[0-9]*; do
			cpu=${dir##*/cpu}
			[ "$cpu" = 0 ] || [ "$(<"$dir/online")" = 1 ] || continue
			echo "$cpu $event"
		done | sort -n
	done >want
	rows "$output" | sed 's/^CPU\([0-9]*\) .* \(cpu-clock\|page-faults\) .*/\1 \2/' >got
	assert_same "$(cat want)" "$(cat got)"
	# "CPU%-3d " before the 18 columns
	run ! grep -vE '^CPU[0-9]{1,3} ' <(rows "$output")
	rows "$output" | awk 'substr($0, 26, 1) != " " || length($0) != 101 { exit 1 }'
}

@test "a scale that is no whole number: two decimals, also of nothing" {
	real -a
	[ -e /sys/bus/event_source/devices/power/events/energy-psys.scale ] || skip "no such event here"
	try "$TDSTAT" -a -e power/energy-psys/ -x, --timeout 50
	grep -qv '<not' <<<"$output" || skip "this machine does not count it"
	[[ $output =~ ^[0-9]+\.[0-9]{2},Joules,power/energy-psys/, ]]
}

@test "thousands apart: commas, unless they are not wanted; never in CSV and JSON" {
	real
	for how in '' -B '--no-big-num -B'; do
		try "$TDSTAT" $how -e duration_time -- true
		rows "$stderr" | grep -qE '^ +[0-9]{1,3}(,[0-9]{3})+ ns ' || fail "$how: $stderr"
	done
	for how in --no-big-num '-B --no-big-num'; do
		try "$TDSTAT" $how -e duration_time -- true
		rows "$stderr" | grep -qE '^ +[0-9]{6,} ns ' || fail "$how: $stderr"
	done
	try "$TDSTAT" -e duration_time -x ';' -- true
	[[ $stderr =~ ^[0-9]{6,}\;ns\;duration_time\; ]]
	try "$TDSTAT" -B -e duration_time -j -- true
	jq -e '."counter-value" | test("^[0-9]{6,}\\.000000$")' <<<"$stderr"
}

@test "-I: the time before each row, nothing lost between two rows" {
	real
	"$TDSTAT" -I 100 -e task-clock,duration_time -o out -- \
		sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done'
	[ "$(head -n 3 out | tail -n 1)" = '#           time             counts unit events' ] ||
		[ "$(head -n 1 out)" = '#           time             counts unit events' ]
	grep -E '(task-clock|duration_time)' out >rows
	awk '{ if ($0 !~ /^ +[0-9]+\.[0-9]+ / || length($1) - index($1, ".") != 9) exit 1
		if (substr($0, 17, 1) != " " || index(substr($0, 1, 16), ".") != 7) exit 1 }' rows
	# what the clock says is what stands in front, and the sum of it
	awk '/duration_time/ { gsub(/,/, "", $2); sum += $2 / 1e9
		if (sum - $1 > 1e-6 || $1 - sum > 1e-6) exit 1; n++ } END { exit n < 2 }' rows
}

# --- times ----------------------------------------------------------------------

@test "duration_time, user_time, system_time are the footer's seconds" {
	real
	try "$TDSTAT" -e duration_time,user_time,system_time --no-big-num -- \
		sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; cat /proc/self/status >/dev/null'
	assert_success
	rows "$stderr" >rows
	cat rows
	assert_equal "$(awk '$3 == "duration_time" { print $1, $2 }' rows)" \
		"$(nanoseconds "$stderr" 'seconds time elapsed') ns"
	assert_equal "$(awk '$3 == "user_time" { print $1, $2 }' rows)" \
		"$(nanoseconds "$stderr" 'seconds user') ns"
	assert_equal "$(awk '$3 == "system_time" { print $1, $2 }' rows)" \
		"$(nanoseconds "$stderr" 'seconds sys') ns"
	awk '$3 == "user_time" { exit !($1 > 1000000) }' rows
}

@test "duration_time alone: nothing is opened, the whole machine implied or not" {
	needs_strace
	try strace -f -e trace=perf_event_open -o log "$TDSTAT" -e duration_time --timeout 50
	assert_success
	assert_equal "$(grep -c perf_event_open log)" 0
	rows "$output" | grep -E '^ +([5-9][0-9]|[1-9][0-9]{2}),[0-9]{3},[0-9]{3} ns   duration_time +$'
	try "$TDSTAT" -a -e user_time,system_time -x, --timeout 300
	assert_success
	# of all CPUs, in ticks of the kernel: 10 ms
	awk -F, -v cpus="$(getconf _NPROCESSORS_ONLN)" '
		{ sum += $1 } $1 % 10000000 || $2 != "ns" { bad = 1 }
		END { exit bad || sum > cpus * 2000000000 || NR != 2 }' <<<"$output"
}

@test "--null: the time alone, and the command's status" {
	needs_strace
	for option in --null -n; do
		try "$TDSTAT" $option -- sh -c 'exit 7'
		assert_failure 7
		[ "${stderr_lines[1]}" = " Performance counter stats for 'sh -c exit 7':" ]
		assert_equal "$(sed 's/^ *[0-9.]* //' <<<"$stderr" | sed 1,3d | xargs)" \
			"seconds time elapsed seconds user seconds sys"
	done
	try strace -f -e trace=perf_event_open -o log "$TDSTAT" --null -- true
	assert_success
	assert_equal "$(grep -c perf_event_open log)" 0
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
	refute grep -vE '^[0-9]+(\.[0-9]{2})?,(msec)?,[a-z:-]+,[0-9]+,100\.00,([0-9.]+)?,[A-Za-z/ ]*$' <<<"$stderr"
	assert_equal "$(cut -d, -f2,3 <<<"$stderr" | xargs)" \
		"msec,task-clock ,page-faults ,context-switches:u"
	[[ ${stderr_lines[0]} =~ ^([0-9]+)\.([0-9]{2}),msec,task-clock,([0-9]+),100\.00,[0-9]+\.[0-9]{3},CPUs\ utilized$ ]]
	# a clock runs as long as it is counted
	awk -F, 'NR == 1 { d = $1 * 1e6 - $4; exit d > 1e5 || d < -1e5 }' <<<"$stderr"
}

@test "CSV: a separator more for -I, -A, and both; any separator, no header" {
	real -a
	for how in "6:-a" "7:-a -I 50 --interval-count 2" "7:-a -A" "8:-A -C 0 -I 50 --interval-count 2"; do
		limit='--timeout 60'
		[[ $how != *-I* ]] || limit=
		for sep in ',' ';' '\t'; do
			char=$sep
			[ "$sep" != '\t' ] || char=$'\t'
			try "$TDSTAT" ${how#*:} $limit -e cpu-clock,page-faults,duration_time,$NO_EVENT -x "$sep"
			assert_success
			assert_equal "$(SEP=$char awk '{ print gsub(ENVIRON["SEP"], "") }' <<<"$output" | sort -u)" \
				"${how%%:*}"
			refute_line --partial counter
		done
	done
	try "$TDSTAT" -a -A -I 50 --interval-count 1 -e cpu-clock -x,
	[[ ${lines[0]} =~ ^0\.[0-9]{9},CPU0,[0-9]+\.[0-9]{2},msec,cpu-clock,[0-9]+,100\.00, ]]
}

@test "CSV: a name that holds the separator or a quote is quoted" {
	real
	fields -e "task-clock/name='a,b'/,page-faults/name='say \"x\"'/" -- true | cut -f3 >names
	assert_equal "$(cat names)" $'a,b\nsay "x"'
	grep -qF '"a,b"' fields.csv
	grep -qF '"say ""x"""' fields.csv
	"$TDSTAT" -e "task-clock/name='a,b'/" -j -o json -- true
	jq -e '.event == "a,b"' json
}

@test "JSON: an object a line, perf's keys in perf's order" {
	real -a
	event='counter-value unit event event-runtime pcnt-running'
	metric='metric-value metric-unit'
	for how in ":-a --timeout 60" "interval :-a -I 50 --interval-count 2" "cpu :-a -A --timeout 60" \
		"interval cpu :-A -C 0 -I 50 --interval-count 2"; do
		try "$TDSTAT" ${how#*:} -e cpu-clock,page-faults,$NO_EVENT -j
		assert_success
		jq -r 'keys_unsorted | join(" ")' <<<"$output" | sort -u >keys
		# of an event that comes to nothing, too: perf's linter counts them
		assert_same "${how%%:*}$event $metric" "$(cat keys)"
	done
	jq -es 'all(.[]; (."counter-value" | type == "string") and (.unit | type == "string")
		and (."event-runtime" | type == "number") and (."pcnt-running" | type == "number")
		and (.interval | type == "number") and .cpu == "0")
		and all(.[]; ."metric-value" | type == "string")
		and all(.[] | select(.event == "1:77"); ."metric-value" == "nan" and ."metric-unit" == "")' <<<"$output"
	jq -es '[.[].event] | unique == ["1:77", "cpu-clock", "page-faults"]' <<<"$output"
}

@test "not counted: an interval in which the command did not run" {
	not_under_valgrind "it takes its time"
	real
	for format in '' '-x,' -j; do
		"$TDSTAT" -I 50 -e task-clock,page-faults $format -o out -- sleep 0.22
		case $format in
		'') grep -E '^ +0\.1[0-9]{8}      <not counted> msec task-clock +(\(0\.00%\))?$' out
			grep -E '^ +0\.1[0-9]{8}      <not counted>      page-faults ' out ;;
		-x,) grep -E '^0\.1[0-9]{8},<not counted>,msec,task-clock,0,[0-9.]+,,$' out ;;
		-j) jq -es 'map(select(."counter-value" == "<not counted>")) |
			length >= 2 and all(.[]; ."event-runtime" == 0 and ."metric-value" == "nan")' out ;;
		esac
		[ "$format" = -j ] || run ! grep -i nan out
	done
}

@test "not supported: what the kernel does not have, with the reason; the others count" {
	real
	try "$TDSTAT" -e task-clock,$NO_EVENT,page-faults -- true
	assert_success
	rows "$stderr" | grep -E "^   <not supported>      $NO_EVENT +$"
	rows "$stderr" | grep -E '^ +[0-9.]+ msec task-clock '
	rows "$stderr" | grep -E '^ +[1-9][0-9]*      page-faults '
	assert_complains "$NO_EVENT.*No such file"
	for order in "$NO_EVENT,task-clock" "{task-clock,$NO_EVENT}" "{$NO_EVENT,task-clock}:W"; do
		try "$TDSTAT" -e "$order" -x, -o out -- true
		assert_success
		grep -qE "^<not supported>,,$NO_EVENT,0,100\.00,,$" out
		grep -qE '^[0-9.]+,msec,task-clock,[1-9]' out
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
		grep -q '^<not supported>,,' <<<"$stderr" || fail "$event"
		grep -qE '^[0-9.]+,msec,task-clock,' <<<"$stderr" || fail "$event"
		assert_complains "PMU"
	done
}

@test "a locale with a decimal comma, and one with other thousands, changes nothing" {
	real
	german
	try "$TDSTAT" -e task-clock,duration_time -- true
	rows "$stderr" | sed -n 1p | grep -E '^ +[0-9]+\.[0-9]{2} msec task-clock +# +[0-9]+\.[0-9]{3} CPUs'
	rows "$stderr" | sed -n 2p | grep -E '^ +[0-9]{1,3}(,[0-9]{3})+ ns '
	grep -E '^ +[0-9]+\.[0-9]{9} seconds time elapsed$' <<<"$stderr"
	try "$TDSTAT" -e task-clock -x, -- true
	[[ $stderr =~ ^[0-9]+\.[0-9]{2},msec,task-clock,[0-9]+,100\.00,[0-9]+\.[0-9]{3},CPUs ]]
	try "$TDSTAT" -e task-clock -j -- true
	jq -e '(."pcnt-running" == 100) and (."counter-value" | test("^[0-9]+\\.[0-9]{6}$"))' <<<"$stderr"
	# what was written in one is read in the other
	"$TDSTAT" record -o file -e task-clock,duration_time -x, -- true 2>want
	"$TDSTAT" report file -x, >got
	cmp want got
	LC_ALL=C "$TDSTAT" report file -x, >got
	cmp want got
}

# --- statuses and errors --------------------------------------------------------

@test "the status is the command's own, and with --require 125 when nothing can be counted" {
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

# wrong TEXT MARK WHY: refused as usage, and MARK stands below; it may go on
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

@test "what is wrong is pointed at: 64, the text, a mark below the word" {
	saved alderlake
	wrong 'cycels' '^~~~~~' cycels
	wrong 'cycles,instrs' '       ^~~~~~' instrs
	wrong '  task-clock , foo' '               ^~~' foo
	wrong '{cycles,nothing}:u' '        ^~~~~~~' nothing
	wrong 'cpu_core/evnt=0x3c/' '         ^' evnt
	wrong 'cpu_core/event=0x3c,umask=0x100/' '                    ^' '0x100|umask'
	wrong 'cpu_core/event=zzz/' '         ^' 'number|zzz'
	wrong 'cpu_cor/cycles/' '^~~~~~~' cpu_cor
	wrong 'cycles:q' '       ^' modifiers
	wrong 'cycles:W' '       ^' group
	wrong '{cycles' '^' '}'
	[ ! -r /sys/kernel/tracing/events ] || wrong 'no:such' '^' no:such
	wrong 'cycles/' '       ^' .
	wrong "cpu_core/name='x/" '              ^' quote
}

@test "what is missing is pointed at" {
	saved alderlake
	for text in '' ',' 'cycles,' 'cycles,,instructions' '{}' 'cpu_core/cycles'; do
		try "$TDSTAT" -e "$text" -- touch ran
		assert_failure 64
		[ "${stderr_lines[1]}" = "    $text" ] || fail "'$text' is not quoted"
		[[ ${stderr_lines[2]} =~ ^\ *\^~*$ ]] || fail "'$text': no caret"
		[ ! -e ran ]
	done
}

@test "what would have been possible: a near name, the terms of that PMU" {
	saved alderlake
	try "$TDSTAT" -e cycels -- true
	assert_complains 'cycles'
	try "$TDSTAT" -e inst_retired.anyy -- true
	assert_complains '[Ii][Nn][Ss][Tt]_[Rr][Ee][Tt][Ii][Rr][Ee][Dd]\.[Aa][Nn][Yy]'
	try "$TDSTAT" -e cpu_atom/offcor_rsp=1/ -- true
	assert_complains 'offcore_rsp'
	# of cpu_atom's own format folder, and no other PMU's
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

@test "what excludes each other" {
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
	long=$(printf 'cycles,%.0s' {1..300})
	try "$TDSTAT" --dry-run -e "${long}instructions" -- true
	assert_success
	assert_equal "$(grep -c '/cycles/' <<<"$output")" 600
	try "$TDSTAT" -e "$(printf '{%.0s' {1..2000})" -- true
	assert_failure 64
}

# --- tracepoints ----------------------------------------------------------------

@test "a tracepoint counts what happened, with a filter too" {
	real
	needs_tracepoint raw_syscalls sys_enter
	[ "$(uname -m)" = x86_64 ] || skip "getsid has another number here"
	"$TDSTAT" -e raw_syscalls:sys_enter --filter 'id == 124' -x, -o some -- $(asks 53)
	assert_equal "$(cut -d, -f1,3 some)" 53,raw_syscalls:sys_enter
	"$TDSTAT" -e 'raw_syscalls:sys_enter,raw_syscalls:sys_exit' --filter 'id == 124' -x, -o both -- $(asks 53)
	assert_equal "$(cut -d, -f1 both | xargs)" '53 53'
	"$TDSTAT" -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit --filter 'id == 124' -x, -o last -- $(asks 53)
	awk -F, 'NR == 1 && $1 <= 53 { exit 1 } NR == 2 && $1 != 53 { exit 1 }' last
	# perf's rule for two of them: both
	"$TDSTAT" -e raw_syscalls:sys_enter --filter 'id == 124' --filter 'id > 0' -x, -o two -- $(asks 53)
	assert_equal "$(cut -d, -f1 two)" 53
}

@test "-a: the filter is that of every CPU" {
	real -a
	needs_tracepoint raw_syscalls sys_enter
	[ "$(uname -m)" = x86_64 ] || skip "getsid has another number here"
	command=$(asks 53)
	cpus=$(taskset -cp $$ | sed 's/.*: //; s/-.*//; s/,.*//')
	last=$(taskset -cp $$ | sed 's/.*[-, ]//')
	for cpu in $cpus $last; do
		"$TDSTAT" -a -e raw_syscalls:sys_enter --filter 'id == 124' -x, -o out -- \
			taskset -c "$cpu" $command
		assert_equal "$(cut -d, -f1 out)" 53
	done
}

@test "a glob is every tracepoint of that name; {} holds them" {
	real
	needs_tracepoint sched sched_process_fork
	"$TDSTAT" -e 'sched:sched_process_*' -x, -o out -- sh -c '/bin/true; /bin/true; :'
	want=$(cd /sys/kernel/tracing/events/sched && ls -d sched_process_* | sed 's/^/sched:/' | sort)
	assert_same "$want" "$(cut -d, -f3 out | sort)"
	assert_equal "$(grep sched_process_fork out | cut -d, -f1)" 2
	assert_equal "$(grep 'sched_process_exec,' out | cut -d, -f1)" 3
}

@test "a filter that makes no sense is pointed at, one for no tracepoint too" {
	real
	needs_tracepoint raw_syscalls sys_enter
	for how in 'nothing == 1:nothing' 'id === 1:=' 'id == :'; do
		try "$TDSTAT" -e raw_syscalls:sys_enter --filter "${how%:*}" -- touch ran
		[ "$status" -eq 64 ] || fail "$how: status $status"
		[ "${stderr_lines[1]}" = "    ${how%:*}" ]
		[[ ${stderr_lines[2]} =~ ^\ +\^~*$ ]]
		[ ! -e ran ]
	done
	try "$TDSTAT" -e raw_syscalls:sys_enter,task-clock --filter 'id == 1' -- touch ran
	assert_failure 64
	[ "${stderr_lines[1]}" = '    raw_syscalls:sys_enter,task-clock' ]
	[ "${stderr_lines[2]}" = '                           ^~~~~~~~~~' ]
	[ ! -e ran ]
}

# --- what is opened -------------------------------------------------------------

# kernel's view: "type config" of every call, in order
opened() {
	sed -n 's/.*perf_event_open({type=\([^,]*\), .*config=\([^,]*\), .*/\1 \2/p' "$1"
}

@test "-vv: a block for each call that the kernel saw, with its arguments and answer" {
	real
	needs_strace
	try strace -f -e trace=perf_event_open -X raw -o log \
		"$TDSTAT" -vv -e "{task-clock,page-faults:u},$NO_EVENT" -- true
	assert_success
	cat log
	awk '/^perf_event_attr:/ { on = 1; next } /^---/ { on = 0 }
		on && $1 == "type" { type = $2 } on && $1 == "config" { print type, $2 }' <<<"$stderr" >got
	opened log | while read -r type config; do
		printf '%d 0x%x\n' "$type" "$config"
	done >want
	assert_same "$(cat want)" "$(cat got)"
	# , PID, CPU, GROUP, FLAGS) = FD
	sed -n 's/.*}, \(-\?[0-9]*\), \(-\?[0-9]*\), \(-\?[0-9]*\), \([0-9a-fx]*\)) = \(-\?[0-9]*\).*/\1 \2 \3 \4 \5/p' log >calls
	sed -n 's/^sys_perf_event_open: pid \(-\?[0-9]*\)  cpu \(-\?[0-9]*\)  group_fd \(-\?[0-9]*\)  flags \([0-9a-fx]*\)\( = \([0-9]*\)\)\?$/\1 \2 \3 \4 \6/p' <<<"$stderr" >said
	[ -s calls ]
	assert_same "$(sed 's/ -1$/ /' calls)" "$(cat said)"
	grep -qE '^sys_perf_event_open failed, error -2$' <<<"$stderr"
	grep -qE '^  exclude_kernel +1$' <<<"$stderr"
}

@test "-v: which event is in which group, and what was given up" {
	real
	try "$TDSTAT" -v -e "{task-clock,page-faults},context-switches,$NO_EVENT" -- true
	assert_success
	for event in task-clock page-faults context-switches; do
		sed '/Performance counter stats/,$d' <<<"$stderr" | grep -q -- "$event" || fail "$event"
	done
	grep -q "^tdstat: $NO_EVENT" <<<"$stderr"
}

# planned OPTION...: "EVENT TYPE CONFIG" as they stand
planned() {
	"$TDSTAT" --dry-run "$@" | awk '$2 == "type" { print $1, $3, $5 }'
}

@test "-d on Alder Lake: perf's defaults, both PMUs, cpu_core first" {
	saved alderlake
	# linux/perf_event.h; PMU types of this tree: 4 and 10
	cat >want <<-'EOS'
		task-clock 1 0x1
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
	EOS
	assert_same "$(cat want)" "$(planned -d -- true)"
	assert_same "$(sed '1s/.*/cpu-clock 1 0x0/' want)" "$(planned -d -a)"
	assert_same "$(grep -v cpu_core want)" "$(planned -d --cputype atom -- true)"
	# never in one group: they take turns alone
	assert_equal "$("$TDSTAT" --dry-run -d -- true | grep -c '^group')" 12
}

@test "-dd, -ddd: caches too, behind what -d counts" {
	saved alderlake
	planned -d -- true >one
	planned -dd -- true >two
	planned -ddd -- true >three
	assert_same "$(cat one)" "$(head -n 12 two)"
	assert_same "$(cat two)" "$(head -n "$(wc -l <two)" three)"
	# id | op << 8 | result << 16, the PMU above (linux/perf_event.h)
	for event in L1-dcache-loads:0 L1-dcache-load-misses:10000 LLC-loads:2 LLC-load-misses:10002; do
		for pmu in cpu_core:4 cpu_atom:10; do
			printf '%s/%s/ 3 0x%x\n' ${pmu%:*} ${event%:*} \
				$(((${pmu#*:} << 32) | 0x${event#*:}))
		done
	done >want
	assert_same "$(cat want)" "$(sed 1,12d two)"
	for event in L1-icache-loads:1 L1-icache-load-misses:10001 dTLB-loads:3 dTLB-load-misses:10003 \
		iTLB-loads:4 iTLB-load-misses:10004; do
		for pmu in cpu_core:4 cpu_atom:10; do
			printf '%s/%s/ 3 0x%x\n' ${pmu%:*} ${event%:*} \
				$(((${pmu#*:} << 32) | 0x${event#*:}))
		done
	done >want
	assert_same "$(cat want)" "$(sed "1,$(wc -l <two)d" three)"
	try "$TDSTAT" --dry-run --detailed -- true
	assert_same "$(cat one)" "$(awk '$2 == "type" { print $1, $3, $5 }' <<<"$output")"
}

@test "-d on a machine of one kind of core: names without a PMU, or with cpu/" {
	saved sapphirerapids
	planned -d -- true >got
	assert_equal "$(awk '{ print $2, $3 }' got | xargs -n 2)" \
		$'1 0x1\n1 0x3\n1 0x4\n1 0x2\n0 0x0\n0 0x1\n0 0x4\n0 0x5'
}

@test "-e on Alder Lake: -C leaves each PMU its own CPUs, and says whose there are none" {
	saved alderlake
	try "$TDSTAT" --dry-run -C 5-6 -e cycles
	assert_success
	assert_equal "$(planned -C 5-6 -e cycles)" 'cpu_atom/cycles/ 0 0xa00000000'
	try "$TDSTAT" --dry-run -C 5-6 -e cpu_core/cycles/,cpu_atom/cycles/
	[[ $output != *'CPUs '\(* ]] || fail "a group without a CPU"
	assert_complains 'cpu_core'
}

@test "-e on Alder Lake: a group of both PMUs is one group a PMU, said once" {
	saved alderlake
	try "$TDSTAT" --dry-run -a -e '{cycles,instructions}'
	assert_equal "$(grep -c '^group' <<<"$output")" 2
	try "$TDSTAT" --dry-run -a -e '{cpu_core/cycles/,cpu_atom/cycles/,cpu_core/instructions/}'
	assert_equal "$(grep -c '^group' <<<"$output")" 2
	assert_equal "${#stderr_lines[@]}" 1
	assert_complains 'group'
}

# --- recordings -----------------------------------------------------------------

# replays RECORD-OPTION...: the report says what was said live, in each format
replays() {
	for format in '' '-x,' -j; do
		try "$TDSTAT" record -o file $format "$@"
		assert_success
		live=$(grep -v '^tdstat: ' <<<"$output${output:+$'\n'}$stderr") || true
		assert_same "$live" "$("$TDSTAT" report file $format)"
		[ -n "$live" ] || [[ $format != '' && $* == *--null* ]]
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
	work='i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
	replays -e task-clock,user_time,system_time -- sh -c "$work"
	replays -e user_time,system_time -- sh -c "$work"
	replays -a -I 100 --interval-count 3 -e cpu-clock,user_time,system_time
}

@test "a recording of a machine's events: all together, and a row a CPU" {
	real -a
	replays -a -e cpu-clock,page-faults,duration_time --timeout 100
	for format in '' '-x,' -j; do
		"$TDSTAT" record -o file -a -A $format -e cpu-clock,page-faults -I 50 --interval-count 2 >live
		"$TDSTAT" report file -A $format >replayed
		assert_same "$(cat live)" "$(cat replayed)"
		"$TDSTAT" report file $format >replayed
		assert_same "$(cat live)" "$(cat replayed)"
		"$TDSTAT" report file --total -x, >all
		assert_equal "$(cut -d, -f2- all | grep -c 'CPU[0-9]')" 0
		assert_equal "$(wc -l <all)" 4
	done
}

@test "--metric-only: what counts come to, without them; the same columns each time" {
	real
	"$TDSTAT" --metric-only -e task-clock,page-faults,duration_time -x, -o out -- sh -c 'exit 0'
	assert_equal "$(sed 1q out)" 'time,id,pmu,busy,share,running,ipc,CPUs utilized,page-faults/sec,'"$behind"
	# the same two, computed from the counts of another form of the same run
	"$TDSTAT" record -o file -e task-clock,page-faults,duration_time -- sh -c 'exit 0' 2>/dev/null
	"$TDSTAT" report --metric-only -j file >metrics
	"$TDSTAT" report -j file >events
	jq -es --slurpfile e events '
		($e | map({(.event): (."counter-value" | tonumber)}) | add) as $c
		| (map({(.metric): .value}) | add) as $m
		| ($m["CPUs utilized"] - $c["task-clock"] * 1e6 / $c.duration_time | fabs) < 1e-3
		and ($m["page-faults/sec"] / ($c["page-faults"] / $c["task-clock"] * 1000) - 1 | fabs) < 1e-3' metrics
	jq -es 'map(select(.metric)) | all(.kind == "summary" and .interval == null and .seconds > 0)' metrics
	"$TDSTAT" --metric-only -I 50 -e task-clock,page-faults -j -o out -- sleep 0.12
	jq -es 'map(select(.metric)) | (map(.interval) | unique | .[:2] == [1, 2]) and all(.kind == "interval" and .seconds > 0)' out
	# an interval without a count keeps its column
	"$TDSTAT" --metric-only -I 50 -e task-clock,page-faults -x, -o out -- sleep 0.17
	assert_equal "$(tr -d -c ',\n' <out | sort -u)" ',,,,,,,,,,,,,,,,,,,,,,,,'
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
