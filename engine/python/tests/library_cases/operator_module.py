import operator as op
from operator import itemgetter, attrgetter, methodcaller
from types import SimpleNamespace

print(op.add(1, 2), op.sub(5, 3), op.mul(2, "ab"), op.truediv(7, 2), op.floordiv(7, 2), op.mod(7, 3), op.pow(2, 5), op.neg(3), op.pos(-1), op.abs(-4), op.inv(5), op.invert(0))
print(op.lshift(1, 4), op.rshift(16, 2), op.and_(6, 3), op.or_(6, 3), op.xor(6, 3), op.not_(0), op.truth([]), op.index(True))
print(op.eq(1, 1.0), op.ne(1, 2), op.lt(1, 2), op.le(2, 2), op.gt(1, 2), op.ge(1, 2), op.is_(None, None), op.is_not(1, None), op.contains([1, 2], 2), op.concat([1], [2]))
print(op.getitem({"a": 1}, "a"), op.countOf([1, 2, 1], 1), op.indexOf([1, 2, 3], 3), op.length_hint([1, 2]), op.length_hint(iter([]), 5) >= 0)
x = [1, 2, 3]
op.setitem(x, 0, 9)
op.delitem(x, 1)
print(x, op.iadd(x, [4]), x, op.iconcat([1], [2]), op.imul(3, 4))
print(itemgetter(1)("abc"), itemgetter(0, 2)("abc"), itemgetter("k")({"k": 5}), sorted([(2, "b"), (1, "c")], key=itemgetter(0)), itemgetter(slice(1, 3))([1, 2, 3, 4]))
o = SimpleNamespace(a=SimpleNamespace(b=3), c=4)
print(attrgetter("c")(o), attrgetter("a.b")(o), attrgetter("a.b", "c")(o), methodcaller("upper")("abc"), methodcaller("split", ",", maxsplit=1)("a,b,c"))
print(op.call(lambda a, b=1: a + b, 2, b=3), op.__add__(1, 2))


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


class Klass:
    pass


attempt(lambda: op.indexOf([1], 2))
attempt(lambda: itemgetter())
attempt(lambda: attrgetter(3))
attempt(lambda: attrgetter("zz")(Klass()))
attempt(lambda: op.add(1, "a"))
attempt(lambda: op.concat(1, 2))
attempt(lambda: op.index(1.5))
