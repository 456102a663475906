#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: pt.py BRANCHES CONVERSION STAMPS SIZE NS [--lossy]

BRANCHES is "perf script --itrace=b -F ip,addr,time" of a trace that a filter confines to a
function of so many bytes, CONVERSION perf's shift, factor and zero of the time-stamp counter,
STAMPS the function's calls as the program saw them: before, at the beginning, at the end, behind.
An entry lies between the first two stamps, an exit between the last two, but for NS.  Calls may
be missing from a trace that is lossy, in which perf's errors stand between the branches.
"""
import bisect
import re
import sys

LINE = re.compile(r" *([\d.]+): +([0-9a-f]+) +=> +([0-9a-f]+)")


def read_branches(path):
    for line in open(path):
        match = LINE.match(line)
        if match:
            yield int(match[1].replace(".", "")), int(match[2], 16), int(match[3], 16)
        elif " trace error " in line:
            yield None, 0, 1 << 64


def read_calls(path, size):
    """The times of each call, interrupted or not: of its entry, and of its exit to the caller."""
    branches = list(read_branches(path))
    start = min(target for _, source, target in branches if source == 0)
    entry, calls = None, []
    for time, source, target in branches:
        if time is None:
            entry = None
        elif source == 0 and target == start:
            entry = time
        elif source and target and entry and not start <= target < start + size:
            calls.append((entry, time))
            entry = None
    return calls


def read_stamps(path, conversion):
    shift, factor, zero = (int(line, 0) for line in open(conversion))
    return [[zero + (int(stamp) * factor >> shift) & 2**64 - 1 for stamp in line.split()]
            for line in open(path)]


def is_right(call, stamps, ns):
    (entry, leave), (before, first, last, behind) = call, stamps
    return before - ns <= entry <= first + ns and last - ns <= leave <= behind + ns


def main(branches, conversion, stamps, size, ns, lossy=None):
    calls, stamps, ns = read_calls(branches, int(size, 16)), read_stamps(stamps, conversion), int(ns)
    if lossy:
        befores = [stamp[0] for stamp in stamps]
        made = [stamps[bisect.bisect_right(befores, entry + ns) - 1] for entry, _ in calls]
    else:
        made = stamps
    wrong = [pair for pair in zip(calls, made) if not is_right(*pair, ns)]
    print(len(calls), "calls,", len(stamps), "by the program; wrong are", wrong)
    return bool(wrong) or len(calls) != len(made) or len(calls) < len(stamps) // 2


sys.exit(main(*sys.argv[1:]))
