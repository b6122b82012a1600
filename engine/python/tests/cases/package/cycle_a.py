from . import cycle_b
value = "a"
