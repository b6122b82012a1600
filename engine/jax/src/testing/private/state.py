"""Types and effects of Refs, as far as tests name them."""

import jax


class AbstractRef:
    """The type of a Ref to values of a type."""

    def __init__(self, inner_aval, memory_space=None):
        self.inner_aval = inner_aval
        self.memory_space = memory_space
        self.shape, self.dtype = inner_aval.shape, inner_aval.dtype

    def __eq__(self, other):
        return type(self) is type(other) and self.inner_aval == other.inner_aval

    def __hash__(self):
        return hash((AbstractRef, self.shape))


def shaped_array_ref(shape, dtype, weak_type=False):
    """The type of a Ref to an array."""
    return AbstractRef(jax.core.ShapedArray(shape, dtype))


class _RefEffect:
    def __init__(self, input_index):
        self.input_index = input_index

    def __eq__(self, other):
        return type(self) is type(other) and self.input_index == other.input_index

    def __hash__(self):
        return hash((type(self).__name__, self.input_index))

    def __repr__(self):
        return f"{type(self).__name__}({self.input_index})"


class ReadEffect(_RefEffect):
    """A Ref is read."""


class WriteEffect(_RefEffect):
    """A Ref is written."""


class AccumEffect(_RefEffect):
    """A Ref is added to."""
