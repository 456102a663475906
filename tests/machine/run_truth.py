# SPDX-License-Identifier: GPL-2.0-only
"""What an ideal processor would have shown of a run of the emulated machine.

The emulator tells how often each event happened on each CPU in each scenario
(tests/emulator/README.md, The truth of a run); the files' formulas make nodes of
the sums, as they do of counts.
"""
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from scenarios import FILES, ROOT, Truth, truth_path
from truth_events import FIXED, Model
from truth_file import Reader
from truth_rules import Rates
from truth_values import Values

ACT = ROOT / "build/emulator/act"
KIND_NAMES = ["core", "atom", "lowpower"]


@dataclass
class Sums:
    """What happened on all CPUs of a kind."""

    ns: float = 0
    cycles: float = 0
    slots: float = 0
    fields: list = field(default_factory=lambda: [0] * 8)
    events: dict = field(default_factory=dict)

    def add(self, line):
        self.ns += line["ns"]
        self.cycles += line["cycles"]
        self.slots += line["slots"]
        self.fields = [a + b for a, b in zip(self.fields, line["fields"])]
        counts = {(FIXED[i], None): n for i, n in enumerate(line["fixed"])}
        for config, extra, n in line["events"]:
            counts[int(config, 16), extra and int(extra, 16)] = n
        for key, n in counts.items():
            self.events[key] = self.events.get(key, 0) + n


def read_sums(path, scenarios=None):
    """{kind: Sums}, of these scenarios alone"""
    sums = {}
    for line in map(json.loads, Path(path).read_text().splitlines()):
        if scenarios and line["scenario"] not in scenarios:
            continue
        sums.setdefault(KIND_NAMES[line["kind"]], Sums()).add(line)
    return sums


def begin():
    """What happened before is no part of the next run."""
    subprocess.run([ACT, "-s"], check=True, stdout=subprocess.DEVNULL)


def end(path):
    with open(path, "w", encoding="utf-8") as out:
        subprocess.run([ACT, "-s"], check=True, stdout=out)


class OfARun(Rates):
    """Sums, as rates a cycle."""

    def __init__(self, truth, sums):
        targets = truth.targets(next(iter(truth.reader.scenarios)))
        rates = {key: n / sums.cycles for key, n in sums.events.items()}
        super().__init__(truth.formulas, truth.rules, targets, rates)
        self.ghz, self.sums = sums.cycles / sums.ns, sums

    def by_rule(self, key, names):
        raise ValueError(f"the machine says nothing of {names}")

    def byte_of(self, index):
        return self.sums.fields[index] / self.sums.cycles


class Machine:
    """The formulas of its kinds of core."""

    def __init__(self, pmus):
        self.reader = Reader(truth_path())
        model = Model(Path(FILES) / self.reader.model)
        self.truths = {pmu: Truth(model, self.reader, pmu) for pmu in pmus}

    def values(self, pmu, path, scenarios):
        """Of these scenarios in a run, {node: %}"""
        truth = self.truths[pmu]
        sums = read_sums(path, scenarios)[truth.kind]
        values = Values(truth.formulas, OfARun(truth, sums))
        return {name: 100 * values.metric(name) for name in truth.nodes}
