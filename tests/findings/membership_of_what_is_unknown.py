# What a missing module says decides nothing: it may be in a tuple, a list, a dictionary, or equal to what is there.
# jax: ModuleNotFoundError
import no_such_company
#^ PL002 warning "no_such_company"
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

platform = no_such_company.platform


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x):
    if platform not in ("gpu", "tpu"):
        raise NotImplementedError(f"not for {platform}")
    if platform in {"gpu": 1}:
        block = 8
    elif platform in ["tpu"]:
        block = 16
    else:
        raise ValueError(f"no block for {platform}")
    if "gpu" not in [platform, "cpu"]:
        raise ValueError("not for a GPU")
    if platform in ():
        return missing_name
    return pl.pallas_call(copy, out_shape=x, interpret=True)(x), block


launch(jnp.ones((8, 128)))
if platform not in []: assert None, "nothing is in what is empty"
#                             ^ PL001 error "nothing is in what is empty"
