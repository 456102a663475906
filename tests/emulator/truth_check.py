# SPDX-License-Identifier: GPL-2.0-only
"""Does a truth file hold what its tables and the files' formulas say?"""

import math

from truth_events import order_of
from truth_formulas import Numbers, evaluate
from truth_rules import (
    Rates,
    leaf_of_relation,
    read_kind,
    relations_of,
    timed,
    unknowns,
)
from truth_values import Values
from truth_wanted import MODELS, Targets

NEAR = 0.002  # what a wanted node may be off
ROUNDING = 0.0005
SLACK = 0.003  # of bounds and sums, relative
OF_RULES = 1e-4


class KindCheck:
    """One kind of core in one scenario."""

    def __init__(self, formulas, rules, targets, truth):
        self.formulas, self.rules, self.targets = formulas, rules, targets
        self.truth, self.complaints = truth, []
        self.rates = Rates(
            formulas, rules, targets, truth.rates, latencies=truth.latencies
        )
        self.values = Values(formulas, self.rates)
        self.bottleneck = targets.bottleneck()

    def complain(self, what):
        self.complaints.append(what)

    def run(self):
        self.check_events()
        self.check_latencies()
        if not self.complaints:
            for name in self.formulas.nodes():
                self.check_node(name)
            for relation in relations_of(self.formulas, self.rules):
                self.check_relation(relation)
            self.check_rules()
            self.check_bottleneck()
        return self.complaints

    def check_events(self):
        for key, names in self.rates.names.items():
            if key not in self.truth.rates:
                self.complain(f"no rate for {names[0]}")
        for key, rate in self.truth.rates.items():
            if key not in self.rates.names:
                self.complain(f"the files have no event {key[0]:x}")
            if not 0 <= rate < 100:
                self.complain(f"{key[0]:x} counts {rate} a cycle")
        if self.truth.bytes != self.targets.bytes:
            self.complain(f"PERF_METRICS: {self.truth.bytes}, not {self.targets.bytes}")
        if self.truth.ghz != self.targets.scalars["ghz"]:
            self.complain(f"{self.truth.ghz} GHz")

    def check_latencies(self):
        """Of each event that a formula takes one of; and what the rules say."""
        missing = timed(self.formulas) - self.truth.latencies.keys()
        for key in sorted(missing, key=order_of):
            self.complain(f"no latency for {self.rates.names[key][0]}")
        for key, got in self.truth.latencies.items():
            names = self.rates.names.get(key)
            if not names:
                self.complain(f"the files have no event {key[0]:x}")
            elif got != self.rules.latency(names):
                wanted = self.rules.latency(names)
                self.complain(f"{names[0]} takes {got:g} cycles, not {wanted:g}")

    def check_node(self, name):
        value = self.values.metric(name)
        if not math.isfinite(value):
            self.complain(f"{name} is {value}")
            return
        if self.targets.is_named(name) and abs(value - self.targets.of(name)) > NEAR:
            wanted = 100 * self.targets.of(name)
            self.complain(f"{name} is {100 * value:.2f} %, not {wanted:.2f} %")
        if value < -ROUNDING:
            self.complain(f"{name} is {100 * value:.2f} %")
        parent = self.formulas.metrics[name].parent
        if parent and self.targets.table.is_bound(name):
            if value > self.values.metric(parent) + ROUNDING:
                self.complain(f"{name} is above {parent}: {100 * value:.2f} %")

    def check_relation(self, relation):
        leaf = leaf_of_relation(self.rates, self.values)
        left = evaluate(relation.left, Numbers(), leaf)
        right = evaluate(relation.right, Numbers(), leaf)
        off = left - right
        if relation.is_equal:
            off = abs(off)
        if off > SLACK * abs(right) + 1e-9:
            self.complain(f"not {relation.text}: {left:.6g}, {right:.6g}")

    def check_rules(self):
        """What was not solved for is what the rules make of the rest."""
        solved = unknowns(self.formulas, self.rules, self.targets)
        given = {key: self.truth.rates[key] for key in solved}
        rates = Rates(self.formulas, self.rules, self.targets, given)
        for key, names in rates.names.items():
            wanted, got = rates.rate_of(key), self.truth.rates[key]
            if abs(wanted - got) > OF_RULES * abs(wanted) + 1e-9:
                self.complain(f"{names[0]} counts {got:.6g}, by its rule {wanted:.6g}")

    def check_bottleneck(self):
        nodes = self.formulas.nodes()
        name = self.bottleneck
        if any(node.threshold for node in nodes.values()):
            over = [n for n in nodes if self.values.threshold(n)]
            level = nodes[name].level if name else 1
            deep = [n for n in over if nodes[n].level >= level]
            wanted = [name] if name else []
            if sorted(deep) != wanted:
                self.complain(
                    f"over their thresholds: {sorted(deep)}, not {wanted} alone"
                )
        elif name:
            level = nodes[name].level
            same = [n for n in nodes if nodes[n].level == level and self.is_lost(n)]
            if max(same, key=self.values.metric) != name:
                self.complain(f"{name} is not the greatest of its level")

    def is_lost(self, name):
        """What retires is no bottleneck, unless it is meant to be."""
        parent = self.formulas.metrics[name].parent
        return parent != "retiring" or name == self.bottleneck

    def rows(self):
        """Of each node: level, name, wanted, obtained, marks."""
        nodes = self.formulas.nodes()
        for name in sorted(nodes, key=lambda n: path_to(n, nodes)):
            marks = "*" if self.targets.is_named(name) else ""
            marks += " over its threshold" if self.values.threshold(name) else ""
            marks += " THE BOTTLENECK" if name == self.bottleneck else ""
            wanted = self.targets.of(name) if self.targets.has(name) else None
            yield nodes[name].level, name, wanted, self.values.metric(name), marks


def path_to(name, nodes):
    parent = nodes[name].parent
    return (*(path_to(parent, nodes) if parent in nodes else ()), name)


class Checker:
    """A whole file."""

    def __init__(self, model, reader):
        self.model, self.reader = model, reader
        self.wrong = self.checked = 0

    def run(self, show):
        if self.reader.model != self.model.name:
            print(f"the file is of {self.reader.model}")
            return False
        for kind, traits in MODELS[self.model.name].items():
            self.run_kind(kind, traits, show)
        print(
            f"{self.model.name}: {len(self.reader.scenarios)} scenarios, "
            f"{self.checked} nodes, {self.wrong} wrong"
        )
        return self.checked > 0 and not self.wrong

    def run_kind(self, kind, traits, show):
        formulas, table, rules = read_kind(self.model, kind)
        for scenario in table.scenarios:
            truth = self.reader.scenarios.get(scenario, {}).get(kind)
            if truth is None:
                self.complain(scenario, kind, ["is missing"])
                continue
            targets = Targets(table, scenario, formulas, traits)
            check = KindCheck(formulas, rules, targets, truth)
            self.complain(scenario, kind, check.run())
            self.checked += len(formulas.nodes())
            if show and not check.complaints:
                print_rows(scenario, kind, check)

    def complain(self, scenario, kind, complaints):
        for complaint in complaints:
            print(f"{scenario} {kind}: {complaint}")
        self.wrong += len(complaints)


def print_rows(scenario, kind, check):
    print(f"{scenario} {kind}  (wanted, obtained; * is no default)")
    for level, name, wanted, value, marks in check.rows():
        text = "     -" if wanted is None else f"{100 * wanted:6.2f}"
        indented = "  " * level + name
        print(f"{indented:<36}{text} {100 * value:6.2f} {marks}".rstrip())
