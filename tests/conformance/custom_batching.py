"""`custom_vmap`, `checkpoint_name` and policies."""
import jax, jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name
from jax.custom_batching import custom_vmap, sequential_vmap


@custom_vmap
def f(x, y):
    return x + y


@f.def_vmap
def f_rule(axis_size, in_batched, x, y):
    print("rule", axis_size, in_batched, x.shape, y.shape)
    return x + y + 100, True


print(f(1, 2))
print(jax.vmap(f, in_axes=(0, None))(jnp.arange(3), jnp.int32(1)))
print(jax.jit(jax.vmap(f))(jnp.arange(2), jnp.arange(2)))
print(jax.vmap(sequential_vmap(lambda x: x * 2))(jnp.arange(3)))


@custom_vmap
def tree(d):
    return {"s": d["a"] * 2, "n": 1.0}


@tree.def_vmap
def tree_rule(axis_size, in_batched, d):
    print(in_batched)
    return {"s": d["a"] * 3, "n": 5.0}, {"s": True, "n": False}


print(jax.vmap(tree)({"a": jnp.arange(3.0)}))


def layer(w, x):
    h = checkpoint_name(jnp.sin(w * x), "hidden")
    return jnp.sum(h * w)


policy = jax.checkpoint_policies.save_only_these_names("hidden")
print(jax.grad(jax.checkpoint(layer, policy=policy))(jnp.arange(3.0), jnp.ones(3)))
print(jax.grad(jax.checkpoint(layer, policy=jax.checkpoint_policies.nothing_saveable))(jnp.arange(3.0), jnp.ones(3)))
try:
    custom_vmap(lambda x: x)(1)
except AttributeError as e:
    print(e)
