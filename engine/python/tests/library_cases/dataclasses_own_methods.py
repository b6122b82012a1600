# Methods that a class has itself are not replaced.
import dataclasses
import inspect


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: tuple
    y: int = 2

    def __init__(self, x):
        object.__setattr__(self, "x", tuple(x))

    def __repr__(self):
        return f"own {self.x} {self.y}"

    def __eq__(self, other):
        return "equal"


@dataclasses.dataclass
class Doubled:
    x: int

    def __init__(self, value):
        self.x = value * 2

    def __hash__(self):
        return 5


print(Frozen([1, 2]), Frozen([1]) == 2, inspect.signature(Frozen))
print(Doubled(2), hash(Doubled(1)), inspect.signature(Doubled))


@dataclasses.dataclass(frozen=True)
class Inherits(Frozen):
    z: int = 3


print(Inherits((1,), 5, 6), Inherits((1,)).z, inspect.signature(Inherits))
