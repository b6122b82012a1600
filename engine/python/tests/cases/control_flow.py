# try, with, loops and returns in every combination that matters.
def log(*a): print(*a)
class CM:
    def __init__(self, n, swallow=False): self.n, self.swallow = n, swallow
    def __enter__(self): log("enter", self.n); return self
    def __exit__(self, t, v, tb):
        log("exit", self.n, t.__name__ if t else None)
        return self.swallow
def f1():
    for i in range(3):
        try:
            with CM(i):
                if i == 1: return "returned"
        finally:
            log("finally", i)
log(f1())
def f2():
    try:
        try:
            raise KeyError("a")
        finally:
            log("first finally")
            raise ValueError("replaced")
    except ValueError as e:
        log(repr(e), repr(e.__context__))
        return "handled"
    finally:
        log("outer finally")
log(f2())
def f3():
    while True:
        try:
            try:
                break
            finally:
                log("inner")
        finally:
            log("outer")
    else:
        log("never")
    return "out"
log(f3())
def f4():
    for i in range(5):
        try:
            continue
        finally:
            if i == 2:
                break
    return i
log(f4())
def f5():
    with CM("a", True):
        with CM("b"):
            raise ValueError("x")
        log("not here")
    log("after")
    with CM("c"), CM("d", True):
        raise KeyError
    return "done"
log(f5())
def f6():
    try:
        return log("value") or "try"
    finally:
        log("cleanup")
        return "finally wins"
log(f6())
def f7():
    try:
        raise ValueError("one")
    except ValueError:
        try:
            raise KeyError("two")
        except KeyError as e:
            log(repr(e.__context__))
        try:
            raise
        except ValueError as e:
            log("still", e)
f7()
def f8():
    def gen():
        try:
            with CM("g"):
                yield 1
                yield 2
        finally:
            log("gen finally")
    g = gen()
    for v in g:
        log(v)
        break
    g.close()
    return "closed"
log(f8())
class BadExit:
    def __enter__(self): return self
    def __exit__(self, *a): raise RuntimeError("exit failed")
try:
    with BadExit():
        raise ValueError("body")
except RuntimeError as e:
    log(e, repr(e.__context__))
class BadEnter:
    def __enter__(self): raise RuntimeError("enter failed")
    def __exit__(self, *a): log("never")
try:
    with CM("o"), BadEnter(): pass
except RuntimeError as e:
    log(e)
class NoExit:
    def __enter__(self): pass
try:
    with NoExit(): pass
except TypeError as e:
    log(e)
try:
    try:
        raise OSError(2, "No such file")
    except (ValueError, OSError) as e:
        log(e, e.errno)
        raise TypeError from e
except TypeError as e:
    log(repr(e), repr(e.__cause__))
def f9(n):
    if n == 0: return "zero"
    elif n == 1: return "one"
    elif n < 0:
        return "negative"
    else:
        return "many"
log(f9(0), f9(1), f9(-1), f9(5))
n = 0
while n < 10:
    n += 1
    if n % 2: continue
    if n > 6: break
else:
    log("no")
log(n)
for a, b in zip([1, 2], "xy"):
    for c in range(2):
        if c: break
        log(a, b, c)
    else:
        log("no break")
from contextlib import contextmanager
@contextmanager
def managed(x):
    log("setup", x)
    try:
        yield x * 2
    except ValueError as e:
        log("inside", e)
    finally:
        log("teardown")
with managed(4) as v:
    log(v)
with managed(5) as v:
    raise ValueError("thrown")
def f10():
    with managed(1) as a:
        return a
log(f10())
class Stop:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration
        return self.n
log(list(Stop()), sum(Stop()), [*Stop()], max(Stop()), 2 in Stop())
class Old:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i * 10
log(list(Old()), 20 in Old())
log(next(iter([]), "default"))
e1 = None
try:
    raise ValueError("tb")
except ValueError as e:
    e1 = e
log(e1.__traceback__ is not None, e1.__traceback__.tb_lineno)
log(isinstance(e1.with_traceback(None), ValueError), e1.__traceback__)
assert (1, "tuple is true")
try:
    assert [], [1, 2]
except AssertionError as e:
    log(e.args)
def f11():
    for _ in [1]:
        try:
            raise ValueError
        except ValueError:
            continue
        finally:
            log("fin")
    return "ok"
log(f11())
