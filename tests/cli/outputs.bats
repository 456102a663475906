#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Options for the output: -o, --append, --log-fd, --quiet, -B, -x, --no-merge,
# --hybrid-merge, --summary, --interval-clear.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# --- where ----------------------------------------------------------------------

@test "-o: what standard error would have had, behind the date, and nothing there" {
	real
	try "$TDSTAT" -o out -e task-clock -- echo said
	assert_output said
	assert_no_stderr
	[[ $(head -n 1 out) == '# started on '* ]]
	date -d "$(head -n 1 out | sed 's/# started on //')" >/dev/null
	grep -qx " Performance counter stats for 'echo said':" out
	# what a program reads has none
	for format in '-x,' -j; do
		"$TDSTAT" -o out $format -e task-clock -- true
		run ! grep -q '^#' out
		assert_equal "$(wc -l <out)" 1
	done
}

@test "--append: behind what is there, with -o and --log-fd alone" {
	real
	for format in '' '-x,' -j; do
		"$TDSTAT" -o two $format -e task-clock -- true
		"$TDSTAT" -o two --append $format -e page-faults -- true
		assert_equal "$(grep -oE 'task-clock|page-faults' two | xargs)" 'task-clock page-faults'
	done
	try "$TDSTAT" --append -e task-clock -- touch ran
	assert_failure 64
	assert_complains 'append.*-o'
	[ ! -e ran ]
}

@test "--log-fd: there and nowhere else; it stays open and is not the command's" {
	real
	exec 7>logged
	try "$TDSTAT" --log-fd 7 -x, -e task-clock -- sh -c 'echo said; ls -l /proc/$$/fd >fds'
	try "$TDSTAT" --log-fd 7 -x, -e page-faults -- true
	echo mine >&7
	exec 7>&-
	assert_no_stderr
	assert_equal "$(cut -d, -f3 logged | xargs)" 'task-clock page-faults mine'
	try "$TDSTAT" --log-fd 1 -x, -e task-clock -- true
	assert_line --partial ,task-clock,
	assert_no_stderr
}

@test "--log-fd: one that is not open, or not for writing; with -o" {
	real
	try "$TDSTAT" --log-fd 917 -e task-clock --require -- touch ran
	assert_failure 125
	assert_complains 'log-fd 917: Bad file descriptor'
	[ ! -e ran ]
	try "$TDSTAT" --log-fd 7 -e task-clock -- touch ran 7</dev/null
	assert_success
	assert_complains 'log-fd'
	[ -e ran ]
	for fd in x '' -1; do
		try "$TDSTAT" --log-fd "$fd" -e task-clock -- touch ran2
		[ "$status" = 64 ] || fail "'$fd': status $status"
		assert_complains 'log-fd'
	done
	try "$TDSTAT" --log-fd 1 -o out -e task-clock -- touch ran2
	assert_failure 64
	assert_complains '-o.*--log-fd'
	[ ! -e ran2 ] && [ ! -e out ]
	try "$TDSTAT" --log-fd 7 -e task-clock -- true 7>/dev/full
	assert_failure 1
	assert_complains 'No space left'
}

@test "--quiet: the command's own output and status, and errors" {
	real -a
	for format in '' '-x,' -j; do
		try "$TDSTAT" --quiet $format -e task-clock,1:77 -- sh -c 'echo said; exit 3'
		assert_failure 3
		assert_output said
		assert_no_stderr
		try "$TDSTAT" --quiet $format -a -I 20 --interval-count 2 --summary -e cpu-clock
		assert_success
		assert_output ''
		assert_no_stderr
	done
	try "$TDSTAT" --quiet -e task-clok -- true
	assert_failure 64
	assert_complains task-clok
	try "$TDSTAT" --quiet -e task-clock -- ./not-there
	assert_failure 127
	assert_complains not-there
	try "$TDSTAT" --quiet -D 20 -p $$ -a -e task-clock --timeout 40
	assert_no_stderr
}

@test "a long command: nothing of its progress is shown without -v" {
	real
	for how in '-r 3' '-D 10' '-r 2 --pre true --post true -S' '--per-thread'; do
		try "$TDSTAT" $how -e task-clock -o out -- sh -c 'sleep 0.05; :'
		assert_output ''
		grep -v '^Events \(dis\|en\)abled$' <<<"$stderr" >rest || true
		[ ! -s rest ] || [ -z "$(<rest)" ] || fail "$how: $(<rest)"
	done
	try "$TDSTAT" -v -e task-clock -o out -- true
	[ -n "$stderr" ]
}

# --- how ------------------------------------------------------------------------

@test "-x '\\t' and -x with a tab: one and the same" {
	real
	for sep in '\t' $'\t'; do
		"$TDSTAT" -x "$sep" -e task-clock -o out -- true
		assert_equal "$(tr -cd '\t' <out | wc -c)" 6
	done
	"$TDSTAT" -x '::' -e task-clock -o out -- true
	assert_equal "$(grep -o '::' out | wc -l)" 6
}

@test "-B and --no-big-num: the last one holds; -B with -x is refused" {
	real
	"$TDSTAT" -B -e duration_time -o out -- true
	grep -qE ' [0-9]{1,3}(,[0-9]{3})+ ns ' out
	"$TDSTAT" --no-big-num -e duration_time -o out -- true
	grep -qE ' [0-9]{6,} ns ' out
	try "$TDSTAT" -B -x, -e duration_time -- touch ran
	assert_failure 64
	assert_complains '-B.*-x'
	[ ! -e ran ]
}

@test "what excludes each other: 64, both names, and nothing is run" {
	real
	while IFS=: read -r options names; do
		try "$TDSTAT" $options -- touch ran
		[ "$status" = 64 ] || fail "$options: status $status"
		for name in $names; do
			grep -qe "$name" <<<"${stderr_lines[0]}" || fail "$options: no $name in ${stderr_lines[0]}"
		done
		[ ! -e ran ]
	done <<-'EOS'
		-x, -j -e task-clock:-x -j
		-o a --log-fd 1 -e task-clock:-o --log-fd
		--table -e task-clock:--table -r
		-A -e task-clock:-A -a
		--per-core -e task-clock:--per-core -a
		--per-socket -p 1 -e task-clock:--per-socket -a
		--interval-count 2 -e task-clock:--interval-count -I
		--interval-clear -e task-clock:--interval-clear -I
		--timeout 50 -I 20 -e task-clock:--timeout -I
		-G a -e task-clock:-G -e
		-e task-clock -G a:-G -a
		--for-each-cgroup a -e task-clock:--for-each-cgroup -a
		-a -e task-clock -G a --for-each-cgroup b:-G --for-each-cgroup
		--metric-only -r 3:--metric-only -r
	EOS
}

# Two events of one name, cycles, of which a P-core had 600, an E-core 50.
hybrid() {
	jq -c 'if .tdstat then .table = "events" | .interval_ms = 0 | .events = [
		{ name: "cpu_core/cycles/", pmu: "cpu_core", group: -1, type: 0, config: 17179869184, spec: 0 },
		{ name: "cpu_atom/cycles/", pmu: "cpu_atom", group: -1, type: 0, config: 42949672960, spec: 0 }]
		else empty end' "$data/alderlake.jsonl" >hybrid
	echo '{"time":1.0,"counts":[[0,0,-1,100,5,5],[0,1,-1,500,5,5],[1,4,-1,20,5,5],[1,7,-1,30,5,5]]}' >>hybrid
	echo '{"end":{"elapsed":1.0}}' >>hybrid
}

@test "--hybrid-merge: an event of both PMUs is one row of both counts" {
	hybrid
	"$TDSTAT" report hybrid -x, | cut -d, -f1,3 >got
	assert_same '600,cpu_core/cycles/
50,cpu_atom/cycles/' "$(cat got)"
	"$TDSTAT" report hybrid --hybrid-merge -x, | cut -d, -f1,3 >got
	assert_same 650,cycles "$(cat got)"
	"$TDSTAT" report hybrid --hybrid-merge --per-socket -x, | cut -d, -f1-3,5 >got
	assert_same S0,4,650,cycles "$(cat got)"
	"$TDSTAT" report hybrid --hybrid-merge -A -x, | cut -d, -f1,2,4 >got
	assert_same 'CPU0,100,cycles
CPU1,500,cycles
CPU4,20,cycles
CPU7,30,cycles' "$(cat got)"
	"$TDSTAT" report hybrid --hybrid-merge | grep -E '^ +650      cycles '
}

@test "--no-merge is -A" {
	hybrid
	assert_same "$("$TDSTAT" report hybrid -A -x,)" "$("$TDSTAT" report hybrid --no-merge -x,)"
}

@test "--metric-only of events: what they come to, and no count" {
	real -a
	"$TDSTAT" --metric-only -e task-clock,page-faults -x, -o out -- true
	assert_equal "$(wc -l <out)" 2
	head -n 1 out | grep -F 'CPUs utilized'
	run ! grep -E 'task-clock|msec' out
	"$TDSTAT" --metric-only -a -A -e cpu-clock -x, --timeout 50 -o out
	assert_equal "$(wc -l <out)" $(($(getconf _NPROCESSORS_ONLN) + 1))
	# each CPU's clock runs all the time
	awk -F, 'NR > 1 && !($8 > 0.8 && $8 < 1.3) { exit 1 }' out || fail "$(cat out)"
	run -125 "$TDSTAT" --metric-only -e duration_time --require -- true
	assert_output "tdstat: --metric-only: these events have no ratio"
}

# --- summaries ------------------------------------------------------------------

# A recording of two intervals with known counts.
two() {
	{
		echo '{"tdstat":1,"cpuid":"GenuineIntel-6-8F-8","smt":false,"interval_ms":1000,"target":"system wide","pmus":[{"name":"software","type":1,"cpus":"0-1","core":false}],"topology":[],"table":"events","events":[{"name":"page-faults","pmu":"software","group":-1,"type":1,"config":2,"spec":0}]}'
		echo '{"time":1.0,"counts":[[0,0,-1,100,5,5],[0,1,-1,20,5,5]]}'
		echo '{"time":2.0,"counts":[[0,0,-1,3000,5,5],[0,1,-1,4,5,5]]}'
		echo '{"end":{"elapsed":2.0}}'
	} >two
}

@test "--summary: behind the intervals, the table of the whole" {
	two
	"$TDSTAT" report two --summary >out
	assert_equal "$(grep -oE '^ +[0-9.]+ +[0-9,]+ +page-faults' out | xargs)" \
		'1.000000000 120 page-faults 2.000000000 3,004 page-faults'
	sed -n "/Performance counter stats for 'system wide':/,\$p" out >whole
	grep -E '^ {13}3,124      page-faults ' whole
	grep -E '^ +2\.000000000 seconds time elapsed$' whole
	run ! grep -q 'Performance counter' <("$TDSTAT" report two)
}

@test "--summary in CSV: the word in place of the time, not with --no-csv-summary; JSON" {
	two
	"$TDSTAT" report two --summary -x, | cut -d, -f1-4 >got
	assert_same '1.000000000,120,,page-faults
2.000000000,3004,,page-faults
summary,3124,,page-faults' "$(sed 's/,10,.*//' got)"
	"$TDSTAT" report two --summary --no-csv-summary -x, | tail -n 1 | cut -d, -f1-3 >got
	assert_same 3124,,page-faults "$(cat got)"
	"$TDSTAT" report two --summary -A -x, | tail -n 2 | cut -d, -f1-3 >got
	assert_same 'summary,CPU0,3100
summary,CPU1,24' "$(cat got)"
	"$TDSTAT" report two --summary -j | jq -es '.[2]."counter-value" == "3124.000000"
		and (.[2] | has("interval") | not) and length == 3'
}

@test "--summary of a live run: the sum of its rows" {
	real -a
	"$TDSTAT" -a -I 30 --interval-count 3 --summary -e cpu-clock,page-faults -x, -o out
	awk -F, '$1 == "summary" { if (sum[$4] - $2 > 0.03 || $2 - sum[$4] > 0.03) exit 1; n++; next }
		{ sum[$4] += $2 } END { exit n != 2 }' out || fail "$(cat out)"
}

@test "--summary of metrics: of all counts, not the mean of the rows" {
	# 100 slots of which all retire, then 900 of which none does
	{
		echo '{"tdstat":1,"cpuid":"GenuineIntel-6-8F-8","smt":false,"interval_ms":1000,"target":"system wide","pmus":[{"name":"cpu","type":4,"cpus":"0"}],"topology":[],"events":[{"name":"cpu/slots/","pmu":"cpu","group":0},{"name":"cpu/topdown-retiring/","pmu":"cpu","group":0},{"name":"cpu/topdown-bad-spec/","pmu":"cpu","group":0},{"name":"cpu/topdown-fe-bound/","pmu":"cpu","group":0},{"name":"cpu/topdown-be-bound/","pmu":"cpu","group":0}]}'
		echo '{"time":1.0,"counts":[[0,0,-1,100,5,5],[1,0,-1,100,5,5],[2,0,-1,0,5,5],[3,0,-1,0,5,5],[4,0,-1,0,5,5]]}'
		echo '{"time":2.0,"counts":[[0,0,-1,900,5,5],[1,0,-1,0,5,5],[2,0,-1,0,5,5],[3,0,-1,0,5,5],[4,0,-1,900,5,5]]}'
		echo '{"end":{"elapsed":2.0}}'
	} >tree
	"$TDSTAT" report tree --summary -x, | cut -d, -f1-3,8,9 >got
	assert_same 'time,id,pmu,tma_retiring,tma_backend_bound
1.000000000,all,cpu,100.00,0.00
2.000000000,all,cpu,0.00,100.00
2.000000000,all,cpu,10.00,90.00' "$(cat got)"
	assert_equal "$("$TDSTAT" report tree --summary -x, | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["kind"], $at["interval"], $at["seconds"], $at["slots"] }' | xargs)" \
		'interval 1 1.000000000 100 interval 2 1.000000000 900 summary 2.000000000 1000'
	"$TDSTAT" report tree --summary --no-csv-summary -x, | tail -n 1 | cut -d, -f1-3,8 >got
	assert_same 2.000000000,all,cpu,10.00 "$(cat got)"
	"$TDSTAT" report tree --summary -j | jq -es 'map(select(.metric == "tma_retiring")) | length == 3
		and (.[2] | .summary == true and .value == 10) and (.[0] | has("summary") | not)'
	"$TDSTAT" report tree --summary | sed '/^#/d' | grep -E '10\.0 ±0\.[0-9] %  tma_retiring'
}

# --- the terminal ---------------------------------------------------------------

@test "--interval-clear: each interval on a clear screen, on a terminal alone" {
	real -a
	script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no script(1)"
	script -qec "$TDSTAT -a -I 30 --interval-count 3 --interval-clear -e cpu-clock" /dev/null \
		</dev/null >out
	assert_equal "$(grep -o $'\033\\[2J' out | wc -l)" 3
	assert_equal "$(grep -c 'cpu-clock' out)" 3
	script -qec "$TDSTAT -a -I 30 --interval-count 2 -e cpu-clock" /dev/null </dev/null >out
	run ! grep -q $'\033\\[2J' out
	# as perf
	for to in '' '-o out'; do
		try "$TDSTAT" -a -I 30 --interval-count 2 --interval-clear -e cpu-clock $to
		assert_failure 64
		assert_complains interval-clear
		assert_output ''
	done
}

@test "what a file held stays until there is something to put in its place" {
	needs_software_events
	"$TDSTAT" record -o old -e task-clock -- true
	cp old rec
	sed 1d old >text
	cp text before
	try "$TDSTAT" record -o rec -e task-clock -- ./nothing
	assert_failure 127
	try "$TDSTAT" -o text -e task-clock -- ./nothing
	assert_failure 127
	try "$TDSTAT" report rec -o text --per-core
	assert_failure 1
	cmp old rec
	cmp before text
	# and not longer
	"$TDSTAT" -o text -x, -e task-clock -- true
	[ "$(wc -l <text)" -eq 1 ]
	"$TDSTAT" record -o rec -e task-clock -- true
	[ "$(wc -l <rec)" -eq "$(wc -l <old)" ]
}

# spared OPTION... FILE: refused before anything is run, and the file is what it was
spared() {
	try "$TDSTAT" "$@" "${command[@]}"
	assert_failure "${refusal-1}"
	assert_why_and_remedy "${*: -1} is a recording" --force
	cmp "$data/alderlake.jsonl" rec
	[ ! -e ran ]
}

@test "no result is written over a recording without --force" {
	cp "$data/alderlake.jsonl" rec
	ln -s rec symbolic
	ln rec hard
	other=$data/sapphirerapids-2.jsonl command=()
	for to in rec ./rec symbolic hard; do
		for option in -o -x,\ -o -j\ -o --append\ -o --html --svg --perfetto; do
			spared report "$other" $option "$to"
		done
	done
	spared diff "$other" "$other" -o rec
	spared diff "$other" "$other" --html rec
	command=(-- touch ran)
	for words in '-x, -o' -o '-I 1s --perfetto' '--openmetrics -o'; do
		refusal=125 spared --require $words rec
		try "$TDSTAT" $words rec -- touch made
		assert_runs_all_the_same 'rec is a recording' --force
		cmp "$data/alderlake.jsonl" rec
		rm made
	done
	for words in 'locate -o' 'locate --samples' \
		'profile --samples' 'profile --record' 'regions --record'; do
		refusal=125 spared ${words% *} --require ${words#* } rec
		try "$TDSTAT" $words rec -- touch made
		assert_runs_all_the_same 'rec is a recording' --force
		cmp "$data/alderlake.jsonl" rec
		rm made
	done
	command=()
	"$TDSTAT" report "$other" -x, --force -o rec
	assert_same "$("$TDSTAT" report "$other" -x,)" "$(cat rec)"
	# what begins in another way is a result
	for begins in '' '{"tdsta":1}' '["tdstat":1]' '{"tdstat"}' x; do
		printf %s "$begins" >result
		"$TDSTAT" report "$other" -j -o result
		assert_same "$("$TDSTAT" report "$other" -j)" "$(cat result)"
	done
	# what blanks a program put there does not matter
	printf ' {\n "tdstat" : 1' >rec
	try "$TDSTAT" report "$other" -o rec
	assert_failure 1
}

@test "a FIFO that nobody reads: waited for, and that can be stopped" {
	needs_software_events
	mkfifo fifo
	for how in '' record; do
		try timeout -s TERM 0.5 "$TDSTAT" $how -o fifo -e task-clock -- touch ran
		assert_failure 124
	done
	[ ! -e ran ]
	cat fifo >got &
	"$TDSTAT" -o fifo -x, -e task-clock -- true
	wait $!
	[ "$(wc -l <got)" -eq 1 ]
}

@test "counts that cannot be written: said once, the command runs on, and the status is 1 if its own is 0" {
	needs_software_events
	for own in 0 3; do
		for how in '-o /dev/full -I 10 -e task-clock' '-o /dev/full' '-o /dev/full -r 3' \
			'-o /dev/full -I 10 --summary'; do
			rm -f ran
			try "$TDSTAT" $how -- sh -c "sleep 0.1; echo >>ran; exit $own"
			assert_equal "$how: $status" "$how: $((own ? own : 1))"
			[ -e ran ] || fail "$how: it did not run to its end"
			assert_complains 'cannot write /dev/full: No space left'
			assert_equal "$how: $(grep -c 'cannot write' <<<"$stderr")" "$how: 1"
			[[ $how != *-I* || $stderr == *'nothing more is counted: sh goes on'* ]]
		done
	done
}
