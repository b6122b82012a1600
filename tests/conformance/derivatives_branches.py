"""Outside of jit, Python may branch on values that are being differentiated."""
import jax
import jax.numpy as jnp
from jax import lax


def absolute(x):
    if x > 0:
        return x * x
    return -x


print(jax.grad(absolute)(3.0), jax.value_and_grad(absolute)(-2.0))
print(jax.jvp(absolute, (2.0,), (1.0,)), jax.vjp(absolute, 4.0)[1](1.0), jax.linearize(absolute, -1.0)[1](2.0))
print(jax.grad(jax.grad(absolute))(2.0), jax.hessian(absolute)(2.0))


def newton(a):
    x = a
    while abs(x * x - a) > 1e-4:
        x = 0.5 * (x + a / x)
    return x


print(jax.grad(newton)(2.0), jax.jacfwd(newton)(3.0), jax.jacrev(newton)(3.0))


def times(x):
    """Integers, subscripts of lists, lengths of loops."""
    total = 0.0
    for _ in range(int(x.sum())):
        total = total + x * [1.0, 5.0][int(x[0])]
    return (total * x.sum().item()).sum()


print(jax.grad(times)(jnp.array([1.0, 2.0])))


def branches(name, op):
    def run(x):
        y = op(x)
        return y if y > 0 else -y

    try:
        print(name, jax.grad(run)(2.0), jax.jacfwd(run)(2.0), jax.grad(jax.grad(run))(2.0), jax.vjp(run, 2.0)[0])
    except jax.errors.TracerBoolConversionError as error:
        print(name, str(error).splitlines()[0])


branches("jit", jax.jit(lambda x: x * 2))
branches("for", lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, x))
branches("cond", lambda x: lax.cond(x > 1, lambda x: x * 2, lambda x: x, x))
branches("scan", lambda x: lax.scan(lambda c, a: (c * a, c), x, jnp.ones(3))[0])
branches("checkpoint", jax.checkpoint(lambda x: x * 2))
branches("vmap", lambda x: jax.vmap(lambda y: y * x)(jnp.ones(3)).sum())
branches("where", lambda x: jnp.where(x > 0, x, 0).sum())
branches("sort", lambda x: jnp.sort(jnp.stack([x, x + 1]))[0])
branches("softmax", lambda x: jax.nn.softmax(jnp.stack([x, x]))[0])
# What is staged has no values.
branches("inside jit", lambda x: jax.jit(absolute)(x))
branches("inside checkpoint", lambda x: jax.checkpoint(absolute)(x))
branches("inside vmap", lambda x: jax.vmap(absolute)(x[None])[0])
branches("inside a loop", lambda x: lax.fori_loop(0, 2, lambda i, c: absolute(c), x))
branches("inside a branch", lambda x: lax.cond(x > 1, absolute, lambda x: x, x))


@jax.custom_vjp
def scaled(x):
    return x if x > 1 else x * 2


def scaled_forward(x):
    return (x, (x,)) if x > 1 else (x * 2, (x,))


def scaled_backward(kept, g):
    return (g * 5,) if kept[0] > 1 else (g * 7,)


scaled.defvjp(scaled_forward, scaled_backward)
print(jax.grad(scaled)(2.0), jax.grad(scaled)(0.5), jax.grad(lambda x: scaled(x) * scaled(x + 1))(0.5))


@jax.custom_jvp
def bent(x):
    return x if x > 1 else x * 2


@bent.defjvp
def bent_tangent(primals, tangents):
    (x,), (dx,) = primals, tangents
    return bent(x), dx * (3 if x > 1 else 4)


print(jax.grad(bent)(2.0), jax.grad(bent)(0.5), jax.grad(lambda x: bent(x) if bent(x) > 1 else x)(0.75))


def shown(x):
    print(x, x > 0, jnp.sign(x), repr(lax.stop_gradient(x)), f"{x.sum()}", [x * 2])
    return x.sum()


jax.grad(shown)(jnp.arange(3.0))
jax.value_and_grad(shown)(jnp.ones(2, jnp.bfloat16))
jax.vjp(shown, jnp.float32(2.0))
try:
    jax.jit(jax.grad(absolute))(2.0)
except jax.errors.TracerBoolConversionError as error:
    print(str(error).splitlines()[0])
