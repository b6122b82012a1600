"""`jax.nn.scaled_dot_general`: a product of operands that are quantised block by block along what is summed over."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
import ml_dtypes
from jax import lax


@dataclasses.dataclass(slots=True)
class BlockScaleConfig:
    """How an operand is quantised."""

    __module__ = "jax._src.cudnn.scaled_matmul_stablehlo"

    mode: str
    block_size: int
    data_type: object
    scale_type: object
    global_scale: object
    infer_only: bool


def get_scaled_dot_general_config(mode, global_scale=None):
    if mode == "nvfp4":
        return BlockScaleConfig(
            mode="nvfp4", block_size=16, data_type=ml_dtypes.float4_e2m1fn, scale_type=ml_dtypes.float8_e4m3fn,
            global_scale=jnp.ones((1,), jnp.float32) if global_scale is None else global_scale, infer_only=False)
    if mode == "mxfp8":
        return BlockScaleConfig(
            mode="mxfp8", block_size=32, data_type=ml_dtypes.float8_e4m3fn, scale_type=ml_dtypes.float8_e8m0fnu, global_scale=None,
            infer_only=False)
    raise ValueError(f"Unsupported mode: {mode}")


def scaled_dot_general(lhs, rhs, dimension_numbers, preferred_element_type=jnp.float32, configs=None,
                       implementation=None):
    if configs is None:
        return lax.dot_general(lhs, rhs, dimension_numbers, preferred_element_type=preferred_element_type)
    if jnp.dtype(preferred_element_type).name not in ("float32", "bfloat16", "float16"):
        raise TypeError("Only support preferred_element_type in (f32, bf16, f16), but got {preferred_element_type}")
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = dimension_numbers
    contract = (tuple(lhs_contract), tuple(rhs_contract))
    batch = [tuple(lhs_batch), tuple(rhs_batch)]
    operands = [lhs, rhs]
    alone = [not dims for dims in batch]
    for i in range(2):
        if alone[i]:
            batch[i] = (operands[i].ndim,)
            operands[i] = jnp.expand_dims(operands[i], operands[i].ndim)
    out = _product(*operands, (contract, tuple(batch)), preferred_element_type, configs)
    return jnp.squeeze(out, axis=0) if any(alone) else out


def _kept(x, contract, batch):
    return [d for d in range(x.ndim) if d not in contract and d not in batch]


def _matrices(x, contract, batch):
    """Batch, rows, and what is summed over, each as one dimension."""
    groups = [sorted(batch), _kept(x, contract, batch), sorted(contract)]
    shape = []
    for group in groups:
        extent = 1
        for dim in group:
            extent *= x.shape[dim]
        shape.append(extent)
    return jnp.reshape(jnp.transpose(x, [dim for group in groups for dim in group]), shape)


def _powers_of_two(x):
    """The exponents of float8_e8m0fnu, rounded up."""
    bits = x.astype(jnp.float32).view(jnp.uint32)
    exponent, rest = bits >> 23, bits & 0x7FFFFF
    up = (rest > 0) & (exponent != 0xFE) & ~((exponent == 0) & (rest <= 0x400000))
    return jnp.where(up, exponent + 1, exponent).astype(jnp.uint8)


def _from_exponents(exponents, dtype):
    value = (exponents.astype(jnp.uint32) << 23).view(jnp.float32)
    least = 2.0**-15 if dtype == jnp.float16 else 2.0**-127
    return jnp.where(value == 0, jnp.array(least, jnp.float32), value).astype(dtype)


def _quantised(x, config):
    block, extent = config.block_size, x.shape[-1]
    assert extent >= block and extent % block == 0
    blocks = x.reshape(*x.shape[:-1], extent // block, block)
    highest = jnp.finfo(config.data_type).max.astype(x.dtype)

    def scales_of(values):
        return jnp.max(jnp.abs(values), axis=-1, keepdims=True) / highest

    if config.mode == "mxfp8":
        assert config.global_scale is None
        scales = _powers_of_two(scales_of(blocks))
        scaled = blocks / _from_exponents(scales, x.dtype)
    elif config.mode == "nvfp4":
        assert config.global_scale.dtype == jnp.float32
        blocks = blocks / config.global_scale
        most = jnp.finfo(config.scale_type).max.astype(x.dtype)
        scales = jnp.clip(scales_of(blocks), 0, most).astype(config.scale_type)
        scaled = blocks / scales.astype(jnp.float32)
    else:
        raise ValueError(f"Unrecognized mode: {config.mode}.")
    values = jnp.clip(scaled, -highest, highest).astype(config.data_type)
    return values.reshape(x.shape), jnp.reshape(scales, scales.shape[:-1]).view(config.scale_type)


def _quantised_product(lhs, rhs, lhs_config, rhs_config, dtype):
    lhs, lhs_scales = _quantised(lhs, lhs_config)
    rhs, rhs_scales = _quantised(rhs, rhs_config)
    return jax.nn.scaled_matmul(lhs, rhs, lhs_scales, rhs_scales, dtype)


def _out_shape(lhs, rhs, contract, batch):
    return ([lhs.shape[d] for d in range(lhs.ndim) if d in batch[0]]
            + [lhs.shape[d] for d in _kept(lhs, contract[0], batch[0])]
            + [rhs.shape[d] for d in _kept(rhs, contract[1], batch[1])])


def _forward(lhs, rhs, dimension_numbers, dtype, configs):
    contract, batch = dimension_numbers
    dtype = jnp.result_type(lhs, rhs) if dtype is None else jnp.dtype(dtype)
    fine = configs[0].mode == "nvfp4"
    out = _quantised_product(
        _matrices(lhs, contract[0], batch[0]), _matrices(rhs, contract[1], batch[1]), configs[0], configs[1],
        jnp.float32 if fine else dtype)
    if fine:
        out = (out * (configs[0].global_scale * configs[1].global_scale)).astype(dtype)
    return jnp.reshape(out, _out_shape(lhs, rhs, contract, batch))


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3, 4))
def _product(lhs, rhs, dimension_numbers, dtype, configs):
    return _forward(lhs, rhs, dimension_numbers, dtype, configs)


def _product_forward(lhs, rhs, dimension_numbers, dtype, configs):
    return _forward(lhs, rhs, dimension_numbers, dtype, configs), (lhs, rhs)


def _cotangent(g, x, y, dimension_numbers, dtype, configs, swapped):
    """The cotangent of `x`, from that of the product of `x` and `y` (of `y` and `x`, where they are swapped)."""
    (x_contract, y_contract), (x_batch, y_batch) = dimension_numbers
    x_kept, y_kept = _kept(x, x_contract, x_batch), _kept(y, y_contract, y_batch)
    g_batch = tuple(range(len(x_batch)))
    first = len(g_batch) if swapped else len(g_batch) + len(x_kept)
    g_contract = tuple(range(first, first + len(y_kept)))
    by_y = [x_contract[i] for i in sorted(range(len(y_contract)), key=lambda i: y_contract[i])]
    order = [*x_batch, *x_kept, *by_y]
    g_matrices, y_matrices = _matrices(g, g_contract, g_batch), _matrices(y, tuple(y_kept), y_batch)
    if configs[0].mode == "nvfp4":
        out = jnp.matmul(g_matrices, jnp.permute_dims(y_matrices, (0, 2, 1)), preferred_element_type=dtype)
    else:
        out = _quantised_product(g_matrices, y_matrices, *configs, dtype)
    out = jnp.reshape(out, _out_shape(g, y, (g_contract, tuple(y_kept)), (g_batch, y_batch)))
    return jnp.transpose(out, sorted(range(len(order)), key=lambda i: order[i]))


def _product_backward(dimension_numbers, dtype, configs, kept, g):
    lhs, rhs = kept
    contract, batch = dimension_numbers
    lhs_bar = _cotangent(g, lhs, rhs, dimension_numbers, dtype, [configs[2], configs[1]], False)
    rhs_bar = _cotangent(g, rhs, lhs, (contract[::-1], batch[::-1]), dtype, [configs[2], configs[0]], True)
    if configs[2].mode == "nvfp4":
        # What was clipped on the way there has no gradient.
        most = (jnp.finfo(configs[0].data_type).max.astype(lhs.dtype)
                * jnp.finfo(configs[0].scale_type).max.astype(lhs.dtype))
        lhs_bar = jnp.where(jnp.abs(lhs) <= configs[0].global_scale * most, lhs_bar, 0)
        rhs_bar = jnp.where(jnp.abs(rhs) <= configs[1].global_scale * most, rhs_bar, 0)
    return lhs_bar, rhs_bar


_product.defvjp(_product_forward, _product_backward)
