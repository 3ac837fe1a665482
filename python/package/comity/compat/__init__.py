"""Replacements for other parsers, with the same methods and the same order of arguments.

They do not give the same answers where the original is wrong; ``docs/python.md`` lists the differences.
"""

from comity.compat._protego import Protego
from comity.compat._robotparser import RobotFileParser

__all__ = ["Protego", "RobotFileParser"]
