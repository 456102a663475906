#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --energy: plans for machines with RAPL and uncore units, reports of recordings with known
# joules, and excluded options.

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

# recording HEAD >FILE: two intervals of half a second, with 30 J and 10 J of the package,
# 3 J of DRAM in each, and 250 and 500 million reads of 64 bytes by two units
recording() {
	HEAD=$1 checks <<-'PYTHON'
		def joules(nr):
		    """In the kernel's unit."""
		    return nr << 32

		pmus = [dict(name="cpu_core", type=4, cpus="0-3"), dict(name="cpu_atom", type=10, cpus="4-7"),
		        dict(name="power", type=30, cpus="0", core=False)]
		pmus += [dict(name=f"uncore_arb_{nr}", type=40 + nr, cpus="0", core=False) for nr in (0, 1)]
		names = [("cpu_core", f"cpu_core/{name}/", 0) for name in (
		    "slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound")]
		names += [("power", f"power/energy-{name}/", group) for name, group in (("pkg", 1), ("ram", 2))]
		names += [(f"uncore_arb_{nr}", f"UNC_ARB_{kind}TRK_REQUESTS.ALL", group) for kind, nr, group in (
		    ("", 0, 3), ("", 1, 4), ("COH_", 0, 5), ("COH_", 1, 6))]
		events = [dict(name=name, pmu=pmu, group=group) for pmu, name, group in names]
		for event in events:
		    if event["pmu"] == "power":
		        event["scale"] = 2**-32
		head = dict(tdstat=1, cpuid="GenuineIntel-6-97-2", smt=False, interval_ms=500, target="system wide", pmus=pmus,
		            topology=[dict(cpu=i, core=i, cluster=i, die=0, socket=0, node=0) for i in range(8)],
		            events=events)
		print(json.dumps({**head, **json.loads(os.environ["HEAD"])}))
		for time, pkg in (0.5, 30), (1.0, 10):
		    values = [1000000000, 250000000, 100000000, 150000000, 500000000, joules(pkg), joules(3),
		              250000000, 500000000, 0, 0]
		    print(json.dumps(dict(time=time, counts=[[i, 0, -1, value, 500000000, 500000000]
		                                             for i, value in enumerate(values)])))
		print(json.dumps(dict(end=dict(elapsed=1.0))))
	PYTHON
}

@test "opened events: the domains of the machine, and the bandwidth events of each unit" {
	copied alderlake
	add_power cores pkg ram
	add_arb
	checks <<-'PYTHON'
		import shutil

		def opened(options):
		    """Type and config of what no core counts, sorted."""
		    return sorted(f"{event.type} {event.config}" for event in events_of(plan(options)) if int(event.type) > 20)

		def cores(options):
		    return [line for line in plan(options).splitlines() if line.startswith("  cpu_")]

		# arch/x86/events/rapl.c: cores 1, package 2, DRAM 3; UNC_ARB_*TRK_REQUESTS.ALL: 0x81 and 0x84, umask 1
		same(opened("--energy -l 1"), ["30 0x1", "30 0x2", "30 0x3", "40 0x181", "40 0x184", "41 0x181", "41 0x184"])
		same(opened("-l 1"), [])
		devices = Path(os.environ["SYSFS_PATH"], "bus/event_source/devices")
		shutil.rmtree(devices / "uncore_arb_1")
		for domain in "cores", "ram":
		    for path in (devices / "power/events").glob(f"energy-{domain}*"):
		        path.unlink()
		same(opened("--energy -l 1"), ["30 0x2", "40 0x181", "40 0x184"])
		# the cores count what they count without it
		assert cores("-l 1")
		same(cores("-l 1 --energy"), cores("-l 1"))
	PYTHON
}

@test "a server: the bandwidth of its memory controllers" {
	copied icelakex
	add_memory_controllers
	# UNC_M_CAS_COUNT.RD and .WR of icelakex/uncore-memory.json: event 4, umasks 0x0f and 0x30
	checks <<-'PYTHON'
		found = [(event.type, event.config) for event in events_of(plan("--energy -l 1"))]
		for unit in "20", "21":
		    same(sorted(config for kind, config in found if kind == unit and config in ("0xf04", "0x3004")),
		         ["0x3004", "0xf04"])
	PYTHON
}

@test "a machine without them: one note each, and the tree is counted" {
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
	assert_equal "${stderr_lines[1]}" "tdstat: --energy: no memory_bandwidth: the files of this model have no formula for it"
}

@test "joules, watts and GB/s of a recording: only rows of packages have them" {
	recording '{}' >rec.jsonl
	COLUMNS_OF_ENERGY=$COLUMNS_OF_ENERGY behind=$behind checks <<-'PYTHON'
		lines = [line.split(",") for line in succeeds("report --energy -x, rec.jsonl").lines]
		head, rows = lines[0], lines[1:]
		same(",".join(head[11:]), f"{os.environ['COLUMNS_OF_ENERGY']},{os.environ['behind']}")
		def column(name):
		    return [row[head.index(name)] for row in rows if row[2] == "package"]
		for name, want in {
		    "energy_pkg": ["30.00", "10.00"], "power_pkg": ["60.00", "20.00"],
		    "energy_ram": ["3.00", "3.00"], "power_ram": ["6.00", "6.00"],
		    # 64 bytes * 750 million in half a second
		    "memory_bandwidth": ["96.00", "96.00"],
		    # values that were not counted are empty, not 0; so are values that a
		    # package lacks
		    "energy_cores": ["", ""], "power_cores": ["", ""], "tma_retiring": ["", ""], "busy": ["", ""],
		    "share": ["", ""],
		}.items():
		    same(column(name), want, name)
		cores = [row for row in rows if row[2] == "cpu_core"]
		same([row[11:18] for row in cores], [[""] * 7] * 2)
		rows = [row for row in report("--energy", "rec.jsonl") if row["pmu"] == "package"]
		same(len(rows), 10)
		for row in rows:
		    same((row["level"], row["share"], row["error"]), (None, None, None))
		same({f"{row['metric']} {row['unit']}" for row in rows},
		     {"energy_pkg J", "energy_ram J", "memory_bandwidth GB/s", "power_pkg W", "power_ram W"})
		# the table has no columns for values that were not recorded
		table = succeeds("report --energy rec.jsonl").out
		assert re.search("^# +time pmu .* J  energy_pkg +W  power_pkg +J  energy_ram +W  power_ram +GB/s  memory_bandwidth$",
		                 table, re.M), table
		same(sum(" package " in line for line in table.splitlines()), 2)
	PYTHON
}

@test "the sum of all intervals: joules add up, watts and GB/s are means" {
	recording '{"energy": true}' >rec.jsonl
	try "$TDSTAT" report --summary rec.jsonl
	tree=$'\n'${output#*Performance}$'\n'
	[[ $output == *Performance* ]]
	for line in '40\.00 +J +energy_pkg' '40\.00 +W +power_pkg' '6\.00 +J +energy_ram' '6\.00 +W +power_ram' '96\.00 +GB/s +memory_bandwidth'; do
		[[ $tree =~ $'\n'\ +$line$'\n' ]] || fail "no $line: $tree"
	done
	[[ $tree == *$'\n package\n'* ]]
}

@test "a recording contains the request; rows other than packages have no values" {
	recording '{"energy": true}' >asked.jsonl
	recording '{}' >not.jsonl
	try "$TDSTAT" report -x, asked.jsonl
	asked=$output
	try "$TDSTAT" report --energy -x, not.jsonl
	assert_same "$asked" "$output"
	try "$TDSTAT" report -x, not.jsonl
	[[ $output == *cpu_core* && $output != *package* ]]
	try "$TDSTAT" report -A -x, asked.jsonl
	[[ $output == *cpu_core* && $output != *package* ]]
	try "$TDSTAT" report --per-socket -x, asked.jsonl
	[[ $output == *,S0,package,*,S0,package,* && $output != *,S0,package,*,S0,package,*,S0,package,* ]]
	# a recording without any of them: a note
	try "$TDSTAT" report --energy -x, "$data/alderlake.jsonl"
	assert_success
	[[ ${stderr_lines[0]} == "tdstat: --energy: no energy_pkg: power/energy-pkg/ was not recorded" ]]
	[[ ${lines[0]} =~ ^([^,]*,){11}"$COLUMNS_OF_ENERGY,$behind"$ ]]
}

@test "the same columns on every machine" {
	for level in 1 2; do
		all=''
		for model in alderlake icelakex skylakex sapphirerapids; do
			try "$TDSTAT" report --energy -x, -l $level "$data/$model-2.jsonl"
			: "${all:=${lines[0]}}"
			assert_equal "${lines[0]}" "$all"
		done
		[[ $all == *",$COLUMNS_OF_ENERGY,$behind" ]]
	done
}

@test "--hybrid-merge: the cores' rows become one, the package keeps its own" {
	copied alderlake
	add_power pkg
	try "$TDSTAT" --dry-run -a --energy --hybrid-merge -l 1
	assert_success
	[[ $stderr != *'left out'* ]]
}

@test "--energy excludes tasks, some CPUs, rows other than packages, and counts" {
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
