#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat doctor on saved machines: what each line says, and which command it has.
# tests/machine/doctor.bats is about counters; here only the last two tests count.

# shellcheck disable=SC2016,SC2154 # sh -c; helper.bash
load helper
load runs

# Files that tests/data does not have.
setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL TDSTAT_METRICS
}

# The common beginning of the programs below.
examination='
import json, shutil
SYS, PROC = os.environ.get("SYSFS_PATH", ""), os.environ.get("PROCFS_PATH", "")
DEVICES = SYS + "/bus/event_source/devices"

def examine(*options, **how):
    """The page, with the findings of -j."""
    found = Run("doctor", "-j", *options, **how)
    page = Run("doctor", *options, **how)
    page.expect(not found.err and not page.err, "standard error is not empty")
    page.found = json.loads(found.out)
    page.lines = page.out.splitlines()
    # a line that is broken is one
    page.text = re.sub(r"\s+", " ", page.out)
    return page

def says(page, name, state, text):
    """A finding of this name has this state, and the text in it."""
    found = [one for one in page.found["findings"] if one["name"] == name]
    page.expect(len([one for one in found if one["state"] == state and text in one["text"]]) == 1,
                f"no {name} that is {state} and says {text!r}: {found}")

def advises(page, name, command):
    """This is the command of the finding; None: it has none."""
    found = [one["command"] for one in page.found["findings"] if one["name"] == name and one.get("command")]
    page.expect(found == ([command] if command else []), f"{name}: {found} in place of {command}")

def states(page, *which):
    return [one for one in page.found["findings"] if one["state"] in which]

def replace(path, old, new):
    put(path, text_of(path).replace(old, new))
'

# examining: a program of standard input, with these functions
examining() {
	{
		printf '%s\n' "$examination"
		cat
	} | python
}

@test "all right: no warnings and no failures" {
	copied alderlake
	examining <<-'PYTHON'
		put(PROC + "/sys/kernel/nmi_watchdog", "0\n")
		os.makedirs(PROC + "/self", exist_ok=True)
		# a space in its name is written so
		put(PROC + "/self/mounts", "cgroup2 " + os.getcwd().replace(" ", r"\040") + " cgroup2 rw 0 0\n")
		put(PROC + "/sys/kernel/perf_event_max_sample_rate", "100000\n")
		put(PROC + "/sys/kernel/perf_event_paranoid", "0\n")
		replace(PROC + "/cpuinfo", " hypervisor", "")
		for pmu in "core", "atom":
		    put(f"{DEVICES}/cpu_{pmu}/rdpmc", "1\n")
		_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
		page = examine(files=(most, most))
		says(page, "processor", "ok", "Alder Lake (GenuineIntel-6-97-2), CPUs 0-7")
		says(page, "hypervisor", "ok", "none")
		says(page, "PMU", "ok", "cpu_core: CPUs 0-3, Golden Cove; slots and 8 fields of PERF_METRICS")
		says(page, "PMU", "ok", "cpu_atom: CPUs 4-7, Gracemont; 4 top-down events")
		says(page, "kernel", "ok", "which knows this processor")
		says(page, "rights", "ok", "whole machine")
		says(page, "rdpmc", "ok", "on")
		says(page, "SMT", "ok", "off")
		says(page, "watchdog", "ok", "off")
		says(page, "level 1", "ok", "cpu_core: 1 group, counted all of the time")
		says(page, "files", "ok", "alderlake: v1.")
		says(page, "cgroups", "ok", "version 2 at " + os.getcwd())
		says(page, "limits", "ok", "100000 samples")
		# this machine may not allow as many open files as the counters need
		bad = [one for one in states(page, "warning", "failed") if " open files" not in one["text"]]
		page.expect(not bad, bad)
		page.expect(len([line for line in page.lines if " try: " in line]) ==
		            len([one for one in page.found["findings"] if one.get("command")]), "not each command")
		# a described machine has no counters: it was not shown that they work
		says(page, "self-test", "note", "not tried")
		page.has_status(1)
		page.expect(page.found["level_1"] is False and page.lines[-1] == "level 1 was not tried", "the end")
	PYTHON
}

@test "no PMU; in a virtual machine, the remedy is on its host" {
	copied sapphirerapids
	examining <<-'PYTHON'
		shutil.rmtree(DEVICES + "/cpu")
		cpuinfo = contents(PROC + "/cpuinfo")
		replace(PROC + "/cpuinfo", " hypervisor", "")
		page = examine()
		page.has_status(1)
		says(page, "PMU", "failed", "no PMU")
		page.expect("dmesg" in page.out and "host" not in page.out, "another remedy")
		page.expect(page.lines[-1] == "level 1 cannot be trusted here; see the failed checks above", "the end")
		put(PROC + "/cpuinfo", cpuinfo)
		page = examine()
		says(page, "hypervisor", "note", "virtual machine")
		says(page, "PMU", "failed", "no PMU")
		page.expect("its host has to give it a virtual PMU" in page.text, "another remedy")
	PYTHON
}

@test "the kernel does not know the processor: which one does" {
	copied meteorlake
	examining <<-'PYTHON'
		shutil.rmtree(DEVICES + "/cpu_atom")
		for name in os.listdir(DEVICES + "/cpu_core/events"):
		    if name.startswith(("topdown-", "slots")):
		        os.unlink(f"{DEVICES}/cpu_core/events/{name}")
		os.unlink(DEVICES + "/cpu_core/cpus")
		os.rename(DEVICES + "/cpu_core", DEVICES + "/cpu")
		put(PROC + "/sys/kernel/osrelease", "6.1.0-50-amd64\n")
		page = examine()
		says(page, "kernel", "failed", "Linux 6.1.0-50-amd64 does not know this processor (Meteor Lake)")
		says(page, "level 1", "failed", "Meteor Lake")
		page.expect(re.search("it needs Linux 6.1[0-9]+", page.text), "another remedy")
	PYTHON
	identity 6 $((0xe5)) 0
	echo 7.2.13 >"$PROCFS_PATH/sys/kernel/osrelease"
	try "$TDSTAT" --dry-run -a
	assert_failure 1
	assert_why_and_remedy 'Linux 7.2.13 does not know this processor .Panther Lake-R.' 'it needs Linux newer than 7.2$'
}

@test "the kernel counts architectural events only: no tree of general counters, which it may choose wrongly" {
	copied sapphirerapids
	rm "$devices"/cpu/events/{slots,topdown-*}
	echo 5.10.0-30-amd64 >"$PROCFS_PATH/sys/kernel/osrelease"
	# a kernel that knows it, as in a virtual machine without PERF_METRICS
	"$TDSTAT" --dry-run -a | grep -q 'Golden Cove: .*, on general counters'
	for name in generic_arch_v2+ generic_arch_v5+; do
		echo "$name" >"$devices/cpu/caps/pmu_name"
		try "$TDSTAT" --dry-run -a
		assert_failure 1
		assert_why_and_remedy 'Linux 5.10.0-30-amd64 does not know this processor .Sapphire Rapids.' 'it needs Linux 6.1$'
		examining <<-'PYTHON'
			page = examine()
			says(page, "kernel", "failed", "does not know this processor (Sapphire Rapids)")
			says(page, "PMU", "note", "unknown core")
		PYTHON
	done
	identity 6 $((0xd7)) 0
	echo 7.2.13 >"$PROCFS_PATH/sys/kernel/osrelease"
	try "$TDSTAT" --dry-run -a
	assert_why_and_remedy 'Linux 7.2.13 does not know this processor .Bartlett Lake.' 'it needs Linux newer than 7.2$'
	# later kernels may know it; this one shows that it does not
	echo 7.10.1 >"$PROCFS_PATH/sys/kernel/osrelease"
	try "$TDSTAT" --dry-run -a
	assert_why_and_remedy 'Linux 7.10.1 does not know this processor .Bartlett Lake.' 'it needs a newer Linux$'
	examining <<-'PYTHON'
		page = examine()
		page.expect("which knows this processor" not in page.text, "the kernel does not know it")
	PYTHON
	echo sapphire_rapids >"$devices/cpu/caps/pmu_name"
	try "$TDSTAT" --dry-run -a
	[[ $stderr != *'does not know'* ]]
}

@test "the watchdog: off with a command, and in the reason why groups take turns" {
	copied alderlake
	examining <<-'PYTHON'
		put(PROC + "/sys/kernel/nmi_watchdog", "1\n")
		page = examine()
		says(page, "watchdog", "warning", "holds a counter")
		advises(page, "watchdog", "sysctl kernel.nmi_watchdog=0")
		says(page, "level 2", "note", "cpu_atom: 2 groups, each counted 50 % of the time, because its 6 general counters")
		page.expect("the NMI" in page.out, "no NMI")
		# the words of --dry-run are the same
		(line,) = [line for line in Run("--dry-run", "-a", "-l", "2").out.splitlines() if line.startswith("cpu_atom: ")]
		says(page, "level 2", "note", line)
		put(PROC + "/sys/kernel/nmi_watchdog", "0\n")
		page = examine()
		says(page, "watchdog", "ok", "off")
		advises(page, "watchdog", None)
		page.expect(not any("watchdog holds" in one["text"] for one in page.found["findings"]), "it holds one")
	PYTHON
}

@test "hyper-threading on Skylake, and where it does not matter" {
	copied skylakex
	examining <<-'PYTHON'
		put(SYS + "/devices/system/cpu/smt/active", "1\n")
		page = examine()
		says(page, "SMT", "warning", "the two threads of a core share its slots")
		advises(page, "SMT", "echo off > /sys/devices/system/cpu/smt/control")
		put(SYS + "/devices/system/cpu/smt/active", "0\n")
		says(examine(), "SMT", "ok", "off")
	PYTHON
	saved sapphirerapids
	examining <<-'PYTHON'
		page = examine()
		says(page, "SMT", "ok", "on")
		advises(page, "SMT", None)
	PYTHON
}

@test "perf_event_paranoid 4, for a user without rights" {
	copied alderlake
	if [ "$EUID" = 0 ]; then
		without='setpriv --bounding-set=-perfmon,-sys_admin --inh-caps=-perfmon,-sys_admin'
		$without true 2>/dev/null || skip "cannot give up rights"
	fi
	WITHOUT=${without-} examining <<-'PYTHON'
		put(PROC + "/sys/kernel/perf_event_paranoid", "4\n")
		without = os.environ["WITHOUT"].split()
		page = examine(before=without)
		says(page, "rights", "warning", "kernel.perf_event_paranoid is 4: ")
		says(page, "rights", "warning", "only root")
		advises(page, "rights", "sysctl kernel.perf_event_paranoid=0")
		# above 2, Debian's kernel does not look at the capability
		page.expect("setcap" not in page.out, "setcap")
		put(PROC + "/sys/kernel/perf_event_paranoid", "2\n")
		page = examine(before=without)
		says(page, "rights", "warning", "user space only")
		# whole on a line of its own, to be pasted
		program = re.escape(os.path.realpath(TDSTAT))
		page.expect(re.search(rf"(?m)^ +or: +setcap cap_perfmon\+ep '?{program}'?$", page.out), "no setcap")
	PYTHON
}

@test "files that are missing, not readable, or of another model" {
	saved alderlake
	cp "$TDSTAT" .
	examining <<-'PYTHON'
		os.mkdir("empty")
		page = examine("--metrics-dir", "empty")
		says(page, "files", "warning", "neither a mapfile.csv nor event files")
		says(page, "level 1", "failed", "neither a mapfile.csv")
		put("empty/mapfile.csv", "Family-model,Version,Filename,EventType\nGenuineIntel-6-8F,v9,spr,core\n")
		page = examine(env={"TDSTAT_METRICS": os.getcwd() + "/empty"})
		says(page, "files", "warning", "has no events of GenuineIntel-6-97-2")
	PYTHON
	# without any, beside the program or installed, the tree has the built-in levels
	[ ! -e /usr/local/share/tdstat/pmu-events ] || skip "files are installed"
	TDSTAT=$PWD/tdstat examining <<-'PYTHON'
		page = examine()
		says(page, "files", "warning", "No such file")
		says(page, "level 2", "ok", "cpu_core: 1 group, counted all")
		says(page, "level 3", "note", "cpu_core (Golden Cove): there are no metric files for it")
	PYTHON
}

@test "rdpmc, the sample rate and mounts: each with its command" {
	copied sapphirerapids
	examining <<-'PYTHON'
		put(DEVICES + "/cpu/rdpmc", "0\n")
		put(PROC + "/sys/kernel/perf_event_max_sample_rate", "250\n")
		os.makedirs(PROC + "/self", exist_ok=True)
		put(PROC + "/self/mounts", "")
		page = examine()
		says(page, "rdpmc", "warning", "off")
		advises(page, "rdpmc", "echo 1 | tee /sys/bus/event_source/devices/cpu*/rdpmc")
		says(page, "limits", "warning", "250 samples/s per CPU")
		says(page, "cgroups", "note", "no cgroup file system is mounted")
		advises(page, "cgroups", "mount -t cgroup2 none /sys/fs/cgroup")
		says(page, "tracefs", "note", "not mounted")
		advises(page, "tracefs", "mount -t tracefs tracefs /sys/kernel/tracing")
		# fewer descriptors than the counters of all CPUs take
		page = examine(files=100, raises=False)
		says(page, "limits", "warning", "100 open files")
		page.expect(any(re.fullmatch("ulimit -n [0-9]+", one.get("command") or "") for one in page.found["findings"]), "no ulimit")
	PYTHON
}

@test "calls: the missing requirements" {
	needs_wing calls
	copied sapphirerapids
	examining <<-'PYTHON'
		shutil.rmtree(DEVICES + "/intel_pt", ignore_errors=True)
		os.makedirs(PROC + "/self", exist_ok=True)
		put(PROC + "/self/mounts", "")
		page = examine()
		says(page, "calls", "note", "cannot be counted with probes at functions")
		says(page, "calls", "note", "this machine has no Processor Trace")
		shutil.rmtree(DEVICES + "/cpu")
		says(examine(), "calls", "note", "cannot be counted, because level 1 of a program cannot")
	PYTHON
}

@test "names that would control the terminal, or end a JSON string" {
	copied alderlake
	examining <<-'PYTHON'
		os.rename(DEVICES + "/cpu_atom", DEVICES + '/cpu_"\033[1m')
		put(PROC + "/sys/kernel/osrelease", '6.12\033[2J"')
		page = examine()
		page.expect(r'cpu_"\x1b[1m: ' in page.out and r'Linux 6.12\x1b[2J"' in page.out, "other names")
		page.expect("\033" not in page.out + Run("doctor", "-j").out, "a control character")
		page.expect(any('cpu_"\033[1m: ' in one["text"] for one in page.found["findings"]), "not in JSON")
	PYTHON
}

@test "no arguments, wrong options, a full disk" {
	saved alderlake
	try "$TDSTAT" doctor now
	assert_equal "$status" 64
	assert_complains 'takes no arguments'
	try "$TDSTAT" doctor -a
	assert_equal "$status" 64
	[ -e /dev/full ] || return 0
	try sh -c '"$TDSTAT" doctor >/dev/full'
	assert_equal "$status" 1
	assert_complains 'cannot write standard output'
}

@test "roots that are not there: an error of one line" {
	SYSFS_PATH=$PWD/nowhere try "$TDSTAT" doctor
	assert_equal "$status" 1
	[[ $output$stderr == *nowhere* ]]
}

# Half of the "slots" retire, whatever runs (helper.bash).
@test "counters that count the same for all loops: failed, though they add up" {
	needs_software_events
	examining <<-'PYTHON'
		page = examine()
		page.has_status(1)
		says(page, "self-test", "ok", "level 1 is counted and adds up to 100.0 %")
		tests = [one for one in page.found["findings"] if one["name"] == "self-test"]
		# the reason is first and alone, the loops show it
		page.expect([one["state"] for one in tests] == ["failed", "ok", "note", "note", "note"] and
		            "the counters are not real here: they do not distinguish the loops, but count the same whatever runs" in tests[0]["text"] and
		            not any("failed" in one["text"] for one in tests), tests)
		page.expect(page.lines[-1].startswith("the counters are not real here: "), "the end")
		page.expect("counters are not real here" in Run("doctor", "--ci").out, "one line")
		loops = page.found["self_test"]
		page.expect(not page.found["level_1"] and [one["loop"] for one in loops] == ["retiring", "mispredict", "chase"] and
		            all(one["passed"] is False and abs(one["retiring"] - 50) < 5 for one in loops), loops)
	PYTHON
}

@test "counters that do not add up or do not count have failed" {
	needs_software_events
	examining <<-'PYTHON'
		# a dummy event counts 0
		put(DEVICES + "/cpu/events/topdown-retiring", "event=9\n")
		page = examine()
		page.has_status(1)
		says(page, "self-test", "failed", "with 0.0 % retiring")
		# and what the kernel refuses is its error
		put(DEVICES + "/cpu/events/topdown-retiring", "event=200\n")
		page = examine()
		page.has_status(1)
		page.expect(len([one for one in states(page, "failed") if one["name"] == "self-test"]) == 1 and
		            page.found["self_test"] == [], page.found)
	PYTHON
}

@test "half a second, and it may run where it could before" {
	needs_software_events
	examining <<-'PYTHON'
		cpu = max(os.sched_getaffinity(0))
		os.sched_setaffinity(0, {cpu})
		begin = time.monotonic()
		run = Run("doctor", "-j")
		run.expect(time.monotonic() - begin >= 0.49, "too fast")
		run.expect(json.loads(run.out)["self_test"][0]["cpu"] == cpu, "another CPU")
	PYTHON
}
