"""numpy's put_along_axis."""

import numpy as np

a = np.zeros((2, 3, 4), np.float32)
where = np.array([[[0, 1], [1, 2], [2, 3]], [[3, 0], [1, 0], [0, 2]]])
print(np.put_along_axis(a, where, np.arange(12.0).reshape(2, 3, 2), axis=-1))
print(a)
b = np.arange(12).reshape(3, 4)
np.put_along_axis(b, np.array([[2], [0], [1]]), 99, 1)
print(b)
np.put_along_axis(b, np.array([[2, 0, 1, 1]]), -1, axis=0)
print(b)
np.put_along_axis(b, np.array([1, 5]), [50, 60], None)
print(b)
try:
    np.put_along_axis(b, np.array([1, 5]), 0, 0)
except ValueError as error:
    print(error)
