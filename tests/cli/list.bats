#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat list on saved machines, compared with what plans.py reads from
# the model's JSON files and sysfs.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # jq; output; lists of words; helper.bash
load helper


needs_event_files() {
	[ -d "$TD_PMU_EVENTS" ] || skip "no event files"
}

# list [ARG...]: it succeeds without a message
list() {
	try "$TDSTAT" list "$@"
	assert_success
	assert_no_stderr
}

# nothing PATTERN...: status 64, a line with the reason and one with the remedy
nothing() {
	try "$TDSTAT" list "$@"
	assert_failure 64
	assert_output ''
}

# none SECTION...: status 1, because the usage is right
none() {
	try "$TDSTAT" list "$@"
	assert_failure 1
	assert_output ''
}

# headings: of all that is listed, into headings, a line each, but of tracepoints, which
# there may be
headings() {
	"$TDSTAT" list >.list 2>/dev/null
	headings=''
	mapfile -t lines <.list
	for line in "${lines[@]}"; do
		[[ $line == ' '* || -z $line || $line == Tracepoints* ]] || headings+=${headings:+$'\n'}$line
	done
}

# models NAME...: unpacks them for "machine" of plans.py
models() {
	local model

	for model; do
		saved "$model"
	done
	MODELS=$*
	export MODELS
}

# --- items -----------------------------------------------------------------------

@test "the sections of a hybrid machine, in their order" {
	bare
	needs_event_files
	saved alderlake
	headings
	assert_same "Hardware events:
Cache events:
Events of PMU cpu_core (sysfs):
Events of PMU cpu_atom (sysfs):
Events of alderlake's files, cache:
Events of alderlake's files, floating-point:
Events of alderlake's files, frontend:
Events of alderlake's files, memory:
Events of alderlake's files, other:
Events of alderlake's files, pipeline:
Events of alderlake's files, virtual-memory:
Software events:
Tool events:
Metrics:
Metric groups:" "$headings"
}

@test "the sections of a machine with one core type: no PMU after the names" {
	needs_event_files
	saved skylakex
	headings
	[[ $headings == "Hardware events:
Cache events:
Events of PMU cpu (sysfs):
"*"
Events of skylakex's files, pipeline:
"*"
Software events:
Tool events:
Metrics:
Metric groups:" ]]
	list hw
	refute_output --partial '['
}

@test "hardware: the generic events that the PMU has in sysfs" {
	saved alderlake
	checks <<-'PYTHON'
		same(names("hardware", "hw"), "cycles instructions cache-references cache-misses branches "
		     "branch-misses bus-cycles ref-cycles".split())
		# linux/perf_event.h: CPU_CYCLES 0, BRANCH_MISSES 5; cpu_atom is of type 10
		rows = listed("cycles hw")
		same([(row["pmu"], row["alias"], row["encoding"]) for row in rows if row["name"] == "cycles"],
		     [("cpu_core", "cpu-cycles", "0:0x400000000"), ("cpu_atom", "cpu-cycles", "0:0xa00000000")])
		same([row["encoding"] for row in rows if row["name"] == "branch-misses"], ["0:0x400000005", "0:0xa00000005"])
	PYTHON
	list hw
	assert_line --regexp '^  cycles OR cpu-cycles +\[cpu_core, cpu_atom\]'
	# a kernel that names no events at all
	copied skylakex
	rm -r "$devices/cpu/events"
	list hw
	assert_output --partial stalled-cycles-frontend
}

@test "caches: all that perf_event_open(2) has a number for" {
	saved skylakex
	checks <<-'PYTHON'
		got = {row["name"]: row["encoding"] for row in listed("cache")}
		same(len(got), 32)
		# L1D 0 to NODE 6; read 0, write 1, prefetch 2; access 0, miss 1
		for row in ("L1-dcache-loads 3:0x0", "L1-dcache-load-misses 3:0x10000", "LLC-stores 3:0x102",
		            "L1-icache-prefetch-misses 3:0x10201", "dTLB-store-misses 3:0x10103",
		            "iTLB-load-misses 3:0x10004", "branch-loads 3:0x5", "node-prefetches 3:0x206"):
		    name, encoding = row.split()
		    same(got[name], encoding, name)
	PYTHON
}

@test "sysfs: every event of every PMU, by its terms" {
	bare
	models alderlake skylakex lunarlake sapphirerapids
	checks <<-'PYTHON'
		for model in os.environ["MODELS"].split():
		    machine(model)
		    want = sysfs_events()
		    assert want
		    same(sorted((row["name"], row["encoding"]) for row in listed("sysfs")), want, model)
	PYTHON
}

@test "sysfs: several units of one thing are one, by the name that -e takes" {
	bare
	needs_event_files
	copied skylakex
	for unit in 0 1 5; do
		mkdir -p "$devices/uncore_imc_$unit"/{events,format}
		echo $((20 + unit)) >"$devices/uncore_imc_$unit/type"
		echo 0 >"$devices/uncore_imc_$unit/cpumask"
		echo config:0-7 >"$devices/uncore_imc_$unit/format/event"
		echo config:8-15 >"$devices/uncore_imc_$unit/format/umask"
		echo event=0x04,umask=0x03 >"$devices/uncore_imc_$unit/events/cas_count_read"
		echo MiB >"$devices/uncore_imc_$unit/events/cas_count_read.unit"
		echo 6.103515625e-5 >"$devices/uncore_imc_$unit/events/cas_count_read.scale"
	done
	list --print uncore_imc/cas_count_read/
	assert_output "uncore_imc_0/event=0x4,umask=0x3/
uncore_imc_1/event=0x4,umask=0x3/
uncore_imc_5/event=0x4,umask=0x3/"
	checks <<-'PYTHON'
		same([(row["name"], row["pmu"], row["unit"], row["encoding"]) for row in listed("cas_count_read")],
		     [("uncore_imc/cas_count_read/", "uncore_imc", "MiB", "uncore_imc/event=0x4,umask=0x3/")])
		# so are the files' events of it: skylakex has UNC_M_ ones of the unit iMC
		same(sorted(names("model", "uncore_imc")),
		     sorted({item["EventName"].lower() for _, item in model_files("skylakex")
		             if item.get("Unit") == "iMC" and item.get("EventName")}))
	PYTHON
	list unc_m_cas_count.rd
	assert_line --regexp '^  unc_m_cas_count.rd +\[uncore_imc\]'
}

@test "the model's files: every event of the cores, with topic and encoding" {
	bare
	needs_event_files
	models alderlake skylakex lunarlake sapphirerapids
	checks <<-'PYTHON'
		for model in os.environ["MODELS"].split():
		    machine(model)
		    want = core_events(model)
		    assert len(want) > 50
		    same(sorted((row["name"], row["pmu"], row["topic"], row["encoding"]) for row in listed("model")),
		         want, model)
	PYTHON
}

@test "the model's files: descriptions" {
	bare
	needs_event_files
	saved alderlake
	checks <<-'PYTHON'
		want = []
		for _, item in model_files("alderlake"):
		    if item.get("EventName") and (item.get("Unit") or "").startswith("cpu"):
		        text = item.get("BriefDescription") or ""
		        text += " (deprecated)" * (item.get("Deprecated") == "1")
		        want.append((item["EventName"].lower(), item["Unit"], re.sub(r"\s+", " ", text)))
		assert want
		same(sorted((row["name"], row["pmu"], row["desc"]) for row in listed("model")), sorted(want))
	PYTHON
}

@test "the model's files: an event of both core types is one row" {
	needs_event_files
	saved alderlake
	list dtlb_load_misses.walk_completed
	assert_line --regexp '^  dtlb_load_misses.walk_completed +\[cpu_core, cpu_atom\]'
	list baclears.any
	[[ $output == *baclears* && $output != *baclears*baclears* ]]
	list topdown_bad_speculation.all
	assert_line --regexp '^  topdown_bad_speculation.all +\[cpu_atom\]'
}

@test "metrics: all of the cores, with groups and unit" {
	bare
	needs_event_files
	models alderlake skylakex sapphirerapids
	checks <<-'PYTHON'
		for model in os.environ["MODELS"].split():
		    machine(model)
		    items = [item for _, item in model_files(model) if item.get("MetricName")]
		    without = {item["MetricName"] for item in items if not item.get("ScaleUnit")}
		    unit = "none" if model == "alderlake" else "cpu"
		    want = [(item["MetricName"], item.get("Unit") or unit, item.get("ScaleUnit") or "none",
		             (item.get("MetricGroup") or "").rstrip("; ")) for item in items if of_cores(item)]
		    got = [(row["name"], row["pmu"] or "none",
		            "none" if row["name"] in without else row["unit"] or "none", ";".join(row["groups"]))
		           for row in not_built_in(listed("metric"))]
		    assert want
		    same(sorted(got), sorted(want), model)
	PYTHON
}

# The names that TMA_Metrics-full.csv of intel/perfmon had first in its releases 5.1 and
# 5.2; in 4.8 the first was tma_info_bottleneck_...
@test "list -v: TMA's version, where names of the kernel's files tell it" {
	saved sapphirerapids
	mkdir -p own/spr
	printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-8F,v9,spr,core >own/mapfile.csv
	checks <<-'PYTHON'
		def heading(*names):
		    Path("own/spr/metrics.json").write_text(json.dumps(
		        [{"MetricName": name, "MetricExpr": "1", "BriefDescription": "one"} for name in names]))
		    return run(["list", "-v", "--metrics-dir", "own", "metrics", names[0]]).lines[0]

		same(heading("tma_info_bottleneck_cache_memory_bandwidth"), "Metrics, v9:")
		same(heading("tma_bottleneck_data_cache_memory_bandwidth"), "Metrics, v9, TMA 5.1:")
		same(heading("tma_bottleneck_data_cache_memory_bandwidth", "tma_l3_miss_bound"), "Metrics, v9, TMA 5.2:")
		Path("own/version").write_text("Linux 7.2\n")
		same(heading("tma_l3_miss_bound"), "Metrics, v9 of Linux 7.2, TMA 5.2:")
		result = run("doctor --metrics-dir own")
		assert "own/spr: v9 of Linux 7.2, TMA 5.2, 1 metrics" in result.out + result.err
		result = run("--dry-run -v -a --metrics-dir own")
		assert "own/spr, v9 of Linux 7.2, TMA 5.2" in result.out + result.err
		head = run(["report", "-j", "-i", DATA / "sapphirerapids-2.jsonl", "--metrics-dir", "own",
		            "-M", "tma_l3_miss_bound"]).lines[0]
		same(json.loads(head)["files"], "v9 of Linux 7.2, TMA 5.2")
	PYTHON
}

# Intel's table of the tree, TMA_Metrics-full.csv 5.2, where it has a formula of Panther
# Lake's own; all others are Lunar Lake's.
@test "metrics of Panther Lake: from Intel's table, and those of Lunar Lake" {
	needs_event_files
	[ -e "$TD_PMU_EVENTS/pantherlake" ] || skip "files that do not know it"
	checks <<-'PYTHON'
		ptl, lnl = (listed(f"--model {model} metrics 'tma_*'") for model in ("pantherlake", "lunarlake"))
		formulas = {row["name"]: re.sub("cpu_core@|@", "", row["formula"]) for row in ptl if row["pmu"] == "cpu_core"}
		same(formulas["tma_ind_jump_mispredicts"],
		     "BR_MISP_RETIRED.INDIRECT_JMP / BR_MISP_RETIRED.ALL_BRANCHES * tma_branch_mispredicts")
		same(formulas["tma_decoder0_alone"], r"INST_DECODED.DECODERS\,cmask\=1\,eq\=1 / tma_info_thread_clks")
		assert not re.search(r"tma_lsd\b", json.dumps(ptl))
		# nodes of waiting for memory: DRAM, L3, L2, and hits of L1
		same(formulas["tma_bottleneck_data_cache_memory_latency"].count("tma_memory_bound *"), 4)
		# the same tree but for these nodes
		nodes = [{row["name"] for row in rows if row["pmu"] == "cpu_core" and row["level"]} for rows in (lnl, ptl)]
		same(sorted(nodes[0] ^ nodes[1]), ["tma_decoder0_alone", "tma_lsd"])
		result = succeeds("--dry-run --model pantherlake -a -l 6")
		assert "not supported" not in result.out + result.err
		# a model that the map lacks
		other = succeeds(["--dry-run", "--model", "Panther Lake-R", "-a", "-l", "6"])
		same(other.lines[1:], result.lines[1:])
	PYTHON
}

# These units are not in ScaleUnit, but in the names and descriptions of metrics, and their
# formulas confirm them.
@test "metrics: units that descriptions and names say" {
	needs_event_files
	saved alderlake
	checks <<-'PYTHON'
		rows = listed("metric")
		for name, unit in {
		    "tma_info_memory_l1d_cache_fill_bw": "1GB/s",
		    "tma_info_memory_core_l1d_cache_fill_bw_2t": "1GB/s",
		    "tma_info_system_dram_bw_use": "1GB/s",
		    "tma_info_system_core_frequency": "1GHz",
		    "tma_info_memory_l2mpki": "1per_kinstr",
		    "tma_info_machine_clear_bound_machine_clears_smc_pki": "1per_kinstr",
		    "tma_info_memory_load_miss_real_latency": "1cycles",
		    "tma_info_mem_mix_load_locks_ratio": "1%",
		    "tma_bottleneck_data_cache_memory_latency": "1%",
		    "tma_retiring": "100%",
		    "tma_info_thread_ipc": None,
		    "tma_bottleneck_instruction_fetch_bw": "1%",
		}.items():
		    same({row["unit"] for row in rows if row["name"] == name}, {unit}, name)
		# "(percentage)" of values from 0 to 1, and cycles that are called
		# nanoseconds
		for row in rows:
		    if row["name"] in ("tma_info_system_cpu_utilization", "tma_info_system_mem_read_latency"):
		        same(row["unit"], None, row["name"])
		both = "tma_info_memory_l1d_cache_fill_bw,tma_info_memory_l2mpki"
		record(f"-M {both} --cputype core")
		text = "\n".join(tree(f"-M {both}"))
		assert re.search("^ +[0-9.]+ +GB/s +tma_info_memory_l1d_cache_fill_bw", text, re.M), text
		assert re.search("^ +[0-9.]+ +per_kinstr +tma_info_memory_l2mpki", text, re.M), text
		same(sorted(row["unit"] for row in report(f"-M {both}")), ["GB/s", "per_kinstr"])
	PYTHON
}

# places.bats tests the results of those that tdstat-metrics(7) names.
@test "metrics: formula and threshold are the files'" {
	bare
	needs_event_files
	models alderlake skylakex sapphirerapids
	checks <<-'PYTHON'
		def squeezed(*texts):
		    return tuple(re.sub(r"\s+", " ", text or "none") for text in texts)

		corrected = re.compile("(?i)cpu_utilization|uncore_freq(uency)?|llc_data_read_.*_latency.*|"
		                       "tma_info_system_(power|mem_(dram|pmm)_read_latency)|average_frequency|lpm_cstate_c[036]")
		for model in os.environ["MODELS"].split():
		    machine(model)
		    want = sorted(squeezed(item["MetricName"], item["MetricExpr"], item.get("MetricThreshold"))
		                  for _, item in model_files(model) if item.get("MetricName") and of_cores(item)
		                  and not corrected.fullmatch(item["MetricName"]))
		    assert len(want) > 200
		    same(sorted((row["name"], row["formula"], row["threshold"] or "none")
		                for row in not_built_in(listed("metrics"))
		                if not corrected.fullmatch(row["name"])), want, model)
	PYTHON
}

# The level is in the name of a group: TopdownL3; and a node is in the group of
# the node above it, tma_memory_bound_group.  What begins with tma_info_ are
# figures about the tree, not nodes.
@test "metrics: levels and parents are those of the tree" {
	needs_event_files
	models alderlake skylakex sapphirerapids
	checks <<-'PYTHON'
		for model in os.environ["MODELS"].split():
		    machine(model)
		    want = []
		    for _, item in model_files(model):
		        level = re.search("TopdownL([1-6])", item.get("MetricGroup") or "")
		        name = item.get("MetricName")
		        if name and level and of_cores(item) and not name.startswith("tma_info_"):
		            want.append((name, item.get("Unit") or "cpu", int(level[1])))
		    assert len(want) > 80
		    rows = listed("metrics")
		    same(sorted((row["name"], row["pmu"], row["level"]) for row in rows if row["level"]), sorted(want), model)
		    # each has one parent, one level up on the same PMU, and is in its group
		    nodes = {(row["pmu"], row["name"]): row for row in rows}
		    for row in rows:
		        if row["level"] in (None, 1):
		            same(row["parent"], None, row["name"])
		        else:
		            same(nodes[row["pmu"], row["parent"]]["level"], row["level"] - 1, row["name"])
		            assert f"{row['parent']}_group" in row["groups"], row
		machine("alderlake")
		rows = listed("metrics tma_dram_bound tma_store_fwd_blk tma_cisc tma_retiring tma_info_thread_ipc")
		same([(row["name"], row["pmu"], row["level"], row["parent"]) for row in rows], [
		    ("tma_cisc", "cpu_core", 4, "tma_microcode_sequencer"),
		    ("tma_cisc", "cpu_atom", 3, "tma_ifetch_bandwidth"),
		    ("tma_dram_bound", "cpu_core", 3, "tma_memory_bound"),
		    ("tma_info_thread_ipc", "cpu_core", None, None),
		    ("tma_retiring", "cpu_core", 1, None),
		    ("tma_retiring", "cpu_atom", 1, None),
		    ("tma_store_fwd_blk", "cpu_core", 4, "tma_l1_bound"),
		])
	PYTHON
}

@test "metrics: a model without metric files has levels 1 and 2, as -M has them" {
	needs_event_files
	saved lunarlake
	export TDSTAT_METRICS=$TD_PMU_EVENTS_OLD
	try "$TDSTAT" list -j metrics
	assert_success
	assert_complains 'cpu_core .*no metric files.*built-in'
	assert_complains 'cpu_atom .*no metric files.*built-in'
	assert_equal "${#stderr_lines[@]}" 2
	# the table in the manual page, METRICS
	assert_same "tma_backend_bound 1 null cpu_core,cpu_atom
tma_bad_speculation 1 null cpu_core,cpu_atom
tma_branch_mispredicts 2 tma_bad_speculation cpu_core,cpu_atom
tma_core_bound 2 tma_backend_bound cpu_core,cpu_atom
tma_fetch_bandwidth 2 tma_frontend_bound cpu_core
tma_fetch_latency 2 tma_frontend_bound cpu_core
tma_frontend_bound 1 null cpu_core,cpu_atom
tma_heavy_operations 2 tma_retiring cpu_core
tma_ifetch_bandwidth 2 tma_frontend_bound cpu_atom
tma_ifetch_latency 2 tma_frontend_bound cpu_atom
tma_light_operations 2 tma_retiring cpu_core
tma_machine_clears 2 tma_bad_speculation cpu_core,cpu_atom
tma_memory_bound 2 tma_backend_bound cpu_core
tma_resource_bound 2 tma_backend_bound cpu_atom
tma_retiring 1 null cpu_core,cpu_atom" "$(jq -sr 'map(select(.level)) | group_by(.name)[] |
		"\(.[0].name) \(.[0].level) \(.[0].parent) \(map(.pmu) | join(","))"' <<<"$output")"
	assert_equal "$(jq -r 'select(.level) | .unit' <<<"$output" | sort -u)" 100%
	assert_equal "$(jq -c 'select(.name == "tma_core_bound" and .pmu == "cpu_core").groups' <<<"$output")" \
		'["TopdownL2","tma_L2_group","tma_backend_bound_group"]'
	# they were not requested
	list hw
	# they say why a name of the tree is not there
	nothing tma_dram_bound
	assert_complains 'no metric files'
	assert_complains "'tma_dram_bound'"
}

# Issue 4: who asked (demand reads 1, RFO 2, code 4, prefetches 8 and 0x10) and
# what came of it: hits with modified lines, 0xc0, of these M 0x80, E and S
# 0x40; misses 0x20.
@test "metrics: the requests to the L2 cache, all origins by all results" {
	needs_event_files
	models alderlake lunarlake skylakex sapphirerapids
	checks <<-'PYTHON'
		want = sorted(origin | result for origin in (1, 2, 4, 8, 16) for result in (192, 128, 64, 32))
		for model in os.environ["MODELS"].split():
		    machine(model)
		    rows = listed("metrics L2Requests")
		    formulas = [re.fullmatch(r"cpu@event\\=0x24\\,umask\\=(0x[0-9a-f]*)@", row["formula"]) for row in rows]
		    same(sorted(int(match[1], 0) for match in formulas if match), want, model)
		    same(len({row["pmu"] for row in rows}), 1)
		    assert all(row["desc"] is not None for row in rows)
	PYTHON
}

@test "metrics of other units are in the list where the machine has these" {
	bare
	needs_event_files
	copied skylakex
	"$TDSTAT" list -j metrics >without
	add_memory_controllers
	checks <<-'PYTHON'
		same([row["name"] for row in rows_in(open("without").read()) if row["pmu"] != "cpu"], [])
		got = [(row["name"], row["pmu"]) for row in listed("metrics") if row["pmu"] != "cpu"]
		same(got, sorted((item["MetricName"], "uncore_imc") for _, item in model_files("skylakex")
		                 if item.get("MetricName") and item.get("Unit") == "iMC"))
		units = names("metric", "uncore_imc")
		same(len(units), 2)
		succeeds(["--dry-run", "-a", "-M", ",".join(units)])
	PYTHON
}

@test "every metric and every group that is listed is one that -M takes" {
	needs_event_files
	models alderlake skylakex lunarlake sapphirerapids
	checks <<-'PYTHON'
		for model in os.environ["MODELS"].split():
		    machine(model)
		    for kind in "metrics", "metricgroups":
		        all_of = sorted({row["name"] for row in listed(kind)})
		        assert len(all_of) > 7
		        succeeds(["--dry-run", "-a", "-M", ",".join(all_of)])
		    # one that is in no list is one that -M refuses
		    fails(["--dry-run", "-a", "-M", ",".join([*all_of, "tma_nosuch"])], 64, "tma_nosuch", quiet=False)
	PYTHON
}

@test "--cputype: the list and -M have the same metrics" {
	needs_event_files
	saved alderlake
	checks <<-'PYTHON'
		for kind in "core", "atom":
		    all_of = sorted({row["name"] for row in listed(f"--cputype {kind} metrics")})
		    assert "C6_Pkg_Residency" in all_of
		    succeeds(["--dry-run", "-a", "--cputype", kind, "-M", ",".join(all_of)])
		# only P-cores have it
		fails("list --cputype atom tma_dram_bound", 64)
		fails("--dry-run -a --cputype atom -M tma_dram_bound", 64, quiet=False)
	PYTHON
}

@test "metrics of another directory" {
	needs_event_files
	saved skylakex
	mkdir mine
	echo '[{ "MetricName": "mine", "MetricExpr": "INST_RETIRED.ANY / 2", "ScaleUnit": "1half",
		"MetricGroup": "MyGroup;TopdownL1", "MetricThreshold": "mine > 1", "BriefDescription": "half of them" },
		{ "EventName": "INST_RETIRED.ANY", "EventCode": "0xc0" }]' >mine/pipeline.json
	list --metrics-dir mine -v metrics mine
	assert_output "Metrics:
  mine  half, level 1
          half of them
          MyGroup, TopdownL1
          formula: INST_RETIRED.ANY / 2
          threshold: mine > 1"
	TDSTAT_METRICS=mine list metricgroup MyGroup
	assert_output "Metric groups:
  MyGroup  1 metric: mine"
	nothing MyGroup
}

@test "metric groups: with their metrics, and how many these are" {
	needs_event_files
	saved skylakex
	checks <<-'PYTHON'
		want = {(group, item["MetricName"]) for _, item in model_files("skylakex") if item.get("MetricName")
		        for group in metric_groups(item) if not group.startswith("Default")}
		rows = listed("metricgroup")
		# those of L2Requests are in no file, and Default has others that are not the model's
		[l2] = [row["metrics"] for row in rows if row["name"] == "L2Requests"]
		same(sorted((row["name"], name) for row in rows if not row["name"].startswith("Default")
		            for name in row["metrics"] if name not in l2), sorted(want))
		same(re.findall("[0-9]+ metrics?:", run("list metricgroups").out),
		     [f"{len(row['metrics'])} metric{'s' * (len(row['metrics']) != 1)}:" for row in rows])
	PYTHON
	list TopdownL1
	assert_line '  TopdownL1'
	assert_output --partial "4 metrics: tma_backend_bound, tma_bad_speculation"
	# and the metrics that are in it
	assert_line --regexp '^  tma_retiring'
	# an event of both core types counts once
	saved alderlake
	list metricgroup TopdownL1
	assert_output --partial "4 metrics: tma_backend_bound, tma_bad_speculation"
}

@test "software and tool events" {
	checks <<-'PYTHON'
		rows = listed("sw tool")
		for kind, name, encoding in (
		    ("software", "cpu-clock", "1:0x0"), ("software", "page-faults", "1:0x2"),
		    ("software", "context-switches", "1:0x3"), ("software", "major-faults", "1:0x6"),
		    ("software", "cgroup-switches", "1:0xb"), ("tool", "duration_time", None),
		    ("tool", "user_time", None), ("tool", "system_time", None),
		):
		    assert (kind, name, encoding) in [(r["kind"], r["name"], r["encoding"]) for r in rows], name
		same([row["alias"] for row in rows if row["name"] == "page-faults"], ["faults"])
	PYTHON
}

@test "tracepoints: those of this kernel" {
	[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || skip "this user may not read tracefs"
	checks <<-'PYTHON'
		events = Path("/sys/kernel/tracing/events")
		same(succeeds("list sched:*").lines,
		     ["Tracepoints:", *sorted(f"  sched:{path.parent.name}" for path in events.glob("sched/*/id"))])
		same([row["encoding"] for row in listed("sched:sched_switch")],
		     [f"2:{int((events / 'sched/sched_switch/id').read_text()):#x}"])
		same(sum(":" in line for line in succeeds("list tracepoint").lines), len(list(events.glob("*/*/id"))) + 1)
	PYTHON
}

@test "unreadable tracepoints: a note, or an error if only they were requested" {
	needs_strace
	events=/sys/kernel/tracing/events
	[ -e $events ] || skip "no tracefs"
	saved skylakex
	forbidden() {
		try strace -qqo /dev/null -P $events -e inject=openat:error=EACCES "$TDSTAT" list "$@"
	}
	forbidden
	assert_success
	assert_equal "${#stderr_lines[@]}" 1
	assert_complains 'tracepoints.*may not read'
	assert_line 'Tool events:'
	refute_line Tracepoints:
	# tracepoints were not requested
	forbidden page-faults
	assert_success
	assert_no_stderr
	for pattern in tracepoint 'sched:*'; do
		forbidden "$pattern"
		assert_failure 1
		assert_why_and_remedy '^tdstat: this user may not read' root
	done
	# the name may be a tracepoint
	forbidden sched_switch
	assert_failure 64
	assert_complains 'may not read'
}

@test "a model without files: a note, and the rest" {
	saved skylakex
	export PERF_CPUID=GenuineIntel-6-FF-0
	try "$TDSTAT" list
	assert_success
	assert_complains 'GenuineIntel-6-FF'
	assert_line 'Events of PMU cpu (sysfs):'
	list cache-misses
	none model
	assert_complains 'GenuineIntel-6-FF'
	assert_complains 'model: this machine has none'
	# metrics of sysfs' events, which need no files
	try "$TDSTAT" list -j metrics
	assert_success
	assert_complains 'GenuineIntel-6-FF'
	assert_complains 'no metric files.*built-in'
	checks <<-'PYTHON'
		same(sorted(row["name"] for row in not_built_in(listed("metrics"))),
		     ["tma_backend_bound", "tma_bad_speculation", "tma_frontend_bound", "tma_retiring"])
	PYTHON
}

@test "hw reads no files of the model" {
	needs_strace
	saved alderlake
	strace -o opened -e trace=openat,open "$TDSTAT" list hw >/dev/null
	grep -q cpu_core opened
	run ! grep -e pmu-events -e tracing opened
	strace -o opened -e trace=openat,open "$TDSTAT" list l2_rqsts >/dev/null
	grep -q pmu-events opened
}

@test "--cputype: names of one core type" {
	bare
	needs_event_files
	saved alderlake
	list -j --cputype atom hw cache pmu metric
	jq -es '(map(.pmu) | unique == [null, "cpu_atom"]) and
		(map(select(.pmu == null).kind) | unique == ["metric"])' <<<"$output"
	list --print --cputype core DTLB_LOAD_MISSES.WALK_COMPLETED
	assert_output "cpu_core/event=0x12,umask=0xe/ cpu_core/re12/"
}

# --- patterns ---------------------------------------------------------------------

@test "a word is a part of a name, in any case" {
	needs_event_files
	saved alderlake
	checks <<-'PYTHON'
		events = {item["EventName"].lower() for _, item in model_files("alderlake")
		          if item.get("EventName") and (item.get("Unit") or "").startswith("cpu")}
		want = sorted(name for name in events if "walk_comp" in name)
		assert want
		same(sorted(names("model", "WALK_Comp")), want)
		same(names("sysfs", "mem-loads"), ["cpu_core/mem-loads/", "cpu_core/mem-loads-aux/", "cpu_atom/mem-loads/"])
	PYTHON
	list cpu-cycles
	assert_line --regexp '^  cycles OR cpu-cycles'
}

@test "a glob is a whole name, with or without the PMU" {
	needs_event_files
	saved alderlake
	checks <<-'PYTHON'
		events = {item["EventName"].lower() for _, item in model_files("alderlake")
		          if item.get("EventName") and (item.get("Unit") or "").startswith("cpu")}
		want = sorted(name for name in events if name.startswith("br_inst_retired.n"))
		assert want
		same(sorted(names("model", "'BR_INST_RETIRED.N*'")), want)
		same(names("sysfs", "'mem-load[s]'"), ["cpu_core/mem-loads/", "cpu_atom/mem-loads/"])
		same(names("sysfs", "'cpu_atom/mem-*'"), ["cpu_atom/mem-loads/", "cpu_atom/mem-stores/"])
	PYTHON
	nothing 'walk_compl?'
}

@test "several patterns are or; a section's word is the section" {
	bare
	saved alderlake
	checks <<-'PYTHON'
		sections = ["Cache events:", "Software events:", "Tool events:"]
		same(headings("cache sw tool"), sections)
		same(headings("HWCACHE software Tool"), sections)
		same([line for line in headings("hw page-faul") if "files" not in line],
		     ["Hardware events:", "Software events:"])
		same(headings("sysfs"), ["Events of PMU cpu_core (sysfs):", "Events of PMU cpu_atom (sysfs):"])
		same(headings("pmu"), headings("sysfs model"))
		same(headings("metrics"), ["Metrics:"])
		same(headings("metricgroup"), ["Metric groups:"])
	PYTHON
}

@test "names after metrics or metricgroups apply only to these" {
	needs_event_files
	saved alderlake
	checks <<-'PYTHON'
		# -M tma_mem* includes the members of tma_memory_bound_group
		want = {item["MetricName"] for _, item in model_files("alderlake") if item.get("MetricName")
		        and any(name.startswith("tma_mem") for name in [item["MetricName"], *metric_groups(item)])}
		assert {"tma_dram_bound", "tma_mem_latency"} <= want
		for word in "metric", "metrics":
		    same(names("metric", f"{word} 'tma_mem*'"), sorted(want))
		    same(headings(f"{word} 'tma_mem*'"), ["Metrics:"])
		    # a part of a name; events have it, too
		    same(headings(f"{word} l2"), ["Metrics:"])
		same(headings("metrics TopdownL2"), ["Metrics:"])
		same(headings("metricgroups TopdownL2"), ["Metric groups:"])
		same(names("metricgroup", "metricgroup 'TopdownL?'"), [f"TopdownL{level}" for level in range(1, 7)])
		same(headings("metrics metricgroups L2Requests"), ["Metrics:", "Metric groups:"])
		fails("list metrics page-faults", 64, "'page-faults'")
		why_and_remedy(fails("list metrics tma_dram_bond", 64), "'tma_dram_bond'", "'tma_dram_bound'")
		# with other sections, each is a whole one
		same(names("metric", "sw metrics tma_retiring"), names("metric", "metrics"))
	PYTHON
}

@test "a topic, a PMU and a metric's group are patterns as a whole" {
	needs_event_files
	saved alderlake
	checks <<-'PYTHON'
		files = list(model_files("alderlake"))
		same(names("model", "virtual-memory"),
		     sorted({item["EventName"].lower() for topic, item in files if topic == "virtual-memory"}))
		same({row["pmu"] for row in listed("cpu_atom")}, {"cpu_atom"})
		same(sorted(names("metric", "TopdownL2")),
		     sorted({item["MetricName"] for _, item in files if "TopdownL2" in metric_groups(item)}))
	PYTHON
	nothing virtual-memor
}

@test "-v: descriptions, and the encodings for each PMU" {
	needs_event_files
	saved alderlake
	nothing 'any page size'
	list -v 'ANY page size'
	# the words of the E-cores' event; the P-cores' has others
	assert_line --regexp '^  dtlb_load_misses.walk_completed +\[cpu_atom\]'
	refute_output --partial cpu_core
	assert_line '          cpu_atom/event=0x8,umask=0xe/'
	list -v tma_retiring
	text=$'\n'$output
	[[ $text == *$'\n  tma_retiring '*$'\n  tma_retiring '* ]]
	[[ $text != *$'\n  tma_retiring '*$'\n  tma_retiring '*$'\n  tma_retiring '* ]]
	assert_line '          Default, TopdownL1, tma_L1_group'
}

@test "text: a metric's unit, level and parent follow its name, the rest is below" {
	needs_event_files
	saved skylakex
	list metrics tma_info_thread_ipc tma_dram_bound
	assert_output "Metrics:
  tma_dram_bound       %, level 3, below tma_memory_bound
          This metric estimates how often the CPU was stalled on accesses to
          external memory (DRAM) by loads
          MemoryBound, TmaL3mem, TopdownL3, tma_L3_group,
          tma_memory_bound_group
  tma_info_thread_ipc  Instructions Per Cycle (per Logical Processor)
          Ret, Summary"
	list -v metrics tma_info_thread_ipc
	# the version of the files follows the heading
	[[ ${lines[0]} == "Metrics, v"*: ]]
	assert_same "Metrics:"$'\n'"${output#*$'\n'}" "Metrics:
  tma_info_thread_ipc  Instructions Per Cycle (per Logical Processor)
          Ret, Summary
          formula: INST_RETIRED.ANY / tma_info_thread_clks"
	list -v metrics tma_retiring
	assert_line '  tma_retiring  %, level 1'
	assert_line '          threshold: tma_retiring > 0.7 | tma_heavy_operations > 0.1'
	# a row for each place in the tree
	saved alderlake
	list tma_cisc
	assert_line '  tma_cisc  [cpu_core]  %, level 4, below tma_microcode_sequencer'
	assert_line '  tma_cisc  [cpu_atom]  %, level 3, below tma_ifetch_bandwidth'
	list metrics tma_core_bound
	assert_line '  tma_core_bound  [cpu_core, cpu_atom]  %, level 2, below tma_backend_bound'
}

@test "no match: status 64, the pattern and a similar name" {
	saved alderlake
	nothing cyclez
	assert_why_and_remedy "'cyclez'" "'cycles'"
	nothing metrci
	assert_why_and_remedy "'metrci'" "'metric'"
	nothing nothinglikethis
	assert_why_and_remedy "'nothinglikethis'" 'tdstat list'
	nothing 'X-*-Y'
	assert_why_and_remedy "'X-\*-Y'" 'tdstat list'
	nothing -j cyclez
	# one of several: the others are shown
	try "$TDSTAT" list hw cyclez
	assert_success
	assert_line 'Hardware events:'
	assert_equal "${#stderr_lines[@]}" 1
	assert_complains "'cyclez'.*'cycles'"
}

@test "a close name of the model's files" {
	needs_event_files
	saved skylakex
	nothing INST_RETIRED.ANZ
	assert_why_and_remedy INST_RETIRED.ANZ "'inst_retired.any'"
}

@test "no PMU: the remaining sections" {
	mkdir -p sys/devices/system/cpu proc
	echo 0-1 >sys/devices/system/cpu/online
	use_machine "$PWD"
	PERF_CPUID=GenuineIntel-6-97-2 try "$TDSTAT" list
	assert_success
	PERF_CPUID=GenuineIntel-6-97-2 headings
	assert_same "Software events:
Tool events:" "$headings"
	PERF_CPUID=GenuineIntel-6-97-2 none metrics
	assert_complains 'metrics: this machine has none'
	PERF_CPUID=GenuineIntel-6-97-2 none hw
	assert_complains 'hw: this machine has none'
	PERF_CPUID=GenuineIntel-6-97-2 none --print cycles
	assert_equal "$stderr" "tdstat: cycles: this machine has no PMU for its cores"
	# metrics of other processors are not suggested
	PERF_CPUID=GenuineIntel-6-97-2 try "$TDSTAT" list tma_dram_bound
	assert_failure 64
	assert_equal "${stderr_lines[0]}" "tdstat: nothing is called 'tma_dram_bound'"
	[[ ${stderr_lines[1]} == *"no PMU of its cores: tdstat list --model NAME lists the events of a processor, such as alderlake" ]]
	try "$TDSTAT" list --model alderlake tma_dram_bound
	assert_success
}

# --- how it is shown --------------------------------------------------------------

@test "text: no escapes, and 79 columns but for names that are too long" {
	models alderlake skylakex
	checks <<-'PYTHON'
		for model in os.environ["MODELS"].split():
		    machine(model)
		    for option in "", "-v":
		        text = run(f"list {option}").out
		        assert len(text) > 10000
		        for line in text.split("\n"):
		            assert re.fullmatch("[ -~]*", line) and not line.endswith(" "), repr(line)
		            # a name, and its PMU, are not taken apart; nor is an encoding
		            assert len(line) <= 79 or re.fullmatch(r"  [^ ]+( +\[[a-z_, ]+\])?| +[^ ]+", line), line
	PYTHON
}

@test "text: a description follows the name if it fits there, else it is below" {
	needs_event_files
	saved skylakex
	list sw
	assert_line "  page-faults OR faults         page faults"
	list dtlb_load_misses.walk_completed_4k dtlb_load_misses.stlb_hit
	assert_output "Events of skylakex's files, virtual-memory:
  dtlb_load_misses.stlb_hit
          Loads that miss the DTLB and hit the STLB.
  dtlb_load_misses.walk_completed_4k
          Page walk completed due to a demand data load to a 4K page"
}

@test "-j: an object a line, the same six keys, and the names of the text" {
	models alderlake skylakex
	checks <<-'PYTHON'
		def each_once(names):
		    return [name for i, name in enumerate(names) if i == 0 or names[i - 1] != name]

		kinds = "hardware cache sysfs model software tool tracepoint metric metricgroup".split()
		for model in os.environ["MODELS"].split():
		    machine(model)
		    lines = run("list -j").lines
		    assert len(lines) > 300 and all(re.fullmatch("{.*}", line) for line in lines)
		    rows = [json.loads(line) for line in lines]
		    for row in rows:
		        assert row["kind"] in kinds and isinstance(row["name"], str), row
		        assert row.keys() >= {"pmu", "topic", "desc", "encoding"}, row
		        if row["kind"] == "metric":
		            assert isinstance(row["formula"], str), row
		            assert row.keys() >= {"unit", "groups", "level", "parent", "threshold"}, row
		    # (the kernel tree has a metric with a blank in its name)
		    text = [re.match("  ([^ ]+)", line) for line in run("list").lines]
		    same(each_once([row["name"].split(" ")[0] for row in rows]),
		         each_once([match[1] for match in text if match]), model)
	PYTHON
}

@test "-e takes every listed name, with the listed encoding" {
	bare
	needs_event_files
	models alderlake skylakex lunarlake
	checks <<-'PYTHON'
		for model in os.environ["MODELS"].split():
		    machine(model)
		    rows = listed("hw cache sysfs model sw")
		    all_of = [row["name"] for i, row in enumerate(rows) if i == 0 or rows[i - 1]["name"] != row["name"]]
		    assert len(all_of) > 100
		    printed = []
		    for i in range(0, len(all_of), 1000):
		        printed += [line.split(" ")[0] for line in succeeds(["list", "--print", *all_of[i:i + 1000]]).lines]
		    same(printed, [row["encoding"] for row in rows], model)
	PYTHON
}

@test "a full disk is an error" {
	[ -e /dev/full ] || skip "no /dev/full"
	saved alderlake
	for args in '' -j '--print cycles'; do
		try sh -c '"$TDSTAT" list "$@" >/dev/full' - $args
		assert_failure 1
		assert_complains 'No space left'
	done
}

# --- --print ----------------------------------------------------------------------

# prints EVENT LINE...: --print's lines of an event
prints() {
	local want

	list --print "$1"
	printf -v want '%s\n' "${@:2}"
	assert_same "$want" "$output"$'\n'
}

# By hand from the JSON files (EventCode, UMask, CounterMask, Invert, EdgeDetect,
# MSRIndex 0x3f6 ldlat, 0x3f7 frontend, 0x1a6 offcore_rsp) and sysfs' events and
# format; the PMUs' types are 4 and 10.
@test "--print on Alder Lake" {
	needs_event_files
	saved alderlake
	prints DTLB_LOAD_MISSES.WALK_COMPLETED "cpu_core/event=0x12,umask=0xe/ cpu_core/re12/" \
		"cpu_atom/event=0x8,umask=0xe/ cpu_atom/re08/"
	prints cycles '0:0x400000000 cpu_core/cycles/' '0:0xa00000000 cpu_atom/cycles/'
	prints LLC-load-misses:u '3:0x400010002:u cpu_core/LLC-load-misses/u' \
		'3:0xa00010002:u cpu_atom/LLC-load-misses/u'
	prints cpu_atom/mem-loads/pp "cpu_atom/event=0xd0,umask=0x5,ldlat=0x3/pp"
	prints FRONTEND_RETIRED.LATENCY_GE_8 "cpu_core/event=0xc6,umask=0x1,frontend=0x600806/"
	prints MEM_TRANS_RETIRED.LOAD_LATENCY_GT_128:P "cpu_core/event=0xcd,umask=0x1,ldlat=0x80/P"
	prints OCR.DEMAND_DATA_RD.L3_MISS "cpu_core/event=0x2a,umask=0x1,offcore_rsp=0x3fbfc00001/" \
		"cpu_atom/event=0xb7,umask=0x1,offcore_rsp=0x3f84400001/"
	prints INT_MISC.CLEARS_COUNT "cpu_core/event=0xad,umask=0x1,cmask=0x1,edge=0x1/ cpu_core/r10401ad/"
	prints UOPS_RETIRED.STALL_CYCLES "cpu_core/event=0xc2,umask=0x2,cmask=0x1,inv=0x1/ cpu_core/r18002c2/"
	prints topdown_bad_speculation.all/edge/u "cpu_atom/event=0x73,edge=0x1/u cpu_atom/r40073/u"
	prints slots "cpu_core/event=0x0,umask=0x4/ cpu_core/r400/"
	prints r1a8 "cpu_core/event=0xa8,umask=0x1/ cpu_core/r1a8/" "cpu_atom/event=0xa8,umask=0x1/ cpu_atom/r1a8/"
}

@test "--print on Sapphire Rapids" {
	needs_event_files
	saved sapphirerapids
	prints dtlb_load_misses.walk_completed "cpu/event=0x12,umask=0xe/ re12"
	prints INST_RETIRED.ANY "cpu/event=0xc0/ rc0"
	prints CPU_CLK_UNHALTED.THREAD:k "cpu/event=0x3c/k r3c:k"
	prints OCR.READS_TO_CORE.L3_MISS "cpu/event=0x2a,umask=0x1,offcore_rsp=0x3f3fc04477/"
	prints EXE_ACTIVITY.BOUND_ON_STORES "cpu/event=0xa6,umask=0x40,cmask=0x2/ r20040a6"
	prints CYCLE_ACTIVITY.STALLS_L3_MISS "cpu/event=0xa3,umask=0x6,cmask=0x6/ r60006a3"
	prints cpu/topdown-mem-bound/ "cpu/event=0x0,umask=0x87/ r8700"
	prints branches 0:0x4
}

@test "--print on Skylake-SP" {
	needs_event_files
	saved skylakex
	prints DTLB_LOAD_MISSES.WALK_COMPLETED "cpu/event=0x8,umask=0xe/ re08"
	prints INT_MISC.RECOVERY_CYCLES_ANY "cpu/event=0xd,umask=0x1,any=0x1/ r20010d"
	prints OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE "cpu/event=0xb7,umask=0x1,offcore_rsp=0x10001/"
	prints UOPS_ISSUED.STALL_CYCLES:u "cpu/event=0xe,umask=0x1,cmask=0x1,inv=0x1/u r180010e:u"
	prints FRONTEND_RETIRED.DSB_MISS "cpu/event=0xc6,umask=0x1,frontend=0x11/"
	prints topdown-recovery-bubbles "cpu/event=0xd,umask=0x1,any=0x1,cmask=0x1/ r120010d"
	prints L1-dcache-load-misses 3:0x10000
}

@test "--print on Lunar Lake" {
	needs_event_files
	saved lunarlake
	prints DTLB_LOAD_MISSES.WALK_COMPLETED "cpu_core/event=0x12,umask=0xe/ cpu_core/re12/" \
		"cpu_atom/event=0x8,umask=0xe/ cpu_atom/re08/"
	checks <<-'PYTHON'
		# the files' MSRValue
		[core], [atom] = [[item["MSRValue"].lower() for _, item in model_files("lunarlake")
		                   if item.get("EventName") == "OCR.DEMAND_DATA_RD.L3_MISS" and item["Unit"] == pmu]
		                  for pmu in ("cpu_core", "cpu_atom")]
		same(succeeds("list --print OCR.DEMAND_DATA_RD.L3_MISS").lines,
		     [f"cpu_core/event=0x2a,umask=0x1,offcore_rsp={core}/", f"cpu_atom/event=0xb7,umask=0x1,offcore_rsp={atom}/"])
	PYTHON
	prints mem-loads "cpu_core/event=0xcd,umask=0x1,ldlat=0x3/" "cpu_atom/event=0xd0,umask=0x5,ldlat=0x3/"
	prints instructions:p '0:0x400000001:p cpu_core/instructions/p' \
		'0:0xa00000001:p cpu_atom/instructions/p'
	prints TOPDOWN.SLOTS_P "cpu_core/event=0xa4,umask=0x1/ cpu_core/r1a4/"
	# an Atom term, typed: not one of the other names of the same bits
	prints cpu_atom/event=0xb7,snoop_rsp=0x10/ "cpu_atom/event=0xb7,snoop_rsp=0x10/"
}

# As people gave them to other programs, with what those, or the processor's files, make
# of them.
@test "--print: raw events, renamed ones and those with a second register" {
	needs_event_files
	while read -r model event want; do
		try "$TDSTAT" list --model "$model" --print "$event"
		[[ $status = 0 && $output == "$want" ]] || fail "$model $event: $output$stderr"
	done <<-'E'
		amdzen4 cpu/event=0x1c7/ cpu/event=0x1c7/ r1000000c7
		amdzen4 r1c7 cpu/event=0xc7,umask=0x1/ r1c7
		skylakex r5101c4 cpu/event=0xc4,umask=0x1,config=0x510000/ r5101c4
		skylakex r2005101c4 cpu/event=0xc4,umask=0x1,config=0x200510000/ r2005101c4
		GenuineIntel-6-B7-1 FRONTEND_RETIRED.DSB_MISS cpu_core/event=0xc6,umask=0x1,frontend=0x11/
		GenuineIntel-6-B7-1 FRONTEND_RETIRED.ITLB_MISS cpu_core/event=0xc6,umask=0x1,frontend=0x14/
		skylakex OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_HIT.HITM_OTHER_CORE cpu/event=0xb7,umask=0x1,offcore_rsp=0x10003c0001/
	E
	# names of older files, and of the other core type
	while read -r model event meant; do
		try "$TDSTAT" list --model "$model" --print "$event"
		assert_failure 64
		[[ $stderr == *"no event is called '$event'"*"did you mean '$meant'?" ]] || fail "$model: $stderr"
	done <<-'E'
		skylakex mem_load_retired.l1_miss_ps mem_load_retired.l1_miss
		sapphirerapids TOPDOWN_BE_BOUND.ALL topdown-be-bound
	E
}

@test "--print: bits without a name, or with too many, stay in their word" {
	saved alderlake
	# bits 0-15, 18, 19, 23 and 24-31 have names; all of config1 has three
	prints cpu_core/config=0x100012000c5/ \
		"cpu_core/event=0xc5,cmask=0x1,config=0x10000200000/ cpu_core/r100012000c5/"
	prints cpu_core/config=0x3c,config1=0x7/ "cpu_core/event=0x3c,config1=0x7/"
	prints cpu_core/event=0x3c,config2=0x7/ "cpu_core/event=0x3c,config2=0x7/"
}

@test "--print: groups, lists and several arguments, one line an event" {
	saved skylakex
	list --print '{cycles,r1a8}:u' branches,faults 1:3 0:0x1:k duration_time mem:0x1000/4:rw
	assert_output "0:0x0:u
cpu/event=0xa8,umask=0x1/u r1a8:u
0:0x4
1:0x2
1:0x3
0:0x1:k
duration_time
mem:0x1000/4:rw"
	list --print cpu/event=0x3c,name=mine,percore/
	assert_output "cpu/event=0x3c,percore/"
}

@test "--print: a tracepoint is its id" {
	id=/sys/kernel/tracing/events/sched/sched_switch/id
	[ -r $id ] || skip "this user may not read tracefs"
	list --print sched:sched_switch
	read -r number <$id
	printf -v want '2:0x%x' "$number"
	assert_output "$want"
}

@test "--print: errors as -e has them" {
	saved alderlake
	for event in nosuch cycles:q cpu_core/nosuch=1/ 'cycles,' cpu_core/umask=0x1000/; do
		try "$TDSTAT" list --print "$event"
		assert_failure 64
		printed=$stderr
		assert_complains '\^'
		try "$TDSTAT" --dry-run -a -e "$event"
		assert_equal "$printed" "$stderr"
	done
}

@test "the encoding of --print is the one that is opened" {
	needs_event_files
	models alderlake skylakex
	checks <<-'PYTHON'
		def attributes(event):
		    found = re.findall(r"^  .* (type [0-9].*)", plan(["-e", event]), re.M)
		    assert found, event
		    return found

		for model in os.environ["MODELS"].split():
		    machine(model)
		    for event in ("DTLB_LOAD_MISSES.WALK_COMPLETED", "cycles:u", "LLC-loads", "INST_RETIRED.ANY:k",
		                  "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_128", "FRONTEND_RETIRED.DSB_MISS", "branch-misses"):
		        want = attributes(event)
		        printed = [line.split(" ") for line in succeeds(["list", "--print", event]).lines]
		        same(attributes(",".join(cells[0] for cells in printed)), want, event)
		        # between slashes sysfs' own branch-misses wins
		        if any(len(cells) > 1 for cells in printed) and event != "branch-misses":
		            same(attributes(",".join((cells * 2)[1] for cells in printed)), want, event)
	PYTHON
}

# --- --model ----------------------------------------------------------------------

@test "--model: the same as on the saved machine of that model" {
	needs_event_files
	models alderlake meteorlake lunarlake sapphirerapids icelakex tigerlake
	checks <<-'PYTHON'
		def of_model(options="", **env):
		    """What is known of a model without its sysfs."""
		    rows = listed(f"hw cache sysfs model metrics metricgroups {options}", **env)
		    rows = [row for row in rows if (row["pmu"] or "cpu").startswith("cpu") and "/mem-" not in row["name"]]
		    assert len(rows) > 200
		    # metrics of its units are also in groups
		    return sorted(json.dumps(row) for row in rows if row["kind"] != "metricgroup")

		for model in os.environ["MODELS"].split():
		    machine(model)
		    same(of_model(f"--model {model}", SYSFS_PATH="/nonexistent", PROCFS_PATH="/nonexistent"), of_model(), model)
	PYTHON
}

@test "--model: a directory, a name and an identity mean the same" {
	needs_event_files
	checks <<-'PYTHON'
		want = succeeds("list -j --model alderlake model metrics").out
		for name in ("AlderLake", "Alder Lake", "alder lake", "GenuineIntel-6-97", "GenuineIntel-6-97-2",
		             "GenuineIntel-6-9A-0"):
		    assert run(["list", "-j", "--model", name, "model", "metrics"]).out == want, name
		# these differ only in the stepping
		for model in "skylakex", "cascadelakex":
		    got = {row["name"] for row in listed(f"--model {model} metrics")}
		    files = [item for path in (EVENT_FILES / model).glob("*-metrics.json") for item in json.loads(path.read_text())]
		    same(sorted({item["MetricName"] for item in files if item.get("MetricName")} - got), [], model)
		assert "tma_info_system_mem_pmm_read_latency" in got
	PYTHON
}

@test "--model: each directory of the files has events" {
	needs_event_files
	for folder in "$TD_PMU_EVENTS"/[!c]*/ "$TD_PMU_EVENTS"/c[!o]*/; do # but common
		folder=${folder%/}
		try "$TDSTAT" list -j --model "${folder##*/}" model
		assert_success
		[ "${#lines[@]}" -gt 20 ] || fail "$folder"
	done
}

@test "--model: units outside of the cores have no encodings" {
	needs_event_files
	try "$TDSTAT" list -j --model sapphirerapids model
	assert_success
	jq -es '(map(select(.pmu == "uncore_cha") | .encoding) | unique == [null]) and
		all(.[]; .pmu != "cpu" or .encoding != null)' <<<"$output"
}

@test "--model: an unknown name, with similar ones" {
	try "$TDSTAT" list --model adlerlake
	assert_failure 64
	assert_output ''
	assert_regex "${stderr_lines[0]}" '^tdstat: --model adlerlake: no such processor$'
	assert_regex "${stderr_lines[1]}" "'(alderlake|Alder Lake)'"
	try "$TDSTAT" list --model qqq
	assert_failure 64
	assert_regex "${stderr_lines[1]}" "alderlake, 'Alder Lake' and GenuineIntel-6-97"
}

@test "--model: unknown kinds of events give an error or a note" {
	needs_event_files
	try "$TDSTAT" list --model alderlake tracepoint
	assert_failure 1
	assert_regex "$stderr" "no tracepoints: they belong to a kernel"
	try "$TDSTAT" list --model alderlake sysfs
	assert_success
	assert_regex "$stderr" 'not all events of sysfs are known'
	list --model alderlake metrics tma_retiring
}

@test "--model with --dry-run: the plan of the saved machine" {
	needs_event_files
	# its watchdog and hyper-threading are on; these leave no trace in it
	models alderlake sapphirerapids
	checks <<-'PYTHON'
		for model in os.environ["MODELS"].split():
		    for options in "-l 1", "-e cycles,slots", "-d":
		        machine(model)
		        want = run(f"--dry-run {options} -- true").lines[1:]
		        assert want
		        del os.environ["SYSFS_PATH"], os.environ["PROCFS_PATH"]
		        same(run(f"--dry-run --model {model} {options} -- true").lines[1:], want, model)
	PYTHON
	unset SYSFS_PATH PROCFS_PATH
	try "$TDSTAT" --dry-run -a --per-core --model 'Alder Lake' -l 1
	assert_success
	assert_output --partial 'group 1: cpu_atom, 6 events, CPUs 1'
}

@test "--metrics-dir with files of intel/perfmon: one sentence with the remedy" {
	local what="this is intel/perfmon's form; its scripts/create_perf_json.py writes the kernel's, which tdstat reads"

	mkdir -p perfmon/ADL
	echo '{ "Header": { "Info": "made here" }, "Events": [ { "EventName": "INST_RETIRED.ANY" } ] }' >perfmon/ADL/core.json
	try "$TDSTAT" list --metrics-dir perfmon/ADL --model GenuineIntel-6-97-2 inst_retired
	assert_failure
	assert_equal "${stderr_lines[-1]}" "tdstat: perfmon/ADL/core.json: $what"
	printf '%s\n' 'Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name' \
		GenuineIntel-6-97,V1,/ADL/core.json,hybridcore,0x40,0x1,Core >perfmon/mapfile.csv
	for model in GenuineIntel-6-97-2 alderlake; do
		try "$TDSTAT" list --metrics-dir perfmon --model $model metrics
		assert_failure
		assert_equal "${stderr_lines[-1]}" "tdstat: perfmon/mapfile.csv: $what"
	done
	# the script's own map has no names of columns
	mkdir perfmon/alderlake
	echo '[ { "EventName": "INST_RETIRED.ANY", "EventCode": "0xc0", "Unit": "cpu_core" } ]' >perfmon/alderlake/cache.json
	echo 'GenuineIntel-6-(97|9A|B7|BA|BF),v1.40,alderlake,core' >perfmon/mapfile.csv
	try "$TDSTAT" list --metrics-dir perfmon --model alderlake inst_retired
	assert_success
	assert_output --partial inst_retired.any
}

@test "--metrics-dir with a metric but no tree: the note that the kernel's files have one" {
	mkdir files
	echo '[ { "MetricName": "work", "MetricExpr": "INST_RETIRED.ANY / 2", "Unit": "cpu_core" },
		{ "EventName": "INST_RETIRED.ANY", "EventCode": "0xc0", "Unit": "cpu_core" } ]' >files/metrics.json
	try "$TDSTAT" list --metrics-dir files --model GenuineIntel-6-97-2 metrics
	# the remedy is not to give files, because they were given
	[[ $stderr == *": its metric files have no tree: "*" (the kernel's, which tdstat comes with, may have more)"* ]]
	[[ $stderr != *'newer files'* ]]
}
