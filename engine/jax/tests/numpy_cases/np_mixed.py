"""numpy and JAX arrays together: who wins, conversions, tracers."""
import jax
import jax.numpy as jnp
import numpy as np


def show(name, compute):
    try:
        print(name, repr(compute()))
    except Exception as error:
        print(name, type(error).__name__, str(error).splitlines()[0])


j = jnp.arange(3)
n = np.arange(3)
show("numpy + jax", lambda: n + j)
show("jax + numpy", lambda: j + n)
show("float64 numpy + jax", lambda: np.ones(3) + j)
show("scalar * jax", lambda: np.float64(2) * j)
show("float32 scalar * jax", lambda: np.float32(2) * j)
show("jax * scalar", lambda: j * np.float32(2))
show("numpy @ jax", lambda: np.arange(6).reshape(2, 3) @ jnp.ones(3))
show("compare", lambda: n == j)
show("compare reversed", lambda: j >= n)
show("asarray", lambda: np.asarray(j))
show("asarray dtype", lambda: np.asarray(j, dtype=np.float32))
show("array of bfloat16", lambda: np.asarray(jnp.ones(2, jnp.bfloat16)))
show("array of jax scalars", lambda: np.array([jnp.float32(1), jnp.float32(2)]))
show("array of rows", lambda: np.array([jnp.arange(2), jnp.arange(2)]))
show("ufunc", lambda: np.add(j, 1))
show("sin", lambda: np.sin(jnp.zeros(2)))
show("jnp of numpy", lambda: jnp.asarray(np.arange(3.0)))
show("jnp of scalar", lambda: jnp.array(np.float64(1.5)))
show("jnp function of numpy", lambda: jnp.sum(n))
show("index numpy by jax", lambda: np.arange(3.0)[j[1]])
show("index numpy by jax array", lambda: np.arange(3.0)[jnp.array([0, 2])])
show("index list by jax", lambda: [10, 20, 30][j[1]])
show("isinstance", lambda: (isinstance(j, np.ndarray), isinstance(n, jax.Array), isinstance(n, np.ndarray)))
show("types", lambda: (type(n + j).__name__, type(np.asarray(j)).__name__, type(np.add(j, 1)).__name__))
show("float of jax", lambda: float(j[2]))
show("fstring", lambda: f"{jnp.float32(0.1)} {jnp.float32(0.1):.3f} {j}")
show("tracer in numpy", lambda: jax.jit(lambda a: np.sin(a))(jnp.ones(2)))
show("tracer asarray", lambda: jax.jit(lambda a: np.asarray(a))(jnp.ones(2)))
show("tracer index", lambda: jax.jit(lambda a: n[a])(1))


def write():
    np.asarray(j)[0] = 5


def write_copy():
    copy = np.array(j)
    copy[0] = 5
    return copy


show("write to asarray", write)
show("write to array", write_copy)

show("np.sum of jax", lambda: np.sum(j))
show("np.mean of jax", lambda: np.mean(jnp.arange(4.0)))
show("np.max of jax", lambda: np.max(j))
show("np.reshape of jax", lambda: np.reshape(j, (3, 1)))
show("np.transpose of jax", lambda: np.transpose(jnp.ones((1, 2))))
show("np.cumsum of jax", lambda: np.cumsum(j))
show("np.clip of jax", lambda: np.clip(j, 0, 1))
show("np.round of jax", lambda: np.round(jnp.array([1.26]), 1))
show("np.ravel of jax", lambda: np.ravel(j))
show("np.concatenate of jax", lambda: np.concatenate([j, j]))
show("np.where of jax", lambda: np.where(j > 1, j, 0))
show("np.shape of jax", lambda: (np.shape(j), np.ndim(j), np.size(j)))
show("np.sum of a tracer", lambda: jax.eval_shape(lambda a: np.sum(a), jnp.ones(2)).shape)
show("np.shape of a tracer", lambda: jax.eval_shape(lambda a: a * np.ndim(a) * np.size(a), jnp.ones(2)).shape)
view = np.reshape(n, (3, 1))
view[0] = 9
np.transpose(view)[0, 1] = 8
np.ravel(n)[2] = 7
print(n)
