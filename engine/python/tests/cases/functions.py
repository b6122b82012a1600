# Definitions, defaults, every kind of parameter, closures.
def plain(a, b=2, *args, c, d=4, **kwargs):
    return a, b, args, c, d, kwargs

print(plain(1, c=3))
print(plain(1, 20, 30, 40, c=50, d=60, e=70))
print(plain(*[1, 2, 3], **{"c": 9, "z": 1}))

def positional_only(a, b, /, c, *, d):
    return a + b + c + d

print(positional_only(1, 2, 3, d=4), positional_only(1, 2, c=3, d=4))

def counter():
    count = 0
    def step(by=1):
        nonlocal count
        count += by
        return count
    return step

step = counter()
print(step(), step(5), step())
other = counter()
print(other())

total = 0
def add(n):
    global total
    total += n
add(3)
add(4)
print(total)

square = lambda x, y=2: x ** y
print(square(3), square(2, y=5), (lambda *a, **k: (a, k))(1, 2, z=3))

def fact(n):
    return 1 if n < 2 else n * fact(n - 1)
print(fact(20), fact(30))

def decorate(label):
    def wrap(f):
        def inner(*args, **kwargs):
            print(label, f.__name__, args, kwargs)
            return f(*args, **kwargs)
        return inner
    return wrap

@decorate("outer")
@decorate("inner")
def decorated(x, y=1):
    return x + y

print(decorated(1, y=5))

def mutable(x, acc=[]):
    acc.append(x)
    return acc
print(mutable(1), mutable(2))
print([f(2) for f in [lambda x, n=n: x * n for n in range(4)]])
print([f(2) for f in [lambda x: x * n for n in range(4)]])
print(fact.__name__, fact.__qualname__, step.__qualname__, plain.__defaults__, plain.__kwdefaults__)
def annotated(x: int, y: "str" = "a") -> float:
    """Doc."""
print(annotated.__annotations__, annotated.__doc__)

def unbound():
    print(value)
    value = 1
try:
    unbound()
except UnboundLocalError as e:
    print(e)

def outer():
    def inner():
        return late
    try:
        inner()
    except NameError as e:
        print(type(e).__name__, e)
    late = 5
    return inner()
print(outer())

for call in [
    lambda: plain(),
    lambda: plain(1),
    lambda: fact(),
    lambda: fact(1, 2),
    lambda: positional_only(1, 2, 3),
    lambda: positional_only(1, b=2, c=3, d=4),
    lambda: positional_only(1, 2, 3, 4, d=5),
    lambda: plain(1, a=2, c=3),
    lambda: fact(1, m=3),
    lambda: fact(m=3),
    lambda: mutable(),
    lambda: mutable(1, 2, 3),
    lambda: (lambda a, b, c: 0)(),
    lambda: (lambda: 0)(1),
    lambda: fact(*5),
    lambda: fact(**5),
    lambda: plain(1, **{"c": 1}, **{"c": 2}),
    lambda: (5)(3),
    lambda: len(),
    lambda: len(1, 2),
    lambda: [].append(),
    lambda: isinstance(1),
]:
    try:
        call()
    except TypeError as e:
        print(e)
del step
try:
    step
except NameError as e:
    print(e)
x = y = [1]
x += [2]
print(y, x is y)
def gen_swap(a, b):
    a, b = b, a
    return a, b
print(gen_swap(1, 2))
