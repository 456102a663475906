#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The header of rows, the origin of recordings, and rows that --append refuses.

# shellcheck disable=SC2154 # helper.bash
load helper

# runs standard input with what inline.py defines, and this
python() {
	local text status=0

	IFS= read -rd '' text || true
	text=$(DATA=$data python3 "$here/inline.py" <<<"$common$text") || status=$?
	[ $status = 0 ] || fail "$text"
}

common='
def report(name, *args):
    return done("report", "-i", recorded(name), *args)

def head_of(lines):
    """The first line, which is one."""
    head = json.loads(lines[0])
    assert "tdstat_rows" in head, lines[0]
    return head

def heads(lines):
    return [i for i, line in enumerate(lines) if "tdstat_rows" in line]

def version():
    return tdstat("--version").out[0].removeprefix("tdstat ")

def recording(*args):
    """A recording of this machine in "rec": its head."""
    done("record", "-o", "rec", "--quiet", *args, "--", "sh", "-c", "exit 0")
    return objects("rec")[0]

'

@test "the first line of JSON, and no other, is the head, with these keys" {
	python <<-'PYTHON'
		out = report("alderlake", "-j")
		same(heads(out), [0])
		# values that an old recording lacks are null, and not those of this machine
		head = head_of(out)
		files = head["files"]
		same(list(head.items()),
		     [("tdstat_rows", 1), ("version", None), ("files", files), ("host", None), ("cpuid", "GenuineIntel-6-97-2"),
		      ("kernel", None), ("start", None), ("command", None), ("target", "system wide"), ("labels", {})])
		same(report("alderlake", "-j", "--no-head"), out[1:])
		assert head_of(report("alderlake-command", "-j"))["command"].startswith("sh -c ")
	PYTHON
}

@test "a live run: this machine, this tdstat, this command, now" {
	needs_software_events
	python <<-'PYTHON'
		def counted(*args):
		    done("-j", "-o", "out", *args)
		    lines = read("out").splitlines()
		    same(heads(lines), [0])
		    return head_of(lines)
		begin = time.time()
		head = counted("--label", "build=7", "--label", "who=a b=c", "--label", "build=8", "--", "sh", "-c", "exit 0 # it's")
		end = time.time()
		wanted = {"host": os.uname().nodename, "kernel": os.uname().release, "version": version(),
		          "cpuid": os.environ["PERF_CPUID"], "command": r"sh -c 'exit 0 # it'\''s'",
		          "target": "sh -c exit 0 # it's", "labels": {"build": "8", "who": "a b=c"}}
		same({key: head[key] for key in wanted}, wanted)
		# it has milliseconds
		assert begin - 0.001 <= head["start"] <= end, (begin, head["start"], end)
		head = counted("--no-host", "--", "true")
		same((head["host"], head["labels"]), (None, {}))
		# with -r and in intervals there is one, too
		counted("-r", "2", "--", "true")
		counted("-I", "10", "--", "sleep", "0.1")
	PYTHON
}

@test "the head comes when counting begins, not with the first row" {
	needs_software_events
	"$TDSTAT" -j -I "${TD_HANGS}s" -o out -- sleep "$TD_HANGS" 3>&- &
	wait_for has_lines out 1
	kill $!
	wait $! || true
	IFS= read -r line <out
	[[ $line == *tdstat_rows* ]]
}

@test "events of -e: only with --head; CSV too, a line for each key" {
	needs_software_events
	python <<-'PYTHON'
		def counted(*args):
		    done(*args, "-o", "out", "--", "true")
		    return read("out").splitlines()
		line, = counted("-e", "page-faults", "-j")
		same(json.loads(line)["event"], "page-faults")
		lines = counted("-e", "page-faults", "-j", "--head")
		same((len(lines), heads(lines)), (2, [0]))
		# --metric-only makes rows of metrics of them
		head_of(counted("-e", "task-clock", "--metric-only", "-j"))
		same(len(counted("-e", "page-faults", "-x,")), 1)
		for rows_ in [], ["-e", "page-faults"]:
		    plain = counted(*rows_, "-x,")
		    assert not any(line.startswith("# ") for line in plain), "CSV has a head that nobody asked for"
		    lines = counted(*rows_, "-x,", "--head", "--label", "a=b", "--label", "c=d\ne")
		    head = [line[2:].split(": ", 1) for line in lines if line.startswith("# ")]
		    same(len(lines) - len(head), len(plain))
		    same([key for key, _ in head],
		         "tdstat_rows version host cpuid kernel start command target label label".split())
		    assert ["label", r"c=d\x0ae"] in head and ["host", os.uname().nodename] in head, head
	PYTHON
}

@test "a label without a name, --head with --no-head or for text" {
	python <<-'PYTHON'
		for words in "--label x", "--label =x", "--head", "--head --no-head -j":
		    refused = tdstat("report", *words.split(), recorded("alderlake"))
		    same((words, refused.returncode), (words, 64))
		    assert refused.err[0].startswith("tdstat: " + words.split()[0]), (words, refused.err)
	PYTHON
}

@test "a recording contains its origin, and report prints it" {
	needs_software_events
	python <<-'PYTHON'
		head = recording("--label", "run=1")
		wanted = {"host": os.uname().nodename, "kernel": os.uname().release, "version": version(),
		          "command": "sh -c 'exit 0'", "labels": {"run": "1"}}
		same({key: head[key] for key in wanted}, wanted)
		# from another machine
		lines = read("rec").split("\n", 1)
		for key, value in ("host", "far"), ("kernel", "5.4"), ("version", "0.0"):
		    lines[0] = re.sub(f'"{key}":"[^"]*"', f'"{key}":"{value}"', lines[0])
		write("rec", "\n".join(lines))
		told = head_of(done("report", "rec", "-j", "--label", "run=2", "--label", "more=x"))
		wanted |= {"host": "far", "kernel": "5.4", "version": "0.0", "labels": {"run": "2", "more": "x"},
		           "start": head["start"]}
		same({key: told[key] for key in wanted}, wanted)
		told = head_of(done("report", "rec", "-j", "--no-host"))
		same((told["host"], told["kernel"]), (None, "5.4"))
		head = recording("--no-host")
		assert "host" not in head and "labels" not in head and "kernel" in head, head
	PYTHON
}

@test "a recording that tells it wrongly: the line" {
	needs_software_events
	python <<-'PYTHON'
		recording("--label", "run=1")
		text = read("rec")
		for old, new in (('"host":"[^"]*"', '"host":1'), ('"command":"[^"]*"', '"command":["x"]'), ('{"run":"1"}', '["run"]'),
		                 ('{"run":"1"}', '{"run":1}'), ('{"run":"1"}', '{"":"1"}'), ('{"run":"1"}', '{"a=b":"1"}')):
		    wrong = re.sub(old, new, text, count=1)
		    assert wrong != text
		    write("wrong", wrong)
		    refused = tdstat("report", "wrong")
		    same((new, refused.returncode), (new, 1))
		    assert refused.stderr.startswith("tdstat: wrong:1: "), (new, refused.err)
	PYTHON
}

@test "diff and samples also have a header" {
	needs_software_events
	python <<-'PYTHON'
		head = head_of(done("diff", recorded("alderlake"), recorded("alderlake-2"), "-j", "--label", "pr=12"))
		# several machines, so no single host
		same((head["host"], head["kernel"], head["labels"]), (None, None, {"pr": "12"}))
		done("locate", "-e", "cpu-clock", "-j", "-o", "out", "--samples", "samples", "--", "sh", "-c", "exit 0")
		head = head_of(read("out").splitlines())
		same((head["host"], head["command"]), (os.uname().nodename, "sh -c 'exit 0'"))
		head = head_of(done("report", "--locate", "-j", "samples", "--no-host"))
		assert head["host"] is None and head["kernel"] is not None, head
	PYTHON
}

# --- --append ---------------------------------------------------------------------

common+='
def append(*args):
    """Report of alderlake does so to "out"."""
    report("alderlake", *args, "-o", "out", "--append")

def refused(*args):
    """It does not, and the file stays."""
    before = read("out")
    ended = tdstat("report", "-i", recorded("alderlake"), *args, "-o", "out", "--append")
    same((args, ended.returncode, len(ended.err)), (args, 1, 2))
    same(ended.err[0], "tdstat: --append: out has other first lines than these rows")
    assert ended.err[1].startswith("tdstat: ") and "another file" in ended.err[1], ended.err
    same(read("out"), before)

def count(prefix):
    return sum(line.startswith(prefix) for line in read("out").splitlines())

sides = recorded("alderlake"), recorded("alderlake-2")
'

@test "--append: rows of other columns are refused, and the file stays" {
	python <<-'PYTHON'
		report("alderlake-2", "-x,", "-l", "2", "-o", "out")
		refused("-x,", "-l", "1")
		refused("-x,", "--error")
		refused("-x", ";", "-l", "2")
		refused("-j")
		append("-x,", "-l", "2")
		same(count("time,"), 1)
		report("alderlake", "-j", "-o", "out")
		refused("-x,")
		done("diff", *sides, "-x,", "-o", "out")
		refused("-x,")
		done("diff", *sides, "-x,", "-o", "out", "--append")
		same(count("kind,"), 1)
		report("alderlake", "-x,", "-o", "out")
		done("diff", *sides, "-x,", "-o", "out", "--append", status=2)
		# the same of a descriptor
		report("alderlake", "-x,", "-o", "out")
		with open("out", "a") as file:
		    done("report", "-i", recorded("alderlake"), "-x,", "-l", "2", "--append", "--log-fd", str(file.fileno()), status=1,
		         pass_fds=[file.fileno()])
		# text does not follow rows for programs, but any text
		refused()
		refused("--summary")
		report("alderlake", "-j", "-o", "out")
		refused()
		report("alderlake", "-o", "out")
		append("--summary")
		write("out", "notes\n")
		append()
		# tables, too
		done("diff", *sides, "-o", "out", "--append")
		assert read("out").startswith("notes\n")
	PYTHON
}

@test "--append: each run has its head, and CSV its one header" {
	python <<-'PYTHON'
		append("-j")
		report("alderlake-2", "-j", "-o", "out", "--append")
		same(heads(read("out").splitlines()), [0, len(report("alderlake", "-j"))])
		write("out", read("out").replace('"tdstat_rows":1', '"tdstat_rows":2', 1))
		refused("-j")
		report("alderlake", "-j", "--no-head", "-o", "out")
		refused("-j")
		append("-j", "--no-head")
		report("alderlake", "-x,", "--head", "-o", "out")
		append("-x,", "--head")
		same((count("time,"), count("# tdstat_rows")), (1, 2))
		# a run that ended before its first row
		write("out", "# tdstat_rows: 1\n")
		append("-x,")
		assert read("out").split("\n")[1].startswith("time,")
	PYTHON
}

@test "--append: a command runs all the same, and perf's rows do not follow ours" {
	needs_software_events
	python <<-'PYTHON'
		report("alderlake", "-x,", "-o", "metrics.csv")
		report("alderlake", "-j", "-o", "metrics.json")
		done("-e", "page-faults", "-x,", "-o", "events.csv", "--", "true")
		done("-e", "page-faults", "-j", "-o", "events.json", "--", "true")
		before = read("metrics.csv")
		for case in ("metrics.csv -e page-faults -x,", "metrics.json -e page-faults -j", "events.csv -x,", "events.json -j",
		             "metrics.csv -l 2 -x,", "events.csv -e page-faults -j"):
		    file, *args = case.split()
		    args += "-o", file, "--append", "--", "sh", "-c"
		    ended = tdstat(*args, ": >ran; exit 3")
		    same((case, ended.returncode), (case, 3))
		    assert re.search("(?s)has other first lines.*running sh without counting$", ended.stderr.rstrip()), (case, ended.err)
		    os.unlink("ran")
		    same((case, tdstat("--require", *args, ": >ran").returncode), (case, 125))
		    assert not os.path.exists("ran")
		same(read("metrics.csv"), before)
		# these follow their like
		done("-x,", "-o", "metrics.csv", "--", "true")
		for case in "events.csv -e task-clock -x,", "events.json -e task-clock -j", "metrics.csv -x,", "metrics.json -j":
		    file, *args = case.split()
		    size = os.path.getsize(file)
		    ended = tdstat(*args, "-o", file, "--append", "--", "true")
		    same((case, ended.returncode), (case, 0))
		    assert "append" not in ended.stderr and os.path.getsize(file) > size, (case, ended.err)
	PYTHON
}
