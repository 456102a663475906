#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Scripts as users write them, with awk, jq, sqlite3 and Python, over CSV and JSON.
# Each answers a question.  The right answer comes from the raw counts of the recording
# (counts.py), from numbers that a test put into it, or from the command that ran.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # awk, jq; lists of options; helper.bash
load helper

# A user's jq sees the heads of rows.
unset -f jq

# Python sorts by code points, too.
export LC_COLLATE=C

# made NAME FILTER RECORDING: a recording in $made, made of another one
made() {
	jq -c "$2" "$data/$3.jsonl" >"$made/$1.jsonl"
}

setup_file() {
	made=$BATS_FILE_TMPDIR
	# when, where and what for
	made told 'if .tdstat then .start = 1764061934.218 | .host = "build7" else . end' alderlake
	# the even CPUs worked for one service, the odd ones for another
	made cgroups 'if .tdstat then .cgroups = ["system.slice/web", "system.slice/db"]
		elif .counts then .counts |= map(. + [.[1] % 2]) else . end' alderlake
	# CPU N: a cycle for six slots, 8 + N instructions for ten slots that retired
	made ipc 'if .tdstat then .events += [{ name: "cpu/cpu-cycles/", pmu: "cpu", group: 0 },
			{ name: "cpu/instructions/", pmu: "cpu", group: 0 }]
		elif .counts then .counts += [.counts[] |
			if .[0] == 0 then .[0] = 10 | .[3] = (.[3] / 6 | floor)
			elif .[0] == 1 then .[0] = 11 | .[3] = (.[3] * (8 + .[1]) / 10 | floor)
			else empty end] else . end' sapphirerapids-2
	# the same program once more: its intervals ended at other times, and a tenth of
	# what P-cores retired is lost to the back end
	made later "if .counts then .time += 0.0123 | .counts |= $(lost 100) else . end" alderlake
	# runs before and after a change: a few thousandths are noise, fifty are the change
	for n in 0 1 2; do
		made "a$n" "if .counts then .counts |= $(lost $n) else . end" sapphirerapids-2
		made "b$n" "if .counts then .counts |= $(lost $((50 + n))) else . end" sapphirerapids-2
	done
}

# lost N: a filter of counts, by which N of 1000 retired slots of each CPU with
# PERF_METRICS go to the back end
lost() {
	echo "((map(select(.[0] == 1) | { key: \"\\(.[1])\", value: (.[3] * $1 / 1000 | floor) })
		| from_entries) as \$moved | map((\$moved[\"\\(.[1])\"] // 0) as \$n |
		if .[0] == 1 then .[3] -= \$n elif .[0] == 4 then .[3] += \$n else . end))"
}

# report NAME OPTION...: of a recording that was made here, or is among the data
report() {
	recording "$1"
	"$TDSTAT" report -i "$recording" "${@:2}"
}

# recording NAME: its path, into $recording
recording() {
	recording=$BATS_FILE_TMPDIR/$1.jsonl
	[ -e "$recording" ] || recording=$data/$1.jsonl
}

# lengthened N: two intervals of two sockets, again and again
lengthened() {
	awk -v n="$1" 'NR == 2 || NR == 3 { sub(/^{"time":[0-9.]*/, ""); row[NR] = $0; next }
		/^{"end"/ { for (i = 1; i <= n; i++) printf "{\"time\":%.9f%s\n", i * 0.3, row[2 + i % 2] } { print }' \
		"$data/sapphirerapids-2.jsonl"
}

# truth [NAME...]: a Python script on standard input writes the file "truth"; R, or R and
# S, are the recordings
truth() {
	local name script recordings=()

	IFS= read -rd '' script || true
	for name; do
		recording "$name"
		recordings+=("$recording")
	done
	PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 -c "import sys; from counts import Counts, NODES
R, S, *_ = [Counts(path) for path in sys.argv[1:]] + [None, None]
$script" "${recordings[@]}" >truth
}

# found TOLERANCE: what the script said ("got") is the truth
found() {
	PYTHONDONTWRITEBYTECODE=1 python3 "$here/counts.py" agree truth got "$1"
}

# csv SCRIPT: awk, for which at[NAME] is the number of a column
csv() {
	awk -F, "NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next } $1"
}

# --- CSV and awk ------------------------------------------------------------------

@test "the mean of backend bound for each core type, weighted by slots" {
	report alderlake -x, | csv '{ slots[$at["pmu"]] += $at["slots"]
			lost[$at["pmu"]] += $at["slots"] * $at["tma_backend_bound"] }
		END { for (pmu in slots) printf "%s %.3f\n", pmu, lost[pmu] / slots[pmu] }' | sort >got
	truth alderlake <<-'PYTHON'
		for pmu in sorted(R.pmus):
		    print(pmu, R.shares(pmu)["tma_backend_bound"])
	PYTHON
	found 0.006
}

@test "which CPU lost most slots, and how many" {
	report alderlake -A -x, | csv '{ lost[$at["cpu"]] += $at["slots"] * (100 - $at["tma_retiring"]) / 100 }
		END { for (cpu in lost) printf "%s %.4f\n", cpu, lost[cpu] / 1e9 }' | sort -k2,2nr >got
	truth alderlake <<-'PYTHON'
		lost = {cpu: R.lost(R.pmu_of(cpu), cpus=[cpu]) / 1e9 for cpu in R.cpus}
		for cpu in sorted(lost, key=lost.get, reverse=True):
		    print(cpu, lost[cpu])
	PYTHON
	found 0.01
}

@test "lost_share of an interval: the slots that each CPU lost, in % of all slots" {
	report alderlake -A -x, | csv '$at["interval"] == 2 { print $at["cpu"], $at["lost_share"]; sum += $at["lost_share"] }
		END { print "all", sum }' >got
	truth alderlake <<-'PYTHON'
		lost = [R.lost(R.pmu_of(cpu), interval=2, cpus=[cpu]) for cpu in R.cpus]
		slots = sum(R.slots(pmu, interval=2) for pmu in R.pmus)
		for cpu in R.cpus:
		    print(cpu, 100 * lost[cpu] / slots)
		print("all", 100 * sum(lost) / slots)
	PYTHON
	found 0.041
}

@test "rows whose events had counters for less than half of the time" {
	report alderlake-2 -l 2 -x, | csv '$at["running"] != "" && $at["running"] < 50 {
		print $at["interval"], $at["pmu"], $at["running"] }' >got
	truth alderlake-2 <<-'PYTHON'
		for interval in R.intervals:
		    for pmu, share in R.running(interval).items():
		        if share < 50:
		            print(interval, pmu, share)
	PYTHON
	found 0.006
}

@test "IPC of each socket, from the column and from the counts" {
	report ipc --per-socket -x, | csv '{ print $at["interval"], $at["id"], $at["ipc"]
		print $at["interval"], $at["id"], $at["instructions"] / $at["cycles"] }' >got
	truth ipc <<-'PYTHON'
		for interval in R.intervals:
		    for socket in 0, 1:
		        sums = R.sums(interval=interval, cpus=[c for c in R.cpus if R.place[c]["socket"] == socket])
		        for _ in range(2):
		            print(interval, f"S{socket}", sums["cpu", "instructions"] / sums["cpu", "cpu-cycles"])
	PYTHON
	found 0.006
}

@test "cores rolled up to sockets are --per-socket, to the slot" {
	report ipc --per-core -x, | csv '{ id = $at["interval"] " " substr($at["core"], 1, 2)
			slots[id] += $at["slots"]; cycles[id] += $at["cycles"]; done[id] += $at["instructions"]
			fe[id] += $at["slots"] * $at["tma_frontend_bound"] }
		END { for (id in slots) printf "%s %.0f %.0f %.0f %.3f\n", id, slots[id], cycles[id], done[id], fe[id] / slots[id] }' |
		sort >cores
	report ipc --per-socket -x, | csv '{ print $at["interval"], $at["id"], $at["slots"], $at["cycles"],
		$at["instructions"], $at["tma_frontend_bound"] }' >sockets
	truth ipc <<-'PYTHON'
		for interval in R.intervals:
		    for socket in 0, 1:
		        where = {"interval": interval, "cpus": [c for c in R.cpus if R.place[c]["socket"] == socket]}
		        sums = R.sums(**where)
		        print(interval, f"S{socket}", *(int(sums["cpu", name]) for name in ("slots", "cpu-cycles", "instructions")),
		              R.shares("cpu", **where)["tma_frontend_bound"])
	PYTHON
	cp cores got
	found 0.011
	cp sockets got
	found 0.006
}

@test "CPUs rolled up to all of their kind, and with --hybrid-merge to the machine" {
	report alderlake -A -x, >cpus
	for how in '' --hybrid-merge; do
		merge=$how csv '{ id = $at["interval"] " " (ENVIRON["merge"] ? "all" : $at["pmu"])
				slots[id] += $at["slots"]; be[id] += $at["slots"] * $at["tma_backend_bound"] }
			END { for (id in slots) printf "%s %.0f %.3f\n", id, slots[id], be[id] / slots[id] }' <cpus | sort >rolled
		report alderlake $how -x, | csv '{ print $at["interval"], $at["pmu"], $at["slots"], $at["tma_backend_bound"] }' |
			sort >got
		truth alderlake <<-PYTHON
			for interval in R.intervals:
			    slots = {pmu: R.slots(pmu, interval=interval) for pmu in sorted(R.pmus)}
			    be = {pmu: R.shares(pmu, interval=interval)["tma_backend_bound"] for pmu in slots}
			    if "$how":
			        total = sum(slots.values())
			        be = {"all": sum(slots[pmu] * be[pmu] for pmu in slots) / total}
			        slots = {"all": total}
			    for pmu in slots:
			        print(interval, pmu, int(slots[pmu]), be[pmu])
		PYTHON
		found 0.006
		cp rolled got
		found 0.011
	done
}

@test "the sum of a run: its row has its own kind, and is the sum of the intervals" {
	report alderlake --summary -x, >out
	csv '$at["kind"] == "summary" { print $at["pmu"], $at["slots"], $at["tma_retiring"] }' <out | sort >got
	truth alderlake <<-'PYTHON'
		for pmu in sorted(R.pmus):
		    print(pmu, int(R.slots(pmu)), R.shares(pmu)["tma_retiring"])
	PYTHON
	found 0.006
	csv '$at["kind"] == "interval" { slots[$at["pmu"]] += $at["slots"]; ret[$at["pmu"]] += $at["slots"] * $at["tma_retiring"] }
		END { for (pmu in slots) printf "%s %.0f %.3f\n", pmu, slots[pmu], ret[pmu] / slots[pmu] }' <out | sort >got
	found 0.006
}

@test "slots per second: the lengths of the intervals are known, and add up to the time" {
	report alderlake -x, >out
	csv '$at["pmu"] == "cpu_core" { printf "%d %.3f\n", $at["interval"], $at["slots"] / $at["seconds"] / 1e6; sum += $at["seconds"] }
		END { print "all", sum }' <out >got
	truth alderlake <<-'PYTHON'
		for interval in R.intervals:
		    print(interval, R.slots("cpu_core", interval=interval) / R.seconds[interval - 1] / 1e6)
		print("all", R.times[-1])
	PYTHON
	found 0.01
}

@test "services of --for-each-cgroup: which one lost most, in CSV and JSON" {
	report cgroups -x, | csv '{ lost[$at["cgroup"]] += $at["slots"] * (1 - $at["tma_retiring"] / 100) }
		END { for (name in lost) printf "%s %.4f\n", name, lost[name] / 1e9 }' | sort -k2,2nr >got
	truth cgroups <<-'PYTHON'
		for lost, name in sorted(
		    ((sum(R.lost(pmu, cgroup=number) for pmu in R.pmus) / 1e9, name)
		     for number, name in enumerate(R.head["cgroups"])), reverse=True):
		    print(name, lost)
	PYTHON
	found 0.02
	report cgroups -j | jq -nr '[inputs | select(.metric == "tma_retiring")] | group_by(.cgroup)
		| map([.[0].cgroup, (map(.slots * (100 - .value)) | add / 1e11)]) | sort_by(-.[1])[] | "\(.[0]) \(.[1])"' >got
	found 0.0001
}

@test "other separators: cut at tabs, and CSV of semicolons for a spreadsheet" {
	report alderlake -x '\t' | cut -f 3,14 | sed 1d >tabbed
	report alderlake -x ';' >out
	python3 - <<-'PYTHON' >got
		import csv
		with open("out", newline="") as file:
		    for row in csv.DictReader(file, delimiter=";", strict=True):
		        print(row["pmu"], row["slots"])
	PYTHON
	truth alderlake <<-'PYTHON'
		for interval in R.intervals:
		    for pmu in R.pmus:
		        print(pmu, int(R.slots(pmu, interval=interval)))
	PYTHON
	found 0
	cp tabbed got
	found 0
}

# --- JSON and jq ------------------------------------------------------------------

@test "the five worst intervals of a CPU" {
	report alderlake -A -j | jq -nr '[inputs | select(.metric == "tma_backend_bound")]
		| sort_by(-.value)[:5][] | "\(.interval) \(.cpu) \(.value)"' >got
	truth alderlake <<-'PYTHON'
		found = [(R.shares(R.pmu_of(cpu), interval=i, cpus=[cpu])["tma_backend_bound"], i, cpu)
		         for i in R.intervals for cpu in R.cpus]
		for value, interval, cpu in sorted(found, reverse=True)[:5]:
		    print(interval, cpu, value)
	PYTHON
	found 1e-6
}

@test "for which share of the time a node was over its threshold" {
	report alderlake -A -j | jq -nr '[inputs | select(.metric == "tma_frontend_bound" and .pmu == "cpu_core")]
		| group_by(.cpu)[] | "\(.[0].cpu) \((map(select(.over_threshold).seconds) | add // 0) / (map(.seconds) | add))"' >got
	# Golden Cove's is 15 %
	truth alderlake <<-'PYTHON'
		for cpu in 0, 1, 2, 3:
		    over = [s for i, s in zip(R.intervals, R.seconds)
		            if R.shares("cpu_core", interval=i, cpus=[cpu])["tma_frontend_bound"] > 15]
		    assert 0 < len(over) < len(R.seconds)
		    print(cpu, sum(over) / sum(R.seconds))
	PYTHON
	found 1e-6
}

@test "which metrics could not be: flags of CSV, misfit of JSON" {
	report skylakex-2 -l 2 -x, | csv '{ n = split($at["flags"], name, " ")
		for (i = 1; i <= n; i++) print $at["interval"], name[i] }' | sort >got
	# less than nothing, more than all, or a node that is larger than what it is a part of
	command jq -rs --argjson level 2 --arg mode all -f "$here/metrics.jq" "$data/skylakex-2.jsonl" | awk '
		BEGIN { split("light_operations retiring heavy_operations retiring memory_bound backend_bound core_bound " \
			"backend_bound fetch_latency frontend_bound fetch_bandwidth frontend_bound branch_mispredicts " \
			"bad_speculation machine_clears bad_speculation", name, " ")
			for (i = 1; i in name; i += 2) parent["tma_" name[i]] = "tma_" name[i + 1] }
		{ value[$1 " " $4] = $5 }
		END { for (id in value) { split(id, part, " ")
			up = part[2] in parent ? value[part[1] " " parent[part[2]]] : 100
			if (value[id] < 0 || value[id] > 100 || value[id] > up) print id } }' | sort >truth
	found 0
	report skylakex-2 -l 2 -j | jq -r 'select(.misfit) | "\(.interval) \(.metric)"' | sort >got
	found 0
	# and none where all is well
	report sapphirerapids-2 -l 2 -x, | csv '$at["flags"] != "" { exit 1 }'
}

@test "long to wide: JSON pivots to the table, with the values of the counts" {
	report alderlake -A -j >out
	python3 - <<-'PYTHON' >got
		import json
		wide = {}
		for line in open("out"):
		    row = json.loads(line)
		    if "metric" in row:
		        wide.setdefault((row["interval"], row["cpu"]), {})[row["metric"]] = row["value"]
		columns = sorted({name for row in wide.values() for name in row})
		for key in sorted(wide):
		    print(*key, *(wide[key][name] for name in columns))
	PYTHON
	truth alderlake <<-'PYTHON'
		for i in R.intervals:
		    for cpu in R.cpus:
		        shares = R.shares(R.pmu_of(cpu), interval=i, cpus=[cpu])
		        print(i, cpu, *(shares[node] for node in sorted(NODES)))
	PYTHON
	found 1e-6
}

@test "two runs joined by interval, not by time: the change in each" {
	for run in alderlake later; do
		report $run -x, >$run.csv
	done
	python3 - <<-'PYTHON' >got
		import csv
		def read(name, *keys):
		    with open(name, newline="") as file:
		        return {tuple(row[key] for key in keys): row for row in csv.DictReader(file)}
		by = "interval", "id", "pmu"
		a, b = read("alderlake.csv", *by), read("later.csv", *by)
		for key in sorted(a.keys() & b.keys()):
		    print(*key, float(b[key]["tma_backend_bound"]) - float(a[key]["tma_backend_bound"]))
		by = "time", "id", "pmu"
		print(len(read("alderlake.csv", *by).keys() & read("later.csv", *by).keys()))
	PYTHON
	truth alderlake later <<-'PYTHON'
		for interval in R.intervals:
		    for pmu in sorted(R.pmus):
		        a, b = (run.shares(pmu, interval=interval)["tma_backend_bound"] for run in (R, S))
		        assert (b - a > 1) == (pmu == "cpu_core")
		        print(interval, "all", pmu, b - a)
		print(0)
	PYTHON
	found 0.011
}

@test "when it was: seconds since 1970, a number in CSV and JSON, and a date" {
	report told --time-format=epoch -x, | csv '$at["pmu"] == "cpu_core" { print $at["time"] }' >got
	truth told <<-'PYTHON'
		for time in R.times:
		    print(f"{R.head['start'] + time:.6f}")
	PYTHON
	found 1e-5
	report told --time-format=epoch -j | jq -r 'select(.metric == "tma_retiring" and .pmu == "cpu_core") | .time | . + 0' >got
	found 1e-5
	report told --time-format=epoch -j | jq -r 'select(.metric == "tma_retiring" and .pmu == "cpu_core") | .time | floor | todate' >got
	TZ=UTC awk '{ print "@" int($1) }' truth | TZ=UTC date -f - +%Y-%m-%dT%H:%M:%SZ >dates
	mv dates truth
	found 0
	# and the head has when it began
	report told -j | head -n 1 | jq -e '.start == 1764061934.218'
}

@test "files of two hosts in one: the heads say which rows are whose" {
	{
		report told -j --label branch=main --label 'what=a,b "c"'
		report sapphirerapids-2 -j --label branch=fix
	} >both
	python3 - <<-'PYTHON' >got
		import json
		head = None
		best = {}
		for line in open("both"):
		    row = json.loads(line)
		    if "tdstat_rows" in row:
		        head = row
		    elif row.get("metric") == "tma_retiring":
		        key = head["host"] or "unknown", head["labels"]["branch"], row["pmu"]
		        best[key] = max(best.get(key, 0), row["value"])
		for key, value in best.items():
		    print(*key, value)
	PYTHON
	truth told sapphirerapids-2 <<-'PYTHON'
		for run, branch in (R, "main"), (S, "fix"):
		    for pmu in run.pmus:
		        print(run.head.get("host", "unknown"), branch, pmu,
		              max(run.shares(pmu, interval=i)["tma_retiring"] for i in run.intervals))
	PYTHON
	found 1e-6
	# only rows, and only the header
	assert_equal "$(head -n 1 both | jq -r .labels.what)" 'a,b "c"'
	assert_equal "$(report told -j --no-head | jq -s 'map(has("metric")) | all')" true
	report told -x, --head >out
	assert_equal "$(sed -n 's/^# host: //p' out)" build7
	assert_same "$(report told -x,)" "$(grep -v '^#' out)"
}

# --- databases and data frames ------------------------------------------------------

@test "sqlite3: import the CSV, GROUP BY" {
	command -v sqlite3 >/dev/null || skip "no sqlite3 here"
	report alderlake -A -x, >out
	sqlite3 -batch :memory: '.mode csv' '.import out rows' '.mode list' '.separator " "' \
		'select cpu, sum(slots), round(sum(slots * tma_backend_bound) / sum(slots), 3)
		from rows group by cast(cpu as integer) having sum(slots) > 1e9;' >got
	truth alderlake <<-'PYTHON'
		for cpu in R.cpus:
		    pmu = R.pmu_of(cpu)
		    if R.slots(pmu, cpus=[cpu]) > 1e9:
		        print(cpu, int(R.slots(pmu, cpus=[cpu])), R.shares(pmu, cpus=[cpu])["tma_backend_bound"])
	PYTHON
	found 0.006
}

@test "Python's sqlite3: the keys of JSON are columns, and null is NULL" {
	python3 -c 'import sqlite3' 2>/dev/null || skip "Python without sqlite3"
	report ipc --per-socket -j >with
	report alderlake -j >without
	python3 - <<-'PYTHON' >got
		import json, sqlite3
		db = sqlite3.connect(":memory:")
		db.execute("create table rows (run, interval, id, pmu, metric, value, slots, instructions)")
		for run in "with", "without":
		    rows = [json.loads(line) for line in open(run)]
		    db.executemany("insert into rows values (:run, :interval, :id, :pmu, :metric, :value, :slots, :instructions)",
		                   [{"run": run, **row} for row in rows if "metric" in row])
		for row in db.execute("select run, pmu, sum(instructions is null), count(*), sum(slots * value) / sum(slots)"
		                      " from rows where metric = 'tma_retiring' group by run, pmu order by 1, 2"):
		    print(*row)
	PYTHON
	truth ipc alderlake <<-'PYTHON'
		print("with cpu 0", 2 * len(R.intervals), R.shares("cpu")["tma_retiring"])
		for pmu in sorted(S.pmus):
		    print("without", pmu, len(S.intervals), len(S.intervals), S.shares(pmu)["tma_retiring"])
	PYTHON
	found 1e-6
}

@test "pandas: numbers are numbers, and a weighted mean is one line" {
	for python in python3 /usr/bin/python3 ''; do
		[ -n "$python" ] || skip "no Python with pandas here"
		! "$python" -c 'import pandas' 2>/dev/null || break
	done
	report alderlake --summary -x, >out
	"$python" - <<-'PYTHON' >got
		import pandas
		rows = pandas.read_csv("out")
		assert rows["time"].dtype == float and rows["tma_retiring"].dtype == float and rows["slots"].dtype == int
		rows = rows[rows.kind == "interval"]
		for pmu, group in rows.groupby("pmu"):
		    print(pmu, (group.tma_retiring * group.slots).sum() / group.slots.sum())
	PYTHON
	truth alderlake <<-'PYTHON'
		for pmu in sorted(R.pmus):
		    print(pmu, R.shares(pmu)["tma_retiring"])
	PYTHON
	found 0.006
}

# --- what parsers ask for -----------------------------------------------------------

# each_row OPTION...: all the recordings, in all ways to show each, into "out"
each_row() {
	python3 - "$data" "$BATS_FILE_TMPDIR" "$@" <<-'PYTHON'
		import glob, os, subprocess, sys
		data, made, *options = sys.argv[1:]
		files = [file for folder in (data, data + "/manual", data + "/names") for file in sorted(glob.glob(folder + "/*.jsonl"))]
		shown = 0
		with open("out", "wb") as out:
		    for file in files + [f"{made}/{name}.jsonl" for name in ("told", "cgroups", "ipc")]:
		        if "/perf-" in file:
		            continue
		        for how in [], ["-l", "2", "--error", "--summary"], ["-A"], ["--per-core", "--hybrid-merge"]:
		            done = subprocess.run([os.environ["TDSTAT"], "report", "-i", file, *how, *options], capture_output=True)
		            if done.returncode == 0:
		                out.write(done.stdout)
		                shown += 1
		            else:
		                assert b"tdstat: " in done.stderr, (file, how, done)
		assert shown > 60, shown
	PYTHON
}

@test "a strict parser: no NaN, no key twice, one object a line, each type the same" {
	each_row -j
	python3 - <<-'PYTHON'
		import json
		def refuse(word):
		    raise ValueError(word)
		def once(pairs):
		    assert len(dict(pairs)) == len(pairs), pairs
		    return dict(pairs)
		types, n = {}, 0
		with open("out", "rb") as file:
		    data = file.read()
		assert data.endswith(b"}\n") and b"\r" not in data
		for line in data.decode("utf-8").split("\n")[:-1]:
		    row = json.loads(line, parse_constant=refuse, object_pairs_hook=once)
		    for key, value in row.items():
		        kind = "number" if type(value) in (int, float) else type(value).__name__
		        if value is not None and not ("counter-value" in row and key == "interval"):
		            assert types.setdefault(("metric" in row, key), kind) == kind, (key, line)
		    n += 1
		assert n > 2000, n
		assert types[True, "value"] == "number" and types[True, "over_threshold"] == "bool"
	PYTHON
}

@test "CSV: one line a row, as many fields as names, no name twice, only numbers where numbers stand" {
	each_row -x, --head
	python3 - <<-'PYTHON'
		import csv, re
		text = {"id", "pmu", "kind", "core", "cgroup", "comm", "flags"}
		header, rows = None, 0
		number = re.compile(r"-?[0-9]+(\.[0-9]+)?$")
		with open("out", newline="") as file:
		    lines = [line for line in file]
		for line in lines:
		    if line.startswith("# "):
		        header = None
		        continue
		    [fields] = csv.reader([line], strict=True)
		    if header is None:
		        # rows of events have none
		        header = fields if fields[0] == "time" else []
		        assert len(set(header)) == len(header)
		        if header:
		            continue
		    if header:
		        assert len(fields) == len(header), line
		        for name, value in zip(header, fields):
		            assert name in text or not value or number.match(value), (name, value)
		        rows += 1
		assert rows > 500, rows
	PYTHON
}

@test "as many rows as ids, core types and intervals make" {
	for how in '' -A --per-core --per-socket; do
		for name in alderlake sapphirerapids-2; do
			echo "$name$how $(report $name $how -x, | sed 1d | wc -l) $(report $name $how -j | grep -c tma_retiring)"
		done
	done >got
	truth alderlake sapphirerapids-2 <<-'PYTHON'
		for how in "", "-A", "--per-core", "--per-socket":
		    for name, run in ("alderlake", R), ("sapphirerapids-2", S):
		        keys = {"": ["pmu"], "-A": ["cpu"], "--per-core": ["socket", "core"], "--per-socket": ["socket", "pmu"]}[how]
		        ids = {tuple({**place, "pmu": run.pmu_of(place["cpu"])}[key] for key in keys)
		               for place in run.place.values()}
		        print(name + how, *2 * [len(ids) * len(run.intervals)])
	PYTHON
	found 0
}

@test "--error: each value has an error, and its range is within the readings" {
	report alderlake-timeline -l 1 --error --total -x, | csv '{ n = split("retiring backend_bound", name, " ")
		for (i = 1; i <= n; i++) { m = "tma_" name[i]
			if ($at["pmu"] == "cpu_core") print m, $at[m], ($at[m "_error"] > 0), $at[m "_low"], $at[m "_high"] } }' >got
	cat got
	python3 - "$data/alderlake-timeline.jsonl" <<-'PYTHON'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		counts = [line for line in lines if "counts" in line][0]["counts"]
		reads = [line["sums"] for line in lines if "sums" in line] + [[row[3:6] for row in counts]]
		def shares(before, after):
		    fields = [sum(b[0] - a[0] for a, b, row in zip(before, after, counts) if row[0] == event)
		              for event in (1, 4, 2, 3)]
		    return [100 * field / sum(fields) for field in fields] if any(fields) else None
		nothing = [[0, 0, 0]] * len(counts)
		whole = shares(nothing, reads[-1])
		batches = [batch for a, b in zip([nothing] + reads, reads) if (batch := shares(a, b))]
		lines = [line.split() for line in open("got")]
		assert len(lines) == 2
		for i, (name, value, error, low, high) in enumerate(lines):
		    values = [batch[i] for batch in batches]
		    assert abs(float(value) - whole[i]) < 0.006 and error == "1", (name, value, whole)
		    assert min(values) - 0.01 <= float(low) < sorted(values)[len(values) // 2] < float(high) <= max(values) + 0.01, (name, low, high, values)
	PYTHON
}

@test "level 3: the siblings in order, though their events took turns" {
	report manual/cpus-3 -l 3 -x, 2>err >out
	csv '$at["pmu"] == "cpu_atom" { for (name in at)
		if (name ~ /^tma_(icache_misses|decode|cisc|predecode|branch_detect|branch_resteer|itlb_misses)$/)
			printf "%s %s\n", name, $at[name] }' <out | sort -k2,2nr >got
	# an event of a slot of five, in the part of the reference cycles that its group saw
	truth manual/cpus-3 <<-'PYTHON'
		names = {"tma_icache_misses": "ICACHE", "tma_decode": "DECODE", "tma_cisc": "CISC", "tma_predecode": "PREDECODE",
		         "tma_branch_detect": "BRANCH_DETECT", "tma_branch_resteer": "BRANCH_RESTEER", "tma_itlb_misses": "ITLB"}
		events, count, ref = R.head["events"], {}, {}
		for event, _, _, value, enabled, running in R.rows[0]:
		    name = R.names[event]
		    if name == "cpu_atom/ref-cycles/":
		        ref[events[event]["group"]] = value, running
		    elif name.startswith("cpu_atom/"):
		        count[name.split("/")[1]] = value, enabled, events[event]["group"]
		cycles, enabled, _ = count["CPU_CLK_UNHALTED.CORE"]
		whole = enabled * sum(value for value, _ in ref.values()) / sum(running for _, running in ref.values())
		shares = {}
		for name, event in names.items():
		    value, _, group = count["TOPDOWN_FE_BOUND." + event]
		    shares[name] = 100 * value * whole / ref[group][0] / (5 * cycles)
		for name in sorted(shares, key=shares.get, reverse=True):
		    print(name, shares[name])
	PYTHON
	found 0.15
	# columns that a core type lacks are empty, and have no object
	csv '$at["pmu"] == "cpu_core" && $at["tma_predecode"] != "" { exit 1 }' <out
	report manual/cpus-3 -l 3 -j 2>err | jq -es '[.[] | select(.metric == "tma_predecode").pmu] == ["cpu_atom"]'
}

# --- rows of events -----------------------------------------------------------------

@test "events as perf stat writes them: IPC of each core type, by the fields' numbers" {
	report manual/xz-events -x, | awk -F, '{ split($3, part, "/"); n[part[1], part[2]] = $1; pmu[part[1]] }
		END { for (p in pmu) if (n[p, "cycles"]) printf "%s %.6f\n", p, n[p, "instructions"] / n[p, "cycles"] }' | sort >got
	truth manual/xz-events <<-'PYTHON'
		counts = {R.names[row[0]]: row[3] for row in R.rows[0]}
		for pmu in sorted(R.pmus):
		    if f"{pmu}/cycles/" in counts:
		        print(pmu, counts[f"{pmu}/instructions/"] / counts[f"{pmu}/cycles/"])
	PYTHON
	found 1e-6
	report manual/xz-events -j | jq -nr '[inputs | { (.event): (."counter-value" | tonumber) }] | add
		| ("cpu_atom", "cpu_core") as $pmu | "\($pmu) \(.[$pmu + "/instructions/"] / .[$pmu + "/cycles/"])"' >got
	found 1e-6
}

@test "threads: the CPU time of each, added up by name" {
	report manual/threads --per-thread -x, | awk -F, '$4 == "task-clock" { sub(/-[0-9]+$/, "", $1); ms[$1] += $2 }
		END { for (name in ms) print name, ms[name] }' | sort >got
	truth manual/threads <<-'PYTHON'
		import json
		names = {}
		for line in open(sys.argv[1]):
		    names.update(json.loads(line).get("threads", {}))
		time = {}
		for event, _, tid, value, *_ in R.rows[0]:
		    if R.names[event] == "task-clock":
		        name = names[str(tid)]
		        time[name] = time.get(name, 0) + value / 1e6
		for name in sorted(time):
		    print(name, time[name])
	PYTHON
	found 0.006
}

# work: make work.py FILE MS [ROWS], which uses MS of CPU time, until "out" has ROWS lines,
# gives up the CPU 20 times, adds the kernel's accounting, "CPU-MS SWITCHES", to FILE, and
# ends immediately
work() {
	# not a wrapper that other commands run in
	python=/usr/bin/python3
	cat >work.py <<-'PYTHON'
		import os, resource, sys, time
		end, rows = int(sys.argv[2]) / 1000, int((sys.argv + ["0"])[3])
		while time.process_time() < end or rows and open("out").read().count("\n") < rows:
		    pass
		for _ in range(20):
		    time.sleep(0.001)
		usage = resource.getrusage(resource.RUSAGE_SELF)
		with open(sys.argv[1], "a") as file:
		    print(1000 * (usage.ru_utime + usage.ru_stime), usage.ru_nvcsw + usage.ru_nivcsw, file=file)
		os._exit(0)
	PYTHON
}

@test "live, CSV: CPU time and context switches of a command are those of the kernel" {
	real
	work
	"$TDSTAT" -e task-clock,context-switches -x, -o out -- "$python" work.py truth 200
	awk -F, '{ n[$3] = $1 } END { print n["task-clock"], n["context-switches"] }' out >got
	# the end of the process follows, and the time before its execve() is not counted
	cat truth got
	found 60
	awk '$1 < 190 || $2 < 20 { exit 1 }' got
}

@test "live, JSON: the same with jq, where counts are strings" {
	real
	work
	"$TDSTAT" -e task-clock,context-switches -j -o out -- "$python" work.py truth 100
	jq -rs 'map({ (.event): (."counter-value" | tonumber) }) | add | "\(."task-clock") \(."context-switches")"' out >got
	cat truth got
	found 60
	awk '$1 < 90 || $2 < 20 { exit 1 }' got
}

@test "live, -r 3: the mean of the runs, and its standard error in percent" {
	real
	work
	# 60, 120 and 180 ms of CPU time
	echo 1 >runs
	"$TDSTAT" -r 3 -e task-clock -j -o out -- sh -c 'read -r n <runs; echo $((n + 1)) >runs
		exec "$0" work.py own $((60 * n))' "$python"
	jq -r '"\(."counter-value") \(.variance)"' out >got
	[ "$(wc -l <own)" -eq 3 ]
	awk '{ s += $1; q += $1 * $1 } END { mean = s / NR
		print mean, 100 * sqrt((q - NR * mean * mean) / (NR - 1) / NR) / mean }' own >truth
	cat truth got
	found 30
	awk '$1 < 100 || $2 < 10 { exit 1 }' got
}

@test "live, --append: runs follow each other, and their labels distinguish them" {
	real
	work
	for ms in 50 100 150; do
		"$TDSTAT" -e task-clock -j --head --label "ms=$ms" --append -o out -- "$python" work.py own $ms
		"$TDSTAT" -e task-clock -x, --append -o out.csv -- "$python" work.py own.csv $ms
	done
	python3 - <<-'PYTHON' >got
		import json
		for line in open("out"):
		    row = json.loads(line)
		    if "tdstat_rows" in row:
		        head = row
		    else:
		        print(head["labels"]["ms"], row["event"], row["counter-value"])
	PYTHON
	awk '{ print NR * 50, "task-clock", $1 }' own >truth
	found 40
	awk -F, '{ print NR * 50, $3, $1 }' out.csv >got
	awk '{ print NR * 50, "task-clock", $1 }' own.csv >truth
	found 40
}

@test "live, -I: the sum of the rows is the total, and the command's" {
	real
	work
	"$TDSTAT" -I 50 --summary -e task-clock -x, -o out -- "$python" work.py own 200 4
	awk -F, '$1 == "summary" { sum = $2; next } { if ($1 <= last) exit 1; last = $1; rows += $2; n++ }
		END { if (n < 4) exit 1; print rows; print rows - sum }' out >got
	awk '{ print $1; print 0 }' own >truth
	sed -n 1p truth >whole
	sed -n 2p got >rest
	awk '$1 > 0.1 || $1 < -0.1 { exit 1 }' rest
	cp whole truth
	sed -i 2d got
	found 60
}

# --- in a shell -----------------------------------------------------------------------

@test "if tdstat ...: the command's status, also with set -e and pipefail" {
	real
	cat >ci.sh <<-'SH'
		set -euo pipefail
		"$TDSTAT" -e task-clock -x, -o out -- true
		if "$TDSTAT" -e task-clock -x, --append -o out -- sh -c 'exit 3'; then
			echo passed
		else
			echo "failed with $?"
		fi
		clock=$("$TDSTAT" -e task-clock -x, -- true 2>&1 >/dev/null | cut -d, -f3)
		echo "$clock"
		"$TDSTAT" -e task-clock -x, --append -o out -- false | cat
		echo "not here"
	SH
	try bash ci.sh
	assert_failure 1
	assert_output 'failed with 3
task-clock'
	assert_equal "$(cut -d, -f3 out | xargs)" 'task-clock task-clock task-clock'
}

@test "a pipe that ends early: whole lines until then, and no message" {
	lengthened 1000 >long.jsonl
	for how in '-x,' -j '-A -l 2 -x,'; do
		# more than a pipe holds, so that the writer sees its end
		"$TDSTAT" report long.jsonl $how >whole
		[ "$(wc -c <whole)" -gt 100000 ]
		set +e
		"$TDSTAT" report long.jsonl $how 2>err | head -n 2 >got
		ends=("${PIPESTATUS[@]}")
		set -e
		assert_equal "${ends[*]}" '141 0'
		[ ! -s err ]
		assert_same "$(sed -n 1,2p whole)" "$(cat got)"
	done
	report sapphirerapids-2 -j | grep -q tma_retiring
}

@test "if tdstat diff --fail-above: 0 is passed, 1 is worse, 2 is undecided" {
	ask() {
		if "$TDSTAT" diff --quiet --fail-above "$@" 2>/dev/null; then
			echo passed
		else
			case $? in
			1) echo worse ;;
			2) echo trouble ;;
			*) echo "$?" ;;
			esac
		fi
	}
	# by how much it grew: the second of three runs is their mean
	truth a1 b1 <<-'PYTHON'
		print(S.shares("cpu")["tma_backend_bound"] - R.shares("cpu")["tma_backend_bound"])
	PYTHON
	points=$(<truth)
	cd "$BATS_FILE_TMPDIR"
	less=$(awk "BEGIN { print $points - 0.05 }") more=$(awk "BEGIN { print $points + 0.05 }")
	assert_equal "$(ask "tma_backend_bound:$less" a[012].jsonl -- b[012].jsonl)" worse
	assert_equal "$(ask "tma_backend_bound:$more" a[012].jsonl -- b[012].jsonl)" passed
	assert_equal "$(ask "tma_backend_bound:$less" b[012].jsonl -- a[012].jsonl)" passed
	assert_equal "$(ask "tma_backend_bound:$less" a[012].jsonl -- nosuch.jsonl)" trouble
	# one recording per side: the noise is unknown
	assert_equal "$(ask "tma_backend_bound:$less" a0.jsonl b0.jsonl)" passed
	assert_equal "$(ask "tma_backend_bound:$less" --strict a0.jsonl b0.jsonl)" worse
}

@test "diff -j: a gate of one's own over the rows that are marked" {
	(cd "$BATS_FILE_TMPDIR" && "$TDSTAT" diff -j a[012].jsonl -- b[012].jsonl) >out
	jq -r 'select(.marked and .level == 1) | "\(.name) \(.a) \(.b) \(.difference)"' out | sort >got
	truth a1 b1 <<-'PYTHON'
		a, b = R.shares("cpu"), S.shares("cpu")
		for node in sorted(NODES):
		    if abs(b[node] - a[node]) > 0.5:
		        print(node, a[node], b[node], b[node] - a[node])
	PYTHON
	# the three runs of a side are a little apart, and their mean is the second
	found 0.001
	[ "$(wc -l <truth)" -eq 2 ]
	# in a pipeline: no loss may grow by more than that
	for most in 1 2; do
		if jq -en --argjson most $most '[inputs | select(.marked and .name != "tma_retiring" and
			.difference > $most)] == []' out >/dev/null; then echo "passed $most"; else echo "worse $most"; fi
	done >got
	assert_equal "$(xargs <got)" 'worse 1 passed 2'
}

@test "OpenMetrics: the parts make the slots, and a rate over time is the share" {
	needs_wing serve
	needs_software_events
	cpus=$(getconf _NPROCESSORS_ONLN)
	for nr in 2 4; do
		file=$nr.prom
		took=${EPOCHREALTIME/./}
		"$TDSTAT" -a -l 1 --openmetrics -o $file -I 200 --interval-count $nr
		took=$((${EPOCHREALTIME/./} - took))
		awk '/^tdstat_slots_total/ { slots += $NF }
			/^tdstat_topdown_slots_total/ { match($0, /category="[a-z_]*"/)
				part[substr($0, RSTART + 10, RLENGTH - 11)] += $NF; sum += $NF }
			!/^#/ && tolower($NF) ~ /nan|inf/ { exit 1 }
			END { for (name in part) print name, 100 * part[name] / slots
				print "all", 100 * sum / slots }' $file | sort >got
		# half of the "slots" of this machine are one clock, and half another
		printf '%s\n' 'all 100' 'backend_bound 0' 'bad_speculation 0' 'frontend_bound 50' 'retiring 50' >truth
		cat got
		found 1
		# the clocks run as long as the intervals are, at least, and no longer than tdstat,
		# except that the clock of day may be set
		awk -v cpus="$cpus" -v nr=$nr -v took=$took '/^tdstat_slots_total/ { n += $NF }
			END { ns = n / 2 / cpus; exit ns < 198e6 * nr || ns > 1010 * took + 10e6 }' $file
	done
}

# --- what must stay ------------------------------------------------------------------

@test "levels 1 and 2: one header for each machine, aggregation, file and descriptor" {
	for level in 1 2; do
		try report alderlake-2 -l $level -x,
		header=${lines[0]}
		for how in alderlake-2 sapphirerapids-2 icelakex-2 skylakex-2 'alderlake-2 -A' 'alderlake-2 --per-core' \
			'alderlake-2 --hybrid-merge' 'cgroups' 'alderlake-command' 'sapphirerapids-2 --per-socket --summary'; do
			try report $how -l $level -x,
			assert_equal "${lines[0]}" "$header"
		done
		report alderlake-2 -l $level -x, --log-fd 7 7>out
		read -r line <out
		assert_equal "$line" "$header"
	done
	needs_software_events
	try report alderlake -x, -l 1
	header=${lines[0]}
	for how in '' --per-thread '-I 50'; do
		"$TDSTAT" -l 1 $how -x, -o out -- sleep 0.1
		read -r line <out
		assert_equal "$line" "$header"
	done
}

@test "killed by SIGKILL in the middle: whole rows, in a file and in a pipe" {
	needs_software_events
	for how in '-x,' -j; do
		rm -f out
		"$TDSTAT" -a -A -l 1 -I 10 $how -o out 3>&- &
		wait_for has_lines out 60
		kill -KILL $!
		wait $! || true
		[ -z "$(tail -c 1 out)" ]
		if [ $how = -j ]; then
			jq -e 'type == "object"' out >rows
			[ "$(wc -l <rows)" -ge 60 ]
		else
			assert_equal "$(awk -F, '{ print NF }' out | sort -u | wc -l)" 1
		fi
	done
}

@test "a long recording is read in the memory of a short one" {
	not_under_valgrind "the memory is valgrind's"
	not_under_sanitizers "the memory is theirs"
	lengthened 20 >short.jsonl
	lengthened 4000 >long.jsonl
	[ "$(wc -c <long.jsonl)" -gt 8000000 ]
	# the least that is enough, to 1 MB
	low=2048 kb=262144
	while [ $((kb - low)) -gt 1024 ]; do
		half=$(((kb + low) / 2))
		if (ulimit -v $half && exec "$TDSTAT" report short.jsonl -x,) >got 2>/dev/null; then kb=$half; else low=$half; fi
	done
	(ulimit -v $kb && exec "$TDSTAT" report short.jsonl -x,) >got
	assert_equal "$(grep -c interval got)" 21
	(ulimit -v $((kb + 1024)) && exec "$TDSTAT" report long.jsonl -x,) >got
	assert_equal "$(grep -c interval got)" 4001
}

@test "no terminal: no colours and no line of progress, whatever TERM is" {
	needs_software_events
	for how in '-r 3' '-a -I 50 --interval-count 3' '-a --timeout 50 -l 1'; do
		command=()
		[[ $how == -a* ]] || command=(-- true)
		TERM=xterm-256color "$TDSTAT" $how "${command[@]}" >out 2>err
		run ! grep -q $'[\x1b\r]' out err
		[ -s out ] || [ -s err ]
	done
}

@test "on a terminal: colours, but not with NO_COLOR, nor on a dumb one" {
	script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no script(1)"
	for set in TERM=xterm 'TERM=xterm NO_COLOR=1' TERM=dumb; do
		script -qec "env $set '$TDSTAT' report -i '$data/alderlake.jsonl' --total" /dev/null </dev/null >screen
		has_text screen tma_backend_bound
		if has_text screen $'\e\\[[0-9;]*m'; then echo "$set: colours"; else echo "$set: none"; fi
	done >got
	assert_same 'TERM=xterm: colours
TERM=xterm NO_COLOR=1: none
TERM=dumb: none' "$(cat got)"
}

@test "versions for scripts: of rows, of a check, and of a newer recording" {
	report alderlake -j | head -n 1 | jq -e '.tdstat_rows == 1' >/dev/null
	{ "$TDSTAT" doctor -j || true; } | jq -e '.tdstat_doctor == 1' >/dev/null
	sed '1s/"tdstat":1/"tdstat":2/' "$data/alderlake.jsonl" >newer.jsonl
	try "$TDSTAT" report newer.jsonl -x,
	assert_failure 1
	assert_output ''
	assert_complains 'newer\.jsonl:1: a recording of a newer tdstat'
}
