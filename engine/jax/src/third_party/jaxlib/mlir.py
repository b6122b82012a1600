"""Modules of `jaxlib.mlir`: importable, so that files which look at compiled programs can be read. Every name is a class that nothing
is an instance of, and says what is missing where it is used.
"""


class _Missing(type):
    """Classes whose parts are missing, too."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        _refuse(f"{cls.__module__}.{cls.__name__}.{name}")

    def __call__(cls, *args, **kwargs):
        _refuse(f"{cls.__module__}.{cls.__name__}")


def _refuse(what):
    raise NotImplementedError(f"{what} is not provided by the workbench, which has no compiler")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    made = globals()[name] = _Missing(name, (), {"__module__": __name__})
    return made
