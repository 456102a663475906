#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares a tree that several runs counted with the truth of a scenario.

  nomultiplex.py FILE PMU SCENARIO LEVEL CPUS

FILE is JSON of tdstat --all; all nodes of the files down to LEVEL must be there,
within half a point, and counted all of the time.  CPUS is how many were counted.
"""
import sys
from pathlib import Path

from scenarios import FILES, NEAR, Truth, json_rows, truth_path
from truth_events import Model
from truth_file import Reader

ALWAYS = 100.0


def main():
    path, pmu, scenario, level, cpus = sys.argv[1:]
    reader = Reader(truth_path())
    truth = Truth(Model(Path(FILES) / reader.model), reader, pmu)
    wanted = truth.at(scenario, (int(cpus), int(cpus)))
    rows = {row["metric"]: row for row in json_rows(Path(path))
            if row["pmu"] == pmu}
    compared, complaints, largest = 0, [], (0, "")
    for name, node in truth.nodes.items():
        if node.level > int(level) or truth.has_latencies(name):
            continue
        row = rows.get(name, {"value": None, "running": 0})
        value = 100 * wanted.metric(name)
        if row["value"] is None:
            complaints.append(f"{name} has no value")
            continue
        compared += 1
        off = abs(row["value"] - value)
        largest = max(largest, (off, name))
        if not off <= NEAR:
            complaints.append(f"{name} is {row['value']:.2f}, not {value:.2f}")
        if row["running"] != ALWAYS:
            complaints.append(f"{name} was counted {row['running']} % of the time")
    print(*complaints, sep="\n")
    print(f"{pmu} {scenario}: {compared} compared, {len(complaints)} wrong, "
          f"off by {largest[0]:.2f} at most ({largest[1]})")
    return 0 if compared > 4 and not complaints else 1


if __name__ == "__main__":
    sys.exit(main())
