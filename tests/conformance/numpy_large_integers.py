"""Python integers that int64 does not hold, as numpy takes them; and the entries of a traceback."""
import traceback

import numpy as np

print(np.array([2**63]), np.array([2**63, 2**64 - 1]).dtype, np.array(2**63).dtype, np.array([2**63 - 1]).dtype)
print(np.asarray([1, 2**63]).dtype, np.array([-1, 2**63]).dtype, np.array([[2**63], [2**63 + 1]]).sum(axis=0))
print(np.sum([2**63, 1]), np.max([2**63, 2**63 + 5]), np.array(2**63) + 1, np.array(-2**63).dtype)


def inner(n):
    return 1 // n


def outer(n):
    return inner(n) + 1


try:
    outer(0)
except ZeroDivisionError as error:
    frames = traceback.extract_tb(error.__traceback__)
    print([(frame.lineno, frame.name, frame.line) for frame in frames])
    filename, lineno, name, line = frames[-1]
    print(filename.endswith("numpy_large_integers.py"), lineno, name, line)
    lines = traceback.format_tb(error.__traceback__)
    print(len(lines), lines[0].split(", ", 1)[1].splitlines()[:2])
print(np.array([2**64 - 1, 1], dtype=np.uint64), np.array([[2**63], [7]], "uint64"), np.array((2**63,), dtype=np.float64))
for values, dtype in (([2**64], np.uint64), ([2**63], np.int64), ([1, -1], np.uint64)):
    try:
        print(np.array(values, dtype=dtype))
    except OverflowError as error:
        print(error)
