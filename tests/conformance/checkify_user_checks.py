"""Checks inside of functions: functions that return errors, and checks that raise where nobody takes them."""

import jax
import jax.numpy as jnp
from jax.experimental import checkify
from jax.experimental import pallas as pl


def attempt(f, *args):
    try:
        print("->", f(*args))
    except Exception as error:
        print(type(error).__name__, "|", error)


def scaled(x, i):
    checkify.check(i < 3, "the index must be small, not {i}", i=i)
    checkify.check(x.sum() > 0, "the sum is {}", x.sum())
    return x * i


x = jnp.arange(4)
for i in (2, 5):
    error, out = checkify.checkify(scaled)(x, jnp.int32(i))
    print(error.get(), out)
    attempt(error.throw)
error, out = checkify.checkify(scaled)(-x, jnp.int32(7))
print(error.get())
error, out = jax.jit(checkify.checkify(scaled))(x, jnp.int32(5))
print(error.get(), out)
error, out = checkify.checkify(jax.jit(scaled))(-x, jnp.int32(1))
print(error.get(), out)
attempt(scaled, x, jnp.int32(5))
attempt(scaled, x, jnp.int32(1))
attempt(jax.jit(scaled), x, jnp.int32(5))


def loop(x):
    def body(i, carry):
        checkify.check(i < 2, "round {i}", i=i)
        return carry + i

    return jax.lax.fori_loop(0, 4, body, x)


def branch(x):
    def check_it(x):
        checkify.check(x < 2, "the branch has {}", x)
        return x + 1

    return jax.lax.cond(x > 0, check_it, lambda x: x, x)


for f, arguments in ((loop, (0,)), (branch, (0, 1, 2))):
    for argument in arguments:
        error, out = checkify.checkify(f)(jnp.int32(argument))
        print(f.__name__, argument, error.get(), out)


def checks_again(x):
    error, out = jax.jit(checkify.checkify(branch))(x)
    checkify.check_error(error)
    return out


attempt(checks_again, jnp.int32(1))
attempt(checks_again, jnp.int32(4))
print(checkify.checkify(checks_again)(jnp.int32(4))[0].get())
attempt(checkify.check, x, "an array")
attempt(lambda: checkify.check(False, "{}", 3))
attempt(checkify.debug_check, False, "nobody listens")
print(checkify.checkify(lambda x: checkify.debug_check(x.sum() > 9, "debug {}", x.max()))(x)[0].get())


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def around_a_kernel(x):
    checkify.check(x.shape[0] % 2 == 0, "an even number of rows")
    out = pl.pallas_call(kernel, out_shape=x, interpret=True)(x)
    checkify.check(out[1] < 1, "the kernel gave {}", out[1])
    return out


error, out = checkify.checkify(around_a_kernel)(x)
print(error.get(), out)


def kernel_with_a_check(x_ref, o_ref):
    o_ref[...] = x_ref[...]
    checkify.check(x_ref[0] > 5, "in a kernel")


@checkify.checkify
@jax.jit(static_argnums=(2,))
def block(x, starts, sizes):
    """Sizes are known inside."""
    checkify.check(starts[0] % sizes[0] == 0, "starts are multiples of the size")
    return jax.lax.dynamic_slice(x, starts, sizes)


for start in (2, 3):
    error, out = block(jnp.arange(8), starts=(start,), sizes=(2,))
    print(error.get(), out)

call = pl.pallas_call(kernel_with_a_check, out_shape=x, interpret=True)
attempt(call, x)
attempt(checkify.checkify(call), x)
