from __future__ import annotations
from __future__ import (annotations, division)
pass
x = 1
x = y = z = 1
x, y = y, x
(x, y) = z
[x, y] = z
x, *y = z
x, (y, *z), [w] = a
*x, = y
x.y = 1
x[0] = 1
x[0], y.z = 1, 2
x: int
x: int = 1
x.y: int = 1
x[0]: int = 1
(x): int = 1
x: tuple[int, ...] = 1, 2
x: a | b | None = None
x: list[int] | dict[str, int] | None
x: a.b[c, d]
x: 'str'
x: Callable[[int, str], None]
x: Float[Array, "m n"]
x: tuple[int,]
x: list[a.b[c]].d
x += 1
x -= y, z
x *= 2; y /= 2; z //= 2
x %= 1
x @= y
x **= 2
x >>= 1
x <<= 1
x &= 1
x ^= 1
x |= 1
x.y[0] += z
del x
del x, y
del (x, y)
del x[0], y.z
del [x, y]
assert x
assert x, 'message'
assert (x, y)
raise
raise x
raise x from y
raise x(1) from None
import a
import a.b.c
import a as b
import a, b.c as d, e
from a import b
from a import b as c, d
from a import (b, c as d,)
from a.b import *
from . import a
from .. import a
from .a import b
from ...a.b import c
if x: pass
if x: a; b
if x:
    a
elif y:
    b
elif z:
    c
else:
    d
if x:
    if y:
        a
    else:
        b
while x:
    break
else:
    y
while x: continue
for x in y: pass
for x, y in z: pass
for x, in y: pass
for (x, y), *z in w: pass
for x.y in z: pass
for x[0] in 1, 2, 3: pass
for x in *a, b: pass
for x in y:
    a
    continue
else:
    b
with x: pass
with x as y: pass
with x as y, z as w: pass
with x, y: pass
with (x): pass
with (x, y): pass
with (x as y): pass
with (x as y, z): pass
with (x as y, z as w,): pass
with (x, y) as z: pass
with (x) as y: pass
with (a).b as c: pass
with f(x) as (y, z): pass
with f(x) as y.z, g() as w[0]: pass
with (yield_): pass
try:
    a
except:
    b
try:
    a
except A:
    b
except (B, C) as e:
    c
except D.E as f:
    d
else:
    g
finally:
    h
try:
    a
finally:
    b
try:
    a
except* A:
    b
except* (B, C) as e:
    c
x; y
x; y; z
x = [
    1,
    2,
]
# comment at the end
if x:
    # only a comment first
    y
    # and one after

# dedented comment
z
def _(): global x; x = 1
class _: pass
