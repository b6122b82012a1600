"""Records what real JAX prints for every sample and conformance program.

For each program NAME.py it writes, next to the program:

  NAME.stdout       what `python NAME.py` prints, byte for byte
  NAME.stderr_last  the last line of stderr, when the exit code is not 0 and
                    something was written there
  NAME.code         the exit code, when it is not 0

A program under `seeds/` that today's JAX refuses (it is typed as the old
document has it) has a twin of the same name under `seeds/modern/`, which says
the same in today's spelling.  The twin is run, and its output is what the old
program has to print.

  python tests/goldens/conformance.py              record all
  python tests/goldens/conformance.py FILE...      record these
  python tests/goldens/conformance.py --check      change nothing; exit 1 if
                                                   a recording is out of date

Samples of GPU kernels that JAX's interpreter refuses say so in their first
lines.  They are not run here: they compare themselves with plain `jnp`, and
what they print is written down from a run of the workbench.

Run it with the Python that has JAX 0.10.2 (Python 3.11).  Warnings on stderr
are not recorded.  An output that names an address or a clock is refused: it
could not be the same twice.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("samples", "tests/conformance", "tests/conformance/seeds")
TIMEOUT_SECONDS = 300
ADDRESS = re.compile(rb"\b0x[0-9a-f]{8,}\b")
GPU_ONLY = b"JAX 0.10.2 runs this kernel on a GPU only"
ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "JAX_TRACEBACK_FILTERING": "off",  # or the last line is a note about filtering
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}


def programs() -> list[pathlib.Path]:
    """Every program that is compared, in the order of the folders."""
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py"))]


def runnable(program: pathlib.Path) -> pathlib.Path:
    """The file that JAX runs for `program`: its modern twin, where it has one."""
    twin = program.parent / "modern" / program.name
    return twin if twin.exists() else program


def record(program: pathlib.Path) -> dict[pathlib.Path, bytes]:
    """Runs one program and returns the files that should stand next to it."""
    file = runnable(program)
    environment = {**os.environ, **ENVIRONMENT}
    for name in ("XLA_FLAGS", "JAX_ENABLE_X64"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, file.name],
        cwd=file.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
    )
    files = {program.with_suffix(".stdout"): done.stdout}
    if done.returncode != 0:
        if lines := done.stderr.rstrip().splitlines():
            files[program.with_suffix(".stderr_last")] = lines[-1] + b"\n"
        files[program.with_suffix(".code")] = b"%d\n" % done.returncode
    for path, content in files.items():
        if ADDRESS.search(content):
            raise SystemExit(f"{path.relative_to(ROOT)}: an address in the output")
    return files


def recorded(program: pathlib.Path) -> dict[pathlib.Path, bytes]:
    """The files that stand next to the program now."""
    paths = (program.with_suffix(suffix) for suffix in (".stdout", ".stderr_last", ".code"))
    return {path: path.read_bytes() for path in paths if path.exists()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()

    stale = []
    for program in [path.resolve() for path in options.files] or programs():
        if GPU_ONLY in program.read_bytes():
            continue
        wanted, present = record(program), recorded(program)
        if wanted == present:
            continue
        stale.append(program)
        print(("stale: " if options.check else "recorded: ") + str(program.relative_to(ROOT)))
        if not options.check:
            for path in present.keys() - wanted.keys():
                path.unlink()
            for path, content in wanted.items():
                path.write_bytes(content)
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
