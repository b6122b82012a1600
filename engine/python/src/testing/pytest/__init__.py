"""pytest: tests as functions with fixtures and parameters. `pallas-tui test` runs them; so does `pytest.main()`.

Left out: plug-ins, hooks but `pytest_addoption` and `pytest_configure`, temporary folders, the rewriting of assertions, doctests,
and the settings in `pytest.ini` and `pyproject.toml`.
"""

from pytest.comparisons import approx, deprecated_call, raises, warns
from pytest.fixtures import FixtureLookupError, FixtureRequest, MonkeyPatch, fixture
from pytest.marks import Mark, MarkDecorator, mark, param
from pytest.outcomes import UsageError, exit, fail, importorskip, skip, xfail
from pytest.session import ExitCode, main

__version__ = "9.2.0"


class PytestWarning(UserWarning):
    """What pytest warns of."""


class PytestUnknownMarkWarning(PytestWarning):
    """A mark that nobody has registered: none has to be."""


def register_assert_rewrite(*names):
    """Assertions are not rewritten."""


def yield_fixture(*args, **kwargs):
    """What `fixture` was called."""
    return fixture(*args, **kwargs)
