"""chex: assertions about arrays and trees, and dataclasses that are trees."""

import dataclasses as _dataclasses
from typing import Any, Callable, Mapping, Sequence, Union

import jax as _jax
import jax.numpy as _jnp
import numpy as _np

Array = _jax.Array
ArrayDevice = _jax.Array
ArrayNumpy = _np.ndarray
ArraySharded = _jax.Array
ArrayTree = Any
ArrayDeviceTree = Any
ArrayNumpyTree = Any
Device = Any
Numeric = Union[Array, int, float]
PRNGKey = _jax.Array
Scalar = Union[float, int]
Shape = Sequence[Union[int, Any]]
CpuDevice = GpuDevice = TpuDevice = Any


def _fail(name, message, custom_message=None):
    raise AssertionError(f"[Chex] Assertion {name} failed: {custom_message + ': ' if custom_message else ''}{message}")


def _each(inputs):
    return list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]


def _shapes_match(shape, expected):
    shape, expected = tuple(shape), list(expected)
    if Ellipsis in expected:
        at = expected.index(Ellipsis)
        before, after = expected[:at], expected[at + 1 :]
        if len(shape) < len(before) + len(after):
            return False
        expected = before + after
        shape = shape[: len(before)] + shape[len(shape) - len(after) :]
    if len(shape) != len(expected):
        return False
    for length, wanted in zip(shape, expected):
        if wanted is None:
            continue
        if isinstance(wanted, (set, frozenset)):
            if length not in wanted:
                return False
        elif length != wanted:
            return False
    return True


def assert_shape(inputs, expected_shapes, custom_message=None):
    """Fails unless the shapes are these; `None` and `...` stand for any lengths."""
    arrays = _each(inputs)
    expected = expected_shapes
    if not isinstance(expected, list) or not any(isinstance(item, (list, tuple)) for item in expected):
        expected = [expected] * len(arrays)
    if len(expected) != len(arrays):
        _fail("assert_shape", f"Length of `inputs` and `expected_shapes` must match: {len(arrays)} is not equal to "
              f"{len(expected)}.", custom_message)
    wrong = [
        f"input {index} has shape {tuple(_jnp.shape(array))} but expected {wanted}"
        for index, (array, wanted) in enumerate(zip(arrays, expected))
        if not _shapes_match(_jnp.shape(array), wanted)
    ]
    if wrong:
        _fail("assert_shape", f"Error in shape compatibility check: {'; '.join(wrong)}.", custom_message)


def assert_rank(inputs, expected_ranks, custom_message=None):
    """Fails unless the ranks are these."""
    arrays = _each(inputs)
    expected = expected_ranks
    if not isinstance(expected, (list, tuple)):
        expected = [expected] * len(arrays)
    wrong = []
    for index, (array, wanted) in enumerate(zip(arrays, expected)):
        ranks = wanted if isinstance(wanted, (set, frozenset, list, tuple)) else {wanted}
        shape = tuple(_jnp.shape(array))
        if len(shape) not in ranks:
            wrong.append(f"input {index} has rank {len(shape)} (shape {shape}) but expected {wanted}")
    if wrong:
        _fail("assert_rank", f"Error in rank compatibility check: {'; '.join(wrong)}.", custom_message)


def assert_equal_shape(inputs, *, dims=None, custom_message=None):
    """Fails unless all shapes are the same."""
    shapes = [tuple(_jnp.shape(array)) for array in inputs]
    if dims is not None:
        at = [dims] if isinstance(dims, int) else dims
        compared = [tuple(shape[index] for index in at) for shape in shapes]
    else:
        compared = shapes
    if any(shape != compared[0] for shape in compared):
        _fail("assert_equal_shape", f"Arrays have different shapes: {shapes}.", custom_message)


def assert_equal_rank(inputs, custom_message=None):
    """Fails unless all ranks are the same."""
    shapes = [tuple(_jnp.shape(array)) for array in inputs]
    if len({len(shape) for shape in shapes}) > 1:
        _fail("assert_equal_rank", f"Arrays have different rank: {shapes}.", custom_message)


def assert_axis_dimension(tensor, axis, expected, custom_message=None):
    """Fails unless an axis has this length."""
    shape = tuple(_jnp.shape(tensor))
    if axis >= len(shape) or axis < -len(shape):
        _fail("assert_axis_dimension", f"Expected tensor to have dim {expected} on axis {axis} but axis '{axis}' not "
              f"available: tensor rank is '{len(shape)}'.", custom_message)
    if shape[axis] != expected:
        _fail("assert_axis_dimension", f" Expected tensor to have dimension equal to '{expected}' on axis '{axis}' but "
              f"got '{shape[axis]}' instead.", custom_message)


def assert_type(inputs, expected_types, custom_message=None):
    """Fails unless the dtypes are of these kinds."""
    arrays = _each(inputs)
    expected = expected_types if isinstance(expected_types, (list, tuple)) else [expected_types] * len(arrays)
    for index, (array, wanted) in enumerate(zip(arrays, expected)):
        dtype = _jnp.asarray(array).dtype
        kind = {float: _jnp.floating, int: _jnp.integer, bool: _jnp.bool_}.get(wanted)
        fits = _jnp.issubdtype(dtype, kind) if kind is not None else dtype == _jnp.dtype(wanted)
        if not fits:
            _fail("assert_type", f"Error in type compatibility check: input {index} has type {dtype} but expected "
                  f"{wanted}.", custom_message)


def assert_equal(first, second, custom_message=None):
    """Fails unless both are equal."""
    if not first == second:
        _fail("assert_equal", f"{first} != {second}", custom_message)


def assert_is_divisible(numerator, denominator, custom_message=None):
    """Fails unless the division leaves nothing."""
    if numerator % denominator != 0:
        _fail("assert_is_divisible", f"{numerator} is not divisible by {denominator}.", custom_message)


def assert_scalar(x, custom_message=None):
    """Fails unless it is a number."""
    if not isinstance(x, (int, float)) and not (hasattr(x, "shape") and x.shape == ()):
        _fail("assert_scalar", f"The argument {x} must be a scalar, got {type(x)}.", custom_message)


def assert_scalar_positive(x, custom_message=None):
    """Fails unless it is a number above zero."""
    assert_scalar(x, custom_message)
    if x <= 0:
        _fail("assert_scalar_positive", f"The argument must be positive, got {x}.", custom_message)


def assert_not_none(x, custom_message=None):
    """Fails on None."""
    if x is None:
        _fail("assert_not_none", "Found an entry that is None.", custom_message)


def assert_exactly_one_is_none(first, second, custom_message=None):
    """Fails unless one of both is None."""
    if (first is None) == (second is None):
        _fail("assert_exactly_one_is_none", f"One and exactly one of inputs should be `None`, got {first} and {second}.",
              custom_message)


def assert_tree_all_finite(tree_like, custom_message=None):
    """Fails on infinities and NaN."""
    for leaf in _jax.tree_util.tree_leaves(tree_like):
        if not bool(_jnp.all(_jnp.isfinite(leaf))):
            _fail("assert_tree_all_finite", "Tree contains non-finite value.", custom_message)


def _leaves(name, trees):
    first, *others = trees
    structure = _jax.tree_util.tree_structure(first)
    for other in others:
        if _jax.tree_util.tree_structure(other) != structure:
            _fail(name, "Error in tree structs equality check: the trees differ.")
    return zip(*(_jax.tree_util.tree_leaves(tree) for tree in trees))


def assert_trees_all_equal_shapes(*trees, custom_message=None):
    """Fails unless the trees have leaves of the same shapes."""
    for leaves in _leaves("assert_trees_all_equal_shapes", trees):
        if len({tuple(_jnp.shape(leaf)) for leaf in leaves}) > 1:
            _fail("assert_trees_all_equal_shapes", f"Shapes differ: {[_jnp.shape(leaf) for leaf in leaves]}.")


def assert_trees_all_equal_shapes_and_dtypes(*trees, custom_message=None):
    """Fails unless the trees have leaves of the same shapes and dtypes."""
    assert_trees_all_equal_shapes(*trees)
    for leaves in _leaves("assert_trees_all_equal_dtypes", trees):
        if len({str(_jnp.asarray(leaf).dtype) for leaf in leaves}) > 1:
            _fail("assert_trees_all_equal_dtypes", f"Dtypes differ: {[_jnp.asarray(leaf).dtype for leaf in leaves]}.")


def assert_trees_all_equal(*trees, strict=False, custom_message=None):
    """Fails unless the trees have equal leaves."""
    for first, *others in _leaves("assert_trees_all_equal", trees):
        for other in others:
            _np.testing.assert_array_equal(_np.asarray(first), _np.asarray(other))


def assert_trees_all_close(*trees, rtol=1e-6, atol=0.0, custom_message=None):
    """Fails unless the trees have leaves that are close."""
    for first, *others in _leaves("assert_trees_all_close", trees):
        for other in others:
            _np.testing.assert_allclose(_np.asarray(first), _np.asarray(other), rtol=rtol, atol=atol)



def assert_tree_shape_prefix(tree, shape_prefix, custom_message=None):
    """Fails unless every leaf's shape begins so."""
    for leaf in _jax.tree_util.tree_leaves(tree):
        if tuple(_jnp.shape(leaf))[: len(shape_prefix)] != tuple(shape_prefix):
            _fail("assert_tree_shape_prefix", f"Tree leaf has a shape prefix different from expected: "
                  f"{_jnp.shape(leaf)} != {shape_prefix}.", custom_message)


def dataclass(cls=None, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, kw_only=True,
              mappable_dataclass=True):
    """A dataclass that is a tree, and takes keywords only."""

    def make(cls):
        made = _dataclasses.dataclass(
            cls, init=init, repr=repr, eq=eq, order=order, unsafe_hash=unsafe_hash, frozen=frozen, kw_only=kw_only
        )

        def replace(self, **changes):
            return _dataclasses.replace(self, **changes)

        def to_tuple(self):
            return tuple(getattr(self, field.name) for field in _dataclasses.fields(self))

        made.replace, made.to_tuple = replace, to_tuple
        if mappable_dataclass:
            made.__getitem__ = lambda self, key: getattr(self, key)
            made.__iter__ = lambda self: iter([field.name for field in _dataclasses.fields(self)])
            made.__len__ = lambda self: len(_dataclasses.fields(self))
            made.keys = lambda self: [field.name for field in _dataclasses.fields(self)]
            made.values = lambda self: [getattr(self, field.name) for field in _dataclasses.fields(self)]
            made.items = lambda self: [(f.name, getattr(self, f.name)) for f in _dataclasses.fields(self)]
        names = [field.name for field in _dataclasses.fields(made)]
        _jax.tree_util.register_dataclass(made, names, [])
        return made

    return make if cls is None else make(cls)


def variants(*args, **kwargs):
    """The function itself: variants of tests are not made."""
    return (lambda function: function) if not args or not callable(args[0]) else args[0]


def assert_max_traces(fn=None, n=None):
    """The function itself: traces are not counted."""
    return (lambda function: function) if not callable(fn) else fn
