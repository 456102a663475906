#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Plans of tdstat on every saved machine.  The expected encodings are those of the kernel's
# sysfs files and of Intel's event lists, in tests/expected/MODEL.events.

# shellcheck disable=SC2016,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# use MODEL: a saved one, or the made-up Arrow Lake-H
use() {
	if [ "$1" = arrowlake-h ]; then
		arrow_lake_h
	else
		saved "$1"
	fi
}

# The rules of the kernel, over the groups of levels 1 and 2.
#
# Counters for events other than fields of PERF_METRICS: on the Skymont PMU three of the
# four topdown events have their own fixed counters, on all others only SLOTS has one.  The
# NMI watchdog has the fixed cycles counter.  Two groups that both begin with SLOTS would
# multiplex its only counter.
fits='
GENERAL = {
    "alderlake cpu_core": 8, "meteorlake cpu_core": 8,
    "lunarlake cpu_core": 10, "arrowlake-h cpu_core": 10,
    "alderlake cpu_atom": 6,
    "meteorlake cpu_atom": 8, "arrowlake-h cpu_lowpower": 8,
    "lunarlake cpu_atom": 8, "arrowlake-h cpu_atom": 8,
    "sapphirerapids cpu": 8, "icelakex cpu": 8, "tigerlake cpu": 8,
    "skylakex cpu": 4,
}

def fits(events, model, level):
    assert events
    slots, group = [], None
    for event in events:
        first = event.group != group
        if first:
            group, pmu, counted, metrics, others = event.group, event.pmu, 0, False, False
        assert event.pmu == pmu and event.name.startswith(f"{pmu}/"), f"another PMU in the group: {event}"
        assert event.read_format == "0xf" and event.config1 == "0x0", event
        # fields are not multiplexed, but the rest of level 2 on Sunny Cove is
        pinned = level == 2 and event.config == "0x400" and re.search("icelake|tigerlake", model)
        assert event.flags == ("disabled,pinned" if pinned else "disabled" if first else "none"), event
        if event.config == "0x400":
            assert first, f"slots do not lead: {event}"
            assert pmu not in slots, f"slots twice on one PMU: {event}"
            slots.append(pmu)
            metrics = True
        elif re.fullmatch("0x8[0-7]00", event.config):
            assert metrics, f"a metric event without slots: {event}"
            assert not others, f"not directly behind slots: {event}"
        else:
            others = True
            # instructions have fixed counter 0, reference cycles no. 2
            spare = event.config in ("0xc0", "0x300") or (
                event.config in ("0x73", "0x19c", "0x2c2") and pmu == "cpu_atom"
                and re.search("lunarlake|arrowlake", model))
            counted += not spare
            assert counted <= GENERAL[f"{model} {pmu}"], f"no counter left: {event}"

for level in 1, 2:
    model = os.environ["MODEL"]
    same(events(f"-a -l {level}"), expected_events(level, model), level)
    fits(events_of(plan(f"-l {level}")), model, level)
'

check_plan() {
	use "$1"
	MODEL=$1 checks <<<"$fits"
}

# flags: those of the first event of a group and of the others, of "run groups"
flags() {
	awk 'BEGIN { group = "none" }
		{ print ($1 != group ? "first" : "other"), $8; group = $1 }' <<<"$output" | sort -u
}

@test "Alder Lake" { check_plan alderlake; }
@test "Meteor Lake" { check_plan meteorlake; }
@test "Lunar Lake" { check_plan lunarlake; }
@test "Arrow Lake-H, made up: three core PMUs" { check_plan arrowlake-h; }
@test "Sapphire Rapids" { check_plan sapphirerapids; }
@test "Ice Lake-SP" { check_plan icelakex; }
@test "Tiger Lake" { check_plan tigerlake; }
@test "Skylake-SP" { check_plan skylakex; }

@test "level 1 is one group a PMU wherever its events fit" {
	for model in alderlake meteorlake lunarlake sapphirerapids icelakex tigerlake; do
		saved $model
	done
	checks <<-'PYTHON'
		for model in "alderlake", "meteorlake", "lunarlake", "sapphirerapids", "icelakex", "tigerlake":
		    machine(model)
		    groups = events_of(plan("-l 1"))
		    assert groups
		    same(len({event.group for event in groups}), len({event.pmu for event in groups}), model)
	PYTHON
	arrow_lake_h
	checks <<<'groups = events_of(plan("-l 1")); same((len({e.group for e in groups}), len({e.pmu for e in groups})), (3, 3))'
}

@test "every event that sysfs does not name is in the kernel's event files as such" {
	[ -d "$TD_PMU_EVENTS" ] || skip "no event files"
	for model in alderlake meteorlake sapphirerapids icelakex tigerlake skylakex; do
		saved $model
	done
	checks <<-'PYTHON'
		def number(text):
		    text = (text or "0").split(",")[0].lower()
		    return int(text, 16 if text.startswith("0x") else 10)

		for model in "alderlake", "meteorlake", "sapphirerapids", "icelakex", "tigerlake", "skylakex":
		    machine(model)
		    known = {(item["EventName"].upper(), number(item.get("EventCode")) + (number(item.get("UMask")) << 8) +
		              (number(item.get("CounterMask")) << 24) + (number(item.get("EdgeDetect")) << 18))
		             for _, item in model_files(model) if item.get("EventName") and of_cores(item)}
		    # perf has instructions retired as 0xc0: fixed counters follow by themselves
		    known.add(("INST_RETIRED.ANY", 0xc0))
		    planned = events_of(plan("-l 2"))
		    assert planned, model
		    for event in planned:
		        if match := re.fullmatch("[a-z_]*/([A-Z][^/]*)/", event.name):
		            name, config = match[1], int(event.config, 0)
		            if name.endswith(",cmask=1"):
		                name, config = name[:-len(",cmask=1")], config - 0x1000000
		            assert (name, config) in known, f"{model}: {name} is not {config:#x}"
	PYTHON
}

@test "a command: the leader is enabled by its exec, all are inherited" {
	for model in alderlake skylakex; do
		use $model
		[ $model != skylakex ] || {
			copied $model
			echo 0 >"$SYSFS_PATH/devices/system/cpu/smt/active"
		}
		try groups -l 2 -- ls -l
		assert_success
		assert_equal "$(flags)" "first disabled,inherit,enable_on_exec
other inherit"
	done
	use alderlake
	assert_same "$(expected_events 2 alderlake)" "$(events -l 2 -- ls -l)"
}

@test "a process: inherited, and no exec to wait for" {
	copied alderlake
	mkdir -p machine/proc/42/task/{42,43}
	try groups -p 42 -l 1
	assert_success
	assert_equal "$(flags)" "first disabled,inherit
other inherit"
}

@test "whole CPUs, even with a command: no event is inherited" {
	use alderlake
	for how in -a '-C 0-7' '-a ls' '-C 1,5 ls'; do
		try groups $how
		assert_success
		[ -n "$output" ]
		refute_output --partial inherit
		refute_output --partial enable_on_exec
	done
}

@test "no target: the whole machine" {
	use alderlake
	"$TDSTAT" --dry-run -a >all
	try "$TDSTAT" --dry-run
	mapfile -d '' all <all
	assert_same "${all[0]}" "$output"$'\n'
}

@test "-C: each PMU gets its own CPUs of the list" {
	use alderlake
	checks <<-'PYTHON'
		for options, *want in (
		    ("-a", "cpu_core 0-3", "cpu_atom 4-7"),
		    ("-C 3,5", "cpu_core 3", "cpu_atom 5"),
		    ("-C 0-1", "cpu_core 0-1"),
		    ("-C 6", "cpu_atom 6"),
		    ("-C 2-5", "cpu_core 2-3", "cpu_atom 4-5"),
		    ("-C 1,1,0", "cpu_core 0-1"),
		):
		    same(cpus_of(options), want, options)
	PYTHON
}

@test "--cputype: by kind and by the PMU's name" {
	for model in alderlake arrowlake-h; do
		use $model
		MODEL=$model checks <<-'PYTHON'
			model = os.environ["MODEL"]
			def expected(level, pmu):
			    found = [line for line in expected_events(level, model) if line.startswith(f"{pmu}/")]
			    assert found
			    return found
			for kind in "core", "cpu_core":
			    same(events(f"-a -l 1 --cputype {kind}"), expected(1, "cpu_core"))
			for kind in "atom", "cpu_atom":
			    same(events(f"-a -l 1 --cputype={kind}"), expected(1, "cpu_atom"))
			if model == "arrowlake-h":
			    same(events("-a --cputype lowpower -l 2"), expected(2, "cpu_lowpower"))
		PYTHON
	done
}

@test "--cputype: cores that this machine has not" {
	use alderlake
	try "$TDSTAT" --dry-run -a --cputype lowpower
	assert_failure 1
	assert_why_and_remedy lowpower 'cpu_core.*cpu_atom'
	use sapphirerapids
	try "$TDSTAT" --dry-run -a --cputype atom
	assert_failure 1
	assert_why_and_remedy atom
}

@test "--cputype: an unknown core type is wrong usage, and no command runs" {
	use alderlake
	for type in 123 cores cpu_big ''; do
		try "$TDSTAT" -a --cputype "$type" -- touch ran
		assert_failure 64
		assert_why_and_remedy "--cputype $type: no machine has such cores" 'core, atom and lowpower'
		[ ! -e ran ]
	done
}

@test "--cputype and -C that have no CPU in common" {
	use alderlake
	try "$TDSTAT" --dry-run -C 0-3 --cputype atom
	assert_failure 1
	assert_why_and_remedy '-C 0-3'
}

@test "level 0 is perf's default, --td-level is only one level" {
	use alderlake
	checks <<-'PYTHON'
		level_1, level_2 = events("-a -l 1"), events("-a -l 2")
		same(events("-a --td-level 0"), level_1)
		same(events("-a --td-level=1 --topdown"), level_1)
		# cpu_atom's level 2 has events of its own; what level 1 alone takes is out
		alone = events("-a --td-level 2")
		assert set(alone) < set(level_2), alone
	PYTHON
}

@test "Skylake with hyper-threading on: whole cores" {
	use skylakex
	checks <<-'PYTHON'
		siblings = Path(os.environ["SYSFS_PATH"], "devices/system/cpu/cpu0/topology/core_cpus_list").read_text().strip()
		same([line for line in cpus_of("-C 0") if line.startswith("cpu ")], [f"cpu {siblings}"])
	PYTHON
}

@test "Skylake with hyper-threading on: a single program is refused" {
	use skylakex
	for how in '-- true' "-p $$"; do
		try "$TDSTAT" --dry-run -l 1 $how
		assert_failure 1
		assert_why_and_remedy 'thread' '^tdstat: -M TopdownL1 \(or -l 3\) estimates them, .*-a'
	done
	try "$TDSTAT" --dry-run -l 2 -- true
	assert_why_and_remedy 'thread' '^tdstat: -M TopdownL1,TopdownL2 \(or -l 3\) estimates them, .*-a'
	try "$TDSTAT" --dry-run --td-level 2 -- true
	assert_why_and_remedy 'thread' '^tdstat: -M TopdownL2 estimates them, .*-a'
	# these take no -M
	for what in profile 'calls main' regions; do
		[ "$what" = profile ] || has_wing "${what%% *}" || continue
		try "$TDSTAT" $what --dry-run -- true
		assert_why_and_remedy 'thread' '^tdstat: count the machine while it runs \(tdstat -a -- COMMAND\)'
	done
	try "$TDSTAT" --dry-run -a -A
	assert_why_and_remedy 'thread' '^tdstat: use --per-core'
	# the suggestions can be planned
	for how in '' '-M TopdownL1' '-l 3' '-M TopdownL1,TopdownL2' '-M TopdownL2' -a; do
		"$TDSTAT" --dry-run $how -- true
	done
	"$TDSTAT" --dry-run -a --per-core
	# the formulas are from the files; without them there is no estimate
	TDSTAT_METRICS=/nonexistent try "$TDSTAT" --dry-run -- true
	assert_why_and_remedy 'thread' '^tdstat: count the machine while it runs \(tdstat -a -- COMMAND\)'
}

@test "Skylake with hyper-threading off: one program is fine, 4 slots a cycle" {
	copied skylakex
	echo 0 >"$SYSFS_PATH/devices/system/cpu/smt/active"
	echo event=0x3c,umask=0x0 >"$devices/cpu/events/topdown-total-slots"
	echo 4 >"$devices/cpu/events/topdown-total-slots.scale"
	try events -l 1 -- true
	assert_success
	assert_line "cpu/topdown-total-slots/ 4 0x3c"
}

@test "PERF_CPUID: another model over a saved tree" {
	use alderlake
	# Lunar Lake's P-cores have no formula with UOP_DROPPING
	PERF_CPUID=GenuineIntel-6-BD-1 try events -a -l 1
	assert_success
	assert_line "cpu_core/topdown-mem-bound/ 4 0x8700"
	refute_output --partial UOP_DROPPING
	# Meteor Lake's E-cores retire by 0x72
	PERF_CPUID=GenuineIntel-6-AA-4 try events -a -l 1
	assert_line "cpu_atom/topdown-retiring/ 10 0x72"
	assert_line "cpu_core/INT_MISC.UOP_DROPPING/ 4 0x10ad"
	# the stepping does not matter, nor do the letters' case and their number
	for id in 6-AA-9 6-aa-0; do
		PERF_CPUID=GenuineIntel-$id try events -a -l 1
		assert_line "cpu_atom/topdown-retiring/ 10 0x72"
	done
}

@test "PERF_CPUID: an unknown model uses only sysfs" {
	use alderlake
	PERF_CPUID=GenuineIntel-6-EE-0 try events -a -l 1
	assert_success
	# and by what every core has: three fixed counters, of which the watchdog has one,
	# and four others, of which one is left on cpu_core
	assert_output "$(LC_ALL=C sort <<-'EVENTS'
		cpu_atom/ref-cycles/ 10 0x300
		cpu_atom/instructions/ 10 0xc0
		cpu_core/instructions/ 4 0xc0
		cpu_core/cpu-cycles/ 4 0x3c
		cpu_core/ref-cycles/ 4 0x300
		cpu_atom/topdown-bad-spec/ 10 0x73
		cpu_atom/topdown-be-bound/ 10 0x74
		cpu_atom/topdown-fe-bound/ 10 0x71
		cpu_atom/topdown-retiring/ 10 0xc2
		cpu_core/slots/ 4 0x400
		cpu_core/topdown-bad-spec/ 4 0x8100
		cpu_core/topdown-be-bound/ 4 0x8300
		cpu_core/topdown-br-mispredict/ 4 0x8500
		cpu_core/topdown-fe-bound/ 4 0x8200
		cpu_core/topdown-fetch-lat/ 4 0x8600
		cpu_core/topdown-heavy-ops/ 4 0x8400
		cpu_core/topdown-mem-bound/ 4 0x8700
		cpu_core/topdown-retiring/ 4 0x8000
	EVENTS
	)"
	use icelakex
	PERF_CPUID=GenuineIntel-6-EE-0 try events -a -l 1
	assert_success
	refute_output --partial INT_MISC
	assert_equal "${#lines[@]}" 8
}

@test "PERF_CPUID: wrong forms" {
	use alderlake
	for id in nonsense GenuineIntel-6-97 GenuineIntel-6-97-2x GenuineIntel-six-97-2; do
		PERF_CPUID=$id try "$TDSTAT" --dry-run -a
		assert_failure
		assert_complains "$id.*GenuineIntel-6-97-2"
	done
}

@test "only E-cores, as the PMU cpu" {
	copied alderlake
	rm -r "$devices/cpu_core"
	mv "$devices/cpu_atom" "$devices/cpu"
	rm "$devices/cpu/cpus"
	echo 4 >"$devices/cpu/type"
	# Gracemont: bad-spec's umask 0x6 in sysfs leaves nukes out; it is not used
	echo event=0x73,umask=0x6 >"$devices/cpu/events/topdown-bad-spec"
	identity 6 $((0xbe)) 0
	try events -a -l 2
	assert_success
	refute_output --partial 0x673
	assert_line "cpu/topdown-retiring/ 4 0xc2"
	assert_line "cpu/TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS/ 4 0x373"
	# Sierra Forest
	identity 6 $((0xaf)) 3
	try events -a -l 1
	assert_line "cpu/topdown-retiring/ 4 0x72"
	# Tremont: its machine clears have umask 0x2
	identity 6 $((0x96)) 1
	try events -a -l 2
	refute_output --partial 0x673
	assert_line "cpu/TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS/ 4 0x273"
	checks <<<'same(cpus_of("-a"), ["cpu 0-7"])'
}

@test "no counter is opened and no command runs" {
	needs_strace
	use alderlake
	for how in -a '-- touch made' '-C 0'; do
		try strace -f -o log -e trace=perf_event_open,execve "$TDSTAT" --dry-run $how
		assert_success
		mapfile -d '' log <log
		[[ ${log[0]} == *execve* && ${log[0]} != *execve*execve* && ${log[0]} != *perf_event_open* ]]
	done
	[ ! -e made ]
}

@test "> /dev/full fails" {
	use alderlake
	try sh -c '"$TDSTAT" --dry-run -a >/dev/full'
	assert_failure 1
	assert_complains 'No space left'
}

# Else no virtual machine could be started while tdstat counts: Linux 7.x's
# perf_create_mediated_pmu() in kernel/events/core.c.
@test "KVM gives its guests the counters: they are excluded, with a note" {
	copied alderlake
	checks <<-'PYTHON'
		for vendor in "intel", "amd":
		    folder = Path("machine/sys/module", f"kvm_{vendor}", "parameters")
		    folder.mkdir(parents=True)
		    for word in "N", "Y":
		        (folder / "enable_mediated_pmu").write_text(f"{word}\n")
		        for options in "-a -l 2", "-a -e cycles,{slots,topdown-retiring}", "-C 4 -l 1", "-l 2 -- true":
		            result = succeeds(f"--dry-run {options}")
		            said = result.err.count("tdstat: not counting guests: KVM gives")
		            cores = [event for event in events_of(result.out) if event.type in ("4", "10")]
		            assert cores
		            if (vendor, word) == ("intel", "Y"):
		                assert all("exclude_guest" in event.flags for event in cores), result.out
		                same(said, 0 if options.endswith("true") else 1, options)
		            else:
		                assert "exclude_guest" not in result.out
		                same(said, 0, options)
		    (folder / "enable_mediated_pmu").unlink()
	PYTHON
	# a request for guests includes them
	echo Y >machine/sys/module/kvm_intel/parameters/enable_mediated_pmu
	try "$TDSTAT" --dry-run -a -e cpu_core/cycles/G,cpu_core/cycles/
	[[ $output == *exclude_guest* && $output != *exclude_guest*exclude_guest* ]]
	[[ $output == *exclude_host* && $output != *exclude_host*exclude_host* ]]
}

# --- the same for perf ------------------------------------------------------------

@test "--print-perf: the groups and encodings of --dry-run, in a command that a shell reads" {
	for model in alderlake icelakex skylakex; do use $model; done
	checks <<-'PYTHON'
		def groups_of(option):
		    """The events of -e, as (PMU, terms)"""
		    return [re.findall(r"([a-z_]+)/(.*?)/[a-zA-Z]*(?:,|$)", text.removesuffix(":D").strip("{}"))
		            for text in option]

		for model in "alderlake", "icelakex", "skylakex":
		    machine(model)
		    for level in 1, 2, 3:
		        options = f"-a -l {level} -I 1s --interval-count 3"
		        planned = events_of(succeeds(f"--dry-run {options}").out)
		        command, comment = succeeds(f"--print-perf {options}").out.split("\n# ")
		        word = shlex.split(command.replace("\\\n", ""))
		        same(word[:10], ["perf", "stat", "-x", ";", "-o", "perf.csv", "-a", "-I", "1000", "--interval-count"])
		        groups = groups_of(word[12::2])
		        same(len(groups), len({event.group for event in planned}))
		        same([text.endswith(":D") for text in word[12::2]],
		             ["pinned" in group[0].flags for group in ([event for event in planned if event.group == number]
		                                                       for number in range(len(groups)))])
		        printed = [(number, pmu, terms) for number, group in enumerate(groups) for pmu, terms in group]
		        same(len(printed), len(planned))
		        for (number, pmu, terms), event in zip(printed, planned):
		            same((number, pmu), (event.group, event.pmu))
		            name = event.name.split("/", 1)[1].rstrip("/")
		            if re.fullmatch("0x8[0-7]00", event.config):
		                same(terms, name)
		            else:
		                more = "" if event.config1 == "0x0" else f",config1={event.config1}"
		                same(terms, f"name='{name}[{pmu}:{number}]',config={event.config}{more}")
		        assert re.fullmatch(rf"tdstat report --model GenuineIntel-6-[0-9A-F]+-\d+ -l {level} perf.csv\n", comment), comment

		machine("alderlake")
		lines = succeeds("--print-perf -r 3 --timeout 2s -- sh -c 'echo $x'").out.splitlines()
		same(lines[0], r"perf stat -x ';' -o perf.csv --timeout 2000 -r 3 \\"[:-1])
		same(lines[-2], "  -- sh -c 'echo $x'")
		assert lines[-1].endswith(" -l 1 perf.csv"), lines[-1]
		assert " -M tma_retiring,tma_info_thread_ipc perf.csv" in \
		    succeeds("--print-perf -a -M tma_retiring,tma_info_thread_ipc --per-core").out
		assert "group 0: software, 1 event, CPUs 0-7\n" in succeeds("--dry-run -a -M page_faults_per_second").out
		# report shows rows in the format that was asked for
		for options in "-x ';' -l 2", "--per-core -j --summary -l 1", "--label='a=b c' --hybrid-merge -v -l 1":
		    assert f" {options.removeprefix('--per-core ')} perf.csv" in succeeds(f"--print-perf -a -I 1s {options}").out
		# modifiers are part of the name
		names = succeeds("--print-perf -a -M tma_info_inst_mix_instructions,tma_info_system_kernel_utilization").out
		assert re.search(r"name='CPU_CLK_UNHALTED.THREAD_P:k\[cpu_core:0\]',config=0x3c/k,", names), names
		assert " --model GenuineIntel-6-8F" in succeeds("--print-perf -a --model sapphirerapids").out
		for more in "-e cycles", "-d", "-l auto", "--no-multiplex -- true", \
		        "--pre true -- true", "--post true -- true", "--sync -- true", "--control fd:3 -a", "-G a -a", "-r 0 -- true", "-a -o x", \
		        "--per-thread -- true", "-r 2 --table -- true", "-a --log-fd 1", "-a --perf", "-a --force", "-a --require", \
		        "-a -M tma_retiring:u":
		    fails(f"--print-perf {more}", 64, "--print-perf")
	PYTHON
}
