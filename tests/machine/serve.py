# SPDX-License-Identifier: GPL-2.0-only
"""usage: serve.py RECORDED|-|ipc ANSWER...

Compares what Prometheus answered with what is known, and with a recording of the same
time, as JSON lines: for each node, its share of the slots of a minute."""
import json
import sys

# Bad speculation is 35 points more in one scenario than in the other, and the ends of the
# windows of Prometheus and of the recording are up to a second and a half apart, or some
# on a busy host.
TOLERANCE = 4

# The scenarios change every two seconds and as long as it takes to change them, which is
# one of them: where the host is busy it has a third more than the other.
OF_THE_MEAN = 8

# Rates of mispredict and icache in the truth file: slots, or cycles, per ns and their
# weights.
GHZ = {"cpu_core": (3.2, 3.0), "cpu_atom": (2.1, 2.0)}
PER_CENT = {
    ("cpu_core", "tma_bad_speculation"): (40.0, 5.1),
    ("cpu_core", "tma_frontend_bound"): (12.94, 45.1),
    ("cpu_atom", "tma_bad_speculation"): (40.0, 6.0),
    ("cpu_atom", "tma_frontend_bound"): (17.0, 45.0),
}
IPC = {"cpu_core": (1.75401, 1.96791), "cpu_atom": (1.61905, 1.71429)}


def mean(pmu, values):
    return sum(g * v for g, v in zip(GHZ[pmu], values)) / sum(GHZ[pmu])


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


def near(got, wanted, key, tolerance):
    print("# %-9s %-24s %6.2f %6.2f" % (*key, wanted, got))
    assert abs(wanted - got) < tolerance, key


def check_ipc(path):
    with open(path, encoding="utf-8") as file:
        got = {r["metric"]["pmu"]: float(r["value"][1])
               for r in json.load(file)["data"]["result"]}
    print("#", got)
    assert got.keys() == IPC.keys()
    for pmu, values in IPC.items():
        assert abs(got[pmu] / mean(pmu, values) - 1) < 0.02, pmu


def main(recording, *answers):
    if recording == "ipc":
        check_ipc(*answers)
        return
    got = {key: value for path in answers for key, value in answered(path).items()}
    for (pmu, name), values in PER_CENT.items():
        near(got[pmu, name], mean(pmu, values), (pmu, name), OF_THE_MEAN)
    if recording == "-":
        return
    wanted = recorded(recording)
    assert wanted.keys() == got.keys(), wanted.keys() ^ got.keys()
    for key, value in wanted.items():
        near(got[key], value, key, TOLERANCE)


main(*sys.argv[1:])
