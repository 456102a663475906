#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Recordings and model files that were cut, changed or blown up: what is whole
# is taken, the rest is refused with its file and place, in bounded memory.

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

@test "a recording with a member of another type, or gone, or out of range" {
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

@test "not a recording at all" {
	for text in '' '\n' '\n\n' '{' '{}' '[]' 'null' '{"tdstat":1}' '{"tdstat":2}' '{"tdstat":1}\n{"tdstat":1}' \
		'\0\0\0' '\377\376' '{"tdstat":1,"tdstat":1}' '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[' '1,2,3' ',,,,,,' \
		'#' '# started on'; do
		# shellcheck disable=SC2059
		printf "$text" >odd
		try timeout 5 "$TDSTAT" report -i odd
		[ "$status" = 1 ] || fail "$text: $status"
		[[ $stderr == "tdstat: "*odd* ]] || fail "$text: $stderr"
		assert_output ''
	done
	for file in . /dev/null /proc/self/mem nosuch; do
		try timeout 5 "$TDSTAT" report -i "$file"
		[ "$status" = 1 ] || fail "$file: $status"
		[[ $stderr == "tdstat: "*"$file"* ]] || fail "$file: $stderr"
	done
	# endless, and no line ends
	try sh -c 'ulimit -v 2000000; exec timeout 10 "$TDSTAT" report -i /dev/zero'
	assert_failure 1
	assert_complains /dev/zero
}

@test "a line of 1 GiB: refused, in 250 MB" {
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
	[ -d "${TD_PMU_EVENTS:-$here/../../build/pmu-events}" ] || skip "no model files"
	saved sapphirerapids
	mkdir -p models
	cp -RL "${TD_PMU_EVENTS:-$here/../../build/pmu-events}"/{mapfile.csv,sapphirerapids} models
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
			try timeout 10 "$TDSTAT" --dry-run --metrics-dir models -M tma_retiring,tma_fetch_latency
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
	models
	file=models/sapphirerapids/spr-metrics.json
	cp $file whole
	for filter in '.[0]' '{}' '[1]' '[null]' '[[]]' 'map(.MetricExpr = 1)' 'map(.MetricName = null)' \
		'map(.MetricExpr = "")' 'map(del(.MetricExpr))' 'map(.MetricExpr = "((((")' 'map(.ScaleUnit = [])' \
		'map(.MetricExpr = "1e999 / 0")' 'map(.MetricName = "a,b\n\u001b[1m")'; do
		jq -c "$filter" whole >$file
		try timeout 10 "$TDSTAT" --dry-run --metrics-dir models -M tma_retiring
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
