# SPDX-License-Identifier: GPL-2.0-only
"""many_events.py EVENTS: a recording of so many typed events of a hybrid
machine, each on both kinds of core, in two intervals."""
import json
import sys

nr = int(sys.argv[1]) // 2 * 2
NAMES = ["cycles", "instructions", "branches", "branch-misses"]
CONFIGS = [0, 1, 4, 5]
PMUS = [("cpu_core", 4, range(0, 4)), ("cpu_atom", 10, range(4, 8))]


def event(i):
    which, (pmu, pmu_type, _) = i // 2 % len(NAMES), PMUS[i % 2]
    return {"name": "%s/%s/" % (pmu, NAMES[which]), "pmu": pmu, "group": i,
            "type": 0, "config": pmu_type << 32 | CONFIGS[which], "spec": i // 2}


print(json.dumps({
    "tdstat": 1, "cpuid": "GenuineIntel-6-97-2", "smt": False, "interval_ms": 1000,
    "target": "system wide",
    "pmus": [{"name": name, "type": pmu_type, "cpus": "%d-%d" % (cpus[0], cpus[-1])}
             for name, pmu_type, cpus in PMUS],
    "topology": [{"cpu": cpu, "core": cpu, "cluster": cpu, "die": 0, "socket": 0, "node": 0}
                 for cpu in range(8)],
    "table": "events", "events": [event(i) for i in range(nr)]}))
for interval in range(2):
    print(json.dumps({"time": 1.0 + interval, "counts": [
        [i, cpu, -1, 1000 + i, 1000000, 1000000] for i in range(nr) for cpu in PMUS[i % 2][2]]}))
print(json.dumps({"end": {"elapsed": 2.0}}))
