# What a missing module gives is taken to be no `None`, which leads to more of a program; that an assertion fails for it, or that
# something is raised, is not known. So is what a `partial` passes on of it, and how deep a walk through its parts goes.
# jax: ModuleNotFoundError
import no_such_registry
#^ PL002 warning "no_such_registry"
import functools
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

add = no_such_registry.registered(lambda x: x)


def register(operation, made):
    assert operation.fake is None, "registered twice"
    if operation.real is not None:
        raise ValueError(f"{operation} is registered already")
    operation.fake = made


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x, block, *, interpret):
    rows = pl.BlockSpec((2, 128), lambda i: (i, 0))
#                                 ^ PL120 error "lies outside x_ref"
    if no_such_registry.bias is not None:
        call = pl.pallas_call(copy, grid=(5,), in_specs=[rows], out_specs=rows, out_shape=jnp.ones((8, 128)), interpret=True)
        return call(jnp.ones((8, 128)))


def visit(part, names):
    names.append(part.name)
    for inner in part.children():
        visit(inner, names)


register(add, lambda x: x)
visit(no_such_registry.root, [])
functools.partial(launch, *no_such_registry.operands)(interpret=True)
functools.partial(functools.partial(launch, jnp.ones(8)), **no_such_registry.options)()
functools.partial(jnp.add, *no_such_registry.operands)()
functools.partial(launch, 8)(interpret=True)
#^ PL001 error "missing 1 required positional argument: 'block'"
nothing = None
assert nothing is not None, "this one is known"
#      ^ PL001 error "this one is known"
