# Forms of debug_print that a target refuses, and forms that print something else.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plt

x = jnp.ones((128, 128))


def with_fields(x_ref, o_ref):
    pl.debug_print("x is {}", x_ref[0, 0])
#   ^ PL505 error "Triton takes no `{}` in `debug_print`"
    pl.debug_print("x is", x_ref[0, 0])
    o_ref[...] = x_ref[...]


def too_few(x_ref, o_ref):
    i = pl.program_id(0)
    pl.debug_print("{} and {}", i)
#   ^ PL505 error "this format has 2 fields, and there is 1 value"
    pl.debug_print("{}", i, i)
#   ^ PL505 warning "this format has 1 field, and there are 2 values"
    pl.debug_print(f"program {i}")
#   ^ PL505 warning "the name of a traced value"
    pl.debug_print("{{}} {}", i)
    pl.debug_print("nothing")
    o_ref[...] = x_ref[...]


def on_a_tpu(x_ref, o_ref):
    pl.debug_print("{}", x_ref[0, 0])
#   ^ PL505 error "the TPU compiler formats 32-bit integers only, this is float32"
    pl.debug_print("", x_ref[0, 0])
    pl.debug_print("{}", pl.program_id(0))
    pl.debug_print("row: {}.", x_ref[0, :])
#   ^ PL505 error "ends in `{}`"
    pl.debug_print("row: {}", x_ref[0, :])
    o_ref[...] = x_ref[...]


def on_a_gpu(x_ref, o_ref):
    pl.debug_print("{:.3f}", jnp.max(x_ref[...]))
#   ^ PL505 error "Mosaic GPU takes plain `{}` only"
    pl.debug_print("{}", jnp.max(x_ref[...]))
    o_ref[...] = x_ref[...]


pl.pallas_call(with_fields, out_shape=x, compiler_params=plt.CompilerParams())(x)
pl.pallas_call(too_few, grid=(1,), out_shape=x)(x)
pl.pallas_call(on_a_tpu, grid=(1,), out_shape=x, compiler_params=pltpu.CompilerParams())(x)
pl.pallas_call(on_a_gpu, grid=(1,), out_shape=x, compiler_params=plgpu.CompilerParams())(x)


# Nobody calls this.
def launch(x: jax.Array):
    def kernel(x_ref, o_ref):
        pl.debug_print("{} {}", pl.program_id(0))
#       ^ PL505 error "this format has 2 fields"
        o_ref[...] = x_ref[...]

    return pl.pallas_call(kernel, grid=(1,), out_shape=x)(x)
