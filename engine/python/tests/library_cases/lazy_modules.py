"""Packages that put an object in their place, which imports their parts when somebody asks; subscripts of types."""

import sys
import types


class Lazy(types.ModuleType):
    def __init__(self, name, file, parts, module_spec=None):
        super().__init__(name)
        self._parts = parts
        self.__all__ = list(parts)
        self.__file__ = file
        self.__spec__ = module_spec

    def __dir__(self):
        return self.__all__

    def __getattr__(self, name):
        if name in self._parts:
            value = self._parts[name]()
            setattr(self, name, value)
            return value
        raise AttributeError(f"module {self.__name__} has no attribute {name}")


class Plain(types.ModuleType):
    pass


made = []
lazy = Lazy("lazy", "lazy.py", {"part": lambda: made.append("part") or 5}, module_spec=None)
sys.modules["lazy"] = lazy
from lazy import part

import lazy as again

print(part, again is lazy, again.part, made, lazy.__name__, lazy.__doc__)
print(isinstance(lazy, types.ModuleType), isinstance(lazy, Lazy), isinstance(lazy, Plain), isinstance(sys, Lazy))
print(isinstance(sys, types.ModuleType), isinstance(types.ModuleType("m"), types.ModuleType), isinstance(3, Lazy))
try:
    from lazy import nothing
except ImportError as error:
    print(type(error).__name__)
print(lazy, Plain("plain", "What it is.").__doc__)
print(types.MappingProxyType[str, int])
for wrong in (lambda: Plain(), lambda: Plain(3)):
    try:
        wrong()
    except TypeError as error:
        print(type(error).__name__)
