"""Several elementwise steps in one kernel: each input is read once.

Written as separate operations, `x * scale + bias`, the activation and the
residual would each pass over memory. In a kernel the steps between the loads
and the store stay in registers.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

ROWS, COLUMNS, BLOCK = 8, 16, 4


def fused_kernel(x_ref, scale_ref, bias_ref, residual_ref, o_ref):
  h = x_ref[...] * scale_ref[...] + bias_ref[...]  # (BLOCK, 16) * (1, 16)
  h = jnp.maximum(h, 0.0)                          # relu
  o_ref[...] = h + residual_ref[...]


def fused(x, scale, bias, residual):
  rows = pl.BlockSpec((BLOCK, COLUMNS), lambda i: (i, 0))
  whole = pl.BlockSpec((1, COLUMNS), lambda i: (0, 0))
  return pl.pallas_call(
      fused_kernel,
      grid=(ROWS // BLOCK,),
      in_specs=[rows, whole, whole, rows],
      out_specs=rows,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      interpret=True,
  )(x, scale, bias, residual)


def reference(x, scale, bias, residual):
  return jax.nn.relu(x * scale + bias) + residual


x = jnp.arange(ROWS * COLUMNS, dtype=jnp.float32).reshape(ROWS, COLUMNS) / 16 - 4
scale = jnp.linspace(0.5, 2.0, COLUMNS).reshape(1, COLUMNS)
bias = jnp.where(jnp.arange(COLUMNS) % 2 == 0, 1.0, -1.0).reshape(1, COLUMNS)
residual = jnp.ones_like(x) * 0.25

result = fused(x, scale, bias, residual)
np.testing.assert_allclose(result, reference(x, scale, bias, residual), rtol=1e-6)
print("the last row, four columns:", " ".join(f"{value:.3f}" for value in result[-1, :4]))
print("elements that relu cut to the residual:", int((result == 0.25).sum()), "of", result.size)


# The classic of fusion: swish and gate, x * sigmoid(x) * y.
def swiglu_kernel(gate_ref, up_ref, o_ref):
  gate = gate_ref[...]
  o_ref[...] = gate * jax.nn.sigmoid(gate) * up_ref[...]


gate = jnp.linspace(-3.0, 3.0, 7)
up = jnp.arange(1.0, 8.0)
swiglu = pl.pallas_call(swiglu_kernel, out_shape=gate, interpret=True)(gate, up)
np.testing.assert_allclose(swiglu, jax.nn.silu(gate) * up, rtol=1e-6)
print("swiglu:", " ".join(f"{value:.4f}" for value in swiglu))

# multiply, add and relu each read one matrix and write one; the last add reads two.
passes = {"separate": 2 + 2 + 2 + 3, "fused": 3}
for name, count in passes.items():
  print(f"{name:9} {count} passes over an array of {x.nbytes} bytes: {count * x.nbytes} bytes moved")
