# Private modules of JAX are there in JAX: that the workbench lacks them is not said to be the program's mistake.
# jax: runs
import jax
import jax._src.cloud_tpu_init as init
#^ PL005 warning "`jax._src.cloud_tpu_init` is not provided by Pallas Workbench yet"
from jax._src import test_multiprocess
#^ PL005 warning "`jax._src.test_multiprocess` is not provided by Pallas Workbench yet"
from jax.experimental.mosaic import gpu as mgpu

layout = mgpu.WGMMAAccumulator
#        ^ PL005 warning "WGMMAAccumulator"
is_there = init.running_in_cloud_tpu_vm
from jax._src import api_util

information = api_util.fun_sourceinfo
#             ^ PL005 warning "`jax._src.api_util.fun_sourceinfo` is not provided by Pallas Workbench yet"
