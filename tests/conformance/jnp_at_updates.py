"""x.at[...]: set, add, multiply, min, max, on every index form; x itself never changes."""
import jax.numpy as jnp

x = jnp.arange(12).reshape(3, 4)
print(x.at[0].set(9), x.at[1, 2].add(100), x.at[:, 1].mul(0), x.at[..., -1].set(jnp.array([7, 8, 9])), sep="\n")
print(x.at[jnp.array([0, 2]), 0].set(-1), x.at[x > 5].set(0), x.at[::2, ::3].add(1), x.at[1:].set(x[:-1]), sep="\n")
v = jnp.zeros(5, jnp.int32)
print(v.at[jnp.array([1, 1, 3])].add(1), v.at[jnp.array([1, 1])].set(5), v.at[2].max(4), v.at[2].min(-4), v.at[-1].set(3))
print(v.at[10].set(1), v.at[jnp.array([0, 99])].add(2), v.at[7].add(1, mode="drop"), v.at[1].subtract(2), v.at[1].power(0), (v + 8).at[1].divide(2))
print(v.at[0].set(2), jnp.ones(2).at[0].set(3), v.at[:3].apply(lambda t: t + 5), v)
f = jnp.linspace(0, 1, 5)
print(f.at[1:3].multiply(10), f.at[f < 0.6].set(jnp.nan))
