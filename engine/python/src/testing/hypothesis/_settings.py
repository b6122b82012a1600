"""How many examples, and what is checked. Deadlines, databases and phases are kept and not used."""

import enum

from .errors import InvalidArgument


class HealthCheck(enum.Enum):
    """What hypothesis may complain about; nothing is complained about here."""

    data_too_large = 1
    filter_too_much = 2
    too_slow = 3
    large_base_example = 7
    function_scoped_fixture = 9
    differing_executors = 10
    nested_given = 11

    @classmethod
    def all(cls):
        return list(cls)


class Phase(enum.Enum):
    """Parts of a run; only `explicit` and `generate` exist here."""

    explicit = 0
    reuse = 1
    generate = 2
    target = 3
    shrink = 4
    explain = 5


class Verbosity(enum.IntEnum):
    """How much is printed; nothing is."""

    quiet = 0
    normal = 1
    verbose = 2
    debug = 3


_DEFAULTS = {
    "max_examples": 100,
    "derandomize": True,
    "database": None,
    "verbosity": Verbosity.normal,
    "phases": tuple(Phase),
    "stateful_step_count": 50,
    "report_multiple_bugs": True,
    "suppress_health_check": (),
    "deadline": None,
    "print_blob": False,
    "backend": "hypothesis",
}

_profiles = {}


class settings:
    """Values for a test; a decorator for it."""

    default = None

    def __init__(self, parent=None, **values):
        for name in values:
            if name not in _DEFAULTS:
                raise InvalidArgument(f"Invalid argument: {name!r} is not a valid setting")
        inherited = parent if parent is not None else settings.default
        self._values = {**(inherited._values if inherited is not None else _DEFAULTS), **values}

    def __getattr__(self, name):
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"settings has no attribute {name}") from None

    def __call__(self, test):
        test._hypothesis_settings = self
        return test

    @staticmethod
    def register_profile(name, parent=None, **values):
        _profiles[name] = settings(parent, **values)

    @staticmethod
    def get_profile(name):
        try:
            return _profiles[name]
        except KeyError:
            raise InvalidArgument(f"Profile {name!r} is not registered") from None

    @staticmethod
    def load_profile(name):
        settings.default = settings.get_profile(name)
        return settings.default

    def __repr__(self):
        return f"settings({', '.join(f'{name}={value!r}' for name, value in sorted(self._values.items()))})"


settings.default = settings()
_profiles["default"] = settings.default
