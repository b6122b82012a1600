"""flax.struct: frozen dataclasses that are trees."""

import dataclasses as _dataclasses

import jax as _jax


def field(pytree_node=True, *, metadata=None, **kwargs):
    """A field of a tree; with `pytree_node=False` a part of its structure."""
    return _dataclasses.field(metadata=(metadata or {}) | {"pytree_node": pytree_node}, **kwargs)


def _make(cls, kwargs):
    if "_flax_dataclass" in cls.__dict__:
        return cls
    if "frozen" not in kwargs:
        kwargs["frozen"] = True
    kwargs.setdefault("repr", True)
    made = _dataclasses.dataclass(**kwargs)(cls)
    data, meta = [], []
    for item in _dataclasses.fields(made):
        (data if item.metadata.get("pytree_node", True) else meta).append(item.name)

    def replace(self, **updates):
        """A copy with other values."""
        return _dataclasses.replace(self, **updates)

    made.replace = replace
    made._flax_dataclass = True
    _jax.tree_util.register_dataclass(made, data, meta)
    return made


def dataclass(clz=None, **kwargs):
    """A frozen dataclass that is a tree."""
    return (lambda cls: _make(cls, kwargs)) if clz is None else _make(clz, kwargs)


class PyTreeNode:
    """Subclasses are frozen dataclasses that are trees."""

    def __init_subclass__(cls, **kwargs):
        dataclass(cls, **kwargs)

    def __init__(self, *args, **kwargs):
        raise NotImplementedError

    def replace(self, **overrides):
        """A copy with other values."""
        raise NotImplementedError
