"""Copies JAX's own tests of Mosaic GPU so that they run without a GPU.

  python tests/goldens/gpu_tests.py CHECKOUT OUT

`mosaic_gpu_test.py` and `gpu_pallas_distributed_test.py` of JAX 0.10.2 skip every case where no GPU is found.  The copies
in OUT/tests/pallas leave out what asks for one, what patches modules, the second copy of each class for the other lowering,
and what writes code for the compiler; kernels and expected values stay as they are.  They are evaluated by

  cargo run --release -p pallas-tests --bin jax_tests -- --python ENV --file mosaic_gpu_test.py OUT

Nothing of the tests is kept in this repository.
"""

import pathlib
import re
import sys

# Modules of compilers: cases that use them fail by name.
IMPORTS = re.compile(
    r"^(from jax import export|from jax\._src\.lib.*|from jax\._src\.pallas import core.*|import tempfile"
    r"|from jax\._src\.pallas\.mosaic_gpu import (lowering|pipeline).*|import jax\.experimental\.mosaic\.gpu as mgpu"
    r"|from jax\._src\.state import types.*|from jax\._src import (core as jax_core|util|test_multiprocess.*))\n",
    re.M,
)
STUBS = '''plgpu = _plgpu
_kernel = _plgpu.kernel
mgpu_pipeline = _plgpu
mgpu = types.SimpleNamespace(LoweringSemantics=_plgpu.LoweringSemantics)
cuda_versions = types.SimpleNamespace(
    cuda_runtime_get_version=lambda: 13000, cuda_supports_multicast=lambda device: True
)
'''
PALLAS_CALL = '''    options = dict(
        out_shape=out_shape, grid=grid, in_specs=in_specs, out_specs=out_specs, scratch_shapes=scratch_shapes,
        compiler_params=compiler_params,
    )
    if kernel_fn is None:
      return lambda fn: self.pallas_call(fn, **options)
    if grid != ():
      options.update(in_specs=in_specs or None, out_specs=out_specs or None)
      return pl.pallas_call(kernel_fn, **options)

    def known(specs, count):
      specs = specs or [pl.BlockSpec()] * count
      return list(specs) if isinstance(specs, (list, tuple)) else [specs]

    @jax.jit
    @self.kernel(out_type=out_shape, scratch_types=scratch_shapes)
    def wrapper(*refs):
      operands = len(refs) - len(scratch_shapes)
      outputs = len(jax.tree.leaves(out_shape))
      plgpu.emit_pipeline(
          lambda _, *args: kernel_fn(*args, *refs[operands:]), grid=(),
          in_specs=known(in_specs, operands - outputs), out_specs=known(out_specs, outputs),
      )(*refs[:operands])

    return wrapper

'''


def between(text: str, first: str, last: str, instead: str) -> str:
    """The text with something else from `first` up to `last`."""
    start = text.index(first)
    return text[:start] + instead + text[text.index(last, start) :]


def without_gpu(text: str) -> str:
    """What both files need."""
    text = IMPORTS.sub("", text)
    text = between(text, "# We don't want the user to call plgpu.kernel", "  plgpu.kernel = do_not", STUBS)
    text = text.replace("  plgpu.kernel = do_not_call_me_directly\n", "", 1)
    text = re.sub(r"class PallasTestMetaclass.*?return cls\n", "", text, flags=re.S)
    text = re.sub(r"class MonkeyPatchTest.*?plgpu\.kernel\(\)\n", "", text, flags=re.S)
    text = text.replace(", metaclass=PallasTestMetaclass)", ")").replace(", jtu.CudaArchSpecificTest", "")
    text = re.sub(r"class \w+\([^)]*lowering_semantics=[^)]*\):\n(?:(?:  [^\n]*)?\n)+", "", text)
    # Which class is the last is of no account.
    text = re.sub(r"class MosaicGPUPoisonTest.*?(?=if __name__)", "", text, flags=re.S)
    return text.replace(
        "  LOWERING_SEMANTICS: ClassVar[plgpu.LoweringSemantics]\n",
        "  LOWERING_SEMANTICS = plgpu.LoweringSemantics.Lane\n"
        "  skip_unless_tcgen05 = skip_unless_sm90a = skip_unless_tcgen05_int8 = lambda self: None\n",
        1,
    )


def kernels(text: str) -> str:
    """`mosaic_gpu_test.py`"""
    text = between(without_gpu(text), "  def setUp(self, *, artificial", "  def is_wg_semantics", "")
    call = "    compiler_params = dataclasses.replace(\n        compiler_params,\n"
    text = between(text, call, "  @contextlib.contextmanager\n  def capture_stdout", PALLAS_CALL)
    text = between(text, '    if "pytest" in sys.modules:', "    with jtu.capture_stdout() as", "")
    text = re.sub(r"      # We need to cudaDeviceSynchronize.*?\n.*?\n", "", text)
    text = re.sub(r"try:\n  from jax\._src\.lib.*?= None\n", "", text, flags=re.S)
    for name in ("Sm90A", "TCGen05"):
        text = re.sub(rf"(class Pallas{name}Test\(PallasTest\):\n)\n  def setUp.*?\n\n\n", r"\1  pass\n\n\n", text, flags=re.S)
    text = text.replace("  def setUp(self):\n    super().setUp()\n", "")
    text = text.replace("    super().setUp()\n", "").replace("(self, layout: gpu_core.SomeLayout)", "(self, layout)")
    return text.replace("jtu.get_cuda_nonportable_max_cluster_size()", "16").replace(
        "jtu.set_env(", "(lambda **settings: contextlib.nullcontext())("
    )


def distributed(text: str) -> str:
    """`gpu_pallas_distributed_test.py`"""
    text = between(without_gpu(text), "  def setUp(self):\n    if jtu.is_device_rocm", "  def tearDown",
                   "  def setUp(self):\n    self.monkey_patched_api_was_used = False\n    super().setUp()\n\n")
    text = re.sub(r"_TestCaseBase = .*?else parameterized.TestCase\)\n", "_TestCaseBase = parameterized.TestCase\n",
                  text, flags=re.S)
    return text.replace("P = jax.sharding", "jtu.request_cpu_devices(4)\nP = jax.sharding", 1)


def main() -> None:
    source, out = (pathlib.Path(name) / "tests/pallas" for name in sys.argv[1:3])
    out.mkdir(parents=True, exist_ok=True)
    for name, change in (("mosaic_gpu_test.py", kernels), ("gpu_pallas_distributed_test.py", distributed)):
        (out / name).write_text(change((source / name).read_text()))


main()
