"""`jax.export`: functions for arguments of some types, called later, with their derivatives."""
import jax
import jax.numpy as jnp
from jax import export
from jax.experimental import pallas as pl


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0


@jax.jit
def double(x):
    return pl.pallas_call(double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


def refused(what, call):
    try:
        call()
    except Exception as error:
        print(what, type(error).__name__, error)


exported = export.export(double)(jax.ShapeDtypeStruct((2, 4), jnp.float32))
print(exported.fun_name, exported.in_avals, exported.out_avals)
print(exported.in_tree)
print(exported.out_tree)
print(exported.platforms, exported.nr_devices, exported.calling_convention_version)
print(exported.ordered_effects, exported.unordered_effects, exported.disabled_safety_checks)
print(str(exported))
print(exported.call(jnp.arange(8.0).reshape(2, 4)))
print(jax.jit(exported.call)(jnp.ones((2, 4))))

refused("shape", lambda: exported.call(jnp.ones((2, 5))))
refused("rank", lambda: exported.call(jnp.ones(8)))
refused("dtype", lambda: exported.call(jnp.ones((2, 4), jnp.int32)))
refused("structure", lambda: exported.call((jnp.ones((2, 4)), jnp.ones((2, 4)))))
refused("not jitted", lambda: export.export(len))


@jax.jit
def parts(tree, *, scale):
    return {"sum": tree["a"] + tree["b"] * scale, "product": (tree["a"] * tree["b"],)}


given = {"a": jnp.arange(3.0), "b": jnp.ones(3)}
exported = export.export(parts)(given, scale=jnp.float32(2.0))
print(exported.fun_name, exported.in_avals, exported.out_avals)
print(exported.call(given, scale=jnp.float32(3.0)))
refused("keyword", lambda: exported.call(given, scale=jnp.ones(3)))
refused("in a tree", lambda: exported.call({"a": jnp.arange(4.0), "b": jnp.ones(4)}, scale=jnp.float32(3.0)))


@jax.jit
def smooth(x, y):
    return jnp.sin(x) * y


exported = export.export(smooth)(jnp.ones(2), jnp.ones(2))
backward = exported.vjp()
print(exported.has_vjp(), backward.in_avals, backward.out_avals)
print(backward.call(jnp.zeros(2), jnp.full(2, 3.0), jnp.ones(2)))
print(jax.grad(lambda x: exported.call(x, jnp.ones(2)).sum())(jnp.zeros(2)))

elsewhere = export.export(smooth, platforms=["tpu"])(jnp.ones(2), jnp.ones(2))
print(elsewhere.platforms)
refused("platform", lambda: elsewhere.call(jnp.ones(2), jnp.ones(2)))
both = export.export(smooth, platforms=("cpu", "tpu"))(jnp.ones(2), jnp.ones(2))
print(both.platforms, both.call(jnp.ones(2), jnp.zeros(2)))

check = export.DisabledSafetyCheck.custom_call("tpu_custom_call")
print(check, check == export.DisabledSafetyCheck("custom_call:tpu_custom_call"), check.is_custom_call())
print(export.DisabledSafetyCheck.platform(), export.DisabledSafetyCheck.platform().is_custom_call())
print(export.minimum_supported_calling_convention_version, export.maximum_supported_calling_convention_version)
print(export.default_export_platform(), jax.export is export)
rows, columns, fixed = export.symbolic_shape("rows, columns, 8")
print(rows, columns, fixed, export.is_symbolic_dim(rows), export.is_symbolic_dim(fixed), rows == columns)
