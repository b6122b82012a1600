"""Checks inside of functions, and functions that return what their checks say: `jax.experimental.checkify`.

What a check finds is kept in Refs that exist while the function runs: which check failed first, and what its message is
formatted with. A first pass over shapes says which checks there are. Only checks that programs make themselves are provided.
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic_gpu import staging


class JaxException(Exception):
    """What a check says."""


class JaxRuntimeError(ValueError):
    """A check that failed where nobody took its error."""


class FailedCheckError(JaxException):
    def __init__(self, fmt_string, *args, **kwargs):
        super().__init__(fmt_string)
        self.fmt_string, self.args, self.kwargs = fmt_string, args, kwargs

    def __str__(self):
        return self.fmt_string.format(*self.args, **self.kwargs) + " (`check` failed)"


class NaNError(JaxException):
    pass


class DivisionByZeroError(JaxException):
    pass


class OOBError(JaxException):
    pass


ErrorCategory = type(JaxException)
user_checks = frozenset({FailedCheckError})
nan_checks = frozenset({NaNError})
index_checks = frozenset({OOBError})
div_checks = frozenset({DivisionByZeroError})
float_checks = nan_checks | div_checks
automatic_checks = float_checks | index_checks
all_checks = automatic_checks | user_checks


class Error:
    """What the checks of a function have said."""

    def __init__(self, code, payloads, checks):
        self._code, self._payloads, self._checks = code, payloads, checks

    def get_exception(self):
        number = int(self._code)
        if number < 0:
            return None
        message, tree = self._checks[number]
        args, kwargs = jax.tree.unflatten(tree, self._payloads[number])
        return FailedCheckError(message, *args, **kwargs)

    def get(self):
        exception = self.get_exception()
        return None if exception is None else str(exception)

    def throw(self):
        check_error(self)

    def __str__(self):
        return f"Error({self.get()})"

    __repr__ = __str__


jax.tree_util.register_pytree_node(
    Error, lambda error: ((error._code, error._payloads), error._checks), lambda checks, parts: Error(*parts, checks)
)


class _Found:
    """The checks of a function, in the order in which they are traced."""

    def __init__(self):
        self.checks, self.types = [], []

    def note(self, failed, message, leaves, tree):
        self.checks.append((message, tree))
        self.types.append([jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in leaves])


class _Kept:
    """Refs for what the checks find."""

    def __init__(self, found):
        self.checks, self.next = tuple(found.checks), 0
        self.code = jax.new_ref(jnp.int32(-1))
        self.payloads = [[jax.new_ref(jnp.zeros(ty.shape, ty.dtype)) for ty in types] for types in found.types]

    def note(self, failed, message, leaves, tree):
        number = self.next
        self.next += 1
        if number >= len(self.checks) or self.checks[number][0] != message:
            raise RuntimeError(f"the check {message!r} was not there when the function was looked at first")
        first = failed & (self.code[...] < 0)
        self.code[...] = jnp.where(first, jnp.int32(number), self.code[...])
        for ref, leaf in zip(self.payloads[number], leaves):
            ref[...] = jnp.where(first, leaf, ref[...])

    def end(self):
        """What was found. The Refs go, whoever keeps the function that was traced."""
        payloads = [[ref[...] for ref in refs] for refs in self.payloads]
        error = Error(self.code[...], payloads, self.checks)
        self.code = self.payloads = None
        return error


_listening = []


def _with(listener, f):
    def listened(*args, **kwargs):
        _listening.append(listener)
        try:
            return f(*args, **kwargs)
        finally:
            _listening.pop()

    return listened


def checkify(f, errors=user_checks):
    if not errors <= user_checks:
        names = ", ".join(sorted(error.__name__ for error in errors - user_checks))
        raise NotImplementedError(
            f"checkify with automatic checks ({names}) is not provided by the workbench yet: give errors=checkify.user_checks"
        )

    def checked(*args, **kwargs):
        # What is known stays known inside: sizes may be static arguments of the function. What is traced goes in.
        leaves, tree = jax.tree.flatten((args, kwargs))
        traced = [isinstance(leaf, jax.core.Tracer) for leaf in leaves]

        def closed(*inside):
            inside = iter(inside)
            filled = [next(inside) if is_traced else leaf for leaf, is_traced in zip(leaves, traced)]
            args, kwargs = jax.tree.unflatten(tree, filled)
            return f(*args, **kwargs)

        outside = [leaf for leaf, is_traced in zip(leaves, traced) if is_traced]
        found = _Found()
        listener = found if errors else _Found()
        # Inside of another function that is checked its Refs are there, which shapes alone cannot be traced with.
        listened = _with(listener, closed)
        look = jax.jit(listened) if _listening else functools.partial(jax.eval_shape, listened)
        look(*outside)
        kept = _Kept(found)
        out = jax.jit(_with(kept if errors else _Found(), closed))(*outside)
        return kept.end(), out

    return checked


def check(pred, msg, *fmt_args, debug=False, **fmt_kwargs):
    is_scalar = isinstance(pred, bool) or (isinstance(pred, jax.Array) and pred.shape == () and pred.dtype == np.bool_)
    if not is_scalar:
        raise TypeError(f"{'debug_check' if debug else 'check'} takes a scalar pred as argument, got {pred}")
    leaves, tree = jax.tree.flatten((fmt_args, fmt_kwargs))
    for leaf in leaves:
        if not isinstance(leaf, (jax.Array, np.ndarray)):
            raise TypeError(
                f"Formatting arguments to checkify.check need to be PyTrees of arrays, but got {leaf!r} of type {type(leaf)}."
            )
    _say(jnp.logical_not(pred), msg, leaves, tree, debug)


def _say(failed, message, leaves, tree, debug):
    in_kernel = staging.in_kernel()
    if _listening and not in_kernel:
        _listening[-1].note(failed, message, [jnp.asarray(leaf) for leaf in leaves], tree)
    elif debug:
        pass
    elif in_kernel or isinstance(failed, jax.core.Tracer):
        raise ValueError(
            "Cannot abstractly evaluate a checkify.check which was not functionalized. This probably means you tried to stage"
            " (jit/scan/pmap/...) a `check` without functionalizing it through `checkify.checkify`."
        )
    elif failed:
        args, kwargs = jax.tree.unflatten(tree, leaves)
        raise JaxRuntimeError(str(FailedCheckError(message, *args, **kwargs)))


def debug_check(pred, msg, *fmt_args, **fmt_kwargs):
    check(pred, msg, *fmt_args, debug=True, **fmt_kwargs)


def check_error(error):
    if not isinstance(error, Error):
        raise TypeError(f"check_error takes an Error as argument, got type {type(error)} instead.")
    for number, ((message, tree), leaves) in enumerate(zip(error._checks, error._payloads)):
        _say(error._code == number, message, leaves, tree, False)
