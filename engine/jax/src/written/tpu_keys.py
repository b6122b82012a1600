"""Keys for the random generators of TPUs."""
import jax


def to_pallas_key(key):
    """A key that kernels draw from. The bits are those of Threefry: the hardware's generator is not simulated."""
    return key if jax.dtypes.issubdtype(key.dtype, jax.dtypes.prng_key) else jax.random.wrap_key_data(key)
