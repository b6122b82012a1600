"""jax.tree and jax.tree_util: map, leaves, structure, flatten, unflatten, reduce, paths."""
import collections
import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Point(NamedTuple):
  x: int
  y: int


tree = {"b": [1, (2, 3)], "a": {"z": None, "y": 4}, "p": Point(5, 6)}
print(jax.tree.leaves(tree))
print(jax.tree.structure(tree))
print(jax.tree.map(lambda leaf: leaf * 10, tree))
print(jax.tree.map(lambda a, b: a + b, [1, (2,)], [10, (20,)]))
leaves, treedef = jax.tree.flatten(tree)
print(len(leaves), treedef.num_leaves, treedef == jax.tree.structure(tree))
print(jax.tree.unflatten(treedef, "uvwxyz"))
print(jax.tree.reduce(lambda a, b: a + b, tree), jax.tree.all([True, {"a": False}]))
print(jax.tree.map(jnp.shape, (jnp.ones(2), [jnp.ones((2, 3))])))
print(jax.tree.leaves([None, 1, None], is_leaf=lambda x: x is None), jax.tree.leaves(None), jax.tree.structure(5))
print(jax.tree_util.tree_map(lambda x: -x, collections.OrderedDict(b=1, a=2)))


@jax.tree_util.register_pytree_node_class
class Box:
  def __init__(self, inside, label):
    self.inside, self.label = inside, label

  def tree_flatten(self):
    return (self.inside,), self.label

  @classmethod
  def tree_unflatten(cls, label, children):
    return cls(children[0], label)


box = jax.tree.map(lambda x: x + 1, Box({"k": 1}, "name"))
print(box.inside, box.label)
try:
  jax.tree.map(lambda a, b: a, [1, 2], [1, 2, 3])
except ValueError as error:
  print("ValueError")
