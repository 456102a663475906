#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: pictures
# --perfetto: traces that say what the rows say, when they say it.
# shellcheck disable=SC2154 # what try sets
load helper

# runs standard input with what perfetto.py defines
python() {
	local text status=0

	text=$(DATA=$data python3 "$here/perfetto.py") || status=$?
	[ $status != 77 ] || skip "$text"
	[ $status = 0 ] || fail "$text"
}

@test "the values of -j, each at the beginning of its interval" {
	python <<-'PYTHON'
		args = recorded("alderlake"), "-l", "2"
		same(done("report", *args, "--perfetto", "t.json"), [])
		same("\n".join(done("report", *args, "--perfetto", "-")) + "\n", read("t.json"))
		assert not os.path.exists("-")
		# independent of the trace: the rows, moved by one
		said = rows(*args)
		times = sorted({0} | {row["time"] for row in said})
		want = sorted(("tdstat " + row["pmu"], row["metric"], row["unit"], round(times[times.index(row["time"]) - 1] * 1e6),
		               row["value"]) for row in said if row["value"] is not None)
		shown = list(counters(json.loads(read("t.json"))))
		got = sorted((*counter[:3], round(counter[3]), counter[4]) for counter in shown if not math.isnan(counter[4]))
		assert len(want) >= 60
		same(got, want)
		# and all of them end with the last
		ends = [round(counter[3]) for counter in shown if math.isnan(counter[4])]
		same(set(ends), {round(times[-1] * 1e6)})
		same(len(ends), len({counter[:2] for counter in want}))
	PYTHON
}

@test "an interval without counts: no value of the one before" {
	python <<-'PYTHON'
		# in the second interval, no event ran on the first PMU
		lines, changed = read(recorded("alderlake")).splitlines(), 0
		for i, line in enumerate(lines):
		    line = json.loads(line)
		    if "counts" in line and 1.5 < (line.get("time") or 0) < 2.5:
		        for count in line["counts"]:
		            if count[1] < 16:
		                count[3] = count[5] = 0
		                changed += 1
		        lines[i] = json.dumps(line)
		assert changed
		begun(lines)
		want = sorted((row["pmu"], row["metric"]) for row in rows("rec.jsonl")
		              if 1.5 < row["time"] < 2.5 and row["value"] is None)
		assert want
		trace = trace_of("rec.jsonl")
		same(sorted((process.removeprefix("tdstat "), track) for process, track, _, at, value in counters(trace)
		            if 0.5e6 < at < 1.5e6 and math.isnan(value)), want)
		# the slice names them, and lasts as long
		names = {event["pid"]: event["args"]["name"].removeprefix("tdstat ") for event in trace
		         if event["name"] == "process_name"}
		same(sorted((names[event["pid"]], metric) for event in trace if event["ph"] == "X" and
		            0.5e6 < event["dur"] < 1.5e6 for metric in event["args"]), want)
	PYTHON
}

@test "the clock: a tracer's, the wall clock or the time since the start; invalid times are ignored" {
	python <<-'PYTHON'
		lines = read(recorded("alderlake")).splitlines()
		def told(**more):
		    begun(lines, **more)
		    trace = trace_of("rec.jsonl")
		    return mark(trace), next(counters(trace))[3]
		clock, first = told(start=1795425011.123, monotonic=100.5, boottime=700.25)
		same([clock[key] for key in ("clock", "monotonic", "boottime", "realtime")],
		     ["CLOCK_MONOTONIC", 100.5, 700.25, 1795425011.123])
		same(first, 100500000)
		clock, first = told(start=1795425011.123)
		same((clock["clock"], clock.get("monotonic"), first), ("CLOCK_REALTIME", None, 1795425011123000))
		clock, first = told()
		same((clock["clock"], first), ("since the start", 0))
		for bad in -5, "now", None, 1e300:
		    same((bad, told(monotonic=bad, boottime=bad)[0]["clock"]), (bad, "since the start"))
	PYTHON
}

@test "a file of perf stat: its events, from 0 on" {
	needs_wing import
	python <<-'PYTHON'
		file = recorded("perf-6.1-interval")
		said = [json.loads(line) for line in read(file).splitlines() if line.startswith("{")]
		want = [float(row["counter-value"]) for row in said if row["event"] == "context-switches"]
		found = [counter for counter in counters(trace_of(file, "--no-tree")) if counter[1] == "context-switches"]
		same([counter[4] for counter in found if not math.isnan(counter[4])], want)
		same(found[0][2:4], ("count", 0))
	PYTHON
}

@test "a trace that was cut off: all its whole lines are events" {
	python <<-'PYTHON'
		trace_of(recorded("alderlake"))
		text = read("t.json")
		assert text[0] == "["
		half = text[: len(text) // 2].rsplit("\n", 1)[0]
		assert half.count("\n") >= 10
		assert all(event["ph"] for event in json.loads(half + "]"))
	PYTHON
}

@test "options that --perfetto excludes" {
	python <<-'PYTHON'
		import re
		recording = recorded("alderlake")
		def refuses(reason, *args):
		    refused = tdstat(*args)
		    same((args, refused.returncode, os.path.exists("x")), (args, 64, False))
		    assert re.search(reason, refused.err[0]), refused.err
		refuses("--perfetto needs -I", "-a", "--perfetto", "x")
		refuses("^tdstat: -o and --perfetto exclude each other", "-a", "-I", "1s", "-o", "y", "--perfetto", "x")
		refuses("^tdstat: -o and --perfetto exclude each other", "-a", "-I", "1s", "--perfetto", "x", "-o", "y")
		refuses("--perfetto and --log-fd exclude", "-a", "-I", "1s", "--perfetto", "x", "--log-fd", "1")
		refuses("--perfetto and --append exclude", "-a", "-I", "1s", "--perfetto", "x", "--append")
		refuses("^tdstat: -j and --perfetto exclude", "-a", "-I", "1s", "--perfetto", "x", "-j")
		refuses("--verdict and --perfetto exclude", "-a", "-I", "1s", "--summary", "--perfetto", "x", "--verdict")
		refuses("--perfetto: an empty name", "-a", "-I", "1s", "--perfetto", "")
		refuses("so --locate and --profile exclude it", "report", "--locate", "--perfetto", "x", recording)
		refuses("diff.*--perfetto", "diff", "--perfetto", "x", "a", "b")
		refused = tdstat("report", "--perfetto", "x", recorded("alderlake-command"))
		same(refused.returncode, 1)
		assert any(line.endswith("alderlake-command.jsonl was recorded without -I") for line in refused.err), refused.err
		begun(read(recording).splitlines())
		before = read("rec.jsonl")
		same(tdstat("report", "--perfetto", "rec.jsonl", "rec.jsonl").returncode, 64)
		same(read("rec.jsonl"), before)
	PYTHON
}

@test "a live run: the busy interval has the command's own times" {
	needs_software_events
	cat >busy.py <<-'EOF'
		import os, time
		def now(): return time.clock_gettime(time.CLOCK_MONOTONIC) * 1e6
		def sleep():
		    """until several intervals have ended"""
		    ends, size = 0, os.stat("t.json").st_size
		    while ends < 4:
		        time.sleep(0.05)
		        before, size = size, os.stat("t.json").st_size
		        ends += size > before
		ready = now()
		sleep()
		begin, cpu = now(), time.process_time()
		while time.process_time() < cpu + 0.3: pass
		end = now()
		sleep()
		print(ready, begin, end, now())
	EOF
	python <<-'PYTHON'
		said = done("-I", "100", "-e", "cpu-clock", "--perfetto", "t.json", "--", sys.executable, "-S", "busy.py")
		ready, begin, end, over = map(float, said[0].split())
		# 300 ms of CPU in the intervals that touch the busy time, next to none in those of the two
		# sleeps; what the interpreter's own start takes is in neither
		busy = asleep = slept = 0
		shown = list(counters(json.loads(read("t.json"))))
		for (_, _, _, at, value), (_, _, _, to, _) in zip(shown, shown[1:]):
		    value = 0 if math.isnan(value) else value  # it did not run
		    if at < end and to > begin:
		        busy += value
		    elif ready < at and to < begin or end < at and to < over:
		        asleep += value
		        slept += (to - at) / 1000
		assert busy > 270 and slept and asleep < 0.1 * slept, (busy, asleep, slept)
	PYTHON
}

@test "a live recording keeps the clock" {
	needs_software_events
	python <<-'PYTHON'
		before = time.clock_gettime(time.CLOCK_MONOTONIC)
		done("record", "--quiet", "-I", "100", "-e", "cpu-clock", "-o", "r.jsonl", "--", "sleep", "0.15")
		after = time.clock_gettime(time.CLOCK_MONOTONIC)
		head = json.loads(read("r.jsonl").splitlines()[0])
		assert before < head["monotonic"] < after - 0.15 and head["boottime"] >= head["monotonic"], (before, after, head)
		same(round(next(counters(trace_of("r.jsonl")))[3]), round(head["monotonic"] * 1e6))
	PYTHON
}

@test "ftrace: its mono clock is that of the trace" {
	needs_software_events
	python <<-'PYTHON'
		import re
		ftrace = f"/sys/kernel/tracing/instances/tdstat-test.{os.getpid()}"
		try:
		    os.mkdir(ftrace)
		except OSError:
		    skip("no instance of ftrace for us")
		try:
		    with open(ftrace + "/trace_clock", "w") as file:
		        file.write("mono")
		    done("-I", "50", "-e", "cpu-clock", "--perfetto", "t.json", "--", "sh", "-c",
		         f"sleep 0.2; echo here >{ftrace}/trace_marker; sleep 0.1")
		    text = read(ftrace + "/trace")
		finally:
		    os.rmdir(ftrace)
		# 0.2 s after the start, and 0.1 s before the end, or more if the machine is slow
		at = int("".join(re.search(r" (\d+)\.(\d+): tracing_mark_write: here", text).groups()))
		trace = json.loads(read("t.json"))
		begin = next(event["ts"] for event in trace if event["name"] == "counting begins")
		end = max(event["ts"] for event in trace if event["ph"] == "C")
		assert begin + 200000 <= at <= end - 100000, (begin, at, end)
		with open("text", "w") as file:
		    file.write(text)
	PYTHON
	# the example of the manual: one file for both
	jq -n --slurpfile a t.json --rawfile b text '{traceEvents: $a[0], systemTraceEvents: $b}' >both.json
	jq -e '(.traceEvents | length > 5) and (.systemTraceEvents | contains("here"))' both.json
}
