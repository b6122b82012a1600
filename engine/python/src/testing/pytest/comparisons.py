"""What tests say of values and of exceptions: `approx`, `raises` and `warns`."""

import math
import re
import warnings as _warnings

from pytest.outcomes import Failed, fail


class ExceptionInfo:
    """What `raises` has caught."""

    def __init__(self, value=None):
        self.value = value

    type = property(lambda self: type(self.value))
    tb = property(lambda self: self.value.__traceback__)
    typename = property(lambda self: type(self.value).__name__)

    def exconly(self, tryshort=False):
        text = str(self.value)
        return f"{self.typename}: {text}" if text else self.typename

    def errisinstance(self, exc):
        return isinstance(self.value, exc)

    def match(self, regexp):
        """Fails unless the text of the exception matches."""
        text = str(self.value)
        if not re.search(regexp, text):
            message = f"Regex pattern did not match.\n  Expected regex: {regexp!r}\n  Actual message: {text!r}"
            if regexp == text:
                message += "\n  Did you mean to `re.escape()` the regex?"
            raise AssertionError(message)
        return True

    def __repr__(self):
        return f"<ExceptionInfo {self.value!r}>"


class RaisesContext:
    """`with pytest.raises(...)`"""

    def __init__(self, expected, match=None, check=None):
        self.expected = expected
        self.match = match
        self.check = check
        self.info = ExceptionInfo()

    def __enter__(self):
        return self.info

    def __exit__(self, kind, value, traceback):
        if kind is None:
            fail(f"DID NOT RAISE {_named(self.expected)}")
        if not issubclass(kind, self.expected):
            return False
        self.info.value = value
        if self.match is not None:
            self.info.match(self.match)
        if self.check is not None and not self.check(value):
            raise AssertionError(f"check did not return True: {value!r}")
        return True


def _named(expected):
    if isinstance(expected, tuple) and len(expected) > 1:
        return "any of (" + ", ".join(each.__name__ for each in expected) + ")"
    return (expected[0] if isinstance(expected, tuple) else expected).__name__


def raises(expected_exception=Exception, *args, match=None, check=None, **kwargs):
    """Expects an exception of a block, or of a call."""
    kinds = expected_exception if isinstance(expected_exception, tuple) else (expected_exception,)
    if not kinds:
        raise ValueError("You must specify at least one parameter to match on.")
    for kind in kinds:
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            raise TypeError(f"Expected a BaseException type, but got {type(kind).__name__!r}")
    if not args:
        if kwargs:
            raise TypeError(f"Unexpected keyword arguments passed to pytest.raises: {', '.join(sorted(kwargs))}")
        return RaisesContext(expected_exception, match, check)
    function, *rest = args
    context = RaisesContext(expected_exception, match, check)
    with context:
        function(*rest, **kwargs)
    return context.info


class WarningsContext:
    """`with pytest.warns(...)`"""

    def __init__(self, expected, match=None):
        self.expected = expected
        self.match = match
        self.catcher = _warnings.catch_warnings(record=True)

    def __enter__(self):
        self.list = self.catcher.__enter__()
        _warnings.simplefilter("always")
        return self.list

    def __exit__(self, kind, value, traceback):
        self.catcher.__exit__(kind, value, traceback)
        if kind is not None:
            return False
        found = [w for w in self.list if issubclass(w.category, self.expected)]
        if not found:
            fail(f"DID NOT WARN. No warnings of type {self.expected} were emitted.")
        if self.match is not None and not any(re.search(self.match, str(w.message)) for w in found):
            fail(f"DID NOT WARN. No warnings of type {self.expected} matching the regex were emitted.\n Regex: {self.match}")
        return False


def warns(expected_warning=Warning, *args, match=None, **kwargs):
    """Expects a warning of a block, or of a call."""
    context = WarningsContext(expected_warning, match)
    if not args:
        return context
    function, *rest = args
    with context:
        return function(*rest, **kwargs)


def deprecated_call(*args, match=None, **kwargs):
    """Expects a warning that something is old."""
    return warns((DeprecationWarning, PendingDeprecationWarning, FutureWarning), *args, match=match, **kwargs)


class _Approx:
    """Equal to what is near enough."""

    # numpy and JAX leave comparisons with it to it.
    __array_ufunc__ = None
    __array_priority__ = 100
    __hash__ = None

    def __init__(self, expected, rel, abs, nan_ok):
        self.expected = expected
        self.rel = rel
        self.abs = abs
        self.nan_ok = nan_ok

    def _is_near(self, expected, actual):
        if isinstance(expected, bool) or not _is_number(expected) or not _is_number(actual):
            return expected == actual
        if expected == actual:
            return True
        if math.isnan(abs(expected)):
            return self.nan_ok and math.isnan(abs(actual))
        if math.isinf(abs(expected)) or math.isinf(abs(actual)) or math.isnan(abs(actual)):
            return False
        return abs(expected - actual) <= self._tolerance(expected)

    def _tolerance(self, expected):
        absolute = 1e-12 if self.abs is None else self.abs
        if self.rel is None and self.abs is not None:
            return absolute
        return max((1e-6 if self.rel is None else self.rel) * abs(expected), absolute)

    def __eq__(self, actual):
        expected = self.expected
        if hasattr(expected, "shape") or hasattr(actual, "shape"):
            import numpy as np

            expected, actual = np.asarray(expected), np.asarray(actual)
            if expected.shape != actual.shape and expected.shape != ():
                return False
            flat = actual.reshape(-1).tolist()
            wanted = expected.reshape(-1).tolist()
            wanted = wanted * len(flat) if expected.shape == () else wanted
            return all(self._is_near(a, b) for a, b in zip(wanted, flat))
        if isinstance(expected, dict):
            if not isinstance(actual, dict) or set(expected) != set(actual):
                return False
            return all(self._is_near(expected[key], actual[key]) for key in expected)
        if isinstance(expected, (list, tuple)):
            if not hasattr(actual, "__len__") or len(actual) != len(expected):
                return False
            return all(self._is_near(a, b) for a, b in zip(expected, actual))
        return self._is_near(expected, actual)

    def __ne__(self, actual):
        return not self == actual

    def __bool__(self):
        raise AssertionError(
            "approx() is not supported in a boolean context.\nDid you mean: `assert a == approx(b)`?"
        )

    def _shown(self, value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self._shown(each)}" for key, each in value.items()) + "}"
        if isinstance(value, (list, tuple)):
            inside = ", ".join(self._shown(each) for each in value)
            return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
        if not _is_number(value) or isinstance(value, bool) or math.isinf(abs(value)) or math.isnan(abs(value)):
            return str(value)
        tolerance = self._tolerance(value)
        return f"{value} ± {tolerance:.1e}" if tolerance < 1e-3 or tolerance >= 1e3 else f"{value} ± {tolerance:.2g}"

    def __repr__(self):
        value = self.expected
        if isinstance(value, (dict, list, tuple)):
            return f"approx({self._shown(value)})"
        if hasattr(value, "shape") and value.shape != ():
            return f"approx({self._shown(value.tolist())})"
        return self._shown(value)


def _is_number(value):
    if isinstance(value, (int, float, complex)):
        return True
    return hasattr(value, "dtype") and getattr(value, "shape", None) == ()


def approx(expected, rel=None, abs=None, nan_ok=False):
    """Equal to numbers that differ by a millionth at most, or by what is said."""
    return _Approx(expected, rel, abs, nan_ok)
