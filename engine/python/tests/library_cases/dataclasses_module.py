import dataclasses
from dataclasses import dataclass, field, fields, asdict, astuple, replace, is_dataclass, InitVar, FrozenInstanceError, KW_ONLY
from typing import ClassVar, Optional, List


@dataclass
class Point:
    x: int
    y: int = 0


p = Point(1)
print(p, Point(1, 2), Point(y=3, x=4), p == Point(1, 0), p != Point(1, 0), p == (1, 0))
p.x = 10
print(p, repr(p), p.__dict__, Point.__match_args__, Point.y)
print([f.name for f in fields(p)], [f.type for f in fields(Point)], fields(Point)[1].default)


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


attempt(lambda: Point())
attempt(lambda: Point(1, 2, 3))
attempt(lambda: Point(1, z=2))
attempt(lambda: Point(1, x=2))
attempt(lambda: hash(p))
attempt(lambda: p < Point(1))
print(Point.x if hasattr(Point, "x") else "no class attribute x")


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0
    label: str = field(default="", compare=False)


a, b = Version(1, 2), Version(1, 3, "rc")
print(a < b, a <= b, a > b, a >= b, sorted([b, a]), hash(a) == hash(Version(1, 2, "other")), len({a, Version(1, 2), b}))


def assign():
    a.major = 5


def delete():
    del a.major


attempt(assign)
attempt(delete)
attempt(lambda: a < 3)
print(issubclass(FrozenInstanceError, AttributeError))


@dataclass
class Config:
    name: str
    sizes: List[int] = field(default_factory=list)
    options: dict = field(default_factory=dict, repr=False)
    count: ClassVar[int] = 0
    hidden: int = field(default=3, init=False)
    note: Optional[str] = None
    scale: InitVar[float] = 1.0

    def __post_init__(self, scale):
        self.area = scale * 2
        Config.count += 1


c = Config("a")
d = Config("b", [1, 2], {"k": 1}, "hello", scale=4.0)
c.sizes.append(9)
print(c, d, c.area, d.area, Config.count, d.sizes, c.hidden)
print(asdict(d), astuple(d))
print(replace(d, name="c", scale=2.0), replace(d, name="c", scale=2.0).area)
attempt(lambda: replace(d, hidden=1))
attempt(lambda: replace(d, missing=1, scale=1.0))
attempt(lambda: Config("a", hidden=1))


def bad_default():
    @dataclass
    class Bad:
        x: list = []


def bad_order():
    @dataclass
    class Bad:
        x: int = 0
        y: int


def bad_order_flag():
    @dataclass(eq=False, order=True)
    class Bad:
        x: int = 0


def bad_field():
    @dataclass
    class Bad:
        x = field()


def bad_both():
    @dataclass
    class Bad:
        x: int = field(default=1, default_factory=int)


for bad in (bad_default, bad_order, bad_order_flag, bad_field, bad_both):
    attempt(bad)


@dataclass
class Base:
    a: int
    b: int = 1


@dataclass
class Child(Base):
    c: int = 2
    a: int = 5


print(Child(), Child(1, 2, 3), [f.name for f in fields(Child)], isinstance(Child(), Base), Base(1) == Child(1))


@dataclass(kw_only=True)
class Keywords:
    a: int
    b: int = 2


@dataclass
class Mixed:
    x: int
    _: KW_ONLY
    y: int = 3
    z: int


print(Keywords(a=1), Mixed(1, z=4))
attempt(lambda: Keywords(1))
attempt(lambda: Keywords())
attempt(lambda: Mixed(1))
attempt(lambda: Mixed(1, 2, z=3))


@dataclass
class Outer:
    inner: Point
    items: list
    table: dict
    pair: tuple = (1, 2)


o = Outer(Point(1, 2), [Point(3, 4), 5], {"k": Point(5, 6)})
print(asdict(o), astuple(o))
copied = asdict(o)
copied["items"].append(1)
print(len(o.items), asdict(o, dict_factory=lambda pairs: sorted(k for k, _ in pairs)))
print(is_dataclass(o), is_dataclass(Outer), is_dataclass(3), is_dataclass(int))
attempt(lambda: asdict(3))
attempt(lambda: fields(int))
attempt(lambda: asdict(Point))


@dataclass(slots=True)
class Slotted:
    x: int
    y: float = 1.5


s = Slotted(1)
print(s, Slotted.__slots__)


def set_new():
    s.z = 3


attempt(set_new)


@dataclass(eq=False)
class Identity:
    x: int


print(Identity(1) == Identity(1), hash(Identity(1)) is not None)


@dataclass(unsafe_hash=True)
class Hashable:
    x: int
    y: int = field(default=0, hash=False)


print(hash(Hashable(1, 2)) == hash(Hashable(1, 3)))


@dataclass(repr=False, init=False)
class Manual:
    x: int

    def __init__(self):
        self.x = 42

    def __repr__(self):
        return "Manual!"


print(Manual(), Manual().x)


@dataclass
class WithMethods:
    w: int
    h: int = 2

    @property
    def area(self):
        return self.w * self.h

    def scaled(self, k):
        return replace(self, w=self.w * k)

    @classmethod
    def square(cls, n):
        return cls(n, n)

    @staticmethod
    def unit():
        return WithMethods(1, 1)


print(WithMethods(3).area, WithMethods(3).scaled(2), WithMethods.square(5), WithMethods.unit())

match Point(3, 4):
    case Point(x, 4):
        print("matched", x)

match Point(1, 0):
    case Point(x=1, y=yy):
        print("keyword", yy)


@dataclass
class Node:
    value: int
    next: "Node" = None


n = Node(1)
n.next = n
print(n)
print(Node(1, Node(2)))

Dynamic = dataclasses.make_dataclass("Dynamic", [("a", int), ("b", int, field(default=7)), "c"][:2])
print(Dynamic(1), Dynamic.__name__)
print(fields(Version)[0].name, fields(Config)[1].default_factory is list, fields(Config)[0].default is dataclasses.MISSING)
m = field(default=1, metadata={"unit": "s"})
print(m.metadata["unit"], m.default)


@dataclass
class Meta:
    t: float = field(default=0.0, metadata={"unit": "ms"})


print(fields(Meta)[0].metadata["unit"], Point.__doc__, Version.__doc__)


@dataclass
class Sub(Point):
    def total(self):
        return self.x + self.y


print(Sub(1, 2), Sub(1, 2).total())


class Plain(Point):
    def __init__(self, v):
        super().__init__(v, v * 2)
        self.extra = v


print(Plain(4), Plain(4).extra)


@dataclass(frozen=True)
class Block:
    rows: int
    cols: int

    def __post_init__(self):
        if self.rows % 8:
            raise ValueError(f"rows must divide by 8, got {self.rows}")
        object.__setattr__(self, "size", self.rows * self.cols)


print(Block(8, 128), Block(8, 128).size)
attempt(lambda: Block(7, 1))


def inherit_frozen():
    @dataclass
    class NotFrozen(Block):
        z: int = 0


def inherit_not_frozen():
    @dataclass(frozen=True)
    class Frozen(Point):
        z: int = 0


attempt(inherit_frozen)
attempt(inherit_not_frozen)
