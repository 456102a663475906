#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat-ci(7): a comparison as a comment and as test cases, and what a runner can count.

# shellcheck disable=SC2016,SC2154 # awk; helper.bash
load helper

export PYTHONDONTWRITEBYTECODE=1
A=$data/alderlake.jsonl
B=$data/alderlake-2.jsonl
page=$here/../../man/tdstat-ci.7

# Render the Markdown in "comment" as GitHub does, with GitHub's own program.
render() {
	command -v cmark-gfm >/dev/null || skip "no cmark-gfm"
	cmark-gfm -e table -e strikethrough -e autolink --unsafe comment >html
	python3 "$here/ci.py" comment <html >seen
}

# Three recordings a side: in B the front end loses 30 to 32 % more.  Once for the file.
three_of_each() {
	[ -e "$BATS_FILE_TMPDIR/b2" ] || python3 -S - "$A" "$BATS_FILE_TMPDIR" <<-'PYTHON'
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		for side, more in ("a", 0), ("b", 30):
		    for i in range(3):
		        with open(f"{sys.argv[2]}/{side}{i}", "w") as file:
		            for line in lines:
		                counts = [[*count[:3], count[3] * (100 + more + i) // 100 if count[0] == 3 else count[3], *count[4:]]
		                          for count in line.get("counts", [])]
		                print(json.dumps(line | {"counts": counts} if counts else line), file=file)
	PYTHON
	three=("$BATS_FILE_TMPDIR"/a? -- "$BATS_FILE_TMPDIR"/b?)
}

# has FILE TEXT: in one line
has() {
	local text

	IFS= read -rd '' text <"$1" || true
	[[ $text == *"$2"* ]] || fail "$1 has no $2"
}

@test "--markdown: the rows of the text, in tables that GitHub renders" {
	"$TDSTAT" diff --markdown "$A" "$B" >comment
	render
	"$TDSTAT" diff -j "$A" "$B" >json
	"$TDSTAT" diff "$A" "$B" >text
	python3 -S - <<-'PYTHON'
		import json
		elements, *cells = (line.rstrip("\n").split("\t") for line in open("seen"))
		assert elements == ["code li p table tbody td th thead tr ul"], elements
		rows = [row for row in map(json.loads, open("json")) if row.get("kind")]
		# a header, and a row for each of the nine that changed
		assert len(rows) >= 9 and len(cells) == len(rows) + 1, cells
		want = [(round(row["a"] * 100), round(row["b"] * 100)) for row in rows if row["kind"] == "metric"]
		# another row is in front of the metrics
		got = [tuple(round(float(cell) * 100) for cell in row[1:3]) for row in cells[2:]]
		assert got == want, (got, want)
		sentence = open("text").read().split("\n")[1].removeprefix(" ")
		assert sentence + "." in open("comment").read(), sentence
	PYTHON
}

@test "--markdown: marked rows are bold, all other rows are folded" {
	three_of_each
	"$TDSTAT" diff --markdown -o comment "${three[@]}"
	render
	"$TDSTAT" diff -j "${three[@]}" >json
	python3 -S - <<-'PYTHON'
		import json, re
		rows = [row for row in map(json.loads, open("json")) if row.get("kind")]
		marked = sum(bool(row["marked"]) for row in rows)
		others = sum(not row["marked"] and row["kind"] in ("metric", "event") for row in rows)
		assert marked >= 1 and others >= 1
		html = open("html").read()
		assert re.search(f"<summary>{others} more rows?</summary>", html), (others, html)
		# before the click, in the first table
		first = re.search("<table>.*?</table>", html, re.S)[0]
		assert html.count("<strong>") == first.count("<strong>") == marked, (marked, html)
	PYTHON
}

@test "--markdown: the result of --fail-above, and the exit status" {
	three_of_each
	try "$TDSTAT" diff --markdown -o comment --fail-above tma_frontend_bound:1,tma_backend_bound:90 "${three[@]}"
	assert_failure 1
	render
	has html '<li><strong>failed</strong>: <code>tma_frontend_bound</code> may get worse by 1; tma_frontend_bound of cpu_core grew by'
	has html '<li>passed: <code>tma_backend_bound</code> may get worse by 90</li>'
}

@test "--markdown: untrusted names cannot become markup, mentions or references" {
	needs_wing import
	hostile='<img src=x> **b** _i_ `c` | @team #1 :x: [l](u) ~~s~~ &amp; www'
	jq -c --arg n "$hostile" 'if .regions then .regions |= map(if .name == "malloc" then .name = $n else . end) else . end' \
		"$data/functions.jsonl" >'|@a `b`'
	cp '|@a `b`' '*c*'
	"$TDSTAT" diff --per-region --markdown '|@a `b`' '*c*' >comment
	render
	IFS= read -r elements <seen
	[[ ! " $elements " =~ \ (img|em|a|del)\  ]] || fail "$elements"
	# unchanged in the table; in text, a comment follows @ and #
	has seen "$hostile"
	has comment '@<!-- -->team #<!-- -->1'
	has html '<code>|@<!-- -->a `b`</code>'
	! has_text html '<strong>' || fail "something is bold"
	# nor is the unit of an event in what perf wrote
	sed 's/msec/|<img>/' "$data/perf-6.12-default.csv" >unit.csv
	"$TDSTAT" diff --markdown unit.csv unit.csv >comment
	render
	IFS= read -r elements <seen
	[[ " $elements " != *" img "* ]] || fail "$elements"
	has seen 'task-clock, |<img>'
}

@test "--junit: a test case for each name, as the exit status has it" {
	three_of_each
	try "$TDSTAT" diff --quiet --junit x.xml --fail-above tma_frontend_bound:1,tma_backend_bound:90 "${three[@]}"
	assert_failure 1
	python3 - <<-'EOS'
		import xml.etree.ElementTree as tree
		suite, = tree.parse("x.xml").getroot()
		assert suite.attrib == {"name": "tdstat diff", "tests": "2", "failures": "1", "errors": "0", "skipped": "0"}, suite.attrib
		bad, good = suite
		assert bad.get("name") == "tma_frontend_bound:1" and good.get("name") == "tma_backend_bound:90"
		assert bad[0].tag == "failure" and "grew by" in bad[0].get("message") and not len(good)
	EOS
	# one recording per side: the noise is unknown
	try "$TDSTAT" diff --quiet --junit x.xml --fail-above tma_frontend_bound:1 "$A" "$B"
	assert_success
	grep -q '<skipped message="tma_frontend_bound of cpu_atom grew by .*unknown' x.xml
	try "$TDSTAT" diff --quiet --strict --junit x.xml --fail-above tma_frontend_bound:1 "$A" "$B"
	assert_failure 1
	has x.xml '<failure message="tma_frontend_bound'
}

@test "--junit: a limit that could not be compared is an error, never a pass" {
	echo old >x.xml
	try "$TDSTAT" diff --junit x.xml --fail-above elapsed:1 "$A" '<gone>'
	assert_failure 2
	python3 - <<-'EOS'
		import xml.etree.ElementTree as tree
		suite, = tree.parse("x.xml").getroot()
		assert suite.get("errors") == "2" == suite.get("tests"), suite.attrib
		assert "<gone>" in suite[0][0].get("message")
		assert suite[1].get("name") == "elapsed:1" and suite[1][0].tag == "error"
	EOS
	needs_software_events
	try "$TDSTAT" diff --junit x.xml --fail-above tma_frontend_bound:1 -r 1 -e page-faults -- true : true
	assert_failure 64
	has x.xml '<testcase classname="tdstat.diff" name="comparison">'
	has x.xml '<error message="--fail-above tma_frontend_bound: no node'
	# a command that fails is trouble, whatever the limits say
	try "$TDSTAT" diff --junit x.xml --fail-above page-faults:900 -r 2 -e page-faults -- false : true
	assert_failure 2
	has x.xml '<error message="a command failed"/>'
	has x.xml 'name="page-faults:900"/>'
}

@test "--junit: needs limits, spares recordings, and stops no command" {
	try "$TDSTAT" diff --junit x.xml "$A" "$B"
	assert_failure 64
	[[ $stderr == *"--junit needs --fail-above"* ]]
	[ ! -e x.xml ]
	cp "$A" mine
	try "$TDSTAT" diff --junit mine --fail-above elapsed:1 "$A" "$B"
	assert_failure
	[[ $stderr == *"mine is a recording"* ]]
	cmp mine "$A"
	needs_software_events
	try "$TDSTAT" diff --junit no/x.xml --fail-above elapsed:1 -r 2 -e page-faults -- \
		sh -c 'echo >>ran' : sh -c 'echo >>ran'
	assert_failure 2
	[[ $stderr == *no/x.xml* ]]
	mapfile -t ran <ran
	assert_equal ${#ran[@]} 4
}

@test "doctor --ci: a line, and the status of doctor" {
	copied skylakex
	rm -r "$devices/cpu"
	try "$TDSTAT" doctor --ci
	assert_failure 1
	assert_equal "${#lines[@]}" 1
	assert_output --regexp '^tdstat [^ ]+ on Skylake-SP.* CPUs?\) counts no slots: .*PMU'
	try "$TDSTAT" doctor --ci -j
	assert_failure 64
}

@test "the workflows of tdstat-ci(7): on a runner without counters, they print the reason and pass" {
	python3 "$here/ci.py" workflows "$page" 2>err || {
		! has_text err "No module named 'yaml'" || skip "no YAML in Python"
		fail "$(<err)"
	}
	copied skylakex
	rm -r "$devices/cpu"
	mkdir bin old new
	ln -s "$(command -v "$TDSTAT")" bin/tdstat
	for program in old/bench new/bench bench; do
		printf '#!/bin/sh\necho >>"%s/ran"\n' "$PWD" >"$program"
	done
	chmod +x old/bench new/bench bench
	for how in github gitlab; do
		GITHUB_STEP_SUMMARY=$PWD/summary PATH=$PWD/bin:$PATH try bash -e "$how"
		assert_success
		[ ! -e ran ]
		[ ! -e slots.md ]
	done
	[[ $output$stderr == *"counts no slots"* ]]
	has summary "counts no slots"
	bash -n regions
}

# commit NUMBER SECONDS...: a commit of "tree", with the recordings of its runs
commit() {
	local number=$1 i=0 seconds

	shift
	for seconds; do
		i=$((i + 1))
		sed "s/\"elapsed\":[0-9.]*/\"elapsed\":$seconds/" "$data/manual/xz-events.jsonl" >tree/run$i
	done
	git -C tree add .
	git -C tree commit -qm "commit $number"
}

@test "git bisect run with the script of tdstat-ci(7) finds the commit, and skips undecided ones" {
	command -v git >/dev/null && command -v make >/dev/null || skip "no git and make here"
	unset MAKEFLAGS MAKELEVEL "${!GIT_@}"
	export GIT_CONFIG_NOSYSTEM=1 HOME=$PWD
	git config --global user.name a
	git config --global user.email a
	git config --global init.defaultBranch main
	git init -q tree
	printf 'bench:\n\ttouch bench\n' >tree/Makefile
	echo bench >tree/.gitignore
	commit 1 1.00 1.01 0.99
	git -C tree tag v1.0
	commit 2 1.01 1.00 1.02
	commit 3 0.99 1.00 1.01
	# git begins with one of these
	commit 4 0.70 1.60 1.10
	commit 5 1.60 0.70 1.10
	commit 6 1.00 1.00 1.02
	commit 7 1.20 1.21 1.19
	commit 8 1.21 1.20 1.22
	python3 "$here/ci.py" bisect "$page"
	chmod +x slower
	# recordings instead of runs, which need counters; 129 ends git bisect run
	mkdir bin
	printf '%s\n' '#!/bin/bash' \
		'[ "$*" = "diff --bisect -r 10 --fail-above elapsed:5 -- ../good/bench : ./bench" ] && [ -e ../good/bench ] && [ -e bench ] || exit 129' \
		'exec "$TDSTAT" diff --bisect --fail-above elapsed:5 ../good/run? -- run?' >bin/tdstat
	chmod +x bin/tdstat
	TDSTAT=$(realpath "$TDSTAT")
	cd tree
	PATH=$PWD/../bin:$PATH try bash -e ../commands
	assert_success
	git bisect log >../log
	has ../log "# first bad commit: [$(git rev-parse main~1)] commit 7"
	run grep -cE '^# skip: \[[0-9a-f]+\] commit [45]$' ../log
	[ "$output" -ge 1 ] || fail "$(<../log)"
	run ! grep -E '^# (skip|bad): .* commit [1-36]$|^# good: .* commit [4578]$' ../log
}
