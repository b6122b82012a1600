"""`jax.export.symbolic_shape`: names of dimensions, as programs make them and ask for them. Shapes of arrays are numbers here, so
that nothing can be computed with them, and an array cannot have them.
"""
import re


class SymbolicScope:
    """Where names of dimensions are known, with what is said of them."""

    __module__ = "jax._src.export.shape_poly"

    def __init__(self, constraints_str=()):
        if isinstance(constraints_str, str):
            raise ValueError(
                "The symbolic constraints should be a sequence of strings. "
                f"Got {constraints_str!r}")
        self._explicit_constraints = tuple(constraints_str)

    def __str__(self):
        lines = "".join(f"  {constraint}\n" for constraint in self._explicit_constraints)
        return f"SymbolicScope({id(self)})" + (f" with constraints:\n{lines}" if lines else "")

    __repr__ = __str__


class _DimExpr:
    """A dimension with a name."""

    __module__ = "jax._src.export.shape_poly"

    def __init__(self, name, scope):
        self._name, self.scope = name, scope

    def __repr__(self):
        return self._name

    __str__ = __repr__

    def __eq__(self, other):
        return isinstance(other, _DimExpr) and (self._name, self.scope) == (other._name, other.scope)

    def __hash__(self):
        return hash(self._name)

    def _refuse(self, *args):
        raise NotImplementedError(
            f"computing with symbolic dimensions such as `{self._name}` is not provided by the workbench: "
            "export the function for shapes of numbers")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _refuse
    __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __neg__ = __abs__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __int__ = __index__ = __bool__ = _refuse


def is_symbolic_dim(p):
    return isinstance(p, _DimExpr)


def symbolic_shape(shape_spec, *, constraints=(), scope=None, like=None):
    if scope is None:
        scope = SymbolicScope(constraints)
    elif constraints:
        raise ValueError("Cannot specify both a `scope` and `constraints`.")
    text = "..." if shape_spec is None else shape_spec.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].removesuffix(",")
    return tuple(_dimension(part.strip(), scope, shape_spec) for part in text.split(","))


def _dimension(text, scope, whole):
    if re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) and text != "_":
        return _DimExpr(text, scope)
    raise NotImplementedError(
        f"the symbolic dimension `{text}` in {whole!r} is not provided by the workbench, which has names and numbers alone")


def symbolic_args_specs(args, shapes_specs, constraints=(), scope=None):
    raise NotImplementedError(
        "types with symbolic dimensions are not provided by the workbench: export the function for shapes of numbers")
