# SPDX-License-Identifier: GPL-2.0-only
"""Runs a test of names.bats, as inline.py says: names that others chose, and what must
never be written because of them."""
import csv
import io
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from inline import HANGS, TDSTAT, main, same, skip  # noqa: E402,F401 the tests use them

DATA = os.environ["DATA"]
NASTY = b"a,b\"c'd\\e;f\nline two\t\x1b[31mred\x1b[0m\a\b\x7f \xe2\x80\xaeend\xe2\x81\xa9"
LONG = b"x" * 4096

# No control character but the line's end, none of UTF-8's second set, and none of
# those that Unicode's PropList.txt has as Bidi_Control.  One expression would be slower.
CONTROL = [re.compile(text) for text in (
    rb"[\x01-\x08\x0b-\x1f\x7f]", rb"\xc2[\x80-\x9f]", rb"\xd8\x9c", rb"\xe2\x80[\x8e\x8f\xaa-\xae]", rb"\xe2\x81[\xa6-\xa9]")]


def tdstat(*args, status=None, **options):
    """Runs it; .out, .err and .both are bytes, and printable."""
    args = [arg.encode() if isinstance(arg, str) else arg for arg in args]
    done = subprocess.run([TDSTAT, *args], check=False, timeout=HANGS, capture_output=True,
                          **{"stdin": subprocess.DEVNULL} | options)
    done.out, done.err = done.stdout, done.stderr
    if status is not None:
        same((args, done.returncode, done.err), (args, status, done.err))
    return done


def printable(text, what=""):
    for control in CONTROL:
        found = control.search(text)
        assert not found, (what, text[max(found.start() - 40, 0) : found.end() + 10])


def is_csv(text, separator=","):
    """UTF-8, a row a line, and as many fields in each row as in the first."""
    text_ = text.decode()
    rows = list(csv.reader(io.StringIO(text_, newline="").readlines(), strict=True, delimiter=separator))
    assert rows and text_.count("\n") == len(rows), text
    assert len({len(row) for row in rows}) == 1, rows
    printable(text.replace(b"\t", b""), "CSV")
    return rows


def is_json(text):
    """Each line an object, of UTF-8."""
    lines = text.decode().split("\n")
    assert len(lines) > 1 and not lines.pop(), text
    objects = [json.loads(line) for line in lines]
    assert all(isinstance(one, dict) for one in objects), text
    printable(text, "JSON")
    return objects


def forms(*args):
    """What tdstat counts or reports, in every form: text, the rows of JSON, those of CSV."""
    text = tdstat(*args)
    printable(text.out + text.err, "text")
    printed = tdstat(*args, "-j")
    rows = [row for row in is_json(printed.out) if "tdstat_rows" not in row]
    printable(printed.err)
    tables = []
    for separator in ",", ";", "\t":
        tables.append(is_csv(tdstat(*args, "-x", separator).out, separator))
    return text.out + text.err, rows, tables[0]


def on_terminal(columns, *args):
    """What a report prints on a terminal of this width."""
    command = f"stty cols {columns}; " + shlex.join([TDSTAT, "report", *args])
    return subprocess.run(["script", "-qec", command, "/dev/null"], stdin=subprocess.DEVNULL, check=True, timeout=HANGS,
                          stdout=subprocess.PIPE, env=os.environ | {"TERM": "dumb"}).stdout.replace(b"\r\n", b"\n")


def changed(value, change):
    """Each text of something of JSON, also a member's name, as change() has it."""
    if isinstance(value, dict):
        return {change(key): changed(member, change) for key, member in value.items()}
    if isinstance(value, list):
        return [changed(member, change) for member in value]
    return change(value) if isinstance(value, str) else value


def lines_of(name):
    with open(f"{DATA}/{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            print(json.dumps(line, separators=(",", ":"), ensure_ascii=False), file=file)


def cpu_of(*args):
    """Runs it, and returns the CPU time it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = tdstat(*args, status=0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    printable(done.out, args)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def wait_until(condition):
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() - begin < HANGS, "waited too long"
        time.sleep(0.02)


main(globals())
