"""`jax.experimental.pallas.fuser`: the class of what is fused, for programs that ask whether an argument is one. Fusing into kernels
is not provided.
"""
import dataclasses

import jax


def _refusal(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"jax.experimental.pallas.fuser.{name} is not provided by the workbench")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


@dataclasses.dataclass(frozen=True)
class Fusion:
    """A function that is computed where its value is wanted."""

    __module__ = "jax._src.pallas.fuser.fusion"

    func: object
    in_type: object
    out_type: object
    strict_mode: bool = True

    def __class_getitem__(cls, item):
        return cls

    def __call__(self, *args, **kwargs):
        return self.func(*args, **kwargs)

    @property
    def shape(self):
        return jax.tree.map(lambda x: x.shape, self.out_type)

    @property
    def dtype(self):
        return jax.tree.map(lambda x: x.dtype, self.out_type)

    @property
    def type(self):
        return self.out_type

    @property
    def in_shape(self):
        return jax.tree.map(lambda x: x.shape, self.in_type)

    @property
    def in_dtype(self):
        return jax.tree.map(lambda x: x.dtype, self.in_type)


custom_fusion = _refusal("custom_fusion")
evaluate = _refusal("evaluate")
fuse = _refusal("fuse")
fusible = _refusal("fusible")
get_fusion_values = _refusal("get_fusion_values")
get_stateful_input_fusion_values = _refusal("get_stateful_input_fusion_values")
get_stateful_output_fusion_values = _refusal("get_stateful_output_fusion_values")
make_scalar_prefetch_handler = _refusal("make_scalar_prefetch_handler")
pull_block_spec = _refusal("pull_block_spec")
push_block_spec = _refusal("push_block_spec")
