# SPDX-License-Identifier: GPL-2.0-only
"""usage: serve.py RECORDED|- ANSWER...

Compares what Prometheus answered with what is known, and with a recording of the same
time, as JSON lines: for each node, its share of the slots of some 24 seconds."""
import json
import sys

# Each has the counters for half of the time while both count, in slices that are not
# halves of each phase; and the ends of the two windows are up to a second and a half
# apart, of 24.  A share is 25 points more in one phase than in the other.
TOLERANCE = 4


def recorded(path):
    """{(pmu, metric): per cent}"""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {(r["pmu"], r["metric"]): r["value"] for r in rows if r.get("value") is not None}


def answered(path):
    """{(pmu, metric): per cent} of an answer of the HTTP API"""
    with open(path, encoding="utf-8") as file:
        answer = json.load(file)
    assert answer["status"] == "success", answer
    return {(r["metric"]["pmu"], "tma_" + r["metric"]["category"]): float(r["value"][1])
            for r in answer["data"]["result"]}


def near(got, wanted, key):
    print("# %-9s %-24s %6.2f %6.2f" % (*key, wanted, got))
    assert abs(wanted - got) < TOLERANCE, key


def main(recording, *answers):
    got = {key: value for path in answers for key, value in answered(path).items()}
    # Half of the time 64 of 255, half of it 128 of 255, for all cores.
    for pmu in "cpu_core", "cpu_atom":
        near(got[pmu, "tma_retiring"], 37.6, (pmu, "tma_retiring"))
    if recording == "-":
        return
    wanted = recorded(recording)
    assert wanted.keys() == got.keys(), wanted.keys() ^ got.keys()
    for key, value in wanted.items():
        near(got[key], value, key)


main(*sys.argv[1:])
