def f(): pass
def f(a): return
def f(a, b=1, *args, c, d=2, **kwargs): return a, b
def f(a, /): pass
def f(a, b=1, /, c=2, *, d): pass
def f(*, a): pass
def f(*args): pass
def f(**kwargs): pass
def f(a: int, b: str = 'x', *args: float, c: bool = True, **kwargs: dict) -> None: pass
def f(a, b,): pass
def f(
    a,  # first
    b=1,
):
    """Docstring."""
    return a
def f() -> tuple[int, str]:
    yield
    x = yield 1
    yield from y
    z = yield a, b
    (yield)
    return (yield x)
def f(x):
    def g(y):
        nonlocal x
        x = y
        return lambda z: x + y + z
    return g
@a
def f(): pass
@a.b(c)
@d
def f():
    pass
@(lambda f: f)
def f(): pass
@pl.when(i == 0)
def _():
    o_ref[...] = 0
async def f():
    await x
    y = await z(1)
    return await w
async def f():
    async for x in y: pass
    else: pass
    async with x as a, y: pass
    async with (x as a, y as b): pass
    return [z async for z in y if z for w in z]
def f(a=lambda x: x, b=[i for i in c]): pass
class C: pass
class C(): pass
class C(A, B): pass
class C(A, metaclass=M, **k): pass
class C(*bases): pass
class C:
    """Doc."""
    x: int = 1
    y = x
    def f(self, z=y): return self
    @property
    def g(self): return 1
    @staticmethod
    def h(): pass
    class D:
        z = 1
@dataclass(frozen=True)
class C:
    a: int
def f():
    def g(): pass

    # a comment

    class D:
        pass
    return g
def f(x): return x;
def f(a, b): a; b
