"""try: order of clauses, else, finally, chaining, custom exceptions, re-raising, finally with return."""


def run(action):
  try:
    print("try", end=" ")
    result = action()
  except ZeroDivisionError:
    print("zero", end=" ")
    result = None
  except (KeyError, IndexError) as error:
    print("lookup", type(error).__name__, error, end=" ")
    result = -1
  except Exception as error:
    print("other", repr(error), end=" ")
    result = error.args
  else:
    print("else", end=" ")
  finally:
    print("finally", end=" ")
  return result


for action in (lambda: 1, lambda: 1 / 0, lambda: {}["k"], lambda: [][3], lambda: int("z"), lambda: None + 1, lambda: undefined_name):
  print(run(action))


class AppError(Exception):
  def __init__(self, message, code=7):
    super().__init__(message)
    self.code = code


class DeepError(AppError):
  pass


try:
  raise DeepError("deep", code=3)
except AppError as error:
  print(type(error).__name__, error, error.code, error.args, isinstance(error, AppError))
try:
  try:
    {}["a"]
  except KeyError as error:
    raise AppError("wrapped") from error
except AppError as error:
  print(error, "from", repr(error.__cause__))
try:
  try:
    1 / 0
  except ZeroDivisionError:
    [][0]
except IndexError as error:
  print(repr(error), "during", repr(error.__context__))


def overriding():
  try:
    return "try"
  finally:
    print("cleanup", end=" ")


def swallowed():
  for i in range(3):
    try:
      if i == 1:
        continue
      if i == 2:
        break
      print("body", i, end=" ")
    finally:
      print("finally", i, end=" ")
  return "end"


print(overriding(), swallowed())
try:
  try:
    raise ValueError("first")
  except ValueError:
    print("re-raising")
    raise
except ValueError as error:
  print("again", error)
try:
  assert 1 == 2, "one is not two"
except AssertionError as error:
  print("AssertionError:", error)
try:
  assert []
except AssertionError as error:
  print(repr(error))
try:
  raise RuntimeError
except RuntimeError as error:
  print(repr(error), str(error) == "")
for bad in (lambda: "a" + 1, lambda: 1 + "a", lambda: [1] + (2,), lambda: "a" * "b", lambda: -"a", lambda: {} < {}, lambda: 1 < "a", lambda: [1, 2]["a"],
            lambda: (1,)[5], lambda: "abc"[9], lambda: {1: 2}[3], lambda: {"k": 1}["j"], lambda: object().x, lambda: "s".nope, lambda: [].nope, lambda: {[]: 1},
            lambda: int("12a"), lambda: float("x"), lambda: chr(-1), lambda: [1, 2].remove(3), lambda: [1].index(5), lambda: 5 % 0, lambda: 5 // 0, lambda: 1.0 / 0,
            lambda: 0 ** -1, lambda: [].pop(), lambda: {}.popitem(), lambda: set().pop(), lambda: "x".index("y"), lambda: (lambda: (yield))().send(1),
            lambda: dict([1]), lambda: range(1, 2, 0), lambda: "%d" % "x", lambda: "{}".format(), lambda: "{a}".format(), lambda: f"{1:zz}", lambda: 1 << -1, lambda: not_defined,
            lambda: [a for a, b in [1]], lambda: next(iter(())), lambda: __import__("no_such_module"), lambda: (1, 2).append(3), lambda: (None or None)[0], lambda: len[0], lambda: len(5)):
  try:
    bad()
    print("nothing raised")
  except Exception as error:
    print(f"{type(error).__name__}: {error}")
try:
  a, b = [1, 2, 3]
except ValueError as error:
  print(error)
try:
  a, b, *c = [1]
except ValueError as error:
  print(error)
try:
  a, b, c = 1, 2
except ValueError as error:
  print(error)
try:
  a, b = 5
except TypeError as error:
  print(error)


def local_before_assignment():
  print(value)
  value = 1


try:
  local_before_assignment()
except UnboundLocalError as error:
  print(error)
