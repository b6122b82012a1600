from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple


@dataclass
class Tree:
    value: int
    children: list[Tree] = field(default_factory=list)
    count: ClassVar[int] = 3
    factor: dataclasses.InitVar[int] = 1

    def __post_init__(self, factor):
        self.value *= factor


t = Tree(1, [Tree(2, factor=5)])
print(t, [f.name for f in dataclasses.fields(Tree)], [f.type for f in dataclasses.fields(Tree)])


class Row(NamedTuple):
    name: str
    size: int | None = None

    def label(self):
        return f"{self.name}:{self.size}"


print(Row("a"), Row("b", 3).label(), Row.__annotations__, Row._field_defaults)
