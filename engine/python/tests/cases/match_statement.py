class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
RED = "red"
class Color:
    RED = 1
def describe(v):
    match v:
        case None: return "none"
        case True | False: return "bool"
        case 0: return "zero"
        case -1 | 1.5: return "literal"
        case Color.RED: return "dotted"
        case int(n) if n > 100: return f"big {n}"
        case int(): return "int"
        case str() as s: return f"str {s}"
        case []: return "empty"
        case [x]: return f"one {x}"
        case [1, *rest]: return f"starts with one {rest}"
        case [a, b]: return f"pair {a} {b}"
        case [first, *_, last]: return f"{first}..{last}"
        case {"kind": "circle", "r": r}: return f"circle {r}"
        case {"kind": kind, **rest}: return f"{kind} {rest}"
        case Point(0, 0): return "origin"
        case Point(x=0, y=y): return f"on y {y}"
        case Point(x, y) if x == y: return f"diagonal {x}"
        case Point(): return "point"
        case (float() | complex()) as number: return f"number {number}"
        case _: return "other"
for v in [None, True, 0, -1, 1.5, 1, 500, 7, "hey", [], [9], [1, 2, 3], [4, 5], (6, 7, 8), {"kind": "circle", "r": 3}, {"kind": "sq", "a": 1}, {}, Point(0, 0), Point(0, 5), Point(3, 3), Point(1, 2), 2.5, 3j, object]:
    print(describe(v))
match [1, [2, [3, 4]]]:
    case [a, [b, [*c]]]:
        print(a, b, c)
match "x":
    case "y": print("no")
print(a)
match 5:
    case n if n < 3: print("small")
    case n: print("n", n)
try:
    match Point(1, 2):
        case Point(1, 2, 3): pass
except TypeError as e:
    print(e)
def loop(items):
    for item in items:
        match item:
            case "skip": continue
            case "stop": break
            case _: print(item)
    return "end"
print(loop(["a", "skip", "b", "stop", "c"]))
match (1, 2):
    case (x, y) | [x, y, _]: print(x, y)
