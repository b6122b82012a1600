import traceback
def show(f):
    try:
        f()
    except Exception:
        traceback.print_exc()

class Thing:
    value = 1
    def method(self, x):
        return self.missing + x
    def items(self):
        return [v.nope for v in range(3)]
    @property
    def prop(self):
        raise ValueError("in property")

t = Thing()
show(lambda: t.method(1))
show(t.items)
show(lambda: t.prop)
show(lambda: t.vlaue)
show(lambda: [][1] + (1 + 2) * 3)
def f1():
    x = (1 + 2) * (3 - "a") ** 2
def f2():
    a = {"b": [1, 2]}
    return a["b"][5]
def f3():
    return sum(x / y for x, y in [(1, 0)])
def f4():
    x = 1
    x += "a"
def f5():
    assert 1 == 2, "why"
def f6():
    for i in 5: pass
def f7():
    a, b = 1, 2, 3
def f8():
    return undefind_thing(1)
def f9():
    raise ValueError(
        "multi",
        "line")
def f10():
    with open_it(): pass
def f11():
    lambda_ = lambda q: q.x
    return [lambda_(1), 2]
def f12():
    return {k: v[0] for k, v in {"a": 1}.items()}
def f13():
    print("a" if t.wrong else "b")
def f14():
    return "x".foo(1)[2]
def f15():
    del t.nothing
def f16():
    import does_not_exist.sub
def f17():
    return foo(1,
               2) + 3
def foo(a, b):
    return a.bar
def f18():
    return f"{1/0} text"
def f19():
    global_var = ünïcode = "e" + 1
def f20():
    "日本" + (1 +
      2)
def f21():
    t.value.x = 3
def f22():
    t[0] = 1
def f23():
    return -"a"
def f24():
    return 1 < "a"
def f25():
    return not_called.attr
def f26(n=3):
    if n == 0: raise KeyError("bottom")
    f26(n - 1)
def f27():
    yielded = list(g27())
def g27():
    yield 1
    yield 1 // 0
def f28():
    class Inner:
        x = 1 / 0
def f29():
    try:
        raise ValueError("a")
    except ValueError:
        try:
            raise TypeError("b")
        finally:
            raise KeyError("c")
def f30():
    return t.method(1, 2, 3)
def f31():
    return f26(nn=1)
for name in [f"f{i}" for i in range(1, 32)]:
    print(name)
    show(globals()[name])
def f32():
    return (t
            .value
            .nothing)
def f33():
    return ("abc"
            .replace("a", "b")
            .center(
                "x"))
def f34():
    return t \
        .method(1)[0]
for f in (f32, f33, f34):
    show(f)
