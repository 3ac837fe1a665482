"""urllib.robotparser, of Python's standard library."""

from platform import python_version
from urllib.robotparser import RobotFileParser

from protocol import serve


def parse(body):
    robots = RobotFileParser()
    robots.parse(body.splitlines())
    return robots


serve(f"Python {python_version()}", parse, lambda robots, agent, url: robots.can_fetch(agent, url))
