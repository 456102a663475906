#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command line of tdstat again and again, and lets another allocation fail each
time.  Complains about signals, about an incomplete result with exit status 0, and about
an error that does not mention the memory.  A command that is measured writes a line into
the file "ran", and its status is 3: it runs once, to its end, and its status is tdstat's,
whether memory runs out or not.  Only with --require it need not run, and not in part.  Allocations with the same callers are one
place, of which the first allocation fails.

usage: memory.py TDSTAT SHIM TRIES [--measured] RESULT... -- ARGUMENT...

SHIM is memory.c.  TRIES is the number of places, 0 for all: those come first whose
nearest callers were in no command line before, which the file $TRIED has.  RESULT are
files that tdstat writes.  With --measured a command is, and their numbers differ.
"""
import os
import re
import subprocess
import sys

STATUS = 3  # of the command
NOT_STARTED = 125
MEMORY = re.compile(rb"out of memory|Cannot allocate memory")
HANGS = float(os.environ["TD_HANGS"])


def parser_range(tdstat):
    """Where json-c's parser is, if it is linked statically."""
    symbols = subprocess.run(["nm", "-S", tdstat], capture_output=True, text=True).stdout
    found = re.search(r"^(\w+) (\w+) . json_tokener_parse_ex$", symbols, re.M)
    if not found:
        return {}
    low, size = (int(word, 16) for word in found.groups())
    return {"FAIL_NOT": f"{low:x} {low + size:x}"}


def without_numbers(data):
    """Columns are padded, so blanks differ as well."""
    return re.sub(rb"[ -]+", b" ", re.sub(rb"[0-9][0-9.,]*", b"0", data))


class Runner:
    def __init__(self, tdstat, shim, results, arguments, measured):
        self.command = [tdstat, *arguments]
        self.results = results
        self.seen = without_numbers if measured else bytes
        # relative: the loader takes a space for the end of a name
        self.env = dict(os.environ, LD_PRELOAD=os.path.relpath(shim), **parser_range(tdstat))

    def run(self, **fail):
        """status, what was written, and what was said."""
        for path in [*self.results, "ran"]:
            if os.path.exists(path):
                os.unlink(path)
        try:
            done = subprocess.run(self.command, env=dict(self.env, **fail), stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=HANGS)
        except subprocess.TimeoutExpired:
            return "a signal, since it did not end", None, b""
        files = [self.seen(open(path, "rb").read()) if os.path.exists(path) else None for path in self.results]
        return done.returncode, [self.seen(done.stdout), *files], self.seen(done.stderr)

    def places(self):
        """The number of the first allocation of each place, from 1, and its nearest callers."""
        self.run(FAIL_PLACES="places")
        first = {}
        for at, line in enumerate(open("places"), 1):
            place, nearest = line.split()
            first.setdefault(place, (at, nearest))
        return sorted(first.values())


def what_is_wrong_with_command(whole, got, required):
    (_, all_of_it, _), (status, written, err) = whole, got
    ran = open("ran").read() if os.path.exists("ran") else ""
    if not MEMORY.search(err) and written != all_of_it:
        return "another result, and no error that names the memory"
    if status == STATUS:
        return None if ran == "ran\n" else f"the command ran so often: {ran.split()}"
    if status == NOT_STARTED and required:
        return "it ran, or was to run" if ran or not MEMORY.search(err) else None
    # before the command line was read
    return None if status == 1 and MEMORY.search(err) and not ran else f"ended by {status}, the command ran: {ran.split()}"


def what_is_wrong(whole, got):
    (_, all_of_it, said), (status, written, err) = whole, got
    if status == 0:
        if written != all_of_it:
            return "exit 0 with another result"
        return None if err == said or MEMORY.search(err) else "exit 0 with other words"
    if not isinstance(status, int) or status < 0 or status >= 128:
        return f"ended by {status}"
    return None if MEMORY.search(err) else "an error that does not name the memory"


def spread(places):
    """The same, from coarse to fine."""
    nr = len(places)
    step = 1 << max(nr.bit_length() - 1, 0)
    seen = set()
    while step:
        for at in range(step, nr + 1, step):
            if at not in seen:
                seen.add(at)
                yield places[at - 1]
        step //= 2


def chosen(places, tries):
    """So many of them: new ones first."""
    path = os.environ["TRIED"]
    tried = set(open(path).read().split()) if os.path.exists(path) else set()
    new = {}
    for at, nearest in places:
        if nearest not in tried:
            new.setdefault(nearest, at)
    others = [at for at, _ in places if at not in new.values()]
    ats = [*spread(list(new.values())), *spread(others)][:tries or None]
    with open(path, "a") as file:
        print(*(nearest for nearest, at in new.items() if at in ats), file=file)
    return ats, len(new)


def main():
    tdstat, shim, tries, *rest = sys.argv[1:]
    results, arguments = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    measured = results[:1] == ["--measured"]
    runner = Runner(tdstat, shim, results[measured:], arguments, measured)
    whole = runner.run()
    if whole[0] != (STATUS if measured else 0):
        sys.exit(f"tdstat itself: {whole}")
    places = runner.places()
    ats, new = chosen(places, int(tries))
    wrong, done = [], 0
    for at in ats:
        fail = {"FAIL_AT": str(at)}
        # after every fifth, all fail
        and_on = done % 5 == 4
        if and_on:
            fail["FAIL_ON"] = "1"
        got = runner.run(**fail)
        why = what_is_wrong_with_command(whole, got, "--require" in arguments) if measured else what_is_wrong(whole, got)
        done += 1
        if why:
            wrong.append((at, and_on, why, got[2].decode(errors="replace").strip()[:200]))
    print(f"no memory at {done} of {len(places)} places, {new} of them new: {len(wrong)} wrong")
    for at, and_on, why, said in wrong[:20]:
        print(f"  allocation {at}{' and all behind it' if and_on else ''}: {why}: {said}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
