# Configurations with numbers of pydantic's, fields that are `None` unless somebody says otherwise, masks and keys of random
# numbers: each function is reached, and its grid is wrong.
# jax: not run
import dataclasses
import enum
from typing import Annotated

import jax
import jax.numpy as jnp
import pydantic
from jax.experimental import pallas as pl
from jax.sharding import PartitionSpec as P


@pydantic.dataclasses.dataclass(frozen=True)
class Config:
    rows: Annotated[int, pydantic.Field(multiple_of=8, gt=0)]
    num_stages: pydantic.PositiveInt


@dataclasses.dataclass
class Sizes:
    forward: int
    backward: int | None = None


type Residuals = tuple[jax.Array, jax.Array]


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def configured(x: jax.Array, config: Config) -> jax.Array:
    block = pl.BlockSpec((config.rows, 128), lambda i, j: (i, 0))
#                                            ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(config.num_stages,), in_specs=[block], out_shape=x)(x)


def backward(x: jax.Array, sizes: Sizes) -> jax.Array:
    if sizes.backward is None:
        raise ValueError("Need to specify backward blocks.")
    block = pl.BlockSpec((sizes.backward, 128), lambda i, j: (i, 0))
#                                               ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=x)(x)


def masked(x: jax.Array, mask: jax.Array) -> jax.Array:
    x = jnp.where(~mask, x, 0)
    block = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                  ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=x)(x)


def random(key: jax.Array, shape: tuple[int, int]) -> jax.Array:
    x = jax.random.normal(key, shape)
    block = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                  ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=x)(x)


def saved(res: Residuals) -> jax.Array:
    q, out = res
    block = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                  ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=q)(q)


class Mode(enum.Enum):
    DECODE = "decode"
    PREFILL = "prefill"


def by_mode(x: jax.Array, mode: Mode) -> jax.Array:
    if mode is not Mode.PREFILL:
        raise ValueError(f"This takes prefill only, got {mode!r}")
    block = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                  ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=x)(x)


def under_a_mesh(x: jax.Array) -> jax.Array:
    @jax.shard_map(in_specs=P(None, "tensor"), out_specs=P(None, "tensor"), check_vma=False)
    def sharded(x):
        block = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                      ^ PL106 error "called with 1 program id"
        return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=x)(x)

    return sharded(x)


def reshaped(x: jax.Array, scale: jax.Array) -> jax.Array:
    n, d = x.shape
    scale = scale.reshape(1, d)
    block = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                  ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=x)(x * scale)


def padded(x: jax.Array, w: jax.Array) -> jax.Array:
    w = jnp.pad(w, ((0, 0), (0, 0), (0, 8)))
    block = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                  ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=x)(x + w[0, 0, 0])


def described(
    x: jax.Array,  # [n, 128]
    # [3, slices], where each begins and how long it is
    slices: jax.Array,
) -> jax.Array:
    three, _ = slices.shape
    assert three == 3
    block = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                  ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=x)(x)


def added(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def passes_on(*operands: jax.Array) -> jax.Array:
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    shape = jax.ShapeDtypeStruct((8, 128), "float32")
    out = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                ^ PL106 error "called with 1 program id"
    return pl.pallas_call(added, grid=(1,), in_specs=[block, block], out_specs=out, out_shape=shape)(*operands)
