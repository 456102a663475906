# SPDX-License-Identifier: GPL-2.0-only
"""The tables of what scenarios are wanted to be, and the values that follow"""

from dataclasses import dataclass

from truth_events import HERE

BYTES = 255  # PERF_METRICS counts in these parts of the slots
LEVEL1 = [
    "tma_retiring",
    "tma_bad_speculation",
    "tma_frontend_bound",
    "tma_backend_bound",
]
LEVEL2 = [
    "tma_heavy_operations",
    "tma_branch_mispredicts",
    "tma_fetch_latency",
    "tma_memory_bound",
]
# Rows of a table that are not nodes.
SCALARS = [
    "ghz",
    "uops_per_instruction",
    "branches_per_instruction",
    "loads_per_instruction",
    "stores_per_instruction",
    "uop_dropping",
    "vectors_per_instruction",
    "fills_l2",
    "fills_l3",
    "fills_dram",
    "walks",
    "icache_misses",
    "store_queue",
    "divider",
    "stalls_l1",
    "stalls_l2",
    "stalls_l3",
    "stalls_dram",
    "stalls_walk",
    "stalls_fetch",
    "stalls_divider",
    "store_buffer_share",
]


@dataclass
class Traits:
    """What a kind of core of a model is."""

    table: str  # wanted.TABLE, rules.TABLE
    slots: float  # a cycle of the thread
    core: float = 1.0  # cycles of the core a cycle of the thread
    smt: int = 0  # #SMT_on


# Skylake's formulas share a core's slots among its threads; both run here.
MODELS = {
    "alderlake": {"core": Traits("core", 6), "atom": Traits("atom", 5)},
    "icelakex": {"core": Traits("core", 5, smt=1)},
    "lunarlake": {"core": Traits("core", 8), "atom": Traits("atom", 8)},
    "meteorlake": {"core": Traits("core", 6), "atom": Traits("atom", 6)},
    "sapphirerapids": {"core": Traits("core", 6, smt=1)},
    "skylakex": {"core": Traits("core", 2, core=0.5, smt=1)},
    "amdzen4": {"core": Traits("zen", 6, smt=1)},
}


class Table:
    """wanted.NAME: a row a node, a column a scenario."""

    def __init__(self, name):
        lines = (HERE / f"wanted.{name}").read_text(encoding="utf-8").splitlines()
        rows = [line.split() for line in lines if line and not line.startswith("#")]
        head, rows = rows[0], rows[1:]
        self.scenarios = head[2:]
        self.rows = {row[0]: dict(zip(head[1:], row[1:])) for row in rows}
        for row in rows:
            if len(row) != len(head):
                raise ValueError(f"wanted.{name}: {row[0]} has {len(row)} columns")

    def cell(self, row, scenario):
        text = self.rows[row][scenario]
        return self.rows[row]["default"] if text == "-" else text

    def is_named(self, row, scenario):
        """Is it a value of this scenario, not a default?"""
        return row in self.rows and self.rows[row][scenario] != "-"

    def is_bound(self, row):
        """Is the node a part of its parent?"""
        default = self.rows.get(row, {"default": ""})["default"]
        return not default.partition("%")[2]

    def scalars(self, scenario, traits):
        """The rows that are no nodes, as numbers."""
        plain = {
            row: float(self.cell(row, scenario)) for row in SCALARS if row in self.rows
        }
        return {**plain, "slots": traits.slots, "core": traits.core}


class Targets:
    """The value that each node of a tree is wanted to have in a scenario."""

    def __init__(self, table, scenario, formulas, traits):
        self.table, self.scenario, self.traits = table, scenario, traits
        self.nodes = formulas.nodes()
        self.scalars = table.scalars(scenario, traits)
        words = formulas.words_of(LEVEL1[2]) if LEVEL1[2] in self.nodes else []
        self.drops_uops = any("UOP_DROPPING" in word for word in words)
        self.bytes = []
        self.known = {}
        if formulas.has_metrics_msr():
            self.take_bytes()

    def bottleneck(self):
        """The deepest node that this model has of what the scenario is named after."""
        for row in ("bottleneck", "bottleneck_level_2"):
            word = self.table.cell(row, self.scenario) if row in self.table.rows else ""
            for name in (word, "tma_" + word):
                if name in self.nodes:
                    return name
        return None

    def take_bytes(self):
        """Level 1 and 2 in whole 255ths; and what UOP_DROPPING moves."""
        wanted = [self.number(name) for name in LEVEL1]
        self.bytes = largest_remainders(wanted, BYTES)
        self.bytes += [round(self.number(name) * BYTES) for name in LEVEL2]
        dropping = self.scalars["uop_dropping"] / 100 if self.drops_uops else 0
        moved = {
            "tma_frontend_bound": -dropping,
            "tma_bad_speculation": dropping,
            "tma_fetch_latency": -dropping,
        }
        for name, part in zip(LEVEL1 + LEVEL2, self.bytes):
            self.known[name] = part / BYTES + moved.get(name, 0)

    def number(self, name):
        return float(self.table.cell(name, self.scenario)) / 100

    def has(self, name):
        return name in self.nodes and name in self.table.rows

    def of(self, name):
        if name not in self.known:
            self.known[name] = self.find(name)
        return self.known[name]

    def find(self, name):
        if name not in self.table.rows:
            return 0.0
        text = self.table.cell(name, self.scenario)
        if text == "rest":
            return self.rest(name)
        share, percent, other = text.partition("%")
        if not percent:
            return float(share) / 100
        parent = self.nodes[name].parent if name in self.nodes else None
        return float(share) / 100 * self.of(other or parent) if other or parent else 0.0

    def rest(self, name):
        if name not in self.nodes:
            return 0.0
        parent = self.nodes[name].parent
        siblings = [
            n
            for n, node in self.nodes.items()
            if node.parent == parent and n != name and self.table.is_bound(n)
        ]
        return max(0.0, self.of(parent) - sum(self.of(n) for n in siblings))

    def is_named(self, name):
        """Has the node to have its value?"""
        return self.table.is_named(name, self.scenario)


def largest_remainders(parts, whole):
    """Whole numbers that sum up to whole, nearest to the parts of one."""
    exact = [part * whole for part in parts]
    counts = [int(x) for x in exact]
    order = sorted(range(len(parts)), key=lambda i: counts[i] - exact[i])
    for i in order[: whole - sum(counts)]:
        counts[i] += 1
    return counts
