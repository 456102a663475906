#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# README.md: its size and order, its commands, and the table that says how deep the
# metric files go: these files.  What lib/README.md says of the source is so.

# shellcheck disable=SC2154 # helper.bash
load helper
load examples

readme=$here/../../README.md
source=$here/../../lib/README.md

# depth FOLDER PMU: the deepest level that the files have for the PMU
depth() {
	local files=("$TD_PMU_EVENTS/$1"/*-metrics.json "$TD_PMU_EVENTS/$1"/pipeline*.json) file

	for file in "${files[@]}"; do
		[ ! -e "$file" ] || jq -r --arg pmu "$2" '.[] | select((.Unit // "cpu") == $pmu) | .MetricGroup // "" |
			capture("(TopdownL|PipelineL)(?<level>[1-6])") | .level' "$file"
	done | sort -n | tail -n 1 | grep . || echo none
}

# row CORE PROCESSORS: what the table has in the column "files"
row() {
	awk -F ' *[|] *' -v core="$1" -v processors="$2" '
		$2 == core && index($3, processors) { print $5; found++ }
		END { exit found != 1 }' "$readme"
}

@test "the deepest level of the files is that of the table" {
	known_files
	while IFS=: read -r core processors folder pmu; do
		assert_same "$core $processors: $(depth "$folder" "$pmu")" \
			"$core $processors: $(row "$core" "$processors")"
	done <<-'END'
		Sandy Bridge::sandybridge:cpu
		Ivy Bridge, Haswell, Broadwell::ivybridge:cpu
		Ivy Bridge, Haswell, Broadwell::haswell:cpu
		Ivy Bridge, Haswell, Broadwell::broadwellx:cpu
		Skylake:Comet Lake:skylake:cpu
		Skylake:Cascade Lake:cascadelakex:cpu
		Sunny Cove:Ice Lake-SP:icelakex:cpu
		Sunny Cove:Tiger Lake:tigerlake:cpu
		Golden Cove:Alder Lake:alderlake:cpu_core
		Golden Cove:Sapphire Rapids:sapphirerapids:cpu
		Redwood Cove:Meteor Lake:meteorlake:cpu_core
		Redwood Cove:Granite Rapids:graniterapids:cpu
		Lion Cove:Lunar Lake:lunarlake:cpu_core
		Lion Cove:Arrow Lake:arrowlake:cpu_core
		Cougar Cove:Panther Lake:pantherlake:cpu_core
		Tremont:Elkhart Lake:elkhartlake:cpu
		Gracemont:Alder Lake:alderlake:cpu_atom
		Gracemont:Alder Lake-N:alderlaken:cpu
		Crestmont:Meteor Lake:meteorlake:cpu_atom
		Crestmont:Sierra Forest:sierraforest:cpu
		Crestmont:low-power:arrowlake:cpu_lowpower
		Skymont:Lunar Lake:lunarlake:cpu_atom
		Skymont:Arrow Lake:arrowlake:cpu_atom
		Darkmont:Panther Lake:pantherlake:cpu_atom
		Darkmont:Clearwater Forest:clearwaterforest:cpu
		Zen 4, Zen 5, Zen 6:AMD:amdzen4:cpu
		Zen 4, Zen 5, Zen 6:AMD:amdzen5:cpu
	END
}

@test "its size, and its order" {
	length=$(wc -l <"$readme")
	[ "$length" -ge 120 ] && [ "$length" -le 180 ] || fail "$length lines"
	assert_same "$(printf '%s\n' Status Install 'Five commands' 'How to read the output' 'What next' \
		'Where it works' Licence)" "$(sed -n 's/^## //p' "$readme")"
	# nobody has to look for it
	[ "$(grep -n '^## Status' "$readme" | cut -d: -f1)" -le 55 ]
}

@test "its commands are those that this program takes" {
	saved sapphirerapids
	for program in old new; do cp /bin/true $program; done
	parser program
	cp "$data/sapphirerapids-2.jsonl" tdstat.jsonl
	nr=0
	while read -r command; do
		case $command in
		# a count has to come first (tests/machine/readme.bats counts them all)
		*' diff '* | *' doctor'*) continue ;;
		*' report '* | *' explain '*) ;;
		*' calls '*) command=${command/calls/calls --dry-run} ;;
		*' locate '*) command=${command/locate/locate tma_dram_bound --dry-run} ;;
		*) command=$(sed -E 's/^tdstat( (record|profile|top|serve))?/& --dry-run/' <<<"$command") ;;
		esac
		# shellcheck disable=SC2086
		try "$TDSTAT" ${command#tdstat }
		[ "$status" = 0 ] || fail "$command: $stderr"
		nr=$((nr + 1))
	done < <(readme_commands)
	[ "$nr" -ge 10 ] || fail "only $nr"
}

@test "the map of the source names all folders" {
	for top in cmd metrics lib; do
		sed -n "/^    $top\//,/^    [a-z]*\//{ /^    \($top\/\|  \)/p }" "$source" |
			sed "s/^    $top\///; s/([^)]*)//g" | grep -o '\<[a-z]*\>' | sort -u >words
		(cd "$here/../../$top" && find . -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort) >folders
		run -0 comm -13 words folders
		[ -z "$output" ] || fail "$top: lib/README.md does not name $output"
	done
}

@test "the way of the data: each function is in the file that is named, and each file is there" {
	sed -nE 's/.* (td_[a-z_]*)\(\) +([a-z_\/]*\.c).*/\1 \2/p' "$source" >steps
	[ "$(wc -l <steps)" -ge 12 ]
	while read -r function file; do
		grep -q "\<$function(" "$here/../../$file" || fail "$function() is not in $file"
	done <steps
	grep -oE '(cmd|metrics|lib|tests)/[A-Za-z_/-]+(\.[a-z]+)*' "$source" | sort -u >paths
	while read -r path; do
		[ -e "$here/../../$path" ] || fail "there is no $path"
	done <paths
}
