#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Work that changes every second: no interval shows the other's numbers.
# machine: adl --no-halt --td 120,10,45,80,30,5,20,40 --td2 30,60,25,140,10,40,10,90 --phase 1000

load helper

# Sleep until about half a second after a change, which is as far from the next one.
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
	# how long tdstat takes to begin is the host's affair: a moment of a change, one time in
	# fifty, is met again and again by rows that are wrong
	for _ in 1 2 3 4; do
		to_mid_phase
		"$TDSTAT" -a -I 1000 --interval-count 8 -x, >out
		run rates phases out --rows 8 --every 1000 --run 1 --pmus cpu_core
		[ "$status" -eq 75 ] || break
	done
	[ "$status" -eq 0 ]
}

@test "intervals of 40 ms: 25 of a kind in turn" {
	emulated
	"$TDSTAT" -a -I 40 --interval-count 100 >out
	rates phases out --rows 100 --every 40 --run 25 --pmus cpu_core
}

@test "the sum of two phases: all nodes agree, within their errors, on how long each was" {
	emulated
	for _ in 1 2 3 4 5 6 7 8; do
		"$TDSTAT" -C 0 -l 2 -j --no-head --error --verdict --timeout 1700ms >out
		cat out >>all
		jq -ec 'select(.verdict) | .verdict | .steady == false and .node != null' out
	done
	python3 - all <<-'EOS'
		import json, sys
		# 255ths of the slots, in the order of topdown-retiring, -bad-spec ...; fetch latency is the 7th
		A, B = (120, 10, 45, 80, 30, 5, 20, 40), (30, 60, 25, 140, 10, 40, 10, 90)
		NODES = ["retiring", "bad_speculation", "frontend_bound", "backend_bound", "heavy_operations",
		         "branch_mispredicts", "fetch_latency", "memory_bound"]
		held = cells = 0
		values = {}
		for row in map(json.loads, open(sys.argv[1])):
		    if "verdict" in row:
		        shares = {}
		        for i, name in enumerate(NODES):
		            # the others are corrected by INT_MISC.UOP_DROPPING
		            if name in ("bad_speculation", "frontend_bound", "fetch_latency"):
		                continue
		            value, error = values["tma_" + name]
		            assert 0 < error < 0.5, (name, error)
		            shares[name] = (value * 2.55 - A[i]) / (B[i] - A[i]), error * 2.55 / abs(B[i] - A[i])
		        weight = sum(e ** -2 for _, e in shares.values())
		        b = sum(s / e ** 2 for s, e in shares.values()) / weight
		        print(f"{b:.4f}", {name: f"{(s - b) / e:.2f}" for name, (s, e) in shares.items()})
		        assert 0.2 < b < 0.8
		        held += sum(abs(s - b) <= e for s, e in shares.values())
		        cells += len(shares)
		        values = {}
		    elif row.get("pmu") == "cpu_core":
		        values[row["metric"]] = row["value"], row["error"]
		print(held, cells)
		assert cells == 40 and held >= 0.9 * cells
	EOS
}
