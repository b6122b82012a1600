"""Reading arrays: every index form, and how arrays clamp and wrap."""
import jax.numpy as jnp

x = jnp.arange(24).reshape(2, 3, 4)
print(x[0], x[1, 2], x[-1, -1, -1], x[0, :, 1], x[..., 0], x[:, 1:, ::2], x[0, ::-1], x[None, 0, 0].shape, x[:, None].shape, x[0, ..., None].shape, sep="\n")
print(x[:, [0, 2]].shape, x[[0, 1], [1, 2]], x[jnp.array([1, 0]), 0], x[0, jnp.array([[0, 1], [2, 0]]), 3], x[:, :, jnp.array([3, 3])].shape, sep="\n")
v = jnp.arange(10, 20)
print(v[3], v[-3], v[2:5], v[-3:], v[:100], v[8:2], v[::-2], v[5:0:-1], v[slice(1, 4)], v[jnp.array([0, -1, 5])], v[jnp.arange(3) * 2])
print(v[jnp.array([100, -100, 9])], v[jnp.int32(4)], v[v > 15], v[jnp.array([True] * 3 + [False] * 7)], x[x % 7 == 0])
print(jnp.take(v, jnp.array([1, 3])), jnp.take(x, 1, axis=1), jnp.take_along_axis(x[0], jnp.array([[0], [1], [2]]), axis=1), v.take(jnp.array([2])))
print(jnp.where(v > 14, v, 0), jnp.where(v > 17), jnp.nonzero(v > 17), jnp.argwhere(x[0] > 9), jnp.select([v < 12, v < 15], [v, -v], 99), sep="\n")
print(x.shape, x.ndim, x.size, x.nbytes, x.itemsize, len(x), x.dtype, [int(row.sum()) for row in x], list(v[:2]))
first, second = x
print(first.shape, 12 in v, jnp.array(5) in v, x.item(5), v.at[2].get(), v.at[100].get(mode="fill", fill_value=-1))
print(x[()].shape, x[0][1][2], x[0, 1, 2], x[(0, 1)], jnp.squeeze(x[:, :1, :1]), jnp.s_[1:3], v[jnp.s_[1:3]])
