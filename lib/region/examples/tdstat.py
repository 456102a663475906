# SPDX-License-Identifier: MIT
"""Regions in Python, for programs that run by "tdstat regions -- python3 ...".

    from tdstat import region

    with region("parse"):
        ...

    @region("solve")
    def solve():
        ...

Without tdstat, or without libtdstat, nothing is counted.
"""
import contextlib
import ctypes
import os


def _load():
    """The functions, or None where nothing is to be counted."""
    if not os.environ.get("TDSTAT_REGIONS"):
        return None
    try:
        library = ctypes.CDLL("libtdstat.so.0")
    except OSError:
        return None
    for function in (library.td_begin, library.td_end):
        function.argtypes, function.restype = [ctypes.c_char_p], None
    return library


_LIBRARY = _load()


@contextlib.contextmanager
def region(name):
    """A context, or a decorator, that is counted under its name."""
    if _LIBRARY is None:
        yield
        return
    text = name.encode()
    _LIBRARY.td_begin(text)
    try:
        yield
    finally:
        _LIBRARY.td_end(text)
