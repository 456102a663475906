#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""How many of the stated 95 % intervals hold the truth.

  coverage.py measure FOLDER ROUNDS LEVEL SECONDS [SCENARIO]...
  coverage.py check FOLDER LEAST MOST

The machine's rates walk around the truth (tests/emulator/README.md, noise).
"""
import json
import os
import subprocess
import sys
from pathlib import Path

from scenarios import FILES, ROOT, Truth, truth_path  # noqa: F401
from truth_events import Model
from truth_file import Reader

ACT = ROOT / "build/emulator/act"


def measure(folder, rounds, level, seconds, *some):
    scenarios = some or tuple(Reader(truth_path()).scenarios)
    for turn in range(int(rounds)):
        for scenario in scenarios:
            subprocess.run([ACT, "-u", scenario], check=True)
            command = [os.environ["TDSTAT"], "-a", "-l", level, "--all", "-j"]
            command += ["-o", folder / f"{scenario}.{turn}.json", "--", "sleep", seconds]
            subprocess.run(command, check=True)


def nodes(path):
    with open(path, encoding="utf-8") as lines:
        for item in map(json.loads, lines):
            if item.get("level") and item["value"] is not None:
                yield item


def truths(pmus):
    reader = Reader(truth_path())
    model = Model(Path(FILES) / reader.model)
    return {pmu: Truth(model, reader, pmu) for pmu in pmus}


def held(folder):
    """For each level: how many intervals there are, and how many hold the truth."""
    paths = sorted(folder.glob("*.json"))
    known = truths({item["pmu"] for path in paths for item in nodes(path)})
    result, missed = {}, {}
    for path in paths:
        scenario = path.name.split(".")[0]
        values = {pmu: truth.values(scenario) for pmu, truth in known.items()}
        for item in nodes(path):
            want = values[item["pmu"]].get(item["metric"])
            # what is never anything else than 0 tells nothing
            if want is None or (abs(want) < 0.005 and abs(item["value"]) < 0.005):
                continue
            stated = result.setdefault(item["level"], [])
            ok = item["error"] is not None and abs(item["value"] - want) <= item["error"]
            stated.append(ok)
            if not ok:
                missed.setdefault((item["pmu"], item["metric"]), []).append(
                    f"{scenario}: {item['value']:.2f} ±{item['error']} not {want:.2f}")
    for key, lines in sorted(missed.items(), key=lambda m: -len(m[1]))[:6]:
        print(*key, len(lines), *lines[:4], sep="; ")
    return result


def check(folder, least, most):
    result = held(folder)
    every = [ok for level in result.values() for ok in level]
    percent = 100 * sum(every) / len(every)
    levels = ", ".join(
        f"level {level}: {sum(oks)} of {len(oks)}" for level, oks in sorted(result.items()))
    print(f"{percent:.1f} % of {len(every)} intervals hold the truth ({levels})")
    return not float(least) <= percent <= float(most)


def main():
    what, folder, *words = sys.argv[1:]
    how = {"measure": measure, "check": check}
    return 1 if how[what](Path(folder), *words) else 0


if __name__ == "__main__":
    sys.exit(main())
