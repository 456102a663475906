#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The emulated Processor Trace, judged by perf's own decoder, by what the traced
# programs know of themselves, and by their own time stamps.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --pt --sysctl kernel.perf_cpu_time_max_percent=0 --sysctl kernel.kptr_restrict=0

# shellcheck disable=SC2154 # traced, of pt.bash
load helper
load pt

@test "the kernel's description of Processor Trace" {
	cd /sys/bus/event_source/devices/intel_pt
	[ "$(cat caps/num_address_ranges caps/topa_multiple_entries caps/psb_cyc caps/mtc | tr '\n' ' ')" = "2 1 1 1 " ]
	# 2 GHz by a crystal of 25 MHz, and by a bus of 100 MHz
	[ "$(cat tsc_art_ratio max_nonturbo_ratio | tr '\n' ' ')" = "80:1 20 " ]
}

# As many entries and exits as calls: five threads and two processes, which alternate.
@test "a filter of addresses: each call is an entry at the function's start" {
	record -e intel_pt/cyc/u --filter "filter work @ $traced" -- "$traced" threads 500
	decodes -F ip,addr
	[ "$(calls <branches)" -eq 3500 ]
	decode b -F ip,sym,addr | grep -v work && return 1
	# each entry has one exit
	[ "$(packets TIP.PGE)" -eq "$(packets TIP.PGD)" ]
}

@test "times of calls lie between the program's own stamps" {
	for cpu in 0 2; do # 3 GHz and 2 GHz
		for config in cyc,mtc=0 cyc; do
			record -e intel_pt/$config/u --filter "filter work @ $traced" -- \
				taskset -c $cpu "$traced" stamps 200
			decodes -F ip,addr,time
			within 4
		done
	done
}

# Without cycles the time is that of the last MTC: 8 periods of 40 ns.
@test "times only by MTC" {
	record -e intel_pt/mtc_period=3/u --filter "filter work @ $traced" -- "$traced" stamps 200
	decodes -F ip,addr,time
	within 330
}

# Returns are bits of TNT where the trace has seen the call, else packets.
@test "a whole program, with and without the compression of returns" {
	record -e intel_pt/cyc/u -- "$traced" calls 1000
	decodes -F ip,sym,addr,flags
	[ "$(grep -cE 'call +[0-9a-f]+ calls .*work$' branches)" -eq 1000 ]
	[ "$(grep -cE 'return +[0-9a-f]+ work .*calls$' branches)" -eq 1000 ]
	compressed=$(packets TIP)
	record -e intel_pt/cyc,noretcomp=1/u -- "$traced" calls 1000
	decodes -F ip,sym,addr,flags
	[ "$(grep -cE 'return +[0-9a-f]+ work .*calls$' branches)" -eq 1000 ]
	[ "$(packets TIP)" -ge $((compressed + 1000)) ]
}

# libipt's decoder, which is Intel's: no error in seconds of a program, before a release
# in a minute of it.
@test "each instruction of a whole program, by another decoder than perf's" {
	calls=20000
	[ -z "${TD_EVERYTHING-}" ] || calls=2000000
	for config in cyc cyc,noretcomp=1; do
		record -m,64M -e intel_pt/$config/u -- taskset -c 0 "$traced" calls $calls
		"$BATS_TEST_DIRNAME/../../build/tests/machine/followed" data \
			"$(realpath "$traced")" "$(nm "$traced" | awk '$3 == "work" { print $1 }')" >found
		cat found
		[[ $(cat found) =~ ^[0-9]{7,}' instructions, '$calls' there, 0 errors'$ ]]
	done
}

@test "programs that fork, execute and fail" {
	record -m,1M -e intel_pt/cyc/u -- sh -c 'ls / >/dev/null; (exit 3); cat no-such 2>/dev/null; true'
	decodes
	record -m,1M -e intel_pt/cyc/u -- "$traced" threads 200
	decodes -F ip,sym,addr,flags
	[ "$(grep -cE 'return +[0-9a-f]+ work ' branches)" -eq 1400 ]
}

@test "the kernel, and all of a machine" {
	record -m,4M --kcore -e intel_pt/cyc/k -- true
	decodes -F ip,sym
	[ "$(grep -c execve branches)" -gt 0 ]
	record -m,4M --kcore -a -e intel_pt/cyc/ -- true
	decodes -F ip,sym
	# each switch to another program
	[ "$(grep -c __switch_to branches)" -gt 0 ]
}

@test "a trace that stops at an address" {
	record -e intel_pt/cyc/u --filter "tracestop main @ $traced" -- "$traced" calls 10
	decodes -F sym
	run ! grep main branches
	[ "$(packets TraceSTOP)" -ge 1 ]
}

# Bursts, in whose breaks perf reads; a synchronization packet every 2 KB. On CPU 0, because
# Linux 6.12 does not restart an event whose buffer was full on another CPU
# (perf_aux_output_end() sets pending_disable to the number of the CPU).
@test "a buffer that is full stops the trace, which goes on once it was read" {
	record -m,16K -e intel_pt/cyc,psb_period=0/u --filter "filter work @ $traced" -- \
		taskset -c 0 "$traced" bursts 50000
	decode e -D >packets
	[ "$(grep -c 'PERF_RECORD_AUX .*\[T\]' packets)" -ge 2 ]
	decode b -F ip,sym,addr | grep -c "=>.*work" >entries
	[ "$(cat entries)" -ge 100 ]
	[ "$(cat entries)" -lt 1000000 ]
}

# Some 15 bytes a call: the reader is woken when half of it is full, and may be late.
@test "a buffer that is large enough loses no packets" {
	record -m,1M -e intel_pt/cyc,mtc=0/u --filter "filter work @ $traced" -- taskset -c 2 "$traced" calls 50000
	decodes -F ip,addr
	decode e -D >packets
	[ "$(grep -c 'PERF_RECORD_AUX .*\[T\]' packets)" -eq 0 ]
	grep 'PERF_RECORD_AUX .* size: 0x[0-9a-f]\{5\} ' packets
	[ "$(calls <branches)" -eq 50000 ]
}

@test "perf's own tests of Processor Trace" {
	[ -n "${TD_EVERYTHING-}" ] || skip "before a release"
	local shell=$BATS_TEST_DIRNAME/../../build/perf-tests/tools/perf/tests/shell
	mkdir -p bin
	printf '#!/bin/sh\nexec %s "$@"\n' "$(realpath "$PERF")" >bin/perf
	chmod +x bin/perf
	PATH=$PWD/bin:$PATH timeout -s KILL 600 bash "$shell/test_intel_pt.sh" >tests 2>&1
	grep -E '^(---|OK|SKIP|Failed)' tests
	[ "$(grep -c '^OK' tests)" -ge 13 ]
	# features that this machine lacks
	run ! grep -vE '(power_event_trace|tnt_disable|event_trace) is not supported$' <(grep ^SKIP tests)
}
