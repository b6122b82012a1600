"""`jax.extend.core`: primitives of programs' own. A primitive computes what its implementation computes; its rule for
`jax.vmap` is asked. Rules that other transformations and the lowering have for it are not."""
import jax
from jax.interpreters import batching


class Primitive:
    multiple_results = False
    call_primitive = False
    map_primitive = False
    ref_primitive = False

    def __init__(self, name):
        self.name = name
        self._implementation = self._abstract = None

    def __repr__(self):
        return f"{self.name}"

    def def_impl(self, impl):
        self._implementation = impl
        return impl

    def def_abstract_eval(self, abstract_eval):
        self._abstract = abstract_eval
        return abstract_eval

    def def_effectful_abstract_eval(self, effectful_abstract_eval):
        self._abstract = effectful_abstract_eval
        return effectful_abstract_eval

    def bind(self, *args, **params):
        if self._implementation is None:
            raise NotImplementedError(f"Evaluation rule for '{self.name}' not implemented")
        call = jax.custom_batching.custom_vmap(lambda *given: self._implementation(*given, **params))
        call.def_vmap(lambda size, mapped, *given: self._mapped(size, mapped, given, params))
        return call(*args)

    def _mapped(self, size, mapped, args, params):
        if self not in batching.primitive_batchers:
            raise NotImplementedError(f"Batching rule for '{self.name}' not implemented")
        rule = batching.primitive_batchers[self]
        results, axes = rule(args, tuple(0 if one else batching.not_mapped for one in mapped), **params)
        if not self.multiple_results:
            return _to_front(results, axes), axes is not None
        fronts = [_to_front(result, axis) for result, axis in zip(results, axes)]
        return fronts, [axis is not None for axis in axes]


def _to_front(result, axis):
    return result if axis is None else jax.numpy.moveaxis(result, axis, 0)
