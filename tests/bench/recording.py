# SPDX-License-Identifier: GPL-2.0-only
"""recording.py FILE CPUS: FILE's level 2 as a machine of so many CPUs counts it.

FILE is of eight CPUs on two sockets; each of them stands for many.
"""
import json
import sys

path, nr = sys.argv[1], int(sys.argv[2])
with open(path) as file:
    head, *lines = map(json.loads, file)
topology, of = head["topology"], len(head["topology"])
head["pmus"][0]["cpus"] = "0-%d" % (nr - 1)
head["topology"] = [
    dict(topology[cpu % of], cpu=cpu, core=cpu // 2, cluster=cpu // 2,
         die=cpu * 2 // nr, socket=cpu * 2 // nr) for cpu in range(nr)]
print(json.dumps(head))
for line in lines:
    if "counts" in line:
        line["counts"] = [[event, cpu, *rest] for cpu in range(nr)
                          for event, like, *rest in line["counts"]
                          if like == cpu % of]
    print(json.dumps(line))
