#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""page.py check FILE: well formed, and asks for nothing but itself.
page.py values FILE: "id pmu name value" of each line of its trees, as a reader without
scripts has them.
page.py texts FILE: what stands between its tags, a line each.
"""
import html.parser
import json
import re
import sys

VOID = {"meta", "br"}
LOADS = {"src", "href", "srcset", "data", "action", "poster", "xlink:href", "style"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.row, self.name = [], None, None
        self.scripts, self.texts, self.values, self.cell = [], [], [], None

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        assert len(named) == len(attributes), attributes
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            if name in LOADS:
                assert value.startswith("#"), (tag, name, value)
        assert tag not in ("link", "iframe", "object", "embed", "img", "base", "form"), tag
        if tag == "details" and named.get("class") == "row":
            self.row = named["data-id"], named["data-pmu"]
        if tag == "tr" and "data-node" in named:
            self.name = ""
        if tag == "data" and self.name:
            self.values.append((*self.row, self.name, named["value"]))
            self.name = None
        if tag == "script":
            self.scripts.append([named, ""])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        elif self.open and self.open[-1] != "style" and data.strip():
            self.texts.append(data)
            if self.name == "" and self.open[-1] == "th":
                self.name = data


def main():
    what, path = sys.argv[1:]
    text = open(path, encoding="utf-8", newline="").read()
    page = Page()
    page.feed(text)
    page.close()
    if what == "values":
        for value in page.values:
            print(*value)
        return
    if what == "texts":
        print("\n".join(page.texts))
        return
    assert not page.open, page.open
    assert text.startswith("<!DOCTYPE html>\n") and text.endswith("</html>\n")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    # the namespace of SVG is a name; none is in HTML
    assert not re.search(r"(https?|ftp|wss?|data):|//[a-z]", re.sub("//.*", "", text)), "an address"
    assert [named for named, _ in page.scripts if not named] == [{}], page.scripts
    for named, script in page.scripts:
        if named:
            assert named["type"] == "application/json", named
            assert "<" not in script and isinstance(json.loads(script), list)


main()
