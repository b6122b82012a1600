import typing
from typing import (Any, Optional, Union, Callable, Sequence, List, Dict, Tuple, Literal, TypeVar, Generic, Protocol, NamedTuple,
                    TypedDict, Annotated, ClassVar, Final, cast, overload, TYPE_CHECKING, get_type_hints, NewType, ParamSpec, Self,
                    runtime_checkable, TypeAlias, Concatenate, Iterable, Iterator, Mapping, get_origin, get_args, Type, NoReturn)


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


for annotation in [Any, Optional[int], Union[int, str], Union[int, None], Union[int, str, None], Union[int], Optional[Union[int, str]],
                   Callable, Callable[[int], str], Callable[..., Any], Callable[[], None], Sequence[int], List[int], Dict[str, List[int]],
                   Tuple[int, ...], Tuple[()], Tuple, Literal["a", 1, None], Annotated[int, "meta"], ClassVar[int], Final[str], Type[int],
                   Iterable[str], Mapping[str, Any], Self, NoReturn, Optional["Later"], Union[List[int], Tuple[int, int]], Literal[True]]:
    print(annotation)

T = TypeVar("T")
K = TypeVar("K", bound=int)
C = TypeVar("C", int, str)
Co = TypeVar("Co", covariant=True)
P = ParamSpec("P")
print(T, Co, P, T.__name__, K.__bound__, C.__constraints__, List[T], Callable[P, T], Dict[K, T][int, str], List[T][int], Concatenate[int, P])
print(Optional[int] == Union[int, None], List[int] == List[int], List[int] == List[str], Union[int, str] == Union[str, int], hash(List[int]) == hash(List[int]))
print(get_origin(List[int]) is list, get_args(Dict[str, int]), get_origin(Optional[int]) is Union, get_args(Callable[[int], str]), get_origin(int), get_args(int), get_origin(list[int]) is list, get_args(Annotated[int, 1]))
print(Optional[int] | str, int | None, List[int] | None, T | int)


class Box(Generic[T]):
    def __init__(self, item: T):
        self.item = item

    @classmethod
    def of(cls, item):
        return cls(item)


class IntBox(Box[int]):
    pass


class Pair(Generic[T, K]):
    pass


print(Box[int](3).item, IntBox(4).item, Box[int], Box[int].of(5).item, issubclass(IntBox, Box), Pair[int, int], IntBox.__mro__[1].__name__, Box.__mro__[1].__name__)


class Shape(Protocol):
    def area(self) -> float: ...


@runtime_checkable
class HasLen(Protocol):
    def __len__(self) -> int: ...


class Square:
    def area(self):
        return 4.0


class Impl(Shape):
    def area(self):
        return 1.0


print(isinstance([], HasLen), isinstance(3, HasLen), Square().area(), Impl().area())
attempt(lambda: isinstance(Square(), Shape))


class Employee(NamedTuple):
    """An employee."""
    name: str
    id: int = 3
    tags: tuple = ()

    def greet(self):
        return f"hi {self.name}"

    @property
    def upper(self):
        return self.name.upper()

    @classmethod
    def default(cls):
        return cls("nobody")


e = Employee("Ann")
print(e, e.id, e.greet(), e.upper, Employee.default(), e._replace(id=9), e._asdict(), Employee._fields, Employee._field_defaults, e == ("Ann", 3, ()), Employee.__doc__)
name, ident, tags = e
print(name, ident, isinstance(e, tuple), len(e), Employee.__annotations__, e[0], Employee(name="x", id=1))
attempt(lambda: Employee())
attempt(lambda: Employee("a", 1, (), 4))
attempt(lambda: Employee("a", bad=4))
Coord = NamedTuple("Coord", [("x", int), ("y", float)])
print(Coord(1, 2.0), Coord._fields, Coord.__annotations__)


def bad_tuple():
    class Bad(NamedTuple):
        x: int = 1
        y: int


attempt(bad_tuple)


class Movie(TypedDict, total=False):
    title: str
    year: int


class Strict(TypedDict):
    a: int


m = Movie(title="x", year=1)
print(m, type(m), Movie.__annotations__, Movie.__total__, sorted(Movie.__optional_keys__), Strict.__required_keys__, Strict(a=1)["a"])
Alt = TypedDict("Alt", {"x": int, "y": str})
print(Alt(x=1, y="b"), Alt.__name__)

UserId = NewType("UserId", int)
print(UserId(5), UserId.__name__, UserId.__supertype__, cast(int, "x"), cast("List[int]", [1]), TYPE_CHECKING)


@overload
def process(x: int) -> int: ...
@overload
def process(x: str) -> str: ...
def process(x):
    return x


print(process(3), process("a"))


def hints(a: int, b: "str" = "x", *, c: Optional[List[int]] = None) -> "Dict[str, int]":
    pass


print(get_type_hints(hints))
print(hints.__annotations__)


class Annotated_(object):
    x: int
    y: "float" = 1.0
    z: Annotated[int, "m"] = 3


print(get_type_hints(Annotated_), get_type_hints(Annotated_, include_extras=True))
Vector: TypeAlias = List[float]
print(Vector, isinstance([1], typing.Sequence), isinstance({}, typing.Mapping), isinstance(print, typing.Callable), isinstance(3, typing.Hashable))
attempt(lambda: isinstance([], List[int]))
attempt(lambda: isinstance(3, Any))
attempt(lambda: Optional[int, str])
attempt(lambda: Any())
attempt(lambda: List[int]([1, 2]))
attempt(lambda: Union[int, str]())
attempt(lambda: typing.assert_never(3))
attempt(lambda: Union[()])


class Stack(List[int]):
    def top(self):
        return self[-1]


s = Stack([1, 2])
s.append(5)
print(s, s.top(), isinstance(s, list))


class Repo(Protocol[T]):
    def get(self, i: int) -> T: ...


class ListRepo(Repo[int]):
    def get(self, i):
        return i


print(ListRepo().get(3))
print(typing.Text, typing.AnyStr, typing.get_origin(typing.Tuple[int]), Annotated[int, 1].__metadata__, Literal["a", "b"].__args__)


@typing.final
class Fin:
    pass


@typing.no_type_check
def untyped(x):
    return x


print(Fin.__name__, untyped(1), typing.get_args(Literal[1, 2]), typing.Union.__name__ if hasattr(typing.Union, "__name__") else "Union")


class Model(typing.Generic[T], dict):
    pass


print(Model(a=1), isinstance(Model(), dict))
