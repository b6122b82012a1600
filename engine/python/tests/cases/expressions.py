print(1 + 2 * 3 - 4 // 3 % 2 ** 3, 7 / 2, -7 // 2, -7 % 3, 2 ** -1, 2 ** 100, ~5, 1 << 70, 6 & 3 | 8 ^ 1)
print(1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True, "a" in "cat" in ["cat"], not 1, None is None, 1 is not None)
print(0 or "x" or 5, 1 and 0 and 2, [] or {} or (), "a" and "b")
print([1, 2, 3][1:], "hello"[::-1], (1, 2, 3, 4)[-2:], "hello"[1:4:2], [0, 1, 2, 3, 4, 5][4:1:-1])
x = [1, 2, 3, 4, 5]
x[1:3] = [20, 30, 40]
print(x)
x[::2] = [0, 0, 0]
print(x)
del x[::2]
print(x)
del x[0]
print(x)
print([a * b for a in range(1, 4) for b in range(a) if (a + b) % 2], {c: ord(c) for c in "abc"}, {n % 3 for n in range(10)})
print({**{"a": 1}, "b": 2, **{"a": 3}}, [*range(3), *"ab"], (*[1], 2), {*[1, 2], 3})
print((y := 5) + y, y)
print([last := n for n in range(3)], last)
print("yes" if y > 3 else "no")
name, value = "pi", 3.14159
print(f"{name}={value:.2f} {value!r:>10} {name!s:*^8} {{}} {1 + 1=} {name = } {value:{'8'}.{2}f} {'nested' + f'{y}'}")
print("%s %d %5.2f %r %x" % ("a", 5, 3.14159, "q", 255), "%(k)s" % {"k": 1})
print(1_000, 0xFF, 0b101, 0o17, 1e3, 1.5e-7, 3j, 2 + 3j, b"bytes\x00", r"\n", "a" "b")
print(1, 2, 3, sep="-", end="!\n")
matrix = [[1, 2], [3, 4]]
print([[row[i] for row in matrix] for i in range(2)], [x for row in matrix for x in row])
print(max([3, 1, 2]), sorted("hello", reverse=True), list(zip([1, 2], "ab")), list(map(lambda v: v * 2, [1, 2])), list(filter(None, [0, 1, 2])))
d = {"a": 1, "b": 2}
for k, v in d.items():
    print(k, v)
d["c"] = d.pop("a") + 10
print(d, list(d), d.get("zz"), d.get("zz", 5), "b" in d, len(d))
print({1, 2, 3} & {2, 3, 4}, {1, 2} | {3}, {1, 2} - {2}, {1, 2} ^ {2, 3}, {3, 1, 2}, {10, 5, 20, 15}, frozenset([1]))
print((1, 2) < (1, 3), [1, 2] == [1, 2], {"a": 1} == {"a": 1}, "a" < "b", (1,) + (2,), [0] * 3, "ab" * 2, 3 * [1])
print(isinstance(True, int), True + True, bool([]), bool([0]), bool(""), bool(0.0))
print(10 ** 20 // 3, -10 ** 20 % 7, 123456789 ** 3, divmod(-7, 3), round(2.5), round(3.14159, 2), abs(-3))
a = b = c = 0
a += 1; b -= 2; c |= 4
print(a, b, c)
lst = [3]
lst *= 2
lst += (4,)
print(lst)
s = "x"
s += "y"
print(s, len("héllo"), "héllo"[1], "日本語"[::-1])
print(..., Ellipsis, NotImplemented, None, __name__)
t = 1,
print(t, (), (1), (1,))
class Trace:
    def __init__(self, n): self.n = n
    def __getattr__(self, k):
        print("attr", self.n, k)
        return self
    def __setitem__(self, k, v): print("set", self.n, k, v)
    def __getitem__(self, k):
        print("get", self.n, k)
        return 1
def f(n):
    print("f", n)
    return n
Trace("a")[f("k")] = f("v")
Trace("b")[f(1):f(2), ...] += f(3)
print(f(1) + f(2) * f(3), f(0) and f(1), f(0) or f(2))
print({f("k1"): f("v1"), f("k2"): f("v2")})
x, y = y, x = 1, 2
print(x, y)
(p, q), r = (1, 2), 3
[p, q] = q, p
print(p, q, r)
print(*[1, 2], *(3,), **{"sep": ","})
print(not (1 == 2) != True, 1 if [] else 2 if 0 else 3)
print(1 if True else undefined_name)
print((lambda: (yield))().__class__.__name__)
print(0.1 + 0.2, 1e16, 1e-5, float("inf"), -float("nan") != 0, 5 // 0.3, 2 ** 0.5, 1.0, 100000000000000000000.0)
n: int = 5
print(n, __annotations__)
def local():
    m: int = 3
    return m
print(local())
global_list = [i for i in range(10) if i % 2 if i % 3]
print(global_list)
print([*{1: 2}], [*"ab"], list(reversed([1, 2, 3])), [i for i, in [(1,), (2,)]])
assert 1, "never"
pass
print(type(...).__name__, type(None).__name__, type(print).__name__, type(len).__name__, type(lambda: 0).__name__, type([].append).__name__)
print(hash(1) == hash(1.0) == hash(True), hash((1, 2)), hash(2 ** 61), hash(-1), hash(0.5), hash("a") == hash("a"))
print(sorted({"b": 1, "a": 2}.items()), {1: "a", 1.0: "b", True: "c"})
print(1 .__add__(2), (5).bit_length(), "a,b".split(","), "-".join(["x", "y"]))
import math
print(math.pi, math.floor(2.7), math)if False else print("done")
