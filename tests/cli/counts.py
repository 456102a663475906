# SPDX-License-Identifier: GPL-2.0-only
"""The truth for scripts.bats: level 1 of Golden Cove and Gracemont out of the raw
counts of a recording, by nothing that tdstat has printed.

counts.py agree TRUTH GOT TOLERANCE   the same lines, numbers to within TOLERANCE
"""

import json
import sys
from collections import defaultdict

NODES = ["tma_retiring", "tma_backend_bound", "tma_frontend_bound", "tma_bad_speculation"]


class Counts:
    """A recording, and the sums of its counts over what one asks for."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.head = lines[0]
        self.names = [event["name"] for event in self.head["events"]]
        self.pmus = [pmu["name"] for pmu in self.head["pmus"]]
        self.place = {cpu["cpu"]: cpu for cpu in self.head["topology"]}
        self.cpus = sorted(self.place)
        rows = [line for line in lines if "counts" in line]
        self.times = [row["time"] for row in rows]
        self.seconds = [end - begin for end, begin in zip(self.times, [0] + self.times)]
        self.rows = [row["counts"] for row in rows]
        self.intervals = range(1, len(rows) + 1)
        self.elapsed = lines[-1]["end"]["elapsed"]

    def pmu_of(self, cpu):
        """The core PMU of a CPU."""
        for pmu in self.head["pmus"]:
            first, _, last = pmu["cpus"].partition("-")
            if int(first) <= cpu <= int(last or first):
                return pmu["name"]
        raise KeyError(cpu)

    def sums(self, interval=None, cpus=None, cgroup=None):
        """By PMU and name, the counts, each CPU's scaled to its whole time."""
        found = defaultdict(float)
        for number, counts in zip(self.intervals, self.rows):
            for event, cpu, _, value, enabled, running, *more in counts:
                name = self.names[event]
                # a clone is the reference of another group
                if (
                    interval in (None, number)
                    and (cpus is None or cpu in cpus)
                    and (cgroup is None or more[0] == cgroup)
                    and event == self.names.index(name)
                    and running
                ):
                    pmu, name = name.strip("/").split("/")
                    found[pmu, name] += value * enabled / running
        return found

    def slots(self, pmu, **where):
        """The slots of a PMU: its own count, or five for each cycle of a Gracemont."""
        sums = self.sums(**where)
        return sums[pmu, "slots"] or 5 * sums[pmu, "cycles"]

    def lost(self, pmu, **where):
        """The slots that did not retire."""
        return self.slots(pmu, **where) * (100 - self.shares(pmu, **where)[NODES[0]]) / 100

    def shares(self, pmu, **where):
        """Level 1 in percent of the slots."""
        sums = self.sums(**where)
        slots = self.slots(pmu, **where)
        fields = [sums[pmu, f"topdown-{name}"] for name in ("retiring", "be-bound", "fe-bound", "bad-spec")]
        parts = fields
        if (pmu, "slots") in sums:
            # of PERF_METRICS: shares of the sum, without the dropped uops
            parts = [field / sum(fields) * slots for field in fields]
            parts[2] -= sums[pmu, "INT_MISC.UOP_DROPPING"]
        parts[3] = max(0, slots - sum(parts[:3]))
        return {node: 100 * part / slots for node, part in zip(NODES, parts)}

    def running(self, interval):
        """By PMU, the least share of the time that an event had a counter, in percent."""
        times = defaultdict(lambda: [0, 0])
        for event, _, _, _, enabled, running, *_ in self.rows[interval - 1]:
            times[event][0] += enabled
            times[event][1] += running
        least = defaultdict(lambda: 100.0)
        for event, (enabled, running) in times.items():
            pmu = self.names[event].split("/")[0]
            least[pmu] = min(least[pmu], 100 * running / enabled)
        return least


def agree(truth, got, tolerance):
    """Whether two files say the same."""
    with open(truth, encoding="utf-8") as file:
        truth = file.read().splitlines()
    with open(got, encoding="utf-8") as file:
        got = file.read().splitlines()
    wrong = ["no truth to compare with"] if not truth else []
    if len(truth) != len(got):
        wrong.append(f"{len(got)} lines, not {len(truth)}")
    for right, line in zip(truth, got):
        fields = line.split()
        if len(fields) != len(right.split()):
            wrong.append(f"{line!r} is not {right!r}")
        for expected, field in zip(right.split(), fields):
            try:
                if abs(float(expected) - float(field)) <= tolerance:
                    continue
            except ValueError:
                if expected == field:
                    continue
            wrong.append(f"{line!r} is not {right!r}")
            break
    return wrong


if __name__ == "__main__":
    errors = agree(sys.argv[2], sys.argv[3], float(sys.argv[4]))
    print(*errors, sep="\n")
    sys.exit(bool(errors))
