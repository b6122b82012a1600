"""How a test can end other than by returning: exceptions that no `except Exception` of the test catches."""

import importlib


class OutcomeException(BaseException):
    """An end that the test asked for."""

    def __init__(self, msg=None, pytrace=True):
        super().__init__(msg)
        self.msg = msg
        self.pytrace = pytrace

    def __str__(self):
        return "" if self.msg is None else str(self.msg)

    __repr__ = __str__


class Skipped(OutcomeException):
    """`pytest.skip`"""

    def __init__(self, msg=None, pytrace=True, allow_module_level=False):
        super().__init__(msg, pytrace)
        self.allow_module_level = allow_module_level


class Failed(OutcomeException):
    """`pytest.fail`"""


class XFailed(Failed):
    """`pytest.xfail`"""


class Exit(Exception):
    """`pytest.exit`"""

    def __init__(self, msg="unknown reason", returncode=None):
        super().__init__(msg)
        self.msg = msg
        self.returncode = returncode


class UsageError(Exception):
    """The command line, or a declaration, asks for what cannot be."""


def skip(reason="", *, allow_module_level=False):
    """Ends the test as skipped."""
    raise Skipped(reason, allow_module_level=allow_module_level)


def fail(reason="", pytrace=True):
    """Ends the test as failed."""
    raise Failed(reason, pytrace)


def xfail(reason=""):
    """Ends the test as failed, which was expected."""
    raise XFailed(reason)


def exit(reason="", returncode=None):
    """Ends the session."""
    raise Exit(reason, returncode)


skip.Exception = Skipped
fail.Exception = Failed
xfail.Exception = XFailed
exit.Exception = Exit


def importorskip(modname, minversion=None, reason=None, *, exc_type=None):
    """The module; where there is none, the test or the file is skipped."""
    try:
        module = importlib.import_module(modname)
    except exc_type or ImportError as error:
        raise Skipped(reason or f"could not import {modname!r}: {error}", allow_module_level=True) from None
    if minversion is not None:
        version = getattr(module, "__version__", None)
        if version is None or _numbers(version) < _numbers(minversion):
            why = f"module {modname!r} has __version__ {version!r}, required is: {minversion!r}"
            raise Skipped(reason or why, allow_module_level=True)
    return module


def _numbers(version):
    return [int(part) for part in version.split(".") if part.isdigit()]
