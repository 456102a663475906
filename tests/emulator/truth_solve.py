# SPDX-License-Identifier: GPL-2.0-only
"""Rates at which a tree's formulas give wanted values: least squares

The unknowns are the logarithms of the rates of the events in the tree's
formulas.  Wanted nodes and bounds weigh most, defaults less, and least the
distance from where the rules start: it decides what nothing else does.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the same sums each time

import numpy  # noqa: E402
from scipy.optimize import least_squares  # noqa: E402

from truth_formulas import Numbers, evaluate  # noqa: E402
from truth_rules import Rates, leaf_of_relation, relations_of, unknowns  # noqa: E402
from truth_values import Values  # noqa: E402

NAMED, DEFAULT, BOUND, START = 300.0, 0.1, 100.0, 0.01
ROUNDS = [1.0, 30.0]  # what wanted values and bounds weigh more, in turn
MARGIN = 0.002  # bounds are kept with some air
STEP = 1e-6


class Arrays(Numbers):
    """Operations on arrays, an item a point."""

    def divide(self, a, b):
        return numpy.divide(a, b)

    def ratio(self, a, b):
        return numpy.where(b == 0, 0.0, numpy.divide(a, b))

    def minimum(self, a, b):
        return numpy.minimum(a, b)

    def maximum(self, a, b):
        return numpy.maximum(a, b)

    def truth(self, flag, *operands):
        return numpy.where(flag, 1.0, 0.0)

    def both(self, a, b):
        return numpy.where(numpy.logical_and(a, b), 1.0, 0.0)

    def either(self, a, b):
        return numpy.where(numpy.logical_or(a, b), 1.0, 0.0)

    def choose(self, condition, a, b):
        return numpy.where(condition, a(), b())


class Problem:
    """A scenario of one kind of core."""

    def __init__(self, formulas, rules, targets):
        self.formulas, self.rules, self.targets = formulas, rules, targets
        self.nodes = [n for n in formulas.nodes() if targets.has(n)]
        self.relations = relations_of(formulas, rules)
        self.start = unknowns(formulas, rules, targets)
        self.keys = list(self.start)

    def residuals(self, logs, weight):
        """logs: a row an unknown, a column a point."""
        numbers = Arrays()
        given = dict(zip(self.keys, numpy.exp(logs)))
        rates = Rates(self.formulas, self.rules, self.targets, given, numbers)
        values = Values(self.formulas, rates, numbers)
        rows = [row for n in self.nodes for row in self.of_node(n, values, weight)]
        rows += [self.of_relation(r, rates, values, weight) for r in self.relations]
        rows = [numpy.broadcast_to(row, logs.shape[1:]) for row in rows]
        first = numpy.log(list(self.start.values()))
        return numpy.vstack([rows, START * (logs - first[:, None])])

    def of_node(self, name, values, weight):
        value, target = values.metric(name), self.targets.of(name)
        parent = self.formulas.metrics[name].parent
        if self.targets.is_named(name):
            yield NAMED * weight * (value - target)
        else:
            yield DEFAULT * (value - target) / (target + 0.005)
        yield BOUND * weight * numpy.maximum(0, -value)
        if parent and self.targets.table.is_bound(name):
            yield BOUND * weight * numpy.maximum(0, value - values.metric(parent))

    def of_relation(self, relation, rates, values, weight):
        leaf = leaf_of_relation(rates, values)
        left = evaluate(relation.left, values.numbers, leaf)
        right = evaluate(relation.right, values.numbers, leaf)
        off = (left - right) / (numpy.abs(right) + 1e-9)
        if not relation.is_equal:
            off = numpy.maximum(0, off + MARGIN)
        return BOUND * weight * off

    def slopes(self, logs, weight):
        steps = STEP * numpy.eye(len(logs))
        both = numpy.hstack([logs[:, None] + steps, logs[:, None] - steps])
        rows = self.residuals(both, weight)
        return (rows[:, : len(logs)] - rows[:, len(logs) :]) / (2 * STEP)

    def solve(self):
        """The rate of each unknown."""
        logs = numpy.log(list(self.start.values()))
        if not self.keys:
            return {}
        for weight in ROUNDS:
            with numpy.errstate(all="ignore"):
                found = least_squares(
                    lambda x, w=weight: self.residuals(x[:, None], w)[:, 0],
                    logs,
                    lambda x, w=weight: self.slopes(x, w),
                    xtol=1e-12,
                    ftol=1e-12,
                    gtol=1e-10,
                    method="lm",
                    max_nfev=150,
                )
            logs = found.x
        return dict(zip(self.keys, numpy.exp(logs).tolist()))
