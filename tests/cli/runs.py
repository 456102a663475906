# SPDX-License-Identifier: GPL-2.0-only
"""Runs of tdstat, for tables of cases in Python: see runs.bash."""
import ctypes
import os
import re
import resource
import signal
import subprocess
import sys
import time

TDSTAT = os.environ["TDSTAT"]
HANGS = float(os.environ["TD_HANGS"])
EVERYTHING = bool(os.environ.get("TD_EVERYTHING"))
# SIGPIPE, as a shell or as Python shows it
BY_PIPE = (141, -signal.SIGPIPE)
wrong = []


def limiting(kib, files, raises, size):
    """Sets limits in the child; None: there are none."""
    def limit():
        if kib:
            resource.setrlimit(resource.RLIMIT_AS, (kib * 1024, kib * 1024))
        if not raises:
            # root without its right to raise a hard limit
            ctypes.CDLL(None).prctl(24, 24, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_SYS_RESOURCE
        if files is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, files if isinstance(files, tuple) else (files, files))
        if size:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    return limit if kib or files is not None or not raises or size else None


class Run:
    """tdstat with these arguments, to its end.  Limits: KIB of addresses, open FILES (also
    soft and hard), SIZE of a file.  BEFORE is a command in front of it."""

    def __init__(self, *arguments, before=(), env=None, kib=None, files=None, raises=True, size=None,
                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE):
        self.arguments = arguments
        try:
            run = subprocess.run([*before, TDSTAT, *arguments], stdin=stdin, stdout=stdout, stderr=stderr, timeout=HANGS,
                                 env=dict(os.environ, **env) if env else None,
                                 preexec_fn=limiting(kib, files, raises, size))
        except subprocess.TimeoutExpired:
            sys.exit(f"hangs: {arguments}")
        self.status = run.returncode
        self.out, self.err = ((text or b"").decode(errors="replace") for text in (run.stdout, run.stderr))
        self.is_error = self.err.startswith("tdstat: ")

    def expect(self, holds, what=""):
        """Complains at the end of the program."""
        if not holds:
            wrong.append(f"{what}: {' '.join(self.arguments)}: status {self.status}: {self.err[:500]}{self.out[:500]}")

    def has_status(self, *statuses, what=""):
        self.expect(self.status in statuses, f"{what}: not status {statuses}")

    def complains(self, *texts, what=""):
        """The first line is tdstat's, and all of these regular expressions match."""
        self.expect(self.is_error, f"{what}: no line of tdstat")
        for text in texts:
            self.expect(re.search(text, self.err), f"{what}: no {text}")

    def why_and_remedy(self, why, remedy=".", what=""):
        """Two lines, and nothing else."""
        lines = self.err.splitlines()
        self.expect(len(lines) == 2 and all(line.startswith("tdstat: ") for line in lines), f"{what}: not two lines of tdstat")
        self.expect(re.search(why, lines[0] if lines else ""), f"{what}: the first line has no {why}")
        self.expect(re.search(remedy, lines[1] if len(lines) > 1 else ""), f"{what}: the second line has no {remedy}")

    def runs_all_the_same(self, why, remedy, status=0, what=""):
        """The same two lines, and the command runs without counting."""
        lines = [line for line in self.err.splitlines() if line.startswith("tdstat: ")] + [""] * 3
        self.has_status(status, what=what)
        self.expect(self.is_error and re.search(why, lines[0]), f"{what}: the first line has no {why}")
        self.expect(re.search(remedy, lines[1]), f"{what}: the second line has no {remedy}")
        self.expect(re.fullmatch("tdstat: running [^ ]+ without counting( or recording)?", lines[2]),
                    f"{what}: not said that it runs")
        self.expect(not any(lines[3:]), f"{what}: more is said")


def complain(what):
    wrong.append(what)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def text_of(path):
    return contents(path).decode(errors="replace") if os.path.exists(path) else ""


def put(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def take(path):
    """Removes a file that has to be there."""
    if os.path.exists(path):
        os.unlink(path)
    else:
        complain(f"no {path}")


def wait_for(condition):
    end = time.monotonic() + HANGS
    while not condition():
        if time.monotonic() > end:
            sys.exit("never: " + "; ".join(wrong))
        time.sleep(0.01)


def changed(path, filters):
    """The file as each of these filters of jq changes it."""
    done = subprocess.run(["jq", "-c", ",".join(f"[({text})]" for text in filters), path], capture_output=True, check=True)
    lines = [line[1:-1] + b"\n" for line in done.stdout.splitlines()]
    return [b"".join(lines[at::len(filters)]) for at in range(len(filters))]


def finish():
    print("\n".join(wrong[:20]))
    sys.exit(bool(wrong))
