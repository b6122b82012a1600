"""An uncaught exception of one's own class, raised from another."""


class KernelError(Exception):
  pass


def load(name):
  try:
    return {}[name]
  except KeyError as error:
    raise KernelError(f"no kernel {name!r}") from error


print("loading")
load("softmax")
