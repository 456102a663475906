# SPDX-License-Identifier: GPL-2.0-only
"""For signals.bats: how many signals it takes to end tdstat when nothing reads its output.

usage: stuck.py {FOLDER MOST WORD... ""}...

Runs tdstat WORD... in each FOLDER, all at the same time: with a terminal (for top) and a
full pipe as its output.  Whenever it and its children have nothing more to do, it gets
SIGTERM.  Prints how many each took; fails if one took more than MOST.
"""

import fcntl
import os
import pty
import signal
import sys
import time

F_SETPIPE_SZ = 1031

# Seconds in which no look finds anything to do.  Longer than any timer that the end
# would wait for, and than the time in which two signals are one.
QUIET = 0.5

# Seconds after which the next signal comes even so.
BUSY = 60


class Process:
    def __init__(self, name, most, words):
        self.name, self.most = name, most
        self.signals, self.status = 0, None
        self.signalled = self.busy = time.monotonic()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            self.exec_tdstat(words)

    def exec_tdstat(self, words):
        os.chdir(self.name)
        if words[0] != "top":
            end, pipe = os.pipe()
            fcntl.fcntl(pipe, F_SETPIPE_SZ, 4096)
            os.set_blocking(pipe, False)
            try:
                while True:
                    os.write(pipe, b"x")
            except BlockingIOError:
                os.set_blocking(pipe, True)
            os.set_inheritable(end, True)
            os.dup2(pipe, 1)
            os.dup2(pipe, 2)
        os.execvp(os.environ["TDSTAT"], ["tdstat", *words])

    def is_busy(self):
        """Whether one of the session's threads can run, or has a signal to take."""
        for thread in threads(self.pid):
            try:
                with open(f"{thread}/stat") as file:
                    state = file.read().rsplit(")", 1)[1].split()[0]
                with open(f"{thread}/status") as file:
                    status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
            except OSError:
                return True  # it has just ended
            pending = int(status["SigPnd"], 16) | int(status["ShdPnd"], 16)
            if state not in "SZ" or pending & ~int(status["SigBlk"], 16):
                return True
        return False

    def is_due(self):
        now = time.monotonic()
        if self.is_busy():
            self.busy = now
        return now - self.busy >= QUIET or now - self.signalled >= BUSY

    def look(self):
        if os.waitpid(self.pid, os.WNOHANG)[0]:
            self.status = str(self.signals)
        elif self.is_due():
            self.signalled = self.busy = time.monotonic()
            if self.signals == self.most:
                self.status = "it goes on"
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self.signals += 1
                os.kill(self.pid, signal.SIGTERM)


def threads(leader):
    """The folders of its session's threads.  A process may end in any of them."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.getsid(int(name)) == leader:
                    folder = f"/proc/{name}/task/"
                    found += [folder + tid for tid in os.listdir(folder)]
            except OSError:
                pass
    return found


def main(args):
    processes = []
    while args:
        end = args.index("")
        processes.append(Process(args[0], int(args[1]), args[2:end]))
        args = args[end + 1 :]
    while any(process.status is None for process in processes):
        time.sleep(0.05)
        for process in processes:
            if process.status is None:
                process.look()
    for process in processes:
        print(process.name, process.status)
    return any(process.status == "it goes on" for process in processes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
