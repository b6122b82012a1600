"""Folders and files that go with the program: they are in memory anyway, below /tmp."""

import os
import shutil

tempdir = None


def gettempdir():
    return tempdir or "/tmp"


def gettempprefix():
    return "tmp"


def _path(suffix, prefix, dir):
    return os._temporary(dir or gettempdir(), prefix or "tmp", suffix or "")


def mkdtemp(suffix=None, prefix=None, dir=None):
    path = _path(suffix, prefix, dir)
    os.mkdir(path)
    return path


def mktemp(suffix="", prefix="tmp", dir=None):
    return _path(suffix, prefix, dir)


def mkstemp(suffix=None, prefix=None, dir=None, text=False):
    raise OSError("tempfile.mkstemp is not available: there are no file descriptors here; take NamedTemporaryFile, or TemporaryDirectory")


class TemporaryDirectory:
    def __init__(self, suffix=None, prefix=None, dir=None, ignore_cleanup_errors=False, *, delete=True):
        self.name = mkdtemp(suffix, prefix, dir)
        self._delete = delete

    def __repr__(self):
        return f"<TemporaryDirectory {self.name!r}>"

    def __enter__(self):
        return self.name

    def __exit__(self, kind, value, trace):
        if self._delete:
            self.cleanup()

    def cleanup(self):
        shutil.rmtree(self.name, ignore_errors=True)


class _TemporaryFile:
    """A stream, and the end of its file with it."""

    def __init__(self, file, path, delete):
        self.file, self.name, self.delete = file, path, delete

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def __iter__(self):
        return iter(self.file)

    def close(self):
        self.file.close()
        if self.delete and os.path.exists(self.name):
            os.unlink(self.name)


def NamedTemporaryFile(mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None, delete=True, *, errors=None, delete_on_close=True):
    path = _path(suffix, prefix, dir)
    return _TemporaryFile(open(path, mode, encoding=encoding), path, delete)


TemporaryFile = NamedTemporaryFile


def SpooledTemporaryFile(max_size=0, mode="w+b", **options):
    return NamedTemporaryFile(mode, **options)
