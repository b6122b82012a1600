"""Methods that are jitted, mapped or differentiated are methods: the instance is their first argument."""

import dataclasses
import functools

import jax
import jax.numpy as jnp


@jax.tree_util.register_static
class Model:
    weight = 3.0

    @functools.partial(jax.vmap, in_axes=(None, 0))
    def mapped(self, x):
        return x * self.weight

    @functools.partial(jax.checkpoint, static_argnums=0)
    def kept(self, x):
        return x + 1

    @functools.partial(jax.grad, argnums=1)
    def slope(self, x):
        return x * self.weight

    @functools.partial(jax.value_and_grad, argnums=1)
    def both(self, x):
        return x * self.weight

    @functools.partial(jax.jit, static_argnums=0)
    def jitted(self, x):
        return x * self.weight

    @functools.partial(jax.jit, static_argnames=("self", "n"))
    def named(self, x, n=2):
        return x * n

    @functools.partial(jax.jacfwd, argnums=1)
    def jacobian(self, x):
        return x * x

    @staticmethod
    @jax.jit
    def free(x):
        return -x

    @classmethod
    def of_class(cls, x):
        return cls.free(x)


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass
class Pair:
    a: jax.Array
    b: jax.Array

    @jax.jit
    def total(self):
        return self.a + self.b

    def tree_flatten(self):
        return (self.a, self.b), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


model = Model()
print(model.mapped(jnp.arange(3.0)), model.kept(1.0), model.slope(2.0), model.both(2.0))
print(model.jitted(2.0), model.named(jnp.ones(2)), model.named(jnp.ones(2), n=5), model.jacobian(2.0))
print(Model.jitted is Model.__dict__["jitted"], type(model.jitted).__name__, Model.jitted(model, 2.0))
print(model.free(2.0), Model.of_class(jnp.ones(1)), Pair(jnp.ones(2), jnp.ones(2)).total())
