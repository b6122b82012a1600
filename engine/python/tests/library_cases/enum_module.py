import enum
from enum import Enum, IntEnum, StrEnum, Flag, IntFlag, auto, unique


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
    CRIMSON = 1


print(Color.RED, repr(Color.RED), Color.RED.name, Color.RED.value, Color(2), Color["BLUE"], Color.CRIMSON is Color.RED)
print(list(Color), len(Color), Color.RED in Color, Color.__members__.keys() if False else list(Color.__members__))
print(Color, repr(Color), type(Color.RED), isinstance(Color.RED, Color), Color.RED == Color.RED, Color.RED == 1, Color.RED != Color.GREEN)
print({Color.RED: "r", Color.BLUE: "b"}[Color.CRIMSON], f"{Color.RED}", f"{Color.RED:>12}|", "%s" % Color.GREEN, str(Color.GREEN))
print(list(reversed(Color)), bool(Color), Color.RED.__class__ is Color, hash(Color.RED) == hash("RED"))


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


attempt(lambda: Color(9))
attempt(lambda: Color["PINK"])
attempt(lambda: Color.PINK)
attempt(lambda: Color.RED < Color.GREEN)


def rebind():
    Color.RED = 5


attempt(rebind)


def extend():
    class More(Color):
        PINK = 4


attempt(extend)


class Mode(IntEnum):
    OFF = 0
    ON = auto()
    MAX = 10
    NEXT = auto()


print(Mode.ON, repr(Mode.ON), Mode.ON + 1, Mode.MAX > 5, Mode.ON == 1, [Mode.OFF, Mode.ON], f"{Mode.MAX:03d}", int(Mode.MAX), Mode(10) is Mode.MAX, Mode.NEXT.value)
print(isinstance(Mode.ON, int), sorted([Mode.MAX, Mode.OFF]), [10, 20, 30][Mode.ON], {1: "one"}[Mode.ON], Mode.MAX * 2, -Mode.MAX, Mode.MAX / 4, max(Mode))
print("abc"[Mode.ON], range(Mode.MAX), list(range(Mode.MAX))[Mode.ON:Mode.MAX:5], bool(Mode.OFF), bool(Mode.ON), str(Mode.ON), format(Mode.ON))


class Kind(StrEnum):
    DENSE = auto()
    SPARSE = "sp"


print(Kind.DENSE, repr(Kind.DENSE), Kind.SPARSE == "sp", Kind("dense"), Kind.SPARSE.upper(), f"{Kind.SPARSE:>5}", isinstance(Kind.DENSE, str), Kind.DENSE + "!", {"sp": 1}[Kind.SPARSE])


class Old(str, Enum):
    A = "a"
    B = "b"

    def shout(self):
        return self.value.upper()


print(Old.A, repr(Old.A), Old.A == "a", Old.A.shout(), Old("b"), f"{Old.A}", "%s" % Old.A, ",".join([Old.A, Old.B]), str(Old.A), "a" in list(Old))


class Perm(Flag):
    R = 4
    W = 2
    X = 1
    RWX = 7


print(Perm.R | Perm.W, repr(Perm.R | Perm.W), Perm.R & Perm.W, repr(Perm.R & Perm.W), Perm.R in Perm.RWX, ~Perm.R, list(Perm.RWX), len(Perm.RWX), bool(Perm(0)), Perm(3), Perm.R ^ Perm.RWX)
print(list(Perm), (Perm.R | Perm.X).value, (Perm.R | Perm.X).name, Perm(7), repr(Perm(0)), str(Perm(0)), Perm)
attempt(lambda: Perm(8))
attempt(lambda: Perm.R | 1)


class Bits(IntFlag):
    A = auto()
    B = auto()
    C = auto()


print(Bits.A, repr(Bits.A | Bits.C), Bits.A | 8, repr(Bits.A | 8), Bits.B + 1, Bits(0), repr(Bits(0)), ~Bits.A, repr(~Bits.A), Bits.A == 1, list(Bits), Bits.A | Bits.B == 3, f"{Bits.C}", Bits.C.value)


@unique
class Unique(Enum):
    A = 1
    B = 2


def duplicate():
    @unique
    class Twice(Enum):
        A = 1
        B = 1


attempt(duplicate)


class Planet(Enum):
    EARTH = (5.97e24, 6.37e6)
    MARS = (6.42e23, 3.39e6)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def density(self):
        return self.mass / self.radius

    @classmethod
    def heaviest(cls):
        return max(cls, key=lambda p: p.mass)

    @staticmethod
    def help():
        return "planets"


print(Planet.EARTH.mass, Planet.MARS.radius, Planet.heaviest(), Planet.EARTH.density > 1, Planet.help(), Planet.EARTH.value, repr(Planet.MARS))


class Level(Enum):
    def _generate_next_value_(name, start, count, last_values):
        return name.lower() + str(count)

    LOW = auto()
    HIGH = auto()


print([l.value for l in Level])


class Missing(Enum):
    A = 1

    @classmethod
    def _missing_(cls, value):
        return cls.A if value == "default" else None


print(Missing("default"))
attempt(lambda: Missing("x"))


class Coordinate(Enum):
    ORIGIN = (0, 0)
    UNIT = (1, 1)

    def __new__(cls, x, y):
        obj = object.__new__(cls)
        obj._value_ = x * 10 + y
        obj.x, obj.y = x, y
        return obj


print(Coordinate.UNIT.value, Coordinate.UNIT.x, Coordinate(11))

Animal = Enum("Animal", "CAT DOG")
print(Animal.CAT, Animal.DOG.value, list(Animal), Enum("E", {"A": 5})(5), Enum("F", [("X", 1), ("Y", 2)]).Y, IntEnum("G", ["P", "Q"]).Q + 1)


def describe(color):
    match color:
        case Color.RED:
            return "red!"
        case Color.GREEN | Color.BLUE:
            return "other"
        case _:
            return "?"


print(describe(Color.RED), describe(Color.BLUE), describe(3))


class Op(Enum):
    ADD = enum.member(lambda a, b: a + b)
    NAME = enum.nonmember("op")

    def __call__(self, *args):
        return self.value(*args)


print(Op.ADD(1, 2), Op.NAME, len(Op))


class Weekday(Enum):
    MON = "monday"
    TUE = "tuesday"

    def __str__(self):
        return self.value

    def __repr__(self):
        return f"W({self.name})"


print(Weekday.MON, repr(Weekday.MON), f"{Weekday.TUE}", [Weekday.MON])


class Float(float, Enum):
    HALF = 0.5
    TWO = 2.0


print(Float.HALF + 1, Float.TWO, Float(0.5), Float.TWO > Float.HALF)
print(enum.EnumMeta is enum.EnumType, issubclass(Color, Enum), Enum.__name__, type(Color).__name__)


class Shape(Enum):
    SQUARE = auto()
    CIRCLE = auto()

    @property
    def sides(self):
        return {Shape.SQUARE: 4, Shape.CIRCLE: 0}[self]


print(Shape.SQUARE.sides, [s.name for s in Shape], Shape.CIRCLE.value, Shape.SQUARE.SQUARE if False else "")
