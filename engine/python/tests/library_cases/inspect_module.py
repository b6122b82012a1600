import collections
import functools
import inspect
import typing
from dataclasses import dataclass, field


def f(a, b: int = 2, *args: str, c, d=4.5, **kwargs) -> bool:
    """Doc of f.

        Indented.
    """


def g(x, /, y, *, z=None):
    pass


class C:
    def __init__(self, n: int, m="x"):
        pass

    def method(self, q):
        pass

    @classmethod
    def make(cls, w):
        pass


@dataclass
class D:
    x: int
    y: float = 1.0
    z: list = field(default_factory=list)


print(inspect.signature(f), inspect.signature(g), inspect.signature(C), inspect.signature(C(1).method), inspect.signature(C.method), inspect.signature(C.make), inspect.signature(lambda a, *b: 0))
print(list(inspect.signature(f).parameters), inspect.signature(f).parameters["b"].default, inspect.signature(f).parameters["a"].default is inspect.Parameter.empty if hasattr(inspect.Parameter, "empty") else "", inspect.signature(f).return_annotation)
for p in inspect.signature(f).parameters.values():
    print(p.name, p.kind, p, p.kind == p.KEYWORD_ONLY)
print(inspect.signature(functools.partial(f, 1, c=3)), inspect.signature(functools.partial(g, 1)))
bound = inspect.signature(g).bind(1, 2, z=3)
print(bound.args, bound.kwargs, dict(bound.arguments))
print(len(inspect.signature(D).parameters), list(inspect.signature(D).parameters))
try:
    inspect.signature(g).bind(1)
except TypeError as error:
    print("TypeError")
print(inspect.isfunction(f), inspect.isfunction(len), inspect.isclass(C), inspect.ismethod(C(1).method), inspect.ismodule(inspect), inspect.isbuiltin(len), inspect.isgeneratorfunction(f), inspect.getdoc(f), inspect.iscoroutinefunction(f), inspect.isroutine(f))
try:
    raise TypeError
except TypeError as error:
    print("TypeError")


@functools.wraps(f)
def wrapped(*args, **kwargs):
    pass


print(inspect.signature(wrapped), inspect.unwrap(wrapped) is f, inspect.getfullargspec(f))
print([name for name, _ in inspect.getmembers(C, inspect.isfunction)], inspect.getmro(C) == C.__mro__)


class Point(typing.NamedTuple):
    x: int
    label: str = "p"


class Sized:
    def __new__(cls, width, *, height=1):
        return object.__new__(cls)


print(inspect.signature(Point), inspect.signature(collections.namedtuple("Pair", "a b", defaults=[1])), inspect.signature(Sized))
print(inspect.signature(Point).parameters["x"].annotation)
