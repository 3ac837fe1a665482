"""protego, which Scrapy uses."""

from importlib.metadata import version

from protocol import missing, serve

try:
    from protego import Protego
except ImportError:
    missing("Python cannot import protego: pip install protego")

serve(version("protego"), Protego.parse, lambda robots, agent, url: robots.can_fetch(url, agent))
