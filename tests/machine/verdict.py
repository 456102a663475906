#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does the verdict name what a scenario is named after, or nothing?

  verdict.py RUNS LEVEL SECONDS [SCENARIO]...

A verdict is right if its node is the scenario's or above it in the tree, and if
it says that there is no single cause; another node is wrong.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

from scenarios import FILES, ROOT, Truth, truth_path
from truth_events import Model
from truth_file import Reader

ACT = ROOT / "build/emulator/act"
USEFUL = ("tma_retiring", "tma_light_operations", "tma_heavy_operations")


def verdict_of(scenario, cpu, level, seconds):
    command = [os.environ["TDSTAT"], "-l", level, "--verdict", "-j", "-o", "out", "--"]
    command += ["taskset", "-c", cpu, ACT, f"{seconds}s:{scenario}"]
    subprocess.run(command, check=True)
    with open("out", encoding="utf-8") as lines:
        found = [line["verdict"] for line in map(json.loads, lines) if "verdict" in line]
    return found[0] if found else None


def way_to(truth, scenario):
    """The scenario's node and those above it."""
    way, name = [], truth.bottleneck(scenario)
    while name:
        way.append(name)
        name = truth.formulas.metrics[name].parent
    return way


def is_right(verdict, way):
    node = verdict["node"]
    if verdict["confidence"] == "retiring":
        return not way or way[-1] in USEFUL
    return node is None or node in way


def main():
    runs, level, seconds, *some = sys.argv[1:]
    reader = Reader(truth_path())
    model = Model(Path(FILES) / reader.model)
    kinds = {"cpu_core": "0", "cpu_atom": "3"} if "atom" in model.kinds else {"cpu": "0"}
    words, wrong = {}, []
    for pmu, cpu in kinds.items():
        truth = Truth(model, reader, pmu)
        for scenario in some or reader.scenarios:
            way = way_to(truth, scenario)
            for _ in range(int(runs)):
                verdict = verdict_of(scenario, cpu, level, seconds)
                said = verdict and (verdict["confidence"], verdict["node"])
                words[said] = words.get(said, 0) + 1
                if not verdict or not is_right(verdict, way):
                    wrong.append(f"{pmu} {scenario}: {said}, not {way}")
    for said, times in words.items():
        print(times, said)
    print(*wrong, sep="\n")
    print(f"{sum(words.values())} verdicts, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
