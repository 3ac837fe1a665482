"""Checks damaged Arrow arrays, such as ``comity.columns`` gets from files of strangers. The tests start this program.

Each array is checked in a process of its own, since one that is read outside of its buffers can end the process. The
results are printed as JSON: the signal that ended it, the name of an exception, or the answers.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import pandas as pd
import pyarrow as pa

from comity.columns import Table, check_array

ROBOTS = "User-agent: *\nDisallow: /private\n"
URL = b"/private/open/and/more/"
SHORT = b"/private/open"
CRAWLER = "ExampleBot"

Arrays = dict[str, Callable[[], Any]]


def view(length: int, index: int, offset: int, data: bytes = URL) -> bytes:
    """Returns a view: the length of its value, the prefix, and the buffer and the offset of the value."""
    return struct.pack("<i4sii", length, data[:4], index, offset)


def array(kind: Any, rows: int, *buffers: bytes | None) -> Any:
    """Returns an array of these buffers, whose values pyarrow does not validate."""
    return pa.Array.from_buffers(kind, rows, [None if buffer is None else pa.py_buffer(buffer) for buffer in buffers])


VIEWS = {
    "no such buffer": (view(20, 7, 0), URL),
    "buffer -1": (view(20, -1, 0), URL),
    "an offset after the buffer": (view(20, 0, 2_000_000_000), URL),
    "offset -1": (view(20, 0, -1), URL),
    "an end after the buffer": (view(len(URL), 0, 1), URL),
    "a length of 1,000,000,000": (view(1_000_000_000, 0, 0, SHORT), SHORT),
    "length -1": (view(-1, 0, 0), URL),
    "the least length": (view(-(2**31), 0, 0), URL),
}
"""Views that lead out of their buffers, and the only buffer of each."""

TOO_SMALL: Arrays = {
    "views": lambda: pa.array([URL] * 77, pa.string_view()),
    "binary views": lambda: pa.array([URL] * 77, pa.binary_view()),
    "offsets": lambda: pa.array([URL] * 77, pa.string()),
    "large offsets": lambda: pa.array([URL] * 77, pa.large_binary()),
    "fixed sizes": lambda: pa.array([URL] * 77, pa.binary(len(URL))),
    "indexes": lambda: pa.array([URL] * 77, pa.string()).dictionary_encode(),
}
"""Columns that become too small for their rows. The interface passes no sizes of these buffers: only their owner knows."""

OTHERS: Arrays = {
    "offsets that fall": lambda: array(pa.string(), 3, None, struct.pack("<iiii", 0, 20, 2, 23), URL),
    "an offset after the values": lambda: array(pa.string(), 2, None, struct.pack("<iii", 0, 999_999, 23), URL),
    "an index after the dictionary": lambda: dictionary(pa.array(["/private"]), 9),
    "a negative index": lambda: dictionary(pa.array(["/private"]), -1),
    "offsets that are not aligned": lambda: pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(struct.pack("<xii", 0, 23)).slice(1), pa.py_buffer(URL)]
    ),
}
"""Columns with other damage."""


def dictionary(values: Any, index: int = 0) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array([index], pa.int32()), values, safe=False)


def table(column: Any) -> Any:
    return pa.table([column], ["url"])


def written(column: Any) -> bytes:
    """Returns an IPC file with a column."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table(column).schema) as writer:
        writer.write_table(table(column))
    return bytes(sink.getvalue())


def read(file: bytes) -> Any:
    return pa.ipc.open_file(pa.py_buffer(file)).read_all().column(0)


def from_file(damaged: Any) -> Any:
    """Returns the column of an IPC file in which a damaged view was written over the right one."""
    right = view(len(URL), 0, 0)
    whole = written(array(damaged.type, 1, None, right, URL))
    assert whole.count(right) == 1
    return read(whole.replace(right, damaged.buffers()[1].to_pybytes()))


def lengthened(column: Any) -> Any:
    """Returns the column of an IPC file that states more rows than its buffers have."""
    rows, more = (struct.pack("<q", count) for count in (len(column), 100_000))
    whole = written(column)
    # The length of the batch, and that of its column.
    assert whole.count(rows) == 2
    return read(whole.replace(rows, more))


class Foreign:
    """An array of a library other than pyarrow, which does not validate it."""

    def __init__(self, damaged: Any) -> None:
        self.damaged = damaged

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.damaged.__arrow_c_array__()


class ForeignStream:
    """A column of such a library, in chunks."""

    def __init__(self, damaged: Any) -> None:
        self.damaged = pa.chunked_array([damaged])

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.damaged.__arrow_c_stream__()


def series(column: Any) -> Any:
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([column])))


FORMS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda column: column,
    "chunk": lambda column: pa.chunked_array([pa.array(["/private"], column.type), column]),
    "dictionary": dictionary,
    "table": table,
    "stream": lambda column: table(column).to_reader(),
    "file": from_file,
    "pandas": series,
    "foreign": Foreign,
    "foreign dictionary": lambda column: Foreign(dictionary(column)),
    "foreign stream": ForeignStream,
}


def damaged_view(form: str, kind: Any, damage: str) -> Any:
    return FORMS[form](array(kind, 1, None, *VIEWS[damage]))


def too_small(form: str, name: str) -> Any:
    return FORMS[form](lengthened(TOO_SMALL[name]()).chunk(0))


def urls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yields the name of each damaged column, and a function that makes it."""
    for damage, form in product(VIEWS, FORMS):
        yield f"{damage}, {form}", partial(damaged_view, form, pa.string_view(), damage)
        if form in ("plain", "foreign"):
            yield f"{damage}, {form}, binary", partial(damaged_view, form, pa.binary_view(), damage)
    for name, form in product(TOO_SMALL, ("plain", "table", "stream", "pandas")):
        yield f"too small {name}, {form}", partial(too_small, form, name)
    for name, make in OTHERS.items():
        yield name, make
        yield f"{name}, foreign", partial(lambda make: Foreign(make()), make)


def answers(found: Any) -> list[Any]:
    return list(dict.fromkeys((row["allowed"], row["reason"]) for row in pa.array(found).to_pylist()))


def check(make: Callable[[], Any]) -> list[Any]:
    return answers(check_array(ROBOTS, make(), crawler=CRAWLER))


def calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yields a check of each damaged column as URLs, and of one in each other place where a column may be."""
    for name, make in urls():
        yield name, partial(check, make)
    damaged = array(pa.string_view(), 1, None, view(20, 7, 0), URL)
    url, key, body = pa.array(["/private"]), pa.array(["key"]), pa.array([ROBOTS])
    yield "as bodies", lambda: answers(check_array(damaged, url, crawler=CRAWLER))
    yield "as crawlers", lambda: answers(check_array(ROBOTS, url, crawler=damaged))
    yield "as keys", lambda: answers(Table(key, body).check(damaged, url, crawler=CRAWLER))
    yield "as keys of a table", lambda: answers(Table(damaged, body).check(key, url, crawler=CRAWLER))
    yield "as bodies of a table", lambda: answers(Table(key, damaged).check(key, url, crawler=CRAWLER))


def in_a_process(call: Callable[[], Any]) -> Any:
    """Calls a function in a process of its own. Returns its result, the name of its exception, or its signal."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result = call()
        except BaseException as error:
            result = "ValueError" if isinstance(error, ValueError) else repr(error)
        os.write(writer, json.dumps(result).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        written_result = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return json.loads(written_result) if status == 0 else f"ended with {status}"


if __name__ == "__main__":
    print(json.dumps({name: in_a_process(call) for name, call in calls()}))
