"""Writes engine/jax/src/names.txt: the public names of JAX's and numpy's modules, of Python's own, and of the packages that
engine/jax/src/third_party stands in for, to tell names that the workbench does not have yet from names that nobody has.
Run without arguments; what is said of packages that are not installed stays as it is."""

import importlib
import pathlib
import pkgutil
import sys
import warnings

ROOTS = ["jax", "numpy"]
# Modules that are no part of what programs use, or that cannot be imported everywhere.
SKIPPED = ("jax._src", "jax.tools", "jax.lib", "jax.collect_profile", "jax.jaxlib", "numpy.f2py",
           "numpy.distutils", "numpy.core", "numpy.tests", "numpy.conftest", "numpy.ma", "numpy.lib", "numpy.polynomial",
           "numpy.char", "numpy.ctypeslib", "numpy.matrixlib", "jax.experimental.jax2tf", "jax.experimental.mosaic",
           "jax.experimental.pallas.ops", "jax.experimental.colocated_python", "jax.experimental.sparse",
           "jax.experimental.transfer", "jax.experimental.slab", "jax.example_libraries", "jax.numpy_array_api",
           "jax.extend.mlir", "jax.experimental.source_mapper", "numpy.typing.", "numpy.testing.", "numpy.linalg.",
           "numpy.random.", "numpy.fft.")
# The modules of other packages that have a stand-in.
STAND_INS = ["absl.app", "absl.flags", "absl.logging", "absl.testing.absltest", "absl.testing.parameterized", "beartype", "beartype.door", "chex", "einops", "flax", "flax.struct", "hypothesis", "hypothesis.extra.numpy",
             "hypothesis.strategies",
             "immutabledict", "jaxtyping", "ml_dtypes", "pydantic", "pydantic.dataclasses", "pytest", "qwix", "qwix.pallas", "tqdm",
             "tqdm.auto", "typeguard", "typing_extensions"]
# Python's own modules that the workbench has, whose names it may lack; `standard` lists all that Python has.
STANDARD = ["abc", "argparse", "asyncio", "atexit", "bisect", "collections", "collections.abc", "concurrent.futures", "contextlib",
            "contextvars", "copy", "dataclasses", "datetime", "enum", "fractions", "functools", "gc", "glob", "hashlib", "heapq", "importlib",
            "importlib.metadata", "importlib.resources", "importlib.util", "inspect", "io", "itertools", "json", "logging", "math",
            "multiprocessing", "numbers", "operator", "os", "os.path", "pathlib", "pickle", "platform", "pprint", "queue", "random",
            "re", "shutil", "signal", "socket", "statistics", "string", "subprocess", "sys", "tempfile", "textwrap", "threading",
            "time", "timeit", "traceback", "types", "typing", "unittest", "unittest.mock", "warnings", "weakref", "zlib"]
# Modules in what is skipped whose names programs use; what they hold further down is left out.
ALONE = ["jax.experimental.mosaic", "jax.experimental.mosaic.gpu", "jaxlib", *STANDARD]
# Classes whose instances programs ask for attributes.
INSTANCES = {"ArrayImpl": "jax.numpy.zeros(1)", "ndarray": "numpy.zeros(1)", "dtype": "numpy.dtype('f4')"}


def modules(root):
    try:
        package = importlib.import_module(root)
    except Exception as error:  # what it needs is not installed
        print(f"{root}: {error}")
        return
    yield root
    for info in pkgutil.iter_modules(getattr(package, "__path__", [])):
        name = f"{root}.{info.name}"
        if not info.name.startswith("_") and not name.startswith(SKIPPED):
            yield from modules(name)


def public(thing):
    names = set(getattr(thing, "__all__", [])) | set(dir(thing))
    return sorted(name for name in names if not name.startswith("_"))


def submodules(module):
    return [info.name for info in pkgutil.iter_modules(getattr(module, "__path__", [])) if not info.name.startswith("_")]


def stand_ins(known):
    for name in STAND_INS:
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            print(f"{name}: {error}")
            yield from (line for line in known if line.startswith(f"{name}: "))
            continue
        yield f"{name}: {' '.join(sorted({*public(module), *submodules(module)}))}"


def lines(known):
    for root in ROOTS:
        for name in modules(root):
            yield f"{name}: {' '.join(public(importlib.import_module(name)))}"
    yield f"standard: {' '.join(sorted(name for name in sys.stdlib_module_names if not name.startswith('_')))}"
    for name in ALONE:
        module = importlib.import_module(name)
        yield f"{name}: {' '.join(sorted({*public(module), *submodules(module)}))}"
    yield from stand_ins(known)
    scope = {root: importlib.import_module(root) for root in ROOTS}
    for name, expression in INSTANCES.items():
        yield f"{name}: {' '.join(public(eval(expression, scope)))}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    target = pathlib.Path(__file__).parents[2] / "engine/jax/src/names.txt"
    known = target.read_text().splitlines()
    target.write_text("".join(line + "\n" for line in lines(known)))
