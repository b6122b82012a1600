"""jax.debug.print and pl.debug_print: pytrees, text, Refs, specs, and formats that do not fit the values."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.arange(3.0)


def attempt(name, function):
  try:
    function()
    jax.effects_barrier()
  except Exception as error:
    # An error of a callback ends with the error inside it.
    print(name, type(error).__name__, str(error).split("\n")[-1][-60:])


def in_kernel(name, *args):
  def kernel(x_ref, o_ref):
    pl.debug_print(*[arg(x_ref) if callable(arg) else arg for arg in args])
    o_ref[...] = x_ref[...]

  attempt(name, lambda: pl.pallas_call(kernel, out_shape=x, interpret=True)(x).block_until_ready())


in_kernel("plain", "plain", lambda ref: ref[...], lambda ref: ref[1])
in_kernel("numbered", "{0:.3f} {0}", lambda ref: ref[2])
in_kernel("braces", "{{}} {}", lambda ref: ref[0])
in_kernel("width", "{:>8}|", lambda ref: ref[1])
in_kernel("repr", "{!r}", lambda ref: ref[0])
in_kernel("numbers", "{} {}", 3.5, True)
in_kernel("ref", "ref {}", lambda ref: ref)
in_kernel("none", "{}", None)
in_kernel("tuple", "{}", (1, 2))
in_kernel("text", "x", "abc")
in_kernel("single", "{", lambda ref: ref[0])


def printed(name, *args, **named):
  attempt(name, lambda: jax.debug.print(*args, **named))


printed("dict", "{}", {"a": x, "b": (1, None)})
printed("nested", "{t[a]} and {t}", t={"a": x})
printed("text", "{x} is {y!r}", x=x, y="seen")
printed("missing position", "{} {}", x)
printed("missing name", "{a} {b}", a=x)
printed("unused position", "{}", x, 1)
printed("unused name", "{a}", a=x, b=1)
printed("plain", "plain", x)
printed("spec", "{:d}", 1.5)


@jax.jit
def jitted(x):
  jax.debug.print("tree {tree}", tree={"x": x, "pair": (x[0], "text")})
  return x


jitted(x)
jax.effects_barrier()
