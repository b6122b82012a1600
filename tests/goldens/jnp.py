"""Records what real JAX prints for the programs of engine/jax/tests/jnp_cases.

For each program NAME.py it writes NAME.stdout next to it.

  python tests/goldens/jnp.py            record all
  python tests/goldens/jnp.py --check    change nothing; exit 1 if a recording is out of date

Run it with the Python that has JAX 0.10.2 (Python 3.11).
"""

import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "engine/jax/tests/jnp_cases"


def main() -> int:
    stale = []
    for program in sorted(FOLDER.glob("*.py")):
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        result = subprocess.run(
            [sys.executable, "-W", "ignore", program.name],
            cwd=FOLDER, env=environment, capture_output=True, timeout=300, check=False,
        )
        if result.returncode != 0:
            sys.exit(f"{program.name} failed:\n{result.stderr.decode()}")
        recording = program.with_suffix(".stdout")
        if not recording.exists() or recording.read_bytes() != result.stdout:
            stale.append(recording.name)
            if "--check" not in sys.argv:
                recording.write_bytes(result.stdout)
    print("\n".join(stale) or "every recording is up to date")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
