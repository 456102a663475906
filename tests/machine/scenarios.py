#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the whole tree with the truth of the scenario that the machine counts.

  scenarios.py measure FOLDER [SCENARIO]...   a tree of each, FOLDER/SCENARIO.json
  scenarios.py values FOLDER                  every node is what the formulas give
  scenarios.py sums FOLDER                    children add up to their parents
  scenarios.py bottleneck FOLDER              the deepest node that is marked
  scenarios.py perf FOLDER                    perf's nodes of levels 1 and 2
  scenarios.py latencies FOLDER               perf's nodes that take retire latencies

The truth file is the one that the machine was booted with ($TD_MACHINE_ARGS).
What the kernel tree's formulas make of it is evaluated by tests/emulator/truth,
which has nothing in common with tdstat.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/emulator"))

from truth_events import Model  # noqa: E402
from truth_file import Reader  # noqa: E402
from truth_rules import Rates, read_kind  # noqa: E402
from truth_values import Values  # noqa: E402
from truth_wanted import LEVEL1, MODELS, Targets  # noqa: E402

FILES = os.environ.get("TD_PMU_EVENTS_OLD", ROOT / "build/linux/tools/perf/pmu-events/arch/x86")
NEAR, NEAR_IN_TURNS = 0.5, 2  # points
SHOWS = 0.1  # so large a node has counted something, however short its turns
ALL_THE_TIME = 99.9
SECONDS = "2"
SECONDS_OF_SAMPLES = "6"  # the events take turns
DEVICES = Path("/sys/bus/event_source/devices")
KINDS = {"cpu": "core", "cpu_core": "core", "cpu_atom": "atom"}

# perf 6.12 has no metrics for Lunar Lake.
PERF_GROUPS = {"amdzen4": "PipelineL1,PipelineL2", "lunarlake": None}

# Nodes that are the sum of their children by Intel's and AMD's definition.
SUMS = LEVEL1 + [
    "tma_light_operations", "tma_heavy_operations", "tma_microcode_sequencer",
    "tma_fp_arith", "tma_fp_vector", "tma_int_operations",
    "tma_branch_resteers", "tma_dtlb_load", "tma_dtlb_store",
    "tma_resource_bound", "tma_ifetch_latency", "tma_ifetch_bandwidth",
    "retiring", "bad_speculation", "frontend_bound", "backend_bound",
]


def truth_path():
    return ROOT / re.search(r"--truth (\S+)", os.environ["TD_MACHINE_ARGS"])[1]


def cpus_of(pmu):
    """How many CPUs are online, of this kind and in all."""
    every = count(Path("/sys/devices/system/cpu/online").read_text())
    path = DEVICES / pmu / "cpus"
    return (count(path.read_text()) if path.exists() else every), every


def count(text):
    """A virtual machine may have a PMU without CPUs."""
    ranges = [part.split("-") for part in text.strip().split(",") if part]
    return sum(int(r[-1]) - int(r[0]) + 1 for r in ranges)


class Truth:
    """One kind of core in all scenarios."""

    def __init__(self, model, reader, pmu):
        self.kind, self.reader, self.cpus = KINDS[pmu], reader, cpus_of(pmu)
        self.formulas, self.table, self.rules = read_kind(model, self.kind)
        self.traits = MODELS[model.name][self.kind]
        self.nodes = self.formulas.nodes()

    def targets(self, scenario):
        return Targets(self.table, scenario, self.formulas, self.traits)

    def at(self, scenario, cpus):
        truth = self.reader.scenarios[scenario][self.kind]
        point = Rates(self.formulas, self.rules, self.targets(scenario),
                      truth.rates, latencies=truth.latencies)
        return Values(self.formulas, point, cpus=cpus)

    def values(self, scenario, of_all=1):
        """perf adds up the TSC of all CPUs, tdstat takes that of one."""
        values = self.at(scenario, (self.cpus[0], of_all))
        return {name: 100 * values.metric(name) for name in self.nodes}

    def has_latencies(self, name):
        """Does it take retire latencies (":R"), which samples tell?"""
        words = self.formulas.words_of(name)
        return any(self.formulas.place(word)[1] == "R" for word in words)

    def bottleneck(self, scenario):
        return self.targets(scenario).bottleneck()

    def has_thresholds(self):
        return any(node.threshold for node in self.nodes.values())


class Measured:
    """What tdstat printed of one PMU in one scenario."""

    def __init__(self, scenario, truth, rows):
        self.scenario, self.truth, self.rows = scenario, truth, rows
        self.complaints, self.compared, self.largest = [], 0, (0, "")

    def complain(self, what):
        self.complaints.append(f"{self.scenario} {self.truth.kind}: {what}")

    def compare(self, name, value, wanted, near, may_be_0=False):
        self.compared += 1
        off = abs(value - wanted)
        self.largest = max(self.largest, (off, name))
        # near is much for a small node, but it is not 0
        if not off <= near or (value == 0 and wanted > SHOWS and not may_be_0):
            self.complain(f"{name} is {value:.2f}, not {wanted:.2f}")

    def near(self, names):
        turns = any(self.rows[n]["running"] < ALL_THE_TIME for n in names)
        return NEAR_IN_TURNS if turns else NEAR

    def value(self, name):
        return self.rows[name]["value"] if name in self.rows else None

    def check_values(self):
        wanted = self.truth.values(self.scenario)
        for name in wanted:
            value = self.value(name)
            if value is not None:
                self.compare(name, value, wanted[name], self.near([name]))
            elif not self.has_few_samples(name):
                self.complain(f"{name} has no value")
        for name in set(self.rows) - set(wanted):
            self.complain(f"{name} is no node of the files'")

    def has_few_samples(self, name):
        """Of a latency: an event may be too rare in a scenario, and is said to be."""
        return (self.truth.has_latencies(name)
                and "fewer than 30 samples" in self.rows.get(name, {}).get("why", ""))

    def check_sums(self):
        top = [name for name in self.rows if self.rows[name]["parent"] is None]
        self.check_sum("level 1", 100, top)
        for name in SUMS:
            below = [n for n in self.rows if self.rows[n]["parent"] == name]
            if below and self.value(name) is not None:
                self.check_sum(name, self.value(name), below)

    def check_sum(self, name, whole, parts):
        values = [self.value(part) for part in parts]
        if None not in values:
            near = self.near([n for n in [name, *parts] if n in self.rows])
            self.compare(f"the sum of {name}", sum(values), whole, near)

    def check_bottleneck(self):
        wanted = self.truth.bottleneck(self.scenario)
        if self.truth.has_thresholds():
            marked = [n for n, row in self.rows.items()
                      if row["over_threshold"]]
            level = max((self.rows[n]["level"] for n in marked), default=0)
            found = [n for n in marked if self.rows[n]["level"] == level]
        else:
            found = self.greatest(self.truth.nodes[wanted].level) if wanted else []
        self.compared += 1
        if found != ([wanted] if wanted else []):
            self.complain(f"the deepest marked is {found}, not {wanted}")

    def greatest(self, level):
        """AMD's files have no thresholds: the greatest of what is lost."""
        lost = [n for n, row in self.rows.items() if row["level"] == level
                and "retiring" not in (n, row["parent"])]
        if self.scenario == "retiring_vector":
            lost = [n for n, row in self.rows.items() if row["level"] == level]
        return [max(lost, key=self.value)]

    def check_perf(self, folder):
        path = folder / f"{self.scenario}.perf"
        theirs, turns = perf_rows(path, self.truth.kind)
        for name, value in theirs.items():
            if self.value(name) is not None:
                near = NEAR_IN_TURNS if turns else self.near([name])
                self.compare(f"perf's {name}", value, self.value(name), near)
        if len(theirs) < 4:  # it printed nothing of level 1
            self.complain(f"perf printed {sorted(theirs)}")


    def check_latencies(self, folder):
        """A latency is 0 where its event was too rare for a sample."""
        theirs, _ = perf_rows(folder / f"{self.scenario}.latencies", self.truth.kind)
        wanted = self.truth.values(self.scenario, self.truth.cpus[1])
        for name in filter(self.truth.has_latencies, wanted):
            if name in theirs:
                self.compare(f"perf's {name}", theirs[name], wanted[name],
                             NEAR_IN_TURNS, may_be_0=True)
            else:
                self.complain(f"perf has no {name}")


def json_rows(path):
    for line in path.read_text().splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def perf_rows(path, kind):
    """{node: value}, and whether any event took turns with others.  A metric's
    row is that of the PMU of the event before it."""
    found, turns, pmu = {}, False, "cpu"
    for row in json_rows(path):
        if row.get("event"):
            pmu = re.match(r"(cpu_\w+(?=/)|)", row["event"])[0] or "cpu"
            turns |= KINDS[pmu] == kind and float(row["pcnt-running"]) < ALL_THE_TIME
        name = row.get("metric-unit", "").split()[-1:]
        if name and KINDS[pmu] == kind:
            found[name[0]] = float(row["metric-value"])
    return found, turns


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def perf_groups(model):
    """Those of levels 1 and 2, where there is a perf and it knows the model."""
    try:
        run(os.environ["PERF"], "--version")
    except (OSError, subprocess.CalledProcessError):
        return None
    return PERF_GROUPS.get(model, "TopdownL1,TopdownL2")


def sample_latencies(nodes, path):
    """Perf stat gives perf record three seconds to begin."""
    for _ in range(6):
        ran = subprocess.run(
            [os.environ["PERF"], "stat", "-a", "-j", "--record-tpebs",
             "-M", ",".join(nodes), "-o", path, "sleep", SECONDS],
            check=False, stderr=subprocess.PIPE, text=True)
        if "timeout" not in ran.stderr:
            break
    ran.check_returncode()


def measure(folder, scenarios):
    reader = Reader(truth_path())
    groups = perf_groups(reader.model)
    truths = truths_of(reader).values()
    timed = {n for t in truths for n in t.nodes if t.has_latencies(n)}
    for scenario in scenarios or reader.scenarios:
        run(ROOT / "build/emulator/act", "-u", scenario)
        run(os.environ["TDSTAT"], "-l", "6", "--all", "-a", "-j", "--no-head", "-o",
            folder / f"{scenario}.json", "--", "sleep", SECONDS_OF_SAMPLES if timed else SECONDS)
        if groups and not os.environ["TD_MACHINE"].endswith("vm"):
            run(os.environ["PERF"], "stat", "-a", "-j", "-M", groups,
                "-o", folder / f"{scenario}.perf", "sleep", SECONDS)
        if groups and timed:
            sample_latencies(sorted(timed), folder / f"{scenario}.latencies")


def truths_of(reader):
    model = Model(Path(FILES) / reader.model)
    return {pmu: Truth(model, reader, pmu)
            for pmu in KINDS if (DEVICES / pmu).exists() and cpus_of(pmu)[0]}


def everything(folder):
    """A Measured of each scenario and PMU."""
    truths = truths_of(Reader(truth_path()))
    for path in sorted(folder.glob("*.json")):
        rows = list(json_rows(path))
        for pmu in truths:
            nodes = {r["metric"]: r for r in rows if r["pmu"] == pmu and r["level"]}
            yield Measured(path.stem, truths[pmu], nodes)


def main():
    what, folder = sys.argv[1], Path(sys.argv[2])
    if what == "measure":
        measure(folder, sys.argv[3:])
        return 0
    compared, complaints, largest = 0, [], (0, "")
    for measured in everything(folder):
        if what in ("perf", "latencies"):
            getattr(measured, f"check_{what}")(folder)
        else:
            getattr(measured, f"check_{what}")()
        compared += measured.compared
        complaints += measured.complaints
        off, name = measured.largest
        largest = max(largest, (off, f"{measured.scenario} {name}"))
    print(*complaints, sep="\n")
    off = f", off by {largest[0]:.2f} at most ({largest[1]})" if largest[0] else ""
    print(f"{what}: {compared} compared, {len(complaints)} wrong{off}")
    return 0 if compared and not complaints else 1


if __name__ == "__main__":
    sys.exit(main())
