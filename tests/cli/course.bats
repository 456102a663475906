#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what helper.bash sets
# Errors of metrics, from a recording that has the course of its counts.

load helper

COURSE=$data/alderlake-course.jsonl

# What the manual says of errors, for tma_retiring of cpu_core, which is a field of
# PERF_METRICS over the sum of the four: python3 COURSE
error_of_retiring() {
	python3 - "$1" <<-'EOS'
		import json, math, sys
		head, *lines = [json.loads(line) for line in open(sys.argv[1])]
		names = [event["name"] for event in head["events"]]
		counts = next(line["counts"] for line in lines if "counts" in line)
		def event(index):
		    return names[counts[index][0]]
		FIELDS = [f"cpu_core/topdown-{f}/" for f in ("retiring", "bad-spec", "fe-bound", "be-bound")]
		def sums(values):
		    return {f: sum(v for i, v in enumerate(values) if event(i) == f) for f in FIELDS}
		def retiring(fields):
		    return 100 * fields[FIELDS[0]] / sum(fields.values())
		whole = sums([c[3] for c in counts])
		points = [sums([s[0] for s in line["sums"]]) for line in lines if "sums" in line]
		points = [dict.fromkeys(FIELDS, 0), *points]
		batches = [{f: b[f] - a[f] for f in FIELDS} for a, b in zip(points, points[1:])]
		assert all(sum(b[f] for b in batches) == whole[f] for f in FIELDS)
		n = len(batches)
		without = [retiring({f: whole[f] - b[f] for f in FIELDS}) for b in batches]
		mean = sum(without) / n
		squares = [(w - mean) ** 2 for w in without]
		r = sum((a - mean) * (b - mean) for a, b in zip(without, without[1:])) / sum(squares)
		r = min(max(r + (1 + 3 * r) / n, 0), 0.9)
		longer = (1 + r) / (1 - r)
		# PERF_METRICS: a step of 1/255 of the slots of each of two CPUs
		slots = sum(c[3] for i, c in enumerate(counts) if event(i) == "cpu_core/slots/")
		step = slots / 255 / math.sqrt(2)
		steps = sum((retiring({**whole, f: whole[f] + step}) - retiring(whole)) ** 2 for f in FIELDS)
		rounding = steps / 12 * math.exp(-4 * math.pi**2 * (n - 1) * sum(squares) / steps)
		degrees = n / longer - 1
		# Student's quantiles at 3 to 12 degrees, from a book; between them, lines
		t = {3: 3.1824, 4: 2.7764, 5: 2.5706, 6: 2.4469, 7: 2.3646, 8: 2.3060, 9: 2.2622,
		     10: 2.2281, 11: 2.2010, 12: 2.1788}
		low = max(3, math.floor(degrees))
		t = t[low] + (max(degrees, 3) - low) * (t[low + 1] - t[low])
		variance = (n - 1) / n * sum(squares) * longer
		print(math.sqrt(t**2 * variance + 1.96**2 * rounding))
	EOS
}

# of METRIC PMU FILE: its error in the JSON that tdstat wrote
error_in() {
	jq -r "select(.metric == \"$1\" and .pmu == \"$2\") | .error" "$3"
}

@test "the error is that of the manual's words" {
	"$TDSTAT" report -j "$COURSE" >out
	want=$(error_of_retiring "$COURSE")
	got=$(error_in tma_retiring cpu_core out)
	awk -v a="$got" -v b="$want" 'BEGIN { print a, b; exit !(a > 0 && a / b > 0.99 && a / b < 1.01) }'
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
	"$TDSTAT" report -j --verdict joined.jsonl >want
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
	assert_equal "$(head -n 1 out | cut -d, -f 7-10)" tma_retiring,tma_retiring_error,tma_light_operations,tma_light_operations_error
	"$TDSTAT" report -j "$COURSE" >json
	awk -F, -v want="$(error_in tma_retiring cpu_core json)" '$3 == "cpu_core" {
		print $8, want; exit !($8 - want < 0.0051 && want - $8 < 0.0051) }' out
	"$TDSTAT" report -x, "$COURSE" >out
	run ! grep error out
}

@test "fewer than eight batches: no error, and JSON says why" {
	grep -v so_far "$COURSE" >short
	grep so_far "$COURSE" | head -n 6 >some
	sed -i '1r some' short
	"$TDSTAT" report -j short >out
	jq -es 'all(.[]; .error == null and .too_short)' out
	run -0 "$TDSTAT" report short
	run ! grep '±' <<<"$output"
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
		print(json.dumps(lines[-1]))
	EOS
	"$TDSTAT" report -j --summary rows | jq -c 'select(.summary) | [.pmu, .metric, .error]' >seen
	"$TDSTAT" report -j "$COURSE" | jq -c '[.pmu, .metric, .error]' >want
	diff -u want seen
	"$TDSTAT" report -j rows | jq -es 'all(.[]; .error == null and .too_short)'
}

@test "-A: errors of each CPU" {
	"$TDSTAT" report -A -j "$COURSE" >out
	jq -es '[.[] | .id] | unique == ["CPU0", "CPU1", "CPU4"]' out
	jq -es 'all(.[]; .error > 0)' out
}

@test "nodes of different parents are not compared, and this is said" {
	run -0 "$TDSTAT" report -M tma_memory_bound,tma_fetch_latency "$COURSE"
	[[ $output == *'Which node matters cannot be said: these nodes cannot be compared'* ]]
}
