"""Lists and tuples: methods, slices assigned and deleted, sorting, comparison, nesting, copies."""
import copy

a = [3, 1, 2]
a.append(5)
a.extend([7, 8])
a.insert(1, "x")
print(a, a.index(5), a.count(1), a.pop(), a.pop(1), a)
a.remove(1)
a.reverse()
print(a, sorted(a), sorted(a, reverse=True), a[::-1], a[1:3], a[-2:], len(a), sum(a), max(a), min(a))
a.sort(key=lambda n: -n)
print(a, 5 in a, a + [1], a * 2, [0] * 3, a == [7, 5, 3, 2], [1, 2] < [1, 3], [1] < [1, 0], a.copy() is a)
b = list(range(10))
b[2:5] = ["a", "b"]
b[::3] = [0] * len(b[::3])
print(b)
del b[0], b[-1], b[1:3]
print(b, b[slice(1, None)], b[100:], b[-100:2])
b += (1, 2)
b *= 2
print(b)
b.clear()
print(b, not b, bool([0]))
words = ["banana", "Apple", "cherry", "apple"]
print(sorted(words), sorted(words, key=str.lower), sorted(words, key=lambda w: (len(w), w)), max(words, key=len), min(words, key=str.lower))
pairs = [(1, "b"), (0, "c"), (1, "a")]
print(sorted(pairs), sorted(pairs, key=lambda p: p[0]), [x for x, _ in pairs], list(zip(*pairs)), dict(pairs))
matrix = [[1, 2, 3], [4, 5, 6]]
print([[row[i] for row in matrix] for i in range(3)], [x for row in matrix for x in row if x % 2], [list(r) for r in zip(*matrix)], sum(matrix, []))
shallow, deep = matrix[:], copy.deepcopy(matrix)
matrix[0][0] = 99
print(shallow[0][0], deep[0][0], [[]] * 2, [[] for _ in range(2)])
t = (1, 2, (3, [4]))
t[2][1].append(5)
print(t, t[0], t + (6,), t * 2, (1,), (), len(t), t.index(2), t.count(1), tuple("ab"), (1, 2) == (1, 2), hash((1, 2)) == hash((1, 2)), tuple([1]) + ())
print(list(map(lambda x, y: x + y, [1, 2], [10, 20])), list(filter(None, [0, 1, "", "a"])), list(filter(lambda x: x > 1, [1, 2, 3])), list(zip([1, 2, 3], "ab")), list(reversed([1, 2])), all([]), any([]))
print(list(range(5)), list(range(2, 8, 3)), list(range(5, 0, -2)), range(3), len(range(0, 10, 3)), 4 in range(0, 10, 2), range(10)[2:5], range(10)[-1], list(range(0)), range(0, 3) == range(3), sum(range(101)))
recursive = [1]
recursive.append(recursive)
print(recursive, [None, True, 1.0, "s", b"b", (1,), {1: 2}, {3}, ...])
try:
  list(zip([1], [1, 2], strict=True))
except ValueError as error:
  print(error)
