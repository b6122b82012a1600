"""Generators: laziness, send, return, yield from, closing, and infinite ones."""
import itertools


def numbers(n):
  print("start")
  for i in range(n):
    print("yield", i)
    yield i
  print("end")
  return "done"


g = numbers(2)
print("made")
print(next(g), next(g))
try:
  next(g)
except StopIteration as stop:
  print("stopped with", stop.value)


def average():
  total = count = 0
  value = None
  while True:
    received = yield value
    if received is None:
      return total
    total += received
    count += 1
    value = total / count


a = average()
next(a)
print(a.send(10), a.send(20), a.send(60))


def chain(*iterables):
  for iterable in iterables:
    result = yield from iterable
    if result:
      yield result


print(list(chain("ab", [1, 2], numbers(1))))


def cleanup():
  try:
    yield 1
    yield 2
  finally:
    print("cleaned")


c = cleanup()
print(next(c))
c.close()
abandoned = cleanup()
for value in abandoned:
  print(value)
  break
abandoned.close()


def primes():
  found = []
  for n in itertools.count(2):
    if all(n % p for p in found):
      found.append(n)
      yield n


print(list(itertools.islice(primes(), 10)))
squares = (x * x for x in range(10) if x % 2)
print(sum(squares), list(squares), max(len(w) for w in ["a", "bcd"]), any(x > 3 for x in range(5)), next((x for x in range(9) if x > 4), None))


class Tree:
  def __init__(self, value, *children):
    self.value, self.children = value, children

  def __iter__(self):
    yield self.value
    for child in self.children:
      yield from child


print(list(Tree(1, Tree(2, Tree(3)), Tree(4))))


class Countdown:
  def __init__(self, n):
    self.n = n

  def __iter__(self):
    return self

  def __next__(self):
    if self.n == 0:
      raise StopIteration
    self.n -= 1
    return self.n


print(list(Countdown(3)), [*Countdown(2)], dict(zip("ab", Countdown(2))), 1 in Countdown(3))
gen = (i for i in range(3))
print(next(gen), list(gen), next(gen, "empty"))
try:
  c.throw(ValueError("thrown"))
except ValueError as error:
  print(error)
