#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads logs of strace -f -y -X raw -e trace=perf_event_open,read.

  syscalls.py opens LOG PLAN       what was opened is what --dry-run said
  syscalls.py reads FEW MANY ROWS GROUPS
                                   MANY has ROWS intervals more than FEW: one
                                   read() of each whole group for each of them
"""
import collections
import re
import sys

from rates import cpu_list

OPEN = re.compile(r"perf_event_open\(\{(?P<attr>.*)\}, (?P<pid>-?\d+), "
                  r"(?P<cpu>-?\d+), (?P<group>-?\d+)(<[^>]*>)?, \w+\) "
                  r"= (?P<fd>-?\d+)")
READ = re.compile(r"read\((?P<fd>\d+)<anon_inode:\[perf_event\]>, .*\) "
                  r"+= (?P<size>-?\d+)")

Opened = collections.namedtuple(
    "Opened", "type config cpu leads inherit enable_on_exec")


def need(condition, what):
    if not condition:
        sys.exit(f"syscalls.py: {what}")


def attr_number(attr, name):
    found = re.search(rf"\b{name}=(\w+)", attr)
    return int(found.group(1), 0) if found else 0


def matches(path, pattern):
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = pattern.search(line)
            need(found or pattern is READ or "perf_event_open" not in line,
                 f"what is this? {line}")
            if found:
                yield found


def is_look(call):
    """At the start: is SLOTS, or a group, to be had?  Single counts, with their times."""
    return attr_number(call["attr"], "read_format") in (2, 3)


def openings(path):
    """Without the software event "dummy", whose page tells the TSC's frequency."""
    for call in matches(path, OPEN):
        numbers = attr_number(call["attr"], "type"), attr_number(call["attr"], "config")
        if numbers != (1, 9) and not is_look(call):
            yield call


def opened(path):
    for call in openings(path):
        need(int(call["fd"]) >= 0, f"refused: {call.group()}")
        yield Opened(attr_number(call["attr"], "type"),
                     attr_number(call["attr"], "config"), int(call["cpu"]),
                     int(call["group"]) < 0,
                     attr_number(call["attr"], "inherit"),
                     attr_number(call["attr"], "enable_on_exec"))


def planned(path):
    """The groups of --dry-run: a line each, and one for each member."""
    cpus, leads = [], False
    with open(path, encoding="utf-8") as file:
        for line in file:
            group = re.match(r"group \d+: \w+, \d+ events, (CPUs ([\d,-]+))?",
                             line)
            member = re.match(r"  \S+ +type (\d+)  config (\w+) .* flags (\S+)",
                              line)
            if group:
                cpus = cpu_list(group.group(2)) if group.group(2) else [-1]
                leads = True
            elif member:
                flags = member.group(3).split(",")
                for cpu in cpus:
                    yield Opened(int(member.group(1)),
                                 int(member.group(2), 0), cpu, leads,
                                 int("inherit" in flags),
                                 int("enable_on_exec" in flags))
                leads = False


def check_opens(log, plan):
    done = collections.Counter(opened(log))
    said = collections.Counter(planned(plan))
    need(done, f"{log}: nothing was opened")
    need(done == said, f"opened but not in the plan: {done - said}; "
                       f"in the plan but not opened: {said - done}")


def group_sizes(log):
    """Leader's descriptor -> bytes of a read of its group."""
    members = collections.Counter()
    for call in openings(log):
        leader = call["fd"] if int(call["group"]) < 0 else call["group"]
        members[leader] += 1
    # the number of events, two times, and a value and an id for each event
    return {fd: 8 * (3 + 2 * nr) for fd, nr in members.items()}


def count_reads(log):
    sizes = group_sizes(log)
    looks = {call["fd"] for call in matches(log, OPEN) if is_look(call)}
    reads = collections.Counter()
    for call in matches(log, READ):
        if call["fd"] in looks and int(call["size"]) in (16, 24):
            continue
        need(sizes.get(call["fd"]) == int(call["size"]),
             f"not one whole group: {call.group()}, sizes {sizes}")
        reads[call["fd"]] += 1
    need(set(reads) == set(sizes), f"groups never read: {reads}, {sizes}")
    return reads


def check_reads(few, many, rows, groups):
    few, many = count_reads(few), count_reads(many)
    need(len(many) == int(groups), f"{len(many)} groups, not {groups}")
    more = {fd: many[fd] - few[fd] for fd in many}
    need(set(more.values()) == {int(rows)},
         f"reads of each group in {rows} intervals: {more}")


if __name__ == "__main__":
    {"opens": check_opens, "reads": check_reads}[sys.argv[1]](*sys.argv[2:])
