# SPDX-License-Identifier: MIT
"""Regions in Python, for programs that run with "tdstat regions -- python3 ...".

    import tdstat

    with tdstat.region("parse"):
        ...

    @tdstat.region("solve")
    def solve():
        ...

A region belongs to the thread that runs it.  Do not "await" or "yield" inside one: other
code of the thread would run in the region.  Without tdstat, marks do nothing and
libtdstat is not needed.
"""
import contextlib
import ctypes
import os
import warnings


def _load():
    """Return the functions that begin and end a region, which do nothing if counting is off."""
    if os.environ.get("TDSTAT_REGIONS"):
        try:
            library = ctypes.CDLL("libtdstat.so.0")
        except OSError as error:
            warnings.warn(f"tdstat: regions are not counted: {error}", RuntimeWarning, stacklevel=3)
        else:
            for function in (library.td_begin, library.td_end):
                function.argtypes, function.restype = [ctypes.c_char_p], None
            return library.td_begin, library.td_end
    return (lambda name: None,) * 2


_begin, _end = _load()


class region(contextlib.ContextDecorator):
    """A context or decorator whose work is counted under its name."""

    def __init__(self, name):
        self._name = name.encode(errors="backslashreplace")

    def __enter__(self):
        _begin(self._name)
        return self

    def __exit__(self, *exception):
        _end(self._name)
