import functools
from functools import partial, reduce, wraps, lru_cache, cache, cached_property, singledispatch, total_ordering, cmp_to_key, partialmethod


def f(a, b=2, *args, c=3, **kw):
    """Adds things."""
    return (a, b, args, c, kw)


p = partial(f, 1, c=10)
print(p(5), p(5, 6, d=7), p(c=20))
print(p.func is f, p.args, p.keywords)
q = partial(p, 7, e=8)
print(q.func is f, q.args, q.keywords, q())
print(partial(int, base=2)("1010"), repr(partial(int, base=2)), repr(partial(print, 1, "a", sep="-")))
try:
    partial(3)
except TypeError as error:
    print(error)
try:
    partial()
except TypeError as error:
    print(error)
p.note = "hello"
print(p.note, p.__dict__)
r = partial(p, 3)
print(r.func is p)


@partial(partial, f, 100)
def g():
    pass


print(g().__class__.__name__ if False else type(g).__name__, g.args[0])


class Tools:
    scale = partial(lambda x, y: x * y, 2)

    def method(self, a, b):
        return ("method", a, b)

    half = partialmethod(method, 1)
    both = partialmethod(method, a=1, b=2)

    @partialmethod
    @classmethod
    def build(cls, n):
        return cls.__name__, n


t = Tools()
print(t.scale(4), t.half(9), t.both(), t.build(3))

print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(lambda a, b: a + b, [], 5), reduce(lambda a, b: a + b, ["x"]))
try:
    reduce(lambda a, b: a, [])
except TypeError as error:
    print(error)


def logged(function):
    @wraps(function)
    def inner(*args, **kwargs):
        """Inner doc."""
        print("calling", function.__name__)
        return function(*args, **kwargs)
    return inner


@logged
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


add_plain = add.__wrapped__
print(add(2, 3), add.__name__, add.__doc__, add.__wrapped__(4, 5), add.__qualname__, add.__annotations__)
functools.update_wrapper(logged, add)
print(logged.__name__)

calls = []


@lru_cache(maxsize=2)
def slow(x, *, y=0):
    calls.append((x, y))
    return x * x + y


print(slow(1), slow(2), slow(1), slow(3), slow(2), slow(3, y=1), calls)
print(slow.cache_info(), slow.__name__, slow.cache_parameters())
slow.cache_clear()
print(slow.cache_info())
info = slow.cache_info()
print(info.hits, info.misses, info.maxsize, info.currsize, info[2])


@cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(80), fib.cache_info())


@lru_cache
def plain(a):
    return [a]


print(plain(1) is plain(1), plain(1.0) is plain(1), plain.cache_info().maxsize)


@lru_cache(typed=True)
def typed(a):
    return [a]


print(typed(1) is typed(1.0))
try:
    plain([1])
except TypeError as error:
    print(error)


class Cached:
    def __init__(self):
        self.count = 0

    @cached_property
    def value(self):
        """The value."""
        self.count += 1
        return self.count * 10

    @lru_cache
    def method(self, x):
        self.count += 1
        return x + 1


c = Cached()
print(c.value, c.value, c.count, c.__dict__, Cached.value.__doc__)
del c.__dict__["value"]
print(c.value, c.method(1), c.method(1), c.count)


@singledispatch
def show(value):
    return "other " + repr(value)


@show.register(int)
def _(value):
    return "int " + str(value)


@show.register
def _(value: str):
    return "str " + value


@show.register(list)
@show.register(tuple)
def _(value):
    return "sequence of " + ", ".join(show(v) for v in value)


class MyInt(int):
    pass


print(show(1), show("a"), show([1, "b", 2.5]), show((3,)), show(None), show(True), show(MyInt(5)))
print(show.dispatch(bool) is show.registry[int], show.__name__)
try:
    show()
except TypeError as error:
    print(error)


class Formatter:
    @functools.singledispatchmethod
    def fmt(self, arg):
        return "default"

    @fmt.register
    def _(self, arg: int):
        return "int"

    @fmt.register(str)
    def _(self, arg):
        return "str"


print(Formatter().fmt(1), Formatter().fmt("x"), Formatter().fmt(1.5))


@total_ordering
class Version:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n


a, b = Version(1), Version(2)
print(a < b, a <= b, a > b, a >= b, a == b, a != b, a <= Version(1), a >= Version(1))
try:
    total_ordering(type("Empty", (), {}))
except ValueError as error:
    print(error)

print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)), max([1, 5, 3], key=cmp_to_key(lambda a, b: a - b)))


def compose(*functions):
    return reduce(lambda f, g: lambda x: g(f(x)), functions)


print(compose(lambda x: x + 1, lambda x: x * 2, str)(4))
print(functools.WRAPPER_ASSIGNMENTS)


@functools.lru_cache(maxsize=None)
def decorated(x):
    return x


print(decorated(3), decorated.cache_info())
