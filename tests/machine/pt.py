#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: pt.py BRANCHES CONVERSION STAMPS SIZE NS

BRANCHES is "perf script --itrace=b -F ip,addr,time" of a trace that a filter confines to a
function of so many bytes, CONVERSION perf's shift, factor and zero of the time-stamp counter,
STAMPS the function's calls as the program saw them: before, at the beginning, at the end, behind.
An entry lies between the first two stamps, an exit between the last two, but for NS.
"""
import re
import sys


def read_branches(path):
    for line in open(path):
        time, source, target = re.match(r" *([\d.]+): +([0-9a-f]+) +=> +([0-9a-f]+)", line).groups()
        yield int(time.replace(".", "")), int(source, 16), int(target, 16)


def read_calls(path, size):
    """The times of each call, interrupted or not: of its entry, and of its exit to the caller."""
    branches = list(read_branches(path))
    start = min(target for _, source, target in branches if source == 0)
    entry, calls = None, []
    for time, source, target in branches:
        if source == 0 and target == start:
            entry = time
        elif source and target and not start <= target < start + size:
            calls.append((entry, time))
    return calls


def main(branches, conversion, stamps, size, ns):
    shift, factor, zero = (int(line, 0) for line in open(conversion))
    stamps = [[zero + (int(stamp) * factor >> shift) & 2**64 - 1 for stamp in line.split()]
              for line in open(stamps)]
    calls = read_calls(branches, size)
    print(len(calls), "calls,", len(stamps), "by the program")
    wrong = len(calls) != len(stamps)
    for (entry, leave), (before, first, last, behind) in zip(calls, stamps):
        if not (before - ns <= entry <= first + ns and last - ns <= leave <= behind + ns):
            print("entry", entry - before, first - entry, "exit", leave - last, behind - leave)
            wrong = True
    return wrong


sys.exit(main(*sys.argv[1:4], int(sys.argv[4], 16), int(sys.argv[5])))
