"""lax: slices, updates, iota, pad, reduce, gather helpers and comparisons."""
import jax.numpy as jnp
from jax import lax

x = jnp.arange(12).reshape(3, 4)
print(lax.dynamic_slice(x, (1, 2), (2, 2)), lax.dynamic_slice(x, (2, 3), (2, 2)), lax.dynamic_slice_in_dim(x, 1, 2, axis=1), lax.slice(x, (0, 1), (2, 4), (1, 2)), sep="\n")
print(lax.dynamic_update_slice(x, jnp.full((2, 2), -1), (0, 1)), lax.dynamic_update_slice(x, jnp.full((2, 2), -1), (5, 5)), lax.dynamic_index_in_dim(x, 1, 0, keepdims=False), sep="\n")
print(lax.broadcasted_iota(jnp.int32, (2, 3), 1), lax.iota(jnp.float32, 4), lax.broadcast_in_dim(jnp.arange(2), (2, 3), (0,)), lax.expand_dims(jnp.arange(2), (0,)).shape, sep="\n")
print(lax.pad(jnp.arange(3), 9, [(1, 2, 1)]), lax.pad(jnp.arange(5), 0, [(-1, -1, 0)]), lax.concatenate([x, x], 0).shape, lax.rev(x, (1,)), lax.squeeze(x[:1], (0,)), lax.reshape(x, (4, 3)).shape)
print(lax.reduce_sum(x, (0, 1)), lax.cumsum(x, 1), lax.cummax(jnp.array([1, 3, 2])), lax.argmax(x, 1, jnp.int32))
print(lax.eq(x[0], x[0]), lax.max(x[0], 2), lax.mul(x[0], 2), lax.full((2,), 3.5), lax.full_like(x[0], 1), lax.convert_element_type(x[0], jnp.float32), lax.transpose(x, (1, 0)).shape)
print(lax.stop_gradient(jnp.float32(5)), lax.select(x > 5, x, -x), lax.exp(0.0), lax.pow(2.0, 3.0), lax.sign(jnp.array([-2.0, 0.0])), lax.reduce_precision(0.1, 8, 7))
