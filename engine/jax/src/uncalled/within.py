"""Calls a function on the devices of a mesh, each with the same arrays: where its collectives find the axes that they ask for."""

import jax
from jax.sharding import PartitionSpec


def within(f, axes, args, kwargs):
  mesh = jax.sharding.AbstractMesh((2,) * len(axes), axes)
  is_array = lambda a: hasattr(a, "dtype") and hasattr(a, "shape")
  arrays = [a for a in args if is_array(a)]
  names = [name for name, a in kwargs.items() if is_array(a)]

  def shard(given, named):
    given = iter(given)
    return f(*[next(given) if is_array(a) else a for a in args], **{**kwargs, **dict(zip(names, named))})

  mapped = jax.shard_map(shard, mesh=mesh, in_specs=PartitionSpec(), out_specs=PartitionSpec(), check_vma=False)
  return mapped(arrays, [kwargs[name] for name in names])


def under(f, axes, args, kwargs):
  with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((2,) * len(axes), axes)):
    return f(*args, **kwargs)
