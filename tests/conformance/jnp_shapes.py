"""reshape, transpose, concatenate, stack, split, pad, roll, tile, repeat, flip, broadcast."""
import jax.numpy as jnp

x = jnp.arange(6).reshape(2, 3)
for y in (x.reshape(3, 2), x.reshape(-1), x.reshape(3, -1), x.ravel(), x.flatten(), x.T, x[:, :, None].squeeze(-1), jnp.expand_dims(x, 0),
          jnp.concatenate([x, x]), jnp.concatenate([x, x], axis=1), jnp.stack([x[0], x[1]], axis=1), jnp.vstack([x[0], x[1]]), jnp.hstack([x[0], x[1]]),
          jnp.append(x, 9), jnp.pad(x, 1), jnp.pad(x, ((0, 1), (2, 0)), constant_values=-1), jnp.pad(x[0], (1, 2), mode="edge"), jnp.pad(x[0], 2, mode="reflect"),
          jnp.roll(x, 1), jnp.roll(x, 1, axis=1), jnp.roll(x, (1, 1), (0, 1)), jnp.tile(x, 2), jnp.tile(x[0], (2, 2)), jnp.repeat(x, 2), jnp.repeat(x, 2, axis=0),
          jnp.repeat(x[0], jnp.array([1, 0, 2]), total_repeat_length=3), jnp.flip(x), jnp.flip(x, 1), jnp.fliplr(x), jnp.rot90(x), jnp.broadcast_to(x[0], (2, 3)),
          jnp.moveaxis(x[None], 0, -1).shape, jnp.swapaxes(x, 0, 1), jnp.atleast_2d(5), jnp.delete(x[0], 1), jnp.insert(x[0], 1, 9), jnp.column_stack([x[0], x[1]])):
  print(y)
print(jnp.split(jnp.arange(6), 3), jnp.split(jnp.arange(6), [1, 4]), jnp.array_split(jnp.arange(5), 2), [part.shape for part in jnp.split(x, 3, axis=1)])
print(jnp.broadcast_shapes((2, 1), (3,)), jnp.broadcast_arrays(jnp.arange(2)[:, None], jnp.arange(2)), (x[:, :, None] + jnp.arange(2)).shape)
print(jnp.transpose(jnp.zeros((2, 3, 4)), (1, 2, 0)).shape, jnp.zeros((2, 1, 3)).squeeze().shape, jnp.zeros((2, 3, 4)).reshape(6, 4).shape, jnp.zeros((2, 3)).reshape((3, 2)).shape)
