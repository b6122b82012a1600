import package
import package.second as s
from package import *
from package.first import one as uno
print(one(), second.two(), uno(), s is second, package.second.two())
try:
    hidden
except NameError as e:
    print(e)
import package.deeper
print(package.deeper.__name__, package.__doc__)
try:
    import package.deeper.leaf
except ImportError as e:
    print(type(e).__name__, e)
try:
    import package.nope
except ImportError as e:
    print(e)
try:
    from package import nope
except ImportError as e:
    print(str(e).split(" (")[0])
try:
    from package import cycle_a
except ImportError as e:
    print(str(e).split(" (")[0])
try:
    import math.pi
except ImportError as e:
    print(e)
from math import sqrt as root, floor
print(root(16), floor(2.5))
import sys
print("package" in sys.modules, package.__name__, __name__)
try:
    package.missing_thing
except AttributeError as e:
    print(e)
def inside():
    from package import second
    import math as m
    return second.two() + m.floor(1.5)
print(inside())

import types


class Counter:
    step = 3


def count(self, by):
    return self.step * by


bound = types.MethodType(count, Counter())
print(bound(2), isinstance(bound, types.MethodType), bound.__func__ is count)
try:
    types.MethodType(1, 2)
except TypeError as error:
    print(error)
plain = types.ModuleType("plain", "What it is.")
plain.__dict__.update({"a": 1})
print(plain.a, plain.__name__, plain.__doc__)
