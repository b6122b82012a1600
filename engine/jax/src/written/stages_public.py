"""`jax.stages`: the classes of functions that were traced, lowered or compiled."""
from jax._src.stages import Compiled, Lowered, Stage, Traced, Wrapped
