"""Methods and attributes of arrays: those that exist, conversions, comparisons, truth."""
import jax
import jax.numpy as jnp
import numpy as np

x = jnp.arange(6.0).reshape(2, 3)
print(x.mean(), x.std().dtype, x.T.shape, x.tolist(), x.flatten().tolist(), x.copy() is x, x.astype(int).dtype, x.real.shape, x.conj().shape)
print(x.block_until_ready() is x, jax.block_until_ready(x).shape, np.asarray(x).dtype, float(x[0, 1]), int(x.sum()), x.any(), x.argmax(), x.dot(x.T).shape)
print(bool(jnp.array([1])), not jnp.zeros(()), jnp.array(3) == 3, (x == x).all(), x[0] < 1, x.sum() > 14 and "yes", hash(5) == 5)
print(len(x), [row.tolist() for row in x], max(x[1]), sum(x[0]), sorted(jnp.array([3, 1, 2]).tolist()), x.round(1).shape, x.var(), x.nonzero()[0], hasattr(x, "shape"), hasattr(x, "nothing"))
print(x.device.platform, jax.default_backend(), jax.device_count(), x.is_fully_addressable, x.sharding is not None, jax.devices()[0].platform)
print(type(x.shape), x.shape == (2, 3), x.shape[0] // 2, jnp.ndim(5), jnp.shape(2.5), jnp.size(x), np.shape(x), jnp.isscalar(5), x.at is not None)
print(jax.device_get(x[0]), jax.device_put(np.arange(2)), jnp.asarray(x) is x, jnp.array(x) is x, np.array_equal(x, x), np.allclose(x, x), x.mT.shape, x.trace(), x.diagonal(), x.prod(), x.cumsum())
