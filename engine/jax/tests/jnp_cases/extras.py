"""Subscript objects, windows, bits, polynomials, ufunc methods, methods and attributes of arrays."""
import copy
import jax.numpy as jnp
import numpy as np

print(jnp.s_[1:3, ..., None], jnp.index_exp[2], jnp.r_[1:4, 0, jnp.array([7, 8])], jnp.r_[0:1:3j], jnp.c_[jnp.arange(2), jnp.arange(2)], sep="\n")
print(jnp.hanning(5), jnp.hamming(4), jnp.bartlett(5), jnp.blackman(3), sep="\n")
print(jnp.packbits(jnp.array([1, 0, 1, 1, 0, 0, 0, 1, 1])), jnp.unpackbits(jnp.array([177, 3], jnp.uint8)), jnp.unpackbits(jnp.array([[3]], jnp.uint8), axis=1, bitorder="little"))
print(jnp.polyval(jnp.array([1, 2, 3]), jnp.array([0, 1, 2])), jnp.unwrap(jnp.array([0.0, 3.0, -3.0, 0.0])), jnp.matvec(jnp.eye(2), jnp.arange(2.0)), jnp.vecmat(jnp.arange(2.0), jnp.eye(2)))
x = jnp.arange(6.0).reshape(2, 3)
print(x.shape, x.dtype, x.ndim, x.size, x.nbytes, x.itemsize, x.weak_type, x.T.shape, x.mT.shape, x.real.dtype, x.imag, x.aval, repr(x.aval))
print(x.sum(), x.mean(axis=0), x.max(1), x.min(), x.prod(), x.std(), x.var(axis=1), x.any(), x.all(axis=0), x.argmax(), x.argmin(1), x.cumsum(), x.cumprod(0), x.ptp() if hasattr(x, "ptp") else None)
print(x.astype(int), x.astype("bfloat16").dtype, x.astype(jnp.int8).dtype, x.astype(bool), x.astype(float).dtype)
print(x.reshape(3, 2), x.reshape((6,)), x.ravel(), x.flatten(), x.transpose(1, 0).shape, x.transpose((1, 0)).shape, x.transpose().shape, x.swapaxes(0, 1).shape, x[None].squeeze().shape, sep="\n")
print(x.item(4), x.item((1, 2)), x[0, 1].item(), x.tolist(), x[0].tolist(), x[0, 0].tolist(), jnp.zeros((2, 0)).tolist())
print(x.clip(1, 3), x.round(), x.conj().shape, x.repeat(2, axis=0).shape, x.sort(axis=0), x.argsort(axis=1), x.take(jnp.array([0, 5])), x.dot(x.T), x.trace(), x.diagonal(), x.nonzero()[0])
print(x.view(jnp.int32)[0], x.view(jnp.int16).shape, jnp.arange(4, dtype=jnp.int16).view(jnp.int32), jnp.uint32(0x3F800000).view(jnp.float32))
print(x.block_until_ready() is x, x.is_deleted(), copy.copy(x) is not None, copy.deepcopy(x).shape, x.copy().shape, np.asarray(x).dtype, x.__array__().shape, len(x.devices()))
print(divmod(jnp.array(7), 2), 7 % jnp.array(4), abs(jnp.array(-3)), round(jnp.array(2.567), 2), pow(jnp.array(2), 3), -jnp.arange(2), +jnp.arange(2), ~jnp.array(5), 3 in jnp.arange(4), len(x))
print(float(x[0, 1]), int(x[1, 2]), bool(x[0, 1]), complex(x[0, 1]), hash("a") == hash("a"), [row.shape for row in x], max(x[0]), sum(x[0]), f"{x[0, 1]:.2f}", "%d" % x[1, 0], list(range(jnp.array(3))))
print(type(x).__name__, isinstance(x, jnp.ndarray), jnp.add.__name__, jnp.ufunc if hasattr(jnp, "nothing") else "", jnp.pi, jnp.e, jnp.inf, jnp.nan, jnp.newaxis, jnp.euler_gamma)
for value, function in (("None", lambda: None in x[0]), ("2d", lambda: 1 in x), ("item", lambda: x.item()), ("bad", lambda: x.item(9)), ("bool", lambda: bool(x)), ("float", lambda: float(x)), ("len", lambda: len(x[0, 0])), ("typo", lambda: x.meen())):
  try:
    print(value, function())
  except Exception as error:
    print(value, type(error).__name__, str(error).split("\n")[0])
