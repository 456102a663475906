#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --energy: what is planned for machines with RAPL and uncore units, what is shown
# of recordings with known joules, and what it excludes.

# shellcheck disable=SC2154 # helper.bash
load helper

COLUMNS_OF_ENERGY=energy_pkg,power_pkg,energy_cores,power_cores,energy_ram,power_ram,memory_bandwidth

# add_power DOMAIN...: gives the copy the PMU of RAPL, as Linux shows it
add_power() {
	local power=$devices/power domain nr=1

	mkdir -p "$power"/{events,format}
	echo 30 >"$power/type"
	echo 0 >"$power/cpumask"
	echo config:0-7 >"$power/format/event"
	for domain in cores pkg ram; do
		if [[ " $* " == *" $domain "* ]]; then
			echo "event=0x0$nr" >"$power/events/energy-$domain"
			echo 2.3283064365386962890625e-10 >"$power/events/energy-$domain.scale"
			echo Joules >"$power/events/energy-$domain.unit"
		fi
		nr=$((nr + 1))
	done
}

# The two units of Alder Lake's uncore that see the traffic of the memory.
add_arb() {
	local unit

	for unit in 0 1; do
		mkdir -p "$devices/uncore_arb_$unit/format"
		echo $((40 + unit)) >"$devices/uncore_arb_$unit/type"
		echo 0 >"$devices/uncore_arb_$unit/cpumask"
		echo config:0-7 >"$devices/uncore_arb_$unit/format/event"
		echo config:8-15 >"$devices/uncore_arb_$unit/format/umask"
	done
}

# opened OPTION...: type and config of what no core counts, sorted
opened() {
	"$TDSTAT" --dry-run -a "$@" 2>/dev/null | awk '$2 == "type" && $3 > 20 { print $3, $5 }' | sort | xargs
}

# joules N: N J in the kernel's unit
joules() {
	echo $(($1 * 4294967296))
}

# interval TIME J: a line of a recording with so many joules
interval() {
	jq -nc --argjson time "$1" --argjson pkg "$(joules "$2")" --argjson ram "$(joules 3)" '
		[1000000000, 250000000, 100000000, 150000000, 500000000, $pkg, $ram, 250000000, 500000000, 0, 0] |
		{ time: $time, counts: (to_entries | map([.key, 0, -1, .value, 500000000, 500000000])) }'
}

# recording HEAD: two intervals of half a second, with 30 J and 10 J of the package,
# 3 J of DRAM in each, and 250 and 500 million reads of 64 bytes by two units
recording() {
	jq -nc --argjson more "$1" '
		def events(pmu; group; names): names | map({ name: ., pmu: pmu, group: group });
		def joules(name; group): { name: "power/energy-\(name)/", pmu: "power", group: group, scale: (1 / 4294967296) };
		def unit(nr): { name: "uncore_arb_\(nr)", type: (40 + nr), cpus: "0", core: false };
		{ tdstat: 1, cpuid: "GenuineIntel-6-97-2", smt: false, interval_ms: 500, target: "system wide",
		  pmus: [{ name: "cpu_core", type: 4, cpus: "0-3" }, { name: "cpu_atom", type: 10, cpus: "4-7" },
			{ name: "power", type: 30, cpus: "0", core: false }, unit(0), unit(1)],
		  topology: [range(8) | { cpu: ., core: ., cluster: ., die: 0, socket: 0, node: 0 }],
		  events: (events("cpu_core"; 0; ["slots", "retiring", "bad-spec", "fe-bound", "be-bound"] |
				map(if . == "slots" then . else "topdown-\(.)" end | "cpu_core/\(.)/")) +
			[joules("pkg"; 1), joules("ram"; 2)] +
			events("uncore_arb_0"; 3; ["UNC_ARB_TRK_REQUESTS.ALL"]) +
			events("uncore_arb_1"; 4; ["UNC_ARB_TRK_REQUESTS.ALL"]) +
			events("uncore_arb_0"; 5; ["UNC_ARB_COH_TRK_REQUESTS.ALL"]) +
			events("uncore_arb_1"; 6; ["UNC_ARB_COH_TRK_REQUESTS.ALL"])) } + $more'
	interval 0.5 30
	interval 1.0 10
	echo '{"end":{"elapsed":1.0}}'
}

# column NAME FILE: the values of the package's rows, CSV
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		NR > 1 && $3 == "package" { print $at }' "$2" | xargs
}

@test "what is opened: the domains that there are, and the bandwidth's events of each unit" {
	copied alderlake
	add_power cores pkg ram
	add_arb
	# arch/x86/events/rapl.c: cores 1, package 2, DRAM 3; UNC_ARB_*TRK_REQUESTS.ALL: 0x81 and 0x84, umask 1
	assert_equal "$(opened --energy -l 1)" \
		"30 0x1 30 0x2 30 0x3 40 0x181 40 0x184 41 0x181 41 0x184"
	assert_equal "$(opened -l 1)" ""
	rm -r "$devices"/power "$devices"/uncore_arb_1
	add_power pkg
	assert_equal "$(opened --energy -l 1)" "30 0x2 40 0x181 40 0x184"
	# the cores count what they count without it
	assert_same "$("$TDSTAT" --dry-run -a -l 1 | grep '^  cpu_')" \
		"$("$TDSTAT" --dry-run -a -l 1 --energy | grep '^  cpu_')"
}

@test "a server: the bandwidth of its memory controllers" {
	copied icelakex
	add_memory_controllers
	# UNC_M_CAS_COUNT.RD and .WR of icelakex/uncore-memory.json: event 4, umasks 0x0f and 0x30
	output=$("$TDSTAT" --dry-run -a --energy -l 1 2>/dev/null)
	for unit in 0 1; do
		[ "$(grep -cE "type 2$unit  config 0x(f04|3004)" <<<"$output")" -eq 2 ]
	done
}

@test "a machine without: said once each, and the tree is counted" {
	bare
	saved alderlake
	try "$TDSTAT" --dry-run --energy -a -l 1
	assert_success
	assert_equal "${#stderr_lines[@]}" 2
	[[ ${stderr_lines[0]} == "tdstat: --energy: no energy_pkg: power/energy-pkg/: "* ]]
	[[ ${stderr_lines[1]} == "tdstat: --energy: no memory_bandwidth: UNC_ARB_TRK_REQUESTS.ALL: "* ]]
	assert_line --partial cpu_core/topdown-retiring/
	saved lunarlake
	try "$TDSTAT" --dry-run --energy -a -l 1
	[[ ${stderr_lines[1]} == "tdstat: --energy: no memory_bandwidth: UNC_M_TOTAL_DATA: "* ]]
	export TDSTAT_METRICS=$TD_PMU_EVENTS_OLD
	try "$TDSTAT" --dry-run --energy -a -l 1
	assert_equal "${stderr_lines[1]}" "tdstat: --energy: no memory_bandwidth: the files of this model do not tell it"
}

@test "joules, watts, GB/s of a recording: of the package's rows, no core's" {
	recording '{}' >rec.jsonl
	"$TDSTAT" report --energy -x, rec.jsonl >csv
	cat csv
	assert_equal "$(head -n 1 csv | cut -d, -f12-)" "$COLUMNS_OF_ENERGY,$behind"
	assert_equal "$(column energy_pkg csv)" "30.00 10.00"
	assert_equal "$(column power_pkg csv)" "60.00 20.00"
	assert_equal "$(column energy_ram csv)" "3.00 3.00"
	assert_equal "$(column power_ram csv)" "6.00 6.00"
	# 64 bytes * 750 million in half a second
	assert_equal "$(column memory_bandwidth csv)" "96.00 96.00"
	# what was not counted is empty, not 0; so is what a package has not
	assert_equal "$(column energy_cores csv)$(column power_cores csv)" ""
	assert_equal "$(column tma_retiring csv)$(column busy csv)$(column share csv)" ""
	awk -F, '$3 == "cpu_core" { n++; for (i = 12; i <= 18; i++) if ($i != "") exit 1 } END { exit n != 2 }' csv
	"$TDSTAT" report --energy -j rec.jsonl >json
	jq -es 'map(select(.pmu == "package")) | length == 10 and all(.level == null and .share == null and .error == null) and
		(map("\(.metric) \(.unit)") | unique) == ["energy_pkg J", "energy_ram J", "memory_bandwidth GB/s", "power_pkg W", "power_ram W"]' json
	# the table has no columns for what was not recorded
	"$TDSTAT" report --energy rec.jsonl >table
	grep -E '^# +time pmu .* J  energy_pkg +W  power_pkg +J  energy_ram +W  power_ram +GB/s  memory_bandwidth$' table
	[ "$(grep -c ' package ' table)" -eq 2 ]
}

@test "the sum of all intervals: joules add up, watts and GB/s are means, nothing is a sample" {
	recording '{"energy": true}' >rec.jsonl
	"$TDSTAT" report --summary rec.jsonl >out
	sed -n '/Performance/,$p' out | tee tree
	for line in '40\.00 +J +energy_pkg' '40\.00 +W +power_pkg' '6\.00 +J +energy_ram' '6\.00 +W +power_ram' '96\.00 +GB/s +memory_bandwidth'; do
		grep -E "^ +$line$" tree
	done
	grep -x ' package' tree
}

@test "a recording says that it was asked for; other rows than the packages' have none" {
	recording '{"energy": true}' >asked.jsonl
	recording '{}' >not.jsonl
	assert_same "$("$TDSTAT" report -x, asked.jsonl)" "$("$TDSTAT" report --energy -x, not.jsonl)"
	run ! grep package <<<"$("$TDSTAT" report -x, not.jsonl)"
	run ! grep package <<<"$("$TDSTAT" report -A -x, asked.jsonl)"
	[ "$("$TDSTAT" report --per-socket -x, asked.jsonl | grep -c ',S0,package,')" -eq 2 ]
	# of one that has none of it, it is said
	try "$TDSTAT" report --energy -x, "$data/alderlake.jsonl"
	assert_success
	[[ ${stderr_lines[0]} == "tdstat: --energy: no energy_pkg: power/energy-pkg/ was not recorded" ]]
	assert_equal "$(head -n 1 <<<"$output" | cut -d, -f12-)" "$COLUMNS_OF_ENERGY,$behind"
}

@test "the same columns on every machine" {
	for model in alderlake icelakex skylakex sapphirerapids; do
		recording="$data/$model-2.jsonl"
		for level in 1 2; do
			"$TDSTAT" report --energy -x, -l $level "$recording" 2>/dev/null | head -n 1
		done >"$model"
		assert_same "$(cat alderlake)" "$(cat "$model")"
	done
	[ "$(grep -c ",$COLUMNS_OF_ENERGY,$behind\$" alderlake)" -eq 2 ]
}

@test "--hybrid-merge: the cores' rows become one, the package keeps its own" {
	copied alderlake
	add_power pkg
	try "$TDSTAT" --dry-run -a --energy --hybrid-merge -l 1
	assert_success
	run ! grep 'left out' <<<"$stderr"
}

@test "what it excludes: tasks, some CPUs, other rows than packages', counts" {
	saved alderlake
	while read -r options; do
		# shellcheck disable=SC2086
		try "$TDSTAT" --dry-run --energy $options
		assert_failure 64
		assert_complains '--energy'
	done <<-'OPTIONS'
		-- true
		-p 1
		-C 0
		-a --per-thread
		-a -A
		-a --no-merge
		-a --per-core
		-a --per-die
		-a --per-node
		-a --for-each-cgroup x
		-a --all-user
		-a --all-kernel
		-a -e cycles
		-a -d
		-a --no-multiplex -- true
	OPTIONS
	for options in "" "-a" "-a --per-socket" "-a -l 2" "-a -M tma_l1_bound" "-a --bottlenecks" "-a -- true"; do
		# shellcheck disable=SC2086
		"$TDSTAT" --dry-run --energy $options 2>/dev/null >/dev/null
	done
	try "$TDSTAT" report --energy "$data/manual/xz-events.jsonl"
	assert_failure 64
	assert_complains '--energy'
}
