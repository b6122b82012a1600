"""Classes: inheritance, super, properties, class and static methods, operators, slots of behaviour."""


class Shape:
  count = 0

  def __init__(self, name):
    self.name = name
    Shape.count += 1

  def area(self):
    raise NotImplementedError(f"{type(self).__name__}.area")

  def __str__(self):
    return f"<{self.name} of {self.area()}>"


class Rectangle(Shape):
  def __init__(self, width, height):
    super().__init__("rectangle")
    self.width, self.height = width, height

  def area(self):
    return self.width * self.height

  @property
  def wide(self):
    return self.width > self.height

  @property
  def scale(self):
    return self.width

  @scale.setter
  def scale(self, value):
    self.width, self.height = value, value * self.height // self.width

  @classmethod
  def square(cls, side):
    return cls(side, side)

  @staticmethod
  def unit():
    return "metre"


class Cube(Rectangle):
  def area(self):
    return 6 * super().area()


r, s, c = Rectangle(4, 2), Rectangle.square(3), Cube.square(2)
print(r, s, c, Shape.count, r.wide, s.wide, Rectangle.unit(), c.unit())
r.scale = 8
print(r.width, r.height, isinstance(c, Shape), issubclass(Cube, Rectangle), type(c).__name__, [k.__name__ for k in Cube.__mro__])
try:
  print(Shape("none"))
except NotImplementedError as error:
  print("NotImplementedError", error)
try:
  s.wide = True
except AttributeError:
  print("AttributeError")


class Vector:
  def __init__(self, *xs):
    self.xs = xs

  def __repr__(self):
    return f"Vector({', '.join(map(str, self.xs))})"

  def __add__(self, other):
    return Vector(*(a + b for a, b in zip(self.xs, other.xs)))

  def __mul__(self, k):
    return Vector(*(x * k for x in self.xs)) if isinstance(k, (int, float)) else NotImplemented

  __rmul__ = __mul__

  def __matmul__(self, other):
    return sum(a * b for a, b in zip(self.xs, other.xs))

  def __neg__(self):
    return self * -1

  def __eq__(self, other):
    return isinstance(other, Vector) and self.xs == other.xs

  def __hash__(self):
    return hash(self.xs)

  def __len__(self):
    return len(self.xs)

  def __getitem__(self, i):
    return self.xs[i]

  def __contains__(self, x):
    return x in self.xs

  def __iter__(self):
    return iter(self.xs)

  def __bool__(self):
    return any(self.xs)

  def __call__(self, k):
    return self.xs[k]

  def __lt__(self, other):
    return self.xs < other.xs

  def __getattr__(self, name):
    if name == "first":
      return self.xs[0]
    raise AttributeError(f"no {name}")


v, w = Vector(1, 2, 3), Vector(4, 5, 6)
print(v + w, v * 2, 3 * v, v @ w, -v, v == Vector(1, 2, 3), v != w, len(v), v[1], v[-2:], 2 in v, list(v), bool(Vector(0, 0)), v(2), v < w, max(v, w), v.first)
print({v: "v"}[Vector(1, 2, 3)], [v, w], f"{v}", str(v), sorted([w, v]), hasattr(v, "second"), getattr(v, "third", "default"), sum(v))
try:
  v * "a"
except TypeError as error:
  print("TypeError:", error)
v += w
print(v, sorted(vars(r)), r.__dict__["name"], r.__class__.__name__, Cube.__bases__[0].__name__)


class Meta:
  def __init_subclass__(cls, /, tag=None, **kwargs):
    super().__init_subclass__(**kwargs)
    cls.tag = tag


class Tagged(Meta, tag="t"):
  x: int = 3
  items = [n * 2 for n in range(3)]


class A:
  def hello(self):
    return ["A"]


class B(A):
  def hello(self):
    return ["B"] + super().hello()


class C(A):
  def hello(self):
    return ["C"] + super().hello()


class D(B, C):
  def hello(self):
    return ["D"] + super().hello()


print(Tagged.tag, Tagged.items, Tagged.__annotations__, D().hello(), [k.__name__ for k in D.__mro__])
