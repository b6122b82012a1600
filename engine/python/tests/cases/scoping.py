# Where names live: functions, classes, comprehensions, globals and nonlocals.
x = "module"
def shadow():
    x = "function"
    class C:
        y = x
        x = "class"
        z = x
        def method(self): return x
        items = [x for _ in range(1)]
        pairs = [(i, j) for i in range(2) for j in range(2)]
    return C.y, C.x, C.z, C().method(), C.items, C.pairs
try:
    print(shadow())
except NameError as e:
    print("NameError", e)
def levels():
    a = 1
    def one():
        nonlocal a
        a += 1
        def two():
            nonlocal a
            a += 10
            return a
        return two
    two = one()
    print(two(), a)
levels()
def uses_global():
    global created
    created = 5
    def inner():
        global created
        created += 1
    inner()
uses_global()
print(created)
def walrus():
    if any((hit := n) > 2 for n in range(5)):
        print("hit", hit)
    print([last := v for v in "ab"], last)
walrus()
fs = []
for i in range(3):
    def f(i=i): return i
    fs.append(f)
print([f() for f in fs], i)
def deleted():
    v = 1
    del v
    try:
        return v
    except UnboundLocalError as e:
        return str(e)
print(deleted())
def conditional(flag):
    if flag:
        value = 1
    return value
try:
    conditional(False)
except UnboundLocalError as e:
    print(e)
def comprehension_scope():
    i = 10
    squares = [i * i for i in range(3)]
    return i, squares, {i for i in range(2)}, list(i for i in range(2))
print(comprehension_scope())
def closure_in_comprehension():
    k = 3
    return [lambda: k + j for j in range(2)], k
print([f() for f in closure_in_comprehension()[0]])
class Counter:
    total = 0
    def __init__(self):
        Counter.total += 1
        self.id = Counter.total
    def __class_name(self): return "private"
    def call(self): return type(self).__name__
print(Counter().id, Counter().id, Counter.total)
def outer():
    def rec(n): return 0 if n == 0 else 1 + rec(n - 1)
    return rec(5)
print(outer())
def default_order(a, b=[], *, c=len("abc"), **d): return a, b, c, d
print(default_order(1, z=2))
lambda_list = [lambda a, *b, c=1, **d: (a, b, c, d)]
print(lambda_list[0](1, 2, 3, c=4, e=5))
try:
    del undefined_name
except NameError as e:
    print(e)
def star(*args, **kwargs): return args, kwargs
print(star(*(1, 2), 3, *[4], **{"a": 1}, b=2), star(*"ab"))
print((lambda x: (yield x))(1).__next__())
def nested_class():
    class A:
        def get(self): return __class__.__name__
        def sup(self): return super().__repr__()[:10]
    return A()
print(nested_class().get())
def exception_name_unbound():
    try:
        raise ValueError("v")
    except ValueError as err:
        kept = err
    try:
        err
    except UnboundLocalError as e:
        return str(e), str(kept)
print(exception_name_unbound())
import math as m, sys
from math import floor as fl, ceil
print(m.floor(1.5), fl(2.5), ceil(0.5))
g = (n for n in [x for x in range(4)] if n % 2)
print(list(g))
print([(a, b) for a in range(3) if a for b in range(a)], [[c for c in range(r)] for r in range(3)])
def returns_nothing(): pass
print(returns_nothing(), (lambda: None)())
a, (b, *c), d = 1, (2, 3, 4), 5
print(a, b, c, d)
for i, (j, k) in enumerate([(1, 2), (3, 4)]):
    print(i, j, k)
obj = type("O", (), {})()
obj.a, obj.b = 1, 2
lst = [0, 0]
lst[0], lst[1] = lst[1] + 1, 5
print(obj.a, obj.b, lst)
i = 0
lst = [10, 20]
i, lst[i] = 1, 99
print(i, lst)
print([*range(2), *[5]], {**{"a": 1}}, f"{'a' 'b'}{1:{2}}")
def f(a, /, b, *, c): return a, b, c
print(f(1, c=3, b=2))
try:
    exec
except NameError:
    pass
x = 5
def late_global(): return x
x = 6
print(late_global())
def global_in_class():
    class G:
        global made_here
        made_here = "yes"
    return G
global_in_class()
print(made_here)
