# SPDX-License-Identifier: GPL-2.0-only
"""A processor's events and metrics, out of the kernel tree's JSON files

An event's key is (config, extra): what an event-select register and, beside
it, OFFCORE_RSP, the load-latency or the front-end register are given.  Names of
one encoding are one key, so they count at one rate.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent / "scenarios"
KINDS = {None: "core", "cpu_core": "core", "cpu_atom": "atom"}
EXTRA_MSRS = {0x1A6, 0x1A7, 0x3F6, 0x3F7}
METRICS_BYTES = [
    "topdown-retiring",
    "topdown-bad-spec",
    "topdown-fe-bound",
    "topdown-be-bound",
    "topdown-heavy-ops",
    "topdown-br-mispredict",
    "topdown-fetch-lat",
    "topdown-mem-bound",
]
# Fixed counters, as the kernel's pseudo codes say, that count what general
# counters count, too.
SAME_AS = {0x100: 0xC0, 0x200: 0x3C, 0x500: 0x73, 0x600: 0x19C, 0x700: 0x2C2}
FIXED = {0: 0xC0, 1: 0x3C, 2: 0x300, 3: 0x400, 4: 0x73, 5: 0x19C, 6: 0x2C2}
# Names of events that sysfs has, beside the files.
SYSFS = {"slots": 0x400, "cycles": 0x3C, "instructions": 0xC0}
BITS = {"edge": 18, "inv": 23, "cmask": 24}


class Unknown(KeyError):
    """A name that stands for no event of a core."""


@dataclass
class Metric:
    name: str
    formula: str
    threshold: str
    unit: str
    level: int = 0
    parent: str = ""


@dataclass
class Kind:
    """What the files say of one kind of core."""

    events: dict = field(default_factory=dict)  # NAME: fields
    metrics: dict = field(default_factory=dict)  # name: Metric


def order_of(key):
    """Sorts keys by event code."""
    return key[0] & 0xFF, key[0], key[1] or 0


def number(text):
    return int(text, 0) if text else 0


def first(text):
    """Of "0x2A,0x2B", what to take."""
    return number((text or "0").split(",")[0].strip())


def config_of(fields, vendor):
    """The bits of an event select that tell events apart."""
    if "config" in fields:
        return fields["config"]
    event, umask = fields.get("event", 0), fields.get("umask", 0)
    config = event & 0xFF | (umask & 0xFF) << 8 | umask >> 8 << 40
    if vendor == "amd":
        config |= event >> 8 << 32
    for name, bit in BITS.items():
        config |= fields.get(name, 0) << bit
    return SAME_AS.get(config, config)


def fields_of(event):
    fields = {
        "event": first(event.get("EventCode")),
        "umask": number(event.get("UMask")),
        "edge": number(event.get("EdgeDetect")),
        "inv": number(event.get("Invert")),
        "cmask": number(event.get("CounterMask")),
    }
    if first(event.get("MSRIndex")) in EXTRA_MSRS:
        fields["extra"] = number(event.get("MSRValue"))
    # INST_RETIRED.ANY and its like have no event code: fixed counters
    name = event["EventName"].upper()
    if name in ("CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.CORE"):
        fields.update(event=0x3C, umask=0)
    if name in ("INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD_ANY"):
        fields.update(event=0xC0 if "INST" in name else 0x3C, umask=0)
    return fields


def place_in_tree(metric, groups):
    for group in groups:
        if match := re.fullmatch(r"(?:TopdownL|PipelineL)(\d)", group):
            metric.level = int(match[1])
        elif match := re.fullmatch(r"(\w+)_group", group):
            if not re.match(r"tma_(L\d|issue)", match[1]):
                metric.parent = match[1]


def is_of_tree(item):
    groups = item.get("MetricGroup", "")
    info = item["MetricName"].startswith("tma_info")
    return not info and bool(re.search(r"TopdownL\d|PipelineL\d", groups))


def metric_of(item):
    metric = Metric(
        item["MetricName"],
        item["MetricExpr"],
        item.get("MetricThreshold", ""),
        item.get("ScaleUnit", ""),
    )
    if is_of_tree(item):
        place_in_tree(metric, item["MetricGroup"].split(";"))
    return metric


class Model:
    """A folder of the kernel tree's metric files."""

    def __init__(self, folder):
        self.name = Path(folder).name
        self.vendor = "amd" if self.name.startswith("amd") else "intel"
        self.kinds = {}
        # without the metrics that perf's build makes: no nodes are in it
        paths = sorted(path for path in Path(folder).glob("*.json")
                       if path.name != "extra-metrics.json")
        if not any(path.stem.endswith("-metrics") for path in paths):
            paths += self.own_metrics()
        for path in paths:
            items = json.loads(path.read_text(encoding="utf-8"))
            for item in items if isinstance(items, list) else []:
                self.add(item)
        for kind in list(self.kinds):
            if not self.kinds[kind].events:
                del self.kinds[kind]

    def own_metrics(self):
        """For a processor whose files have none: what its sysfs says."""
        path = HERE / f"metrics.{self.name}.json"
        return [path] if path.exists() else []

    def add(self, item):
        unit = item.get("Unit")
        if unit not in KINDS:
            return
        kind = self.kinds.setdefault(KINDS[unit], Kind())
        if "EventName" in item:
            kind.events[item["EventName"].upper()] = fields_of(item)
        if "MetricName" in item:
            kind.metrics[item["MetricName"]] = metric_of(item)

    def key(self, fields):
        return (config_of(fields, self.vendor), fields.get("extra"))

    def keys(self, kind):
        """Each key of a kind's events, and its names."""
        found = {}
        for name, fields in self.kinds[kind].events.items():
            found.setdefault(self.key(fields), []).append(name)
        return found

    def add_encoding(self, kind, name, config, extra):
        """What the kernel uses and the files do not name."""
        if (config, extra) not in self.keys(kind):
            fields = {"config": config} | ({} if extra is None else {"extra": extra})
            self.kinds[kind].events[name] = fields

    def resolve(self, kind, name):
        """What a name in a formula counts: a key or a word, and its modifier."""
        plain = name.replace("\\", "")
        if "@" in plain:
            head, inside, modifier = plain.split("@")
            terms = inside.split(",")
            if head not in ("cpu", "cpu_core", "cpu_atom"):
                raise Unknown(name)
            plain, terms = terms[0], terms[1:]
        else:
            plain, _, modifier = plain.partition(":")
            terms = []
        if plain in METRICS_BYTES or plain.lower() in ("tsc", "duration_time"):
            return plain.lower(), modifier
        return self.key_of_terms(kind, plain, terms), modifier

    def key_of_terms(self, kind, name, terms):
        if name in SYSFS:
            fields = {"event": SYSFS[name] & 0xFF, "umask": SYSFS[name] >> 8}
        elif name.upper() in self.kinds[kind].events:
            fields = dict(self.kinds[kind].events[name.upper()])
        else:
            raise Unknown(name)
        for term in terms:
            word, _, value = term.partition("=")
            fields[word] = int(value, 0) if value else 1
        return self.key(fields)
