"""with: classes, contextmanager, several at once, suppression, ExitStack."""
import contextlib


class Manager:
  def __init__(self, name, swallow=False):
    self.name, self.swallow = name, swallow

  def __enter__(self):
    print("enter", self.name)
    return self.name.upper()

  def __exit__(self, kind, value, traceback):
    print("exit", self.name, kind.__name__ if kind else None, value)
    return self.swallow


with Manager("a") as a, Manager("b") as b:
  print(a, b)
with Manager("outer", swallow=True):
  with Manager("inner"):
    raise ValueError("lost")
print("after")


@contextlib.contextmanager
def section(title):
  print("begin", title)
  try:
    yield title * 2
  except KeyError as error:
    print("caught", error)
  finally:
    print("end", title)


with section("x") as s:
  print(s)
with section("y"):
  {}["missing"]
try:
  with section("z"):
    1 / 0
except ZeroDivisionError as error:
  print("escaped:", error)
with contextlib.suppress(ValueError, KeyError):
  int("not a number")
  print("not reached")


def early():
  with Manager("early"):
    return "returned"


print(early())
with contextlib.ExitStack() as stack:
  names = [stack.enter_context(Manager(n)) for n in "pq"]
  stack.callback(print, "callback")
  print(names)
with (
    Manager("c") as c,
    contextlib.nullcontext(5) as five,
):
  print(c, five)
for n in range(2):
  with Manager(str(n)):
    continue
