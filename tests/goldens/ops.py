"""Records what JAX prints for the programs of tests/ops.

Each NAME.py calls kernels of jax.experimental.pallas.ops on small arrays and prints samples of what they return; what JAX
prints goes to NAME.txt next to it, where tests/tests/jax_ops.rs compares it number by number.

  python tests/goldens/ops.py              record all
  python tests/goldens/ops.py FILE...      record these

Run it with the Python that has JAX 0.10.2.
"""

import os
import pathlib
import subprocess
import sys

HELPERS = {"values.py", "mosaic.py"}
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "ops"
TIMEOUT_SECONDS = 600


def main() -> int:
    named = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    for program in named or sorted(FOLDER.glob("*.py")):
        if program.name in HELPERS:
            continue
        done = subprocess.run(
            [sys.executable, program.name, "--record"],
            cwd=program.parent,
            env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=TIMEOUT_SECONDS,
        )
        if done.returncode != 0:
            print(f"failed: {program.name}")
            return 1
        program.with_suffix(".txt").write_bytes(done.stdout)
        print(f"recorded: {program.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
