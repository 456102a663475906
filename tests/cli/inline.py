# SPDX-License-Identifier: GPL-2.0-only
"""Runs a test that is written in Python in a suite of bats, from standard input, with the
names of the program that calls this, or those defined here.  Exit status 77: skip it, for
the reason printed.
"""
# ruff: noqa: F401 the tests use them
import json
import linecache
import os
import re
import subprocess
import sys
import time
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


def done(*args, status=0, **options):
    """Runs tdstat; lines of standard output."""
    ended = tdstat(*args, **options)
    same((args, ended.returncode, ended.err), (args, status, ended.err))
    return ended.out


def recorded(name):
    """The path of a recording of tests/data."""
    return f"{os.environ['DATA']}/{name}.jsonl"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def objects(path):
    """The lines of a file of JSON."""
    return [json.loads(line) for line in read(path).splitlines()]


def write_objects(path, lines):
    write(path, "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def rows(*args):
    """Those of report -j, but for their head."""
    return [row for row in map(json.loads, done("report", "-j", *args)) if "tdstat_rows" not in row]


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


if __name__ == "__main__":
    main(globals())
