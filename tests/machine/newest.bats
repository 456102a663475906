#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2030,SC2031,SC2154 # each test has its own; what "run" sets
# The files that come with tdstat, of the newest kernel, beside the newest perf,
# which has the same ones built in, on the kernel that belongs to them.
# machine: lnl --kernel newest --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2
# release: gnr --kernel newest --no-halt --smp 4,sockets=1,cores=4,threads=1
# release: adl --kernel newest --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2
# release: arl --kernel newest --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2

load helper

@test "levels 1 to 3 of the newest files: each metric as the newest perf has it" {
	emulated
	unset TDSTAT_METRICS
	export PERF TD_PERF_SERIES=newest
	newest_or_skip
	run -0 python3 "$BATS_TEST_DIRNAME/metrics.py" compare 3
	echo "# $TD_MACHINE: ${lines[-1]}" >&3
}

@test "metrics that perf's build makes: names and values are those of the newest perf" {
	emulated
	unset TDSTAT_METRICS
	export PERF TD_PERF_SERIES=newest
	newest_or_skip
	step=7
	[ -z "${TD_EVERYTHING-}" ] || step=1
	run -0 python3 "$BATS_TEST_DIRNAME/metrics.py" generated "$step"
	echo "# $TD_MACHINE: ${lines[0]}; ${lines[-1]}" >&3
}

@test "all levels of the newest files are counted on all cores" {
	emulated
	unset TDSTAT_METRICS
	"$TDSTAT" -a -l 6 --all -j --timeout 3000 >out
	jq -es 'map(select(.level > 2 and .value != null)) | length > 20 and any(.level == 4)' out
}
