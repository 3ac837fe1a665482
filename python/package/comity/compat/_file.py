"""A parsed file and the rules for the user agents that were asked for."""

from __future__ import annotations

from collections.abc import Sequence

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
        return self._find(user_agent)[1]

    def token_of(self, user_agent: str) -> str:
        """Returns the product token that the rules for a user agent were selected by."""
        return self._find(user_agent)[0]

    def _find(self, user_agent: str) -> tuple[str, Rules]:
        found = self._compiled.get(user_agent)
        if found is None:
            if len(self._compiled) >= _MAX_USER_AGENTS:
                self._compiled.clear()
            found = self._compiled[user_agent] = self._select(user_agent)
        return found

    def _select(self, user_agent: str) -> tuple[str, Rules]:
        """Returns a token and its rules: the user agent itself, or the first token in it that the file names."""
        tokens: Sequence[str]
        try:
            return user_agent, self.robots.rules_for(user_agent)
        except InvalidCrawler:
            tokens = candidates(user_agent) or ["*"]
        for token in tokens:
            rules = self.robots.rules_for(token)
            if rules.check_as_is("/").names_crawler:
                return token, rules
        return tokens[0], self.robots.rules_for(tokens[0])
