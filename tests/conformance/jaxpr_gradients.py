# Parts of one derivative are summed by a primitive of its own.
import jax
import jax.numpy as jnp


def product(x):
    return x * jnp.sin(x)


print(jax.make_jaxpr(jax.grad(lambda x: x + x))(1.0))
print(jax.make_jaxpr(lambda x, t: jax.jvp(product, (x,), (t,)))(1.0, 1.0))
names = [equation.primitive.name for equation in jax.make_jaxpr(jax.grad(product))(1.0).eqns]
print(names.count("add_any"), "add" in names)
