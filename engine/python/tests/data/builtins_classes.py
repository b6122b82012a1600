# What builtins do with values of the user's classes: subclasses of builtins, special methods, code that runs while a
# container is being worked on. What CPython prints for it is in builtins_classes.out.


def attempt(label, run):
    try:
        print(label, repr(run()))
    except Exception as error:
        print(label, type(error).__name__, error)


class Count(int):
    pass


class Text(str):
    def shout(self):
        return self.upper() + "!"


class Stack(list):
    def push(self, item):
        self.append(item)
        return self


class Default(dict):
    def __missing__(self, key):
        return key * 2


class Loud(dict):
    def __setitem__(self, key, value):
        print("set", key)
        super().__setitem__(key, value)


class Pair(tuple):
    def __new__(cls, a, b):
        return super().__new__(cls, (a, b))


class Bag(set):
    pass


class Celsius(float):
    def __repr__(self):
        return f"{float(self)}C"


print(Count(5) + 1, type(Count(5) + 1).__name__, Count(5), repr(Count(7)), Count("12") == 12, hash(Count(3)) == hash(3))
print(Text("abc").shout(), Text("a") + "b", type(Text("a").upper()).__name__, len(Text("abc")), Text("x") in {"x": 1})
print(Stack([1]).push(2).push(3), len(Stack()), Stack([1, 2])[0], Stack([3, 1, 2]) == [3, 1, 2], isinstance(Stack(), list))
print(Default(a=1)["a"], Default()["xy"], Default().get("q"), Default(a=1) == {"a": 1})
loud = Loud(a=1)
loud["b"] = 2
print(loud, sorted(loud), loud.setdefault("c", 3), "c" in loud)
print(Pair(1, 2), Pair(1, 2)[1], Pair(1, 2) == (1, 2), Pair(1, 2) + (3,))
print(Bag([1, 2]) | {3}, Bag([1]) == {1}, 1 in Bag([1]))
print(Celsius(1.5), str(Celsius(2)), f"{Celsius(2.25):.1f}", Celsius(1) + 1, round(Celsius(2.5)))
print("%d %s %r %.1f" % (Count(5), Text("t"), Text("t"), Celsius(1.25)))
print("{:>5} {:>4}|".format(Count(5), Text("ab")), f"{Count(255):x}")


class Ordered:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return isinstance(other, Ordered) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"O({self.value})"

    def __bool__(self):
        return self.value != 0

    def __len__(self):
        return self.value

    def __index__(self):
        return self.value

    def __format__(self, spec):
        return f"<{self.value}:{spec}>"

    def __abs__(self):
        return Ordered(abs(self.value))

    def __round__(self, digits=None):
        return ("round", digits)

    def __divmod__(self, other):
        return ("divmod", other)

    def __pow__(self, other, modulus=None):
        return ("pow", other, modulus)

    def __contains__(self, item):
        return item == self.value

    def __reversed__(self):
        return iter([3, 2, 1])

    def __dir__(self):
        return ["b", "a"]


items = [Ordered(3), Ordered(1), Ordered(2)]
print(sorted(items), sorted(items, reverse=True), min(items), max(items), items.index(Ordered(1)), Ordered(2) in items)
items.sort(key=lambda item: -item.value)
print(items, items.count(Ordered(3)), {Ordered(1): "x"}[Ordered(1)], len({Ordered(1), Ordered(1)}))
print(bool(Ordered(0)), len(Ordered(4)), [10, 20, 30][Ordered(1)], hex(Ordered(255)), "ab" * Ordered(2), list(range(Ordered(3))))
print(f"{Ordered(1):abc}", "{:x}".format(Ordered(2)), format(Ordered(3), ""), "%s" % Ordered(4))
print(abs(Ordered(-2)), round(Ordered(1)), round(Ordered(1), 2), divmod(Ordered(1), 5), pow(Ordered(1), 2), pow(Ordered(1), 2, 3))
print(5 in Ordered(5), list(reversed(Ordered(1))), dir(Ordered(1)), all([Ordered(1), Ordered(0)]), any([Ordered(0)]))
print(chr(Ordered(97)), int(Ordered(5)), float(Ordered(5)), bytes(Ordered(2)), "abcdef"[Ordered(1):Ordered(4)])
attempt("sum", lambda: sum(items))
attempt("negative length", lambda: len(Ordered(-1)))


class Sequence:
    def __getitem__(self, index):
        if index >= 3:
            raise IndexError(index)
        return index * 10

    def __len__(self):
        return 3


print(list(Sequence()), 20 in Sequence(), list(reversed(Sequence())), list(zip(Sequence(), "ab")), max(Sequence()), sum(Sequence()))


class Mapping:
    def keys(self):
        return ["x", "y"]

    def __getitem__(self, key):
        return key.upper()


print(dict(Mapping()), {**Mapping()}, "%(x)s" % Mapping(), "{x}".format_map(Mapping()))


class Countdown:
    def __init__(self, start):
        self.left = start

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration("done")
        self.left -= 1
        return self.left


print(list(Countdown(3)), next(Countdown(5)), next(Countdown(0), "none"), list(enumerate(Countdown(2), 1)), tuple(map(str, Countdown(2))))
attempt("next", lambda: next(Countdown(0)))


class Sly:
    """Changes the container that asks it."""

    def __init__(self, target, value):
        self.target = target
        self.value = value

    def __eq__(self, other):
        self.target.clear()
        return False

    def __hash__(self):
        return 1

    def __lt__(self, other):
        self.target.append(1)
        return False


victim = []
victim += [Sly(victim, 1), Sly(victim, 2)]
attempt("index", lambda: victim.index(5))
victim = []
victim += [Sly(victim, 1), Sly(victim, 2)]
attempt("sort", lambda: victim.sort())
table = {}
table[Sly(table, 1)] = 1
attempt("dict", lambda: table.get(Sly(table, 2)))
numbers = {1: "a", 2: "b"}


def grow():
    for key in numbers:
        numbers[key + 10] = 1


def grow_values():
    for value in numbers.values():
        numbers[len(numbers) + 100] = 1


attempt("grow", grow)
attempt("grow values", grow_values)


def grow_set():
    members = {1}
    for member in members:
        members.add(member + 1)


attempt("grow set", grow_set)


class Broken:
    def __repr__(self):
        return 5

    def __str__(self):
        raise ValueError("no text")

    def __bool__(self):
        return "yes"

    def __len__(self):
        return "long"

    def __hash__(self):
        return "x"

    def __index__(self):
        return "one"

    def __iter__(self):
        return 5


attempt("repr", lambda: repr(Broken()))
attempt("str", lambda: str(Broken()))
attempt("bool", lambda: bool(Broken()))
attempt("hash", lambda: hash(Broken()))
attempt("index", lambda: [1][Broken()])
attempt("iter", lambda: list(Broken()))
attempt("print", lambda: print("a", Broken()))


class Fields:
    one = 1

    def __init__(self):
        self.two = 2

    @property
    def three(self):
        return 3

    def __getattr__(self, name):
        if name == "four":
            return 4
        raise AttributeError(f"no {name}")


fields = Fields()
print(getattr(fields, "one"), getattr(fields, "three"), getattr(fields, "four"), getattr(fields, "five", 5), hasattr(fields, "six"), vars(fields))
setattr(fields, "seven", 7)
delattr(fields, "two")
print(vars(fields), callable(fields), callable(Fields), isinstance(fields, Fields))
attempt("getattr", lambda: getattr(fields, "eight"))
attempt("setattr", lambda: setattr(fields, "three", 5))


class Error(ValueError):
    def __init__(self, message, *, code=0):
        super().__init__(message)
        self.code = code


class Plain(KeyError):
    pass


def throw(error):
    raise error


error = Error("bad", code=5)
print(repr(error), str(error), error.code, error.args, repr(Plain("k")), str(Plain("k")))
attempt("raise", lambda: throw(Error("thrown")))
attempt("keyword", lambda: Plain(a=1))


class Writer:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        self.text += "<flush>"


writer = Writer()
print("a", 1, [2], sep="-", end=";", file=writer)
print(file=writer)
print("b", file=writer, flush=True)
print(repr(writer.text))
nested = []
for _ in range(50):
    nested = [nested]
print(len(repr(nested)), nested == nested, sorted([[2], [1, 1], [1]]))
deep = {}
deep["self"] = deep
deep["list"] = [deep, (deep,)]
print(deep)
shared = [1]
print([shared, shared], (shared, [shared]))
print(sorted(["b", "A", "a", "B"], key=str.casefold), sorted([3, 1, 2], key=lambda x: (x % 2, -x)))
print(*map(lambda pair: "%s=%d" % pair, sorted({"b": 2, "a": 1}.items())), sep=", ")
print(type("Made", (Count,), {"x": 5})(3) + 1, type("Made", (), {"x": 5}).x)
print([*zip(*[(1, 2), (3, 4)])], dict(enumerate("ab")), list(filter(str.isdigit, "a1b2")), list(map(max, [1, 5], [3, 2])))
it = iter([1, 2, 3, 4])
print(list(zip(it, it)), list(it), next(iter(()), None))
