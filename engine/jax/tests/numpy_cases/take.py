"""take and take_along_axis under JAX's and numpy's rules."""
import jax.numpy as jnp
import numpy as np


def show(name, compute):
    try:
        print(name, repr(compute()))
    except Exception as error:
        print(name, type(error).__name__, str(error))


for np_ in (jnp, np):
    x = np_.arange(24).reshape(2, 3, 4)
    v = np_.arange(10, 20)
    show("take", lambda: np_.take(v, np_.array([1, 3])))
    show("take scalar", lambda: np_.take(v, 3))
    show("take flat", lambda: np_.take(x, np_.array([[1, 23]])))
    show("take axis", lambda: np_.take(x, 1, axis=1))
    show("take last axis", lambda: np_.take(x, np_.array([3, 0]), axis=-1))
    show("take out of bounds", lambda: np_.take(v, np_.array([100, -1])))
    show("take clip", lambda: np_.take(v, np_.array([100, -1]), mode="clip"))
    show("take wrap", lambda: np_.take(v, np_.array([100, -1]), mode="wrap"))
    show("take axis 5", lambda: np_.take(x, np_.array([0]), axis=5))
    show("along", lambda: np_.take_along_axis(x[0], np_.array([[0], [1], [2]]), axis=1))
    show("along all", lambda: np_.take_along_axis(x, np_.argsort(-x, axis=2), axis=2)[0])
    show("along rows", lambda: np_.take_along_axis(x[0], np_.array([[2, 0, 1, 1]]), axis=0))
    show("along ranks", lambda: np_.take_along_axis(x, np_.array([0]), axis=0))
show("jnp float", lambda: jnp.take(jnp.arange(3), 1.0))
show("jnp list", lambda: jnp.take(jnp.arange(3), [1]))
show("jnp mode", lambda: jnp.take(jnp.arange(3), 1, mode="foo"))
show("jnp raise", lambda: jnp.take(jnp.arange(3), 1, mode="raise"))
show("jnp floats fill", lambda: jnp.take(jnp.arange(3.0), jnp.array([0, 5])))
show("jnp along fill", lambda: jnp.take_along_axis(jnp.arange(3.0), jnp.array([0, 5]), axis=0))
show("jnp along floats", lambda: jnp.take_along_axis(jnp.arange(3.0), jnp.array([0.0]), axis=0))
show("np list", lambda: np.take([4, 5, 6], [0, 2]))
