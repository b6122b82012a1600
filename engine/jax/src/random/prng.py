"""Generators of random bits: what one is made of, and the list of those that are registered."""

import typing


class PRNGImpl(typing.NamedTuple):
    """The shape of a generator's keys, and its functions on them."""

    key_shape: typing.Any
    seed: typing.Any
    split: typing.Any
    random_bits: typing.Any
    fold_in: typing.Any
    name: str = "<unnamed>"
    tag: str = "?"

    def __hash__(self):
        return hash(self.tag)

    def __str__(self):
        return self.tag


prngs = {}


def register_prng(impl):
    """Makes a generator known by its name."""
    if impl.name in prngs:
        raise ValueError(f"PRNG with name {impl.name} already registered: {impl}")
    prngs[impl.name] = impl
