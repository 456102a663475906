#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares a tree that several runs counted with the truth of a scenario.

  nomultiplex.py FILE PMU SCENARIO LEVEL CPUS

FILE is JSON of tdstat --all; all nodes of the files down to LEVEL must be there,
within half a point, and counted all of the time.  CPUS is how many were counted.

  nomultiplex.py --errors FILE PMU SCENARIO LEVEL CPUS

The same, and all nodes must have errors, which hold the truth in 9 of 10.
"""
import sys
from pathlib import Path

from scenarios import FILES, NEAR, Truth, json_rows, truth_path
from truth_events import Model
from truth_file import Reader

ALWAYS = 100.0
HELD = 0.9
DIGITS = 0.01  # what the truth file's rates are rounded to, and counts to whole


def main():
    words = sys.argv[1:]
    wants_errors = words[0] == "--errors"
    path, pmu, scenario, level, cpus = words[wants_errors:]
    reader = Reader(truth_path())
    truth = Truth(Model(Path(FILES) / reader.model), reader, pmu)
    wanted = truth.at(scenario, (int(cpus), 1))
    rows = {row["metric"]: row for row in json_rows(Path(path))
            if row.get("pmu") == pmu}
    compared, complaints, largest, held = 0, [], (0, ""), 0
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
        if wants_errors and row["error"] is None:
            complaints.append(f"{name} has no error")
        elif wants_errors:
            held += off <= row["error"] + DIGITS
        if row["running"] != ALWAYS:
            complaints.append(f"{name} was counted {row['running']} % of the time")
    if wants_errors and held < HELD * compared:
        complaints.append(f"only {held} of {compared} intervals hold the truth")
    print(*complaints, sep="\n")
    print(f"{pmu} {scenario}: {compared} compared, {len(complaints)} wrong, "
          f"off by {largest[0]:.2f} at most ({largest[1]})")
    return 0 if compared > 4 and not complaints else 1


if __name__ == "__main__":
    sys.exit(main())
