"""`jax.export`: a function for arguments of some types, to be called later. There is no compiler behind it, so that it is kept
as the function that it is: it cannot be written to bytes, and the types that it is for have numbers for dimensions.
"""
import re

import jax
import numpy as np
from jax._src.export.shape_poly import SymbolicScope, is_symbolic_dim, symbolic_args_specs, symbolic_shape

__all__ = [
    "DisabledSafetyCheck", "Exported", "export", "deserialize", "register_pytree_node_serialization",
    "register_namedtuple_serialization", "maximum_supported_calling_convention_version",
    "minimum_supported_calling_convention_version", "default_export_platform", "SymbolicScope", "is_symbolic_dim",
    "symbolic_shape", "symbolic_args_specs",
]

minimum_supported_calling_convention_version = 9
maximum_supported_calling_convention_version = 10


def _not_provided(what):
    raise NotImplementedError(f"{what} is not provided by the workbench, which has no compiler: call the function itself")


class DisabledSafetyCheck:
    """A check that is left out when a function is exported."""

    __module__ = "jax._src.export._export"

    @classmethod
    def platform(cls):
        return DisabledSafetyCheck("platform")

    @classmethod
    def custom_call(cls, target_name):
        return DisabledSafetyCheck(f"custom_call:{target_name}")

    def __init__(self, _impl):
        self._impl = _impl

    def is_custom_call(self):
        found = re.match(r"custom_call:(.+)$", self._impl)
        return found.group(1) if found else None

    def __repr__(self):
        return self._impl

    __str__ = __repr__

    def __eq__(self, other):
        return isinstance(other, DisabledSafetyCheck) and self._impl == other._impl

    def __hash__(self):
        return hash(self._impl)


class Exported:
    """A function for arguments of some types."""

    __module__ = "jax._src.export._export"

    def __init__(self, name, function, in_tree, in_avals, out_tree, out_avals, platforms, disabled_checks):
        self._function = function
        self.fun_name = name
        self.in_tree, self.in_avals = in_tree, in_avals
        self.out_tree, self.out_avals = out_tree, out_avals
        self.platforms = platforms
        self.disabled_safety_checks = disabled_checks
        self.nr_devices = 1
        self.ordered_effects = self.unordered_effects = ()
        self.calling_convention_version = maximum_supported_calling_convention_version
        self.uses_global_constants = len(platforms) > 1

    def __str__(self):
        return f"Exported(fun_name={self.fun_name}, ...)"

    __repr__ = __str__

    @property
    def mlir_module_serialized(self):
        _not_provided("the program that a compiler is given")

    def mlir_module(self, serialized=True):
        _not_provided("the program that a compiler is given")

    def serialize(self, vjp_order=0):
        _not_provided("an exported function as bytes")

    def in_shardings_jax(self, mesh):
        return (None,) * len(self.in_avals)

    def out_shardings_jax(self, mesh):
        return (None,) * len(self.out_avals)

    def has_vjp(self):
        return True

    def vjp(self):
        """The function from the arguments and the cotangents of the results to those of the arguments, all of them flat."""
        count = len(self.in_avals)

        def flat(*args):
            args, kwargs = self.in_tree.unflatten(args)
            return jax.tree.leaves(self._function(*args, **kwargs))

        def fun_vjp_jax(*args_and_out_cts):
            primals, cotangents = args_and_out_cts[:count], args_and_out_cts[count:]
            gradients = jax.vjp(flat, *primals)[1](list(cotangents))
            return tuple(
                jax.lax.convert_element_type(gradient, aval.dtype) if gradient.dtype == aval.dtype else gradient
                for gradient, aval in zip(gradients, self.in_avals))

        types = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in (*self.in_avals, *self.out_avals)]
        return export(jax.jit(fun_vjp_jax), platforms=self.platforms, disabled_checks=self.disabled_safety_checks)(*types)

    def call(self, *args, **kwargs):
        flat, tree = jax.tree.flatten((args, kwargs))
        if tree != self.in_tree:
            self._other_structure(tree)
        for number, (expected, given) in enumerate(zip(self.in_avals, flat)):
            self._check(number, expected, jax.typeof(given))
        here = default_export_platform()
        if here not in self.platforms and DisabledSafetyCheck.platform() not in self.disabled_safety_checks:
            raise ValueError(
                f"Function '{self.fun_name}' was exported for platforms '{self.platforms}' but it is used on '{(here,)}'.")
        return self._function(*args, **kwargs)

    def _check(self, number, expected, given):
        if len(expected.shape) != len(given.shape):
            raise ValueError(
                f"Rank mismatch for {self._place(number)}: expected {expected.shape} and called with {given.shape}")
        if expected.dtype != given.dtype:
            raise ValueError(
                f"Dtype mismatch for {self._place(number)}: expected {expected.dtype} and called with {given.dtype}")
        for dim, (wanted, extent) in enumerate(zip(expected.shape, given.shape)):
            if wanted != extent:
                raise ValueError(
                    f"Shape mismatch for {self._place(number)}.shape[{dim}] (expected same constant): "
                    f"expected {expected.shape} and called with {given.shape}")

    def _place(self, number):
        paths, _ = jax.tree_util.tree_flatten_with_path(self.in_tree.unflatten([0] * self.in_tree.num_leaves))
        return _path(paths[number][0])

    def _other_structure(self, tree):
        def kind(text):
            return "<class 'int'>" if text == "pytree leaf" else text

        def place(path):
            return path.replace("[0]", "args", 1) if path.startswith("[0]") else path.replace("[1]", "kwargs", 1)

        lines = [
            f"   - {place(path)} is a {kind(one)} in the invocation and a {kind(other)} when exported, so {why}.\n"
            for path, one, other, why in jax.tree_util._structural_differences(tree, self.in_tree)
        ]
        raise ValueError(
            "The invocation args and kwargs must have the same pytree structure as when the function "
            f"'{self.fun_name}' was exported, but they have the following structural differences:\n" + "\n".join(lines))


def _path(path):
    """Where a leaf of `(args, kwargs)` is."""
    if not path:
        return "args"
    return ("args" if path[0].idx == 0 else "kwargs") + jax.tree_util.keystr(tuple(path[1:]))


def default_export_platform():
    backend = jax.default_backend()
    return "cuda" if backend == "gpu" else backend


def export(fun_jit, *, platforms=None, disabled_checks=(), _override_lowering_rules=None):
    if not (hasattr(fun_jit, "trace") and hasattr(fun_jit, "lower")):
        raise ValueError(f"Function to be exported must be the result of `jit` but is: {fun_jit}")

    def do_export(*args_specs, **kwargs_specs):
        traced = fun_jit.trace(*args_specs, **kwargs_specs)
        function, args, kwargs = traced._call
        leaves, in_tree = jax.tree.flatten((tuple(args), kwargs))
        results, out_tree = jax.tree.flatten(traced.out_info)
        name = getattr(fun_jit, "__name__", "<unnamed function>")
        actual = tuple(platforms) if platforms is not None else (default_export_platform(),)
        in_avals, out_avals = tuple(map(_aval, leaves)), tuple(map(_aval, results))
        return Exported(name, function, in_tree, in_avals, out_tree, out_avals, actual, disabled_checks)

    return do_export


def _aval(value):
    """The type of an argument, or of what stands for one."""
    if isinstance(value, jax.ShapeDtypeStruct):
        return jax.core.ShapedArray(value.shape, value.dtype, weak_type=value.weak_type)
    return jax.typeof(value)


def deserialize(blob):
    _not_provided("reading an exported function from bytes")


def register_pytree_node_serialization(
        nodetype, *, serialized_name, serialize_auxdata, deserialize_auxdata, from_children=None):
    return nodetype


def register_namedtuple_serialization(nodetype, *, serialized_name):
    return nodetype
