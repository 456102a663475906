#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares metrics of tdstat with those of perf, one after the other.

  metrics.py compare LEVEL     every metric of perf's TopdownL1 to TopdownL<LEVEL>
  metrics.py generated STEP    each STEP-th of those that perf's build makes, lpm_*
  metrics.py deep              every metric of the whole tree, all in one run

compare: names and levels are perf's ($PERF list).  Each is measured by both on
the whole machine, whose rates do not change.  What perf could not count all the
time is left out, and said; so is what takes retire latencies, which are 0 there
without --record-tpebs.  What differs is measured again by both, twice at most:
a busy host may stop a processor in either's second.

generated: all names are compared.  Where perf has one name for two metrics, it shows
two values without a difference; those are left out, and sums, which grow with the run.
What is per second is as steady as the host.

deep: what a run shows whose groups take turns has to be what each metric shows
when its events are the only ones.
"""
import json
import os
import re
import subprocess
import sys

TOLERANCE = 0.3  # points
# Samples of 6 % of the time: tolerance in points, or for large values as a share (some are
# thousands of per cent on this machine)
DEEP_POINTS, DEEP_SHARE = 1, 0.05
# Tolerances of ratios that may be large, and of rates per second.
SHARE, RATE_SHARE = 0.02, 0.25
# Metrics that depend on the moment or on the length of the run; and on a hybrid, perf uses
# the cycles of the other core type where only one type has the events.
UNLIKE = re.compile("lpm_cs_.*|lpm_cycles_total|lpm_fpu_total_flopc")
SECONDS = "0.3"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def names(level):
    """The nodes of the tree; figures about it are in the same groups."""
    out, _ = run(os.environ["PERF"], "list", "-j", "metric")
    groups = {f"TopdownL{n}" for n in range(1, level + 1)}
    found = {m["MetricName"] for m in json.loads(out)
             if groups & set(m.get("MetricGroup", "").split("; "))
             or groups & set(m.get("MetricGroup", "").split(";"))}
    return sorted(n for n in found if not n.startswith("tma_info_"))


def generated():
    """Of both: names of lpm_*, each as often as there is one on any kind of core."""
    perf, _ = run(os.environ["PERF"], "list", "-j", "metric")
    ours, _ = run(os.environ["TDSTAT"], "list", "-j", "metrics", "lpm_*")
    theirs = [m["MetricName"] for m in json.loads(perf)]
    return ({m["name"] for m in lines(ours)},
            [name for name in theirs if name.startswith("lpm_")])


def lines(text):
    for line in text.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def of_perf(name):
    """{pmu: value}, and whether all of it was counted all the time."""
    _, err = run(os.environ["PERF"], "stat", "-j", "-M", name, "-a", "--",
                 "sleep", SECONDS)
    values, pmu, whole = {}, None, True
    for row in lines(err):
        if "event" in row:
            pmu = row["event"].split("/")[0] if "/" in row["event"] else "cpu"
            if not pmu.startswith("cpu"):
                pmu = "cpu"
            whole = whole and float(row["pcnt-running"]) > 99.9
        unit = row.get("metric-unit", "").split()
        if unit and unit[-1] == name:
            values[pmu] = float(row["metric-value"])
    return values, whole


def of_tdstat(name):
    _, err = run(os.environ["TDSTAT"], "-j", "--no-head", "-M", name, "-a", "--",
                 "sleep", SECONDS)
    return {row["pmu"]: row for row in lines(err) if row["metric"] == name}


def sampled(found):
    """Those with latencies in them, which tests/machine/latency.bats compares: half by half."""
    out, _ = run(os.environ["TDSTAT"], "--dry-run", "-a", "-M", ",".join(found))
    if "sampled for its latency" not in out:
        return set()
    half = len(found) // 2
    return sampled(found[:half]) | sampled(found[half:]) if half else set(found)


def is_ratio(row):
    unit = row.get("unit", "")
    return unit == "%" or "/" in unit and not unit.endswith("/s")


def measure(name, share=0):
    """Of both: how many values were compared, took turns and differ."""
    ours, (theirs, whole) = of_tdstat(name), of_perf(name)
    if not theirs:  # it has no value for what it did not count
        print(f"{name}: no value of perf's")
        return 0, 1, 0
    compared = turns = bad = 0
    for pmu, value in theirs.items():
        row = ours.get(pmu, {"value": None, "running": 0})
        if not whole or row["running"] < 99.9:
            turns += 1
            continue
        compared += 1
        if share and not is_ratio(row):
            share = RATE_SHARE
        far = max(TOLERANCE, share * abs(value))
        if row["value"] is None or abs(row["value"] - value) > far:
            bad += 1
            print(f"{pmu} {name}: {row['value']}, perf {value}")
    if set(ours) - set(theirs) and whole:
        bad += 1
        print(f"{name}: perf has none of {set(ours) - set(theirs)}")
    return compared, turns, bad


def compare_all(found, share=0):
    compared = turns = bad = 0
    latencies = sampled(found)
    nodes = [name for name in found if name not in latencies]
    for name in nodes:
        for _ in range(3):
            these = measure(name, share)
            if not these[2]:
                break
        compared += these[0]
        turns += these[1]
        bad += these[2]
    print(f"{compared} compared, {turns} took turns, "
          f"{len(found) - len(nodes)} take latencies, {bad} differ")
    return compared > 0 and not bad


def compare(level):
    return compare_all(names(level))


def compare_generated(step):
    ours, theirs = generated()
    print(f"{len(ours)} names, perf has {len(set(theirs))}")
    # a second metric of one name has a number
    twice = {name for name in theirs if theirs.count(name) > 1 and f"{name}_2" in ours}
    ours -= {f"{name}_2" for name in twice}
    if ours != set(theirs):
        print(f"one alone has: {sorted(ours ^ set(theirs))}")
        return False
    found = sorted(n for n in ours - twice if not UNLIKE.fullmatch(n))
    return compare_all(found[::step], SHARE)


def of_all():
    out, _ = run(os.environ["TDSTAT"], "-j", "--no-head", "-l", "6", "--all", "-a",
                 "--timeout", "6000")
    return list(lines(out))


def is_far(value, alone):
    if value is None or alone is None:
        return (value is None) != (alone is None)
    return abs(value - alone) > max(DEEP_POINTS, DEEP_SHARE * abs(alone))


def deep():
    rows, alone, bad = of_all(), {}, 0
    for row in rows:
        name, pmu = row["metric"], row["pmu"]
        if name not in alone:
            alone[name] = of_tdstat(name)
        value = alone[name].get(pmu, {"value": None})["value"]
        if is_far(row["value"], value):
            bad += 1
            print(f"{pmu} {name}: {row['value']}, alone {value}")
    print(f"{len(rows)} of all levels beside each alone, {bad} differ")
    return len(rows) > 50 and not bad


if __name__ == "__main__":
    what, *how = sys.argv[1:]
    done = {"deep": deep, "compare": compare, "generated": compare_generated}[what]
    sys.exit(0 if done(*map(int, how)) else 1)
