"""itertools, collections, operator, functools and typing as kernels' host code uses them."""
import collections
import functools
import itertools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, Callable, Literal, Optional, Sequence, TypeVar, Union, cast

print(list(itertools.product([1, 2], "ab")), list(itertools.product(range(2), repeat=2)), list(itertools.chain([1], (2, 3))), list(itertools.chain.from_iterable(["ab", "c"])))
print(list(itertools.permutations([1, 2, 3], 2)), list(itertools.combinations("abc", 2)), list(itertools.combinations_with_replacement("ab", 2)))
print(list(itertools.accumulate([1, 2, 3, 4])), list(itertools.accumulate([1, 2, 3], operator.mul)), list(itertools.accumulate([1, 2], initial=10)), list(itertools.islice(itertools.count(5, 2), 3)), list(itertools.islice("abcdef", 1, None, 2)))
print(list(itertools.repeat("x", 2)), list(itertools.islice(itertools.cycle("ab"), 5)), list(itertools.takewhile(lambda v: v < 3, range(6))), list(itertools.dropwhile(lambda v: v < 3, range(6))), list(itertools.filterfalse(lambda v: v % 2, range(5))))
print([(k, list(g)) for k, g in itertools.groupby("aabbbc")], list(itertools.zip_longest([1, 2], "a", fillvalue="-")), list(itertools.starmap(pow, [(2, 3), (3, 2)])), list(itertools.pairwise([1, 2, 3])), list(itertools.compress("abc", [1, 0, 1])))
left, right = itertools.tee(range(3))
print(list(left), list(right))
d = defaultdict(list)
for key, value in [("a", 1), ("b", 2), ("a", 3)]:
  d[key].append(value)
print(dict(d), d, defaultdict(int)["new"], Counter("hello").most_common(2), Counter(a=1) + Counter(a=2, b=1), Counter([1, 1])[1], Counter()["none"])
q = deque([1, 2, 3], maxlen=3)
q.append(4)
q.appendleft(0)
q.rotate(1)
print(q, q.popleft(), q.pop(), list(q), q.maxlen, OrderedDict(a=1), collections.ChainMap({"a": 1}, {"a": 2, "b": 3})["b"])
print(operator.add(1, 2), operator.itemgetter(1)([5, 6]), operator.itemgetter("a", "b")({"a": 1, "b": 2}), operator.attrgetter("real")(3), operator.methodcaller("upper")("x"), operator.mul(2, 3), operator.floordiv(7, 2), operator.neg(4), operator.contains([1], 1), sorted([(2, "a"), (1, "b")], key=operator.itemgetter(1)))
print(functools.reduce(operator.or_, [1, 2, 4]), functools.partial(int, base=2)("101"), functools.partial(print, "partial", sep="-", end="!\n")("x"))
T = TypeVar("T")


def identity(x: T, f: Optional[Callable[[T], Any]] = None, mode: Literal["a", "b"] = "a") -> Union[T, int]:
  return cast(int, x)


def total(xs: Sequence[int] | None = None, **kw: "Unknown") -> int | None:
  return sum(xs or ())


print(identity(5), total([1, 2]), total(), list[int], dict[str, int], int | None, tuple[int, ...] == tuple[int, ...])
