# SPDX-License-Identifier: GPL-2.0-only
"""Presses keys in a shell that has a terminal: press.py SHELL [ARG...] <LINES.  Of each
line "WORDS|SHOWN" it types the words and Tab, waits until the terminal shows what is
behind the last "|", and presses Enter.  The shell's prompt is "READY> "."""
import fcntl
import os
import pty
import signal
import struct
import sys
import termios

PROMPT = b"READY> "


class Shell:
    def __init__(self, command):
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            # wide, as others scroll, and with nothing that moves the cursor
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 300, 0, 0))
            os.environ["TERM"] = "dumb"
            os.execvp(command[0], command)
        self.text = b""

    def wait_for(self, what):
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"never: {what}\n{self.text}"))
        signal.alarm(int(os.environ["TD_HANGS"]))
        while what not in self.text:
            try:
                part = os.read(self.terminal, 65536)
            except OSError:
                part = b""  # Linux tells the end of a terminal so
            if not part:
                sys.exit(f"never: {what}\n{self.text}")
            self.text += part

    def press(self, keys):
        os.write(self.terminal, keys)


def main():
    shell = Shell(sys.argv[1:])
    shell.wait_for(PROMPT)
    for line in sys.stdin.buffer.read().splitlines():
        words, shown = line.rsplit(b"|", 1)
        shell.text = b""
        shell.press(words + b"\t")
        shell.wait_for(shown)
        shell.text = b""
        shell.press(b"\r")
        shell.wait_for(PROMPT)
    shell.press(b"exit\r")
    os.waitpid(shell.pid, 0)


main()
