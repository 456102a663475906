#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# Metrics of the files: compared with perf's, deep trees, multiplexing of the groups, and
# the known rates of the L2 cache's event.
# machine: adl --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2
# release: spr --no-halt --smp 4,sockets=1,cores=2,threads=2

load helper

@test "levels 1 to 3: each metric as perf has it" {
	emulated
	perf_or_skip
	PERF=$PERF run -0 python3 "$BATS_TEST_DIRNAME/metrics.py" compare 3
	echo "# $TD_MACHINE: ${lines[-1]}" >&3
}

@test "six levels, multiplexed: each metric as if it were measured individually" {
	emulated
	run -0 python3 "$BATS_TEST_DIRNAME/metrics.py" deep
	echo "# $TD_MACHINE: ${lines[-1]}" >&3
}

@test "six levels: levels 1 and 2 of the P-core never take turns" {
	"$TDSTAT" -a -l 6 --all -j --timeout 3000 >out
	jq -es 'any(.level == 6) and
		([.[] | select(.pmu != "cpu_atom" and .level <= 2)] |
		 length == 12 and all(.running > 99.9))' out
	# deeper ones do, and say so
	jq -es '[.[] | select(.level > 2 and .value != null)] |
		length > 60 and any(.running < 50)' out
}

@test "six levels: -v prints the number of groups, and their shares of the time" {
	run -0 --separate-stderr "$TDSTAT" -a -l 6 -v --timeout 2000
	groups=$(grep -c '^group [0-9]*: .* event' <<<"$stderr")
	shares=$(grep -c '^group [0-9]*: .*% of the time' <<<"$stderr")
	((groups > 4 && groups == shares))
	grep -q "^$groups groups" <<<"$stderr"
}

@test "six levels in intervals: a tree each, with its time" {
	run -0 --separate-stderr "$TDSTAT" -a -l 6 -I 500 --interval-count 2
	[ "$(grep -c 'tma_retiring' <<<"$output")" -ge 2 ]
	[ "$(awk '/tma_retiring/ { print $1 }' <<<"$output" | sort -u | wc -l)" -eq 2 ]
}

# The emulated machine counts 16 + (event * 131 + umask * 17) mod 1024 of any
# event in 1024 ns.
@test "L2Requests: the rates of event 0x24 with each umask" {
	emulated
	"$TDSTAT" -a -M L2Requests -j --timeout 3000 >out
	for row in demand_read_hit:0xc1 demand_read_hit_m:0x81 demand_read_hit_es:0x41 \
		demand_read_miss:0x21 rfo_hit:0xc2 rfo_miss:0x22 code_hit:0xc4 \
		code_miss:0x24 hw_prefetch_hit:0xd0 sw_prefetch_miss:0x28; do
		jq -r --arg m "l2_${row%:*}" 'select(.metric == $m) | .value' out >value
		jq -r 'select(.metric == "l2_demand_read_miss") | .value' out >base
		python3 - "$row" <<-'EOS'
			import sys
			def rate(umask):
			    return 16 + (0x24 * 131 + umask * 17) % 1024
			value, base = float(open("value").read()), float(open("base").read())
			want = rate(int(sys.argv[1].split(":")[1], 16)) / rate(0x21)
			print(sys.argv[1], value / base, want)
			sys.exit(abs(value / base / want - 1) > 0.02)
		EOS
	done
}
