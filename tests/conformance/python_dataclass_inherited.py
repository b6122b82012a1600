"""A dataclass whose subclass annotates a field anew takes the default of its base."""
import dataclasses
from typing import Any, ClassVar


@dataclasses.dataclass(frozen=True)
class Op:
    config_class: ClassVar[type[Any]] = int
    config: Any = None
    _: dataclasses.KW_ONLY
    bypass: bool = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.__annotations__["config"] = cls.config_class | None


@dataclasses.dataclass(frozen=True)
class Product(Op):
    config_class: ClassVar[type[Any]] = str
    precision: int = 3


print(Product(), Product("c", 4, bypass=True))
print([(field.name, field.type, field.default, field.kw_only) for field in dataclasses.fields(Product)])
