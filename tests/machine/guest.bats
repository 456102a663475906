#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Machines without PERF_METRICS: virtual machines, whose host may also forbid events, and
# another program that holds them.
# machine: sprvm --filter 10a4 --no-halt --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/sapphirerapids.truth:dram_latency
# machine: spr --no-halt --smp 4,sockets=1,cores=2,threads=2 --truth tests/emulator/scenarios/sapphirerapids.truth:dram_latency
# release: adlvm --filter 10a4 --no-halt --truth tests/emulator/scenarios/alderlake.truth:dram_latency

# shellcheck disable=SC2154 # helper.bash
load helper

in_guest() {
	[[ $TD_MACHINE == *vm ]] || skip "a machine that has PERF_METRICS"
}

on_host() {
	[[ $TD_MACHINE != *vm ]] || skip "a virtual machine"
}

# tree FILE: metric and value, null where there is none
tree() {
	jq -r 'select(.metric and .level <= 2) | "\(.metric) \(.value)"' "$1" | sort
}

# alike A B: the same nodes, and each within half a point of the other
alike() {
	[ "$(tree "$1" | cut -d' ' -f1)" = "$(tree "$2" | cut -d' ' -f1)" ]
	[ "$(tree "$1" | wc -l)" -eq 12 ]
	join <(tree "$1") <(tree "$2") | awk '
		{ off = $2 > $3 ? $2 - $3 : $3 - $2 }
		$2 == "null" || $3 == "null" || off > 0.5 { print; wrong = 1 }
		END { exit wrong || NR != 12 }'
}

@test "levels 1 and 2 in a virtual machine; an event that its host forbids is no 0" {
	in_guest
	"$TDSTAT" -a -l 2 -j -o out -- sleep 1
	jq -es 'map(select(.metric)) | all(.general_counters)' out
	jq -es 'map(select(.metric == "tma_memory_bound" or .metric == "tma_core_bound"))
		| length == 2 and all(.value == null and (.why | test("the host forbids it")))' out
	# the truth: 69 % backend bound
	jq -es 'map(select(.metric == "tma_backend_bound"))[0].value | . > 68.5 and . < 69.5' out
	jq -es 'map(select(.metric and .level <= 2 and .value == null)) | length == 2' out
	run -0 --separate-stderr "$TDSTAT" -a -l 2 -- sleep 1
	[[ $stderr == *" on general counters, "* ]]
	grep -E '^ +<not supported> +tma_memory_bound' <<<"$stderr"
}

@test "a program in a virtual machine, and its recording" {
	in_guest
	# shellcheck disable=SC2016 # for the other shell
	"$TDSTAT" record -l 2 -o rec -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	"$TDSTAT" report rec >out
	grep -F ' on general counters, ' out
	grep -E '^ +69\.0( ±0\.[0-9]+)? %  tma_backend_bound' out
	grep -E '^ +<not supported> +tma_memory_bound' out
}

@test "doctor reports the counters of a virtual machine" {
	in_guest
	run "$TDSTAT" doctor
	[[ $output == *"PERF_METRICS is not available"* ]]
	[[ $output == *"level 6"* ]]
	# the emulator's option forbids one event, which two nodes of level 2 need
	"$TDSTAT" doctor -j >out || true
	jq -e '[.findings[] | select(.name == "level 2" and .state == "warning")]
		| length == 2 and all(.[]; (.text | test("the host forbids it")) and (.remedy | test("KVM_SET_PMU_EVENT_FILTER")))' out
}

@test "--no-perf-metrics has the same values on the same machine" {
	on_host
	"$TDSTAT" -a -l 2 -j -o with -- sleep 1
	"$TDSTAT" -a -l 2 -j --no-perf-metrics -o without -- sleep 1
	jq -es 'map(select(.metric)) | all(.general_counters)' without
	jq -es 'map(select(.metric)) | all(.general_counters == null)' with
	alike with without
}

@test "another program holds PERF_METRICS: the tree is complete nevertheless" {
	on_host
	perf_or_skip
	"$TDSTAT" -a -l 2 -j -o alone -- sleep 1
	"$PERF" stat -a -e '{slots:D,topdown-retiring:D}' sleep 60 2>/dev/null 3>&- &
	other=$!
	sleep 3
	run -0 --separate-stderr "$TDSTAT" -a -l 2 -j -o beside -- sleep 1
	kill "$other"
	wait "$other" || true
	jq -es 'map(select(.metric)) | all(.general_counters)' beside
	alike alone beside
	# and they are taken again afterwards
	"$TDSTAT" -a -l 2 -j -o after -- sleep 1
	jq -es 'map(select(.metric)) | all(.general_counters == null)' after
}
