#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --bottlenecks: which metrics it counts, and how they are shown.

# shellcheck disable=SC2086,SC2094,SC2154 # lists of options; values; helper.bash
load helper

# their names in the files of Linux 6.12 (tma_info_bottleneck_) and of 7.2
names='tma_*bottleneck_[a-z]*'

# without_any: a machine whose files have no bottlenecks for either core type: Nova Lake
without_any() {
	copied lunarlake
	identity 18 1 1
}

# recorded EVENT [OPTION]...: as in metrics.bats; EVENT (- is none) never ran
recorded() {
	"$TDSTAT" --dry-run -a --bottlenecks "${@:2}" 2>/dev/null |
		python3 "$here/metrics.py" record "$1" >recording.jsonl
}

# values PMU: those of the tree of a PMU, in the order of the lines
values() {
	without_errors | awk -v pmu="$1" '/^ [^ ]/ { on = $1 == pmu "," } on && $2 == "%" && $4 != "all" && $3 != "in" { print $1 }'
}

# in_all PMU: print the sum below the bottlenecks
in_all() {
	awk -v pmu="$1" '/^ [^ ]/ { on = $1 == pmu "," } on && / in all$/ { print $1 }'
}

@test "the events are those of -M with a glob, and of level 2 where a core has no such metrics" {
	saved skylakex
	saved alderlake
	NAMES=$names checks <<-'PYTHON'
		def same_events(bottlenecks, *others):
		    got = events(f"-a --bottlenecks {bottlenecks}")
		    assert got
		    same(got, events(["-a", *others]), bottlenecks)
		glob = os.environ["NAMES"]
		same_events("--cputype core", "-M", glob, "--cputype", "core")
		same_events("--cputype atom", "-M", "TopdownL2,tma_retiring", "--cputype", "atom")
		machine("skylakex")
		same_events("", "-M", glob)
	PYTHON
	without_any
	checks <<<'same(events("-a --bottlenecks"), events("-a -M TopdownL2,tma_retiring"))'
}

@test "a note per core type names the replacement" {
	saved alderlake
	try "$TDSTAT" --dry-run --bottlenecks -- true
	assert_equal "$stderr" "tdstat: cpu_atom (Gracemont) has no bottleneck metrics: the tree down to level 2 is shown instead"
	without_any
	try "$TDSTAT" --dry-run --bottlenecks -a
	said=${stderr//has no bottleneck metrics/@}
	said=${said//[!@]/}
	assert_equal "$said" @@
	saved skylakex
	try "$TDSTAT" --dry-run --bottlenecks -a
	assert_no_stderr
}

# sorted_with_sum PMU NR: of "tree"
sorted_with_sum() {
	values "$1" <tree >sorted
	assert_same "$(sort -rg sorted)" "$(cat sorted)"
	assert_equal "$(wc -l <sorted)" "$2"
	# each is rounded by half a tenth at most
	awk -v all="$(in_all "$1" <tree)" '{ sum += $1 } END { off = sum - all
		exit off > (NR + 1) * 0.05 || off < -(NR + 1) * 0.05 }' sorted
}

@test "sorted by value, with their sum, by core type" {
	saved alderlake
	recorded -
	"$TDSTAT" report --bottlenecks recording.jsonl >tree
	sorted_with_sum cpu_atom 7
	values cpu_core <tree >sorted
	[ "$(wc -l <sorted)" -gt 5 ]
	assert_same "$(sort -rg sorted)" "$(cat sorted)"
}

@test "useful work is never marked, other causes are; a core type without bottlenecks is named; no verdict" {
	saved alderlake
	recorded -
	"$TDSTAT" report --bottlenecks recording.jsonl >tree
	# as there is nothing to be over, neither true nor false
	"$TDSTAT" report --bottlenecks -j recording.jsonl | jq -es '
		map(select(.value != null and (.metric | test("^tma_(info_)?bottleneck_[a-z]"))))
		| length > 5 and any(.over_threshold)
		and all((.over_threshold == null) == (.metric | endswith("bottleneck_useful_work")))'
	assert_equal "$(awk '/^ [^ ]/ { pmu = $1 } /this core type has no bottleneck metrics; / { print pmu }' tree)" cpu_atom,
	# the first line is the verdict
	run ! grep -E '^ (Which|Most|What|No single) ' tree
}

@test "the recording contains the request; -l shows the tree anyway" {
	saved skylakex
	checks <<-'PYTHON'
		record("--bottlenecks")
		head, *rest = open("recording.jsonl")
		head = {**json.loads(head), "bottlenecks": True}
		head.pop("metrics", None)
		Path("said.jsonl").write_text(json.dumps(head) + "\n" + "".join(rest))
		same(succeeds("report said.jsonl").out, succeeds("report --bottlenecks said.jsonl").out)
		same(succeeds("report recording.jsonl").out, succeeds("report -l 1 recording.jsonl").out)
		assert " tma_retiring" in succeeds("report said.jsonl -l 1").out
	PYTHON
}

@test "a share below 0 or above 100 % cannot be" {
	saved skylakex
	recorded -
	# these made-up counts do not fit each other
	"$TDSTAT" report --bottlenecks -j recording.jsonl | jq -es '
		map(select(.value != null and (.value > 110 or .value < -10)))
		| length > 0 and all(.misfit == "range")'
	"$TDSTAT" report --bottlenecks recording.jsonl | grep -qF '? impossible value: below 0 or above 100 %'
}

@test "no sum where an event did not run" {
	saved alderlake
	recorded UOPS_RETIRED.MS,cmask=1
	"$TDSTAT" report --bottlenecks recording.jsonl >tree
	assert_equal "$(in_all cpu_core <tree)" ""
	nr=$(grep -c '^ *<not counted> ' tree)
	[ "$nr" -ge 1 ]
	grep -qE "^  $nr (was|were) not counted, so there is no sum\$" tree
	[ "$(in_all cpu_atom <tree)" ]
}

@test "CSV and JSON are those of -M: not sorted, and without a sum" {
	saved skylakex
	NAMES=$names checks <<-'PYTHON'
		record("--bottlenecks")
		for form in "-j", "-x,":
		    text = succeeds(f"report --bottlenecks {form} recording.jsonl").out
		    same(text, succeeds(["report", "-M", os.environ["NAMES"], form, "recording.jsonl"]).out)
		rows = report("--bottlenecks")
		same([row["unit"] for row in rows], ["%"] * 12)
	PYTHON
}

@test "AMD: the pipeline's second level" {
	"$TDSTAT" report --bottlenecks "$data/zen4.jsonl" >tree
	[ "$(grep -cE '^ +[0-9.]+ %  (smt_contention|[a-z]+_[a-z_]+)' tree)" -eq 9 ]
	values cpu <tree >sorted
	assert_same "$(sort -rg sorted)" "$(cat sorted)"
}

@test "--bottlenecks excludes events and options that choose other metrics" {
	saved alderlake
	for options in '-l 2' '--td-level 1' '-M tma_retiring' '-e cycles' -d --null --verdict; do
		try "$TDSTAT" --dry-run --bottlenecks $options -- true
		assert_equal "$status" 64
		assert_complains '--bottlenecks'
	done
	try "$TDSTAT" report --bottlenecks "$data/manual/xz-events.jsonl"
	assert_equal "$status" 64
	try "$TDSTAT" --dry-run --bottlenecks --hybrid-merge -- true
	assert_equal "$status" 64
	assert_complains '--hybrid-merge'
}
