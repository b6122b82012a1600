"""The same work by others: torch, torch.compile (Triton), and JAX's own compiler for the kernels of this folder.

Prints a line `NAME PEER MICROSECONDS` for each that is installed and runs; says on the standard error what is not.
"""
import importlib
import statistics
import sys
import time

MODULES = ["elementwise", "softmax", "layer_norm", "matmul_bf16", "attention"]
WARM_UP, COUNTED = 10, 50


def report(name, peer, times):
  print(name, peer, f"{statistics.median(times):.2f}", flush=True)


def by_torch():
  import torch
  import torch.nn.functional as F

  f = torch.float32
  bf = torch.bfloat16
  new = lambda *shape, dtype=f: torch.randn(*shape, device="cuda", dtype=dtype)
  work = {
      "elementwise": (lambda x: F.gelu(x, approximate="tanh"), [new(64 * 1024 * 1024)]),
      "softmax": (lambda x: torch.softmax(x, 1), [new(8192, 4096)]),
      "layer_norm": (lambda x, w, b: F.layer_norm(x, (4096,), w, b), [new(8192, 4096), new(4096), new(4096)]),
      "matmul_bf16_4096": (torch.matmul, [new(4096, 4096, dtype=bf)] * 2),
      "matmul_bf16_8192": (torch.matmul, [new(8192, 8192, dtype=bf)] * 2),
      "attention": (F.scaled_dot_product_attention, [new(1, 64, 4096, 64, dtype=bf)] * 3),
  }
  for name, (function, arguments) in work.items():
    for peer, call in [("torch", function), ("torch.compile", torch.compile(function))]:
      try:
        times = []
        for round in range(WARM_UP + COUNTED):
          begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
          begin.record()
          call(*arguments)
          end.record()
          end.synchronize()
          if round >= WARM_UP:
            times.append(begin.elapsed_time(end) * 1e3)
        report(name, peer, times)
      except Exception as error:
        print(f"{name} by {peer}: {type(error).__name__}: {error}", file=sys.stderr)


def by_jax():
  import jax
  import jax.numpy as jnp

  cases = [(module, *case) for module in map(importlib.import_module, MODULES) for case in module.CASES.items()]
  for module, name, shapes in cases:
    try:
      arguments = [jnp.ones(shape, module.DTYPE) for shape in shapes]
      call = jax.jit(module.run)
      times = []
      for round in range(WARM_UP + COUNTED):
        begin = time.perf_counter()
        call(*arguments).block_until_ready()
        if round >= WARM_UP:
          times.append((time.perf_counter() - begin) * 1e6)
      # By the clock of the host, the call included.
      report(name, "jax", times)
    except Exception as error:
      print(f"{name} by jax: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)


for peer in (by_torch, by_jax):
  try:
    peer()
  except Exception as error:
    print(f"{peer.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
