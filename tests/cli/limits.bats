#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Limits of descriptors, memory and disk space: errors are reported, and no row
# is lost silently.

# shellcheck disable=SC2016,SC2154,SC2258 # sh -c; helper.bash; -x,
load helper
load runs

@test "no descriptor, or one: the command does not run, and the error names the limit" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events -a
	python <<-'PYTHON'
		# linked as it is, it cannot even be loaded with less than its loader needs
		loads = next(nr for nr in range(3, 20) if Run("--version", files=nr).status == 0)
		for limit in sorted({0, 1, loads, loads + 1, loads + 2, 7, 8, 9}):
		    run = Run("--require", "-x,", "--", "touch", "made", files=limit, raises=False)
		    run.expect(0 < run.status < 128, f"{limit}: a success or a crash")
		    run.expect(run.err, f"{limit}: no error")
		    if limit >= loads:
		        run.has_status(125, what=limit)
		        run.complains("Too many open files", f"{limit} may be open at a time.*ulimit -n", what=limit)
		        run.expect("tma_" not in run.out + run.err, f"{limit}: a table")
		    run.expect(not os.path.exists("made"), f"{limit}: the command ran")
	PYTHON
}

@test "each limit up to a sufficient one: either the whole result or an error" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events -a
	python <<-'PYTHON'
		for limit in range(10, 31, 2):
		    for how in ("-x, -a --timeout 10", "-x, --require -- true", f"-x, -p {os.getpid()} --timeout 10",
		                "record -x, --require -o rec -- true"):
		        run = Run(*how.split(), files=limit, raises=False)
		        if run.status == 0:
		            run.expect(",all,cpu," in run.out + run.err, f"{limit}: nothing")
		        else:
		            run.has_status(125 if "require" in how else 1, what=limit)
		            run.complains("Too many open files", "ulimit -n", what=limit)
		            run.expect("tma_" not in run.out + run.err, f"{limit}: a table")
		run.has_status(0, what="all")
	PYTHON
}

@test "descriptors that run out halfway: the error has the number and the limit, and the command runs" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_strace
	needs_software_events -a
	python <<-'PYTHON'
		for call in "pipe2:1 pipe2:2 pipe2:3 pidfd_open:1 timerfd_create:1 timerfd_create:2 perf_event_open:1 perf_event_open:2".split():
		    name, nr = call.split(":")
		    run = Run("--timeout", "3600000", "-x,", "--", "touch", "made",
		              before=["strace", "-o", "/dev/null", "-e", f"inject={name}:error=EMFILE:when={nr}"])
		    run.runs_all_the_same("Too many open files", "[0-9]+ may be open at a time|ulimit -n", what=call)
		    take("made")
		for words in [], ["record"]:
		    run = Run(*words, "-o", os.getcwd() + "/out", "--", "touch", "made",
		              before=["strace", "-P", os.getcwd() + "/out", "-o", "/dev/null", "-e", "inject=openat:error=EMFILE"])
		    run.runs_all_the_same("out: Too many open files", "ulimit -n", what=words)
		    take("made")
	PYTHON
}

@test "64 and 4,096: the command, --pre and --post have the limit that we were given" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events
	python <<-'PYTHON'
		look = "ulimit -Sn; ulimit -Hn"
		# more than 20 events need, and they need it all
		many = "task-clock," * 30 + "page-faults"
		_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
		shown = "unlimited" if hard == resource.RLIM_INFINITY else str(hard)
		for limit in 20, 64, min(4096, hard):
		    run = Run("-r", "2", "-e", many, "-o", "out", "--pre", f"({look}) >>pre{limit}", "--post", f"({look}) >>post{limit}",
		              "--", "sh", "-c", look, files=(limit, hard))
		    run.has_status(0, what=limit)
		    run.expect(run.out == f"{limit}\n{shown}\n" * 2, f"{limit}: the command's")
		    for name in "pre", "post":
		        run.expect(text_of(f"{name}{limit}") == run.out, f"{limit}: --{name}: {text_of(f'{name}{limit}')}")
		    run = Run("-o", "out", "--", "sh", "-c", look, files=limit)
		    run.expect(run.out == f"{limit}\n" * 2, f"{limit}: also hard")
		# tdstat has no open files in them
		open_files = subprocess.run(["ls", "/proc/self/fd"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
		run = Run("-o", "out", "--pre", "ls /proc/self/fd >pre", "--post", "ls /proc/self/fd >post", "--", "ls", "/proc/self/fd")
		run.expect(open_files and run.out == text_of("pre") == text_of("post") == open_files, f"not only {open_files}")
	PYTHON
}

# As perf does.
@test "root: a hard limit is raised for tdstat, but not for the command" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events
	sh -c 'ulimit -n 64 && ulimit -n 65' 2>/dev/null || skip "no right to raise it"
	python <<-'PYTHON'
		many = "task-clock," * 100 + "page-faults"
		run = Run("-e", many, "--require", "--", "touch", "made", files=64, raises=False)
		run.has_status(125, what="without the right")
		run.complains("ulimit -n")
		run.expect("tma_" not in run.out + run.err and not os.path.exists("made"), "a table, or the command ran")
		look = "ulimit -Sn; ulimit -Hn"
		run = Run("-r", "2", "-e", many, "-o", "out", "-x,", "--pre", f"({look}) >>pre", "--post", f"({look}) >>post",
		          "--", "sh", "-c", look, files=(32, 64))
		run.has_status(0)
		run.expect(run.out == "32\n64\n" * 2 == text_of("pre") == text_of("post"), "other limits")
		run.expect(text_of("out").count("task-clock") == 100, "not all events")
		run = Run("record", "-e", many, "-o", "rec", "--", "sh", "-c", look, files=64)
		run.expect(run.out == "64\n64\n", "of record")
	PYTHON
}

@test "memory: whatever there is of it, an answer or an error, and no crash" {
	not_under_valgrind "memory is valgrind's"
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes it all"
	saved sapphirerapids
	DATA=$data python <<-'PYTHON'
		least = next(kib for kib in range(3000, 100000, 250) if Run("--version", kib=kib).status == 0)
		for more in 0, 60, 130, 200, 300, 450, 700, 1000, 1500, 2500, 4000, 6000, 10000:
		    for how in ("--dry-run -l 2", "report -l 2 -A -x, " + os.environ["DATA"] + "/sapphirerapids-2.jsonl",
		                "list --json metrics", "--dry-run -M tma_retiring"):
		        run = Run(*how.split(" ", 5), kib=least + more)
		        if run.status == 0:
		            run.expect(run.out, f"{more}: nothing")
		        else:
		            run.has_status(1, what=f"{least + more} KiB")
		            run.complains("memory", what=more)
	PYTHON
}

@test "/dev/full: every form, every target, with and without intervals" {
	needs_software_events -a
	python <<-'PYTHON'
		full = open("/dev/full", "w")
		for form in [], ["-x,"], ["-j"]:
		    for how in ("-a -l 1 --timeout 20", "-a -I 20 --interval-count 2", "-a -A --timeout 20",
		                "-a -e cpu-clock --timeout 20", "-a -r 2 --timeout 20", "-a -I 20 --interval-count 2 --summary"):
		        run = Run(*form, *how.split(), "-o", "/dev/full")
		        run.has_status(1)
		        run.complains("/dev/full: No space left")
		        run = Run(*form, *how.split(), stdout=full)
		        run.has_status(1)
		        run.complains("standard output: No space left")
		    # standard error is where nothing can be said
		    for how in "", "-I 20", "-e cpu-clock":
		        Run(*form, *how.split(), "--", "true", stderr=full).has_status(1)
	PYTHON
	saved alderlake
	DATA=$data python <<-'PYTHON'
		full = open("/dev/full", "w")
		for words in ("list", "list --json", "list -v", "--dry-run", "--dry-run -v", "report", "report -x,", "report -j"):
		    files = [os.environ["DATA"] + "/alderlake.jsonl"] if "report" in words else []
		    run = Run(*words.split(), *files, stdout=full)
		    run.has_status(1)
		    run.complains("No space left")
	PYTHON
}

@test "a pipe that is closed early: the end, at once, quietly, as SIGPIPE would end it" {
	needs_software_events -a
	python <<-'PYTHON'
		for how in "-a -I 10 -x,", "-a -I 10 -j", "-a -I 10", "-a -I 10 -A -x,", "-a -I 10 -e cpu-clock":
		    ours, theirs = os.pipe()
		    with open("said", "wb") as said:
		        process = subprocess.Popen([TDSTAT, *how.split()], stdin=subprocess.DEVNULL, stdout=theirs, stderr=said)
		    os.close(theirs)
		    with open(ours) as rows:
		        rows.readline()
		    process.wait(HANGS)
		    # a busy machine may need a note
		    said = [line for line in text_of("said").splitlines() if " was stopped or overloaded" not in line]
		    if process.returncode not in BY_PIPE or said:
		        complain(f"{how}: status {process.returncode}: {said}")
	PYTHON
	saved alderlake
	unset PERF_CPUID
	DATA=$data python <<-'PYTHON'
		def closed(*words):
		    ours, theirs = os.pipe()
		    os.close(ours)
		    run = Run(*words, stdout=theirs)
		    os.close(theirs)
		    run.has_status(*BY_PIPE)
		    run.expect(not run.err, "more is said")
		closed("report", "-x,", "-i", os.environ["DATA"] + "/alderlake.jsonl")
		for how in "list", "list -v", "list --json", "--help=all", "--dry-run -a":
		    closed(*how.split())
		# the software machine's
		os.environ.update(SYSFS_PATH=os.getcwd() + "/machine/sys", PERF_CPUID="GenuineIntel-6-FF-0")
		os.environ.pop("PROCFS_PATH")
		closed("-a", "-l", "1", "--timeout", "20")
	PYTHON
}

@test "a pipe that is closed early: a command runs on, and its status is handed on" {
	needs_software_events
	python <<-'PYTHON'
		def counts():
		    """tdstat has an event open."""
		    try:
		        return any("perf_event" in os.readlink(f"/proc/{process.pid}/fd/{name}") for name in os.listdir(f"/proc/{process.pid}/fd"))
		    except FileNotFoundError:
		        return True
		os.mkfifo("go")
		for status in 0, 7:
		    ours, theirs = os.pipe()
		    with open("other", "wb") as other:
		        process = subprocess.Popen([TDSTAT, "-I", "10", "-x,", "--", "sh", "-c", "echo $$ >pid; read x <go; echo $$ >end; exit " + str(status)],
		                                   stdin=subprocess.DEVNULL, stdout=other, stderr=theirs)
		    os.close(theirs)
		    with open(ours) as rows:
		        rows.readline()
		    # it has met the end of the pipe when it no longer counts
		    wait_for(lambda: process.poll() is not None or not counts())
		    if process.poll() is None:
		        put("go", "\n")
		    if process.wait(HANGS) != status or contents("pid") != contents("end") or contents("other"):
		        complain(f"status {process.returncode}, not {status}, or the command did not run to its end: {contents('other')}")
	PYTHON
}

@test "a file as large as it may be: the command runs on, with its signals" {
	needs_software_events
	python <<-'PYTHON'
		os.mkfifo("go")
		def limit():
		    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
		with open("err", "wb") as err:
		    process = subprocess.Popen([TDSTAT, "-o", "out", "-I", "1", "-x,", "--", "sh", "-c",
		                                "read x <go; grep SigIgn /proc/self/status; echo last"],
		                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err, preexec_fn=limit)
		wait_for(lambda: b"continues\n" in contents("err") or process.poll() is not None)
		if process.poll() is None:
		    put("go", "\n")
		out, said = process.communicate()[0].decode().splitlines(), contents("err").decode()
		if process.returncode != 1 or out[1:] != ["last"] or not said.startswith("tdstat: ") or \
		   "cannot write out: File too large" not in said or "counting stopped; sh continues" not in said:
		    complain(f"status {process.returncode}: {out} {said}")
		# the command has the default of SIGXFSZ, which is the 25th
		if int(out[0].split()[1], 16) >> 24 & 1:
		    complain(out[0])
		# 128 + SIGXFSZ: the command's own end
		run = subprocess.run([TDSTAT, "-o", "out", "--", "dd", "if=/dev/zero", "of=big", "bs=4k", "count=1"],
		                     capture_output=True, preexec_fn=limit)
		if run.returncode != 153:
		    complain(run)
	PYTHON
}

@test "standard output and standard error that are not open" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events -a
	try sh -c '"$TDSTAT" -a --timeout 20 -x, >&-'
	assert_failure 1
	assert_complains 'standard output'
	status=0
	"$TDSTAT" -x, -- true 2>&- || status=$?
	assert_equal "$status" 1
	# files that are opened in their place are not written to
	status=0
	"$TDSTAT" record -o rec.jsonl -a --timeout 20 >&- 2>&- || status=$?
	assert_equal "$status" 1
	[ ! -s rec.jsonl ] || jq -es . rec.jsonl >/dev/null || fail "rows in the recording"
}

@test "a directory that may not be written to, a name that is a directory, one too long" {
	needs_software_events -a
	python <<-'PYTHON'
		os.mkdir("folder")
		for name in "folder", "nowhere/file", "x" * 300, "/proc/nosuch", "":
		    for how in [], ["record"]:
		        run = Run(*how, "-o", name, "-a", "--timeout", "20")
		        run.has_status(1, 64)
		        run.complains(name)
		        run.expect(not run.out, "output")
		# the command is not run for nothing, if that is asked for
		run = Run("--require", "-o", "nowhere/file", "--", "touch", "made")
		run.has_status(125)
		run.expect(not os.path.exists("made"), "the command ran")
	PYTHON
}

@test "a file system that may only be read" {
	needs_software_events -a
	[ "$(id -u)" = 0 ] && mkdir closed && mount -t tmpfs -o ro none closed 2>/dev/null ||
		skip "no tmpfs of our own"
	for how in '' record; do
		try "$TDSTAT" $how -o closed/out -- touch made
		assert_equal "$status" 0
		assert_complains 'closed/out: Read-only file system'
	done
	umount closed
	[ -e made ]
}

@test "a disk that becomes full: an error at the row that did not fit, and whole rows before it" {
	needs_software_events -a
	# the limit of a file's size is as good as a full tmpfs, and needs no mount
	python <<-'PYTHON'
		for form in ["-x,"], ["-j"], []:
		    for how in [], ["record"]:
		        run = Run(*how, "-o", "out", "-a", "-A", "-I", "1", *form, size=4096)
		        run.has_status(1)
		        run.complains("out: File too large")
		        run.expect(os.stat("out").st_size <= 4096, "larger")
		        os.unlink("out")
	PYTHON
	[ "$(id -u)" = 0 ] && mkdir tmpfs && mount -t tmpfs -o size=16k none tmpfs 2>/dev/null ||
		skip "no tmpfs of our own"
	try within "$TDSTAT" -o tmpfs/out -a -A -I 1 -x,
	whole=$(grep -cE '^[0-9.]+,CPU[0-9]+,cpu(,[^,]*){20,}$' tmpfs/out)
	umount tmpfs
	assert_failure 1
	assert_complains 'tmpfs/out: No space left'
	[ "$whole" -gt 50 ]
}
