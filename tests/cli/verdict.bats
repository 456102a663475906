#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --verdict, of recordings.  tests/unit/verdict.c has what it decides,
# tests/unit/next.c its words and commands.

# shellcheck disable=SC2030,SC2031,SC2154 # each test has its own $output; helper.bash
load helper

report() {
	try "$TDSTAT" report "$@"
}

@test "the verdict stands below the trees, and with --no-verdict it does not" {
	report --no-verdict "$data/manual/xz-3.jsonl"
	assert_success
	without=$output
	report --verdict "$data/manual/xz-3.jsonl"
	assert_success
	# it adds lines and changes none
	printf '%s\n' "$without" >without
	printf '%s\n' "$output" >with
	try diff without with
	nr=0
	for line in "${lines[@]}"; do
		[[ $line != '<'* ]] || fail "changed: $line"
		[[ $line != '> '?* ]] || nr=$((nr + 1))
	done
	assert_line --regexp '^> [ ]?[A-Z]'
	[ $nr -le 6 ]
}

@test "in JSON the verdict is one object after the metrics, only on request" {
	report -j --verdict "$data/manual/xz-3.jsonl"
	assert_success
	assert_equal "$(jq -c 'select(.verdict) | .verdict | keys_unsorted, .pmu' <<<"${lines[-1]}")" \
		'["time","pmu","confidence","node","path","value","low","high","slots","runner_up","tied","over","steady","mostly","mostly_time","then","waits","held","busy","others","next"]
"cpu_core"'
	[[ ${output%$'\n'*} != *'"verdict":'* ]]
	report -j "$data/manual/xz-3.jsonl"
	[[ $output != *verdict* ]]
}

# From the second read on, another program's pinned group has the counters.  The counts
# before it came do not represent the rest, however often they were read.
@test "another program held the counters: the advice is not to count for longer" {
	jq -cs '.[2].sums as $kept | .[] |
		if .so_far and .so_far > 0.21 then
			.sums |= [keys[] as $i | [$kept[$i][0], .[$i][1], $kept[$i][2]]]
		elif .counts then
			.counts |= [keys[] as $i | .[$i] | .[3] = $kept[$i][0] | .[5] = $kept[$i][2]]
		else . end' "$data/alderlake-timeline.jsonl" >held
	report --verdict held
	refute_output --partial ±
	assert_line ' Cannot rank these nodes: other programs used the counters most of the time'
	refute_output --partial longer
	report -j --verdict held
	assert_equal "$(jq -c 'select(.verdict) | .verdict | [.confidence, .held]' <<<"$output")" '["short",true]'
	report -j --verdict "$data/alderlake-timeline.jsonl"
	assert_equal "$(jq -c 'select(.verdict) | .verdict.held' <<<"$output")" false
}

# AMD's files have none.
@test "no thresholds: the largest loss, with the hint that only its size decides" {
	report --summary -l 2 "$data/zen5.jsonl"
	assert_line --regexp '^ Biggest loss: backend_bound_by_cpu \(backend > backend_bound_by_cpu\), [0-9.]+ ±[0-9.]+ % of the slots$'
	assert_line ' By size only: this tree has no thresholds'
	report --summary -l 2 -j --verdict "$data/zen5.jsonl"
	command jq -se 'map(select(.metric and .summary and .level == 1 and .metric != "retiring")) | max_by(.value).metric == "backend_bound"' <<<"$output"
	jq -e '.verdict | .by_size and .node == "backend_bound_by_cpu"' <<<"${lines[-1]}"
	# no node is named, so there is no advice
	report --summary -l 2 "$data/zen4.jsonl"
	refute_line --partial 'By size'
	report --summary -l 2 -j --verdict "$data/alderlake.jsonl"
	refute_output --partial by_size
}

@test "rows of several ids have no verdict but which of them lost most" {
	report --verdict -j -A "$data/manual/cpus.jsonl"
	assert_success
	[[ $output != *verdict* ]]
	# slots that did not retire, from the sums of the recording
	want=$("$TDSTAT" report -A -x, "$data/manual/cpus.jsonl" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ all += $at["slots"]; lost[$at["id"]] = $at["slots"] * (100 - $at["tma_retiring"]) }
		END { printf "CPU0 (%.1f %% of all slots), CPU4 (%.1f %%)", lost["CPU0"] / all, lost["CPU4"] / all }')
	report --verdict -A "$data/manual/cpus.jsonl"
	assert_line " Biggest losers: $want"
	grep -v 'Biggest loser' <<<"$output" | cat -s >with
	report --no-verdict -A "$data/manual/cpus.jsonl"
	assert_same "$(cat -s <<<"$output")" "$(cat with)"
}

@test "a name has one sum of all core types" {
	report -j "$data/functions.jsonl"
	# lost slots of each row, of all slots, added up by name
	want=$(jq -rs 'map(select(.metric == "tma_retiring" and .value != null))
		| (map(.slots) | add) as $all | map(select(.id | startswith("scenario_"))) | group_by(.id)
		| map({ id: .[0].id, lost: (map(.slots * (100 - .value) / $all) | add) }) | sort_by(-.lost)
		| .[:2][] | "\(.id) \(.lost)"' <<<"$output" |
		awk '{ printf("%s%s (%.1f %%%s)", NR == 1 ? "" : ", ", $1, $2, NR == 1 ? " of all slots" : "") }')
	report "$data/functions.jsonl"
	assert_line --partial " Biggest losers: $want; not attributed to a function: "
	assert_line --regexp '^ windows: .*; whole %: '
	assert_line --regexp '; slots %: of the slots of all windows$'
	report --sort -x, "$data/functions.jsonl"
	assert_equal "$(sed 1d <<<"$output" | cut -d, -f2 | uniq -d | wc -l)" "$(sed 1d <<<"$output" | cut -d, -f2 | sort | uniq -d | wc -l)"
}

@test "processes of a machine: the biggest losses first, idle CPUs last" {
	report -j "$data/processes.jsonl"
	assert_success
	# by the losses in both intervals; idle CPUs lose no slots
	try jq -es '
		map(select(.metric == "tma_retiring")) | group_by(.time) | length == 2 and all(
			(map(.tid)[:3] == [181, 180, 182]) and (.[-1] | .comm == "(idle)" and (has("tid") | not) and .lost_share == null) and
			([.[] | select(.lost_share) | .lost_share] | . == (sort | reverse)))' <<<"$output"
	assert_success
	report -x, --top 2 "$data/processes.jsonl"
	assert_equal "$(sed 1d <<<"$output" | cut -d, -f2 | xargs)" 'act-181 act-180 act-181 act-180'
	# a program with a memory-bound scenario, and threads of one process on an E-core
	report -x, "$data/processes.jsonl"
	assert_equal "$(grep -c ',act-182,cpu_atom,' <<<"$output") $(grep -c ',act-182,' <<<"$output")" '2 2'
	# a part of the rows is not the machine
	report --summary "$data/processes.jsonl"
	assert_line --regexp '^ Biggest losers: act-181 .*, act-180 '
	all=$(grep '^ Biggest' <<<"$output")
	report --summary --top 1 "$data/processes.jsonl"
	assert_equal "$(grep '^ Biggest' <<<"$output")" "$all"
	report --per-thread "$data/processes.jsonl"
	assert_complains "--per-thread: .*/processes.jsonl was recorded with --per-process"
	report --per-process "$data/alderlake-2.jsonl"
	assert_complains "--per-process: .*/alderlake-2.jsonl was recorded without it"
}

@test "users of a machine: by name, the biggest losses first" {
	report -j "$data/users.jsonl"
	assert_success
	# a name may have a hyphen, and one user has only a number
	try jq -es '
		map(select(.metric == "tma_retiring")) | group_by(.time) | length == 2 and all(
			map(.id) == ["systemd-network", "_apt", "4711", "root", "root", "(idle)"] and
			all(has("tid") or has("comm") | not) and .[-1].lost_share == null)' <<<"$output"
	assert_success
	report -x, --top 2 "$data/users.jsonl"
	assert_equal "$(sed 1d <<<"$output" | cut -d, -f2 | xargs)" 'systemd-network _apt systemd-network _apt'
	report --summary "$data/users.jsonl"
	assert_line --regexp '^ systemd-network cpu_core, .* slots were lost here$'
	assert_line --regexp '^ Biggest losers: systemd-network \(.*\), _apt \('
	# all users are the machine
	report --total -x, "$data/users.jsonl"
	assert_equal "$(sed 1d <<<"$output" | wc -l)" 4
	report --per-user "$data/alderlake-2.jsonl"
	assert_complains "--per-user: .*/alderlake-2.jsonl was recorded without it"
	report --per-process "$data/users.jsonl"
	assert_complains "--per-process: .*/users.jsonl was recorded without it"
	report --per-thread "$data/users.jsonl"
	assert_complains "--per-thread: .*/users.jsonl was recorded with --per-user"
	report -A "$data/users.jsonl"
	assert_complains "-A: .*/users.jsonl has counts per user, not per CPU"
	# users are compared by name
	try "$TDSTAT" diff -j "$data/users.jsonl" "$data/users.jsonl"
	try jq -rs 'map(.id // empty) | unique | join(" ")' <<<"$output"
	assert_output "4711 _apt all root systemd-network"
}

# cgroups_of [[SLOTS, RETIRING], ...] NAMES: a recording of cgroups, all on CPU 0
cgroups_of() {
	jq -cn --argjson v "$1" --argjson names "$2" '
		{ tdstat: 1, cpuid: "GenuineIntel-6-8F-8", smt: false, interval_ms: 0, target: "system wide",
			pmus: [{ name: "cpu", type: 4, cpus: "0" }], topology: [], cgroups: $names,
			events: [("slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound")
				| { name: "cpu/\(.)/", pmu: "cpu", group: 0 }] },
		{ time: 1.0, counts: [$v | to_entries[] | .key as $g | .value as [$slots, $retiring]
			| [$slots, $retiring, 0, 0, $slots - $retiring] | to_entries[]
			| [.key, 0, -1, .value, 5, 5, $g]] },
		{ end: { elapsed: 1.0 } }'
}

# The counts are exact: batches give no error.
@test "cgroups with equal losses: none is named as the biggest" {
	cgroups_of '[[1000, 300], [1000, 310], [1000, 320]]' '["a", "b", "c"]' >file
	report file
	assert_line ' No row lost more than the others: 23.3 % of all slots at most; the biggest loss of each is tma_backend_bound'
	refute_output --partial 'Lost most'
	cgroups_of '[[1000, 300], [1000, 310]]' '["a", "b"]' >file
	report file
	assert_line ' Neither row lost more than the other: 35.0 % of all slots at most; the biggest loss of each is tma_backend_bound'
	# to another node
	jq -c 'if .counts then .counts |= map(if .[6] == 1 and .[0] == 3 then .[3] = 690
		elif .[6] == 1 and .[0] == 4 then .[3] = 0 else . end) else . end' file >apart
	report apart
	assert_line ' Neither row lost more than the other: 35.0 % of all slots at most'
	# 700, 690, 680 and 200 of 4000
	cgroups_of '[[1000, 300], [1000, 310], [1000, 320], [1000, 800]]' '["a", "b", "c", "d"]' >file
	report file
	assert_line ' Biggest losers, alike: a (17.5 % of all slots), b (17.2 %) and 1 more'
	# a tenth more is more
	cgroups_of '[[1000, 300], [1000, 400]]' '["a", "b"]' >file
	report file
	assert_line ' Biggest losers: a (35.0 % of all slots), b (30.0 %)'
}

@test "cgroups: an inner cgroup is counted once, and named instead of the outer one" {
	# a has all slots of a/b; 1000 + 600 in all; a/b lost 700, c 300
	cgroups_of '[[1000, 250], [800, 100], [600, 300]]' '["a", "a/b", "c"]' >file
	report -x, file
	assert_equal "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["cgroup"], $at["lost_share"] }' <<<"$output" | xargs)" 'a 46.88 a/b 43.75 c 18.75'
	report file
	assert_line ' Biggest losers: a/b (43.8 % of all slots), c (18.8 %)'
	report --sort -x, file
	assert_equal "$(cut -d, -f2 <<<"$output" | xargs)" 'id a a/b c'
	cgroups_of '[[1000, 900], [800, 100], [600, 300]]' '["a", "b", "c"]' >file
	report --sort -j file
	assert_equal "$(jq -r 'select(.metric == "tma_retiring") | .id' <<<"$output" | xargs)" 'b c a'
}

@test "intervals have no verdict; their sum has one" {
	report --verdict -j "$data/alderlake.jsonl"
	assert_success
	[[ $output != *verdict* ]]
	report --verdict -j --summary "$data/alderlake.jsonl"
	[[ $output == *'"verdict"'* && $output != *'"verdict"'*$'\n'*'"verdict"'* ]]
}

@test "options that --verdict excludes are refused" {
	for words in '--verdict --no-verdict' '--verdict -x,' '--verdict -d' '--verdict -I 100'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" --dry-run $words -- true
		assert_equal "$status" 64
		assert_regex "$stderr" '--verdict'
	done
	saved alderlake
	for words in '--no-verdict -x,' '--no-verdict -I 100' '--verdict -I 100 --summary'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" --dry-run $words -- true
		assert_success
	done
}

# --- a recording whose values have errors ------------------------------------------

# on the emulated Alder Lake, of CPUs, levels 1 and 2
timeline=$BATS_TEST_DIRNAME/../data/alderlake-timeline.jsonl

@test "the node is the largest of its siblings by more than both errors, and so are those above" {
	report -j --verdict "$timeline"
	jq -es '(map(select(.verdict))[0].verdict) as $v
		| map(select(.pmu == $v.pmu)) as $all
		| ($v.path | length >= 2)
		and ($v.path | to_entries | all(. as $e
			| ($all | map(select(.metric == $e.value))[0]) as $m
			| $m.over_threshold and $m.level == $e.key + 1
			and $m.parent == (if $e.key > 0 then $v.path[$e.key - 1] else null end)
			and ($all | map(select(.parent == $m.parent and .metric != $m.metric and .metric != "tma_retiring"))
				| length >= 1 and all(.value + .error < $m.value - $m.error))))' <<<"$output"
	# its interval is that of its line
	jq -es '(map(select(.verdict))[0].verdict) as $v
		| map(select(.pmu == $v.pmu and .metric == $v.node))[0]
		| (.value - .error - $v.low | fabs) < 1e-6 and (.value + .error - $v.high | fabs) < 1e-6' <<<"$output"
}

@test "the next commands can be typed: tdstat takes them, and their events" {
	saved alderlake
	report -j --verdict "$timeline"
	mapfile -t commands < <(jq -r 'select(.verdict) | .verdict.next[]' <<<"$output")
	[ "${#commands[@]}" -eq 3 ]
	PATH=${TDSTAT%/*}:$PATH
	# shellcheck disable=SC2086 # words
	try "$TDSTAT" --dry-run ${commands[0]#tdstat}
	assert_success
	assert_output --partial 'group 0: '
	assert_regex "${commands[1]}" '^tdstat locate tma_'
	# shellcheck disable=SC2086 # words
	try "$TDSTAT" --dry-run ${commands[1]#tdstat}
	assert_success
	assert_output --partial 'group 0: '
	# shellcheck disable=SC2086 # words
	try "$TDSTAT" ${commands[2]#tdstat}
	assert_success
}

@test "the text agrees with JSON" {
	report -j --verdict "$timeline"
	{ read -r node && read -r value && read -r next; } < <(
		jq -r 'select(.verdict) | .verdict | .node, .value, .next[0]' <<<"$output")
	report --verdict "$timeline"
	printf -v value %.1f "$value"
	assert_line --regexp "^ Biggest loss: $node \(backend > [a-z]*\), $value ±"
	assert_line " What next:  $next"
}

@test "one row of all core types also has a verdict" {
	report -j --verdict --hybrid-merge "$timeline"
	assert_equal "$(jq -r 'select(.verdict) | .verdict | .pmu' <<<"$output")" all
	jq -es 'map(select(.verdict))[0].verdict | .confidence != "unknown" and (.path | length >= 1)
		and (.next[0] | startswith("tdstat -l auto -C"))' <<<"$output"
}
