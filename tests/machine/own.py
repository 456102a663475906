#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Levels 1 and 2 of what tdstat -j printed, beside the truth of scenarios.

  own.py truth MODEL FILE            what is wanted in its scenarios, to FILE
  own.py is FILE PMU SCENARIO [ID]   every row of FILE (of that id) of the PMU
  own.py phases FILE PMU SCENARIO... rows go from each scenario to the next

What the kernel tree's formulas give is evaluated by tests/emulator/truth, which
has nothing in common with tdstat; on the host, since it takes the machine long.
"""
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/emulator"))
FILES = Path(os.environ.get("TD_PMU_EVENTS", ROOT / "build/pmu-events"))
NEAR = 2  # points
PMUS = {"cpu_core": "core", "cpu_atom": "atom", "cpu": "core"}


def nodes_of(model, reader, scenario, kind):
    """Levels 1 and 2 in percent."""
    from truth_rules import Rates, read_kind
    from truth_values import Values
    from truth_wanted import MODELS, Targets

    formulas, table, rules = read_kind(model, kind)
    targets = Targets(table, scenario, formulas, MODELS[model.name][kind])
    rates = Rates(formulas, rules, targets, reader.scenarios[scenario][kind].rates)
    values = Values(formulas, rates)
    nodes = formulas.nodes()
    return {n: 100 * values.metric(n) for n in nodes if nodes[n].level <= 2}


def write_truth(name, path):
    from truth_events import Model
    from truth_file import Reader

    model = Model(FILES / name)
    reader = Reader(ROOT / f"tests/emulator/scenarios/{name}.truth")
    truth = {
        scenario: {kind: nodes_of(model, reader, scenario, kind) for kind in model.kinds}
        for scenario in reader.scenarios
    }
    Path(path).write_text(json.dumps(truth), encoding="utf-8")


def rows_of(path, pmu, ident=None):
    """(id, time): the values of that row; in the order of the file"""
    rows = {}
    with open(path, encoding="utf-8") as lines:
        for item in map(json.loads, lines):
            if "metric" not in item or item["pmu"] != pmu:
                continue
            if ident in (None, item["id"]):
                place = item["id"], item.get("time")
                rows.setdefault(place, {})[item["metric"]] = item["value"]
    return rows


def off_by(row, want):
    """Points that the worst node is off, and its name."""
    missing = [name for name in want if row.get(name) is None]
    if missing:
        return float("inf"), missing[0]
    return max((abs(row[name] - value), name) for name, value in want.items())


def wanted(pmu, scenario):
    truth = json.loads((ROOT / "build/alderlake.json").read_text(encoding="utf-8"))
    return truth[scenario][PMUS[pmu]]


def check_rows(path, pmu, scenario, ident=None):
    rows = rows_of(path, pmu, ident)
    wrong = not rows
    for place, row in rows.items():
        off, name = off_by(row, wanted(pmu, scenario))
        print(f"{pmu} {place} {scenario}: {off:.2f} points off at {name}")
        wrong |= off > NEAR
    return wrong


def check_phases(path, pmu, *scenarios):
    """Between two scenarios one row may be a mixture."""
    seen = []
    for place, row in rows_of(path, pmu).items():
        if None in row.values():  # it did not run
            continue
        near = [s for s in scenarios if off_by(row, wanted(pmu, s))[0] <= NEAR]
        seen.append(near[0] if near else "?")
        print(place, seen[-1], row)
    mixed = any(a == b == "?" for a, b in zip(seen, seen[1:]))
    plain = [s for s in seen if s != "?"]
    order = [s for i, s in enumerate(plain) if i == 0 or plain[i - 1] != s]
    return mixed or order != list(scenarios)


def main():
    what, *words = sys.argv[1:]
    how = {"truth": write_truth, "is": check_rows, "phases": check_phases}
    return 1 if how[what](*words) else 0


if __name__ == "__main__":
    sys.exit(main())
