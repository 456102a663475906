#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat explain, and that all nodes of the metric files have a text: those of the
# files shipped, and of older ones, which kernel trees and recordings still have.

# shellcheck disable=SC2030,SC2031,SC2154 # each test has its own; helper.bash
load helper

files=$TD_PMU_EVENTS
older=$TD_PMU_EVENTS_OLD

explain() {
	try "$TDSTAT" explain "$@"
}

# Exactly the nodes of both have explanations.
need_both() {
	if [ ! -e "$files/arrowlake" ] || [ ! -e "$older" ]; then
		skip "no metric files of Linux 7.2, or none of 6.12"
	fi
}

# Programs in Python begin with this, after plans.py.
nodes='
def metrics_in(*folders):
    """(FILE, METRIC) of all models."""
    for folder in folders:
        for path in sorted(Path(folder).glob("*/*metrics.json")):
            items = json.loads(path.read_text())
            yield items, [item for item in items if (item.get("MetricName") or "").startswith("tma_")
                          and not item["MetricName"].startswith("tma_info")]

BOTH = [os.environ["TD_PMU_EVENTS"], os.environ["TD_PMU_EVENTS_OLD"]]

def nodes(kind):
    """The names of the nodes in all files; of cpu_atom, or of all other PMUs."""
    found = set()
    for items, metrics in metrics_in(*BOTH):
        # a file without PMUs is an E-core file if it has their nodes
        atom = any(i.get("MetricName") == "tma_ifetch_latency" and i.get("Unit") is None for i in items)
        for item in metrics:
            if re.search("TopdownL[1-9]($|;)", item.get("MetricGroup") or ""):
                of_atom = item.get("Unit") == "cpu_atom" or (item.get("Unit") is None and atom)
                if of_atom == (kind == "atom"):
                    found.add(item["MetricName"])
    return sorted(found)

def listed_nodes(heading=""):
    """The nodes in the list, below a heading."""
    found, on = set(), False
    for line in run("explain").lines:
        if line.endswith(":"):
            on = line.startswith(heading)
        elif on and "tma_" in line:
            found.add(line.split()[0])
    return sorted(found)
'

with_nodes() {
	{
		printf '%s\n' "$nodes"
		mapfile -t
		printf '%s\n' "${MAPFILE[@]}"
	} >.program
	checks <.program
}

@test "a word that is no node: the nodes whose names or texts have it" {
	try "$TDSTAT" explain cache
	assert_success
	assert_line "Nodes related to 'cache':"
	for node in l1_bound l2_bound l3_bound remote_cache icache_misses; do
		assert_line --regexp "^  tma_$node  +[A-Z]"
	done
	refute_line --regexp '^  tma_(divider|branch_mispredicts|slow_pause) '
	declare -A seen=()
	for line in "${lines[@]}"; do
		[ ${#line} -le 80 ] || fail "too wide: $line"
		[[ $line =~ ^\ \ (tma_[a-z0-9_]*) ]] || continue
		[ -z "${seen[${BASH_REMATCH[1]}]-}" ] || fail "twice: $line"
		seen[${BASH_REMATCH[1]}]=1
	done
	assert_equal "$stderr" ''
	# the beginning of a word, in any case; not its middle
	try "$TDSTAT" explain Pointer
	assert_success
	assert_line --regexp '^  tma_memory_bound '
	try "$TDSTAT" explain ointer
	assert_failure 64
	assert_equal "$output" ''
	# remedies are searched only if no name or meaning matches
	try "$TDSTAT" explain hugetlbfs
	assert_success
	assert_line --regexp '^  tma_load_stlb_miss_4k '
	# names beside it are explained as ever
	try "$TDSTAT" explain tma_divider cache nosuchthing
	assert_failure 64
	assert_line 'tma_divider: level 3, below tma_core_bound'
	assert_line "Nodes related to 'cache':"
	assert_equal "${stderr_lines[-2]}" "tdstat: no node of the tree is called 'nosuchthing'"
}

@test "short names, as narrow tables have them, are known" {
	saved sapphirerapids
	checks <<-'PYTHON'
		def explained(name):
		    return succeeds(["explain", name]).out

		for pair in ("mem_bou=tma_memory_bound mem_bound=tma_memory_bound bac_bou=tma_backend_bound "
		             "memory=tma_memory_bound dram=tma_dram_bound l1=tma_l1_bound "
		             "ret=tma_retiring tma_fet_lat=tma_fetch_latency MEM_LAT=tma_mem_latency").split():
		    short, whole = pair.split("=")
		    same(explained(short), explained(whole), pair)
		# short for several, or with other words
		for name in "m_b", "mem__bound", "memory_bound_x", "l", "mem_":
		    same(run(["explain", name]).status, 64, name)
		for name in "fetch", "bound":
		    assert f"Nodes related to '{name}':" in explained(name).splitlines(), name
		same(plan("-M mem_bound:u").splitlines()[2:], plan("-M tma_memory_bound:u").splitlines()[2:])
	PYTHON
}

@test "the list has all nodes of all metric files, and no others" {
	need_both
	known_files
	with_nodes <<-'PYTHON'
		assert len(nodes("core")) > 100
		same(listed_nodes("P-cores"), nodes("core"))
		same(listed_nodes("E-cores"), nodes("atom"))
	PYTHON
}

@test "each node is where the files have it" {
	need_both
	known_files
	with_nodes <<-'PYTHON'
		# of each node below level 1 in all files
		want = set()
		for _, metrics in metrics_in(*BOTH):
		    for item in metrics:
		        groups = item.get("MetricGroup") or ""
		        level = re.search("TopdownL([2-9])($|;)", groups)
		        above = re.search("(^|;)(tma_[a-z][a-z0-9_]*)_group", groups)
		        if level and above:
		            want.add((item["MetricName"], level[1], above[2]))
		text = run(["explain", *listed_nodes()]).out
		assert want
		same(sorted(set(re.findall("^(tma_[a-z0-9_]+): level ([0-9]), below ([a-z0-9_]+)", text, re.M))), sorted(want))
	PYTHON
}

@test "each node of the list has its meaning, causes and remedies, in 80 columns" {
	with_nodes <<-'PYTHON'
		lines = succeeds(["explain", *listed_nodes()]).lines
		headings = sum(line.startswith("tma_") for line in lines)
		assert headings > 100
		for label in "means", "causes", "try":
		    same(sum(bool(re.match(f"  {label}: *[A-Z]", line)) for line in lines), headings, label)
		for line in lines:
		    assert len(line) <= 80, line
	PYTHON
}

@test "a node is found in any case and without tma_" {
	explain TMA_L3_BOUND
	wanted=$output
	assert_line --index 0 'tma_l3_bound: level 3, below tma_memory_bound'
	explain l3_Bound
	assert_equal "$output" "$wanted"
}

@test "a node with another meaning on E-cores has a text for each core type" {
	explain tma_core_bound
	assert_line 'tma_core_bound: level 2, below tma_backend_bound, of P-cores'
	assert_line 'tma_core_bound: level 2, below tma_backend_bound, of E-cores'
	explain tma_backend_bound
	assert_line 'tma_backend_bound: level 1'
	[[ $output == *means:* && $output != *means:*means:* ]]
}

@test "other metrics have the description of this model's files" {
	saved alderlake
	explain tma_info_thread_uptb
	assert_success
	assert_line --index 0 'tma_info_thread_uptb, of cpu_core'
	assert_line --index 1 --partial 'files:   Uops per taken branch'
	explain --metrics-dir "$PWD" tma_info_thread_uptb
	assert_equal "$status" 64
}

@test "a node of newer files has the text of the nearest node above it" {
	[ -e "$files" ] || skip "no metric files"
	saved alderlake
	mkdir newer
	sed 's/tma_dtlb_load\>/tma_new/; s/tma_dtlb_load_group/tma_new_group/; s/tma_load_stlb_hit/tma_newer/' \
		"$files"/alderlake/adl-metrics.json >newer/metrics.json
	explain tma_l1_bound
	of_l1_bound=$output
	for node in 'tma_new: level 4, below tma_l1_bound' 'tma_newer: level 5, below tma_new'; do
		explain --metrics-dir newer "${node%%:*}"
		assert_success
		assert_line --index 0 "$node, of cpu_core"
		assert_line --partial 'above:   This node has no text.'
		assert_same "$of_l1_bound" "${output#*$'\n\n'}"
	done
	explain --metrics-dir newer tma_info_thread_uptb
	refute_line --partial above:
}

@test "an unknown node: the closest name" {
	explain tma_l3_bond
	assert_equal "$status" 64
	assert_equal "${stderr_lines[0]}" "tdstat: no node of the tree is called 'tma_l3_bond'"
	assert_regex "${stderr_lines[1]}" "^tdstat: did you mean .*'tma_l3_bound'"
	explain zzzzzz
	assert_equal "${stderr_lines[1]}" 'tdstat: tdstat explain lists them'
}

@test "names after an unknown one are explained; all unknown names are reported at the end" {
	explain tma_l3_bound tma_divider
	assert_success
	wanted=$output
	explain l3_bond tma_l3_bound zzzzzz tma_divider
	assert_equal "$status" 64
	assert_equal "$output" "$wanted"
	assert_equal "${stderr_lines[0]}" "tdstat: no node of the tree is called 'l3_bond'"
	assert_equal "${stderr_lines[1]}" "tdstat: did you mean 'tma_l3_bound'?"
	assert_equal "${stderr_lines[2]}" "tdstat: no node of the tree is called 'zzzzzz'"
}

@test "a pattern means all nodes that it matches, as with -M" {
	[ -e "$files" ] || skip "no metric files"
	saved alderlake
	explain tma_l3_bound tma_l3_hit_latency
	wanted=$output
	for pattern in 'tma_l3*' 'TMA_L3*' 'tma_[l]3*' 'l3*'; do
		explain "$pattern"
		assert_success
		assert_equal "$output" "$wanted"
	done
	# all that have a text, and all others of this model
	with_nodes <<-'PYTHON'
		text = succeeds(["explain", "--metrics-dir", str(EVENT_FILES), "tma_*l[1-3]*"]).out
		names = {item["MetricName"] for path in (EVENT_FILES / "alderlake").glob("*metrics.json")
		         for item in json.loads(path.read_text()) if item.get("MetricName")} | set(listed_nodes("P-cores"))
		same(sorted(set(re.findall("^tma_[^:, \n]+", text, re.M))),
		     sorted(name for name in names if re.fullmatch("tma_.*l[1-3].*", name)))
		assert re.search("means:.*files:", text, re.S)
	PYTHON
	explain 'zzz*'
	assert_equal "$status" 64
	assert_equal "${stderr_lines[0]}" "tdstat: no node of the tree matches 'zzz*'"
}

@test "-j: the same as the text, an object for each explanation" {
	[ -e "$files" ] || skip "no metric files"
	saved alderlake
	mkdir newer
	sed 's/tma_dtlb_load\>/tma_new/; s/tma_dtlb_load_group/tma_new_group/' "$files"/alderlake/adl-metrics.json >newer/metrics.json
	with_nodes <<-'PYTHON'
		def objects(options):
		    return [json.loads(line) for line in succeeds(f"explain -j {options}").lines]

		def flat(text):
		    """Without the ends of lines, and without blanks: these are where the ends were."""
		    return "".join(text.split())

		def block(o):
		    """What the text has of an object."""
		    twin = names.count(o["name"]) > 1 and o["cores"]
		    text = o["name"] + (f": level {o['level']}" if o["level"] else "")
		    text += f", below {o['parent']}" if o["parent"] else ""
		    if o["kind"] == "node":
		        text += f", of {o['cores']}" if twin or o["cores"] == "E-cores" else ""
		        text += f" means: {o['meaning']} causes: {o['causes']} try: {o['remedies']}"
		    else:
		        text += f", of {o['pmu']} files: {o['desc']}"
		    for doubt in o["doubts"] if o["kind"] == "node" else [o]:
		        assert doubt.get("estimate") in (None, "description")
		        if doubt.get("estimate"):
		            text += " value: an estimate, according to its description in the files"
		        if doubt.get("errata"):
		            text += f" errata: {', '.join(doubt['errata'])}: its events may count wrongly on {doubt['pmu']}"
		    if o["kind"] == "metric" and o["above"]:
		        text += " above: This node has no text. This is the text of the nearest node above it that has one."
		    return text

		every = objects("")
		names = [o["name"] for o in every]
		same(sorted(set(names)), listed_nodes())
		for options in " ".join(listed_nodes()), "tma_l3_bound tma_l3_hit_latency", "--model haswellx frontend_bound", "tma_core_bound", \
		        "tma_info_thread_uptb", "'tma_info_memory*'", "--metrics-dir newer tma_new":
		    found = objects(options)
		    same(flat(" ".join(map(block, found))), flat(succeeds(f"explain {options}").out), options)
		assert any(o["doubts"] for o in objects("--model haswellx frontend_bound"))
		same([o["name"] for o in objects("--metrics-dir newer tma_new")], ["tma_new", "tma_l1_bound"])
		# nodes that a word finds
		found = objects("cache")
		text = succeeds("explain cache").out.splitlines()
		same([o["name"] for o in found], [line.split()[0] for line in text if line.startswith("  tma_")])
		same({o["word"] for o in found}, {"cache"})
		# an unknown name has no object
		result = run("explain -j tma_l3_bond tma_l3_bound")
		same((result.status, len(result.lines)), (64, 1))
	PYTHON
}

@test "the metrics of L2Requests, on any machine: those of the list, with the cores that have them" {
	saved skylakex
	saved sapphirerapids
	checks <<-'PYTHON'
		by_name = {}
		for model, core in ("skylakex", "Skylake"), ("sapphirerapids", "P-cores of Ice Lake and later"):
		    machine(model)
		    for row in map(json.loads, succeeds("list -j metrics L2Requests").lines):
		        by_name.setdefault((row["name"], row["desc"]), []).append(core)
		assert len(by_name) == 28
		os.environ["SYSFS_PATH"] = os.environ["PROCFS_PATH"] = "/nonexistent"
		found = [json.loads(line) for line in succeeds("explain -j l2requests").lines]
		same({(o["name"], o["desc"]): o["cores"] for o in found},
		     {metric: ", and ".join(cores) for metric, cores in by_name.items()})
		same({o["kind"] for o in found}, {"metric"})
		text = succeeds("explain L2Requests").out
		for o in found:
		    own = succeeds(["explain", o["name"].upper()]).out
		    assert own in text
		    words = f"{o['name']}, of L2Requests means: {o['desc']} cores: {o['cores']} note: {o['note']}"
		    same("".join(own.split()), "".join(words.split()))
		    # the nodes that it names exist
		    for node in re.findall("tma_[a-z0-9_]+", o["note"]):
		        assert succeeds(["explain", node]).out.startswith(node + ":")
		same(succeeds("explain l2_rfo_* -j").out.count("\n"), 4)
		assert "did you mean 'l2_rfo_miss'?" in fails("explain l2_rfo_mis", 64).err
	PYTHON
}

@test "cache events: a warning, and the events of the model instead" {
	[ -e "$files" ] || skip "no metric files"
	saved alderlake
	checks <<-'PYTHON'
		names = {row["name"] for row in map(json.loads, succeeds("list -j cache").lines)}
		assert "L1-dcache-load-misses" in names
		seen = set()
		for name in names:
		    text = succeeds(["explain", name.lower()]).out
		    assert text.startswith(f"{name}: a cache event of the kernel\n"), text
		    [o] = map(json.loads, succeeds(["explain", "-j", name]).lines)
		    words = f"{name}: a cache event of the kernel means: {o['meaning']} try: {o['remedies']}"
		    same((o["kind"], o["name"], "".join(text.split())), ("cache", name, "".join(words.split())))
		    assert o["meaning"] not in seen or "No core" in o["meaning"], name
		    seen.add(o["meaning"])
		    # as -e takes it
		    for typed in f"{name}:u", f"cpu_core/{name}/", f"cpu/{name},cmask=1/k":
		        same(succeeds(["explain", typed]).out, text, typed)
		    # its recommendation finds events of this model
		    glob = re.search("tdstat list '(.*)'$", o["remedies"])[1]
		    assert '"kind":"model"' in succeeds(["list", "-j", glob]).out, glob
		# the events that the files describe with the codes of the kernel's tables
		for name, model in ("L1-dcache-load-misses", "L2_RQSTS.ALL_DEMAND_DATA_RD"), ("dTLB-store-misses", "DTLB_STORE_MISSES.WALK_COMPLETED"):
		    assert model in succeeds(["explain", name]).out
		    assert f'"name":"{model.lower()}"' in succeeds(["list", "-j", model]).out
		same(succeeds("explain tma_dram_bound:u").out, succeeds("explain tma_dram_bound").out)
		for typed in "L1-dcache-load-misses/", "nonsense:u", "cpu_core/nonsense/":
		    fails(["explain", typed], 64)
		# a hardware event, and words that are in texts of nodes
		fails("explain branch-misses", 64)
		for word in "branch", "dtlb", "node":
		    assert "a cache event" not in succeeds(["explain", word]).out, word
		note = "The kernel maps these names to different events on each core"
		assert note in succeeds("list cache").out and note not in succeeds("list hw").out
	PYTHON
}

@test "no machine is needed" {
	export SYSFS_PATH=$PWD/nothing PROCFS_PATH=$PWD/nothing
	explain tma_retiring
	assert_success
	assert_no_stderr
	explain tma_retirinx
	assert_equal "$status" 64
}

@test "--model: the files of another processor, and an unknown one" {
	[ -d "$files" ] || skip "no event files"
	export SYSFS_PATH=$PWD/nothing PROCFS_PATH=$PWD/nothing
	explain --model skylakex tma_info_thread_ipc
	assert_success
	assert_no_stderr
	assert_equal "${lines[0]}" 'tma_info_thread_ipc, of cpu'
	explain --model 'Alder Lake' tma_info_thread_ipc
	assert_equal "${lines[0]}" 'tma_info_thread_ipc, of cpu_core'
	explain --model nix tma_retiring
	assert_equal "$status" 64
	assert_output ''
	assert_equal "${stderr_lines[0]}" 'tdstat: --model nix: no such processor'
}

@test "a full disk is an error" {
	[ -e /dev/full ] || skip "no /dev/full"
	# shellcheck disable=SC2016 # for sh
	try sh -c '"$TDSTAT" explain >/dev/full'
	assert_equal "$status" 1
}
