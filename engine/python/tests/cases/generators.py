def count(n):
    i = 0
    while i < n:
        received = yield i
        if received is not None:
            print("got", received)
        i += 1
    return "done"
g = count(3)
print(next(g), g.send("hello"), next(g))
try:
    next(g)
except StopIteration as e:
    print("stop", e.value)
print(list(count(4)), sum(count(5)), max(count(3)))

def delegating():
    result = yield from count(2)
    print("result", result)
    yield from [10, 20]
    yield from (x * x for x in range(3))
print(list(delegating()))

def nested_yields():
    x = (yield 1) + (yield 2) * (yield 3)
    print("x", x)
    y = [(yield "a"), (yield "b"), *(yield "c")]
    print(y)
    z = {"k": (yield "d"), (yield "e"): 5}
    print(z)
    print(f"{(yield 'f')} and {(yield 'g')!r}")
    print(max((yield "h"), (yield "i"), key=(yield "j")))
    w = (yield "k") if (yield "l") else (yield "m")
    print(w)
    d = {}
    d[(yield "n")] = (yield "o")
    print(d)
    d["q"] = 1
    d["q"] += yield "p"
    print(d, 1 < (yield "r") < (yield "s"))
    while (yield "while"):
        print("body")
    for item in (yield "for"):
        print("item", item)
    if (yield "if"):
        print("yes")
    return (yield "ret")
def drive(gen, sends):
    out = [next(gen)]
    try:
        for s in sends:
            out.append(gen.send(s))
    except StopIteration as e:
        out.append(("stop", e.value))
    return out
print(drive(nested_yields(), [10, 20, 30, "A", "B", ["C", "D"], 1, 2, "F", "G", 3, 4, None, False, "M", "N", "O", 7, 5, 9, True, False, [1, 2], True, "end"]))

def side(n, log):
    log.append(n)
    return n
def effects(log):
    r = side(1, log) + (yield) + side(2, log) + (yield) + side(3, log)
    log.append(r)
    yield log
log = []
g = effects(log)
next(g)
g.send(10)
print(g.send(20))

def guarded():
    try:
        while True:
            try:
                yield "wait"
            except ValueError as e:
                print("caught", e)
                yield "handled"
    finally:
        print("closing")
g = guarded()
print(next(g), g.throw(ValueError("v")), next(g))
g.close()
print(list(g))
g = guarded()
next(g)
try:
    g.throw(KeyError, "k")
except KeyError as e:
    print("out", e)

def inner():
    try:
        yield 1
        yield 2
    except RuntimeError as e:
        yield f"inner {e}"
    return 99
def outer():
    r = yield from inner()
    yield r
g = outer()
print(next(g), g.throw(RuntimeError("boom")), next(g), list(g))
def ignoring():
    try:
        yield
    except GeneratorExit:
        yield "no"
g = ignoring()
next(g)
try:
    g.close()
except RuntimeError as e:
    print(e)
def stop():
    yield 1
    raise StopIteration("x")
try:
    list(stop())
except RuntimeError as e:
    print(e, repr(e.__cause__))
g = count(2)
try:
    g.send(5)
except TypeError as e:
    print(e)
def recursive(tree):
    if isinstance(tree, list):
        for t in tree:
            yield from recursive(t)
    else:
        yield tree
print(list(recursive([1, [2, [3, 4], 5], [[6]]])))
def self_running():
    yield next(me)
me = self_running()
try:
    next(me)
except ValueError as e:
    print(e)
gen = (a * b for a in range(3) for b in range(a) if b != 1)
print(list(gen), list(gen))
print(type(count(1)).__name__, type(x for x in []).__name__)
def with_handler():
    try:
        1 / 0
    except ZeroDivisionError:
        yield "in handler"
        try:
            raise
        except ZeroDivisionError as e:
            yield f"again {e}"
g = with_handler()
print(next(g))
try:
    raise
except RuntimeError as e:
    print(e)
print(next(g))
class Tree:
    def __init__(self, v, l=None, r=None): self.v, self.l, self.r = v, l, r
    def __iter__(self):
        if self.l: yield from self.l
        yield self.v
        if self.r: yield from self.r
print(list(Tree(2, Tree(1), Tree(3))), [*Tree(1)], dict.fromkeys(Tree(5)))
a, b, *c = count(5)
print(a, b, c)
lam = lambda: (yield 5)
print(list(lam()))
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
out = []
for f in fib():
    if f > 50: break
    out.append(f)
print(out)
def finally_order():
    try:
        yield 1
        return "r"
    finally:
        yield "f"
g = finally_order()
print(list(g))
