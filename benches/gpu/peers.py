"""The same work by others: torch (cuBLAS, its own attention), torch.compile, Triton, and JAX's own compilers for the kernels of this folder.

Prints a line for each that runs, `time NAME PEER MICROSECONDS`, and one for each that does not, `absent NAME PEER WHY`, parted by
tabs. Arguments name the work; without any it is all of it. Everybody multiplies random numbers, of which a GPU is slower than of ones.
"""
import contextlib
import importlib
import statistics
import sys
import time

# The files, and who compiles them in JAX.
MODULES = {
    "elementwise": "JAX Pallas",
    "softmax": "JAX Pallas",
    "layer_norm": "JAX Pallas",
    "matmul_bf16": "JAX Pallas",
    "attention": "JAX Pallas",
    "matmul_plgpu": "JAX Mosaic GPU",
}
# Cases that are the work of another one.
SAME = {f"matmul_plgpu_{n}": f"matmul_bf16_{n}" for n in (4096, 8192)}
WORK = ["elementwise", "softmax", "layer_norm", "matmul_bf16_4096", "matmul_bf16_8192", "attention"]
# Measurements that count, and for how many microseconds of work each lasts at least.
COUNTED, LASTS = 30, 2000.0

wanted = sys.argv[1:] or WORK


def say(*words):
  print(*(" ".join(str(word).split()) for word in words), sep="\t", flush=True)


@contextlib.contextmanager
def attempt(name, peer):
  """Whatever goes wrong with one is said, and the next has its turn."""
  try:
    yield
  except Exception as error:
    said = str(error).strip().splitlines()
    say("absent", name, peer, f"{type(error).__name__}: {said[0][:200] if said else ''}")


def measured(name, peer, launches):
  """`launches(n)` says for how many microseconds n launches ran. What has not run before is compiled first."""
  launches(1)
  once = launches(3) / 3
  count = max(1, min(100, round(LASTS / max(once, 1.0))))
  launches(count)
  times = [launches(count) / count for _ in range(COUNTED)]
  say("time", name, peer, f"{statistics.median(times):.2f}")


def by_torch():
  import torch
  import torch.nn.functional as F

  if not torch.cuda.is_available():
    raise RuntimeError("torch finds no GPU")
  bf = torch.bfloat16
  new = lambda *shape, dtype=torch.float32: torch.randn(*shape, device="cuda", dtype=dtype)
  square = lambda n: [new(n, n, dtype=bf) for _ in range(2)]
  work = {
      "elementwise": (lambda x: F.gelu(x, approximate="tanh"), lambda: [new(64 * 1024 * 1024)]),
      "softmax": (lambda x: torch.softmax(x, 1), lambda: [new(8192, 4096)]),
      "layer_norm": (
          lambda x, w, b: F.layer_norm(x, (4096,), w, b), lambda: [new(8192, 4096), new(4096), new(4096)]),
      "matmul_bf16_4096": (torch.matmul, lambda: square(4096)),
      "matmul_bf16_8192": (torch.matmul, lambda: square(8192)),
      "attention": (
          F.scaled_dot_product_attention, lambda: [new(1, 64, 4096, 64, dtype=bf) for _ in range(3)]),
  }

  def launches(call, arguments):
    def run(count):
      begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
      begin.record()
      for _ in range(count):
        call(*arguments)
      end.record()
      end.synchronize()
      return begin.elapsed_time(end) * 1e3

    return run

  for name in filter(wanted.__contains__, work):
    function, make = work[name]
    arguments = make()
    with attempt(name, "torch"):
      measured(name, "torch", launches(function, arguments))
    with attempt(name, "Triton"):
      measured(name, "Triton", launches(by_triton(name, torch), arguments))
    with attempt(name, "torch.compile"):
      measured(name, "torch.compile", launches(torch.compile(function), arguments))
    del arguments
    torch.cuda.empty_cache()


def by_triton(name, torch):
  """A product with tuned tiles, and attention as torch has Triton compile it; what else there is, torch.compile has."""
  if name == "attention":
    from torch.nn.attention.flex_attention import flex_attention

    return torch.compile(flex_attention)
  if not name.startswith("matmul"):
    raise NotImplementedError("torch.compile writes Triton for it")
  import triton_matmul

  return triton_matmul.matmul


def by_jax():
  import jax
  import jax.numpy as jnp

  if jax.default_backend() != "gpu":
    raise RuntimeError(f"JAX finds no GPU, but {jax.default_backend()}")

  def launches(call, arguments):
    def run(count):
      begin = time.perf_counter()
      for _ in range(count):
        result = call(*arguments)
      result.block_until_ready()
      # By the clock of the host: launches wait in line, so that what the host does for one is done while another runs.
      return (time.perf_counter() - begin) * 1e6

    return run

  for file, peer in MODULES.items():
    with attempt(file, peer):
      # Which compiler takes kernels that name none.
      jax.config.update("jax_pallas_use_mosaic_gpu", peer == "JAX Mosaic GPU")
      module = importlib.import_module(file)
      for case, shapes in module.CASES.items():
        name = SAME.get(case, case)
        if name not in wanted:
          continue
        with attempt(name, peer):
          keys = jax.random.split(jax.random.key(0), len(shapes))
          arguments = [jax.random.normal(key, shape).astype(module.DTYPE) for key, shape in zip(keys, shapes)]
          measured(name, peer, launches(jax.jit(module.run), arguments))


if __name__ == "__main__":
  for peers, all_of_it in (("torch, torch.compile, Triton", by_torch), ("JAX Pallas, JAX Mosaic GPU", by_jax)):
    with attempt("everything", peers):
      all_of_it()
