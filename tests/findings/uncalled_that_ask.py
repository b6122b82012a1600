# Functions that nobody calls, and that ask things of their arguments before they launch. Each failure says what the next call
# needs; every launch is reached, and every index map takes one program id too few.
# jax: runs
import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x, spec):
    return pl.pallas_call(copy, grid=(2, 2), in_specs=[spec], out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def validate(q, k, *, block):
    if q.ndim != 3:
        raise ValueError(f"Expected 3 dimensions: {q.shape=}")
    _, n, d = q.shape
    if d != 64:
        raise ValueError(f"Expected {d=} to be 64")
    expected = (16, n, d)
    if k.shape != expected:
        raise ValueError(f"Expected {k.shape=} to be {expected=}")
    if block is None or n % block:
        raise ValueError("Specify a block that divides the length")


@functools.partial(jax.jit, static_argnames=("block",))
def shapes_of_others(q: jax.Array, k: jax.Array, *, block: int | None = None):
    validate(q, k, block=block)
    return launch(q, pl.BlockSpec((1, block, 64), lambda i: (i, 0, 0)))
#                                                 ^ PL106 error "called with 2 program ids"


def dtypes(cache: jax.Array, scale: jax.Array):
    assert cache.dtype == jnp.uint8, cache.dtype
    if scale.dtype not in (jnp.bfloat16, jnp.float16):
        raise ValueError("a scale of 16 bits")
    assert jnp.issubdtype(cache.dtype, jnp.integer)
    return launch(cache, pl.BlockSpec((8, 128), lambda i: (i, 0)))
#                                               ^ PL106 error "called with 2 program ids"


def comments(
    pages: jax.Array,  # u8[total_pages, page_size, num_heads_x2 // packing, packing, 128]
    starts: jax.Array,  # i32[max_num_seqs + 1]
    lens: jax.Array,  # i32[max_num_seqs]
    page_size: int = 32,
    packing: int = 4,
):
    assert pages.shape[1] == page_size and pages.shape[3] == packing and pages.dtype == jnp.uint8
    assert starts.shape[0] == lens.shape[0] + 1
    return launch(starts, pl.BlockSpec((1,), lambda i: (i,)))
#                                            ^ PL106 error "called with 2 program ids"


def small(x: jax.Array, heads: jax.Array):
    if x.shape[-1] > 128:
        raise NotImplementedError("at most 128 features")
    if heads.shape[0] * 2 != x.shape[0]:
        raise ValueError("half as many heads")
    return launch(x, pl.BlockSpec((8, 128), lambda i: (i, 0)))
#                                           ^ PL106 error "called with 2 program ids"


def check(name, shape, expected):
    assert shape == expected, f"[{name}] Expected shape {expected}, got {shape}"


def words_alone(q: jax.Array, k: jax.Array):
    b, n, h, d = q.shape
    check("k", k.shape, (b, n, h, d))
    return launch(q, pl.BlockSpec((1, 8, 8, 128), lambda i: (i, 0, 0, 0)))
#                                                 ^ PL106 error "called with 2 program ids"


def indices(x: jax.Array, order: jax.Array):
    (n,) = order.shape
    return launch(x[order], pl.BlockSpec((8, 128), lambda i: (i, 0)))
#                                                  ^ PL106 error "called with 2 program ids"


def on_devices(x: jax.Array, axis_name: str):
    y = x + jax.lax.axis_index(axis_name)
    return launch(y, pl.BlockSpec((8, 128), lambda i: (i, 0)))
#                                           ^ PL106 error "called with 2 program ids"


def on_a_mesh(x: jax.Array, mesh: jax.sharding.Mesh):
    if len(mesh.axis_names) != 2:
        raise NotImplementedError("Only a 2D mesh: ('data', 'model')")
    assert mesh.shape["model"] > 1
    return launch(x, pl.BlockSpec((8, 128), lambda i: (i, 0)))
#                                           ^ PL106 error "called with 2 program ids"


def for_a_tpu(x: jax.Array):
    if "TPU" not in jax.devices()[0].device_kind:
        raise RuntimeError("Expected TPU devices")
    rows = 64 * pltpu.get_tpu_info().num_lanes // 128
    return launch(x.reshape(-1, rows), pl.BlockSpec((8, 64), lambda i: (i, 0)))
#                                                            ^ PL106 error "called with 2 program ids"


def unrolled(x: jax.Array):
    y = x
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            y = y + (i - j)
    return launch(y, pl.BlockSpec((8, 128), lambda i: (i, 0)))
#                                           ^ PL106 error "called with 2 program ids"


@dataclasses.dataclass(frozen=True)
class Blocks:
    rows: int
    columns: int
    num_buffers: int

    def __post_init__(self):
        if self.num_buffers != 2:
            raise ValueError("two buffers")


def configured(x: jax.Array, blocks: Blocks, others: list[jax.Array]):
    assert others[0].ndim == 2
    return launch(x, pl.BlockSpec((blocks.rows, blocks.columns), lambda i: (i, 0)))
#                                                                ^ PL106 error "called with 2 program ids"
