# SPDX-License-Identifier: GPL-2.0-only
"""The truth file: read and written

    tdstat-truth 1
    model MODEL
    scenario NAME
    kind core|atom
    ghz N                         core cycles a ns
    metrics P P P P P P P P       PERF_METRICS, % of the slots
    fixed N RATE                  counts a core cycle
    event CONFIG EXTRA RATE NAME
    latency CONFIG EXTRA CYCLES NAME   mean retire latency
"""

from dataclasses import dataclass, field
from decimal import Decimal

from truth_events import FIXED, order_of

DIGITS = 6
HEAD = """\
tdstat-truth 1
# Made by: {command}
# Counts a core cycle at which Linux' formulas give what is wanted
# in the tables beside this file.
model {model}"""


@dataclass
class KindTruth:
    """The rates of one kind of core in one scenario."""

    ghz: float = 0.0
    bytes: list = field(default_factory=list)
    rates: dict = field(default_factory=dict)
    names: dict = field(default_factory=dict)
    latencies: dict = field(default_factory=dict)


class BadFile(ValueError):
    """What no truth file looks like."""


def rounded(rate):
    return float(f"{rate:.{DIGITS}g}")


def decimal(rate):
    """Without an exponent."""
    return format(Decimal(f"{rate:.{DIGITS}g}"), "f")


def fixed_counters(kind, rates):
    """Those that there are; 4 to 6 count slots, on Atom kinds from Skymont on."""
    if (FIXED[2], None) not in rates:
        return []
    counters = range(4 if kind == "core" or (FIXED[5], None) not in rates else 7)
    return [(n, FIXED[n]) for n in counters if (FIXED[n], None) in rates]


def line_of_event(word, key, value, name):
    config, extra = key
    extra = "-" if extra is None else f"{extra:x}"
    return f"{word} {config:x} {extra} {decimal(value)} {name}"


def lines_of_kind(kind, truth):
    yield f"kind {kind}"
    yield f"ghz {truth.ghz:g}"
    if truth.bytes:
        percents = " ".join(f"{part / 2.55:.2f}" for part in truth.bytes)
        yield f"metrics {percents}"
    has_fixed = (FIXED[2], None) in truth.rates
    for counter, config in fixed_counters(kind, truth.rates):
        yield f"fixed {counter} {decimal(truth.rates[config, None])}"
    for key in sorted(truth.rates, key=order_of):
        if not has_fixed or key[0] & 0xFF:  # no event code: a fixed counter's
            yield line_of_event("event", key, truth.rates[key], truth.names[key])
    for key in sorted(truth.latencies, key=order_of):
        yield line_of_event("latency", key, truth.latencies[key], truth.names[key])


def write_file(model, command, scenarios, out):
    """scenarios: name -> kind -> KindTruth"""
    print(HEAD.format(command=command, model=model), file=out)
    for scenario, kinds in scenarios.items():
        print(f"\nscenario {scenario}", file=out)
        for kind, truth in kinds.items():
            for line in lines_of_kind(kind, truth):
                print(line, file=out)


def key_of(words):
    """Of an event's line."""
    return int(words[1], 16), None if words[2] == "-" else int(words[2], 16)


class Reader:
    def __init__(self, path):
        self.model, self.scenarios = None, {}
        self.kinds = self.truth = None
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                words = line.partition("#")[0].split()
                try:
                    self.take(words)
                except (ValueError, TypeError, IndexError, AttributeError) as error:
                    raise BadFile(f"{path}:{number}: {error}") from error

    def take(self, words):
        if not words:
            return
        if words[0] == "tdstat-truth":
            if words[1] != "1":
                raise ValueError(f"version {words[1]}")
        elif words[0] == "model":
            self.model = words[1]
        elif words[0] == "scenario":
            self.kinds = self.scenarios.setdefault(words[1], {})
        elif words[0] == "kind":
            self.truth = self.kinds[words[1]] = KindTruth()
        else:
            self.take_rate(words)

    def take_rate(self, words):
        if words[0] == "ghz":
            self.truth.ghz = float(words[1])
        elif words[0] == "metrics":
            self.truth.bytes = [round(float(word) * 2.55) for word in words[1:]]
        elif words[0] == "fixed":
            self.add((FIXED[int(words[1])], None), words[2])
        elif words[0] == "event":
            self.add(key_of(words), words[3])
        elif words[0] == "latency":
            self.truth.latencies[key_of(words)] = float(words[3])
        else:
            raise ValueError(f"what is {words[0]!r}?")

    def add(self, key, word):
        """Fixed counters and events of one key count the same."""
        rate = float(word)
        if self.truth.rates.setdefault(key, rate) != rate:
            raise ValueError(f"{key[0]:x} counts at two rates")
