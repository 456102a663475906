#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: import
# tdstat report of files of perf stat -x and -j: the counts must be those of
# perf's own lines.

# shellcheck disable=SC2154 # helper.bash
load helper

report() {
	"$TDSTAT" report -i "$data/perf-$1" "${@:2}"
}

# comes_back FILE SEPARATOR: compare perf's lines with a count, without the text after the
# percentage, and times without 6.1's blanks, with the same fields of the report.  A count
# of a part of the time is a whole number that was scaled up, so half of one is lost.
comes_back() {
	report "$1" -x, >reported
	python3 - "$data/perf-$1" "$2" <<-'PYTHON'
		import re, sys
		want = []
		for line in open(sys.argv[1]):
		    if line.startswith("#") or not line.strip():
		        continue
		    fields = line.strip("\n").lstrip(" ").replace("<not counted>", "none", 1).split(sys.argv[2])
		    n = 6 if re.search(r"\.[0-9]{9}$", fields[0]) else 5
		    fields += [""] * (n - len(fields))
		    if fields[n - 5] and re.search("[a-z]", fields[n - 3]):
		        want.append(fields[:n])
		got = [line.strip("\n").replace("<not counted>", "none", 1).split(",") for line in open("reported")]
		assert want and len(got) == len(want), (len(got), len(want))
		for w, g in zip(want, got):
		    g = g[:len(w)]
		    if float(w[-1] or 100) < 100 and g[-5] != w[-5]:
		        assert abs(float(g[-5]) - float(w[-5])) <= 50 / float(w[-1]) + 1, (g, w)
		        g[-5] = w[-5]
		    assert g == w, (g, w)
	PYTHON
}

# ids_come_back SEPARATOR FILE...: the same of files with ids, in any order; not how
# many CPUs an id has: the recording has one for it
ids_come_back() {
	local file

	for file in "${@:2}"; do
		report "$file" -x ';' >"reported-$file"
	done
	python3 - "$data" "$@" <<-'PYTHON'
		import sys
		def rows(name, separator):
		    for line in open(name):
		        if line.startswith(("S", "CPU")):
		            fields = line.rstrip("\n").split(separator)
		            at = 2 if line.startswith("S") else 1
		            yield fields[0], *fields[at:at + 5]
		for name in sys.argv[3:]:
		    want = sorted(rows(f"{sys.argv[1]}/perf-{name}", sys.argv[2]))
		    got = sorted(rows(f"reported-{name}", ";"))
		    assert want and got == want, (name, want, got)
	PYTHON
}

# --- what perf counted comes back -----------------------------------------------

@test "6.1, -I, semicolons" { comes_back 6.1-interval.csv ';'; }
@test "6.12, hybrid, events that took turns" { comes_back 6.12-hybrid.csv ,; }
@test "6.12, the default events, and metrics between" { comes_back 6.12-default.csv ,; }

@test "JSON gives the same as -x" {
	jq -r '"\(."counter-value" | tonumber | . * 100 | round / 100) \(.event)"' \
		"$data/perf-6.12-total.jsonl" >want
	report 6.12-total.jsonl -j |
		jq -r '"\(."counter-value" | tonumber | . * 100 | round / 100) \(.event)"' >got
	[ -s want ]
	diff -u want got
}

@test "the intervals of JSON have their times" {
	grep -o '"interval" : [0-9.]*' "$data/perf-6.1-interval.jsonl" | tr -d ' ' | uniq >want
	report 6.1-interval.jsonl -j | grep -o '"interval" *: *[0-9.]*' | tr -d ' ' | uniq >got
	[ "$(wc -l <want)" -eq 3 ]
	diff -u want got
}

@test "CPUs, cores, clusters, caches and sockets: as the file has them" {
	ids_come_back ';' 6.12-cpu.csv
	ids_come_back , 6.12-{core,cluster,cache,socket}.csv
}

@test "an event with a comma, for whole cores" {
	sed -n 's/^\(S[^,]*\),\([0-9]*\),.*/\1 \2 cpu\/cycles,percore\//p' \
		"$data/perf-6.12-percore.csv" >want
	report 6.12-percore.csv -x ';' | awk -F ';' '{ print $1, $3, $5 }' >got
	[ "$(wc -l <want)" -eq 4 ]
	diff -u want got
}

@test "-A of a file of -A" {
	report 6.12-cpu.csv -A -x, | cut -d, -f1-4 | LC_ALL=C sort >got
	awk -F ';' -v OFS=, '/^CPU/ { print $1, $2, $3, $4 }' "$data/perf-6.12-cpu.csv" |
		LC_ALL=C sort >want
	[ "$(wc -l <want)" -eq 16 ]
	diff -u want got
}

# --- aggregated again -----------------------------------------------------------

# again OPTION FILE ID...: perf's sums over the lines whose ids begin with ID
again() {
	report "$2" "$1" -x, >reported
	python3 - "$data/perf-$2" "${@:3}" <<-'PYTHON'
		import sys
		lines = [line.rstrip("\n").split(",") for line in open(sys.argv[1])]
		sums = {}
		for id in sys.argv[2:]:
		    for fields in lines:
		        if fields[0] == id or fields[0].startswith(id + "-"):
		            key = id, fields[4]
		            sums[key] = sums.get(key, 0) + float(fields[2])
		want = sorted((*key, round(value)) for key, value in sums.items())
		got = [line.rstrip("\n").split(",") for line in open("reported")]
		got = sorted((fields[0], fields[4], round(float(fields[2]))) for fields in got)
		assert want and got == want, (want, got)
	PYTHON
}

@test "--per-socket and --per-die of cores, clusters and caches" {
	for of in core cluster cache; do
		again --per-socket 6.12-$of.csv S0 S1
		again --per-die 6.12-$of.csv S0-D0 S1-D1
	done
}

@test "--per-core, --per-cluster and --per-cache of a file of the same" {
	again --per-core 6.12-core.csv S0-D0-C0 S0-D0-C1 S1-D1-C0 S1-D1-C1
	again --per-cluster 6.12-cluster.csv S0-D0-CLS0 S0-D0-CLS2 S1-D1-CLS4 S1-D1-CLS6
	again --per-cache 6.12-cache.csv S0-D0-L3-ID0 S1-D1-L3-ID4
}

@test "--per-core of sockets is refused" {
	try report 6.12-socket.csv --per-core
	[ "$status" -ne 0 ]
	assert_complains 'perf-6.12-socket.csv'
}

@test "--per-thread of threads" {
	report 6.12-thread.csv --per-thread -x, | cut -d, -f1-6 >got
	sed -n '/^sh-/p' "$data/perf-6.12-thread.csv" | cut -d, -f1-6 >want
	[ "$(wc -l <want)" -eq 2 ]
	diff -u want got
}

@test "cgroups keep their names" {
	report 6.12-cgroup.csv -x, | cut -d, -f1-4 >got
	sed -n '/,\/,/p' "$data/perf-6.12-cgroup.csv" | cut -d, -f1-4 >want
	[ "$(wc -l <want)" -eq 3 ]
	diff -u want got
}

# --- for people -----------------------------------------------------------------

@test "text: the events, and recomputed ratios" {
	try report 6.12-hybrid.csv
	[ "$status" -eq 0 ]
	assert_no_stderr
	assert_line --regexp '^ +94,821,51[789] +cpu_core/cycles/ +\(42\.00%\)$'
	assert_line --regexp '^ +1,259,249 +cpu_atom/branch-misses/ +# +6\.25% of all branches'
}

@test "text: the time follows from perf's CPUs utilized" {
	try report 6.12-total.jsonl
	[ "$status" -eq 0 ]
	# 1051.009052 ms on 7.920493 CPUs
	assert_line --regexp '^ +1,051\.01 msec task-clock +# +7\.920 CPUs utilized'
	assert_line --regexp '^ +0\.1326949[0-9]* seconds time elapsed'
}

@test "not supported, and not counted" {
	printf '<not supported>,,cycles,0,100.00,,\n<not counted>,,faults,0,100.00,,\n5,,cs,9,100.00,,\n' >file
	try "$TDSTAT" report -i file -x,
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == '<not supported>,,cycles,0,100.00,'* ]]
	[[ ${lines[1]} == '<not counted>,,faults,0,100.00,'* ]]
	[[ ${lines[2]} == 5,,cs,9,100.00,* ]]
}

@test "from a pipe" {
	"$TDSTAT" report -i - -x, <"$data/perf-6.12-hybrid.csv" >want
	# shellcheck disable=SC2002 # tests a pipe
	cat "$data/perf-6.12-hybrid.csv" | "$TDSTAT" report -i - -x, >got
	[ -s want ]
	diff -u want got
	# shellcheck disable=SC2002
	cat "$data/alderlake.jsonl" | "$TDSTAT" report -i - >/dev/null
}

# --- what cannot be shown ---------------------------------------------------------

@test "a file with only metrics" {
	for file in 6.12-metric-only.csv 6.12-metric-only.jsonl 6.1-metric-only.jsonl; do
		try report $file
		[ "$status" -eq 1 ]
		assert_why_and_remedy 'only metrics, no counts' '--metric-only'
	done
}

@test "foreign lines among counts: the error has the line and the expected format" {
	{ cat "$data/perf-6.12-hybrid.csv"; echo 'make: done'; } >file
	try "$TDSTAT" report -i file
	[ "$status" -eq 1 ]
	assert_complains '^tdstat: file:20: .*expected value, unit, event'
}

@test "the output of a program is not a recording: an error" {
	printf '\177ELF\2\1\1\0\0\n' >program
	try "$TDSTAT" report program
	assert_failure 1
	assert_equal "$stderr" 'tdstat: program:1: this is neither a recording nor what perf stat -x or -j wrote'
	printf '# begun\n1,2\0\n' >program
	try "$TDSTAT" report program
	assert_equal "$stderr" 'tdstat: program:2: a NUL byte, or more than 1 MiB'
}

@test "two runs in one file" {
	cat "$data/perf-6.12-hybrid.csv" "$data/perf-6.12-hybrid.csv" >file
	try "$TDSTAT" report -i file
	[ "$status" -eq 1 ]
	assert_complains '^tdstat: file:20: a second run'
}

@test "cut off: up to the last whole line, with a note" {
	head -c -40 "$data/perf-6.12-hybrid.csv" >file
	try "$TDSTAT" report -i file -x,
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 16 ]
	assert_complains 'file: no end line'
}

@test "-l: a file of events without a tree is refused" {
	try report 6.12-hybrid.csv -l 2
	[ "$status" -eq 64 ]
	assert_complains 'has events and no tree'
}

# As many lines with few events, read by the same program, are the measure.
@test "thousands of events are read in proportion to their number" {
	not_under_sanitizers "which take the time"
	python3 - <<-'PYTHON'
		import os, resource, subprocess
		LINES, MANY, FEW = 18000, 9000, 9
		def cpu_time(nr):
		    """Of a report of so many events; the shortest of three."""
		    with open("events.csv", "w") as file:
		        for i in range(LINES):
		            event = i % nr + 1
		            file.write(f"{i // nr + 1}.000000000,{event},,r{event:x},1000,100.00,,\n")
		    times = []
		    for _ in range(3):
		        before = resource.getrusage(resource.RUSAGE_CHILDREN)
		        out = subprocess.run([os.environ["TDSTAT"], "report", "events.csv", "-x,"], check=True,
		                             capture_output=True, text=True).stdout
		        after = resource.getrusage(resource.RUSAGE_CHILDREN)
		        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
		    assert out.count("\n") == LINES, out.count("\n")
		    return min(times), out
		many, out = cpu_time(MANY)
		few, _ = cpu_time(FEW)
		assert "\n2.000000000,9000,,r2328," in out
		# 60 times as long where each is looked for among all
		assert many < 20 * max(few, 0.004), f"{many} s, with few events {few} s"
	PYTHON
}

@test "software events run as long as their tasks: rates are perf's, whatever times it wrote" {
	grep '^[0-9]' "$data/perf-6.12-cgroup.csv" >want
	grep -q ',K/sec' want
	assert_same "$(<want)" "$("$TDSTAT" report "$data/perf-6.12-cgroup.csv" -x, | grep '^[0-9]')"
}

# Files as people have put them into reports of bugs of other programs.  Each row: options,
# the file, and of each line its event, count, share of the time, metric and unit.
@test "files of others: whole names, decimal commas, equal names, and no ratio to 0" {
	python3 - "$TDSTAT" <<-'PYTHON'
		import json, subprocess, sys

		def report(text, *options):
		    with open("file", "w") as out:
		        out.write(text)
		    run = subprocess.run([sys.argv[1], "report", "file", *options], stdout=subprocess.PIPE,
		                         stderr=subprocess.PIPE, text=True)
		    assert run.returncode == 0, run.stderr
		    return run

		def shown(row):
		    metric = row["metric-value"]
		    # a count of a part of the time is a whole number, scaled up again
		    count = None if row["counter-value"] == "<not counted>" else float(row["counter-value"])
		    return (row["event"], count,
		            row["pcnt-running"], None if metric == "nan" else round(float(metric), 2), row["metric-unit"])

		IMC, CMASK = "uncore_imc_0/event=0x4,umask=0x3/", "cpu/event=0xc4,umask=0x20,cmask=1/"
		files = [
		    (f"103357003,,{IMC},103357003,10.39,,\n4321,,cpu/event=0xc4,umask=0x20/,1000000,100.00,,\n",
		     [(IMC, 103357003, 10.39, None, ""), ("cpu/event=0xc4,umask=0x20/", 4321, 100, None, "")]),
		    (f"     1.000123456,CPU0,4321,,{CMASK},1000000,100.00,,\n", [(CMASK, 4321, 100, None, "")]),
		    (f"     1.000123456,<not counted>,,{CMASK},0,0.00,,\n", [(CMASK, None, 0, None, "")]),
		    (f"4321,,{CMASK},mygroup,1000000,100.00,,\n", [(CMASK, 4321, 100, None, "")]),
		    ("0,31;msec;task-clock;306721;100,00;0,123;CPUs utilized\n788234;;cycles;311478;100,00;2,5;GHz\n"
		     "538077;;instructions;311478;100,00;0,68;insn per cycle\n",
		     [("task-clock", 0.31, 100, 0.12, "CPUs utilized"), ("cycles", 788234, 100, 2.54, "GHz"),
		      ("instructions", 538077, 100, 0.68, "insn per cycle")]),
		    ("     1.000123456;788234;;cycles;311478;100,00;2,5;GHz\n", [("cycles", 788234, 100, None, "")]),
		    ("# started on Sun Sep  1 23:12:33 2024\n\n"
		     '{"counter-value" : "1419380.000000", "unit" : "", "event" : "cycles", "event-runtime" : 139903, '
		     '"pcnt-running" : 10.00, "metric-value" : 1.015317, "metric-unit" : "GHz"}\n',
		     [("cycles", 1419380, 10, None, "")]),
		    ("0,,cycles:u,311478,100.00,,\n668753,,instructions:u,311478,100.00,,\n",
		     [("cycles:u", 0, 100, None, ""), ("instructions:u", 668753, 100, None, "")]),
		    ("0.00,msec,cpu-clock,1002308394,100.00,0.000,CPUs utilized\n1000000,,cycles,1002308394,100.00,,\n"
		     "2000000,,instructions,1002308394,100.00,2.00,insn per cycle\n5,,context-switches,1002308394,100.00,,\n",
		     [("cpu-clock", 0, 100, None, ""), ("cycles", 1000000, 100, None, ""),
		      ("instructions", 2000000, 100, 2, "insn per cycle"), ("context-switches", 5, 100, None, "")]),
		    ("100,,idq_dsb_uops,1000,100.00,,\n90,,idq_dsb_uops,1000,100.00,,\n80,,idq_dsb_uops,1000,100.00,,\n",
		     [("idq_dsb_uops", nr, 100, None, "") for nr in (100, 90, 80)]),
		]
		for text, want in files:
		    out = report(text, "-j").stdout
		    assert "inf" not in out, out
		    got = [shown(json.loads(line)) for line in out.splitlines() if '"event"' in line]
		    for g, w in zip(got, want):
		        near = g[1] == w[1] or w[2] < 100 and abs(g[1] - w[1]) <= 50 / w[2] + 1
		        assert near and (g[0], *g[2:]) == (w[0], *w[2:]), (text, g, w)
		    assert len(got) == len(want), (text, got)

		# level 1 without one of its four: the events, and the reason
		events = "slots:16734390 topdown-retiring:2100001 topdown-bad-spec:2034376 topdown-fe-bound:4003128"
		run = report("".join(f"{count};;{name};1000000000;100.00;;\n" for name, count in
		                     (event.split(":") for event in events.split())))
		assert "no tree because cpu has no topdown-be-bound; its events are shown" in run.stderr, run.stderr
		assert "2,100,001      topdown-retiring" in run.stdout, run.stdout
		# E-cores alone: five slots a cycle
		run = report("<not counted>,,cpu_core/TOPDOWN.SLOTS/,0,0.00,,\n<not counted>,,cpu_core/topdown-retiring/,0,0.00,,\n"
		             "2277109,,cpu_atom/TOPDOWN_RETIRING.ALL/,695443,97.00,20.5,%  tma_retiring\n"
		             "2222938,,cpu_atom/CPU_CLK_UNHALTED.CORE/,695443,97.00,24.5,%  tma_backend_bound\n",
		             "--model", "alderlake", "-j")
		rows = [json.loads(line) for line in run.stdout.splitlines()]
		values = {row["metric"]: row["value"] for row in rows if row.get("value") is not None}
		assert list(values) == ["tma_retiring"], values
		assert abs(values["tma_retiring"] - 100 * 2277109 / (5 * 2222938)) < 0.01, values
	PYTHON
}

# Files that perf cannot write here, from other machines and with other options: their
# contents, or their description by report.
@test "a comma at the end of a line of JSON, a slash between columns, and files that cannot be read" {
	python3 - "$TDSTAT" <<-'PYTHON'
		import json, subprocess, sys

		def report(text):
		    with open("file", "w") as out:
		        out.write(text)
		    return subprocess.run([sys.argv[1], "report", "file", "-j"], stdin=subprocess.DEVNULL,
		                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

		def events(text):
		    run = report(text)
		    assert run.returncode == 0, (text, run.stderr)
		    rows = [json.loads(line) for line in run.stdout.splitlines() if '"event"' in line]
		    return [(row["event"], float(row["counter-value"]), row["pcnt-running"]) for row in rows]

		JSON = '{"counter-value" : "%d.000000", "unit" : "", "event" : "%s", "event-runtime" : 5552708, "pcnt-running" : 100.00, }\n'
		assert events(JSON % (11, "cycles") + JSON % (12, "branches")) == [("cycles", 11, 100), ("branches", 12, 100)]
		for separator in "/'#$+":
		    line = separator.join(["%d", "", "%s", "311478", "100.00", "2", "GHz"]) + "\n"
		    assert events(line % (7, "cycles") + line % (8, "branches")) == [("cycles", 7, 100), ("branches", 8, 100)], separator
		assert events("7//cpu/event=0xc4/u/311478/100,00//\n") == [("cpu/event=0xc4/u", 7, 100)]

		METRICS, TEXT, COMMAS = "only metrics, no counts", "the text output of perf stat", "decimal commas"
		for what, text in [
		    (COMMAS, "6376827291,,cycles,mesos_test,2011741096,100,00,3,GHz\n"),
		    (COMMAS, "0,31,msec,task-clock,306721,99,50,0,CPUs utilized\n"),
		    (COMMAS, "     1,001028171,788234,,cycles,311478,100,00,,\n"),
		    (METRICS, "core,cpus,retiring,bad speculation,\nS0-D0-C0,2,6.7,6.6,\n"),
		    (METRICS, "cpu;GHz;insn per cycle;\nCPU0;1.2;0.5;\n"),
		    (METRICS, "insn per cycle,GHz,\n0.91,nan,\n"),
		    (TEXT, "#           time             counts unit events\n     1.001028171          670042878      slots\n"),
		    (TEXT, "#           time  insn per cycle  GHz\n     1.001028171    0.91 2.5\n"),
		]:
		    run = report(text)
		    assert run.returncode == 1 and not run.stdout, (text, run)
		    assert what in run.stderr and run.stderr.count("\n") == 2, (text, run.stderr)
		# tables of others are not taken for perf's
		for text in ["name,size,\nfile,12k,\n", "name,size,\n", "a,b,\n1,,\n"]:
		    assert "perf stat" in report(text).stderr and METRICS not in report(text).stderr, text
	PYTHON
}

# A thread that is on P-cores for a share of the time and on E-cores for the rest, whose
# counts perf scales up to all of the time: each is to come back as it was counted.
@test "a command on a hybrid: the counts of its time on each core type" {
	python3 - "$TDSTAT" <<-'PYTHON'
		import json, math, subprocess, sys

		SECONDS = 16.5
		RATES = {"cpu_core": {"slots": 18e9, "topdown-retiring": 9e9, "topdown-bad-spec": 1.8e9,
		                      "topdown-fe-bound": 3.6e9, "topdown-be-bound": 3.6e9},
		         "cpu_atom": {"CPU_CLK_UNHALTED.CORE": 3e9, "TOPDOWN_RETIRING.ALL": 6e9, "TOPDOWN_BAD_SPECULATION.ALL": 3e9,
		                      "TOPDOWN_FE_BOUND.ALL": 3e9, "TOPDOWN_BE_BOUND.ALL": 3e9}}

		def lines(seconds, enabled_s, groups, whole):
		    """perf's: the events of a kind of core ran for its seconds, each group in its turn."""
		    for pmu, rates in RATES.items():
		        turns = [rates] if groups == 1 else [rates, {"instructions": 1e9}]
		        for turn, names in enumerate(turns):
		            running = int(seconds[pmu] * 1e9 / len(turns)) + turn
		            pct = 100 * running / (enabled_s[pmu] * 1e9)
		            if whole:
		                pct = math.floor(pct + 1e-9)
		            for name, rate in names.items():
		                # the count, scaled from the run time to the whole time
		                count = int(rate * running / 1e9)
		                yield "%d,,%s/%s/,%d,%.2f,," % (count * enabled_s[pmu] * 1e9 / running, pmu, name, running, pct)

		def report(text, *options):
		    with open("file", "w") as out:
		        out.write("".join(line + "\n" for line in text))
		    run = subprocess.run([sys.argv[1], "report", "--model", "alderlake", "file", "-j", *options],
		                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
		    assert run.returncode == 0, run.stderr
		    return [json.loads(line) for line in run.stdout.splitlines()]

		def is_near(got, want, part):
		    assert abs(got - want) <= part * want, (got, want)

		for core_s in 16.1, 10, 0.5:
		    seconds = {"cpu_core": core_s, "cpu_atom": SECONDS - core_s}
		    for groups in 1, 2:
		        for whole in False, True:
		            file = list(lines(seconds, dict.fromkeys(seconds, SECONDS), groups, whole))
		            counts = {row["event"]: float(row["counter-value"]) for row in report(file, "--no-tree") if "event" in row}
		            for pmu, rates in RATES.items():
		                for name, rate in rates.items():
		                    is_near(counts[f"{pmu}/{name}/"], rate * seconds[pmu], 0.001)
		            merged = {row["metric"]: row["value"] for row in report(file, "--hybrid-merge") if row.get("value") is not None}
		            slots = {"cpu_core": 18e9 * seconds["cpu_core"], "cpu_atom": 15e9 * seconds["cpu_atom"]}
		            is_near(merged["tma_retiring"],
		                    100 * (0.5 * slots["cpu_core"] + 0.4 * slots["cpu_atom"]) / sum(slots.values()), 0.001)

		# all CPUs, four P-cores and eight E-cores: multiplexed counts are scaled to
		# the whole time
		cpus = {"cpu_core": 4 * SECONDS, "cpu_atom": 8 * SECONDS}
		for groups in 1, 2:
		    file = list(lines(cpus, cpus, groups, False))
		    counts = {row["event"]: float(row["counter-value"]) for row in report(file, "--no-tree") if "event" in row}
		    for pmu, rates in RATES.items():
		        for name, rate in rates.items():
		            is_near(counts[f"{pmu}/{name}/"], rate * cpus[pmu], 0.001)
	PYTHON
}

@test "groups of --print-perf that were multiplexed: shares are of each group's own counts" {
	# as many slots are lost in each, but the second one ran while three times as much was done
	checks <<-'PYTHON'
		def report(second):
		    rows = {"cycles[cpu_atom:1]": 1000, "topdown-retiring[cpu_atom:1]": 1250,
		            "topdown-be-bound[cpu_atom:1]": 2500, "topdown-fe-bound[cpu_atom:1]": 1000,
		            f"cycles[cpu_atom:{second}]": 3000,
		            f"TOPDOWN_BAD_SPECULATION.MISPREDICT[cpu_atom:{second}]": 600}
		    Path("perf.csv").write_text("# started on Sun Nov 29 12:00:00 2026\n\n" + "".join(
		        f"{1000000 * count};;{name};1000000000;50.00;;\n" for name, count in rows.items()))
		    result = succeeds("report --model alderlake -l 2 --all -j perf.csv")
		    rows = [json.loads(line) for line in result.out.splitlines()]
		    return {row["metric"]: row["value"] for row in rows if row.get("value") is not None}

		# events that perf could not count are in no group
		for text in "<not supported>;;slots[cpu_core:0];0;100.00;;\n", \
		        "<not supported>;;cycles[cpu_atom:0];0;100.00;;\n5;;X[cpu_atom:0];9;50.00;;\n" * 2, \
		        "5;;a[b:1];9;50.00;;\n6;;c[:1];9;50.00;;\n7;;d[e:99999999999];9;50.00;;\n8;;f[];9;50.00;;\n":
		    Path("perf.csv").write_text(text)
		    for options in "", "--model alderlake":
		        result = run(f"report {options} -j perf.csv")
		        assert result.status in (0, 1) and (result.err or result.out), result
		        assert ";" not in result.out and result.out.count('"counter-value"') <= 4, result

		got = report(2)
		# a Gracemont is 5 wide: 1250 of 5000 slots, and 600 of 15000
		assert abs(got["tma_retiring"] - 25) < 0.01, got
		assert abs(got["tma_branch_mispredicts"] - 4) < 0.01, got
	PYTHON
}

@test "--print-perf: perf counts the events of every metric, whatever else was requested" {
	for model in alderlake skylakex; do saved $model; done
	TD_FULL=1 saved sapphirerapids
	checks <<-'PYTHON'
		# events of 8 CPUs in a second
		RATES = {"ref-cycles": 4e9, "CPU_CLK_UNHALTED.REF_TSC": 4e9, "msr/tsc/": 16e9, "duration_time": 1e9,
		         "cpu-cycles": 5e9, "CPU_CLK_UNHALTED.CORE": 5e9, "slots": 30e9, "TOPDOWN.SLOTS": 30e9,
		         "CPU_CLK_UNHALTED.THREAD": 5e9, "CPU_CLK_UNHALTED.THREAD_ANY": 10e9}

		def round_trip(options, *notes):
		    """What report shows of the counts of --print-perf, by PMU and metric."""
		    printed = succeeds("--print-perf " + options)
		    for note in notes:
		        assert note in printed.err, printed.err
		    command, comment = printed.out.split("\n# tdstat ")
		    with open("perf.csv", "w") as file:
		        print("# started on Sun Nov 29 12:00:00 2026\n", file=file)
		        for text in re.findall(r"-e (\S+)", command):
		            for event in re.findall(r"\w+/.*?/\w*|[\w-]+", re.sub(":D$", "", text.strip('"'))):
		                name = re.search("name='(.*)'", event)
		                name = name[1] if name else event
		                rate = RATES.get(re.sub(r"\[.*", "", name), 1e9)
		                print(f"{rate:.0f};;{name};8000000000;100.00;;", file=file)
		    result = succeeds(comment.strip() + " -j")
		    rows = [json.loads(line) for line in result.out.splitlines()]
		    return {(row["pmu"], row["metric"]): row["value"] for row in rows if "metric" in row}, command

		machine("alderlake")
		for names in "cpi,TopdownL1", "TopdownL1,cpi":
		    got, command = round_trip(f"-a -M {names}")
		    same({metric for (pmu, metric), value in got.items() if value is None}, set())
		    same(got["cpu_atom", "tma_retiring"], 4)
		    same(got["cpu_atom", "cpi"], 5)
		# the same event is one, however it is called
		got, command = round_trip("-a -M branch_miss_rate,tma_info_inst_mix_ipbranch,tma_info_bad_spec_ipmispredict")
		same([key for key, value in got.items() if value is None], [])

		# hyper-threading on, as THREAD_ANY shows, and off
		machine("skylakex")
		got, command = round_trip("-a -M TopdownL1")
		same(got["cpu", "tma_retiring"], 5)
		got, command = round_trip("-a -M TopdownL1 --model skylakex")
		same(got["cpu", "tma_retiring"], 5)

		os.environ["TD_FULL"] = "1"
		machine("sapphirerapids")
		got, command = round_trip("-a -M TopdownL1,tma_info_system_cpus_utilized,tma_info_system_cpu_utilization,"
		                          "memory_bandwidth_read")
		# the clock is that of one CPU, of which there are 8
		same(got["cpu", "tma_info_system_cpus_utilized"], 2)
		same(got["cpu", "tma_info_system_cpu_utilization"], 0.25)
		same(command.count("UNC_M_CAS_COUNT.RD"), 1)
		assert '"uncore_imc/name=\'UNC_M_CAS_COUNT.RD\',config=0xcf05/"' in command, command
		same(round([value for (pmu, metric), value in got.items() if metric == "memory_bandwidth_read"][0]), 64000)
		round_trip("-a -M TopdownL1,cpu_operating_frequency", "no metric with #SYSTEM_TSC_FREQ, which perf does not write")
	PYTHON
}

@test "--print-perf: events of one core type need a newer perf" {
	TD_FULL=1 saved alderlake
	checks <<-'PYTHON'
		os.environ["TD_FULL"] = "1"
		machine("alderlake")
		result = succeeds("--print-perf -a -M lpm_cs_instr")
		assert "context-switches/cpu=cpu_core/ needs a perf as new as that of Linux 7.2" in result.err, result.err
	PYTHON
}

@test "--model of another processor: an error if the file's PMUs do not match" {
	local name

	for name in slots topdown-{retiring,be-bound,fe-bound,bad-spec}; do
		printf '1000000;;cpu_core/%s/;1000000;100.00;;\n' "$name"
	done >file
	try "$TDSTAT" report --model icelakex file
	assert_complains 'file: cpu_core is not a PMU of --model icelakex'
	try "$TDSTAT" report --model alderlake file
	[[ $stderr != *'is not a PMU'* ]]
	sed 's/cpu_core/cpu/' file >alone
	try "$TDSTAT" report --model skylake alone
	assert_complains 'alone: cpu of --model skylake has no slots'
	try "$TDSTAT" report --model alderlake alone
	assert_complains 'alone: no tree because cpu is not a PMU of --model alderlake; its events are shown'
	try "$TDSTAT" report --model skylake "$data/alderlake.jsonl"
	assert_complains 'alderlake.jsonl: --model is ignored: recordings contain their processor'
}

@test "a file without the elapsed time: one empty line at the end" {
	printf '1000;;cycles;1000;100.00;;\n' >file
	"$TDSTAT" report file >out
	mapfile -t lines <out
	[[ ${lines[-2]} == *cycles* && -z ${lines[-1]} ]]
}

@test "counts that a file of perf stat lacks: hints contain the perf command that counts them" {
	for side in '1 9' '9 1'; do
		for pmu in cpu_core cpu_atom; do
			for name in slots topdown-{retiring,be-bound,fe-bound,bad-spec}; do
				[ "$pmu $name" != 'cpu_atom slots' ] || name=cycles
				printf '%s00000;;%s/%s/;1000000;100.00;;\n' "${side% *}" "$pmu" "$name"
			done
			side=${side#* }
		done >"${side% *}"
	done
	try "$TDSTAT" report --model alderlake 1 -M tma_dram_bound
	assert_why_and_remedy 'was not recorded$' '^tdstat: for perf stat: tdstat --print-perf -M tma_dram_bound$'
	try "$TDSTAT" report --model alderlake 1 -l 3
	assert_complains 'were not recorded: for perf stat: tdstat --print-perf -l 3'
	try "$TDSTAT" diff --model alderlake --fail-above tma_dram_bound:1 1 9
	assert_complains 'for perf stat: tdstat --print-perf -l 3'
	# with unknown CPUs
	try "$TDSTAT" diff --model alderlake 1 9
	assert_complains 'ran on different core types'
	[[ $stderr != *'tdstat record'* ]]
}
