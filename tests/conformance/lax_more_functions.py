"""Functions of jax.lax, jax.nn, jax.numpy and jax.flatten_util that are seldom met."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.flatten_util import ravel_pytree

x = jnp.arange(6.0).reshape(2, 3)
print(lax.stack([x, x + 1], axis=1).shape, [part.tolist() for part in lax.unstack(x, axis=1)])
print(lax.index_take(x, (jnp.array([1, 0]), jnp.array([-1, 1])), (0, 1)))
print(lax.broadcast_like(jnp.arange(3), x), lax.shape_as_value((2, 3)), lax.shape_as_value(()))
print(lax.platform_dependent(x, cpu=lambda x: x.sum(), tpu=lambda x: x.max()))
print(lax.platform_dependent(x, default=lambda x: x.min()))
print(lax.padtype_to_pads((5, 6), (3, 2), (2, 2), "SAME"), lax.padtype_to_pads((5,), (3,), (1,), "VALID"))
print(lax.padtype_to_pads((5, 6), (4, 4), (1, 1), "same_lower"))
print(lax.conv_dimension_numbers((1, 2, 3, 4), (1, 2, 3, 4), ("NHWC", "HWIO", "NCHW")))
image = jnp.arange(8.0).reshape(1, 4, 2)
kernel = jnp.arange(12.0).reshape(3, 2, 2)
print(lax.conv_transpose(image, kernel, (2,), "SAME").tolist())
print(lax.conv_transpose(image, kernel, (2,), "VALID", transpose_kernel=True).shape)
double = lax.composite(lambda x, *, by: x * by, "my.double")
print(double(x, by=2.0)[1])

flat, back = ravel_pytree({"a": jnp.ones((2, 2)), "b": [jnp.arange(3), 4.0]})
print(flat, back(flat * 2))
print(ravel_pytree({})[0])
try:
    back(jnp.zeros(8, jnp.int32))
except TypeError as error:
    print(error)

numbers = jnp.array([3, 1, 2, 1, 3, 3])
print(jnp.unique_all(numbers))
print(jnp.unique_counts(numbers), jnp.unique_inverse(numbers).inverse_indices)
print(jnp.poly(jnp.array([1.0, 2.0, 3.0])), jnp.polydiv(jnp.array([1.0, 5.0, 6.0]), jnp.array([1.0, 2.0])))
print(np.round(jnp.polyfit(jnp.arange(5.0), jnp.array([1.0, 3.0, 7.0, 13.0, 21.0]), 2), 3))
counts, edges, _ = jnp.histogram2d(jnp.array([0.0, 1.0, 1.0, 2.0]), jnp.array([0.0, 0.0, 1.0, 2.0]), bins=2)
print(counts, edges)
print(jnp.place(x, x > 2, jnp.array([10.0, 20.0]), inplace=False))
print(jnp.put(x, jnp.array([0, 5]), 9.0, inplace=False))
print(np.round(jnp.kaiser(5, 2.0), 4), np.round(jnp.i0(jnp.array([0.0, 1.0, 10.0])), 3))

lhs = jax.random.normal(jax.random.key(0), (2, 64))
rhs = jax.random.normal(jax.random.key(1), (64, 3))
numbers = (((1,), (0,)), ((), ()))
print(np.round(jax.nn.scaled_dot_general(lhs, rhs, numbers), 3))
for mode in ("mxfp8", "nvfp4"):
    config = jax.nn.get_scaled_dot_general_config(mode)
    print(config.mode, config.block_size, config.data_type, config.scale_type, config.global_scale)
    # JAX has no lowering of the product itself for a CPU.
    batched = jax.ShapeDtypeStruct((2, 32, 64), jnp.float32)

    def product(left, right):
        numbers = (((2,), (2,)), ((0,), (0,)))
        return jax.nn.scaled_dot_general(left, right, numbers, jnp.bfloat16, configs=[config] * 3)

    print(jax.eval_shape(product, batched, batched))
    print(jax.eval_shape(jax.grad(lambda a, b: product(a, b).sum().astype(jnp.float32), (0, 1)), batched, batched))
    print(jax.eval_shape(lambda: jax.nn.scaled_dot_general(lhs, rhs, numbers, configs=[config] * 3)))
try:
    jax.nn.get_scaled_dot_general_config("fp3")
except ValueError as error:
    print(error)
square = jax.nn.initializers.orthogonal()(jax.random.key(0), (3, 3))
print(np.round(square @ square.T, 3) + 0.0)
print(jax.nn.initializers.delta_orthogonal()(jax.random.key(0), (3, 2, 4)).shape)
