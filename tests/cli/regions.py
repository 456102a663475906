#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# usage: regions.py FILE...
# The regions in the files of libtdstat (lib/region/layout.h), a line each: name, number of
# threads, calls, calls of other regions directly within it. Then marks that do not match.
import struct
import sys

MARKED = 1

regions, unmatched = {}, 0
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        head = file.read(128)
        records_at, record_size, _, nr_records = struct.unpack_from("<4Q", head, 40)
        losses = struct.unpack_from("<7Q", head, 72)
        unmatched += losses[4] + losses[5]
        for number in range(nr_records):
            file.seek(records_at + number * record_size)
            record = file.read(360)
            _, kind, pending = struct.unpack_from("<3I", record, 112)
            if kind != MARKED:
                continue
            name = record[:112].split(b"\0")[0].decode()
            # the copy is complete while an update of the calls is pending
            children = struct.unpack_from("<14Q", record, 248 if pending else 136)[12]
            before = regions.get(name, (0, 0, 0))
            begun = struct.unpack_from("<Q", record, 128)[0]
            regions[name] = (before[0] + 1, before[1] + begun, before[2] + children)
for name in sorted(regions):
    print(name, *regions[name])
print("unmatched", unmatched)
