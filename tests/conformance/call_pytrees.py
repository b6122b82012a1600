"""Pytrees of operands and specs: dictionaries, tuples, None leaves and dataclasses."""
import dataclasses

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Params:
  weight: jax.Array
  bias: jax.Array


def kernel(params_ref, xs_ref, o_ref):
  a_ref, (b_ref, c_ref) = xs_ref
  o_ref[...] = a_ref[...] * params_ref.weight[...] + b_ref[...] + c_ref[...] + params_ref.bias[...]


block = pl.BlockSpec((2,), lambda i: (i,))
whole = pl.BlockSpec((1,), lambda i: (0,))
x = jnp.arange(6.0)
print(pl.pallas_call(
    kernel,
    grid=(3,),
    in_specs=[Params(block, whole), (block, (block, block))],
    out_specs=block,
    out_shape=x,
    interpret=True,
)(Params(x, jnp.array([0.5])), (x, (x * 10, x * 100))))


def nested(tree_ref, out_ref):
  out_ref["a"][...] = tree_ref["p"]["q"][...] + 1
  out_ref["b"][0][...] = tree_ref["r"][0][...] * 2
  out_ref["b"][1][...] = tree_ref["r"][1][...] * 3


shape = jax.ShapeDtypeStruct((2,), jnp.int32)
tree = {"r": [jnp.array([1, 2]), jnp.array([3, 4])], "p": {"q": jnp.array([5, 6])}}
print(pl.pallas_call(nested, out_shape={"a": shape, "b": (shape, shape)}, interpret=True)(tree))
