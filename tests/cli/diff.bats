#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat diff over the recordings of tests/data, and over copies of them whose
# counts jq changes by a known amount.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # jq, awk; subshells; lists of options; helper.bash
load helper

A=$data/alderlake.jsonl
timeline=$data/alderlake-timeline.jsonl

# fields NAME...: these columns of tdstat's CSV in standard input
fields() {
	awk -F, -v wanted="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			n = split(wanted, name, " ")
			for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n"
		}'
}

# near GOT WANT [RELATIVE]
near() {
	awk -v got="$1" -v want="$2" -v part="${3:-1e-5}" 'BEGIN {
		size = want < 0 ? -want : want
		off = got - want
		exit !(got != "" && off <= part * size && -off <= part * size)
	}' || fail "got $1, want $2"
}

# value_of FIELD PMU NAME: of the CSV in the file "out"
value_of() {
	awk -F, -v of="$1" -v pmu="$2" -v name="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["pmu"] == pmu && $at["name"] == name { print $at[of] }' out
}

# whole FILE PMU METRIC: the sum of all intervals, as report has it
whole() {
	"$TDSTAT" report --total --summary -l 1 -x, "$1" | awk -F, -v pmu="$2" -v of="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		/,summary,/ && $at["pmu"] == pmu { print $at[of] }'
}

# with_instructions FACTOR: the recording of level 2, with instructions of both PMUs
with_instructions() {
	jq -c --argjson factor "$1" '
		if .events then
			.events += [
				{name: "cpu_core/INST_RETIRED.ANY/", pmu: "cpu_core", group: 3},
				{name: "cpu_atom/INST_RETIRED.ANY/", pmu: "cpu_atom", group: 4}]
		elif .counts then
			.counts += [.counts[] | select(.[0] == 0) | .[0] = 20 | .[3] = (.[3] * $factor | floor)] +
				[.counts[] | select(.[0] == 10) | .[0] = 21 | .[3] = (.[3] * $factor | floor)]
		else . end' "$data/alderlake-2.jsonl"
}

# grown EVENT FACTOR FILE: scale the counts of an event, also those of its timeline
grown() {
	jq -cs --argjson event "$1" --argjson factor "$2" '
		(map(select(.counts))[0].counts | map(.[0] == $event)) as $is
		| .[]
		| if .counts then .counts |= map(if .[0] == $event then .[3] = (.[3] * $factor | floor) else . end)
		elif .sums then .sums |= (to_entries | map(if $is[.key]
			then .value | .[0] = (.[0] * $factor | floor) else .value end))
		else . end' "$3"
}

# --- the numbers ------------------------------------------------------------------

@test "a recording and itself: no changes and no marks" {
	needs_wing import
	for file in "$data"/{alderlake,alderlake-2,alderlake-timeline,sapphirerapids-2,zen5}.jsonl \
		"$data"/manual/{xz-3,xz-events}.jsonl "$data"/perf-6.12-default.{csv,jsonl}; do
		for per in '' '--per second' '--per run'; do
			"$TDSTAT" diff -x, $per "$file" "$file" >out
			awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
				$at["difference"] != "0.00" || $at["marked"] != "0" { print; failed = 1 }
				END { exit failed || NR <= 3 }' out || fail "$file $per"
		done
	done
}

@test "values are those of report --total --summary, the difference is that of both" {
	B=$data/alderlake-2.jsonl
	"$TDSTAT" diff -x, "$A" "$B" >out
	for pmu in cpu_core cpu_atom; do
		for node in tma_retiring tma_backend_bound tma_frontend_bound tma_bad_speculation; do
			a=$(whole "$A" $pmu $node)
			b=$(whole "$B" $pmu $node)
			near "$(value_of a $pmu $node)" "$a" 0.002
			near "$(value_of b $pmu $node)" "$b" 0.002
			near "$(value_of difference $pmu $node)" "$(awk -v a="$(value_of a $pmu $node)" \
				-v b="$(value_of b $pmu $node)" 'BEGIN { printf "%.9g", b - a }')" 1e-3
		done
	done
	# one recording per side: the noise is unknown
	assert_same '   0' "$(fields error degrees slots_error marked <out | sort -u)"
}

@test "--per instructions is the default where both have them, by known numbers" {
	with_instructions 0.25 >a
	with_instructions 0.5 >b
	"$TDSTAT" diff -x, a b >out
	assert_same instruction "$(fields per <out | sort -u)"
	# twice the instructions for the same slots: half the slots for one of them
	fields slots_a slots_b slots_difference difference name <out | grep tma_ >numbers
	[ "$(wc -l <numbers)" -ge 8 ]
	awk 'function off(got, want) { return (got - want) ^ 2 > (1e-4 * want) ^ 2 }
		off($2, $1 / 2) || off($3, -$1 / 2) || $4 != "0.00" { print; failed = 1 }
		END { exit failed }' numbers
	# from the raw counts: slots of the P-cores, instructions of both
	slots=$(jq -s '[.[].counts // [] | .[] | select(.[0] == 0) | .[3]] | add' a)
	work=$(jq -s '[.[].counts // [] | .[] | select(.[0] >= 20 and .[5] > 0) | .[3] * .[4] / .[5]] | add' a)
	near "$(value_of slots_a cpu_core tma_retiring)" \
		"$(awk -v s="$slots" -v w="$work" -v p="$(value_of a cpu_core tma_retiring)" \
			'BEGIN { printf "%.9g", p / 100 * s / w }')" 0.001
	# E-cores counted cycles, too
	near "$(value_of a cpu_atom IPC)" 0.25
	near "$(value_of percent cpu_atom IPC)" 100
}

@test "--per second, run, slots: from the same shares" {
	slots=$(jq -s '[.[].counts // [] | .[] | select(.[0] == 0) | .[3]] | add' "$A")
	"$TDSTAT" diff -x, --per run "$A" "$A" >out
	near "$(value_of slots_a cpu_core tma_retiring)" \
		"$(awk -v s="$slots" -v p="$(value_of a cpu_core tma_retiring)" 'BEGIN { printf "%.9g", s * p / 100 }')"
	run=$(value_of slots_a cpu_core tma_retiring)
	"$TDSTAT" diff -x, --per second "$A" "$A" >out
	near "$(value_of slots_a cpu_core tma_retiring)" \
		"$(awk -v r="$run" -v t="$(jq -s '[.[].time // 0] | max' "$A")" 'BEGIN { printf "%.9g", r / t }')"
	"$TDSTAT" diff -x, --per slots "$A" "$A" >out
	near "$(value_of slots_a cpu_core tma_retiring)" \
		"$(awk -v p="$(value_of a cpu_core tma_retiring)" 'BEGIN { printf "%.9g", p / 100 }')"
}

# several FILE SIDE EVENT FACTOR...: make recordings SIDE1, SIDE2 ... of the file, with the
# event's counts scaled by these factors
several() {
	local file=$1 side=$2 event=$3 i=0 factor
	shift 3
	for factor; do
		i=$((i + 1))
		grown "$event" "$factor" "$file" >"$side$i"
	done
}

@test "the largest change comes first, and significant changes are marked" {
	several "$timeline" a 6 0.99 1 1.01 # topdown-mem-bound
	several "$timeline" b 6 1.49 1.5 1.51
	"$TDSTAT" diff -x, a1 a2 a3 -- b1 b2 b3 >out
	assert_same 'elapsed' "$(fields name <out | head -n 1)"
	fields slots_difference <out | sed -n 's/^-//; /./p' >sizes
	assert_same "$(sort -gr sizes)" "$(cat sizes)"
	# growth by half is significant, and unchanged nodes have no change
	near "$(value_of b cpu_core tma_memory_bound)" \
		"$(awk -v a="$(value_of a cpu_core tma_memory_bound)" 'BEGIN { print 1.5 * a }')" 0.01
	assert_same 1 "$(value_of marked cpu_core tma_memory_bound)"
	assert_same '0.00 0' "$(fields pmu difference marked <out | sed -n 's/^cpu_atom //p' | sort -u)"
}

@test "one recording per side has no noise, nor do two commands with -r 1" {
	grown 6 1.5 "$timeline" >b
	"$TDSTAT" diff -x, "$timeline" b >out
	assert_same '  0' "$(fields error percent_error marked <out | sort -u)"
	try "$TDSTAT" diff "$timeline" b
	assert_output --partial 'The noise is unknown'
	assert_output --partial "tdstat diff $timeline A2 ... A5 -- b B2 ... B5"
	run ! grep -E '^ \*|±' <<<"$output"
	try "$TDSTAT" diff -r 1 -e page-faults -- true : true
	assert_regex "$stderr" 'The noise is unknown; use 5 runs of each'
}

@test "one and several: the one varies as the several do" {
	for i in 1 2 3; do
		with_instructions 0.3$i >b$i
	done
	with_instructions 0.2 >a
	# 0.31, 0.32, 0.33: 4.302653 times 0.01 and the root of 1 + 1 / 3
	for words in 'a -- b1 b2 b3' 'b1 b2 b3 -- a'; do
		"$TDSTAT" diff -x, $words >out
		near "$(value_of error cpu_atom IPC)" 0.04968276 0.005
		assert_same 2 "$(value_of degrees cpu_atom IPC | sed 's/\.0*$//')"
	done
	try "$TDSTAT" diff a -- b1 b2 b3
	assert_output --partial '(1 + 3 recordings)'
}

# counts SIDE COUNT...: recordings SIDE1, SIDE2 ... of events, of which the fifth has
# this count
counts() {
	local side=$1 i=0 count
	shift
	for count; do
		i=$((i + 1))
		jq -c --argjson count "$count" 'if .counts then
			.counts |= map(if .[0] == 4 then [4, .[1], .[2], $count, 1000, 1000] else . end)
			else . end' "$data/manual/xz-events.jsonl" >"$side$i"
	done
}

@test "counts vary at least by their square root; values without variation have no error and no mark" {
	name=cpu_core/L1-dcache-load-misses/
	counts a 1 1
	counts b 2 2
	"$TDSTAT" diff -j a1 a2 -- b1 b2 >out
	# variances of 1.5, two degrees of freedom
	jq -es --arg name "$name" 'map(select(.name == $name))[0] | [.a, .b, .degrees, .marked] == [1, 2, 2, false]' out
	near "$(jq --arg name "$name" 'select(.name == $name).error' out)" 5.269652 0.005
	counts a 100000 100000 100000
	counts b 200000 200000 200000
	"$TDSTAT" diff -j a1 a2 a3 -- b1 b2 b3 >out
	assert_same "$name" "$(jq -r 'select(.marked).name' out)"
	# copies of shares have no variation
	grown 6 1.5 "$timeline" >b
	"$TDSTAT" diff -x, "$timeline" "$timeline" "$timeline" -- b b b >out
	assert_same ' 0' "$(fields error marked <out | sort -u)"
}

@test "several a side: Welch's interval of their means" {
	for i in 1 2 3; do
		with_instructions 0.2$i >a$i
		with_instructions 0.3$i >b$i
	done
	"$TDSTAT" diff -x, a1 a2 a3 -- b1 b2 b3 >out
	# IPC: 0.21, 0.22, 0.23 and 0.31, 0.32, 0.33: 2.776445 * sqrt(2 * 0.0001 / 3)
	near "$(value_of difference cpu_atom IPC)" 0.1 1e-4
	near "$(value_of error cpu_atom IPC)" 0.0226696 0.005
	near "$(value_of degrees cpu_atom IPC)" 4 0.01
	assert_same 1 "$(value_of marked cpu_atom IPC)"
	# the sides overlap
	"$TDSTAT" diff -x, a1 b1 -- a2 b2 >out
	assert_same 0 "$(value_of marked cpu_atom IPC)"
}

@test "events are compared in percent; several runs give the noise" {
	file=$data/manual/xz-events.jsonl
	for i in 1 2 3; do
		grown 0 1.00$i "$file" >a$i
		grown 0 1.20$i "$file" >b$i
	done
	name=$("$TDSTAT" diff -x, a1 b1 | fields kind name | sed -n 's/^event //p' | head -n 1)
	"$TDSTAT" diff -j a1 b1 >out
	near "$(jq -r --arg name "$name" 'select(.name == $name).percent' out)" 19.98002 1e-4
	assert_same false "$(jq -r .marked out | sort -u)"
	"$TDSTAT" diff -j a1 a2 a3 -- b1 b2 b3 >out
	assert_same "$name" "$(jq -r 'select(.marked and .kind == "event").name' out)"
	# of the counts, those of one second
	"$TDSTAT" diff -j --per second a1 a1 >out
	near "$(jq -r --arg name "$name" 'select(.name == $name).a' out)" \
		"$(jq -s '([.[].counts // [] | .[] | select(.[0] == 0) | .[3]] | add) / ([.[].time // 0] | max)' a1)" 0.001
}

# --- what it comes to ---------------------------------------------------------------

# share PMU NAME: what this node is, in percent, of the slots that level 1 saved (out)
share() {
	fields pmu level slots_difference name <out | awk -v pmu="$1" -v name="$2" '
		$2 == 1 && $3 < 0 { all += $3 }
		$1 == pmu && $4 == name { of = $3 }
		END { printf "%.0f", 100 * of / all }'
}

# first_words: the sentence at the head of the output, in one line
first_words() {
	awk 'NF { text = text " " $0; next } text { exit } END { print text }' <<<"$1" | tr -s ' ' | sed 's/^ //'
}

@test "the first line: the number of slots and their causes, with known numbers" {
	with_instructions 0.25 >a
	with_instructions 0.5 >b
	"$TDSTAT" diff -x, a b >out
	try "$TDSTAT" diff a b
	assert_same "B took 50.0 % fewer slots per instruction; $(share cpu_core tma_backend_bound) % of the saved slots were cpu_core tma_backend_bound" \
		"$(first_words "$output")"
	# a single core type needs no name
	try "$TDSTAT" diff --cputype core b a
	assert_regex "$(first_words "$output")" '^B took 100.0 % more .*of the added slots were tma_backend_bound$'
	# several: 1 / 0.21 ... and 1 / 0.31 ..., 4 degrees at most
	for i in 1 2 3; do
		with_instructions 0.2$i >a$i
		with_instructions 0.3$i >b$i
	done
	try "$TDSTAT" diff a1 a2 a3 -- b1 b2 b3
	want=$(awk 'BEGIN { a = (1 / .21 + 1 / .22 + 1 / .23) / 3; b = (1 / .31 + 1 / .32 + 1 / .33) / 3
		printf "%.1f", 100 * (a - b) / a }')
	assert_regex "$(first_words "$output")" "^B takes $want % fewer slots per instruction \([0-9.]+ to [0-9.]+ %\); [0-9]+ % of the saved"
	# the sides overlap
	try "$TDSTAT" diff a1 b1 -- a2 b2
	assert_regex "$(first_words "$output")" '^2 and 2 recordings show no difference in slots per instruction, but vary too much to exclude a large one \(-[0-9.]+ %, -[0-9.]+ to \+[0-9,.]+ %\)$'
	try "$TDSTAT" diff a1 a1
	assert_same 'B takes as many slots per instruction as A' "$(first_words "$output")"
}

# lasting FACTOR: make a recording of a command that took FACTOR times as long
lasting() {
	jq -c --argjson factor "$1" 'if .end then .end.elapsed *= $factor else . end' "$data/manual/xz-2.jsonl"
}

@test "the first line of recordings of commands: the time, and slots beside it" {
	for i in 1 2 3; do
		lasting 1.0$i >a$i
		lasting 2.0$i >b$i
	done
	lasting 1 >one
	lasting 1.5 >half
	try "$TDSTAT" diff one half
	assert_same 'B took 50.0 % more time; slots per run: 0.00 %' "$(first_words "$output")"
	# of two recordings with equal slots, no node is the cause
	try "$TDSTAT" diff a1 a2 a3 -- b1 b2 b3
	# 2.02 to 1.02, and 2.776 times the root of 2 * 0.0001 / 3 of the time of one
	want=$(awk 'BEGIN {
		ratio = 2.02 / 1.02
		half = 2.776445 * sqrt(2 * 0.0001 / 3) * log(ratio) / (2.02 - 1.02)
		printf "%.1f %% more time (%.1f to %.1f %%)", 100 * (ratio - 1),
			100 * (ratio / exp(half) - 1), 100 * (ratio * exp(half) - 1) }')
	assert_same "B takes $want; slots per run: 0.00 %" "$(first_words "$output")"
	# equally long, according to the times
	try "$TDSTAT" diff a1 a2 -- a2 a1
	assert_regex "$(first_words "$output")" '^B takes as much time as A'
	# a command that did not run to its end has no time to compare
	head -n 2 one >cut.jsonl
	try "$TDSTAT" diff cut.jsonl one
	run ! grep 'time' <<<"$(first_words "$output")"
	# twice the slots: of them, a node
	jq -c 'if .counts then .counts |= map(.[3] *= 2) else . end' half >more.jsonl
	try "$TDSTAT" diff one more.jsonl
	assert_regex "$(first_words "$output")" '^B took 50.0 % more time; slots per run: \+100.0 %; [0-9]+ % of the added slots were '
}

@test "a change that is shown as 0.00 has no mark and is not a failure, however significant" {
	for i in 1 2 3; do
		jq -c "if .end then .end.elapsed = 10.00000$i else . end" "$data/manual/xz-2.jsonl" >a$i
		jq -c "if .end then .end.elapsed = 10.00010$i else . end" "$data/manual/xz-2.jsonl" >b$i
		jq -c "if .end then .end.elapsed = 10.00100$i else . end" "$data/manual/xz-2.jsonl" >c$i
	done
	try "$TDSTAT" diff --fail-above elapsed:0 a1 a2 a3 -- b1 b2 b3
	assert_success
	assert_line --regexp '^   elapsed, s .* \+0\.00  '
	assert_regex "$(first_words "$output")" '^B takes as much time as A'
	# a hundredth of a percent is shown
	try "$TDSTAT" diff --fail-above elapsed:0 a1 a2 a3 -- c1 c2 c3
	assert_equal "$status" 1
	assert_line --regexp '^ \* elapsed, s .* \+0\.01  '
	assert_regex "$(first_words "$output")" '^B takes 0\.01 % more time'
}

@test "the first line without instructions: the largest change in points, and no number of slots" {
	try "$TDSTAT" diff "$timeline" "$timeline"
	assert_same 'No change' "$(first_words "$output")"
	several "$timeline" a 6 0.99 1 1.01
	several "$timeline" b 6 1.49 1.5 1.51
	try "$TDSTAT" diff a1 a2 a3 -- b1 b2 b3
	assert_regex "$(first_words "$output")" '^What changed most from A to B is cpu_core tma_memory_bound, \+15\.4[0-9] ±0\.70 points$'
	try "$TDSTAT" diff a1 a2 -- a2 a1
	assert_same 'No significant change' "$(first_words "$output")"
	run ! grep -i 'slots per' <<<"$output"
}

@test "one confidence: the interval of a marked row excludes 0, and both are of 95 %" {
	several "$timeline" a 6 0.99 1 1.01
	several "$timeline" b 6 1.49 1.5 1.51
	"$TDSTAT" diff -x, a1 a2 a3 -- b1 b2 b3 >out
	[ "$(fields marked <out | grep -c 1)" -ge 1 ]
	fields marked slots_difference slots_error <out | awk '
		$1 == 1 && ($2 < 0 ? -$2 : $2) <= $3 { wrong = 1 }
		END { exit wrong }'
	try "$TDSTAT" diff a1 a2 a3 -- b1 b2 b3
	assert_line --partial ' * significant at the 95 % level over all rows'
	assert_line --partial 'half of each row'
	run ! grep -E 'hundred|99 %' <<<"$output"
}

@test "legends explain only the marks that the table has" {
	# no noise and no change: neither marks nor errors
	cp "$A" a1
	cp "$A" a2
	"$TDSTAT" diff a1 a2 -- a2 a1 >out
	run ! grep -E '^ *(\*|±|in brackets)|significant at' out
	"$TDSTAT" diff --markdown a1 a2 -- a2 a1 >out
	run ! grep Bold out
	! has_wing pictures || "$TDSTAT" diff --html=out a1 a2 -- a2 a1
	run ! grep 'significant at' out
	# noise without a significant change
	several "$timeline" a 6 0.9 1 1.1
	several "$timeline" b 6 0.91 1.01 1.11
	"$TDSTAT" diff a1 a2 a3 -- b1 b2 b3 >out
	grep -q '^   .* ±' out
	grep -q '^ ± half of' out
	run ! grep -E '^ \*|in brackets' out
}

@test "too few runs: the command that has enough, which can be pasted" {
	needs_software_events
	try "$TDSTAT" diff -r 1 -e page-faults --no-big-num -o out -- sh -c 'echo "a b" >>log' : true
	command=$(sed -n 's/^     tdstat //p' out)
	assert_same "diff -r 5 -e page-faults -- sh -c 'echo \"a b\" >>log' : true" "$command"
	rm log
	try bash -c '"$TDSTAT" '"$command"
	assert_success
	assert_same 5 "$(grep -c '^a b$' log)"
	run ! grep 'tdstat diff -r 5 ' <<<"$output$stderr"
	# recordings: the number per side
	cp "$timeline" 'a 1'
	try "$TDSTAT" diff --per second 'a 1' 'a 1' "$timeline" -- 'a 1'
	assert_output --partial 'use 5 recordings of each:'
	assert_output --partial "tdstat diff --per=second 'a 1' 'a 1' $timeline A4 A5 -- 'a 1' B2 ... B5"
}

# on_cores FACTOR: make the recording of level 2 with FACTOR times the P-cores' slots
on_cores() {
	jq -c --argjson factor "$1" 'if .counts then
		.counts |= map(if .[0] < 10 then .[3] = (.[3] * $factor | floor) else . end) else . end' "$data/alderlake-2.jsonl"
}

@test "sides on different core types: noted first, with the way to pin them" {
	on_cores 1 >a
	on_cores 0.05 >b
	try "$TDSTAT" diff a b
	assert_success
	assert_regex "${stderr_lines[0]}" '^tdstat: A and B ran on different core types: [0-9]+ % of the slots of A were on cpu_[a-z]+, and [0-9]+ % of B'
	assert_regex "${stderr_lines[1]}" '^tdstat: to record only one core type: tdstat record -o FILE -C [0-9,-]+$'
	for side in a b; do
		jq -c 'if .tdstat then . + { tasks: true } elif .counts then .counts |= map(.[2] = .[1] + 100 | .[1] = -1) else . end' $side >$side.tasks
	done
	try "$TDSTAT" diff a.tasks b.tasks
	assert_regex "${stderr_lines[1]}" '^tdstat: to record both on one core type: tdstat record -o FILE -- taskset -c [0-9,-]+ COMMAND$'
	# as the table of report has it
	pmu=$(grep -o 'cpu_[a-z]*' <<<"${stderr_lines[0]}" | head -n 1)
	want=$("$TDSTAT" report --total --summary -l 1 -x, a | grep -e ^time -e ,summary, | fields pmu share | sed -n "s/^$pmu //p")
	assert_regex "${stderr_lines[0]}" " $(printf '%.0f' "$want") % of the slots of A"
	# as much as usual, one kind, or quiet: nothing is said
	on_cores 0.9 >c
	for words in 'a c' 'a a' '--cputype core a b' '--quiet a b'; do
		try "$TDSTAT" diff -x, $words
		assert_success
		assert_no_stderr
	done
}

# --- --fail-above -----------------------------------------------------------------

@test "--fail-above: exit 1, with the output, if a node grew for sure" {
	several "$timeline" a 6 0.99 1 1.01
	several "$timeline" b 6 1.49 1.5 1.51
	try "$TDSTAT" diff --fail-above tma_memory_bound:2 a1 a2 a3 -- b1 b2 b3
	assert_equal "$status" 1
	assert_output --partial tma_memory_bound
	assert_regex "$stderr" '^tdstat: --fail-above: tma_memory_bound of cpu_core grew by 1[0-9]\.[0-9]+ points, by more than 2$'
	# as -M does, without tma_
	try "$TDSTAT" diff --fail-above Memory_bound:2 a1 a2 a3 -- b1 b2 b3
	assert_equal "$status" 1
	# not by so much, not that way, another one
	for words in 'tma_memory_bound:30 a1 a2 a3 -- b1 b2 b3' 'tma_memory_bound:2 b1 b2 b3 -- a1 a2 a3' \
		'tma_retiring:2,tma_core_bound:1 a1 a2 a3 -- b1 b2 b3'; do
		try "$TDSTAT" diff --fail-above $words
		assert_success
		assert_equal "$stderr" ''
	done
	try "$TDSTAT" diff --fail-above tma_retiring:1,tma_memory_bound:2 a1 a2 a3 --quiet -- b1 b2 b3
	assert_equal "$status" 1
	assert_equal "$output$stderr" ''
}

# of_slots NAME SLOTS RETIRING BACKEND: three runs, in which the second varies a bit
of_slots() {
	for i in 1 2 3; do
		jq -cn --argjson n "[$2, $3, 0, 0, $4]" --argjson by "0.99$((8 + i % 2))" '
			["slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"] as $events
			| { tdstat: 1, cpuid: "GenuineIntel-6-8F-8", smt: false, interval_ms: 0, target: "bench",
				pmus: [{ name: "cpu", type: 4, cpus: "0" }], topology: [],
				events: [$events[] | { name: "cpu/\(.)/", pmu: "cpu", group: 0 }] },
			{ time: 1.0, counts: [$events | keys[] as $i | [$i, -1, 9, ($n[$i] * (if $i == 1 then $by else 1 end) | floor), 5, 5]] },
			{ end: { elapsed: 1.0, user: 1.0, sys: 0, exit: 0 } }' >"$1$i"
	done
}

@test "--fail-above: a node that takes no more slots is no failure, though its share grows" {
	of_slots a 1000000 700000 300000
	of_slots faster 650000 350000 300000
	of_slots slower 1350000 700000 650000
	# 30 % of the slots, 46 % of fewer, and 48 % of more
	try "$TDSTAT" diff --fail-above tma_backend_bound:5 a1 a2 a3 -- faster1 faster2 faster3
	assert_line --regexp '^ \* cpu tma_retiring +.* -34[0-9],[0-9]+ '
	assert_line --regexp '^ \* cpu tma_backend_bound +30\.0. +46\.[12]. +\+16\.[0-9]+ ±0\.[0-9]+ '
	assert_success
	assert_equal "$stderr" ''
	try "$TDSTAT" diff --fail-above tma_backend_bound:5 a1 a2 a3 -- slower1 slower2 slower3
	assert_equal "$status" 1
	assert_regex "$stderr" 'tma_backend_bound of cpu grew by 18\.[0-9]+ points, by more than 5$'
	# per slot, the unit of work here, it takes more
	try "$TDSTAT" diff --per slots --fail-above tma_backend_bound:5 a1 a2 a3 -- faster1 faster2 faster3
	assert_equal "$status" 1
}

@test "--fail-above: a change that may be noise is not a failure, with a note" {
	try "$TDSTAT" diff --fail-above tma_backend_bound:1 "$A" "$data/alderlake-2.jsonl"
	assert_success
	assert_regex "$stderr" 'tma_backend_bound of cpu_core grew by 1.46 points, but its noise is unknown'
	grown 6 1.5 "$timeline" >b
	try "$TDSTAT" diff --fail-above tma_memory_bound:2 "$timeline" b
	assert_success
	assert_regex "$stderr" 'tma_memory_bound of cpu_core grew by 1[0-9.]+ points, but its noise is unknown'
}

@test "--strict: an unknown result fails as well" {
	try "$TDSTAT" diff --strict --fail-above tma_backend_bound:1 "$A" "$data/alderlake-2.jsonl"
	assert_equal "$status" 1
	assert_regex "$stderr" 'tma_backend_bound of cpu_core grew by 1.46 points, but its noise is unknown: counted as a failure'
	try "$TDSTAT" diff --strict --fail-above tma_backend_bound:2 "$A" "$data/alderlake-2.jsonl"
	assert_success
	try "$TDSTAT" diff --strict "$A" "$A"
	assert_equal "$status" 64
}

@test "--fail-above: a name that one side lacks is neither a pass nor a regression" {
	"$TDSTAT" diff -x, "$A" "$timeline" 2>/dev/null >csv
	# the first has no level 2
	assert_equal "$(fields name a <csv | grep -c '^tma_memory_bound $')" 1
	try "$TDSTAT" diff --fail-above tma_memory_bound:2 "$A" "$timeline"
	assert_equal "$status" 2
	assert_regex "$stderr" 'tma_memory_bound has no value on one side: not compared'
	# trouble is more than a regression
	try "$TDSTAT" diff --strict --fail-above tma_memory_bound:2,tma_frontend_bound:0 "$A" "$timeline"
	assert_equal "$status" 2
}

@test "--fail-above: a core type that one side lacks is noted, and --strict requires it" {
	b=$data/alderlake-command.jsonl
	jq -c 'if .tdstat then .events as $all | ., ([$all | keys[] | select($all[.].pmu == "cpu_atom")] | { atom: . }) else . end' "$b" |
		jq -cn 'first(inputs) as $head | first(inputs).atom as $atom | $head, (inputs |
			if .counts then .counts |= map(if IN(.[0]; $atom[]) then .[3:] = [0, 0, 0] else . end) else . end)' >a
	for way in 0 "2 --strict"; do
		read -r want strict <<<"$way"
		# shellcheck disable=SC2086 # an option or none
		try "$TDSTAT" diff $strict --fail-above tma_backend_bound:2 a "$b"
		assert_equal "$status" "$want"
		assert_regex "$stderr" 'tma_backend_bound of cpu_atom has no value on one side: not compared'
	done
}

@test "--bisect: 125 is an undecided limit or trouble, and 0 and 1 are as without it" {
	of_slots a 1000000 700000 300000
	of_slots b 1000000 690500 309500
	of_slots c 1000000 500000 500000
	# status, recordings and limits: the difference of a and b is 0.95 points, and 0.03 its error
	while read -r want limits names; do
		read -ra names <<<"$names"
		try "$TDSTAT" diff --fail-above "$limits" "${names[@]}"
		assert_equal "$limits ${names[*]}: $status" "$limits ${names[*]}: ${want%-*}"
		try "$TDSTAT" diff --bisect --fail-above "$limits" "${names[@]}"
		assert_equal "--bisect $limits ${names[*]}: $status" "--bisect $limits ${names[*]}: ${want#*-}"
	done <<-'EOS'
		0-0 tma_backend_bound:2 a1 a2 a3 -- b1 b2 b3
		0-125 tma_backend_bound:0.96 a1 a2 a3 -- b1 b2 b3
		1-1 tma_backend_bound:0.5 a1 a2 a3 -- b1 b2 b3
		0-0 tma_backend_bound:0.5 b1 b2 b3 -- a1 a2 a3
		0-125 tma_backend_bound:2 a1 -- b1
		0-125 tma_backend_bound:2 a1 -- c1
		1-1 tma_backend_bound:2 a1 a2 a3 -- c1 c2 c3
		1-1 tma_backend_bound:1,tma_retiring:0 a1 a2 a3 -- c1 c2 c3
		2-125 tma_backend_bound:2 a1 a2 a3 -- nosuch
		64-64 tma_nosuch:2 a1 a2 a3 -- b1 b2 b3
	EOS
	try "$TDSTAT" diff --bisect --fail-above tma_backend_bound:0.96 a1 a2 a3 -- b1 b2 b3
	assert_regex "$stderr" 'tdstat: --fail-above: tma_backend_bound of cpu grew by 0\.98 points at most, and the limit is 0.96: undecided$'
	try "$TDSTAT" diff --bisect --fail-above tma_backend_bound:1 a1 -- b1
	assert_equal "$stderr" 'tdstat: --fail-above: the noise of tma_backend_bound of cpu is unknown: undecided'
	try "$TDSTAT" diff --markdown --junit x.xml --bisect --fail-above tma_backend_bound:1 a1 -- b1
	assert_output --partial '- **undecided**: `tma_backend_bound` may get worse by 1; the noise of'
	grep -q '<skipped message="the noise of' x.xml
	for words in --bisect '--bisect --strict --fail-above tma_backend_bound:1'; do
		try "$TDSTAT" diff $words a1 b1
		assert_equal "$status" 64
	done
}

@test "--bisect: a fall of IPC, and growth from 0, which has no percentage" {
	of_events 100000 100100 99900 100000 100100 99900
	name=$(jq -r 'select(.events) | .events[0].name' e1)
	for way in "2 0" "0.01 125"; do
		read -r most want <<<"$way"
		try "$TDSTAT" diff --bisect --fail-above "$name:$most" e1 e2 e3 -- e4 e5 e6
		assert_equal "$status" "$want"
	done
	of_events 0 0 0 0 1 0
	try "$TDSTAT" diff --bisect --fail-above "$name:50" e1 e2 e3 -- e4 e5 e6
	assert_equal "$status" 125
	assert_regex "$stderr" "$name grew from 0, and the limit is 50: undecided"
	try "$TDSTAT" diff --bisect --fail-above "$name:50" e1 e2 e3 -- e4 e6 e6
	assert_success
	for i in 1 2 3; do
		with_instructions 0.25$i >a$i
		with_instructions 0.24$i >b$i
	done
	for way in "6 0" "4.1 125" "2 1"; do
		read -r most want <<<"$way"
		try "$TDSTAT" diff --bisect --fail-above "ipc:$most" a1 a2 a3 -- b1 b2 b3
		assert_equal "$most: $status" "$most: $want"
	done
	# the values of each side are the same: no error, so that the growth is all that is known
	of_events 1000 1000 1000
	for i in 1 2 3; do
		jq -c 'if .end then .end.elapsed *= 1.1 else . end' e$i >f$i
	done
	try "$TDSTAT" diff --bisect --fail-above elapsed:5 e1 e2 e3 -- f1 f2 f3
	assert_equal "$status" 125
	assert_regex "$stderr" 'elapsed grew by 10.00 %, and the limit is 5: undecided'
	# the same value of all runs has no error
	of_events 1000 1000 1000 1000 1000 1000
	try "$TDSTAT" diff --bisect --fail-above "elapsed:0" e1 e2 e3 -- e4 e5 e6
	assert_success
}

# of_events COUNT...: make recordings e1, e2, ... of one event with these counts
of_events() {
	local i=0

	for count; do
		i=$((i + 1))
		jq -c --argjson n "$count" 'if .counts then .counts |= map(if .[0] == 0 then .[3] = $n else . end) else . end' \
			"$data/manual/xz-events.jsonl" >"e$i"
	done
}

@test "--fail-above: events, times and IPC, in per cent" {
	of_events 100000 100100 99900 110000 110100 109900
	name=$(jq -r 'select(.events) | .events[0].name' e1)
	for way in "5 1" "15 0"; do
		read -r most want <<<"$way"
		try "$TDSTAT" diff --fail-above "$name:$most" e1 e2 e3 -- e4 e5 e6
		assert_equal "$status" "$want"
	done
	try "$TDSTAT" diff --fail-above "$name:5" e1 e2 e3 -- e4 e5 e6
	assert_regex "$stderr" "$name grew by 10.00 %, by more than 5"
	# a decrease is not a failure
	try "$TDSTAT" diff --fail-above "$name:5" e4 e5 e6 -- e1 e2 e3
	assert_success
	# the same of all: elapsed did not change
	try "$TDSTAT" diff --strict --fail-above elapsed:0 e1 e2 e3 -- e4 e5 e6
	assert_success
	jq -c 'if .end then .end.elapsed *= 1.5 else . end' e1 >slow
	try "$TDSTAT" diff --strict --fail-above elapsed:40 e1 slow
	assert_equal "$status" 1
	assert_regex "$stderr" 'elapsed grew by 50.00 %'
	# the CPU times of commands
	for time in user sys; do
		jq -c "if .end then .end.$time *= 1.5 else . end" e1 >slow
		try "$TDSTAT" diff --strict --fail-above $time:40 e1 slow
		assert_equal "$status" 1
		assert_regex "$stderr" "$time grew by 50.00 %"
		try "$TDSTAT" diff --strict --fail-above $time:60,elapsed:0 e1 slow
		assert_success
		# a time that one side lacks is not a pass
		jq -c "if .end then del(.end.user, .end.sys) else . end" e1 >unknown
		try "$TDSTAT" diff --fail-above $time:40 e1 unknown
		assert_equal "$status" 2
	done
	# a time that was 0 has no percentage of growth
	jq -c "if .end then .end.user = 0 else . end" e1 >none
	try "$TDSTAT" diff --strict --fail-above user:40 none e1
	assert_equal "$status" 1
	assert_regex "$stderr" 'user grew from 0,'
	try "$TDSTAT" diff --fail-above user:40 unknown unknown
	assert_equal "$status" 64
}

# never RUN...: tdstat diff -r 1 of two commands, which are not to run
never() {
	try "$TDSTAT" diff -r 1 "$@" -- sh -c 'echo >>ran' : sh -c 'echo >>ran'
	assert_equal "$status" 64
	[ ! -e ran ] || fail "a command ran: $*"
}

@test "--fail-above: a name that neither command can have is an error before the first run" {
	saved alderlake
	never --fail-above elapsed:1,tma_memory_bound:2
	assert_same 'tdstat: --fail-above tma_memory_bound: a node of level 2, which would not be measured
tdstat: -l 2 measures it' "$stderr"
	never --fail-above memory_bound:2
	assert_regex "$stderr" '-l 2 measures it$'
	never -M tma_core_bound --fail-above tma_l1_bound:2
	assert_regex "$stderr" '-l 3 measures it$'
	# misspelt: on any level
	never -l 2 --fail-above tma_memory_bnd:2
	assert_regex "$stderr" "did you mean 'tma_memory_bound'"
	never --fail-above tma_l1_bond:2
	assert_regex "$stderr" "did you mean 'tma_l1_bound'"
	never --fail-above nonsense:2
	# typed events: no node, and no IPC without both of its events
	for name in page-faults IPC tma_memory_bound; do
		never -e task-clock --fail-above $name:2
		assert_regex "$stderr" "^tdstat: --fail-above $name: no node, event, IPC or time"
	done
	# these are measured; the CPUs may be other ones
	for words in '-l 2 --fail-above tma_memory_bound:2,ipc:1,user:1' '-e cycles,instructions --fail-above IPC:2,cpu_core/cycles/:2'; do
		try "$TDSTAT" diff -r 1 $words -- touch ran : true
		run ! grep -e 'no node' -e 'not be measured' <<<"$stderr"
		[ -e ran ] || fail "not run: $words"
		rm ran
	done
}

@test "--fail-above: a name that recordings lack: the error has its level, or a similar name" {
	level2=$data/manual/xz-2.jsonl
	refused 64 "tma_dram_bound: a node of level 3, and $level2 was recorded at level 2.*tdstat record -l 3 records it\$" \
		--fail-above tma_retiring:2,tma_dram_bound:2 "$level2" "$level2"
	# it was not asked for here
	refused 64 'memory_bound: a node of level 2, which is not compared.*-l 2 compares it' \
		-l 1 --fail-above memory_bound:2 "$level2" "$level2"
	try "$TDSTAT" diff -l 2 --fail-above memory_bound:2 "$level2" "$level2"
	assert_success
	# an older recording, which does not say its level
	refused 64 "a node of level 3, which $A does not have.*tdstat record -l 3 records it" \
		-l 3 --fail-above tma_dram_bound:2 "$A" "$A"
	jq -c 'if .tdstat then del(.level) | .metrics = ["tma_backend_bound"] else . end' "$level2" >named
	refused 64 'a node of level 3, which named does not have' --fail-above tma_l3_bound:2 named named
	refused 64 "tma_dram_bond: no node, event.*did you mean 'tma_dram_bound'" --fail-above tma_dram_bond:2 "$level2" "$level2"
	# an unknown processor
	jq -c 'if .tdstat then .cpuid = "GenuineIntel-6-FF-1" else . end' "$level2" >unknown
	refused 64 'tma_dram_bound: no node, event, IPC or time' --fail-above tma_dram_bound:2 unknown unknown
}

@test "--fail-above: a name without a value after the runs is status 2, after the result" {
	may_count_software
	copied alderlake
	echo 9999 >"$devices/cpu_core/type" # which no kernel knows
	try "$TDSTAT" diff -r 1 -e task-clock,cpu_core/cycles/ --fail-above cpu_core/cycles/:2 -- true : true
	assert_equal "$status" 2
	assert_regex "$stderr" 'task-clock, msec .*no node, event, IPC or time'
}

# 1,000 and 1,100, of half of the time or so: their own test says 3 %
@test "a row without a mark fails no --fail-above, and is not in the first line" {
	of_events 1000 1001 999 1100 1101 1099
	name=$(jq -r 'select(.events) | .events[0].name' e1)
	try "$TDSTAT" diff --fail-above "$name:5" e1 e2 e3 -- e4 e5 e6
	assert_success
	assert_line --regexp "^   $name +1,000 +1,100 +\\+10.00  \\(\\+1\\.22 to"
	# a time that grows by 3.1 % with a probability of 2.5 %
	for i in 1 2 3; do
		jq -c "if .end then .end.elapsed = 10 + 0.1 * $i else . end" e$i >a$i
		jq -c "if .end then .end.elapsed = 10.26 + 0.1 * $i else . end" e$i >b$i
		jq -c "if .end then .end.elapsed = 10.4 + 0.1 * $i else . end" e$i >c$i
	done
	# t is 3.18 and 4.90 with 4 degrees: 3.3 % and 0.8 %, and its half of the marks is 2.5 %
	try "$TDSTAT" diff a1 a2 a3 -- b1 b2 b3
	assert_line --regexp '^   elapsed, s .* \+2\.55  \(\+0\.'
	assert_regex "$(first_words "$output")" '^No significant difference in time with 3 \+ 3 recordings \(\+2\.5 %, \+0\.[0-9]+ to '
	try "$TDSTAT" diff --fail-above elapsed:1 a1 a2 a3 -- c1 c2 c3
	assert_equal "$status" 1
	assert_line --regexp '^ \* elapsed, s .* \+3\.92  '
	assert_regex "$(first_words "$output")" '^B takes 3\.9 % more time'
}

@test "marked rows come before others, even rows without slots; 0.00 is never marked" {
	needs_wing pictures
	for i in 1 2 3; do
		with_instructions 0.2$i >a$i
		with_instructions 0.3$i >b$i
	done
	# the same shares of fewer slots
	try "$TDSTAT" diff a1 a2 a3 -- b1 b2 b3
	assert_line --regexp '^   cpu_core tma_retiring +24\.28 +24\.28 +0\.00 .* -[0-9.]+ ±[0-9.]+ \*$'
	run ! grep -E '^ \* .*tma_' <<<"$output"
	"$TDSTAT" diff --html page a1 a2 a3 -- b1 b2 b3
	run ! grep -E '<tr class="over"><td><b>.*tma_' page
	grep -q '<tr class="over"><td></td>.*tma_.*±[0-9.]* <b>\*</b></td>' page
	"$TDSTAT" diff --markdown a1 a2 a3 -- b1 b2 b3 >markdown
	grep -q '^| cpu_core `tma_retiring`, % .* | \*\*[^|]*\*\* |$' markdown
	# a node that is a share of cycles has no slots
	level3=$data/manual/xz-3.jsonl
	event=$(jq 'select(.events) | .events | map(.name | contains("DIV")) | index(true)' "$level3")
	several "$level3" a "$event" 0.99 1 1.01
	several "$level3" b "$event" 1.98 2 2.02
	"$TDSTAT" diff -x, a1 a2 a3 -- b1 b2 b3 >out
	assert_same 'tma_divider 1 ' "$(fields kind name marked slots_difference <out | sed -n 's/^metric //p' | head -n 1)"
	# a level more on one side, also if both are asked for it
	for level in '' '-l 3'; do
		try "$TDSTAT" diff $level "$data/manual/xz-2.jsonl" "$level3"
		assert_line ' - means no value; rows of only one side come last'
		assert_complains "$level3 has other metrics or levels than $data/manual/xz-2.jsonl"
	done
	try "$TDSTAT" diff -l 2 "$data/manual/xz-2.jsonl" "$level3"
	run ! grep 'other metrics' <<<"$stderr"
}

# A time is what a recording of events has beside them.
@test "a marked time is named if it is the only change" {
	of_events 1000 1001 999 1000 1001 999
	for i in 4 5 6; do
		jq -c "if .end then .end.sys = 3.0$i else . end" e$i >b$i
	done
	try "$TDSTAT" diff e1 e2 e3 -- b4 b5 b6
	assert_line --regexp '^ \* +sys, s '
	assert_line --regexp '^ B takes as much time as A; what changed most is sys, '
	refute_line --partial 'Nothing changed'
}

@test "--fail-above: IPC may not fall" {
	with_instructions 0.25 >a
	with_instructions 0.2 >b
	try "$TDSTAT" diff --strict --fail-above ipc:10 a b
	assert_equal "$status" 1
	assert_regex "$stderr" 'IPC of cpu_[a-z]+ fell by 20.00 %'
	try "$TDSTAT" diff --strict --fail-above IPC:25 a b
	assert_success
	try "$TDSTAT" diff --strict --fail-above IPC:1 b a
	assert_success
}

# --- formats ----------------------------------------------------------------------

@test "text: times first, then both sides, and the meaning of the marks" {
	try "$TDSTAT" diff "$timeline" "$timeline"
	assert_success
	assert_line --partial "A: $timeline"
	assert_line --regexp '^   elapsed, s +1.578 +1.578 +0.00$'
	assert_line --regexp '^   cpu_core tma_memory_bound +30.81 +30.81 +0.00$'
	several "$timeline" a 6 0.99 1 1.01
	several "$timeline" b 6 1.49 1.5 1.51
	# 2.776445 times the root of 0.3081^2 / 3 twice, to a hundredth
	try "$TDSTAT" diff a1 a2 a3 -- b1 b2 b3
	assert_line --regexp '^ \* cpu_core tma_memory_bound +30.81 +46.2[0-9] +\+15.4[0-9] ±0.70$'
	assert_line --partial '(3 + 3 recordings)'
	run ! grep 'compare several' <<<"$output"
	run ! grep -n ' $' <<<"$output"
	with_instructions 0.25 >a
	try "$TDSTAT" diff --per second -l 1 a a
	assert_line --regexp 'points +slots per second$'
	try "$TDSTAT" diff -o file "$A" "$A" "$A" -- "$timeline"
	grep -q 'and 2 more' file
	# no command was started
	run ! grep '^# started on ' file
}

@test "text: a dash is explained, and only if there is one" {
	try "$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl"
	refute_output --partial ' - means'
	refute_output --regexp ' - '
	# no counts on the P-cores of one side
	jq -c --slurp '.[0].events as $events | .[] | if .counts then
		.counts |= map(if $events[.[0]].pmu == "cpu_core" then .[3:] = [0, 0, 0] else . end) else . end' \
		"$data/alderlake-command.jsonl" >atom.jsonl
	try "$TDSTAT" diff "$data/alderlake-command.jsonl" atom.jsonl
	assert_output --regexp '[0-9] +-'
	assert_line ' - means no value; rows of only one side come last'
}

@test "CSV: a header, and as many fields in each line; appended without another" {
	header=kind,id,pmu,name,unit,level,a,b,difference,error,degrees,percent,percent_error,percent_low,percent_high,per,slots_a,slots_b,slots_difference,slots_error,slots_degrees,marked
	"$TDSTAT" diff -x, -o out "$timeline" "$timeline"
	assert_same "$header" "$(head -n 1 out)"
	assert_same 22 "$(awk -F, '{ print NF }' out | sort -u)"
	cp out once
	"$TDSTAT" diff -x, --append -o out "$timeline" "$timeline"
	assert_same "$(cat once <(tail -n +2 once))" "$(cat out)"
	assert_same "$(cat once)" "$("$TDSTAT" diff -x '\t' "$timeline" "$timeline" | tr '\t' ,)"
}

@test "JSON: an object a row, with the CSV's numbers; missing is null" {
	"$TDSTAT" diff -j "$A" "$timeline" >json
	"$TDSTAT" diff -x, "$A" "$timeline" 2>stderr >csv
	assert_same "$(fields name b <csv | wc -l)" "$(jq -c . json | wc -l)"
	assert_same "$(head -n 1 csv | tr , '\n')" "$(jq -r 'keys_unsorted[]' json | head -n 22)"
	assert_same null "$(jq -r 'select(.name == "tma_memory_bound") | .a' json)"
	assert_same null "$(jq -r 'select(.name == "tma_memory_bound") | .difference' json)"
	assert_same "$(fields name <csv)" "$(jq -r .name json)"
}

# --- not comparable ---------------------------------------------------------------

@test "another processor, other metrics, another target: one note each" {
	jq -c 'if .cpuid then .cpuid = "GenuineIntel-6-9A-3" else . end' "$timeline" >b
	try "$TDSTAT" diff "$A" b
	assert_success
	[ "${#stderr_lines[@]}" -eq 5 ]
	stderr_lines=("${stderr_lines[@]:2}") # that most of b was on P-cores
	assert_equal "${stderr_lines[0]}" "tdstat: b is from another processor than $A: GenuineIntel-6-9A-3, not GenuineIntel-6-97-2"
	assert_equal "${stderr_lines[1]}" "tdstat: b has other metrics or levels than $A"
	assert_regex "${stderr_lines[2]}" "^tdstat: b is from another target than .*: 'CPU\(s\) 0-1,4', not 'system wide'\$"
	try "$TDSTAT" diff --quiet "$A" b
	assert_equal "$output$stderr" ''
	# the head names the processor that all are of
	"$TDSTAT" diff -j "$A" b >two 2>notes
	"$TDSTAT" diff -j "$A" "$A" >one
	assert_equal "$(command jq -r 'select(.tdstat_rows) | .cpuid' two one | xargs)" "null GenuineIntel-6-97-2"
	# the same for requests that both contain
	try "$TDSTAT" diff -l 1 "$A" b
	assert_equal "${#stderr_lines[@]}" 4
}

# refused STATUS TEXT WORD...
refused() {
	try "$TDSTAT" diff "${@:3}"
	assert_equal "$status" "$1"
	assert_regex "$stderr" "$2"
	assert_equal "$output" ''
}

@test "errors" {
	needs_wing regions
	events=$data/manual/xz-events.jsonl
	refused 2 'has events and .* a tree: they cannot be compared' "$A" "$events"
	refused 2 'no PMU in common' "$A" "$data/zen5.jsonl"
	refused 2 '--per instructions: .* does not contain their number.*record it again.*--per slots' --per instructions "$A" "$A"
	refused 2 'none: No such file' "$A" none
	jq -c 'if .events then .events[].name |= sub("(topdown|slots|cycles|TOPDOWN).*"; "other/") else . end' "$A" >other
	refused 2 '^tdstat: other: its events do not make a top-down tree' other "$A"
	refused 64 '--per slots: .* has events' --per slots "$events" "$events"
	refused 64 '--per nosuch: expected instructions, second, run or slots' --per nosuch "$A" "$A"
	refused 64 'needs two recordings.*tdstat record' "$A"
	refused 64 'needs two recordings'
	refused 64 '3 recordings, and no --.*A1 A2 -- B1 B2' "$A" "$A" "$A"
	refused 64 "no ':' between them.*-- ./old : ./new" -- "$A" "$A"
	refused 64 "none before the ':'" -- : true
	refused 64 "none after the ':'" -- true :
	refused 64 "more than one ':'" -- true : true : true
	refused 64 '-r: recordings are not run again.*-- ./old : ./new' -r 3 "$A" "$A"
	refused 64 '-e: all events of the recordings are compared' -e cycles "$A" "$A"
	refused 64 '--model: commands run on this processor' --model alderlake -- true : true
	refused 64 '-e excludes -l' -e cs -l 1 -- true : true
	refused 64 '--per-thread: .* has counts per CPU' --per-thread "$A" "$A"
	refused 2 '--per-region: .* has no regions' --per-region "$A" "$A"
	refused 64 'empty name' "$A" ''
	refused 64 'tma_memory_bond: no node, event, IPC or time \(elapsed, user, sys\) that is compared.*tma_memory_bound' -l 2 --fail-above tma_memory_bond:2 "$timeline" "$timeline"
	for text in tma_retiring tma_retiring: :2 tma_retiring:- tma_retiring:x tma_retiring:1e3 'tma_retiring:1,'; do
		refused 64 'not NAME:NUMBER.*tma_memory_bound:2' --fail-above "$text" "$A" "$A"
	done
	refused 64 'ipc:-2.5: the limit is negative.*as in --fail-above ipc:2.5: it may get worse by 2.5' --fail-above elapsed:1,ipc:-2.5 "$A" "$A"
	cp "$A" a
	refused 64 'a is a recording that is being read' -o a a "$A"
	cmp a "$A"
}

@test "a truncated recording is compared up to its last complete line, with a note" {
	head -n 3 "$A" >short
	try "$TDSTAT" diff "$A" short
	assert_success
	assert_equal "$stderr" 'tdstat: short: no end line: the recording was interrupted'
}

@test "--cputype: rows of one core type, and the instructions of all" {
	with_instructions 0.25 >a
	"$TDSTAT" diff -x, a a >both
	"$TDSTAT" diff -x, --cputype core a a >out
	assert_same "$(fields pmu <out | sort -u)" $'\ncpu_core'
	assert_same "$(grep cpu_core both)" "$(grep cpu_core out)"
}

# --- ids ------------------------------------------------------------------------------

@test "threads by their names, whatever their tids: the sums of each name" {
	threads=$data/manual/threads.jsonl
	# two of ls now, with other tids, twice the faults together; and another one
	jq -c 'if .threads then {threads: {"9": "sh", "10": "ls", "11": "ls", "12": "cat"}}
		elif .counts then .counts |= map(
			if .[2] == 250 then .[2] = 9
			else (.[2] = 10), (.[2] = 11), (if .[0] == 1 then .[2] = 12 | .[3] = 5 else empty end) end)
		else . end' "$threads" >other
	"$TDSTAT" diff -x, "$threads" other >out 2>err
	grep -q '^tdstat: cat: only in B$' err
	assert_same 'all sh ls cat' "$(fields id <out | uniq | tr '\n' ' ' | sed 's/ $//')"
	assert_same 'ls page-faults 83.00 166.00 100.00' \
		"$(fields id name a b percent <out | awk '$1 == "ls" && $2 == "page-faults" { $3 += 0; printf "%s %s %.2f %.2f %.2f\n", $1, $2, $3, $4, $5 }')"
	assert_same 'sh page-faults 0.00' "$(fields id name percent <out | grep '^sh page')"
	assert_same 'cat page-faults  5.00' "$(fields id name a b <out | grep '^cat page' |
		awk '{ printf "%s %s  %.2f\n", $1, $2, $3 }')"
	# the sum of all, as before there were ids
	"$TDSTAT" diff --total -x, "$threads" "$threads" >out
	assert_same all "$(fields id <out | sort -u)"
}

# many NAME NR: threads with names of their own
many() {
	jq -nc --arg name "$1" --argjson nr "$2" '
		{tdstat: 1, cpuid: "GenuineIntel-6-FF-1", smt: false, tasks: true, interval_ms: 0,
			aggregation: "thread", target: "./a", table: "events",
			pmus: [{name: "software", type: 1, cpus: "0", core: false}],
			topology: [{cpu: 0, core: 0, cluster: 0, die: 0, socket: 0, node: 0}],
			events: [{name: "page-faults", pmu: "software", group: 0}]},
		{threads: [range($nr) | {key: (. + 1 | tostring), value: "\($name)\(.)"}] | from_entries},
		{time: 0.5, counts: [range($nr) | [0, -1, . + 1, 7, 1000, 1000]]},
		{end: {elapsed: 0.5}}'
}

# Each looked for among all others, they would take half a minute of the processor, and
# not half as long as to report them.
@test "tens of thousands of threads" {
	not_under_valgrind "it is twenty times as slow"
	not_under_sanitizers "realloc() copies each time"
	many t 30000 >one
	many t 30001 >two
	# on the same clock
	python3 - <<-'PYTHON'
		import os, resource, subprocess
		def seconds(*words, out="/dev/null", err="/dev/null"):
		    before = resource.getrusage(resource.RUSAGE_CHILDREN)
		    subprocess.run([os.environ["TDSTAT"], *words], stdout=open(out, "w"), stderr=open(err, "w"), check=True)
		    after = resource.getrusage(resource.RUSAGE_CHILDREN)
		    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
		reports = seconds("report", "-x,", "one") + seconds("report", "-x,", "two")
		both = seconds("diff", "-x,", "one", "two", out="out", err="err")
		assert both < 10 * reports, (both, reports)
	PYTHON
	assert_same 'tdstat: t30000: only in B' "$(<err)"
	[ "$(wc -l <out)" -eq 30003 ]
	grep -q '^event,t29999,,page-faults,,,7.00,7.00,0.00,' out
}

@test "recordings without a time: the first id may also be in only one of them" {
	many a 1 | sed '/"end"/d; s/"time":0.5/"time":0/' >one
	many b 1 | sed '/"end"/d; s/"time":0.5/"time":0/' >two
	try "$TDSTAT" diff one two
	assert_complains 'a0: only in A'
	assert_complains 'b0: only in B'
}

# regions RETIRING: a recording with 1,000 slots in "solve" and 1,000 in "load", of
# which 500 retire
regions() {
	jq -nc --argjson retiring "$1" '
		def fields: ["slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"];
		def region(name): {name: name, calls: 1, recursive: 0, lost: 0, skipped: 0, moved: 0,
			migrated: 0, switched: 0, threads: 1, time: 0.001, cost: 0, on: {cpu: 1}};
		def row(regions; values): [regions as $r | range(5) as $e | [$e, -1, 70, values[$e], 1000, 1000, -1, 1, $r]];
		{tdstat: 1, cpuid: "GenuineIntel-6-FF-1", smt: false, tasks: true, interval_ms: 0, level: 1,
			aggregation: "region", target: "./a", pmus: [{name: "cpu", type: 4, cpus: "0-3"}],
			topology: [{cpu: 0, core: 0, cluster: 0, die: 0, socket: 0, node: 0}],
			events: [fields[] | {name: "cpu/\(.)/", pmu: "cpu", group: 0}]},
		{regions: ([region("solve"), region("load")] | [.[], (.[] | .own = true)]), least_slots: 10},
		{time: 0.5, counts: ([row((0, 2); [1000, $retiring, 0, 0, 1000 - $retiring]), row((1, 3); [1000, 500, 0, 0, 500])] | add)},
		{end: {elapsed: 0.5}}'
}

@test "regions: by their names" {
	regions 300 >one
	regions 400 >two
	try "$TDSTAT" diff -x, --per run one two
	assert_success
	echo "$output" >out
	assert_same 'load tma_retiring 50.00 50.00 0.00
solve tma_retiring 30.00 40.00 10.00' "$(fields id name a b difference <out | grep tma_retiring | sort |
		awk '{ printf "%s %s %.2f %.2f %.2f\n", $1, $2, $3, $4, $5 }')"
	near "$(fields id name slots_difference <out | sed -n 's/^solve tma_retiring //p')" 100
	# as many slots in all, of which 100 more retire
	"$TDSTAT" diff -x, --total one two >out
	near "$(fields id name difference <out | sed -n 's/^all tma_retiring //p')" 5
}

@test "cgroups: those of the same path" {
	needs_wing import
	sed 's/,\/,/,\/a,/; s/^371/400/' "$data/perf-6.12-cgroup.csv" >one
	{ cat one; sed -n '/[0-9]/s/,\/a,/,\/b,/p' one | grep -v '^#'; } >two
	try "$TDSTAT" diff -x, two two
	assert_success
	assert_no_stderr
	assert_same '/a /b all' "$(fields id <<<"$output" | sort -u | tr '\n' ' ' | sed 's/ $//')"
	try "$TDSTAT" diff one two
	assert_success
	[ "$stderr" = 'tdstat: /b: only in B' ]
	assert_line --regexp '^   /a  +A  +B  +%$'
	assert_line --regexp '^   /b  +A  +B  +%$'
	assert_line --regexp '^   context-switches +400\.00 +400\.00 +0\.00$'
	assert_line --regexp '^   context-switches +- +400\.00 +-$'
}

# --- commands ---------------------------------------------------------------------------

@test "-r: both commands in turn, the first one the second next time; a : within quotes" {
	try "$TDSTAT" diff -r 3 -e task-clock -x, -o out -- sh -c 'echo "old : $1" >>log; echo out' - x : sh -c 'echo new >>log; echo err >&2'
	assert_success
	assert_same 'old : x
new
new
old : x
old : x
new' "$(<log)"
	# the commands' output goes to its usual place
	assert_same 'out out out' "$(tr '\n' ' ' <<<"$output" | sed 's/ $//')"
	assert_same 'err err err' "$(tr '\n' ' ' <<<"$stderr" | sed 's/ $//')"
	fields kind name a b <out | awk '$1 == "time" || ($2 ~ /task-clock/ && $3 > 0 && $4 > 0) { n++ } END { exit n != 4 }'
	# five times by default
	rm log
	try "$TDSTAT" diff -e cs -- sh -c 'echo 1 >>log' : sh -c 'echo 2 >>log'
	assert_success
	assert_same 10 "$(wc -l <log)"
	# like tdstat -- COMMAND, the result is on standard error
	[ -z "$output" ]
	[[ $stderr == *"A: sh -c 'echo 1 >>log', 5 runs"* ]]
}

@test "-r: a difference that is more than chance, of ten children's page faults" {
	"$TDSTAT" diff -r 4 -e faults -x, -o out -- true : sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do (:); done'
	fields name difference marked <out | grep -q '^faults [0-9.]* 1$'
}

@test "-r: a command that fails is reported, with status 2; one that cannot run or is killed ends the comparison" {
	try "$TDSTAT" diff -r 2 -e cs -- true : sh -c 'exit 3'
	assert_failure 2
	[[ $stderr == *"tdstat: B, 'sh': exit status 3 in 2 of 2 runs"* ]]
	[[ $stderr == *elapsed* ]]
	try "$TDSTAT" diff -r 2 -e cs -- ./nosuch : sh -c 'echo ran >>log'
	[ "$status" -ne 0 ]
	[[ $stderr == *"./nosuch: No such file"* ]]
	[ ! -e log ]
	try "$TDSTAT" diff -r 2 -e cs -- sh -c 'kill -TERM $$' : sh -c 'echo ran >>log'
	assert_failure 2
	[[ $stderr == *"run 1 of A, 'sh', was ended by signal 15"* ]]
	[ ! -e log ]
	[ -z "$(find . -name '*tdstat*' -o -name '*.jsonl')" ]
}

@test "-r: commands that cannot be counted run as often, with one message and status 2" {
	mkdir empty
	export SYSFS_PATH=$PWD/empty
	both=(sh -c 'echo a >>log; exit 3' : sh -c 'echo b >>log')
	try "$TDSTAT" diff -r 2 -- "${both[@]}"
	assert_failure 2
	assert_equal "$(xargs <log)" 'a b b a'
	assert_equal "${#stderr_lines[@]}" 4
	[[ ${stderr_lines[0]} == "tdstat: "*"No such file"* ]]
	assert_equal "${stderr_lines[2]}" 'tdstat: nothing is compared: the commands run anyway'
	assert_equal "${stderr_lines[3]}" "tdstat: A, 'sh': exit status 3 in 2 of 2 runs"
	# commands without a fault do not make it a success
	try "$TDSTAT" diff -r 1 -- true : true
	assert_failure 2
	rm log
	try "$TDSTAT" diff --require -- "${both[@]}"
	assert_failure 125
	assert_why_and_remedy 'No such file'
	[ ! -e log ]
	try "$TDSTAT" diff -e task-clok -- "${both[@]}"
	assert_failure 64
	[ ! -e log ]
}

@test "-r: a result that cannot be appended, or would end a recording: the commands run" {
	both=(sh -c 'echo a >>log' : sh -c 'echo b >>log')
	for words in '--append -o nodir/x' "-o $data/alderlake.jsonl"; do
		try "$TDSTAT" diff -r 1 -e cs $words -- "${both[@]}"
		assert_failure 2
		assert_equal "$(xargs <log)" 'a b'
		assert_complains 'nothing is compared: the commands run anyway'
		rm log
		try "$TDSTAT" diff --require -r 1 -e cs $words -- "${both[@]}"
		assert_failure 125
		[ ! -e log ]
	done
}

@test "-r: a later run is refused: the rest run without, and with --require it ends" {
	needs_strace
	both=(sh -c 'echo a >>log' : sh -c 'echo b >>log')
	refused() {
		try strace -o trace -e trace=perf_event_open -e inject=perf_event_open:error=EBUSY:when=2+ \
			"$TDSTAT" diff -r 2 -e task-clock "$@" -- "${both[@]}"
		assert_failure 2
	}
	refused
	assert_equal "$(xargs <log)" 'a b b a'
	assert_complains 'nothing is compared: the commands run anyway'
	rm log
	refused --require
	assert_equal "$(xargs <log)" a
}

@test "-r: ^C ends it, without a result" {
	env --default-signal=INT "$TDSTAT" diff -e cs -- sh -c ': >started; exec sleep "$TD_HANGS"' : sh -c 'echo ran >>log' \
		>out 2>err 3>&- &
	wait_for_file started
	kill -INT $!
	status=0
	wait $! || status=$?
	[ "$status" -ne 0 ]
	has_text err 'interrupted in run 1 of A: nothing is compared'
	[ ! -e log ]
	[ ! -s out ]
}
