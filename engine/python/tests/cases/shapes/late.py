from . import hidden
print("late is imported", __name__, __package__, hidden)
