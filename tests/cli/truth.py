#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What truth.bats compares with.

truth.py sysfs FILE DIR...   the events that a machine's sysfs, saved in DIR, names
                             and the truth FILE has no rate for
truth.py value FORMULA...    what the evaluator makes of formulas without events
"""

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent.parent / "emulator"))

from truth_events import Model  # noqa: E402
from truth_file import Reader  # noqa: E402
from truth_formulas import Numbers, evaluate, parse  # noqa: E402

PMUS = {"cpu": "core", "cpu_core": "core", "cpu_atom": "atom"}


def fields_of(text):
    """Of "event=0xcd,umask=0x1,ldlat=3"; what a file of a tar file ends with goes."""
    fields = {}
    for term in text.strip("\0 \n").split(","):
        name, _, value = term.partition("=")
        fields[name] = int(value, 0) if value else 1
    if fields.pop("ldlat", 0):
        fields["extra"] = 3
    return fields


def events_of(pmu):
    for path in sorted(pmu.glob("events/*")):
        if "." not in path.name:
            yield path.name, fields_of(path.read_text(encoding="utf-8"))


def missing(reader, model, devices):
    for name, kind in PMUS.items():
        for event, fields in events_of(devices / name):
            key = model.key(fields)
            is_metric = key[0] & 0xFF == 0 and key[0] >> 8 >= 0x80
            for scenario, kinds in reader.scenarios.items():
                if not is_metric and key not in kinds[kind].rates:
                    yield f"{scenario} {name}/{event}/"


def missing_of(file, directory):
    reader = Reader(file)
    model = Model(Path(os.environ["TD_PMU_EVENTS_OLD"]) / reader.model)
    for event in missing(reader, model, Path(directory) / "sys/bus/event_source/devices"):
        yield f"{reader.model}: {event}"


def main():
    if sys.argv[1] == "value":
        for formula in sys.argv[2:]:
            print(f"{evaluate(parse(formula), Numbers(), None):g}")
        return 0
    found = [event for pair in zip(sys.argv[2::2], sys.argv[3::2]) for event in missing_of(*pair)]
    print("\n".join(found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
