# Python that happens once, when a kernel is traced.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

seen = []
last = None
traces = 0


def remember(x_ref, o_ref):
    global last, traces
    x = x_ref[...]
    seen.append(x)
#   ^ PL313 warning "`seen` of the program around the kernel gets one entry"
    last = x * 2
#   ^ PL313 warning "`last` of the program around the kernel is assigned once"
    traces += 1
#   ^ PL313 info "`traces` of the program around the kernel is assigned once"
    print("x is", x)
#   ^ PL313 warning "this prints what `x` is called"
    o_ref[...] = x


x = jnp.ones((8, 128))
pl.pallas_call(remember, out_shape=x, interpret=True)(x)


# Nobody calls this.
def with_a_counter(x: jax.Array):
    total = jnp.zeros(())

    def kernel(x_ref, o_ref):
        nonlocal total

        @pl.when(pl.program_id(0) == 0)
        def first():
            nonlocal total
            total = jnp.sum(x_ref[...])
#           ^ PL313 warning "`total` of the program around the kernel"

        o_ref[...] = x_ref[...]
        print(f"block: {x_ref[...]}")
#       ^ PL313 warning "`pl.debug_print"

    return pl.pallas_call(kernel, grid=(1,), out_shape=x)(x)
