# SPDX-License-Identifier: GPL-2.0-only
"""For places.bats: recordings of machines that are known, and what reports have to show.

usage: places.py server|dies|hybrid|program|perf

What a CPU, core, die or package did is the truth below.  Counts are made of it, each on
the CPUs where the kernel counts it.  The value of a row is computed from the truth of
the CPUs in the row: amounts are sums, shares and speeds are means.
"""
import json
import os
import subprocess
import sys
from statistics import mean

TDSTAT = os.environ["TDSTAT"]
SECONDS, TSC_HZ = 2, 2e9
ROWS = {"-a": "all", "-A": "cpu", "--per-core": "core", "--per-die": "die", "--per-socket": "socket"}


class Cpu:
    def __init__(self, nr, core, die, socket, pmu, busy, ghz):
        self.nr, self.core, self.die, self.socket = nr, (socket, die, core), (socket, die), socket
        self.pmu, self.busy, self.ghz = pmu, busy, ghz
        self.place = {"cpu": nr, "core": core, "cluster": core, "die": die, "socket": socket, "node": socket}


class Machine:
    """CPUs, and what their cores, dies and packages did."""

    def __init__(self, cpuid, cpus):
        self.cpuid, self.cpus = cpuid, cpus
        self.core_c6 = {cpu.core: 0.6 if cpu.socket == 0 else 0.3 for cpu in cpus}
        self.package_c6 = {0: 0.2, 1: 0.1}
        self.watts, self.ram_watts = {0: 65, 1: 130}, {0: 6, 1: 12}
        self.cores_in_c0 = {0: 2.0, 1: 1.0}
        self.uncore_hz, self.read_ns, self.chas = 2.2e9, 100, 3
        self.pmus, self.events, self.counts = {}, [], []

    def first(self, what):
        """The first CPU of each core, die or socket: the kernel counts there what is theirs."""
        firsts = {}
        for cpu in self.cpus:
            firsts.setdefault(getattr(cpu, what), cpu)
        return list(firsts.values())

    def count(self, pmu, name, cpus, amount, **more):
        """An event on these CPUs; amount(cpu) is its count."""
        known = self.pmus.setdefault(pmu, {"name": pmu, "type": len(self.pmus) + 4, "cpus": ",".join(str(cpu.nr) for cpu in cpus)})
        known["core"] = pmu.startswith("cpu")
        self.events.append({"name": f"{pmu}/{name}/", "pmu": pmu, "group": len(self.events), **more})
        ns = SECONDS * 10**9
        self.counts += [[len(self.events) - 1, cpu.nr, -1, round(amount(cpu)), ns, ns] for cpu in cpus]

    def count_cores(self):
        for pmu in dict.fromkeys(cpu.pmu for cpu in self.cpus):
            cpus = [cpu for cpu in self.cpus if cpu.pmu == pmu]
            for name in ("CPU_CLK_UNHALTED.CORE",) if pmu == "cpu_atom" else ("CPU_CLK_UNHALTED.THREAD",):
                self.count(pmu, name, cpus, lambda cpu: cpu.ghz * 1e9 * cpu.busy * SECONDS)
            self.count(pmu, "CPU_CLK_UNHALTED.REF_TSC", cpus, lambda cpu: TSC_HZ * cpu.busy * SECONDS)
        self.count("cstate_core", "c6-residency", self.first("core"), lambda cpu: self.core_c6[cpu.core] * TSC_HZ * SECONDS)
        self.count("cstate_pkg", "c6-residency", self.first("socket"), lambda cpu: self.package_c6[cpu.socket] * TSC_HZ * SECONDS)

    def count_server(self):
        self.count("msr", "tsc", self.cpus, lambda cpu: TSC_HZ * SECONDS)
        self.count("msr", "mperf", self.cpus, lambda cpu: TSC_HZ * cpu.busy * SECONDS)
        for name, watts in (("energy-pkg", self.watts), ("energy-ram", self.ram_watts)):
            self.count("power", name, self.first("socket"), lambda cpu, watts=watts: watts[cpu.socket] * SECONDS * 2**32,
                       unit="Joules", scale=2**-32)
        reads = 1e6 * SECONDS
        for nr in range(self.chas):
            pmu = f"uncore_cha_{nr}"
            self.count(pmu, "UNC_CHA_CLOCKTICKS", self.first("die"), lambda cpu: self.uncore_hz * SECONDS)
            if nr == 0:
                self.count(pmu, "event=0x1", self.first("die"), lambda cpu: self.uncore_hz * SECONDS)
            for kind in ("", "_DDR"):
                self.count(pmu, f"UNC_CHA_TOR_INSERTS.IA_MISS_DRD{kind}", self.first("die"), lambda cpu: reads)
                self.count(pmu, f"UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD{kind}", self.first("die"),
                           lambda cpu: reads * self.read_ns * self.uncore_hz / 1e9)
            self.count(pmu, "UNC_CHA_TOR_INSERTS.IA_MISS_CRD", self.first("die"), lambda cpu: reads)
        self.count("cpu", "INST_RETIRED.ANY", self.cpus, lambda cpu: cpu.ghz * 1e9 * cpu.busy * SECONDS)
        self.count("uncore_pcu", "UNC_P_CLOCKTICKS", self.first("socket"), lambda cpu: self.uncore_hz * SECONDS)
        self.count("uncore_pcu", "UNC_P_POWER_STATE_OCCUPANCY_CORES_C0", self.first("socket"),
                   lambda cpu: self.cores_in_c0[cpu.socket] * self.uncore_hz * SECONDS)

    def write_csv(self, path, names):
        """As perf stat --per-core -x, writes these events: sums of cores, and of how many CPUs."""
        with open(path, "w", encoding="utf-8") as file:
            for core in dict.fromkeys(cpu.core for cpu in self.cpus):
                cpus = [cpu.nr for cpu in self.cpus if cpu.core == core]
                for number, event in enumerate(self.events):
                    counts = [count for count in self.counts if count[0] == number and count[1] in cpus]
                    if event["name"] in names:
                        print(id_of(self.cpus[cpus[0]], "core"), len(counts), sum(count[3] for count in counts), "",
                              event["name"], sum(count[5] for count in counts), "100.00", "", "", sep=",", file=file)

    def write(self, path, **more):
        core = [pmu for pmu in self.pmus.values() if pmu.pop("core")]
        other = [pmu | {"core": False} for pmu in self.pmus.values() if pmu not in core]
        head = {"tdstat": 1, "cpuid": self.cpuid, "smt": len(self.cpus) > len(self.core_c6), "interval_ms": 0,
                "tsc_hz": int(TSC_HZ), "target": "system wide", "pmus": core + other,
                "topology": [cpu.place for cpu in self.cpus], "events": self.events} | more
        with open(path, "w", encoding="utf-8") as file:
            print(json.dumps(head), json.dumps({"time": SECONDS, "counts": self.counts}),
                  json.dumps({"end": {"elapsed": SECONDS}}), sep="\n", file=file)


def server(dies=1):
    """Two sockets of 4 cores with 2 threads."""
    cpus = [Cpu(8 * (nr // 8) + nr % 8, nr % 8 // 2, nr % 8 // 2 * dies // 4, nr // 8, "cpu",
                0.5 if nr < 8 else 0.25, 3.0) for nr in range(16)]
    machine = Machine("GenuineIntel-6-8F-8", cpus)
    machine.count_cores()
    machine.count_server()
    return machine


def hybrid():
    """4 P-CPUs and 8 E-CPUs."""
    cpus = [Cpu(nr, nr, 0, 0, "cpu_core" if nr < 4 else "cpu_atom", 0.5 if nr < 4 else 0.25, 3.0 if nr < 4 else 1.5)
            for nr in range(12)]
    machine = Machine("GenuineIntel-6-97-2", cpus)
    machine.count_cores()
    return machine


def id_of(cpu, how):
    socket, die, core = cpu.core
    return {"all": "all", "cpu": f"CPU{cpu.nr}", "core": f"S{socket}-D{die}-C{core}", "die": f"S{socket}-D{die}",
            "socket": f"S{socket}"}[how]


def places_in(machine, cpus, what):
    """The cores, dies or sockets whose first CPU is one of these."""
    return [getattr(cpu, what) for cpu in machine.first(what) if cpu in cpus]


def of_server(machine):
    """For each metric, its value of these CPUs; None: nothing is counted there."""
    def some(values, how=mean):
        return how(values) if values else None

    def sockets(cpus):
        return places_in(machine, cpus, "socket")

    def uncore(value):
        return lambda cpus: value if places_in(machine, cpus, "die") else None

    def misses_of_code(cpus):
        """All instructions of a die make its misses: those of one of its CPUs do not tell them."""
        dies = places_in(machine, cpus, "die")
        if len(cpus) < len(dies) * len(machine.cpus) / len(machine.first("die")) or not dies:
            return None
        return len(dies) * machine.chas * 1e6 / sum(cpu.ghz * 1e9 * cpu.busy for cpu in cpus)

    return {
        "tma_info_system_core_frequency": lambda cpus: 3.0,
        "tma_info_system_cpus_utilized": lambda cpus: sum(cpu.busy for cpu in cpus),
        "cpu_utilization": lambda cpus: 100 * mean(cpu.busy for cpu in cpus),
        "tma_info_system_cpu_utilization": lambda cpus: mean(cpu.busy for cpu in cpus),
        "lpm_idle": lambda cpus: 100 * mean(1 - cpu.busy for cpu in cpus),
        "C6_Core_Residency": lambda cpus: some([100 * machine.core_c6[core] for core in places_in(machine, cpus, "core")]),
        "C6_Pkg_Residency": lambda cpus: some([100 * machine.package_c6[socket] for socket in sockets(cpus)]),
        "tma_info_system_power": lambda cpus: some([machine.watts[nr] + machine.ram_watts[nr] for nr in sockets(cpus)], sum),
        "uncore_frequency": uncore(machine.uncore_hz / 1e9),
        "UNCORE_FREQ": uncore(machine.uncore_hz / 1e9),
        "tma_info_system_uncore_frequency": uncore(machine.uncore_hz / 1e9),
        "llc_demand_data_read_miss_latency": uncore(machine.read_ns),
        "tma_info_system_mem_read_latency": uncore(machine.read_ns),
        "tma_info_system_mem_dram_read_latency": uncore(machine.read_ns),
        "llc_code_read_mpi_demand_plus_prefetch": misses_of_code,
        "cpu_cstate_c0": lambda cpus: some([machine.cores_in_c0[nr] for nr in sockets(cpus)], sum),
    }


def of_hybrid(machine):
    def busy(cpus):
        return sum(cpu.busy for cpu in cpus)

    return {
        ("cpu_core", "tma_info_system_core_frequency"): lambda cpus: 3.0,
        ("cpu_core", "tma_info_system_cpus_utilized"): busy,
        ("cpu_core", "tma_info_system_cpu_utilization"): lambda cpus: mean(cpu.busy for cpu in cpus),
        ("cpu_atom", "tma_info_system_cpu_utilization"): lambda cpus: mean(cpu.busy for cpu in cpus),
    }


def differences(path, option, want, more=()):
    """What a report shows otherwise than want, {(metric, id, pmu): value}, in both orders of the metrics."""
    metrics = list(dict.fromkeys(metric for metric, _, _ in want))
    for order in (metrics, metrics[::-1]):
        words = [TDSTAT, "report", "-j", "-M", ",".join(order), path, *more] + ([option] if option != "-a" else [])
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
        rows = [row for row in map(json.loads, done.stdout.splitlines()) if "metric" in row]
        values = {(row["metric"], row["id"], row["pmu"]): row["value"] for row in rows}
        if not rows:
            yield f"{words}: {done.returncode} {done.stderr}"
            return
        for key, value in want.items():
            got = values.get(key)
            if got is None or value is None:
                is_same = got is value
            else:
                is_same = abs(got - value) <= 1e-3 * abs(value) + 5e-5
            if not is_same:
                yield f"{option} {key}: {got}, not {value}"


def check(machine, path, truths, rows=ROWS, more=()):
    for option, how in rows.items():
        want = {}
        for name, truth in truths.items():
            pmu, metric = name if isinstance(name, tuple) else ("cpu", name)
            rows = {}
            for cpu in machine.cpus:
                if cpu.pmu == pmu:
                    rows.setdefault((metric, id_of(cpu, how), pmu), []).append(cpu)
            want |= {key: truth(cpus) for key, cpus in rows.items()}
        yield from differences(path, option, want, more)


def perf_file():
    """perf's own file of two sockets, whose rows say of how many CPUs they are the sum."""
    machine = server()
    machine.write_csv("rec.csv", ["cpu/CPU_CLK_UNHALTED.THREAD/", "cpu/CPU_CLK_UNHALTED.REF_TSC/", "msr/tsc/",
                                  "cstate_core/c6-residency/", "duration_time"])
    with open("rec.csv", "a", encoding="utf-8") as file:
        print(f"S0-D0-C0,1,{SECONDS * 10**9},ns,duration_time,{SECONDS * 10**9},100.00,,", file=file)
    truths = {metric: truth for metric, truth in of_server(machine).items()
              if metric in ("tma_info_system_core_frequency", "tma_info_system_cpus_utilized", "cpu_utilization",
                            "C6_Core_Residency")}
    return check(machine, "rec.csv", truths, {"--per-core": "core", "--per-socket": "socket"}, ["--model", "sapphirerapids"])


def without_counters():
    """CPUs and units whose counters somebody else held count nothing, and are no places."""
    machine = server()
    held = [number for number, event in enumerate(machine.events) if event["name"].startswith("cpu/")]
    units = [number for number, event in enumerate(machine.events) if event["pmu"] == "uncore_cha_1"]
    machine.counts = [count[:3] + [0, count[4], 0] if count[0] in held and count[1] in range(4, 8) or
                      count[0] in units and count[1] == 8 else count for count in machine.counts]
    machine.write("held.jsonl")
    return differences("held.jsonl", "-a", {(metric, "all", "cpu"): value for metric, value in {
        "cpu_utilization": 100 * 4 / 12, "tma_info_system_cpu_utilization": 4 / 12, "uncore_frequency": 2.2,
        "llc_demand_data_read_miss_latency": 100, "tma_info_system_mem_read_latency": 100}.items()})


def energy():
    """Joules of the whole package beside a metric of the same event, whose formula has its own unit."""
    done = subprocess.run([TDSTAT, "report", "--energy", "-j", "-M", "tma_info_system_power", "rec.jsonl"],
                          stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    values = {row["metric"]: row["value"] for row in map(json.loads, done.stdout.splitlines()) if "metric" in row}
    for metric, value in {"energy_pkg": 390, "power_pkg": 195, "energy_ram": 36, "tma_info_system_power": 213}.items():
        got = values.get(metric)
        if got is None or abs(got - value) > 0.01:
            yield f"--energy {metric}: {got}, not {value}"


def program():
    """Two threads that run at 3.0 GHz for 1 of 2 seconds each."""
    machine = server()
    machine.events = machine.events[:2]
    ns = 10**9
    machine.counts = [[event, -1, tid, round(hz), ns, ns] for event, hz in enumerate((3e9, TSC_HZ)) for tid in (77, 78)]
    machine.pmus = {"cpu": machine.pmus["cpu"]}
    machine.write("rec.jsonl", tasks=True, target="program")
    return differences("rec.jsonl", "-a", {(metric, "all", "cpu"): value for metric, value in {
        "tma_info_system_core_frequency": 3.0, "tma_info_system_cpus_utilized": 1.0,
        "cpu_utilization": 100, "tma_info_system_cpu_utilization": 1.0}.items()})


def main():
    kind = sys.argv[1]
    if kind == "program":
        wrong = list(program())
    elif kind == "perf":
        wrong = list(perf_file())
    else:
        machine = hybrid() if kind == "hybrid" else server(2 if kind == "dies" else 1)
        machine.write("rec.jsonl")
        wrong = list(check(machine, "rec.jsonl", of_hybrid(machine) if kind == "hybrid" else of_server(machine)))
        if kind == "server":
            wrong += [*energy(), *without_counters()]
    print("\n".join(wrong[:40]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
