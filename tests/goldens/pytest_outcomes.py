"""Records which tests pytest finds in tui/tests/pytest, and what becomes of them: `outcomes.txt` beside them, one line for each; and
`summary.txt`, what `-ra` says of those that were skipped or expected to fail.

Run with Python 3.11 and pytest 9 from anywhere."""

import contextlib
import io
import os
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tui" / "tests" / "pytest"


class Recorder:
    def __init__(self):
        self.lines = []

    def pytest_runtest_logreport(self, report):
        expected = hasattr(report, "wasxfail")
        if report.when == "call" or report.outcome != "passed":
            kind = {"passed": "PASSED", "failed": "FAILED", "skipped": "SKIPPED"}[report.outcome]
            if expected:
                kind = "XPASS" if report.outcome == "passed" else "XFAIL"
            elif report.when != "call" and report.outcome == "failed":
                kind = "ERROR"
            if hasattr(report, "context"):
                # What a subtest is given is left out, as it is of those that are skipped.
                kind = f"SUB{kind}{report._sub_test_description()}".split(" (")[0]
            self.lines.append(f"{report.nodeid} {kind}")


def main():
    os.chdir(FOLDER)
    recorder = Recorder()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        arguments = ["-q", "-ra", "--tb=no", "-p", "no:cacheprovider", "--rootdir", ".", "."]
        pytest.main(arguments, plugins=[recorder])
    (FOLDER / "outcomes.txt").write_text("\n".join(recorder.lines) + "\n")
    # Where unittest was told to skip, pytest names a line of itself.
    told = [line for line in printed.getvalue().splitlines() if line.startswith(("SKIPPED", "XFAIL", "XPASS"))]
    told = [line for line in told if "/_pytest/" not in line]
    (FOLDER / "summary.txt").write_text("\n".join(told) + "\n")
    print(printed.getvalue().splitlines()[-1])


if __name__ == "__main__":
    main()
