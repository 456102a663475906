# SPDX-License-Identifier: GPL-2.0-only
"""What the files' formulas give at some rates of a kind of core

Rates are counts a core cycle, so one cycle is what all of it is evaluated over:
duration_time is the cycle's length.
"""

from truth_events import METRICS_BYTES, Unknown
from truth_formulas import OF_A_NAME, Numbers, evaluate, ids_of, parse

TSC_GHZ = 2.0  # of the emulated machine
RINGS = {"": 1.0, "u": 0.75, "k": 0.25}
LITERALS = {
    "#core_wide": 1.0,
    "#has_pmem": 0.0,
    "#num_cpus": 1.0,
    "#num_cpus_online": 1.0,
    "#num_cores": 1.0,
    "#num_dies": 1.0,
    "#num_packages": 1.0,
    "#system_tsc_freq": TSC_GHZ * 1e9,
}


class Formulas:
    """A kind's metrics, parsed once."""

    def __init__(self, model, kind):
        self.model, self.kind = model, kind
        self.metrics = model.kinds[kind].metrics
        self.trees = {name: parse(m.formula) for name, m in self.metrics.items()}
        self.thresholds = {
            name: parse(m.threshold) for name, m in self.metrics.items() if m.threshold
        }
        self.names = {name.lower(): name for name in self.metrics}
        self.places, self.names_of_keys = {}, {}
        self.countable = {n for n in self.metrics if self.is_countable(n, ())}

    def nodes(self):
        """The metrics of the tree."""
        return {n: self.metrics[n] for n in self.metrics if self.is_node(n)}

    def is_node(self, name):
        return self.metrics[name].level > 0 and name in self.countable

    def metric_called(self, word, within):
        """Another metric of that name; within itself, a name is an event's."""
        name = self.names.get(word.lower())
        return None if name in within else name

    def place(self, word):
        if word not in self.places:
            self.places[word] = self.model.resolve(self.kind, word)
        return self.places[word]

    def is_countable(self, name, within):
        """Are all its events a core's?"""
        for word in ids_of(self.trees[name]):
            other = self.metric_called(word, (*within, name))
            try:
                if other is None:
                    self.place(word)
                elif not self.is_countable(other, (*within, name)):
                    return False
            except Unknown:
                return False
        return True

    def words_of(self, name, within=()):
        """The events' names in a metric and those that it is made of."""
        found = []
        for word in ids_of(self.trees[name]):
            other = self.metric_called(word, (*within, name))
            found += self.words_of(other, (*within, name)) if other else [word]
        return list(dict.fromkeys(found))

    def has_metrics_msr(self):
        words = [w for name in self.nodes() for w in ids_of(self.trees[name])]
        return any("topdown-retiring" in word.replace("\\", "") for word in words)


class Values:
    """Metrics at given rates.

    rate_of(key) and byte_of(index) are asked; latency_of(key) for ":R".  So many
    CPUs of the kind are counted together, and of all kinds: those have the TSC.
    """

    def __init__(self, formulas, point, numbers=None, cpus=(1, 1)):
        self.of_kind, self.of_all = cpus
        self.formulas, self.point = formulas, point
        self.numbers = numbers or Numbers()
        self.cache = {}

    def metric(self, name, within=()):
        if name not in self.cache:
            tree = self.formulas.trees[name]
            self.cache[name] = self.evaluate(tree, (*within, name))
        return self.cache[name]

    def evaluate(self, tree, within=()):
        return evaluate(tree, self.numbers, lambda leaf: self.leaf(leaf, within))

    def threshold(self, name):
        tree = self.formulas.thresholds.get(name)
        return tree is not None and bool(self.evaluate(tree))

    def leaf(self, tree, within):
        kind, word = tree[0], tree[1]
        if kind == "literal":
            return LITERALS.get(word, self.point.literals.get(word))
        if kind in OF_A_NAME:
            return 0.0 if kind == "has_event" else 1.0
        name = self.formulas.metric_called(word, within)
        return self.metric(name, within) if name else self.counted(word)

    def counted(self, word):
        place, modifier = self.formulas.place(word)
        if modifier == "R":
            return self.point.latency_of(place)
        if place == "tsc":
            return TSC_GHZ / self.point.ghz * self.of_all / self.of_kind
        if place == "duration_time":
            return 1e-9 / self.point.ghz / self.of_kind
        if place in METRICS_BYTES:
            return self.point.byte_of(METRICS_BYTES.index(place))
        return self.point.rate_of(place) * RINGS[modifier]
