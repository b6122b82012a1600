class Base:
    """Base doc."""
    kind = "base"
    def __init__(self, x):
        self.x = x
    def show(self):
        return f"Base({self.x})"
    @classmethod
    def make(cls, x):
        return cls(x)
    @staticmethod
    def helper(a, b):
        return a * b
    @property
    def double(self):
        return self.x * 2
    @double.setter
    def double(self, value):
        self.x = value // 2
    def __repr__(self):
        return f"{type(self).__name__}<{self.x}>"

class Child(Base):
    kind = "child"
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y
    def show(self):
        return super().show() + f"+{self.y}"
    @classmethod
    def make(cls, x):
        return super().make2(x) if hasattr(super(), "make2") else cls(x, 0)

b = Base(3)
c = Child(1, 2)
print(b, c, b.show(), c.show(), Base.make(7), Child.make(8), Base.helper(3, 4), c.helper(1, 2))
print(b.double, c.kind, Base.kind, Child.__mro__, isinstance(c, Base), issubclass(Child, Base))
b.double = 20
print(b.x, b.__dict__, c.__dict__, Base.__doc__, Child.__name__, Child.__bases__)

class A:
    def f(self): return "A"
class B(A):
    def f(self): return "B" + super().f()
class C(A):
    def f(self): return "C" + super().f()
class D(B, C):
    def f(self): return "D" + super().f()
print(D().f(), [k.__name__ for k in D.__mro__])
try:
    class X(A, B): pass
except TypeError as e:
    print(e)

class Vector:
    def __init__(self, *items): self.items = list(items)
    def __len__(self): return len(self.items)
    def __getitem__(self, i): return self.items[i]
    def __setitem__(self, i, v): self.items[i] = v
    def __delitem__(self, i): del self.items[i]
    def __iter__(self): return iter(self.items)
    def __contains__(self, v): return v in self.items
    def __add__(self, o): return Vector(*[a + b for a, b in zip(self, o)])
    def __radd__(self, o): return Vector(*[o + a for a in self])
    def __iadd__(self, o):
        self.items = [a + o for a in self.items]
        return self
    def __mul__(self, o): return NotImplemented
    def __rmul__(self, o): return Vector(*[o * a for a in self])
    def __matmul__(self, o): return sum(a * b for a, b in zip(self, o))
    def __neg__(self): return Vector(*[-a for a in self])
    def __eq__(self, o): return isinstance(o, Vector) and self.items == o.items
    def __lt__(self, o): return self.items < o.items
    def __bool__(self): return any(self.items)
    def __call__(self, *a, **k): return ("called", a, k)
    def __repr__(self): return "V" + repr(tuple(self.items))
    def __format__(self, spec): return f"<{spec}>"
    def __index__(self): return len(self)
    def __float__(self): return float(sum(self))
    def __int__(self): return int(sum(self))
    def __str__(self): return "vector"
v = Vector(1, 2, 3)
v[0] = 10
print(len(v), v[0], v[1:], list(v), 2 in v, 5 in v, v + v, 1 + v, 3 * v, v @ v, -v, v == Vector(10, 2, 3), v != v)
v += 1
print(v, repr(v), f"{v:abc}", f"{v!r}", "%s %r" % (v, v), bool(v), bool(Vector()), v(1, k=2), [0, 1, 2, 3, 4][v], float(v), int(v))
print(v < Vector(100), v > Vector(100), hex(v))
del v[0]
print(v.items)
try:
    v * 2
except TypeError as e:
    print(e)
try:
    hash(v)
except TypeError as e:
    print(e)
try:
    v <= v
except TypeError as e:
    print(e)

class Dynamic:
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return name.upper()
    def __setattr__(self, name, value):
        print("set", name, value)
        super().__setattr__(name, value)
    def __delattr__(self, name):
        print("del", name)
        object.__delattr__(self, name)
d = Dynamic()
d.field = 3
print(d.field, d.other, getattr(d, "_x", "default"), hasattr(d, "_y"))
del d.field
print(d.field)

class Meta:
    def __init_subclass__(cls, /, tag=None, **kw):
        super().__init_subclass__(**kw)
        cls.tag = tag
class Tagged(Meta, tag="hello"): pass
print(Tagged.tag)

class Descriptor:
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, owner=None):
        if obj is None: return self
        return obj.__dict__.get(self.name, "unset")
    def __set__(self, obj, value): obj.__dict__[self.name] = value * 2
class Uses:
    field = Descriptor()
u = Uses()
print(u.field)
u.field = 4
print(u.field, u.__dict__, Uses.field.name)

class Singleton:
    instance = None
    def __new__(cls, *args):
        if cls.instance is None:
            cls.instance = super().__new__(cls)
        return cls.instance
    def __init__(self, *args): self.args = args
print(Singleton(1) is Singleton(2), Singleton(3).args)

class MyList(list):
    def total(self): return sum(self)
m = MyList([1, 2, 3])
m.append(4)
print(m, m.total(), len(m), m[1:], isinstance(m, list), m == [1, 2, 3, 4], type(m).__name__, [*m], m + [5])
class MyDict(dict):
    def __missing__(self, key): return key * 2
    def __getattr__(self, name): return self[name]
md = MyDict(a=1)
md["b"] = 2
print(md, md["zz"], md.a, dict(md), {**md}, "a" in md, sorted(md), len(md))
class MyInt(int):
    def __new__(cls, v): return super().__new__(cls, v + 1)
    def __repr__(self): return f"MyInt({int(self)})"
print(MyInt(4), MyInt(4) + 1, MyInt(3) == 4, [10, 20, 30, 40, 50][MyInt(2)])
class MyStr(str):
    def shout(self): return self.upper() + "!"
print(MyStr("hey").shout(), MyStr("a") + "b", MyStr("x") == "x", {MyStr("k"): 1}["k"])
class Pair(tuple):
    def __new__(cls, a, b): return tuple.__new__(cls, (a, b))
    @property
    def first(self): return self[0]
p = Pair(1, 2)
print(p, p.first, p == (1, 2), hash(p) == hash((1, 2)))

class Slots:
    __slots__ = ("a", "b")
    def __init__(self): self.a = 1
s = Slots()
s.b = 2
try:
    s.c = 3
except AttributeError as e:
    print(e)
try:
    class RO:
        @property
        def p(self): return 1
    RO().p = 2
except AttributeError as e:
    print(e)
class Outer:
    class Inner:
        value = 3
        def m(self): return Outer.Inner.__qualname__
    alias = Inner
print(Outer.Inner.value, Outer.alias().m(), Outer.Inner.m.__qualname__)
print(type("Made", (Base,), {"extra": 5})(1).extra, type(3), type(b).__name__)
class G:
    def __class_getitem__(cls, item): return (cls.__name__, item)
print(G[int], list[int], dict[str, int], int | None)
class Empty: pass
for action in (lambda: Empty(1), lambda: Empty().missing, lambda: Empty.missing, lambda: Empty()(), lambda: len(Empty()), lambda: Empty() + 1, lambda: Empty()[0], lambda: iter(Empty()), lambda: Base(), lambda: Base(1, 2, 3), lambda: b.show(1)):
    try:
        action()
    except (TypeError, AttributeError) as e:
        print(type(e).__name__, e)
x = 1
class Scope:
    x = 2
    y = [x for _ in range(1)]
    def get(self): return x
print(Scope.x, Scope.y, Scope().get())
print(vars(Empty()), sorted(k for k in vars(Outer) if not k.startswith("__")))
class WithCls:
    @classmethod
    def name(cls): return cls.__name__
print(WithCls().name(), WithCls.name())
class M(type):
    def __new__(mcls, name, bases, ns, **kw):
        cls = super().__new__(mcls, name, bases, ns)
        cls.made_by = mcls.__name__
        return cls
    def __call__(cls, *args):
        print("calling", cls.__name__)
        return super().__call__(*args)
    def __len__(cls): return 42
class WithMeta(metaclass=M): pass
class SubMeta(WithMeta): pass
print(WithMeta.made_by, type(SubMeta) is M, len(WithMeta), isinstance(WithMeta(), WithMeta))
class P:
    def __eq__(self, o): return NotImplemented
    def __hash__(self): return 1
print(P() == P(), P() != 3, {P(): 1, P(): 2}.__len__())
class R1:
    def __radd__(self, o): return "R1"
class L1:
    def __add__(self, o): return "L1"
class L2(L1):
    def __radd__(self, o): return "L2r"
print(1 + R1(), L1() + R1(), L1() + L2())
