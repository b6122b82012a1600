"""`jax.profiler`: traces and annotations; nothing is profiled here."""
import contextlib
import functools


@contextlib.contextmanager
def trace(log_dir, create_perfetto_link=False, create_perfetto_trace=False, profiler_options=None):
    yield


def start_trace(log_dir, create_perfetto_link=False, create_perfetto_trace=False, profiler_options=None):
    pass


def stop_trace():
    pass


def start_server(port):
    return None


def stop_server():
    pass


def save_device_memory_profile(filename, backend=None):
    pass


class TraceAnnotation(contextlib.AbstractContextManager):
    def __init__(self, name, **kwargs):
        self.name = name

    def __exit__(self, exc_type, exc_value, traceback):
        return None


class StepTraceAnnotation(TraceAnnotation):
    pass


class ProfileOptions:
    pass


def annotate_function(func, name=None, **decorator_kwargs):
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)

    return wrapper
