"""Tracing to jaxprs with Refs as arguments; that is not provided."""

from jax._src import state


def trace_to_jaxpr_dynamic(fun, in_avals, *args, **kwargs):
    """The jaxpr of a function of values of these types."""
    import jax

    if any(isinstance(aval, state.AbstractRef) for aval in in_avals):
        raise NotImplementedError("trace_to_jaxpr_dynamic is not provided for Refs")
    traced = jax.make_jaxpr(fun.call_wrapped)(*in_avals)
    return traced.jaxpr, [value.aval for value in traced.jaxpr.outvars], traced.consts
