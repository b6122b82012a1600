"""Comprehension scopes, walrus, global and nonlocal, del, class scopes, shadowing, chained assignment."""
x = "module"
print([x for x in range(3)], x)
print([(i, j) for i in range(3) for j in range(i)], {i: [j for j in range(i)] for i in range(3)})
if (n := len("hello")) > 3 and (m := n * 2):
  print(n, m)
print([y := 1, y**2, y], [last := v for v in range(4)], last, any((hit := v) > 2 for v in [1, 3, 5]), hit)
while (n := n - 1) > 2:
  print(n, end=" ")
else:
  print("else", n)


def outer():
  x = "outer"

  def inner():
    nonlocal x
    x = "changed"

    def deepest():
      global x
      x = "module changed"
      return x
    return deepest()
  before = x
  return before, inner(), x


print(outer(), x)


class Scope:
  x = "class"
  y = x + "!"
  names = [i for i in range(2)]

  def method(self):
    return x, self.x

  z = (lambda self: self.y)


print(Scope().method(), Scope.y, Scope().z())
for i in range(3):
  pass
print(i)
for i in []:
  pass
else:
  print("empty loop, else", i)
for i in range(5):
  if i == 3:
    break
else:
  print("never")
print("broke at", i)
functions = []
for i in range(3):
  def function(i=i):
    return i, x
  functions.append(function)
print([f() for f in functions])
a = b = c = 0
a, b = b + 1, a + 2
a, b = b, a
print(a, b, c)
del a
try:
  a
except NameError as error:
  print(error)
l = [0, 1, 2]
i = 0
i, l[i] = 1, 9
print(i, l)
print((lambda: [z for z in "ab" if z != "a"])(), (lambda a, *b, c=1, **d: (a, b, c, d))(1, 2, c=3, e=4), [*(k for k in range(2))])
if True:
  conditional = "visible"
print(conditional, __name__, "x" in globals(), "nothing" in dir(), sorted(k for k in locals() if k.startswith("cond")))
print(int if False else str, print is print, [] is [], None is None, x is x, type(None).__name__, type(...).__name__, type(print).__name__, type(outer).__name__, type(Scope).__name__, type(len).__name__)
pass; print("a"); print("b")
value: int = 3
undefined: str
print(value, __annotations__)
