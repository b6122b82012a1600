"""The TPU that a program is traced for, where a mesh without devices names it."""

import jax
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import AbstractDevice, AbstractMesh


def meant(kind, cores=1, platform="tpu"):
    return jax.sharding.use_abstract_mesh(AbstractMesh((), (), abstract_device=AbstractDevice(kind, cores, platform)))


print(pltpu.is_tpu_device())
kinds = ["TPU v2", "TPU v3", "TPU v4", "TPU v4 lite", "TPU v5e", "TPU v5 lite", "TPU v5", "TPU v5p", "TPU v6e", "TPU v6 lite"]
for kind in [*kinds, "TPU7", "TPU7x", "TPU8i"]:
    with meant(kind):
        info = pltpu.get_tpu_info()
        print(kind, pltpu.is_tpu_device(), info.chip_version, info.generation, info.num_cores, info.num_lanes)
        print(info.vmem_capacity_bytes, info.hbm_capacity_bytes, info.sparse_core, info.is_megacore, info.is_split_chip)
with meant("TPU v5p", 2):
    print(pltpu.get_tpu_info().num_cores, pltpu.get_tpu_info().is_megacore)
    print(jax.jit(lambda x: x * pltpu.get_tpu_info().num_lanes)(2))
for kind in ("NVIDIA H100", "cpu"):
    with meant(kind, None, "gpu"):
        print(pltpu.is_tpu_device())
        try:
            pltpu.get_tpu_info()
        except ValueError as error:
            print(error)
