"""Subscripts inside traces: shapes and dtypes of what they give."""
import jax
import jax.numpy as jnp
import numpy as np

x = jnp.arange(24).reshape(2, 3, 4)
v = jnp.arange(10.0)
i = jnp.int32(1)
a = jnp.array([0, 1])


def show(name, function, *operands):
    try:
        result = jax.eval_shape(function, *operands)
        print(name, result.shape, result.dtype)
    except Exception as error:
        print(name, type(error).__name__, str(error).splitlines()[0])


show("int", lambda x: x[0], x)
show("slices", lambda x: x[:, 1:, ::-2], x)
show("newaxis", lambda x: x[:, None, 0], x)
show("traced int", lambda x, i: x[i], x, i)
show("traced int with slices", lambda x, i: x[i, :, 1:3], x, i)
show("traced int with strides", lambda x, i: x[i, ::-1, ::2], x, i)
show("traced int inside", lambda x, i: x[:, i], x, i)
show("traced ints", lambda x, i: x[i, 0, i], x, i)
show("traced int and newaxis", lambda x, i: x[None, i, ..., None], x, i)
show("weak int traced", lambda x, i: x[i], x, jnp.asarray(1))
show("static array index", lambda x: x[jnp.int32(1)], x)
show("traced array", lambda x, a: x[a], x, a)
show("traced array of rank 2", lambda x, a: x[:, a[None, :]], x, a)
show("two traced arrays", lambda x, a: x[a, a], x, a)
show("apart", lambda x, a: x[a, :, a], x, a)
show("array and int", lambda x, a, i: x[i, a], x, a, i)
show("array and slices", lambda x, a: x[:, a, ::2], x, a)
show("array and newaxis", lambda x, a: x[:, a, None, a], x, a)
show("numpy array", lambda x: x[np.array([1, 0])], x)
show("list in tuple", lambda x: x[:, [0, 2]], x)
show("concrete mask", lambda v: v[np.arange(10) > 6], v)
show("traced mask", lambda v: v[v > 3], v)
show("rows", lambda x: [row for row in x][1], x)
show("unpacked", lambda x: (lambda p, q: p + q)(*x), x)
show("set", lambda v, i: v.at[i].set(1), v, i)
show("set slice", lambda v: v.at[2:5].set(1), v)
show("add array", lambda v, a: v.at[a].add(1.0), v, a)
show("set rows", lambda x, a: x.at[a, 1:, ::2].set(7), x, a)
show("set column", lambda x, i: x.at[:, i].multiply(2), x, i)
show("get fill", lambda v, a: v.at[a].get(mode="fill", fill_value=0.0), v, a)
show("apply", lambda v, i: v.at[i].apply(jnp.sin), v, i)
show("take", lambda x, a: jnp.take(x, a, axis=1), x, a)
show("along", lambda x, a: jnp.take_along_axis(x, a[None, None, :], axis=2), x, a)
show("dynamic slice bound", lambda v, i: v[i:], v, i)
show("too many", lambda v, i: v[i, i], v, i)
show("float index", lambda v, f: v[f], v, jnp.float32(1))
