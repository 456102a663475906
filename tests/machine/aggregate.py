#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks aggregations on the emulated machine: the ids and their CPUs out of
sysfs, the counts out of a recording's raw ones, the values out of rates.py.

HOW is cpu, core, cluster, cache, cache=L1 to L3, die, socket, node, or total.
FILE is CSV of events, or JSON of metrics.

  aggregate.py sums HOW FILE RECORDING    each id is the sum of its CPUs' counts
  aggregate.py beside HOW FILE PERF       the ids, numbers and rates of perf
  aggregate.py tree HOW FILE              level 1 of each id by the known rates
  aggregate.py skew HOW FILE              retiring is moved by --skew alone
  aggregate.py weigh FILE                 a recording whose CPUs differ a lot
  aggregate.py raw HOW FILE RECORDING     level 1 of each id by the raw counts
  aggregate.py add FILE TOTAL             the rows of an event are its total
  aggregate.py on FILE ID=CPU...          each id is what runs on that CPU
  aggregate.py groups FILE PERF           the rows of perf's cgroups

Rates may differ by --share (0.15) of them: a busy host may stop a processor
between the kernel's look at its clock and the start of the counters.  What one
group has counted, the instructions of a cycle, may not (0.01).
"""
import argparse
import csv
import glob
import json
import math
import os
import re
import sys

import rates
from rates import need

CPUS = "/sys/devices/system/cpu"
# Counts in a nanosecond
RATES = {"cycles": {"cpu_atom": 2.0, "": 3.0},
         "instructions": {"cpu_atom": 2.0, "": 4.5}}


# --- which CPUs belong together ----------------------------------------------

def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def online():
    return rates.cpu_list(text(f"{CPUS}/online"))


def place(cpu, name):
    return int(text(f"{CPUS}/cpu{cpu}/topology/{name}"))


def cache(cpu, level):
    """Its level, and the first of the CPUs that share it."""
    found = {}
    for index in glob.glob(f"{CPUS}/cpu{cpu}/cache/index*"):
        if text(f"{index}/type") != "Instruction":
            found[int(text(f"{index}/level"))] = \
                rates.cpu_list(text(f"{index}/shared_cpu_list"))
    level = level or max(found)
    return level, min(found[level])


def node(cpu):
    return next(int(re.search(r"\d+$", path).group())
                for path in glob.glob(f"{CPUS}/cpu{cpu}/node[0-9]*"))


def key(how, cpu):
    """The numbers that are in an id, in their order."""
    package = place(cpu, "physical_package_id")
    die = place(cpu, "die_id")
    word, _, level = how.partition("=L")
    return {"total": lambda: (),
            "cpu": lambda: (cpu,),
            "core": lambda: (package, die, place(cpu, "core_id")),
            "cluster": lambda: (package, die, place(cpu, "cluster_id")),
            "cache": lambda: (package, die, *cache(cpu, int(level or 0))),
            "die": lambda: (package, die),
            "socket": lambda: (package,),
            "node": lambda: (node(cpu),)}[word]()


FORMS = {"total": "", "cpu": "CPU{}", "core": "S{}-D{}-C{}",
         "cluster": "S{}-D{}-CLS{}", "cache": "S{}-D{}-L{}-ID{}",
         "die": "S{}-D{}", "socket": "S{}", "node": "N{}"}


def places(how):
    """id -> CPUs, in the order of the numbers."""
    found = {}
    for cpu in online():
        found.setdefault(key(how, cpu), []).append(cpu)
    form = FORMS[how.partition("=")[0]]
    return {form.format(*numbers): found[numbers] for numbers in sorted(found)}


# --- events ------------------------------------------------------------------

class Count:
    """A row of CSV; value: None if it was not counted."""

    def __init__(self, ident, nr, fields):
        self.id, self.nr = ident, nr
        self.text, self.unit, self.event = fields[:3]
        self.value = None if self.text.startswith("<") else float(self.text)
        self.cgroup = fields.pop(3) if not fields[3].isdigit() else None
        self.running = int(fields[3])

    def rate(self):
        """What the machine counts of it in a nanosecond."""
        pmu, _, name = self.event.rpartition("/")[0].rpartition("/")
        of = RATES.get(name or self.event)
        return of and of["cpu_atom" if pmu == "cpu_atom" else ""]


def counts(path, how="total"):
    """how: which fields stand before the value."""
    ids = {"total": 0, "cpu": 1, "thread": 1}.get(how, 2)
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in csv.reader(file):
            if line and not line[0].startswith("#"):
                nr = int(line[1]) if ids == 2 else 1
                rows.append(Count(line[0] if ids else "", nr, line[ids:]))
    need(rows, f"{path} is empty")
    return rows


def by_event(rows):
    found = {}
    for row in rows:
        found.setdefault(row.event, []).append(row)
    return found


def recording(path):
    """The events, and {(event, CPU): value}."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    values = {}
    for event, cpu, _, value, enabled, running in \
            sum((line.get("counts", []) for line in lines), []):
        need(enabled == running > 0, f"event {event} took turns on CPU {cpu}")
        values[event, cpu] = values.get((event, cpu), 0) + value
    return lines[0]["events"], values


def as_printed(event, value):
    return f"{value * event['scale']:.2f}" if "unit" in event else str(value)


def sums(args):
    events, values = recording(args.recording)
    want = []
    for n, event in enumerate(events):
        for ident, cpus in places(args.how).items():
            mine = [values[n, c] for c in cpus if (n, c) in values]
            if mine:
                nr = 1 if args.how in ("total", "cpu") else len(mine)
                want.append((event["name"], ident, nr,
                             as_printed(event, sum(mine))))
    if args.how not in ("total", "cpu"):  # as perf: all events of an id
        ids = list(places(args.how))
        want.sort(key=lambda row: ids.index(row[1]))
    found = [(row.event, row.id, row.nr, row.text)
             for row in counts(args.file, args.how)]
    need(found == want, f"{found}, should be {want}")


def add(args):
    """Of text such as 12.34 each may have been rounded by a half."""
    total = {row.event: row for row in counts(args.total)}
    parts = by_event(counts(args.file, "thread"))
    need(parts.keys() == total.keys(), f"{list(parts)}, {list(total)}")
    for event, rows in parts.items():
        got = sum(row.value or 0 for row in rows)
        slack = 0.005 * (len(rows) + 1) if rows[0].unit else 0
        need(abs(got - total[event].value) <= slack,
             f"{event}: {got}, in all {total[event].value}")


def near(one, other, share):
    return other * (1 - share) <= one <= other * (1 + share)


def same_rates(ours, theirs, share):
    """Per nanosecond that they ran; by the known rate, too."""
    for mine, its in zip(ours, theirs):
        what = f"{mine.id} {mine.event} {mine.cgroup or ''}"
        need((mine.value is None) == (its.value is None),
             f"{what}: {mine.text}, perf's {its.text}")
        if mine.value is None:
            continue
        speed = mine.value / mine.running
        if not mine.unit:
            need(near(speed, its.value / its.running, share),
                 f"{what}: {speed} a ns, perf's {its.value / its.running}")
        if mine.rate():
            need(near(speed, mine.rate(), share),
                 f"{what}: {speed} a ns, should be {mine.rate()}")


def same_ratios(ours, theirs):
    """Instructions a cycle, which are counted at the same time."""
    for event in ours:
        cycles = event.replace("instructions", "cycles")
        if event == cycles:
            continue
        for rows in zip(ours[event], ours[cycles], theirs[event], theirs[cycles]):
            mine, its = (one.value / other.value
                         for one, other in (rows[:2], rows[2:]))
            need(near(mine, its, 0.01),
                 f"{rows[0].id} {event}: {mine} a cycle, perf's {its}")


def beside(args):
    """perf also shows the other PMU's events of an id: "<not counted>"."""
    ours = by_event(counts(args.file, args.how))
    theirs = by_event(row for row in counts(args.perf, args.how)
                      if row.value is not None)
    need(sorted(ours) == sorted(theirs), f"{list(ours)}, perf's {list(theirs)}")
    for event, rows in ours.items():
        found, want = ([(row.id, row.nr) for row in of]
                       for of in (rows, theirs[event]))
        need(found == want, f"{event}: {found}, perf's {want}")
        same_rates(rows, theirs[event], args.share)
    same_ratios(ours, theirs)
    known = list(places(args.how))
    seen = {row.id for rows in ours.values() for row in rows}
    need(sorted(seen) == sorted(known), f"{seen}, should be {known}")


def groups(args):
    """perf has the Atom's events before the Core's."""
    def rows(path):
        return sorted(counts(path), key=lambda row: (row.event, row.cgroup))

    ours, theirs = rows(args.file), rows(args.perf)
    found, want = ([(r.event, r.cgroup) for r in of] for of in (ours, theirs))
    need(found == want, f"{found}, perf's {want}")
    order, its = (list(dict.fromkeys(row.cgroup for row in counts(path)))
                  for path in (args.file, args.perf))
    need(order == its, f"{order}, perf's {its}")
    same_rates(ours, theirs, args.share)
    need(any(row.value for row in ours), "nothing was counted")


# --- metrics -----------------------------------------------------------------

def metrics(path):
    """(id, pmu) -> metric -> value"""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if "tdstat_rows" in row:
                continue
            cells = found.setdefault((row["id"], row["pmu"]), {})
            need(row["metric"] not in cells, "twice: " + line)
            cells[row["metric"]] = row["value"]
    need(found, f"{path} is empty")
    return found


def parts(machine, how):
    """(id, pmu) -> CPUs: only PMUs that there are on an id."""
    return {(ident, pmu): [c for c in cpus if c in of]
            for ident, cpus in places(how).items()
            for pmu, of in machine.pmus().items() if set(cpus) & set(of)}


def same_ids(found, want):
    need(list(found) == list(want), f"{list(found)}, should be {list(want)}")


def tree(args, machine):
    """How long CPUs were counted differs a little: not all weigh the same."""
    want = parts(machine, args.how)
    found = metrics(args.file)
    same_ids(found, want)
    for (ident, pmu), cpus in want.items():
        need(list(found[ident, pmu]) == rates.LEVEL_1, f"{ident}: the order")
        wrong = rates.differences(found[ident, pmu],
                                  rates.expected(machine, pmu, cpus),
                                  0.2 if len(cpus) == 1 else 0.6)
        need(not wrong, f"{ident} {pmu}: " + "; ".join(wrong))


def skew(args, machine):
    want = parts(machine, args.how)
    found = metrics(args.file)
    same_ids(found, want)
    need(machine.skew > 0, "not booted with --skew")
    for (ident, pmu), cpus in want.items():
        moved = machine.skew * sum(cpus) / len(cpus)
        retiring, backend = (found[ident, pmu]["tma_" + name]
                             for name in ("retiring", "backend_bound"))
        for got, byte in ((retiring, 64 - moved), (backend, 127 + moved)):
            need(abs(got - 100 * byte / 255) < 0.1,
                 f"{ident} {pmu}: {got}, should be {100 * byte / 255}")


def weigh(args):
    """CPUs with odd numbers have ten times as much of everything."""
    with open(args.file, encoding="utf-8") as file:
        for line in map(json.loads, file):
            for count in line.get("counts", []):
                count[3] *= 10 if count[1] % 2 else 1
            print(json.dumps(line))


def level_1(events, values, cpus, atom):
    """Intel's formulas."""
    def of(name):
        return sum(values.get((n, cpu), 0) for n, event in enumerate(events)
                   for cpu in cpus
                   if event["name"].rstrip("/").rpartition("/")[2] == name)

    names = ("retiring", "be-bound", "fe-bound")
    if atom:
        ret, back, front = (of("topdown-" + name) / (5 * of("cycles"))
                            for name in names)
    else:
        four = sum(of("topdown-" + name) for name in (*names, "bad-spec"))
        ret, back, front = (of("topdown-" + name) / four for name in names)
        front -= of("INT_MISC.UOP_DROPPING") / of("slots")
    return {"tma_retiring": 100 * ret, "tma_backend_bound": 100 * back,
            "tma_frontend_bound": 100 * front,
            "tma_bad_speculation": 100 * max(0, 1 - ret - back - front)}


def raw(args, machine):
    events, values = recording(args.recording)
    want, found = parts(machine, args.how), metrics(args.file)
    same_ids(found, want)
    apart = 0
    for (ident, pmu), cpus in want.items():
        atom = pmu == "cpu_atom"
        for name, value in level_1(events, values, cpus, atom).items():
            got = found[ident, pmu][name]
            need(math.isclose(got, value, rel_tol=1e-9),
                 f"{ident} {pmu}: {name} is {got}, should be {value}")
            mean = sum(level_1(events, values, [cpu], atom)[name]
                       for cpu in cpus) / len(cpus)
            apart = max(apart, abs(mean - value))
    need(apart > 0.1 or all(len(cpus) == 1 for cpus in want.values()),
         "the mean of the CPUs' values would be the same")


# --- what runs on one CPU ----------------------------------------------------

def alone(machine, found, cpu, ident):
    """A task or cgroup whose id begins so: values of that CPU's PMU alone."""
    rows = {pmu: cells for (name, pmu), cells in found.items()
            if re.fullmatch(re.escape(ident) + r"(-\d+)?", name)}
    mine = next(pmu for pmu, of in machine.pmus().items() if cpu in of)
    need(mine in rows, f"{ident}: no {mine} in {list(found)}")
    for pmu, cells in rows.items():
        want = rates.expected(machine, pmu, [cpu]) if pmu == mine else {}
        wrong = rates.differences(rates.present(cells), want, 0.3)
        need(not wrong, f"{ident} {pmu}: " + "; ".join(wrong))


def on_cpus(args, machine):
    found = metrics(args.file)
    for word in args.ids:
        ident, _, cpu = word.rpartition("=")
        alone(machine, found, int(cpu), ident)


COMMANDS = {"sums": (sums, "how file recording"),
            "beside": (beside, "how file perf"),
            "tree": (tree, "how file"), "skew": (skew, "how file"),
            "weigh": (weigh, "file"), "raw": (raw, "how file recording"),
            "add": (add, "file total"), "groups": (groups, "file perf"),
            "on": (on_cpus, "file")}


def main():
    parser = argparse.ArgumentParser()
    sub = parser.add_subparsers(required=True)
    for name, (run_it, words) in COMMANDS.items():
        p = sub.add_parser(name)
        p.set_defaults(run_it=run_it)
        for word in words.split():
            p.add_argument(word)
        if name == "on":
            p.add_argument("ids", nargs="+")
        p.add_argument("--share", type=float, default=0.15)
    args = parser.parse_args()
    wants_machine = args.run_it in (tree, skew, raw, on_cpus)
    machine = rates.Machine(os.environ["TD_MACHINE_ARGS"].split())
    try:
        args.run_it(*([args, machine] if wants_machine else [args]))
    except rates.Wrong as wrong:
        sys.exit(f"aggregate.py: {args.file}: {wrong}")


if __name__ == "__main__":
    main()
