"""pydantic dataclasses and models as kernel configurations use them."""

import dataclasses, enum
from typing import Annotated, Literal, Optional
import pydantic
from pydantic import BaseModel, Field, ConfigDict, field_validator, model_validator

@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Config:
    block_m: pydantic.PositiveInt = 128
    block_n: Annotated[int, Field(ge=16, multiple_of=16)]
    stages: Annotated[int, Field(gt=0)] | None = None
    kind: Literal["a", "b"] = "a"

print(Config(block_n=32), Config(block_n=32) == Config(block_n=32), hash(Config(block_n=16)) == hash(Config(block_n=16)))
for kw in [{"block_n": 8}, {"block_n": 24}, {"block_n": 32, "block_m": 0}, {"block_n": 32, "stages": -1}]:
    try:
        Config(**kw)
    except pydantic.ValidationError as e:
        print(e.error_count(), [(x["type"], x["loc"], x["msg"]) for x in e.errors()])
try:
    Config(block_n=32).block_m = 3
except dataclasses.FrozenInstanceError as e:
    print(e)
print(dataclasses.replace(Config(block_n=32), block_m=64).block_m)

class Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    heads: int = Field(default=8, gt=0)
    name: str
    dims: list[int] = Field(default_factory=list)

    @field_validator("name")
    @classmethod
    def not_empty(cls, v):
        if not v:
            raise ValueError("a name is needed")
        return v.upper()

    @model_validator(mode="after")
    def together(self):
        if self.heads > 100:
            raise ValueError("too many")
        return self

m = Model(name="x")
print(m, repr(m), m.model_dump(), m.model_copy(update={"heads": 2}).heads)
for kw in [{}, {"name": ""}, {"name": "a", "heads": 0}, {"name": "a", "zzz": 1}, {"name": "a", "heads": 101}]:
    try:
        Model(**kw)
    except pydantic.ValidationError as e:
        print([(x["type"], x["loc"], x["msg"]) for x in e.errors()])
try:
    m.heads = 3
except pydantic.ValidationError as e:
    print(e.errors()[0]["type"])
print(list(Model.model_fields))


@pydantic.dataclasses.dataclass(frozen=True)
class Tiling:
    rows: int
    columns: int | None = None
    names: tuple[str, ...] = ("a", "b")


print(pydantic.TypeAdapter(Tiling).dump_json(Tiling(8)), pydantic.TypeAdapter(list[float]).dump_json([1.5, 2.0]))
print(pydantic.ImportString._serialize(Tiling).rsplit(".")[-1], pydantic.ImportString._serialize(3))
