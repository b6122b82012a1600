"""Abstract values and primitives, as far as tests name them."""

import jax
from jax.core import ShapedArray, Tracer


class Primitive:
    """An operation of a test's own; it can be declared, not applied."""

    multiple_results = False

    def __init__(self, name):
        self.name = name

    def def_impl(self, impl):
        self.impl = impl
        return impl

    def def_abstract_eval(self, abstract_eval):
        self.abstract_eval = abstract_eval
        return abstract_eval

    def def_effectful_abstract_eval(self, effectful_abstract_eval):
        self.abstract_eval = effectful_abstract_eval
        return effectful_abstract_eval

    def bind(self, *args, **params):
        raise NotImplementedError(f"primitives of a program's own ({self.name}) are not provided")

    def __repr__(self):
        return self.name


def __getattr__(name):
    if name in ("new_ref", "freeze", "Jaxpr", "ClosedJaxpr", "ref_get", "ref_set"):
        return getattr(jax, name, None) or getattr(jax.core, name)
    raise AttributeError(f"module 'jax._src.core' has no attribute '{name}'")
