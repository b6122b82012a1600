"""Corners of numpy arrays: empty ones, rank 0, booleans, odd shapes, iteration while writing."""
import numpy as np


def show(name, compute):
    try:
        print(name, repr(compute()))
    except Exception as error:
        print(name, type(error).__name__, str(error))


show("reshape", lambda: np.arange(3).reshape(2, 2))
show("reshape unknown", lambda: np.arange(3).reshape(2, -1))
show("reshape two unknown", lambda: np.arange(4).reshape(-1, -1))
show("reshape empty", lambda: np.array([]).reshape(0, -1))
show("reshape empty known", lambda: np.array([]).reshape(0, 3))
show("reshape order", lambda: np.arange(6).reshape((2, 3), order="F"))
show("ravel order", lambda: np.arange(6).reshape(2, 3).ravel(order="F"))
show("flatten order", lambda: np.arange(6).reshape(2, 3).flatten("F"))
show("bytes of bool", lambda: np.array([True, False]).tobytes())
show("view of bool", lambda: np.array([True, False]).view(np.uint8))
show("scalar view", lambda: np.float32(1).view(np.int32))
show("view larger", lambda: np.array([1, 2, 3], np.uint8).view(np.uint16))
show("empty backwards", lambda: np.arange(0)[::-1])
show("empty matrix", lambda: np.zeros((0, 3)).sum(axis=0))
show("empty max", lambda: np.array([]).max())
show("transpose axes", lambda: np.zeros((2, 3, 4)).transpose(1, 0, 2).shape)
show("transpose tuple", lambda: np.zeros((2, 3, 4)).transpose((2, 0, 1)).shape)
show("transpose wrong", lambda: np.zeros((2, 3)).transpose(0))
show("transpose repeated", lambda: np.zeros((2, 3)).transpose(0, 0))
show("swapaxes", lambda: np.zeros((2, 3, 4)).swapaxes(0, -1).shape)
show("squeeze", lambda: np.zeros((1, 3, 1)).squeeze().shape)
show("squeeze axis", lambda: np.zeros((1, 3, 1)).squeeze(axis=1).shape)
show("item of a tuple", lambda: np.arange(6).reshape(2, 3).item((1, 1)))
show("item out of bounds", lambda: np.arange(3).item(5))
show("astype text", lambda: np.arange(3).astype("float16"))
show("astype unknown", lambda: np.arange(3).astype("foo"))
show("iteration", lambda: [row.tolist() for row in np.arange(4).reshape(2, 2)])
show("rank 0 iteration", lambda: list(np.array(3)))
show("rank 0 length", lambda: len(np.array(3)))
show("scalar length", lambda: len(np.arange(3).tolist()))
show("unpacking", lambda: (lambda a, b: a + b)(*np.array([1, 2])))
show("sum of rows", lambda: sum(np.arange(4).reshape(2, 2)))
show("stepped write", lambda: (lambda a: (a.__setitem__(slice(None, None, -2), [1, 2, 3]), a)[1])(np.zeros(5)))
show("broadcast write", lambda: (lambda a: (a.__setitem__((slice(None), 1), [[5], [6]]), a)[1])(np.zeros((2, 3))))
show("and", lambda: np.array([True]) and np.array([False]))
show("chained", lambda: 1 < np.int64(2) < 3)
show("complex", lambda: np.float32(2) * 3 - 1 / np.float32(4))
show("mixed ints", lambda: (np.int8(100) + np.int16(100), np.uint8(200) + np.int8(1)))
show("unsigned and signed", lambda: np.array([1], np.uint64) + np.array([1], np.int64))
show("bool sum", lambda: np.array([True, True, False]).sum())
show("int8 sum", lambda: np.array([100, 100], np.int8).sum())
show("float16", lambda: np.float16(0.1) + np.float16(0.2))
show("mean of ints", lambda: np.arange(4).mean())
show("mean of float32", lambda: np.arange(4, dtype=np.float32).mean())
show("argmax", lambda: np.array([[1, 5], [7, 2]]).argmax(axis=1))
show("any", lambda: (np.array([0, 1]).any(), np.array([0, 1]).all()))
show("cumsum", lambda: np.arange(4).cumsum())
show("clip", lambda: np.arange(5).clip(1, 3))
show("round", lambda: np.array([1.25, 2.75]).round(1))
show("repeat", lambda: np.array([1, 2]).repeat(2))
show("std", lambda: np.array([1.0, 2.0, 4.0]).std())
show("dot", lambda: np.array([1, 2]).dot(np.array([3, 4])))
show("nonzero", lambda: np.array([0, 3, 0, 4]).nonzero())
show("keyword axis", lambda: np.ones((2, 3)).sum(axis=1, keepdims=True))
show("dtype of zeros", lambda: (np.zeros(2).dtype, np.arange(2).dtype, np.ones(2, np.int8).dtype, np.array([1, 2.5]).dtype))
show("large int", lambda: np.array(2**40))
show("ragged", lambda: np.array([[1, 2], [3]]))
a = np.arange(5)
for at, value in enumerate(a):
    a[at] = value * 10
print(a)
a[1:] = a[:-1]
print(a)
b = np.arange(6).reshape(2, 3)
b.T[...] = 7
b[:, ::-1][0, 0] = 1
print(b, b.T.base is b, b[0].base is b)
c = b.reshape(3, 2)
c[0, 0] = 100
d = b.T.reshape(6)
d[0] = -1
print(b[0, 0], np.shares_memory(b, d))
