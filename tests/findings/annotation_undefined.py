# An annotation is evaluated where it stands, and that is where its mistake is.
# jax: NameError
import jax
from jax.experimental import pallas as pl


def launch(x: jax.Array, kernel: Callable[..., None]) -> Tree:
#                                ^ PL001 error "name 'Callable' is not defined"
#                                                        ^ PL001 error "name 'Tree' is not defined"
    return pl.pallas_call(kernel, out_shape=x)(x)
