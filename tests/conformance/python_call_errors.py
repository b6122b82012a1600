"""Messages of calls that do not fit their function."""


def none():
  pass


def two(a, b):
  return a, b


def keywords(a, *, key, other=1):
  return a, key, other


def positional(a, b, /, c=0):
  return a, b, c


class Thing:
  def __init__(self, size):
    self.size = size

  def method(self, x):
    return x


name = "text"
CASES = [
    lambda: none(1), lambda: none(x=1), lambda: two(1), lambda: two(), lambda: two(1, 2, 3), lambda: two(1, a=2),
    lambda: two(1, c=2), lambda: keywords(1), lambda: keywords(1, 2), lambda: keywords(key=1), lambda: keywords(1, key=1, wrong=2),
    lambda: positional(1), lambda: positional(a=1, b=2), lambda: Thing(), lambda: Thing(1, 2), lambda: Thing(1).method(),
    lambda: (lambda x: x)(), lambda: len(), lambda: len(1), lambda: len([], []), lambda: CASES[0:0](), lambda: name(), lambda: None.size,
    lambda: two(*[1, 2, 3, 4]), lambda: two(**{"a": 1, "b": 2, "z": 3}), lambda: abs("a"), lambda: int("x"), lambda: int([]), lambda: float("1.x"),
    lambda: [].append(), lambda: {}.get(), lambda: "a".join([1]), lambda: sum(["a"]), lambda: max([]), lambda: iter(5), lambda: next(iter([])),
]
for case in CASES:
  try:
    print(case())
  except Exception as error:
    print(f"{type(error).__name__}: {error}")
