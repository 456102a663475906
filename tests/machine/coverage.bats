#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run" sets
# Errors: 95 of 100 stated intervals contain the true value of the run, which the emulated
# machine reports: tests/emulator/README.md, The truth of a run.
# machine: spr --noise 20,12 --sysctl kernel.nmi_watchdog=0 --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/sapphirerapids.truth
# release: adl --noise 20,11 --sysctl kernel.nmi_watchdog=0 --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth
# release: spr --noise 3,13 --sysctl kernel.nmi_watchdog=0 --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/sapphirerapids.truth

load helper

export PYTHONDONTWRITEBYTECODE=1

# Steady ones, with phases, and in step with the kernel's turns.
SHORT=(0.5 1 2/0.05 2/0.3 3/1)
LONG=(0.3 0.3 0.5 0.5 1 1 2 2 2 3 10 30 2/0.05 2/0.05 4/0.05 3/0.3 5/0.3 5/0.3 5/1 6/1 12/3 12/3 3@0.008 3@0.016 5@0.068)

coverage() {
	python3 "$BATS_TEST_DIRNAME/coverage.py" "$@"
}

# holds LEVEL SEED: check errors and verdicts.  The short form fails if the result cannot be
# chance; the long one if less than 93 % are right.  Without much noise, the errors of nodes
# that were counted all the time are bounds, and all may hold.
holds() {
	local programs=("${SHORT[@]}") least=()

	emulated
	if [ -n "${TD_EVERYTHING-}" ]; then
		programs=("${LONG[@]}") least=(93)
	fi
	mkdir runs
	coverage measure runs "$1" "$2" "${programs[@]}"
	run coverage check runs "${least[@]}"
	printf '# %s, level %s: %s\n' "$TD_MACHINE" "$1" "${lines[-1]}" >&3
	[ "$status" -eq 0 ]
}

@test "the emulator's own sums are the counts of its counters" {
	emulated
	[ "$TD_MACHINE" = spr ] || skip "the events are a big core's"
	act=$BATS_TEST_DIRNAME/../../build/emulator/act
	"$act" -s >/dev/null
	"$TDSTAT" -e '{instructions,cycles,slots,cpu/event=0xc4/,cpu/event=0xd1,umask=1/}' -x, -o counts -- \
		taskset -c 0 "$act" 300ms:ports 200ms:icache
	"$act" -s >sums
	# whatever is counted: here no instructions
	"$TDSTAT" -e cycles -x, -o cycles -- taskset -c 0 "$act" 200ms:ports
	"$act" -s >sums_of_cycles
	python3 - <<-'EOS'
		import json
		sums = [json.loads(line) for line in open("sums")]
		assert {"ports", "icache"} <= {s["scenario"] for s in sums}
		def of_event(config):
		    return sum(n for s in sums for c, _, n in s["events"] if c == config)
		want = [sum(s["fixed"][0] for s in sums), sum(s["cycles"] for s in sums),
		        sum(s["slots"] for s in sums), of_event("c4"), of_event("1d1")]
		assert abs(of_event("c0") / want[0] - 1) < 1e-9
		rows = [line.split(",") for line in open("counts") if line[0].isdigit()]
		got = [int(row[0]) for row in rows]
		print(got, want)
		assert len(got) == 5 and all(abs(g / w - 1) < 1e-5 for g, w in zip(got, want))
		# PERF_METRICS' fields are all slots
		assert abs(sum(sum(s["fields"][:4]) for s in sums) / want[2] - 1) < 0.01
		cycles = sum(json.loads(line)["cycles"] for line in open("sums_of_cycles"))
		row = next(line for line in open("cycles") if line[0].isdigit())
		assert abs(int(row.split(",")[0]) / cycles - 1) < 1e-5, (row, cycles)
	EOS
}

@test "levels 1 and 2" {
	holds 2 1
}

@test "all levels, where groups take turns" {
	holds 6 2
}

@test "every event is counted where it is needed" {
	[ -n "${TD_EVERYTHING-}" ] || skip "before a release"
	holds auto 3
}
