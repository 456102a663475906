# SPDX-License-Identifier: GPL-2.0-only
"""Shared by the programs in truncated.bats."""
import os
import resource
import subprocess
import sys

TDSTAT = os.environ["TDSTAT"]
EVERYTHING = bool(os.environ.get("TD_EVERYTHING"))
wrong = []


class Run:
    """tdstat with these arguments, and at most so many KiB of addresses."""

    def __init__(self, *arguments, stdin=subprocess.DEVNULL, kib=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (kib * 1024, kib * 1024))
        try:
            run = subprocess.run([TDSTAT, *arguments], stdin=stdin, capture_output=True,
                                 timeout=float(os.environ["TD_HANGS"]), preexec_fn=limit if kib else None)
        except subprocess.TimeoutExpired:
            sys.exit(f"hangs: {arguments}")
        self.status, self.out, self.err = run.returncode, run.stdout.decode(errors="replace"), run.stderr.decode(errors="replace")
        self.is_error = self.err.startswith("tdstat: ")

    def expect(self, holds, what):
        """Complains at the end of the program."""
        if not holds:
            wrong.append(f"{what}: status {self.status}: {self.err[:300]}{self.out[:300]}")


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def put(path, data):
    with open(path, "wb") as file:
        file.write(data)


def changed(path, filters):
    """The file as each of these filters of jq changes it."""
    done = subprocess.run(["jq", "-c", ",".join(f"[({text})]" for text in filters), path], capture_output=True, check=True)
    lines = [line[1:-1] + b"\n" for line in done.stdout.splitlines()]
    return [b"".join(lines[at::len(filters)]) for at in range(len(filters))]


def finish():
    print("\n".join(wrong[:20]))
    sys.exit(bool(wrong))
