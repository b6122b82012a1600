"""The fixtures that every test can ask for: `monkeypatch`, `capsys`, `caplog`, `recwarn`, `subtests`, `tmp_path` and others.

`tmp_path` is a folder in memory, as all files are that a program writes."""

import collections
import contextlib
import inspect
import io
import logging
import os
import pathlib
import sys
import warnings

from pytest.fixtures import fixture
from pytest.outcomes import Exit, OutcomeException


class MonkeyPatch:
    """Changes that are undone at the end of a test."""

    _absent = object()

    def __init__(self):
        self._undo = []

    @classmethod
    @contextlib.contextmanager
    def context(cls):
        patch = cls()
        try:
            yield patch
        finally:
            patch.undo()

    def setattr(self, target, name, value=_absent, raising=True):
        if value is MonkeyPatch._absent:
            import importlib

            value, (path, _, name) = name, target.rpartition(".")
            target = importlib.import_module(path)
        old = getattr(target, name, MonkeyPatch._absent)
        if raising and old is MonkeyPatch._absent:
            raise AttributeError(f"{target!r} has no attribute {name!r}")
        if inspect.isclass(target):
            old = target.__dict__.get(name, MonkeyPatch._absent)
        self._undo.append(lambda: delattr(target, name) if old is MonkeyPatch._absent else setattr(target, name, old))
        setattr(target, name, value)

    def delattr(self, target, name, raising=True):
        if not hasattr(target, name):
            if raising:
                raise AttributeError(name)
            return
        old = getattr(target, name)
        self._undo.append(lambda: setattr(target, name, old))
        delattr(target, name)

    def setitem(self, mapping, name, value):
        old = mapping.get(name, MonkeyPatch._absent)
        self._undo.append(lambda: mapping.pop(name, None) if old is MonkeyPatch._absent else mapping.update({name: old}))
        mapping[name] = value

    def delitem(self, mapping, name, raising=True):
        if name not in mapping:
            if raising:
                raise KeyError(name)
            return
        old = mapping[name]
        self._undo.append(lambda: mapping.update({name: old}))
        del mapping[name]

    def setenv(self, name, value, prepend=None):
        if prepend and name in os.environ:
            value = value + prepend + os.environ[name]
        self.setitem(os.environ, name, str(value))

    def delenv(self, name, raising=True):
        self.delitem(os.environ, name, raising)

    def chdir(self, path):
        before = os.getcwd()
        os.chdir(path)
        self._undo.append(lambda: os.chdir(before))

    def syspath_prepend(self, path):
        before = list(sys.path)
        self._undo.append(lambda: sys.path.__setitem__(slice(None), before))
        sys.path.insert(0, str(path))

    def undo(self):
        while self._undo:
            self._undo.pop()()


CaptureResult = collections.namedtuple("CaptureResult", "out err")


class CaptureFixture:
    """What a test has printed."""

    def __init__(self):
        self.out, self.err = io.StringIO(), io.StringIO()

    def readouterr(self):
        result = CaptureResult(self.out.getvalue(), self.err.getvalue())
        for stream in (self.out, self.err):
            stream.seek(0)
            stream.truncate()
        return result

    @contextlib.contextmanager
    def disabled(self):
        with contextlib.redirect_stdout(sys.__stdout__), contextlib.redirect_stderr(sys.__stderr__):
            yield


class LogCaptureFixture(logging.Handler):
    """What a test has logged."""

    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)

    messages = property(lambda self: [each.getMessage() for each in self.records])
    text = property(lambda self: "".join(f"{_log_line(each)}\n" for each in self.records))

    @property
    def record_tuples(self):
        return [(each.name, each.levelno, each.getMessage()) for each in self.records]

    def set_level(self, level, logger=None):
        logging.getLogger(logger).setLevel(level)

    @contextlib.contextmanager
    def at_level(self, level, logger=None):
        found = logging.getLogger(logger)
        before = found.level
        found.setLevel(level)
        try:
            yield
        finally:
            found.setLevel(before)

    def clear(self):
        self.records.clear()


def _log_line(record):
    return f"{record.levelname:<8} {record.name}: {record.getMessage()}"


class WarningsRecorder:
    """What a test has warned of."""

    def __init__(self, found):
        self.list = found

    def __getitem__(self, index):
        return self.list[index]

    def __iter__(self):
        return iter(self.list)

    def __len__(self):
        return len(self.list)

    def pop(self, cls=Warning):
        for at, each in enumerate(self.list):
            if issubclass(each.category, cls):
                return self.list.pop(at)
        raise AssertionError(f"{cls!r} not found in warning list")

    def clear(self):
        self.list.clear()


class TempPathFactory:
    """Folders in memory."""

    def __init__(self):
        self.given = {}

    def getbasetemp(self):
        base = pathlib.Path("/tmp/pytest-of-user/pytest-0")
        base.mkdir(parents=True, exist_ok=True)
        return base

    def mktemp(self, basename, numbered=True):
        if numbered:
            number = self.given.get(basename, 0)
            self.given[basename] = number + 1
            basename = f"{basename}{number}"
        folder = self.getbasetemp() / basename
        folder.mkdir()
        return folder


class Subtests:
    """Parts of a test of which each may fail by itself."""

    def __init__(self, item):
        self._item = item

    @contextlib.contextmanager
    def test(self, msg=None, **kwargs):
        problem = None
        try:
            yield
        except Exit:
            raise
        except (Exception, OutcomeException) as error:
            problem = error
        shown = ", ".join(f"{name}={value!r}" for name, value in kwargs.items())
        names = [f"[{msg}]" if msg is not None else "", f"({shown})" if shown else ""]
        self._item.parts.append((" ".join(each for each in names if each) or "(<subtest>)", problem))


@fixture
def monkeypatch():
    patch = MonkeyPatch()
    yield patch
    patch.undo()


@fixture
def capsys():
    captured = CaptureFixture()
    with contextlib.redirect_stdout(captured.out), contextlib.redirect_stderr(captured.err):
        yield captured


@fixture
def capfd(capsys):
    return capsys


@fixture
def caplog():
    handler = LogCaptureFixture()
    root = logging.getLogger()
    root.addHandler(handler)
    yield handler
    root.removeHandler(handler)


@fixture
def recwarn():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        yield WarningsRecorder(found)


@fixture
def subtests(request):
    return Subtests(request.node)


@fixture(scope="session")
def tmp_path_factory():
    return TempPathFactory()


@fixture
def tmp_path(request, tmp_path_factory):
    name = "".join(each if each.isalnum() or each == "_" else "_" for each in request.node.name)
    return tmp_path_factory.mktemp(name[:30])


@fixture(scope="session")
def pytestconfig(request):
    return request.config


@fixture
def record_property():
    return lambda name, value: None


@fixture
def record_testsuite_property(record_property):
    return record_property
