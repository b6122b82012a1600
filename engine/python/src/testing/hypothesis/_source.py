"""Where examples come from: a seeded generator, which gives the simplest choices for the first example."""

import random


class Source:
    """The choices of one example."""

    def __init__(self, name, index):
        # The first example is the simplest one; the others depend on the test's name and their number only.
        self.simplest = index == 0
        self.random = random.Random(f"{name}#{index}")

    def boolean(self, probability=0.5):
        return False if self.simplest else self.random.random() < probability

    def integer(self, low, high):
        """From `low` to `high`, both included; bounds and small numbers more often than their share."""
        nearest = min(max(0, low), high)
        if self.simplest:
            return nearest
        kind = self.random.random()
        if kind < 0.1:
            return low
        if kind < 0.2:
            return high
        if kind < 0.4:
            return min(max(nearest + self.random.randint(-8, 8), low), high)
        return self.random.randint(low, high)

    def index(self, size):
        """A place in a sequence."""
        return 0 if self.simplest else self.random.randrange(size)

    def real(self):
        """A number in [0, 1)."""
        return 0.0 if self.simplest else self.random.random()
