"""`jax.make_user_context`: a value that a `with` statement sets."""


class UserContext:
    def __init__(self, config, new_value):
        self._config, self._new_value = config, new_value

    def __enter__(self):
        self._prev_value, self._config._local = self._config._local, self._new_value

    def __exit__(self, exc_type, exc_val, exc_tb):
        self._config._local = self._prev_value


_UNSET = object()


class UserConfig:
    def __init__(self, default_value):
        self._global, self._local = default_value, _UNSET

    @property
    def value(self):
        return self._global if self._local is _UNSET else self._local

    def get_global(self):
        return self._global

    def set_global(self, new_value):
        self._global = new_value

    def __call__(self, new_value):
        return UserContext(self, new_value)


def make_user_context(default_value=None):
    return UserConfig(default_value)
