#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares what tdstat printed with the event rates of the emulated machine.

The rates are those of the machine's README, put through Intel's formulas for
the model ($TD_MACHINE) as it was booted ($TD_MACHINE_ARGS).

  rates.py check FILE [option]...   every row is what the rates give
  rates.py perf FILE PERF           the same numbers as perf stat -j's
  rates.py phases FILE              rows of both profiles, alternating
  rates.py merge FILE RECORDING     --hybrid-merge, from the raw counts

FILE is a table, CSV, JSON or the final result's tree; they are told apart by
their first characters.
"""
import argparse
import csv
import json
import os
import re
import sys

LEVEL_1 = ["tma_retiring", "tma_backend_bound", "tma_frontend_bound",
           "tma_bad_speculation"]
PARENTS = {
    "tma_light_operations": "tma_retiring",
    "tma_heavy_operations": "tma_retiring",
    "tma_memory_bound": "tma_backend_bound",
    "tma_core_bound": "tma_backend_bound",
    "tma_resource_bound": "tma_backend_bound",
    "tma_fetch_latency": "tma_frontend_bound",
    "tma_fetch_bandwidth": "tma_frontend_bound",
    "tma_ifetch_latency": "tma_frontend_bound",
    "tma_ifetch_bandwidth": "tma_frontend_bound",
    "tma_branch_mispredicts": "tma_bad_speculation",
    "tma_machine_clears": "tma_bad_speculation",
}
DEFAULT_FIELDS = "64,16,48,127,16,12,32,80"
LATEST = 0.050  # seconds, or a quarter of an interval, behind its deadline
MANY = 10  # rows
SHIFTED = 1.5  # points: see tolerance_of()
ENDS_AT_CHANGES = 75  # status: rows as long as the phases end where these do, or are wrong


class Wrong(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Wrong(what)


# --- the machine: events in 1024 ns ------------------------------------------

def machine_args(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--td", default=DEFAULT_FIELDS)
    parser.add_argument("--td2")
    parser.add_argument("--skew", type=int, default=0)
    parser.add_argument("--smp")
    args, _ = parser.parse_known_args(words)
    return args


class Machine:
    HYBRID = ("adl", "mtl", "lnl")
    ATOM_WIDTH = {"adl": 5, "mtl": 6, "lnl": 8}

    def __init__(self, words):
        args = machine_args(words)
        self.model = args.model
        self.hybrid = args.model in self.HYBRID
        nr = 8 if self.hybrid or args.model == "spr" else 4
        if args.smp:
            nr = int(args.smp.split(",")[0])
        self.cpus = list(range(nr))
        self.smt = not self.hybrid and "threads=1" not in (args.smp or "")
        self.skew = args.skew
        self.profiles = [[int(b) for b in td.split(",")]
                         for td in (args.td, args.td2 or args.td)]
        self.which = 0

    def pmus(self):
        if not self.hybrid:
            return {"cpu": self.cpus}
        return {"cpu_core": self.cpus[:4], "cpu_atom": self.cpus[4:]}

    def is_atom(self, cpu):
        return self.hybrid and cpu >= 4

    def fields(self, cpu):
        """The eight bytes of PERF_METRICS."""
        b = list(self.profiles[self.which])
        moved = min(self.skew * cpu, b[0])
        b[0] -= moved
        b[3] += moved
        return b

    def cycles(self, cpu):
        return 2048 if self.is_atom(cpu) else 3072

    def slots(self, cpu):
        return self.cycles(cpu) * (8 if self.model == "lnl" else 6)

    def atom_field(self, event, umask):
        """Which field an Atom's event counts."""
        if event == 0x73:
            return 1
        if self.model == "lnl":
            return {(0xc2, 2): 0, (0x9c, 1): 2, (0xa4, 2): 3}.get((event, umask))
        if self.model == "mtl" and (event, umask) == (0x72, 0):
            return 0
        return {(0xc2, 0): 0, (0x71, 0): 2, (0x74, 0): 3}.get((event, umask))

    def event(self, cpu, event, umask):
        cycles = self.cycles(cpu)
        if self.is_atom(cpu):
            field = self.atom_field(event, umask)
            if field is not None:
                width = self.ATOM_WIDTH[self.model]
                return cycles * width * self.fields(cpu)[field] // 255
        if event == 0x3c:
            return 2048 if umask == 1 else cycles
        if event == 0xc0:
            return cycles if self.is_atom(cpu) else cycles * 3 // 2
        if event == 0xc5:
            return cycles // 64
        return 16 + (event * 131 + umask * 17) % 1024


class Sums:
    """Events of some CPUs of one PMU, all of which run all the time."""

    def __init__(self, machine, cpus):
        self.machine, self.cpus = machine, cpus

    def event(self, event, umask):
        return sum(self.machine.event(c, event, umask) for c in self.cpus)

    def slots(self):
        return sum(self.machine.slots(c) for c in self.cpus)

    def fields(self):
        rows = [self.machine.fields(c) for c in self.cpus]
        return [sum(row[i] for row in rows) for i in range(8)]


# --- Intel's formulas --------------------------------------------------------

def perf_metrics_8(s, dropped):
    """Golden Cove and later; dropped: uops dropped, over slots."""
    ret, bad, fe, be, heavy, mispredict, latency, memory = (
        f / sum(s.fields()[:4]) for f in s.fields())
    m = {"tma_retiring": ret, "tma_backend_bound": be,
         "tma_frontend_bound": fe - dropped,
         "tma_heavy_operations": heavy,
         "tma_light_operations": max(0, ret - heavy),
         "tma_memory_bound": memory,
         "tma_core_bound": max(0, be - memory),
         "tma_fetch_latency": latency - dropped}
    m["tma_bad_speculation"] = max(0, 1 - (fe - dropped + be + ret)) \
        if dropped else bad
    m["tma_fetch_bandwidth"] = max(
        0, m["tma_frontend_bound"] - m["tma_fetch_latency"])
    m["tma_branch_mispredicts"] = mispredict
    m["tma_machine_clears"] = max(0, m["tma_bad_speculation"] - mispredict)
    return m


def golden_cove(s):
    return perf_metrics_8(s, s.event(0xad, 0x10) / s.slots())


def lion_cove(s):
    return perf_metrics_8(s, 0)


def shared_level_2(s, m):
    """What Ice Lake and Skylake have in common."""
    mispredicts = s.event(0xc5, 0)
    m["tma_branch_mispredicts"] = m["tma_bad_speculation"] * \
        mispredicts / (mispredicts + s.event(0xc3, 1))
    m["tma_machine_clears"] = max(
        0, m["tma_bad_speculation"] - m["tma_branch_mispredicts"])
    stores = s.event(0xa6, 0x40)
    m["tma_memory_bound"] = m["tma_backend_bound"] * \
        (s.event(0xa3, 0x14) + stores) / \
        (s.event(0xa3, 4) + s.event(0xa6, 2) +
         m["tma_retiring"] * s.event(0xa6, 4) + stores)
    m["tma_core_bound"] = max(
        0, m["tma_backend_bound"] - m["tma_memory_bound"])


def sunny_cove(s):
    slots, total = s.slots(), sum(s.fields()[:4])
    dropped = s.event(0x0d, 0x10)
    ret, _, fe, be = (f / total for f in s.fields()[:4])
    m = {"tma_retiring": ret,
         "tma_frontend_bound": fe - dropped / slots,
         "tma_backend_bound": be + 5 * s.event(0x0d, 1) / slots}
    m["tma_bad_speculation"] = max(0, 1 - sum(m.values()))
    m["tma_fetch_latency"] = (5 * s.event(0x9c, 1) - dropped) / slots
    m["tma_fetch_bandwidth"] = max(
        0, m["tma_frontend_bound"] - m["tma_fetch_latency"])
    shared_level_2(s, m)
    # DEC0 and DEC0,cmask=1 have one rate here: their difference is nothing
    m["tma_heavy_operations"] = \
        s.event(0xc2, 2) / s.event(0x0e, 1) * s.event(0x79, 0x30) / slots
    m["tma_light_operations"] = max(0, ret - m["tma_heavy_operations"])
    return m


def skylake(s):
    """Four slots a cycle.  Of two threads each counts the core's (any=1)."""
    scale = 2 if s.machine.smt else 4
    slots = scale * s.event(0x3c, 0)
    issued, retired = s.event(0x0e, 1), s.event(0xc2, 2)
    recovery = scale * s.event(0x0d, 1)
    m = {"tma_retiring": retired / slots,
         "tma_frontend_bound": s.event(0x9c, 1) / slots,
         "tma_bad_speculation": (issued - retired + recovery) / slots}
    m["tma_backend_bound"] = 1 - sum(m.values())
    m["tma_fetch_latency"] = 4 * s.event(0x9c, 1) / slots
    m["tma_fetch_bandwidth"] = m["tma_frontend_bound"] - m["tma_fetch_latency"]
    shared_level_2(s, m)
    m["tma_heavy_operations"] = \
        (retired + s.event(0xc2, 4) - s.event(0xc0, 0)) / slots
    m["tma_light_operations"] = m["tma_retiring"] - m["tma_heavy_operations"]
    return m


def atom(s):
    model = s.machine.model
    slots = s.machine.ATOM_WIDTH[model] * s.event(0x3c, 0)
    ret, fe, be = {"adl": ((0xc2, 0), (0x71, 0), (0x74, 0)),
                   "mtl": ((0x72, 0), (0x71, 0), (0x74, 0)),
                   "lnl": ((0xc2, 2), (0x9c, 1), (0xa4, 2))}[model]
    m = {"tma_retiring": s.event(*ret) / slots,
         "tma_frontend_bound": s.event(*fe) / slots,
         "tma_backend_bound": s.event(*be) / slots}
    m["tma_bad_speculation"] = \
        1 - sum(m.values()) if model == "adl" else s.event(0x73, 0) / slots
    m["tma_ifetch_latency"] = s.event(0x71, 0x72) / slots
    m["tma_ifetch_bandwidth"] = s.event(0x71, 0x8d) / slots
    m["tma_branch_mispredicts"] = s.event(0x73, 4) / slots
    m["tma_machine_clears"] = s.event(0x73, 3) / slots
    m["tma_core_bound"] = s.event(0x74, 1) / slots
    m["tma_resource_bound"] = m["tma_backend_bound"] - m["tma_core_bound"]
    return m


CORES = {"adl": golden_cove, "mtl": golden_cove, "spr": golden_cove,
         "lnl": lion_cove, "icx": sunny_cove, "tgl": sunny_cove,
         "skx": skylake}


def expected(machine, pmu, cpus, level=1):
    """Metric -> percent."""
    formula = atom if pmu == "cpu_atom" else CORES[machine.model]
    return {name: 100 * value
            for name, value in formula(Sums(machine, cpus)).items()
            if level == 2 or name in LEVEL_1}


# --- the output ---------------------------------------------------------------

class Row:
    def __init__(self, time, pmu, cells, ident="all"):
        self.time, self.pmu, self.cells, self.id = time, pmu, cells, ident


def cell_value(text):
    text = text.strip()
    if text == "<not counted>":
        return None
    return float(text)


def read_table(text):
    """Each value must stand under its column's right edge."""
    lines = text.splitlines()
    header = lines[0]
    cells = [(m.group(), m.end()) for m in re.finditer(r"tma_\w+", header)]
    first = cells[0][1] - max(20, len("%  " + cells[0][0]))
    words = header[:first].split()
    need(words[:2] == ["#", "time"], "header: " + header)
    rows = []
    for line in lines[1:]:
        # and the legend of marks
        if re.fullmatch(r"# (\w+ has no row for intervals|[*?~-] ) ?.*", line):
            continue
        need(not line.startswith("#"), "a second header: " + line)
        values = line[:first].split()
        need(len(values) == len(words) - 1, f"cells: {line!r}")
        row = dict(zip(words[1:], values))
        left, found = first, {}
        for name, right in cells:
            text = line[left:right].lstrip("*?~")  # the mark of the column before
            if text.strip():
                found[name] = cell_value(text)
            left = right
        need(len(line.rstrip("*?~")) <= left, f"behind the last column: {line!r}")
        rows.append(Row(float(row["time"]), row.get("pmu", "cpu"), found,
                        row.get("id", "all")))
    return rows


def read_csv(text):
    lines = list(csv.reader(text.splitlines(), strict=True))
    header = lines[0]
    need(header[:7] == ["time", "id", "pmu", "busy", "share", "running", "ipc"],
         f"header: {header}")
    end = header.index("ghz")  # behind the metrics
    rows = []
    for line in lines[1:]:
        need(line != header, "the header comes twice")
        need(len(line) == len(header), f"fields: {line}")
        for field in line[3:end]:
            need(re.fullmatch(r"(-?\d+\.\d\d)?", field), f"number: {field!r}")
        rows.append(Row(float(line[0]), line[2],
                        {name: float(field) if field else None
                         for name, field in zip(header[7:end], line[7:end])},
                        line[1]))
    return rows


def read_json(text):
    rows = []
    for line in text.splitlines():
        o = json.loads(line)
        if "tdstat_rows" in o:
            continue
        last = rows[-1] if rows else None
        if not last or (last.time, last.id, last.pmu) != \
                (o["time"], o["id"], o["pmu"]):
            last = Row(o["time"], o["pmu"], {}, o["id"])
            rows.append(last)
        need(o["metric"] not in last.cells, f"twice: {line}")
        last.cells[o["metric"]] = o["value"]
    return rows


def read_tree(text):
    """The final result: a tree a PMU."""
    elapsed = re.search(r"^ +([\d.]+) seconds time elapsed$", text, re.M)
    need(elapsed, "no time elapsed")
    rows = []
    for line in text.splitlines():
        heading = re.match(r" (cpu\w*)(, .*)?$", line)
        node = re.match(r" +(-?[\d.]+)(?: ±[\d.?]+)? %  (tma_\w+)", line)
        if heading:
            rows.append(Row(float(elapsed.group(1)), heading.group(1), {}))
        elif node:
            need(node.group(2) not in rows[-1].cells, f"twice: {line}")
            rows[-1].cells[node.group(2)] = float(node.group(1))
    return rows


def read_rows(path, separator=None):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"\A# started on .*\n\n", "", text)
    if separator:
        need(separator in text, f"no {separator!r}")
        text = text.replace(separator, ",")
    need(text.strip(), f"{path} is empty")
    if text.startswith("#"):
        return read_table(text)
    if text.startswith("time,"):
        return read_csv(text)
    if text.startswith("{"):
        return read_json(text)
    need(text.startswith("\n Performance counter stats for "),
         "what is this? " + text[:200])
    return read_tree(text)


# --- comparisons -------------------------------------------------------------

def differences(found, wanted, tolerance):
    """In words; a metric that one side lacks is a difference."""
    out = []
    for name in sorted(set(found) | set(wanted)):
        is_, should = found.get(name), wanted.get(name)
        if is_ is None or should is None or abs(is_ - should) > tolerance:
            show = ["nothing" if v is None else f"{v:.2f}"
                    for v in (is_, should)]
            out.append(f"{name} is {show[0]}, should be {show[1]}")
    return out


def present(cells):
    return {name: value for name, value in cells.items() if value is not None}


def id_cpus(ident, cpus):
    if ident == "all":
        return cpus
    need(re.fullmatch(r"CPU\d+", ident), f"id {ident!r}")
    return [int(ident[3:])]


def cpu_list(text):
    cpus = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def check_times(rows, args):
    times = sorted({row.time for row in rows})
    need([row.time for row in rows] == sorted(row.time for row in rows),
         f"not in the order of time: {[row.time for row in rows]}")
    if args.rows:
        need(len(times) == args.rows, f"{len(times)} intervals: {times}")
    if not args.every:
        return
    # A busy host may delay any row, and then the deadlines in between are missed.  Later
    # rows are at their own deadlines again, which many rows show and few do not.
    every = args.every / 1000
    nth = deadlines(times, every)
    late = [time - n * every for n, time in zip(nth, times)]
    need(all(n >= row for row, n in enumerate(nth, 1)), f"early: {times}")
    if len(times) < MANY:
        return
    need(nth[-1] <= 2 * len(times), f"late by intervals: {times}")
    need(min(late[len(late) // 2:]) < max(LATEST, every / 4),
         f"late, and later: {late}")


def deadlines(times, every):
    """Which of them each time is behind; never before."""
    return [int(time / every + 1e-9) for time in times]


def check_order(rows):
    """Level 1 in its order, children behind their parents."""
    for row in rows:
        names = list(row.cells)
        need([n for n in names if n in LEVEL_1] == LEVEL_1, f"order: {names}")
        above = None
        for name in names:
            if name in LEVEL_1:
                above = name
            else:
                need(PARENTS.get(name) == above, f"order: {names}")


def wanted_rows(machine, args):
    """(id, pmu) of one interval."""
    cpus = cpu_list(args.cpus) if args.cpus else machine.cpus
    pmus = {pmu: [c for c in of if c in cpus]
            for pmu, of in machine.pmus().items()
            if not args.pmus or pmu in args.pmus.split(",")}
    if args.per_cpu:
        return [(f"CPU{c}", pmu) for pmu, of in pmus.items() for c in of], pmus
    return [("all", pmu) for pmu, of in pmus.items() if of], pmus


def tolerance_of(machine, args, rows, row):
    """A busy host reads some CPUs of a row late, and they weigh more in it and less in
    the next; where CPUs differ, that moves what is of all of them."""
    shifted = machine.skew and row.id == "all" and len({r.time for r in rows}) > 1
    return max(args.tolerance, SHIFTED) if shifted else args.tolerance


def means(rows):
    """Of all rows of an id and a PMU, where there are so many that the ends weigh little."""
    places = {}
    for row in rows:
        if present(row.cells):
            places.setdefault((row.id, row.pmu), []).append(row.cells)
    for (ident, pmu), cells in places.items():
        if len(cells) < 4:
            continue
        yield ident, pmu, {name: sum(c[name] for c in cells) / len(cells) for name in present(cells[0])
                           if all(c.get(name) is not None for c in cells)}


def check(machine, args):
    rows = read_rows(args.file, args.separator)
    check_times(rows, args)
    check_order([row for row in rows if present(row.cells)])
    idents, pmus = wanted_rows(machine, args)
    for time in sorted({row.time for row in rows}):
        now = [row for row in rows if row.time == time]
        need(sorted((r.id, r.pmu) for r in now) == sorted(idents),
             f"rows at {time}: {[(r.id, r.pmu) for r in now]}, not {idents}")
    wrong = []
    for row in rows:
        want = {}
        if row.pmu != args.not_counted:
            want = expected(machine, row.pmu, id_cpus(row.id, pmus[row.pmu]),
                            args.level)
        for text in differences(present(row.cells), want, tolerance_of(machine, args, rows, row)):
            wrong.append(f"{row.time} {row.id} {row.pmu}: {text}")
    for ident, pmu, cells in means(rows) if machine.skew else ():
        want = expected(machine, pmu, id_cpus(ident, pmus[pmu]), args.level)
        for text in differences(cells, want, args.tolerance + 0.3):
            wrong.append(f"all rows of {ident} {pmu}: {text}")
    need(not wrong, "\n".join(wrong))


def perf_metrics(path):
    """(pmu, metric) -> percent; a line without an event goes with the last."""
    found, pmu = {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            o = json.loads(line)
            if "event" in o:
                pmu = o["event"].split("/")[0] \
                    if o["event"].startswith("cpu_") else "cpu"
            name = re.fullmatch(r"%  (tma_\w+)", o.get("metric-unit", ""))
            if name:
                found[pmu, name.group(1)] = float(o["metric-value"])
    need(found, f"{path}: no metrics")
    return found


def compare_perf(_machine, args):
    rows = read_rows(args.file)
    mine = {(row.pmu, name): value for row in rows
            for name, value in present(row.cells).items()}
    theirs = perf_metrics(args.perf)
    wrong = []
    for key, value in theirs.items():
        if key not in mine or abs(mine[key] - value) > args.tolerance:
            wrong.append(f"{key}: {mine.get(key)}, perf has {value}")
    need(not wrong, "\n".join(wrong))
    missing = {row.pmu for row in rows} - {pmu for pmu, _ in theirs}
    need(not missing, f"nothing of perf's to compare with: {missing}")


def phase_of(machine, row, cpus, tolerance):
    """0 or 1 for a row of one profile, None for a mixture."""
    for which in (0, 1):
        machine.which = which
        want = expected(machine, row.pmu, cpus)
        if not differences(present(row.cells), want, tolerance):
            return which
    return None


def settled(seen, pmu):
    """CPUs are read one after the other.  A row that ends in the moment of a change is of
    both phases: a change or two may meet one, but not all of them do."""
    mixed = [i for i, phase in enumerate(seen) if phase is None]
    kept = [phase for phase in seen if phase is not None]
    changes = sum(a != b for a, b in zip(kept, kept[1:]))
    need(all({seen[i - 1], seen[i + 1]} == {0, 1} for i in mixed if 0 < i < len(seen) - 1) and
         len(mixed) < changes, f"{pmu}: neither profile: {seen}")
    return [(seen[i - 1] if i else seen[1]) if phase is None else phase for i, phase in enumerate(seen)]


def check_phases(machine, args):
    """Core rows are pure: PERF_METRICS tells the phase at the time of reading.
    Atom rows may straddle, and then lie between the two, more or less: their
    events are read one behind the other."""
    rows = read_rows(args.file)
    check_times(rows, args)
    pmus = machine.pmus()
    for pmu, cpus in pmus.items():
        if args.pmus and pmu not in args.pmus.split(","):
            continue
        mine = [row for row in rows if row.pmu == pmu]
        tolerance = 0.2 if pmu == "cpu_core" else 1
        seen = [phase_of(machine, row, cpus, tolerance) for row in mine]
        need({0, 1} <= set(seen), f"{pmu}: {seen}")
        if pmu == "cpu_core":
            if args.run > 1:
                seen = settled(seen, pmu)
            elif None in seen:
                sys.exit(ENDS_AT_CHANGES)
            nth = deadlines([row.time for row in mine], args.every / 1000)
            passed = [n - before for before, n in zip([0] + nth, nth)]
            check_runs([phase for phase, n in zip(seen, passed)
                        for _ in range(n)], args.run, pmu)
        check_between(machine, mine, cpus, tolerance)


def check_runs(seen, length, pmu):
    """How many rows in turn are of one phase; the ends may be cut short."""
    runs = [len(m.group()) for m in
            re.finditer(r"0+|1+", "".join(map(str, seen)))]
    need(len(runs) > 2, f"{pmu}: {seen}")
    slack = max(1, length // 10) if length > 1 else 0
    for run in runs[1:-1]:
        need(abs(run - length) <= slack, f"{pmu}: runs {runs} of {seen}")


def check_between(machine, rows, cpus, tolerance):
    ends = []
    for machine.which in (0, 1):
        ends.append(expected(machine, rows[0].pmu, cpus))
    for row in rows:
        for name, value in row.cells.items():
            low, high = sorted(end[name] for end in ends)
            need(low - tolerance <= value <= high + tolerance,
                 f"{row.time} {row.pmu}: {name} is {value}, "
                 f"not from {low:.2f} to {high:.2f}")


def recorded_intervals(path):
    """Per interval: time, {event name: sum over CPUs}."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    events = [event["name"] for event in lines[0]["events"]]
    for line in lines[1:]:
        if "counts" not in line:
            continue
        sums = dict.fromkeys(events, 0)
        for event, _cpu, _tid, value, enabled, running in line["counts"]:
            need(enabled == running > 0, f"multiplexed: {events[event]}")
            sums[events[event]] += value
        yield line["time"], sums


def merged(sums):
    """Alder Lake: both PMUs' level 1, each weighted by its slots."""
    def core(name):
        return sums[f"cpu_core/{name}/"]

    def e(name):
        return sums[f"cpu_atom/{name}/"]

    total = sum(core("topdown-" + n)
                for n in ("retiring", "bad-spec", "fe-bound", "be-bound"))
    slots = {"core": core("slots"), "atom": 5 * e("cycles")}
    parts = {"core": {
        "tma_retiring": core("topdown-retiring") / total,
        "tma_backend_bound": core("topdown-be-bound") / total,
        "tma_frontend_bound": core("topdown-fe-bound") / total -
        core("INT_MISC.UOP_DROPPING") / slots["core"]},
        "atom": {
        "tma_retiring": e("topdown-retiring") / slots["atom"],
        "tma_backend_bound": e("topdown-be-bound") / slots["atom"],
        "tma_frontend_bound": e("topdown-fe-bound") / slots["atom"]}}
    for part in parts.values():
        part["tma_bad_speculation"] = 1 - sum(part.values())
    return {name: 100 * sum(parts[p][name] * slots[p] for p in parts) /
            sum(slots.values()) for name in LEVEL_1}


def check_merge(_machine, args):
    rows = read_rows(args.file)
    need({(row.pmu, row.id) for row in rows} == {("all", "all")},
         f"rows: {[(row.pmu, row.id) for row in rows]}")
    intervals = list(recorded_intervals(args.recording))
    need([row.time for row in rows] == [time for time, _ in intervals],
         "not the recording's intervals")
    for row, (_, sums) in zip(rows, intervals):
        wrong = differences(row.cells, merged(sums), 0.011)
        need(not wrong, f"{row.time}: " + "; ".join(wrong))


def main():
    parser = argparse.ArgumentParser()
    sub = parser.add_subparsers(required=True)
    p = sub.add_parser("check")
    p.set_defaults(run_it=check)
    p.add_argument("file")
    p.add_argument("--level", type=int, default=1)
    p.add_argument("--rows", type=int, help="how many intervals")
    p.add_argument("--every", type=int, help="their length in ms")
    p.add_argument("--cpus", help="those counted, as of -C")
    p.add_argument("--pmus", help="those shown")
    p.add_argument("--per-cpu", action="store_true")
    p.add_argument("--not-counted", help="a PMU that has no numbers")
    p.add_argument("--separator")
    p.add_argument("--tolerance", type=float, default=0.2)
    p = sub.add_parser("perf")
    p.set_defaults(run_it=compare_perf)
    p.add_argument("file")
    p.add_argument("perf")
    p.add_argument("--tolerance", type=float, default=0.2)
    p = sub.add_parser("phases")
    p.set_defaults(run_it=check_phases)
    p.add_argument("file")
    p.add_argument("--run", type=int, help="rows of one phase in turn")
    p.add_argument("--pmus")
    p.add_argument("--rows", type=int)
    p.add_argument("--every", type=int)
    p = sub.add_parser("merge")
    p.set_defaults(run_it=check_merge)
    p.add_argument("file")
    p.add_argument("recording")
    args = parser.parse_args()
    machine = Machine(os.environ["TD_MACHINE_ARGS"].split())
    try:
        args.run_it(machine, args)
    except Wrong as wrong:
        sys.exit(f"rates.py: {args.file}: {wrong}")


if __name__ == "__main__":
    main()
