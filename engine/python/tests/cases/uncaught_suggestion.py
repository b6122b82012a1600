class Thing:
    def __init__(self):
        self.value = 1
try:
    Thing().vlaue
except AttributeError:
    prnt("x")
