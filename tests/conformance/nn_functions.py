"""jax.nn: activations rounded to five places, softmax, one_hot, logsumexp."""
import jax
import jax.numpy as jnp

x = jnp.array([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])
for name in ("relu", "relu6", "sigmoid", "silu", "swish", "gelu", "softplus", "soft_sign", "elu", "selu", "leaky_relu",
             "log_sigmoid", "hard_tanh", "hard_sigmoid", "hard_swish", "celu", "softmax", "log_softmax", "standardize", "mish"):
  print(f"{name:13}", " ".join(f"{value:.5f}" for value in getattr(jax.nn, name)(x)))
print("exact gelu   ", " ".join(f"{value:.5f}" for value in jax.nn.gelu(x, approximate=False)))
print(jax.nn.one_hot(jnp.array([0, 2, 5]), 4), jax.nn.one_hot(1, 3, dtype=jnp.int32))
print(f"{jax.nn.logsumexp(x):.5f}", jax.nn.logsumexp(jnp.array([1000.0, 1000.0])) > 1000, jax.nn.softmax(jnp.zeros((2, 4)), axis=0))
print(jax.nn.relu(jnp.array([-1, 2])), jax.nn.softmax(jnp.zeros((2, 2)), where=jnp.eye(2, dtype=bool)), jax.nn.glu(jnp.array([2.0, 0.0])))
print(jax.nn.swish.__name__, jax.nn.hard_swish.__name__, jax.nn.swish is jax.nn.silu)
