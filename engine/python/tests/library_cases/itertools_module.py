import itertools as it
from itertools import chain, product


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


print(list(it.islice(it.count(), 5)), list(it.islice(it.count(10, -2), 4)), list(it.islice(it.count(0.5, 0.25), 3)), list(it.islice(it.cycle("ab"), 5)))
print(list(it.repeat(7, 3)), list(map(pow, range(4), it.repeat(2))), next(it.repeat("x")))
print(list(chain([1], "ab", (2,))), list(chain.from_iterable([[1, 2], [3]])), list(chain()))
print(list(product("ab", [1, 2])), list(product(range(2), repeat=3)), list(product()), list(product([], [1])), len(list(product(range(3), range(4), range(5)))))
print(list(it.permutations([1, 2, 3])), list(it.permutations("abc", 2)), list(it.permutations([1, 2], 3)), list(it.permutations([], 0)))
print(list(it.combinations("abcd", 2)), list(it.combinations([1, 2], 3)), list(it.combinations("ab", 0)), list(it.combinations_with_replacement("abc", 2)), list(it.combinations(range(5), 4)))
print(list(it.accumulate([1, 2, 3, 4])), list(it.accumulate([3, 1, 2], max)), list(it.accumulate([1, 2], initial=10)), list(it.accumulate([])), list(it.accumulate("abc")))
print(list(it.islice("abcdefg", 2)), list(it.islice("abcdefg", 2, 5)), list(it.islice("abcdefg", 1, None, 3)), list(it.islice("ab", 5, 9)), list(it.islice([], 3)))
print(list(it.takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(it.dropwhile(lambda x: x < 3, [1, 2, 3, 1])), list(it.filterfalse(lambda x: x % 2, range(6))), list(it.filterfalse(None, [0, 1, ""])))
print(list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.zip_longest([1, 2, 3], "ab", fillvalue="-")), list(it.zip_longest()), list(it.zip_longest([1], [])))
print([(k, list(g)) for k, g in it.groupby("aaabbc")], [(k, list(g)) for k, g in it.groupby([1, 3, 2, 4], key=lambda x: x % 2)])
groups = it.groupby([1, 1, 2])
first = next(groups)
second = next(groups)
print(first[0], list(first[1]), second[0], list(second[1]))
print(list(it.pairwise([1, 2, 3, 4])), list(it.pairwise([1])), list(it.compress("abcdef", [1, 0, 1, 0, 1])))
a, b = it.tee([1, 2, 3])
print(next(a), next(a), list(b), list(a))
print([list(t) for t in it.tee(range(3), 3)])
attempt(lambda: list(it.islice([1], -1)))
attempt(lambda: list(it.islice([1], 0, 1, 0)))
attempt(lambda: it.islice([1]))
attempt(lambda: list(it.product([1], repeat=-1)))
attempt(lambda: it.combinations([1], -1))
attempt(lambda: it.permutations([1], "a"))
attempt(lambda: list(chain(3)))
attempt(lambda: it.count("a"))
print(type(chain()).__name__, isinstance(it.count(), it.count), type(iter(it.count())).__name__)
source = iter(range(10))
print(list(it.islice(source, 1, 6, 2)), list(source))
flat = list(chain.from_iterable(([i] * i for i in range(4))))
print(flat, sum(1 for _ in it.product(range(3), repeat=2)))
for i, j in product(range(2), range(2)):
    print(i, j, end="; ")
print()
