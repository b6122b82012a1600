"""Dataclasses that are trees (flax.struct, chex), immutabledict, jaxtyping and chex assertions."""

import dataclasses
import jax, jax.numpy as jnp, numpy as np
import flax.struct as struct
from flax import struct as s2
from immutabledict import immutabledict
from jaxtyping import Array, Float, Int, Bool, jaxtyped, PRNGKeyArray, PyTree, Shaped
import chex

@struct.dataclass
class Params:
    w: jax.Array
    b: jax.Array = None
    name: str = struct.field(pytree_node=False, default="p")

p = Params(jnp.ones((2, 3)), jnp.zeros(3), "layer")
print(jax.tree.leaves(p), p.replace(name="other").name)
print(jax.tree.map(lambda x: x.shape, p))
try:
    p.w = 3
except dataclasses.FrozenInstanceError as e:
    print(type(e).__name__, e)
print(jax.jit(lambda q: q.w @ jnp.ones((3, 1)) + q.b.sum())(p))

class Node(struct.PyTreeNode):
    x: jax.Array
    k: int = struct.field(pytree_node=False, default=2)

n = Node(x=jnp.arange(3))
print(jax.tree.map(lambda v: v * n.k, n))
print(jax.tree.structure(n).num_leaves)

d = immutabledict({"a": 1}, b=2)
print(d, d["a"], len(d), {**d}, d == {"a": 1, "b": 2}, hash(d) == hash(immutabledict(b=2, a=1)))
try:
    d["c"] = 1
except TypeError as e:
    print(e)
print(d.set("z", 3), dict(d | {"q": 1}), list(d.items()), "a" in d)

@jaxtyped(typechecker=None)
def f(x: Float[Array, "b s"], n: Int[Array, "b"] | None = None) -> Float[Array, "*b s"]:
    return x
print(f(jnp.ones((2, 3))).shape)
x = jnp.ones((2, 3))
print(isinstance(x, Float[Array, "2 3"]), isinstance(x, Float[Array, "a a"]), isinstance(x, Int[Array, "..."]),
      isinstance(x, Float[Array, "... s"]), isinstance(x, Shaped[Array, "a b c"]), isinstance(np.ones(2), Float[Array, "n"]))

chex.assert_shape(x, (2, 3)); chex.assert_shape(x, (None, 3)); chex.assert_shape([x, x], (2, ...))
chex.assert_rank(x, 2); chex.assert_equal_shape([x, x + 1]); chex.assert_type(x, float)
chex.assert_trees_all_close({"a": x}, {"a": x + 1e-9}); chex.assert_trees_all_equal([x], [x])
for call in (lambda: chex.assert_shape(x, (2, 4)), lambda: chex.assert_rank(x, 3),
             lambda: chex.assert_is_divisible(7, 2), lambda: chex.assert_equal(1, 2), lambda: chex.assert_equal_shape([x, x.T]), lambda: chex.assert_axis_dimension(x, 0, 4)):
    try:
        call()
    except AssertionError as e:
        print(str(e))

@chex.dataclass
class State:
    a: chex.Array
    b: int = 2
st = State(a=x)
print(st.b, jax.tree.leaves(st)[1], st.replace(b=5).b, dict(st)["b"])
