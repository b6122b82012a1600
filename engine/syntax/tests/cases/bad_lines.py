import jax.numpy as jnp
import

def kernel(x_ref, o_ref):
    i = pl.program_id(
    x = x_ref[i, :
    y = foo(x, .z, w=2)
    z = jnp.
    w = x +
    for k in range(3)
        a = 1
    if x > :
        b = 2
    elif y ==
        b = 3
    else
        c = 4
    while
        d = 5
    with open(x as f:
        e = 6
    o_ref[...] = x
    s = 'abc
    return s

def broken(a, b=, *args, c, **kw:
    return a

@decorator(
def decorated(x):
    """Doc."""
    return x

class Broken(Base:
    x = 1
    y = = 2
    def method(self):
        return self.x

try:
    a = 1 +
except ValueError as:
    b = 2
finally:
    c = 3

match x:
    case 1
        a = 1
    case [a, b:
        b = 1
    case _:
        c = )

x = 1; y = (; z = 3
lst = [1, 2 3, 4]
d = {'a': 1, 'b' 2}
good = 1
