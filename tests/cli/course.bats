#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what helper.bash sets
# Errors of metrics, from a recording that has the course of its counts.

load helper

COURSE=$data/alderlake-course.jsonl

# What the manual says of errors: of tma_retiring of cpu_core, a field of PERF_METRICS
# over the sum of the four, which was counted all the time, and of the one of
# cpu_atom, whose group took turns: python3 COURSE
errors_of_retiring() {
	python3 - "$1" <<-'EOS'
		import json, math, statistics, sys
		head, *lines = [json.loads(line) for line in open(sys.argv[1])]
		names = [event["name"] for event in head["events"]]
		counts = next(line["counts"] for line in lines if "counts" in line)
		points = [line["sums"] for line in lines if "sums" in line]
		points = [[[0, 0, 0]] * len(counts), *points]
		assert points[-1] == [c[3:6] for c in counts]
		n = len(points) - 1
		def indices(name, group):
		    return [i for i, c in enumerate(counts)
		            if names[c[0]] == name and head["events"][c[0]]["group"] == group]
		def count(name, group, batch=None):
		    """all of it, or what was counted in a batch"""
		    if batch is None:
		        return sum(counts[i][3] for i in indices(name, group))
		    return sum(points[batch + 1][i][0] - points[batch][i][0] for i in indices(name, group))

		FIELDS = [f"cpu_core/topdown-{f}/" for f in ("retiring", "bad-spec", "fe-bound", "be-bound")]
		def share(fields):
		    return 100 * fields[0] / sum(fields)
		whole = [count(f, 0) for f in FIELDS]
		batches = [share([count(f, 0, b) for f in FIELDS]) for b in range(n)]
		step = count("cpu_core/slots/", 0) / 255
		steps = sum((share([w + step * (i == k) for k, w in enumerate(whole)]) - share(whole)) ** 2
		            for i in range(4))
		same = math.exp(-4 * math.pi ** 2 * statistics.variance(batches) / steps)
		slots = [count("cpu_core/slots/", 0, b) for b in range(n)]
		alike = sum(slots) ** 2 / sum(s ** 2 for s in slots)
		print(1.96 * math.sqrt(steps / 6 * (same + (1 - same) / alike)))

		atom = "cpu_atom/topdown-retiring/", "cpu_atom/cycles/"
		def retiring(batch=None):
		    fields = [count(name, 1) - (0 if batch is None else count(name, 1, batch)) for name in atom]
		    return 100 * fields[0] / (5 * fields[1])
		i = indices(atom[0], 1)[0]
		enabled, ran = counts[i][4:6]
		parts = [(points[b + 1][i][2] - points[b][i][2]) / ran for b in range(n)]
		values = [(retiring() - retiring(b)) * (1 - p) / p for b, p in enumerate(parts)]
		threes = zip(values, values[1:], values[2:], parts[1:])
		chance = sum((p * max(v - max(u, w), min(u, w) - v, 0)) ** 2 for u, v, w, p in threes)
		changes = sum((b - a) ** 2 for a, b in zip(values, values[1:]))
		# Student's quantiles at 3 to 5 degrees, from a book; between them, lines over 1 / degrees
		T = [3.1824, 2.7764, 2.5706]
		degrees = max(n / 3, 3)
		low = math.floor(degrees)
		t = T[low - 3] + (1 - low / degrees) * (low + 1) * (T[low - 2] - T[low - 3])
		unseen = 1 - ran / enabled
		assert 0.1 < unseen < 0.9 and chance > 0
		variance = chance / 0.7786 * n / (n - 2) + changes / 6 / (ran / 8e6) ** 2
		print(t * math.sqrt(variance * unseen))
	EOS
}

# of METRIC PMU FILE: its error in the JSON that tdstat wrote
error_in() {
	jq -r "select(.metric == \"$1\" and .pmu == \"$2\") | .error" "$3"
}

@test "the error is that of the manual's words" {
	"$TDSTAT" report -j "$COURSE" >out
	{ error_in tma_retiring cpu_core out; error_in tma_retiring cpu_atom out; } >got
	errors_of_retiring "$COURSE" >want
	assert_equal "$(wc -l <want)" 2
	paste got want | awk '{ print } !($1 > 0 && $1 / $2 > 0.99 && $1 / $2 < 1.01) { bad = 1 } END { exit bad }'
}

@test "each metric of the tree has one, of both kinds of core" {
	"$TDSTAT" report -j "$COURSE" >out
	jq -es 'length == 22 and all(.[]; .error > 0 and .error < 10 and has("too_short") == false)' out
	run -0 "$TDSTAT" report "$COURSE"
	[[ $output == *'%  tma_retiring'* ]]
	[ "$(grep -c '±[0-9.]* %  tma_' <<<"$output")" -eq 22 ]
}

@test "what was counted in one batch of ten has no error" {
	python3 - "$COURSE" >rare.jsonl <<-'EOS'
		import json, sys
		head, *lines = [json.loads(line) for line in open(sys.argv[1])]
		counts = next(line["counts"] for line in lines if "counts" in line)
		points = [line["sums"] for line in lines if "sums" in line]
		# this group ran only between the third point and the fourth
		for i, count in enumerate(counts):
		    if head["events"][count[0]]["group"] != 2:
		        continue
		    value, ran = (points[3][i][at] - points[2][i][at] for at in (0, 2))
		    for nr, point in enumerate(points):
		        point[i][0], point[i][2] = (value, ran) if nr > 2 else (0, 0)
		    count[3], count[5] = value, ran
		for line in (head, *lines):
		    print(json.dumps(line, separators=(",", ":")))
	EOS
	"$TDSTAT" report -j rare.jsonl >out
	jq -es 'map(select(.metric == "tma_ifetch_bandwidth"))[0] | .value > 0 and .error == null and .too_short' out
	jq -es 'map(select(.metric == "tma_ifetch_latency"))[0] | .error > 0' out
}

# of FILE: twice the counts, with their courses, in JOINED intervals of 1 or 2
twice() {
	python3 - "$1" "$2" <<-'EOS'
		import copy, json, sys
		head, *lines = [json.loads(line) for line in open(sys.argv[1])]
		joined = sys.argv[2] == "joined"
		points = [line for line in lines if "sums" in line]
		row = next(line for line in lines if "counts" in line)
		end = lines[-1]
		later = copy.deepcopy(points)
		for point in later:
		    point["so_far"] = round(point["so_far"] + row["time"], 9)
		    for i, s in enumerate(point["sums"]):
		        if joined:
		            point["sums"][i] = [a + b for a, b in zip(s, row["counts"][i][3:6])]
		second = copy.deepcopy(row)
		second["time"] = round(2 * row["time"], 9)
		end["end"]["elapsed"] = second["time"]
		if joined:
		    second["counts"] = [c[:3] + [2 * n for n in c[3:6]] for c in row["counts"]]
		    out = [head, *points, *later, second, end]
		else:
		    head["interval_ms"] = 1578
		    out = [head, *points, row, *later, second, end]
		for line in out:
		    print(json.dumps(line, separators=(",", ":")))
	EOS
}

@test "the sum of two intervals has the errors of their batches" {
	twice "$COURSE" joined >joined.jsonl
	twice "$COURSE" apart >apart.jsonl
	"$TDSTAT" report -j --no-head --verdict joined.jsonl >want
	jq -es 'all(.[:-1][]; .error > 0) and .[-1].verdict.confidence == "clear"' want
	"$TDSTAT" report -j --verdict --summary apart.jsonl | tail -n "$(wc -l <want)" >got
	for file in want got; do
		jq -c 'del(.time, .summary, .verdict?.time)' "$file" >"$file.same"
	done
	assert_same "$(cat want.same)" "$(cat got.same)"
}

@test "a few long intervals that are counted: their sum has errors, if it is asked for" {
	needs_software_events
	"$TDSTAT" -I 1000 --summary -j -o with -- timeout 1.5 sh -c 'while :; do :; done' || true
	"$TDSTAT" -I 1000 -j -o without -- timeout 1.5 sh -c 'while :; do :; done' || true
	jq -es 'map(select(.summary)) | length == 4 and all(.error >= 0 and (has("too_short") | not))' with
	jq -es 'all(.error == null and .too_short)' without
	# the same rows: the first one ends after a second
	for file in with without; do
		jq -s 'map(select(.summary | not)) | map(.metric), (.[0].time | . >= 1 and . < 1.5)' $file >$file.rows
	done
	assert_same "$(cat without.rows)" "$(cat with.rows)"
	assert_equal "$(tail -n 1 with.rows)" true
}

@test "CSV: columns of errors, if asked for" {
	"$TDSTAT" report -x, --error "$COURSE" >out
	assert_equal "$(head -n 1 out | cut -d, -f 8-13)" \
		tma_retiring,tma_retiring_error,tma_retiring_low,tma_retiring_high,tma_light_operations,tma_light_operations_error
	"$TDSTAT" report -j "$COURSE" >json
	awk -F, -v want="$(error_in tma_retiring cpu_core json)" '$3 == "cpu_core" {
		print $9, want; exit !($9 - want < 0.0051 && want - $9 < 0.0051) }' out
	"$TDSTAT" report -x, "$COURSE" >out
	run ! grep error out
}

@test "fewer than eight batches: no error of what took turns, and JSON says why" {
	grep -v so_far "$COURSE" >short
	grep so_far "$COURSE" | head -n 6 >some
	sed -i '1r some' short
	"$TDSTAT" report -j short >out
	jq -es 'map(select(.pmu == "cpu_atom")) | length > 9 and all(.[]; .error == null and .too_short)' out
	jq -es 'map(select(.pmu == "cpu_core")) | length > 9 and all(.[]; .error > 0 and .error < 0.5)' out
	run -0 "$TDSTAT" report short
	assert_equal "$(grep -c '±' <<<"$output")" 14
}

@test "the intervals of a recording are the batches of its sum" {
	python3 - "$COURSE" >rows <<-'EOS'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		lines[0]["interval_ms"] = 100
		print(json.dumps(lines[0]))
		counts = next(line["counts"] for line in lines if "counts" in line)
		before = [[0, 0, 0]] * len(counts)
		for line in lines:
		    if "sums" not in line:
		        continue
		    delta = [c[:3] + [s[i] - b[i] for i in range(3)] for c, s, b in zip(counts, line["sums"], before)]
		    print(json.dumps({"time": line["so_far"], "counts": delta}))
		    before = line["sums"]
		    lines[-1]["end"]["elapsed"] = line["so_far"]
		print(json.dumps(lines[-1]))
	EOS
	"$TDSTAT" report -j --summary rows | jq -c 'select(.summary) | [.pmu, .metric, .error]' >seen
	"$TDSTAT" report -j "$COURSE" | jq -c '[.pmu, .metric, .error]' >want
	diff -u want seen
	"$TDSTAT" report -j rows | jq -es 'all(.[]; .error == null and .too_short)'
}

# Ten reads of 64 CPUs that do the same: 23.72 % of 255 steps is 60.5, which each of
# them tells as 60.
@test "CPUs that are alike are rounded alike: many of them know no better" {
	python3 - <<-'EOS'
		import json
		STEPS, CPUS, SLOTS = (60, 13, 28, 154), 64, 255 * 10**7
		names = ["slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"]
		for nr in 1, CPUS:
		    head = {"tdstat": 1, "cpuid": "GenuineIntel-6-6A-6", "smt": False, "interval_ms": 0, "level": 1,
		            "target": "system wide", "pmus": [{"name": "cpu", "type": 4, "cpus": f"0-{nr - 1}"}],
		            "topology": [{"cpu": i, "core": i, "cluster": 0, "die": 0, "socket": 0, "node": 0} for i in range(nr)],
		            "events": [{"name": f"cpu/{n}/", "pmu": "cpu", "group": 0} for n in names]}
		    def sums(reads):
		        return [[e, i, -1, reads * SLOTS * s // 255, reads * 10**8, reads * 10**8]
		                for e, s in enumerate((255, *STEPS)) for i in range(nr)]
		    with open(f"of{nr}", "w") as out:
		        print(json.dumps(head), file=out)
		        for i in range(1, 11):
		            print(json.dumps({"so_far": i / 10, "sums": [s[3:] for s in sums(i)]}), file=out)
		        print(json.dumps({"time": 1.0, "counts": sums(10)}), file=out)
		        print(json.dumps({"end": {"elapsed": 1.0, "user": 1, "sys": 0, "exit": 0}}), file=out)
	EOS
	for nr in 1 64; do
		"$TDSTAT" report -j of$nr >out
		jq -es 'map(select(.metric == "tma_retiring")) | length == 1 and
			(.[0] | .value > 23.52 and .value < 23.54 and .error > 23.72 - .value and .error < 0.4)' out ||
			fail "$nr CPUs: $(cat out)"
	done
}

@test "-A: errors of each CPU" {
	"$TDSTAT" report -A -j "$COURSE" >out
	jq -es '[.[] | .id] | unique == ["CPU0", "CPU1", "CPU4"]' out
	jq -es 'all(.[]; .error > 0)' out
}

@test "--error: between what a value was, batch by batch; a value that changed has no larger error" {
	"$TDSTAT" report -j --error "$COURSE" >out
	jq -es 'length == 22 and all(.[]; .low <= .value and .value <= .high)' out
	jq -es 'any(.[]; .high - .low > 10 * .error)' out
	"$TDSTAT" report -j "$COURSE" | jq -es 'all(.[]; has("low") or has("high") | not)'
}

# The P-cores as they would be in a program of two phases: MEMORY of 20 tenths of a
# second lose 60 % of their slots to memory, the rest 60 % to mispredicts.
two_phases() {
	python3 - "$COURSE" "$1" <<-'EOS'
		import json, sys
		head, *lines = [json.loads(line) for line in open(sys.argv[1])]
		memory = int(sys.argv[2])
		counts = next(line["counts"] for line in lines if "counts" in line)
		end = lines[-1]
		names = [event["name"].split("/")[1] for event in head["events"]]
		SLOTS = 6 * 3_000_000_000 // 10
		FIELDS = ["slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
		          "topdown-heavy-ops", "topdown-mem-bound", "topdown-fetch-lat", "topdown-br-mispredict"]
		PHASES = [255, 51, 10, 20, 174, 5, 153, 10, 8], [255, 51, 160, 20, 24, 5, 10, 10, 153]
		core = [c[0] < 10 for c in counts]
		sums = [[0, 0, 0] for _ in counts]
		out = []
		for batch in range(20):
		    phase = PHASES[batch >= memory]
		    for count, total, is_core in zip(counts, sums, core):
		        if is_core:
		            name = names[count[0]]
		            total[0] += SLOTS * phase[FIELDS.index(name)] // 255 if name in FIELDS else 0
		        total[1] += 100_000_000
		        total[2] += 100_000_000 if is_core else 0
		    out.append({"so_far": (batch + 1) / 10, "sums": [list(t) for t in sums]})
		end["end"]["elapsed"] = 2.0
		row = {"time": 2.0, "counts": [c[:3] + t for c, t in zip(counts, sums)]}
		for line in (head, *out, row, end):
		    print(json.dumps(line, separators=(",", ":")))
	EOS
}

@test "a program of two phases has its verdict, of the sum, and the phases are told" {
	two_phases 16 >phases
	run -0 --separate-stderr "$TDSTAT" report --verdict phases
	# 16 x 153 and 4 x 10 of 20 x 255
	assert_line --regexp '^ Most lost slots: tma_memory_bound \(backend > memory\), 48\.8 ±0\.[0-5] % of the slots of cpu_core$'
	assert_line ' Not steady: 80 % of the time tma_memory_bound, then tma_branch_mispredicts'
	assert_line --regexp '^ +48\.8 ±0\.[0-5] %  tma_memory_bound +<--  \(4 to 60 %\)$'
	assert_line --regexp '^ Where: '
	"$TDSTAT" report -j --verdict phases | jq -ec 'select(.verdict) | .verdict |
		.confidence == "clear" and .steady == false and .mostly == "tma_memory_bound" and
		.mostly_time == 80 and .then == "tma_branch_mispredicts"'
	# nine tenths of the time are steady enough, but what it was between is shown
	two_phases 18 >phases
	run -0 --separate-stderr "$TDSTAT" report phases
	refute_output --partial 'Not steady'
	assert_line --regexp 'tma_memory_bound +<--  \(4 to 60 %\)$'
	two_phases 20 >phases
	run -0 --separate-stderr "$TDSTAT" report phases
	refute_output --partial 'Not steady'
	refute_output --regexp '[0-9] to [0-9]'
}

@test "slots of different parents are compared, shares of different things are not, and this is said" {
	run -0 "$TDSTAT" report --total -M tma_memory_bound,tma_fetch_latency "$COURSE"
	assert_line --regexp '^ Most lost slots: tma_memory_bound, 30\.8 ±0\.[0-9] % of the slots$'
	assert_line --regexp '^ Next to it: tma_fetch_latency, 12\.0 ±0\.[0-9] %$'
	run -0 "$TDSTAT" report --total -M tma_memory_bound,tma_divider "$COURSE"
	[[ $output == *'Which node matters cannot be said: these nodes are parts of different things, such as slots and cycles'* ]]
}
