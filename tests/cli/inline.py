# SPDX-License-Identifier: GPL-2.0-only
"""Runs a test that is written in Python in a suite of bats, from standard input, with the
names of the program that calls this.  Exit status 77: skip it, for the reason printed.
"""
import linecache
import os
import subprocess
import sys
import traceback

TDSTAT = os.environ["TDSTAT"]
HANGS = float(os.environ["TD_HANGS"])


def skip(why):
    print(why)
    sys.exit(77)


def same(got, want):
    assert got == want, f"{got!r} is not {want!r}"


def run(*command, **options):
    """Runs a command to its end; .out and .err are lists of lines."""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=HANGS, check=False,
                          **{"stdin": None if "input" in options else subprocess.DEVNULL} | options)
    done.out, done.err = done.stdout.splitlines(), done.stderr.splitlines()
    return done


def tdstat(*args, **options):
    return run(TDSTAT, *args, **options)


def main(names):
    text = sys.stdin.read()
    # so that a traceback shows its lines
    linecache.cache["test"] = len(text), None, text.splitlines(keepends=True), "test"
    try:
        exec(compile(text, "test", "exec"), names)  # pylint: disable=exec-used
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        # threads that wait for what never comes do not matter
        os._exit(1)
