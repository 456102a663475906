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

# What is explained is the nodes of both, no more and no less.
need_both() {
	if [ ! -e "$files/arrowlake" ] || [ ! -e "$older" ]; then
		skip "no metric files of Linux 7.2, or none of 6.12"
	fi
}

# nodes KIND: the names of the nodes in all models' files; of cpu_atom, or of
# all other PMUs
nodes() {
	# a file without PMUs is an E-core's if it has their nodes
	jq -r --arg kind "$1" 'any(.[]; .MetricName == "tma_ifetch_latency" and .Unit == null) as $atom | .[]
		| select(.MetricName // "" | startswith("tma_") and (startswith("tma_info") | not))
		| select(.MetricGroup // "" | test("TopdownL[1-9]($|;)"))
		| select((.Unit == "cpu_atom" or (.Unit == null and $atom)) == ($kind == "atom"))
		| .MetricName' "$files"/*/*metrics.json "$older"/*/*metrics.json | sort -u
}

# listed HEADING: the nodes below it
listed() {
	"$TDSTAT" explain | awk -v heading="$1" '/:$/ { on = index($0, heading) == 1 } on && /tma_/ { print $1 }' | sort -u
}

@test "a word that is no node: the nodes whose names or texts have it" {
	run -0 --separate-stderr "$TDSTAT" explain cache
	assert_line "Nodes that have to do with 'cache':"
	for node in l1_bound l2_bound l3_bound remote_cache icache_misses; do
		assert_line --regexp "^  tma_$node  +[A-Z]"
	done
	refute_line --regexp '^  tma_(divider|branch_mispredicts|slow_pause) '
	assert_equal "$(grep -o '^  tma_[a-z0-9_]*' <<<"$output" | sort | uniq -d)" ''
	assert_equal "$(wc -L <<<"$output")" "$(awk '{ n = length($0); if (n > max) max = n } END { print max <= 80 ? max : "too wide" }' <<<"$output")"
	assert_equal "$stderr" ''
	# the beginning of a word, in any case; not its middle
	run -0 --separate-stderr "$TDSTAT" explain Pointer
	assert_line --regexp '^  tma_memory_bound '
	run -64 --separate-stderr "$TDSTAT" explain ointer
	assert_equal "$output" ''
	# what is only a remedy counts where nothing else has the word
	run -0 --separate-stderr "$TDSTAT" explain hugetlbfs
	assert_line --regexp '^  tma_load_stlb_miss_4k '
	# names beside it are explained as ever
	run -64 --separate-stderr "$TDSTAT" explain tma_divider cache nosuchthing
	assert_line 'tma_divider: level 3, below tma_core_bound'
	assert_line "Nodes that have to do with 'cache':"
	assert_equal "$(tail -n 2 <<<"$stderr" | head -n 1)" "tdstat: no node of the tree is called 'nosuchthing'"
}

@test "short names, as narrow tables have them, are known" {
	for short in mem_bou=tma_memory_bound mem_bound=tma_memory_bound bac_bou=tma_backend_bound \
		memory=tma_memory_bound dram=tma_dram_bound l1=tma_l1_bound \
		ret=tma_retiring tma_fet_lat=tma_fetch_latency MEM_LAT=tma_mem_latency; do
		assert_same "$("$TDSTAT" explain "${short#*=}")" "$("$TDSTAT" explain "${short%=*}")"
	done
	# short for several, or with other words
	for name in m_b mem__bound memory_bound_x l mem_; do
		try "$TDSTAT" explain $name
		assert_failure 64
	done
	for name in fetch bound; do
		run -0 "$TDSTAT" explain $name
		assert_line "Nodes that have to do with '$name':"
	done
	saved sapphirerapids
	assert_same "$("$TDSTAT" --dry-run -a -M tma_memory_bound:u | sed 1,2d)" "$("$TDSTAT" --dry-run -a -M mem_bound:u | sed 1,2d)"
	# each name of a narrow table
	for level in 1 2; do
		"$TDSTAT" report "$data/sapphirerapids-2.jsonl" -l $level | sed 's/[^#]*#  *time//;q' | grep -o 'tma_[a-z_]*' >whole
		script -qec "stty cols 62; '$TDSTAT' report '$data/sapphirerapids-2.jsonl' -l $level" /dev/null </dev/null |
			tr -d '\r' | sed '/^#/!q; s/^# *%* *[time]* *//' | sed '/^#/!s/^ *[0-9].*//' | xargs -n 1 >short
		paste -d= short whole | head -n 4 | while IFS='=' read -r short whole; do
			assert_same "$("$TDSTAT" explain "$whole")" "$("$TDSTAT" explain "$short")"
		done
	done
}

@test "the list has all nodes of all metric files, and no others" {
	need_both
	known_files
	[ "$(nodes core | wc -l)" -gt 100 ]
	assert_same "$(nodes core)" "$(listed P-cores)"
	assert_same "$(nodes atom)" "$(listed E-cores)"
}

# places: "NODE LEVEL PARENT" of each node below level 1 in all files
places() {
	jq -r '.[] | select(.MetricName // "" | startswith("tma_") and (startswith("tma_info") | not))
		| (.MetricGroup // "") as $groups | .MetricName as $name
		| ($groups | capture("TopdownL(?<level>[2-9])($|;)")) as {$level}
		| $groups | capture("(^|;)(?<above>tma_[a-z][a-z0-9_]*)_group")
		| "\($name) \($level) \(.above)"' "$files"/*/*metrics.json "$older"/*/*metrics.json | sort -u
}

@test "each node is where the files have it" {
	need_both
	known_files
	mapfile -t names < <("$TDSTAT" explain | awk '/tma_/ { print $1 }' | sort -u)
	explain "${names[@]}"
	assert_same "$(places)" "$(sed -nE 's/^(tma_[a-z0-9_]+): level ([0-9]), below ([a-z0-9_]+).*/\1 \2 \3/p' <<<"$output" | sort -u)"
}

@test "each node of the list has its meaning, causes and what to try, in 80 columns" {
	mapfile -t names < <("$TDSTAT" explain | awk '/tma_/ { print $1 }' | sort -u)
	explain "${names[@]}"
	assert_success
	for label in means causes try; do
		assert_equal "$(grep -c "^  $label: *[A-Z]" <<<"$output")" "$(grep -c '^tma_' <<<"$output")"
	done
	run ! grep -E '^.{81}' <<<"$output"
}

@test "a node is found in any case and without tma_" {
	explain TMA_L3_BOUND
	wanted=$output
	assert_line --index 0 'tma_l3_bound: level 3, below tma_memory_bound'
	explain l3_Bound
	assert_equal "$output" "$wanted"
}

@test "what means something else on E-cores has a text for each" {
	explain tma_core_bound
	assert_line 'tma_core_bound: level 2, below tma_backend_bound, of P-cores'
	assert_line 'tma_core_bound: level 2, below tma_backend_bound, of E-cores'
	explain tma_backend_bound
	assert_line 'tma_backend_bound: level 1'
	assert_equal "$(grep -c means: <<<"$output")" 1
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
	"$TDSTAT" explain tma_l1_bound >of_l1_bound
	for node in 'tma_new: level 4, below tma_l1_bound' 'tma_newer: level 5, below tma_new'; do
		explain --metrics-dir newer "${node%%:*}"
		assert_success
		assert_line --index 0 "$node, of cpu_core"
		assert_line --partial 'above:   This node has no text of its own.'
		assert_same "$(<of_l1_bound)" "$(sed '1,/^$/d' <<<"$output")"
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

@test "names behind an unknown one are explained; all unknown ones are said at the end" {
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
	explain --metrics-dir "$files" 'tma_*l[1-3]*'
	assert_success
	wanted=$(jq -r '.[].MetricName // ""' "$files"/alderlake/*metrics.json && listed P-cores)
	assert_same "$(grep -x 'tma_.*l[1-3].*' <<<"$wanted" | sort -u)" \
		"$(grep -Eo '^tma_[^:, ]+' <<<"$output" | sort -u)"
	[[ $output == *means:*files:* ]]
	explain 'zzz*'
	assert_equal "$status" 64
	assert_equal "${stderr_lines[0]}" "tdstat: no node of the tree matches 'zzz*'"
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
