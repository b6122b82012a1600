"""Floor division, remainder and shifts: signs, zero divisors, and lax against Python."""
import jax.numpy as jnp
from jax import lax

a = jnp.array([7, -7, 7, -7, 6, 0, 5, -5, -2**31])
b = jnp.array([2, 2, -2, -2, 3, 5, 0, 0, -1])
print("//  ", a // b)
print("%   ", a % b)
print("div ", lax.div(a, b))
print("rem ", lax.rem(a, b))
print("divmod", *divmod(a[:4], b[:4]))
print("fmod", jnp.fmod(a[:4], b[:4]), jnp.remainder(a[:4], b[:4]))
x = jnp.array([7.5, -7.5, 7.5, -7.5, 1.0, -1.0, 0.0])
y = jnp.array([2.0, 2.0, -2.0, -2.0, 0.0, 0.0, 0.0])
print("float //", x // y, "%", x % y, "/", x / y, sep="\n")
print("int /", a[:6] / b[:6])
s = jnp.array([1, -8, 255, -1])
print(s << 4, s >> 1, lax.shift_right_logical(s, jnp.int32(28)), s << 31, s >> 31, s << 32, s >> 40)
u = jnp.array([1, 128, 255], jnp.uint8)
print(u << 1, u >> 1, u & 15, u | 1, u ^ 255, ~u)
print(~jnp.array([True, False]), ~jnp.array([0, -1]), 5 // jnp.array([2, -2]), 5 % jnp.array([3, -3]), 2 ** jnp.arange(4))
