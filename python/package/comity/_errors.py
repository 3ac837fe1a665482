"""The exceptions of the package. The native module raises them, too."""

from __future__ import annotations


class ComityError(Exception):
    """The base class of the exceptions of this package."""


class InvalidURL(ComityError, ValueError):
    """Text that is neither an absolute URL nor a path that starts with ``/``."""


class InvalidArgument(ComityError, ValueError):
    """An argument with a value that does not exist, such as an unknown dialect, policy or lint."""


class InvalidPattern(ComityError, ValueError):
    """A pattern that matches no path."""


class InvalidCrawler(ComityError, ValueError):
    """Text that is not a product token, for example a whole ``User-Agent`` header."""

    suggestion: str | None
    """The product token that was probably meant."""

    def __init__(self, message: str, suggestion: str | None = None) -> None:
        super().__init__(message)
        self.suggestion = suggestion


class ClientError(ComityError):
    """A client cannot answer: its store fails, or it was created in another process."""


# Tracebacks and pickles name the public module.
for _class in (ComityError, ClientError, InvalidArgument, InvalidCrawler, InvalidPattern, InvalidURL):
    _class.__module__ = "comity"
