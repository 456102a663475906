#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Work that changes every second: no interval shows the other's numbers.
# machine: adl --no-halt --td 120,10,45,80,30,5,20,40 --td2 30,60,25,140,10,40,10,90 --phase 1000

load helper

# Half a second or so behind a change, and as far from the next.
to_mid_phase() {
	local last=''

	while IFS=, read -r _ _ _ _ _ _ retiring _; do
		[ -z "$last" ] || [ "$retiring" = "$last" ] || break
		last=$retiring
	done < <("$TDSTAT" -a --cputype core -I 40 --interval-count 100 -x, 2>/dev/null | sed -u 1d)
	sleep 0.3
}

@test "intervals of 200 ms: five of a kind in turn" {
	emulated
	to_mid_phase
	"$TDSTAT" -a -I 200 --interval-count 24 -x, >out
	rates phases out --rows 24 --every 200 --run 5
}

@test "intervals of a second: one of each kind in turn" {
	emulated
	to_mid_phase
	"$TDSTAT" -a -I 1000 --interval-count 8 -x, >out
	rates phases out --rows 8 --every 1000 --run 1 --pmus cpu_core
}

@test "intervals of 40 ms: 25 of a kind in turn" {
	emulated
	"$TDSTAT" -a -I 40 --interval-count 100 >out
	rates phases out --rows 100 --every 40 --run 25 --pmus cpu_core
}
