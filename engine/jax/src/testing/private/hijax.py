"""Types of a program's own: they can be declared; values of them cannot be traced."""


class HiType:
    """Derive from it to declare a type."""


_registered = {}


def register_hitype(value_type, type_of):
    """The function gives the type of a value."""
    _registered[value_type] = type_of
