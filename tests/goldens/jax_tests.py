"""Lists which of JAX's own Pallas tests pass under JAX, case by case.

  python tests/goldens/jax_tests.py CHECKOUT LISTING [FILE...]

CHECKOUT is a folder with the files of JAX's repository at the tag of the
installed release, of which `tests/pallas` and the two modules that no wheel
ships are needed:

  tests/pallas/*.py
  jax/_src/pallas/pallas_test_util.py
  jax/_src/hypothesis_test_util.py

LISTING is written: one line per case, `passed|failed|skipped FILE CLASS.CASE`,
in the order of the files.  FILEs are names in `tests/pallas`; without any, the
files below are run.  The runner `jax_tests` of `pallas-tests` compares its own
results with the listing (`--expected LISTING`).

Run it with the Python that has JAX 0.10.2, pytest, hypothesis and absl.
"""

import os
import pathlib
import subprocess
import sys

FILES = (
    "pallas_test.py",
    "indexing_test.py",
    "pallas_vmap_test.py",
    "gpu_ops_test.py",
    "gpu_attention_test.py",
    "gpu_paged_attention_test.py",
    "tpu_pallas_test.py",
    "ops_test.py",
)


class Recorder:
    """A pytest plugin that keeps how each case ended."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}

    def pytest_runtest_logreport(self, report) -> None:
        if "SubtestReport" in type(report).__name__ or "SubTestReport" in type(report).__name__:
            return
        _, *path = report.nodeid.split("::")
        name = ".".join(path)
        worse = report.outcome != "passed"
        if report.when == "call" or worse:
            self.outcomes[name] = report.outcome


def run_one(checkout: pathlib.Path, file: str) -> int:
    """In a process of its own: runs a file and prints its lines."""
    import jax._src
    import jax._src.pallas
    import pytest

    jax._src.__path__.append(str(checkout / "jax/_src"))
    jax._src.pallas.__path__.append(str(checkout / "jax/_src/pallas"))
    recorder = Recorder()
    options = ["-q", "--no-header", "-p", "no:cacheprovider", "--tb=no"]
    pytest.main([*options, str(checkout / "tests/pallas" / file)], plugins=[recorder])
    with open(os.environ["LISTING_PART"], "w", encoding="utf-8") as part:
        for name, outcome in recorder.outcomes.items():
            part.write(f"{outcome} {file} {name}\n")
    return 0


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    checkout, listing = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    files = sys.argv[3:] or FILES
    parts = []
    for file in files:
        part = listing.with_suffix(f".{file}.part")
        environment = {
            **os.environ,
            "JAX_PLATFORMS": "cpu",
            "LISTING_PART": str(part),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        }
        subprocess.run(
            [sys.executable, __file__, "--one", str(checkout), file],
            env=environment,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        parts.append(part.read_text(encoding="utf-8") if part.exists() else "")
        listing.write_text("".join(parts), encoding="utf-8")
        part.unlink(missing_ok=True)
        lines = parts[-1].splitlines()
        counts = {kind: sum(line.startswith(kind) for line in lines) for kind in ("passed", "failed", "skipped")}
        print(file, *(f"{count} {kind}" for kind, count in counts.items()), flush=True)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        sys.exit(run_one(pathlib.Path(sys.argv[2]), sys.argv[3]))
    sys.exit(main())
