"""Specs are dataclasses: `dataclasses.replace` makes one from another."""
import dataclasses

import jax.numpy as jnp
from jax.experimental import pallas as pl


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


rows = pl.BlockSpec((2, 4), lambda i: (i, 0))
turned = dataclasses.replace(rows, index_map=lambda i: (3 - i, 0))
wide = dataclasses.replace(rows, block_shape=(4, 4), pipeline_mode=pl.Buffered(1))
print([field.name for field in dataclasses.fields(rows)], dataclasses.is_dataclass(pl.BlockSpec))
print(turned.block_shape, turned.index_map(1), wide.block_shape, wide.pipeline_mode, wide.index_map(1))
print(dataclasses.replace(pl.Element(8, (1, 2)), block_size=16), dataclasses.replace(pl.Buffered(2), use_lookahead=True))
x = jnp.arange(32.0).reshape(8, 4)
for spec, count in ((dataclasses.replace(turned), 4), (wide, 2)):
    out = pl.pallas_call(
        double, out_shape=x, grid=(count,), in_specs=[spec], out_specs=dataclasses.replace(wide if count == 2 else rows),
        interpret=True,
    )(x)
    print(out[:, 0])
