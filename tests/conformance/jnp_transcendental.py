"""exp, log, tanh, sigmoid, erf and others over a range, to five digits."""
import jax
import jax.numpy as jnp
from jax import lax

x = jnp.linspace(-3.0, 3.0, 7)
p = jnp.array([0.1, 0.5, 1.0, 2.0, 10.0, 100.0])


def show(name, values):
  print(f"{name:10}", " ".join(f"{value:.5g}" for value in values))


for name in ("exp", "expm1", "sin", "cos", "tan", "tanh", "sinh", "arctan", "exp2"):
  show(name, getattr(jnp, name)(x))
for name in ("log", "log1p", "log2", "log10", "sqrt", "cbrt"):
  show(name, getattr(jnp, name)(p))
show("erf", lax.erf(x))
show("erf_inv", lax.erf_inv(jnp.array([-0.9, -0.5, 0.0, 0.3])))
show("logistic", lax.logistic(x))
show("rsqrt", lax.rsqrt(p))
show("arcsin", jnp.arcsin(x / 4))
show("arctan2", jnp.arctan2(x, jnp.float32(2)))
show("power", jnp.power(p, 0.7))
show("pow", p ** -1.5)
show("logaddexp", jnp.logaddexp(x, 0.5))
show("sigmoid", jax.nn.sigmoid(x))
