"""The exceptions of the package. The native module raises them, too."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from comity.client import Decision


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
    """A client cannot answer: its store fails, it was closed, or it was created in another process."""


class Disallowed(ComityError):
    """A page was not requested, since the robots.txt of its site does not allow it."""

    decision: Decision
    """The decision, with the line and the reason."""

    def __init__(self, message: str, decision: Decision) -> None:
        super().__init__(message)
        self.decision = decision


class TooSoon(ClientError):
    """A page was not requested, since its host has to be left alone for longer than the caller wants to wait."""

    wait: float
    """The time until the host can probably be visited, in seconds."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


# Tracebacks and pickles name the public module.
for _class in (
    ComityError,
    ClientError,
    Disallowed,
    InvalidArgument,
    InvalidCrawler,
    InvalidPattern,
    InvalidURL,
    TooSoon,
):
    _class.__module__ = "comity"
