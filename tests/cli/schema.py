# SPDX-License-Identifier: GPL-2.0-only
"""Holds lines of JSON against a JSON Schema.

  schema.py SCHEMA FILE...

A key that the schema does not name is an error here, though a reader skips it: what
is added belongs into the schema.  So is a keyword of schemas that is not known here.
Prints how many lines there are of each kind.
"""
import json
import sys
from collections import Counter

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
}
IGNORED = {"$schema", "title", "description", "$defs"}


class Schema:
    """A schema, and the definitions that its parts refer to."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.root = json.load(file)
        self.kinds = [part["$ref"] for part in self.root["anyOf"]]

    def resolve(self, ref):
        """The definition of a reference."""
        part = self.root
        for name in ref.removeprefix("#/").split("/"):
            part = part[name]
        return part

    def faults(self, value, part, at="line"):
        """What is wrong with a value, a text each."""
        for keyword in part:
            if keyword not in IGNORED:
                yield from getattr(self, "of_" + keyword.strip("$"))(value, part, at)

    def of_ref(self, value, part, at):
        """A definition stands elsewhere."""
        yield from self.faults(value, self.resolve(part["$ref"]), at)

    def of_type(self, value, part, at):
        """One type or several."""
        types = part["type"] if isinstance(part["type"], list) else [part["type"]]
        if not any(TYPES[t](value) for t in types):
            yield f"{at}: {value!r} is no {' or '.join(types)}"

    def of_const(self, value, part, at):
        """Exactly this; True is not 1."""
        if json.dumps(value) != json.dumps(part["const"]):
            yield f"{at}: {value!r} is not {part['const']!r}"

    def of_enum(self, value, part, at):
        """One of these."""
        if value not in part["enum"]:
            yield f"{at}: {value!r} is none of {part['enum']}"

    def of_minimum(self, value, part, at):
        """Of numbers."""
        if TYPES["number"](value) and value < part["minimum"]:
            yield f"{at}: {value} is less than {part['minimum']}"

    def of_maximum(self, value, part, at):
        """Of numbers."""
        if TYPES["number"](value) and value > part["maximum"]:
            yield f"{at}: {value} is more than {part['maximum']}"

    def of_items(self, value, part, at):
        """Each element of an array."""
        for i, item in enumerate(value if isinstance(value, list) else []):
            yield from self.faults(item, part["items"], f"{at}[{i}]")

    def of_required(self, value, part, at):
        """Keys of an object."""
        for key in part["required"]:
            if isinstance(value, dict) and key not in value:
                yield f"{at}: no {key}"

    def of_properties(self, value, part, at):
        """All keys of an object are known."""
        for key, member in value.items() if isinstance(value, dict) else ():
            if key in part["properties"]:
                yield from self.faults(member, part["properties"][key], f"{at}.{key}")
            else:
                yield f"{at}: {key} is not in the schema"

    def of_additionalProperties(self, value, part, at):  # pylint: disable=invalid-name
        """Of an object whose keys anybody may choose."""
        for key, member in value.items() if isinstance(value, dict) else ():
            yield from self.faults(member, part["additionalProperties"], f"{at}.{key}")

    def kind(self, value):
        """What kind of line it is; or the faults, as of what it is most like."""
        least = None
        for ref in self.kinds:
            faults = list(self.faults(value, self.resolve(ref)))
            if not faults:
                return ref.split("/")[-1], []
            if least is None or len(faults) < len(least):
                least = faults
        return None, least


def refuse(name):
    """json.loads takes these, and a strict reader does not."""
    raise ValueError(name + " is no JSON")


def main(path, *files):
    """Counts the lines of each kind; ends with the first that is of none."""
    schema = Schema(path)
    seen = Counter()
    for name in files:
        with open(name, encoding="utf-8") as file:
            for nr, line in enumerate(file, 1):
                kind, faults = schema.kind(json.loads(line, parse_constant=refuse))
                if not kind:
                    sys.exit(f"{name}:{nr}: {'; '.join(faults[:5])}\n{line}")
                seen[kind] += 1
    for kind, nr in sorted(seen.items()):
        print(kind, nr)


main(*sys.argv[1:])
