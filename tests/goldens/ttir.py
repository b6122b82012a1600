"""Compares our Triton IR with the one that JAX lowers the same kernels to.

For each program of `tests/ttir` (and each sample whose kernels have Triton IR on both sides), the launches are lowered

  by us    `pallas-tui lower NAME.py --emit ttir`
  by JAX   with the CPU wheel, for the platform `cuda`

and both modules go through MLIR's own `canonicalize` and `cse`.  What is left has to be equal, op for op with all types and
attributes: the lines without the names of values, sorted.  Ours is parsed and verified by MLIR on the way.

  python tests/goldens/ttir.py               compare all; exit 1 if anything differs
  python tests/goldens/ttir.py NAME...       compare these
  python tests/goldens/ttir.py --write ...   also write tests/ttir/NAME.ttir, which the Rust test reads

Run it with the Python that has JAX 0.10.2; PALLAS_TUI names the binary (target/debug/pallas-tui by default).
"""

import argparse
import collections
import contextlib
import difflib
import io
import os
import pathlib
import re
import runpy
import subprocess
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax._src.interpreters.mlir as jax_mlir
import jax.numpy as jnp
from jax._src.lib.mlir import ir, passmanager
from jax._src.lib.triton import dialect
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUI = os.environ.get("PALLAS_TUI", str(ROOT / "target/debug/pallas-tui"))

# Where ours is meant to be different: (program, launch) and why.
DIFFERENT = {
    ("shapes", "joins"): "JAX stacks with a primitive of its own; here it is a concatenation of expanded arrays, whose reshapes stay",
}


def custom_calls(module):
    found = []

    def walk(op):
        op = op.operation
        if op.name == "stablehlo.custom_call" and "mhlo.backend_config" in op.attributes:
            found.append(op)
        for region in op.regions:
            for block in region.blocks:
                for inner in block.operations:
                    walk(inner)

    walk(module)
    return found


def context():
    made = jax_mlir.make_ir_context()
    dialect.register_dialect(made)
    made.load_all_available_dialects()
    return made


def canonical(source) -> str:
    """The module after MLIR's own cleaning up; raises what MLIR says of a wrong one."""
    with context():
        module = ir.Module.parse(source)
        module.operation.verify()
        passmanager.PassManager.parse("builtin.module(canonicalize,cse,canonicalize)").run(module.operation)
        return module.operation.get_asm(enable_debug_info=False)


def by_jax(program: pathlib.Path) -> list[tuple[str, object]]:
    """What JAX lowers each launch to, in the order of the calls: (kernel, module or the reason why not)."""
    launches = []
    real = pl.pallas_call

    def pallas_call(kernel, *positional, **named):
        named.pop("interpret", None)
        named.setdefault("compiler_params", plt.CompilerParams())
        wrapped = real(kernel, *positional, **named)
        run = real(kernel, *positional, **{**named, "interpret": True})
        name = re.sub(r"\W", "_", getattr(kernel, "__name__", None) or kernel.func.__name__)

        def apply(*arguments):
            try:
                lowered = jax.jit(wrapped).trace(*arguments).lower(lowering_platforms=("cuda",))
                (op,) = custom_calls(lowered.compiler_ir("stablehlo"))
                config = op.attributes["mhlo.backend_config"]
                launches.append((name, ir.StringAttr(config["ir"]).value_bytes))
            except Exception as error:  # JAX's reasons come in every class
                launches.append((name, error))
            try:
                return run(*arguments)
            except AttributeError:  # interpret mode has no atomics at positions that are plain numbers
                return jax.tree.map(lambda out: jnp.zeros(out.shape, out.dtype), named["out_shape"])

        return apply

    pl.pallas_call = pallas_call
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_path(str(program), run_name="__main__")
    except Exception as error:
        print(f"{program.name}: stopped by {type(error).__name__}: {str(error).splitlines()[0]}")
    finally:
        pl.pallas_call = real
    return launches


def by_us(program: pathlib.Path) -> str:
    done = subprocess.run([TUI, "lower", str(program), "--emit", "ttir"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{TUI}: {done.stderr}")
    return done.stdout


def modules(text: str) -> list[tuple[str, str]]:
    """The modules in our output, each with the name of its kernel."""
    parts = re.split(r"^// (\S+): .* programs$", text, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2]))


def essence(text: str) -> list[str]:
    """The lines of a module without names of values, sorted."""
    text = re.sub(r"%[\w$.-]+(#\d+|:\d+)?", "%", text)
    text = re.sub(r"@\w+", "@", text).replace(" attributes {noinline = false}", "")
    return sorted(line.strip() for line in text.splitlines() if line.strip())


def compare(program: pathlib.Path, write: bool) -> tuple[int, int, int, int]:
    text = by_us(program)
    ours = modules(text)
    if not ours and program.parent.name == "samples":
        return 0, 0, 0, 0  # it is for another back end
    theirs = by_jax(program)
    same = different = neither = refused = 0
    queues = collections.defaultdict(list)
    printed = collections.defaultdict(list)
    for name, module in theirs:
        queues[name].append(module)
    for name, module in ours:
        try:
            mine = canonical(module)
        except Exception as error:
            print(f"WRONG {program.name} {name}: {error}")
            different += 1
            continue
        printed[name].append(essence(mine))
        # What JAX refuses is refused by us as well, mostly: those launches have no module here either.
        queue = queues[name]
        lowered = next((at for at, module in enumerate(queue) if not isinstance(module, Exception)), None)
        if lowered is None:
            why = str(queue.pop(0)).strip().splitlines() if queue else ["JAX did not come to this launch"]
            print(f"only ours: {program.name} {name}: {why[-1] if why else ''}")
            neither += 1
            continue
        his = canonical(queue.pop(lowered))
        if essence(mine) == essence(his):
            same += 1
        elif why := DIFFERENT.get((program.stem, name)):
            print(f"different as it is meant to be: {program.name} {name}: {why}")
            neither += 1
        else:
            different += 1
            print(f"DIFFERENT {program.name} {name}")
            for line in difflib.unified_diff(essence(his), essence(mine), "JAX", "ours", n=0, lineterm=""):
                print("   ", line)
    for name, queue in queues.items():
        for module in queue:
            if isinstance(module, Exception):
                refused += 1
            elif essence(canonical(module)) not in printed[name]:  # (a launch that is made again is printed once)
                print(f"only JAX's: {program.name} {name}")
                neither += 1
    if write and program.parent.name == "ttir" and text:
        program.with_suffix(".ttir").write_text(text)
    return same, different, neither, refused


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    programs = sorted((ROOT / "tests/ttir").glob("*.py")) + sorted((ROOT / "samples").glob("*.py"))
    if options.names:
        programs = [p for p in programs if any(name in p.stem for name in options.names)]
    total = [0, 0, 0, 0]
    for program in programs:
        counts = compare(program, options.write)
        if any(counts):
            print(f"{program.relative_to(ROOT)}: {counts[0]} equal, {counts[1]} different, {counts[2]} on one side only, {counts[3]} refused by both", flush=True)
        total = [a + b for a, b in zip(total, counts)]
    print(f"{total[0]} equal, {total[1]} different, {total[2]} on one side only, {total[3]} refused by both")
    sys.exit(1 if total[1] else 0)


if __name__ == "__main__":
    main()
