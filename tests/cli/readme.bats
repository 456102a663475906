#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# README.md: its size and order, its commands, and the table with the deepest levels of
# these metric files.  Statements of lib/README.md about the source.

# shellcheck disable=SC2154 # helper.bash
load helper
load examples

readme=$here/../../README.md
source=$here/../../lib/README.md

@test "the deepest levels of the files are those of the table" {
	known_files
	cat >rows <<-'END'
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
		Golden Cove:Bartlett Lake:no files:cpu
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
	python3 - "$readme" <<-'PYTHON'
		import glob, json, os, re, sys
		def metrics(folder):
		    files = [name for pattern in ("*-metrics.json", "pipeline*.json")
		             for name in glob.glob(os.path.join(os.environ["TD_PMU_EVENTS"], folder, pattern))]
		    return [metric for name in files for metric in json.load(open(name))]
		def depth(folder, pmu):
		    """The deepest level that the files have for the PMU."""
		    levels = [level for metric in metrics(folder) if metric.get("Unit", "cpu") == pmu
		              for level in re.findall("(?:TopdownL|PipelineL)([1-6])", metric.get("MetricGroup", ""))]
		    return max(levels, default="none")
		table = [re.split(" *[|] *", line) for line in open(sys.argv[1]) if line.count("|") > 3]
		wrong = []
		for core, processors, folder, pmu in (line.rstrip("\n").split(":") for line in open("rows")):
		    found = [row[4] for row in table if row[1] == core and processors in row[2]]
		    if found != [depth(folder, pmu)]:
		        wrong.append(f"{core} {processors}: the table has {found}, the files {depth(folder, pmu)}")
		sys.exit("\n".join(wrong) or 0)
	PYTHON
}

@test "its size, and its order" {
	mapfile -t lines <"$readme"
	[ "${#lines[@]}" -ge 120 ] && [ "${#lines[@]}" -le 180 ] || fail "${#lines[@]} lines"
	for i in "${!lines[@]}"; do
		[[ ${lines[i]} == '## '* ]] || continue
		sections+=("${lines[i]#'## '}")
	done
	assert_equal "$(printf '%s, ' "${sections[@]}")" \
		'Six commands, How to read the output, Install, Status, What next, Where it works, Versions, Contributing, Security, Licence, '
	# once, before the first section
	[[ ${lines[*]} == *'are scripted.'*'## Six commands'* ]]
	assert_equal "$(grep -c scripted "$readme")" 1
}

@test "its commands are those that this program takes" {
	saved sapphirerapids
	for program in old new slow; do cp /bin/true $program; done
	parser program
	cp "$data/sapphirerapids-2.jsonl" tdstat.jsonl
	nr=0
	while read -r command; do
		[[ $command != *' --html '* ]] || has_wing pictures || continue
		[[ ! $command =~ ^tdstat\ (calls|serve|top)(\ |$) ]] || has_wing "${BASH_REMATCH[1]}" || continue
		case $command in
		# a count has to come first (tests/machine/readme.bats counts them all)
		*' diff '* | *' doctor'*) continue ;;
		*' report '* | *' explain '*) ;;
		*' calls '*) command=${command/calls/calls --dry-run} ;;
		*' locate '*) command=${command/locate/locate tma_dram_bound --dry-run} ;;
		*)
			[[ $command =~ ^tdstat(\ (record|profile|top|serve))? ]]
			command="${BASH_REMATCH[0]} --dry-run${command#"${BASH_REMATCH[0]}"}"
			;;
		esac
		# shellcheck disable=SC2086
		try "$TDSTAT" ${command#tdstat }
		[ "$status" = 0 ] || fail "$command: $stderr"
		nr=$((nr + 1))
	done < <(readme_commands)
	[ "$nr" -ge 9 ] || fail "only $nr"
}

@test "the map of the source names all directories" {
	python3 - "$here/../.." "$source" <<-'PYTHON'
		import os, re, sys
		root, map = sys.argv[1], open(sys.argv[2]).read()
		for top in "cmd", "metrics", "lib":
		    # up to the next one
		    part = re.search(rf"^    {top}/(.*\n(?:  .*\n|(?!    [a-z]*/).*\n)*?)(?=^    [a-z]+/|\Z)", map, re.M)[1]
		    part = "".join(line + "\n" for n, line in enumerate(part.split("\n")) if n == 0 or line.startswith("  "))
		    words = set(re.findall(r"\b[a-z]+\b", re.sub(r"\([^)]*\)", "", part)))
		    folders = {entry.name for entry in os.scandir(os.path.join(root, top)) if entry.is_dir()}
		    assert folders and not folders - words, f"{top}: lib/README.md does not name {folders - words}"
	PYTHON
}

@test "the data flow: each function is in the file that is named, and each file is there" {
	python3 - "$here/../.." "$source" <<-'PYTHON'
		import os, re, sys
		root, text = sys.argv[1], open(sys.argv[2]).read()
		steps = re.findall(r" (td_[a-z_]*)\(\) +([a-z_/]*\.c)", text)
		assert len(steps) >= 12, steps
		for function, name in steps:
		    assert re.search(rf"\b{function}\(", open(os.path.join(root, name)).read()), f"{function}() is not in {name}"
		for path in re.findall(r"(?:cmd|metrics|lib|tests)/[A-Za-z_/-]+(?:\.[a-z]+)*", text):
		    assert os.path.exists(os.path.join(root, path)), f"there is no {path}"
	PYTHON
}

@test "make run ends with commands to type next, and each of them works" {
	saved alderlake
	root=$(realpath "$here/../..")
	program=${TDSTAT#"$root/"}
	make -C "$root" --no-print-directory -o all run-here B="${program%/tdstat}" TOPDOWN_HERE= >out 2>err || fail "$(<err)"
	mapfile -t lines <out
	has_text out tma_retiring
	nr=0
	for line in "${lines[@]}"; do
		[[ $line =~ ^'  '([^#]*[^# ])\ +'# ' ]] || continue
		command=${BASH_REMATCH[1]}
		nr=$((nr + 1))
		case $command in
		*' doctor') "$TDSTAT" doctor >found || [ $? = 1 ] ;;
		*' -- COMMAND') "$TDSTAT" --dry-run -- true >plan ;;
		man\ *) [ -e "$root/${command#man }" ] ;;
		'sudo make install') ;;
		*) fail "$command" ;;
		esac
	done
	assert_equal "$nr" 4
}
