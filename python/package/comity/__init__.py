"""A robots.txt engine: may this crawler fetch this URL, and exactly why?

>>> import comity
>>> robots = comity.Robots.parse("User-agent: *\\nDisallow: /private/\\nAllow: /private/map.html\\n")
>>> rules = robots.rules_for("ExampleBot")
>>> rules.is_allowed("https://example.com/private/")
False
>>> verdict = rules.check("https://example.com/private/map.html")
>>> verdict.allowed, verdict.line
(True, 3)
"""

from comity._comity import (
    Change,
    Considered,
    Counterexample,
    Crawler,
    Crawlers,
    Difference,
    Explanation,
    Finding,
    Group,
    Permission,
    Permissions,
    Proof,
    Record,
    Robots,
    Rule,
    Rules,
    Verdict,
    __version__,
    candidates,
    diff,
    lint,
    prove,
)
from comity._errors import (
    ClientError,
    ComityError,
    Disallowed,
    InvalidArgument,
    InvalidCrawler,
    InvalidPattern,
    InvalidURL,
    TooSoon,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from comity.columns import Table as Table
    from comity.columns import check_array as check_array
else:

    def __getattr__(name: str) -> object:
        """Imports what is in the package comity-columns when it is used."""
        if name in ("Table", "check_array"):
            from comity import columns

            return getattr(columns, name)
        raise AttributeError(f"module 'comity' has no attribute {name!r}")


__all__ = [
    "Change",
    "ClientError",
    "ComityError",
    "Considered",
    "Counterexample",
    "Crawler",
    "Crawlers",
    "Difference",
    "Disallowed",
    "Explanation",
    "Finding",
    "Group",
    "InvalidArgument",
    "InvalidCrawler",
    "InvalidPattern",
    "InvalidURL",
    "Permission",
    "Permissions",
    "Proof",
    "Record",
    "Robots",
    "Rule",
    "Rules",
    "TooSoon",
    "Verdict",
    "__version__",
    "candidates",
    "diff",
    "lint",
    "prove",
]
