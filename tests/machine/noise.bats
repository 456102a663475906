#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The emulated machine's noise: short intervals differ from the truth, a long count
# does not.
# machine: spr --no-halt --noise 20,7 --smp 4,sockets=1,cores=2,threads=2

load helper

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

@test "rates walk, cycles do not, and a long count is near the truth" {
	"$TDSTAT" -C 0 -I 100 --interval-count 30 -e '{branches,cycles}' -x, -o out
	awk -F, '
	$4 == "branches" { b = $2 }
	$4 == "cycles" && $2 > 0 {
		r = 4 * b / $2
		nr++
		if (r < 0.79 || r > 1.21) wrong++
		if (r > 1.01 || r < 0.99) off++
	}
	END { print nr, wrong, off; exit !(nr == 30 && !wrong && off > 10) }' out
	"$TDSTAT" -C 0 -e '{branches,cycles}' -x, -o out -- sleep 8
	awk -F, '$3 == "branches" { b = $1 } $3 == "cycles" { r = 4 * b / $1 }
		END { print r; exit !(r > 0.95 && r < 1.05) }' out
}

@test "each CPU walks its own way" {
	"$TDSTAT" -a -A -I 100 --interval-count 5 -e branches,cycles -x, -o out
	awk -F, '
	$5 == "branches" { b[$1 $2] = $3 }
	$5 == "cycles" && $3 > 0 { r[int(1000 * b[$1 $2] / $3)]++; nr++ }
	END { for (i in r) different++; print nr, different; exit !(nr == 20 && different >= 10) }' out
}

@test "the fields of PERF_METRICS add up to 255 to 257 of 255" {
	"$TDSTAT" record -a -I 100 --interval-count 20 -o td.json >/dev/null
	python3 - td.json <<-'EOS'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		names = [event["name"] for event in lines[0]["events"]]
		slots = names.index("cpu/slots/") if "cpu/slots/" in names else names.index("slots")
		fields = [i for i, name in enumerate(names) if any(part in name for part in
		          ("topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"))]
		assert len(fields) == 4, names
		seen = set()
		for line in lines[1:]:
		    for cpu in range(4):
		        count = {c[0]: c[3] for c in line.get("counts", []) if c[1] == cpu}
		        if count:
		            seen.add(round(sum(count[i] for i in fields) / count[slots] * 255, 1))
		print(sorted(seen))
		assert len(seen) > 1 and min(seen) > 254.4 and max(seen) < 257.6
	EOS
}
