# SPDX-License-Identifier: GPL-2.0-only
"""For places.bats: recordings of machines that are known, and what reports have to show.

usage: places.py server|dies|hybrid|models|cpus|cgroups|programs|reasons|perf

What a CPU, core, die or package did is the truth below.  Counts are made of it, each on
the CPUs where the kernel counts it.  The value of a row is computed from the truth of
the CPUs in the row: amounts are sums, shares and speeds are means.  A row has no value
(None) if what counts it does so on no CPU of the row, or if the row has a part of that
beside counts of cores.
"""
import copy
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
        self.hz, self.ips = ghz * 1e9 * busy, 2e9 * busy
        self.place = {"cpu": nr, "core": core, "cluster": core, "die": die, "socket": socket, "node": socket}


class Machine:
    """CPUs, and what their cores, dies and packages did."""

    def __init__(self, cpuid, cpus):
        self.cpuid, self.cpus = cpuid, cpus
        self.core_c6 = {cpu.core: 0.6 if cpu.socket == 0 else 0.3 for cpu in cpus}
        self.package_c6 = {0: 0.2, 1: 0.1}
        self.watts, self.ram_watts = {0: 65, 1: 130}, {0: 6, 1: 12}
        self.cores_in_c0, self.cores_in_c6 = {0: 2.0, 1: 1.0}, {0: 1.5, 1: 2.5}
        self.uncore_hz, self.read_ns, self.chas = 2.2e9, 100, 3
        self.reads, self.prefetches = 1e6, 5e5  # a second, of each CHA
        self.memory_mb = {0: 800, 1: 1600}  # a second
        self.switches = 100  # a second, of each CPU
        self.smi = 0.1  # the share of the cycles
        self.l2_hits = 2e7  # a second that is busy
        self.fill_gb = 0.5  # the same
        self.pmus, self.events, self.counts = {}, [], []

    def first(self, what):
        """The first CPU of each core, die or socket: the kernel counts there what is theirs."""
        firsts = {}
        for cpu in self.cpus:
            firsts.setdefault(getattr(cpu, what), cpu)
        return list(firsts.values())

    def count(self, pmu, name, cpus, amount, **more):
        """An event on these CPUs; amount(cpu) is its count in a second."""
        its = self.cpus if pmu in ("msr", "software") else cpus
        known = self.pmus.setdefault(pmu, {"name": pmu, "type": len(self.pmus) + 4, "cpus": ",".join(str(cpu.nr) for cpu in its)})
        known["core"] = pmu.startswith("cpu")
        text = name if pmu == "software" else f"{pmu}/{name}/"
        self.events.append({"name": text, "pmu": pmu, "group": len(self.events), **more})
        ns = SECONDS * 10**9
        self.counts += [[len(self.events) - 1, cpu.nr, -1, round(amount(cpu) * SECONDS), ns, ns] for cpu in cpus]

    def of(self, pmu):
        return [cpu for cpu in self.cpus if cpu.pmu == pmu]

    def count_kind(self, pmu, term=""):
        """What the cores of a kind count; term: of what the kernel counts on their CPUs alone."""
        cpus = self.of(pmu)
        self.count(pmu, "CPU_CLK_UNHALTED.CORE" if pmu == "cpu_atom" else "CPU_CLK_UNHALTED.THREAD", cpus, lambda cpu: cpu.hz)
        self.count(pmu, "CPU_CLK_UNHALTED.REF_TSC", cpus, lambda cpu: TSC_HZ * cpu.busy)
        self.count(pmu, "cycles", cpus, lambda cpu: cpu.hz)
        self.count("msr", f"aperf{term and ',' + term}", cpus, lambda cpu: cpu.hz / (1 - self.smi))
        self.count("msr", f"smi{term and ',' + term}", cpus, lambda cpu: 5)
        self.count("software", f"context-switches{term and '/' + term + '/'}", cpus, lambda cpu: self.switches)
        if pmu != "cpu_atom":
            self.count(pmu, "MEM_LOAD_RETIRED.L2_HIT", cpus, lambda cpu: self.l2_hits * cpu.busy)
            self.count(pmu, "MEM_LOAD_RETIRED.FB_HIT", cpus, lambda cpu: 0)
            self.count(pmu, "MEM_LOAD_RETIRED.L1_MISS", cpus, lambda cpu: self.l2_hits * cpu.busy)
            self.count(pmu, "L1D.REPLACEMENT", cpus, lambda cpu: self.fill_gb * cpu.busy * 1e9 / 64)

    def count_packages(self, domains):
        self.count("cstate_core", "c6-residency", self.first("core"), lambda cpu: self.core_c6[cpu.core] * TSC_HZ)
        self.count("cstate_pkg", "c6-residency", self.first("socket"), lambda cpu: self.package_c6[cpu.socket] * TSC_HZ)
        self.count("msr", "mperf", self.cpus, lambda cpu: TSC_HZ * cpu.busy)
        for name, watts in domains:
            self.count("power", name, self.first("socket"), lambda cpu, watts=watts: watts[cpu.socket] * 2**32,
                       unit="Joules", scale=2**-32)

    def count_server(self):
        dies, sockets = self.first("die"), self.first("socket")
        self.count("msr", "tsc", self.cpus, lambda cpu: TSC_HZ)
        self.count("cpu", "INST_RETIRED.ANY", self.cpus, lambda cpu: cpu.ips)
        for nr in range(self.chas):
            pmu = f"uncore_cha_{nr}"
            self.count(pmu, "UNC_CHA_CLOCKTICKS", dies, lambda cpu: self.uncore_hz)
            if nr == 0:
                self.count(pmu, "event=0x1", dies, lambda cpu: self.uncore_hz)
            for kind in ("", "_DDR", "_LOCAL", "_REMOTE"):
                self.count(pmu, f"UNC_CHA_TOR_INSERTS.IA_MISS_DRD{kind}", dies, lambda cpu: self.reads)
                self.count(pmu, f"UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD{kind}", dies,
                           lambda cpu: self.reads * self.read_ns * self.uncore_hz / 1e9)
            self.count(pmu, "UNC_CHA_TOR_INSERTS.IA_MISS_LLCPREFDATA", dies, lambda cpu: self.prefetches)
            self.count(pmu, "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_PREF", dies, lambda cpu: 0)
        self.count("uncore_imc_0", "UNC_M_CAS_COUNT.RD", sockets, lambda cpu: self.memory_mb[cpu.socket] * 1e6 / 64)
        self.count("uncore_pcu", "UNC_P_CLOCKTICKS", sockets, lambda cpu: self.uncore_hz)
        for state, cores in (("C0", self.cores_in_c0), ("C6", self.cores_in_c6)):
            self.count("uncore_pcu", f"UNC_P_POWER_STATE_OCCUPANCY_CORES_{state}", sockets,
                       lambda cpu, cores=cores: cores[cpu.socket] * self.uncore_hz)

    def only(self, cpus):
        """The same, counted on these CPUs alone, as with -C."""
        part = copy.copy(self)
        part.counts = [count for count in self.counts if count[1] in cpus]
        part.pmus = {name: pmu | {"skip": True} if pmu["core"] and not any(cpu.nr in cpus for cpu in self.of(name)) else pmu
                     for name, pmu in self.pmus.items()}
        return part

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
        core = [{key: value for key, value in pmu.items() if key != "core"} for pmu in self.pmus.values() if pmu["core"]]
        other = [pmu for pmu in self.pmus.values() if not pmu["core"]]
        head = {"tdstat": 1, "cpuid": self.cpuid, "smt": len(self.cpus) > len(self.core_c6), "interval_ms": 0,
                "tsc_hz": int(TSC_HZ), "target": "system wide", "pmus": core + other,
                "topology": [cpu.place for cpu in self.cpus], "events": self.events} | more
        with open(path, "w", encoding="utf-8") as file:
            print(json.dumps(head), json.dumps({"time": SECONDS, "counts": self.counts}),
                  json.dumps({"end": {"elapsed": SECONDS}}), sep="\n", file=file)


def sockets_of(cpuid, dies=1):
    """Two sockets of 4 cores with 2 threads, where nothing is counted yet."""
    cpus = [Cpu(8 * (nr // 8) + nr % 8, nr % 8 // 2, nr % 8 // 2 * dies // 4, nr // 8, "cpu",
                0.5 if nr < 8 else 0.25, 3.0) for nr in range(16)]
    return Machine(cpuid, cpus)


def server(dies=1):
    machine = sockets_of("GenuineIntel-6-8F-8", dies)
    machine.count_kind("cpu")
    machine.count_packages((("energy-pkg", machine.watts), ("energy-ram", machine.ram_watts)))
    machine.count_server()
    return machine


def hybrid():
    """4 P-CPUs and 8 E-CPUs."""
    cpus = [Cpu(nr, nr, 0, 0, "cpu_core" if nr < 4 else "cpu_atom", 0.5 if nr < 4 else 0.25, 3.0 if nr < 4 else 1.5)
            for nr in range(12)]
    machine = Machine("GenuineIntel-6-97-2", cpus)
    for pmu in ("cpu_core", "cpu_atom"):
        machine.count_kind(pmu, f"cpu={pmu}")
    machine.count_packages((("energy-pkg", machine.watts),))
    machine.count("software", "context-switches", cpus, lambda cpu: machine.switches)
    machine.count("uncore_clock", "UNC_CLOCK.SOCKET", machine.first("socket"), lambda cpu: machine.uncore_hz)
    for name in ("UNC_ARB_TRK_REQUESTS.ALL", "UNC_ARB_COH_TRK_REQUESTS.ALL"):
        machine.count("uncore_arb_0", name, machine.first("socket"), lambda cpu: machine.memory_mb[0] / 2 * 1e6 / 64)
    return machine


def id_of(cpu, how):
    socket, die, core = cpu.core
    return {"all": "all", "cpu": f"CPU{cpu.nr}", "core": f"S{socket}-D{die}-C{core}", "die": f"S{socket}-D{die}",
            "socket": f"S{socket}"}[how]


def places_in(machine, cpus, what):
    """The cores, dies or sockets whose first CPU is one of these."""
    return [getattr(cpu, what) for cpu in machine.first(what) if cpu in cpus]


def some(values, how=mean):
    return how(values) if values else None


def of_kind(machine, l2_ns):
    """What cores of any kind have."""
    return {
        "tma_info_system_core_frequency": lambda cpus: cpus[0].ghz,
        "tma_l2_hit_latency": lambda cpus: 100 * machine.l2_hits * l2_ns * 1e-9,
        "tma_info_system_cpus_utilized": lambda cpus: sum(cpu.busy for cpu in cpus),
        "tma_info_system_cpu_utilization": lambda cpus: mean(cpu.busy for cpu in cpus),
        "tma_info_memory_l1d_cache_fill_bw": lambda cpus: sum(machine.fill_gb * cpu.busy for cpu in cpus),
        "smi_cycles": lambda cpus: 100 * machine.smi,
        "lpm_cs_cycles": lambda cpus: sum(cpu.hz for cpu in cpus) / (machine.switches * len(cpus)),
    }


def of_machine(machine, ram):
    """What belongs to no kind of core."""
    def of_sockets(value, how=sum):
        return lambda cpus: some([value[nr] for nr in places_in(machine, cpus, "socket")], how)

    return {
        "lpm_idle": lambda cpus: 100 * mean(1 - cpu.busy for cpu in cpus),
        "lpm_ilp_idle": lambda cpus: 100 * mean(1 - cpu.busy for cpu in cpus),
        "lpm_cs_rate": lambda cpus: machine.switches * len(cpus),
        "C6_Core_Residency": lambda cpus: some([100 * machine.core_c6[core] for core in places_in(machine, cpus, "core")]),
        "C6_Pkg_Residency": of_sockets({nr: 100 * share for nr, share in machine.package_c6.items()}, mean),
        "lpm_cpu_power_pkg": of_sockets(machine.watts),
        "tma_info_system_power": of_sockets({nr: watts + ram[nr] for nr, watts in machine.watts.items()}),
    }


def of_server(machine):
    """For each metric, its value of these CPUs; None: nothing is counted there."""
    def uncore(value):
        return lambda cpus: value if places_in(machine, cpus, "die") else None

    def of_sockets(value):
        return lambda cpus: some([value[nr] for nr in places_in(machine, cpus, "socket")], sum)

    def misses(cpus):
        """A CHA counts for its die: the instructions of a part of it are others."""
        dies = places_in(machine, cpus, "die")
        if not dies or any(cpu.die in dies and cpu not in cpus for cpu in machine.cpus):
            return None
        return len(dies) * machine.chas * (machine.reads + machine.prefetches) / sum(cpu.ips for cpu in cpus)

    return of_kind(machine, 4.4) | of_machine(machine, machine.ram_watts) | {
        "cpu_operating_frequency": lambda cpus: cpus[0].ghz,
        "cpu_utilization": lambda cpus: 100 * mean(cpu.busy for cpu in cpus),
        "uncore_frequency": uncore(machine.uncore_hz / 1e9),
        "UNCORE_FREQ": uncore(machine.uncore_hz / 1e9),
        "tma_info_system_uncore_frequency": uncore(machine.uncore_hz / 1e9),
        "llc_demand_data_read_miss_latency": uncore(machine.read_ns),
        "lpm_miss_lat_loc": uncore(machine.read_ns),
        "lpm_miss_lat_rem": uncore(machine.read_ns),
        "tma_info_system_mem_read_latency": uncore(machine.read_ns),
        "tma_info_system_mem_dram_read_latency": uncore(machine.read_ns),
        "llc_data_read_mpi_demand_plus_prefetch": misses,
        "memory_bandwidth_read": of_sockets(machine.memory_mb),
        "cpu_cstate_c0": of_sockets(machine.cores_in_c0),
        "cpu_cstate_c6": of_sockets(machine.cores_in_c6),
    }


def of_hybrid(machine):
    """Rows of each kind of core, and rows of all CPUs with what belongs to none."""
    own = of_kind(machine, 3)
    truths = {("cpu_core", metric): truth for metric, truth in own.items()}
    truths |= {("cpu_atom", metric): own[metric] for metric in ("tma_info_system_cpu_utilization", "lpm_cs_cycles")}
    truths |= {("all", metric): truth for metric, truth in of_machine(machine, {0: 0, 1: 0}).items()}
    for metric, value in (("tma_info_system_uncore_frequency", machine.uncore_hz / 1e9), ("UNCORE_FREQ", machine.uncore_hz / 1e9),
                          ("tma_info_system_dram_bw_use", machine.memory_mb[0] / 1e3)):
        truths["all", metric] = lambda cpus, value=value: value if places_in(machine, cpus, "socket") else None
    return truths


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


def check(machine, path, truths, rows=ROWS, more=(), counted=None):
    """counted: the numbers of the CPUs that were."""
    for option, how in rows.items():
        want = {}
        for name, truth in truths.items():
            pmu, metric = name if isinstance(name, tuple) else ("cpu", name)
            places = {}
            for cpu in machine.cpus:
                if pmu in (cpu.pmu, "all") and (counted is None or cpu.nr in counted):
                    places.setdefault((metric, id_of(cpu, how), pmu), []).append(cpu)
            want |= {key: truth(cpus) for key, cpus in places.items()}
        yield from differences(path, option, want, more)


def parts():
    """-C: a socket, a part of one without the CPU of its units, whole and half a socket, cores of both kinds."""
    for machine, truths, choices in ((server(), of_server, (range(8), range(4, 8), range(2, 16), (0,))),
                                     (server(2), of_server, (range(8), range(4, 8), (0, 1, *range(4, 8)))),
                                     (hybrid(), of_hybrid, (range(2), range(2, 6), range(4, 12)))):
        for cpus in choices:
            machine.only(cpus).write("part.jsonl")
            yield from check(machine, "part.jsonl", of_part(truths(machine), {machine.cpus[nr].pmu for nr in cpus}), ROWS, counted=cpus)


def of_part(truths, kinds):
    """Where one kind of core is left it has what belongs to none, and the metrics that there is one of."""
    if len(kinds) > 1 or "cpu" in kinds:
        return truths
    kind, = kinds
    only = {(kind, metric): truth for (pmu, metric), truth in truths.items()
            if metric == "smi_cycles" or pmu == "all" and (kind == "cpu_core" or metric.startswith(("lpm_", "C6_")))}
    return {key: truth for key, truth in truths.items() if key[0] == kind} | only


def models():
    """Formulas of other models, for the same two sockets."""
    machine = sockets_of("GenuineIntel-6-AF-3")
    machine.count_kind("cpu")
    machine.write("rec.jsonl")
    shares = {metric: lambda cpus: 100 * mean(cpu.busy for cpu in cpus) for metric in ("cpu_utilization",)}
    yield from check(machine, "rec.jsonl", shares)
    machine = sockets_of("GenuineIntel-6-96-1")
    machine.count_kind("cpu")
    machine.write("rec.jsonl")
    yield from check(machine, "rec.jsonl", {"Average_Frequency": lambda cpus: cpus[0].ghz})
    machine = sockets_of("GenuineIntel-6-55-4")
    machine.count_kind("cpu")
    for nr in range(machine.chas):
        machine.count(f"uncore_cha_{nr}", "UNC_CHA_CLOCKTICKS", machine.first("socket"), lambda cpu: machine.uncore_hz)
    machine.count("uncore_pcu", "UNC_P_CLOCKTICKS", machine.first("socket"), lambda cpu: machine.uncore_hz)
    for state, cores in ("C0", machine.cores_in_c0), ("C3", {0: 0, 1: 0}), ("C6", machine.cores_in_c6):
        machine.count("uncore_pcu", f"UNC_P_POWER_STATE_OCCUPANCY.CORES_{state}", machine.first("socket"),
                      lambda cpu, cores=cores: cores[cpu.socket] * machine.uncore_hz)
    machine.write("rec.jsonl")
    truths = of_server(machine)
    yield from check(machine, "rec.jsonl", {
        "cpu_utilization": truths["cpu_utilization"], "uncore_frequency": truths["uncore_frequency"],
        "lpm_cstate_c0": truths["cpu_cstate_c0"], "lpm_cstate_c6": truths["cpu_cstate_c6"]})


def of_cgroup():
    """A cgroup that ran on 4 of 16 CPUs, for as long as these were busy."""
    machine = server()
    ran = range(4, 8)
    cpus = [cpu for cpu in machine.cpus if cpu.nr in ran]
    kept = [number for number, event in enumerate(machine.events) if event["pmu"] == "cpu"]
    for count in machine.counts:
        count[3:] = [count[3], *[round(cpus[0].busy * SECONDS * 10**9)] * 2, 0] if count[1] in ran else [0, 0, 0, 0]
    machine.counts = [count for count in machine.counts if count[0] in kept]
    machine.write("rec.jsonl", cgroups=["jobs"])
    busy = sum(cpu.busy for cpu in cpus)
    return differences("rec.jsonl", "-a", {(metric, "jobs", "cpu"): value for metric, value in {
        "tma_info_system_core_frequency": 3.0, "cpu_operating_frequency": 3.0, "tma_info_system_cpus_utilized": busy,
        "cpu_utilization": 100 * busy / 16, "tma_info_system_cpu_utilization": busy / 16,
        "tma_l2_hit_latency": 100 * machine.l2_hits * 4.4e-9,
        "tma_info_memory_l1d_cache_fill_bw": machine.fill_gb * busy}.items()})


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


def whys(path, metrics, *options):
    """{(metric, id, pmu): why}, of what has no value."""
    done = subprocess.run([TDSTAT, "report", "-j", "-M", metrics, path, *options], stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", check=False)
    rows = [row for row in map(json.loads, done.stdout.splitlines()) if "metric" in row]
    return {(row["metric"], row["id"], row["pmu"]): row["why"] for row in rows if row["value"] is None}


def reasons():
    """What is said of units that are larger than the row, and of counts of all kinds of core."""
    server().write("rec.jsonl")
    package, core, mixed = "C6_Pkg_Residency", "C6_Core_Residency", "llc_data_read_mpi_demand_plus_prefetch"
    got = whys("rec.jsonl", f"{package},{core},{mixed}", "-A")
    want = {(package, f"CPU{nr}", "cpu"): "counted per socket, on another CPU: use --per-socket"
            for nr in range(16) if nr % 8}
    want |= {(core, f"CPU{nr}", "cpu"): "counted per core, on another CPU: use --per-core" for nr in range(1, 16, 2)}
    want |= {(mixed, f"CPU{nr}", "cpu"): "counted per socket, on another CPU: use --per-socket" if nr % 8 else
             "counted for the whole socket: use --per-socket" for nr in range(16)}
    yield from (f"{key}: {got.get(key)}, not {want.get(key)}" for key in got | want if got.get(key) != want.get(key))
    server(2).write("rec.jsonl")
    got = whys("rec.jsonl", mixed, "--per-core")
    want = {(mixed, f"S{socket}-D{nr // 2}-C{nr}", "cpu"): "counted per die, on another CPU: use --per-die" if nr % 2 else
            "counted for the whole die: use --per-die" for socket in range(2) for nr in range(4)}
    yield from (f"{key}: {got.get(key)}, not {want.get(key)}" for key in got | want if got.get(key) != want.get(key))
    # as recorded before counts of a core type had their own name
    machine = hybrid()
    kept = [number for number, event in enumerate(machine.events) if "context-switches/cpu=" not in event["name"]]
    machine.counts = [[kept.index(count[0]), *count[1:]] for count in machine.counts if count[0] in kept]
    machine.events = [machine.events[number] for number in kept]
    machine.write("rec.jsonl")
    got = whys("rec.jsonl", "lpm_cs_cycles")
    if got != {("lpm_cs_cycles", "all", pmu): "an event that it needs was counted on all kinds of core"
               for pmu in ("cpu_core", "cpu_atom")}:
        yield f"{got}"
    truths = of_hybrid(machine)
    yield from check(machine, "rec.jsonl", {key: truth for key, truth in truths.items() if key[1] == "lpm_cs_cycles"},
                     {"-A": "cpu", "--per-core": "core"})


def tasks_of(machine, shares, path, **more):
    """Rewrites counts as those of tasks: {tid: {pmu: its share of the time}}, at the speed of the PMU's cores."""
    where = {pmu: machine.of(pmu)[0] for share in shares.values() for pmu in share}
    of_cpu = {(count[0], count[1]): count[3] for count in machine.counts}
    counts, groups = [], {pmu: nr for nr, pmu in enumerate(where)}
    for number, event in enumerate(machine.events):
        pmu = next((pmu for pmu in where if f"cpu={pmu}/" in event["name"]), event["pmu"])
        event["group"] = groups.get(pmu, len(groups) + number)
        for tid, share in shares.items():
            on = {pmu: share.get(pmu, 0)} if pmu in where else share
            count = sum(of_cpu.get((number, where[kind].nr), 0) * part / where[kind].busy for kind, part in on.items())
            times = [round(sum(parts.values()) * SECONDS * 10**9) for parts in (share, on)]
            if event["pmu"] in where or event["pmu"] in ("software", "msr"):
                counts.append([number, -1, tid, round(count), *times])
    machine.counts = counts
    machine.write(path, tasks=True, **more)


def programs():
    """Two threads that run for half of the time; on a hybrid, one of them on both kinds of core."""
    machine = server()
    tasks_of(machine, {77: {"cpu": 0.5}, 78: {"cpu": 0.5}}, "rec.jsonl", target="program")
    everywhere = {"tma_info_system_core_frequency": 3.0, "cpu_operating_frequency": 3.0, "smi_cycles": 10,
                  "tma_l2_hit_latency": 100 * machine.l2_hits * 4.4e-9, "lpm_cs_cycles": 3e9 * 0.5 / 100}
    whole = {"tma_info_system_cpus_utilized": 1.0, "cpu_utilization": 100, "tma_info_system_cpu_utilization": 1.0,
             "tma_info_memory_l1d_cache_fill_bw": machine.fill_gb, "lpm_cs_rate": 200, "lpm_idle": 0,
             "C6_Pkg_Residency": None, "C6_Core_Residency": None, "uncore_frequency": None, "cpu_cstate_c0": None,
             "tma_info_system_power": None, "memory_bandwidth_read": None, "llc_data_read_mpi_demand_plus_prefetch": None}
    yield from differences("rec.jsonl", "-a", {(metric, "all", "cpu"): value for metric, value in (everywhere | whole).items()})
    halves = {metric: value and value / 2 for metric, value in whole.items()} | {"lpm_idle": 50}
    yield from differences("rec.jsonl", "--per-thread", {
        (metric, f"?-{tid}", "cpu"): value for tid in (77, 78) for metric, value in (everywhere | halves).items()})
    machine = hybrid()
    tasks_of(machine, {77: {"cpu_core": 0.5, "cpu_atom": 0.25}, 78: {"cpu_core": 0.25, "cpu_atom": 0}}, "rec.jsonl",
             target="process id '77'")
    for option, row, share in ("-a", "all", (0.75, 0.25)), ("--per-thread", "?-77", (0.5, 0.25)):
        want = {("cpu_core", "tma_info_system_core_frequency"): 3.0, ("cpu_core", "tma_info_system_cpus_utilized"): share[0],
                ("cpu_core", "tma_info_system_cpu_utilization"): share[0],
                ("cpu_atom", "tma_info_system_cpu_utilization"): share[1], ("cpu_core", "smi_cycles"): 10,
                ("cpu_core", "tma_l2_hit_latency"): 100 * machine.l2_hits * 3e-9,
                ("cpu_core", "lpm_cs_cycles"): 3e9 * 0.5 / 100, ("cpu_atom", "lpm_cs_cycles"): 1.5e9 * 0.25 / 100}
        yield from differences("rec.jsonl", option, {(metric, row, pmu): value for (pmu, metric), value in want.items()})


def main():
    kind = sys.argv[1]
    several = {"models": models, "cpus": parts, "cgroups": of_cgroup, "programs": programs, "reasons": reasons, "perf": perf_file}
    if kind in several:
        wrong = list(several[kind]())
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
