"""Shape mismatches outside kernels: operators, matmul, reshape, concatenate, broadcast."""
import jax
import jax.numpy as jnp
from jax import lax

a, b = jnp.ones((2, 3)), jnp.ones((4, 5))
CASES = {
    "add": lambda: a + b,
    "multiply": lambda: jnp.ones(2) * jnp.ones(3),
    "compare": lambda: jnp.ones(2) < jnp.ones(3),
    "where": lambda: jnp.where(jnp.ones(2) > 0, jnp.ones(3), 0),
    "matmul": lambda: a @ b,
    "dot": lambda: jnp.dot(a, jnp.ones(4)),
    "reshape": lambda: a.reshape(4, 2),
    "reshape -1": lambda: a.reshape(4, -1),
    "broadcast_to": lambda: jnp.broadcast_to(a, (3, 3)),
    "concatenate": lambda: jnp.concatenate([a, b]),
    "stack": lambda: jnp.stack([a, b]),
    "axis": lambda: a.sum(axis=2),
    "squeeze": lambda: a.squeeze(0),
    "transpose": lambda: a.transpose(0, 0),
    "einsum": lambda: jnp.einsum("ij,jk->ik", a, b),
    "lax.add": lambda: lax.add(a, b),
    "unpack": lambda: (lambda: [x for x, in a])(),
    "split": lambda: jnp.split(jnp.arange(5), 2),
    "at set": lambda: a.at[0].set(jnp.ones(5)),
}
for name, case in CASES.items():
  try:
    case()
    print(name, "no error")
  except Exception as error:
    print(name, type(error).__name__)
try:
  a + b
except TypeError as error:
  print(error)
try:
  a.reshape(4, 2)
except TypeError as error:
  print(error)
try:
  a.sum(axis=2)
except ValueError as error:
  print(error)
try:
  a.swapaxes(0, 5)
except IndexError as error:
  print(error)
