#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Ten thousand samples a second on eight CPUs: none is lost, or it is said.
# release: adl --sysctl kernel.perf_cpu_time_max_percent=0 --sysctl kernel.nmi_watchdog=0 --truth tests/emulator/scenarios/alderlake.truth

# shellcheck disable=SC2154 # stderr, of run
load helper

ACT=$BATS_TEST_DIRNAME/../../build/emulator/act
SECONDS_OF=${TD_LOSSES_SECONDS:-30}

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

# Each sample is of an interrupt.
interrupts() {
	awk '$1 == "NMI:" { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+$/) sum += $i; print sum }' /proc/interrupts
}

# lost: how many records it says were lost
lost() {
	sed -nE 's/^tdstat: ([0-9]+) records were lost.*/\1/p' <<<"$stderr"
}

@test "tdstat locate: each interrupt is a sample or is reported as lost" {
	before=$(interrupts)
	run -0 --separate-stderr timeout -s KILL $((SECONDS_OF * 4)) "$TDSTAT" locate -F 10000 -e cycles -a -j -o out -- \
		"$ACT" -n 8 "${SECONDS_OF}s:icache"
	after=$(interrupts)
	samples=$(jq -s 'map(.samples) | add' out)
	said=$(lost)
	echo "$((after - before)) interrupts, $samples samples, ${said:-0} lost; $stderr"
	# other records than samples may be lost; an interrupt may find nothing or two counters
	awk -v all="$((after - before))" -v there="$((samples + ${said:-0}))" 'BEGIN {
		exit !(there > 0.98 * all && there < 1.02 * all + 1000) }'
	jq -es 'map(select(.function == "scenario_icache")) | length > 0' out
}

@test "tdstat profile: the slots are all there" {
	run -0 --separate-stderr timeout -s KILL $((SECONDS_OF * 4)) "$TDSTAT" profile -F 10000 -j -o out -- \
		"$ACT" -n 8 "$((SECONDS_OF / 3))s:icache"
	echo "$stderr"
	for pmu in cpu_core cpu_atom; do
		TD_NEAR=2 TD_ERRORS=1 PYTHONDONTWRITEBYTECODE=1 \
			python3 "$BATS_TEST_DIRNAME/own.py" is out $pmu icache scenario_icache
	done
}
