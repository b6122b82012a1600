"""`jaxlib`: what JAX is built on. Programs import it beside JAX; nothing of it is here but its version and the names of MLIR."""
__version__ = "0.10.2"

from jaxlib import version
