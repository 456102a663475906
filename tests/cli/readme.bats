#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What README.md says of metric files and of the source is so.

# shellcheck disable=SC2154 # helper.bash
load helper

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
		END { exit found != 1 }' "$here/../../README.md"
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
		Zen 4, Zen 5:AMD:amdzen4:cpu
		Zen 4, Zen 5:AMD:amdzen5:cpu
	END
}

# source: the section of that name
source_section() {
	sed -n '/^## Source/,/^## Licence/p' "$here/../../README.md"
}

@test "the map of the source names all folders" {
	for top in cmd metrics lib; do
		source_section | sed -n "/^    $top\//,/^    [a-z]*\//{ /^    \($top\/\|  \)/p }" |
			sed "s/^    $top\///; s/([^)]*)//g" | grep -o '\<[a-z]*\>' | sort -u >words
		(cd "$here/../../$top" && find . -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort) >folders
		run -0 comm -13 words folders
		[ -z "$output" ] || fail "$top: README does not name $output"
	done
}

@test "the way of the data: each function is in the file that is named, and each file is there" {
	source_section | sed -nE 's/.* (td_[a-z_]*)\(\) +([a-z_\/]*\.c).*/\1 \2/p' >steps
	[ "$(wc -l <steps)" -ge 12 ]
	while read -r function file; do
		grep -q "\<$function(" "$here/../../$file" || fail "$function() is not in $file"
	done <steps
	source_section | grep -oE '(cmd|metrics|lib|tests)/[A-Za-z_/-]+(\.[a-z]+)?' | sort -u >paths
	while read -r path; do
		[ -e "$here/../../$path" ] || fail "there is no $path"
	done <paths
}
