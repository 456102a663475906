#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat doctor --evidence, where nothing is counted: the programs do what they say,
# by the time that they take; and what files say that were sent in.
# tests/machine/evidence.bats counts them.

# shellcheck disable=SC2034,SC2154 # ${!4}; helper.bash
load helper

programs=(streams chase mispredict ports icache divide sharing dtlb stores locks aliasing spin)
evidence=$data/evidence/evidence

# took PROGRAM: sets ns and cycles, of a step of it
took() {
	try "$TDSTAT" doctor --program "$1:400"
	assert_success
	assert_no_stderr
	[[ $output =~ ^$1:\ ([0-9.]+)\ ns\ per\ [a-z]+,\ ([0-9.]+)\ cycles ]] || fail "$output"
	ns=${BASH_REMATCH[1]} cycles=${BASH_REMATCH[2]}
}

# within LOW VALUE HIGH
within() {
	awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN { exit !(low <= value && value <= high) }'
}

# takes PROGRAM LOW HIGH WHAT: so many ns or cycles, up to three times, as the host
# may be busy
takes() {
	for _ in 1 2 3; do
		took "$1"
		! within "$2" "${!4}" "$3" || return 0
	done
	fail "$1 takes ${!4} $4, not $2 to $3"
}

@test "each program takes what its instructions or its memory take" {
	# a chase: what holds 8 MiB, which is the third-level cache or DRAM
	takes chase 5 250 ns
	# what a misprediction costs, and half as many branches that are none
	takes mispredict 10 40 cycles
	# one or two multiplications a cycle
	takes ports 0.45 2.2 cycles
	takes divide 5 45 cycles
	takes locks 5 60 cycles
	takes spin 4 400 cycles
	# a line of memory, at 1.6 to 160 GB/s
	takes streams 0.4 40 ns
	takes stores 0.4 60 ns
	# what is not in the first-level cache of instructions, and not in memory either
	takes icache 4 100 cycles
	# a page walk, beside the load itself
	takes dtlb 12 300 cycles
	# a load that nothing holds up takes half a cycle at most
	takes aliasing 0.9 40 cycles
	takes sharing 2 600 ns
}

@test "each says itself what theory gives" {
	for program in "${programs[@]}"; do
		try "$TDSTAT" doctor --program "$program:20"
		assert_success
		[[ $output =~ ', and theory gives '[0-9.]+\ to\ [0-9]+\ (ns|cycles)(: it differs)?$ ]] || fail "$output"
	done
	try "$TDSTAT" doctor --program chase:20 --quiet
	assert_success
	[ -z "$output" ]
}

@test "it runs where it may, and for as long as it is told" {
	last=$(taskset -pc $$ | sed 's/.*[-,: ]//')
	begin=$(date +%s%N)
	try taskset -c "$last" "$TDSTAT" doctor --program ports:300
	assert_success
	[ $((($(date +%s%N) - begin) / 1000000)) -ge 300 ]
	# two threads on one CPU do not meet
	try taskset -c "$last" "$TDSTAT" doctor --program sharing:20
	assert_failure 1
	assert_complains 'two CPUs'
}

@test "wrong usage" {
	while IFS=: read -r words why; do
		# shellcheck disable=SC2086 # words
		try "$TDSTAT" doctor $words
		assert_failure 64
		assert_complains "$why"
	done <<-'END'
		--program nothing:none of this name
		--program chase,9:none of this name
		--evidence -j:exclude each other
		--evidence --ci:exclude each other
		--program chase -j:exclude each other
		--program chase file:one file
		--evidence one two:one file
	END
	for ms in 0 x -1 '' 3600001 99999999; do
		try "$TDSTAT" doctor --program "chase:$ms"
		assert_failure 64
		assert_complains 'no number of ms from 1 to 3600000'
	done
}

@test "a machine of which nothing is counted: each program says why, and no verdict is made up" {
	saved alderlake
	try "$TDSTAT" doctor --evidence --program spin sent.jsonl
	assert_failure 1
	assert_output --partial 'none     spin'
	assert_output --partial '0 of 1 as expected on cpu_core'
	command jq -es '.[0] | .cpuid == "GenuineIntel-6-97-2" and .model == "Alder Lake"' sent.jsonl >/dev/null
	command jq -es 'all(has("agrees") | not)' sent.jsonl >/dev/null
	# the names of this host, of its folders and of who works on it are not told
	try grep -F -e "$(hostname)" -e "$PWD" -e "$HOME/" sent.jsonl
	assert_failure 1
}

@test "--evidence -: the file is standard output, and lines for people are not in it" {
	saved alderlake
	try "$TDSTAT" doctor --evidence --program spin sent.jsonl
	cp sent.jsonl wanted.jsonl
	try "$TDSTAT" doctor --evidence --program spin -
	assert_failure 1
	[ ! -e - ]
	command jq -c 'keys, .program, .way, .error' <<<"$output" >keys
	command jq -c 'keys, .program, .way, .error' wanted.jsonl | diff - keys
	[[ $stderr == *'none     spin'*'0 of 1 as expected on cpu_core'* ]]
	run -1 --separate-stderr "$TDSTAT" doctor --evidence --program spin - >/dev/full
	[[ $stderr != *'please send'* ]]
	run -1 sh -c "'$TDSTAT' doctor --quiet --evidence --program spin - 2>&1 >/dev/full"
	assert_output --partial 'cannot write standard output: No space left on device'
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

@test "toplev, where it is installed: its nodes by name, and nothing else of its output" {
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
	[ "$(wc -l <called)" -eq "$(grep -c '"way":"toplev"' sent.jsonl)" ]
	run ! grep -vE '^-l2 -v --no-desc -x, --single-thread -o /dev/fd/3 -- /.*tdstat doctor --quiet --program spin:[0-9]+$' called
	# one that counts nothing, and one that fails
	fake_toplev toplev '# 4.8-full-perf on 12th Gen [adl/golden_cove]'
	try "$TDSTAT" doctor --evidence --program spin sent.jsonl
	command jq -es '[.[] | select(.way == "toplev")] | length >= 1 and all(.error == "toplev has no values")' sent.jsonl >/dev/null
	# shellcheck disable=SC2016 # of that shell
	printf '%s\n' '#!/bin/sh' '[ "$1" = --help ]' >bin/toplev
	try "$TDSTAT" doctor --evidence --program spin sent.jsonl
	command jq -es '[.[] | select(.way == "toplev")] | length >= 1 and all(.error == "toplev could not count it")' sent.jsonl >/dev/null
	# none
	rm bin/toplev*
	try "$TDSTAT" doctor --evidence --program spin sent.jsonl
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

@test "what was sent in: the same by today's formulas, and README.md's table" {
	[ "$("$evidence" table)" = "$(sed -n '/^| core | processor | kernel | checked by/,/^$/p' "$here/../../README.md" | sed '1,2d;/^$/d')" ]
	! ls "$data"/evidence/*.jsonl >/dev/null 2>&1 || "$evidence" replay "$TDSTAT"
	# cores that it has are no longer called unchecked
	assert_same "$("$evidence" table | awk -F ' *[|] *' '$2 != "none so far" { print $2 }' | sort -u)" \
		"$(grep -rhB 9 'TD_CORE_CHECKED' "$here/../../lib/machine/intel" "$here/../../lib/machine/amd" |
			sed -n 's/.*\.name = "\(.*\)".*/\1/p' | sort -u)"
}

@test "a core that nobody has checked: -v says it" {
	saved alderlake
	try "$TDSTAT" --dry-run -v -a
	assert_success
	[[ $output$stderr =~ 'machine '[^$'\n']*'; not yet checked on this core: Golden Cove, Gracemont' ]] ||
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
