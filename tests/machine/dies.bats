#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Two dies in each of two sockets: uncore units and energy count for a die, C-states of
# packages for a socket, and metrics combine them with counts of cores (places.py).
# machine: spr --full --watts 65,0,6 --uncore --smp 8,sockets=2,dies=2,cores=1,threads=2

load helper

@test "--per-die: units of each die, with the known rates" {
	emulated
	"$TDSTAT" -a --per-die -j -o out -e uncore_cha_0/event=1/,power/energy-pkg/ -- sleep 1
	jq -r '[.die, .event, (."counter-value" | tonumber) / ."event-runtime"] | join(" ")' out >rates
	cat rates
	# clocks a ns, and watts a ns: 1.5 and 65 of the first die, 0.5 and 65 more of each next one
	awk '{ die = NR > 4 ? NR - 5 : NR - 1 } $2 ~ /cha/ { want = 1.5 + 0.5 * n++ } $2 ~ /power/ { want = 65e-9 * ++m }
		{ bad += $3 < 0.9 * want || $3 > 1.1 * want } END { exit bad || NR != 8 || n != 4 || m != 4 }' rates
}

@test "-M: each row is of its own places: dies, sockets, cores" {
	emulated
	python3 "$BATS_TEST_DIRNAME/places.py" dies
}
