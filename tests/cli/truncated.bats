#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Recordings and model files that were truncated, changed or inflated: whole
# lines are used, errors name file and place, and memory is bounded.

# shellcheck disable=SC2016,SC2154 # jq; helper.bash
load helper
load runs

# A short recording: cutting is quadratic.
short() {
	cp "$data/alderlake-command.jsonl" whole.jsonl
}

@test "a recording cut anywhere" {
	not_under_valgrind "too many runs; tests/unit/recording.c and fuzzing have the like"
	short
	# near the ends of lines, and else at every seventh byte, with TD_EVERYTHING=1 at each
	python <<-'PYTHON'
		text = contents("whole.jsonl")
		head = text.index(b"\n") + 1
		for cut in range(len(text)):
		    if not (EVERYTHING or cut % 7 == 0 or b"\n" in text[max(cut - 3, 0):cut + 3] or
		            cut < 4 or cut > len(text) - 4):
		        continue
		    put("cut", text[:cut])
		    run = Run("report", "-x,", "-i", "/dev/stdin", stdin=open("cut"))
		    run.expect(run.status == 0 or run.status == 1 and "/dev/stdin" in run.err, cut)
		    # a header that is cut, or without a row after it, has no rows
		    if text[:cut].count(b"\n") < 2 and cut < len(text) - 1 and b"\n" not in text[head:cut]:
		        run.expect(",cpu_core," not in run.out, f"{cut}: a row from nowhere")
		    run.expect(run.err or cut >= len(text) - 1, f"{cut}: cut, without a note")
	PYTHON
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
	python <<-'PYTHON'
		import json
		lines = [json.loads(line) for line in open("whole.jsonl")]
		values = [None, True, -1, 0, 1e308, 2**63, 2**64, -2**63, "", "x" * 5000, [], {}, [[]]]
		def places(value, path):
		    if isinstance(value, dict):
		        for key in list(value)[:12]:
		            yield path + [key]
		            yield from places(value[key], path + [key])
		    elif isinstance(value, list) and value:
		        yield path + [0]
		        yield from places(value[0], path + [0])
		nr = 0
		for number, line in enumerate(lines):
		    for path in list(places(line, [])):
		        owner = line
		        for key in path[:-1]: owner = owner[key]
		        old = owner[path[-1]]
		        # one of the values at each place, another one at the next; or three
		        for value in (values[(nr + i) % len(values)] for i in ((0, 5, 9) if EVERYTHING else (0,))):
		            owner[path[-1]] = value
		            put("changed", "".join(json.dumps(line) + "\n" for line in lines).encode())
		            run = Run("report", "-x,", "-i", "changed")
		            what = (number + 1, path, value if len(str(value)) < 30 else "long")
		            run.expect(run.status == 0 or run.status == 1 and "changed" in run.err, what)
		            run.expect("nan" not in run.out and "inf" not in run.out, what)
		        nr += 1
		        owner[path[-1]] = old
	PYTHON
}

@test "numbers out of range in a recording: the file and the line" {
	short
	cat >filters <<-'FILTERS'
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
	python <<-'PYTHON'
		cases = [line.rstrip("\n").split(" ", 1) for line in open("filters")]
		*files, same = changed("whole.jsonl", [text for _, text in cases] + ["."])
		for (line, text), data in zip(cases, files):
		    put("changed", data)
		    run = Run("report", "-x,", "-i", "changed")
		    run.expect(data != same, f"{text} changes nothing")
		    run.expect(run.status == 1 and run.err.startswith(f"tdstat: changed:{line}: "), text)
	PYTHON
}

@test "numbers out of range in files of perf: the file and the line" {
	needs_wing import
	cat >texts <<-'TEXTS'
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
	python <<-'PYTHON'
		for text in open("texts", "rb"):
		    put("perf.csv", b"1,,cycles,100,100.00,,\n" + text)
		    run = Run("report", "-i", "perf.csv")
		    run.expect(run.status == 1 and run.err.startswith("tdstat: perf.csv:2: ") and not run.out, text)
	PYTHON
}

@test "not a recording at all" {
	not_under_valgrind "memory is valgrind's"
	python <<-'PYTHON'
		for text in (b"", b"\n", b"\n\n", b"{", b"{}", b"[]", b"null", b'{"tdstat":1}', b'{"tdstat":2}',
		             b'{"tdstat":1}\n{"tdstat":1}', b"\0\0\0", b"\xff\xfe", b'{"tdstat":1,"tdstat":1}', b"[" * 40,
		             b"1,2,3", b",,,,,,", b"#", b"# started on"):
		    put("odd", text)
		    run = Run("report", "-i", "odd")
		    run.expect(run.status == 1 and run.is_error and "odd" in run.err and not run.out, text)
		for name in ".", "/dev/null", "/proc/self/mem", "nosuch":
		    run = Run("report", "-i", name)
		    run.expect(run.status == 1 and run.is_error and name in run.err, name)
	PYTHON
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes all addresses"
	# endless, and no line ends
	python <<-'PYTHON'
		run = Run("report", "-i", "/dev/zero", kib=2000000)
		run.expect(run.status == 1 and run.is_error and "/dev/zero" in run.err, "endless")
	PYTHON
}

@test "a line of 1 GiB: refused, in 250 MB" {
	not_under_valgrind "memory is valgrind's"
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes it all"
	short
	# sparse: NULs, at the beginning, after the header, and within a string
	truncate -s 1G first.jsonl
	{
		head -n 1 whole.jsonl
		printf '{"t":1,"x":"'
	} >second.jsonl
	truncate -s 1G second.jsonl
	for file in first second; do
		try sh -c 'ulimit -v 250000; exec timeout "$TD_HANGS" "$TDSTAT" report -i "$1"' - $file.jsonl
		[ "$status" = 1 ] || fail "$file: $status"
		[[ $stderr == "tdstat: "*"$file.jsonl"* ]] || fail "$file: $stderr"
	done
	# the number of lines does not matter: memory has only one at a time
	{
		sed '$d' whole.jsonl
		line=$(sed -n 2p whole.jsonl)
		for ((i = 0; i < 3000; i++)); do
			echo "$line"
		done
	} >many.jsonl
	try sh -c 'ulimit -v 100000; exec timeout "$TD_HANGS" "$TDSTAT" report -x, -i many.jsonl'
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

@test "model files cut at any place: the file and the place, or the remaining contents" {
	models
	python <<-'PYTHON'
		for path in "models/sapphirerapids/spr-metrics.json", "models/sapphirerapids/pipeline.json", "models/mapfile.csv":
		    whole = contents(path)
		    size = len(whole)
		    for i in range(25):
		        cut = i if i < 8 else size * (i - 8) // 17 + i - 20
		        if not 0 <= cut < size:
		            continue
		        put(path, whole[:cut])
		        run = Run("--dry-run", "--metrics-dir", "models", "-M", "tma_retiring,tma_fetch_latency")
		        run.expect(run.status in (0, 1), f"{path} cut at {cut}")
		        run.expect(run.status == 0 or "tdstat: " in run.err, f"{path} cut at {cut}")
		        # JSON that is cut is not JSON
		        if path.endswith(".json"):
		            run.expect(run.status == 1 and os.path.basename(path) in run.err, f"{path} cut at {cut}")
		    put(path, whole)
		run = Run("--dry-run", "--metrics-dir", "models", "-M", "tma_retiring")
		run.expect(run.status == 0, "whole")
	PYTHON
}

@test "model files of wrong types, and 1 GiB long" {
	not_under_valgrind "memory is valgrind's"
	models
	python <<-'PYTHON'
		path = "models/sapphirerapids/spr-metrics.json"
		filters = ['.[0]', '{}', '[1]', '[null]', '[[]]', 'map(.MetricExpr = 1)', 'map(.MetricName = null)',
		           'map(.MetricExpr = "")', 'map(del(.MetricExpr))', 'map(.MetricExpr = "((((")', 'map(.ScaleUnit = [])',
		           'map(.MetricExpr = "1e999 / 0")', r'map(.MetricName = "a,b\n\u001b[1m")']
		for text, data in zip(filters, changed(path, filters)):
		    put(path, data)
		    run = Run("--dry-run", "--metrics-dir", "models", "-M", "tma_retiring")
		    run.expect(run.status in (0, 1, 64), text)
		    run.expect(run.status == 0 or "tdstat: " in run.err, text)
		    run.expect(all(" " <= char <= "~" or char == "\n" for char in run.err + run.out), f"{text}: not text")
	PYTHON
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes it all"
	python <<-'PYTHON'
		put("models/sapphirerapids/spr-metrics.json", b"")
		os.truncate("models/sapphirerapids/spr-metrics.json", 1 << 30)
		run = Run("--dry-run", "--metrics-dir", "models", "-M", "tma_retiring", kib=300000)
		run.expect(run.status == 1 and run.is_error and "spr-metrics.json" in run.err, "1 GiB")
	PYTHON
}

@test "too little memory for a model's files: only this error" {
	not_under_valgrind "memory is valgrind's"
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes it all"
	models
	python <<-'PYTHON'
		import re
		said = set()
		loads = False
		for kib in range(4000, 12000, 100 if EVERYTHING else 200):
		    # glibc 2.41's loader itself crashes where it cannot have a few KB more
		    loads = loads or Run("--version", kib=kib).status == 0
		    if not loads:
		        continue
		    run = Run("--dry-run", "-a", "--metrics-dir", "models", "-M", "tma_retiring", kib=kib)
		    run.expect(run.status in (0, 1), f"{kib} KiB")
		    if run.status == 1:
		        said.add(run.err)
		        run.expect(re.fullmatch("tdstat: out of memory\n", run.err), f"{kib} KiB: something else")
		if not said:
		    wrong.append("memory was never too little")
	PYTHON
}
