"""Functions as text."""


def repr_call(function, args, kwargs):
    """A call as it would be written."""
    shown = [repr(value) for value in args] + [f"{name}={value!r}" for name, value in kwargs.items()]
    return f"{function.__name__}({', '.join(shown)})"
