"""Reductions: axis, keepdims, where, initial, dtype, empty arrays and booleans."""
import jax.numpy as jnp

x = jnp.arange(24).reshape(2, 3, 4)
print(x.sum(), x.sum(axis=0), x.sum(1), x.sum(axis=-1, keepdims=True), x.sum(axis=(0, 2)), jnp.sum(x, axis=(0, 1, 2)))
print(x.max(), x.min(axis=0), x.max(axis=(1, 2)), jnp.max(x, axis=1, keepdims=True).shape, jnp.amin(x, -1))
print(x.mean(), x.mean(axis=0), x.mean(axis=(0, 1)), x.mean().dtype, jnp.average(x))
print(x[0].prod(), x[0].prod(axis=1), jnp.prod(jnp.array([0.5, 4.0])))
print(x.argmax(), x.argmin(axis=1), jnp.argmax(x, axis=-1), jnp.argmax(jnp.array([1, 3, 3, 2])), jnp.argmax(x, axis=2, keepdims=True).shape)
print((x > 5).any(), (x > 5).all(axis=2), jnp.all(x >= 0), jnp.any(x < 0, axis=0), jnp.count_nonzero(x % 3 == 0, axis=1))
print(jnp.sum(x, where=x % 2 == 0), jnp.max(x, initial=-1, where=x < 10), jnp.mean(x, where=x > 20), jnp.min(x, where=x > 7, initial=99))
print(jnp.sum(x, initial=100), jnp.sum(x, dtype=jnp.float32), jnp.sum(jnp.ones(3, bool)), jnp.sum(jnp.ones(300, jnp.bfloat16)))
print(jnp.sum(jnp.zeros((0, 3)), axis=0), jnp.prod(jnp.zeros(0)), jnp.sum(jnp.array([])), jnp.any(jnp.zeros(0)), jnp.all(jnp.zeros(0)))
y = jnp.array([[1.0, jnp.nan, 3.0], [4.0, 5.0, 6.0]])
print(y.sum(), y.max(), y.min(axis=1), jnp.nansum(y), jnp.nanmax(y, axis=1), jnp.nanmean(y), jnp.argmax(y))
print(jnp.var(jnp.arange(4.0)), jnp.std(jnp.array([1.0, 3.0])), jnp.median(jnp.array([3, 1, 2, 10])), jnp.ptp(x), jnp.cumsum(x[0], axis=0), sep="\n")
print(jnp.cumsum(jnp.arange(5)), jnp.cumprod(jnp.arange(1, 6)), jnp.cumsum(x[0]), x[0].cumsum(axis=1), jnp.diff(jnp.array([1, 4, 9, 16])))
print(jnp.linalg.norm(jnp.array([3.0, 4.0])), jnp.trace(x[0][:3, :3]), jnp.logical_and.reduce(jnp.array([True, False])))
