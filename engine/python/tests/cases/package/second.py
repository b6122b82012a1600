print("second", __name__)
def two():
    return 2
_private = 3
