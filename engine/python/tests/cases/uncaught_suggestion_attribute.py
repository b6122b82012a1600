import math
class Thing:
    def __init__(self):
        self.some_value = 1
try:
    math.sqrrt(3)
except AttributeError as e:
    first = e
try:
    [].apend(3)
except AttributeError as e:
    second = e
raise first from second
