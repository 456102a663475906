#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Levels 1 and 2 of what tdstat -j printed, beside the truth of scenarios.

  own.py truth MODEL FILE            what is wanted in its scenarios, to FILE
  own.py is FILE PMU SCENARIO [ID]   every row of FILE (of that id) of the PMU;
                                     further ones behind "and"
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
FILES = Path(os.environ.get("TD_PMU_EVENTS_OLD", ROOT / "build/linux/tools/perf/pmu-events/arch/x86"))
NEAR = float(os.environ.get("TD_NEAR", 2))  # points
ERRORS = bool(os.environ.get("TD_ERRORS"))  # or so many as it says itself
STEP = 100 / 255  # of a field of PERF_METRICS
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


def rows_of(path, pmu, ident=None, member="value"):
    """(id, time): the values of that row; in the order of the file"""
    rows = {}
    with open(path, encoding="utf-8") as lines:
        for item in map(json.loads, lines):
            if "metric" not in item or item["pmu"] != pmu:
                continue
            if ident in (None, item["id"]):
                place = item["id"], item.get("time")
                rows.setdefault(place, {})[item["metric"]] = item[member]
    return rows


def off_by(row, want, errors=None):
    """Points that the worst node is off, besides its error, and its name."""
    # a level that was not asked for is not there at all
    want = {name: value for name, value in want.items() if name in row}
    missing = [name for name in want if row[name] is None]
    if missing or not want:
        return float("inf"), (missing or ["nothing there"])[0]
    errors = errors or {}
    return max(
        (max(0, abs(row[name] - value) - (errors.get(name) or 0)), name)
        for name, value in want.items()
    )


def wanted(pmu, scenario):
    # a PMU of only one core type
    name = "sapphirerapids" if pmu == "cpu" else "alderlake"
    truth = json.loads((ROOT / f"build/{name}.json").read_text(encoding="utf-8"))
    return truth[scenario][PMUS[pmu]]


def check_rows(*words):
    """One after the other, split at "and"."""
    words = list(words)
    at = words.index("and") if "and" in words else len(words)
    wrong = check_row(*words[:at])
    return check_rows(*words[at + 1 :]) | wrong if words[at:] else wrong


def check_row(path, pmu, scenario, ident=None):
    rows = rows_of(path, pmu, ident)
    errors = rows_of(path, pmu, ident, "error") if ERRORS else {}
    wrong = not rows
    for place, row in rows.items():
        off, name = off_by(row, wanted(pmu, scenario), errors.get(place))
        print(f"{pmu} {place} {scenario}: {off:.2f} points off at {name}")
        wrong |= off > NEAR
    return wrong


def steps_of(path, pmu):
    """What a row may be off because PERF_METRICS has been rounded.

    The kernel sets it to 0 only where it reads it while the task runs.  Until then
    it is an average of all that has run, and a row is the difference of two averages,
    each of them rounded.
    """
    steps, before, since = {}, 0, 0
    for place, row in rows_of(path, pmu, member="busy").items():
        ran = max(next(iter(row.values())) or 0, 0.01) * (place[1] - since)
        before, since = before + ran, place[1]
        steps[place] = 2 * STEP * before / ran
    return steps


def check_phases(path, pmu, *scenarios):
    """Between two scenarios one row may be a mixture."""
    seen, steps = [], steps_of(path, pmu)
    for place, row in rows_of(path, pmu).items():
        if None in row.values():  # it did not run
            continue
        off, name = min((off_by(row, wanted(pmu, s))[0], s) for s in scenarios)
        seen.append(name if off <= NEAR + steps[place] else "?")
        print(f"{place} {seen[-1]}: {off:.2f} points off {name}, {steps[place]:.2f} by steps", row)
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
