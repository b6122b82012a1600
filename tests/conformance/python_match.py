"""match: literals, captures, sequences, mappings, classes, guards, alternatives."""
from dataclasses import dataclass
from enum import Enum


@dataclass
class Point:
  x: int
  y: int


class Kind(Enum):
  A = 1
  B = 2


def describe(value):
  match value:
    case 0:
      return "zero"
    case True | False:
      return "a bool"
    case int(n) if n < 0:
      return f"negative {n}"
    case int() | float():
      return "a number"
    case "":
      return "empty"
    case str(text):
      return f"text {text!r}"
    case []:
      return "no items"
    case [x]:
      return f"one item {x}"
    case [("add" | "sub") as op, x, y]:
      return f"{op} {x} {y}"
    case [first, *rest] if len(rest) > 3:
      return f"many, first {first}"
    case (x, y):
      return f"pair {x} {y}"
    case {"type": "circle", "r": r}:
      return f"circle {r}"
    case {"type": kind, **rest}:
      return f"{kind} with {rest}"
    case Point(x=0, y=y):
      return f"on the axis at {y}"
    case Point(x, y) if x == y:
      return "diagonal"
    case Point():
      return "a point"
    case Kind.A:
      return "kind A"
    case None:
      return "nothing"
    case _:
      return f"unknown {type(value).__name__}"


for value in (0, True, -3, 7, 2.5, "", "hi", [], [1], ["add", 1, 2], ["mul", 1, 2], (1, 2), [1, 2, 3, 4, 5], {"type": "circle", "r": 2},
              {"type": "box", "w": 1, "h": 2}, {}, Point(0, 5), Point(2, 2), Point(1, 2), Kind.A, Kind.B, None, {1, 2}):
  print(f"{value!s:32} {describe(value)}")


def nested(tree):
  match tree:
    case {"left": l, "right": r}:
      return nested(l) + nested(r)
    case [*items]:
      return sum(nested(item) for item in items)
    case int(n):
      return n
  return 0


print(nested({"left": [1, 2, {"left": 3, "right": 4}], "right": 5}))
match = {"match": 1}
print(match["match"])
