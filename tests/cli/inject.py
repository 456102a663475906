#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs tdstat again and again under strace, which lets one system call fail each time,
and checks the result.

usage: inject.py fail JOB [::: JOB]...
       inject.py interrupt SYSCALL MATCH [::: ...]
       inject.py once SYSCALL NR ERRNO STATUS MESSAGE [OPTION...] [::: ...]
       inject.py rows COLUMNS | memory | execve PROGRAM | gap WORK | end WORK

JOB is: SYSCALL MATCH "ERRNO..." MESSAGE [OPTION...].  strace's log of a run without
errors shows which calls of SYSCALL have MATCH in their line.  The first, the middle and
the last one of them fail, each in a run of its own.  The errnos are spread over these
places; with TD_EVERYTHING=1, each errno is tried at each place.

COMMAND as the last option is a command that is counted in intervals.  It waits at the
FIFO "go" until the call has failed, however long that takes.  The last place is taken
from a run whose first interval never ends, because only its number of calls is fixed.
"""
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

TDSTAT = os.environ["TDSTAT"]
HANGS = float(os.environ["TD_HANGS"])
EVERYTHING = bool(os.environ.get("TD_EVERYTHING"))
AT_ONCE = 4

SCRIPT = ["sh", "-c", "echo $$ >pid; read x <go; echo $$ >end; exit 3"]
FORKS = ["clone", "clone3", "vfork", "wait4"]
ROW = re.compile(rb"^(time,|[0-9.]*,all,cpu,)")
COUNTED = re.compile(rb"^[0-9.]*,all,cpu,[0-9]", re.M)


def contents(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def with_command(options, ends):
    """COMMAND in place of options that count one in intervals; False: the first one never ends."""
    if options[-1:] != ["COMMAND"]:
        return options
    return [*options[:-1], "-I", "20" if ends else "3600000", "-x,", "--", *SCRIPT]


class Run:
    """tdstat under strace, in a directory of its own."""

    def __init__(self, options, trace, inject=None, go=None, strace=()):
        self.dir = tempfile.mkdtemp(prefix="run-", dir=".")
        self.what = f"{self.dir}: {inject or 'no fault'}: {' '.join(options)}"
        fifo = self.path("go")
        os.mkfifo(fifo)
        self.fifo = os.open(fifo, os.O_RDWR | os.O_CLOEXEC)
        self.go = go or (lambda run: b"INJECTED" in run.log())
        self.gone = False
        command = ["strace", "-o", "log", *strace, "-e", "trace=" + ",".join(dict.fromkeys(trace))]
        if inject:
            command += ["-e", "inject=" + inject]
        with open(self.path("stdout"), "wb") as out, open(self.path("stderr"), "wb") as err:
            self.process = subprocess.Popen([*command, *options], cwd=self.dir, stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=err, start_new_session=True)
        self.end = time.monotonic() + HANGS
        self.errors = []

    def path(self, name):
        return os.path.join(self.dir, name)

    def read(self, name):
        return contents(self.path(name))

    def log(self):
        return self.read("log")

    def calls(self, syscall):
        return re.findall(rb"^%s\(.*" % syscall.encode(), self.log(), re.M)

    def has_ended(self):
        if not self.gone and self.go(self):
            self.gone = True
            os.write(self.fifo, b"\n")
        if self.process.poll() is None:
            if time.monotonic() < self.end:
                return False
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.expect(False, "hangs")
        os.close(self.fifo)
        self.status = self.process.returncode
        return True

    def expect(self, holds, message):
        if not holds:
            self.errors.append(message)

    # --- the checks

    def has_happened(self):
        self.expect(b"INJECTED" in self.log(), "the call never failed")

    def has_status(self, want):
        self.expect(self.status == want, f"status {self.status}, not {want}")

    def has_no_zombie(self):
        """Each process that was started was waited for."""
        log = self.log()
        for pid in re.findall(rb"^(?:clone|clone3|vfork)\((?!.*CLONE_THREAD).* = ([0-9]+)$", log, re.M):
            self.expect(re.search(rb"^wait4\(%s, .* = %s$" % (pid, pid), log, re.M), f"no wait for {pid.decode()}")

    def has_command_ended(self):
        """It wrote its pid, if it ran, and again at its end."""
        self.expect(not self.read("pid") or self.read("pid") == self.read("end"), "the command did not run to its end")

    def has_only_error(self, message):
        """Apart from rows, there are only lines of tdstat."""
        self.expect(all(ROW.match(line) for line in self.read("stdout").splitlines()), "more than rows")
        said = [line for line in self.read("stderr").splitlines() if not ROW.match(line)]
        self.expect(said and all(line.startswith(b"tdstat: ") for line in said), "no error, or more than that")
        self.expect(re.search(message.encode(), b"\n".join(said)), f"no error with {message}")

    def has_failed(self, message, want):
        self.has_happened()
        self.has_status(want)
        self.has_only_error(message)
        self.has_no_zombie()
        self.has_command_ended()
        self.expect(want == 1 or self.read("pid"), "the command did not run")


def all_ended(runs, at_once=AT_ONCE):
    """Starts each of these functions, and yields the runs that have ended."""
    waiting, active = list(runs), []
    while waiting or active:
        while waiting and len(active) < at_once:
            active.append(waiting.pop(0)())
        ended = [run for run in active if run.has_ended()]
        active = [run for run in active if run not in ended]
        yield from ended
        if not ended:
            time.sleep(0.005)


def complain(runs):
    """Prints what is wrong, and ends this program."""
    wrong = [run for run in runs if run.errors]
    for run in wrong[:20]:
        print(f"{run.what}: {'; '.join(run.errors)}")
        for name in ("stderr", "log"):
            print(f"  the end of {name}: " + b"\n  ".join(run.read(name).splitlines()[-4:]).decode(errors="replace"))
    if not runs:
        print("nothing was run")
    sys.exit(bool(wrong) or not runs)


def jobs_of(words):
    """The arguments between :::."""
    for is_mark, job in itertools.groupby(words, lambda word: word == ":::"):
        if not is_mark:
            yield list(job)


def rows_of(run, name="stderr"):
    return len([line for line in run.read(name).splitlines() if ROW.match(line)])


class Wells:
    """Runs that go well, one for each command line, with all the calls that fail later."""

    def __init__(self, jobs):
        """jobs: (syscall, options)"""
        traces = {}
        for syscall, options in jobs:
            traces.setdefault(tuple(options), []).append(syscall)
        starts = {}
        for options, trace in traces.items():
            for ends in (True, False):
                words = with_command(list(options), ends)
                output = next((words[i + 1] for i, word in enumerate(words) if word == "-o"), "stderr")
                starts[options, ends] = lambda w=words, t=trace, o=output, e=ends: Run(
                    [TDSTAT, *w], t, strace=["-y"], go=lambda run: not e or run.read(o).count(b"\n") > 3)
                if options[-1:] != ("COMMAND",):
                    break
        self.runs = {}
        for key, start in starts.items():
            (self.runs[key],) = all_ended([start])

    def places(self, syscall, match, options):
        """(interval ends, number of the call): the first, the middle and the last."""
        found = {}
        for ends in (True, False):
            run = self.runs.get((tuple(options), ends))
            if run:
                found[ends] = [nr for nr, line in enumerate(run.calls(syscall), 1) if re.search(match.encode(), line)]
                if not found[ends]:
                    sys.exit(f"no {syscall} of {match} to fail: {run.what}")
        nrs = found[True]
        # calls that no interval adds to may come when the command has ended
        adds = found.get(False) != nrs
        last = (False, found[False][-1]) if False in found else (True, nrs[-1])
        return list(dict.fromkeys([(adds, nrs[0]), (adds, nrs[len(nrs) // 2]), last]))


def injected(syscall, nr, error, options, ends=True, after=""):
    """The start of a run in which this call fails."""
    return lambda: Run([TDSTAT, *with_command(options, ends)], [syscall, *FORKS],
                       f"{syscall}:error={error}:when={nr}{after}", None if ends else lambda run: True)


def fail(words):
    jobs = [(job[0], job[1], job[2].split(), job[3], job[4:]) for job in jobs_of(words)]
    wells = Wells([(job[0], job[4]) for job in jobs])
    starts = []
    for syscall, match, errors, message, options in jobs:
        places = wells.places(syscall, match, options)
        if EVERYTHING:
            pairs = itertools.product(errors, places)
        else:
            nr = max(len(errors), len(places))
            pairs = [(errors[i % len(errors)], places[i % len(places)]) for i in range(nr)]
        for error, (ends, nr) in pairs:
            def start(begin=injected(syscall, nr, error, options, ends), job=(message, options)):
                run = begin()
                run.job = job
                return run
            starts.append(start)
    runs = []
    for run in all_ended(starts):
        message, options = run.job
        run.has_failed(message, 3 if options[-1:] == ["COMMAND"] else 1)
        runs.append(run)
    complain(runs)


def interrupt(words):
    """EINTR is not an error."""
    jobs = list(jobs_of(words))
    wells = Wells([(syscall, ["COMMAND"]) for syscall, _ in jobs])
    runs = []
    for run in all_ended(injected(syscall, nr, "EINTR", ["COMMAND"], ends)
                         for syscall, match in jobs for ends, nr in wells.places(syscall, match, ["COMMAND"])):
        run.has_happened()
        run.has_status(3)
        run.expect(COUNTED.search(run.read("stderr")), "no row")
        runs.append(run)
    complain(runs)


def once(words):
    """One call of one number.  A message that begins with ^ need not be the only one."""
    runs = []
    for syscall, nr, error, status, message, *options in jobs_of(words):
        (run,) = all_ended([injected(syscall, nr, error, options)])
        if message.startswith("^"):
            run.has_happened()
            run.has_status(int(status))
            run.expect(re.search(message.encode(), run.read("stderr"), re.M), f"no {message}")
        else:
            run.has_failed(message, int(status))
        run.expect(status != "1" or not run.read("pid"), "the command ran")
        runs.append(run)
    complain(runs)


def rows(behind):
    """A row on standard error is whole or missing."""
    names = rb"time,id,pmu,busy,share,running,ipc(,tma_[a-z_]*){4}," + behind.encode()
    line = re.compile(rb"^(tdstat: .*|%s|[0-9.]*,all,cpu(,[0-9a-z.]*){24})$" % names)
    wells = Wells([("write", ["COMMAND"])])
    runs = []
    for run in all_ended(injected("write", nr, "EIO", ["COMMAND"], ends)
                         for ends, nr in wells.places("write", r"^write\(2<", ["COMMAND"])):
        run.has_happened()
        run.has_status(3)
        run.expect(all(line.match(text) for text in run.read("stderr").splitlines()), "half a row")
        # a note, which a busy machine may need, has nowhere to go
        note = re.search(rb'^write\(2, "tdstat: .*INJECTED', run.log(), re.M)
        run.expect(note or re.search(rb"^tdstat: cannot write standard error", run.read("stderr"), re.M), "no error")
        run.has_command_ended()
        runs.append(run)
    complain(runs)


def memory():
    """No memory, from any call on."""
    (well,) = all_ended([lambda: Run([TDSTAT, *with_command(["COMMAND"], False)], ["brk", "mmap"], go=lambda run: True)])
    step = 1 if EVERYTHING else 2
    starts = [lambda nr=nr: Run([TDSTAT, *with_command(["COMMAND"], False)], ["brk", "mmap", *FORKS],
                                f"brk,mmap:error=ENOMEM:when={nr}+", lambda run: True)
              for nr in range(1, len(well.calls("mmap")) + 1, step)]
    runs = []
    for run in all_ended(starts):
        err = run.read("stderr")
        said = re.search(rb"tdstat: .*memory", err, re.S | re.I)
        if run.status == 3:
            run.expect(said or COUNTED.search(err), "neither a row nor an error")
        elif run.status == 1:
            run.expect(said and not run.read("pid"), "no error, or the command ran")
        else:
            run.has_happened()
            run.expect(not err or b"loading shared libraries" in err, "another error")
        run.has_no_zombie()
        run.has_command_ended()
        runs.append(run)
    if not any(b"INJECTED" in run.log() for run in runs):
        sys.exit("no call failed")
    complain(runs)


def execve(program):
    """What cannot be executed is not run: 127 if there is no such file, else 126."""
    runs = []
    # without the path, tdstat's own execve would fail
    for run in all_ended(lambda error=error: Run([TDSTAT, "--", program, "made"], ["execve"], f"execve:error={error}",
                                                 strace=["-f", "-P", program])
                         for error in """EACCES E2BIG EFAULT EINVAL EIO EISDIR ELIBBAD ELOOP EMFILE ENAMETOOLONG ENFILE
                            ENOMEM ENOTDIR EPERM ETXTBSY ENOENT""".split()):
        run.has_happened()
        run.has_status(127 if "ENOENT" in run.what else 126)
        said = run.read("stderr").splitlines()
        run.expect(len(said) == 1 and said[0].startswith(b"tdstat: ") and f"{program}: ".encode() in said[0], "not one error")
        run.expect(not os.path.exists(run.path("made")), "the command ran")
        runs.append(run)
    complain(runs)


# --- reads that fail while a command works ---------------------------------------------

COUNT = ["-I", "20", "-x,", "-o", "out", "-e", "{task-clock,cpu-clock}", "--"]
TASK_CLOCK = re.compile(rb"^[0-9.]*,([^,]*),[^,]*,task-clock,", re.M)
# a busy machine may need this note
PASSED = b" (tdstat or the machine was stopped "


def notes_of(run):
    return [line for line in run.read("stderr").splitlines() if line.startswith(b"tdstat: ") and PASSED not in line]


def rows_before(log):
    """How many rows were written before the first call that failed."""
    return len(re.findall(rb"^write\([0-9]+<[^>]*/out>", log.partition(b"INJECTED")[0], re.M))


def working(work, inject, go):
    return Run([TDSTAT, *COUNT, work], ["read", "write"], inject, go, ["-y"])


def third_read(work):
    """The number of the first read after three rows."""
    (run,) = all_ended([lambda: working(work, None, lambda run: len(TASK_CLOCK.findall(run.read("out"))) > 4)])
    reads = rows = 0
    for line in run.log().splitlines():
        reads += line.startswith(b"read(")
        rows += bool(re.match(rb"write\([0-9]+<[^>]*/out>", line))
        if rows == 3:
            return reads + 1
    sys.exit(f"no rows: {run.what}")


def gap(work):
    """Reads fail for a while: a note, and the counts are in later rows."""
    def is_over(run):
        """All of them have failed, and six rows follow."""
        failed = run.log().rpartition(b"INJECTED")
        return failed[0].count(b"INJECTED") >= 19 and len(re.findall(rb"/out>", failed[2])) > 6
    first = third_read(work)
    (run,) = all_ended([lambda: working(work, f"read:error=ECHILD:when={first}..{first + 19}", is_over)])
    run.has_happened()
    run.has_status(5)
    notes = notes_of(run)
    run.expect(len(notes) == 1 and notes[0].startswith(b"tdstat: not all counters could be read at once"), "not one note")
    values = TASK_CLOCK.findall(run.read("out"))
    run.expect(b"<not counted>" in values, "nothing that was not counted")
    counted = sum(float(value) for value in values if value != b"<not counted>")
    # by its own counter, it used a little less; half of a row's last digit is lost at most
    used = float(run.read("used") or "nan")
    run.expect(used <= counted + 0.01 * len(values) and counted < 1.25 * used, f"counted {counted} ms of {used} ms")
    complain([run])


def end(work):
    """All reads fail from one on: what was counted until then is shown."""
    runs = []
    first = third_read(work)
    for error in ("EIO", "EBADF", "ECHILD"):
        (run,) = all_ended([lambda e=error: working(work, f"read:error={e}:when={first}+", notes_of)])
        run.has_happened()
        run.has_status(5)
        before, shown = rows_before(run.log()), len(TASK_CLOCK.findall(run.read("out")))
        run.expect(1 <= before <= shown, f"{shown} rows, and {before} were counted")
        run.expect(run.read("used"), "the command did not run to its end")
        want = [rb"not all counters could be read at "] * 2 if error == "ECHILD" else \
            [rb"cannot read the counters of the group of task-clock ", rb"counting stopped; .*work continues$"]
        notes = notes_of(run)
        run.expect(len(notes) == 2 and all(re.match(rb"tdstat: " + text, note) for text, note in zip(want, notes)),
                   "other notes")
        runs.append(run)
    complain(runs)


def main():
    how, *words = sys.argv[1:]
    actions = {"fail": lambda: fail(words), "interrupt": lambda: interrupt(words), "once": lambda: once(words),
               "rows": lambda: rows(*words), "memory": memory, "execve": lambda: execve(*words),
               "gap": lambda: gap(*words), "end": lambda: end(*words)}
    actions[how]()


if __name__ == "__main__":
    main()
