"""The client, which fetches robots.txt files: ``pip install "comity[client]"``.

It is a package of its own, since it contains an HTTP client, TLS and a database.
"""

from importlib.util import find_spec

if find_spec("comity_client") is None:
    raise ModuleNotFoundError(
        "expected the package comity-client, found none: install it with `pip install \"comity[client]\"`",
        name="comity_client",
    )

from comity_client import Client, Decision, Site, Turn  # noqa: E402

__all__ = ["Client", "Decision", "Site", "Turn"]
