"""A parsed file and the rules for the user agents that were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from comity import Robots, Rules, candidates
from comity._errors import InvalidCrawler

_MAX_USER_AGENTS = 64
"""The number of user agents whose compiled rules are kept. Programs have one or two."""


class ParsedFile:
    """A file for callers that pass ``User-Agent`` headers instead of product tokens."""

    def __init__(self, robots: Robots) -> None:
        self.robots = robots
        self._compiled: dict[str, tuple[str, Rules]] = {}

    def rules_for(self, user_agent: str) -> Rules:
        """Returns the rules for a user agent."""
        return (self._compiled.get(user_agent) or self._add(user_agent))[1]

    def token_of(self, user_agent: str) -> str:
        """Returns the product token that the rules for a user agent were selected by."""
        return (self._compiled.get(user_agent) or self._add(user_agent))[0]

    def _add(self, user_agent: str) -> tuple[str, Rules]:
        """Selects the rules for a user agent, and keeps them."""
        if len(self._compiled) >= _MAX_USER_AGENTS:
            self._compiled.clear()
        added = self._compiled[user_agent] = self._select(user_agent)
        return added

    def _select(self, user_agent: str) -> tuple[str, Rules]:
        """Returns the first token of a user agent that the file names, or its first one, and the rules for it."""
        tokens = _tokens_of(user_agent)
        for token in tokens if len(tokens) > 1 else ():
            rules = self.robots.rules_for(token)
            if rules.check_as_is("/").names_crawler:
                return token, rules
        return tokens[0], self.robots.rules_for(tokens[0])


_EMPTY = Robots.parse(b"")


def _tokens(user_agent: str) -> Sequence[str]:
    """Returns the product tokens of a user agent, at least one: itself, those in a header, or ``*``."""
    try:
        _EMPTY.rules_for(user_agent)
    except InvalidCrawler:
        return tuple(candidates(user_agent)) or ("*",)
    return (user_agent,)


# A crawl has the same user agent for all sites.
_tokens_of = lru_cache(_MAX_USER_AGENTS)(_tokens)
