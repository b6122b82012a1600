"""Functions on several devices; here there is one."""

import jax


def shard_map(f, *args, **kwargs):
    return jax.shard_map(f, *args, **kwargs)
