"""`auto_axes` and `explicit_axes`: functions around which the axes of the mesh change their types. Arrays are never divided here,
so that all there is to do is to name the mesh inside and the sharding of what goes in or comes out."""

import functools

import jax
from jax._src.mesh import AbstractMesh, AxisType, get_abstract_mesh, use_abstract_mesh
from jax._src.shardings import NamedSharding, reshard


def _given(own, kwargs, name):
    if own is not None:
        return own
    if name not in kwargs:
        raise TypeError(f"Missing required keyword argument: '{name}'")
    return kwargs.pop(name)


def _inside(axes, kind, shardings=None):
    """The mesh around, or else that of the shardings, with axes of this kind; None without a mesh."""
    mesh = get_abstract_mesh()
    named = [each.mesh.abstract_mesh for each in jax.tree.leaves(shardings) if isinstance(each, NamedSharding)]
    if mesh.empty and named:
        mesh = named[0]
    if mesh.empty:
        return None
    axes = mesh.axis_names if axes is None else axes if isinstance(axes, tuple) else (axes,)
    kinds = [kind if name in axes else old for name, old in zip(mesh.axis_names, mesh.axis_types)]
    return AbstractMesh(mesh.axis_sizes, mesh.axis_names, tuple(kinds))


def auto_axes(f=None, /, *, axes=None, out_sharding=None):
    if f is None:
        return lambda g: auto_axes(g, axes=axes, out_sharding=out_sharding)

    @functools.wraps(f)
    def decorator(*args, **kwargs):
        target = _given(out_sharding, kwargs, "out_sharding")
        mesh = _inside(axes, AxisType.Auto, target)
        if mesh is None:
            return f(*args, **kwargs)
        with use_abstract_mesh(mesh):
            out = f(*args, **kwargs)
        return reshard(out, target)

    return decorator


def explicit_axes(f=None, /, *, axes=None, in_sharding=None):
    if f is None:
        return lambda g: explicit_axes(g, axes=axes, in_sharding=in_sharding)

    @functools.wraps(f)
    def decorator(*args, **kwargs):
        target = _given(in_sharding, kwargs, "in_sharding")
        mesh = _inside(axes, AxisType.Explicit)
        if mesh is None:
            raise ValueError(
                "Context mesh cannot be empty. Please use `jax.set_mesh` API to enter into a mesh context when using "
                "`explicit_axes` API."
            )
        with use_abstract_mesh(mesh):
            return f(*reshard(args, target), **kwargs)

    return decorator
