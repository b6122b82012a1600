import abc
import copy
import gc
import numbers
import types
import weakref
from abc import ABC, abstractmethod
from types import SimpleNamespace


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


a = [1, [2, 3], {"k": [4]}, (5, [6])]
b, c = copy.copy(a), copy.deepcopy(a)
a[1].append(9)
a[2]["k"].append(10)
a[3][1].append(11)
print(b, c, b is not a, copy.copy({1}) == {1}, copy.copy((1, 2)), copy.deepcopy({"x": {1, 2}}))


class Thing:
    def __init__(self):
        self.items = [1]
        self.me = self


t = Thing()
u, v = copy.copy(t), copy.deepcopy(t)
t.items.append(2)
print(u.items, v.items, v.me is v, u.me is t)


class Custom:
    def __copy__(self):
        return "copied"

    def __deepcopy__(self, memo):
        return "deep"


print(copy.copy(Custom()), copy.deepcopy([Custom()]))
loop = []
loop.append(loop)
d = copy.deepcopy(loop)
print(d[0] is d, copy.deepcopy(attempt) is attempt, copy.deepcopy(Thing) is Thing)

n = SimpleNamespace(a=1, b="x")
n.c = [1]
print(n, n.a, n == SimpleNamespace(a=1, b="x", c=[1]), n != SimpleNamespace(), vars(n), n.__dict__)
del n.a
print(n)
attempt(lambda: SimpleNamespace(1))
print(isinstance(attempt, types.FunctionType), isinstance(len, types.BuiltinFunctionType), isinstance(None, types.NoneType), isinstance(types, types.ModuleType), isinstance((lambda: 0), types.LambdaType), isinstance(t.__init__, types.MethodType), isinstance((i for i in []), types.GeneratorType), isinstance(list[int], types.GenericAlias), isinstance(int | str, types.UnionType), isinstance(..., types.EllipsisType))
mod = types.ModuleType("made", "doc")
mod.x = 1
print(mod.x, mod.__name__, mod.__doc__)
proxy = types.MappingProxyType({"a": 1})
print(proxy["a"], len(proxy), dict(proxy))


class Base(ABC):
    @abstractmethod
    def area(self):
        ...

    @property
    @abstractmethod
    def name(self):
        ...

    def describe(self):
        return f"{self.name}: {self.area()}"


class Half(Base):
    def area(self):
        return 1


class Whole(Half):
    @property
    def name(self):
        return "whole"


attempt(lambda: Base())
attempt(lambda: Half())
print(Whole().describe(), issubclass(Whole, Base), sorted(Base.__abstractmethods__), isinstance(Base, abc.ABCMeta))


class Meta(metaclass=abc.ABCMeta):
    @classmethod
    @abstractmethod
    def make(cls):
        ...

    @staticmethod
    @abstractmethod
    def stat():
        ...


attempt(lambda: Meta())


class Virtual(ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return hasattr(other, "quack") or NotImplemented


class Duck:
    def quack(self):
        pass


class Reg:
    pass


Virtual.register(Reg)
print(isinstance(Duck(), Virtual), isinstance(Reg(), Virtual), isinstance(3, Virtual), issubclass(Duck, Virtual), issubclass(Reg, Virtual))
print([cls.__name__ for cls in (numbers.Number, numbers.Real, numbers.Integral, numbers.Complex) for value in (1,) if isinstance(value, cls)], isinstance(1.5, numbers.Integral), isinstance(1.5, numbers.Real), isinstance(1j, numbers.Real), isinstance("a", numbers.Number), isinstance(True, numbers.Integral))
r = weakref.ref(t)
print(r() is t, gc.collect() >= 0)
