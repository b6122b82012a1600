"""Descriptions of values to generate. They have no shrinking."""

import enum
import functools
import math

from .errors import InvalidArgument, UnsatisfiedAssumption

_TRIES = 100


class SearchStrategy:
    """Makes values from the choices of a source."""

    def __init__(self, draw=None, text="strategy()"):
        self._draw = draw
        self._text = text

    def __class_getitem__(cls, item):
        return cls

    def do_draw(self, source):
        return self._draw(source)

    def map(self, pack):
        """Values changed by a function."""
        return SearchStrategy(lambda source: pack(self.do_draw(source)), f"{self!r}.map({_name(pack)})")

    def filter(self, condition):
        """Only values with the condition."""

        def draw(source):
            for _ in range(_TRIES):
                value = self.do_draw(source)
                if condition(value):
                    return value
                if source.simplest:
                    # The simplest value does not do: look among the others.
                    source.simplest = False
            raise UnsatisfiedAssumption(f"{self!r} hardly ever satisfies {_name(condition)}")

        return SearchStrategy(draw, f"{self!r}.filter({_name(condition)})")

    def flatmap(self, expand):
        """A strategy made from a value."""
        return SearchStrategy(
            lambda source: expand(self.do_draw(source)).do_draw(source), f"{self!r}.flatmap({_name(expand)})"
        )

    def __or__(self, other):
        return one_of(self, other)

    def example(self):
        from ._source import Source

        return self.do_draw(Source("example", 1))

    def validate(self):
        """Strategies here are checked as they are made."""

    def __repr__(self):
        return self._text


class DataStrategy(SearchStrategy):
    """`data()`"""


def _name(function):
    return getattr(function, "__name__", repr(function))


def _strategy(value):
    if not isinstance(value, SearchStrategy):
        raise InvalidArgument(f"Expected a SearchStrategy but got {value!r} (type={type(value).__name__})")
    return value


def integers(min_value=None, max_value=None):
    """Integers between bounds, which are included."""
    if min_value is not None and max_value is not None and min_value > max_value:
        raise InvalidArgument(f"Cannot have max_value={max_value!r} < min_value={min_value!r}")

    def draw(source):
        low, high = min_value, max_value
        if low is None:
            low = min(-(2**31), high if high is not None else 0)
        if high is None:
            high = max(2**31, low)
        return source.integer(int(low), int(high))

    return SearchStrategy(draw, f"integers(min_value={min_value!r}, max_value={max_value!r})")


def booleans():
    """True and False."""
    return SearchStrategy(lambda source: source.boolean(), "booleans()")


def none():
    """None."""
    return just(None)


def just(value):
    """Always the value."""
    return SearchStrategy(lambda source: value, f"just({value!r})")


def nothing():
    """No value at all."""

    def draw(source):
        raise UnsatisfiedAssumption("nothing() has no values")

    return SearchStrategy(draw, "nothing()")


def sampled_from(elements):
    """One of the elements."""
    if isinstance(elements, type) and issubclass(elements, enum.Enum):
        elements = list(elements)
    values = tuple(elements)
    if not values:
        raise InvalidArgument("Cannot sample from a length-zero sequence.")
    return SearchStrategy(lambda source: values[source.index(len(values))], f"sampled_from({elements!r})")


def one_of(*args):
    """A value of one of the strategies."""
    if len(args) == 1 and not isinstance(args[0], SearchStrategy):
        args = tuple(args[0])
    options = tuple(_strategy(option) for option in args)
    return SearchStrategy(
        lambda source: options[source.index(len(options))].do_draw(source), f"one_of({', '.join(map(repr, options))})"
    )


def tuples(*args):
    """One value of each strategy."""
    parts = tuple(_strategy(part) for part in args)
    return SearchStrategy(
        lambda source: tuple(part.do_draw(source) for part in parts), f"tuples({', '.join(map(repr, parts))})"
    )


def _size(source, min_size, max_size):
    high = max_size if max_size is not None else min_size + 8
    return min_size if source.simplest else source.random.randint(min_size, high)


def lists(elements, *, min_size=0, max_size=None, unique=False, unique_by=None):
    """Lists of values of a strategy."""
    _strategy(elements)
    key = unique_by or (lambda value: value)

    def draw(source):
        size = _size(source, min_size, max_size)
        if not unique and unique_by is None:
            return [elements.do_draw(source) for _ in range(size)]
        values, seen = [], set()
        for _ in range(_TRIES * (size + 1)):
            if len(values) == size:
                return values
            value = elements.do_draw(source)
            if key(value) not in seen:
                seen.add(key(value))
                values.append(value)
            elif source.simplest:
                source.simplest = False
        if len(values) < min_size:
            raise UnsatisfiedAssumption(f"{elements!r} has too few different values")
        return values

    return SearchStrategy(draw, f"lists({elements!r}, min_size={min_size!r}, max_size={max_size!r})")


def sets(elements, *, min_size=0, max_size=None):
    """Sets of values of a strategy."""
    return lists(elements, min_size=min_size, max_size=max_size, unique=True).map(set)


def frozensets(elements, *, min_size=0, max_size=None):
    """Frozen sets of values of a strategy."""
    return lists(elements, min_size=min_size, max_size=max_size, unique=True).map(frozenset)


def dictionaries(keys, values, *, min_size=0, max_size=None):
    """Dicts of keys and values of strategies."""
    pairs = lists(tuples(keys, values), min_size=min_size, max_size=max_size, unique_by=lambda pair: pair[0])
    return pairs.map(dict)


def fixed_dictionaries(mapping, *, optional=None):
    """Dicts with these keys."""
    optional = optional or {}

    def draw(source):
        made = {key: value.do_draw(source) for key, value in mapping.items()}
        made.update({key: value.do_draw(source) for key, value in optional.items() if source.boolean()})
        return made

    return SearchStrategy(draw, f"fixed_dictionaries({mapping!r})")


def permutations(values):
    """The values in any order."""
    values = list(values)

    def draw(source):
        order = list(values)
        if not source.simplest:
            source.random.shuffle(order)
        return order

    return SearchStrategy(draw, f"permutations({values!r})")


def floats(
    min_value=None,
    max_value=None,
    *,
    allow_nan=None,
    allow_infinity=None,
    allow_subnormal=None,
    width=64,
    exclude_min=False,
    exclude_max=False,
):
    """Numbers between bounds; without bounds also those that are none."""
    unbounded = min_value is None and max_value is None
    special = []
    if allow_nan or (allow_nan is None and unbounded):
        special.append(math.nan)
    if allow_infinity or (allow_infinity is None and unbounded):
        special += [math.inf, -math.inf]
    largest = {16: 65504.0, 32: 3.4028234663852886e38}.get(width, 1.7976931348623157e308)
    low = -largest if min_value is None else float(min_value)
    high = largest if max_value is None else float(max_value)

    def draw(source):
        simple = min(max(0.0, low), high)
        if source.simplest and not (exclude_min and simple == low) and not (exclude_max and simple == high):
            return simple
        kind = source.random.random()
        if special and kind < 0.05 * len(special):
            return special[source.random.randrange(len(special))]
        if kind < 0.6:
            # Around zero, where most things happen, and within the bounds.
            value = min(max(source.random.gauss(0.0, 10.0), low), high)
        else:
            fraction = source.random.random()
            value = low * (1.0 - fraction) + high * fraction
        value = _rounded(value, width)
        if (exclude_min and value <= low) or (exclude_max and value >= high) or not low <= value <= high:
            value = _rounded(low / 2 + high / 2, width)
        return value

    return SearchStrategy(draw, f"floats(min_value={min_value!r}, max_value={max_value!r})")


def _rounded(value, width):
    if width == 64:
        return value
    import numpy

    return float(numpy.float16(value) if width == 16 else numpy.float32(value))


def characters(*, min_codepoint=32, max_codepoint=126, **kwargs):
    """Characters between code points."""
    return integers(min_codepoint or 0, max_codepoint or 126).map(chr)


def text(alphabet=None, *, min_size=0, max_size=None):
    """Strings."""
    letters = characters() if alphabet is None else alphabet
    letters = letters if isinstance(letters, SearchStrategy) else sampled_from(letters)
    return lists(letters, min_size=min_size, max_size=max_size).map("".join)


def binary(*, min_size=0, max_size=None):
    """Bytes."""
    return lists(integers(0, 255), min_size=min_size, max_size=max_size).map(bytes)


def slices(size):
    """Slices of a sequence of this size."""

    def draw(source):
        if size == 0:
            return slice(None)
        start, stop = source.integer(-size, size - 1), source.integer(-size, size)
        step = source.integer(1, max(size, 1))
        return slice(start, stop, -step if source.boolean() else step)

    return SearchStrategy(draw, f"slices({size!r})")


def builds(target, /, *args, **kwargs):
    """What a callable makes from values of strategies."""

    def draw(source):
        positional = [arg.do_draw(source) for arg in args]
        return target(*positional, **{name: value.do_draw(source) for name, value in kwargs.items()})

    return SearchStrategy(draw, f"builds({_name(target)})")


def deferred(definition):
    """A strategy that is defined later."""
    return SearchStrategy(lambda source: definition().do_draw(source), "deferred()")


def recursive(base, extend, *, max_leaves=100):
    """Values of `base`, wrapped a few times."""

    def draw(source):
        strategy = base
        for _ in range(0 if source.simplest else source.random.randrange(4)):
            strategy = one_of(base, extend(strategy))
        return strategy.do_draw(source)

    return SearchStrategy(draw, f"recursive({base!r})")


class DrawFn:
    """The type of `draw` in composite strategies."""


class DataObject:
    """Draws values while the test runs."""

    def __init__(self, source):
        self._source = source

    def draw(self, strategy, label=None):
        return _strategy(strategy).do_draw(self._source)

    def __repr__(self):
        return "data(...)"


def data():
    """A value from which the test draws others."""
    return DataStrategy(DataObject, "data()")


def composite(function):
    """A strategy made of a function that gets `draw` first."""

    @functools.wraps(function)
    def make(*args, **kwargs):
        def draw(source):
            return function(lambda strategy, label=None: _strategy(strategy).do_draw(source), *args, **kwargs)

        return SearchStrategy(draw, f"{function.__name__}()")

    return make


def shared(base, *, key=None):
    """The same value wherever it is drawn in one example."""

    def draw(source):
        known = source.__dict__.setdefault("_shared", {})
        name = key if key is not None else id(base)
        if name not in known:
            known[name] = base.do_draw(source)
        return known[name]

    return SearchStrategy(draw, f"shared({base!r})")


def register_type_strategy(custom_type, strategy):
    """Strategies are not looked up by type here."""
