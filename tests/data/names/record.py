#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# usage: TDSTAT=... tests/data/names/record.py FILE
# Records threads with odd names, of a command with odd words, into FILE.
import ctypes, os, subprocess, sys, threading, time

# At most 15 bytes, as the kernel keeps them.
NAMES = [
    b"a,b;\"c\"'d'\\e",
    b"\x1b[31mred\x1b[0m\x07",
    b"l\nf\tt\x08b\x7fd",
    "ä€😀é".encode(),
    b"\xff\xfe cut \xe2\x82",
    "\u0085\u009b c1".encode(),
    "rtl\u202eabc".encode(),
    b"<b>&amp;\\xff\\u0041"[:15],
    b" ",
]


def work(name):
    ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
    while time.thread_time() < 0.05:
        pass


if __name__ == "__main__":
    if sys.argv[1] == "--threads":
        threads = [threading.Thread(target=work, args=(n,)) for n in NAMES]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    else:
        out = os.path.abspath(sys.argv[1])
        os.chdir(os.path.dirname(os.path.abspath(__file__)))
        command = [os.environ["TDSTAT"], "record", "--per-thread", "-e", "task-clock", "-o", out]
        subprocess.run(command + ["--", "python3", "record.py", "--threads"] + NAMES, check=True)
