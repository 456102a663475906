#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares what tdstat --dry-run says it would open with what perf opens.

  attrs.py compare SUBJECT          every string of this subject, on $TD_MACHINE
  attrs.py check                    is each difference one of a string there is?
  attrs.py show STRING...           what perf opens, and what tdstat would

The strings are in events.txt, where tdstat means to differ in differences.txt,
both beside this file.  perf ($PERF) is read as it says with -vv what it opens,
CPU by CPU; a group of the dry run stands for one on each of its CPUs.  What is
compared is, on each CPU, the groups: which event leads and which are with it,
in any order, and of each event all that tells what it counts.

Not compared, because they are tdstat's own way everywhere: read_format and
sample_type (tdstat reads groups), disabled, inherit and enable_on_exec (tests
of their own), exclude_guest (perf 6.12 sets it where nothing was said, perf
7.2 and tdstat do not), the order of groups (cpu_core comes first).
"""
import argparse
import collections
import os
import re
import subprocess
import sys

from rates import cpu_list

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBERS = ("type", "config", "config1", "config2", "config3", "sample_period",
           "precise_ip", "bp_type")
FLAGS = ("pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv",
         "exclude_idle", "exclude_host")

Attr = collections.namedtuple("Attr", NUMBERS + FLAGS,
                              defaults=(0,) * len(NUMBERS + FLAGS))
# Behaviour of a program for a string: groups on each CPU, or the reason for none; which
# events the kernel refused, and whether the program ended there
Result = collections.namedtuple("Result", "cpus refused failed stopped",
                                defaults=(None, frozenset(), False))


class Wrong(Exception):
    pass


def run(words):
    try:
        return subprocess.run(words, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=60, check=False,
                              errors="replace")
    except subprocess.TimeoutExpired as late:
        raise Wrong(f"no end: {words}") from late


# --- perf --------------------------------------------------------------------

PERF_NAMES = {"{ bp_addr, config1 }": "config1",
              "{ bp_len, config2 }": "config2",
              "{ sample_period, sample_freq }": "sample_period"}
PERF_FIELD = re.compile(r"  (\{ .* \}|\w+) +(\S+)( \(.*\))?$")
PERF_OPEN = re.compile(r"sys_perf_event_open: pid (-?\d+)  cpu (-?\d+)  "
                       r"group_fd (-?\d+)  flags \w+( = (\d+))?$")
# After these messages the same event is tried again, with fewer demands on the kernel
PERF_RETRY = re.compile(r"switching off |decreasing precise_ip")
PERF_CONFIG3 = re.compile(r"bits .* of config3 '(\w+)' not supported")


def perf_attr(lines):
    """The attribute whose fields come next, and whether it is a real one:
    those that only try the kernel out have no size."""
    fields, real = {}, False
    for line in lines:
        found = PERF_FIELD.match(line)
        if not found:
            break
        name = PERF_NAMES.get(found[1], found[1])
        real |= name == "size"
        if name in Attr._fields:
            fields[name] = int(found[2], 0)
    return Attr(**fields), real


def perf_opens(text):
    """[cpu, group_fd, fd or None, attr] of each event, the first time it is
    tried; fd is that of the last time."""
    opens, lines = [], iter(text.splitlines())
    attr = real = retry = None
    for line in lines:
        found = PERF_OPEN.match(line)
        if line == "perf_event_attr:":
            attr, real = perf_attr(lines)
        elif found and real:
            fd = int(found[5]) if found[4] else None
            call = [int(found[2]), int(found[3]), fd, attr]
            # perf skips options that the kernel has refused before, without a message
            if retry or opens and opens[-1] == call[:2] + [None, attr]:
                opens[-1][2] = fd
            else:
                opens.append(call)
            retry = False
        elif PERF_RETRY.match(line):
            retry = True
    return opens


def perf_groups(opens):
    """{cpu: [[leader, member, ...], ...]}"""
    cpus, leads = collections.defaultdict(list), {}
    for cpu, group_fd, fd, attr in opens:
        if group_fd >= 0:
            leads[group_fd].append(attr)
            continue
        cpus[cpu].append([attr])
        if fd is not None:
            leads[fd] = cpus[cpu][-1]
    return cpus


def with_config3(opens, text):
    """perf 6.12 shows config3 only where it warns of it."""
    found = PERF_CONFIG3.search(text)
    if found:
        for call in opens:
            call[3] = call[3]._replace(config3=int(found[1], 0))
    return opens


PERF_REFUSED = 129
PERF_STOPPED = 255  # the kernel refused the leader of a group


def ask_perf(string):
    done = run([os.environ["PERF"], "stat", "-vv", "-a", "-e", string, "true"])
    if done.returncode == PERF_REFUSED:
        said = [line for line in done.stderr.splitlines() if "___" in line]
        return Result({}, refused=said[0].strip() if said else "?")
    if done.returncode not in (0, PERF_STOPPED):
        raise Wrong(f"perf, {string}: {done.returncode}: {done.stderr[-500:]}")
    opens = with_config3(perf_opens(done.stderr), done.stderr)
    failed = frozenset(attr for _, _, fd, attr in opens if fd is None)
    return Result(perf_groups(opens), None, failed, done.returncode != 0)


# --- tdstat ------------------------------------------------------------------

def dry_run_attr(line):
    """  NAME  type 4  config 0x3c ...  flags a,b: the name may hold anything"""
    found = re.match(r"  .*? +(type \d+  config 0x.*)$", line)
    if not found:
        raise Wrong(f"what is this? {line}")
    fields = {}
    for part in found[1].split("  "):
        name, value = part.split()
        if name in NUMBERS:
            fields[name] = int(value, 0)
        elif name == "flags":
            fields.update((flag, 1) for flag in value.split(",")
                          if flag in FLAGS)
    return Attr(**fields)


def dry_run_groups(text):
    cpus, here = collections.defaultdict(list), []
    for line in text.splitlines():
        group = re.match(r"group \d+: .*, (\d+) events?, CPUs ([\d,-]+)", line)
        if group:
            here = cpu_list(group[2])
            for cpu in here:
                cpus[cpu].append([])
        elif line.startswith("  ") and here:
            for cpu in here:
                cpus[cpu][-1].append(dry_run_attr(line))
    return cpus


def ask_tdstat(string):
    done = run([os.environ["TDSTAT"], "--dry-run", "-a", "-e", string])
    if done.returncode:
        why = done.stderr.strip().splitlines() or [""]
        if done.returncode not in (1, 64) or not why[0].startswith("tdstat: "):
            raise Wrong(f"status {done.returncode}: {done.stderr}")
        return Result({}, refused=why[0])
    return Result(dry_run_groups(done.stdout))


# --- one against the other ---------------------------------------------------

def show_attr(attr):
    words = [f"{attr.type}:{attr.config:#x}"]
    words += [f"{name}={value:#x}" for name, value in attr._asdict().items()
              if value and name not in FLAGS + ("type", "config")]
    words += [name for name in FLAGS if getattr(attr, name)]
    return " ".join(words)


def show_group(group):
    text = ", ".join(show_attr(attr) for attr in group)
    return "{" + text + "}" if len(group) > 1 else text


def show_cpus(result):
    """The same groups on several CPUs in one line."""
    if result.refused:
        return f"nothing: {result.refused}"
    where = collections.defaultdict(list)
    for cpu, groups in sorted(result.cpus.items()):
        where["; ".join(map(show_group, groups))].append(str(cpu))
    lines = [f"CPUs {','.join(cpus)}: {what}" for what, cpus in where.items()]
    return " | ".join(lines) or "nothing"


def without(groups, attrs):
    left = [[attr for attr in group if attr not in attrs] for group in groups]
    return [group for group in left if group]


def tried(mine, theirs):
    """What is mine without what perf did not try: an event that the kernel
    refused on one CPU it leaves out on the others."""
    cpus = {}
    for cpu, groups in mine.cpus.items():
        there = {attr for group in theirs.cpus.get(cpu, []) for attr in group}
        cpus[cpu] = without(groups, theirs.failed - there)
    return Result({cpu: groups for cpu, groups in cpus.items() if groups})


def canonical(result):
    """{cpu: groups}, equal where they mean the same."""
    return {cpu: sorted([group[0], *sorted(group[1:])] for group in groups)
            for cpu, groups in result.cpus.items()}


def loose(result):
    """{cpu: events}, whatever their groups."""
    return {cpu: {attr for group in groups for attr in group}
            for cpu, groups in result.cpus.items()}


def begins(mine, theirs):
    """Is theirs what mine begins with?  perf ends where the kernel refuses the
    leader of a group."""
    for cpu, groups in theirs.cpus.items():
        leaders = [group[0] for group in mine.cpus.get(cpu, [])]
        if any(group[0] not in leaders for group in groups):
            return False
    return True


def same(mine, theirs, what):
    if mine.refused or theirs.refused:
        return bool(mine.refused) == bool(theirs.refused)
    if theirs.stopped:
        return begins(mine, theirs)
    mine = tried(mine, theirs)
    if what == "ungrouped":
        return loose(mine) == loose(theirs)
    return canonical(mine) == canonical(theirs)


def compare(string, difference):
    """What is wrong, or None."""
    mine = ask_tdstat(string)
    what, _, other = difference.partition(" ")
    if what == "refused":
        return None if mine.refused else \
            f"tdstat was to refuse it, and opens {show_cpus(mine)}"
    theirs = ask_perf(other or string)
    if other and (theirs.refused or theirs.stopped):
        raise Wrong(f"nothing to compare with: {other}")
    if same(mine, theirs, what):
        return None
    return f"\n\ttdstat opens {show_cpus(mine)}" \
           f"\n\tperf opens {show_cpus(theirs)}" + \
           (f"\n\t\tfor {other}" if other else "")


# --- the lists ---------------------------------------------------------------

def rows(name, columns):
    """Fields of the lines for this machine, without the models, and under
    which [subject] they are."""
    subject = None
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("["):
                subject = line.strip("[]")
            if not line or line[0] in "#[":
                continue
            models, *fields = line.split("\t")
            if len(fields) != columns:
                raise Wrong(f"{name}: {columns + 1} columns: {line}")
            if {"all", os.environ["TD_MACHINE"]} & set(models.split(",")):
                yield subject, fields


def compare_subject(name):
    differences = dict(fields for _, fields in rows("differences.txt", 2))
    strings = [fields[0] for subject, fields in rows("events.txt", 1)
               if subject == name]
    if not strings:
        raise Wrong(f"no strings for {name}")
    whys = [compare(string, differences.get(string, "")) for string in strings]
    wrong = [f"{string}: {why}" for string, why in zip(strings, whys) if why]
    if wrong:
        raise Wrong("\n".join(wrong))


def check_lists():
    strings = {fields[0] for _, fields in rows("events.txt", 1)}
    unknown = [fields[0] for _, fields in rows("differences.txt", 2)
               if fields[0] not in strings]
    if unknown:
        raise Wrong("not in events.txt: " + " ".join(unknown))


def main():
    parser = argparse.ArgumentParser()
    sub = parser.add_subparsers(required=True, dest="what")
    sub.add_parser("compare").add_argument("subject")
    sub.add_parser("check")
    sub.add_parser("show").add_argument("strings", nargs="+")
    args = parser.parse_args()
    try:
        if args.what == "compare":
            compare_subject(args.subject)
        elif args.what == "check":
            check_lists()
        for string in getattr(args, "strings", []):
            print(f"{string}\n\tperf    {show_cpus(ask_perf(string))}"
                  f"\n\ttdstat  {show_cpus(ask_tdstat(string))}")
    except Wrong as wrong:
        sys.exit(f"attrs.py: {wrong}")


if __name__ == "__main__":
    main()
