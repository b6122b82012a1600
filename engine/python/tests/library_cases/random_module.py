import random

random.seed(0)
print([random.random() for _ in range(5)])
print([random.randint(1, 100) for _ in range(10)], random.randrange(10), random.randrange(5, 50, 5), random.getrandbits(8), random.getrandbits(70))
print(random.choice("abcdef"), random.choices([1, 2, 3], k=5), random.choices("ab", weights=[1, 9], k=6), random.choices("abc", cum_weights=[1, 2, 10], k=4))
items = list(range(10))
random.shuffle(items)
print(items, random.sample(range(100), 5), random.sample("abcdef", 3), random.sample(range(1000), 40))
print(random.uniform(1, 5), random.gauss(0, 1), random.gauss(10, 2), random.normalvariate(0, 1), random.expovariate(1.5), random.triangular(0, 10, 3), random.lognormvariate(0, 0.25))
random.seed("hello")
print(random.random(), random.randint(0, 10**20))
random.seed(b"bytes")
print(random.random())
random.seed(3.5)
print(random.random())
random.seed(-12345678901234567890)
print(random.random())
r = random.Random(42)
print(r.random(), r.randint(1, 6), r.choice([1, 2, 3]), r.sample([1, 2, 3, 4], 2))
state = r.getstate()
a = [r.random() for _ in range(3)]
r.setstate(state)
print(a == [r.random() for _ in range(3)], random.sample([1, 2], counts=[3, 4], k=3))
random.seed(7)
print([random.randint(0, 2**40) for _ in range(3)], random.randbytes(5))


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__ + ":", error)


attempt(lambda: random.choice([]))
attempt(lambda: random.randrange(0))
attempt(lambda: random.randint(5, 1))
attempt(lambda: random.sample([1], 2))
attempt(lambda: random.randrange(1, 5, 0))
attempt(lambda: random.seed([1]))
