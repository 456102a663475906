# SPDX-License-Identifier: GPL-2.0-only
"""Runs a test of tables.bats, from standard input, with what is defined here: reports in
windows of several widths."""
import fcntl
import json
import linecache
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import traceback

TDSTAT = os.environ["TDSTAT"]
HANGS = float(os.environ["TD_HANGS"])
DATA = os.environ["DATA"]


def same(got, want):
    assert got == want, f"{got!r} is not {want!r}"


def data(name):
    return f"{DATA}/{name}.jsonl"


def report(*args):
    """As it is in a pipe: lines."""
    return subprocess.run([TDSTAT, "report", *args], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          encoding="utf-8", timeout=HANGS).stdout.splitlines()


def rows(*args):
    """Those of JSON, but for their head."""
    return [row for row in map(json.loads, report("-j", *args)) if "tdstat_rows" not in row]


class Window:
    """A terminal that is not the controlling one of what writes to it: the end of a
    session's leader drops what nobody has read."""

    def __init__(self, columns, command, **options):
        self.ours, theirs = pty.openpty()
        self.resize(columns)
        self.process = subprocess.Popen(command, stdout=theirs, **({"stdin": theirs, "stderr": theirs} | options))
        os.close(theirs)
        self.text = b""

    def resize(self, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def read(self):
        """Some more; False at the end."""
        try:
            part = os.read(self.ours, 65536)
        except OSError:
            part = b""  # Linux tells the end of a terminal so
        self.text += part
        return bool(part)

    def lines(self):
        """All, after the end of what writes."""
        while self.read():
            pass
        os.close(self.ours)
        same(self.process.wait(HANGS), 0)
        return self.text.decode().replace("\r\n", "\n").splitlines()


def window(columns, *args, term="dumb"):
    """A report in a window of this width: lines."""
    return Window(columns, [TDSTAT, "report", *args], env=os.environ | {"TERM": term}).lines()


def values(lines):
    """Those of a table; times have more decimals."""
    return [value for line in lines if not line.startswith("#")
            for value in re.findall(r" -?[0-9]+\.[0-9](?=[*?~\s]|$)", line)]


def squeezed(line):
    return re.sub(" +", " ", line)


def main():
    text = sys.stdin.read()
    linecache.cache["test"] = len(text), None, text.splitlines(keepends=True), "test"
    try:
        exec(compile(text, "test", "exec"), globals())  # pylint: disable=exec-used
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc(file=sys.stdout)
        sys.exit(1)


main()
