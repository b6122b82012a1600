"""Decorators: bare, called, stacked, on classes and methods, with wraps and state."""
import functools


def trace(function):
  @functools.wraps(function)
  def wrapper(*args, **kwargs):
    print(f"-> {function.__name__}{args}{kwargs or ''}")
    result = function(*args, **kwargs)
    print(f"<- {result}")
    return result
  return wrapper


def repeat(times):
  def decorate(function):
    def wrapper(*args):
      return [function(*args) for _ in range(times)]
    return wrapper
  return decorate


@trace
def add(a, b=1):
  """Adds."""
  return a + b


@repeat(times=3)
@trace
def shout(word):
  return word.upper()


print(add(1), add(1, b=5), add.__name__, add.__doc__, add.__wrapped__(5))
print(shout("a"))


class CountCalls:
  def __init__(self, function):
    self.function, self.calls = function, 0

  def __call__(self, *args):
    self.calls += 1
    return self.function(*args)


@CountCalls
def square(x):
  return x * x


print([square(n) for n in range(4)], square.calls)
REGISTRY = {}


def register(name):
  def add_to_registry(cls):
    REGISTRY[name] = cls
    cls.registered = name
    return cls
  return add_to_registry


@register("one")
class One:
  @trace
  def method(self_, x):
    return x

  @functools.cached_property
  def slow(self):
    print("computed")
    return 42


print(REGISTRY["one"] is One, One.registered)
one = One()
print(one.slow, one.slow)


@functools.lru_cache(maxsize=None)
def fibonacci(n):
  return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


print(fibonacci(80), fibonacci.cache_info().currsize)


@functools.singledispatch
def describe(x):
  return "something"


@describe.register
def _(x: int):
  return "an int"


@describe.register(list)
def _(x):
  return "a list"


print(describe(1), describe([]), describe("s"))
partial = functools.partial(add, 10, b=20)
print(partial(), partial.func is add, partial.args, partial.keywords)
print(functools.reduce(lambda a, b: a * b, range(1, 6)), functools.reduce(max, [3, 9, 2], 5))
print(sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)))
