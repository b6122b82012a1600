"""dataclass, NamedTuple, namedtuple and Enum: reprs, equality, order, replace, fields."""
import collections
import dataclasses
import enum
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass
class Config:
  name: str
  size: int = 4
  tags: list[str] = field(default_factory=list)
  secret: str = field(default="x", repr=False, compare=False)

  def __post_init__(self):
    self.double = self.size * 2

  @property
  def label(self):
    return f"{self.name}-{self.size}"


a, b = Config("a"), Config("a", tags=[])
print(a, a == b, a.double, a.label, dataclasses.replace(a, size=7), [f.name for f in dataclasses.fields(a)])
print(dataclasses.asdict(a), dataclasses.astuple(b), dataclasses.is_dataclass(Config), Config("a", secret="y") == a)
a.tags.append("t")
print(a.tags, b.tags)


@dataclass(frozen=True, order=True)
class Block:
  rows: int
  columns: int = 8


blocks = [Block(2), Block(1, 9), Block(1, 3)]
print(sorted(blocks), max(blocks), Block(1) < Block(2), {Block(2): "two"}[Block(2, 8)], hash(Block(1)) == hash(Block(1)))
try:
  blocks[0].rows = 5
except dataclasses.FrozenInstanceError as error:
  print("FrozenInstanceError:", error)


@dataclass(kw_only=True)
class Child(Config):
  extra: int = 0
  values: tuple = ()


print(Child(name="c", extra=3))
try:
  Config()
except TypeError as error:
  print(error)


class Point(NamedTuple):
  """A point."""
  x: int
  y: int = 0

  def norm1(self):
    return abs(self.x) + abs(self.y)


p = Point(3, y=-4)
x, y = p
print(p, p.x, p[1], x + y, p.norm1(), p._replace(x=9), p._asdict(), Point._fields, p == (3, -4), len(p), Point(1))
Pair = collections.namedtuple("Pair", "left right", defaults=[None])
print(Pair(1), Pair(*"ab"), Pair._make([1, 2]))


class Color(enum.Enum):
  RED = 1
  GREEN = 2
  ALSO_RED = 1

  @property
  def lower(self):
    return self.name.lower()


class Level(enum.IntEnum):
  LOW = enum.auto()
  HIGH = enum.auto()


class Mode(str, enum.Enum):
  FAST = "fast"


class Flags(enum.Flag):
  A = enum.auto()
  B = enum.auto()


print(Color.RED, repr(Color.GREEN), Color.RED.name, Color.RED.value, Color(2), Color["RED"], Color.ALSO_RED is Color.RED, list(Color), Color.GREEN.lower, len(Color))
print(Level.HIGH > Level.LOW, Level.HIGH + 1, repr(Level.LOW), Mode.FAST == "fast", Mode("fast").value, Flags.A | Flags.B, Flags.A in (Flags.A | Flags.B), Color.RED in Color)
try:
  Color(5)
except ValueError as error:
  print("ValueError:", error)
