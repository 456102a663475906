#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Names with commas, quotes, line feeds, escape sequences, marks that turn text
# around and 4 KiB, chosen by others.  CSV and JSON must stay valid, and no control
# character may reach a terminal.

# shellcheck disable=SC2154 # helper.bash
load helper

# runs standard input with what names.py defines
python() {
	local text status=0

	text=$(DATA=$data python3 "$here/names.py") || status=$?
	[ $status != 77 ] || skip "$text"
	[ $status = 0 ] || fail "$text"
}

@test "a command's words: text, CSV, JSON, a recording and its report" {
	needs_software_events
	python <<-'PYTHON'
		for word in NASTY, LONG, b"\xff\xfe", b"\303\244\342\202\254", b"\302\205":
		    command = "--", "true", word
		    err = tdstat(*command).err
		    printable(err)
		    assert re.search(b"^ Performance counter stats for 'true .*':$", err, re.M), err
		    for form in "-x,", "-j":
		        tdstat(form, "-o", "out", *command)
		        (is_csv if form == "-x," else is_json)(open("out", "rb").read())
		    printable(tdstat("record", "-o", "rec.jsonl", *command).err)
		    is_json(open("rec.jsonl", "rb").read())
		    printable(tdstat("report", "-i", "rec.jsonl").out)
		    os.unlink("out")
		    tdstat("-o", "out", "--append", *command)
		    printable(open("out", "rb").read())
	PYTHON
}

@test "recordings of other Debians: odd names are read as they were" {
	python <<-'PYTHON'
		import glob
		sys.path.insert(0, DATA + "/names")
		from record import NAMES
		# a byte that is not UTF-8 is the text \xff
		want = sorted(name.decode("utf-8", "backslashreplace") for name in NAMES)
		files = glob.glob(DATA + "/names/*.jsonl")
		assert files
		for file in files:
		    rows = is_json(tdstat("report", "-j", file).out)
		    ids = [row["thread"] for row in rows if "tdstat_rows" not in row]
		    same(sorted(id.rsplit("-", 1)[0] for id in ids if not id.startswith("python3-")), want)
		    same(tdstat("report", "-x,", file).out.count(b"task-clock"), 10)
		    printable(tdstat("report", file).out)
	PYTHON
}

@test "a command that is not there: its name in the error" {
	needs_software_events
	python <<-'PYTHON'
		printable(tdstat("--", NASTY, status=127).err)
		for name in LONG, b"./" + LONG, b"\303\244" * 2048:
		    err = tdstat("--", name, status=126).err
		    assert err.startswith(b"tdstat: ") and re.search(b"[Nn]ame too long$", err, re.M), err
		    assert len(err.decode()) < 1200, "all of the name"
		    assert b"\\x" not in err, "a character is cut in two"
	PYTHON
}

@test "4 KiB on the command line: the reason is printed nevertheless" {
	needs_software_events -a
	python <<-'PYTHON'
		soon = "--timeout", "10"
		for reason, *args in (
		        ("name too long", "report", "-i", LONG),
		        ("name too long", "-a", "-o", LONG, *soon),
		        ("name too long", "record", "-a", "-o", LONG, *soon),
		        ("name too long", "-a", "--control", b"fifo:" + LONG, *soon),
		        ("before this", "-a", "-e", b"{cs}" + LONG, *soon),
		        ("is called '.*'", "-a", "-e", LONG, *soon),
		        ("is called '.*'", "-a", "-e", LONG + b"/x/", *soon),
		        ("no term or event '.*'", "-a", "-e", b"cpu/" + LONG + b"/", *soon),
		        ("no metric or group of this processor", "-a", "-M", LONG, *soon),
		        ("not a list .*", "-p", LONG),
		        ("not a list .*", "-C", LONG),
		        ("not a time .*", "-I", LONG),
		        ("no machine has such cores", "-a", "--cputype", LONG, *soon)):
		    done = tdstat(*args)
		    assert done.returncode in (1, 64), (args[:3], done)
		    first = done.err.split(b"\n")[0]
		    # after the quoted text
		    assert re.fullmatch(f"tdstat: .*{reason}".encode(), first), (args[:3], reason, done)
	PYTHON
}

@test "options that there are not" {
	python <<-'PYTHON'
		for option in b"--no\033[1m", b"-\033", b"--m=\033", b"-\302\205", b"--\n\r":
		    err = tdstat(option, status=64).err
		    printable(err)
		    assert err.startswith(b"tdstat: ")
		    assert option[1:4] in err or b"\\x" in err, (option, err)
	PYTHON
}

@test "names from the command line are printable in errors" {
	needs_software_events -a
	python <<-'PYTHON'
		for option in "--cputype -e -M --control -C -p -G --for-each-cgroup -I -o --metrics-dir".split():
		    done = tdstat("-a", option, NASTY + b"/", "--timeout", "10")
		    assert done.returncode in (1, 64), (option, done)
		    printable(done.err)
		printable(tdstat("report", "-i", NASTY, status=1).err)
		for option in "--pre", "--post":
		    err = tdstat("-a", "--timeout", "30", option, b"false " + NASTY, status=1).err
		    # messages of the shell are free
		    lines = [line for line in err.split(b"\n") if line.startswith(b"tdstat: --p")]
		    assert lines, err
		    printable(b"\n".join(lines))
	PYTHON
}

@test "threads that were named by prctl" {
	needs_software_events
	cat >named.py <<-'PYTHON'
		import ctypes, os, sys
		ctypes.CDLL(None).prctl(1, 9)
		ctypes.CDLL(None).prctl(15, os.fsencode(sys.argv[1]) + b"\0")
		open("ready", "w").close()
		while True: pass
	PYTHON
	python <<-'PYTHON'
		# as text and CSV have it, and as JSON has it
		for name, shown, in_json in (
		        (b'a,b"c\n\033[1m', rb'a,b"c\x0a\x1b[1m', 'a,b"c\n\033[1m'),
		        (b"\xff;\xfe\t|", rb"\xff;\xfe\x09|", "\\xff;\\xfe\t|"),
		        (b",,,,", b",,,,", ",,,,"),
		        (b"", b"", ""),
		        (b"\302\205x\177", rb"\xc2\x85x\x7f", "\x85x\177"),
		        # cut by the kernel, in the middle of a character
		        (b"abcdefghijklmn\303\244", rb"abcdefghijklmn\xc3", r"abcdefghijklmn\xc3"),
		        (b"\303\244\342\202\254", b"\303\244\342\202\254", "ä€")):
		    if os.path.exists("ready"):
		        os.unlink("ready")
		    worker = subprocess.Popen([sys.executable, "-S", "named.py", name])
		    try:
		        wait_until(lambda: os.path.exists("ready"))
		        of = "--per-thread", "-p", str(worker.pid), "-e", "cpu-clock"
		        printable(tdstat(*of, "--timeout", "20").err)
		        def recorded():
		            done = tdstat("record", "-o", "rec.jsonl", *of, "--timeout", "100")
		            printable(done.err)
		            # on a busy machine it may not have run in this time
		            return tdstat("report", "-i", "rec.jsonl", "-j").out
		        wait_until(recorded)
		    finally:
		        worker.kill()
		        worker.wait()
		    is_json(open("rec.jsonl", "rb").read())
		    text, rows, table = forms("report", "-i", "rec.jsonl")
		    id = b"-%d" % worker.pid
		    assert shown + id + b" " in text, text
		    same(table[0][0], (shown + id).decode())
		    same(rows[0]["thread"], in_json + id.decode())
	PYTHON
}

@test "a recording's own names: refused, or made harmless" {
	python <<-'PYTHON'
		def shown(lines, *args):
		    write("rec.jsonl", lines)
		    done = tdstat("report", "-i", "rec.jsonl", *args)
		    printable(done.out + done.err)
		    return done
		for name in NASTY.decode(), LONG.decode(), "\0x", "\u009b31m":
		    def target(head):
		        head["target"] = name
		    def pmu(head):
		        head["pmus"][0]["name"] = name
		    def cpuid(head):
		        head["cpuid"] = name
		    def metric(head):
		        head["metrics"] = [name]
		    for change in target, pmu, cpuid, metric:
		        lines = lines_of("alderlake-command")
		        change(lines[0])
		        done = shown(lines)
		        assert done.returncode in (0, 1, 64), (change, done)
		        for form, check in ("-x,", is_csv), ("-j", is_json):
		            done = tdstat("report", "-i", "rec.jsonl", form)
		            printable(done.err)
		            if done.out:
		                check(done.out)
		    # an event's, a cgroup's, a thread's
		    lines = lines_of("alderlake-command")
		    lines[0]["events"][0]["name"] = name
		    shown(lines)
		    lines = lines_of("alderlake-command")
		    lines[0] |= {"cgroups": [name], "aggregation": "cpu"}
		    shown(lines, "-A")
		    lines = lines_of("alderlake-command")
		    for line in lines:
		        if "counts" in line:
		            line |= {"tasks": [[1, name]], "names": {"1": name}}
		    shown(lines)
	PYTHON
}

# A PMU whose name begins with "cpu_" is one of cores.
@test "a recording's functions, also those whose calls were timed, and core types" {
	needs_wing pictures
	python <<-'PYTHON'
		nasty = NASTY.decode()
		regions, command = lines_of("functions"), lines_of("alderlake-command")
		one = next(line for line in regions if "regions" in line)
		one["timed"] = [{"name": "malloc", "middle": 13, "slow": 0, "max_ns": 9000, "steps": [104, 100], "slowest": []}]
		functions = {region["name"] for region in one["regions"]}
		# three rows of work only on E-cores, so that the note explains the missing
		# P-cores
		cores = [event["pmu"] == "cpu_atom" for event in command[0]["events"]]
		row = next(line for line in command if "counts" in line)
		row["counts"] = [[*count[:5], count[4]] if cores[count[0]] else [*count[:3], 0, count[4], 0] for count in row["counts"]]
		alone = [command[0], row]
		rows = [command[0] | {"interval_ms": 1000}] + [row | {"time": n} for n in (1, 2, 3)]
		def of_cores(text):
		    return text.replace("cpu_core", "cpu_core" + nasty)
		def of_functions(text):
		    return text + nasty if text in functions else text
		for lines, change, *said in (
		        (regions, of_functions, b"^ malloc.+: 100 calls"),
		        (regions, of_cores, b"^ cpu_core.+:$"),
		        (alone, of_cores, b"^ cpu_core.+, <not counted>: no task ran there$"),
		        (rows, of_cores, b"^# cpu_core.+ has no row for intervals")):
		    write("rec.jsonl", [changed(line, change) for line in lines])
		    text, _, _ = forms("report", "-v", "rec.jsonl")
		    for width in 70, 150:
		        narrow = on_terminal(width, "rec.jsonl")
		        printable(narrow, width)
		        text += narrow
		    for words in said:
		        assert re.search(words, text, re.M), (words, text)
		    for how in ["--html", "-"], ["--svg", "-"]:
		        printable(tdstat("report", *how, "rec.jsonl", status=0).out, how)
		    for how in [], ["--markdown"]:
		        printable(tdstat("diff", *how, "rec.jsonl", "rec.jsonl", status=0).out, how)
	PYTHON
}

@test "cgroups of a recording, with counts" {
	needs_software_events -a
	python <<-'PYTHON'
		tdstat("record", "-o", "rec", "-a", "-e", "cpu-clock,cs", "-I", "10", "--interval-count", "2", status=0)
		for name in NASTY.decode(), LONG.decode(), "\u009bx":
		    lines = [json.loads(line) for line in open("rec", encoding="utf-8")]
		    lines[0]["cgroups"] = [name]
		    for line in lines:
		        for count in line.get("counts", []):
		            count.append(0)
		    write("rec.jsonl", lines)
		    for how in [], ["-A"], ["--summary"]:
		        _, rows, _ = forms("report", "-i", "rec.jsonl", *how)
		        same(rows[0]["cgroup"], name)
	PYTHON
}

@test "an event's name= term" {
	needs_software_events -a
	python <<-'PYTHON'
		counted = 0
		for name in b"a b", b"'a,b'", b"a\tb", b"\033[1m", b'"', b'a"b', LONG:
		    args = "-e", b"cpu/event=0,name=" + name + b"/", "--timeout", "10"
		    done = tdstat("-a", *args)
		    printable(done.out + done.err)
		    if done.returncode == 0:
		        forms("-a", "-A", *args)
		        counted += 1
		assert counted
	PYTHON
}

@test "a PMU's name, an event's file and its unit: counted, listed, described" {
	needs_software_events -a
	DEVICES=$devices python <<-'PYTHON'
		devices = os.environ["DEVICES"]
		name, shown, odd = 'p,"\n\033[1mq', rb'p,"\x0a\x1b[1mq', 'odd,"\n\033[1m'
		def put(path, text):
		    with open(f"{devices}/{path}", "w") as file:
		        file.write(text)
		for folder in "events", "format":
		    os.makedirs(f"{devices}/{name}/{folder}")
		put(name + "/type", "1\n")
		put(name + "/format/event", "config:0-7\n")
		put(name + "/events/clock", "event=0\n")
		put("cpu/events/" + odd, "event=0\n")
		put("cpu/events/clock", "event=0\n")
		put("cpu/events/clock.scale", "1.0")
		put("cpu/events/clock.unit", 'J,"\033[1m')
		forms("-a", "-e", "cpu/clock/", "--timeout", "10")
		for what in "list", "list -v", "list events", "list pmu":
		    done = tdstat(*what.split())
		    printable(done.out + done.err)
		    if what == "list -v":
		        assert b"Events of PMU " + shown + b" (sysfs):" in done.out
		        assert b"  " + shown + b"/clock/" in done.out
		for what in "--dry-run", "-v --timeout 10", "-vv --timeout 10":
		    done = tdstat("-a", *what.split(), "-e", "cpu/clock/", "-e", f"cpu/{odd}/")
		    printable(done.out + done.err)
		for event in name + "/clock/", "cpu/clock/", f"cpu/{odd}/":
		    done = tdstat("list", "--print", event)
		    assert done.out + done.err, "nothing about it"
		    printable(done.out + done.err)
		is_json(tdstat("list", "--json").out)
	PYTHON
}

@test "the text of PERF_CPUID" {
	needs_software_events -a
	PERF_CPUID=$'Gen\033[1m-6-FF-0' python <<-'PYTHON'
		done = tdstat("-a", "--dry-run", "-e", "cs")
		printable(done.out + done.err)
	PYTHON
}

@test "evlist of --control" {
	needs_software_events -a
	python <<-'PYTHON'
		os.mkfifo("ctl")
		process = subprocess.Popen([TDSTAT, "-a", "--control", "fifo:ctl", "-e", "{cpu/event=0,name='a b'/,cs}"],
		                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
		try:
		    with open("ctl", "wb") as file:
		        for word in b"evlist", b"evlist -g", b"evlist -v", b"enable \033[1m", b"\302\233", b"stop":
		            file.write(word + b"\n")
		    out, err = process.communicate(timeout=HANGS)
		finally:
		    process.kill()
		printable(out + err)
		assert rb"no event \x1b[1m" in out + err, out + err
	PYTHON
}

# The slowest of these took ten seconds and more when each character looked at all that
# follow it; now each takes some hundredths of a second.
@test "names of 300,000 bytes: in time that is proportional to them" {
	needs_wing pictures
	python <<-'PYTHON'
		def with_names(size):
		    # one interval, because each row has the name
		    lines = lines_of("alderlake")
		    first = [line for line in lines if "counts" in line][0]
		    lines = [line for line in lines if line is first or "counts" not in line]
		    name = character * (size // len(character.encode()))
		    lines[0] |= {"target": name, "cgroups": [name]}
		    for line in lines:
		        for count in line.get("counts", []):
		            count.append(0)
		    write("rec.jsonl", lines)
		for character in "\x01", "\uffff", "\ufffd", "\u202e", '"', "a ":
		    with_names(300000)
		    for how in [], ["-x,"], ["-j"], ["--html", "-"], ["--svg", "-"], ["--perfetto", "-"]:
		        cpu = cpu_of("report", "rec.jsonl", *how)
		        if cpu > 3:
		            # ten times as much, if the machine is that slow, but not a hundred times
		            with_names(30000)
		            tenth = cpu_of("report", "rec.jsonl", *how)
		            assert cpu < 30 * tenth, (character, how, cpu, tenth)
		            with_names(300000)
	PYTHON
}
