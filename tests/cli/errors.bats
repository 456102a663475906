#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Errors of perf_event_open(2), injected by strace: at the first call, which
# needs no real event, and at a later one, after real software events.

# shellcheck disable=SC2154 # helper.bash
load helper
load runs

# The common beginning of the programs below. strace ends only when all tracees have ended,
# so that a process that is left behind hangs.
strace='
def inject(error, when, *words):
    return Run(*words, before=["strace", "-f", "-o", "log", "-e", "trace=perf_event_open",
                               "-e", f"inject=perf_event_open:error={error}:when={when}"])

def ran():
    take("made")

def refused(error, when, why, remedy, *words, all_of_it=True):
    """Without a command, and with one, which runs all the same, or with --require does not."""
    run = inject(error, when, *words)
    run.has_status(1)
    run.why_and_remedy(why, remedy)
    run.expect(not run.out, "output")
    if not all_of_it:
        return
    run = inject(error, when, *words, "--", "touch", "made")
    run.runs_all_the_same(why, remedy)
    run.expect(not run.out, "output")
    ran()
    run = inject(error, when, *words, "--require", "--", "touch", "made")
    run.has_status(125)
    run.why_and_remedy(why, remedy)
    run.expect(not os.path.exists("made"), "the command ran")
'

# injecting: a program of standard input, with these functions
injecting() {
	{
		printf '%s\n' "$strace"
		cat
	} | python
}

# refused_for ERRNO WHY REMEDY: at the first event for a whole machine, and at a later
# one, after real software events, for a command; with TD_EVERYTHING=1, all of it at both
refused_for() {
	needs_strace
	needs_software_events -a
	saved alderlake
	ERRNO=$1 WHY=$2 REMEDY=$3 injecting <<-'PYTHON'
		error, why, remedy = (os.environ[name] for name in ("ERRNO", "WHY", "REMEDY"))
		software, cpuid = os.getcwd() + "/machine/sys", os.environ.pop("PERF_CPUID")
		refused(error, "1+", why, remedy, "-a")
		if EVERYTHING or error in ("EACCES", "ENODEV"):
		    refused(error, "1+", why, remedy, "-C", "1", all_of_it=False)
		os.environ.update(SYSFS_PATH=software, PERF_CPUID=cpuid)
		del os.environ["PROCFS_PATH"]
		if EVERYTHING or error in ("EACCES", "ENODEV"):
		    refused(error, "3+", why, remedy, "-a", all_of_it=EVERYTHING)
		run = inject(error, "3+", "--", "touch", "made")
		run.runs_all_the_same(why, remedy)
		ran()
		if error == "EPERM":
		    run.expect("paranoid" not in run.err, "a sysctl")
	PYTHON
}

event='cpu(_core)?/(slots|TOPDOWN\.SLOTS|topdown-[a-z-]*)/'

@test "EACCES: the event, and both ways to be allowed" {
	refused_for EACCES "$event.*Permission denied" 'CAP_PERFMON.*tdstat doctor|sysctl kernel.perf_event_paranoid=[0-2] allows it.*tdstat doctor'
}

@test "EACCES for a command: that even a command of one's own may not be counted" {
	needs_strace
	injecting <<-'PYTHON'
		run = inject("EACCES", "1+", "-e", "task-clock", "--", "true")
		run.has_status(0)
		run.expect("this user may not count anything, not even a command of its own: Permission denied" in run.err, "why")
		run.expect("Nothing was counted; the times of 'true':" in run.err and "Performance counter" not in run.err, "what there is")
	PYTHON
}

# The kernel says EACCES for lack of rights (perf_allow_kernel() and perf_allow_cpu()
# in include/linux/perf_event.h).
@test "EPERM at any setting: no sysctl helps, and none is named" {
	refused_for EPERM "$event.*forbidden here.*Operation not permitted" 'security module'
}

@test "EBUSY: another program holds the counters" {
	refused_for EBUSY "$event.*(in use|busy)" 'profiler|virtual machine'
}

@test "EMFILE: the limit, not the rights" {
	refused_for EMFILE "$event.*Too many open files" 'ulimit -n'
}

@test "EINVAL: the event that the kernel cannot count" {
	refused_for EINVAL "$event.*Invalid argument" .
}

@test "ENOENT: the same" {
	refused_for ENOENT "$event.*No such file" .
}

@test "EOPNOTSUPP: the same" {
	refused_for EOPNOTSUPP "$event.*not supported" .
}

@test "ENODEV: a CPU that went away" {
	refused_for ENODEV "$event.*(offline|No such device)" .
}

@test "ENOSYS: a kernel or a container without perf events" {
	refused_for ENOSYS 'perf events|not implemented' 'CONFIG_PERF_EVENTS|seccomp'
}

@test "an unknown error is printed as the kernel describes it" {
	needs_strace
	saved alderlake
	injecting <<-'PYTHON'
		for error, text in ("ENOMEM", "memory"), ("E2BIG", "too long"), ("ESRCH", "No such process"):
		    run = inject(error, "1+", "--", "touch", "made")
		    run.has_status(0)
		    run.complains(f"(cpu_core/TOPDOWN.SLOTS/|memory).*{text}|{text}")
		    ran()
	PYTHON
}

@test "no output file and no recording is left of a run that could not begin" {
	needs_strace
	saved alderlake
	injecting <<-'PYTHON'
		inject("EACCES", "1+", "-a", "-o", "out").has_status(1)
		inject("EACCES", "1+", "record", "-o", "rec.jsonl", "-a").has_status(1)
		if text_of("out") or text_of("rec.jsonl"):
		    complain("a file")
	PYTHON
}

@test "EACCES only for the kernel: the command is counted in user space, with one note" {
	needs_strace
	needs_software_events
	injecting <<-'PYTHON'
		run = inject("EACCES", "1", "-l", "1", "-o", "out", "--", "touch", "made")
		run.has_status(0)
		ran()
		run.expect(len(run.err.splitlines()) == 1, "not one line")
		run.complains("user")
		# all events of a group have the same modifier
		opened = [line for line in text_of("log").splitlines() if "perf_event_open" in line and "INJECTED" not in line]
		run.expect(opened and all("exclude_kernel=1" in line for line in opened), opened)
		run.expect("tma_retiring" in text_of("out"), "no tree")
	PYTHON
}

@test "EOPNOTSUPP for guests: counted without them" {
	needs_strace
	needs_software_events
	injecting <<-'PYTHON'
		run = inject("EOPNOTSUPP", "1", "-o", "out", "--", "touch", "made")
		run.has_status(0)
		ran()
		run.complains("guest")
		opened = [line for line in text_of("log").splitlines() if "perf_event_open" in line and "INJECTED" not in line]
		run.expect(opened and all("exclude_guest=1" in line for line in opened), opened)
	PYTHON
}

@test "EINVAL for the group of SLOTS: an error, never taken apart" {
	needs_strace
	saved alderlake
	# whatever is tried after the first refusal, no field of PERF_METRICS is
	# opened without SLOTS, which the kernel would refuse as well
	injecting <<-'PYTHON'
		inject("EINVAL", "1+", "-a", "--cputype", "core").has_status(1)
		if re.search("config=0x8[0-7]00", text_of("log")):
		    complain("a field without SLOTS")
	PYTHON
}

@test "tdstat opens the events that --dry-run lists" {
	needs_strace
	needs_software_events -a
	python <<-'PYTHON'
		cpu = max(os.sched_getaffinity(0))
		for how in ["-C", str(cpu)], ["--", "true"], ["-p", str(os.getpid())]:
		    Run("--timeout", "20", "-o", "out", *how, before=["strace", "-f", "-o", "log", "-e", "trace=perf_event_open", "-X", "raw"])
		    opened = [line for line in text_of("log").splitlines() if "perf_event_open" in line]
		    run = Run("--dry-run", *how)
		    said = [line for line in run.out.splitlines() if re.match(r"\s*\S+\s+type ", line)]
		    # the leader's flags, and the number of events of a group
		    run.expect(len(opened) == len(said) > 1, opened)
		    for flag in "disabled", "inherit", "enable_on_exec":
		        run.expect([flag + "=1" in line for line in opened[:2]] == [flag in line.split()[-1] for line in said[:2]], f"{flag}: {opened[:2]}")
	PYTHON
}

@test "a counter that cannot be read is an error" {
	needs_strace
	needs_software_events -a
	python <<-'PYTHON'
		counting = ["-C", str(max(os.sched_getaffinity(0))), "--timeout", "20"]
		Run(*counting, before=["strace", "-o", "log", "-e", "trace=perf_event_open,read"])
		lines = text_of("log").splitlines()
		fd = next(re.search(r" = ([0-9]+)$", line)[1] for line in lines if line.startswith("perf_event_open"))
		reads = [line for line in lines if line.startswith("read(")]
		nr = next(nr for nr, line in enumerate(reads, 1) if line.startswith(f"read({fd},"))
		run = Run(*counting, before=["strace", "-o", "log", "-e", "trace=read", "-e", f"inject=read:error=EIO:when={nr}"])
		run.has_status(1)
		run.complains("Input/output error")
	PYTHON
}

# The software machine, with two core types.
two_kinds() {
	needs_strace
	needs_software_events
	# two CPUs that the commands may run on
	cpus=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2])')
	[[ $cpus == *' '* ]] || skip "one CPU"
	mv "$devices/cpu" "$devices/cpu_core"
	echo "${cpus% *}" >"$devices/cpu_core/cpus"
	cp -R "$devices/cpu_core" "$devices/cpu_atom"
	echo "${cpus#* }" >"$devices/cpu_atom/cpus"
}

# The first four opens are cpu_core's, the fifth is cpu_atom's first.
@test "an event that one PMU refuses does not affect the other PMUs: one note" {
	two_kinds
	injecting <<-'PYTHON'
		ROW = r"(?m)^[0-9.]+,all,cpu_core,[0-9.]*,[0-9.]*,[0-9.]+,[0-9.]*,[0-9.]+,"
		NONE = r"(?m)^[0-9.]+,all,cpu_atom,[0-9.]*,[0-9.]*,[0-9.]*,,,,,,.*,summary,"
		def shown(run, *patterns):
		    for pattern in patterns:
		        run.expect(re.search(pattern, text_of("out")), f"no {pattern}: {text_of('out')}")
		for error, text in ("EBUSY", "in use"), ("ENOENT", "No such file"), ("ENXIO", "No such device"):
		    run = inject(error, "5", "-x,", "-o", "out", "--", "sh", "-c", ":")
		    run.has_status(0)
		    run.expect(text_of("log").count("INJECTED") == 1, "not once")
		    run.expect(len(run.err.splitlines()) == 1, "not one line")
		    run.complains(f"cpu_atom.*{text}")
		    shown(run, ROW, NONE)
		run = inject("EBUSY", "5", "record", "-o", "rec", "--", "sh", "-c", ":")
		run.has_status(0)
		run.expect(len(re.findall("(?m)^tdstat: ", run.err)) == 1, "not one line")
		put("out", Run("report", "rec", "-x,").out)
		shown(run, ROW, NONE)
		# the one kind is not passed off as the machine
		shown(inject("EBUSY", "5", "--hybrid-merge", "-x,", "-o", "out", "--", "sh", "-c", ":"),
		      r"(?m)^[0-9.]+,all,all,[0-9.]*,[0-9.]*,[0-9.]*,,,,,,.*,summary,")
		shown(inject("EBUSY", "5", "-o", "out", "--", "sh", "-c", ":"),
		      r"(?m)^ cpu_core(, .*)?$", " cpu_atom, <not counted>")
		# without any counter there is no result
		run = inject("EBUSY", "1..2", "--require", "--", "touch", "made")
		run.has_status(125)
		run.why_and_remedy("cpu_core.*in use", "profiler")
		run.expect(not os.path.exists("made"), "the command ran")
	PYTHON
}

# Two metrics of one event each, in groups of their own: one is refused.
@test "a refused event affects only the metrics that need it" {
	needs_strace
	needs_software_events
	mkdir -p own/mine
	echo config:0-7 >"$devices/cpu/format/event"
	printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-FF,v1,mine,core >own/mapfile.csv
	cat >own/mine/a.json <<-'JSON'
		[
		{"EventName": "ONE", "EventCode": "0x1"},
		{"EventName": "OTHER", "EventCode": "0x3"},
		{"MetricName": "one", "MetricExpr": "ONE"},
		{"MetricName": "other", "MetricExpr": "OTHER"}
		]
	JSON
	injecting <<-'PYTHON'
		import json
		run = inject("ENOENT", "1", "--metrics-dir", "own", "-M", "one,other", "-j", "-o", "out", "--", "sh", "-c", ":")
		run.has_status(0)
		run.expect(run.err.count("No such file") == 1, "not one error")
		rows = [json.loads(line) for line in open("out")]
		values = {row["metric"]: row["value"] is not None for row in rows if "metric" in row}
		run.expect(sorted(values) == ["one", "other"] and sum(values.values()) == 1, values)
		run = inject("ENOENT", "1", "--metrics-dir", "own", "-M", "one", "--require", "--", "touch", "made")
		run.has_status(125)
		run.complains("No such file")
		run.expect(not os.path.exists("made"), "the command ran")
	PYTHON
}
