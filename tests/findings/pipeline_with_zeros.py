# A pipeline that hands on what the kernel around it has set, and one whose blocks are those of a part.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.ones((256, 128))
main = pl.BlockSpec(memory_space=pl.ANY)


def kernel(x_hbm, o_ref, acc_ref):
    acc_ref[...] = jnp.zeros_like(acc_ref)

    def add(x_vmem):
        acc_ref[...] += x_vmem[...]

    pltpu.emit_pipeline(add, grid=(2,), in_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))])(x_hbm)
    o_ref[...] = acc_ref[...]


pl.pallas_call(
    kernel,
    in_specs=[main],
    out_shape=jax.ShapeDtypeStruct((128, 128), jnp.float32),
    scratch_shapes=[pltpu.VMEM((128, 128), jnp.float32)],
    interpret=pltpu.InterpretParams(),
)(x)
