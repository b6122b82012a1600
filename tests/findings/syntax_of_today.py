# Newer syntax is no error.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from dataclasses import dataclass


@dataclass(frozen=True)
class Blocks:
    m: int
    n: int = 128


def describe(blocks: Blocks) -> str:
    match blocks:
        case Blocks(m=8, n=n):
            return f"{n=}"
        case Blocks(m=m) if (half := m // 2) > 4:
            return f"{half:>4d}"
        case _:
            return "other"


print(describe(Blocks(8)), describe(Blocks(32)), *[describe(b) for b in [Blocks(2, n=1)]])
