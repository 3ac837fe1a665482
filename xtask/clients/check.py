"""Asks a service by the client that openapi-python-client generates: a check, a batch and an error."""

import sys

from comity_client import AuthenticatedClient
from comity_client.api.questions import check_batch, check_url, check_urls
from comity_client.models import BatchQuestion, CheckQuestion, Problem

ROBOTS = "User-agent: *\nDisallow: /private/\n"

with AuthenticatedClient(base_url=sys.argv[1].rstrip("/"), token=sys.argv[2]) as client:
    checked = check_urls.sync(client=client, body=CheckQuestion(urls=["/", "/private/x"], robots=ROBOTS))
    assert [row.allowed for row in checked.answers] == [True, False], checked

    questions = [BatchQuestion(url="/private/x", agent="mybot", robots=ROBOTS), BatchQuestion(agent="mybot")]
    answered, refused = check_batch.sync(client=client, body=questions)
    assert (answered.allowed, answered.line, answered["url"]) == (False, 2, "/private/x"), answered
    assert refused.input_line == 2 and "url" in refused.error, refused

    problem = check_url.sync(client=client, url_query="no URL")
    assert isinstance(problem, Problem) and (problem.status, problem.code) == (422, "unprocessable"), problem

with AuthenticatedClient(base_url=sys.argv[1].rstrip("/"), token="wrong") as client:
    problem = check_urls.sync(client=client, body=CheckQuestion(url="/", robots=ROBOTS))
    assert isinstance(problem, Problem) and problem.code == "unauthorized", problem

print("The Python client works.")
