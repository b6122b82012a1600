"""Parameters of every kind, defaults, closures, lambdas, star arguments, annotations."""


def every(a, b=2, /, c=3, *args, d, e=5, **kwargs):
  return a, b, c, args, d, e, kwargs


print(every(1, d=4))
print(every(1, 20, 30, 40, 50, d=4, e=6, f=7, a=8))
print(every(*range(3), *[9, 10], d=0, **{"z": 1, "y": 2}))


def collect(item, into=[]):
  into.append(item)
  return into


print(collect(1), collect(2), collect(3, []), collect(4))
adders = [lambda x, n=n: x + n for n in range(3)]
late = [lambda x: x + n for n in range(3)]
print([add(10) for add in adders], [add(10) for add in late])


def counter(start: int = 0, *, step: int = 1):
  """Counts.

  The second paragraph.
  """
  count = start

  def advance() -> int:
    nonlocal count
    count += step
    return count
  return advance


tick, other = counter(step=5), counter(100)
print(tick(), tick(), other(), tick())
print(counter.__name__, counter.__doc__.splitlines()[0], counter.__annotations__, counter.__defaults__, counter.__kwdefaults__)
print(tick.__qualname__, (lambda: 0).__name__, every.__code__.co_argcount)
total = 0


def add_global(n):
  global total
  total += n


add_global(3)
add_global(4)
print(total, (lambda *a, **k: (a, k))(1, 2, x=3), callable(tick), callable(3))


def recursive(n):
  return 1 if n <= 1 else n * recursive(n - 1)


print(recursive(10), recursive(30), (lambda f, n: f(f, n))(lambda f, n: n if n < 2 else f(f, n - 1) + f(f, n - 2), 15))
first, *middle, last = [1, 2, 3, 4, 5]
(a, (b, *c)), d = (1, (2, 3, 4)), "d"
print(first, middle, last, a, b, c, d, [*range(3), *"ab"], {**{"a": 1}, "b": 2}, (*[1], 2))
x = y = []
x.append(1)
print(y, x is y, (x, y) == ([1], [1]))
