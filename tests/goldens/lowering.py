"""Asks JAX which operations the compilers of Pallas lower, without a device: by exporting a kernel for each of them.

Each line of tests/lowering/expressions.txt is an operation, `group | expression`, of `x` (a tile of a group's shape and dtype)
and what `GROUPS` gives besides. The kernel stores `x` and what the expression gives, reduced to nothing, so that only the
expression is asked about. The answers go to tests/lowering/answers.tsv: the expression, what `x` and the
result are, and for each target `ok`, `not asked` or the exception.

Use: /path/to/python tests/goldens/lowering.py
"""

import pathlib

import jax
import jax.numpy as jnp
from jax import lax  # noqa: F401  (expressions use it)
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton
from jax._src.pallas.mosaic import tpu_info

# There is no TPU to ask what it has.
tpu_info.get_tpu_info = lambda: tpu_info._get_tpu_info_impl(tpu_info.ChipVersion.TPU_V5E, 1)

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "lowering"

# What an expression's group gives it: the shape and dtype of `x`.
GROUPS = {
    "float": ((16, 128), jnp.float32),
    "half": ((16, 128), jnp.bfloat16),
    "int": ((16, 128), jnp.int32),
    "unsigned": ((16, 128), jnp.uint32),
    "byte": ((32, 128), jnp.int8),
    "square": ((128, 128), jnp.float32),
    "row": ((1024,), jnp.float32),
    "cube": ((4, 16, 128), jnp.float32),
}
TARGETS = {
    "tpu": (pltpu.CompilerParams, "tpu"),
    "triton": (pltriton.CompilerParams, "cuda"),
    "mosaic_gpu": (plgpu.CompilerParams, "cuda"),
}


def kernel_of(expression):
    """The kernel, as a text that the tests analyse too."""
    return (
        "def kernel(x_ref, o_ref):\n"
        "    x = x_ref[...]\n"
        f"    y = {expression}\n"
        "    o_ref[...] = y\n"
    )


def result_of(group, expression):
    """The shape and dtype of an expression."""

    # Outside of a kernel there are no programs to ask for.
    class Pl:
        program_id = num_programs = staticmethod(lambda axis: jnp.int32(0))
        multiple_of = staticmethod(lambda value, _: value)

    try:
        return jax.eval_shape(lambda x: eval(expression, dict(globals(), x=x, pl=Pl)), jax.ShapeDtypeStruct(*GROUPS[group]))
    except Exception as error:
        raise SystemExit(f"{group} | {expression}: {error}") from error


def ask(group, expression, target, out):
    params, platform = TARGETS[target]
    space = {name: globals()[name] for name in ("jax", "jnp", "lax", "pl", "pltpu")}
    exec(kernel_of(expression), space)
    x = jax.ShapeDtypeStruct(*GROUPS[group])

    def launch(x):
        return pl.pallas_call(space["kernel"], grid=(1,), out_shape=out, compiler_params=params())(x)

    try:
        jax.export.export(jax.jit(launch), platforms=[platform])(x)
    except Exception as error:
        message = str(error).splitlines()[0] if str(error) else ""
        # What comes after lowering is no concern here.
        if message.startswith("Cannot serialize code with custom calls"):
            return "ok"
        # What is wrong with the launch is no concern here, either.
        if any(word in message for word in ("Block spec for", "captures constants", "Async copies only")):
            return "not asked"
        return f"{type(error).__name__}: {message[:160]}"
    return "ok"


def main():
    answers = []
    for line in (FOLDER / "expressions.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        group, expression = (part.strip() for part in line.split("|", 1))
        out = result_of(group, expression)
        shape, dtype = GROUPS[group]
        answers.append([expression, written(shape, dtype), written(out.shape, out.dtype)])
        answers[-1] += [ask(group, expression, target, out) for target in TARGETS]
    (FOLDER / "answers.tsv").write_text("".join("\t".join(row) + "\n" for row in answers))
    for number, target in enumerate(TARGETS):
        refused = sum(row[3 + number] not in ("ok", "not asked") for row in answers)
        print(f"{target}: {refused} of {len(answers)} refused")


def written(shape, dtype):
    return f"{tuple(shape)}, jnp.{jnp.dtype(dtype).name}"


if __name__ == "__main__":
    main()
