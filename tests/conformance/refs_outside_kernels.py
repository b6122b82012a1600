"""Refs that programs make themselves: read and written eagerly, in jit, loops and branches, and inside of transformations."""

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import core
from jax.experimental import pallas as pl


def attempt(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, "|", str(error).split("\n")[0])


print("eager")
r = jax.new_ref(jnp.arange(4.0))
print(r, type(r), r.shape, r.dtype, r.ndim, r.size, len(r), isinstance(r, jax.Ref), isinstance(r, jax.Array))
r[1] = 7.0
r[2:] += 10
print(r[...], r[1], r[1:3], r[-1], r[jnp.array([0, 2])], r[jnp.array(1)])
r[jnp.array([0, 3])] = jnp.array([8.0, 9.0])
print(r[pl.ds(0, 2)], r[pl.ds(jnp.array(1), 2)], r[0:9])
r[...] = jnp.ones(4)
print(jax.freeze(r), r)
m = jax.new_ref(jnp.zeros((2, 3)))
jax.ref.set(m, (0, slice(None)), jnp.arange(3.0))
jax.ref.addupdate(m, (1, 1), 4.0)
print(jax.ref.get(m, (0, slice(None))), jax.ref.swap(m, (1, 2), 5.0), m[...])
m.addupdate(jnp.ones((2, 3)))
print(m)
n = jax.new_ref(3)
print(n, n[...], n[()])
print(core.freeze(core.new_ref(np.arange(3))))
print(jax.tree.leaves({"a": n}), r == r, r is r)
for f in (
    lambda: r + 1,
    lambda: r.sum(),
    lambda: r.at,
    lambda: r[5],
    lambda: float(r),
    lambda: jax.new_ref("x"),
    lambda: jax.new_ref(jnp.arange(3)).__setitem__(0, 2.5),
    lambda: jax.new_ref(jnp.zeros(2), memory_space=pl.ANY),
    lambda: jax.empty_ref(jax.ShapeDtypeStruct((2,), jnp.int32)),
    lambda: jnp.add(r, 1),
):
    attempt(f)

print("jit")


@jax.jit
def update(ref, x):
    print("traced")
    ref[0, 0] = x
    ref[1] += 2
    view = ref.at[:, 1:]
    view[0, 0] = -1.0
    return ref[...].sum(), view[...].shape


print(update(m, 9.0), m[...])
print(update(m, 8.0), m[...])
total = jax.new_ref(jnp.zeros(3))


@jax.jit
def accumulate(x):
    total[...] += x


accumulate(1.0)
accumulate(2.0)
print(total[...])


@jax.jit
def inside():
    ref = jax.new_ref(jnp.zeros(3))
    empty = jax.empty_ref(jax.ShapeDtypeStruct((2,), jnp.float32))
    empty[...] = jnp.ones(2)

    def body(i, carry):
        ref[i] = i * 1.0
        ref[0] += 1
        return carry + ref[i]

    last = jax.lax.fori_loop(0, 3, body, 0.0)
    return jax.freeze(ref), last, empty[...]


print(inside())
try:
    jax.jit(lambda: jax.new_ref(jnp.zeros(2)))()
except ValueError as error:
    print(str(error)[str(error).index("traced for jit") :].split("\n")[0])

print("control flow")
s = jax.new_ref(jnp.zeros(3))


def step(carry, x):
    s[0] += x
    return carry * 2, s[0]


print(jax.lax.scan(step, jnp.float32(1), jnp.arange(3.0)), s[...])


def choose(flag):
    def yes():
        s[1] = 100.0
        return 1

    def no():
        s[2] -= 1
        return 0

    return jax.lax.cond(flag, yes, no)


print(choose(True), choose(jnp.array(False)), s[...])
print(jax.jit(choose)(True), s[...])
jax.lax.switch(1, [lambda: s.__setitem__(0, 7.0), lambda: s.__setitem__(0, 8.0)])
print(s[...])


def fill(ref):
    def body(i):
        ref[i] = i + 0.5
        return i + 1

    return jax.lax.while_loop(lambda i: i < 3, body, 0)


print(fill(s), s[...])
jax.lax.fori_loop(0, 3, lambda i, _: s.__setitem__(i, 2.0 * i), None)
print(s[...])

print("transformations")


def local(x):
    ref = jax.new_ref(jnp.zeros(2) + x)
    ref[0] = x * x

    def body(i, _):
        ref[1] *= x

    jax.lax.fori_loop(0, 2, body, None)
    return ref[...]


print(jax.vmap(local)(jnp.arange(3.0)))
print(jax.grad(lambda x: local(x).sum())(3.0), jax.jvp(local, (3.0,), (1.0,)))
print(jax.jit(jax.vmap(local))(jnp.arange(2.0)))
attempt(lambda: jax.vmap(lambda x: s.__setitem__(0, x))(jnp.arange(3.0)))
attempt(lambda: jax.grad(lambda x: (s.__setitem__(0, x), s[0])[1])(2.0))


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + s[...]


attempt(lambda: pl.pallas_call(kernel, out_shape=jnp.zeros(3), interpret=True)(jnp.ones(3)))

print("mapped")
total = jax.new_ref(jnp.zeros((3, 2)))


def accumulate(held, x, scale):
    held[...] += x
    held[0] *= scale
    return held[...].sum()


print(jax.vmap(accumulate, in_axes=(0, 0, None))(total, jnp.arange(6.0).reshape(3, 2), 10.0), total[...])
pair = {"a": jax.new_ref(jnp.zeros(2)), "b": jnp.arange(2.0)}


def swap(pair):
    jax.ref.set(pair["a"], (), pair["b"])


print(jax.jit(jax.vmap(swap))(pair), pair["a"][...])
attempt(lambda: jax.vmap(lambda held: held[...])(jax.new_ref(1.0)))
attempt(lambda: jax.vmap(lambda held, x: x + held[...], in_axes=(None, 0))(total, jnp.arange(2.0)).shape)
attempt(lambda: jax.vmap(lambda held, x: jax.ref.set(held, ..., x), in_axes=(None, 0))(jax.new_ref(0.0), jnp.arange(2.0)))
