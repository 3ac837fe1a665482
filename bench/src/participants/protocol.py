"""The loops for Python parsers; `script.rs` has the protocol."""

import json
import sys
from time import perf_counter_ns


def missing(why):
    print(json.dumps({"missing": why}), flush=True)
    sys.exit()


def serve(version, parse, decide):
    """`parse(body)` gives what `decide(parsed, agent, url)` is asked of."""
    print(json.dumps({"version": version}), flush=True)
    cases = []
    for line in sys.stdin:
        request = json.loads(line)
        if "load" in request:
            cases, answer = request["load"], {}
        elif "verify" in request:
            answer = verify(request["verify"], cases, request["cap_ns"], parse, decide)
        else:
            answer = time(request["time"], cases, request["passes"], parse, decide)
        print(json.dumps(answer), flush=True)


def verify(model, cases, cap, parse, decide):
    start = perf_counter_ns()
    given, failed_bodies, parsed_bodies = [], 0, {}

    def result(in_time):
        took = perf_counter_ns() - start
        return {"given": "".join(given), "took_ns": took, "in_time": in_time and took <= cap, "failed_bodies": failed_bodies}

    for case in cases:
        body = case["body"]
        try:
            parsed = parse(body)
        except Exception:
            parsed = None
            failed_bodies += 1
        for url in case["urls"] if model != "parse" else []:
            try:
                target = parse(body) if model == "one-shot" else parsed
                given.append("1" if decide(target, case["agent"], url) else "0")
            except Exception:
                given.append("e")
            if perf_counter_ns() - start > cap:
                return result(False)
        if perf_counter_ns() - start > cap:
            return result(False)
    return result(True)


def time(model, cases, passes, parse, decide):
    build, start = 0, perf_counter_ns()
    for _ in range(passes):
        for case in cases:
            try:
                if model == "parse":
                    parse(case["body"])
                elif model == "one-shot":
                    for url in case["urls"]:
                        decide(parse(case["body"]), case["agent"], url)
                else:
                    before = perf_counter_ns()
                    parsed, agent = parse(case["body"]), case["agent"]
                    build += perf_counter_ns() - before
                    for url in case["urls"]:
                        decide(parsed, agent, url)
            except Exception:
                pass
    return {"build_ns": build, "rest_ns": perf_counter_ns() - start - build}
