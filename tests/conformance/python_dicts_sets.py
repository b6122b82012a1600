"""Dictionaries and sets: methods, order, views, comprehensions, merging, operations."""
d = {"b": 1, "a": 2, 3: "three", (1, 2): None}
print(d, len(d), d["b"], d.get("z"), d.get("z", 0), "a" in d, 3 in d, list(d), list(d.values()), list(d.items())[0], d.keys())
d["c"] = 5
d["b"] = 10
del d[3]
print(d, d.pop("a"), d.pop("nope", "default"), d.setdefault("n", []).append(1), d["n"], d.popitem(), d)
d.update({"x": 1}, y=2)
print(d, d | {"x": 9}, {**d, "z": 0} == d, dict(a=1, b=2), dict([("k", "v")]), dict(zip("ab", range(2))), {k: v * 2 for k, v in {"p": 1, "q": 2}.items()})
d |= {"x": 7}
for key, value in d.items():
  print(key, value, end="; ")
print({v: k for k, v in {"a": 1, "b": 2}.items()}, {1: "a", 1.0: "b", True: "c"}, {"a": 1} == {"a": 1.0}, sorted({"b": 1, "a": 2}), max({"b": 1, "a": 2}, key={"b": 1, "a": 2}.get))
print(dict.fromkeys(["a", "b"]), {}.keys() == set(), {"a": 1}.keys() & {"a", "b"}, {"a": {"b": {"c": 1}}}["a"]["b"]["c"], list(reversed({"a": 1, "b": 2})), bool({}), {"a": 1}.items() >= {("a", 1)})
s = {3, 1, 2}
s.add(2)
s.add(5)
s.discard(9)
print(sorted(s), len(s), 3 in s, sorted(s | {9}), sorted(s & {1, 5}), sorted(s - {1}), sorted(s ^ {1, 99}), {1} <= s, s >= {1, 2}, {1} < {1}, {1, 2} == {2, 1}, s.isdisjoint({7}), set(), frozenset([1]), {1})
print({x % 3 for x in range(10)} == {0, 1, 2}, set("hello") == set("ehlo"), sorted(set([1, 1, 2])), frozenset([1, 2]) == {1, 2}, {frozenset([1]): "f"}[frozenset([1])], sorted({1, 2}.union([3], [4])), {1, 2, 3}.issuperset([1]))
s.remove(5)
s.update([8])
s -= {1}
try:
  s.remove(100)
except KeyError as error:
  print("KeyError", error, sorted(s))
try:
  for key in (m := {"a": 1}):
    m["b"] = 2
except RuntimeError as error:
  print(error)
counts = {}
for letter in "mississippi":
  counts[letter] = counts.get(letter, 0) + 1
print(counts, sorted(counts.items(), key=lambda item: (-item[1], item[0])))
