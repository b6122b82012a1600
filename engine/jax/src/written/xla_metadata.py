"""`jax.experimental.xla_metadata`: attributes for XLA's operations; they have no effect here."""
import contextlib


class XlaMetadataContextManager(contextlib.nullcontext):
    pass


def set_xla_metadata(x=None, **kwargs):
    return XlaMetadataContextManager() if x is None else x
