"""What programs are told of a session while it runs: one JSON object a line, on standard error behind a record separator, so that
nothing that tests print can be taken for it. `pallas-tui test` reads it there. What stands in it is said in docs/tests.md."""

import json
import sys

import _tests

SEPARATOR = "\x1e"


class Events:
    """Tells what happens, if somebody listens."""

    def __init__(self, is_heard):
        # Tests may put another stream in its place.
        self.stream = sys.stderr if is_heard else None

    def tell(self, event, **fields):
        if self.stream is not None:
            self.stream.write(f"{SEPARATOR}{json.dumps({'event': event, **fields})}\n")

    def collected(self, items, failed, deselected):
        self.tell(
            "collected",
            tests=[_test(item) for item in items],
            errors=[_told(each) for each in failed],
            deselected=deselected,
        )

    def started(self, item):
        self.tell("started", id=item.nodeid)

    def finished(self, outcome):
        self.tell("finished", **_told(outcome))

    def ended(self, exit, seconds, counts, stopped):
        self.tell("ended", exit=int(exit), seconds=round(seconds, 6), counts=counts, stopped=stopped)


def _test(item):
    return {
        "id": item.nodeid,
        "file": item.file.shown,
        "line": item.lines[1],
        "classes": item.class_names,
        "class_line": (_tests.lines(item.cls) or (None, None))[1] if item.cls else None,
        "function": item.originalname,
        "name": item.name,
        "marks": sorted({each.name for each in item.marks}),
    }


def _told(outcome):
    item = outcome.item
    # Of a test that failed by its subtests alone, the first of those says most.
    first = outcome.failed_parts[0] if outcome.failed_parts and not outcome.places else outcome
    place = first.place()
    kind = "failed" if outcome.failed_parts else outcome.kind
    told = {"id": item.nodeid if item else None, "outcome": kind, "seconds": round(outcome.seconds, 6)}
    if kind != "passed":
        told.update(
            phase=outcome.phase,
            message=outcome.short or outcome.reason if first is outcome else f"{first.part} {first.short}",
            file=place[0] if place else outcome.file,
            line=place[1] if place else item.lines[1] if item else 1,
        )
    if kind in ("failed", "error"):
        told.update(
            text="\n".join(each.text for each in [*outcome.failed_parts, outcome] if each.text),
            places=[{"file": file, "line": line, "function": function} for file, line, function in first.places],
        )
    if outcome.printed:
        told["printed"] = outcome.printed
    return told
