"""Runs tests/findings/*.py under real JAX and holds what happens against their `# jax:` line.

`runs` (the file ends normally), an exception's name (the file ends with it), `not run` and `does not end` (not tried).
The marks of findings are no concern of this script: tests/tests/findings.rs compares those with what we find.

Use: /path/to/python tests/goldens/check_findings.py [NAME...]
"""

import contextlib
import io
import pathlib
import sys

import jax  # noqa: F401  (so that its time is not the first file's)

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "findings"


def outcome(path):
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
        except Exception as error:
            return type(error).__name__
    return "runs"


def main(names):
    wrong = 0
    for path in sorted(FOLDER.glob("*.py")):
        if names and path.stem not in names:
            continue
        said = path.read_text().splitlines()[1].removeprefix("# jax: ")
        if said in ("not run", "does not end"):
            continue
        found = outcome(path)
        if found != said:
            wrong += 1
            print(f"{path.name}: says {said}, JAX: {found}")
    print("all as said" if wrong == 0 else f"{wrong} differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
