import bisect
import heapq
import importlib
import importlib.util

h = []
for x in [5, 1, 4, 1, 5, 9, 2, 6]:
    heapq.heappush(h, x)
    print(h)
print([heapq.heappop(h) for _ in range(4)], h)
g = [9, 8, 7, 6, 5, 4, 3]
heapq.heapify(g)
print(g, heapq.heapreplace(g, 10), g, heapq.heappushpop(g, 0), heapq.heappushpop(g, 20), g)
print(heapq.nlargest(2, [1, 5, 3]), heapq.nsmallest(2, ["bb", "a", "ccc"], key=len), list(heapq.merge([1, 4], [2, 3], [0])), heapq.nlargest(0, [1]))
for bad in (lambda: heapq.heappop([]), lambda: heapq.heappush((), 1), lambda: heapq.heapify([1, "a"]), lambda: heapq.heapreplace([], 1)):
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__)
a = [1, 2, 2, 3]
print(bisect.bisect_left(a, 2), bisect.bisect_right(a, 2), bisect.bisect(a, 9), bisect.bisect_left(a, 2, 2), bisect.bisect([("a", 1), ("b", 2)], 1, key=lambda p: p[1]))
bisect.insort(a, 2.5)
bisect.insort_left(a, 1)
print(a)
print(importlib.import_module("math").pi, importlib.import_module("os.path").join("a", "b"), importlib.util.find_spec("no_such_module_here"), importlib.util.find_spec("json") is not None)
try:
    importlib.import_module("no_such_module_here")
except ImportError as error:
    print(type(error).__name__, error)
