# SPDX-License-Identifier: GPL-2.0-only
"""Runs a test of tables.bats, as inline.py says: reports in windows of several widths."""
import fcntl
import itertools  # noqa: F401 the tests use it
import os
import pty
import re
import select
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
    session's leader drops what nobody has read.  So may Linux when the last writer closes
    it while it is read, so this is one of them."""

    def __init__(self, columns, command, **options):
        self.ours, self.theirs = pty.openpty()
        os.set_blocking(self.ours, False)
        self.resize(columns)
        self.process = subprocess.Popen(command, stdout=self.theirs,
                                        **({"stdin": self.theirs, "stderr": self.theirs} | options))
        self.ended = os.pidfd_open(self.process.pid)
        self.text = b""

    def resize(self, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def read(self):
        """Some more; False after the end of the command, when all is read."""
        readable, _, _ = select.select([self.ours, self.ended], [], [], HANGS)
        assert readable, self.text
        try:
            self.text += os.read(self.ours, 65536)
        except BlockingIOError:
            return self.ended not in readable
        return True

    def lines(self):
        """All, after the end of what writes."""
        while self.read():
            pass
        for fd in self.ours, self.theirs, self.ended:
            os.close(fd)
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
