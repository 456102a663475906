#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Options for the output: -o, --append, --log-fd, --quiet, -B, -x, --no-merge,
# --hybrid-merge, --summary, --interval-clear.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# --- where ----------------------------------------------------------------------

@test "-o: the date, then the text that would go to standard error, which stays empty" {
	real
	try "$TDSTAT" -o out -e task-clock -- echo said
	assert_output said
	assert_no_stderr
	mapfile -t lines <out
	[[ ${lines[0]} == '# started on '* ]]
	date -d "${lines[0]#\# started on }" >/dev/null
	[[ $(<out) == *$'\n Performance counter stats for \'echo said\':\n'* ]]
	# formats for programs have no such line
	for format in '-x,' -j; do
		"$TDSTAT" -o out $format -e task-clock -- true
		mapfile -t lines <out
		[ ${#lines[@]} -eq 1 ]
		[[ ${lines[0]} != '#'* ]]
	done
}

@test "--append: after the old content, with -o and --log-fd only" {
	real
	for format in '' '-x,' -j; do
		"$TDSTAT" -o two $format -e task-clock -- true
		"$TDSTAT" -o two --append $format -e page-faults -- true
		two=$(<two)
		behind=${two#*task-clock}
		[[ $two == *task-clock* && $behind == *page-faults* ]]
		[[ $behind != *task-clock* && ${behind#*page-faults} != *page-faults* ]]
	done
	try "$TDSTAT" --append -e task-clock -- touch ran
	assert_failure 64
	assert_complains 'append.*-o'
	[ ! -e ran ]
}

@test "--log-fd: there and nowhere else; it stays open, and tdstat's copy is not the command's" {
	real
	exec 7>logged
	try "$TDSTAT" --log-fd 7 -x, -e task-clock -- sh -c 'echo said; ls -l /proc/$$/fd >fds'
	try "$TDSTAT" --log-fd 7 -x, -e page-faults -- true
	echo mine >&7
	exec 7>&-
	assert_no_stderr
	mapfile -t lines <logged
	[ ${#lines[@]} -eq 3 ]
	[[ ${lines[0]} == *,task-clock,* && ${lines[1]} == *,page-faults,* && ${lines[2]} == mine ]]
	fds=$(<fds)
	[[ $fds == *" 7 -> "*/logged* && ${fds/\/logged/} != */logged* ]]
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
	try "$TDSTAT" --quiet -D 20 -p $$ -e task-clock --timeout 40
	assert_success
	assert_no_stderr
}

@test "a long command: progress is only shown with -v" {
	real
	for how in '-r 3' '-D 10' '-r 2 --pre true --post true -S' '--per-thread'; do
		# with -D, counting begins while it runs
		try "$TDSTAT" $how -e task-clock -o out -- sh -c 'sleep 0.05
			[ "$0" != "-D 10" ] || until grep -q "^Events enabled" .stderr; do sleep 0.01; done' "$how"
		assert_output ''
		stderr=${stderr/Events disabled/}
		stderr=${stderr/Events enabled/}
		# sleep, on a machine that is slower than it
		stderr=${stderr/tdstat: 1 thread ended before it could be counted/}
		[ -z "${stderr//$'\n'/}" ] || fail "$how: $stderr"
	done
	try "$TDSTAT" -v -e task-clock -o out -- true
	[ -n "$stderr" ]
}

# --- how ------------------------------------------------------------------------

@test "-x '\\t' and -x with a tab: one and the same" {
	real
	for sep in '\t' $'\t' '::'; do
		"$TDSTAT" -x "$sep" -e task-clock -o out -- true
		read -r line <out
		sep=${sep/'\t'/$'\t'}
		rest=${line//"$sep"/}
		assert_equal $(((${#line} - ${#rest}) / ${#sep})) 6
	done
}

@test "-B and --no-big-num: the last one holds; -B with -x is refused" {
	real
	"$TDSTAT" -B -e duration_time -o out -- sleep 0.01
	has_text out ' [0-9]{1,3}(,[0-9]{3})+ ns '
	"$TDSTAT" --no-big-num -e duration_time -o out -- sleep 0.01
	has_text out ' [0-9]{8,} ns '
	try "$TDSTAT" -B -x, -e duration_time -- touch ran
	assert_failure 64
	assert_complains '-B.*-x'
	[ ! -e ran ]
}

@test "options that exclude each other: 64, both names, and no command runs" {
	real
	while IFS=: read -r options names; do
		try "$TDSTAT" $options -- touch ran
		[ "$status" = 64 ] || fail "$options: status $status"
		for name in $names; do
			[[ ${stderr_lines[0]} == *"$name"* ]] || fail "$options: no $name in ${stderr_lines[0]}"
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
	command jq -c 'if .tdstat then .table = "events" | .interval_ms = 0 | .events = [
		{ name: "cpu_core/cycles/", pmu: "cpu_core", group: -1, type: 0, config: 17179869184, spec: 0 },
		{ name: "cpu_atom/cycles/", pmu: "cpu_atom", group: -1, type: 0, config: 42949672960, spec: 0 }],
		{"time":1.0,"counts":[[0,0,-1,100,5,5],[0,1,-1,500,5,5],[1,4,-1,20,5,5],[1,7,-1,30,5,5]]},
		{"end":{"elapsed":1.0}}
		else empty end' "$data/alderlake.jsonl" >hybrid
}

# begins LINE...: the lines of the output begin so
begins() {
	local i=0

	[ ${#lines[@]} -eq $# ] || fail "$output"
	for line; do
		[[ ${lines[i++]} == "$line"* ]] || fail "no line $line: $output"
	done
}

@test "--hybrid-merge: an event of both PMUs is one row of both counts; --no-merge is -A" {
	hybrid
	try "$TDSTAT" report hybrid -x,
	begins 600,,cpu_core/cycles/, 50,,cpu_atom/cycles/,
	try "$TDSTAT" report hybrid --hybrid-merge -x,
	begins 650,,cycles,
	try "$TDSTAT" report hybrid --hybrid-merge --per-socket -x,
	begins S0,4,650,,cycles,
	try "$TDSTAT" report hybrid --hybrid-merge -A -x,
	begins CPU0,100,,cycles, CPU1,500,,cycles, CPU4,20,,cycles, CPU7,30,,cycles,
	try "$TDSTAT" report hybrid --hybrid-merge
	assert_line --regexp '^ +650      cycles '
	assert_same "$("$TDSTAT" report hybrid -A -x,)" "$("$TDSTAT" report hybrid --no-merge -x,)"
}

@test "--metric-only of events: only their ratios, without counts" {
	real -a
	try "$TDSTAT" --metric-only -e task-clock,page-faults -x, --log-fd 1 -- true
	[ ${#lines[@]} -eq 2 ]
	[[ ${lines[0]} == *'CPUs utilized'* && $output != *task-clock* && $output != *msec* ]]
	"$TDSTAT" --metric-only -a -A -e cpu-clock -x, --timeout 50 -o out
	# a recording: the clock of each CPU divided by the time of the run
	"$TDSTAT" record -a -e cpu-clock --timeout 50 -o rec
	"$TDSTAT" report rec -A -x, >counts
	"$TDSTAT" report rec -A --metric-only -x, >ratios
	awk -F, -v cpus="$(getconf _NPROCESSORS_ONLN)" '
		FILENAME == "counts" { ms[$1] = $2; next }
		FNR > 1 { n[FILENAME]++ }
		FILENAME == "out" && FNR > 1 && !($8 > 0) { print; failed = 1 }
		FILENAME == "ratios" && FNR > 1 && !(ms[$2] > 0 && (($8 * $1 * 1000 - ms[$2]) / ms[$2]) ^ 2 < 1e-6) { print; failed = 1 }
		END { exit failed || n["out"] != cpus || n["ratios"] != cpus }' counts out ratios || fail "$(head out counts ratios)"
	try "$TDSTAT" --metric-only -e duration_time --require -- true
	assert_failure 125
	assert_equal "$stderr" "tdstat: --metric-only: these events have no ratio"
}

# --- summaries ------------------------------------------------------------------

# A recording of two intervals with known counts.
two() {
	printf '%s\n' \
		'{"tdstat":1,"cpuid":"GenuineIntel-6-8F-8","smt":false,"interval_ms":1000,"target":"system wide","pmus":[{"name":"software","type":1,"cpus":"0-1","core":false}],"topology":[],"table":"events","events":[{"name":"page-faults","pmu":"software","group":-1,"type":1,"config":2,"spec":0}]}' \
		'{"time":1.0,"counts":[[0,0,-1,100,5,5],[0,1,-1,20,5,5]]}' \
		'{"time":2.0,"counts":[[0,0,-1,3000,5,5],[0,1,-1,4,5,5]]}' \
		'{"end":{"elapsed":2.0}}' >two
}

@test "--summary: the table of the whole run follows the intervals" {
	two
	try "$TDSTAT" report two --summary
	behind=${output#*"Performance counter stats for 'system wide':"}
	before=${output%"$behind"}
	[[ $before =~ ^[^$'\n']*$'\n'\ +1\.000000000\ +120\ +page-faults.*\ 2\.000000000\ +3,004\ +page-faults ]] || fail "$before"
	rest=${before//page-faults/}
	assert_equal $((${#before} - ${#rest})) 22
	[[ $behind == *$'\n             3,124      page-faults '* ]]
	[[ $behind =~ $'\n'\ +2\.000000000\ seconds\ time\ elapsed ]]
	try "$TDSTAT" report two
	[[ $output != *'Performance counter'* ]]
}

@test "--summary in CSV: the word in place of the time, not with --no-csv-summary; JSON" {
	two
	try "$TDSTAT" report two --summary -x,
	begins 1.000000000,120,,page-faults, 2.000000000,3004,,page-faults, summary,3124,,page-faults,
	try "$TDSTAT" report two --summary --no-csv-summary -x,
	begins 1.000000000,120,,page-faults, 2.000000000,3004,,page-faults, 3124,,page-faults,
	try "$TDSTAT" report two --summary -A -x,
	begins 1.000000000,CPU0, 1.000000000,CPU1, 2.000000000,CPU0, 2.000000000,CPU1, summary,CPU0,3100, summary,CPU1,24,
	"$TDSTAT" report two --summary -j | jq -es '.[2]."counter-value" == "3124.000000"
		and (.[2] | has("interval") | not) and length == 3'
}

@test "--summary of a live run: the sum of its rows" {
	real -a
	"$TDSTAT" -a -I 30 --interval-count 3 --summary -e cpu-clock,page-faults -x, -o out
	awk -F, '$1 == "summary" { if (sum[$4] - $2 > 0.03 || $2 - sum[$4] > 0.03) exit 1; n++; next }
		{ sum[$4] += $2 } END { exit n != 2 }' out || fail "$(cat out)"
}

@test "--summary of metrics: from all counts, not the mean of the rows" {
	# 100 slots of which all retire, then 900 of which none does
	printf '%s\n' \
		'{"tdstat":1,"cpuid":"GenuineIntel-6-8F-8","smt":false,"interval_ms":1000,"target":"system wide","pmus":[{"name":"cpu","type":4,"cpus":"0"}],"topology":[],"events":[{"name":"cpu/slots/","pmu":"cpu","group":0},{"name":"cpu/topdown-retiring/","pmu":"cpu","group":0},{"name":"cpu/topdown-bad-spec/","pmu":"cpu","group":0},{"name":"cpu/topdown-fe-bound/","pmu":"cpu","group":0},{"name":"cpu/topdown-be-bound/","pmu":"cpu","group":0}]}' \
		'{"time":1.0,"counts":[[0,0,-1,100,5,5],[1,0,-1,100,5,5],[2,0,-1,0,5,5],[3,0,-1,0,5,5],[4,0,-1,0,5,5]]}' \
		'{"time":2.0,"counts":[[0,0,-1,900,5,5],[1,0,-1,0,5,5],[2,0,-1,0,5,5],[3,0,-1,0,5,5],[4,0,-1,900,5,5]]}' \
		'{"end":{"elapsed":2.0}}' >tree
	try "$TDSTAT" report tree --summary -x,
	got=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		{ print $1, $2, $3, $8, $9, $at["kind"], $at["interval"], $at["seconds"], $at["slots"] }' <<<"$output")
	assert_same 'time id pmu tma_retiring tma_backend_bound kind interval seconds slots
1.000000000 all cpu 100.00 0.00 interval 1 1.000000000 100
2.000000000 all cpu 0.00 100.00 interval 2 1.000000000 900
2.000000000 all cpu 10.00 90.00 summary  2.000000000 1000' "$got"
	try "$TDSTAT" report tree --summary --no-csv-summary -x,
	[[ ${lines[-1]} =~ ^2\.000000000,all,cpu,([^,]*,){4}10\.00, ]]
	"$TDSTAT" report tree --summary -j | jq -es 'map(select(.metric == "tma_retiring")) | length == 3
		and (.[2] | .summary == true and .value == 10) and (.[0] | has("summary") | not)'
	try "$TDSTAT" report tree --summary
	assert_line --regexp '^[^#].*10\.0 ±0\.[0-9] %  tma_retiring'
}

# --- the terminal ---------------------------------------------------------------

@test "--interval-clear: each interval on a clear screen, only on a terminal" {
	real -a
	script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no script(1)"
	script -qec "'$TDSTAT' -a -I 30 --interval-count 3 --interval-clear -e cpu-clock" /dev/null \
		</dev/null >out
	IFS= read -rd '' shown <out || true
	clears=${shown//$'\033[2J'/}
	assert_equal $(((${#shown} - ${#clears}) / 4)) 3
	clocks=${shown//cpu-clock/}
	assert_equal $(((${#shown} - ${#clocks}) / 9)) 3
	script -qec "'$TDSTAT' -a -I 30 --interval-count 2 -e cpu-clock" /dev/null </dev/null >out
	run ! has_text out $'\033\\[2J'
	# as perf
	for to in '' '-o out'; do
		try "$TDSTAT" -a -I 30 --interval-count 2 --interval-clear -e cpu-clock $to
		assert_failure 64
		assert_complains interval-clear
		assert_output ''
	done
}

@test "a file keeps its old content until the first result" {
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
	has_lines text 1
	run ! has_lines text 2
	"$TDSTAT" record -o rec -e task-clock -- true
	try "$TDSTAT" report rec
	assert_success
	assert_no_stderr
}

# spared OPTION... FILE: refused before anything is run
spared() {
	try "$TDSTAT" "$@" "${command[@]}"
	assert_failure "${refusal-1}"
	assert_why_and_remedy "${*: -1} is a recording" --force
	[ ! -e ran ]
}

# All names for each way to open a file; the other formats by a link, the hardest of them.
@test "no result is written over a recording without --force" {
	needs_wing pictures serve
	cp "$data/alderlake.jsonl" rec
	ln -s rec symbolic
	ln rec hard
	other=$data/sapphirerapids-2.jsonl command=()
	for to in rec ./rec symbolic hard; do
		for option in -o --html; do
			spared report "$other" $option "$to"
		done
	done
	for option in '-x, -o' '-j -o' '--append -o' --svg --perfetto; do
		spared report "$other" $option symbolic
	done
	spared diff "$other" "$other" -o rec
	spared diff "$other" "$other" --html rec
	cmp "$data/alderlake.jsonl" rec
	command=(-- touch ran)
	for words in '-x, -o' -o '-I 1s --perfetto' '--openmetrics -o' \
		'locate -o' 'locate --samples' 'profile --samples' 'profile --record' 'regions --record'; do
		# after the subcommand, or before all options
		refusal=125 spared ${words%%-*} --require -${words#*-} rec
		try "$TDSTAT" $words rec -- touch made
		assert_runs_all_the_same 'rec is a recording' --force
		[ -e made ] || fail "$words: it did not run"
		rm made
	done
	cmp "$data/alderlake.jsonl" rec
	command=()
	"$TDSTAT" report "$other" -x, --force -o rec
	"$TDSTAT" report "$other" -x, | cmp - rec
	# a file with another beginning is a result
	"$TDSTAT" report "$other" -j >want
	for begins in '' '{"tdsta":1}' '["tdstat":1]' '{"tdstat"}' x; do
		printf %s "$begins" >result
		"$TDSTAT" report "$other" -j -o result
		cmp want result
	done
	# blanks in the file do not matter
	printf ' {\n "tdstat" : 1' >rec
	try "$TDSTAT" report "$other" -o rec
	assert_failure 1
}

@test "a FIFO that no process reads: tdstat waits, and can be stopped" {
	needs_software_events
	mkfifo fifo
	for how in '' record; do
		"$TDSTAT" $how -o fifo -e task-clock -- touch ran 3>&- &
		pid=$!
		wait_for sleeps $pid
		kill -TERM $pid
		status=0
		wait $pid || status=$?
		[ "$status" -ne 0 ]
	done
	[ ! -e ran ]
	"$TDSTAT" -o fifo -x, -e task-clock -- true 3>&- &
	mapfile -t lines <fifo
	wait $!
	[ ${#lines[@]} -eq 1 ]
}

@test "counts that cannot be written: one error, the command continues, and the status is 1 if its own is 0" {
	needs_software_events
	for own in 0 3; do
		for how in '-o /dev/full -I 10 -e task-clock' '-o /dev/full' '-o /dev/full -r 3' \
			'-o /dev/full -I 10 --summary'; do
			rm -f ran
			# it ends when an interval could not be written, if there is one
			until=
			[[ $how != *-I* ]] || until='until grep -q "cannot write" .stderr; do sleep 0.02; done;'
			try "$TDSTAT" $how -- sh -c "$until echo >>ran; exit $own"
			assert_equal "$how: $status" "$how: $((own ? own : 1))"
			[ -e ran ] || fail "$how: it did not run to its end"
			assert_complains 'cannot write /dev/full: No space left'
			[[ ${stderr/cannot write/} != *'cannot write'* ]] || fail "$how: $stderr"
			[[ $how != *-I* || $stderr == *'counting stopped; sh continues'* ]]
		done
	done
}
