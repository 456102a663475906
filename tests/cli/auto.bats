#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -l auto: what it opens, and what it counts at first.

# shellcheck disable=SC2154 # helper.bash
load helper

# plan OPTION...: "first EVENT" or "later EVENT", sorted, once each
plan() {
	"$TDSTAT" --dry-run -a "$@" 2>/dev/null | awk '
		/^group/ { when = / rests at first$/ ? "later" : "first" }
		/^  / { print when, $1 }' | sort -u
}

@test "it may count what -l 6 counts, in groups that rest until they are wanted" {
	for model in alderlake meteorlake sapphirerapids icelakex tigerlake skylakex; do
		saved $model
		all=$(plan -l 6 | cut -d ' ' -f 2 | sort -u)
		assert_same "$all" "$(plan -l auto | cut -d ' ' -f 2 | sort -u)"
		# only the reference of groups that take turns is in both
		[ "$(plan -l auto | cut -d ' ' -f 2 | sort | uniq -d | wc -l)" -le 2 ]
		# what levels 1 and 2 are made of does not rest
		plan -l auto | grep -q -i -E '^first .*(slots|retiring|UOPS_RETIRED)'
		run ! grep -i -E '^later .*(TOPDOWN.SLOTS|topdown-|TOPDOWN_(BE|FE)_BOUND.ALL|BAD_SPECULATION.MISP)' <(plan -l auto)
		plan -l auto | grep -q '^later '
	done
}

@test "what counts at first is few groups" {
	saved alderlake
	run -0 "$TDSTAT" --dry-run -a -l auto --cputype core
	[ "$(grep '^group' <<<"$output" | grep -vc ' rests at first$')" -le 2 ]
	[[ "$output" == *"cpu_core: "[12]" group"*", counted all of the time: nothing takes turns"* ]]
	[[ "$output" == *" more groups rest until a node above them is over its threshold"* ]]
	[[ "$output" != *--no-multiplex* ]]
}

@test "clocks and instructions never rest: GHz and IPC are of the whole run" {
	for model in alderlake meteorlake sapphirerapids icelakex tigerlake skylakex; do
		rm -rf machine
		copied $model
		for watchdog in 0 1; do
			echo $watchdog >machine/proc/sys/kernel/nmi_watchdog
			plan -l auto | awk -F/ '/^first/ { print $2 }' >first
			grep -qxE 'ref-cycles|CPU_CLK_UNHALTED.REF_TSC' first
			grep -qxE 'CPU_CLK_UNHALTED.THREAD|(cpu-)?cycles' first
			grep -qixE 'instructions|INST_RETIRED.ANY' first
		done
	done
}

@test "what rests does not start with the command" {
	saved alderlake
	run -0 "$TDSTAT" --dry-run -l auto --cputype core -- true
	awk '/^group/ { rests = / rests at first$/; first = 1; next }
		/^  / && first { first = 0; seen[rests]++; if (rests == /enable_on_exec/) exit 1 }
		END { exit !(seen[0] && seen[1]) }' <<<"$output"
}

@test "without files it ends at level 2 and says what would give more" {
	saved lunarlake
	export TDSTAT_METRICS=$TD_PMU_EVENTS_OLD
	run -0 "$TDSTAT" --dry-run -a -l auto
	[[ "$output" == *"the tree is the built-in one, of 2 levels (--metrics-dir with newer files may have more)"* ]]
	[[ "$output" != *"rests at first"* ]]
}

@test "what it excludes" {
	saved alderlake
	for other in '-M tma_retiring' '-e cycles' --td-level=2 --no-multiplex \
		--metric-no-threshold --bottlenecks -d; do
		# shellcheck disable=SC2086 # words
		run -64 "$TDSTAT" --dry-run -l auto $other -- true
		[[ "$output" == *exclude* ]]
	done
	# the last -l counts
	assert_same "$(plan -l 2)" "$(plan -l auto -l 2)"
}

@test "a recording of all levels shows the same with -l auto" {
	recording=$data/alderlake.jsonl
	assert_same "$("$TDSTAT" report -i "$recording" -l 6 --all 2>/dev/null)" \
		"$("$TDSTAT" report -i "$recording" -l auto --all 2>/dev/null)"
}

# rested SLOTS [LATE]: recording of a command on Sapphire Rapids, of 20 batches.  In the
# first ten it computes, in the others, with so many slots, it waits for DRAM; what is
# not below that rests meanwhile, and is woken so many batches too late.
rested() {
	saved sapphirerapids
	"$TDSTAT" --dry-run -l auto -- true 2>/dev/null >plan
	python3 - plan "$@" <<-'EOS'
		import json, re, sys
		groups = []
		for line in open(sys.argv[1]):
		    if re.match(r"group \d+:", line):
		        groups.append([])
		    elif m := re.match(r"  (cpu/\S+)\s+type", line):
		        groups[-1].append(m[1])
		AWAKE = [("FP_ARITH", "INT_VEC", "MACRO_FUSED", "X87"), ("MEMORY_ACTIVITY", "BOUND_ON_STORES")]
		SLOTS, late = (1_800_000_000, int(sys.argv[2])), int((sys.argv + [0])[3])
		# shares of the slots, then events a slot that retired and a slot
		FIELDS = [{"retiring": .80, "be-bound": .13, "fe-bound": .05, "bad-spec": .02, "heavy-ops": .05,
		           "mem-bound": .05, "fetch-lat": .03, "br-mispredict": .015},
		          {"retiring": .20, "be-bound": .70, "fe-bound": .08, "bad-spec": .02, "heavy-ops": .02,
		           "mem-bound": .60, "fetch-lat": .05, "br-mispredict": .015}]
		STALLS = {"L1D": .60, "L2": .55, "L3": .50}
		def rate(name, phase):
		    name, slots = name.split("/")[1], SLOTS[phase]
		    if name.upper() in ("SLOTS", "TOPDOWN.SLOTS"):
		        return slots
		    if name.startswith("topdown-"):
		        return slots * FIELDS[phase][name[8:]]
		    if name.startswith(("CPU_CLK_UNHALTED.THREAD", "cpu-cycles", "cycles")):
		        return slots / 6
		    if phase == 0 and name == "FP_ARITH_INST_RETIRED.SCALAR":
		        return .30 * slots * .80
		    if phase == 1 and (m := re.match(r"MEMORY_ACTIVITY.STALLS_(\w+)_MISS", name)):
		        return STALLS[m[1]] * slots / 6
		    return 0
		events = [{"name": n, "pmu": "cpu", "group": g, **({"clone": True} if n in sum(groups[:g], []) else {})}
		          for g, names in enumerate(groups) for n in names]
		def awake(names, phase):
		    words = " ".join(names)
		    return not ("topdown" not in words and "CPU_CLK_UNHALTED.THREAD/" not in words and
		                not any(w in words for w in AWAKE[phase]))
		sums, out = [[0, 0, 0] for _ in events], []
		for batch in range(20):
		    phase = batch >= 10
		    for event, s in zip(events, sums):
		        s[1] += 100_000_000
		        if awake(groups[event["group"]], batch >= 10 + late):
		            s[0] += int(rate(event["name"], phase))
		            s[2] += 100_000_000
		    out.append({"so_far": (batch + 1) / 10, "sums": [list(s) for s in sums]})
		print(json.dumps({"tdstat": 1, "cpuid": "GenuineIntel-6-8F-8", "smt": True, "tasks": True,
		    "tsc_hz": 2_000_000_000, "interval_ms": 0, "level": 6, "drill": True, "target": "program",
		    "pmus": [{"name": "cpu", "type": 4, "cpus": "0"}],
		    "topology": [{"cpu": 0, "core": 0, "cluster": 0, "die": 0, "socket": 0, "node": 0}],
		    "events": events}))
		for line in out:
		    print(json.dumps(line))
		print(json.dumps({"time": 2.0, "counts": [[i, -1, 100, *s] for i, s in enumerate(sums)]}))
		print(json.dumps({"end": {"elapsed": 2.0, "user": 2.0, "sys": 0, "exit": 0}}))
	EOS
}

# shares FILE NODE: value, error, and whether it is marked
shares() {
	jq -r "select(.metric == \"$2\") | \"\(.value) \(.error) \(.over_threshold)\"" "$1"
}

@test "what rested is a share of the run, like the nodes above it" {
	for slots in 1800000000 360000000; do
		rested $slots >rec
		"$TDSTAT" report -i rec -j >out
		# half of the cycles while it was counted, none when it was not, or at most
		# what was lost to memory then
		shares out tma_dram_bound | awk -v s=$slots -v a=1800000000 '{
			print; v = 50 * s / (a + s); e = 5 * a / (a + s)
			exit !(($1 - v) ^ 2 < 1e-4 && $2 > e - 0.01 && $2 < e + 0.3 && $3 == (v > 10 ? "true" : "false")) }'
		# 30 % of the uops of the first half
		shares out tma_fp_scalar | awk -v s=$slots -v a=1800000000 '{
			print; v = 30 * 0.8 * a / (0.8 * a + 0.2 * s); e = 18 * s / (0.8 * a + 0.2 * s)
			exit !(($1 - v) ^ 2 < 1e-4 && $2 > e - 0.01 && $2 < e + 0.3) }'
		"$TDSTAT" report -i rec -l 6 -j >deep
		assert_same "$(shares out tma_dram_bound)" "$(shares deep tma_dram_bound)"
		# a file of old does not say when it rested: then its error is all that may be
		grep -v so_far rec >old
		"$TDSTAT" report -i old -j >out
		shares out tma_dram_bound | awk -v s=$slots -v a=1800000000 '{
			print; v = 50 * s / (a + s); most = (5 * a + 60 * s) / (a + s)
			exit !($1 - $2 <= v && $1 + $2 >= v && $1 < most + 0.1 && $2 < most + 0.1) }'
		shares out tma_fp_scalar | awk -v s=$slots -v a=1800000000 '{
			print; v = 30 * 0.8 * a / (0.8 * a + 0.2 * s)
			exit !($1 - $2 <= v && $1 + $2 >= v && $1 < 100.1 && $2 < 100.1) }'
	done
}

# What it was while it should have been counted is told by what it was later.
@test "what was woken late has the share that it had from then on; it may have been nothing at rest" {
	rested 360000000 2 >rec
	"$TDSTAT" report -i rec -j --error >out
	shares out tma_dram_bound | awk -v s=360000000 -v a=1800000000 '{
		print; v = 50 * s / (a + s); e = 5 * a / (a + s)
		exit !(($1 - v) ^ 2 < 1e-4 && $2 > e - 0.01 && $2 < e + 0.3) }'
	jq -es 'map(select(.metric == "tma_dram_bound")) | length == 1 and (.[0] | .low == 0 and .high > 49 and .high < 51)' out
}
