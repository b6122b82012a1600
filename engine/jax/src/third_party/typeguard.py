"""typeguard: nothing is checked."""


class TypeCheckError(Exception):
    """An argument that does not fit its annotation."""


def typechecked(target=None, **options):
    """The function or class itself."""
    return (lambda function: function) if target is None else target


def check_type(value, expected_type, **options):
    """The value itself."""
    return value


def suppress_type_checks(function=None):
    """The function itself."""
    import contextlib

    return contextlib.nullcontext() if function is None else function


def install_import_hook(packages=None, **options):
    """Imports are as they were."""
