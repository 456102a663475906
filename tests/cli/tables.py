# SPDX-License-Identifier: GPL-2.0-only
"""Runs a test of tables.bats, as inline.py says: reports in windows of several widths."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

sys.dont_write_bytecode = True
from inline import HANGS, TDSTAT, done, main, recorded, rows, same  # noqa: E402,F401 the tests use them


def report(*args):
    """As it is in a pipe: lines."""
    return done("report", *args)


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


main(globals())
