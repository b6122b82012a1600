"""beartype: nothing is checked."""


class BeartypeStrategy:
    O0 = "O0"
    O1 = "O1"
    Ologn = "Ologn"
    On = "On"


class BeartypeConf:
    """Settings, kept as they are given."""

    def __init__(self, **settings):
        for name, value in settings.items():
            setattr(self, name, value)


def beartype(obj=None, *, conf=None):
    """The function or class itself."""
    return (lambda function: function) if obj is None else obj
