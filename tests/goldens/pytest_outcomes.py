"""Records which tests pytest finds in tui/tests/pytest, and what becomes of them: `outcomes.txt` beside them, one line for each.

Run with Python 3.11 and pytest 9 from anywhere."""

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
            self.lines.append(f"{report.nodeid} {kind}")


def main():
    import os

    os.chdir(FOLDER)
    recorder = Recorder()
    pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", ".", "."], plugins=[recorder])
    (FOLDER / "outcomes.txt").write_text("\n".join(recorder.lines) + "\n")


if __name__ == "__main__":
    main()
