# Private modules of JAX are there in JAX: that the workbench lacks them is not said to be the program's mistake.
# jax: runs
import jax
import jax._src.lib as lib
#^ PL005 warning "`jax._src.lib` is not provided by Pallas Workbench yet"
from jax._src import test_multiprocess
#^ PL005 warning "`jax._src.test_multiprocess` is not provided by Pallas Workbench yet"
from jax.experimental.mosaic import gpu as mgpu

layout = mgpu.WGMMAAccumulator
#        ^ PL005 warning "WGMMAAccumulator"
version = lib.version
