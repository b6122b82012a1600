"""einops: rearrange, reduce, repeat, einsum on jax and numpy arrays, and the errors of patterns."""

import jax, jax.numpy as jnp, numpy as np
import einops
from einops import rearrange, reduce, repeat
x = jnp.arange(24.).reshape(2, 3, 4)
n = np.arange(24.).reshape(2, 3, 4)
for a in (x, n):
    print(rearrange(a, "b h w -> w (b h)"))
    print(rearrange(a, "b (h k) w -> b k h w", k=3).shape, rearrange(a, "... w -> w ...").shape)
    print(reduce(a, "b h w -> b", "sum"), reduce(a, "b (h 3) w -> b w", "max").shape, reduce(a, "b h w -> h () w", "mean").shape)
    print(repeat(a, "b h w -> b (h r) w s", r=2, s=3).shape, repeat(a, "... -> ... 2").shape)
    print(einops.parse_shape(a, "b _ w"))
print(rearrange([x, x], "n b h w -> b (n h) w").shape)
print(einops.einsum(x, x, "batch i j, batch k j -> batch i k").shape)
for p, kw in [("b h -> h b", {}), ("b h w -> b h", {}), ("b (h k) w -> b h k w", {"k": 2}), ("b h w -> b q w h", {}), ("b (h w -> b", {}), ("b h w -> b h w", {"z": 1})]:
    try:
        rearrange(x, p, **kw)
    except Exception as e:
        print(type(e).__name__, str(e))
f = jax.jit(lambda t: reduce(rearrange(t, "b h w -> (b h) w"), "n w -> w", "sum"))
print(f(x))
try:
    reduce(x, "b h w -> b", "median")
except Exception as e:
    print(type(e).__name__, str(e).splitlines()[-1])
