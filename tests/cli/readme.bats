#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The table of README.md says how deep the metric files go: these files.

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
