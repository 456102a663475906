#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The metrics that all models have in common, beside those of the newest perf.
# machine: adl --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2
# release: spr --no-halt --smp 4,sockets=1,cores=2,threads=2
# machine: zen4 --no-halt --smp 4,sockets=1,cores=2,threads=2

# shellcheck disable=SC2154 # what "run --separate-stderr" sets
load helper

# Their formulas divide events that are counted together in one group.
ratios=insn_per_cycle,branch_miss_rate,dtlb_miss_rate
rates=CPUs_utilized,cycles_frequency,branch_frequency

# The files that come with tdstat; 6.12's have none.
common_or_skip() {
	unset TDSTAT_METRICS
	"$TDSTAT" list metrics | grep -q '^  CPUs_utilized ' || skip "these metric files have no common metrics"
}

newest() {
	TD_PERF_SERIES=newest timeout -s KILL "$TD_HANGS" "$PERF" "$@"
}

# compare FILE: compare perf's and tdstat's value of each metric and core type. perf divides
# the counts of one core type by the time of all CPUs.
compare() {
	python3 - "$1" out <<-'EOS'
		import json, os, re, sys

		def cpus_of(pmu):
		    with open(f"/sys/bus/event_source/devices/{pmu}/cpus") as file:
		        parts = [part.split("-") for part in file.read().strip().split(",")]
		    return sum(int(part[-1]) - int(part[0]) + 1 for part in parts)

		perf, ours, bad = {}, {}, 0
		for line in open(sys.argv[1]):
		    row = json.loads(line)
		    words = row.get("metric-unit", "").split()
		    if not words or row["metric-value"] in ("", "nan"):
		        continue
		    pmu = re.match(r"(cpu_\w+)/", row.get("event", ""))
		    key = words[-1], pmu[1] if pmu else None
		    perf[key] = float(row["metric-value"])
		    if pmu and words[-1] in ("cycles_frequency", "branch_frequency"):
		        perf[key] *= os.cpu_count() / cpus_of(pmu[1])
		for line in open(sys.argv[2]):
		    row = json.loads(line)
		    if "tdstat_rows" in row:
		        continue
		    pmu = row["pmu"] if row["pmu"].startswith("cpu_") else None
		    if row["value"] is not None:
		        ours[row["metric"], pmu] = row["value"]
		for key in sorted(perf.keys() & ours.keys(), key=str):
		    far = abs(perf[key] - ours[key]) > 0.02 + 0.03 * abs(perf[key])
		    bad += far
		    print("differ:" if far else "same:", *key, perf[key], ours[key])
		print(len(perf.keys() & ours.keys()), "compared;", "perf alone:", perf.keys() - ours.keys())
		sys.exit(bad > 0 or len(perf.keys() & ours.keys()) < 3 or perf.keys() != ours.keys())
	EOS
}

# Two hybrid cores have a value of perf each, other machines one.
@test "-a: ratios are those of the newest perf" {
	emulated
	common_or_skip
	newest_or_skip
	newest stat -a -j -o theirs -M "$ratios" sleep 1
	"$TDSTAT" -a -j -o out -M "$ratios" sleep 1
	run -0 compare theirs
	echo "# $TD_MACHINE: ${lines[-1]}" >&3
}

@test "-a: rates are those of the newest perf" {
	emulated
	common_or_skip
	newest_or_skip
	newest stat -a -j -o theirs -M "$rates" sleep 1
	"$TDSTAT" -a -j -o out -M "$rates" sleep 1
	run -0 compare theirs
	echo "# $TD_MACHINE: ${lines[-1]}" >&3
}

# The rates of tests/emulator/README.md.  Bound from outside: a command that binds
# itself may begin on an Atom core, whose time its clock has, too.
@test "a command: instructions by cycles, and cycles a ns of its own time" {
	emulated
	common_or_skip
	taskset -c 0 "$TDSTAT" -j -o out -M insn_per_cycle,cycles_frequency,CPUs_utilized -- sh -c "$WORK"
	case $TD_MACHINE in
	zen*) ;;
	*) jq -es '[.[] | select(.metric == "insn_per_cycle" and .value != null)][0].value | . > 1.48 and . < 1.52' out ;;
	esac
	jq -es '[.[] | select(.metric == "cycles_frequency" and .value != null)][0].value | . > 2.6 and . < 3.4' out
	jq -es '[.[] | select(.metric == "CPUs_utilized")] | length == 1 and .[0].value < 1.05 and .[0].value > 0.3' out
}

@test "-A: each CPU has its own, with the metrics of its core type" {
	emulated
	common_or_skip
	"$TDSTAT" -a -A -j -o out -M CPUs_utilized,insn_per_cycle sleep 1
	cpus=$(getconf _NPROCESSORS_ONLN)
	jq -es --argjson n "$cpus" '
		([.[] | select(.metric == "CPUs_utilized")] | length == $n and all(.value > 0.9 and .value < 1.1)) and
		([.[] | select(.metric == "insn_per_cycle")] | length == $n and all(.value > 0.9) and (map(.id) | unique | length == $n))' out
}

@test "events that the processor does not have: not supported, and never 0" {
	emulated
	common_or_skip
	[[ $TD_MACHINE != zen* ]] || skip "this one has them"
	run -0 --separate-stderr "$TDSTAT" -a -j -o out -M insn_per_cycle,frontend_cycles_idle,stalled_cycles_per_instruction sleep 0.5
	jq -es '[.[] | select(.metric != "insn_per_cycle")] | length >= 2 and all(.value == null)' out
	grep -q 'frontend_cycles_idle .*has no stalled-cycles-frontend' <<<"$stderr"
	# events that are requested with them are counted all the time
	jq -es '[.[] | select(.metric == "insn_per_cycle")] | all(.running > 99.9)' out
}
