#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat profile on a kernel whose samples of a command's children contain no counts.
# machine: adl --kernel 6.1 --smp 4,sockets=1,cores=4,threads=1 --cores 2 --sysctl kernel.perf_cpu_time_max_percent=0 --truth tests/emulator/scenarios/alderlake.truth

# shellcheck disable=SC2154 # stderr, of run
load helper

ACT=$BATS_TEST_DIRNAME/../../build/emulator/act

export PYTHONDONTWRITEBYTECODE=1

@test "the command's first thread, with a note; -a has all" {
	[[ $(uname -r) == 6.1.* ]]
	run -0 --separate-stderr timeout -s KILL "$TD_HANGS" "$TDSTAT" profile -j -o out -- \
		taskset -c 0 "$ACT" 1s:dram_latency 1s:icache
	[[ $stderr == *"need Linux 6.12"* ]]
	for scenario in dram_latency icache; do
		TD_NEAR=2 TD_ERRORS=1 python3 "$BATS_TEST_DIRNAME/own.py" is out cpu_core "$scenario" "scenario_$scenario"
	done
	run -0 --separate-stderr timeout -s KILL "$TD_HANGS" "$TDSTAT" profile -a -j -o all -- \
		"$ACT" -n 2 1s:dram_latency
	[[ $stderr != *"Linux 6.12"* ]]
	jq -es 'any(.id == "scenario_dram_latency" and .calls > 100)' all
}
