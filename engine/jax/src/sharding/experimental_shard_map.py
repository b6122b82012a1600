"""`jax.experimental.shard_map`"""

from jax._src.shard_map import experimental_shard_map as shard_map
