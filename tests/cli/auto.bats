#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -l auto: what it opens, and what it counts at first.

# shellcheck disable=SC2154 # helper.bash
load helper

# when: begins programs in Python, after plans.py
when='
def when(options):
    """("first" or "later", EVENT) of what is counted from the beginning, and of what rests."""
    found, now = set(), None
    for line in plan(options).splitlines():
        if line.startswith("group"):
            now = "later" if line.endswith(" disabled at first") else "first"
        elif line.startswith("  "):
            found.add((now, line.split()[0]))
    return found

def events_in(found, now=None):
    return sorted({name for when, name in found if now in (None, when)})
'
MODELS='alderlake meteorlake sapphirerapids icelakex tigerlake skylakex'

with_when() {
	{
		printf '%s\n' "$when"
		mapfile -t
		printf '%s\n' "${MAPFILE[@]}"
	} >.program
	MODELS=$MODELS checks <.program
}

@test "-l auto may count the nodes of -l 6, in groups that are paused until they are needed" {
	for model in $MODELS; do
		saved "$model"
	done
	with_when <<-'PYTHON'
		for model in os.environ["MODELS"].split():
		    machine(model)
		    auto = when("-l auto")
		    same(events_in(auto), events_in(when("-l 6")), model)
		    first, later = events_in(auto, "first"), events_in(auto, "later")
		    # only the reference of multiplexed groups is in both
		    assert len(set(first) & set(later)) <= 2, (first, later)
		    # events of levels 1 and 2 are never paused
		    assert re.search("slots|retiring|uops_retired", " ".join(first).lower()), first
		    assert not re.search("topdown.slots|topdown-|topdown_(be|fe)_bound.all|bad_speculation.misp",
		                         " ".join(later).lower()), later
		    assert later
	PYTHON
}

@test "counting begins with few groups" {
	saved alderlake
	try "$TDSTAT" --dry-run -a -l auto --cputype core
	assert_success
	first=0
	for line in "${lines[@]}"; do
		[[ $line != group* || $line == *' disabled at first' ]] || first=$((first + 1))
	done
	[ $first -le 2 ]
	[[ $output == *"cpu_core: "[12]" group"*", counted all of the time: not multiplexed"* ]]
	[[ $output == *" more groups are disabled until their parent is above its threshold"* ]]
	[[ $output != *--no-multiplex* ]]
}

@test "clocks and instructions never rest: GHz and IPC are of the whole run" {
	for model in $MODELS; do
		saved "$model"
	done
	with_when <<-'PYTHON'
		import shutil

		for model in os.environ["MODELS"].split():
		    machine(model)
		    shutil.copytree(os.environ["PROCFS_PATH"], model)
		    os.environ["PROCFS_PATH"] = model
		    for watchdog in 0, 1:
		        Path(model, "sys/kernel/nmi_watchdog").write_text(f"{watchdog}\n")
		        first = [name.split("/")[1] for name in events_in(when("-l auto"), "first") if "/" in name]
		        for wanted in "ref-cycles|CPU_CLK_UNHALTED.REF_TSC", "CPU_CLK_UNHALTED.THREAD|(cpu-)?cycles", \
		                      "(?i)instructions|INST_RETIRED.ANY":
		            assert any(re.fullmatch(wanted, name) for name in first), (model, watchdog, wanted, first)
	PYTHON
}

@test "paused groups do not start with the command" {
	saved alderlake
	try "$TDSTAT" --dry-run -l auto --cputype core -- true
	assert_success
	awk '/^group/ { rests = / disabled at first$/; first = 1; next }
		/^  / && first { first = 0; seen[rests]++; if (rests == /enable_on_exec/) exit bad = 1 }
		END { exit bad || !(seen[0] && seen[1]) }' <<<"$output"
}

@test "without metric files -l auto ends at level 2 and names the remedy" {
	saved lunarlake
	export TDSTAT_METRICS=$TD_PMU_EVENTS_OLD
	try "$TDSTAT" --dry-run -a -l auto
	assert_success
	output+=$stderr
	[[ "$output" == *"the tree is the built-in one, of 2 levels (--metrics-dir with newer files may have more)"* ]]
	[[ "$output" != *"disabled at first"* ]]
}

@test "options that -l auto excludes" {
	saved alderlake
	for other in '-M tma_retiring' '-e cycles' --td-level=2 --no-multiplex \
		--metric-no-threshold --bottlenecks -d; do
		# shellcheck disable=SC2086 # words
		try "$TDSTAT" --dry-run -l auto $other -- true
		assert_failure 64
		[[ $stderr == *exclude* ]]
	done
	# the last -l counts
	with_when <<<'same(when("-l auto -l 2"), when("-l 2"))'
}

@test "a recording of all levels shows the same with -l auto" {
	try "$TDSTAT" report -i "$data/alderlake.jsonl" -l 6 --all
	all=$output
	[[ $all == *tma_retiring* ]]
	try "$TDSTAT" report -i "$data/alderlake.jsonl" -l auto --all
	assert_same "$all" "$output"
}

# paused SLOTS [LATE]: make a recording of a command on Sapphire Rapids with 20 batches.  In
# the first ten it computes, in the other ten, of SLOTS slots each, it waits for DRAM.
# Nodes are paused while they lose no slots; those of DRAM are resumed LATE batches too late.
paused() {
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

# Programs in Python begin with this, after plans.py.
share='
def share(node, path, options=""):
    [row] = [row for row in report(options, path) if row["metric"] == node]
    return row["value"], row["error"], row["over_threshold"]
'

@test "the share of a paused node is of the whole run, like the shares of its ancestors" {
	for slots in 1800000000 360000000; do
		paused $slots >rec
		SLOTS=$slots checks <<-PYTHON
			$share
			s, a = int(os.environ["SLOTS"]), 1800000000
			# half of the cycles while it was counted; otherwise between none
			# and the slots lost to memory at that time
			dram = share("tma_dram_bound", "rec")
			v, e = 50 * s / (a + s), 5 * a / (a + s)
			assert abs(dram[0] - v) < 1e-2 and e - 0.01 < dram[1] < e + 0.3 and dram[2] is (v > 10), (dram, v, e)
			# 30 % of the uops of the first half
			scalar, both = share("tma_fp_scalar", "rec"), 0.8 * a + 0.2 * s
			u, e = 30 * 0.8 * a / both, 18 * s / both
			assert abs(scalar[0] - u) < 1e-2 and e - 0.01 < scalar[1] < e + 0.3, (scalar, u, e)
			same(share("tma_dram_bound", "rec", "-l 6"), dram)
			# an old file does not contain the pauses: then the error includes all possible values
			with open("old", "w") as old:
			    old.writelines(line for line in open("rec") if "so_far" not in line)
			value, error, _ = share("tma_dram_bound", "old")
			most = (5 * a + 60 * s) / (a + s)
			assert value - error <= v <= value + error and value < most + 0.1 and error < most + 0.1, (value, error, v)
			value, error, _ = share("tma_fp_scalar", "old")
			assert value - error <= u <= value + error and value < 100.1 and error < 100.1, (value, error, u)
		PYTHON
	done
}

# Its value during the delay is estimated from its later values.
@test "a node that was resumed late has the share from then on; before, it may have been 0" {
	paused 360000000 2 >rec
	checks <<-PYTHON
		$share
		s, a = 360000000, 1800000000
		value, error, _ = share("tma_dram_bound", "rec", "--error")
		v, e = 50 * s / (a + s), 5 * a / (a + s)
		assert abs(value - v) < 1e-2 and e - 0.01 < error < e + 0.3, (value, error, v, e)
		[row] = [row for row in report("--error", "rec") if row["metric"] == "tma_dram_bound"]
		assert row["low"] == 0 and 49 < row["high"] < 51, row
	PYTHON
}
