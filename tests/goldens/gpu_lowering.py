"""Asks JAX which Mosaic GPU kernels it lowers, without a device: by exporting those that tests/lowering/gpu_calls.txt names
(functions of tests/lowering/gpu_kernels.py). The answers go to tests/lowering/gpu_answers.tsv: the call, and `ok` or the
exception.

Use: /path/to/python tests/goldens/gpu_lowering.py
"""

import pathlib

import jax
from jax import export

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "lowering"


def answer(names, call):
    try:
        launch, *arguments = eval(call, names)
        allowed = [export.DisabledSafetyCheck.custom_call("mosaic_gpu_v2")]
        export.export(jax.jit(launch), platforms=["cuda"], disabled_checks=allowed)(*arguments)
    except Exception as error:
        text = str(error).split("\n")[0]
        return f"{type(error).__name__}: {text}".replace("\t", " ").strip()
    return "ok"


def main():
    names = {}
    exec((FOLDER / "gpu_kernels.py").read_text(), names)
    calls = (FOLDER / "gpu_calls.txt").read_text().splitlines()
    rows = [f"{call}\t{answer(names, call)}\n" for call in calls]
    (FOLDER / "gpu_answers.tsv").write_text("".join(rows))


if __name__ == "__main__":
    main()
