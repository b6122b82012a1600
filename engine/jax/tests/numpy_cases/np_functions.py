"""What only numpy has: print options, ndindex, vectorize, writing functions, errstate."""
import numpy as np


def show(name, compute):
    try:
        print(name, repr(compute()))
    except Exception as error:
        print(name, type(error).__name__, str(error))


x = np.array([1 / 3, 2e-5, 1000.0])
print(x)
with np.printoptions(precision=3, suppress=True) as options:
    print(x, options["precision"])
print(x)
np.set_printoptions(precision=2)
print(x, repr(x))
np.set_printoptions(precision=8)
np.set_printoptions(threshold=5, edgeitems=2)
print(np.arange(10))
np.set_printoptions(threshold=1000, edgeitems=3, linewidth=30)
print(np.arange(20))
np.set_printoptions(linewidth=75)
print(sorted(np.get_printoptions().items(), key=lambda item: item[0])[:4])
print(np.array2string(np.arange(4), separator=", "), np.array_repr(np.arange(3.0)), np.array_str(np.arange(3)))
print(np.array2string(x, precision=2, separator="|", prefix="abc"))
print(np.array_repr(np.array([1.23456789]), precision=3))
print(list(np.ndindex(2, 2)), list(np.ndindex((1, 2))))
print([(at, float(value)) for at, value in np.ndenumerate(np.array([[1.0, 2.0]]))])
double = np.vectorize(lambda a, b: a * 2 + b)
print(double([1, 2, 3], 10), double(1, 2), np.vectorize(lambda a: a > 1)([0.5, 1.5]))
print(np.vectorize(lambda a: a, otypes=[float])([1, 2]))
a = np.zeros((2, 3))
np.copyto(a, [1, 2, 3])
np.put(a, [0, -1], [9, 8])
print(a)
np.putmask(a, a > 5, -1)
np.place(a, a == 2, [7, 6])
print(a)
m = np.zeros((3, 3), int)
np.fill_diagonal(m, 4)
print(m)
print(np.fromiter((i * i for i in range(4)), dtype=float))
with np.errstate(divide="ignore", invalid="ignore"):
    print(np.array([1.0, 0.0]) / np.array([0.0, 0.0]))
print(np.geterr()["divide"], np.pi, np.e, np.inf, np.nan, np.newaxis, np.euler_gamma)
y = np.arange(3)
print(np.asarray(y) is y, np.array(y) is y, np.asarray(y, dtype=float), np.asarray(y, dtype=np.int64) is y)
show("refused", lambda: np.put(np.zeros(2), [5], 1))
print(np.ndarray((2,)).shape, y.flags.writeable, y.T.flags["C_CONTIGUOUS"])
y.flags.writeable = False
show("read-only", lambda: y.fill(1))
