from collections import namedtuple, defaultdict, OrderedDict, Counter, deque, ChainMap
import collections
import collections.abc


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


Point = namedtuple("Point", ["x", "y"])
p = Point(1, y=2)
print(p, p.x, p[1], len(p), list(p), p == (1, 2), hash(p) == hash((1, 2)), p._fields, p._asdict(), p._replace(x=9))
x, y = p
print(x, y, Point._make([3, 4]), p + (3,), p < (1, 3), isinstance(p, tuple), Point.__name__, Point.__doc__, max(p), p.index(2), 1 in p)
attempt(lambda: Point(1))
attempt(lambda: Point())
attempt(lambda: Point(1, 2, 3))
attempt(lambda: Point(1, z=3))
attempt(lambda: p._replace(z=3))
attempt(lambda: Point._make([1]))
attempt(lambda: namedtuple("X", "a a"))
attempt(lambda: namedtuple("X", "def"))
attempt(lambda: namedtuple("X", "_a"))
attempt(lambda: namedtuple("X", "a-b"))


def set_field():
    p.x = 3


attempt(set_field)
D = namedtuple("D", "a b c", defaults=(2, 3))
print(D(1), D._field_defaults, namedtuple("R", "a def a", rename=True)._fields)


class Sub(Point):
    __slots__ = ()

    @property
    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5

    def __str__(self):
        return "sub"


s = Sub(3, 4)
print(s.norm, s, repr(s), s._replace(x=0), type(s._replace(x=0)).__name__)
match p:
    case Point(x=1, y=b):
        print("match", b)
match p:
    case (a, b):
        print("sequence", a, b)

dd = defaultdict(list)
dd["a"].append(1)
dd["b"].extend([2, 3])
print(dd, dict(dd), dd["c"], len(dd), "z" in dd, dd.get("z"), dd.default_factory)
counts = defaultdict(int, {"a": 1})
for ch in "abracadabra":
    counts[ch] += 1
print(counts, sorted(counts.items()), defaultdict(lambda: 5)["q"], counts == dict(counts))
attempt(lambda: defaultdict(3))
attempt(lambda: defaultdict()["k"])
print(defaultdict(None, a=1), counts.copy(), type(counts.copy()).__name__, isinstance(dd, dict))
nested = defaultdict(lambda: defaultdict(int))
nested["x"]["y"] += 1
print(nested["x"]["y"], {k: dict(v) for k, v in nested.items()})

od = OrderedDict([("a", 1), ("b", 2), ("c", 3)])
od.move_to_end("a")
print(od, list(od), od.popitem(), od.popitem(last=False), od, OrderedDict(), OrderedDict(x=1))
print(OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), OrderedDict(a=1, b=2) == dict(b=2, a=1))
od["z"] = 9
od.move_to_end("z", last=False)
print(od, list(reversed(od)), od | {"q": 1}, od.copy(), OrderedDict.fromkeys("ab", 0))
attempt(lambda: od.move_to_end("nope"))
attempt(lambda: OrderedDict().popitem())

c = Counter("abracadabra")
print(c, c["a"], c["zzz"], c.most_common(2), c.most_common(), sorted(c.elements()), c.total(), len(c))
c.update("aaa")
c.subtract({"a": 2, "b": 5})
print(c, c + Counter(a=1), c - Counter(a=1), c & Counter(a=3, c=5), c | Counter(a=3, c=5), +c, -c)
print(Counter(a=1) == Counter(a=1, b=0), Counter([1, 1, 2]), Counter({"x": 3}), Counter(), Counter(a=2) > Counter(a=1) if False else "", dict(Counter("aab")))
c["new"] += 1
del c["missing"]
print(c["new"], Counter("hello").most_common(1)[0], sum(Counter("hello").values()))

d = deque([1, 2, 3], maxlen=4)
d.append(4)
d.append(5)
d.appendleft(0)
print(d, d.maxlen, list(d), d[0], d[-1], len(d), 3 in d)
d.rotate(1)
print(d, d.pop(), d.popleft(), d)
d.extend([7, 8, 9])
d.extendleft([1])
print(d, d.count(7), d.index(7), list(reversed(d)), deque("abc"), deque(), deque([1]) == deque([1]), deque([1, 2]) < deque([1, 3]))
d[0] = 100
d.remove(7)
d.insert(1, "i") if len(d) < 4 else None
d.reverse()
print(d, d + deque([1]), bool(deque()), deque([1, 2]) * 2, d.copy())
attempt(lambda: deque().pop())
attempt(lambda: deque([1])[5])
attempt(lambda: deque([1]).remove(9))
attempt(lambda: deque(maxlen=-1))
d.clear()
print(d)
q = deque([1, 2, 3])
while q:
    print(q.popleft(), end=" ")
print()

cm = ChainMap({"a": 1}, {"a": 2, "b": 3})
print(cm["a"], cm["b"], len(cm), sorted(cm), "b" in cm, cm.get("z", 0), dict(cm), cm)
cm["c"] = 4
print(cm.maps[0], cm.new_child({"a": 9})["a"], cm.parents["a"])
attempt(lambda: cm["zz"])

abc = collections.abc
checks = {
    "list": [1], "tuple": (1,), "str": "a", "dict": {}, "set": set(), "frozenset": frozenset(), "int": 1, "range": range(3),
    "generator": (i for i in []), "iter": iter([]), "function": attempt, "bytes": b"", "none": None, "deque": deque(), "class": int,
    "keys": {}.keys(), "namedtuple": p, "defaultdict": dd,
}
for name in ["Iterable", "Iterator", "Sequence", "MutableSequence", "Mapping", "MutableMapping", "Set", "MutableSet", "Callable",
             "Hashable", "Sized", "Container", "Collection", "Generator", "Reversible"]:
    print(name, [key for key, value in checks.items() if isinstance(value, getattr(abc, name))])


class Mine(abc.Sequence):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i * i


m = Mine(4)
print(list(m), 9 in m, m.index(4), m.count(1), list(reversed(m)), isinstance(m, abc.Sequence), isinstance(m, abc.Iterable))


class Table(abc.MutableMapping):
    def __init__(self):
        self.data = {}

    def __getitem__(self, k):
        return self.data[k]

    def __setitem__(self, k, v):
        self.data[k] = v

    def __delitem__(self, k):
        del self.data[k]

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)


t = Table()
t["a"] = 1
t.update({"b": 2}, c=3)
print(t.get("a"), t.get("q", 0), list(t.keys()), list(t.values()), list(t.items()), "a" in t, t.pop("a"), t.setdefault("z", 9), dict(t), len(t), t == {"b": 2, "c": 3, "z": 9})


class HasIter:
    def __iter__(self):
        return iter([])


class HasCall:
    def __call__(self):
        return 1


print(isinstance(HasIter(), abc.Iterable), isinstance(HasCall(), abc.Callable), isinstance(HasIter(), abc.Sized), issubclass(list, abc.Sequence), issubclass(dict, abc.Mapping), issubclass(int, abc.Iterable))


class Registered:
    pass


abc.Sequence.register(Registered)
print(isinstance(Registered(), abc.Sequence))
print(abc.Callable[[int], str], abc.Sequence[int])


class CountDict(dict):
    def __missing__(self, key):
        return key * 2


print(CountDict(a=1)["a"], CountDict()["zz"])
