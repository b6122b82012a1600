"""Updates of JAX arrays: x.at[...] with every method, out of bounds, and what is refused."""
import jax.numpy as jnp
import numpy as np

x = jnp.arange(24).reshape(2, 3, 4)
v = jnp.arange(10, 20)
f = jnp.arange(6.0).reshape(2, 3)


def show(name, compute):
    try:
        print(name, repr(compute()))
    except Exception as error:
        print(name, type(error).__name__, str(error))


show("at", lambda: v.at)
show("at index", lambda: v.at[0])
show("set", lambda: v.at[2].set(7))
show("set slice", lambda: v.at[2:5].set(7))
show("set values", lambda: v.at[2:5].set(jnp.array([1, 2, 3])))
show("set list", lambda: x.at[0].set([1, 2, 3, 4])[0])
show("set numpy", lambda: v.at[:3].set(np.arange(3)))
show("set row", lambda: f.at[1].set(9.5))
show("set column", lambda: f.at[:, 1].set(jnp.array([7.0, 8.0])))
show("set backwards", lambda: v.at[::-2].set(jnp.arange(5)))
show("set strided", lambda: v.at[1::3].set(0))
show("set block", lambda: x.at[0, 1:, ::2].set(-1)[0])
show("set everything", lambda: f.at[:].set(1.0))
show("set ellipsis", lambda: f.at[...].set(2.0))
show("set newaxis", lambda: v.at[None].set(0))
show("set out of bounds", lambda: v.at[100].set(1))
show("set far before", lambda: v.at[-100].set(1))
show("set array out of bounds", lambda: v.at[jnp.array([100, 2])].set(1))
show("set clip", lambda: v.at[jnp.array([100, 2])].set(1, mode="clip"))
show("set drop", lambda: v.at[jnp.array([100, 2])].set(1, mode="drop"))
show("set array", lambda: v.at[jnp.array([0, -1])].set(jnp.array([5, 6])))
show("set columns", lambda: f.at[:, jnp.array([0, 2])].set(jnp.array([[1.0, 2.0], [3.0, 4.0]])))
show("set apart", lambda: x.at[jnp.array([0, 1]), :, jnp.array([1, 2])].set(0))
show("set array and slice", lambda: x.at[jnp.array([0, 1]), 1:, 0].set(99))
show("set mask", lambda: v.at[v > 15].set(0))
show("set mask values", lambda: v.at[v > 15].set(jnp.arange(4)))
show("set true", lambda: v.at[True].set(0))
show("set false", lambda: v.at[False].set(0))
show("set scalar index array", lambda: v.at[jnp.array(3)].set(0))
show("set keeps dtype", lambda: v.at[2].set(True).dtype)
show("add", lambda: f.at[0].add(1.0))
show("add repeated", lambda: v.at[jnp.array([3, 3, 4])].add(1))
show("add column", lambda: f.at[:, 0].add(10))
show("subtract", lambda: v.at[3].subtract(2))
show("multiply", lambda: v.at[0].multiply(2))
show("mul", lambda: v.at[1:3].mul(2))
show("divide", lambda: v.at[3].divide(2))
show("power", lambda: v.at[3].power(2))
show("min", lambda: v.at[3:6].min(13))
show("max", lambda: v.at[3:6].max(14))
show("apply", lambda: v.at[3].apply(lambda a: a * 2))
show("apply repeated", lambda: v.at[jnp.array([3, 3])].apply(lambda a: a + 1))
show("get", lambda: v.at[2].get())
show("get out of bounds", lambda: v.at[100].get())
show("get fill", lambda: v.at[100].get(mode="fill"))
show("get fill floats", lambda: f.at[5].get(mode="fill"))
show("get fill value", lambda: v.at[jnp.array([100, 0])].get(mode="fill", fill_value=-1))
show("get fill rows", lambda: f.at[jnp.array([1, 7])].get(mode="fill", fill_value=0.5))
show("get clip", lambda: v.at[jnp.array([100, -1])].get(mode="clip"))
show("get without wrapping", lambda: v.at[-1].get(wrap_negative_indices=False))
show("get promise", lambda: v.at[3].get(mode="promise_in_bounds"))
show("shape", lambda: v.at[0:3].set(jnp.zeros(2, int)))
show("rank", lambda: v.at[2].set([1]))
show("mask shape", lambda: v.at[v > 15].set(jnp.arange(3)))
show("mode", lambda: v.at[0].set(1, mode="foo"))
show("get mode", lambda: v.at[0].get(mode="foo"))
show("too many", lambda: v.at[0, 0].set(1))
show("attribute", lambda: v.at[0].foo)
show("original", lambda: v)


def assign():
    v[0] = 1


show("assignment", assign)
