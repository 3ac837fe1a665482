from typing import Any, Literal, Protocol, final

from comity import Crawler

__all__ = ["Answers", "Table", "check_array"]

_Dialect = Literal["standard", "google", "google-parser", "bing", "yandex", "norobots-1996"]

class _Array(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

_Column = _Array | _Stream

# A table of any library: its columns by name.
class _Columns(Protocol):
    def __getitem__(self, name: str, /) -> Any: ...

@final
class Answers:
    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...

@final
class Table:
    def __new__(cls, keys: _Column, bodies: _Column, *, dialect: _Dialect = "standard") -> Table: ...
    @staticmethod
    def from_sites(sites: _Columns, bodies: _Columns, *, dialect: _Dialect = "standard") -> Table: ...
    def check(
        self,
        keys: _Column | None,
        urls: _Column,
        *,
        crawler: str | Crawler | _Column,
        literal: bool = False,
        as_is: bool = False,
    ) -> Answers: ...
    @property
    def memory(self) -> int: ...
    def __len__(self) -> int: ...

def check_array(
    robots: bytes | str | _Column,
    urls: _Column,
    *,
    crawler: str | Crawler | _Column,
    dialect: _Dialect = "standard",
    literal: bool = False,
    as_is: bool = False,
) -> Answers: ...
