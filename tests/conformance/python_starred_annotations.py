"""Stars in annotations and subscripts (PEP 646)."""
from typing import Annotated


def outer(f):
    def inner(*args: *tuple[int, ...], **kwargs: int) -> int:
        return f(*args, **kwargs)

    return inner


print(outer(max)(1, 3, 2), sorted(outer(max).__annotations__))
details = (1, 2)
print(Annotated[int, *details], {(1, 2, 3): "found"}[1, *(2, 3)])
