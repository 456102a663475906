#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What tests of metrics compare with.

metrics.py record [EVENT]: what --dry-run prints, on standard input, as a recording;
EVENT never ran.
"""

import json
import re
import sys

SECOND = 10**9

# Shares of the slots that make sense together.
FIELDS = {
    "TOPDOWN.SLOTS": 1000,
    "slots": 1000,
    "topdown-retiring": 200,
    "topdown-bad-spec": 100,
    "topdown-fe-bound": 300,
    "topdown-be-bound": 400,
    "topdown-heavy-ops": 50,
    "topdown-br-mispredict": 60,
    "topdown-fetch-lat": 200,
    "topdown-mem-bound": 300,
    # the TSC does 2000 of these: half of the time was busy
    "ref-cycles": 1000,
    "CPU_CLK_UNHALTED.REF_TSC": 1000,
}


# --- record -------------------------------------------------------------------


def parse_plan(lines):
    """The head of a recording, without what is not in the plan."""
    head = {"tdstat": 1, "interval_ms": 0, "target": "system wide"}
    head["tsc_hz"] = 2 * SECOND
    head["pmus"], head["events"] = [], []
    group = 0
    for line in lines:
        if match := re.match(r"machine ([^:]*):", line):
            head["cpuid"] = match[1]
            head["smt"] = "hyper-threading on" in line
        elif match := re.match(r"group (\d+): (\w+), .* CPUs ([-0-9,]+)", line):
            group, name, cpus = int(match[1]), match[2], match[3]
        elif match := re.match(r"  (\S+) +type (\d+) ", line):
            if name not in [pmu["name"] for pmu in head["pmus"]]:
                pmu = {"name": name, "type": int(match[2]), "cpus": cpus}
                head["pmus"].append(pmu)
            head["events"].append({"name": match[1], "pmu": name, "group": group})
    head["topology"] = [
        dict(cpu=i, core=i, cluster=i, die=0, socket=0, node=0) for i in range(16)
    ]
    head["pmus"].sort(key=lambda pmu: not pmu["name"].startswith("cpu"))
    return head


def reading(head, number, silent):
    """Of the first CPU of its PMU; groups behind the first ran a while only."""
    event = head["events"][number]
    [pmu] = [pmu for pmu in head["pmus"] if pmu["name"] == event["pmu"]]
    bare = re.sub(r"^\w+/|/\w*$", "", event["name"])
    share = FIELDS.get(bare, 7919 * (number + 1) % 997 / 100 + 1)
    cpu = int(re.match(r"\d+", pmu["cpus"])[0])
    first = min(e["group"] for e in head["events"] if e["pmu"] == event["pmu"])
    running = SECOND if event["group"] == first else SECOND // 4
    if bare == silent:
        return [number, cpu, -1, 0, SECOND, 0]
    return [number, cpu, -1, int(share * 10**6 * running / SECOND), SECOND, running]


def recording(plan, silent=None):
    """Its lines; plan is what --dry-run prints."""
    head = parse_plan(plan)
    counts = [reading(head, i, silent) for i in range(len(head["events"]))]
    return [head, {"time": 1.0, "counts": counts}, {"end": {"elapsed": 1.0}}]


# --- trees --------------------------------------------------------------------


def nodes(path, pmu):
    """The tree of a metric file: (NAME, LEVEL, PARENT)."""
    with open(path, encoding="utf-8") as fp:
        metrics = [
            m
            for m in json.load(fp)
            if m.get("Unit", "cpu") == pmu and not m["MetricName"].startswith("tma_info")
        ]
    levels, groups = {}, {}
    for metric in metrics:
        groups[metric["MetricName"]] = metric.get("MetricGroup", "").split(";")
        for group in groups[metric["MetricName"]]:
            if match := re.fullmatch(r"TopdownL(\d)", group):
                levels[metric["MetricName"]] = int(match[1])
    found = []
    for name, level in levels.items():
        owners = [re.sub("_group$", "", group) for group in groups[name]]
        parents = [owner for owner in owners if levels.get(owner) == level - 1]
        assert len(parents) <= 1, name
        found.append((name, level, parents[0] if parents else None))
    return found


def text_nodes(lines):
    """Of a tree as text (NAME, LEVEL, PARENT): a number ends where its level says; a
    child stands below its parent."""
    above, found = [], []
    for line in lines:
        match = re.match(r" *(-?[\d.]+) %\S*  (\w+)", line)
        if not match:
            continue
        depth, rest = divmod(match.end(1) - 10, 4)
        assert not rest and depth <= len(above), f"indented oddly: {line}"
        above[depth:] = [match[2]]
        found.append((match[2], depth + 1, above[depth - 1] if depth else None))
    return found


# --- AMD ----------------------------------------------------------------------


def read_sums(path):
    """For each interval its time, and each event's count over all CPUs."""
    with open(path, encoding="utf-8") as fp:
        lines = [json.loads(line) for line in fp]
    names = [event["name"][len("cpu/") : -1] for event in lines[0]["events"]]
    for line in lines[1:]:
        sums = dict.fromkeys(names, 0.0)
        for event, _, _, value, enabled, running in line.get("counts", []):
            sums[names[event]] += value * enabled / running
        if "counts" in line:
            yield lines[0]["cpuid"], line["time"], sums


def zen_level_1(v, slots):
    retiring = v["ex_ret_ops"] / slots
    return {
        "frontend_bound": v["de_no_dispatch_per_slot.no_ops_from_frontend"] / slots,
        "bad_speculation": v["de_src_op_disp.all"] / slots - retiring,
        "backend_bound": v["de_no_dispatch_per_slot.backend_stalls"] / slots,
        "smt_contention": v["de_no_dispatch_per_slot.smt_contention"] / slots,
        "retiring": retiring,
    }


def zen_level_2(v, slots, width, top):
    """In the order frontend, bad speculation, backend, retiring, as pairs."""
    starved = f"de_no_dispatch_per_slot.no_ops_from_frontend,cmask={width:#x}"
    latency = width * v[starved] / slots
    restarts = v.get("resyncs_or_nc_redirects", v.get("bp_redirects.resync"))
    wrong = v["ex_ret_brn_misp"] / (v["ex_ret_brn_misp"] + restarts)
    loads = v["ex_no_retire.load_not_complete"] / v["ex_no_retire.not_complete"]
    microcode = v["ex_ret_ucode_ops"] / v["ex_ret_ops"]
    return [
        latency,
        top["frontend_bound"] - latency,
        top["bad_speculation"] * wrong,
        top["bad_speculation"] * (1 - wrong),
        top["backend_bound"] * loads,
        top["backend_bound"] * (1 - loads),
        top["retiring"] * (1 - microcode),
        top["retiring"] * microcode,
    ]


ZEN_4 = """frontend_bound_latency frontend_bound_bandwidth
bad_speculation_mispredicts bad_speculation_pipeline_restarts
backend_bound_memory backend_bound_cpu retiring_fastpath retiring_microcode"""
ZEN_5 = """frontend_bound_by_latency frontend_bound_by_bandwidth
bad_speculation_from_mispredicts bad_speculation_from_pipeline_restarts
backend_bound_by_memory backend_bound_by_cpu
retiring_from_fastpath retiring_from_microcode"""


def zen(path, level):
    """Of an AMD recording: (TIME, NAME, PER-CENT, PARENT)."""
    found = []
    for cpuid, time, v in read_sums(path):
        width, names = (8, ZEN_5) if "-26-" in cpuid else (6, ZEN_4)
        slots = width * v["ls_not_halted_cyc"]
        top = zen_level_1(v, slots)
        for name, value in top.items():
            found.append((time, name, 100 * value, None))
        below = zip(names.split(), zen_level_2(v, slots, width, top))
        for name, value in below if level == 2 else []:
            found.append((time, name, 100 * value, re.match("|".join(top), name)[0]))
    return found


if __name__ == "__main__":
    assert sys.argv[1] == "record"
    for line in recording(sys.stdin, *sys.argv[2:]):
        print(json.dumps(line))
