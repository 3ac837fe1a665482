"""JSON Lines, which schemathesis does not know: a body is text, and goes as it is."""

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return value if isinstance(value, bytes) else str(value).encode()
