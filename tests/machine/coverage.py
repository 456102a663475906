#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""How many of the stated 95 % intervals hold what really happened in the run.

  coverage.py measure FOLDER LEVEL SEED PROGRAM...
  coverage.py check FOLDER [LEAST [MOST]]     and whether the verdicts are right

A program is SECONDS of one scenario, or SECONDS/PHASE of two or three that take
turns, each for PHASE seconds or so: "2" "6/0.3".  SECONDS@PERIOD is of two, each
for half of a period by the clock: "2@0.008".  Which, the seed says.  LEVEL is a
number or "auto".  LEAST and MOST are in %; without them, what cannot be by chance.
"""
import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path

from run_truth import ACT, Machine, begin, end
from scenarios import DEVICES, KINDS, truth_path
from truth_file import Reader

LEAD = 3  # points: so far before the next, a loss has to be named
SEEN = 0.005  # points: what is less is nobody's error
CLEAR = 25  # % of the slots: over any threshold
LOSSES = ("tma_bad_speculation", "tma_frontend_bound", "tma_backend_bound")
CPU_OF = {"cpu": "0", "cpu_core": "0", "cpu_atom": "3"}


def pmus():
    return [pmu for pmu in KINDS if (DEVICES / pmu).exists()]


def parts_of(program, scenarios, dice):
    """A program's words for act."""
    seconds, _, period = program.partition("@")
    if period:
        half = 500 * float(period)
        times = round(float(seconds) / float(period))
        return ["-r", str(times), *(f"{half}ms:{s}" for s in dice.sample(scenarios, 2))]
    seconds, _, phase = program.partition("/")
    if not phase:
        return [f"{1000 * float(seconds):.0f}ms:{dice.choice(scenarios)}"]
    cast = dice.sample(scenarios, dice.choice([2, 2, 3]))
    left, words = float(seconds), []
    while left > 0:
        long = min(left, float(phase) * dice.uniform(0.5, 1.5))
        words.append(f"{1000 * long + 1:.0f}ms:{cast[len(words) % len(cast)]}")
        left -= long
    return words


def measure(folder, level, seed, *programs):
    dice = random.Random(int(seed))
    scenarios = sorted(Reader(truth_path()).scenarios)
    for number, program in enumerate(programs):
        for pmu in pmus():
            words = parts_of(program, scenarios, dice)
            path = folder / f"{seed}.{number}.{pmu}"
            # steady from its very beginning, which may be long on a busy host
            first = next(word for word in words if ":" in word)
            command = [ACT, f"1ms:{first.partition(':')[2]}", "--"]
            command += [os.environ["TDSTAT"], "-l", level, "--all", "-j", "--verdict"]
            command += ["-o", f"{path}.json", "--", "taskset", "-c", CPU_OF[pmu]]
            begin()
            subprocess.run([*command, ACT, *words], check=True)
            end(f"{path}.sums")
            Path(f"{path}.words").write_text(f"{program}: {' '.join(words)}")


class Run:
    """What was shown of one run, and what happened in it."""

    def __init__(self, machine, path):
        self.pmu = path.suffixes[-2][1:]
        self.words = path.with_suffix(".words").read_text()
        # while tdstat looks for PERF_METRICS, it counts what else there is on CPU 0
        own = {word.partition(":")[2] for word in self.words.split()[1:]}
        self.wanted = machine.values(self.pmu, path.with_suffix(".sums"), own)
        self.nodes, self.verdict = [], None
        for item in map(json.loads, path.read_text().splitlines()):
            if item.get("level") and item["pmu"] == self.pmu and item["value"] is not None:
                self.nodes.append(item)
            elif item.get("verdict", {}).get("pmu") == self.pmu:
                self.verdict = item["verdict"]

    def intervals(self):
        """Each node that tells something, what it was, and whether that is in it."""
        for item in self.nodes:
            want = self.wanted.get(item["metric"])
            # "?": no error is stated; or the machine has no true value
            if item["error"] is None or want is None:
                continue
            # a node that is always 0 is no evidence
            if abs(want) >= SEEN or abs(item["value"]) >= SEEN:
                yield item, want, abs(item["value"] - want) <= item["error"] + SEEN

    def error_of(self, name):
        """What is stated; where groups took turns for too short a time, nothing is."""
        errors = [i["error"] for i in self.nodes if i["metric"] == name]
        return math.inf if None in errors else sum(errors)

    def leader(self, names):
        """The largest, if it leads by more than is not known of both."""
        names = sorted(names, key=self.wanted.get, reverse=True)
        lead = LEAD + sum(map(self.error_of, names[:2]))
        if len(names) > 1 and self.wanted[names[0]] < self.wanted[names[1]] + lead:
            return None
        return names[0] if self.wanted[names[0]] >= CLEAR else None

    def complaint(self):
        """What is wrong with the verdict; None if it need not name anything."""
        loss = self.leader(LOSSES)
        if not loss:
            return None
        path = (self.verdict or {}).get("path") or [None]
        if path[0] == "tma_retiring":
            right = self.wanted["tma_retiring"] > self.wanted[loss] - LEAD
            return "" if right else f"tma_retiring, not {loss}"
        if path[0] != loss:
            return f"{path[0]}, not {loss}"
        below = self.leader([i["metric"] for i in self.nodes if i["parent"] == loss])
        if below and len(path) > 1 and path[1] != below:
            return f"{path[1]}, not {below}"
        return ""


def runs_of(folder):
    paths = sorted(folder.glob("*.json"))
    machine = Machine({path.suffixes[-2][1:] for path in paths})
    return [Run(machine, path) for path in paths]


def print_missed(missed):
    for (pmu, name), lines in sorted(missed.items(), key=lambda m: -len(m[1]))[:12]:
        print(f"{pmu} {name}: {len(lines)} missed; {'; '.join(lines[:4])}")


def share(oks):
    return 100 * sum(oks) / len(oks)


def least_of(nr):
    """What 999 of 1000 sound programs reach, in %, of intervals that each hold what
    happened in 95 of 100 cases; a node has much to do with those above and below it,
    so that of four one tells something new."""
    nr, chance = max(nr // 4, 1), 0
    for held in range(nr + 1):
        chance += math.comb(nr, held) * 0.95**held * 0.05 ** (nr - held)
        if chance > 0.001:
            break
    return 100 * held / nr


def count_held(runs):
    """{"1-2" or "3-6": {(pmu, program): whether each interval held it}}"""
    found, missed = {}, {}
    for run in runs:
        shape = run.words.partition(":")[0]
        for item, want, ok in run.intervals():
            depth = "1-2" if item["level"] <= 2 else "3-6"
            found.setdefault(depth, {}).setdefault((run.pmu, shape), []).append(ok)
            if not ok:
                missed.setdefault((run.pmu, item["metric"]), []).append(
                    f"{item['value']:.3f} ±{item['error']:.3f} not {want:.3f} ({shape})")
    print_missed(missed)
    return found


def has_verdicts(runs):
    wrong, nr = [], 0
    for run in runs:
        complaint = run.complaint()
        nr += complaint is not None
        if complaint:
            wrong.append(f"{run.pmu} {run.words}: {complaint}")
    for line in wrong:
        print(line)
    print(f"{nr} verdicts, {len(wrong)} wrong")
    return not wrong


def check(folder, least=None, most=100):
    runs, told = runs_of(folder), []
    right = has_verdicts(runs)
    for depth, shapes in sorted(count_held(runs).items()):
        every = [ok for oks in shapes.values() for ok in oks]
        for (pmu, shape), oks in sorted(shapes.items()):
            print(f"levels {depth}, {pmu}, {shape} s: {share(oks):.1f} % of {len(oks)}")
        at_least = least_of(len(every)) if least is None else float(least)
        right = right and at_least <= share(every) <= float(most)
        told.append(f"levels {depth}: {share(every):.1f} % of {len(every)} intervals hold "
                    f"what happened (at least {at_least:.1f})")
    print("; ".join(told))
    return right and bool(told)


def main():
    what, folder, *words = sys.argv[1:]
    if what == "measure":
        measure(Path(folder), *words)
        return 0
    return 0 if check(Path(folder), *words) else 1


if __name__ == "__main__":
    sys.exit(main())
