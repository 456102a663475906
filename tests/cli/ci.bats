#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat-ci(7): a comparison as a comment and as test cases, and what a runner can count.

# shellcheck disable=SC2016,SC2154 # awk; helper.bash
load helper

export PYTHONDONTWRITEBYTECODE=1
A=$data/alderlake.jsonl
B=$data/alderlake-2.jsonl
page=$here/../../man/tdstat-ci.7

# What GitHub makes of the Markdown in "comment": its own program renders it.
render() {
	command -v cmark-gfm >/dev/null || skip "no cmark-gfm"
	cmark-gfm -e table -e strikethrough -e autolink --unsafe comment >html
	python3 "$here/ci.py" comment <html >seen
}

# Three recordings a side: in B the front end loses 30 to 32 % more.
three_of_each() {
	for i in 0 1 2; do
		jq -c --argjson f "1.0$i" 'if .counts then .counts |= map(if .[0] == 3 then .[3] = (.[3] * $f | floor) else . end) else . end' "$A" >"a$i"
		jq -c --argjson f "1.3$i" 'if .counts then .counts |= map(if .[0] == 3 then .[3] = (.[3] * $f | floor) else . end) else . end' "$A" >"b$i"
	done
}

@test "--markdown: the rows of the text, in tables that GitHub renders" {
	"$TDSTAT" diff --markdown "$A" "$B" >comment
	render
	assert_equal "$(head -1 seen)" "code li p table tbody td th thead tr ul"
	"$TDSTAT" diff -j "$A" "$B" | jq -c 'select(.kind)' >rows
	[ "$(wc -l <rows)" -ge 9 ]
	# a header, and a row for each of the nine that changed
	assert_equal "$(sed 1,2d seen | wc -l)" "$(wc -l <rows)"
	jq -r 'select(.kind == "metric") | [(.a * 100 | round), (.b * 100 | round)] | @tsv' rows >want
	sed 1,3d seen | awk -F'\t' '{ printf "%.0f\t%.0f\n", $2 * 100, $3 * 100 }' >got
	diff want got
	"$TDSTAT" diff "$A" "$B" | sed -n 2p | tr -d '\n' | sed 's/^ //' >sentence
	grep -qF "$(cat sentence)." comment
}

@test "--markdown: marked rows are bold, all others wait behind a click" {
	three_of_each
	"$TDSTAT" diff --markdown -o comment a? -- b?
	render
	"$TDSTAT" diff -j a? -- b? | jq -c 'select(.kind)' >rows
	marked=$(jq -s 'map(select(.marked)) | length' rows)
	[ "$marked" -ge 1 ]
	assert_equal "$(grep -o '<strong>' html | wc -l)" "$marked"
	others=$(jq -s 'map(select(.marked | not) | select(.kind == "metric" or .kind == "event")) | length' rows)
	[ "$others" -ge 1 ]
	grep -q "<summary>$others more rows\?</summary>" html
	# before the click, in the first table
	sed -n '/<table>/,/<\/table>/p;/<\/table>/q' html >first
	assert_equal "$(grep -o '<strong>' first | wc -l)" "$marked"
}

@test "--markdown: what became of --fail-above, and the exit status" {
	three_of_each
	run "$TDSTAT" diff --markdown -o comment --fail-above tma_frontend_bound:1,tma_backend_bound:90 a? -- b?
	assert_failure 1
	render
	grep -q '<li><strong>failed</strong>: <code>tma_frontend_bound</code> may get worse by 1; tma_frontend_bound of cpu_core grew by' html
	grep -q '<li>passed: <code>tma_backend_bound</code> may get worse by 90</li>' html
}

@test "--markdown: names of somebody else are no markup, no mention and no reference" {
	hostile='<img src=x> **b** _i_ `c` | @team #1 :x: [l](u) ~~s~~ &amp; www'
	jq -c --arg n "$hostile" 'if .regions then .regions |= map(if .name == "malloc" then .name = $n else . end) else . end' \
		"$data/functions.jsonl" >'|@a `b`'
	cp '|@a `b`' '*c*'
	"$TDSTAT" diff --per-region --markdown '|@a `b`' '*c*' >comment
	render
	run ! grep -qE '(^| )(img|em|a|del)( |$)' <<<"$(head -1 seen)"
	# in the table as it is; a comment stands behind @ and #
	grep -qF "$hostile" seen
	grep -qF '@<!-- -->team #<!-- -->1' comment
	grep -qF '<code>|@<!-- -->a `b`</code>' html
	run ! grep -q '<strong>' html
}

@test "--junit: a test case for each name, as the exit status has it" {
	three_of_each
	run "$TDSTAT" diff --quiet --junit x.xml --fail-above tma_frontend_bound:1,tma_backend_bound:90 a? -- b?
	assert_failure 1
	python3 - <<-'EOS'
		import xml.etree.ElementTree as tree
		suite, = tree.parse("x.xml").getroot()
		assert suite.attrib == {"name": "tdstat diff", "tests": "2", "failures": "1", "errors": "0", "skipped": "0"}, suite.attrib
		bad, good = suite
		assert bad.get("name") == "tma_frontend_bound:1" and good.get("name") == "tma_backend_bound:90"
		assert bad[0].tag == "failure" and "grew by" in bad[0].get("message") and not len(good)
	EOS
	# of one recording a side nobody knows what is chance
	run "$TDSTAT" diff --quiet --junit x.xml --fail-above tma_frontend_bound:1 "$A" "$B"
	assert_success
	grep -q '<skipped message="tma_frontend_bound of cpu_atom grew by .*not known' x.xml
	run "$TDSTAT" diff --quiet --strict --junit x.xml --fail-above tma_frontend_bound:1 "$A" "$B"
	assert_failure 1
	grep -q '<failure message="tma_frontend_bound' x.xml
}

@test "--junit: what could not be compared is an error, never a pass" {
	echo old >x.xml
	run "$TDSTAT" diff --junit x.xml --fail-above elapsed:1 "$A" '<gone>'
	assert_failure 2
	python3 - <<-'EOS'
		import xml.etree.ElementTree as tree
		suite, = tree.parse("x.xml").getroot()
		assert suite.get("errors") == "2" == suite.get("tests"), suite.attrib
		assert "<gone>" in suite[0][0].get("message")
		assert suite[1].get("name") == "elapsed:1" and suite[1][0].tag == "error"
	EOS
	run "$TDSTAT" diff --junit x.xml --fail-above tma_frontend_bound:1 -r 1 -e page-faults -- true : true
	assert_failure 2
	grep -q '<testcase classname="tdstat.diff" name="comparison">' x.xml
	grep -q '<error message="--fail-above tma_frontend_bound: no node' x.xml
	# a command that fails is trouble, whatever the limits say
	run "$TDSTAT" diff --junit x.xml --fail-above page-faults:900 -r 2 -e page-faults -- false : true
	assert_failure 2
	grep -q '<error message="a command failed"/>' x.xml
	grep -q 'name="page-faults:900"/>' x.xml
}

@test "--junit: needs limits, spares recordings, and stops no command" {
	run "$TDSTAT" diff --junit x.xml "$A" "$B"
	assert_failure 64
	assert_output --partial "--junit needs --fail-above"
	[ ! -e x.xml ]
	cp "$A" mine
	run "$TDSTAT" diff --junit mine --fail-above elapsed:1 "$A" "$B"
	assert_failure
	assert_output --partial "mine is a recording"
	cmp mine "$A"
	run "$TDSTAT" diff --junit no/x.xml --fail-above elapsed:1 -r 2 -e page-faults -- \
		sh -c 'echo >>ran' : sh -c 'echo >>ran'
	assert_failure 2
	assert_output --partial no/x.xml
	assert_equal "$(wc -l <ran)" 4
}

@test "doctor --ci: a line, and the status of doctor" {
	copied skylakex
	rm -r "$devices/cpu"
	run --separate-stderr "$TDSTAT" doctor --ci
	assert_failure 1
	assert_equal "${#lines[@]}" 1
	assert_output --regexp '^tdstat [0-9.]+ on Skylake-SP.* CPUs?\) counts no slots: .*PMU'
	run "$TDSTAT" doctor --ci -j
	assert_failure 64
}

@test "the workflows of tdstat-ci(7): a runner without counters says why, and passes" {
	python3 -c 'import yaml' 2>/dev/null || skip "no YAML in Python"
	python3 "$here/ci.py" workflows "$page"
	copied skylakex
	rm -r "$devices/cpu"
	mkdir bin old new
	ln -s "$(command -v "$TDSTAT")" bin/tdstat
	for program in old/bench new/bench bench; do
		printf '#!/bin/sh\necho >>%s/ran\n' "$PWD" >"$program"
		chmod +x "$program"
	done
	for how in github gitlab; do
		GITHUB_STEP_SUMMARY=$PWD/summary PATH=$PWD/bin:$PATH run bash -e "$how"
		assert_success
		[ ! -e ran ]
		[ ! -e slots.md ]
	done
	assert_output --partial "counts no slots"
	grep -q "counts no slots" summary
	bash -n regions
}
