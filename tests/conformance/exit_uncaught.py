"""An uncaught exception: a traceback on stderr and exit code 1."""
print("before")


def fail(n):
  if n == 0:
    raise ValueError(f"cannot go below {n}")
  return fail(n - 1)


fail(2)
print("never")
