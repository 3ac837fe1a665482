"""Asks about a column of URLs, where no library makes columns.

It makes an array of strings in the Arrow C data interface, which has fewer lines than pyarrow has megabytes.
"""

import ctypes
from ctypes import c_char_p, c_int32, c_int64, c_void_p
from itertools import accumulate

from comity.columns import check_array

Release = ctypes.CFUNCTYPE(None, c_void_p)


class Schema(ctypes.Structure):
    """The structure ArrowSchema."""

    _fields_ = [
        ("format", c_char_p),
        ("name", c_char_p),
        ("metadata", c_char_p),
        ("flags", c_int64),
        ("n_children", c_int64),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", Release),
        ("private_data", c_void_p),
    ]


class Array(ctypes.Structure):
    """The structure ArrowArray."""

    _fields_ = [
        ("length", c_int64),
        ("null_count", c_int64),
        ("offset", c_int64),
        ("n_buffers", c_int64),
        ("n_children", c_int64),
        ("buffers", c_void_p),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", Release),
        ("private_data", c_void_p),
    ]


# The memory belongs to the column, so a release only marks the structure.
@Release
def release_schema(address):
    Schema.from_address(address).release = Release()


@Release
def release_array(address):
    Array.from_address(address).release = Release()


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.argtypes, new_capsule.restype = [c_void_p, c_char_p, c_void_p], ctypes.py_object


class Column:
    """A column of strings, which is read once."""

    def __init__(self, texts):
        texts = [text.encode() for text in texts]
        self.offsets = (c_int32 * (len(texts) + 1))(0, *accumulate(map(len, texts)))
        self.data = ctypes.create_string_buffer(b"".join(texts))
        # There is no bitmap of validity: no string is null.
        self.buffers = (c_void_p * 3)(None, ctypes.addressof(self.offsets), ctypes.addressof(self.data))
        self.schema = Schema(format=b"u", release=release_schema)
        buffers = ctypes.addressof(self.buffers)
        self.array = Array(length=len(texts), n_buffers=3, buffers=buffers, release=release_array)

    def __arrow_c_array__(self, requested_schema=None):
        return (
            new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
            new_capsule(ctypes.addressof(self.array), b"arrow_array", None),
        )


robots = open("robots.txt", "rb").read()
urls = Column([f"https://shop.example/{path}" for path in ("private/a", "a", "private/b")])
answers = check_array(robots, urls, crawler="Googlebot")
assert repr(answers) == "<Answers: 1 allowed, 2 disallowed, 0 without a verdict>", answers
