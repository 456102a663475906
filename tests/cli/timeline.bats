#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what helper.bash sets
# Errors of metrics, from a recording with the timelines of its rows.

load helper

TIMELINE=$data/alderlake-timeline.jsonl

# Compute the errors as the manual describes: of tma_retiring of cpu_core, a field of
# PERF_METRICS divided by the sum of the four, which was counted all the time, and of that
# of cpu_atom, whose group was multiplexed: python3 TIMELINE
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

# nr_lines REGEX: how many lines of $output have it, in $nr
nr_lines() {
	local line

	nr=0
	for line in "${lines[@]}"; do
		[[ ! $line =~ $1 ]] || nr=$((nr + 1))
	done
}

# The output of tdstat for all tests.
setup_file() {
	"$TDSTAT" report -j --no-head "$data/alderlake-timeline.jsonl" >"$BATS_FILE_TMPDIR/json"
}

@test "the error is that of the manual's words" {
	errors_of_retiring "$TIMELINE" >want
	mapfile -t want <want
	jq -es --argjson core "${want[0]}" --argjson atom "${want[1]}" '
		(map(select(.metric == "tma_retiring") | {(.pmu): .error}) | add) as $got |
		def near($want): . > 0 and . / $want > 0.99 and . / $want < 1.01;
		[$got, $core, $atom], ($got.cpu_core | near($core)) and ($got.cpu_atom | near($atom))' "$BATS_FILE_TMPDIR/json"
}

@test "each metric of the tree has an error, on both core types" {
	jq -es 'length == 22 and all(.[]; .error > 0 and .error < 10 and has("too_short") == false)' "$BATS_FILE_TMPDIR/json"
	try "$TDSTAT" report "$TIMELINE"
	assert_success
	[[ $output == *'%  tma_retiring'* ]]
	nr_lines '±[0-9.]* %  tma_'
	assert_equal "$nr" 22
}

@test "a node that was measured in one of ten batches has no error" {
	python3 - "$TIMELINE" >rare.jsonl <<-'EOS'
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
	jq -es '(map(select(.metric == "tma_ifetch_bandwidth"))[0] | .value > 0 and .error == null and .too_short) and
		(map(select(.metric == "tma_ifetch_latency"))[0] | .error > 0)' out
}

# twice FILE: twice the counts, with their timelines, in JOINED intervals of 1 or 2
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
	twice "$TIMELINE" joined >joined.jsonl
	twice "$TIMELINE" apart >apart.jsonl
	"$TDSTAT" report -j --no-head --verdict joined.jsonl >want
	"$TDSTAT" report -j --verdict --summary apart.jsonl >got
	jq -en --slurpfile want want --slurpfile got got '
		def same: map(del(.time, .summary, .verdict?.time));
		($want | all(.[:-1][]; .error > 0) and .[-1].verdict.confidence == "clear") and
		($want | same) == ($got[-($want | length):] | same)'
}

@test "a few long intervals that are counted: their sum has errors, if it is asked for" {
	needs_software_events
	# works until there are a head and four rows of each of three intervals
	cat >work.py <<-'PYTHON'
		import sys
		while open(sys.argv[1]).read().count("\n") < 13: pass
	PYTHON
	"$TDSTAT" -I 1000 --summary -j -o with -- python3 -S work.py with
	"$TDSTAT" -I 1000 -j -o without -- python3 -S work.py without
	jq -en --slurpfile with with --slurpfile without without '
		def rows: map(select(has("tdstat_rows") | not));
		def first: map(select(.summary | not)) | .[0].time as $time | map(select(.time == $time));
		($with | rows | map(select(.summary)) | length == 4 and all(.error >= 0 and (has("too_short") | not))) and
		($without | rows | map(select(.value != null)) | all(.error == null and .too_short)) and
		# the same rows, from the first interval on
		($with | rows | first | map(.metric)) == ($without | rows | first | map(.metric)) and
		([$with, $without | rows[0].time] | all(. >= 1))'
}

@test "CSV: columns of errors, if asked for" {
	"$TDSTAT" report -x, --error "$TIMELINE" >out
	python3 -S - "$BATS_FILE_TMPDIR/json" <<-'PYTHON'
		import json, sys
		header, *lines = (line.rstrip("\n").split(",") for line in open("out"))
		assert header[7:13] == ["tma_retiring", "tma_retiring_error", "tma_retiring_low", "tma_retiring_high",
		                        "tma_light_operations", "tma_light_operations_error"], header
		rows = [json.loads(line) for line in open(sys.argv[1])]
		want, = [row["error"] for row in rows if (row["metric"], row["pmu"]) == ("tma_retiring", "cpu_core")]
		got, = [float(line[8]) for line in lines if line[2] == "cpu_core"]
		assert abs(got - want) < 0.0051, (got, want)
	PYTHON
	try "$TDSTAT" report -x, "$TIMELINE"
	assert_success
	[[ $output != *error* ]] || fail "columns of errors"
}

@test "fewer than eight batches: multiplexed nodes have no error, and JSON gives the reason" {
	grep -v so_far "$TIMELINE" >short
	grep so_far "$TIMELINE" | head -n 6 >some
	sed -i '1r some' short
	"$TDSTAT" report -j short >out
	jq -es '(map(select(.pmu == "cpu_atom")) | length > 9 and all(.[]; .error == null and .too_short)) and
		(map(select(.pmu == "cpu_core")) | length > 9 and all(.[]; .error > 0 and .error < 0.5))' out
	try "$TDSTAT" report short
	assert_success
	nr_lines '±'
	assert_equal "$nr" 14
}

@test "the intervals of a recording are the batches of its sum" {
	python3 - "$TIMELINE" >rows <<-'EOS'
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
	"$TDSTAT" report -j --summary rows >summary
	"$TDSTAT" report -j rows >apart
	jq -en --slurpfile whole "$BATS_FILE_TMPDIR/json" --slurpfile summary summary --slurpfile apart apart '
		def errors: map([.pmu, .metric, .error]);
		($summary | map(select(.summary)) | errors) == ($whole | errors) and
		($apart[1:] | all(.[]; .error == null and .too_short))'
}

# Ten reads of 64 CPUs that do the same: 23.72 % of 255 steps is 60.5, which each of them
# reports as 60.
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
	"$TDSTAT" report -A -j "$TIMELINE" >out
	jq -es '([.[] | .id] | unique == ["CPU0", "CPU1", "CPU4"]) and all(.[]; .error > 0)' out
}

@test "--error: low and high enclose the values of the batches; variation does not increase the error" {
	"$TDSTAT" report -j --error "$TIMELINE" >out
	jq -es 'length == 22 and all(.[]; .low <= .value and .value <= .high) and any(.[]; .high - .low > 10 * .error)' out
	jq -es 'all(.[]; has("low") or has("high") | not)' "$BATS_FILE_TMPDIR/json"
}

# The P-cores as they would be in a program of two phases: MEMORY of 20 tenths of a
# second lose 60 % of their slots to memory, the rest 60 % to mispredicts.
two_phases() {
	python3 - "$TIMELINE" "$1" <<-'EOS'
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

@test "a program of two phases: its verdict is of the sum, and names the phases" {
	two_phases 16 >phases
	try "$TDSTAT" report --verdict phases
	assert_success
	# 16 x 153 and 4 x 10 of 20 x 255
	assert_line --regexp '^ Biggest loss: tma_memory_bound \(backend > memory\), 48\.8 ±0\.[0-5] % of the slots of cpu_core$'
	assert_line ' Phases: mostly tma_memory_bound (80 % of the time); second: tma_branch_mispredicts'
	assert_line --regexp '^ +48\.8 ±0\.[0-5] %  tma_memory_bound +<--  \(4 to 60 %\)$'
	assert_line --regexp '^ Where: '
	"$TDSTAT" report -j --verdict phases | jq -ec 'select(.verdict) | .verdict |
		.confidence == "clear" and .steady == false and .mostly == "tma_memory_bound" and
		.mostly_time == 80 and .then == "tma_branch_mispredicts"'
	# nine tenths of the time are steady enough, but what it was between is shown
	two_phases 18 >phases
	try "$TDSTAT" report phases
	assert_success
	refute_output --partial 'Phases:'
	assert_line --regexp 'tma_memory_bound +<--  \(4 to 60 %\)$'
	two_phases 20 >phases
	try "$TDSTAT" report phases
	assert_success
	refute_output --partial 'Phases:'
	refute_output --regexp '[0-9] to [0-9]'
}

@test "slots of different parents are compared; shares of different things are not, with a message" {
	try "$TDSTAT" report --total -M tma_memory_bound,tma_fetch_latency "$TIMELINE"
	assert_success
	assert_line --regexp '^ Biggest loss: tma_memory_bound, 30\.8 ±0\.[0-9] % of the slots$'
	assert_line --regexp '^ Runner-up: tma_fetch_latency, 12\.0 ±0\.[0-9] %$'
	try "$TDSTAT" report --total -M tma_memory_bound,tma_divider "$TIMELINE"
	assert_success
	[[ $output == *'Cannot rank these nodes: they are shares of different things, such as slots and cycles'* ]]
}

# intervals FILE FIRST END START: of its batches these, each an interval
intervals() {
	python3 - "$@" <<-'EOS'
		import json, sys
		head, *lines = [json.loads(line) for line in open(sys.argv[1])]
		first, end = map(int, sys.argv[2:4])
		counts = next(line["counts"] for line in lines if "counts" in line)
		points = [[[0, 0, 0]] * len(counts), *(line["sums"] for line in lines if "sums" in line)]
		rows = [{"time": (i + 1 - first) / 10, "counts": [c[:3] + [b - a for a, b in zip(*sums)]
		         for c, *sums in zip(counts, points[i], points[i + 1])]} for i in range(first, end)]
		for line in (head | {"interval_ms": 100, "start": float(sys.argv[4])}, *rows,
		             {"end": {"elapsed": (end - first) / 10}}):
		    print(json.dumps(line, separators=(",", ":")))
	EOS
}

@test "the gap between two files is in no phase" {
	two_phases 8 >phases
	intervals phases 0 10 1700000000 >first.jsonl
	intervals phases 10 20 1700003600 >then.jsonl
	try "$TDSTAT" report --summary --verdict first.jsonl then.jsonl
	assert_success
	assert_line ' Phases: mostly tma_branch_mispredicts (60 % of the time); second: tma_memory_bound'
}

@test "report --from and --to: the verdict and the phases are those of the part" {
	two_phases 8 >phases
	intervals phases 0 20 1700000000 >all.jsonl
	try "$TDSTAT" report --summary --verdict all.jsonl --to 800ms
	assert_line --regexp '^ Biggest loss: tma_memory_bound .*, 60\.0 ±0\.[0-5] % of the slots of cpu_core$'
	refute_output --partial 'Phases:'
	try "$TDSTAT" report --summary --verdict all.jsonl --from 800ms
	assert_line --regexp '^ Biggest loss: tma_branch_mispredicts .*, 60\.0 ±0\.[0-5] % of the slots of cpu_core$'
	refute_output --partial 'Phases:'
	# 6 intervals of 10, and 4
	try "$TDSTAT" report --summary --verdict all.jsonl --from 200ms --to 1.2s
	assert_line ' Phases: mostly tma_memory_bound (60 % of the time); second: tma_branch_mispredicts'
}

# turns STEP...: a recording of four groups that take turns; in each read, the groups
# count STEP times as many instructions, of which the next read has the next
turns() {
	python3 - "$data/skylakex-2.jsonl" "$@" <<-'EOS'
		import json, sys
		head = json.loads(open(sys.argv[1]).readline())
		head.update(smt=False, tasks=True, interval_ms=0, level=2, target="true")
		events = head["events"]
		for event in events[15:]:
		    event["clone"] = True
		instructions = next(event for event in events if "INST_RETIRED.ANY" in event["name"])
		events += [dict(instructions, group=group) for group in (0, 2, 3, 4)]
		print(json.dumps(head))
		order = sorted(range(len(events)), key=lambda i: events[i]["group"])
		sums, steps = [[0, 0, 0] for i in order], [float(step) for step in sys.argv[2:]]
		for read in range(40):
		    for i, total in zip(order, sums):
		        ran, name = 25_000_000, events[i]["name"]
		        rate = 2 if "total-slots" in name else 1 if "slots-" in name else 0.1
		        if "INST_RETIRED" in name:
		            rate = 1 + (steps[read % len(steps)] - 1) * (1 if events[i]["group"] % 2 else -1)
		        for k, more in enumerate((int(ran * rate), 4 * ran, ran)):
		            total[k] += more
		    print(json.dumps({"so_far": (read + 1) / 10, "sums": sums}))
		print(json.dumps({"time": 4, "counts": [[i, -1, 1, *total] for i, total in zip(order, sums)]}))
		print(json.dumps({"end": {"elapsed": 4}}))
	EOS
}

@test "groups in step with the program: no error, and one note" {
	local note="multiplexed groups counted different parts of the program"

	turns 1.1 >in_step
	run --separate-stderr "$TDSTAT" report in_step --all
	[ "$status" -eq 0 ]
	[ "$(grep -c "$note" <<<"$stderr")" -eq 1 ]
	[[ $output != *±* ]]
	# without a common direction, the difference is noise
	turns 1.1 0.9 >random
	run --separate-stderr "$TDSTAT" report random --all
	[ "$status" -eq 0 ]
	[[ $stderr != *"$note"* && $output == *±* ]]
}
