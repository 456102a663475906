#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# An emulated Processor Trace that loses packets: the remaining calls are right.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --pt-lossy 8192 --sysctl kernel.perf_cpu_time_max_percent=0 --sysctl kernel.kptr_restrict=0

# shellcheck disable=SC2154 # traced, of pt.bash
load helper
load pt

# only_overflows: the decoder complains of nothing else
only_overflows() {
	decode e >errors 2>&1
	[ "$(grep -c 'code 7: Overflow packet' errors)" -ge "$1" ]
	[ "$(grep -c 'code 7: Overflow packet' errors)" -eq "$(packets OVF)" ]
	[ "$(grep -c ' code ' errors)" -eq "$(packets OVF)" ]
}

@test "the times of calls, where they were not lost" {
	for cpu in 0 2; do
		record -e intel_pt/cyc/u --filter "filter work @ $traced" -- taskset -c $cpu "$traced" stamps 1000
		only_overflows 3
		decode be -F ip,addr,time >branches 2>&1
		within 4 --lossy
	done
}

@test "a whole program, and the kernel" {
	record -m,4M -e intel_pt/cyc/u -- "$traced" threads 1000
	only_overflows 5
	record -m,4M --kcore -e intel_pt/cyc/ -- "$traced" calls 1000
	only_overflows 5
}
