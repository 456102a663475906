#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Aggregation of recordings made by hand: which CPUs are summed, the ids and
# their order, and that metrics are computed from summed counts.

# shellcheck disable=SC2086,SC2154 # lists of options; helper.bash
load helper

# Two sockets, two dies in the first, hyper-threads, offline CPUs and one with a high
# number.  A CPU's count is a power of ten, so a sum shows which CPUs it contains.
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	python3 - "$BATS_TEST_DIRNAME/../data" <<-'PYTHON'
		import json, sys

		keys = "cpu core cluster die socket node caches".split()
		server = [dict(zip(keys, row)) for row in [
		    (0, 0, 0, 0, 0, 0, [0, 0, 0]),
		    (1, 1, 0, 0, 0, 0, [1, 0, 0]),
		    (2, 4, 4, 1, 0, 1, [2, 2, 2]),
		    (5, 0, 0, 0, 1, 2, [5, 5, 5]),
		    (6, 9, 9, 0, 1, 2, [6, 6, 5]),
		    (10, 0, 0, 0, 0, 0, [0, 0, 0]),
		    (12, 4, 4, 1, 0, 1, [2, 2, 2]),
		    (1500, 9, 9, 0, 1, 2, [6, 6, 5]),
		]]
		cpus = [row["cpu"] for row in server]
		online = "0-2,5-6,10,12,1500"

		def write(name, head, *lines):
		    with open(name, "w") as out:
		        for line in (head, *lines, {"end": {"elapsed": 1.0}}):
		            print(json.dumps(line), file=out)

		def head(topology, **more):
		    return {"tdstat": 1, "cpuid": "GenuineIntel-6-8F-8", "smt": True,
		            "interval_ms": 0, "target": "system wide",
		            "pmus": [{"name": "software", "type": 1, "cpus": online, "core": False}],
		            "topology": topology, "table": "events",
		            "events": [{"name": name, "pmu": "software", "group": -1, "type": 1,
		                        "config": config, "spec": spec} for spec, (name, config)
		                       in enumerate([("page-faults", 2), ("context-switches", 3)])],
		            **more}

		faults = [[0, cpu, -1, 10 ** i, 5, 5] for i, cpu in enumerate(cpus)]
		switches = [[1, cpu, -1, 2 * 10 ** i, 5, 5] for i, cpu in enumerate(cpus)]
		counts = {"time": 1.0, "counts": faults + switches}
		write("server", head(server), counts)
		write("by-core", head(server, aggregation="core"), counts)
		write("two", head(server, interval_ms=1000), counts, {"time": 2.0, "counts": faults})
		# CPUs of the second socket, and others, that come online in the second interval
		early = [row for row in server if row["cpu"] in (0, 5, 10)]
		write("came", head(early, interval_ms=1000),
		      {"time": 1.0, "counts": [row for row in faults if row[1] in (0, 5, 10)]},
		      {"topology": server}, {"time": 2.0, "counts": faults})
		write("old", head([{k: v for k, v in row.items() if k != "caches"}
		                   for row in server]), counts)
		write("nowhere", head([]), counts)
		write("unknown", head([{**row, "cluster": -1, "die": -1} for row in server]), counts)
		# half the time of CPU 10 another group was counted, CPU 1 never was
		write("turns", head(server), {"time": 1.0, "counts": [
		    [0, 0, -1, 7, 8, 8], [0, 10, -1, 5, 8, 4], [0, 1, -1, 0, 8, 0], [0, 2, -1, 0, 8, 8]]})
		write("cgroups", head(server, cgroups=["web", "a/b"]), {"time": 1.0, "counts": [
		    row + [group] for group in (0, 1) for row in
		    ([0, cpu, -1, (group + 1) * 10 ** i, 5, 5] for i, cpu in enumerate(cpus))]})
		write("tasks", head(server, tasks=True), {"threads": {"7": "a", "8": "b"}},
		      {"time": 1.0, "counts": [[0, -1, 7, 1, 5, 5], [0, -1, 8, 10, 5, 5]]})

		# the tree of one PMU: slots, retiring, bad, frontend, backend
		tree = {**head(server), "pmus": [{"name": "cpu", "type": 4, "cpus": online}],
		        "events": [{"name": f"cpu/{name}/", "pmu": "cpu", "group": 0} for name in
		                   ("slots", "topdown-retiring", "topdown-bad-spec",
		                    "topdown-fe-bound", "topdown-be-bound")]}
		del tree["table"]
		shares = {0: (1000, 900, 0, 0, 100), 10: (9000, 0, 0, 0, 9000),
		          1: (500, 100, 100, 100, 200), 2: (10, 0, 10, 0, 0), 12: (30, 0, 0, 30, 0),
		          5: (1000, 1000, 0, 0, 0), 6: (2000, 0, 2000, 0, 0), 1500: (1000, 1000, 0, 0, 0)}
		write("tree", tree, {"time": 1.0, "counts": [
		    [event, cpu, -1, value, 5, 5] for cpu, row in sorted(shares.items())
		    for event, value in enumerate(row)]})

		# Alder Lake: two P-cores, and four E-cores that share a cluster
		with open(sys.argv[1] + "/alderlake.jsonl") as recording:
		    alder = json.loads(recording.readline())
		names = [event["name"] for event in alder["events"]]
		alder["interval_ms"] = 0
		alder["topology"] = [dict(zip(keys, row)) for row in [
		    (0, 0, 0, 0, 0, 0, [0, 0, 0]), (1, 4, 4, 0, 0, 0, [1, 1, 0]),
		    (2, 8, 8, 0, 0, 0, [2, 2, 0]), (3, 12, 12, 0, 0, 0, [3, 3, 0]),
		    (4, 16, 16, 0, 0, 0, [4, 4, 0]), (5, 17, 16, 0, 0, 0, [5, 4, 0]),
		    (6, 18, 16, 0, 0, 0, [6, 4, 0]), (7, 19, 16, 0, 0, 0, [7, 4, 0])]]
		counts = []
		for cpu in range(8):
		    pmu, lead = ("cpu_core", "slots") if cpu < 4 else ("cpu_atom", "cycles")
		    # retiring: 1/2 of 600 slots, or cpu - 3 cycles' worth of 10 a CPU
		    values = {lead: 600 if cpu < 4 else 200, "topdown-retiring": 300 if cpu < 4 else (cpu - 3) * 100,
		              "topdown-be-bound": 300 if cpu < 4 else 500, "topdown-fe-bound": 0}
		    if cpu < 4:
		        values["topdown-bad-spec"] = values["INT_MISC.UOP_DROPPING"] = 0
		    for name, value in values.items():
		        counts.append([names.index(f"{pmu}/{name}/"), cpu, -1, value, 5, 5])
		write("hybrid", alder, {"time": 1.0, "counts": counts})
	PYTHON
}

report() {
	"$TDSTAT" report "$BATS_FILE_TMPDIR/$1" "${@:2}"
}

# is RECORDING OPTION...: its CSV as "ID NR VALUE" of page-faults, as on standard input
is() {
	report "$@" -x, | awk -F, '/page-faults/ { print $1, $2, $3 }' >got
	assert_same "$(cat)" "$(cat got)"
}

# --- ids ------------------------------------------------------------------------

@test "--per-core: a core is one of its die and socket; hyper-threads are one" {
	is server --per-core <<-'EOS'
		S0-D0-C0 2 100001
		S0-D0-C1 1 10
		S0-D1-C4 2 1000100
		S1-D0-C0 1 1000
		S1-D0-C9 2 10010000
	EOS
}

@test "CPUs that come online: rows of their own, as if they had been there" {
	for how in --per-core --per-cluster --per-cache=L2 --per-cache=L3 --per-die --per-socket --per-node; do
		report server "$how" -x, | awk -F, '/page-faults/ { print $1, $2, $3 }' >want
		report came "$how" -x, | awk -F, '/^2.*page-faults/ { print $2, $3, $4 }' >got
		diff want got || fail "$how"
	done
	# and the sum of both intervals knows them, too
	report came --per-core --summary -x, | grep -c 'S1-D0-C9,2,10010000,' | grep -qx 2
}

@test "--per-cluster" {
	is server --per-cluster <<-'EOS'
		S0-D0-CLS0 3 100011
		S0-D1-CLS4 2 1000100
		S1-D0-CLS0 1 1000
		S1-D0-CLS9 2 10010000
	EOS
}

@test "--per-cache: the last level; =LEVEL in perf's spellings; one that is not there" {
	for option in --per-cache --per-cache=L3 --per-cache=l3; do
		is server $option <<-'EOS'
			S0-D0-L3-ID0 3 100011
			S0-D1-L3-ID2 2 1000100
			S1-D0-L3-ID5 3 10011000
		EOS
	done
	is server --per-cache=L2 <<-'EOS'
		S0-D0-L2-ID0 3 100011
		S0-D1-L2-ID2 2 1000100
		S1-D0-L2-ID5 1 1000
		S1-D0-L2-ID6 2 10010000
	EOS
	is server --per-cache=L1 <<-'EOS'
		S0-D0-L1-ID0 2 100001
		S0-D0-L1-ID1 1 10
		S0-D1-L1-ID2 2 1000100
		S1-D0-L1-ID5 1 1000
		S1-D0-L1-ID6 2 10010000
	EOS
	try report server --per-cache=L4
	assert_failure 1
	assert_complains cache
	for level in 0 5 L0 L5 L L2x x; do
		try report server --per-cache=$level
		[ "$status" = 64 ] || fail "$level: status $status"
		assert_complains per-cache
	done
}

@test "--per-die, --per-socket, --per-node" {
	is server --per-die <<-'EOS'
		S0-D0 3 100011
		S0-D1 2 1000100
		S1-D0 3 10011000
	EOS
	is server --per-socket <<-'EOS'
		S0 5 1100111
		S1 3 10011000
	EOS
	is server --per-node <<-'EOS'
		N0 3 100011
		N1 2 1000100
		N2 3 10011000
	EOS
}

@test "-A: rows have no number of counters, are sorted by number, and leave out offline CPUs" {
	for option in -A --no-aggr --no-merge; do
		is server $option <<-'EOS'
			CPU0 1 
			CPU1 10 
			CPU2 100 
			CPU5 1000 
			CPU6 10000 
			CPU10 100000 
			CPU12 1000000 
			CPU1500 10000000 
		EOS
	done
}

@test "each aggregation's sum is the total of all, in both events" {
	report server -x, >all
	assert_equal "$(cut -d, -f1,3 all | xargs)" '11111111,page-faults 22222222,context-switches'
	for option in --per-core --per-cluster --per-cache --per-die --per-socket --per-node; do
		report server $option -x, | awk -F, '{ sum[$5] += $3; nr[$5] += $2 }
			END { print sum["page-faults"], sum["context-switches"], nr["page-faults"] }' >sum
		assert_equal "$option $(cat sum)" "$option 11111111 22222222 8"
	done
	report server -A -x, | awk -F, '{ sum[$4] += $2 }
		END { print sum["page-faults"], sum["context-switches"] }' >sum
	assert_equal "$(cat sum)" '11111111 22222222'
}

@test "an id's events stand together, as in perf; a CPU's do not" {
	report server --per-socket -x, | awk -F, '{ print $1, $5 }' >got
	assert_equal "$(xargs <got)" \
		'S0 page-faults S0 context-switches S1 page-faults S1 context-switches'
	report server -A -x, | awk -F, '{ print $4 }' | uniq -c | awk '{ print $1, $2 }' >got
	assert_equal "$(xargs <got)" '8 page-faults 8 context-switches'
}

# --- formats --------------------------------------------------------------------

@test "the table: ids are as wide as perf's, and the number of counters follows" {
	while read -r option width id nr count; do
		report server $option >table
		awk -v width="$width" -v id="$id" -v nr="$nr" -v count="$count" '
			index($0, id " ") == 1 && / page-faults / {
				found = 1
				front = sprintf("%-*s %4d ", width, id, nr)
				# the count ends 18 columns on
				if (substr($0, 1, length(front)) != front) exit 1
				if (substr($0, length(front) + 1, 18) != sprintf("%18s", count)) exit 1
			}
			END { if (!found) exit 1 }' table || fail "$option: $(cat table)"
	done <<-'EOS'
		--per-core 18 S1-D0-C9 2 10,010,000
		--per-cluster 20 S0-D0-CLS0 3 100,011
		--per-cache 22 S0-D0-L3-ID0 3 100,011
		--per-die 12 S0-D1 2 1,000,100
		--per-socket 6 S0 5 1,100,111
		--per-node 6 N2 3 10,011,000
	EOS
	report server -A | grep -E '^CPU1500 +10,000,000      page-faults ' ||
		report server -A | grep -E '^CPU1500 +10,000,000 +page-faults '
}

@test "CSV: two fields more, eight separators; JSON: the id's key and aggregate-number" {
	for how in core cluster cache die socket node; do
		assert_equal "$(report server --per-$how -x ';' | awk -F';' '{ print NF - 1 }' | uniq)" 8
		report server --per-$how -j | jq -es --arg how $how '
			length > 0 and all(.[]; has($how) and (.[$how] | type == "string")
				and (."aggregate-number" | type == "number")
				and keys_unsorted[0:2] == [$how, "aggregate-number"])'
	done
	report server --per-socket -j | jq -es 'map(select(.event == "page-faults")
		| [.socket, ."aggregate-number", ."counter-value"])
		== [["S0", 5, "1100111.000000"], ["S1", 3, "10011000.000000"]]'
	report server -A -j | jq -es 'map(select(.event == "page-faults") | .cpu)
		== ["0", "1", "2", "5", "6", "10", "12", "1500"]'
}

@test "intervals: the time in front of each, ids that did not count in one" {
	report two --per-socket -x, | grep page-faults | cut -d, -f1-4 >got
	assert_same "$(cat got)" '1.000000000,S0,5,1100111
1.000000000,S1,3,10011000
2.000000000,S0,5,1100111
2.000000000,S1,3,10011000'
	report two --per-socket | head -n 1 >heading
	grep -E '^# +time socket ctrs +counts unit events$' heading
	report two --per-core | head -n 1 | grep -E '^# +time core +ctrs +counts unit events$'
}

@test "--summary of a recording: the sum of the intervals follows them, per id" {
	report two --per-socket --summary -x, | grep page-faults | tail -n 2 | cut -d, -f1-4 >got
	assert_same 'summary,S0,5,2200222
summary,S1,3,20022000' "$(cat got)"
}

# --- what an id is made of ------------------------------------------------------

@test "multiplexed groups: each CPU is scaled separately, without those that never ran" {
	# CPU 10: 5 in half of the time
	report turns --per-core -x, >got
	grep -E '^S0-D0-C0,2,17,' got
	grep -E '^S0-D0-C1,1,<not counted>,' got
	grep -E '^S0-D1-C4,1,0,' got
	report turns --per-core -x, --no-scale >got
	grep -E '^S0-D0-C0,2,12,' got
}

@test "report uses the recorded aggregation, or another one on request; --total adds everything up" {
	assert_same "$(report server --per-core -x,)" "$(report by-core -x,)"
	assert_same "$(report server --per-die -x,)" "$(report by-core --per-die -x,)"
	assert_same "$(report server -x,)" "$(report by-core --total -x,)"
	assert_same "$(report server -A)" "$(report by-core -A)"
}

@test "of two aggregations, perf's order decides, not the order of the options" {
	for pair in '--per-core --per-socket' '--per-socket --per-node' '-A --per-core' '--per-die --per-socket'; do
		first=${pair% *} second=${pair#* }
		assert_same "$(report server $first -x,)" "$(report server $first $second -x,)"
		assert_same "$(report server $first -x,)" "$(report server $second $first -x,)"
	done
}

@test "a recording that does not say where its CPUs are: an error with its name; without caches, rows of dies" {
	# from before caches were recorded
	is old --per-socket <<-'EOS'
		S0 5 1100111
		S1 3 10011000
	EOS
	try report old --per-cache
	assert_success
	assert_complains 'not known which CPUs share a cache'
	assert_output --partial 'S1-D0-L-1-ID-1 '
	for option in --per-core --per-die --per-socket --per-node --per-cluster --per-cache; do
		try report nowhere $option
		[ "$status" = 1 ] || fail "$option: status $status"
		assert_complains nowhere
		assert_output ''
	done
	assert_same "$(report server -A -x,)" "$(report nowhere -A -x,)"
}

@test "a kernel that knows of no dies or clusters: cores and sockets all the same" {
	try report unknown --per-socket -x,
	assert_output "$(report server --per-socket -x,)"
	try report unknown --per-core -x,
	assert_success
	grep -E '^S0-D[0-9-]+-C4,2,1000100,' <<<"$output"
	try report unknown --per-cluster
	assert_success
	assert_complains 'not known which CPUs share a cluster'
	assert_output --partial 'S0-D-1-CLS-1 '
}

@test "aggregations of CPUs are refused for tasks" {
	for option in -A --per-core --per-cluster --per-cache --per-die --per-socket --per-node; do
		try report tasks $option
		[ "$status" -ne 0 ] || fail "$option is taken"
		assert_complains "tasks"
		assert_output ''
	done
	report tasks --per-thread -x, | grep page-faults | cut -d, -f1-2 >got
	assert_same 'a-7,1
b-8,10' "$(cat got)"
	assert_equal "$(report tasks --total -x, | grep page-faults | cut -d, -f1)" 11
	try report server --per-thread
	assert_failure
	assert_complains 'server|thread'
}

# --- cgroups --------------------------------------------------------------------

@test "cgroups of a recording: a column of their own, each aggregation inside of each" {
	report cgroups -x, | grep page-faults | cut -d, -f1,3,4 >got
	assert_same '11111111,page-faults,web
22222222,page-faults,a/b' "$(cat got)"
	report cgroups --per-socket -x, | grep page-faults | cut -d, -f1-3,5,6 | LC_ALL=C sort >got
	assert_same 'S0,5,1100111,page-faults,web
S0,5,2200222,page-faults,a/b
S1,3,10011000,page-faults,web
S1,3,20022000,page-faults,a/b' "$(cat got)"
	report cgroups -j | jq -es 'map(select(.event == "page-faults") | .cgroup) == ["web", "a/b"]'
	report cgroups | grep -E ' page-faults +web '
	assert_equal "$(report cgroups -x, | awk -F, '{ print NF - 1 }' | uniq)" 7
}

@test "a cgroup that is not in the header, or is not a number: the error names the line" {
	for bad in 2 -1 '"web"'; do
		sed "2s/, 0\]/, $bad]/" "$BATS_FILE_TMPDIR/cgroups" >bad.jsonl
		try "$TDSTAT" report bad.jsonl
		assert_failure 1
		assert_complains 'bad\.jsonl:2:'
	done
}

# --- metrics --------------------------------------------------------------------

# retiring OPTION...: "ID RETIRING BACKEND" out of the tree's CSV
retiring() {
	report tree "$@" -x, | awk -F, 'NR > 1 { print $2, $8, $9 }'
}

@test "metrics come from summed counts: 900 of 10000 slots are 9 %, not 45" {
	assert_equal "$(retiring --per-core | head -n 1)" 'S0-D0-C0 9.00 91.00'
	assert_equal "$(retiring -A | grep -w -e CPU0 -e CPU10 | xargs)" \
		'CPU0 90.00 10.00 CPU10 0.00 100.00'
	# 900 + 100 of 10500, 30 more in the other die
	assert_equal "$(retiring --per-die | xargs)" \
		'S0-D0 9.52 88.57 S0-D1 0.00 0.00 S1-D0 50.00 0.00'
	assert_equal "$(retiring --per-socket | xargs)" 'S0 9.49 88.24 S1 50.00 0.00'
	# 3000 of 14540
	assert_equal "$(retiring)" 'all 20.63 63.96'
}

@test "metrics: the rows of each aggregation, in JSON and the table too" {
	for option in --per-core:5 --per-cluster:4 --per-cache:3 --per-die:3 --per-socket:2 --per-node:3 -A:8; do
		assert_equal "$option $(retiring ${option%:*} | wc -l)" "$option ${option#*:}"
		report tree ${option%:*} -x, | cut -d, -f2 | sed 1d | sort >ids
		report tree ${option%:*} -j | jq -r .id | sort -u >json
		assert_same "$(sort ids)" "$(cat json)"
		while read -r id; do
			report tree ${option%:*} | grep -qE "(^| )$id([ ,:]|\$)" || fail "$option: no $id"
		done <ids
	done
}

@test "hybrid: a CPU, a core and a cluster have only the metrics of their own PMU" {
	report hybrid -A -x, | awk -F, 'NR > 1 { print $2, $3, $8 }' >got
	assert_same 'CPU0 cpu_core 50.00
CPU1 cpu_core 50.00
CPU2 cpu_core 50.00
CPU3 cpu_core 50.00
CPU4 cpu_atom 10.00
CPU5 cpu_atom 20.00
CPU6 cpu_atom 30.00
CPU7 cpu_atom 40.00' "$(cat got)"
	report hybrid --per-cluster -x, | awk -F, 'NR > 1 { print $2, $3, $8 }' >got
	assert_same 'S0-D0-CLS0 cpu_core 50.00
S0-D0-CLS4 cpu_core 50.00
S0-D0-CLS8 cpu_core 50.00
S0-D0-CLS12 cpu_core 50.00
S0-D0-CLS16 cpu_atom 25.00' "$(cat got)"
	assert_equal "$(report hybrid --per-core -x, | sed 1d | wc -l)" 8
	report hybrid --per-socket -x, | awk -F, 'NR > 1 { print $2, $3, $8 }' >got
	assert_same 'S0 cpu_core 50.00
S0 cpu_atom 25.00' "$(cat got)"
}

@test "hybrid, merged: each core type weighs as much as it has slots" {
	# P: 4 * 600 slots, E: 4 * 200 cycles of 5: 1200 + 1000 of 6400
	assert_equal "$(report hybrid --per-socket --hybrid-merge -x, | sed 1d | cut -d, -f2,3,8)" S0,all,34.38
}

@test "--hybrid-merge: no mark where a metric is left out" {
	# all of the back end is core_bound, above its threshold; the formulas subtract
	# cpu_atom's resource_bound from it
	jq -c '.events // empty | map(.name == "cpu_core/topdown-mem-bound/") | index(true)' "$data/alderlake-2.jsonl" >index
	jq -c --argjson at "$(<index)" 'if .counts then .counts |= map(if .[0] == $at then .[3] = 0 else . end) else . end' \
		"$data/alderlake-2.jsonl" >made
	"$TDSTAT" report -l 2 -j made >apart
	jq -es 'map(select(.pmu == "cpu_core" and .metric == "tma_core_bound")) | length > 0 and all(.over_threshold)' apart
	"$TDSTAT" report -l 2 --hybrid-merge made >text
	run ! grep -E '^[^#].* \*' text
}
