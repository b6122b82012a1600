# Code that runs asynchronously is not run here, and is no mistake; nor are names of frameworks that the workbench has in part.
# jax: not run
import asyncio
import hypothesis.strategies as st
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.pallas import mosaic_gpu as plgpu

names = st.from_regex(r"[a-z]+")
#       ^ PL005 warning "`hypothesis.strategies.from_regex` is not provided"
lengths = st.no_such_strategy()
#         ^ PL312 error "has no attribute 'no_such_strategy'"
params = plgpu.CompilerParams(lowering_semantics=mgpu.LoweringSemantics.Lane)


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


async def requests(queue):
    async with queue as items:
        async for item in items:
            yield item


async def serve(queue):
    rows = pl.BlockSpec((2, 128), lambda i: (i, 0))
#                                 ^ PL120 error "lies outside"
    async for x in requests(queue):
        await queue.put(x)
    together = [x async for x in requests(queue) if x is not None]
    call = pl.pallas_call(copy, grid=(5,), in_specs=[rows], out_specs=rows, out_shape=jnp.ones((8, 128)), interpret=True)
    return call(jnp.ones((8, 128))), together


def not_here(queue):
    async with queue: pass
#   ^ PL000 error "'async with' outside async function"


if __name__ == "__main__":
    asyncio.run(serve(asyncio.Queue()))
