"""Uses the installed package, without any test framework. `cargo xtask test` runs it in an empty environment."""

import comity

robots = comity.Robots.parse(b"User-agent: *\nDisallow: /private/\n")
verdict = robots.rules_for("ExampleBot").check("https://example.com/private/")
if verdict.allowed or verdict.line != 2:
    raise SystemExit(f"expected a verdict by line 2, found {verdict!r}")
print(f"{comity.__file__}: {verdict}")
