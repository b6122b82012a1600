"""Where a traced function comes from."""


class DebugInfo:
    """The name of what traces, and the function."""

    def __init__(self, traced_for, func_src_info):
        self.traced_for = traced_for
        self.func_src_info = func_src_info


def debug_info(traced_for, fun, args, kwargs, **options):
    return DebugInfo(traced_for, getattr(fun, "__name__", str(fun)))
