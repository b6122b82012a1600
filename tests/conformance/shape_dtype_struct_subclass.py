"""A class of a program's own that derives from `jax.ShapeDtypeStruct`."""
import jax
import jax.numpy as jnp


class Batched(jax.ShapeDtypeStruct):
    __slots__ = ("axes",)

    axes: tuple

    def __init__(self, shape, dtype, axes):
        super().__init__(shape, dtype)
        self.axes = tuple(axes)

    @property
    def rank(self):
        return self.ndim + len(self.axes)

    def __repr__(self):
        return f"{super().__repr__()[:-1]}, axes={self.axes})"

    def __eq__(self, other):
        if not isinstance(other, jax.ShapeDtypeStruct):
            return False
        if isinstance(other, Batched):
            return super().__eq__(other) and self.axes == other.axes
        return super().__eq__(other) and not self.axes

    def __hash__(self):
        return hash((super().__hash__(), self.axes)) if self.axes else super().__hash__()


class Plain(jax.ShapeDtypeStruct):
    pass


one = Batched((2, 3), "float32", [0])
print(one, one.shape, one.dtype, one.size, one.rank, isinstance(one, jax.ShapeDtypeStruct))
print(one == Batched((2, 3), jnp.float32, [0]), one == Batched((2, 3), jnp.float32, []), one == 3)
none = Batched((2, 3), jnp.float32, ())
print(none == jax.ShapeDtypeStruct((2, 3), jnp.float32), hash(none) == hash(jax.ShapeDtypeStruct((2, 3), jnp.float32)))
print(jax.eval_shape(lambda x: x.T, one), jax.tree.leaves([one]) == [one])
plain = Plain((4,), jnp.int8)
print(plain, plain == Plain((4,), jnp.int8), plain.weak_type)
try:
    Plain((4,), None)
except ValueError as error:
    print("ValueError:", error)
