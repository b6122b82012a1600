"""Builtins: print options, sorted, zip, enumerate, isinstance, getattr, type, vars, iter with sentinel, slices."""
import sys

print(1, "a", None, sep="-", end="!\n")
print()
print("no newline", end="")
print(" then", "more", sep="")
print(*[1, 2, 3], sep=", ")
print("to stderr", file=sys.stderr)
print("flushed", flush=True)
sys.stdout.write("written\n")
print(isinstance(1, (str, int)), isinstance([], list), isinstance(1, int | str), type(1) is int, type("").__name__, issubclass(bool, int), callable(print), id(1) == id(1))
print(getattr("a", "upper")(), getattr(1, "nope", None), hasattr([], "append"), list(enumerate("ab")), list(zip("ab", [1, 2])), sorted({3: "c", 1: "a"}.items()), sorted("bca", reverse=True))
print(list(iter([1, 2])), list(iter(iter([3, 0]).__next__, 0)), next(iter("x")), slice(1, 5, 2), slice(5).indices(3), slice(None, None, -1).indices(4), [0, 1, 2, 3][slice(1, 3)])
print(abs(-3), pow(2, 5), pow(2, 5, 7), divmod(17, 5), round(3.14159, 3), sum([0.5, 0.25]), max("a", "b"), max([3, 1], default=0), max([], default=0), min([(2, "x"), (1, "z")]), ord("a"), chr(98), hash("a") == hash("a"))
print(repr("x"), str(5), bool([]), int(), str(), list(), dict(), tuple(), set(), float(), complex(), bytes(), bool(), object is object, Ellipsis, NotImplemented)
print(all([1, "a"]), any([0, ""]), list(map(str, [1, 2])), list(map(len, ["a", "bc"])), list(filter(str.isdigit, "a1b2")), len({1: 2}), reversed([1]).__class__.__name__)


class Plain:
  attribute = 1

  def method(self):
    return self


p = Plain()
p.own = 5
setattr(p, "other", 6)
delattr(p, "own")
print(vars(p), p.method() is p, Plain.method(p) is p, p.__class__ is Plain, "method" in dir(p), type(p) == Plain, isinstance(p, object), type("Made", (Plain,), {"x": 3}).x, Plain.__name__, __name__)
print(sys.argv[1:], sys.version_info >= (3, 10), sys.maxsize > 2**31, len(sys.argv))
print([] == (), 1 == True, "1" == 1, None == 0, [1, [2]] == [1, [2]], (1, 2) < (1, 3), "a" != "b", not None, 1 in [True], None in [None], [] or {} or "last", 0 and 1, 1 < 2 and 2 < 3, 5 if 0 else 6)
def docstring():
  "A docstring."
print(docstring.__doc__, docstring(), (lambda: None)(), __doc__[:9])
