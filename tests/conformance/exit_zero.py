"""SystemExit without a code, raised deep inside: exit code 0."""


def deep():
  raise SystemExit


print("before")
for _ in range(3):
  deep()
print("never")
