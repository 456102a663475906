# SPDX-License-Identifier: GPL-2.0-only
"""For energy.bats: what rows of CPUs, cores and sockets have to show, measured on a machine whose counts are known.

usage: places.py server|dies|hybrid [tasks]

Uncore units, energy and clocks count what tests/emulator/README.md says, and the
emulator tells how long each CPU, core and package slept.  The value of a row is computed
from the truth of its CPUs.
"""
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import mean

TDSTAT = os.environ["TDSTAT"]
os.environ.pop("TDSTAT_METRICS", None)  # the metrics are those of the newest files
ACT = Path(__file__).resolve().parents[2] / "build/emulator/act"
WATCH = f"'{ACT}' -i >before; sleep 1.5; '{ACT}' -i >after"
PERCENT = 20  # how far off speeds may be on a busy host
WATTS, RAM_WATTS = 65, 6  # of the first die; the second one takes twice as much, and so on


def rate(event, umask):
    """What a unit of the first die counts in a nanosecond."""
    return (16 + (event * 131 + umask * 17) % 1024) / 1024


DRD, DRD_DDR, CRD = 0xc817fe01, 0xc8178601, 0xc80ffe01
TOR_INSERTS, TOR_OCCUPANCY = 0x35, 0x36


class Cpu:
    def __init__(self, nr, core, die, pmu, hz, dies=1):
        self.nr, self.core, self.die, self.socket, self.pmu, self.hz = nr, core, die, die // dies, pmu, hz

    def id(self, how):
        return {"all": "all", "cpu": f"CPU{self.nr}", "core": f"S{self.socket}-D{self.die}-C{self.core}",
                "die": f"S{self.socket}-D{self.die}", "socket": f"S{self.socket}"}[how]


def place(cpu, what):
    return {"thread": cpu.nr, "core": (cpu.die, cpu.core), "die": cpu.die, "package": cpu.socket}[what]


class Stops(threading.Thread):
    """Watches for how long the host stops the machine, on a CPU that is busy anyway."""

    def __init__(self, cpu):
        super().__init__(daemon=True)
        self.cpu, self.ends, self.longest = cpu, False, 0

    def run(self):
        os.sched_setaffinity(0, [self.cpu])
        before = time.monotonic()
        while not self.ends:
            time.sleep(0.01)
            now = time.monotonic()
            self.longest, before = max(self.longest, now - before), now

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.join()


class Run:
    """A machine in the time of a run of tdstat."""

    def __init__(self, cpus, loaded):
        self.cpus, self.loaded = cpus, loaded

    def measure(self, words):
        """The command that tdstat counts looks at its beginning and end."""
        # a stop between reading a count and its time affects only one of them
        for _ in range(10):
            with Stops(self.loaded[-1]) as stops:
                done = subprocess.run(words + ["-j", "--", "sh", "-c", WATCH], stdin=subprocess.DEVNULL, capture_output=True,
                                      encoding="utf-8", check=False)
            if stops.longest < 0.1:
                break
        before, after = look("before"), look("after")
        self.slept = {what: {place(cpu, what): (after[cpu.nr][what] - before[cpu.nr][what]) /
                             (after[cpu.nr]["time"] - before[cpu.nr]["time"]) for cpu in reversed(self.cpus)}
                      for what in ("thread", "core", "package")}
        rows = [json.loads(line) for line in done.stdout.splitlines() + done.stderr.splitlines() if line.startswith("{")]
        return {(row["metric"], row["id"], row["pmu"]): row["value"] for row in rows if "metric" in row}, done.stderr

    def places(self, cpus, what):
        """The cores or packages whose first CPU is one of these: the kernel counts there what is theirs."""
        firsts = {}
        for cpu in self.cpus:
            firsts.setdefault(place(cpu, what), cpu)
        return [nr for nr, cpu in firsts.items() if cpu in cpus]

    def busy(self, cpu):
        return 1 - self.slept["thread"][cpu.nr]

    def residency(self, cpus, what, share):
        slept = [self.slept[what][nr] for nr in self.places(cpus, what)]
        return shares(share * mean(slept), 2 * len(slept)) if slept else None

    def mean_busy(self, cpus):
        return shares(mean(map(self.busy, cpus)), len(cpus))

    def sum_busy(self, cpus):
        low, high = self.mean_busy(cpus)
        return low * len(cpus), high * len(cpus)


def look(path):
    """How long each CPU and its places have slept: {cpu: {"time", "thread", "core", "package"}}."""
    with open(path, encoding="ascii") as file:
        return {line["cpu"]: line for line in map(json.loads, file)}


def shares(share, nr):
    """A busy host may stop one of few for long between the looks and the counts."""
    return share - 0.1 - 0.2 / nr, share + 0.1 + 0.2 / nr


def about(value):
    return value * (1 - PERCENT / 100), value * (1 + PERCENT / 100)


def percent(bounds):
    return bounds and tuple(100 * bound for bound in bounds)


def of_cpus(run):
    """Of one kind of core: a metric, and its bounds in a row of these CPUs."""
    return {
        "tma_info_system_core_frequency": lambda cpus: about(cpus[0].hz),
        "tma_info_system_cpus_utilized": run.sum_busy,
        "tma_info_system_cpu_utilization": run.mean_busy,
        "lpm_idle": lambda cpus: tuple(100 - bound for bound in reversed(percent(run.mean_busy(cpus)))),
        # cycles that APERF counts and no event does: none; CPUs that hardly ran say nothing
        "smi_cycles": lambda cpus: (-10, 10) if sum(map(run.busy, cpus)) > 0.8 else "any",
    }


def of_packages(run):
    """What belongs to whole cores and packages: None where there is none of them in a row."""
    return {
        "C1_Core_Residency": lambda cpus: percent(run.residency(cpus, "core", 1 / 4)),
        "C6_Core_Residency": lambda cpus: percent(run.residency(cpus, "core", 1 / 2)),
        "C2_Pkg_Residency": lambda cpus: percent(run.residency(cpus, "package", 1 / 4)),
        "C6_Pkg_Residency": lambda cpus: percent(run.residency(cpus, "package", 1 / 4)),
        "lpm_cpu_power_pkg": lambda cpus: of_dies(run, cpus, lambda nr: WATTS * (nr + 1)),
    }


def of_dies(run, cpus, value, how=sum):
    values = [value(nr) for nr in run.places(cpus, "die")]
    return about(how(values)) if values else None


def of_server(run):
    def ghz(nr):
        return 1.5 + 0.5 * nr

    def dies(value, how=sum):
        return lambda cpus: of_dies(run, cpus, value, how)

    def latency(umask):
        """Of one read: occupancy in ns over inserts, of all dies of the row."""
        def bounds(cpus):
            nrs = run.places(cpus, "die")
            ns = sum(rate(TOR_OCCUPANCY, umask) * (nr + 1) / ghz(nr) for nr in nrs)
            return about(ns / sum(rate(TOR_INSERTS, umask) * (nr + 1) for nr in nrs)) if nrs else None
        return bounds

    def misses_of_code(cpus):
        """A die's misses belong to the instructions of all of its CPUs.  Idle ones execute too few to be sure of."""
        nrs = {cpu.die for cpu in cpus}
        if len(cpus) < sum(cpu.die in nrs for cpu in run.cpus):
            return None
        ns = sum(run.busy(cpu) for cpu in cpus)
        return about(2 * sum(rate(TOR_INSERTS, CRD) * (nr + 1) for nr in nrs) / (4.5 * ns)) if ns > 1 else "any"

    bytes_a_ns = 64 * (rate(5, 0xcf) + rate(5, 0xf0))
    return {
        "cpu_utilization": lambda cpus: percent(run.mean_busy(cpus)),
        "cpu_operating_frequency": lambda cpus: about(3.0),
        "tma_info_system_power": dies(lambda nr: (WATTS + RAM_WATTS) * (nr + 1)),
        "uncore_frequency": dies(ghz, mean),
        "UNCORE_FREQ": dies(ghz, mean),
        "tma_info_system_uncore_frequency": dies(ghz, mean),
        "llc_demand_data_read_miss_latency": latency(DRD),
        "tma_info_system_mem_read_latency": latency(DRD),
        "tma_info_system_mem_dram_read_latency": latency(DRD_DDR),
        "cpu_cstate_c0": dies(lambda nr: rate(0x35, 0) * (nr + 1) / ghz(nr)),
        "memory_bandwidth_total": dies(lambda nr: 1e3 * bytes_a_ns * (nr + 1)),
        "tma_info_system_dram_bw_use": dies(lambda nr: bytes_a_ns * (nr + 1)),
        "llc_code_read_mpi_demand_plus_prefetch": misses_of_code,
    }


def differences(what, values, want, err):
    found = values | {(metric, row, ""): value for (metric, row, _), value in values.items() if value is not None}
    for key, bounds in want.items():
        value = found.get(key)
        if bounds == "any":
            continue
        if bounds is None or value is None:
            is_same = bounds is value
        else:
            is_same = bounds[0] <= value <= bounds[1]
        if not is_same:
            yield f"{what}: {' '.join(key)} is {value}, not in {bounds}"
    if not values:
        yield f"{what}: {err}"


class Test:
    """Truths: what is measured of a kind of core, {pmu: {metric: bounds}}; the kind "" has what is of all."""

    def __init__(self, run, truths):
        self.run, self.truths = run, truths
        self.metrics = list(dict.fromkeys(name for truth in truths.values() for name in truth))

    def want(self, cpus, how):
        rows = {}
        for pmu, truth in self.truths.items():
            for cpu in cpus:
                if pmu in ("", cpu.pmu):
                    rows.setdefault((pmu, cpu.id(how)), []).append(cpu)
        return {(name, row, pmu): bounds(mine) for (pmu, row), mine in rows.items()
                for name, bounds in self.truths[pmu].items()}

    def check(self, option, how, cpus):
        """Pinned to a CPU that is busy anyway: the others stay idle."""
        words = ["taskset", "-c", str(self.run.loaded[-1]), TDSTAT, *option, "-M", ",".join(self.metrics)]
        values, err = self.run.measure(words)
        return list(differences(" ".join(option), values, self.want(cpus, how), err))


def server():
    """Two sockets of two cores of two threads; a core of the first one is busy."""
    cpus = [Cpu(nr, nr % 4 // 2, nr // 4, "cpu", 3.0) for nr in range(8)]
    run = Run(cpus, [2, 3])
    ways = [(["-a"], "all", cpus), (["-a", "--per-socket"], "socket", cpus), (["-a", "--per-core"], "core", cpus),
            (["-a", "-A"], "cpu", cpus), (["-C", "0-3"], "all", cpus[:4]), (["-C", "2"], "all", cpus[2:3])]
    return [(Test(run, {"cpu": of_cpus(run) | of_packages(run) | of_server(run)}), ways)]


def dies():
    """Two sockets of two dies with a core of two threads; the second die is busy."""
    cpus = [Cpu(nr, nr // 2 % 2, nr // 2, "cpu", 3.0, 2) for nr in range(8)]
    run = Run(cpus, [2, 3])
    ways = [(["-a"], "all", cpus), (["-a", "--per-die"], "die", cpus), (["-a", "--per-socket"], "socket", cpus),
            (["-a", "--per-core"], "core", cpus), (["-C", "2-5"], "all", cpus[2:6])]
    # with several dies the kernel's PMU is cstate_die, and the files name cstate_pkg
    packages = {name: value for name, value in of_packages(run).items() if "_Pkg_" not in name}
    return [(Test(run, {"cpu": of_cpus(run) | packages | of_server(run)}), ways)]


def hybrid():
    """2 P-CPUs, of which one is busy, and 6 E-CPUs, of which two are."""
    cpus = [Cpu(nr, nr, 0, *(("cpu_core", 3.0) if nr < 2 else ("cpu_atom", 2.0))) for nr in range(8)]
    run = Run(cpus, [1, 4, 5])
    core, packages = of_cpus(run), of_packages(run)
    atom = {"tma_info_system_cpu_utilization": core["tma_info_system_cpu_utilization"]}
    packages["lpm_idle"] = core.pop("lpm_idle")
    ways = [(["-a"], "all", cpus), (["-a", "-A"], "cpu", cpus), (["-C", "0-4"], "all", cpus[:5])]
    # only E-cores have a metric of SMIs, where there are no other cores
    alone = Test(run, {"cpu_atom": atom | {"smi_cycles": core["smi_cycles"]}, "": packages})
    return [(Test(run, {"cpu_core": core, "cpu_atom": atom, "": packages}), ways),
            (alone, [(["-C", "2-7"], "all", cpus[2:])])]


def of_tasks(run, cpus, of_all):
    """What processes have that are always busy, each on one of these CPUs, of so many."""
    low, high = run.sum_busy(cpus)
    utilization = {"tma_info_system_cpu_utilization": (low / of_all, high / of_all)}
    if cpus[0].pmu == "cpu_atom":
        return utilization
    server = {"cpu_utilization": (100 * low / of_all, 100 * high / of_all), "cpu_operating_frequency": about(cpus[0].hz)}
    return utilization | (server if cpus[0].pmu == "cpu" else {}) | {
        "tma_info_system_core_frequency": about(cpus[0].hz), "tma_info_system_cpus_utilized": (low, high)}


def check_tasks(run, burn):
    """All busy processes but the last one, whose CPU is tdstat's: as processes and as a cgroup."""
    cpus = [cpu for cpu in run.cpus if cpu.nr in run.loaded[:-1]]
    pids = [str(process.pid) for process in burn[:-1]]
    folder = Path("/sys/fs/cgroup/places")
    folder.mkdir()
    for pid in pids:
        (folder / "cgroup.procs").write_text(pid, encoding="ascii")
    kinds = [[cpu for cpu in cpus if cpu.pmu == pmu] for pmu in dict.fromkeys(cpu.pmu for cpu in cpus)]
    for row, option in ("all", ["-p", ",".join(pids)]), ("places", ["-a", "--for-each-cgroup", "places"]):
        metrics = ["tma_info_system_core_frequency", "tma_info_system_cpus_utilized", "tma_info_system_cpu_utilization"]
        if cpus[0].pmu == "cpu":
            metrics += ["cpu_utilization", "cpu_operating_frequency"]
        values, err = run.measure(["taskset", "-c", str(run.loaded[-1]), TDSTAT, *option, "-M", ",".join(metrics)])
        want = {}
        for mine in kinds:
            # of one CPU, or of the whole machine
            of_all = 1 if row == "all" else sum(cpu.pmu == mine[0].pmu for cpu in run.cpus)
            want |= {(metric, row, mine[0].pmu): bounds for metric, bounds in of_tasks(run, mine, of_all).items()}
        yield from differences(" ".join(option), values, want, err)


def main():
    tests = {"server": server, "dies": dies, "hybrid": hybrid}[sys.argv[1]]()
    burn = [subprocess.Popen(["taskset", "-c", str(nr), ACT, "600s:inherited"]) for nr in tests[0][0].run.loaded]
    try:
        if sys.argv[2:]:
            wrong = list(check_tasks(tests[0][0].run, burn))
        else:
            wrong = [line for test, ways in tests for way in ways for line in test.check(*way)]
    finally:
        for process in burn:
            process.kill()
    print("\n".join(wrong[:60]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
