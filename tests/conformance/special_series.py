"""Special functions that are series: values to four digits."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special


def shown(x):
    return [f"{value:.4g}" for value in np.asarray(x, np.float32).ravel()]


x = jnp.array([-9.5, -1.5, 0.0, 0.3, 2.0, 8.0, 20.0])
for name in ("i0e", "i1e", "i0", "i1"):
    print(name, shown(getattr(special, name)(x)))
print(shown(jax.vmap(jax.grad(special.i0e))(x)), shown(jax.vmap(jax.grad(special.i1e))(x)))
print(lax.bessel_i0e(jnp.bfloat16(2.0)), special.i0(3).dtype)
q = jnp.array([0.5, 1.0, 2.5, 10.0])
print(shown(special.zeta(2.0, q)), shown(special.zeta(jnp.array([1.5, 3.0, 4.0]), 1.0)))
print([shown(special.polygamma(n, q)) for n in range(4)], shown(jax.grad(special.digamma)(0.75)))
print(shown(jax.vmap(jax.grad(lambda x: special.polygamma(1, x)))(q)))
a = jnp.array([0.5, 1.0, 3.0, 10.0])
print(shown(special.gammainc(a, q)), shown(special.gammaincc(a, q)))
print(shown(special.gammainc(2.0, jnp.array([0.0, 1.0, 5.0, jnp.inf, -1.0]))))
print(shown(jax.vmap(jax.grad(special.gammainc, 1))(a, q)), shown(jax.vmap(jax.grad(special.gammainc))(a, q)))
print(shown(jax.vmap(jax.grad(special.gammaincc, 1))(a, q)))
print(shown(special.log_ndtr(jnp.array([-30.0, -12.0, -5.0, 0.0, 3.0, 7.0]))))
print(shown(jax.vmap(jax.grad(special.log_ndtr))(jnp.array([-12.0, 0.0, 7.0]))))
for wrong in (lambda: special.zeta(2.0), lambda: special.polygamma(1.0, 2.0), lambda: special.log_ndtr(1.0, 31)):
    try:
        wrong()
    except (NotImplementedError, ValueError) as error:
        print(error)
