#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""oracle.py DIR PMU: a set of the file TD_ORACLE through "tdstat report"

Each case of the set is made a recording, in the current folder, and what
TDSTAT reports of it is compared with the values that the file gives.  The last
line says how much was compared; the exit status, whether all of it agreed.
"""

import json
import os
import subprocess
import sys
import zlib

TOLERANCE = 1e-9  # relative
LOOSE = 0.01  # of what depends on how a NaN is taken

# A processor of each directory, and its core PMUs.
MODELS = {
    "alderlake": ("GenuineIntel-6-97-2", ["cpu_core", "cpu_atom"]),
    "arrowlake": ("GenuineIntel-6-C6-2", ["cpu_core", "cpu_atom"]),
    "graniterapids": ("GenuineIntel-6-AD-1", ["cpu"]),
    "lunarlake": ("GenuineIntel-6-BD-1", ["cpu_core", "cpu_atom"]),
    "meteorlake": ("GenuineIntel-6-AA-4", ["cpu_core", "cpu_atom"]),
    "sapphirerapids": ("GenuineIntel-6-8F-8", ["cpu"]),
    "icelakex": ("GenuineIntel-6-6A-6", ["cpu"]),
    "skylakex": ("GenuineIntel-6-55-4", ["cpu"]),
}
TYPES = {"cpu": 4, "cpu_core": 4, "cpu_atom": 10}
SECOND = 10**9
SAMPLES = 100


def event_string(pmu, key):
    """A bare name is the set's PMU's."""
    return key if "/" in key else f"{pmu}/{key}/"


def events_of(case):
    return {key: n for key, n in case["counts"].items() if not key.endswith(":R")}


def latencies_of(oracle_set, case):
    """Sums of samples, whose mean is the latency, and how many they are."""
    return {
        event_string(oracle_set["pmu"], key[: -len(":R")]): [n * SAMPLES, SAMPLES]
        for key, n in case["counts"].items()
        if key.endswith(":R")
    }


def head_of(oracle_set, case):
    cpuid, pmus = MODELS[oracle_set["dir"]]
    literals = case["literals"]
    head = {
        "tdstat": 1,
        "cpuid": cpuid,
        "smt": literals.get("#smt_on") == 1,
        "tsc_hz": 2 * SECOND,
        "interval_ms": 1000,
        "target": "system wide",
        "pmus": [
            {"name": pmu, "type": TYPES[pmu], "cpus": str(i)}
            for i, pmu in enumerate(pmus)
        ],
        "topology": [
            dict(cpu=i, core=i, cluster=i, die=0, socket=0, node=0)
            for i in range(len(pmus))
        ],
        "events": [
            {
                "name": event_string(oracle_set["pmu"], key),
                "pmu": oracle_set["pmu"],
                "group": i,
            }
            for i, key in enumerate(events_of(case))
        ],
    }
    if latencies_of(oracle_set, case):
        head["latencies"] = True
    if literals.get("#has_pmem") == 1:
        head["pmem"] = True
    if literals.get("#core_wide") == 0:
        head["tasks"] = True
        head["target"] = "./program"
    return head


def counts_of(oracle_set, case):
    """On the PMU's first CPU; or, of a program, in its task."""
    cpu = MODELS[oracle_set["dir"]][1].index(oracle_set["pmu"])
    where = [-1, 4711] if case["literals"].get("#core_wide") == 0 else [cpu, -1]
    return [
        [i, *where, count, SECOND, SECOND]
        for i, count in enumerate(events_of(case).values())
    ]


def write_recording(path, oracle_set, case):
    counts = counts_of(oracle_set, case)
    latencies = latencies_of(oracle_set, case)
    with open(path, "w", encoding="utf-8") as fp:
        for line in (
            head_of(oracle_set, case),
            *([{"latencies": latencies}] if latencies else []),
            {"time": 1.0, "counts": counts},
            {"end": {"elapsed": 1.0}},
        ):
            print(json.dumps(line), file=fp)


def report(path, pmu, *options):
    """What TDSTAT says of each metric of a PMU."""
    done = subprocess.run(
        [os.environ["TDSTAT"], "report", "-i", path, "-j", "--no-head", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"report {' '.join(options)}: {done.stderr}")
        return {}
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["metric"]: row for row in rows if row["pmu"] == pmu}


def is_near(got, want, tolerance):
    return abs(got - want) <= tolerance * max(abs(want), abs(got))


class Comparison:
    """Counts what agrees, and prints what does not."""

    def __init__(self, oracle_set):
        self.set = oracle_set
        self.values = self.nulls = self.loose = self.flags = self.wrong = 0

    def complain(self, what):
        self.wrong += 1
        print(f"{self.set['dir']} {self.set['pmu']}, {what}")

    def compare_value(self, case, name, row, what):
        want = case["values"][name]
        factor = float(self.set["scale_unit"][name].rstrip("%"))
        got = row["value"]
        quirk = name in case.get("quirk", [])
        if want is None:
            self.nulls += 1
            right = got is None
        elif quirk:
            # no value is what a NaN makes of any formula: as right as perf's
            self.loose += 1
            right = got is None or is_near(got, want * factor, LOOSE)
        else:
            self.values += 1
            right = got is not None and is_near(got, want * factor, TOLERANCE)
        if not right:
            self.complain(f"{what}: {name} is {got}, not {want} * {factor}")

    def compare_flag(self, case, name, row, what):
        want = case.get("over_threshold", {}).get(name)
        got = row["over_threshold"]
        if row["value"] is None:
            want = None
            if got:
                self.complain(f"{what}: {name} has no value and is over its threshold")
        if want is None or name in case.get("quirk", []):
            return
        self.flags += 1
        if got is not bool(want):
            self.complain(f"{what}: {name} over its threshold: {got}")

    def compare(self, case, name, rows, what):
        if name not in rows:
            self.complain(f"{what}: no {name}")
            return
        row = rows[name]
        if row["unit"] != self.set["scale_unit"][name].lstrip("0123456789."):
            self.complain(f"{what}: the unit of {name} is {row['unit']}")
        self.compare_value(case, name, row, what)
        self.compare_flag(case, name, row, what)

    def all_at_once(self, number, case, path):
        rows = report(path, self.set["pmu"], "-l", "6", "--all")
        for name in case["values"]:
            self.compare(case, name, rows, f"case {number}")
        for name, level in self.set["levels"].items():
            if name in rows and rows[name]["level"] != level:
                self.complain(f"{name} is of level {rows[name]['level']}")

    def by_name(self, number, case, path, alone):
        """Those in alone each by itself, all others together."""
        others = [name for name in case["values"] if name not in alone]
        for names in [[name] for name in alone] + [others]:
            rows = report(path, self.set["pmu"], "-M", ",".join(names))
            if rows and set(rows) != set(names):
                self.complain(f"case {number}: -M {names} shows {list(rows)}")
            for name in names:
                self.compare(case, name, rows, f"case {number}, -M {name}")


def names_alone(sets, oracle_set):
    """A part of a set's names: each name is in the part of one of the sets that have it."""
    chosen = []
    for name in oracle_set["cases"][0]["values"]:
        having = [s for s in sets if name in s["cases"][0]["values"]]
        if having[zlib.crc32(name.encode()) % len(having)] is oracle_set:
            chosen.append(name)
    return chosen


def main():
    directory, pmu = sys.argv[1:]
    with open(os.environ["TD_ORACLE"], encoding="utf-8") as fp:
        oracle = json.load(fp)
    [oracle_set] = [
        s for s in oracle["sets"] if (s["dir"], s["pmu"]) == (directory, pmu)
    ]
    comparison = Comparison(oracle_set)
    for number, case in enumerate(oracle_set["cases"]):
        path = f"{directory}-{pmu}-{number}.jsonl"
        write_recording(path, oracle_set, case)
        comparison.all_at_once(number, case, path)
        if number == 0:
            alone = names_alone(oracle["sets"], oracle_set)
            comparison.by_name(number, case, path, alone)
    print(
        f"{directory} {pmu}: {len(oracle_set['cases'])} cases, "
        f"{comparison.values} values, {comparison.nulls} without a value, "
        f"{comparison.loose} loosely, {comparison.flags} thresholds, "
        f"{comparison.wrong} wrong"
    )
    compared = comparison.values and comparison.flags
    return 0 if compared and not comparison.wrong else 1


if __name__ == "__main__":
    sys.exit(main())
