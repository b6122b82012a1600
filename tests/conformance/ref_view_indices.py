"""What a part of a Ref says of its index, and slices made from Python's."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    print(hasattr(x_ref, "transforms"))
    for part in (x_ref.at[2:6:2, pl.ds(8, 4)], x_ref.at[-4:], x_ref.at[3, :], x_ref.at[pl.ds(pl.program_id(0), 2)]):
        (index,) = part.transforms
        rows, columns = index.indices
        kinds = [isinstance(entry, pl.Slice) for entry in (rows, columns)]
        static = [isinstance(entry, pl.Slice) and not entry.is_dynamic_start for entry in (rows, columns)]
        print(part.shape, kinds, static, part.ref.shape, columns)
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 16))
pl.pallas_call(kernel, out_shape=x, interpret=True, grid=(2,))(x)
print(pl.Slice.from_slice(slice(None), 64), pl.Slice.from_slice(slice(-32, None, 2), 64))
try:
    pl.Slice.from_slice(slice(None, None, -1), 4)
except ValueError as error:
    print("ValueError:", error)
