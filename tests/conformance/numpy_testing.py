"""np.testing: passes silently, and fails with AssertionError."""
import jax.numpy as jnp
import numpy as np

x = jnp.arange(4.0)
np.testing.assert_array_equal(x, x)
np.testing.assert_array_equal(x, [0, 1, 2, 3])
np.testing.assert_allclose(x, x * (1 + 1e-6), rtol=1e-5)
np.testing.assert_allclose(1.0, 1.05, atol=0.1)
np.testing.assert_array_almost_equal(x, x + 1e-8)
np.testing.assert_equal([1, 2], [1, 2])
for check, a, b in ((np.testing.assert_array_equal, x, x + 1), (np.testing.assert_allclose, x, x * 1.1),
                    (np.testing.assert_array_equal, x, jnp.zeros(3)), (np.testing.assert_allclose, jnp.nan, 1.0)):
  try:
    check(a, b)
    print("passed")
  except AssertionError as error:
    print("AssertionError", str(error).strip().splitlines()[0] if str(error).strip() else "")
np.testing.assert_allclose(jnp.array([jnp.nan]), jnp.array([jnp.nan]))
try:
  np.testing.assert_array_equal(x, x.at[2].set(7.0))
except AssertionError as error:
  print(str(error))
try:
  np.testing.assert_allclose(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.5, 3.0]), rtol=1e-3, err_msg="my message")
except AssertionError as error:
  print(str(error))
