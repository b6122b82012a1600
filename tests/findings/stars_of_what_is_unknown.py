# How many things a missing module gives is not known: a star of it may be every argument, and a comprehension over it has any length.
# jax: ModuleNotFoundError
import no_such_settings
#^ PL002 warning "no_such_settings"
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

rows, names = no_such_settings.rows, no_such_settings.names


class Blocks:
    def __init__(self, rows, columns, *others, depth):
        self.shape = (rows, columns)


def version(text):
    return tuple(int(part) for part in text.split("."))


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x, block, /, spare, *rest, scale, **options):
    if rest:
        x = x + len(rest)
    if options["interpret"]:
        x = x * scale
    ones = jnp.ones((8, 128))
    rows = pl.BlockSpec((2, 128), lambda i: (i, 0))
#                                 ^ PL120 error "lies outside x_ref"
    call = pl.pallas_call(copy, grid=(5,), in_specs=[rows], out_specs=rows, out_shape=ones, interpret=True)
    return call(ones), x


if version(no_such_settings.version) not in [version("1.2")]:
    raise ImportError("too old")
assert [int(row) for row in rows] == [8, 128], "two rows"
assert tuple(map(int, rows)) == (8, 128) and list(filter(None, rows)) == [8, 128] and list(reversed(rows)) == [128, 8], "two rows"
assert {name: 1 for name in names} == {"rows": 1}, "one name"
assert [letter for name in [names] for letter in name] == ["a", "b"], "two letters"
launch(*rows, **names)
Blocks(*rows, depth=1)
Blocks(8, *rows, **names)
launch(*rows, scale=2, interpret=True)
launch(8, 16, 32, factor=no_such_settings.factor)
#^ PL001 error "missing 1 required keyword-only argument: 'scale'"
