"""Records what CPython 3.11 prints for the cases of the evaluator.

Run with Python 3.11 from anywhere: writes a `.stdout` beside every case of engine/python/tests/cases, and a `.stderr`
where something was written to standard error, with the folder of the cases taken out of the paths.
"""

import os
import pathlib
import subprocess
import sys

CASES = pathlib.Path(__file__).resolve().parents[2] / "engine" / "python" / "tests" / "cases"


def main() -> None:
    assert sys.version_info[:2] == (3, 11), "the goldens are those of Python 3.11"
    wanted = set(sys.argv[1:])
    for case in sorted(CASES.glob("*.py")):
        if wanted and case.stem not in wanted:
            continue
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(case)],
            capture_output=True,
            text=True,
            cwd=CASES,
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
            check=False,
        )
        case.with_suffix(".stdout").write_text(done.stdout)
        errors = case.with_suffix(".stderr")
        if done.stderr:
            errors.write_text(done.stderr.replace(f"{CASES}{os.sep}", ""))
        elif errors.exists():
            errors.unlink()


main()
