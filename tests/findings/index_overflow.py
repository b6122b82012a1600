# Index arithmetic that does not fit: products of program ids, numberings in bytes, block indices, masks.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def in_bytes(x_ref, o_ref):
    columns = jax.lax.broadcasted_iota(jnp.int8, (256,), 0)
#             ^ PL206 warning "255 becomes -1, and is used in a comparison"
    o_ref[...] = jnp.where(columns < 100, x_ref[...], 0.0)


def counted(x_ref, o_ref):
    def body(step, total):
        return total + x_ref[step * 1500000000]
#                      ^ PL202 error "leaves x_ref"
#                            ^ PL206 error "loop counter 2: 3000000000 becomes -1294967296, and is used as a position"

    o_ref[...] = jax.lax.fori_loop(0, 3, body, jnp.zeros(8))


def narrowed(x_ref, o_ref):
    at = (pl.program_id(0) * 100).astype(jnp.int8)
#        ^ PL206 error "program (2,): 200 becomes -56, and is used as a position"
    o_ref[...] = x_ref[at]
#                ^ PL202 error "leaves x_ref"


def masked(x_ref, o_ref):
    rows = pl.program_id(0) * 65536 + jax.lax.iota(jnp.int32, 8)
    o_ref[...] = jnp.where(rows * 4096 < 100000, x_ref[...], 0.0)
#                          ^ PL206 warning "this product does not fit int32"


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(kernel, x, out, **more):
    jax.eval_shape(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(out, jnp.float32), **more), x)


floats = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
launch(in_bytes, floats(256), (256,))
launch(counted, floats(3, 8), (8,))
block = pl.BlockSpec((None, 8), lambda i: (i, 0))
launch(narrowed, floats(300, 8), (4, 8), grid=(4,), out_specs=block)
launch(masked, floats(16, 8), (16, 8), grid=(16,), in_specs=[block], out_specs=block)
far = pl.BlockSpec((None, 8), lambda i: (i * 65536 * 32768, 0))
#                                        ^ PL206 error "program (1,): 2147483648 becomes -2147483648, and is used as a block index"
launch(copy, floats(16, 8), (16, 8), grid=(16,), in_specs=[far], out_specs=block)
