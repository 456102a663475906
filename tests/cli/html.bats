#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: pictures
# --html and --svg: pages contain the values of --json-output; without scripts, with hostile
# names, and in Chromium (browser.py).

# shellcheck disable=SC2016,SC2094,SC2154,SC2258 # jq, JavaScript; words; helper.bash; -x,
load helper
load pages

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL
	keeps_browser
}

# report FILE OPTION...: as a page, which is well formed
report() {
	"$TDSTAT" report "$@" --html page.html 2>err || fail "$(cat err)"
	page check page.html
}

# Print lines "id pmu name value" of the sum, or of all rows if there are no intervals, from
# JSON.
values_of_json() {
	"$TDSTAT" report "$@" --summary -j 2>/dev/null |
		jq -rs 'map(select(.metric and .value != null)) |
			(map(select(.summary)) | select(length > 0)) // . | .[] |
			"\(.id) \(.pmu) \(.metric) \(.value)"'
}

# same_values FIRST SECOND: lines in any order; numbers as numbers
same_values() {
	python3 - "$@" <<-'PYTHON'
		import sys
		def read(path):
		    return {tuple(w[:-1]): float(w[-1]) for w in map(str.split, open(path))}
		a, b = map(read, sys.argv[1:])
		assert a and a.keys() == b.keys(), a.keys() ^ b.keys()
		for key in a:
		    assert abs(a[key] - b[key]) <= 1e-9 * max(1, abs(a[key])), (key, a[key], b[key])
	PYTHON
}

recordings=(alderlake-timeline.jsonl alderlake.jsonl alderlake-2.jsonl icelakex-2.jsonl zen5.jsonl
	manual/xz-3.jsonl)

@test "the tables of a page have the values of JSON, scripts or not" {
	for file in "${recordings[@]}"; do
		for how in '' -A; do
			# shellcheck disable=SC2086
			"$TDSTAT" report "$data/$file" $how >/dev/null 2>&1 || continue
			# shellcheck disable=SC2086
			values_of_json "$data/$file" $how >json
			# shellcheck disable=SC2086
			report "$data/$file" $how
			page values page.html >html
			same_values json html
		done
	done
}

# sections: the rows of the page, a line each: id, PMU, and "open" if it is
sections() {
	python3 - <<-'PYTHON'
		import re
		for line in re.findall('<details class="row"[^>]*>', open("page.html").read()):
		    print(*re.findall('data-id="([^"]*)" data-pmu="([^"]*)"', line)[0], *["open"] * (" open>" in line))
	PYTHON
}

@test "a page shows the biggest losses first, then the most slots; uncounted parts are folded" {
	report "$data/alderlake.jsonl" -A
	sections >got
	"$TDSTAT" report "$data/alderlake.jsonl" -A -j --summary >json
	# lost_share is per id and core type
	jq -rs 'map(select(.kind == "summary" and .level == 1)) | unique_by(.id, .pmu) |
		map(select(.lost_share)) | sort_by(-.lost_share) | .[] | "\(.id) \(.pmu)"' json >want
	[ "$(wc -l <want)" -ge 3 ]
	sed -i 's/ open$//' got
	diff want <(head -n "$(wc -l <want)" got)
	# one id: the core type with most slots
	report "$data/alderlake-timeline.jsonl"
	sections >got
	"$TDSTAT" report "$data/alderlake-timeline.jsonl" -j --summary |
		jq -rs 'map(select(.kind == "summary" and .level == 1)) | unique_by(.pmu) | sort_by(-.slots) | .[] | "all \(.pmu) open"' | diff - got
	# no task ran on P-cores
	jq -c --slurp '.[0].events as $events | .[] | if .counts then
		.counts |= map(if $events[.[0]].pmu == "cpu_core" then .[3:] = [0, 0, 0] else . end) else . end' \
		"$data/alderlake-command.jsonl" >atom.jsonl
	report atom.jsonl
	sections >got
	assert_same 'all cpu_atom open
all cpu_core' "$(<got)"
}

@test "the rows over time have the values of JSON, with six digits" {
	for file in alderlake.jsonl zen5.jsonl; do
		report "$data/$file"
		"$TDSTAT" report "$data/$file" -j | jq -c '[.time, .id, .pmu, .metric, .value]' >json
		page check page.html
		python3 - page.html json <<-'PYTHON'
			import json, re, sys
			text = open(sys.argv[1]).read()
			read = lambda name: json.loads(re.search(f'id="{name}">(.*?)</script>', text, re.S)[1])
			nodes = {pmu: [node[0] for node in of] for pmu, *of in read("nodes")}
			got = {(end, id, pmu, name): value for end, rows in read("course")
			       for id, pmu, busy, share, values in rows
			       for name, value in zip(nodes[pmu], values, strict=True)}
			want = {tuple(row[:4]): row[4] for row in map(json.loads, open(sys.argv[2]))}
			assert want and got.keys() == want.keys()
			for key, value in want.items():
			    assert abs(got[key] - value) <= 1e-5 * abs(value), key
		PYTHON
	done
}

@test "the heading, the verdict and the times are those of the text" {
	report "$data/alderlake-timeline.jsonl"
	page texts page.html >texts
	"$TDSTAT" report "$data/alderlake-timeline.jsonl" >text 2>/dev/null
	grep -qx 'CPU(s) 0-1,4' texts
	grep -qx 'Alder Lake, GenuineIntel-6-97-2' texts
	grep -E '^ (Biggest loss|Runner-up|What next|Where|Explain)' text >verdict
	[ "$(wc -l <verdict)" -ge 3 ]
	while IFS= read -r line; do
		grep -qF -- "$line" texts || fail "no '$line'"
	done <verdict
	elapsed=$(sed -n 's/ *\([0-9.]*\) seconds time elapsed/\1/p' text)
	grep -qx "$elapsed s" texts
	# CPUs of the topology; intervals of the file
	grep -A1 -x CPUs texts | grep -qx "$(head -n 1 "$data/alderlake-timeline.jsonl" | jq '.topology | length')"
	report "$data/alderlake.jsonl"
	page texts page.html | grep -A1 -x Intervals | grep -qx "$(grep -c '"counts"' "$data/alderlake.jsonl")"
	report "$data/alderlake-timeline.jsonl" --no-verdict
	run ! grep -q 'Biggest loss' page.html
}

@test "--html and --svg: - is standard output, a full disk an error, and -o, -x and others are refused" {
	"$TDSTAT" report "$data/alderlake.jsonl" --html - >out
	report "$data/alderlake.jsonl"
	cmp out page.html
	for option in --html --svg; do
		try "$TDSTAT" report "$data/alderlake.jsonl" $option /dev/full
		assert_failure 1
		assert_complains 'cannot write /dev/full'
		for other in -j -x, '-o made' --append '--log-fd 3' --quiet; do
			# shellcheck disable=SC2086
			try "$TDSTAT" report "$data/alderlake.jsonl" $option made $other
			assert_failure 64
			[ ! -e made ]
		done
	done
	cp "$data/alderlake.jsonl" input
	try "$TDSTAT" report input --html input
	assert_failure 64
	cmp input "$data/alderlake.jsonl"
}

@test "events: a table of all intervals; a picture of them is refused" {
	needs_wing import
	report "$data/perf-6.12-default.csv" --no-tree
	"$TDSTAT" report "$data/perf-6.12-default.csv" --no-tree -j 2>/dev/null |
		jq -r 'select(."counter-value" | test("^[0-9]")) | .event' | sort -u >events
	[ -s events ]
	page texts page.html >texts
	while IFS= read -r event; do
		grep -qxF -- "$event" texts || fail "no $event"
	done <events
	try "$TDSTAT" report "$data/perf-6.12-default.csv" --no-tree --svg made
	assert_failure 64
	assert_complains 'chart of the tree'
	[ ! -e made ]
}

@test "over time: no values in the gap between two files" {
	jq -c 'if .tdstat then .start = 1700000000 else . end' "$data/alderlake.jsonl" >1.jsonl
	jq -c 'if .tdstat then .start = 1700003600 else . end' "$data/alderlake.jsonl" >2.jsonl
	"$TDSTAT" report 1.jsonl 2.jsonl --html page.html 2>err
	grep -oE '^\[[0-9.]+,\[(\]\],)?' page.html >ends
	assert_equal "$(sed -n '4,7p' ends | xargs)" '[4.028690400,[ [5.008530880,[ [3600.000000000,[]], [3601.000350823,['
	assert_equal "$(wc -l <ends)" 11
}

@test "counts over time: those of JSON, and in Chromium a line of their rates" {
	needs_wing import
	report "$data/perf-6.1-interval.csv"
	"$TDSTAT" report "$data/perf-6.1-interval.csv" -j >json 2>/dev/null
	python3 - page.html json <<-'PYTHON'
		import json, re, sys
		read = json.loads(re.search('id="counts">(.*?)</script>', open(sys.argv[1]).read(), re.S)[1])
		got = {(end, event): count for end, rows in read for _, event, _, count in rows}
		want = {(row["interval"], row["event"]): float(row["counter-value"])
		        for row in map(json.loads, open(sys.argv[2]))}
		assert len(want) == 9 and got.keys() == want.keys(), got
		for key, count in want.items():
		    assert abs(got[key] - count) <= 1e-5 * count, key
	PYTHON
	# 271 context switches in the first 0.050107 s, 140 in the last 0.0212413 s
	browser page.html 'document.querySelectorAll(".lines canvas").length' \
		'document.querySelectorAll(".lines canvas")[1].focus()' key:ArrowRight \
		'document.querySelectorAll(".lines .legend")[1].innerText' key:ArrowRight key:ArrowRight \
		'document.querySelectorAll(".lines .legend")[1].innerText' >got
	mapfile -t got <got
	assert_equal "${got[0]}" 3
	[[ ${got[2]} == *context-switches*'0.05 s: 5408 /s'* ]] || fail "${got[2]}"
	[[ ${got[3]} == *context-switches*'0.122 s: 6591 /s'* ]] || fail "${got[3]}"
}

@test "a page of an interrupted recording mentions it" {
	for what in 'sed $d' 'head -c -5'; do
		$what "$data/alderlake.jsonl" >rec
		"$TDSTAT" report rec --html page.html 2>err
		page texts page.html | grep -q 'recording was interrupted' || fail "$what"
	done
	report "$data/alderlake.jsonl"
	run ! grep -q 'recording was interrupted' page.html
}

@test "bottlenecks stand in the order of the text, and over time under their names" {
	report "$data/manual/cpus-3.jsonl" --bottlenecks
	"$TDSTAT" report "$data/manual/cpus-3.jsonl" --bottlenecks --summary 2>/dev/null |
		sed -n '/counter stats/,$s/.* % *\(tma_[a-z0-9_]*\).*/\1/p' >want
	[ "$(wc -l <want)" -ge 8 ]
	page values page.html | awk '{ print $3 }' >got
	diff want got
	# rows over time are in the order of the tree, which is another one
	"$TDSTAT" report "$data/manual/cpus-3.jsonl" --bottlenecks -j 2>/dev/null |
		jq -c 'select(.metric) | [.time, .pmu, .metric, .value]' >json
	python3 - page.html json <<-'PYTHON'
		import json, re, sys
		text = open(sys.argv[1]).read()
		read = lambda name: json.loads(re.search(f'id="{name}">(.*?)</script>', text, re.S)[1])
		nodes = {pmu: [node[0] for node in of] for pmu, *of in read("nodes")}
		want = {tuple(row[:3]): row[3] for row in map(json.loads, open(sys.argv[2]))}
		seen = 0
		for end, rows in read("course"):
		    for id, pmu, busy, share, values in rows:
		        for name, value in zip(nodes[pmu], values, strict=True):
		            if value is not None:
		                assert abs(want[end, pmu, name] - value) <= 1e-5 * abs(value), name
		                seen += 1
		assert seen >= 8, seen
	PYTHON
}

@test "a node has the colour of its part of level 1, even where that is not shown" {
	report "$data/alderlake-2.jsonl" --td-level 2
	python3 - page.html <<-'PYTHON'
		import re, sys
		text = open(sys.argv[1]).read()
		colour = {name: fill for name, fill in re.findall(
		    r'<title>(tma_[^:]*):[^<]*</title><rect [^>]*fill="(#[0-9a-f]*)"', text)}
		assert colour["tma_memory_bound"] == colour["tma_core_bound"] != colour["tma_fetch_latency"]
		assert colour["tma_fetch_latency"] == colour["tma_fetch_bandwidth"]
		assert len(set(colour.values())) == 4, colour
	PYTHON
}

@test "a recording without intervals also gives a page" {
	head -n 1 "$data/alderlake.jsonl" >empty
	report empty
	page values page.html >values
	[ ! -s values ]
}

nasty=$'</script><script>alert(1)</script>"\'&<!--\\\e[31m\n]]>'

@test "hostile names stay text: a command's, a CPU's PMU, an event's, a cgroup's" {
	jq -c --arg name "$nasty" 'if .tdstat then .target = $name else . end' "$data/alderlake-command.jsonl" >rec
	report rec
	grep -c '<script' page.html | grep -qx 3
	page texts page.html >texts
	grep -qxF "</script><script>alert(1)</script>\"'&<!--\\\\x1b[31m\\x0a]]>" texts || fail "$(head -n 3 texts)"
	"$TDSTAT" report rec --svg out.svg
	python3 -c 'import xml.dom.minidom as m; m.parse("out.svg")'
	# a character that XML does not have
	jq -c --arg name $'cy<b>\xef\xbf\xbe' 'if .tdstat then .target = $name else . end' \
		"$data/alderlake-command.jsonl" >rec
	report rec
	grep -qF 'cy&lt;b&gt;\xef\xbf\xbe' page.html
	# rows over time
	jq -c --arg name "$nasty" 'if .tdstat then .cgroups = [$name] else . end |
		if .counts then .counts[] += [0] else . end' "$data/alderlake.jsonl" >rec
	report rec
	grep -qF '\u003c/script\u003e' page.html
	browser page.html 'document.querySelectorAll("script").length' \
		'document.querySelector("details.row").dataset.id' >got
	sed -n 1p got | grep -qx 3
	sed -n 2p got | grep -qF '<script>alert(1)'
}

@test "diff: both sides' trees, and the values of its JSON" {
	"$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl" --html page.html
	page check page.html
	"$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl" -j >json
	[ "$(grep -c '<figure' page.html)" = 4 ]
	python3 - <<-'PYTHON'
		import json, re
		shown = [float(value) for value in re.findall('data value="([^"]*)', open("page.html").read())]
		want = [row["difference"] for row in map(json.loads, open("json")) if row.get("difference") is not None]
		assert len(want) >= 8
		for value in want:
		    assert any(abs(near - value) < 1e-9 for near in shown), value
	PYTHON
	# with it, any other format or output is the same as without it
	for option in -j -x, --markdown '-o text'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl" --html beside.html $option
		assert_success
		cmp beside.html page.html
		rm beside.html
		[[ $option != -j ]] || assert_equal "$output" "$(cat json)"
		[[ $option != --markdown ]] || has_text <(echo "$output") '- A: `'
	done
	has_text text 'What changed from A to B'
	for options in '--html made -o made' '--html made --quiet' '--html=- -j' '--html made -j -x,'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl" $options
		assert_failure 64
		[ ! -e made ]
	done
	browser page.html 'document.querySelectorAll("[role=tree]").length' >got
	assert_equal "$(cat got)" 4
}

# --- the chart ----------------------------------------------------------------------

@test "a node's place: its share of the height, within the node above" {
	"$TDSTAT" report "$data/manual/xz-3.jsonl" --svg out.svg 2>/dev/null
	python3 - <<-'PYTHON'
		import xml.etree.ElementTree as tree
		svg = "{http://www.w3.org/2000/svg}"
		root = tree.parse("out.svg").getroot()
		assert root.find(svg + "title").text and root.find(svg + "desc").text
		groups = root.findall(svg + "g")
		assert len(groups) == 2
		for group in groups:
		    nodes = group.findall(svg + "svg")
		    of = lambda node: [float(node.get("data-" + name)) for name in ("depth", "from", "to")]
		    for node in nodes:
		        depth, low, high = of(node)
		        assert 0 <= low < high <= 1.000001
		        name, value = node.find(svg + "title").text.split(": ", 1)
		        if depth == 0:  # their sum is 100 but for what was rounded
		            assert abs(100 * (high - low) - float(value.split()[0])) < 0.3, (name, value, high - low)
		            continue
		        above = [of(n) for n in nodes if of(n)[0] == depth - 1]
		        assert any(a - 1e-6 <= low and high <= b + 1e-6 for _, a, b in above), name
	PYTHON
}

@test "report makes the picture of the README" {
	known_files
	"$TDSTAT" report "$data/alderlake-timeline.jsonl" --cputype core --svg out.svg 2>/dev/null
	cmp out.svg "$here/../../man/tdstat-report.svg"
	grep -qF '(man/tdstat-report.svg)' "$here/../../README.md"
}

# --- in a browser -------------------------------------------------------------------

@test "in Chromium: nodes and their values are those of JSON" {
	needs_browser
	report "$data/manual/xz-3.jsonl"
	values_of_json "$data/manual/xz-3.jsonl" >json
	browser page.html '[...document.querySelectorAll("details.row tr[data-node]")].map(row => {
		const of = row.closest("details.row").dataset, data = row.querySelector("data");
		return data && `${of.id} ${of.pmu} ${row.querySelector("th").textContent} ${data.value}`;
	}).filter(line => line).join("\n")' | jq -r . >dom
	same_values json dom
}

# The size of the node at place N among those of the first tree.
size='(i => { const b = document.querySelectorAll("figure svg.node")[i].getBoundingClientRect();
	return [Math.round(b.width), Math.round(b.height)]; })'

@test "in Chromium: clicks and keys open nodes and go up again" {
	report "$data/alderlake-2.jsonl" -l 2
	browser page.html "$size(0)" 'click:figure svg.node' "$size(0)" 'document.querySelector("nav").innerText' \
		'document.querySelector(".legend").innerText' \
		key:ArrowRight 'document.activeElement.getAttribute("aria-label")' key:ArrowDown \
		'document.activeElement.getAttribute("aria-label")' key:Enter 'document.querySelector("nav").innerText' \
		key:Escape key:Escape 'document.querySelector("nav").innerText' "$size(0)" >got
	mapfile -t got <got
	[[ ${got[0]} != "${got[1]}" ]] || fail "it did not open: ${got[*]}"
	# it fills the height
	[[ ${got[1]} == *', 320]' ]] || fail "${got[1]}"
	[[ ${got[2]} == *tma_retiring* ]]
	[[ ${got[3]} == *tma_light_operations*tma_heavy_operations* ]] || fail "${got[3]}"
	[[ ${got[4]} == '"tma_light_operations: '* ]] || fail "${got[4]}"
	[[ ${got[5]} == '"tma_heavy_operations: '* ]] || fail "${got[5]}"
	[[ ${got[6]} == *tma_retiring*tma_heavy_operations* ]] || fail "${got[6]}"
	[[ ${got[7]} != *tma_retiring* ]] || fail "${got[7]}"
	assert_equal "${got[8]}" "${got[0]}"
}

@test "in Chromium: the rows over time tell each interval, and maps each CPU" {
	report "$data/alderlake.jsonl" -A
	# the row that lost most is open
	"$TDSTAT" report "$data/alderlake.jsonl" -A -j |
		jq -r --arg id "$(sections | sed 's/ .*//;q')" 'select(.id == $id and .metric == "tma_retiring") | .value' | head -n 1 >first
	browser page.html 'document.querySelectorAll("canvas").length' \
		'document.querySelector(".course canvas").focus()' key:ArrowRight \
		'document.querySelector(".course .legend").innerText' 'hover:section:not(.rows) canvas' \
		'document.querySelector("section:not(.rows) .legend").innerText' \
		'click:section:not(.rows) canvas' 'document.querySelectorAll("details.row[open]").length' \
		'click:table.rows tr:last-child a' 'document.querySelector("details.row:last-of-type").open' \
		'[...document.querySelectorAll("section:not(.rows) .legend")].map(of => [...of.querySelectorAll("span")].map(word => word.innerText))' >got
	mapfile -t got <got
	# a map for each of two PMUs, and the areas of the row that is open
	assert_equal "${got[0]}" 3
	[[ ${got[2]} == *"tma_retiring $(printf %.1f "$(cat first)") %"* ]] || fail "${got[2]}"
	[[ ${got[3]} =~ CPU[0-3],\ [0-9.]+\ s:\ [0-9.]+\ % ]] || fail "${got[3]}"
	assert_equal "${got[4]}" 2
	assert_equal "${got[5]}" true
	# all maps of shares have one scale
	assert_equal "${got[6]}" '[["0 %", "100 %"], ["0 %", "100 %"]]'
}

@test "in Chromium: without scripts, dark, narrow and printed" {
	report "$data/alderlake-timeline.jsonl"
	browser page.html --no-scripts texts >texts
	page values page.html >values
	python3 - <<-'PYTHON'
		import json
		texts = json.load(open("texts"))
		for _, _, name, value in map(str.split, open("values")):
		    shown = f"{float(value):.1f}"
		    assert name in texts and (shown in texts or shown.lstrip("-") in texts), (name, value)
	PYTHON
	browser page.html --dark 'getComputedStyle(document.body).backgroundColor' >dark
	browser page.html --width 400 'getComputedStyle(document.body).backgroundColor' \
		'document.documentElement.scrollWidth <= innerWidth' pdf:page.pdf >light
	[ "$(cat dark)" != "$(head -n 1 light)" ]
	assert_equal "$(sed -n 2p light)" true
	head -c 5 page.pdf | grep -q '%PDF-'
}

# The least contrast (WCAG 2, 1.4.3) of all texts and their backgrounds.
contrast='(() => {
	const channel = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	const rgb = text => text.match(/[\d.]+/g).map(Number);
	const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
	const behind = element => {
		const node = element.closest("svg.node");
		if (node)
			return rgb(getComputedStyle(node.querySelector("rect")).fill);
		for (; element; element = element.parentElement) {
			const of = rgb(getComputedStyle(element).backgroundColor);
			if (of.length < 4 || of[3])
				return of;
		}
	};
	const texts = [...document.querySelectorAll("body *:not(script):not(style):not(title)")].filter(element =>
		[...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
	return Math.min(...texts.map(element => {
		const of = getComputedStyle(element), svg = element.closest("svg");
		const both = [light(rgb(svg ? of.fill : of.color)), light(behind(element))];
		return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
	}));
})()'

@test "in Chromium: texts have a contrast of 4.5 to 1, light and dark" {
	report "$data/manual/xz-3.jsonl"
	for how in '' --dark; do
		# shellcheck disable=SC2086
		browser page.html $how "$contrast" >got
		jq -e '. >= 4.5' got || fail "$how: $(cat got)"
	done
}

# many N: a recording of N intervals
many() {
	python3 - "$data/alderlake.jsonl" "$1" <<-'PYTHON'
		import itertools, json, sys
		head, *lines = open(sys.argv[1])
		rows = [json.loads(line) for line in lines]
		rows, end = [row for row in rows if "counts" in row], [row for row in rows if "end" in row]
		sys.stdout.write(head)
		for i, row in zip(range(int(sys.argv[2])), itertools.cycle(rows)):
		    print(json.dumps(row | {"time": i + 1.0}))
	PYTHON
}

@test "in Chromium: 10,000 intervals open" {
	many 10000 >rec.jsonl
	report rec.jsonl
	browser page.html '+document.documentElement.dataset.ready > 0' 'document.querySelector(".legend").innerText' >got
	mapfile -t got <got
	assert_equal "${got[0]}" true
	[[ ${got[1]} == *intervals* ]]
}

# texts FILE: print the titles of its trees; fail unless it is a single XML document
texts() {
	python3 - "$1" <<-'PYTHON'
		import sys, xml.etree.ElementTree as tree
		root, svg = tree.parse(sys.argv[1]).getroot(), "{http://www.w3.org/2000/svg}"
		height, trees = float(root.get("height")), root.findall(svg + "g")
		for text in root.findall(svg + "text"):
		    assert 0 < float(text.get("y")) < height
		    print(text.text.split("\u2002")[0])
		print(len(trees), "trees")
	PYTHON
}

@test "--svg: one picture of a recording without rows, or with two totals" {
	head -n 1 "$data/sapphirerapids-2.jsonl" | jq -c '.interval_ms = 0 | .target = "x"' >first
	sed -n 2p "$data/sapphirerapids-2.jsonl" >total
	head -n 1 "$data/alderlake.jsonl" >intervals
	"$TDSTAT" report first --svg out.svg
	assert_same $'x: nothing was counted\n0 trees' "$(texts out.svg)"
	"$TDSTAT" report intervals --svg out.svg
	texts out.svg | grep -qx '0 trees'
	cat first total >one
	"$TDSTAT" report one --svg out.svg
	assert_same $'x: cpu\n1 trees' "$(texts out.svg)"
	{ cat one && jq -c '.time += 1' total; } >two
	"$TDSTAT" report two --svg out.svg
	assert_same $'x: cpu\nx: cpu\n2 trees' "$(texts out.svg)"
}

@test "metric files that cannot be read: no command to look further, and why, once" {
	report "$data/alderlake-2.jsonl"
	has_text page.html 'tdstat locate tma_' && [ ! -s err ]
	for name in TDSTAT_METRICS=none TDSTAT_METRICS=err; do
		try env "$name" "$TDSTAT" report "$data/alderlake-2.jsonl" --html page.html --force
		assert_success
		[[ $stderr == "tdstat: the command to go deeper is unknown without metric files: ${name#*=}"*": "* ]] ||
			fail "$stderr"
		[ "${#stderr_lines[@]}" = 1 ]
		! has_text page.html 'tdstat locate tma_' || fail "$name"
	done
}
