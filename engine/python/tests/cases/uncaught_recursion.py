def recurse(n):
    return recurse(n + 1) + 1

def start():
    recurse(0)

start()
