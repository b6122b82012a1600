"""flax: `flax.struct`; the other modules come from the installed package, where there is one."""


def __getattr__(name):
    import importlib

    try:
        return importlib.import_module(f"flax.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"flax.{name}":
            raise
    raise AttributeError(f"module 'flax' has no attribute '{name}'")
