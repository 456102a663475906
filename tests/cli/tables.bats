#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Tables of intervals in windows of several widths.

# shellcheck disable=SC2154 # helper.bash
load helper

# runs standard input with what tables.py defines
python() {
	DATA=$data within python3 "$here/tables.py"
}

@test "a narrow window: short names that begin as the whole ones do, and one percent sign" {
	python <<-'PYTHON'
		same(window(80, recorded("icelakex-2"))[0], "# %   time retiring backend_bound frontend_bound bad_speculation")
		same(squeezed(window(45, recorded("icelakex-2"))[0]), "# % time ret bac_bou fro_bou bad_spe")
	PYTHON
}

@test "a wide window, a pipe and a file have the same table" {
	python <<-'PYTHON'
		recording = recorded("alderlake")
		pipe = report(recording)
		report(recording, "-o", "file")
		same(window(200, recording), pipe)
		same(open("file").read().splitlines(), pipe)
		assert any("%  tma_retiring " in line for line in pipe)
		# with an unknown size
		same(window(0, recording), pipe)
		# standard input and standard error do not matter
		same(Window(60, ["sh", "-c", '"$0" report "$1" >file', TDSTAT, recording]).lines(), [])
		same(open("file").read().splitlines(), pipe)
	PYTHON
}

# A value of each metric, and in each row %lost.
@test "no line is longer than the window, and no value is missing" {
	python <<-'PYTHON'
		for model in "alderlake-2", "sapphirerapids-2", "icelakex-2":
		    args = recorded(model), "-l", "2", "-A"
		    all_ = rows(*args)
		    nr = sum(row["value"] is not None for row in all_) + len({(row["time"], row["id"], row["pmu"]) for row in all_})
		    for columns in 50, 64, 80, 100, 132, 200:
		        lines = window(columns, *args)
		        longest = max(map(len, lines))
		        assert longest <= columns and len(values(lines)) == nr, (model, columns, longest, nr, lines)
	PYTHON
}

@test "two core types at level 2: a header and a line for each" {
	python <<-'PYTHON'
		lines = window(120, recorded("alderlake-2"), "-l", "2")
		for pmu in "cpu_core", "cpu_atom":
		    same(sum(line.startswith(f"# %   time {pmu} ") for line in lines), 1)
		same(lines.pop(), "# * is above its threshold: look there")
		same([tuple(line.split()[:2]) for line in lines[2:]],
		     [("0.301", "cpu_core"), ("0.301", "cpu_atom"), ("0.604", "cpu_core"), ("0.604", "cpu_atom")])
		# each has its own columns, and no cell is empty
		words = [line.split() for line in lines]
		nr = {line[3]: len(line) for line in words if line[0] == "#"}
		for line in words:
		    assert line[0] == "#" or len(line) + 2 == nr[line[1]], line
		# as many columns would be trees in a file
		assert any("%  tma_core_bound" in line for line in report(recorded("alderlake-2"), "-l", "2"))
	PYTHON
}

@test "too many columns for a table are trees in every window" {
	python <<-'PYTHON'
		assert any(re.search("[0-9] %  tma_core_bound", line) for line in window(120, recorded("icelakex-2"), "-l", "3"))
	PYTHON
}

@test "values above the threshold have a mark without colours, in all formats" {
	python <<-'PYTHON'
		recording = recorded("alderlake")
		nr = sum(bool(row["over_threshold"]) for row in rows(recording))
		assert nr > 0
		narrow = window(80, recording)
		for lines in report(recording), narrow:
		    same("\n".join(lines[:-1]).count("*"), nr)
		    same(lines[-1], "# * is above its threshold: look there")
		    assert not any("\033" in line for line in lines)
		red = "\n".join(window(80, recording, term="xterm"))
		same(len(re.findall("\033\\[31m *[0-9.]*\\*\033\\[m", red)), nr)
		same(re.sub("\033\\[[0-9]*m", "", red).split("\n"), narrow)
	PYTHON
}

@test "a window that is made wider has the wide table at once" {
	python <<-'PYTHON'
		recording = recorded("alderlake")
		lines = open(recording, "rb").readlines()
		wider = Window(60, [TDSTAT, "report", "-"], stdin=subprocess.PIPE, stderr=None, env=os.environ | {"TERM": "dumb"})
		wider.process.stdin.write(b"".join(lines[:3]))
		wider.process.stdin.flush()
		# after the first interval
		while b"1.000 cpu_atom" not in wider.text:
		    assert wider.read()
		wider.resize(200)
		wider.process.stdin.write(b"".join(lines[3:]))
		wider.process.stdin.close()
		got = wider.lines()
		assert got[0].startswith("# %   time ")
		same(sum(line.startswith("#") for line in got), 3)
		wide = report(recording)
		second, = [i for i, line in enumerate(got) if re.match("#  *time", line)]
		same([got[second]] + [line for line in got[second:] if re.match(r" *[345]\.", line)], [wide[0], *wide[-7:-1]])
	PYTHON
}

@test "functions with level 2 in 80 columns: two tables for each core type, of short names" {
	python <<-'PYTHON'
		for columns in 60, 80, 100:
		    lines = [line for line in window(columns, recorded("functions"))[3:] if not line.startswith(" Biggest")]
		    assert max(map(len, lines)) <= columns, (columns, lines)
		lines = window(80, recorded("functions"))
		headers = [squeezed(line) for line in lines if line.startswith(" function ")]
		same(len(headers), 4)
		same(headers[:2], [" function windows slots % ret lig_ope hea_ope bac_bou mem_bou ",
		                   " function cor_bou fro_bou fet_lat fet_ban bad_spe bra_mis mac_cle "])
		# for each core type its own rows, and the nodes that it has
		of, found = None, []
		for line in lines:
		    words = line.split()
		    if line.startswith(" cpu_"):
		        of = words[0]
		    elif words[:1] == ["scenario_icache"]:
		        found.append((of, words[1], words[3]))
		same(found, [("cpu_core:", "417", "36.1"), ("cpu_core:", "6.7", "37.9*"),
		             ("cpu_atom:", "270", "36.0"), ("cpu_atom:", "38.0*", "6.0")])
		first, second = ([i for i, line in enumerate(lines) if pmu in line][0] for pmu in ("cpu_core:", "cpu_atom:"))
		for line in lines[first : second + 1]:
		    assert "res_bou" not in line and "with few windows" not in line, line
	PYTHON
	# -M and explain take the names
	try "$TDSTAT" explain lig_ope
	[[ $output == *tma_light_operations* ]]
}

@test "functions: two tables with errors are enough; a pipe has one" {
	python <<-'PYTHON'
		args = recorded("functions"), "-l", "1"
		same(sum(line.startswith(" function ") for line in report(*args)), 1)
		lines = window(80, *args)
		same(sum(line.startswith(" function ") for line in lines), 2)
		assert any(re.search(r"scenario_icache *cpu_core *417 .* 36\.1 ±0\.3", line) for line in lines), lines
	PYTHON
}

@test "why functions have a dash in place of a value: one reason, or where they are" {
	python <<-'PYTHON'
		recording = recorded("functions")
		assert " - means no value: no counter is left" in report(recording)
		assert not any("means no value" in line for line in report(recording, "-l", "1"))
		assert " - means no value: fewer than 30 windows" in report(recording, "-l", "1", "--all")
		assert " - means no value: use -v for the reasons" in report(recording, "--all")
		lines = report(recording, "--all", "-v")
		for reason in "(no counter is left)", "(fewer than 30 windows)":
		    assert any(line.endswith(reason) for line in lines), lines
	PYTHON
}

# A legend of the marks that were shown, and of no other.
@test "each table with marks has a legend" {
	python <<-'PYTHON'
		legend = {"*": "is above its threshold", "?": "impossible value: ", "~": "may really be 0", "-": "means no value"}
		def check(lines, start):
		    said = {mark for mark, text in legend.items() if any(line.startswith(f"{start}{mark} {text}") for line in lines)}
		    rows = [line for line in lines if not line.startswith(start + "#") and line[len(start):][:1] not in legend]
		    same(said, {mark for mark in legend if any(re.search(r" -( |$)" if mark == "-" else rf"[0-9] ?\{mark}( |$)", line) for line in rows)})
		    return said
		seen = set()
		for name in "sapphirerapids-2", "icelakex-2", "alderlake-2":
		    for level in "1", "2":
		        for columns in 50, 100:
		            seen |= check(window(columns, recorded(name), "-l", level), "# ")
		        seen |= check(report(recorded(name), "-l", level), "# ")
		assert seen >= {"*", "?"}, seen
		for columns in 80, 0:
		    for args in (), ("-l", "1"), ("-l", "1", "--all"):
		        lines = window(columns, recorded("functions"), *args)
		        end = [line.startswith(" Biggest loser") for line in lines].index(True)
		        seen |= check(lines[3:end], " ")
		assert seen >= {"*", "?", "-"}, seen
	PYTHON
}

@test "a CPU without a clock rate has a dash with a legend; values without errors have a legend, too" {
	jq -c 'if .counts then .counts |= map(if .[0] < 10 then .[3:] = [0, 0, 0] else . end) else . end' \
		"$data/alderlake-2.jsonl" >idle.jsonl
	python <<-'PYTHON'
		lines = report("idle.jsonl", "-A")
		assert any(re.search(r" CPU0 +cpu_core +- +<not counted>", line) for line in lines), lines
		same([line for line in lines if "means" in line], ["# - means no value"])
		assert not any("means no value" in line for line in report(recorded("alderlake-2"), "-A"))
		# groups that ran once beside one that ran all the time
		said = "  no ± means too few readings to estimate the error"
		lines = report(recorded("manual/xz-3"), "-l", "3")
		same(lines.count(said), 2)
		assert any(re.match(r" +8\.3 +% +tma_dram_bound", line) for line in lines), lines
		assert said not in report(recorded("manual/xz-3"), "-l", "1")
	PYTHON
}

@test "explain knows each name of a narrow table" {
	python <<-'PYTHON'
		def head(lines):
		    return [word for line in itertools.takewhile(lambda line: line.startswith("#"), lines)
		            for word in line.split() if word not in ("#", "%", "time", "#%")]

		for level in "1", "2":
		    args = recorded("sapphirerapids-2"), "-l", level
		    whole, short = head(report(*args)), head(window(62, *args))
		    assert len(short) >= 4 and len(whole) >= 4 and short != whole, (short, whole)
		    for one, other in list(zip(short, whole))[:4]:
		        same(done("explain", one), done("explain", other))
	PYTHON
}
