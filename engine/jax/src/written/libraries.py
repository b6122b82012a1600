"""`jax._src.lib`: of the libraries that JAX is built on, what JAX's own kernels ask for: the versions of CUDA's parts, as of a
GPU that the workbench generates code for.
"""


class _CudaVersions:
    def cuda_runtime_get_version(self):
        return 13000

    def cuda_driver_get_version(self):
        return 13000


cuda_versions = _CudaVersions()
