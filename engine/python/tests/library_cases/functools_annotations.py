from __future__ import annotations

import abc
from functools import singledispatch


class Numeric(abc.ABC):
    pass


class Half:
    pass


Numeric.register(Half)


@singledispatch
def kind(value):
    return "other"


@kind.register
def _(value: int):
    return "int"


@kind.register
def _(value: Numeric):
    return "numeric"


@kind.register
def _(value: list | tuple):
    return "sequence"


print(kind(1), kind(Half()), kind([]), kind(()), kind("s"))


def wrong(value: "nothing"):
    pass


try:
    kind.register(wrong)
except NameError as error:
    print(type(error).__name__, error)
