#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Recordings and model files that were truncated, changed or inflated: whole
# lines are used, errors name file and place, and memory is bounded.

# shellcheck disable=SC2016,SC2154 # jq; helper.bash
load helper

# assert_answers WHAT FILE: numbers, or an error of ours that names the file
assert_answers() {
	[ "$status" -le 1 ] || fail "$1: status $status"
	[ "$status" = 0 ] || [[ $stderr == *"tdstat: "*"$2"* ]] || fail "$1: $2 is not named: $stderr"
	[ "$status" = 1 ] || [[ $output == *tma_* ]] || fail "$1: nothing shown"
	[[ $output != *nan* && $output != *inf* ]] || fail "$1: no number: $output"
}

# A short recording: cutting is quadratic.
short() {
	cp "$data/alderlake-command.jsonl" whole.jsonl
}

@test "a recording cut at every byte" {
	not_under_valgrind "too many runs; tests/unit/recording.c and fuzzing have the like"
	short
	# in one process a cut, and all at once: a second's work
	python3 - "$TDSTAT" whole.jsonl >wrong <<-'PYTHON'
		import subprocess, sys
		tdstat, name = sys.argv[1:]
		text = open(name, "rb").read()
		head = text.index(b"\n") + 1
		cuts = range(len(text))
		def begin(cut):
		    part = open("cut", "wb+")
		    part.write(text[:cut])
		    part.seek(0)
		    run = subprocess.Popen([tdstat, "report", "-x,", "-i", "/dev/stdin"], stdin=part,
		        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
		    out, err = run.communicate()
		    part.close()
		    counts = text[:cut].count(b"\n")
		    if run.returncode not in (0, 1) or (run.returncode == 1 and b"/dev/stdin" not in err):
		        print(cut, run.returncode, err)
		    # of a head that is not whole, and without a row behind it, nothing
		    if counts < 2 and cut < len(text) - 1 and b",cpu_core," in out and b"\n" not in text[head:cut]:
		        print(cut, "a row from nowhere", out)
		    if cut < len(text) - 1 and not err:
		        print(cut, "cut, and not said")
		for cut in cuts:
		    begin(cut)
	PYTHON
	[ ! -s wrong ] || fail "$(head -n 20 wrong)"
}

@test "a recording that ends before its first counts is an error, but for a page" {
	short
	head -n 1 whole.jsonl >head.jsonl
	head -c 1700 whole.jsonl >cut.jsonl
	assert_equal "$(wc -l <cut.jsonl)" 1
	for file in head.jsonl cut.jsonl; do
		for format in '' '-x,' -j; do
			# shellcheck disable=SC2086 # none, or one
			try "$TDSTAT" report $format "$file"
			[ "$status" -eq 1 ] || fail "$format: status $status"
			[[ $stderr == *"tdstat: $file has no counts"* ]] || fail "$format: $stderr"
		done
	done
}

@test "a recording with a member of another type, or gone, or out of range" {
	not_under_valgrind "too many runs; tests/unit/recording.c and fuzzing have the like"
	short
	python3 - "$TDSTAT" whole.jsonl >wrong <<-'PYTHON'
		import json, subprocess, sys
		tdstat, name = sys.argv[1:]
		lines = [json.loads(line) for line in open(name)]
		values = [None, True, -1, 0, 1e308, 2**63, 2**64, -2**63, "", "x" * 5000, [], {}, [[]]]
		def places(value, path):
		    if isinstance(value, dict):
		        for key in list(value)[:12]:
		            yield path + [key]
		            yield from places(value[key], path + [key])
		    elif isinstance(value, list) and value:
		        yield path + [0]
		        yield from places(value[0], path + [0])
		def run(what):
		    with open("changed", "w") as out:
		        for line in lines: print(json.dumps(line), file=out)
		    run = subprocess.run([tdstat, "report", "-x,", "-i", "changed"], capture_output=True, timeout=10)
		    if run.returncode not in (0, 1):
		        print(what, run.returncode, run.stderr)
		    if run.returncode == 1 and b"changed" not in run.stderr:
		        print(what, "does not name the file:", run.stderr)
		    if b"nan" in run.stdout or b"inf" in run.stdout:
		        print(what, run.stdout)
		nr = 0
		for number, line in enumerate(lines):
		    for path in list(places(line, [])):
		        owner = line
		        for key in path[:-1]: owner = owner[key]
		        old = owner[path[-1]]
		        # three of the values at each place, other ones at the next
		        for value in (values[(nr + i) % len(values)] for i in (0, 5, 9)):
		            owner[path[-1]] = value
		            run((number + 1, path, value if len(str(value)) < 30 else "long"))
		        nr += 1
		        owner[path[-1]] = old
	PYTHON
	[ ! -s wrong ] || fail "$(head -n 20 wrong)"
}

@test "numbers out of range in a recording: the file and the line" {
	short
	while read -r line filter; do
		jq -c "$filter" whole.jsonl >changed
		! cmp -s <(jq -c . whole.jsonl) changed || fail "$filter changes nothing"
		try "$TDSTAT" report -x, -i changed
		[ "$status" = 1 ] || fail "$filter: status $status"
		[[ ${stderr_lines[0]} == "tdstat: changed:$line: "* ]] || fail "$filter: $stderr"
	done <<-'FILTERS'
		1 if .tdstat then .interval_ms = -1 else . end
		1 if .tdstat then .interval_ms = 1e30 else . end
		1 if .tdstat then .pmus[0].type = 4294967296 else . end
		1 if .tdstat then .pmus[0].cpus = "0-65536" else . end
		1 if .tdstat then .topology[0].cpu = 65536 else . end
		1 if .tdstat then .topology[0].core = -2 else . end
		1 if .tdstat then .events[0].group = 10001 else . end
		1 if .tdstat then .events[0].at_once = -1 else . end
		1 if .tdstat then .events[0].scale = 0 else . end
		1 if .tdstat then .level = 10 else . end
		1 if .tdstat then .level = 0 else . end
		2 if .counts then .time = 1e9 else . end
		2 if .counts then .time = -1 else . end
		2 if .counts then .counts[0][0] = 10000 else . end
		2 if .counts then .counts[0][1] = 65536 else . end
		2 if .counts then .counts[0][3] = -1 else . end
		2 if .counts then .counts[0][3] = 9223372036854775808 else . end
		2 if .counts then .counts[0][5] = .counts[0][4] + 1 else . end
		2 if .counts then .user = -1 | .sys = 0 else . end
		3 if .end then .end.elapsed = 1e9 else . end
		3 if .end then .end.user = 1e308 else . end
		3 if .end then .end.sys = "long" else . end
		3 if .end then .end |= del(.sys) else . end
	FILTERS
}

@test "numbers out of range in what perf wrote: the file and the line" {
	while read -r text; do
		printf '1,,cycles,100,100.00,,\n%s\n' "$text" >perf.csv
		try "$TDSTAT" report -i perf.csv
		[ "$status" = 1 ] || fail "$text: status $status"
		[[ $stderr == "tdstat: perf.csv:2: "* ]] || fail "$text: $stderr"
		assert_output ''
	done <<-'TEXTS'
		9223372036854775807,,instructions,100,100.00,,
		99999999999999999999,,instructions,100,100.00,,
		1,,instructions,1000000000000000000,100.00,,
		1,,instructions,-1,100.00,,
		1,,instructions,100,-5.00,,
		1,,instructions,900000000000000000,1.00,,
		9223372036855,msec,task-clock,100,100.00,,
		1000000000000000000,ns,duration_time,100,100.00,,
		1000000000000000000,ns,user_time,100,100.00,,
	TEXTS
}

@test "not a recording at all" {
	not_under_valgrind "memory is valgrind's"
	for text in '' '\n' '\n\n' '{' '{}' '[]' 'null' '{"tdstat":1}' '{"tdstat":2}' '{"tdstat":1}\n{"tdstat":1}' \
		'\0\0\0' '\377\376' '{"tdstat":1,"tdstat":1}' '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[' '1,2,3' ',,,,,,' \
		'#' '# started on'; do
		# shellcheck disable=SC2059
		printf "$text" >odd
		try timeout 30 "$TDSTAT" report -i odd
		[ "$status" = 1 ] || fail "$text: $status"
		[[ $stderr == "tdstat: "*odd* ]] || fail "$text: $stderr"
		assert_output ''
	done
	for file in . /dev/null /proc/self/mem nosuch; do
		try timeout 30 "$TDSTAT" report -i "$file"
		[ "$status" = 1 ] || fail "$file: $status"
		[[ $stderr == "tdstat: "*"$file"* ]] || fail "$file: $stderr"
	done
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes all addresses"
	# endless, and no line ends
	try sh -c 'ulimit -v 2000000; exec timeout 30 "$TDSTAT" report -i /dev/zero'
	assert_failure 1
	assert_complains /dev/zero
}

@test "a line of 1 GiB: refused, in 250 MB" {
	not_under_valgrind "memory is valgrind's"
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes it all"
	short
	# sparse: NULs, at the beginning, behind the head, and within a string
	truncate -s 1G first.jsonl
	{
		head -n 1 whole.jsonl
		printf '{"t":1,"x":"'
	} >second.jsonl
	truncate -s 1G second.jsonl
	for file in first second; do
		try sh -c 'ulimit -v 250000; exec timeout 20 "$TDSTAT" report -i "$1"' - $file.jsonl
		[ "$status" = 1 ] || fail "$file: $status"
		[[ $stderr == "tdstat: "*"$file.jsonl"* ]] || fail "$file: $stderr"
	done
	# many lines are no reason: only one is there at a time
	{
		sed '$d' whole.jsonl
		line=$(sed -n 2p whole.jsonl)
		for ((i = 0; i < 3000; i++)); do
			echo "$line"
		done
	} >many.jsonl
	try sh -c 'ulimit -v 100000; exec timeout 20 "$TDSTAT" report -x, -i many.jsonl'
	[ "$status" -le 1 ]
	[[ $stderr != *memory* ]] || fail "$stderr"
}

# A model's files, of which one is cut.
models() {
	[ -d "$TD_PMU_EVENTS" ] || skip "no model files"
	saved sapphirerapids
	mkdir -p models
	cp -RL "$TD_PMU_EVENTS"/{mapfile.csv,sapphirerapids} models
}

@test "model files cut anywhere: the file and the place, or what is left of them" {
	models
	for file in models/sapphirerapids/spr-metrics.json models/sapphirerapids/pipeline.json models/mapfile.csv; do
		cp $file whole
		size=$(stat -c %s whole)
		for ((i = 0; i < 25; i++)); do
			cut=$((i < 8 ? i : size * (i - 8) / 17 + i - 20))
			[ $cut -ge 0 ] && [ $cut -lt "$size" ] || continue
			head -c $cut whole >$file
			try timeout 30 "$TDSTAT" --dry-run --metrics-dir models -M tma_retiring,tma_fetch_latency
			[ "$status" -le 1 ] || fail "$file cut at $cut: status $status"
			[ "$status" = 0 ] || [[ $stderr == *"tdstat: "* ]] || fail "$file cut at $cut: $stderr"
			# JSON that is cut is no JSON
			[[ $file != *.json ]] || [ "$status" = 1 ] || fail "$file cut at $cut: taken"
			[[ $file != *.json || $stderr == *"${file##*/}"* ]] || fail "$file cut at $cut: $stderr"
		done
		cp whole $file
	done
	try "$TDSTAT" --dry-run --metrics-dir models -M tma_retiring
	assert_success
}

@test "model files of wrong types, and 1 GiB long" {
	not_under_valgrind "memory is valgrind's"
	models
	file=models/sapphirerapids/spr-metrics.json
	cp $file whole
	for filter in '.[0]' '{}' '[1]' '[null]' '[[]]' 'map(.MetricExpr = 1)' 'map(.MetricName = null)' \
		'map(.MetricExpr = "")' 'map(del(.MetricExpr))' 'map(.MetricExpr = "((((")' 'map(.ScaleUnit = [])' \
		'map(.MetricExpr = "1e999 / 0")' 'map(.MetricName = "a,b\n\u001b[1m")'; do
		jq -c "$filter" whole >$file
		try timeout 30 "$TDSTAT" --dry-run --metrics-dir models -M tma_retiring
		[ "$status" -le 1 ] || [ "$status" = 64 ] || fail "$filter: status $status"
		[ "$status" = 0 ] || [[ $stderr == *"tdstat: "* ]] || fail "$filter: $stderr"
		! LC_ALL=C grep -q '[^[:print:]]' <<<"$stderr$output" || fail "$filter: no text"
	done
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes it all"
	: >$file
	truncate -s 1G $file
	try bash -c 'ulimit -v 300000; exec timeout 20 "$TDSTAT" --dry-run --metrics-dir models -M tma_retiring'
	assert_failure 1
	assert_complains 'spr-metrics.json'
}

# The files of intel/perfmon as they are made for Alder Lake, both kinds of core.
perfmon() {
	saved alderlake
	mkdir -p models/ADL/events models/ADL/metrics
	cat >models/mapfile.csv <<-'MAP'
		Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name
		GenuineIntel-6-97,V1,/ADL/events/core.json,hybridcore,0x40,0x000001,Core
		GenuineIntel-6-97,V1,/ADL/metrics/core.json,metrics,0x40,0x000001,Core
	MAP
	cat >models/ADL/events/core.json <<-'EVENTS'
		{"Header":{"Copyright":"none"},"Events":[
		{"EventCode":"0x3c","UMask":"0x00","EventName":"CPU_CLK_UNHALTED.THREAD","BriefDescription":"cycles","CounterMask":"0","Invert":"0","EdgeDetect":"0","MSRIndex":"0x00","MSRValue":"0x00"},
		{"EventCode":"0xc0","UMask":"0x00","EventName":"INST_RETIRED.ANY","BriefDescription":"instructions","CounterMask":"0","Invert":"0","EdgeDetect":"0","MSRIndex":"0x00","MSRValue":"0x00"}]}
	EVENTS
	cat >models/ADL/metrics/core.json <<-'METRICS'
		{"Header":{"Copyright":"none"},"Metrics":[
		{"MetricName":"cpi_of_it","LegacyName":"metric_CPI","Level":1,"BriefDescription":"cycles an instruction","UnitOfMeasure":"",
		"Events":[{"Name":"CPU_CLK_UNHALTED.THREAD","Alias":"a"},{"Name":"INST_RETIRED.ANY","Alias":"b"}],"Constants":[],
		"Formula":"a / b","Category":"none","ResolutionLevels":"CORE","MetricGroup":"none"}]}
	METRICS
}

ask_perfmon() {
	try timeout 30 "$TDSTAT" --dry-run -a --cputype core --metrics-dir models -M cpi_of_it
}

# (cut at every byte: tests/unit/perfmon.c and pmu_events.c)
@test "perfmon's files cut anywhere, of wrong types, out of range, 1 GiB long" {
	not_under_valgrind "memory is valgrind's"
	perfmon
	ask_perfmon
	assert_success
	assert_output --partial 'CPU_CLK_UNHALTED.THREAD'
	for file in models/ADL/events/core.json models/ADL/metrics/core.json models/mapfile.csv; do
		cp $file whole
		size=$(stat -c %s whole)
		for ((cut = 0; cut < size - 1; cut += 19)); do
			head -c $cut whole >$file
			ask_perfmon
			[ "$status" -le 1 ] || [ "$status" = 64 ] || fail "$file cut at $cut: status $status"
			[ "$status" = 0 ] || [[ $stderr == "tdstat: "* ]] || fail "$file cut at $cut: $stderr"
			[[ $file != *.json ]] || [[ $status = 1 && $stderr == *"$file"* ]] || fail "$file cut at $cut: $status $stderr"
		done
		cp whole $file
	done
	while read -r file filter; do
		cp "models/ADL/$file" whole
		jq -c "$filter" whole >"models/ADL/$file"
		ask_perfmon
		[ "$status" = 1 ] || fail "$file $filter: status $status: $output"
		[[ $stderr == "tdstat: "*"$file: "* ]] || fail "$file $filter: $stderr"
		cp whole "models/ADL/$file"
	done <<-'FILTERS'
		events/core.json []
		events/core.json .Events = {}
		events/core.json .Events = [1]
		events/core.json .Events[0].EventCode = "0x10000000000000000"
		events/core.json .Events[0].EventCode = "-1"
		events/core.json .Events[0].UMask = []
		events/core.json .Events[0].CounterMask = "many"
		metrics/core.json .Metrics = null
		metrics/core.json .Metrics[0] = []
		metrics/core.json .Metrics[0].Formula = []
	FILTERS
	# a metric that makes no sense is left out, and the others are not
	for filter in '.Metrics[0].Formula = "((("' '.Metrics[0].Events = [1]'; do
		cp models/ADL/metrics/core.json whole
		jq -c "$filter" whole >models/ADL/metrics/core.json
		try "$TDSTAT" --dry-run -a --metrics-dir models
		assert_success
		assert_complains 'metrics/core.json: cpi_of_it: .*: not shown'
		cp whole models/ADL/metrics/core.json
	done
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes it all"
	for file in events metrics; do
		cp models/ADL/$file/core.json whole
		: >models/ADL/$file/core.json
		truncate -s 1G models/ADL/$file/core.json
		try bash -c 'ulimit -v 300000; exec timeout 20 "$TDSTAT" --dry-run -a --metrics-dir models -M cpi_of_it'
		assert_failure 1
		assert_complains "$file/core.json"
		cp whole models/ADL/$file/core.json
	done
}

@test "too little memory for a model's files is said, and nothing else" {
	not_under_valgrind "memory is valgrind's"
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes it all"
	models
	: >said
	for ((size = 4000; size < 12000; size += 100)); do
		# glibc 2.41's loader itself crashes where it cannot have a few KB more
		(ulimit -v $size && exec "$TDSTAT" --version) >/dev/null 2>&1 || continue
		try bash -c 'ulimit -v "$1"; exec "$TDSTAT" --dry-run -a --metrics-dir models -M tma_retiring' - $size
		[ "$status" != 1 ] || echo "$stderr" >>said
		[ "$status" -le 1 ] || fail "$size kB: status $status: $stderr"
	done
	! grep -viE '^tdstat: .*(out of memory|cannot allocate memory)$' said || fail 'something else is said'
	grep -q '^tdstat: models/.*json: ' said
}
