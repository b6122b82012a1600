import contextlib
from contextlib import contextmanager, suppress, nullcontext, ExitStack, closing, redirect_stdout
import io


@contextmanager
def tag(name):
    """A tag."""
    print(f"<{name}>")
    try:
        yield name.upper()
    except ValueError as error:
        print("caught", error)
    finally:
        print(f"</{name}>")


with tag("b") as value:
    print(value)
with tag("v"):
    raise ValueError("inside")
try:
    with tag("t"):
        raise TypeError("through")
except TypeError as error:
    print("outside", error)


@tag("deco")
def decorated(x):
    print("body", x)
    return x * 2


print(decorated(4), decorated(5), decorated.__name__, tag.__name__, tag.__doc__)


@contextmanager
def never():
    if False:
        yield


@contextmanager
def twice():
    yield 1
    yield 2


@contextmanager
def swap_error():
    try:
        yield
    except KeyError as error:
        raise RuntimeError("swapped") from error


for manager in (never, twice, swap_error):
    try:
        with manager():
            if manager is swap_error:
                raise KeyError("k")
    except Exception as error:
        print(type(error).__name__, error, type(error.__cause__).__name__)

with suppress(KeyError, ZeroDivisionError):
    1 / 0
with suppress(KeyError):
    {}["x"]
try:
    with suppress(KeyError):
        raise IndexError("i")
except IndexError as error:
    print("not suppressed", error)

with nullcontext(5) as n, nullcontext() as none:
    print(n, none)


class Resource:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, kind, value, tb):
        print("exit", self.name, kind.__name__ if kind else None)
        return self.name == "swallow"

    def close(self):
        print("close", self.name)


with ExitStack() as stack:
    a = stack.enter_context(Resource("a"))
    b = stack.enter_context(Resource("b"))
    stack.callback(print, "callback", 1, sep="-")
    print(a.name, b.name)
with ExitStack() as stack:
    stack.enter_context(Resource("swallow"))
    stack.enter_context(Resource("x"))
    raise ValueError("gone")
try:
    with ExitStack() as stack:
        stack.enter_context(Resource("y"))
        raise ValueError("stays")
except ValueError as error:
    print(error)
stack = ExitStack()
stack.enter_context(Resource("later"))
moved = stack.pop_all()
stack.close()
moved.close()
with closing(Resource("c")) as c:
    print(c.name)

buffer = io.StringIO()
with redirect_stdout(buffer):
    print("captured", 1)
print(repr(buffer.getvalue()))


class Timer(contextlib.ContextDecorator):
    def __enter__(self):
        print("start")
        return self

    def __exit__(self, *args):
        print("stop")
        return False


@Timer()
def timed(x):
    return x + 1


print(timed(1))
with Timer() as t:
    print(type(t).__name__)


class Klass:
    @contextmanager
    def scope(self, n):
        yield (self.__class__.__name__, n)


with Klass().scope(3) as pair:
    print(pair)


def gen():
    with tag("g") as t:
        yield t


print(list(gen()))
try:
    with 3:
        pass
except TypeError as error:
    print(error)
