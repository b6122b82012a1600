"""immutabledict: a mapping that cannot be changed, and can be hashed."""

from collections.abc import Mapping


class immutabledict(Mapping):
    """A mapping that cannot be changed."""

    dict_cls = dict

    def __init__(self, *args, **kwargs):
        self._dict = self.dict_cls(*args, **kwargs)
        self._hash = None

    def __class_getitem__(cls, item):
        return cls

    @classmethod
    def fromkeys(cls, seq, value=None, *args, **kwargs):
        return cls(dict.fromkeys(seq, value))

    def __getitem__(self, key):
        return self._dict[key]

    def __contains__(self, key):
        return key in self._dict

    def __iter__(self):
        return iter(self._dict)

    def __len__(self):
        return len(self._dict)

    def __eq__(self, other):
        if isinstance(other, immutabledict):
            return self._dict == other._dict
        return self._dict == other

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        if self._hash is None:
            result = 0
            for key, value in self.items():
                result ^= hash((key, value))
            self._hash = result
        return self._hash

    def __repr__(self):
        return f"{type(self).__name__}({self._dict!r})"

    def __or__(self, other):
        return type(self)({**self._dict, **dict(other)})

    def __ror__(self, other):
        return type(self)({**dict(other), **self._dict})

    def get(self, key, default=None):
        return self._dict.get(key, default)

    def keys(self):
        return self._dict.keys()

    def values(self):
        return self._dict.values()

    def items(self):
        return self._dict.items()

    def copy(self, **add_or_replace):
        return type(self)(self._dict, **add_or_replace)

    def set(self, key, value):
        return type(self)({**self._dict, key: value})

    def delete(self, key):
        return type(self)({k: v for k, v in self._dict.items() if k != key or self._dict[key] is not v})

    def update(self, *args, **kwargs):
        return type(self)({**self._dict, **dict(*args, **kwargs)})


ImmutableOrderedDict = immutabledict
