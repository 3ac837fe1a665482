"""Uses the installed package, without any test framework. `cargo xtask test` runs it in empty environments."""

import sys
import sysconfig
import threading

import comity

robots = comity.Robots.parse(b"User-agent: *\nDisallow: /private/\n")
rules = robots.rules_for("ExampleBot")
verdict = rules.check("https://example.com/private/")
if verdict.allowed or verdict.line != 2:
    raise SystemExit(f"expected a verdict by line 2, found {verdict!r}")

# Where there is no global interpreter lock, importing the package does not bring it back, and threads share rules.
is_locked = getattr(sys, "_is_gil_enabled", lambda: True)()
if sysconfig.get_config_var("Py_GIL_DISABLED") and is_locked:
    raise SystemExit("expected no global interpreter lock, but the import of comity enabled it")
urls = [f"/{('public', 'private')[number % 2]}/{number}" for number in range(10_000)]
expected = [number % 2 == 0 for number in range(10_000)]
right: list[bool] = []


def ask() -> None:
    right.append(rules.are_allowed(urls) == expected and [rules.is_allowed(url) for url in urls] == expected)


threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if right != [True] * 8:
    raise SystemExit(f"expected the same answers in 8 threads, found {right}")
print(f"{comity.__file__}: {verdict}; 8 threads, {'with' if is_locked else 'without'} the global interpreter lock")
