#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Doubts about values in Intel's files: errata of their events, and estimates.

# shellcheck disable=SC2154 # helper.bash
load helper

needs_event_files() {
	[ -d "$TD_PMU_EVENTS" ] || skip "no event files"
}

# hsx [EVENT COUNT]...: "recording", of level 1 on a Haswell-EP, where the front end loses
# most unless counts are named
hsx() {
	"$TDSTAT" --model haswellx -l 1 --dry-run -a 2>/dev/null |
		python3 "$here/metrics.py" record - >plain
	python3 - "$@" >recording <<-'PYTHON'
		import json, sys
		counts = {"topdown-total-slots": 1000, "topdown-slots-retired": 200, "topdown-slots-issued": 220,
		          "topdown-fetch-bubbles": 600, "topdown-recovery-bubbles": 10}
		counts.update(zip(sys.argv[1::2], map(int, sys.argv[2::2])))
		for line in map(json.loads, open("plain")):
		    names = [e["name"].split("/")[1] for e in line.get("events", [])] or names
		    for count in line.get("counts", []):
		        count[3] = 10**6 * counts.get(names[count[0]], 1000)
		    print(json.dumps(line))
	PYTHON
}

# In the kernel's files, words are compared: a name in a formula consists of letters,
# digits, underscores and points.
@test "list: metrics have the errata of the events of their formulas, on all models" {
	needs_event_files
	checks <<-'PYTHON'
		nodes = {}
		for folder in sorted(EVENT_FILES.iterdir()):
		    if not folder.is_dir() or folder.name == "common":
		        continue
		    items = [item for _, item in model_files(folder.name)]
		    errata = {(item["EventName"].lower(), item.get("Unit", "cpu")): set(item["Errata"].split(", "))
		              for item in items if item.get("EventName") and item.get("Errata")}
		    if not errata:
		        continue
		    want = {}
		    for item in items:
		        if item.get("MetricName"):
		            unit, words = item.get("Unit", "cpu"), re.findall(r"[\w.]+", item["MetricExpr"])
		            found = set().union(*(errata.get((word.lower(), unit), ()) for word in words))
		            if found:
		                want[item["MetricName"], unit] = found
		                level = re.search(r"TopdownL\d", item.get("MetricGroup", ""))
		                nodes[folder.name] = nodes.get(folder.name, 0) + bool(level)
		    for options in [], ["--metrics-dir", str(EVENT_FILES)]:
		        lines = run(["list", "-j", "--model", folder.name, *options, "metrics", "model"]).lines
		        for kind, wanted in ("metric", want), ("model", errata):
		            got = {(row["name"], row["pmu"]): row["errata"] for row in map(json.loads, lines)
		                   if row["kind"] == kind and "errata" in row}
		            same({key: set(ids) for key, ids in got.items()}, wanted)
		            assert all(ids == sorted(set(ids)) for ids in got.values()) or kind == "model"
		# there is something to find
		assert nodes["alderlake"] and nodes["skylakex"] and nodes["haswellx"] > nodes["broadwellx"] > 10, nodes
	PYTHON
}

@test "list -v names errata of metrics and of events" {
	needs_event_files
	try "$TDSTAT" list -v --model alderlake metrics tma_mem_latency
	assert_success
	assert_line '          errata: ADL038'
	try "$TDSTAT" list -v --model alderlake offcore_requests_outstanding.cycles_with_data_rd
	assert_success
	assert_line '          errata: ADL038'
	try "$TDSTAT" list --model alderlake metrics tma_mem_latency
	assert_success
	refute_line --partial ADL038
}

# The built-in tree has no files to read: it has to say the same.
@test "levels that are built in have the errata of the files, as level 1 of Haswell" {
	needs_event_files
	checks <<-'PYTHON'
		for model, level in ("haswell", 1), ("haswellx", 1), ("broadwellx", 1), ("skylakex", 2):
		    files = {row["name"]: row.get("errata") for row in map(json.loads,
		             run(["list", "-j", "--model", model, "metrics"]).lines)}
		    plan = run(["--model", model, f"-l{level}", "--dry-run", "-a"]).lines
		    recording = "\n".join(map(json.dumps, metrics.recording(plan)))
		    rows = [json.loads(line) for line in run(["report", f"-l{level}", "-j", "-"], stdin=recording).lines]
		    shown = {row["metric"]: row.get("errata") for row in rows if "metric" in row}
		    assert len(shown) == (4, 12)[level - 1], shown
		    same(shown, {name: files[name] for name in shown})
	PYTHON
}

@test "a tree marks nodes with errata, and one line explains the mark" {
	hsx
	try "$TDSTAT" report recording
	assert_success
	marked=0 legend=0
	for line in "${lines[@]}"; do
		[[ $line != *tma_*'  !'* ]] || marked=$((marked + 1))
		[[ $line != '  ! '* ]] || legend=$((legend + 1))
	done
	assert_equal "$marked $legend" '1 1'
	assert_line --regexp '^      60\.0 .*%  tma_frontend_bound  ! +<--$'
	refute_line --partial HSD135
	try "$TDSTAT" report -v recording
	assert_success
	assert_line --regexp '^ +errata: HSD135$'
}

@test "a verdict mentions errata of the nodes that it names" {
	hsx
	try "$TDSTAT" report recording
	assert_line --regexp '^ Biggest loss: tma_frontend_bound, '
	assert_line ' In doubt: tma_frontend_bound (events with errata; -v names them)'
	"$TDSTAT" report -j --verdict recording >rows
	assert_equal "$(jq -c 'select(.verdict).verdict.in_doubt' rows)" '["tma_frontend_bound"]'
	assert_equal "$(jq -c 'select(.errata) | [.metric, .errata]' rows)" '["tma_frontend_bound",["HSD135"]]'
	# the biggest loss is the back end, and the runner-up bad speculation
	hsx topdown-fetch-bubbles 50 topdown-slots-issued 280
	try "$TDSTAT" report recording
	assert_line --regexp '^ Biggest loss: tma_backend_bound, '
	refute_line --partial 'In doubt'
	assert_line --partial 'tma_frontend_bound  !'
	"$TDSTAT" report -j --verdict recording >rows
	assert_equal "$(jq -c 'select(.verdict).verdict | has("in_doubt")' rows)" false
}

@test "without errata there is no mark, no line and no key; CSV never has them" {
	needs_event_files
	try "$TDSTAT" report -v -l 2 "$data/skylakex-2.jsonl"
	assert_success
	[[ $output != *'  !'* && $output != *rrata* ]]
	"$TDSTAT" report -j -l 2 "$data/skylakex-2.jsonl" >rows
	assert_equal "$(jq -n '[inputs | select(.errata)] | length' rows)" 0
	hsx
	"$TDSTAT" report -x, recording >rows
	[[ $(<rows) != *rrata* && $(<rows) != *HSD135* && $(<rows) != *'!'* ]]
}

@test "explain names only the errata of this processor" {
	needs_event_files
	try "$TDSTAT" explain --model haswellx frontend_bound
	assert_success
	assert_line '  errata:  HSD135: its events may count wrongly on cpu'
	# metrics without a built-in text
	try "$TDSTAT" explain --model sierraforest tma_info_br_inst_mix_ipcall
	assert_success
	assert_line '  errata:  SRF6, SRF7: its events may count wrongly on cpu'
	try "$TDSTAT" explain --model broadwellx frontend_bound
	assert_success
	refute_line --partial errata
}

# --- estimates --------------------------------------------------------------------

@test "list and explain say which metrics their descriptions call estimates" {
	needs_event_files
	checks <<-'PYTHON'
		for model in "alderlake", "skylakex", "sierraforest", "amdzen4":
		    want = {(item["MetricName"], item.get("Unit", "cpu")) for _, item in model_files(model)
		            if re.search("estimat|approximat", item.get("BriefDescription", ""), re.I) and item.get("MetricName")}
		    rows = [json.loads(line) for line in run(["list", "-j", "--model", model, "metrics"]).lines]
		    same(sorted((row["name"], row["pmu"]) for row in rows if row.get("estimate") == "description"),
		         sorted(want))
		    assert want or model == "sierraforest"
		words = "an estimate, according to its description"
		for name, found in ("tma_fb_full", 1), ("tma_retiring", 0):
		    same(run(f"list -v --model skylakex metrics {name}").out.count(words), found)
		    same(run(f"explain --model skylakex {name}").out.count(words), found)
	PYTHON
}

# Before Ice Lake, a program that shares a core is taken to have had half of it.  Which nodes
# depend on that is found by the names in formulas; no choice in them leaves a name out.
@test "-v and JSON name the values that are estimates or belong to a shared core" {
	needs_event_files
	saved skylakex
	checks <<-'PYTHON'
		plan = [line.replace(", the command (", ", CPUs 0 (") for line in run("-l 4 --dry-run -- true").lines]
		head, *rest = metrics.recording(plan)
		assert head["smt"]
		head["tasks"] = True
		for count in rest[0]["counts"]:
		    count[1:3] = [-1, 77]

		def shown(head, options="-j --all"):
		    recording = "\n".join(json.dumps(line) for line in [head, *rest]) + "\n"
		    return run(["report", "-l4", *options.split(), "-"], stdin=recording).lines

		def estimates(head):
		    rows = map(json.loads, shown(head))
		    return {row["metric"]: row.get("estimate") for row in rows if "metric" in row}

		files = {item["MetricName"]: item for _, item in model_files("skylakex") if item.get("MetricName")}
		def halved(name):
		    formula = files[name]["MetricExpr"]
		    return "#core_wide" in formula or any(map(halved, set(re.findall(r"\w+", formula)) & set(files) - {name}))
		got = estimates(head)
		for name, estimate in got.items():
		    words = re.search("estimat|approximat", files[name]["BriefDescription"], re.I)
		    same(estimate, "shared core" if halved(name) else "description" if words else None, name)
		same([got[name] for name in ("tma_retiring", "tma_fb_full", "tma_icache_misses")], ["shared core", "description", None])
		# with the other thread idle, or for whole cores
		for change in {"smt": False}, {"tasks": False}:
		    alone = estimates({**head, **change})
		    assert "description" in alone.values() and "shared core" not in alone.values()
		text = " ".join(" ".join(shown(head, "-v --all")).split())
		same(text.count("[an estimate: shared core]"), list(got.values()).count("shared core"))
		same(text.count("[an estimate]"), list(got.values()).count("description"))
		assert "an estimate" not in " ".join(shown(head, "--all")) + " ".join(shown(head, "-x,"))
	PYTHON
}
