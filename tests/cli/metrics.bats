#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -M: plans for saved machines, and reports of recordings.  Expected encodings and formulas
# were read from the kernel tree's metric files, by eye or by metrics.py.  Programs in
# Python begin with plans.py.

# shellcheck disable=SC2086,SC2154 # lists of options; helper.bash
load helper

# tsc MODEL: a copy with the time-stamp counter, as Linux has it everywhere
tsc() {
	copied "$1"
	mkdir -p "$devices"/msr/{events,format}
	echo 7 >"$devices/msr/type"
	echo config:0-63 >"$devices/msr/format/event"
	echo event=0x00 >"$devices/msr/events/tsc"
}

# --- names, groups, globs, modifiers ----------------------------------------------

@test "-M with a group of the tree: only the events of its metrics and their thresholds" {
	saved sapphirerapids
	checks <<-'PYTHON'
		# memory and core bound: slots, level 1 and the fields of memory bound
		same(configs("-M tma_backend_bound_group"), "0x400 0x8000 0x8100 0x8200 0x8300 0x8700")
		same(how_many("-M tma_backend_bound_group"), (6, 1))
	PYTHON
}

@test "-M: names in any case, lists, several -M, globs" {
	saved sapphirerapids
	checks <<-'PYTHON'
		both = configs("-M tma_fetch_latency,tma_memory_bound")
		# both want level 1; slots, retiring, bad speculation, ...
		includes(both, "0x400 0x8000 0x8100 0x8200 0x8300 0x8600 0x8700 0x10ad")
		for options in (
		    "-M TMA_fetch_LATENCY -M tma_memory_bound",
		    "-M ' tma_memory_bound , tma_fetch_latency '",
		    "-M 'tma_fetch_l*y,TMA_m[a-e]mory_b?und'",
		    "-M fetch_latency,Memory_bound",
		):
		    same(configs(options), both, options)
		same(configs("-M TopdownL1"), "0x10ad 0x400 0x8000 0x8100 0x8200 0x8300 0x8400")
		same(configs("-M topdownl2"), configs("-M 'Topdown?2'"))
		includes(configs("-M all"), configs("-l 6"))
	PYTHON
}

@test "-M: names that the shell would take apart" {
	saved alderlake
	checks <<-'PYTHON'
		names = [m["MetricName"] for m in metric_file("alderlake/adl-metrics.json")
		         if m.get("Unit") == "cpu_atom" and re.search("[ %]", m.get("MetricName", ""))]
		assert names
		for name in names:
		    succeeds(["--dry-run", "-a", "-M", f"tma_frontend_bound,{name}", "--cputype", "atom"])
		    record(["-M", name, "--cputype", "atom"])
		    same([row["metric"] for row in report(["-M", name])], [name])
	PYTHON
}

@test "-M NAME:u: all of its events in user mode, :k all in the kernel's" {
	saved alderlake
	checks <<-'PYTHON'
		for name in "tma_l2_bound", "tma_heavy_operations", "TopdownL1", "tma_b*":
		    # the TSC of a package knows no modes
		    user, kernel = (
		        [event for event in events_of(plan(["-M", f"{name}:{mode}"])) if not event.name.startswith("msr/")]
		        for mode in "uk"
		    )
		    assert user and kernel, name
		    assert all("exclude_kernel" in e.flags and "exclude_user" not in e.flags for e in user), user
		    assert all("exclude_user" in e.flags for e in kernel), kernel
		fails("--dry-run -a -M tma_l2_bound:z", 64, "tma_l2_bound:z")
	PYTHON
}

@test "-M on a hybrid: on each core PMU that has it" {
	saved alderlake
	checks <<-'PYTHON'
		for options, wanted in (
		    ("-M tma_fetch_latency", ["cpu_core/"]),
		    ("-M tma_ifetch_latency", ["cpu_atom/"]),
		    ("-M tma_core_bound", ["cpu_core/topdown-mem-bound/", "cpu_atom/"]),
		    ("-M tma_core_bound --cputype atom", ["cpu_atom/"]),
		):
		    text = plan(options)
		    assert all(name in text for name in wanted), text
		    for other in "cpu_core/", "cpu_atom/":
		        assert any(name.startswith(other) for name in wanted) or other not in text, text
	PYTHON
}

@test "-M with an unknown name: a similar one, and no command runs" {
	saved sapphirerapids
	checks <<-'PYTHON'
		for names in "tma_bckend_bound", "tma_retiring,tma_bckend_bound", "tma_bckend_bound:u":
		    for how, command in ("--dry-run -a", ""), ("-a", "-- touch ran"), ("record -o rec.jsonl -a", "-- touch ran"):
		        why_and_remedy(fails(f"{how} -M {names} {command}", 64), "tma_bckend_bound", "tma_backend_bound")
		assert not Path("ran").exists() and not Path("rec.jsonl").exists()
		why_and_remedy(fails("--dry-run -a -M TopdwonL1", 64), "TopdwonL1", "TopdownL1")
		fails("--dry-run -a -M zzyzx_42_qqq", 64, "zzyzx_42_qqq")
		for names in "", ",", " ":
		    fails(["--dry-run", "-a", "-M", names], 64)
	PYTHON
}

@test "-M beside -e, and levels that are not there: wrong usage" {
	saved sapphirerapids
	checks <<-'PYTHON'
		for options in "-M tma_retiring -e cycles", "-l 7", "-l -1", "-l x", "--td-level 7", "--td-level 1.5":
		    fails(f"--dry-run -a {options}", 64, "-(M|l|-td-level|-level)")
	PYTHON
}

# --- the options on groups ----------------------------------------------------------

@test "--metric-no-threshold: no event but the formula's own" {
	saved sapphirerapids
	checks <<-'PYTHON'
		same(configs("--metric-no-threshold -M tma_dram_bound"), "0x3c 0x9000947")
		# the threshold needs level 1 and memory bound, too
		includes(configs("-M tma_dram_bound"), "0x3c 0x9000947 0x400 0x8000 0x8100 0x8200 0x8300 0x8700")
	PYTHON
}

@test "identical events are counted once; --metric-no-merge: for each metric" {
	saved sapphirerapids
	checks <<-'PYTHON'
		two = "--metric-no-threshold -M tma_dram_bound,tma_l3_bound"
		# clocks are in both
		same(how_many(two), (3, 1))
		same(how_many(f"{two} --metric-no-merge"), (5, 1))
		text = succeeds("--dry-run -a --metric-no-merge -M TopdownL1,TopdownL2").out
		same(text.count("config 0x400 "), 1)
	PYTHON
}

@test "--metric-no-group: each event a group of its own, but for SLOTS' own" {
	saved sapphirerapids
	checks <<-'PYTHON'
		same(how_many("--metric-no-threshold -M tma_dram_bound,tma_l3_bound --metric-no-group"), (3, 3))
		groups = {}
		for event in events_of(plan("-l 3 --metric-no-group")):
		    groups.setdefault(event.group, []).append(event.config)
		for members in groups.values():
		    fields = [config for config in members if re.fullmatch("0x8[0-7]00", config)]
		    if "0x400" in members:
		        same(len(members), 1 + len(fields), members)
		    else:
		        same((len(members), fields), (1, []), members)
		# the same events, but what leads groups only to count their time
		ungrouped = configs("-l 3 --metric-no-group")
		includes(configs("-l 3"), ungrouped)
		same(configs("-l 2 --metric-no-group"), configs("-l 2"))
	PYTHON
}

@test "-l N: all levels above are in it" {
	for model in sapphirerapids alderlake meteorlake icelakex skylakex tigerlake; do
		saved $model
	done
	checks <<-'PYTHON'
		for model in "sapphirerapids", "alderlake", "meteorlake", "icelakex", "skylakex", "tigerlake":
		    machine(model)
		    for level in 3, 4, 5, 6:
		        includes(configs(f"-l {level}"), configs(f"-l {level - 1} -M TopdownL1"))
	PYTHON
}

# --- where the files are ------------------------------------------------------------

@test "-l 3 without metric files: a note, and levels 1 and 2" {
	saved lunarlake
	export TDSTAT_METRICS=$TD_PMU_EVENTS_OLD
	checks <<-'PYTHON'
		complains(succeeds("--dry-run -a -l 3"), "cpu_core.*no metric files", "cpu_atom.*no metric files")
		same(configs("-l 3"), configs("-l 2"))
		same(succeeds("--dry-run -a -l 2").err, "")
	PYTHON
}

@test "--metrics-dir: the kernel's tree, and one model's directory of it" {
	copied sapphirerapids
	checks <<-'PYTHON'
		level_3 = "-l 3 --metric-no-group"
		spr = str(EVENT_FILES / "sapphirerapids")
		want = configs(level_3)
		assert len(want.split()) > 30, want
		same(configs(f"{level_3} --metrics-dir '{EVENT_FILES}'"), want)
		same(configs(f"{level_3} --metrics-dir '{spr}'"), want)
		same(configs(f"{level_3} --metrics-dir '{spr}/'"), want)
		same(configs(level_3, TDSTAT_METRICS=spr), want)
		same(configs(level_3, TDSTAT_METRICS=""), want)
		# a model that is not in the map, with the files of another
		cpuinfo = Path(os.environ["PROCFS_PATH"], "cpuinfo")
		text = re.sub(r"^(model\t\t: ).*", rf"\g<1>{0xfe}", cpuinfo.read_text(), flags=re.M)
		cpuinfo.write_text(re.sub(r"^(stepping\t: ).*", r"\g<1>0", text, flags=re.M))
		same(configs(f"{level_3} --metrics-dir '{spr}'"), want)
	PYTHON
}

# own_tree: a tree of one model with one metric and its events
own_tree() {
	mkdir -p own/mine
	printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-8F,v1,mine,core >own/mapfile.csv
	printf '%s\n' '[
		{"EventName": "MY.EVENT", "EventCode": "0x24", "UMask": "0x3f"},
		{"MetricName": "my_metric", "MetricExpr": "MY.EVENT / CPU_CLK_UNHALTED.THREAD",
		 "MetricGroup": "Mine", "ScaleUnit": "100%"},
		{"EventName": "CPU_CLK_UNHALTED.THREAD", "UMask": "0x2"}
		]' >own/mine/a.json
}

@test "--metrics-dir and TDSTAT_METRICS: another tree, instead of the program's" {
	saved sapphirerapids
	own_tree
	checks <<-'PYTHON'
		same(configs("-M my_metric --metrics-dir own"), "0x3c 0x3f24")
		same(configs("-M mine --metrics-dir own/"), "0x3c 0x3f24")
		same(configs("-M my_metric", TDSTAT_METRICS="own"), "0x3c 0x3f24")
		# the option comes first
		same(configs("-M my_metric --metrics-dir own", TDSTAT_METRICS="/nonexistent"), "0x3c 0x3f24")
		fails("--dry-run -a -M my_metric", 64)
		fails("--dry-run -a -M tma_dram_bound --metrics-dir own", 64)
	PYTHON
}

@test "--metrics-dir and TDSTAT_METRICS that make no sense: which, and why" {
	saved sapphirerapids
	mkdir empty
	echo hello >file
	own_tree
	checks <<-'PYTHON'
		for folder in "nonexistent", "empty", "file", "/dev/null":
		    fails(f"--dry-run -a -l 3 --metrics-dir {folder}", None, folder)
		    fails("--dry-run -a -l 3", None, folder, quiet=False, TDSTAT_METRICS=folder)
		metric = Path("own/mine/a.json")
		metric.write_text(metric.read_text().replace('"MetricExpr": "', '"MetricExpr": "('))
		fails("--dry-run -a -M my_metric --metrics-dir own", None, "my_metric", quiet=False)
		Path("own/mine/b.json").write_text('[{"EventName": "X"')
		fails("--dry-run -a -M my_metric --metrics-dir own", None, r"own/mine/b\.json", quiet=False)
		table = Path("own/mapfile.csv")
		table.write_text(table.read_text().replace("8F", "8E"))
		fails("--dry-run -a -M my_metric --metrics-dir own", None, "GenuineIntel-6-8F", quiet=False)
	PYTHON
}

@test "--metrics-dir: a FIFO, a socket, a device in it are named, and not waited for" {
	saved sapphirerapids
	own_tree
	checks <<-'PYTHON'
		import socket

		def another(name, kind):
		    result = fails("--dry-run -a -M my_metric --metrics-dir own", 1, f"{name}: {kind}, not a file", quiet=False)
		    same(len(result.err_lines), 1, result.err)
		    complains(run("list metrics", TDSTAT_METRICS="own"), f"{name}: {kind}, not a file")
		    os.remove(f"own/{name}")

		os.mkfifo("own/mine/b.json")
		another("mine/b.json", "a FIFO")
		socket.socket(socket.AF_UNIX).bind("own/mine/b.json")
		another("mine/b.json", "a socket")
		os.symlink("/dev/zero", "own/mine/b.json")
		another("mine/b.json", "a device")
		os.rename("own/mapfile.csv", "map")
		os.mkfifo("own/mapfile.csv")
		another("mapfile.csv", "a FIFO")
		os.rename("map", "own/mapfile.csv")
		same(configs("-M my_metric --metrics-dir own"), "0x3c 0x3f24")
	PYTHON
}

# --- the L2 cache -----------------------------------------------------------------------

@test "L2Requests: the origin (1 2 4 8 10) by the result (miss 20, hit 40 80 c0)" {
	for model in skylakex sapphirerapids icelakex alderlake; do
		saved $model
	done
	checks <<-'PYTHON'
		want = sorted(who | what for who in (1, 2, 4, 8, 16) for what in (32, 64, 128, 192))
		for model in "skylakex", "sapphirerapids", "icelakex", "alderlake":
		    machine(model)
		    text = plan("-M L2Requests")
		    umasks = [int(e.config, 0) >> 8 for e in events_of(text) if re.fullmatch("0x..24", e.config)]
		    same(sorted(umasks), want, model)
		    # Atom cores have no such event
		    assert "cpu_atom/" not in text
	PYTHON
}

@test "cpu=: an event of another PMU on the CPUs of one core type" {
	tsc alderlake
	checks <<-'PYTHON'
		text = succeeds("--dry-run -a -e 'msr/tsc,cpu=cpu_atom/,msr/tsc/'").out
		same(re.findall("CPUs [0-9-]*", text), ["CPUs 4-7", "CPUs 0-7"])
		# in a metric: in the group of an event of that core type, because otherwise
		# it would count a task's time on all
		os.makedirs("own/mine")
		Path("own/mapfile.csv").write_text("Family-model,Version,Filename,EventType\nGenuineIntel-6-97,v1,mine,core\n")
		Path("own/mine/a.json").write_text(json.dumps([{"MetricName": f"of_{kind}", "Unit": kind, "MetricExpr":
		    f"{kind}@event\\=0x3c@ / msr@event\\=0x1\\,cpu\\={kind}@"} for kind in ("cpu_core", "cpu_atom")]))
		groups = {}
		for event in events_of(succeeds("--dry-run -M of_cpu_core --metrics-dir own -- true").out):
		    groups.setdefault(event.group, []).append(event.name)
		event = "msr/event=0x1,cpu=cpu_core/"
		groups = [names for names in groups.values() if event in names]
		assert groups, "not found"
		for names in groups:
		    assert any(n.startswith("cpu_core/") for n in names[:names.index(event)]), names
		# on each core type it is a separate event
		text = succeeds("--dry-run -a -M of_cpu_core,of_cpu_atom --metrics-dir own").out
		assert "cpu=cpu_core/" in text and "cpu=cpu_atom/" in text, text
		# the speed of the time-stamp counter is known
		assert "tsc" not in succeeds("--dry-run -M tma_info_system_cpus_utilized -- true").out
		complains(run("--dry-run -e msr/tsc,cpu=cpu_atom/ -- true"), "takes -a or -C")
		fails("--dry-run -a -e msr/tsc,cpu=3/", 64, "cpu=3: no core type here",
		      "-C chooses CPUs by their numbers", quiet=False)
	PYTHON
}

# --- recordings ---------------------------------------------------------------------------

# finds_all MODEL FILE [PMU...]: level 6 is the whole tree of the file, with each node below
# its parent, and a value for each
finds_all() {
	tsc "$1"
	FILE="$1/$2" PMUS="${*:3}" checks <<-'PYTHON'
		record("-l 6")
		rows = report("-l 6 --all")
		for pmu in os.environ["PMUS"].split():
		    want = sorted(metrics.nodes(EVENT_FILES / os.environ["FILE"], pmu), key=str)
		    assert len(want) > 20, want
		    mine = [row for row in rows if row["pmu"] == pmu]
		    same(sorted(((row["metric"], row["level"], row["parent"]) for row in mine), key=str), want)
		    for row in mine:
		        assert row["value"] is not None and row["unit"] == "%", row
	PYTHON
}

@test "the whole tree from its recording: Sapphire Rapids" { finds_all sapphirerapids spr-metrics.json cpu; }
@test "the whole tree from its recording: Alder Lake" { finds_all alderlake adl-metrics.json cpu_core cpu_atom; }
@test "the whole tree from its recording: Ice Lake" { finds_all icelakex icx-metrics.json cpu; }
@test "the whole tree from its recording: Tiger Lake" { finds_all tigerlake tgl-metrics.json cpu; }
@test "the whole tree from its recording: Skylake" { finds_all skylakex skx-metrics.json cpu; }

@test "Meteor Lake: all metrics except those that need retire latencies, which have the reason" {
	tsc meteorlake
	checks <<-'PYTHON'
		record("-l 6")
		succeeds("report -i recording.jsonl -l 6 --all -v")
		rows = report("-l 6 --all")
		# ":R" in the file, of its own or of its parent's
		latencies = re.compile("tma_(contested_accesses|data_sharing|dtlb_load|dtlb_store|l3_hit_latency|"
		                       "lock_latency|split_(loads|stores)|(load|store)_stlb_hit)")
		for pmu in "cpu_core", "cpu_atom":
		    want = {name for name, _, _ in metrics.nodes(EVENT_FILES / "meteorlake/mtl-metrics.json", pmu)}
		    got = {row["metric"] for row in rows if row["pmu"] == pmu and row["value"] is not None}
		    same(sorted(got - want), [])
		    if pmu == "cpu_atom":
		        same(got, want)
		    else:
		        sampled = {name for name in want if latencies.fullmatch(name)}
		        same(len(sampled), 10)
		        same(sorted(got & sampled), [])
		fails("--dry-run -a -M tma_lock_latency --no-record-tpebs", None, "retire latency", quiet=False)
		result = succeeds("--dry-run -a -v -l 4 --no-record-tpebs")
		complains(result, "tma_lock_latency.*retire latency")
		assert "sampled" not in result.out
	PYTHON
}

@test "Meteor Lake: only metrics that need retire latencies sample them" {
	tsc meteorlake
	checks <<-'PYTHON'
		for option in "", "--record-tpebs":
		    result = succeeds(f"--dry-run -a -M tma_lock_latency {option}")
		    assert "sampled for its latency: cpu_core/MEM_INST_RETIRED.LOCK_LOADS/" in result.lines
		    same(result.out.count("sampled"), 1)
		formulas = [m["MetricExpr"] for m in metric_file("meteorlake/mtl-metrics.json")
		            if re.search("TopdownL[1-6]", m.get("MetricGroup") or "")]
		want = set(re.findall("[A-Z0-9_.]+@R", " ".join(formulas)))
		assert len(want) > 8, want
		same(plan("-l 6 --record-tpebs").count("sampled"), len(want))
		same(plan("-l 2 --record-tpebs").count("sampled"), 0)
	PYTHON
}

@test "retire latencies of a recording: at least thirty samples or no value, and no value is 0" {
	saved meteorlake
	checks <<-'PYTHON'
		record("-l 6")
		head, counts, *rest = [json.loads(line) for line in open("recording.jsonl")]
		head["latencies"] = True

		def sampled(samples):
		    latencies = {"latencies": {"cpu_core/MEM_INST_RETIRED.LOCK_LOADS/": samples}}
		    with open("sampled.jsonl", "w") as out:
		        for line in head, latencies, counts, *rest:
		            print(json.dumps(line), file=out)
		    return run("report sampled.jsonl -l 6 --all -j --cputype core")

		def lock_latency(samples):
		    [row] = [r for r in rows_in(sampled(samples).out) if r["metric"] == "tma_lock_latency"]
		    return row

		one, twenty = lock_latency([30, 30])["value"], lock_latency([800, 40])["value"]
		same(round(twenty / one * 1000), 20000)
		same(lock_latency([580, 29])["value"], None)
		few = lock_latency([0, 100])
		same(few["value"], None)
		assert "fewer than 30 samples" in json.dumps(few), few
		for wrong in [1], [-1, 1], ["a", 1], [70000, 1], 1:
		    complains(sampled(wrong), "latencies")
	PYTHON
}

@test "typed events with R are sampled" {
	saved sapphirerapids
	saved meteorlake
	checks <<-'PYTHON'
		result = succeeds("--dry-run -a -e MEM_INST_RETIRED.LOCK_LOADS:Ru,cycles")
		assert "sampled for its latency: cpu_core/MEM_INST_RETIRED.LOCK_LOADS/Ru" in result.lines
		assert "  cpu_core/MEM_INST_RETIRED" not in result.out
		succeeds("--dry-run -a -e MEM_INST_RETIRED.LOCK_LOADS:R")
		fails("--dry-run -a -e MEM_INST_RETIRED.LOCK_LOADS:R --no-record-tpebs", None,
		      "modifier R.*--no-record-tpebs", quiet=False)
		machine("sapphirerapids")
		fails("--dry-run -a -e MEM_INST_RETIRED.LOCK_LOADS:R", None,
		      "modifier R: samples of this processor do not contain", quiet=False)
	PYTHON
}

@test "--record-tpebs where samples tell no latency" {
	saved sapphirerapids
	checks <<-'PYTHON'
		complains(succeeds("--dry-run -a -l 3 --record-tpebs"), "do not contain retire latencies")
		for options in "--record-tpebs --no-record-tpebs", "--record-tpebs --no-multiplex", "--record-tpebs -G x":
		    fails(f"--dry-run {options} -- true", 64, "exclude each other", quiet=False)
	PYTHON
}

@test "text: children are indented below their parents, as in JSON" {
	for model in sapphirerapids alderlake skylakex; do
		saved $model
	done
	checks <<-'PYTHON'
		for model in "sapphirerapids", "alderlake", "skylakex":
		    machine(model)
		    record("-l 6")
		    printed = metrics.text_nodes(tree("-l 6 --all"))
		    assert len(printed) > 60, printed
		    same(printed, [(row["metric"], row["level"], row["parent"]) for row in report("-l 6 --all")], model)
	PYTHON
}

@test "level 3 and deeper: marked nodes, their siblings and ancestors; --all: all nodes" {
	bare # metrics.py gives each event the PMU of its group, and msr/tsc/ stands in those of cores
	saved sapphirerapids
	checks <<-'PYTHON'
		record("-l 6")
		rows = report("-l 6 --all")
		parent = {row["metric"]: row["parent"] for row in rows}
		parents = [row["parent"] for row in rows if row["over_threshold"]]
		want = set()
		for row in rows:
		    if row["level"] < 3 or row["parent"] in parents:
		        node = row["metric"]
		        while node:
		            want.add(node)
		            node = parent.get(node)
		same(sorted(shown("-l 6")), sorted(want))
		# some are left out
		assert len(want) < len(rows)
		same(sorted(shown("-l 6 --all")), sorted(row["metric"] for row in rows))
		# all of levels 1 and 2 is always there
		same(sorted(shown("-l 2")), sorted(shown("-l 2 --all")))
	PYTHON
}

@test "a node that was measured in another time slice than its parent shows its share" {
	saved sapphirerapids
	checks <<-'PYTHON'
		record("-l 6")
		rows = report("-l 6 --all")
		want = {row["metric"]: row["running"] for row in rows if row["running"] < 99}
		assert len(want) > 40, want
		same(set(want.values()), {25})
		marked = [re.fullmatch(r" .*%  (tma_[a-z0-9_]*) *[?~]? *(?:<-- *)? *\(([0-9]*)\.[0-9] %\)", line)
		          for line in run("report -i recording.jsonl -l 6 --all").lines]
		got = {match[1]: int(match[2]) for match in marked if match}
		same(got, want)
		# levels 1 and 2 share a group
		same([row["running"] for row in rows if row["level"] < 3], [100] * 12)
	PYTHON
}

@test "a node whose events did not all run has no value, and -v gives the reason" {
	saved sapphirerapids
	checks <<-'PYTHON'
		record("-l 3", silent="ICACHE_DATA.STALLS")
		# only that event; no other node is lost
		same([(row["metric"], row["over_threshold"]) for row in report("-l 3 --all") if row["value"] is None],
		     [("tma_icache_misses", None)])
		assert "nan" not in run("report -i recording.jsonl -l 3 --all -x,").out
		result = run("report -i recording.jsonl -l 3 --all -v")
		assert re.search("tma_icache_misses.*ICACHE_DATA.STALLS|ICACHE_DATA.STALLS.*tma_icache_misses",
		                 result.out + result.err, re.S), "no reason"
	PYTHON
}

@test "--td-level N: only that level; -l N: down to it" {
	saved sapphirerapids
	checks <<-'PYTHON'
		record("-l 4")
		def values(rows):
		    return sorted((row["metric"], row["value"]) for row in rows)
		all_levels = report("-l 4 --all")
		for level in 1, 2, 3, 4:
		    alone = report(f"--td-level {level} --all")
		    same({row["level"] for row in alone}, {level})
		    same(values(alone), values(row for row in all_levels if row["level"] == level))
		    same(max(row["level"] for row in report(f"-l {level} --all")), level)
	PYTHON
}

@test "report -M: those of its names and groups, in CSV a column each" {
	saved sapphirerapids
	checks <<-'PYTHON'
		record("-l 4")
		same(sorted(row["metric"] for row in report("-M tma_backend_bound_group")),
		     ["tma_core_bound", "tma_memory_bound"])
		csv = succeeds("report -i recording.jsonl -x, -M tma_icache_misses,tma_memory_bound_group").lines
		same(len(csv), 2)
		columns = csv[0].split(",")
		same(sorted(columns[7:columns.index("ghz")]),
		     sorted(["tma_icache_misses"] + [m["MetricName"] for m in metric_file("sapphirerapids/spr-metrics.json")
		                                     if "tma_memory_bound_group" in (m.get("MetricGroup") or "")]))
		[alone] = report("-M tma_lcp")
		same([alone["value"]], [row["value"] for row in report("-l 4 --all") if row["metric"] == "tma_lcp"])
	PYTHON
}

@test "report -M: a metric that was not recorded, and one that there is not" {
	saved sapphirerapids
	checks <<-'PYTHON'
		record("-l 2")
		fails("report -i recording.jsonl -M tma_icache_misses", 1, r"ICACHE_DATA\.STALLS")
		why_and_remedy(fails("report -i recording.jsonl -M tma_icache_mises", 64),
		               "tma_icache_mises", "tma_icache_misses")
	PYTHON
}

@test "-l 3 of a recording of level 2: levels 1 and 2, with a note if deeper ones are missing" {
	checks <<-'PYTHON'
		def rounded(rows):
		    # the results that two evaluators agree on
		    return sorted((row["time"], row["pmu"], row["metric"], round((row["value"] or 0) * 1e6),
		                   str(row["over_threshold"])) for row in rows)

		for model in "alderlake-2", "sapphirerapids-2", "skylakex-2", "icelakex-2":
		    path = DATA / f"{model}.jsonl"
		    result = run(["report", "-i", path, "-l", 3, "--all", "-j"])
		    assert "make up no" not in result.err, model
		    rows = rows_in(result.out)
		    if not any(row["level"] == 3 for row in rows):
		        complains(result, "level")
		    if result.status == 0:
		        same(rounded(row for row in rows if row["level"] < 3), rounded(report("-l 2", path)), model)
	PYTHON
}

@test "a recording of all levels gives levels 1 and 2 as one of level 2 does" {
	for model in sapphirerapids alderlake icelakex tigerlake; do
		saved $model
	done
	checks <<-'PYTHON'
		def values(rows, last):
		    return sorted((str(row["metric"]), row["pmu"], row["value"], row["level"], row["parent"] or "")
		                  for row in rows if row["level"] <= last)

		for model in "sapphirerapids", "alderlake", "icelakex", "tigerlake":
		    machine(model)
		    record("-l 6")
		    rows = report("-l 6 --all")
		    assert values(rows, 1)
		    same(values(report("-l 2"), 6), values(rows, 2), model)
		    same(values(report(), 6), values(rows, 1), model)
	PYTHON
}

@test "metrics of files on a recording of the built-in level 2" {
	checks <<-'PYTHON'
		path = DATA / "sapphirerapids-2.jsonl"
		values = [row["value"] for row in report("-M tma_memory_bound", path)]
		assert values
		same(values, [row["value"] for row in report("-l 2", path) if row["metric"] == "tma_memory_bound"])
	PYTHON
}

# --- AMD -------------------------------------------------------------------------------------

# amd_agrees FILE: each value and parent at levels 1 and 2, and nothing else
amd_agrees() {
	FILE=$1 checks <<-'PYTHON'
		path = DATA / os.environ["FILE"]
		for level in 1, 2:
		    def key(row):
		        return row[:2]
		    want = sorted(metrics.zen(path, level), key=key)
		    got = sorted(((row["time"], row["metric"], row["value"], row["parent"])
		                  for row in report(f"-l {level}", path)), key=key)
		    assert want
		    same([(*row[:2], row[3]) for row in got], [(*row[:2], row[3]) for row in want])
		    for g, w in zip(got, want):
		        assert abs(g[2] - w[2]) <= 1e-6, (g, w)
	PYTHON
}

@test "AMD Zen 4, multiplexed groups: pipeline levels 1 and 2" { amd_agrees zen4.jsonl; }
@test "AMD Zen 5, two intervals: pipeline levels 1 and 2" { amd_agrees zen5.jsonl; }

@test "AMD: the recordings' processors are those of the map" {
	checks <<-'PYTHON'
		table = [line.split(",") for line in (EVENT_FILES / "mapfile.csv").read_text().splitlines()[1:]
		         if line and line[0] != "#"]
		for model in "zen4", "zen5":
		    with open(DATA / f"{model}.jsonl") as file:
		        head = json.loads(file.readline())
		    cpuid = head["cpuid"].rpartition("-")[0]
		    folders = [row[2] for row in table
		               if re.fullmatch(row[0].replace("[:xdigit:]", "0-9A-Fa-f"), cpuid)]
		    same(folders[:1], [f"amd{model}"])
		    # and every event is one of its files
		    names = {re.sub("[/,].*", "", re.sub("^cpu/", "", event["name"])) for event in head["events"]}
		    known = {item["EventName"] for _, item in model_files(f"amd{model}") if "EventName" in item}
		    same(sorted(names - known), [])
	PYTHON
}

@test "AMD: plain report shows the five categories" {
	checks <<-'PYTHON'
		for model in "zen4", "zen5":
		    sums = {}
		    rows = report("", DATA / f"{model}.jsonl")
		    same({row["metric"] for row in rows},
		         {"backend_bound", "bad_speculation", "frontend_bound", "retiring", "smt_contention"})
		    # they are all of the slots
		    for row in rows:
		        sums[row["time"]] = sums.get(row["time"], 0) + row["value"]
		    assert sums and all(99.9 < value < 100.1 for value in sums.values()), sums
	PYTHON
}

@test "AMD: the tree as text, halves below their whole" {
	checks <<-'PYTHON'
		path = DATA / "zen4.jsonl"
		lines = tree("-l 2", path)
		got = sorted((name, str(parent)) for name, _, parent in metrics.text_nodes(lines))
		same(len(got), 13)
		same(got, sorted((row["metric"], str(row["parent"])) for row in report("-l 2", path)))
		# level 2's group ran two fifths of the time, level 1's three
		same(sum(line.endswith("(40.0 %)") for line in lines), 8)
		assert any(re.match(r" cpu.*, measured 60\.0 % of the time", line) for line in lines), lines
	PYTHON
}

# cpu_core's are shares of cycles below tma_fetch_latency, cpu_atom's shares of
# slots below tma_ifetch_latency.
@test "--hybrid-merge leaves out metrics that differ between core types" {
	saved alderlake
	checks <<-'PYTHON'
		record("-l 3")
		same(sorted(row["parent"] for row in report("-l 3 --all") if row["metric"] == "tma_icache_misses"),
		     ["tma_fetch_latency", "tma_ifetch_latency"])
		names = [row["metric"] for row in report("-l 3 --all --hybrid-merge")]
		assert "tma_icache_misses" not in names and "tma_branch_mispredicts" in names, names
	PYTHON
}

# where the tree is the built-in one, too
@test "NAME:u counts only user space, even without metric files" {
	saved lunarlake
	checks <<-'PYTHON'
		events = [e for e in events_of(succeeds("--dry-run -a -M tma_retiring:u").out) if e.name.startswith("cpu_")]
		assert all("exclude_kernel" in event.flags for event in events), events
		assert sum(bool(re.search("/u", event.name)) for event in events) >= 6, events
		fails("--dry-run -a -M tma_retiring:uu", 64, "twice", quiet=False)
	PYTHON
}

# --- PMUs outside of cores ----------------------------------------------------------

# with_units: a copy of Sapphire Rapids with two memory controllers
with_units() {
	tsc sapphirerapids
	add_memory_controllers
}

@test "PMUs that are no cores' are read once, and only for a name that no core has" {
	needs_strace
	with_units
	# how often the type of the first unit is read
	for options in '0 -l 2' '0 -M tma_retiring' '0 -M tma_dram_bound' '0 -e cycles,inst_retired.any' \
		'0 -M has_no_such_name' '1 -M memory_bandwidth_read,tma_dram_bound' \
		'1 -M tma_retiring,memory_bandwidth_*,uncore_frequency' \
		'1 -e imc/event=1/,cycles,imc/event=2/' '1 -e cycles,no_such_name'; do
		strace -f -e trace=openat -o calls "$TDSTAT" --dry-run -a ${options#* } >/dev/null 2>&1 || true
		mapfile -t calls <calls
		nr=0
		for call in "${calls[@]}"; do
			[[ $call != *'uncore_imc_0/type"'* ]] || nr=$((nr + 1))
		done
		assert_equal "$nr ${options#* }" "$options"
	done
}

@test "the cores' events are the same, whether a name beside them is of another unit" {
	bare
	with_units
	checks <<-'PYTHON'
		def cores(text):
		    return sorted(line for line in text.splitlines() if line.startswith("  cpu/"))
		want = cores(plan("-M tma_dram_bound"))
		assert want
		for names in "tma_dram_bound,memory_bandwidth_read", "memory_bandwidth_read,tma_dram_bound":
		    text = succeeds(f"--dry-run -a -M {names}").out
		    same(cores(text), want, names)
		    same(len(re.findall("^group.*uncore_imc_[01]", text, re.M)), 2)
	PYTHON
}

@test "a PMU that cannot be read is an error only if it is needed" {
	with_units
	echo x >"$devices/uncore_imc_1/type"
	checks <<-'PYTHON'
		for options in "-M memory_bandwidth_read", "-M tma_dram_bound,memory_bandwidth_read", "-e cycles,imc/event=1/":
		    fails(f"--dry-run -a {options}", 1, "uncore_imc_1/type")
		for options in "-M tma_dram_bound", "-e cycles":
		    succeeds(f"--dry-run -a {options}")
	PYTHON
}
