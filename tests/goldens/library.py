"""Records what CPython 3.11 prints for the cases of the standard modules.

Run with Python 3.11 from anywhere: writes a `.stdout` beside every case of engine/python/tests/library_cases. The cases
print nothing that depends on the machine; what they would write to standard error they send to standard output.
"""

import os
import pathlib
import subprocess
import sys

CASES = pathlib.Path(__file__).resolve().parents[2] / "engine" / "python" / "tests" / "library_cases"


def main() -> None:
    assert sys.version_info[:2] == (3, 11), "the goldens are those of Python 3.11"
    wanted = set(sys.argv[1:])
    for case in sorted(CASES.glob("*.py")):
        if wanted and case.stem not in wanted:
            continue
        done = subprocess.run(
            [sys.executable, case.name],
            capture_output=True,
            text=True,
            cwd=CASES,
            env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "80", "TZ": "UTC"},
            check=False,
        )
        if done.returncode != 0 or done.stderr:
            raise SystemExit(f"{case.name} failed:\n{done.stderr}")
        case.with_suffix(".stdout").write_text(done.stdout)


main()
