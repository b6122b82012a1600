"""What jax.numpy gives while a function is traced: types, weak types, and errors where values are needed."""
import jax
import jax.numpy as jnp


def inspect(x, n):
  for label, function in {
      "array": lambda: jnp.array(1), "list": lambda: jnp.array([1, 2]), "mixed": lambda: jnp.array([x[0], 2]), "float32": lambda: jnp.float32(1), "zeros": lambda: jnp.zeros(3), "arange": lambda: jnp.arange(3), "asarray": lambda: jnp.asarray(1.5), "full": lambda: jnp.full((), 1), "maximum": lambda: jnp.maximum(1, 2), "sum": lambda: x.sum(), "mean": lambda: x.mean(0), "sum bf16": lambda: jnp.sum(x.astype(jnp.bfloat16)),
      "where": lambda: jnp.where(x > 0, x, 0), "argmax": lambda: jnp.argmax(x), "exp int": lambda: jnp.exp(n), "divide": lambda: n / 2, "power": lambda: x ** 2, "power n": lambda: x ** n, "dot": lambda: x @ x, "einsum": lambda: jnp.einsum("i,i->", x, x), "concatenate": lambda: jnp.concatenate([x, jnp.zeros(1, jnp.int32)]), "pad": lambda: jnp.pad(x, 1), "linspace": lambda: jnp.linspace(0, n, 5), "sort": lambda: jnp.sort(x), "cumsum": lambda: jnp.cumsum(x > 0), "roll": lambda: jnp.roll(x, n), "clip": lambda: jnp.clip(x, 0, 1), "shape": lambda: jnp.shape(x), "tile": lambda: jnp.tile(x, 2), "searchsorted": lambda: jnp.searchsorted(x, n), "take": lambda: jnp.take(x, n), "nonzero size": lambda: jnp.nonzero(x, size=2)[0], "repeat total": lambda: jnp.repeat(x, n, total_repeat_length=4), "eye": lambda: jnp.eye(2), "tril": lambda: jnp.tril(jnp.ones((2, 2))), "finfo": lambda: jnp.finfo(x.dtype).eps, "aval": lambda: x.aval, "T": lambda: x.T, "weak": lambda: n.weak_type, "round": lambda: jnp.round(x, 1), "var": lambda: x.var(), "quantile": lambda: jnp.quantile(x, 0.5), "histogram": lambda: jnp.histogram(x, 2), "bincount": lambda: jnp.bincount(jnp.array([1, 2]), length=3),
      "nonzero": lambda: jnp.nonzero(x), "unique": lambda: jnp.unique(x), "item": lambda: x.item(), "tolist": lambda: x.tolist(), "arange n": lambda: jnp.arange(n), "zeros n": lambda: jnp.zeros((n,)), "reshape n": lambda: x.reshape(n), "repeat n": lambda: jnp.repeat(x, n), "axis n": lambda: x.sum(n),
  }.items():
    try:
      value = function()
      print(label, [str(part) for part in value] if isinstance(value, (list, tuple)) else value)
    except Exception as error:
      print(label, type(error).__name__)
  return x


jax.jit(inspect)(jnp.array([1.0, -2.0, 3.0]), 2)
