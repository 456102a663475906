#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The verdict names the node of the scenario's name, or states that there is no single
# cause.  VERDICT_RUNS=100 make check-machine-all ONLY=verdict takes hours.
# release: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth
# release: spr --noise 10,5 --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/sapphirerapids.truth

load helper

export PYTHONDONTWRITEBYTECODE=1

# verdicts LEVEL SECONDS SCENARIO...
verdicts() {
	emulated
	run python3 "$BATS_TEST_DIRNAME/verdict.py" "${VERDICT_RUNS:-1}" "$@"
	echo "# $TD_MACHINE: ${lines[-1]}" >&3
	[ "$status" -eq 0 ]
}

@test "levels 1 and 2, in every scenario" {
	verdicts 2 2
}

@test "level 3, where groups take turns" {
	verdicts 3 4 dram_latency l2_bound icache divider mispredict
}

@test "a command that is short, one that sleeps, a machine that is idle" {
	emulated
	act=$BATS_TEST_DIRNAME/../../build/emulator/act
	"$TDSTAT" -l 3 -o out -- taskset -c 0 "$act" 20ms:dram_latency
	cat out
	grep -qx ' Too short to go deeper; measure more runs or longer' out
	grep -qE '^ What next:  tdstat -r 10 (-l 2 -M tma_memory_bound_group|-l auto) -- taskset ' out
	"$TDSTAT" -o out -- sleep 1.5
	grep -E '^ Only [0-9.]+ % of one CPU was used; find out what the program waits for' out
	"$TDSTAT" -a -l 2 -o out -- sleep 2
	grep -F 'Mostly idle' out
}

@test "a change in the middle, and two bottlenecks that are the same size" {
	emulated
	act=$BATS_TEST_DIRNAME/../../build/emulator/act
	"$TDSTAT" -o out -- taskset -c 0 "$act" 2s:dram_latency 2s:icache
	grep -E '^ Phases: mostly tma_[a-z_]+ \([0-9]+ % of the time\); second: tma_[a-z_]+$' out
	grep -E '^ Over time: +tdstat -I 100ms -- taskset ' out
	# with 5 threads of 14, backend and frontend are within a point of each other
	names=$(printf 'dram_latency,%.0s' 1 2 3 4 5)icache
	"$TDSTAT" -l 1 -o out -- taskset -c 0,1 "$act" -n 14 "4s:$names"
	cat out
	# the larger one and the next, or neither, by the errors: tdstat-output(5)
	awk '
		$1 + 0 > 0 && $2 ~ /^±/ && $3 == "%" { value[$4] = $1; error[$4] = substr($2, length("±") + 1) }
		END {
			b = "tma_backend_bound"; f = "tma_frontend_bound"
			apart = value[b] - value[f]
			if (!(b in value) || !(f in value) || apart > 5 || apart < -5) exit 1
			first = apart > 0 ? b : f; second = apart > 0 ? f : b
			print first, second, apart, error[b] + error[f] }' out >want
	read -r first second apart errors <want
	echo "$first $second $apart $errors"
	grep -E "^ Biggest loss: $first, " out && grep -E "^ Runner-up: $second, " out && return
	# shown errors are rounded
	awk -v apart="$apart" -v errors="$errors" 'BEGIN { exit !(apart < errors + 0.2 && -apart < errors + 0.2) }'
	grep -E '^ Several causes: tma_(backend|frontend)_bound, .*; tma_(backend|frontend)_bound, ' out
}
