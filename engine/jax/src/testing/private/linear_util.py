"""Functions with what is known of where they come from."""


class WrappedFun:
    """A function to be traced."""

    def __init__(self, f, params=None, debug_info=None):
        self.f = f
        self.params = params or {}
        self.debug_info = debug_info

    def call_wrapped(self, *args, **kwargs):
        return self.f(*args, **self.params, **kwargs)

    @property
    def __name__(self):
        return getattr(self.f, "__name__", "<unnamed>")


def wrap_init(f, params=None, *, debug_info=None):
    return WrappedFun(f, params, debug_info)
