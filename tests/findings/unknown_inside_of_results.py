# What is unknown inside of what functions give to loops, branches and shapes spreads, and is no mistake of theirs.
# jax: NotImplementedError
import jax
import jax.numpy as jnp

unknown = jnp.fromfile(3.5)
#         ^ PL005 warning "not provided by Pallas Workbench yet"
x = jnp.arange(8.0)


def step(carry, row):
    return carry, {"row": row, "other": unknown}


_, rows = jax.lax.scan(step, x[0], x)
both = jax.lax.cond(x[0] > 0, lambda: (x, unknown), lambda: (x, x))
last = jax.lax.fori_loop(0, 3, lambda i, carry: unknown, x)
shapes = jax.eval_shape(lambda x: {"a": x, "b": unknown}, x)
print(rows["other"].sum(), both[1] + 1, last.shape, shapes["b"].dtype)

