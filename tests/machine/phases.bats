#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Work that changes every half second: no interval shows the other's numbers.
# machine: adl --no-halt --td 120,10,45,80,30,5,20,40 --td2 30,60,25,140,10,40,10,90 --phase 500

load helper

# A quarter of a second or so behind a change, and as far from the next.
to_mid_phase() {
	local last=''

	while IFS=, read -r _ _ _ _ _ _ retiring _; do
		[ -z "$last" ] || [ "$retiring" = "$last" ] || break
		last=$retiring
	done < <("$TDSTAT" -a --cputype core -I 20 --interval-count 100 -x, 2>/dev/null | sed -u 1d)
	sleep 0.15
}

@test "intervals of 100 ms: five of a kind in turn" {
	emulated
	to_mid_phase
	"$TDSTAT" -a -I 100 --interval-count 24 -x, >out
	rates phases out --rows 24 --every 100 --run 5
}

@test "intervals of half a second: one of each kind in turn" {
	emulated
	to_mid_phase
	"$TDSTAT" -a -I 500 --interval-count 8 -x, >out
	rates phases out --rows 8 --every 500 --run 1 --pmus cpu_core
}

@test "intervals of 20 ms: 25 of a kind in turn" {
	emulated
	"$TDSTAT" -a -I 20 --interval-count 100 >out
	rates phases out --rows 100 --every 20 --run 25 --pmus cpu_core
}
