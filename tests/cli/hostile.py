#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ELF files that are dear to read: hostile.py KIND FILE [NUMBER].

Each is small, and has a loop at offset 4096 that a program can map and call.
"""
import struct
import sys
import zlib

CODE = b"\x48\x89\xf9\x48\xff\xc9\x75\xfb\xc3"  # as LOOP of locate.bats
AT = 0x1000
PROGBITS, SYMTAB, STRTAB, COMPRESSED = 1, 2, 3, 0x800


class File:
    """Sections, as (name, type, flags, address, size, link, entry, where)."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.sections = [(b"", 0, 0, 0, 0, 0, 0, 0)]
        self.segments = [(1, 5, AT, AT, 0x1000)]
        self.end = 2 * AT
        self.file.seek(AT)
        self.file.write(CODE.ljust(0x1000, b"\x90"))
        self.add(b".text", b"", flags=6, address=AT, size=0x1000, where=AT)

    def put(self, data, size=None):
        """Data, and a hole behind it up to a size: its offset."""
        where = self.end
        self.file.seek(where)
        self.file.write(data)
        self.end = (where + (len(data) if size is None else size) + 15) & ~15
        return where

    def add(self, name, data, kind=PROGBITS, flags=0, address=0, size=None,
            link=0, entry=0, where=None):
        if where is None:
            where = self.put(data, size)
        self.sections.append((name, kind, flags, address,
                              len(data) if size is None else size, link, entry,
                              where))
        return len(self.sections) - 1

    def symbols(self, nr, strings, size=None, step=0):
        """nr functions of the name that is at 1 in the table of strings."""
        names = self.add(b".strtab", strings, STRTAB, size=size)
        one = [struct.pack("<IBBHQQ", 1, 0x12, 0, 1, AT + i * step, 0x100)
               for i in range(nr)]
        self.add(b".symtab", bytes(24) + b"".join(one), SYMTAB, link=names,
                 entry=24)

    def close(self, end=b"\0"):
        names = b"\0"
        starts = []
        for section in self.sections:
            starts.append(len(names))
            names += section[0] + b"\0"
        starts.append(len(names))
        names += b".shstrtab" + end
        self.add(b".shstrtab", names, STRTAB)
        table = b"".join(
            struct.pack("<IIQQQQIIQQ", start, kind, flags, address, where, size,
                        link, 0, 1, entry)
            for start, (_, kind, flags, address, size, link, entry, where)
            in zip(starts, self.sections))
        headers = b"".join(
            struct.pack("<IIQQQQQQ", kind, flags, where, address, address, size,
                        size, 0x1000 if kind == 1 else 4)
            for kind, flags, where, address, size in self.segments)
        assert 64 + len(headers) <= AT or self.end
        heads = 64 if 64 + len(headers) <= AT else self.put(headers)
        sections = self.put(table)
        self.file.seek(heads)
        self.file.write(headers)
        self.file.seek(0)
        self.file.write(struct.pack(
            "<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1".ljust(16, b"\0"), 3, 62, 1,
            AT, heads, sections, 0, 64, 56, len(self.segments), 64,
            len(self.sections), len(self.sections) - 1))
        self.file.truncate(max(self.end, 2 * AT))
        self.file.close()


def strings(file, mb):
    """Names that have no end: each is looked for in all of them."""
    file.symbols(200000, b"\0loop\0" + b"A" * (mb << 20))


def sections(file, mb):
    """The same of sections' names."""
    for _ in range(20000):
        file.add(b"", b"")
    file.symbols(1, b"\0loop\0")
    file.close(b"\0" + b"A" * (mb << 20))


def symbols(file, nr):
    """A file of 24 bytes a symbol, whose names take ten times that."""
    file.symbols(nr << 10, b"\0" + b"N" * 250 + b"\0", step=1)


def link(file, gb):
    """A debug file that is nothing but a hole, and has to be read to know."""
    other = File(file.file.name + ".debug")
    other.symbols(1, b"\0loop\0")
    other.put(b"", gb << 30)
    other.close()
    name = (file.file.name.rsplit("/", 1)[-1] + ".debug").encode()
    name = name.ljust((len(name) + 4) & ~3, b"\0")
    file.add(b".gnu_debuglink", name + struct.pack("<I", 1))


def unpack(file, mb):
    """Debugging information that is a thousand times larger than it is packed."""
    pack = zlib.compressobj(9)
    data = b"".join(pack.compress(bytes(1 << 20)) for _ in range(mb))
    data = struct.pack("<IIQQ", 1, 0, mb << 20, 1) + data + pack.flush()
    file.symbols(1, b"\0loop\0")
    for name in b".debug_info", b".debug_str":
        file.add(name, data, flags=COMPRESSED)
    file.add(b".debug_abbrev", b"\0")
    file.add(b".debug_line", bytes(64))


def ranges(file, nr):
    """Units that share one list of empty ranges."""
    unit = b"\1" + struct.pack("<IQ", 0, AT)
    unit = struct.pack("<IHIB", len(unit) + 7, 4, 0, 8) + unit
    file.symbols(1, b"\0loop\0")
    file.add(b".debug_info", unit * nr)
    file.add(b".debug_abbrev", bytes([1, 17, 0, 0x55, 0x17, 0x11, 1, 0, 0, 0]))
    file.add(b".debug_line", bytes(64))
    file.add(b".debug_ranges", struct.pack("<QQ", 5, 5) * nr + bytes(16))


def lines(file, mb):
    """A line table of a row for each byte, which a thousandth of it makes."""
    header = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13)
    header += bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + b"\0a.c\0\0\0\0\0"
    begin = b"\0\x09\2" + struct.pack("<Q", AT)
    size = 6 + len(header) + len(begin) + (mb << 20) + 3
    pack = zlib.compressobj(9)
    data = pack.compress(struct.pack("<IHI", size, 4, len(header)) + header + begin)
    data += b"".join(pack.compress(b"\x12" * (1 << 20)) for _ in range(mb))
    data += pack.compress(b"\0\1\1")
    data = struct.pack("<IIQQ", 1, 0, size + 4, 1) + data + pack.flush()
    unit = b"\1" + struct.pack("<QQI", AT, 0x1000, 0)
    file.symbols(1, b"\0loop\0")
    file.add(b".debug_info", struct.pack("<IHIB", len(unit) + 7, 4, 0, 8) + unit)
    file.add(b".debug_abbrev", bytes([1, 17, 0, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0, 0]))
    file.add(b".debug_line", data, flags=COMPRESSED)


def notes(file, nr):
    """Segments of notes, each as good as a megabyte of its own."""
    file.symbols(1, b"\0loop\0")
    where = file.put(b"", (1 << 20) + 4 * nr)
    file.segments += [(4, 4, where + 4 * i, 0, 1 << 20) for i in range(nr)]


def main():
    file = File(sys.argv[2])
    globals()[sys.argv[1]](file, int(sys.argv[3]))
    if not file.file.closed:
        file.close()


main()
