# SPDX-License-Identifier: GPL-2.0-only
"""scenarios/rules.*: rates to start from, and what holds between events"""

import re
from fnmatch import fnmatchcase, translate

from truth_events import Unknown, order_of
from truth_formulas import Numbers, evaluate, ids_of, parse
from truth_values import Formulas
from truth_wanted import HERE, MODELS, Table

LINE = re.compile(r"(?P<left>.+?)\s+(?P<sign>:=|==|<=|=)\s+(?P<right>.+)")


class Rule:
    def __init__(self, pattern, sign, text):
        self.is_like = re.compile(translate(pattern)).match
        self.moves = sign == "="
        self.tree = parse(text)

    def fits(self, names):
        return any(map(self.is_like, names))


class Relation:
    def __init__(self, left, sign, right):
        self.text = f"{left} {sign} {right}"
        self.is_equal = sign == "=="
        self.left, self.right = parse(left), parse(right)
        self.words = list(dict.fromkeys(ids_of(self.left) + ids_of(self.right)))


class Rules:
    def __init__(self, name):
        self.rules, self.relations, self.latencies = [], [], []
        self.encodings, self.found = [], {}
        self.read(name)

    def read(self, name):
        lines = (HERE / f"rules.{name}").read_text(encoding="utf-8").splitlines()
        for line in lines:
            if line.startswith("include "):
                self.read(line.split()[1])
            elif line and not line.startswith("#"):
                self.add(line)

    def add(self, line):
        match = LINE.fullmatch(line)
        if not match:
            raise ValueError(f"no rule: {line}")
        left, sign, right = match["left"], match["sign"], match["right"]
        if left.startswith("latency "):
            self.latencies.append((left.split()[1], float(right)))
        elif left.startswith("encoding "):
            self.encodings.append((*left.split()[1:], *right.split()))
        elif sign in ("==", "<="):
            self.relations.append(Relation(left, sign, right))
        else:
            self.rules.append(Rule(left, sign, right))

    def add_encodings(self, model, kind):
        for models, name, config, *extra in self.encodings:
            if fnmatchcase(model.name, models):
                extra = int(extra[0], 16) if extra else None
                model.add_encoding(kind, name, int(config, 16), extra)

    def rule_for(self, names):
        """The first that fits any of an event's names."""
        key = tuple(names)
        if key not in self.found:
            self.found[key] = next((r for r in self.rules if r.fits(names)), None)
        if self.found[key] is None:
            raise Unknown(names)
        return self.found[key]

    def latency(self, names):
        fits = [n for p, n in self.latencies if any(fnmatchcase(x, p) for x in names)]
        return fits[0]


def leaf_of_relation(rates, values):
    """What a name in a relation stands for: a node's value or an event's rate."""

    def leaf(tree):
        if rates.formulas.metric_called(tree[1], ()):
            return values.metric(tree[1])
        return rates.leaf(tree)

    return leaf


def read_kind(model, kind):
    """All that is known of a kind of core: its formulas, table and rules."""
    table = MODELS[model.name][kind].table
    rules = Rules(table)
    rules.add_encodings(model, kind)
    return Formulas(model, kind), Table(table), rules


class Rates:
    """A rate for every event of a kind: given ones, and the others by rule."""

    def __init__(self, formulas, rules, targets, given=None, numbers=None,
                 latencies=None):
        self.formulas, self.rules, self.targets = formulas, rules, targets
        self.given = given if given is not None else {}
        self.latencies = latencies or {}
        self.numbers = numbers or Numbers()
        self.names = names_of_keys(formulas)
        self.cache = {}
        self.ghz = targets.scalars["ghz"]
        self.literals = {"#smt_on": float(targets.traits.smt)}

    def rate_of(self, key):
        if key in self.given:
            return self.given[key]
        return self.by_rule(key, self.names[key])

    def by_rule(self, key, names):
        if key not in self.cache:
            self.cache[key] = None  # until it is known: a circle is an error
            tree = self.rules.rule_for(names).tree
            self.cache[key] = evaluate(tree, self.numbers, self.leaf)
        if self.cache[key] is None:
            raise ValueError(f"the rule for {names} leads back to itself")
        return self.cache[key]

    def leaf(self, tree):
        """What a name in a rule stands for; events that this model lacks, too."""
        word = tree[1]
        if word in self.targets.scalars:
            return self.targets.scalars[word]
        if word in self.targets.table.rows:
            return self.targets.of(word)
        try:
            key, _ = self.formulas.place(word)
        except Unknown:
            key = word
        return self.rate_of(key) if key in self.names else self.by_rule(key, [word])

    def byte_of(self, index):
        return self.targets.bytes[index] / 255 * self.targets.scalars["slots"]

    def latency_of(self, key):
        if key in self.latencies:
            return self.latencies[key]
        return self.rules.latency(self.names[key])


def names_of_keys(formulas):
    """Each key of the files' events and formulas, and its names."""
    if formulas.names_of_keys:
        return formulas.names_of_keys
    names = formulas.names_of_keys
    names.update(formulas.model.keys(formulas.kind))
    for metric in sorted(formulas.countable):
        for word in formulas.words_of(metric):
            place, _ = formulas.place(word)
            plain = re.sub(r"^cpu_\w+@", "cpu@", word.replace("\\", ""))
            if isinstance(place, tuple) and plain not in names.get(place, []):
                names[place] = names.get(place, []) + [plain]
    return names


def timed(formulas):
    """The events whose retire latency a formula takes (":R")."""
    words = [w for name in formulas.countable for w in formulas.words_of(name)]
    places = [formulas.place(word) for word in words]
    return {place for place, modifier in places if modifier == "R"}


def unknowns(formulas, rules, targets):
    """The events of the tree that the solver may move, and where they begin."""
    rates = Rates(formulas, rules, targets)
    words = [w for name in formulas.nodes() for w in formulas.words_of(name)]
    places = {formulas.place(word)[0] for word in words}
    start = {}
    for key in sorted((k for k in places if k in rates.names), key=order_of):
        rule = rules.rule_for(rates.names[key])
        if rule.moves and rates.rate_of(key) > 0:
            start[key] = rates.rate_of(key)
    return start


def relations_of(formulas, rules):
    """Those whose events and nodes the files have."""
    found = []
    for relation in rules.relations:
        try:
            for word in relation.words:
                if not formulas.metric_called(word, ()):
                    formulas.place(word)
        except Unknown:
            continue
        found.append(relation)
    return found
