"""Distributions whose samples are drawn until one is accepted, and those made of them."""

import jax
import jax.numpy as jnp
from jax import random

key = random.key(7)


def show(name, x):
    x = jnp.asarray(x)
    flat = [f"{float(v):.4g}" for v in x.reshape(-1)[:8]]
    print(name, x.shape, x.dtype, " ".join(flat))


show("gamma", random.gamma(key, 3.0, (6,)))
show("gamma small", random.gamma(key, jnp.array([0.1, 0.5, 1.0, 20.0])))
show("gamma 2d", random.gamma(key, jnp.ones((2, 1)), (2, 3)))
show("loggamma", random.loggamma(key, jnp.array([0.01, 0.5, 4.0])))
show("beta", random.beta(key, 2.0, 3.0, (5,)))
show("dirichlet", random.dirichlet(key, jnp.array([1.0, 2.0, 3.0]), (2,)))
show("t", random.t(key, 4.0, (4,)))
show("chisquare", random.chisquare(key, 5.0, shape=(4,)))
show("f", random.f(key, 3.0, 8.0, shape=(4,)))
show("generalized_normal", random.generalized_normal(key, 3.0, (4,)))
show("ball", random.ball(key, 3, shape=(2,)))
show("poisson", random.poisson(key, 4.0, (8,)))
show("poisson large", random.poisson(key, jnp.array([0.0, 30.0, 400.0, 5.0])))
show("binomial", random.binomial(key, 10, 0.4, shape=(6,)))
show("binomial large", random.binomial(key, jnp.array([100.0, 500.0, 3.0]), jnp.array([0.5, 0.9, 0.2])))
show("multinomial", random.multinomial(key, 20.0, jnp.array([0.2, 0.3, 0.5])))
show("geometric", random.geometric(key, 0.3, (6,)))
show("wald", random.wald(key, 2.0, (4,)))
show("triangular", random.triangular(key, -1.0, 0.5, 2.0, (4,)))
show("jit", jax.jit(lambda k: random.gamma(k, 2.0, (3,)))(key))
show("vmap", jax.vmap(lambda k: random.gamma(k, 2.0))(random.split(key, 3)))
m = random.orthogonal(key, 3)
print(jnp.round(jnp.abs(m @ m.T - jnp.eye(3)), 4).max() < 1e-4)
for wrong in (lambda: random.gamma(key, 1.0, dtype=jnp.int32), lambda: random.dirichlet(key, 1.0)):
    try:
        wrong()
    except ValueError as e:
        print(e)
