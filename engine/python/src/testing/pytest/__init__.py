"""pytest: tests as functions with fixtures and parameters. `pallas-tui test` runs them; so does `pytest.main()`.

Left out: plug-ins, all hooks but `pytest_addoption`, `pytest_configure`, `pytest_generate_tests` and
`pytest_collection_modifyitems`, files in temporary folders, the rewriting of assertions, and doctests. Settings of a project come as
options: `pallas-tui test` reads them.
"""

from pytest.comparisons import approx, deprecated_call, raises, warns
from pytest.fixtures import FixtureLookupError, FixtureRequest, fixture
from pytest.marks import Mark, MarkDecorator, mark, param
from pytest.outcomes import UsageError, exit, fail, importorskip, skip, xfail
from pytest.collection import Metafunc
from pytest.items import Function, Item
from pytest.provided import CaptureFixture, LogCaptureFixture, MonkeyPatch, Subtests, TempPathFactory, WarningsRecorder
from pytest.session import Config, ExitCode, Session, main

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
