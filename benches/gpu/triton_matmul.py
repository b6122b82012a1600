"""The products of `matmul_bf16.py` in Triton: tiles in bands, a loop over the terms, the fastest of a few sizes."""
import torch
import triton
import triton.language as tl

SIZES = [(128, 128, 64, 4, 4), (128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 128, 8, 3)]
CONFIGS = [
    triton.Config({"ROWS": m, "COLUMNS": n, "TERMS": k, "BAND": 8}, num_warps=warps, num_stages=stages)
    for m, n, k, warps, stages in SIZES
]


@triton.autotune(configs=CONFIGS, key=["m", "n", "k"])
@triton.jit
def kernel(x, y, o, m, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, TERMS: tl.constexpr, BAND: tl.constexpr):
  program = tl.program_id(0)
  rows, columns = tl.cdiv(m, ROWS), tl.cdiv(n, COLUMNS)
  first = program // (BAND * columns) * BAND
  height = min(rows - first, BAND)
  row = first + program % (BAND * columns) % height
  column = program % (BAND * columns) // height
  i = (row * ROWS + tl.arange(0, ROWS)) % m
  j = (column * COLUMNS + tl.arange(0, COLUMNS)) % n
  l = tl.arange(0, TERMS)
  left = x + i[:, None] * k + l[None, :]
  right = y + l[:, None] * n + j[None, :]
  sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
  for step in range(0, tl.cdiv(k, TERMS)):
    sums = tl.dot(tl.load(left), tl.load(right), sums)
    left += TERMS
    right += TERMS * n
  i = row * ROWS + tl.arange(0, ROWS)
  j = column * COLUMNS + tl.arange(0, COLUMNS)
  inside = (i[:, None] < m) & (j[None, :] < n)
  tl.store(o + i[:, None] * n + j[None, :], sums.to(tl.bfloat16), mask=inside)


def matmul(x, y):
  (m, k), n = x.shape, y.shape[1]
  o = torch.empty((m, n), device=x.device, dtype=x.dtype)
  grid = lambda sizes: (triton.cdiv(m, sizes["ROWS"]) * triton.cdiv(n, sizes["COLUMNS"]),)
  kernel[grid](x, y, o, m, n, k)
  return o
