def f(a, b=1, *c, d, **e):
    x = 1
    y, (z, *w) = 1, (2, 3)
    for i in range(3):
        j = i
    with open(a) as g, h as (k, l):
        pass
    import m, n.o, p as q
    from r import s, t as u
    def v(): inner = 1
    class W: attribute = 1
    try:
        pass
    except A as err:
        pass
    if (walrus := a) > 1: pass
    match a:
        case {'k': captured, **rest}: pass
        case [first, *others] | Point(x=first, y=others): pass
        case str() as text: pass
        case _: pass
    del deleted
    annotated: int
    aug += 1
    x.attribute = 1
    x[index] = 1
    lambda parameter: (inside := parameter)
    [comp for comp in a if (from_comp := comp)]
    return unbound
def f():
    global g1, g2
    g1 = 1
    local = 2
    def inner():
        nonlocal local
        local = 3
        other = 4
        def deeper():
            nonlocal other, local
            other = local = 5
def gen():
    yield 1
def gen():
    x = [(yield_) for i in j]
    return lambda: (yield)
def not_gen():
    def inner(): yield
    return inner
def gen():
    for i in range(3):
        if i:
            with a: x = yield from b
def f(x=(default := 1)): pass
def f():
    @(decorator := 1)
    def g(x=(d := 2)): pass
    class C(base := 3): pass
    {k: v for k, v in (first, [])}
    (total := total + v for v in w)
    [[(nested := x) for x in y] for y in z]
class C:
    a = 1
    b, c = a, a
    def method(self): self.x = local_to_method = 1
    for i in range(2): pass
    [x for x in y]
    lambda q: q
