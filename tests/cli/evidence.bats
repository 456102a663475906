#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: evidence
# tdstat doctor --evidence, where nothing is counted: how it runs its programs, and the
# files that were sent in.  tests/machine/evidence.bats counts the programs.

# shellcheck disable=SC2016,SC2154 # the inner shell's; helper.bash
load helper

evidence=$data/evidence/evidence

# How long a step takes depends on the machine: one that reads page tables in software
# needs a thousand times as long for a page walk.  Whether it is within theory is said.
@test "each program prints the time of a step, and whether it agrees with theory" {
	python3 - <<-'PYTHON'
		import os, re, subprocess
		line = re.compile(r"(\w+): ([0-9.]+) ns per [a-z]+, ([0-9.]+) cycles at ([0-9.]+) GHz, "
		    r"and theory gives ([0-9.]+) to ([0-9]+) (ns|cycles)(: it differs)?\n")
		took = {}
		for name in "streams chase mispredict ports icache divide sharing dtlb stores locks aliasing spin".split():
		    if name == "sharing" and len(os.sched_getaffinity(0)) < 2:
		        continue
		    run = subprocess.run([os.environ["TDSTAT"], "doctor", "--program", name + ":20"], capture_output=True, text=True)
		    found = line.fullmatch(run.stdout)
		    assert run.returncode == 0 and not run.stderr and found and found[1] == name, run
		    ns, cycles, ghz, least, most = map(float, found.groups()[1:6])
		    # each is rounded
		    assert ns > 0 and ghz > 0 and abs(cycles - ns * ghz) <= 0.06 + 0.006 * ghz + 0.006 * ns, run
		    value, error = (ns, 0.006) if found[7] == "ns" else (cycles, 0.06)
		    if value + error < least or value - error > most:
		        assert found[8], run
		    if least < value - error and value + error < most:
		        assert not found[8], run
		    took[name] = ns
		# loads from memory, each of which waits for the one before, and multiplications
		assert took["chase"] > took["ports"], took
	PYTHON
	try "$TDSTAT" doctor --program chase:20 --quiet
	assert_success
	[ -z "$output$stderr" ]
}

@test "a program runs where its affinity allows, and for the requested time" {
	python3 - <<-'PYTHON'
		import os, subprocess, time
		os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
		def program(what):
		    return subprocess.run([os.environ["TDSTAT"], "doctor", "--program", what], capture_output=True, text=True)
		begin = time.monotonic()
		run = program("ports:300")
		assert run.returncode == 0 and time.monotonic() - begin >= 0.3, run
		# two threads on one CPU do not meet
		run = program("sharing:20")
		assert run.returncode == 1 and "two CPUs" in run.stderr, run
	PYTHON
}

@test "wrong usage" {
	python3 - <<-'PYTHON'
		import os, subprocess
		def refused(words, why):
		    run = subprocess.run([os.environ["TDSTAT"], "doctor", *words], capture_output=True, text=True)
		    assert run.returncode == 64 and run.stderr.startswith("tdstat: ") and why in run.stderr, run
		refused(["--program", "nothing"], "no such program")
		refused(["--program", "chase,9"], "no such program")
		refused(["--evidence", "-j"], "exclude each other")
		refused(["--evidence", "--ci"], "exclude each other")
		refused(["--program", "chase", "-j"], "exclude each other")
		refused(["--program", "chase", "file"], "one file")
		refused(["--evidence", "one", "two"], "one file")
		for ms in "0", "x", "-1", "", "3600001", "99999999":
		    refused(["--program", "chase:" + ms], "expected a number of ms from 1 to 3600000")
	PYTHON
}

@test "a machine without counts: each program has the reason and no verdict; --evidence -" {
	saved alderlake
	# a name that is in no other text, where it may be given
	if unshare --uts true 2>/dev/null; then
		try unshare --uts sh -c 'echo tdstat-evidence-host >/proc/sys/kernel/hostname; exec "$@"' - \
			"$TDSTAT" doctor --evidence --program spin sent.jsonl
	else
		try "$TDSTAT" doctor --evidence --program spin sent.jsonl
	fi
	assert_failure 1
	assert_output --partial 'none     spin'
	assert_output --partial '0 of 1 as expected on cpu_core'
	# without the names of this host, its directories and its user
	command jq -es --arg dir "$PWD" --arg home "${HOME:-/nowhere}/" '
		(.[0] | .cpuid == "GenuineIntel-6-97-2" and .model == "Alder Lake") and
		all(has("agrees") | not) and
		([.. | strings] | all(. as $text | ["tdstat-evidence-host", $dir, $home] | all(. as $name | $text | contains($name) | not))) and
		([.. | objects | keys[]] | all(IN("host", "command", "topology", "start", "boottime", "labels") | not))' \
		sent.jsonl >/dev/null || fail "$(<sent.jsonl)"
	# with -, the file is standard output, and lines for people are not in it
	try "$TDSTAT" doctor --evidence --program spin -
	assert_failure 1
	[ ! -e - ]
	command jq -es --slurpfile wanted sent.jsonl 'map([keys, .program, .way, .error]) == ($wanted | map([keys, .program, .way, .error]))' \
		<<<"$output" >/dev/null || fail "$output"
	[[ $stderr == *'none     spin'*'0 of 1 as expected on cpu_core'* ]]
	try sh -c '"$TDSTAT" doctor --evidence --program spin - >/dev/full'
	assert_failure 1
	[[ $stderr != *'please send'* ]]
	[[ $stderr == *$'\ntdstat: cannot write standard output: No space left on device' ]]
}

# fake_toplev NAME LINE...: what it is called with goes to "called", and the lines to
# its output, after the command
fake_toplev() {
	mkdir -p bin
	{
		echo '#!/bin/sh'
		# shellcheck disable=SC2016 # of that shell
		printf '%s\n' '[ "$1" != --help ] || exit 0' 'echo "$@" >>called' \
			'while [ "$1" != -- ]; do [ "$1" != -o ] || out=$2; shift; done' 'shift; "$@" || exit' 'cat >"$out" <<"END"'
		printf '%s\n' "${@:2}" END
	} >"bin/$1"
	chmod +x "bin/$1"
	export PATH=$PWD/bin:$PATH
}

@test "toplev, where it is installed: only its nodes are used, by name" {
	saved alderlake
	fake_toplev toplev.py '# 4.8-full-perf on 12th Gen [adl/golden_cove]' \
		'CPUs,Area,Value,Unit,Description,Sample,Stddev,Multiplex,Bottleneck' \
		'C3-T0,Frontend_Bound,12.5,% Slots,,,0.0,33.3,' \
		'C3-T0,Backend_Bound.Memory_Bound,61.25,% Slots,,,0.0,33.3,<==' \
		'Backend_Bound,70.0,% Slots ?,,,0.0,33.3,' \
		'C3-T0,Info.Thread.IPC,0.31,Metric,,,0.0,,' \
		'Backend_Bound.Memory_Bound.L1_Bound,33.0,% Clocks,,,,,' \
		'Bad_Speculation,nan,% Slots,,,,,' 'Retiring,,% Slots,,,,,' '' ',,,' 'C3-T0,Retiring,17'
	try "$TDSTAT" doctor --evidence --program spin sent.jsonl
	assert_failure 1
	command jq -es '[.[] | select(.way == "toplev")] | length >= 1 and all(.values ==
		{frontend_bound: [12.5, null], memory_bound: [61.25, null], backend_bound: [70, null]})' sent.jsonl >/dev/null ||
		fail "$(grep toplev sent.jsonl)"
	mapfile -t calls <called
	[ "${#calls[@]}" -eq "$(grep -c '"way":"toplev"' sent.jsonl)" ]
	for call in "${calls[@]}"; do
		[[ $call =~ ^'-l2 -v --no-desc -x, --single-thread -o /dev/fd/3 -- /'.*'tdstat doctor --quiet --program spin:'[0-9]+$ ]] || fail "$call"
	done
	# one that counts nothing, and one that fails
	fake_toplev toplev '# 4.8-full-perf on 12th Gen [adl/golden_cove]'
	try "$TDSTAT" doctor --evidence --program spin sent.jsonl
	command jq -es '[.[] | select(.way == "toplev")] | length >= 1 and all(.error == "toplev has no values")' sent.jsonl >/dev/null
	# shellcheck disable=SC2016 # of that shell
	printf '%s\n' '#!/bin/sh' '[ "$1" = --help ]' >bin/toplev
	try "$TDSTAT" doctor --evidence --program spin sent.jsonl
	command jq -es '[.[] | select(.way == "toplev")] | length >= 1 and all(.error == "toplev could not count it")' sent.jsonl >/dev/null
	# an empty directory
	mkdir empty
	PATH=$PWD/empty try "$TDSTAT" doctor --evidence --program spin sent.jsonl
	command jq -es 'all(.way != "toplev")' sent.jsonl >/dev/null
}

@test "no core PMU: an error, and no file" {
	copied alderlake
	rm -r "$devices"/cpu_*
	try "$TDSTAT" doctor --evidence sent.jsonl
	assert_failure 1
	assert_complains 'no core PMU'
	[ ! -e sent.jsonl ]
}

@test "evidence that was sent in: today's formulas give the same, and README.md lists it or says that there is none" {
	python3 - "$evidence" "$here/../.." <<-'PYTHON'
		import glob, os, re, subprocess, sys
		evidence, root = sys.argv[1:]
		table = subprocess.run([evidence, "table"], capture_output=True, text=True, check=True).stdout
		readme = open(root + "/README.md").read()
		head = r"^\| core \| processor \| kernel \| checked by.*\n.*\n"
		if "none so far" in table:
		    assert "No evidence from real hardware" in readme and not re.search(head, readme, re.M)
		else:
		    assert table == re.search(head + r"((?:\|.*\n)+)", readme, re.M)[1], table
		if glob.glob(os.path.dirname(evidence) + "/*.jsonl"):
		    subprocess.run([evidence, "replay", os.environ["TDSTAT"]], check=True)
		# cores with evidence are no longer called unchecked
		cells = [re.split(r" *\| *", line) for line in table.splitlines()]
		named, checked = {cell[1] for cell in cells if cell[1] != "none so far"}, set()
		for path in glob.glob(root + "/lib/machine/intel/**", recursive=True) + glob.glob(root + "/lib/machine/amd/**", recursive=True):
		    if os.path.isfile(path):
		        lines = open(path).read().splitlines()
		        for nr, line in enumerate(lines):
		            if "TD_CORE_CHECKED" in line:
		                checked.update(re.findall(r'.*\.name = "(.*)"', "\n".join(lines[max(0, nr - 9):nr + 1])))
		assert named == checked, (named, checked)
	PYTHON
}

@test "a core that was never validated: -v mentions it" {
	saved alderlake
	try "$TDSTAT" --dry-run -v -a
	assert_success
	[[ $output$stderr =~ 'machine '[^$'\n']*'; not yet validated on real hardware: Golden Cove, Gracemont' ]] ||
		fail "$output"
}

# sent VALUE VERDICT: a file of one program, whose retiring and verdict are these
sent() {
	command jq -cn --slurpfile lines "$data/alderlake-command.jsonl" --argjson value "$1" --arg verdict "$2" '
		{tdstat_evidence: 1, day: "2026-11-26", cpuid: "GenuineIntel-6-97-2", model: "Alder Lake", kernel: "6.12",
			pmus: [{name: "cpu_core", core: "Golden Cove"}]},
		{program: "chase", pmu: "cpu_core", cpu: 3, way: "auto", values: {tma_retiring: [$value, 0.1]},
			verdict: [$verdict], recording: $lines},
		{program: "chase", pmu: "cpu_core", cpu: 3, agrees: true},
		{program: "ports", pmu: "cpu_core", cpu: 3, agrees: false}' >sent-somebody.jsonl
}

@test "a value that is another one today is found, and a row is made of a file" {
	# retiring and the slots, of the first PMU, by hand
	value=$(command jq -s '.[1].counts | map(select(.[0] <= 4) | .[3]) | 100 * .[1] / (.[1] + .[2] + .[3] + .[4])' \
		"$data/alderlake-command.jsonl")
	sent "$value" ''
	command jq -c 'if has("verdict") then .verdict = [] else . end' sent-somebody.jsonl >right-somebody.jsonl
	try "$evidence" replay "$TDSTAT" right-somebody.jsonl
	assert_success
	assert_output '1 recordings, 0 differences'
	sent 50 tma_frontend_bound
	try "$evidence" replay "$TDSTAT" sent-somebody.jsonl
	assert_failure
	assert_output --partial 'chase, cpu_core, auto: tma_retiring was 50, is '
	assert_output --partial "the verdict was ['tma_frontend_bound'], is"
	try "$evidence" table sent-somebody.jsonl
	assert_output '| Golden Cove | Alder Lake | 6.12 | somebody, 2026-11-26: 1 of 2 |'
}
