"""Subscripts of numpy arrays: reading and writing, views, and what is refused."""
import numpy as np

x = np.arange(24).reshape(2, 3, 4)
v = np.arange(10, 20)


def show(name, read):
    try:
        print(name, repr(read()))
    except Exception as error:
        print(name, type(error).__name__, str(error))


show("int", lambda: v[3])
show("negative", lambda: v[-3])
show("row", lambda: x[1, 2])
show("scalar", lambda: x[1, 2, 3])
show("ellipsis", lambda: x[..., 0])
show("ellipsis of a scalar", lambda: x[1, 2, 3, ...])
show("backwards", lambda: v[::-2])
show("newaxis", lambda: v[None, :2])
show("list", lambda: v[[0, -1, 5]])
show("array of rank 2", lambda: v[np.array([[0, 1], [2, 3]])])
show("two lists", lambda: x[[0, 1], [1, 2]])
show("apart", lambda: x[[0, 1], :, [1, 2]])
show("int apart", lambda: x[0, :, [1, 2]])
show("newaxis between", lambda: x[:, [1, 2], None, [0, 1]])
show("mask", lambda: v[v > 15])
show("mask of two axes", lambda: x[np.ones((2, 3), bool)].shape)
show("mask and list", lambda: x[:, [True, False, True], 0])
show("true", lambda: v[True].shape)
show("false", lambda: v[False].shape)
show("rank 0", lambda: np.array(5)[()])
show("rank 0 kept", lambda: np.array(5)[...])
show("empty list", lambda: v[[]])
show("out of bounds", lambda: v[10])
show("out of bounds, second axis", lambda: x[0, 3])
show("list out of bounds", lambda: v[[0, 50]])
show("too many", lambda: v[0, 0])
show("rank 0 too many", lambda: np.array(5)[0])
show("two ellipses", lambda: x[..., ...])
show("float", lambda: v[1.0])
show("string", lambda: v["x"])
show("float list", lambda: v[[1.0]])
show("mask shape", lambda: v[[True, False]])
show("shapes", lambda: x[[0, 1], [0, 1, 2]])
show("scalar subscript", lambda: np.float32(1)[0])
show("scalar subscript ()", lambda: np.float32(1)[()])
show("slice bound", lambda: v[1.0:])

a = np.zeros((3, 4), dtype=np.int32)
a[0] = 1
a[1, 2] = 7
a[:, 3] = [9, 8, 7]
a[2, :2] = np.array([4.9, -4.9])
print(a)
b = a[1:, ::2]
b[...] = 5
print(a)
b += 1
print(a, b.base is None)
a.T[0] = [10, 20, 30]
print(a)
a.reshape(-1)[-1] = 99
a.ravel()[0] = 77
a.flatten()[1] = 1000
print(a)
a[a > 50] = 0
print(a)
a[[0, 2], [1, 1]] = [3, 4]
print(a)
a[:] = [[1, 2, 3, 4]]
print(a)
row = a[0]
row *= 10
row[1:3] -= 1
print(a)
for row in a:
    row[0] = -1
print(a)
c = a.copy()
c[0, 0] = 55
print(a[0, 0], c[0, 0], np.shares_memory(a, c), np.shares_memory(a, a[1:]))
d = np.arange(6)
d[::2] = d[1::2]
print(d)
d[[0, 0, 1]] = [7, 8, 9]
print(d)
d[[0, 0]] += 1
print(d)
e = np.zeros(3)
e[1] = 2.5
e[-1] = np.float32(0.1)
print(e, e.shape)
e.shape = (3, 1)
print(e)
e.fill(3)
print(e.tolist())


def assign(array, key, value):
    def run():
        array[key] = value
        return array
    return run


show("shape", assign(np.zeros(3), slice(None), [1, 2]))
show("out of bounds", assign(np.zeros(3), 5, 1))
show("too large", assign(np.zeros(3, np.uint8), 0, 300))
show("negative", assign(np.zeros(3, np.uint8), 0, -1))
show("float to int", assign(np.zeros(3, int), 0, 2.7))
show("bool", assign(np.zeros(3, bool), 0, 2))
show("scalar", assign(np.float32(1), 0, 1))
show("mask count", assign(np.zeros(3), np.array([True, True, False]), [1, 2, 3]))


def augmented(array, value):
    def run():
        array += value
        return array
    return run


show("int += float", augmented(np.arange(3), 0.5))
show("int8 += int", augmented(np.arange(3, dtype=np.int8), 100))
show("float32 += float64", augmented(np.ones(2, np.float32), np.array([0.1, 0.2])))
show("+= shape", augmented(np.ones(2), np.ones((3, 2))))
show("+= list", augmented(np.ones(2), [1, 2]))
