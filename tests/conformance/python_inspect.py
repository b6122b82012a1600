"""Signatures, and calls bound to them."""

import inspect


def f(a, b=2, /, c=3, *args, d, e=5, **kwargs):
    pass


def g(x, y=1):
    pass


signature = inspect.signature(f)
print(signature)
bound = signature.bind(1, 20, 30, 40, 50, d=4, z=9)
print(bound, bound.args, bound.kwargs)
bound = signature.bind(1, d=4)
print(bound.arguments, bound.args, bound.kwargs)
bound.apply_defaults()
print(bound.arguments, bound.args, bound.kwargs)
partial = signature.bind_partial(e=7)
print(partial, partial.args, partial.kwargs)
partial.apply_defaults()
print(partial.arguments)
print(inspect.signature(g).bind_partial(y=2).arguments)
print(inspect.signature(g).bind(y=2, x=1).arguments)
print(bound.signature == signature or type(bound.signature).__name__)
print("a" in partial.arguments, "e" in partial.arguments)

for call in (
    lambda: signature.bind(),
    lambda: signature.bind(1),
    lambda: signature.bind(a=1, d=4),
    lambda: inspect.signature(g).bind(1, 2, 3),
    lambda: inspect.signature(g).bind(1, x=1),
    lambda: inspect.signature(g).bind(1, z=1),
    lambda: inspect.signature(g).bind_partial(z=1),
    lambda: inspect.signature(g).bind(),
):
    try:
        call()
    except TypeError as error:
        print(error)


class Method:
    def run(self, x, *, y=0):
        pass


print(inspect.signature(Method().run).bind(1, y=2))
print(inspect.signature(Method.run).bind_partial())

import os

print(os.sys is __import__("sys"))
