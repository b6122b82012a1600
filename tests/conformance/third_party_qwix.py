"""qwix: quantized arrays, products of them, and kernels that take them."""

import functools

import jax
import jax.numpy as jnp
import qwix
import qwix.pallas as qpl
from jax.experimental import pallas as pl


def waves(*shape, dtype=jnp.float32, step=0.37):
    count = 1
    for extent in shape:
        count *= extent
    return jnp.sin(jnp.arange(count) * step).reshape(shape).astype(dtype)


def refused(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


x = waves(4, 8)
for options in (
    dict(),
    dict(channelwise_axes=(0,)),
    dict(tiled_axes={1: 4}),
    dict(channelwise_axes=(0,), tiled_axes={1: 0.5}),
    dict(calibration_method="absmax,0.8"),
    dict(calibration_method="minmax", channelwise_axes=[1]),
    dict(calibration_method="rms,2", tiled_axes={0: 2}),
    dict(calibration_method="fixed,-1,1"),
    dict(calibration_method="fixed,-0.5,1", scale_dtype=jnp.bfloat16),
):
    q = qwix.quantize(x, jnp.int8, **options)
    print(options, q.shape, q.ndim, q.dtype, q.qtype, q.scale_tile_shape, q.zero_point_tile_shape)
    print(q.qvalue[1], q.scale.ravel()[:3], q.zero_point if q.zero_point is None else q.zero_point.ravel())
    print(qwix.dequantize(q)[2])
for qtype in (jnp.int4, "int3", "int6", jnp.float8_e4m3fn, jnp.float8_e5m2):
    q = qwix.quantize(x.astype(jnp.bfloat16), qtype, channelwise_axes=[0])
    print(q.qvalue.dtype, q.qtype, q.scale.dtype, qwix.dequantize(q)[3])
refused(lambda: qwix.quantize(x, jnp.bfloat16))
refused(lambda: qwix.quantize(x, jnp.int8, channelwise_axes=[1], tiled_axes={1: 2}))
refused(lambda: qwix.quantize(x, jnp.int8, tiled_axes={1: 3}))
refused(lambda: qwix.quantize(x, jnp.int8, calibration_method="rms"))
refused(lambda: qwix.quantize(jnp.arange(4), jnp.int8))

q = qwix.quantize(waves(2, 4, 6), jnp.int8, channelwise_axes=[0], tiled_axes={2: 3})
print(jax.tree.map(lambda part: part.shape, q))
for change in (
    lambda q: q.T,
    lambda q: q.mT,
    lambda q: q.swapaxes(0, 1),
    lambda q: q.transpose(2, 0, 1),
    lambda q: q[1],
    lambda q: q[..., None, :],
    lambda q: q[:, 2:],
    lambda q: q[0, :, 4],
    lambda q: q.reshape(2, 2, 2, 6),
    lambda q: q.reshape((2, 4, 3, 2)),
    lambda q: q.reshape(8, 6),
    lambda q: q.astype(jnp.bfloat16),
):
    refused(lambda: jax.tree.map(lambda part: (part.shape, part.dtype), change(q)))

a, b = waves(4, 256), waves(256, 3, step=0.9)
left = qwix.quantize(a, jnp.int8, channelwise_axes=[0])
right = qwix.quantize(b, jnp.int8, channelwise_axes=[1], tiled_axes={0: 128})
narrow = qwix.quantize(b, jnp.int8, tiled_axes={0: 32})
crooked = qwix.quantize(b, jnp.int8, calibration_method="minmax", channelwise_axes=[1])
for lhs, rhs in ((a, right), (left, b), (left, right), (left, narrow), (left, crooked)):
    print(jnp.round(qwix.dot(lhs, rhs), 3)[1])
print(qwix.dot(left, right, preferred_element_type=jnp.bfloat16).dtype)
print(jnp.round(qwix.einsum("ab,bc->ca", left, right), 3)[2])
print(jnp.round(qpl.dot(left, right), 3)[1], jnp.round(qpl.dot(left, narrow), 3)[1])
print(jnp.round(qpl.einsum("ab,bc->ca", left, narrow), 3)[2])
batched = qwix.quantize(waves(2, 4, 8), jnp.int8, channelwise_axes=[0, 1])
numbers = (((2,), (1,)), ((0,), (0,)))
print(jnp.round(qwix.dot_general(batched, waves(2, 8, 3), numbers), 3)[1, 2])
print(jnp.round(qpl.dot_general(batched, qwix.quantize(waves(2, 8, 3), jnp.int8), numbers), 3)[1, 2])

rule = qwix.QtRule(weight_qtype=jnp.int8, act_qtype=jnp.int8, bwd_qtype="float8_e5m2")
print(rule.weight_calibration_method, rule.tile_size, rule.bwd_calibration_method, isinstance(rule, qwix.QuantizationRule))
print(qpl.get_current_rule("dot_general"))


def matmul(x_ref, y_ref, o_ref):
    o_ref[...] += qpl.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


def launch(x, y, bm, bk, bn):
    grid = (x.shape[0] // bm, y.shape[1] // bn, x.shape[1] // bk)

    def kernel(x_ref, y_ref, o_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        matmul(x_ref, y_ref, o_ref)

    return qpl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), jnp.float32),
        grid=grid,
        in_specs=[pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)), pl.BlockSpec((bk, bn), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
        interpret=True,
    )(x, y)


x, y = waves(32, 256), waves(256, 128, step=0.9)
for lhs, rhs in (
    (x, y),
    (qpl.quantize(x, jnp.int8, channelwise_axes=[0]), y),
    (qpl.quantize(x, jnp.int8, channelwise_axes=[0], tiled_axes={1: 64}), qpl.quantize(y, jnp.int8, tiled_axes={0: 64})),
    (qpl.quantize(x, jnp.int8), qpl.quantize(y, jnp.int8, channelwise_axes=[1])),
):
    out = launch(lhs, rhs, 16, 128, 128)
    print(out.shape, jnp.round(out[5, :4], 3), jnp.round(jnp.abs(out).sum(), 1))


def transposed(x_ref, o_ref):
    o_ref[...] = qpl.dequantize(x_ref[...])


spec = pl.BlockSpec((None, 16, 128), lambda g, i: (g, i, 0))
experts = qpl.quantize(waves(4, 32, 128), jnp.int8, channelwise_axes=[0, 1])
out = qpl.pallas_call(
    transposed,
    out_shape=jax.ShapeDtypeStruct((4, 32, 128), jnp.float32),
    grid=(4, 2),
    in_specs=[spec],
    out_specs=spec,
    interpret=True,
)(experts)
print(bool((out == qpl.dequantize(experts)).all()))
